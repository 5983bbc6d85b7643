/* Limits of acceptance: jobs of a table, the file, and what is refused. */
#include "ask.h"

#include <string.h>

#include "plan/thresholds.h"

static struct ec_csv table(const char *text)
{
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_csv_parse(text, strlen(text), &csv, &err));
    return csv;
}

TEST(a_row_is_a_job)
{
    struct ec_csv csv = table("model,op,collective,bytes,device,devices,batch,precision\n"
                              "resnet50,,,,t4,,64,amp\n"
                              ",matmul m=8 k=8 n=8,,,t4,,,fp16\n"
                              ",,all_gather,1GiB,h100,8,,\n");
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    struct ec_job job;
    const char *name = NULL;

    CHECK_OK(ec_job_of_row(&csv, 0, &a, &job, &err));
    CHECK_STR(job.model, "resnet50");
    CHECK_INT(job.opts.batch, 64);
    CHECK_INT(job.opts.cond.precision, EC_AMP);
    CHECK(!job.opts.usual_precision && job.opts.usual_optimizer);
    CHECK_OK(ec_job_name(&csv, 0, &a, &name, &err));
    CHECK_STR(name, "resnet50 t4 batch=64 precision=amp");
    CHECK_OK(ec_job_of_row(&csv, 1, &a, &job, &err));
    CHECK_STR(job.op, "matmul m=8 k=8 n=8");
    CHECK_OK(ec_job_of_row(&csv, 2, &a, &job, &err));
    CHECK_INT(job.collective, EC_COLLECTIVE_all_gather);
    CHECK_NEAR(job.bytes, 0x1p30, 1e-12);
    CHECK_INT(job.opts.devices, 8);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
}

TEST(a_row_that_is_no_job_says_why)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"model,device\nresnet50,\n",                     "expected a device"},
        { "model,op,device\nresnet50,relu x=8,t4\n",      "one of model, op" },
        { "collective,device\nall_reduce,t4\n",           "with bytes"       },
        { "collective,bytes,device\nall_reduce,1XB,t4\n", "column bytes"     },
        { "collective,bytes,device\nsum,1MB,t4\n",        "collective"       },
        { "model,device,batchsize\nresnet50,t4,8\n",      "column batchsize" },
        { "model,device,batch\nresnet50,t4,many\n",       "batch"            },
    };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    struct ec_job job;
    int i;

    for (i = 0; i < EC_LEN(bad); i++) {
        struct ec_csv csv = table(bad[i].text);

        CHECK_FAILS(ec_job_of_row(&csv, 0, &a, &job, &err), EC_E_INPUT, bad[i].why);
        ec_csv_clear(&csv);
    }
    ec_arena_clear(&a);
}

TEST(limits_are_read_as_they_were_written)
{
    struct ec_threshold v[] = {
        {.job = "b",  .ns = { 1e6, 2e6, 4e6 }, .does = { .of = { [EC_SPEED_SAMPLES] = 64 } }},
        { .job = "a", .ns = { 1, 1, 1 },       .does = { .devices = 8 }                     },
    };
    struct ec_thresholds l = { .tolerance = 0.1, .v = v, .n = 2 }, again = { 0 };
    const struct ec_threshold *one = NULL;
    struct ec_buf text = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    ec_thresholds_write(&l, &text);
    CHECK_HAS(ec_buf_text(&text), "\"samples_p05_per_s\": 16000");
    CHECK_OK(ec_thresholds_parse((struct ec_span){ text.data, text.len }, &a, &again, &err));
    CHECK_NEAR(again.tolerance, 0.1, 1e-12);
    CHECK_OK(ec_thresholds_find(&again, "b", &one, &err));
    CHECK_NEAR(one->ns.p95, 4e6, 1e-12);
    CHECK_NEAR(one->does.of[EC_SPEED_SAMPLES], 64, 1e-12);
    CHECK_INT(one->does.devices, 1);
    CHECK_FAILS(ec_thresholds_find(&again, "c", &one, &err), EC_E_NOT_FOUND, "no limit for job");
    ec_buf_clear(&text);
    ec_arena_clear(&a);
}

TEST(what_is_no_file_of_limits_is_refused)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"[]",                              "\"jobs\""                  },
        { "{\"jobs\": []}",                 "\"jobs\""                  },
        { "{\"jobs\": [3]}",                "no name"                   },
        { "{\"jobs\": [{\"job\": \"a\"}]}", "time_p05_ns"               },
        { "{\"jobs\": [{\"job\": \"a\", \"time_p05_ns\": 3, \"time_p50_ns\": 2, "
          "\"time_p95_ns\": 4}]}", "time_p05_ns <= time_p50_ns"},
        { "{\"jobs\": [{\"job\": \"a\", \"time_p05_ns\": 1, \"time_p50_ns\": 2, "
          "\"time_p95_ns\": 4}, {\"job\": \"a\", \"time_p05_ns\": 1, \"time_p50_ns\": 2, "
          "\"time_p95_ns\": 4}]}", "twice"                     },
    };
    struct ec_thresholds l;
    struct ec_arena a = { 0 };
    int i;

    for (i = 0; i < EC_LEN(bad); i++) {
        struct ec_err err = { 0 };

        CHECK(ec_thresholds_parse(ec_span_of(bad[i].text), &a, &l, &err) != EC_OK);
        CHECK_HAS(err.text, bad[i].why);
    }
    ec_arena_clear(&a);
}
