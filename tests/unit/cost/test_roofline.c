/* Peaks and element sizes by precision, and what follows from them for a step. */
#include "test.h"

#include "cost/cost.h"

static const struct ec_device *device(const char *key)
{
    struct ec_err err = { 0 };
    const struct ec_device *d = NULL;

    CHECK_OK(ec_device_find(key, &d, &err));
    return d;
}

static struct ec_step step_of(const char *text)
{
    struct ec_owned_case c = { 0 };
    struct ec_step s = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_case_parse(text, &c, &err));
    CHECK_OK(ec_step_of_case(&c.c, EC_FORWARD, EC_MODE_FORWARD, &s, &err));
    ec_case_clear(&c);
    return s;
}

TEST(elements_have_the_size_of_their_precision)
{
    static const double bytes[EC_PRECISION_COUNT] = {
        [EC_FP32] = 4, [EC_TF32] = 4, [EC_AMP] = 2, [EC_BF16] = 2, [EC_FP16] = 2
    };
    int p;

    for (p = 0; p < EC_PRECISION_COUNT; p++) {
        CHECK_NEAR(ec_precision_bytes((enum ec_precision)p), bytes[p], 0);
        CHECK_NEAR(ec_precision_word_bytes(ec_precision_names[p]), bytes[p], 0);
    }
    CHECK_NEAR(ec_precision_word_bytes("fp64"), 8, 0);
    CHECK_NEAR(ec_precision_word_bytes("amp-bf16"), 2, 0);
}

static void check_sizes(enum ec_precision p, bool master, double elem, double weight, double state)
{
    struct ec_elem_bytes b = ec_elem_bytes_of(p, master);

    CHECK_NEAR(b.activation, elem, 0);
    CHECK_NEAR(b.weight, weight, 0);
    CHECK_NEAR(b.state, state, 0);
}

TEST(autocast_keeps_its_weights_wide_and_master_weights_widen_the_states)
{
    check_sizes(EC_FP32, false, 4, 4, 4);
    check_sizes(EC_AMP, false, 2, 4, 4);
    check_sizes(EC_BF16, false, 2, 2, 2);
    check_sizes(EC_BF16, true, 2, 2, 4);
}

TEST(products_have_the_peak_of_matrix_units_and_all_else_that_of_the_lanes)
{
    static const struct {
        const char *device;
        enum ec_precision precision;
        double matrix, vector;
    } cases[] = {
        {"a100-sxm4-40gb",  EC_FP32, 19.5e12,  19.5e12 },
        { "a100-sxm4-40gb", EC_TF32, 156e12,   19.5e12 },
        { "a100-sxm4-40gb", EC_AMP,  312e12,   19.5e12 },
        { "gtx1080ti",      EC_TF32, 11.34e12, 11.34e12}, /* no units */
        { "gtx1080ti",      EC_FP16, 11.34e12, 11.34e12},
        { "mi100",          EC_BF16, 92.3e12,  23.1e12 }, /* bf16 at half the rate of fp16 */
        { "mi100",          EC_AMP,  184.6e12, 23.1e12 },
        { "trainium2",      EC_AMP,  667e12,   181e12  }, /* units of bf16 alone */
        { "gaudi2-96gb",    EC_BF16, 432e12,   432e12  }, /* and no other arithmetic */
        { "gaudi2-96gb",    EC_FP16, 432e12,   432e12  },
        { "ascend-910",     EC_BF16, 256e12,   256e12  }, /* units of fp16 alone */
    };
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        const struct ec_device *d = device(cases[i].device);
        enum ec_precision p = cases[i].precision;

        CHECK_NEAR(ec_paper_peak(d, p, true), cases[i].matrix, 1e-9);
        CHECK_NEAR(ec_paper_peak(d, p, false), cases[i].vector, 1e-9);
        CHECK_NEAR(ec_paper_peak_named(d, ec_precision_names[p]), cases[i].matrix, 1e-9);
    }
    CHECK_NEAR(ec_paper_peak_named(device("a100"), "fp64"), 0, 0);
    CHECK_NEAR(ec_matrix_flop_per_s(device("gtx1080ti"), EC_AMP), 0, 0);
    CHECK_NEAR(ec_matrix_flop_per_s(device("a100"), EC_FP32), 0, 0);
}

/* Of AMD only CDNA 1 and 2 multiply fp32 faster in their matrix units than in their lanes. */
TEST(nothing_is_faster_than_the_fastest_unit_that_a_datasheet_has)
{
    const struct ec_device unknown = { 0 };

    CHECK_NEAR(ec_highest_flop_per_s(device("mi100"), "fp32"), 46.1e12, 1e-9);
    CHECK_NEAR(ec_highest_flop_per_s(device("mi250x"), "fp32"), 47.9e12, 1e-9);
    CHECK_NEAR(ec_highest_flop_per_s(device("mi300x"), "fp32"), 163.4e12, 1e-9);
    CHECK_NEAR(ec_highest_flop_per_s(device("mi300x"), "tf32"), 653.7e12, 1e-9);
    CHECK_NEAR(ec_highest_flop_per_s(device("rx7900xtx"), "fp32"), 61.4e12, 1e-9);
    CHECK_NEAR(ec_highest_flop_per_s(device("p100-pcie-16gb"), "fp16"), 18.7e12, 1e-2);
    CHECK_NEAR(ec_highest_flop_per_s(device("h100-sxm5-80gb"), "int8"), 1979e12, 1e-3);
    CHECK_NEAR(ec_highest_flop_per_s(&unknown, "bf16"), 0, 0);
}

