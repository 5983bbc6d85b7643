/* Whether a run is as expected: verdicts, the times that speeds say, causes in order. */
#include "ask.h"

static struct ec_job job_of(const char *model, const char *device, int64_t batch)
{
    struct ec_job job = { .model = model, .device = device };

    job.opts = options(batch);
    return job;
}

static struct ec_expected expect(struct ec_predictor *p, struct ec_job *job)
{
    struct ec_expected e = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_expect(p, job, &e, &err));
    CHECK_ORDERED(e.ns);
    return e;
}

static double step_of(const struct ec_amounts *a, const char *text)
{
    struct ec_err err = { 0 };
    double ns = 0;

    CHECK_OK(ec_step_of_speed(a, text, &ns, &err));
    return ns;
}

TEST(a_verdict_is_where_the_interval_ends)
{
    const struct ec_interval i = { 80, 100, 125 };

    CHECK_INT(ec_verdict(&i, 80, 0), EC_VERDICT_NORMAL);
    CHECK_INT(ec_verdict(&i, 125, 0), EC_VERDICT_NORMAL);
    CHECK_INT(ec_verdict(&i, 126, 0), EC_VERDICT_SLOWER);
    CHECK_INT(ec_verdict(&i, 79, 0), EC_VERDICT_FASTER);
    CHECK_INT(ec_verdict(&i, 137, 0.1), EC_VERDICT_NORMAL);
    CHECK_INT(ec_verdict(&i, 138, 0.1), EC_VERDICT_SLOWER);
    CHECK_INT(ec_verdict(&i, 73, 0.1), EC_VERDICT_NORMAL);
    CHECK_INT(ec_verdict(&i, 72, 0.1), EC_VERDICT_FASTER);
}

/* All speeds of one step say its time; a step of tokens takes what is usual for them. */
TEST(speeds_say_the_time_of_a_step)
{
    struct ec_predictor *p = predictor();
    struct ec_job job = job_of("gpt2", "a100-sxm4-80gb", 4);
    struct ec_expected e;
    struct ec_err err = { 0 };
    double ns;

    job.opts.devices = 2;
    job.opts.usual_precision = job.opts.usual_optimizer = true;
    e = expect(p, &job);
    CHECK_INT(job.opts.cond.optimizer, EC_OPT_adamw);
    CHECK_INT(e.r.precision, EC_BF16);
    CHECK_NEAR(step_of(&e.does, "250ms"), 250e6, 1e-12);
    CHECK_NEAR(step_of(&e.does, "4 it/s"), 250e6, 1e-12);
    CHECK_NEAR(step_of(&e.does, "32 samples/s"), 250e6, 1e-12); /* 8 of both devices */
    CHECK_NEAR(step_of(&e.does, "32.768k tokens/s"), 250e6, 1e-12);
    CHECK_NEAR(step_of(&e.does, "16.384k tokens/s/gpu"), 250e6, 1e-12);
    CHECK_FAILS(ec_step_of_speed(&e.does, "3 GB/s", &ns, &err), EC_E_INPUT, "counts bytes");
    CHECK_FAILS(ec_step_of_speed(&e.does, "3", &ns, &err), EC_E_INPUT, "with its unit");
    ec_predictor_free(p);
}

TEST(products_and_exchanges_have_speeds)
{
    struct ec_predictor *p = predictor();
    struct ec_job job = { .op = "matmul m=4096 k=4096 n=4096", .device = "a100" };
    struct ec_expected e;

    job.opts = options(0);
    job.opts.cond.precision = EC_AMP;
    job.opts.cond.mode = EC_MODE_FORWARD;
    job.opts.usual_precision = false;
    e = expect(p, &job);
    CHECK_NEAR(e.does.of[EC_SPEED_FLOP], 2 * 4096.0 * 4096 * 4096, 1e-12);
    job.op = NULL;
    job.collective = EC_COLLECTIVE_all_reduce;
    job.bytes = 1e9;
    job.opts.devices = 8;
    e = expect(p, &job);
    CHECK_NEAR(e.does.of[EC_SPEED_BYTES], 2 * 7 / 8.0 * 1e9, 1e-9);
    ec_predictor_free(p);
}

#define MOST 5
static int causes_of(struct ec_predictor *p, struct ec_job *job, double factor,
                     struct ec_cause ret[MOST])
{
    struct ec_expected e = expect(p, job);
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_expected_causes(p, job, &e, factor * e.ns.p50, MOST, ret, &err));
    for (i = 0; i < MOST && ret[i].kind; i++)
        CHECK(*ret[i].text);
    return i;
}

TEST(one_run_has_its_causes_in_order)
{
    struct ec_predictor *p = predictor();
    struct ec_job job = job_of("resnet50", "rtx3090", 64);
    struct ec_cause c[MOST];

    CHECK_INT(causes_of(p, &job, 1, c), 0);
    CHECK_INT(causes_of(p, &job, 30, c), 2);
    CHECK_INT(c[0].kind, EC_CAUSE_LOADER);
    CHECK_INT(c[1].kind, EC_CAUSE_THROTTLED);
    CHECK_HAS(c[0].confirm, "nvidia-smi dmon");
    job.device = "mi250x";
    CHECK_INT(causes_of(p, &job, 30, c), 2);
    CHECK_HAS(c[1].confirm, "rocm-smi");
    job.device = "cpu-epyc-2vcpu";
    job.opts.batch = 4;
    CHECK(causes_of(p, &job, 100, c) > 0);
    CHECK(!c[0].confirm || !strstr(c[0].confirm, "nvidia"));
    ec_predictor_free(p);
}

/* A run in another memory order, or of a forward pass, is said to be that. */
TEST(another_option_is_found)
{
    struct ec_predictor *p = predictor();
    struct ec_job job = job_of("resnet50", "rtx3090", 64), other = job;
    struct ec_cause c[MOST];
    int n, i, found = 0;

    other.opts.cond.mode = EC_MODE_FORWARD;
    n = causes_of(p, &job, expect(p, &other).ns.p50 / expect(p, &job).ns.p50, c);
    for (i = 0; i < n; i++)
        found |= c[i].kind == EC_CAUSE_MODE;
    CHECK(found);
    ec_predictor_free(p);
}

TEST(a_slow_exchange_is_its_links)
{
    struct ec_predictor *p = predictor();
    struct ec_job job = { .collective = EC_COLLECTIVE_all_reduce, .bytes = 1e9, .device = "a100" };
    struct ec_cause c[MOST];

    job.opts = options(0);
    job.opts.devices = 8;
    CHECK_INT(causes_of(p, &job, 9, c), 1);
    CHECK_INT(c[0].kind, EC_CAUSE_LINKS);
    ec_predictor_free(p);
}
