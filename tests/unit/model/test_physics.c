/* Rates that the laws give a device. */
#include "model/physics.h"
#include "test.h"

#include <math.h>

static struct ec_rates rates_of(const struct ec_device *d)
{
    struct ec_constants c;
    struct ec_rates ret = { 0 };
    struct ec_err err = { 0 };

    ec_constants_default(&c);
    c.theta[EC_T_peak_cpu] = 0.8;
    c.theta[EC_T_memory_cpu] = 1.4; /* of time */
    CHECK_OK(
        ec_rates_init(&ret, d, &(struct ec_conditions){ .precision = EC_FP32 }, &c, NULL, &err));
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
    k[0].joint_frac = joint / (k[0].read_elems + k[0].write_elems);
    k[0].narrow_elems = narrow;
    k[1] = k[0];
    ec_constants_default(&c);
    CHECK_OK(ec_device_find("a100-pcie-40gb", &d, &err));
    CHECK_OK(ec_rates_init(&r, d, &(struct ec_conditions){ .precision = p, .framework = fw }, &c,
                           NULL, &err));
    ec_step_time(&s, &r, &c, false, &t);
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

/* --- Kernels --- */

/* An odd side is loaded in pieces; a compiler fills it up. */
static double odd_over_even(enum ec_framework fw)
{
    struct ec_kernel k = {
        .kclass = EC_K_GEMM, .flags = EC_KF_MATRIX, .b = 1, .m = 8192, .n = 8192, .k = 4096
    };
    const struct ec_device *d = NULL;
    struct ec_kernel_time odd, even;
    struct ec_constants c;
    struct ec_rates r = { 0 };
    struct ec_err err = { 0 };

    k.mac = k.m * k.n * k.k;
    k.flop = 2 * k.mac;
    ec_constants_default(&c);
    CHECK_OK(ec_device_find("h100-sxm5-80gb", &d, &err));
    CHECK_OK(ec_rates_init(&r, d, &(struct ec_conditions){ .precision = EC_BF16, .framework = fw },
                           &c, NULL, &err));
    ec_kernel_time(&k, &r, &even);
    k.n -= 1;
    ec_kernel_time(&k, &r, &odd);
    return odd.compute_ns / even.compute_ns;
}

TEST(a_compiler_fills_up_odd_sides)
{
    CHECK(odd_over_even(EC_FW_pytorch_2) > 1.5);
    CHECK_NEAR(odd_over_even(EC_FW_pytorch_compiled), 1, 0.01);
}

static struct ec_rates rates_on(const char *device, enum ec_precision p, enum ec_memory_format f,
                                struct ec_constants *c)
{
    const struct ec_device *d = NULL;
    struct ec_rates r = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find(device, &d, &err));
    CHECK_OK(ec_rates_init(&r, d, &(struct ec_conditions){ .precision = p, .layout = f }, c, NULL,
                           &err));
    return r;
}

static struct ec_kernel_time time_of(const char *op, int phase, const struct ec_rates *r)
{
    struct ec_owned_case c = { 0 };
    struct ec_step step = { 0 };
    struct ec_kernel_time t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_case_parse(op, &c, &err));
    CHECK_OK(ec_step_of_case(&c.c, phase, EC_MODE_TRAINING_STEP, &step, &err));
    CHECK(step.n > 0);
    if (step.n > 0)
        ec_kernel_time(&step.kernel[0], r, &t);
    ec_step_clear(&step);
    ec_case_clear(&c);
    return t;
}

static struct ec_kernel_time conv_of(int in, int out, int phase, const struct ec_rates *r)
{
    char text[120];

    (void)snprintf(text, sizeof text, "conv2d n=32 c=%d h=56 w=56 k=%d r=3 pad=1 bias=0", in, out);
    return time_of(text, phase, r);
}

