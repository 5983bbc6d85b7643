/* Runs without a time, noisy ones, and names that are no network: what is said of them. */
#include "a_run.h"
#include "numbers.h"

#define HEAD "env,device,model,batch,mode,precision,step_time_ms,status\n"
#define FITS "t4,t4,resnet18,8,training_step,fp32,30,ok\n" /* beside the others */

static void read_runs(const char *rows, bool predict, struct ec_runs *ret)
{
    struct ec_runs_query q = { .precision = "fp32", .predict = predict };
    const char *path = "test-runs-left.csv";
    struct ec_buf text = EC_BUF_INIT;
    struct ec_store *s = NULL;
    struct ec_err err;

    *ret = (struct ec_runs){ 0 };
    ec_buf_printf(&text, "%s%s", HEAD, rows);
    CHECK_OK(ec_file_write(path, ec_buf_text(&text), text.len, &err));
    CHECK_OK(ec_runs_store(&path, 1, NULL, &s, NULL, &err));
    CHECK_OK(ec_runs_measured(s, &q, ret, &err));
    ec_store_close(s);
    ec_buf_clear(&text);
    (void)remove(path);
}

/* The findings of runs, a line for each. */
static void findings_of(struct ec_runs *r, struct ec_buf *ret)
{
    struct ec_arena a = { 0 };
    struct ec_strs says = { 0 };
    struct ec_err err;
    int i;

    CHECK_OK(ec_runs_relate(r, NULL, &err));
    CHECK_OK(ec_runs_findings(r, &a, &says, &err));
    for (i = 0; i < says.n; i++)
        ec_buf_printf(ret, "%s\n", says.v[i]);
    ec__runs_changed(r); /* tests change the rows, and keep some on the stack */
    ec_arena_clear(&a);
}

TEST(runs_that_did_not_fit_are_said_with_the_prediction)
{
    /* clang-format off */
    static const struct {
        const char *rows, *want; /* NULL: nothing */
    } rows[] = {
        { "", NULL },
        { "t4,t4,vgg16,4096,training_step,fp32,,oom\n",
          "1 of 2 measured runs ran out of memory, and is no part of the tables and pictures: "
          "vgg16 on t4 at batch 4096; the prediction agrees: it needs more than the device has." },
        { "t4,t4,lenet5,1,training_step,fp32,,oom\n",
          "lenet5 on t4 at batch 1; the prediction says it fits." },
        { "t4,t4,lenet5,1,training_step,fp32,,oom\nt4,t4,vgg16,4096,training_step,fp32,,oom\n",
          "lenet5 on t4 at batch 1, vgg16 on t4 at batch 4096; predictions agree for "
          "1 of the 2 that can be predicted." },
        { "t4,t4,resnet5O,8,training_step,fp32,,oom\n", "resnet5O on t4 at batch 8.\n" },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_buf text = EC_BUF_INIT;
        struct ec__query *q;
        struct ec_err err;
        struct ec_runs r;
        char csv[300];
        int n = 0;

        (void)snprintf(csv, sizeof csv, FITS "%s", rows[i].rows);
        read_runs(csv, true, &r);
        CHECK_INT(r.n, 1);
        findings_of(&r, &text);
        CHECK_OK(ec__runs_query(&r, &q, &err));
        for (ec__query_ask(q, "SELECT * FROM misfit"); ec__query_next(q);)
            n++;
        CHECK_INT(n, r.n_left);
        CHECK_INT(strstr(ec_buf_text(&text), "ran out of memory") != NULL, rows[i].want != NULL);
        if (rows[i].want)
            CHECK_HAS(ec_buf_text(&text), rows[i].want);
        ec_buf_clear(&text);
        ec_runs_clear(&r);
    }
}

/* The first are named, the others counted; several modes of one have one name. */
TEST(many_are_named_in_part)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_runs r;

    read_runs(FITS "t4,t4,lenet5,1,training_step,fp32,,unstable\n"
                   "t4,t4,lenet5,1,forward,fp32,,unstable\n"
                   "t4,t4,lenet5,2,training_step,fp32,,unstable\n"
                   "t4,t4,lenet5,4,training_step,fp32,,unstable\n"
                   "t4,t4,lenet5,8,training_step,fp32,,unstable\n"
                   "t4,t4,lenet5,16,training_step,fp32,,unstable\n"
                   "t4,t4,lenet5,32,training_step,fp32,,unstable\n",
              false, &r);
    CHECK_INT(r.n_left, 7);
    findings_of(&r, &text);
    CHECK_HAS(
        ec_buf_text(&text),
        "7 of 8 measured runs drifted while they were measured, and are no part of the "
        "tables and pictures: lenet5 on t4 at batch 1, lenet5 on t4 at batch 2, lenet5 on t4 at "
        "batch 4, lenet5 on t4 at batch 8 and 2 more.\n");
    ec_buf_clear(&text);
    ec_runs_clear(&r);
}

