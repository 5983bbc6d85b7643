/* What fitted numbers say of a device, a host and a question: by a fit made by hand. */
#include "adapt/adapt.h"
#include "predict/predict_internal.h"
#include "test.h"

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
    {"a100-sxm4-40gb",  EC_FW_pytorch_2,    EC_W_network, EC_K_CONV,   90, 0.7 },
    { "a100-sxm4-40gb", EC_FW_pytorch_2,    EC_W_gemm,    EC_K_STREAM, 9,  -0.3},
    { "l4",             EC_FW_tensorflow_1, EC_W_gemm,    EC_K_STREAM, 9,  0.4 }
};
static const struct ec_host_fit hosts[] = {
    {"lambdal-v100",  -0.2},
    { "timm-rtx3090", 0.35}
};
static const struct ec_fitted made = {
    .archs = archs,
    .n_archs = EC_LEN(archs),
    .products = products,
    .n_products = EC_LEN(products),
    .seen = seen,
    .n_seen = EC_LEN(seen),
    .hosts = hosts,
    .n_hosts = EC_LEN(hosts),
    .reference_launch = {[EC_FW_pytorch_2] = 0.25, [EC_FW_caffe] = -0.5},
};

/* A network that spends its arithmetic on one class of kernel. */
static struct ec_kernel kernel_of[] = {
    {.kclass = EC_K_CONV,    .mac = 100},
    { .kclass = EC_K_GEMM,   .mac = 100},
    { .kclass = EC_K_STREAM, .mac = 0  }
};
static const struct ec_step of_convs = { .n = 1, .kernel = &kernel_of[0] };
static const struct ec_step of_products = { .n = 1, .kernel = &kernel_of[1] };

static enum ec_basis basis(const char *device, enum ec_framework fw, enum ec_width_kind kind,
                           const struct ec_step *step)
{
    return ec_fitted_basis(&made, device, fw, kind, step);
}

TEST(measured_is_a_device_with_a_framework_and_a_kind_of_kernel)
{
    static const char a100[] = "a100-sxm4-40gb";

    CHECK_INT(basis(a100, EC_FW_pytorch_2, EC_W_network, &of_convs), EC_BASIS_MEASURED);
    CHECK_INT(basis(a100, EC_FW_tensorflow_1, EC_W_network, &of_convs), EC_BASIS_SPECIFICATION);
    CHECK_INT(basis(a100, EC_FW_pytorch_2, EC_W_network, &of_products), EC_BASIS_SPECIFICATION);
    CHECK_INT(basis("l4", EC_FW_pytorch_2, EC_W_network, &of_convs), EC_BASIS_SPECIFICATION);
    CHECK_INT(basis("h100-sxm5", EC_FW_pytorch_2, EC_W_network, &of_convs), EC_BASIS_SPECIFICATION);
    /* operators by what they are */
    CHECK_INT(basis(a100, EC_FW_pytorch_2, EC_W_gemm, &of_products), EC_BASIS_MEASURED);
    CHECK_INT(basis(a100, EC_FW_pytorch_2, EC_W_conv, &of_convs), EC_BASIS_SPECIFICATION);
    CHECK_INT(basis("l4", EC_FW_pytorch_2, EC_W_gemm, &of_products), EC_BASIS_SPECIFICATION);
    CHECK_INT(basis("l4", EC_FW_tensorflow_1, EC_W_gemm, &of_products), EC_BASIS_MEASURED);
}

TEST(nothing_is_measured_of_an_empty_fit)
{
    static const struct ec_fitted none;
    double offset[EC_DO_COUNT], launch = 1;
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_device_find("a100-sxm4-40gb", &d, &err));
    CHECK_INT(ec_fitted_basis(&none, d->key, EC_FW_pytorch_2, EC_W_network, &of_convs),
              EC_BASIS_SPECIFICATION);
    ec_fitted_offset(&none, d, EC_FW_pytorch_2, EC_W_network, offset);
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

static void offset_of(const char *device, enum ec_framework fw, enum ec_width_kind kind,
                      double ret[EC_DO_COUNT])
{
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };

    memset(ret, 0, sizeof *ret * EC_DO_COUNT);
    CHECK_OK(ec_device_find(device, &d, &err));
    if (d)
        ec_fitted_offset(&made, d, fw, kind, ret);
}

TEST(a_device_that_nobody_measured_is_as_its_architecture)
{
    double known[EC_DO_COUNT], other[EC_DO_COUNT], a30[EC_DO_COUNT], hopper[EC_DO_COUNT];

    offset_of("a100-sxm4-40gb", EC_FW_pytorch_2, EC_W_network, known);
    CHECK_NEAR(known[EC_DO_COMPUTE], 0.10 + 0.02, 1e-12);
    CHECK_NEAR(known[EC_DO_MEMORY], -0.05 + 0.01, 1e-12);
    offset_of("a100-pcie-80gb", EC_FW_pytorch_2, EC_W_network, other); /* another board of it */
    CHECK(other[EC_DO_COMPUTE] == known[EC_DO_COMPUTE]);
    CHECK(other[EC_DO_MEMORY] == known[EC_DO_MEMORY]);
    offset_of("a30", EC_FW_pytorch_2, EC_W_network, a30); /* another product of the architecture */
    CHECK_NEAR(a30[EC_DO_COMPUTE], 0.10, 1e-12);
    CHECK_NEAR(a30[EC_DO_MEMORY], -0.05, 1e-12);
    offset_of("h100-sxm5", EC_FW_pytorch_2, EC_W_network, hopper);
    CHECK(hopper[EC_DO_COMPUTE] == 0 && hopper[EC_DO_MEMORY] == 0);
}

TEST(networks_have_the_host_of_their_framework_whatever_the_device)
{
    static const char *const devices[] = { "a100-sxm4-40gb", "l4", "h100-sxm5", "t4" };
    double offset[EC_DO_COUNT];
    int i;

    for (i = 0; i < EC_LEN(devices); i++) {
        offset_of(devices[i], EC_FW_pytorch_2, EC_W_network, offset);
        CHECK(offset[EC_DO_LAUNCH] == 0.25);
        offset_of(devices[i], EC_FW_caffe, EC_W_network, offset);
        CHECK(offset[EC_DO_LAUNCH] == -0.5);
    }
}

TEST(operators_have_the_harness_they_were_measured_with)
{
    double offset[EC_DO_COUNT];

    offset_of("a100-sxm4-40gb", EC_FW_pytorch_2, EC_W_gemm, offset);
    CHECK(offset[EC_DO_LAUNCH] == -0.3);
    offset_of("l4", EC_FW_tensorflow_1, EC_W_gemm, offset);
    CHECK(offset[EC_DO_LAUNCH] == 0.4);
    offset_of("l4", EC_FW_pytorch_2, EC_W_gemm, offset); /* with another framework */
    CHECK(offset[EC_DO_LAUNCH] == 0);
    offset_of("a100-sxm4-40gb", EC_FW_pytorch_2, EC_W_conv, offset);
    CHECK(offset[EC_DO_LAUNCH] == 0);
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
    ec_fitted_offset(&bare, d, EC_FW_pytorch_2, EC_W_gemm, offset);
    for (i = 0; i < EC_DO_COUNT; i++)
        CHECK(offset[i] == 0);
    CHECK_INT(ec_fitted_sources(&bare, d->key), 0);
    CHECK_INT(ec_fitted_basis(&bare, d->key, EC_FW_pytorch_2, EC_W_gemm, &of_products),
              EC_BASIS_SPECIFICATION);
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