/* A load of matrix units holds eight halves: channels are filled up to that, on both sides. */
TEST(channels_are_filled_up_to_what_matrix_units_load)
{
    struct ec_constants c;
    struct ec_rates r;
    int phase;

    ec_constants_default(&c);
    c.theta[EC_T_conv_thin] = 0;           /* that is of few channels, however they are filled */
    c.theta[EC_T_conv_unaligned_last] = 1; /* and that of the copies that fill them */
    r = rates_on("a100-sxm4-40gb", EC_AMP, EC_CHANNELS_LAST, &c);
    for (phase = EC_FORWARD; phase <= EC_GRAD_WEIGHT; phase++) {
        CHECK_NEAR(conv_of(9, 64, phase, &r).compute_ns, conv_of(16, 64, phase, &r).compute_ns,
                   1e-9);
        CHECK_NEAR(conv_of(33, 64, phase, &r).compute_ns, conv_of(40, 64, phase, &r).compute_ns,
                   1e-9);
        CHECK_NEAR(conv_of(64, 65, phase, &r).compute_ns, conv_of(64, 72, phase, &r).compute_ns,
                   1e-9);
        CHECK(conv_of(64, 65, phase, &r).total_ns <= conv_of(64, 72, phase, &r).total_ns);
        CHECK(conv_of(16, 64, phase, &r).compute_ns < conv_of(64, 64, phase, &r).compute_ns);
    }
}

/* Odd channels are copied in channels-last halves; other orders and types have kernels for them. */
TEST(odd_channels_cost_a_copy_in_channels_last_halves)
{
    static const struct {
        enum ec_precision precision;
        enum ec_memory_format format;
        double factor;
    } cases[] = {
        {EC_AMP,   EC_CHANNELS_LAST,  2},
        { EC_AMP,  EC_CHANNELS_FIRST, 1},
        { EC_TF32, EC_CHANNELS_LAST,  1},
    };
    struct ec_constants c;
    int i;

    ec_constants_default(&c);
    c.theta[EC_T_conv_unaligned_last] = 2;
    c.theta[EC_T_conv_thin] = 0;
    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_rates r = rates_on("a100-sxm4-40gb", cases[i].precision, cases[i].format, &c);
        double odd = conv_of(64, 66, EC_FORWARD, &r).compute_ns;
        double filled =
            conv_of(64, cases[i].precision == EC_TF32 ? 68 : 72, EC_FORWARD, &r).compute_ns;

        CHECK_NEAR(odd / filled, cases[i].factor, 1e-9);
        /* images have kernels of their own */
        CHECK_NEAR(conv_of(3, 64, EC_FORWARD, &r).compute_ns,
                   conv_of(4, 64, EC_FORWARD, &r).compute_ns, 0.01);
    }
}

static double grouped_of(int width, int phase, const struct ec_rates *r)
{
    char text[120];

    (void)snprintf(text, sizeof text, "conv2d n=32 c=%d h=28 w=28 k=%d r=3 pad=1 bias=0 groups=4",
                   4 * width, 4 * width);
    return time_of(text, phase, r).compute_ns;
}

/* Gradients of wide groups have slow kernels in channels-last. */
TEST(wide_groups_are_slow_backward_in_channels_last)
{
    struct ec_constants c;
    struct ec_rates first, last;
    int phase;

    ec_constants_default(&c);
    c.theta[EC_T_grouped_last] = c.theta[EC_T_grouped_first];
    first = rates_on("a100-sxm4-40gb", EC_AMP, EC_CHANNELS_FIRST, &c);
    last = rates_on("a100-sxm4-40gb", EC_AMP, EC_CHANNELS_LAST, &c);
    CHECK_NEAR(grouped_of(128, EC_FORWARD, &last), grouped_of(128, EC_FORWARD, &first), 1e-9);
    for (phase = EC_GRAD_DATA; phase <= EC_GRAD_WEIGHT; phase++) {
        CHECK(grouped_of(128, phase, &last) > 5 * grouped_of(128, phase, &first));
        CHECK(grouped_of(8, phase, &last) < 1.1 * grouped_of(8, phase, &first));
        CHECK(grouped_of(64, phase, &last) < grouped_of(128, phase, &last));
    }
}

/* Maps that lie channels-last are transposed for nothing, and convolved as in that format. */
TEST(a_kernel_knows_how_its_values_lie)
{
    struct ec_kernel k = { .kclass = EC_K_STREAM, .read_elems = 1e8, .write_elems = 1e8 };
    struct ec_constants c;
    struct ec_rates first, last;
    struct ec_kernel_time t;

    ec_constants_default(&c);
    first = rates_on("a100-sxm4-40gb", EC_AMP, EC_CHANNELS_FIRST, &c);
    last = rates_on("a100-sxm4-40gb", EC_AMP, EC_CHANNELS_LAST, &c);
    k.flags = EC_KF_REORDER;
    ec_kernel_time(&k, &first, &t);
    CHECK(t.total_ns > 0);
    ec_kernel_time(&k, &last, &t);
    CHECK(t.total_ns == 0);
    k.flags |= EC_KF_LAST;
    ec_kernel_time(&k, &first, &t);
    CHECK(t.total_ns == 0);
}