TEST(no_peak_is_above_the_highest_rate)
{
    const struct ec_device *const *all;
    int n, i, p;

    all = ec_devices(&n);
    for (i = 0; i < n; i++)
        for (p = EC_AMP; p < EC_PRECISION_COUNT; p++)
            CHECK(ec_paper_peak_named(all[i], ec_precision_names[p]) <=
                  ec_highest_flop_per_s(all[i], ec_precision_names[p]));
}

/* Two kernels by hand: one that arithmetic bounds, twice, and one that memory bounds. */
TEST(a_kernel_takes_its_flop_or_its_bytes)
{
    struct ec_kernel products = { .flags = EC_KF_MATRIX, .mac = 4e9, .flop = 8e9 };
    struct ec_kernel copies = { .flop = 1e6, .read_elems = 1e9, .write_elems = 1e9 };
    struct ec_kernel kernels[2];
    double repeat[2] = { 2, 1 };
    struct ec_step s = { .n = 2, .kernel = kernels, .repeat = repeat };
    struct ec_device d = {
        .fp32_flop_per_s = {1e12,  EC_SRC_USER, NULL},
        .fp16_tensor_flop_per_s = { 8e12, EC_SRC_USER, NULL},
        .memory_bytes_per_s = { 1e12, EC_SRC_USER, NULL}
    };
    struct ec_plain_estimate e;

    products.read_elems = 1e6;
    products.weight_elems = 5e5;
    copies.fixed_bytes = 4e9;
    kernels[0] = products;
    kernels[1] = copies;
    CHECK_NEAR(ec_kernel_bytes(&kernels[0], 2), 3e6, 0);
    CHECK_NEAR(ec_kernel_bytes(&kernels[1], 4), 12e9, 0);
    e = ec_plain_estimate(&s, &d, EC_FP16);
    CHECK_NEAR(e.roofline_ns, 2 * 1e6 + 8e6, 1e-9);
    CHECK_NEAR(e.flop_ns, 2 * 1e6, 1e-9);
    s.kernel++;
    s.repeat = NULL;
    s.n = 1; /* without products: what there is, at the rate of the lanes */
    CHECK_NEAR(ec_plain_estimate(&s, &d, EC_FP16).flop_ns, 1e3, 1e-9);
}

TEST(a_device_with_units_of_bf16_alone_has_a_roofline)
{
    struct ec_step s = step_of("linear m=4096 n=4096 k=4096");
    struct ec_plain_estimate e = ec_plain_estimate(&s, device("gaudi2-96gb"), EC_BF16);

    CHECK_NEAR(e.flop_ns, 2 * pow(4096, 3) / 432e12 * 1e9, 1e-9);
    CHECK(isfinite(e.roofline_ns) && e.roofline_ns >= e.flop_ns);
    ec_step_clear(&s);
}

TEST(a_convolution_need_not_read_what_its_windows_step_over)
{
    struct ec_step over = step_of("conv2d n=8 c=64 h=56 w=56 k=32 r=1 s=1 stride=2 bias=0");
    struct ec_step all = step_of("conv2d n=8 c=64 h=56 w=56 k=32 r=3 s=3 pad=1 stride=2 bias=0");

    CHECK_NEAR(ec_step_need(&over, 4).bytes, 4.0 * (8 * 28 * 28 * (64 + 32) + 64 * 32), 1e-9);
    CHECK_NEAR(ec_step_need(&all, 4).bytes,
               4.0 * (8 * 56 * 56 * 64 + 8 * 28 * 28 * 32 + 64 * 32 * 9), 1e-9);
    ec_step_clear(&over);
    ec_step_clear(&all);
}

TEST(convolutions_of_stride_1_may_need_fewer_operations_than_are_counted)
{
    struct ec_step fast = step_of("conv2d n=8 c=64 h=56 w=56 k=64 r=3 s=3 pad=1");
    struct ec_step strided = step_of("conv2d n=8 c=64 h=56 w=56 k=64 r=3 s=3 pad=1 stride=2");
    const struct ec_device *d = device("a100-sxm4-40gb"), unknown = { 0 };
    double flop = 2.0 * 8 * 64 * 64 * 56 * 56 * 9;
    struct ec_step_need n = ec_step_need(&fast, 4);

    CHECK_NEAR(n.flop, flop, 1e-9);
    CHECK_NEAR(n.least_flop, flop / 16, 1e-9);
    CHECK_NEAR(n.bytes, 4.0 * (2 * 8 * 64 * 56 * 56 + 64 * 64 * 9 + 64), 1e-9); /* and the bias */
    CHECK_NEAR(ec_step_need(&strided, 4).least_flop, flop / 4, 1e-9);
    CHECK_NEAR(ec_step_least_ns(&fast, d, "fp32"), flop / 16 / (19.5e12 * EC_PEAK_MARGIN) * 1e9,
               1e-9);
    CHECK_NEAR(ec_step_least_ns(&fast, &unknown, "fp32"), 0, 0);
    ec_step_clear(&fast);
    ec_step_clear(&strided);
}
