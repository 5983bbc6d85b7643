/* Energy: between an idle board and its limit, more of it for more work. */
#include "ask.h"

#include <math.h>

TEST(power_is_between_idle_and_the_limit)
{
    static const struct {
        const char *model, *device;
        int64_t batch;
    } cases[] = {
        {"resnet50",         "a100-sxm4-80gb", 256},
        { "lenet5",          "a100-sxm4-80gb", 1  },
        { "mobilenet_v2",    "rtx4090",        64 },
        { "bert_large",      "h100-sxm5-80gb", 8  },
        { "resnet18",        "t4",             32 },
        { "efficientnet_b0", "v100-sxm2-16gb", 16 },
    };
    struct ec_predictor *p = predictor();
    const struct ec_device *d = NULL;
    struct ec_prediction r;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_predict_opts o = options(cases[i].batch);

        r = ask(p, cases[i].model, cases[i].device, &o);
        CHECK_OK(ec_device_find(cases[i].device, &d, &err));
        CHECK_ORDERED(r.board_power_w);
        CHECK(r.board_power_w.p05 >= 0.1 * d->tdp_w.value && r.board_power_w.p95 <= d->tdp_w.value);
        CHECK(r.board_energy_j.p50 == 0); /* of a job or an epoch */
    }
    ec_predictor_free(p);
}

/* Owners of a T4 see 65 to 70 W in training, whatever limits the kernels. */
TEST(boards_that_their_slot_feeds_run_into_their_limit)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(128);

    o.cond.precision = EC_AMP;
    o.cond.layout = EC_CHANNELS_LAST;
    CHECK(ask(p, "resnet50", "t4", &o).board_power_w.p50 > 62);
    CHECK(ask(p, "resnet50", "v100-sxm2-16gb", &o).board_power_w.p50 < 0.85 * 300);
    ec_predictor_free(p);
}

TEST(energy_is_power_and_time_of_all_boards)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(256), small = options(1);
    struct ec_prediction r, twice;
    double power, by;

    o.samples = 1281167;
    r = ask(p, "resnet50", "a100-sxm4-80gb", &o);
    CHECK_NEAR(r.board_energy_j.p50, r.board_power_w.p50 * r.job_time_ns.p50 * 1e-9, 1e-9);
    CHECK_ORDERED(r.board_energy_j);
    by = r.board_energy_j.p95 / r.board_energy_j.p50; /* neither error alone, nor both at once */
    CHECK(by > r.job_time_ns.p95 / r.job_time_ns.p50);
    CHECK(by < r.job_time_ns.p95 / r.job_time_ns.p50 * r.board_power_w.p95 / r.board_power_w.p50);
    power = r.board_power_w.p50;
    CHECK(ask(p, "lenet5", "a100-sxm4-80gb", &small).board_power_w.p50 < 0.6 * power);
    o.epochs = 2;
    twice = ask(p, "resnet50", "a100-sxm4-80gb", &o);
    CHECK_NEAR(twice.board_energy_j.p50, 2 * r.board_energy_j.p50, 1e-9);
    o.devices = 8;
    twice = ask(p, "resnet50", "a100-sxm4-80gb", &o);
    CHECK_NEAR(twice.board_energy_j.p50, 8 * twice.board_power_w.p50 * twice.job_time_ns.p50 * 1e-9,
               1e-9);
    ec_predictor_free(p);
}
