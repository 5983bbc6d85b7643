/* What fitted numbers say of a device, a host and a question: by a fit made by hand. */
#include "adapt/adapt.h"
#include "predict/predict_internal.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* Four sources measured the A100, one the L4; Hopper is not there. Lists are sorted by key. */
static const struct ec_offset_fit archs[] = {
    {"sm80",  0.10, -0.05, 4},
    { "sm89", 0.20, 0.30,  1}
};
static const struct ec_offset_fit products[] = {
    {"a100", 0.02, 0.01, 4},
    { "l4",  0.03, 0.04, 1}
};
static const struct ec_seen_fit seen[] = {
    {"a100-sxm4-40gb",  "",       EC_FW_pytorch_2,    EC_W_network, 0.7,  false},
    { "a100-sxm4-40gb", "linear", EC_FW_pytorch_2,    EC_W_gemm,    -0.3, false},
    { "a100-sxm4-40gb", "matmul", EC_FW_pytorch_2,    EC_W_gemm,    -0.1, false},
    { "l4",             "linear", EC_FW_tensorflow_1, EC_W_gemm,    0.4,  false},
    { "l4",             "linear", EC_FW_tensorflow_1, EC_W_gemm,    0.1,  true },
    { "t4",             "linear", EC_FW_tensorflow_1, EC_W_gemm,    0.2,  false}
};
/* Sources 0 and 1 timed networks of convolutions on the A100, source 2 products, source 0 the L4.
 */
#define FIRST EC_CHANNELS_FIRST
#define LAST EC_CHANNELS_LAST
static const struct ec_known_fit known[] = {
    {"sm80",  "a100", EC_FW_pytorch_2,    EC_W_network, EC_K_CONV,   EC_AMP,  LAST,  0x1},
    { "sm80", "a100", EC_FW_pytorch_2,    EC_W_network, EC_K_CONV,   EC_FP32, FIRST, 0x3},
    { "sm80", "a100", EC_FW_pytorch_2,    EC_W_gemm,    EC_K_STREAM, EC_FP32, FIRST, 0x4},
    { "sm89", "l4",   EC_FW_tensorflow_1, EC_W_gemm,    EC_K_STREAM, EC_FP32, FIRST, 0x1}
};
static const struct ec_host_fit hosts[] = {
    {"lambdal-v100",  -0.2},
    { "timm-rtx3090", 0.35}
};
static const struct ec_fitted made = {
    .c.theta = {[EC_T_memory_hbm] = 1.15},
    .archs = archs,
    .n_archs = EC_LEN(archs),
    .products = products,
    .n_products = EC_LEN(products),
    .seen = seen,
    .n_seen = EC_LEN(seen),
    .known = known,
    .n_known = EC_LEN(known),
    .hosts = hosts,
    .n_hosts = EC_LEN(hosts),
    .reference_launch = { [EC_FW_pytorch_2] = 0.25,    [EC_FW_caffe] = -0.5 },
};

/* A network that spends its arithmetic on one class of kernel. */
static struct ec_kernel kernel_of[] = {
    {.kclass = EC_K_CONV,    .mac = 100},
    { .kclass = EC_K_GEMM,   .mac = 100},
    { .kclass = EC_K_STREAM, .mac = 0  }
};
static const struct ec_step of_convs = { .n = 1, .kernel = &kernel_of[0] };

/* Of a network of convolutions on `device`, with PyTorch 2. */
static struct ec_known known_of(const struct ec_fitted *f, const char *device,
                                enum ec_precision precision, enum ec_memory_format layout)
{
    struct ec_conditions cond = { .framework = EC_FW_pytorch_2,
                                  .precision = precision,
                                  .layout = layout };
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find(device, &d, &err));
    return ec_fitted_known(f, d, &cond, EC_W_network, &of_convs);
}

TEST(sources_count_by_product_architecture_and_conditions)
{
    struct ec_known k = known_of(&made, "a100-sxm4-80gb", EC_AMP, EC_CHANNELS_LAST);

    CHECK_INT(k.same, 1); /* whatever the board */
    CHECK_INT(k.product, 2);
    CHECK(k.unknown == 0);
    CHECK_INT(ec_known_basis(&k), EC_BASIS_MEASURED);
    k = known_of(&made, "a100-sxm4-80gb", EC_AMP, EC_CHANNELS_FIRST);
    CHECK_INT(k.same, 0);
    CHECK_INT(k.product, 3);
    CHECK_INT(k.kind, 0);
    CHECK_INT(k.kind_by, 2);
    CHECK(k.unknown == 0.5); /* a kind that nobody measured weighs more than the device */
    CHECK_INT(ec_known_basis(&k), EC_BASIS_RELATED);
    k = known_of(&made, "a30", EC_AMP, EC_CHANNELS_LAST);
    CHECK_INT(k.sibling, 1); /* sources 1 and 2 measured the A100 otherwise */
    CHECK_INT(k.arch, 2);
    CHECK(fabs(k.unknown - 1 / 3.0) < 1e-12);
    k = known_of(&made, "l4", EC_AMP, EC_CHANNELS_LAST);
    CHECK_INT(k.product, 1);
    CHECK_INT(k.kind, 1);
    CHECK(k.unknown == 0.5);
    k = known_of(&made, "h100-sxm5-80gb", EC_AMP, EC_CHANNELS_LAST);
    CHECK(k.unknown == 1);
    CHECK_INT(ec_known_basis(&k), EC_BASIS_SPECIFICATION);
}

