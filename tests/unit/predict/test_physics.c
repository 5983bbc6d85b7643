/* Rates that the laws give a device. */
#include "predict/physics.h"
#include "test.h"

static struct ec_rates rates_of(const struct ec_device *d)
{
    struct ec_constants c;
    struct ec_rates ret = { 0 };
    struct ec_err err = { 0 };

    ec_constants_default(&c);
    c.theta[EC_T_peak_cpu] = 0.8;
    c.theta[EC_T_memory_cpu] = 1.4; /* of time */
    CHECK_OK(ec_rates_init(&ret, d, EC_FP32, EC_CHANNELS_FIRST, &c, NULL, &err));
    return ret;
}

TEST(a_processor_on_paper_is_one_whose_products_and_copies_reach_a_share_of_it)
{
    const struct ec_device *found = NULL;
    struct ec_rates on_paper, measured;
    struct ec_device d;
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find("cpu-i9-10940x", &found, &err));
    CHECK(found->fp32_flop_per_s.src != EC_SRC_MEASURED);
    CHECK(found->memory_bytes_per_s.src != EC_SRC_MEASURED);
    on_paper = rates_of(found);
    d = *found;
    d.fp32_flop_per_s.src = d.memory_bytes_per_s.src = EC_SRC_MEASURED;
    d.fp32_flop_per_s.value *= 0.8;
    d.memory_bytes_per_s.value /= 1.4;
    measured = rates_of(&d);
    CHECK_NEAR(measured.matrix_flop_per_s, on_paper.matrix_flop_per_s, 1e-9);
    CHECK_NEAR(measured.bytes_per_s, on_paper.bytes_per_s, 1e-9);
}
