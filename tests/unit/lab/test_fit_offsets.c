/* What a fit says of architectures, products and hosts, and what it leaves to corrections. */
#include "lab/fit_internal.h"
#include "test.h"

#define SOURCES 4

/* One architecture, one product, one device, a host for each source. */
struct world {
    struct ec_fit f;
    const struct ec_device *device[1];
    int product_of[1], arch_of[1], product_arch[1], product_sources[1], arch_sources[1];
    bool arch_is_own[1];
    struct ec_fit_host host[SOURCES];
    double x[EC_THETA_COUNT + EC_FRAMEWORK_COUNT * EC_FWT_COUNT + 2 + SOURCES];
};

/* Where the offsets begin in x: of the product, then the hosts. */
enum { AT_OFFSETS = EC_THETA_COUNT + EC_FRAMEWORK_COUNT * EC_FWT_COUNT, AT_HOSTS = AT_OFFSETS + 2 };

static void make(struct world *w, int n_sources)
{
    struct ec_err err = { 0 };
    int i;

    memset(w, 0, sizeof *w);
    CHECK_OK(ec_device_find("a100-sxm4-40gb", &w->device[0], &err));
    w->f.device = w->device;
    w->f.n_devices = w->f.n_archs = w->f.n_products = 1;
    w->f.product_of = w->product_of;
    w->f.arch_of = w->arch_of;
    w->f.product_arch = w->product_arch;
    w->f.product_sources = w->product_sources;
    w->f.arch_sources = w->arch_sources;
    w->f.arch_is_own = w->arch_is_own;
    w->product_sources[0] = w->arch_sources[0] = n_sources;
    w->f.host = w->host;
    w->f.n_hosts = w->f.n_sources = n_sources;
    for (i = 0; i < n_sources; i++)
        w->host[i] = (struct ec_fit_host){ .source = i, .n_networks = 9 };
    for (i = 0; i < n_sources; i++)
        w->host[i].framework = EC_FW_pytorch_2;
    CHECK_INT(ec__fit_params(&w->f), AT_HOSTS + n_sources);
}

/* What a user is told of arithmetic when the rows of the product say x. */
static void told(struct world *w, double x, double *ret_arch, double *ret_product)
{
    double of[2];

    w->x[AT_OFFSETS] = x;
    ec__fit_arch_offset(&w->f, w->x, 0, of);
    *ret_arch = of[0];
    ec__fit_product_offset(&w->f, w->x, 0, of);
    *ret_product = of[0];
    CHECK(of[1] == 0);
}

TEST(offsets_are_drawn_to_none_the_more_the_fewer_sources)
{
    static struct world one, four;
    double arch = 0, product = 0;

    make(&one, 1);
    make(&four, 4);
    told(&one, 0.04, &arch, &product);
    CHECK_NEAR(arch, 0.02, 1e-9);
    CHECK_NEAR(product, 0.01, 1e-9);
    told(&four, 0.04, &arch, &product);
    CHECK_NEAR(arch, 0.032, 1e-9);
    CHECK_NEAR(product, 0.0064, 1e-9);
}

TEST(offsets_are_bounded_but_those_of_processors)
{
    static struct world w;
    double arch = 0, product = 0;

    make(&w, 4);
    told(&w, 3, &arch, &product);
    CHECK_NEAR(arch, 0.2, 1e-9);
    CHECK_NEAR(product, 0.05, 1e-9);
    told(&w, -3, &arch, &product);
    CHECK_NEAR(arch, -0.2, 1e-9);
    CHECK_NEAR(product, -0.05, 1e-9);
    w.arch_is_own[0] = true;
    told(&w, 1.5, &arch, &product);
    CHECK_NEAR(arch, 1.5, 1e-9);
    CHECK(product == 0);
}

TEST(the_reference_host_is_the_median_over_sources)
{
    static struct world w;

    make(&w, 3);
    w.x[AT_HOSTS] = -0.3;
    w.x[AT_HOSTS + 1] = 0.2;
    w.x[AT_HOSTS + 2] = 3;
    CHECK_NEAR(ec__fit_reference_host(&w.f, w.x, EC_FW_pytorch_2), 0.2 * 3 / 3.25, 1e-9);
    CHECK(ec__fit_reference_host(&w.f, w.x, EC_FW_caffe) == 0); /* nobody measured with it */
    w.f.source[2].unsteady = true; /* its host changed its speed: it says nothing */
    CHECK_NEAR(ec__fit_reference_host(&w.f, w.x, EC_FW_pytorch_2), -0.05 * 2 / 2.25, 1e-9);
    w.host[1].n_networks = 0; /* operators have harnesses, not hosts */
    CHECK_NEAR(ec__fit_reference_host(&w.f, w.x, EC_FW_pytorch_2), -0.3 / 1.25, 1e-9);
}

/* A network of one product, forward and backward, fed by a host that takes so long. */
static struct ec_fit_row row_of(struct ec_kernel k[2], struct ec_step *step, double side)
{
    struct ec_fit_row r = { .step = step,
                            .width = EC_W_network,
                            .cond.framework = EC_FW_pytorch_2 };
    int i;

    for (i = 0; i < 2; i++) {
        k[i] = (struct ec_kernel){ .kclass = EC_K_GEMM, .b = 1, .m = side, .n = side, .k = side };
        k[i].phase = i ? EC_GRAD_WEIGHT : EC_FORWARD;
        k[i].mac = side * side * side;
        k[i].flop = 2 * k[i].mac;
        k[i].read_elems = k[i].write_elems = side * side;
        k[i].launches = 1;
    }
    *step = (struct ec_step){ .n = 2, .kernel = k };
    return r;
}

TEST(rows_are_asked_with_the_reference_host_and_learnt_with_their_own)
{
    static struct world w;
    struct ec_kernel k[2];
    struct ec_step step;
    struct ec_fit_row r = row_of(k, &step, 256);
    struct ec_constants c;
    struct ec_rates own, asked;

    make(&w, 3);
    w.x[AT_HOSTS] = -0.3;
    w.x[AT_HOSTS + 1] = 0.2;
    w.x[AT_HOSTS + 2] = 3;
    r.host = 2;
    CHECK(ec__fit_rates(&w.f, w.x, &r, EC_FIT_AS_NAMED, &c, &own));
    CHECK(ec__fit_rates(&w.f, w.x, &r, EC_FIT_AS_ASKED, &c, &asked));
    CHECK_NEAR(own.launch_factor, exp(3), 1e-9);
    CHECK_NEAR(asked.launch_factor, exp(0.2 * 3 / 3.25), 1e-9);
    r.width = EC_W_gemm; /* of an operator its harness is its own */
    r.isolated = true;
    CHECK(ec__fit_rates(&w.f, w.x, &r, EC_FIT_AS_ASKED, &c, &asked));
    CHECK_NEAR(asked.launch_factor, exp(3), 1e-9);
}