TEST(a_width_lies_between_measured_and_specification)
{
    const struct ec_width measured = { -0.3, 0, 0.4, 9 }, specification = { -0.5, 0, 0.2, 9 };
    struct ec_width w = ec_width_between(&measured, &specification, 0);

    CHECK(fabs(w.lo + 0.3) < 1e-12 && fabs(w.hi - 0.4) < 1e-12);
    w = ec_width_between(&measured, &specification, 0.5);
    CHECK(fabs(w.lo + sqrt((0.09 + 0.25) / 2)) < 1e-12);
    CHECK(fabs(w.hi - 0.4) < 1e-12); /* never narrower than with measurements */
    w = ec_width_between(&measured, &specification, 1);
    CHECK(fabs(w.lo + 0.5) < 1e-12);
}

/* Each source that is added to any row leaves the share that is unknown or lowers it. */
TEST(another_source_never_widens)
{
    static const char *const devices[] = { "a100-sxm4-80gb", "a30", "l4", "h100-sxm5-80gb" };
    struct ec_known_fit more[EC_LEN(known)];
    struct ec_fitted with = made;
    int i, k, p;

    with.known = more;
    for (i = 0; i < EC_LEN(known); i++)
        for (k = 0; k < EC_LEN(devices); k++)
            for (p = 0; p < 2; p++) {
                enum ec_precision precision = p ? EC_AMP : EC_FP32;

                memcpy(more, known, sizeof more);
                more[i].sources |= 0x10;
                CHECK(known_of(&with, devices[k], precision, EC_CHANNELS_LAST).unknown <=
                      known_of(&made, devices[k], precision, EC_CHANNELS_LAST).unknown);
            }
}

TEST(nothing_is_measured_of_an_empty_fit)
{
    static const struct ec_fitted none = { .c.theta = { [EC_T_memory_hbm] = 1.15 } };
    double offset[EC_DO_COUNT], launch = 1;
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_device_find("a100-sxm4-40gb", &d, &err));
    CHECK(known_of(&none, d->key, EC_FP32, EC_CHANNELS_FIRST).unknown == 1);
    ec_fitted_offset(&none, d, &(struct ec_conditions){ .framework = EC_FW_pytorch_2 }, NULL,
                     offset);
    for (i = 0; i < EC_DO_COUNT; i++)
        CHECK(offset[i] == 0);
    CHECK(!ec_fitted_device(&none, d->key));
    CHECK_INT(ec_fitted_sources(&none, d->key), 0);
    CHECK_OK(ec_fitted_host(&none, EC_REFERENCE_HOST, &launch, &err));
    CHECK(launch == 0);
}

TEST(the_class_of_a_network_is_that_of_most_of_its_forward_work)
{
    struct ec_kernel k[] = {
        {.kclass = EC_K_GEMM,       .phase = EC_FORWARD,     .mac = 100},
        { .kclass = EC_K_CONV,      .phase = EC_FORWARD,     .mac = 60 },
        { .kclass = EC_K_DEPTHWISE, .phase = EC_FORWARD,     .mac = 50 },
        { .kclass = EC_K_GEMM,      .phase = EC_GRAD_WEIGHT, .mac = 900}
    };
    double twice[] = { 2, 1, 1, 1 };
    struct ec_step step = { .n = EC_LEN(k), .kernel = k };

    CHECK_INT(ec_main_class(&step), EC_K_CONV); /* depthwise ones are convolutions */
    step.repeat = twice;
    CHECK_INT(ec_main_class(&step), EC_K_GEMM);
    k[0].kclass = EC_K_ATTENTION;
    CHECK_INT(ec_main_class(&step), EC_K_GEMM); /* attention is products */
    CHECK_INT(ec_main_class(&(struct ec_step){ .n = 1, .kernel = &kernel_of[2] }), EC_K_STREAM);
}

