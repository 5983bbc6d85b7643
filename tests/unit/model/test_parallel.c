/* Several devices: what must hold whatever the constants are. */
#include "ask.h"

#include "model/parallel.h"

#define A100 "a100-sxm4-40gb"

static struct ec_predict_opts several(int64_t devices, const char *strategy)
{
    struct ec_predict_opts o = options(32);
    struct ec_err err = { 0 };

    o.devices = devices;
    CHECK_OK(ec_predict_opts_set(&o, "strategy", strategy, &err));
    return o;
}

TEST(one_device_is_one_device)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(32);
    struct ec_prediction plain = ask(p, "resnet50", A100, &o), one;
    static const char *const words[] = { "ddp", "dp", "mirrored" };
    int i;

    for (i = 0; i < EC_LEN(words); i++) {
        o = several(1, words[i]);
        one = ask(p, "resnet50", A100, &o);
        CHECK_NEAR(one.step_time_ns.p50, plain.step_time_ns.p50, 1e-12);
        CHECK_NEAR(one.step_time_ns.p95, plain.step_time_ns.p95, 1e-12);
        CHECK_NEAR(one.scaling_efficiency.p50, 1, 1e-12);
        CHECK(one.exposed_ns == 0 && one.wait_ns == 0);
        CHECK_INT(one.devices, 1);
        CHECK_INT(one.batch_per_device, 32);
    }
    ec_predictor_free(p);
}

TEST(more_devices_take_no_less_time_for_more_samples)
{
    static const char *const words[] = { "ddp", "dp", "mirrored" };
    static const char *const models[] = { "resnet50", "vgg16", "bert_base" };
    static const char *const devices[] = { A100, "rtx3090", "p100-pcie-16gb" };
    struct ec_predictor *p = predictor();
    int s, m, d;
    int64_t n;

    for (s = 0; s < EC_LEN(words); s++)
        for (m = 0; m < EC_LEN(models); m++)
            for (d = 0; d < EC_LEN(devices); d++) {
                double last = 0;

                for (n = 1; n <= 16; n *= 2) {
                    struct ec_predict_opts o = several(n, words[s]);
                    struct ec_prediction r = ask(p, models[m], devices[d], &o);

                    CHECK_INT(r.batch, 32 * n);
                    CHECK(r.step_time_ns.p50 >= 0.999 * last);
                    CHECK(r.scaling_efficiency.p50 > 0 && r.scaling_efficiency.p50 <= 1);
                    CHECK(r.scaling_efficiency.p05 <= r.scaling_efficiency.p50);
                    CHECK(r.exposed_ns <= r.communication_ns * 1.0001);
                    last = r.step_time_ns.p50;
                }
            }
    ec_predictor_free(p);
}

/* One process of TensorFlow packs and sends its gradients as long for any batch. */
TEST(mirrored_devices_cost_the_same_at_any_batch)
{
    struct ec_parallel_job job = {
        .strategy = EC_STRATEGY_mirrored,
        .at = {.devices = 2, .per_machine = 2},
        .gradient_bytes = 80e6
    };
    const double *v = ec_parallel_fitted()->v;
    struct ec_parallel_time small, large;

    job.at.inside.bytes_per_s = 12e9;
    job.alone_ns = 20e6;
    ec_parallel_time(&job, v, &small);
    job.alone_ns = 100e6;
    ec_parallel_time(&job, v, &large);
    CHECK(small.step_ns > 20e6);
    CHECK_NEAR(large.exposed_ns, small.exposed_ns, 1e-12);
    CHECK(large.step_ns - 100e6 < small.step_ns - 20e6 + 0.05 * 80e6);
}

TEST(a_slower_link_takes_no_less_time)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = several(4, "ddp");
    struct ec_prediction fast = ask(p, "vgg16", A100, &o), slow;

    o.interconnect = EC_LINK_pcie;
    slow = ask(p, "vgg16", A100, &o);
    CHECK(slow.communication_ns > fast.communication_ns);
    CHECK(slow.step_time_ns.p50 >= fast.step_time_ns.p50);
    ec_predictor_free(p);
}

TEST(global_batch_is_shared)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = several(4, "ddp");
    struct ec_prediction per = ask(p, "resnet18", A100, &o), r;
    struct ec_err err = { 0 };

    o.batch = 0;
    o.global_batch = 128;
    r = ask(p, "resnet18", A100, &o);
    CHECK_INT(r.batch_per_device, 32);
    CHECK_NEAR(r.step_time_ns.p50, per.step_time_ns.p50, 1e-12);
    o.global_batch = 130;
    CHECK_INT(ec_predict_network(p, "resnet18", A100, &o, &r, &err), EC_E_INPUT);
    CHECK_HAS(err.text, "evenly");
    o.batch = 32;
    o.global_batch = 128;
    CHECK_INT(ec_predict_network(p, "resnet18", A100, &o, &r, &err), EC_E_INPUT);
    ec_predictor_free(p);
}

