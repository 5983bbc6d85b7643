/* The data loader, and the parts of a job beside its steps. */
#include "ask.h"

#define A100 "a100-sxm4-80gb"

TEST(a_step_takes_as_long_as_its_loader)
{
    static const double rates[] = { 10, 200, 800, 1e6 };
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(64);
    struct ec_prediction alone = ask(p, "resnet50", A100, &o), r;
    char text[32];
    int i;

    for (i = 0; i < EC_LEN(rates); i++) {
        double loader_ns = 64e9 / rates[i];

        (void)snprintf(text, sizeof text, "%.0f", rates[i]);
        o.loader = text;
        r = ask(p, "resnet50", A100, &o);
        CHECK_NEAR(r.loader_ns, loader_ns, 1e-12);
        CHECK_NEAR(r.step_time_ns.p50, fmax(alone.step_time_ns.p50, loader_ns), 1e-12);
        CHECK_NEAR(r.step_time_ns.p95, fmax(alone.step_time_ns.p95, loader_ns), 1e-12);
        CHECK((r.limit == EC_LIMIT_LOADER) == (loader_ns > alone.step_time_ns.p50));
        CHECK(r.samples_per_s.p50 <= rates[i] * (1 + 1e-12));
    }
    o.loader = "8x10ms"; /* eight workers, 100 samples/s each */
    CHECK_NEAR(ask(p, "resnet50", A100, &o).loader_ns, 64e9 / 800, 1e-12);
    o.devices = 4; /* the rate is of all loaders together */
    CHECK_NEAR(ask(p, "resnet50", A100, &o).loader_ns, 4 * 64e9 / 800, 1e-12);
    ec_predictor_free(p);
}

/* Without workers the step comes after its loading; processes load side by side, threads of one
 * process one after the other. */
TEST(loading_in_the_loop_is_added_to_the_step)
{
    static const struct {
        const char *strategy;
        double loads; /* batches of a device that a step waits for */
    } cases[] = {
        {"ddp", 1},
        { "dp", 4}
    };
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(64);
    struct ec_prediction alone = ask(p, "resnet50", A100, &o), without, r;
    struct ec_err err = { 0 };
    int i;

    o.loader = "0x4.8ms";
    r = ask(p, "resnet50", A100, &o);
    CHECK(r.loader_serial);
    CHECK_NEAR(r.loader_ns, 64 * 4.8e6, 1e-12);
    CHECK_NEAR(r.step_time_ns.p05, alone.step_time_ns.p05 + r.loader_ns, 1e-12);
    CHECK_NEAR(r.step_time_ns.p50, alone.step_time_ns.p50 + r.loader_ns, 1e-12);
    CHECK_NEAR(r.step_time_ns.p95, alone.step_time_ns.p95 + r.loader_ns, 1e-12);
    CHECK_INT(r.limit, EC_LIMIT_LOADER);
    o.loader = "0x1us";
    CHECK_INT(ask(p, "resnet50", A100, &o).limit, alone.limit);
    o.devices = 4;
    for (i = 0; i < EC_LEN(cases); i++) {
        double loading = cases[i].loads * 64e6;

        CHECK_OK(ec_predict_opts_set(&o, "strategy", cases[i].strategy, &err));
        o.loader = NULL;
        without = ask(p, "resnet50", A100, &o);
        o.loader = "0x1ms";
        r = ask(p, "resnet50", A100, &o);
        CHECK_NEAR(r.loader_ns, loading, 1e-12);
        CHECK_NEAR(r.step_time_ns.p50, without.step_time_ns.p50 + loading, 1e-12);
        CHECK_NEAR(r.scaling_efficiency.p50,
                   (without.scaling_efficiency.p50 * without.step_time_ns.p50 + 64e6) /
                       r.step_time_ns.p50,
                   1e-12);
    }
    ec_predictor_free(p);
}

TEST(a_loader_that_is_none_is_refused)
{
    static const char *const texts[] = { "fast", "0",     "-1",  "8x",     "x10ms",
                                         "8x10", "8x0ms", "nan", "-1x2ms", "0x" };
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(4);
    struct ec_prediction r;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(texts); i++) {
        o.loader = texts[i];
        CHECK_FAILS(ec_predict_network(p, "lenet5", "t4", &o, &r, &err), EC_E_INPUT, "--loader");
    }
    ec_predictor_free(p);
}

TEST(the_parts_of_a_job_add_up)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(64), forward = options(64);
    struct ec_prediction r, plain, f;

    o.samples = 50000;
    o.epochs = 10;
    o.usd_per_hour = 2;
    plain = ask(p, "resnet50", A100, &o);
    o.eval_samples = 10000;
    o.checkpoint_rate = "1GB/s";
    o.start = "90s";
    r = ask(p, "resnet50", A100, &o);
    forward.cond.mode = EC_MODE_FORWARD;
    f = ask(p, "resnet50", A100, &forward);
    CHECK_NEAR(r.evaluation_ns, 157 * f.step_time_ns.p50, 1e-12);
    CHECK_NEAR(r.checkpoint_ns, r.weights_bytes + r.optimizer_bytes, 1e-12);
    CHECK_NEAR(r.start_ns, 90e9, 1e-12);
    CHECK_NEAR(r.job_time_ns.p50,
               plain.job_time_ns.p50 + 90e9 + 10 * (r.evaluation_ns + r.checkpoint_ns), 1e-12);
    CHECK_NEAR(r.epoch_time_ns.p50, plain.epoch_time_ns.p50, 1e-12);
    CHECK_NEAR(r.cost_usd.p50, r.job_time_ns.p50 / 3600e9 * 2, 1e-12);
    CHECK_NEAR(r.memory_peak_bytes.p50, plain.memory_peak_bytes.p50, 1e-12);
    ec_predictor_free(p);
}

TEST(parts_of_a_job_need_one)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(64);
    struct ec_prediction r;
    struct ec_err err = { 0 };

    o.start = "30s";
    CHECK_FAILS(ec_predict_network(p, "lenet5", "t4", &o, &r, &err), EC_E_INPUT, "--epochs");
    o.samples = 100;
    o.epochs = 1;
    o.start = "soon";
    CHECK_FAILS(ec_predict_network(p, "lenet5", "t4", &o, &r, &err), EC_E_INPUT, "--start");
    o.start = NULL;
    o.checkpoint_rate = "slow";
    CHECK_FAILS(ec_predict_network(p, "lenet5", "t4", &o, &r, &err), EC_E_INPUT,
                "--checkpoint-rate");
    ec_predictor_free(p);
}
