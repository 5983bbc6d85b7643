/* The protocol against things whose times are known. */
#include "test.h"

#include "measure/protocol_internal.h"

/* Times by a rule of the run's number; fails at run `fail_at`. */
struct fake {
    int run, fail_at;
    int64_t (*time_ns)(int run);
};

static enum ec_status fake_run(void *user, int64_t *host_ns, struct ec_err *err)
{
    struct fake *f = user;

    if (f->fail_at && f->run == f->fail_at)
        return ec_fail(err, EC_E_DEVICE_MEMORY, "run %d: no memory left", f->run);
    *host_ns = f->time_ns(f->run++);
    return EC_OK;
}

static struct ec_protocol protocol(void)
{
    struct ec_err err = { 0 };
    struct ec_protocol p;
    struct ec_arena a = { 0 };

    memset(&p, 0, sizeof p);
    CHECK_OK(ec_fields_default(ec_protocol_fields, &p, &a, &err));
    ec_arena_clear(&a);
    return p;
}

static int64_t steady(int run)
{
    return 1000000 + run % 3;
}

TEST(steady_times_end_early)
{
    struct ec_err err = { 0 };
    struct ec_protocol p = protocol();
    struct fake f = { 0, 0, steady };
    struct ec_timing t;

    CHECK_OK(ec_protocol_run(&p, fake_run, &f, NULL, &t, &err));
    CHECK_INT(t.n, 10);
    CHECK_INT(t.n_warmup, 10); /* two windows of five */
    CHECK_INT(t.stop, EC_STOP_ENOUGH);
    CHECK(!t.unstable);
    CHECK_NEAR(t.median_ns, 1000001, 1.5);
    CHECK_INT(t.sample[9].iteration, 9);
    ec_timing_clear(&t);
}

static int64_t cooling(int run)
{
    return run < 12 ? 2000000 - run * 80000 : 1000000;
}

TEST(warm_up_waits_until_windows_agree)
{
    struct ec_err err = { 0 };
    struct ec_protocol p = protocol();
    struct fake f = { 0, 0, cooling };
    struct ec_timing t;

    CHECK_OK(ec_protocol_run(&p, fake_run, &f, NULL, &t, &err));
    CHECK(t.n_warmup >= 15);
    CHECK_NEAR(t.median_ns, 1000000, 0);
    ec_timing_clear(&t);
}

/* 1 ms, or 1.5 ms once the device is hot. */
static int64_t throttling(int run)
{
    return run < 60 ? 1000000 + run % 7 * 4000 : 1500000 + run % 7 * 4000;
}

TEST(a_device_that_slows_down_is_unstable)
{
    struct ec_err err = { 0 };
    struct ec_protocol p = protocol();
    struct fake f = { 0, 0, throttling };
    struct ec_timing t;

    p.ci_frac = 0;
    p.max_runs = 120;
    CHECK_OK(ec_protocol_run(&p, fake_run, &f, NULL, &t, &err));
    CHECK_INT(t.n, 120);
    CHECK_INT(t.stop, EC_STOP_RUNS);
    CHECK(t.unstable);
    CHECK(t.drift_frac > 0.3);
    ec_timing_clear(&t);
}

/* Noise of +-20 % from a fixed sequence: the interval shrinks as samples come. */
static int64_t noisy(int run)
{
    struct ec_rng r;

    ec_rng_seed(&r, (uint64_t)run + 1);
    return 1000000 + ec_rng_range(&r, -200000, 200000);
}

TEST(noise_is_met_with_more_samples)
{
    struct ec_err err = { 0 };
    struct ec_protocol p = protocol();
    struct fake f = { 0, 0, noisy };
    struct ec_timing t;

    p.max_runs = 10000;
    p.budget_s = 60;
    p.warmup_frac = 0.2;
    CHECK_OK(ec_protocol_run(&p, fake_run, &f, NULL, &t, &err));
    CHECK_INT(t.stop, EC_STOP_ENOUGH);
    CHECK(t.n > 100);
    CHECK(t.ci_frac <= 0.02);
    CHECK(!t.unstable);
    CHECK_NEAR(t.median_ns, 1e6, 4e4);
    ec_timing_clear(&t);
}

TEST(a_failure_keeps_what_was_seen)
{
    struct ec_protocol p = protocol();
    struct fake f = { 0, 13, steady };
    struct ec_err err = { 0 };
    struct ec_timing t;

    CHECK_INT(ec_protocol_run(&p, fake_run, &f, NULL, &t, &err), EC_E_DEVICE_MEMORY);
    CHECK_INT(t.n, 3);
    CHECK_INT(t.n_warmup, 10);
    CHECK_NEAR(t.median_ns, 1000001, 1.5);
    ec_timing_clear(&t);
}

static bool at_once(void)
{
    return true;
}

TEST(a_stop_ends_it_with_one_sample)
{
    struct ec_err err = { 0 };
    struct ec_protocol p = protocol();
    struct fake f = { 0, 0, steady };
    struct ec_timing t;

    CHECK_OK(ec_protocol_run(&p, fake_run, &f, at_once, &t, &err));
    CHECK_INT(t.n_warmup, 1);
    CHECK_INT(t.n, 1);
    CHECK_INT(t.stop, EC_STOP_BUDGET);
    ec_timing_clear(&t);
}

TEST(few_samples_have_their_range_as_interval)
{
    struct ec_err err = { 0 };
    struct ec_protocol p = protocol();
    struct ec_timing t;
    struct ec_sample s[] = {
        {0,  100, 0, ""},
        { 1, 110, 0, ""},
        { 2, 120, 0, ""}
    };

    memset(&t, 0, sizeof t);
    t.n = 3;
    t.sample = s;
    CHECK_OK(ec_timing_judge(&p, &t, &err));
    CHECK_NEAR(t.median_ns, 110, 0);
    CHECK_NEAR(t.ci_frac, 10.0 / 110, 1e-12);
}
