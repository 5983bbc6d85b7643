/* Answers about shared jobs obey common sense, as test_sense.c holds it of single devices: a job is
 * drawn, asked twice with one thing changed, and the answers must relate as the world does.
 *
 *   EC_SENSE_SEED=7     draw others; what fails is printed with its words
 *   EC_SENSE_JOBS=5000  draw more */
#include "ask.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

/* What is rounded, and tables of words, which are gathered whole. */
#define ROUNDING 1.01
/* Four devices use less of a switch that adds up than eight do. In smaller machines the network
 * carries 1 of 15 bytes beside the links; and the slowest stage is not always the one that gathers
 * most. */
#define NEARLY 1.08
#define DEFAULT_JOBS 120

static const char *const models[] = { "llama3_8b:layers=8", "llama3_70b:layers=16", "gpt2:layers=8",
                                      "bert_large:layers=8", "mixtral_8x7b:layers=4" };
static const char *const devices[] = { "a100-sxm4-80gb", "h100-sxm5-80gb", "rtx4090", "b200",
                                       "mi300x",         "v100-sxm2-32gb", "l40s" };

/* The words of a job, as options are written. */
struct job {
    const char *model, *device;
    char words[320];
};

static int64_t power_of_two(struct ec_rng *r, int most)
{
    return (int64_t)1 << ec_rng_range(r, 0, most);
}

/* Products that fit: replicas come on top. */
static struct job draw(struct ec_rng *r)
{
    struct job j = { models[ec_rng_range(r, 0, EC_LEN(models) - 1)],
                     devices[ec_rng_range(r, 0, EC_LEN(devices) - 1)], "" };
    int64_t tp = power_of_two(r, 2), pp = power_of_two(r, 2), cp = power_of_two(r, 1);
    int64_t zero = ec_rng_range(r, 0, 3), replicas = power_of_two(r, 6);

    (void)snprintf(j.words, sizeof j.words,
                   "devices=%lld tp=%lld pp=%lld cp=%lld zero=%lld micro_batch=%lld "
                   "accumulation=%lld seq_len=%lld recompute=%s precision=%s optimizer=adamw",
                   (long long)(tp * pp * cp * replicas), (long long)tp, (long long)pp,
                   (long long)cp, (long long)zero, (long long)power_of_two(r, 3),
                   (long long)power_of_two(r, 4), (long long)(256 * power_of_two(r, 1)),
                   ec_rng_range(r, 0, 1) ? "full" : "none",
                   ec_rng_range(r, 0, 1) ? "bf16" : "fp16");
    return j;
}

static void set_words(struct ec_predict_opts *o, char *words)
{
    struct ec_err err = { 0 };
    char *at = words, *value;

    while (*at) {
        char *end = at + strcspn(at, " ");
        bool last = !*end;

        *end = '\0';
        value = strchr(at, '=');
        *value = '\0';
        CHECK_OK(ec_predict_opts_set(o, at, value + 1, &err));
        at = last ? end : end + 1;
    }
}

/* The answer with these words behind the job's own. A job that is refused says nothing. */
static bool answer(struct ec_predictor *p, const struct job *j, const char *more,
                   struct ec_prediction *ret)
{
    struct ec_predict_opts o = options(0);
    struct ec_err err = { 0 };
    char words[480];

    (void)snprintf(words, sizeof words, "%s%s%s", j->words, *more ? " " : "", more);
    set_words(&o, words);
    return !ec_predict_network(p, j->model, j->device, &o, ret, &err);
}

static int64_t number(const char *text, int64_t usual)
{
    int64_t n = usual;

    return text && ec_parse_int(ec_span_of(text), &n) ? n : usual;
}

static int64_t number_of(const struct job *j, const char *name)
{
    const char *at = strstr(j->words, name);
    struct ec_span rest = ec_span_of(at ? at + strlen(name) : ""), one;
    int64_t n = 0;

    return ec_span_cut(&rest, ' ', &one) && ec_parse_int(one, &n) ? n : 0;
}

static void demand(bool holds, const struct job *j, const char *more, const char *what, double was,
                   double is)
{
    if (!holds)
        test_fail(__FILE__, __LINE__, "%s on %s, %s; then %s: %s: %g, then %g", j->model, j->device,
                  j->words, more, what, was, is);
}