/* What is measured of a generation counts, not the constant of others. */
TEST(a_generation_sustains_what_was_measured_of_it)
{
    struct ec_device d = { 0 };
    const struct ec_device *found = NULL;
    struct ec_constants c;
    struct ec_rates r, twice;
    struct ec_err err = { 0 };

    ec_constants_default(&c);
    CHECK_OK(ec_device_find("a100-sxm4-40gb", &found, &err));
    CHECK(found->matrix_sustained_frac.src == EC_SRC_MEASURED);
    r = rates_on("a100-sxm4-40gb", EC_AMP, EC_CHANNELS_LAST, &c);
    c.theta[EC_T_peak_tensor_v2] *= 3;
    twice = rates_on("a100-sxm4-40gb", EC_AMP, EC_CHANNELS_LAST, &c);
    CHECK_NEAR(twice.matrix_flop_per_s, r.matrix_flop_per_s, 1e-12);
    d = *found;
    d.matrix_sustained_frac = (struct ec_qty){ 0 };
    CHECK_OK(
        ec_rates_init(&twice, &d, &(struct ec_conditions){ .precision = EC_AMP }, &c, NULL, &err));
    CHECK(twice.matrix_flop_per_s > 1.01 * r.matrix_flop_per_s);
}

/* No kernel multiplies faster than the fastest one measured on the board. */
TEST(a_board_sustains_what_was_measured_of_it)
{
    const struct ec_device *found = NULL;
    struct ec_device d;
    struct ec_constants c;
    struct ec_rates r, half;
    struct ec_err err = { 0 };

    ec_constants_default(&c);
    r = rates_on("mi300x", EC_BF16, EC_CHANNELS_LAST, &c);
    CHECK_OK(ec_device_find("mi300x", &found, &err));
    CHECK(r.matrix_flop_per_s <= found->bf16_sustained_flop_per_s.value);
    d = *found;
    d.bf16_sustained_flop_per_s.value /= 2;
    CHECK_OK(
        ec_rates_init(&half, &d, &(struct ec_conditions){ .precision = EC_BF16 }, &c, NULL, &err));
    CHECK(half.matrix_flop_per_s < 0.6 * r.matrix_flop_per_s);
}

TEST(processors_fill_up_no_channels)
{
    struct ec_constants c;
    struct ec_rates r;
    int phase;

    ec_constants_default(&c);
    c.theta[EC_T_conv_thin] = 0;
    r = rates_on("cpu-i9-10940x", EC_FP32, EC_CHANNELS_FIRST, &c);
    for (phase = EC_FORWARD; phase <= EC_GRAD_WEIGHT; phase++)
        CHECK_NEAR(conv_of(9, 64, phase, &r).compute_ns / conv_of(16, 64, phase, &r).compute_ns,
                   9.0 / 16, 1e-9);
}

/* A processor's constant stands for all that conv constants of GPUs say of a convolution. */
TEST(convolutions_of_processors_know_no_constant_of_gpus)
{
    struct ec_constants c;
    struct ec_rates r;
    double before;

    ec_constants_default(&c);
    r = rates_on("cpu-i9-10940x", EC_FP32, EC_CHANNELS_FIRST, &c);
    before = conv_of(64, 64, EC_GRAD_DATA, &r).compute_ns;
    c.theta[EC_T_conv_grad_data] *= 3;
    c.theta[EC_T_conv_thin] *= 3;
    c.theta[EC_T_depthwise_data] *= 3;
    CHECK_NEAR(conv_of(64, 64, EC_GRAD_DATA, &r).compute_ns, before, 1e-9);
    c.theta[EC_T_conv_cpu] *= 3;
    CHECK_NEAR(conv_of(64, 64, EC_GRAD_DATA, &r).compute_ns, 3 * before, 1e-9);
}