static void offset_in(const char *device, enum ec_framework fw, const char *op, enum ec_mode mode,
                      double ret[EC_DO_COUNT])
{
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };

    memset(ret, 0, sizeof *ret * EC_DO_COUNT);
    CHECK_OK(ec_device_find(device, &d, &err));
    if (d)
        ec_fitted_offset(&made, d, &(struct ec_conditions){ .framework = fw, .mode = mode },
                         op ? ec_op_find(ec_span_of(op)) : NULL, ret);
}

static void offset_of(const char *device, enum ec_framework fw, const char *op,
                      double ret[EC_DO_COUNT])
{
    offset_in(device, fw, op, EC_MODE_FORWARD, ret);
}

TEST(a_device_that_nobody_measured_is_as_its_architecture)
{
    double own[EC_DO_COUNT], other[EC_DO_COUNT], a30[EC_DO_COUNT], hopper[EC_DO_COUNT];

    offset_of("a100-sxm4-40gb", EC_FW_pytorch_2, NULL, own);
    CHECK_NEAR(own[EC_DO_COMPUTE], 0.10 + 0.02, 1e-12);
    CHECK_NEAR(own[EC_DO_MEMORY], -0.05 + 0.01, 1e-12);
    offset_of("a100-pcie-80gb", EC_FW_pytorch_2, NULL, other); /* another board of it */
    CHECK(other[EC_DO_COMPUTE] == own[EC_DO_COMPUTE]);
    CHECK(other[EC_DO_MEMORY] == own[EC_DO_MEMORY]);
    offset_of("a30", EC_FW_pytorch_2, NULL, a30); /* another product of the architecture */
    CHECK_NEAR(a30[EC_DO_COMPUTE], 0.10, 1e-12);
    CHECK_NEAR(a30[EC_DO_MEMORY], -0.05, 1e-12);
    offset_of("h100-sxm5", EC_FW_pytorch_2, NULL, hopper);
    CHECK(hopper[EC_DO_COMPUTE] == 0 && hopper[EC_DO_MEMORY] == 0);
}

TEST(networks_have_the_host_of_their_framework_whatever_the_device)
{
    static const char *const devices[] = { "a100-sxm4-40gb", "l4", "h100-sxm5", "t4" };
    double offset[EC_DO_COUNT];
    int i;

    for (i = 0; i < EC_LEN(devices); i++) {
        offset_of(devices[i], EC_FW_pytorch_2, NULL, offset);
        CHECK(offset[EC_DO_LAUNCH] == 0.25);
        offset_of(devices[i], EC_FW_caffe, NULL, offset);
        CHECK(offset[EC_DO_LAUNCH] == -0.5);
    }
}

TEST(operators_have_the_harness_they_were_measured_with)
{
    double offset[EC_DO_COUNT];

    offset_of("a100-sxm4-40gb", EC_FW_pytorch_2, "linear", offset);
    CHECK(offset[EC_DO_LAUNCH] == -0.3);
    offset_of("a100-sxm4-40gb", EC_FW_pytorch_2, "matmul", offset);
    CHECK(offset[EC_DO_LAUNCH] == -0.1);
    offset_of("a100-sxm4-40gb", EC_FW_pytorch_2, "attention", offset); /* that of its kind */
    CHECK_NEAR(offset[EC_DO_LAUNCH], -0.2, 1e-12);
    offset_of("l4", EC_FW_tensorflow_1, "linear", offset);
    CHECK(offset[EC_DO_LAUNCH] == 0.4);
    offset_in("l4", EC_FW_tensorflow_1, "linear", EC_MODE_ISOLATED_STEP, offset);
    CHECK(offset[EC_DO_LAUNCH] == 0.1);
    offset_of("v100-sxm2-16gb", EC_FW_tensorflow_1, "linear", offset); /* that of the others */
    CHECK_NEAR(offset[EC_DO_LAUNCH], 0.3, 1e-12);
    offset_of("l4", EC_FW_caffe, "linear", offset); /* with another framework */
    CHECK(offset[EC_DO_LAUNCH] == 0);
    offset_of("a100-sxm4-40gb", EC_FW_pytorch_2, "conv2d", offset);
    CHECK(offset[EC_DO_LAUNCH] == 0);
}

TEST(no_memory_beats_the_data_sheet)
{
    const struct ec_conditions cond = { .framework = EC_FW_pytorch_2, .precision = EC_FP32 };
    const struct ec_fitted *f = ec_fitted();
    const struct ec_device *const *all;
    int i, n, n_gpu = 0, at_it = 0;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        const struct ec_device *d = all[i];
        double offset[EC_DO_COUNT], share;
        struct ec_rates r;

        ec_fitted_offset(f, d, &cond, NULL, offset);
        if (d->kind == EC_DEV_CPU || ec_rates_init(&r, d, &cond, &f->c, offset, NULL))
            continue;
        share = r.bytes_per_s / d->memory_bytes_per_s.value;
        CHECK(share < (d->clock_kind.value == EC_CLOCK_FREE ? 1.1 : 1) + 1e-9);
        at_it += share > 0.999;
        n_gpu++;
    }
    CHECK(n_gpu > 100 && at_it > 0);
}

