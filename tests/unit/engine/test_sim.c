/* The fake device follows the law that sim.h states: every time here is computed a second time. */
#include "node.h"
#include "ref_cases.h"

#include "engine/sim/sim.h"
#include "hw/hw.h"

#define HOST_NS 4000 /* the defaults of sim.fields */
#define LAUNCH_NS 2000

static struct ec_ctx *sim(const char *text, uint64_t seed)
{
    struct ec_engine_opts opts = { .backend = "sim", .sim = text, .seed = seed };
    struct ec_err err = { 0 };
    struct ec_ctx *ctx = NULL;

    CHECK_OK(ec_engine_open(&opts, &ctx, &err));
    return ctx;
}

static double number(const char *device, const char *name)
{
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };
    struct ec_qty q = { 0 };

    CHECK_OK(ec_device_find(device, &d, &err));
    CHECK_OK(ec_device_number(d, name, &q, &err));
    return q.value;
}

/* Time of the device alone for a phase of a case, float32, without noise. */
static double device_ns(const struct ec_case *c, enum ec_phase p, const char *device)
{
    struct ec_work w = { 0 };
    double sum = 0;
    int i;

    c->op->work(c, p, &w);
    for (i = 0; i < w.n; i++) {
        const struct ec_kernel *k = &w.kernel[i];
        double bytes = 4 * (k->read_elems + k->write_elems + k->weight_elems) + k->fixed_bytes;

        sum += k->launches * LAUNCH_NS + 1e9 * fmax(k->flop / number(device, "fp32_flop_per_s"),
                                                    bytes / number(device, "memory_bytes_per_s"));
    }
    return sum;
}

/* Time from before `runs` forward runs to after the last, device and host in step. */
static double forward_ns(struct ec_ctx *ctx, const char *text, int runs)
{
    struct ec_err err = { 0 };
    struct node n;
    int64_t start, i;

    CHECK_OK(ec_engine_sync(ctx, &err));
    start = ec_engine_now_ns(ctx);
    if (node_open(&n, ctx, text, true))
        for (i = 0; i < runs; i++)
            CHECK_OK(node_forward(&n, &err));
    node_close(&n);
    CHECK_OK(ec_engine_sync(ctx, &err));
    return (double)(ec_engine_now_ns(ctx) - start);
}

static const char *const large = "conv2d n=8 c=64 h=28 w=28 k=64 r=3 pad=1";

TEST(a_large_kernel_takes_its_roofline)
{
    struct ec_ctx *ctx = sim("t4", 0);
    struct ec_owned_case c = { 0 };
    struct ec_err err = { 0 };
    struct node n;
    int64_t start;
    double want;

    CHECK_OK(ec_case_parse(large, &c, &err));
    want = HOST_NS + device_ns(&c.c, EC_FORWARD, "t4");
    CHECK(want > 50e3);
    CHECK_NEAR(forward_ns(ctx, large, 1), want, 1e-4);
    CHECK_NEAR(forward_ns(ctx, large, 5), HOST_NS + 5 * device_ns(&c.c, EC_FORWARD, "t4"), 1e-4);
    if (node_open(&n, ctx, large, true)) {
        CHECK_OK(ec_engine_sync(ctx, &err));
        start = ec_engine_now_ns(ctx);
        CHECK_OK(node_backward(&n, &err));
        want =
            HOST_NS + device_ns(&c.c, EC_GRAD_DATA, "t4") + device_ns(&c.c, EC_GRAD_WEIGHT, "t4");
        CHECK_NEAR((double)(ec_engine_now_ns(ctx) - start), want, 1e-4);
    }
    node_close(&n);
    ec_case_clear(&c);
    ec_engine_close(ctx);
}

/* Launches of a small kernel come slower than the device works them off: the host sets the pace. */
TEST(small_kernels_wait_for_the_host)
{
    struct ec_ctx *ctx = sim("t4", 0);
    struct ec_owned_case c = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_case_parse("relu x=64", &c, &err));
    CHECK_NEAR(forward_ns(ctx, "relu x=64", 100), 100 * HOST_NS + device_ns(&c.c, EC_FORWARD, "t4"),
               1e-5);
    ec_case_clear(&c);
    ec_engine_close(ctx);
    ctx = sim("t4,host_ns=100,launch_ns=7000", 0);
    CHECK_NEAR(forward_ns(ctx, "relu x=64", 100), 100 + 100 * 7000, 1e-3);
    ec_engine_close(ctx);
}

static double spread(const char *text, uint64_t seed, double ret_sample[101])
{
    struct ec_ctx *ctx = sim(text, seed);
    double sum = 0, sq = 0, base;
    int i;

    base = forward_ns(ctx, large, 1);
    for (i = 0; i < 101; i++) {
        double l;

        ret_sample[i] = forward_ns(ctx, large, 1);
        l = log(ret_sample[i] / base);
        sum += l;
        sq += l * l;
    }
    ec_engine_close(ctx);
    return sqrt(sq / 101 - sum / 101 * (sum / 101));
}