/* From GA10x on half of the float32 lanes can do nothing else; processors have one kind. */
TEST(kernels_that_are_no_products_have_a_rate_of_their_own)
{
    static const struct {
        const char *key;
        double share;
    } gpus[] = {
        {"v100-sxm2-16gb",  1  },
        { "a100-sxm4-40gb", 1  },
        { "rtx3090",        0.4},
        { "h100-sxm5-80gb", 0.4},
    };
    struct ec_constants c;
    struct ec_rates r;
    int i;

    ec_constants_default(&c);
    c.theta[EC_T_vector_dual] = 0.4;
    c.theta[EC_T_free_clock] = 1;
    for (i = 0; i < EC_LEN(gpus); i++) {
        const struct ec_device *d = NULL;
        struct ec_err err = { 0 };

        CHECK_OK(ec_device_find(gpus[i].key, &d, &err));
        r = rates_on(gpus[i].key, EC_AMP, EC_CHANNELS_FIRST, &c);
        CHECK_NEAR(r.vector_flop_per_s, gpus[i].share * d->fp32_flop_per_s.value, 1e-9);
    }
    r = rates_on("cpu-i9-10940x", EC_FP32, EC_CHANNELS_FIRST, &c);
    CHECK_NEAR(r.vector_flop_per_s, r.matrix_flop_per_s, 1e-9);
}

/* No unit before Ampere takes bf16: convolutions make float32 of it first. */
TEST(bf16_without_units_is_converted)
{
    struct ec_constants c;
    struct ec_kernel_time plain, converted;
    struct ec_rates r;

    ec_constants_default(&c);
    CHECK(!rates_on("a100-sxm4-40gb", EC_BF16, EC_CHANNELS_LAST, &c).converted);
    CHECK(!rates_on("v100-sxm2-16gb", EC_AMP, EC_CHANNELS_LAST, &c).converted);
    CHECK(!rates_on("cpu-i9-10940x", EC_BF16, EC_CHANNELS_LAST, &c).converted);
    r = rates_on("v100-sxm2-16gb", EC_BF16, EC_CHANNELS_LAST, &c);
    CHECK(r.converted);
    converted = conv_of(64, 64, EC_FORWARD, &r);
    r.converted = false;
    plain = conv_of(64, 64, EC_FORWARD, &r);
    CHECK(converted.total_ns > plain.total_ns);
}

/* TF32 is a permission: what is faster without matrix units runs without. */
/* Parameters and states in halves move half of what float32 moves; autocast and master weights have
 * float32. */
TEST(an_update_moves_its_states_as_they_are)
{
    struct ec_kernel k = {
        .kclass = EC_K_UPDATE, .phase = EC_UPDATE, .m = 1e9, .fixed_bytes = 28e9, .launches = 1
    };
    struct ec_kernel_time plain, other;
    struct ec_constants c;
    struct ec_rates r;

    ec_constants_default(&c);
    r = rates_on("a100-pcie-40gb", EC_FP32, EC_CHANNELS_FIRST, &c);
    ec_kernel_time(&k, &r, &plain);
    r = rates_on("a100-pcie-40gb", EC_BF16, EC_CHANNELS_FIRST, &c);
    ec_kernel_time(&k, &r, &other);
    CHECK_NEAR(other.memory_ns / plain.memory_ns, 0.5, 0.01);
    r.cond.master_weights = true;
    ec_kernel_time(&k, &r, &other);
    CHECK_NEAR(other.memory_ns, plain.memory_ns, 1e-9);
    r = rates_on("a100-pcie-40gb", EC_AMP, EC_CHANNELS_FIRST, &c);
    ec_kernel_time(&k, &r, &other);
    CHECK_NEAR(other.memory_ns, plain.memory_ns, 1e-9);
}

TEST(tf32_takes_no_more_time_than_float32)
{
    static const char *const keys[] = { "rtx3070ti", "rtx3090", "a100-sxm4-40gb", "rtx2080super" };
    struct ec_constants c;
    int i, out, phase;

    ec_constants_default(&c);
    for (i = 0; i < EC_LEN(keys); i++) {
        struct ec_rates with = rates_on(keys[i], EC_TF32, EC_CHANNELS_FIRST, &c);
        struct ec_rates without = rates_on(keys[i], EC_FP32, EC_CHANNELS_FIRST, &c);

        for (phase = EC_FORWARD; phase <= EC_GRAD_WEIGHT; phase++)
            for (out = 8; out <= 1024; out *= 2)
                CHECK(conv_of(out, 2 * out, phase, &with).total_ns <=
                      conv_of(out, 2 * out, phase, &without).total_ns);
    }
}

