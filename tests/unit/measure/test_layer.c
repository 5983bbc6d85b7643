/* What a lone layer with an activation runs, against ref64: the losses of steps that train layer,
 * input and target, so that a wrong gradient shows in the next step. */
#include "test.h"

#include "measure/measure.h"

#define STEPS 4
#define CLOSE 1e-4

static struct ec_ctx *open_backend(const char *name)
{
    struct ec_engine_opts opts = { .backend = name, .threads = 1, .seed = 1 };
    struct ec_ctx *ctx = NULL;
    struct ec_err err = { 0 };

    if (ec_engine_open(&opts, &ctx, &err))
        printf("skipped: %s\n", err.text);
    return ctx;
}

static void losses(struct ec_ctx *ctx, const char *what, const char *activation, bool no_fuse,
                   double ret[STEPS])
{
    static const struct ec_program_opts isolated = { .cond = { .optimizer = EC_OPT_sgd },
                                                     .with_loss = true,
                                                     .loss = EC_LOSS_mse,
                                                     .input_grad = true };
    struct ec_program_opts opts = isolated;
    struct ec_case then = { .n_in = 1 };
    struct ec_case_graph shape = {
        .copies = 1, .train_inputs = true, .train_target = true, .then = &then
    };
    struct ec_update u = ec_update_default(EC_OPT_sgd);
    struct ec_step_result r = { 0 };
    struct ec_owned_case c = { 0 };
    struct ec_program *p = NULL;
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    void *attrs = NULL;
    int i;

    opts.no_fuse = no_fuse;
    u.lr = 50; /* gradients of a mean are small */
    CHECK_OK(ec_case_parse(what, &c, &err));
    CHECK_OK(ec_activation_named(activation, &then.op, &err));
    CHECK_OK(ec_attrs_parse(then.op, ec_span_of(""), &c.arena, &attrs, &err));
    then.attrs = attrs;
    CHECK_OK(ec_graph_of_case(&c.c, &shape, &g, &err));
    CHECK_OK(ec_program_new(ctx, g, &opts, &p, &err));
    CHECK_OK(ec_program_init(p, 5, &err));
    CHECK_OK(ec_program_fill(p, 6, &err));
    for (i = 0; i < STEPS; i++) {
        u.step = i + 1;
        CHECK_OK(ec_program_step(p, &u, &r, &err));
        ret[i] = r.loss;
    }
    ec_program_free(p);
    ec_graph_free(g);
    ec_case_clear(&c);
}

static void compare(const char *what, const char *activation, const double *a, const double *b)
{
    int i;

    for (i = 0; i < STEPS; i++)
        if (!(fabs(a[i] - b[i]) <= CLOSE * fabs(b[i])))
            test_fail(__FILE__, __LINE__, "%s %s: loss %.9g of step %d, expected %.9g", what,
                      activation, a[i], i, b[i]);
    if (!(fabs(b[STEPS - 1] - b[0]) > 10 * CLOSE * b[0]))
        test_fail(__FILE__, __LINE__, "%s %s: the loss stays %.9g", what, activation, b[0]);
}

TEST(a_layer_and_its_activation_learn_as_in_double)
{
    static const char *const layers[] = { "conv2d n=2 c=3 h=8 w=8 k=16 r=3 pad=1",
                                          "conv2d n=2 c=16 h=8 w=8 k=16 groups=16 r=3 pad=1",
                                          "linear m=8 k=16 n=32", "batch_norm x=4x16x4x4",
                                          "relu x=4x32" };
    static const char *const activations[] = { "relu", "tanh", "sigmoid", "gelu", "leaky_relu" };
    struct ec_ctx *cpu = open_backend("cpu"), *ref = open_backend("ref64");
    double own[STEPS] = { 0 }, apart[STEPS] = { 0 }, want[STEPS] = { 0 };
    int i, k;

    for (i = 0; cpu && i < EC_LEN(layers); i++)
        for (k = 0; k < EC_LEN(activations); k++) {
            losses(ref, layers[i], activations[k], false, want);
            losses(cpu, layers[i], activations[k], false, own);
            losses(cpu, layers[i], activations[k], true, apart);
            compare(layers[i], activations[k], own, want);
            compare(layers[i], activations[k], apart, want);
        }
    ec_engine_close(cpu);
    ec_engine_close(ref);
}