/* The study of calibration takes each device as one that nobody measured. */
TEST(what_is_bare_knows_no_device)
{
    struct ec_fitted bare = ec_fitted_bare(&made);
    const struct ec_device *d = NULL;
    double offset[EC_DO_COUNT];
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_device_find("a100-sxm4-40gb", &d, &err));
    ec_fitted_offset(&bare, d, &(struct ec_conditions){ .framework = EC_FW_pytorch_2 },
                     ec_op_find(ec_span_of("linear")), offset);
    for (i = 0; i < EC_DO_COUNT; i++)
        CHECK(offset[i] == 0);
    CHECK_INT(ec_fitted_sources(&bare, d->key), 0);
    CHECK(known_of(&bare, d->key, EC_FP32, EC_CHANNELS_FIRST).unknown == 1);
}

TEST(hosts_have_names)
{
    struct ec_err err = { 0 };
    double launch = 9;

    CHECK_OK(ec_fitted_host(&made, EC_REFERENCE_HOST, &launch, &err));
    CHECK(launch == 0);
    CHECK_OK(ec_fitted_host(&made, "timm-rtx3090", &launch, &err));
    CHECK(launch == 0.35);
    CHECK_FAILS(
        ec_fitted_host(&made, "timm-rtx3080", &launch, &err), EC_E_NOT_FOUND,
        "host \"timm-rtx3080\" was not measured; \"epochcast device hosts\" lists those that "
        "were; did you mean \"timm-rtx3090\"?");
    CHECK_FAILS(ec_fitted_host(&made, "my own", &launch, &err), EC_E_NOT_FOUND, "lists those that");
    CHECK(!strstr(err.text, "mean"));
}

TEST(sources_are_those_of_the_product)
{
    CHECK_INT(ec_fitted_sources(&made, "a100-sxm4-40gb"), 4);
    CHECK_INT(ec_fitted_sources(&made, "a100-pcie-80gb"), 4);
    CHECK_INT(ec_fitted_sources(&made, "a30"), 0);
}

TEST(keys_of_architectures)
{
    struct ec_device d = { .compute_capability = 86, .arch = "ampere" };
    char key[EC_ARCH_BYTES];

    ec_arch_key(&d, key);
    CHECK_STR(key, "sm86");
    d = (struct ec_device){ .arch = "cdna 3" };
    ec_arch_key(&d, key);
    CHECK_STR(key, "cdna-3");
    d.arch = "an architecture whose name is far longer than any key of one";
    ec_arch_key(&d, key);
    CHECK_INT(strlen(key), EC_ARCH_BYTES - 1);
}

TEST(boards_of_a_product_share_its_name)
{
    static const struct {
        const char *key, *product;
    } of[] = {
        {"a100-sxm4-40gb",  "a100"   },
        { "a100-pcie-80gb", "a100"   },
        { "v100-sxm2-16gb", "v100"   },
        { "h100-nvl",       "h100"   },
        { "rtx3090",        "rtx3090"},
        { "t4",             "t4"     }
    };
    int i;

    for (i = 0; i < EC_LEN(of); i++) {
        CHECK_INT(ec_product_len(of[i].key), strlen(of[i].product));
        CHECK(memcmp(of[i].key, of[i].product, strlen(of[i].product)) == 0);
    }
}

/* Of one CPU, which Torch 7 alone measured, and of one that libraries of today did. */
TEST(loops_of_an_old_framework_tell_nothing_of_a_cpu)
{
    static const char *const cpus[] = { "cpu-2x-e5-2630v3", "cpu-i9-10940x" };
    const struct ec_op *op = ec_op_find(ec_span_of("linear"));
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };
    double offset[EC_DO_COUNT];
    int i, fw;

    for (i = 0; i < EC_LEN(cpus); i++)
        for (fw = 0; fw < (int)EC_FRAMEWORK_COUNT; fw++) {
            struct ec_conditions cond = { .framework = (enum ec_framework)fw };
            bool old = fw == (int)EC_FW_torch7 || fw == (int)EC_FW_caffe;

            CHECK_OK(ec_device_find(cpus[i], &d, &err));
            ec_fitted_offset(ec_fitted(), d, &cond, op, offset);
            CHECK_INT(offset[EC_DO_COMPUTE] != 0, i == 0 ? old : !old);
        }
}
