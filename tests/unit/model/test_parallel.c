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

    CHECK(r.n_warnings == 1);
    CHECK_HAS(r.warnings[0], "512 devices");
    ec_predictor_free(p);
}

TEST(small_networks_wait_for_each_other)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = several(2, "mirrored");
    struct ec_prediction r = ask(p, "mnist_cnn", "p100-pcie-16gb", &o);

    CHECK_INT(r.limit, EC_LIMIT_COMMUNICATION);
    CHECK_STR(ec_limit_name(r.limit), "communication");
    ec_predictor_free(p);
}

TEST(a_ring_moves_twice_its_bytes)
{
    struct ec_reach reach = { EC_LINK_pcie, 10e9, false };
    double v[EC_P_COUNT] = { 0 };

    v[EC_P_share_pcie] = 1;
    CHECK_NEAR(ec_all_reduce_ns(&reach, 2, 1e9, v), 1e8, 1e-12);
    CHECK_NEAR(ec_all_reduce_ns(&reach, 4, 1e9, v), 1.5e8, 1e-12);
    v[EC_P_latency_ns] = 1000;
    CHECK_NEAR(ec_all_reduce_ns(&reach, 4, 0, v), 6000, 1e-12);
}

TEST(links_of_devices)
{
    static const struct {
        const char *device;
        enum ec_link want;
        int64_t devices;
        enum ec_link link;
        double bytes_per_s;
    } rows[] = {
        {"a100-sxm4-40gb", EC_LINK_auto,   8, EC_LINK_nvlink, 300e9  },
        { "rtx3090",       EC_LINK_auto,   2, EC_LINK_pcie,   31.5e9 },
        { "rtx3090",       EC_LINK_bridge, 2, EC_LINK_bridge, 56.25e9},
        { "rtx3090",       EC_LINK_bridge, 4, EC_LINK_pcie,   31.5e9 },
        { "t4",            EC_LINK_auto,   4, EC_LINK_pcie,   15.75e9},
    };
    const struct ec_device *d = NULL;
    struct ec_reach reach;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        CHECK_OK(ec_device_find(rows[i].device, &d, &err));
        CHECK_OK(ec_device_reach(d, rows[i].want, rows[i].devices, &reach, &err));
        CHECK_INT(reach.link, rows[i].link);
        CHECK_NEAR(reach.bytes_per_s, rows[i].bytes_per_s, 0.01);
    }
    CHECK_OK(ec_device_find("t4", &d, &err));
    CHECK_INT(ec_device_reach(d, EC_LINK_nvlink, 2, &reach, &err), EC_E_UNSUPPORTED);
    CHECK_HAS(err.text, "pcie");
}
