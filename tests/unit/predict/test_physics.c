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

/* Two passes of a forward step, the second over what the first gives. */
static double device_ns(enum ec_framework fw, double joint, double narrow, enum ec_precision p,
                        double *ret_launches)
{
    struct ec_kernel k[2] = {
        {.kclass = EC_K_STREAM,
         .read_elems = 1e9,
         .write_elems = 1e9,
         .flags = EC_KF_FP32,
         .launches = 1}
    };
    struct ec_step s = { .kernel = k, .n = 2 };
    const struct ec_device *d = NULL;
    struct ec_constants c;
    struct ec_rates r = { 0 };
    struct ec_step_time t;
    struct ec_err err = { 0 };

    k[0].joint_elems = joint;
    k[0].narrow_elems = narrow;
    k[1] = k[0];
    ec_constants_default(&c);
    CHECK_OK(ec_device_find("a100-pcie-40gb", &d, &err));
    CHECK_OK(ec_rates_init(&r, d, p, EC_CHANNELS_FIRST, &c, NULL, &err));
    ec_step_time(&s, &r, &c, fw, p, false, &t);
    *ret_launches = t.launches;
    return t.device_ns - t.gap_ns;
}

TEST(a_compiler_makes_one_kernel_of_passes_and_others_do_not)
{
    double launches, plain, joint;

    plain = device_ns(EC_FW_pytorch_2, 0, 0, EC_FP32, &launches);
    joint = device_ns(EC_FW_pytorch_2, 1e9, 0, EC_FP32, &launches);
    CHECK_NEAR(joint, plain, 0);
    CHECK_NEAR(launches, 2, 0);
    plain = device_ns(EC_FW_pytorch_compiled, 0, 0, EC_FP32, &launches);
    joint = device_ns(EC_FW_pytorch_compiled, 1e9, 0, EC_FP32, &launches);
    CHECK_NEAR(joint / plain, 0.5, 0.01);
    CHECK_NEAR(launches, 1, 0);
}

TEST(a_compiler_moves_halves_where_its_neighbours_hold_them)
{
    double launches, plain, narrow;

    plain = device_ns(EC_FW_pytorch_compiled, 0, 0, EC_AMP, &launches);
    narrow = device_ns(EC_FW_pytorch_compiled, 0, 2e9, EC_AMP, &launches);
    CHECK_NEAR(narrow / plain, 0.5, 0.01);
    plain = device_ns(EC_FW_pytorch_compiled, 0, 0, EC_FP32, &launches);
    narrow = device_ns(EC_FW_pytorch_compiled, 0, 2e9, EC_FP32, &launches);
    CHECK_NEAR(narrow, plain, 0);
}