TEST(epochs_share_the_samples_and_cost_all_devices)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = several(4, "ddp");
    struct ec_prediction r;
    struct ec_err err = { 0 };

    o.samples = 1280;
    o.usd_per_hour = 3;
    r = ask(p, "resnet18", A100, &o);
    CHECK_NEAR(r.epoch_time_ns.p50, 10 * r.step_time_ns.p50, 1e-12); /* 1280 / (4 x 32) */
    CHECK(r.has_cost);
    CHECK_NEAR(r.cost_usd.p95, r.epoch_time_ns.p95 / 3600e9 * 12, 1e-12);
    o.samples = 0;
    CHECK_INT(ec_predict_network(p, "resnet18", A100, &o, &r, &err), EC_E_INPUT);
    CHECK_HAS(err.text, "--usd-per-hour");
    ec_predictor_free(p);
}

TEST(runs_go_before_the_law)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = several(2, "ddp");
    struct ec_prediction r;
    double two;

    o.from_run = "1=100ms, 2=110ms";
    r = ask(p, "resnet50", "rtx3090", &o);
    two = r.step_time_ns.p50;
    CHECK_NEAR(two, 110e6, 1e-9);
    CHECK(r.step_time_ns.p95 < 1.05 * two);
    o.devices = 4;
    r = ask(p, "resnet50", "rtx3090", &o);
    CHECK(r.step_time_ns.p50 > two && r.step_time_ns.p50 < 1.2 * two);
    o.from_run = "1=100ms";
    r = ask(p, "resnet50", "rtx3090", &o);
    CHECK(r.step_time_ns.p50 > 95e6 && r.step_time_ns.p50 < 130e6);
    o.from_run = "2=110ms";
    r = ask(p, "resnet50", "rtx3090", &o);
    CHECK(r.step_time_ns.p50 > 105e6 && r.step_time_ns.p50 < 130e6);
    /* Several no slower than one: nothing to add. */
    o.from_run = "1=100ms,2=98ms";
    r = ask(p, "resnet50", "rtx3090", &o);
    CHECK(r.step_time_ns.p50 > 95e6 && r.step_time_ns.p50 < 101e6);
    ec_predictor_free(p);
}

TEST(runs_that_say_nothing)
{
    static const char *const bad[] = { "2",      "2=",     "2=48",        "=48ms",
                                       "0=48ms", "2=-4ms", "2=4ms,4=5ms", "1=4ms,1=5ms" };
    struct ec_parallel_runs runs;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(bad); i++)
        CHECK_INT(ec_parallel_runs_parse(bad[i], &runs, &err), EC_E_INPUT);
    CHECK_OK(ec_parallel_runs_parse(NULL, &runs, &err));
    CHECK(runs.alone_ns == 0 && runs.several_ns == 0);
    CHECK_OK(ec_parallel_runs_parse("8=1.5s,1=900us", &runs, &err));
    CHECK_NEAR(runs.several_ns, 1.5e9, 1e-12);
    CHECK_NEAR(runs.alone_ns, 900e3, 1e-12);
    CHECK_NEAR(runs.devices, 8, 1e-12);
}

TEST(far_more_devices_are_told)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = several(512, "ddp");
    struct ec_prediction r = ask(p, "resnet50", A100, &o);
    double near = r.step_time_ns.p95 / r.step_time_ns.p50;

    CHECK(r.n_warnings == 0);
    o.devices = 1 << 17;
    r = ask(p, "resnet50", A100, &o);
    CHECK(r.n_warnings == 1);
    CHECK_HAS(r.warnings[0], "131072 devices, the most behind the fit are");
    CHECK(r.step_time_ns.p95 / r.step_time_ns.p50 > near);
    ec_predictor_free(p);
}