/* All of the same channels: wider groups are more work, and never less time. */
TEST(wider_groups_take_no_less_time)
{
    static const enum ec_memory_format formats[] = { EC_CHANNELS_FIRST, EC_CHANNELS_LAST };
    static const enum ec_precision precisions[] = { EC_FP32, EC_AMP };
    struct ec_constants c;
    int i, phase;

    ec_constants_default(&c);
    for (i = 0; i < 4; i++)
        for (phase = EC_FORWARD; phase <= EC_GRAD_WEIGHT; phase++) {
            struct ec_rates r = rates_on("a100-sxm4-40gb", precisions[i / 2], formats[i % 2], &c);
            double last = 0;
            int width;

            for (width = 4; width <= 128; width *= 2) {
                struct ec_kernel_time t;
                char text[120];

                (void)snprintf(text, sizeof text,
                               "conv2d n=64 c=256 h=28 w=28 k=256 r=3 pad=1 groups=%d bias=0",
                               256 / width);
                t = time_of(text, phase, &r);
                CHECK(t.total_ns >= last * (1 - 1e-9));
                last = t.total_ns;
            }
        }
}

TEST(groups_differ_by_memory_order)
{
    static const char narrow[] = "conv2d n=64 c=256 h=28 w=28 k=256 r=3 pad=1 groups=32 bias=0";
    struct ec_constants c;
    struct ec_rates first, last;
    double before;

    ec_constants_default(&c);
    first = rates_on("a100-sxm4-40gb", EC_FP32, EC_CHANNELS_FIRST, &c);
    last = rates_on("a100-sxm4-40gb", EC_FP32, EC_CHANNELS_LAST, &c);
    before = time_of(narrow, EC_FORWARD, &first).compute_ns;
    CHECK_NEAR(time_of(narrow, EC_FORWARD, &last).compute_ns, before, 1e-9);
    c.theta[EC_T_grouped_last] *= 2;
    CHECK_NEAR(time_of(narrow, EC_FORWARD, &last).compute_ns, 2 * before, 1e-9);
    CHECK_NEAR(time_of(narrow, EC_FORWARD, &first).compute_ns, before, 1e-9);
}

TEST(longer_rows_of_softmax_take_no_less_time)
{
    struct ec_constants c;
    struct ec_rates r;
    int phase, n;

    ec_constants_default(&c);
    c.theta[EC_T_softmax_short] = 5; /* the law falls from 8 on */
    r = rates_on("a100-sxm4-40gb", EC_AMP, EC_CHANNELS_FIRST, &c);
    for (phase = EC_FORWARD; phase <= EC_GRAD_DATA; phase++) {
        double last = 0;

        for (n = 1; n < 20000; n += 1 + n / 8) {
            char text[80];
            double ns;

            (void)snprintf(text, sizeof text, "softmax x=4096x%d", n);
            ns = time_of(text, phase, &r).total_ns;
            CHECK(ns >= last);
            last = ns;
        }
    }
}

/* Few rows and a long sum: it is split over multiprocessors, the less the more rows there are. No
 * row more makes it faster. */
TEST(a_product_that_is_split_gets_no_faster_with_more_rows)
{
    static const int columns[] = { 64, 256, 1000, 4096 }, sums[] = { 192, 1024, 4096, 25088 };
    struct ec_constants c;
    struct ec_rates r;
    int i, m;

    ec_constants_default(&c);
    r = rates_on("a100-sxm4-40gb", EC_AMP, EC_CHANNELS_FIRST, &c);
    for (i = 0; i < 16; i++) {
        double last = 0;

        for (m = 1; m <= 4096; m += 1 + m / 4) {
            char text[80];
            double ns;

            (void)snprintf(text, sizeof text, "matmul m=%d k=%d n=%d", m, sums[i / 4],
                           columns[i % 4]);
            ns = time_of(text, EC_FORWARD, &r).total_ns;
            if (ns < last * (1 - 1e-9))
                test_fail(__FILE__, __LINE__, "%s takes %g ns, fewer rows %g", text, ns, last);
            last = ns;
        }
    }
}

