/* Whole networks: each of the zoo compiles and steps on sim, small ones learn on ref, and float
 * stays close to double. */
#include "test.h"

#include "engine/engine.h"

#include <stdlib.h>

static struct ec_ctx *backend(const char *name, const char *sim)
{
    struct ec_engine_opts opts = { .backend = name, .sim = sim, .seed = 3 };
    struct ec_err err = { 0 };
    struct ec_ctx *ctx = NULL;

    CHECK_OK(ec_engine_open(&opts, &ctx, &err));
    return ctx;
}

static struct ec_graph *network(const char *name, const struct ec_graph_opts *opts)
{
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_graph_open(name, opts, &g, &err));
    return g;
}

static const struct ec_program_opts training = {
    .cond = {.mode = EC_MODE_TRAINING_STEP, .optimizer = EC_OPT_momentum},
      .with_loss = true
};

/* Bounds are generous: nothing is held, the device's memory is. */
TEST(every_network_of_the_zoo_steps_on_sim)
{
    struct ec_ctx *ctx = backend("sim", "h100-sxm5-80gb,memory_bytes=1e18");
    int n, i;
    const char *const *names = ec_zoo_names(&n);

    for (i = 0; i < n; i++) {
        struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = 2 };
        struct ec_graph *g = network(names[i], &opts);
        struct ec_err err = { 0 };
        struct ec_program *p = NULL;
        enum ec_status st = ec_program_new(ctx, g, &training, &p, &err);

        if (!st)
            st = ec_program_step(p, NULL, NULL, &err);
        if (st == EC_E_NOMEM && getenv("EC_TEST_VALGRIND")) /* few addresses are left there */
            (void)printf("skipped %s: %s\n", names[i], err.text);
        else if (st)
            test_fail(__FILE__, __LINE__, "%s: %s", names[i], err.text);
        ec_program_free(p);
        ec_graph_free(g);
    }
    ec_engine_close(ctx);
}

/* Losses of a few steps on the same random batch. */
static void losses(const char *backend_name, const char *net, int64_t image, int steps,
                   double *ret_loss)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = 4, .image_px = image };
    struct ec_update u = {
        .optimizer = EC_OPT_momentum, .lr = 0.01, .momentum = 0.9, .grad_scale = 1
    };
    struct ec_ctx *ctx = backend(backend_name, NULL);
    struct ec_graph *g = network(net, &opts);
    struct ec_step_result r = { 0 };
    struct ec_err err = { 0 };
    struct ec_program *p = NULL;
    int i;

    CHECK_OK(ec_program_new(ctx, g, &training, &p, &err));
    if (p) {
        CHECK_OK(ec_program_init(p, 5, &err));
        CHECK_OK(ec_program_fill(p, 6, &err));
    }
    for (i = 0; p && i < steps; i++) {
        u.step = i + 1;
        CHECK_OK(ec_program_step(p, &u, &r, &err));
        ret_loss[i] = r.loss;
    }
    ec_program_free(p);
    ec_graph_free(g);
    ec_engine_close(ctx);
}

#define CLOSE 1e-4

/* A network learns a batch by heart, and double says the same at first. */
static void check_learns(const char *net, int64_t image, int steps, double share, int compared)
{
    double f32[200] = { 0 }, f64[200] = { 0 };
    int i;

    losses("ref", net, image, steps, f32);
    losses("ref64", net, image, compared, f64);
    for (i = 0; i < compared; i++)
        if (fabs(f32[i] - f64[i]) > CLOSE * fabs(f64[i]))
            test_fail(__FILE__, __LINE__, "%s: loss %.9g of step %d in float, %.9g in double", net,
                      f32[i], i, f64[i]);
    if (!(f32[steps - 1] < share * f32[0]))
        test_fail(__FILE__, __LINE__, "%s: loss went from %g to %g in %d steps", net, f32[0],
                  f32[steps - 1], steps);
}

TEST(small_networks_learn_a_batch)
{
    check_learns("lenet5", 0, 60, 0.5, 5);
    check_learns("mnist_cnn", 0, 30, 0.7, 5);
}

/* Normalisation over four samples amplifies rounding: after a few steps the two part. */
TEST(residual_blocks_and_norms_learn)
{
    check_learns("resnet18", 32, 6, 0.9, 2);
}