/* At a fixed batch per device: a step takes longer, but never so much that all are slower. */
TEST(tens_of_thousands_of_devices_scale_smoothly)
{
    static const char *const models[] = { "resnet50", "bert_large", "mnist_cnn" };
    static const char *const devices[] = { A100, "h100-sxm5-80gb", "v100-sxm2-16gb", "rtx3090" };
    struct ec_predictor *p = predictor();
    int m, d;
    int64_t n;

    for (m = 0; m < EC_LEN(models); m++)
        for (d = 0; d < EC_LEN(devices); d++) {
            struct ec_prediction last = { .samples_per_s.p50 = 0, .scaling_efficiency.p50 = 1 };

            for (n = 8; n <= 1 << 16; n *= 2) {
                struct ec_predict_opts o = several(n, "ddp");
                struct ec_prediction r = ask(p, models[m], devices[d], &o);

                CHECK_INT(r.machines, n / 8);
                CHECK(r.step_time_ns.p50 >= 0.99 * last.step_time_ns.p50);
                CHECK(r.samples_per_s.p50 > last.samples_per_s.p50);
                CHECK(r.scaling_efficiency.p50 <= 1.01 * last.scaling_efficiency.p50);
                CHECK(r.scaling_efficiency.p50 > 0.7 * last.scaling_efficiency.p50);
                last = r;
            }
        }
    ec_predictor_free(p);
}

TEST(machines_and_network_may_be_given)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = several(16, "ddp");
    struct ec_prediction usual = ask(p, "vgg16", A100, &o), r;
    double slow_ns;
    static const char *const rates[] = { "100Gb/s", "12.5GB/s", "12500 MB/s", "1e5Mb/s",
                                         "12.5e9 B/s" };
    int i;

    CHECK_INT(usual.machines, 2);
    CHECK_INT(usual.devices_per_machine, 8);
    CHECK_NEAR(usual.network_bytes_per_s, 25e9, 1e-12);
    for (i = 0; i < EC_LEN(rates); i++) {
        o.network_rate = rates[i];
        r = ask(p, "vgg16", A100, &o);
        CHECK_NEAR(r.network_bytes_per_s, 12.5e9, 1e-12);
        CHECK(r.communication_ns > usual.communication_ns);
    }
    slow_ns = r.communication_ns;
    o.devices_per_machine = 16;
    r = ask(p, "vgg16", A100, &o);
    CHECK_INT(r.machines, 1);
    CHECK(r.network_bytes_per_s == 0);
    CHECK(r.communication_ns < slow_ns);
    ec_predictor_free(p);
}

TEST(networks_and_machines_that_cannot_be)
{
    static const char *const bad[] = {
        "fast", "Gb/s", "-1Gb/s", "0", "10Gx", "nan", "1e400", "400"
    };
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = several(16, "ddp");
    struct ec_prediction r;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(bad); i++) {
        o.network_rate = bad[i];
        CHECK_FAILS(ec_predict_network(p, "lenet5", A100, &o, &r, &err), EC_E_INPUT, "200Gb/s");
    }
    o = several(16, "dp");
    o.devices_per_machine = 8;
    CHECK_FAILS(ec_predict_network(p, "lenet5", A100, &o, &r, &err), EC_E_UNSUPPORTED,
                "16 devices in machines of 8");
    o.devices_per_machine = 0;
    r = ask(p, "lenet5", A100, &o); /* one process is in one machine */
    CHECK_INT(r.machines, 1);
    ec_predictor_free(p);
}

/* What an answer says of the all-reduces is what it counts. */
TEST(all_reduces_add_up)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = several(16, "ddp");
    struct ec_prediction r = ask(p, "resnet50", A100, &o);

    CHECK_INT(r.reductions, 4); /* 25.6 M gradients of 4 bytes in buckets of at most 25 MiB */
    CHECK_NEAR(r.reduction_bytes * (double)r.reductions, r.gradients_bytes, 1e-9);
    CHECK_NEAR(r.reduction_ns * (double)r.reductions, r.communication_ns, 1e-9);
    CHECK(r.reduction_latency_ns > 0 && r.reduction_latency_ns < r.reduction_ns);
    CHECK_NEAR(r.reduction_bytes_per_s, 2 * 15.0 / 16 * r.reduction_bytes / r.reduction_ns * 1e9,
               1e-9);
    CHECK_HAS(r.algorithm, "hierarchical");
    CHECK(r.exposed_ns >= r.reduction_ns * 0.999); /* at least the last is waited for */
    o = several(4, "dp");
    r = ask(p, "resnet50", A100, &o);
    CHECK(r.reductions == 0 && !*r.algorithm);
    ec_predictor_free(p);
}

TEST(a_slow_network_is_the_limit)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = several(16, "ddp");
    struct ec_prediction r;

    o.network_rate = "1Gb/s";
    r = ask(p, "vgg16", "p100-pcie-16gb", &o);
    CHECK_INT(r.limit, EC_LIMIT_COMMUNICATION);
    CHECK_STR(ec_limit_name(r.limit), "communication");
    ec_predictor_free(p);
}