TEST(noisy_runs_are_counted_by_environment)
{
    static const char *const flags[] = { "", "noisy", "data_loading", "noisy", "throttled" };
    static const char *const envs[] = { "a", "a", "a", "a", "b" };
    struct ec_run v[EC_LEN(flags)];
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };
    struct ec_buf text = EC_BUF_INIT;
    int i;

    for (i = 0; i < r.n; i++) {
        v[i] = run_of(envs[i], "net", 8 + i, 1e6);
        v[i].record.flags = flags[i];
    }
    findings_of(&r, &text);
    CHECK_HAS(ec_buf_text(&text), "3 of 5 runs are noisy: ");
    CHECK_HAS(ec_buf_text(&text), "(2 on a; 1 on b); the column flags names them.\n");
    ec_buf_reset(&text);
    r.n = 1;
    findings_of(&r, &text);
    CHECK(!strstr(ec_buf_text(&text), "noisy"));
    ec_buf_clear(&text);
}

/* A misspelt network is no network to compare; where no network is known, all are compared. */
TEST(names_that_are_no_network_are_not_compared)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_runs r;

    read_runs(FITS "t4,t4,resnet50,8,training_step,fp32,60,ok\n"
                   "t4,t4,vgg16,8,training_step,fp32,90,ok\n"
                   "t4,t4,resnet5O,8,training_step,fp32,9000,ok\n"
                   "t4,t4,resnet5O,16,training_step,fp32,18000,ok\n",
              false, &r);
    CHECK_INT(r.n, 5);
    findings_of(&r, &text);
    CHECK_HAS(ec_buf_text(&text), "2 runs of \"resnet5O\" are not compared: no built-in network "
                                  "\"resnet5O\"; did you mean \"resnet50\"");
    CHECK_HAS(ec_buf_text(&text), "Of 3 networks at batch 8 on t4, resnet18 is fastest");
    CHECK(!strstr(ec_buf_text(&text), "resnet5O is"));
    ec_buf_reset(&text);
    ec_runs_clear(&r);
    read_runs("t4,t4,mine,8,training_step,fp32,30,ok\nt4,t4,yours,8,training_step,fp32,60,ok\n"
              "t4,t4,ours,8,training_step,fp32,90,ok\n",
              false, &r);
    findings_of(&r, &text);
    CHECK_HAS(ec_buf_text(&text), "Of 3 networks at batch 8 on t4, mine is fastest");
    CHECK(!strstr(ec_buf_text(&text), "not compared"));
    ec_buf_clear(&text);
    ec_runs_clear(&r);
}

/* Of many names the first are told, of the others their number. */
TEST(many_unknown_names)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_runs r;

    read_runs(FITS
              "t4,t4,mine1,8,training_step,fp32,30,ok\nt4,t4,mine2,8,training_step,fp32,6,ok\n"
              "t4,t4,mine3,8,training_step,fp32,30,ok\nt4,t4,mine4,8,training_step,fp32,6,ok\n",
              false, &r);
    findings_of(&r, &text);
    CHECK_HAS(ec_buf_text(&text), "1 run of \"mine1\" is not compared: ");
    CHECK_HAS(ec_buf_text(&text), "1 run of \"mine2\" is not compared: ");
    CHECK(!strstr(ec_buf_text(&text), "mine3") && !strstr(ec_buf_text(&text), "\"\n"));
    CHECK_HAS(ec_buf_text(&text), "2 runs of 2 further names that no built-in network has are not "
                                  "compared either.\n");
    ec_buf_clear(&text);
    ec_runs_clear(&r);
}