/* Kernels of their own for channels last, and statistics before the rest: of two passes alone. */
TEST(norms_in_two_passes_have_laws_of_their_own)
{
    static const char batch[] = "batch_norm x=64x256x56x56", layer[] = "layer_norm x=64x196x768";
    struct ec_constants c;
    struct ec_rates first, last;

    ec_constants_default(&c);
    c.theta[EC_T_norm_start_ns] = 1e6;
    c.theta[EC_T_norm_last] = 0.5;
    c.theta[EC_T_norm_few] = 0;
    first = rates_on("a100-sxm4-40gb", EC_FP32, EC_CHANNELS_FIRST, &c);
    last = rates_on("a100-sxm4-40gb", EC_FP32, EC_CHANNELS_LAST, &c);
    CHECK_NEAR(time_of(batch, EC_FORWARD, &last).total_ns - 1e6,
               0.5 * (time_of(batch, EC_FORWARD, &first).total_ns - 1e6), 1e-9);
    CHECK_NEAR(time_of(layer, EC_FORWARD, &last).total_ns,
               time_of(layer, EC_FORWARD, &first).total_ns, 0);
    CHECK(time_of(layer, EC_FORWARD, &first).total_ns < 1e6);
}

/* Blocks of few channels fill a part of the multiprocessors, in channels-first. */
TEST(norms_of_few_channels_take_longer)
{
    static const char *const few = "batch_norm x=64x32x112x112", *const many =
                                                                     "batch_norm x=8x256x112x112";
    struct ec_constants c;
    struct ec_rates first, last;

    ec_constants_default(&c);
    first = rates_on("a100-sxm4-40gb", EC_FP32, EC_CHANNELS_FIRST, &c);
    last = rates_on("a100-sxm4-40gb", EC_FP32, EC_CHANNELS_LAST, &c);
    CHECK(time_of(few, EC_FORWARD, &first).total_ns >
          1.5 * time_of(many, EC_FORWARD, &first).total_ns);
    CHECK_NEAR(time_of(few, EC_FORWARD, &last).total_ns, time_of(many, EC_FORWARD, &last).total_ns,
               1e-3);
}

/* The gradient of each element of the input looks at all places of the filter. */
TEST(depthwise_gradients_pay_for_their_stride)
{
    static const char *const one = "conv2d n=64 c=96 h=28 w=28 k=96 r=7 pad=3 groups=96",
                             *const two =
                                 "conv2d n=64 c=96 h=56 w=56 k=96 r=7 stride=2 pad=3 groups=96";
    struct ec_constants c;
    struct ec_rates r;

    ec_constants_default(&c);
    r = rates_on("a100-sxm4-40gb", EC_FP32, EC_CHANNELS_FIRST, &c);
    CHECK(time_of(two, EC_GRAD_DATA, &r).total_ns > 3 * time_of(one, EC_GRAD_DATA, &r).total_ns);
    CHECK(time_of(two, EC_FORWARD, &r).total_ns < 2 * time_of(one, EC_FORWARD, &r).total_ns);
}

/* Gradients of float32 weights beyond 5x5 have no kernel of their own in channels-last. */
TEST(depthwise_weights_in_float32_want_small_filters)
{
    static const char *const five = "conv2d n=64 c=96 h=56 w=56 k=96 r=5 pad=2 groups=96",
                             *const seven = "conv2d n=64 c=96 h=56 w=56 k=96 r=7 pad=3 groups=96";
    struct ec_constants c;
    struct ec_rates r;

    ec_constants_default(&c);
    c.theta[EC_T_depthwise_large] = 10;
    r = rates_on("a100-sxm4-40gb", EC_FP32, EC_CHANNELS_LAST, &c);
    CHECK(time_of(seven, EC_GRAD_WEIGHT, &r).total_ns >
          8 * time_of(five, EC_GRAD_WEIGHT, &r).total_ns);
    CHECK(time_of(seven, EC_FORWARD, &r).total_ns < 3 * time_of(five, EC_FORWARD, &r).total_ns);
}

/* Matrix units of Hopper take operands of four bytes only as they lie along the sum. */
TEST(tf32_is_slower_where_operands_lie_across)
{
    static const char *const linear = "linear m=8192 k=4096 n=4096";
    struct ec_constants c;
    struct ec_rates tf32, half;

    ec_constants_default(&c);
    c.theta[EC_T_tf32_along] = 0.5;
    tf32 = rates_on("h100-sxm5-80gb", EC_TF32, EC_CHANNELS_FIRST, &c);
    half = rates_on("h100-sxm5-80gb", EC_BF16, EC_CHANNELS_FIRST, &c);
    CHECK_NEAR(time_of(linear, EC_FORWARD, &tf32).compute_ns,
               0.5 * time_of(linear, EC_GRAD_WEIGHT, &tf32).compute_ns, 0.01);
    CHECK(time_of(linear, EC_FORWARD, &tf32).compute_ns <
          time_of(linear, EC_GRAD_DATA, &tf32).compute_ns);
    CHECK_NEAR(time_of(linear, EC_FORWARD, &half).compute_ns,
               time_of(linear, EC_GRAD_WEIGHT, &half).compute_ns, 0.01);
}