TEST(noise_is_log_normal_by_seed)
{
    double a[101], b[101], c[101];

    CHECK_NEAR(spread("t4", 1, a), 0, 1e-4);
    CHECK_NEAR(spread("t4,noise=0.1", 1, a), 0.1, 0.25);
    CHECK_NEAR(spread("t4,noise=0.1", 1, b), 0.1, 0.25);
    CHECK_NEAR(spread("t4,noise=0.1", 2, c), 0.1, 0.25);
    CHECK(memcmp(a, b, sizeof a) == 0);
    CHECK(memcmp(a, c, sizeof a) != 0);
}

TEST(it_drifts_and_throttles)
{
    struct ec_ctx *plain = sim("t4", 0), *drifts = sim("t4,drift_per_s=1000", 0);
    struct ec_ctx *throttles = sim("t4,throttle_at_s=0.001,throttle_frac=0.5", 0);
    double one = forward_ns(plain, large, 1) - HOST_NS, first, last;

    first = forward_ns(drifts, large, 1) - HOST_NS;
    CHECK_NEAR(first, one * (1 + 1000 * HOST_NS / 1e9), 1e-4);
    CHECK(forward_ns(drifts, large, 1) - HOST_NS > first * 1.02);
    CHECK_NEAR(forward_ns(throttles, large, 1) - HOST_NS, one, 1e-4);
    (void)forward_ns(throttles, large, 100);
    last = forward_ns(throttles, large, 1) - HOST_NS;
    CHECK_NEAR(last, 1.5 * one, 1e-4);
    ec_engine_close(plain);
    ec_engine_close(drifts);
    ec_engine_close(throttles);
}

TEST(gradients_of_unwanted_inputs_are_free)
{
    struct ec_ctx *ctx = sim("t4", 0);
    struct ec_err err = { 0 };
    struct node n;
    int64_t start;

    if (node_open(&n, ctx, "mul x=512x512 y=512x512", true)) {
        n.want_d_in[0] = n.want_d_in[1] = false;
        start = ec_engine_now_ns(ctx);
        CHECK_OK(node_backward(&n, &err));
        CHECK_INT(ec_engine_now_ns(ctx) - start, 0);
    }
    node_close(&n);
    ec_engine_close(ctx);
}

static struct ec_ctx *shared;

static void check_prepared(const char *text)
{
    struct ec_err err = { 0 };
    struct node n;
    int64_t start = ec_engine_now_ns(shared);

    if (node_open(&n, shared, text, true)) {
        CHECK_OK(node_forward(&n, &err));
        CHECK_OK(node_backward(&n, &err));
    }
    CHECK(ec_engine_now_ns(shared) >= start);
    node_close(&n);
}

TEST(every_operator_runs)
{
    shared = sim(NULL, 0);
    ref_each_case(check_prepared);
    check_prepared("opaque x=32x64 type=Custom shape=32x64");
    ec_engine_close(shared);
}

TEST(it_refuses_what_it_is_told_to)
{
    struct ec_ctx *ctx = sim("t4,unsupported=lstm+gru", 0);
    struct ec_err err = { 0 };
    struct node n;

    CHECK_FAILS(node_prepare(&n, ctx, "gru n=1 t=2 c=3 hidden=4", true, &err), EC_E_UNSUPPORTED,
                "sim is set to refuse gru");
    node_close(&n);
    CHECK_OK(node_prepare(&n, ctx, "rnn n=1 t=2 c=3 hidden=4", true, &err));
    node_close(&n);
    ec_engine_close(ctx);
}

static void check_not_opened(const char *text, enum ec_status want, const char *part)
{
    struct ec_engine_opts opts = { .backend = "sim", .sim = text };
    struct ec_err err = { 0 };
    struct ec_ctx *ctx = NULL;

    CHECK_FAILS(ec_engine_open(&opts, &ctx, &err), want, part);
}

TEST(options_are_checked)
{
    check_not_opened("no-such-device", EC_E_NOT_FOUND, "no-such-device");
    check_not_opened("t4,nois=1", EC_E_INPUT, "no option \"nois\"");
    check_not_opened("t4,noise=much", EC_E_INPUT, "noise");
    check_not_opened("t4,noise", EC_E_INPUT, "expected name=value");
    check_not_opened("noise=-1", EC_E_INPUT, "noise");
}

TEST(memory_is_counted_and_bounded)
{
    struct ec_ctx *ctx = sim("t4,memory_bytes=1e6", 0);
    struct ec_err err = { 0 };
    void *a = NULL, *b = NULL;
    char text[8] = "abc";

    CHECK_OK(ctx->backend->mem_alloc(ctx, 600000, &a, &err));
    CHECK_FAILS(ctx->backend->mem_alloc(ctx, 600000, &b, &err), EC_E_DEVICE_MEMORY, "device t4");
    CHECK_OK(ctx->backend->download(ctx, text, a, 3, &err));
    CHECK_STR(text, "");
    ctx->backend->mem_free(ctx, a);
    CHECK_OK(ctx->backend->mem_alloc(ctx, 600000, &b, &err));
    ec_engine_close(ctx);
}