/* Of many environments the best and the worst prediction. */
TEST(predictions_of_many_environments)
{
    static const char *const envs[] = { "e1", "e2", "e3", "e4", "e5", "e6", "e7" };
    struct ec_run v[EC_LEN(envs)];
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };
    struct ec_buf text = EC_BUF_INIT;
    int i;

    for (i = 0; i < r.n; i++) {
        v[i] = run_of(envs[i], "net", 8, 1e6);
        v[i].predicted_ns = 1e6 * (1 + 0.01 * ((i + 3) % 7 + 1));
    }
    findings_of(&r, &text);
    CHECK_HAS(ec_buf_text(&text), "a median error of 4.0 %, in 7 environments between 1.0 % (e5) "
                                  "and 7.0 % (e4).\n");
    ec_buf_reset(&text);
    r.n = 6;
    findings_of(&r, &text);
    CHECK_HAS(ec_buf_text(&text),
              ": e1 4.0 %; e2 5.0 %; e3 6.0 %; e4 7.0 %; e5 1.0 %; e6 2.0 %.\n");
    ec_buf_clear(&text);
}

/* A slow run of what does not fit was in the host's memory; one that fits was not. */
TEST(a_spilled_run_is_named)
{
    struct ec_run v[] = { run_of("a", "net", 64, 9e9), run_of("a", "net", 8, 9e9),
                          run_of("a", "net", 32, 1e9) };
    struct ec_runs r = { .v = v, .n = EC_LEN(v) };
    struct ec_buf text = EC_BUF_INIT;
    int i;

    for (i = 0; i < r.n; i++) {
        v[i].predicted_ns = 1e9;
        v[i].needed_bytes = (double)v[i].record.batch * (1 << 28);
        v[i].device_bytes = 4.0 * (1 << 30);
    }
    findings_of(&r, &text);
    CHECK_HAS(ec_buf_text(&text), "net on a at batch 64 took 9.0 times the predicted step");
    CHECK_HAS(ec_buf_text(&text), "it needs 16.0 GiB, and the card has 4.00 GiB.\n");
    ec_buf_reset(&text);
    v[0].predicted_ns = 8e9;
    findings_of(&r, &text);
    CHECK(!strstr(ec_buf_text(&text), "spilled"));
    v[0].needed_bytes = 3.0 * (1 << 30); /* nearly full: only what took several times as long */
    v[0].most_bytes = v[0].device_bytes;
    ec_buf_reset(&text);
    v[0].predicted_ns = v[0].median_ns / 3;
    findings_of(&r, &text);
    CHECK(!strstr(ec_buf_text(&text), "spilled"));
    ec_buf_reset(&text);
    v[0].predicted_ns = v[0].median_ns / 9;
    findings_of(&r, &text);
    CHECK_HAS(ec_buf_text(&text), "net on a at batch 64 took 9.0 times the predicted step");
    CHECK_HAS(ec_buf_text(&text), "it may fill the card's 4.00 GiB.\n");
    ec_buf_clear(&text);
}

/* A speed-up is at one batch, and says which unless it is that of the sentence. */
TEST(a_speedup_names_the_batch_that_both_ran)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_runs r;

    read_runs("t4,t4,resnet18,8,training_step,fp32,80,ok\n"
              "a100,a100,resnet18,8,training_step,fp32,20,ok\n"
              "a100,a100,resnet18,32,training_step,fp32,40,ok\n",
              false, &r);
    findings_of(&r, &text);
    CHECK_HAS(ec_buf_text(&text),
              "at batch 32: 800 samples/s, 4 times t4 where both ran batch 8.\n");
    ec_buf_clear(&text);
    ec_runs_clear(&r);
}

static enum ec_status make(struct ec_err *err)
{
    struct ec_runs_query q = { .precision = "fp32", .predict = true };
    const char *path = "test-runs-left-torture.csv";
    struct ec_strs says = { 0 };
    struct ec_arena a = { 0 };
    struct ec_store *s = NULL;
    struct ec_runs r = { 0 };
    enum ec_status st;

    EC_TRY(ec_runs_store(&path, 1, NULL, &s, NULL, err));
    EC_TRY(ec_runs_measured(s, &q, &r, err));
    EC_TRY(ec_runs_findings(&r, &a, &says, err));
out:
    ec_arena_clear(&a);
    ec_runs_clear(&r);
    ec_store_close(s);
    return st;
}

TEST(each_allocation_may_fail)
{
    static const char text[] = HEAD "t4,t4,lenet5,8,training_step,fp32,2,ok\n"
                                    "t4,t4,lenet5,16,training_step,fp32,,oom\n";
    struct ec_err err;

    CHECK_OK(ec_file_write("test-runs-left-torture.csv", text, sizeof text - 1, &err));
    CHECK_TORTURE(make);
    (void)remove("test-runs-left-torture.csv");
}