/* Of norms over planes, batch norm alone has kernels for channels last. */
TEST(norms_over_planes_copy_what_lies_channels_last)
{
    static const char *const norms[] = { "group_norm x=64x256x56x56 groups=32",
                                         "instance_norm x=64x256x56x56" };
    struct ec_constants c;
    struct ec_rates first, last, half;
    int i;

    ec_constants_default(&c);
    first = rates_on("a100-sxm4-40gb", EC_FP32, EC_CHANNELS_FIRST, &c);
    last = rates_on("a100-sxm4-40gb", EC_FP32, EC_CHANNELS_LAST, &c);
    half = rates_on("a100-sxm4-40gb", EC_FP16, EC_CHANNELS_LAST, &c);
    for (i = 0; i < EC_LEN(norms); i++) {
        double ns = time_of(norms[i], EC_FORWARD, &last).total_ns;

        CHECK(ns > 1.2 * time_of(norms[i], EC_FORWARD, &first).total_ns);
        CHECK(ns > 1.5 * time_of(norms[i], EC_FORWARD, &half).total_ns);
    }
}

/* Finding windows takes longer than moving their bytes: precision changes nothing then. */
TEST(pools_take_operations_for_each_element_that_they_write)
{
    static const char *const small[] = { "max_pool2d n=64 c=64 h=112 w=112 r=2",
                                         "avg_pool2d n=64 c=64 h=112 w=112 r=2" };
    static const char *const wide[] = { "max_pool2d n=64 c=64 h=112 w=112 r=3 stride=2 pad=1",
                                        "avg_pool2d n=64 c=64 h=112 w=112 r=3 stride=2 pad=1" };
    struct ec_constants c;
    struct ec_rates r, half;
    int phase, i;

    ec_constants_default(&c);
    c.theta[EC_T_pool_look] = 1e3;
    c.theta[EC_T_pool_mean_grad] = 2e3;
    r = rates_on("a100-sxm4-40gb", EC_FP32, EC_CHANNELS_FIRST, &c);
    half = rates_on("a100-sxm4-40gb", EC_FP16, EC_CHANNELS_FIRST, &c);
    for (phase = EC_FORWARD; phase <= EC_GRAD_DATA; phase++)
        for (i = 0; i < EC_LEN(small); i++) {
            double ns = time_of(small[i], phase, &r).total_ns;

            CHECK_NEAR(time_of(small[i], phase, &half).total_ns, ns, 1e-9);
            CHECK(time_of(wide[i], phase, &r).total_ns > 1.05 * ns);
        }
    CHECK_NEAR(time_of(wide[1], EC_GRAD_DATA, &r).compute_ns,
               2 * time_of(wide[0], EC_GRAD_DATA, &r).compute_ns, 1e-9);
}

/* A causal mask leaves out half of the scores, at most; more keys never take less time. */
TEST(attention_as_one_kernel_leaves_out_what_a_mask_hides)
{
    struct ec_constants c;
    struct ec_rates r;
    int phase, t;

    ec_constants_default(&c);
    r = rates_on("a100-sxm4-40gb", EC_AMP, EC_CHANNELS_FIRST, &c);
    for (phase = EC_FORWARD; phase <= EC_GRAD_DATA; phase++) {
        double last = 0;

        for (t = 16; t <= 8192; t += 1 + t / 3) {
            char text[80];
            double whole, causal;

            (void)snprintf(text, sizeof text, "attention b=96 t=%d u=%d d=64 e=64", t, t);
            whole = time_of(text, phase, &r).total_ns;
            (void)snprintf(text, sizeof text, "attention b=96 t=%d u=%d d=64 e=64 causal=1", t, t);
            causal = time_of(text, phase, &r).total_ns;
            CHECK(causal <= whole && causal >= 0.5 * whole && whole >= last);
            last = whole;
        }
    }
}

/* --- Steps --- */