/* --- Whole networks --- */

static struct ec_graph *network(const char *name, int64_t batch)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = batch };
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_graph_open(name, &opts, &g, &err));
    return g;
}

static const struct ec_program_opts training = {
    .cond = {.mode = EC_MODE_TRAINING_STEP, .optimizer = EC_OPT_momentum},
      .with_loss = true
};

TEST(a_step_is_as_long_as_its_tasks)
{
    struct ec_ctx *ctx = sim("t4,host_ns=0", 0);
    struct ec_graph *g = network("resnet18", 8);
    struct ec_update u = { .optimizer = EC_OPT_momentum, .lr = 0.1, .step = 1, .grad_scale = 1 };
    struct ec_err err = { 0 };
    struct ec_program *p = NULL;
    int64_t start, whole, sum = 0, *ns;
    int i;

    CHECK_OK(ec_program_new(ctx, g, &training, &p, &err));
    CHECK_OK(ec_program_init(p, 1, &err));
    CHECK_OK(ec_program_fill(p, 1, &err));
    CHECK_OK(ec_engine_sync(ctx, &err));
    start = ec_engine_now_ns(ctx);
    CHECK_OK(ec_program_step(p, &u, NULL, &err));
    CHECK_OK(ec_engine_sync(ctx, &err));
    whole = ec_engine_now_ns(ctx) - start;
    ns = ec_alloc(sizeof *ns * (size_t)ec_program_tasks(p));
    CHECK_OK(ec_program_step_timed(p, &u, ns, &err));
    for (i = 0; i < ec_program_tasks(p); i++)
        sum += ns[i];
    CHECK(whole > 1000000);
    CHECK_NEAR((double)sum, (double)whole, 1e-3);
    ec_free(ns);
    ec_program_free(p);
    ec_graph_free(g);
    ec_engine_close(ctx);
}

TEST(a_network_too_large_is_refused_when_compiled)
{
    struct ec_ctx *ctx = sim("t4", 0);
    struct ec_graph *g = network("resnet50", 4096);
    struct ec_err err = { 0 };
    struct ec_program *p = NULL;

    CHECK_FAILS(ec_program_new(ctx, g, &training, &p, &err), EC_E_DEVICE_MEMORY, "device t4");
    ec_program_free(p);
    ec_graph_free(g);
    g = network("resnet50", 32);
    CHECK_OK(ec_program_new(ctx, g, &training, &p, &err));
    ec_program_free(p);
    ec_graph_free(g);
    ec_engine_close(ctx);
}

TEST(larger_batches_and_better_devices_do_what_they_should)
{
    static const char *const devices[] = { "t4", "v100-sxm2-16gb" };
    double t[2][2];
    int i, j;

    for (i = 0; i < 2; i++)
        for (j = 0; j < 2; j++) {
            struct ec_ctx *ctx = sim(devices[i], 0);
            struct ec_graph *g = network("resnet18", j ? 32 : 16);
            struct ec_err err = { 0 };
            struct ec_program *p = NULL;
            int64_t start;

            CHECK_OK(ec_program_new(ctx, g, &training, &p, &err));
            start = ec_engine_now_ns(ctx);
            CHECK_OK(ec_program_step(p, NULL, NULL, &err));
            t[i][j] = (double)(ec_engine_now_ns(ctx) - start);
            ec_program_free(p);
            ec_graph_free(g);
            ec_engine_close(ctx);
        }
    CHECK(t[0][1] > 1.7 * t[0][0] && t[0][1] < 2.05 * t[0][0]);
    CHECK(t[1][1] < t[0][1] / 1.5);
}

/* --- Memory --- */

static enum ec_status open_and_compile(struct ec_err *err)
{
    struct ec_engine_opts opts = { .backend = "sim", .sim = "t4,noise=0.1,unsupported=gru" };
    struct ec_graph_opts gopts = { .struct_size = sizeof gopts, .batch = 2 };
    struct ec_graph *g = NULL;
    struct ec_ctx *ctx = NULL;
    struct ec_program *p = NULL;
    enum ec_status st;

    EC_TRY(ec_engine_open(&opts, &ctx, err));
    EC_TRY(ec_graph_open("lenet5", &gopts, &g, err));
    EC_TRY(ec_program_new(ctx, g, &training, &p, err));
    EC_TRY(ec_program_step(p, NULL, NULL, err));
out:
    ec_program_free(p);
    ec_graph_free(g);
    ec_engine_close(ctx);
    return st;
}

TEST(each_allocation_fails_once)
{
    CHECK_TORTURE(open_and_compile);
}