static double time_of(const struct ec_prediction *r)
{
    return r->step_time_ns.p50;
}
static double memory_of(const struct ec_prediction *r)
{
    return r->allocator_peak_bytes.p50;
}
/* Replicas that share the update have less of it each. */
static double each_of(const struct ec_prediction *r)
{
    return (double)r->batch / (r->step_time_ns.p50 - r->update_ns) / (double)r->devices;
}
static double bubble_of(const struct ec_prediction *r)
{
    return r->bubble_ns / r->step_time_ns.p50;
}

/* With these words more the figure does not rise. times: so many times what the job has of `words`.
 */
static const struct relation {
    const char *words;
    int64_t times;
    double (*figure)(const struct ec_prediction *);
    const char *what;
} never_rises[] = {
    {"devices=",                2,  each_of,   "throughput of each device"     },
    { "devices=",               16, each_of,   "throughput of each device"     },
    { "zero=1",                 0,  memory_of, "memory with the states shared" },
    { "zero=2",                 0,  memory_of, "memory with gradients shared"  },
    { "zero=3",                 0,  memory_of, "memory with parameters shared" },
    { "recompute=full",         0,  memory_of, "memory when forward runs again"},
    { "accumulation=",          4,  bubble_of, "share of the bubble"           },
    { "network_rate=1000GB/s",  0,  time_of,   "time over a fast network"      },
    { "devices_per_machine=16", 0,  time_of,   "time in machines of 16"        },
    { "chunked_loss=1",         0,  memory_of, "memory with the loss in pieces"},
    { "offload=1",              0,  memory_of, "memory with states on the host"},
    { "tuning=lora",            0,  memory_of, "memory of adapters"            },
    { "overlap_experts=1",      0,  time_of,   "time with experts overlapped"  },
};
static const struct relation never_falls[] = {
    {"recompute=full",     0, time_of,   "time when forward runs again"          },
    { "serial_exchange=1", 0, time_of,   "time when each exchange is waited for" },
    { "accumulation=",     2, time_of,   "time of twice the micro-batches"       },
    { "seq_len=",          2, time_of,   "time of twice the tokens"              },
    { "micro_batch=",      2, memory_of, "memory of twice the samples"           },
    { "attention=flash1",  0, time_of,   "time with older kernels"               },
    { "reduce_each=1",     0, time_of,   "time when each micro-batch is added up"},
    { "overlap_experts=0", 0, time_of,   "time with experts waited for"          },
};

static void judge(struct ec_predictor *p, const struct job *j, const struct ec_prediction *was,
                  const struct relation *r, int sign)
{
    struct ec_prediction is;
    double before, after, slack;
    char more[64];

    if (r->times)
        (void)snprintf(more, sizeof more, "%s%lld", r->words,
                       (long long)(number_of(j, r->words) * r->times));
    else
        (void)snprintf(more, sizeof more, "%s", r->words);
    if (strstr(more, "zero=") && number_of(j, "zero=") > more[5] - '0')
        return;
    if (strstr(more, "zero=3") && (number_of(j, "pp=") > 1 || was->data_parallel < 8))
        return; /* few blocks, or few that share them: what is gathered is nearly all */
    if (!answer(p, j, more, &is))
        return;
    before = r->figure(was);
    after = r->figure(&is);
    slack = r->figure == memory_of ? ROUNDING : NEARLY;
    demand(sign > 0 ? after <= before * slack : after * slack >= before, j, more, r->what, before,
           after);
}

TEST(shared_jobs_obey_common_sense)
{
    const char *seed = getenv("EC_SENSE_SEED"), *jobs = getenv("EC_SENSE_JOBS");
    int64_t n = number(jobs, DEFAULT_JOBS), asked = 0;
    struct ec_predictor *p = predictor();
    struct ec_rng r;
    int i, k;

    ec_rng_seed(&r, (uint64_t)number(seed, 1));
    for (i = 0; i < n; i++) {
        struct job j = draw(&r);
        struct ec_prediction was;

        if (!answer(p, &j, "", &was))
            continue;
        asked++;
        check_answer(j.words, &was);
        for (k = 0; k < EC_LEN(never_rises); k++)
            judge(p, &j, &was, &never_rises[k], 1);
        for (k = 0; k < EC_LEN(never_falls); k++)
            judge(p, &j, &was, &never_falls[k], -1);
    }
    CHECK(asked > n / 2); /* else the draw is not what it says */
    ec_predictor_free(p);
}
