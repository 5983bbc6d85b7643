/* What the program compiler does, on a toy backend: gradients, sharing of memory, fusing, formats.
 */
#include "builder.h"
#include "toy.h"

static struct ec_ctx toy_ctx = { .backend = &toy_backend, .threads = 1, .seed = 5 };
static struct ec_ctx toy_ctx_bwd = { .backend = &toy_backend_bwd, .threads = 1, .seed = 5 };

/* Residual blocks, a product, a free parameter that is added and one that multiplies, a view, a
 * fallback: each way for a gradient to branch. */
static struct ec_graph *branching(struct ec_err *err)
{
    struct ec_builder b = { .g = ec_graph_new("branching"), .err = err };
    int x, y, z, skip, scale;

    x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)4, (int64_t)6);
    skip = x = ec_b1(&b, x, "linear n=8 name=stem");
    x = ec_b1(&b, x, "relu");
    x = ec_b1(&b, x, "linear n=8 name=a");
    x = ec_b1(&b, x, "sigmoid");
    x = b2(&b, x, skip, "add");
    y = ec_b1(&b, x, "linear n=8 name=b");
    y = ec_b1(&b, y, "relu");
    z = ec_b1(&b, x, "linear n=8 name=c");
    z = b2(&b, z, y, "mul");
    scale = b_param(&b, "scale", 2, 4, 8);
    z = b2(&b, z, scale, "mul");
    scale = b_param(&b, "shift", 2, 4, 8);
    z = b2(&b, z, scale, "add");
    x = b2(&b, z, x, "add");
    x = b2(&b, x, x, "add");
    x = ec_b1(&b, x, "flatten");
    x = ec_b1(&b, x, "linear n=3 name=head");
    if (!b.st)
        b.st = ec_graph_add_output(b.g, x, err);
    if (b.st) {
        ec_graph_free(b.g);
        return NULL;
    }
    return b.g;
}

static struct ec_program_opts train_opts(void)
{
    return (struct ec_program_opts){
        .cond = {.mode = EC_MODE_TRAINING_STEP, .optimizer = EC_OPT_sgd},
        .with_loss = true,
        .loss = EC_LOSS_cross_entropy,
        .label_smoothing = 0.1,
    };
}

static struct ec_update sgd(double lr)
{
    return (struct ec_update){ .optimizer = EC_OPT_sgd, .lr = lr, .step = 1, .grad_scale = 1 };
}

static const char *const params[] = { "stem.weight", "stem.bias", "a.weight", "b.weight",
                                      "b.bias",      "c.weight",  "scale",    "shift",
                                      "head.weight", "head.bias" };

static int64_t elems_of(const struct ec_graph *g, const char *name)
{
    int i;

    for (i = 0; i < g->n_values; i++)
        if (!strcmp(g->values[i]->name, name))
            return (int64_t)ec_type_elems(&g->values[i]->type);
    return 0;
}

/* The loss with one weight moved by d. */
static double moved_loss(struct ec_program *p, const char *name, int at, float d, int64_t n)
{
    struct ec_err err = { 0 };
    struct ec_step_result r = { 0 };
    float w[256], old;

    CHECK_OK(ec_program_read(p, name, 'v', w, n, &err));
    old = w[at];
    w[at] += d;
    CHECK_OK(ec_program_write(p, name, 'v', w, n, &err));
    CHECK_OK(ec_program_eval(p, &r, &err));
    w[at] = old;
    CHECK_OK(ec_program_write(p, name, 'v', w, n, &err));
    return r.loss;
}

TEST(gradients_agree_with_finite_differences)
{
    struct ec_err err = { 0 };
    struct ec_graph *g = branching(&err);
    struct ec_program_opts o = train_opts();
    struct ec_program *p = NULL;
    float d[256];
    int i, at;

    CHECK_OK(ec_program_new(&toy_ctx, g, &o, &p, &err));
    CHECK_OK(ec_program_fill(p, 3, &err));
    CHECK_OK(ec_program_step(p, NULL, NULL, &err));
    for (i = 0; i < EC_LEN(params); i++) {
        int64_t n = elems_of(g, params[i]);

        CHECK_OK(ec_program_read(p, params[i], 'g', d, n, &err));
        for (at = 0; at < 3 && at < n; at++) {
            float h = 1.0F / 1024;
            double up = moved_loss(p, params[i], at, h, n);
            double down = moved_loss(p, params[i], at, -h, n);

            CHECK_NEAR(1 + (up - down) / (2 * (double)h), 1 + (double)d[at], 2e-6);
        }
    }
    ec_program_free(p);
    ec_graph_free(g);
}

/* Three steps; the loss of each and the weights after them as one digest. */
static void three_steps(struct ec_ctx *ctx, const struct ec_program_opts *o, char *digest,
                        struct ec_program_memory *m)
{
    struct ec_err err = { 0 };
    struct ec_graph *g = branching(&err);
    struct ec_update u = sgd(0.1);
    struct ec_buf all = EC_BUF_INIT;
    struct ec_program *p = NULL;
    int i;

    CHECK_OK(ec_program_new(ctx, g, o, &p, &err));
    CHECK_OK(ec_program_fill(p, 3, &err));
    for (i = 0; i < 3; i++) {
        struct ec_step_result r = { 0 };

        CHECK_OK(ec_program_step(p, &u, &r, &err));
        ec_buf_printf(&all, "%.17g %lld\n", r.loss, (long long)r.correct);
    }
    for (i = 0; i < EC_LEN(params); i++) {
        int64_t n = elems_of(g, params[i]), j;
        float w[256];

        CHECK_OK(ec_program_read(p, params[i], 'v', w, n, &err));
        for (j = 0; j < n; j++)
            ec_buf_printf(&all, "%a ", (double)w[j]);
    }
    ec_sha256(all.data, all.len, digest);
    if (m)
        ec_program_memory(p, m);
    ec_buf_clear(&all);
    ec_program_free(p);
    ec_graph_free(g);
}

TEST(sharing_fusing_and_formats_change_no_bit)
{
    char want[EC_SHA256_TEXT_BYTES], got[EC_SHA256_TEXT_BYTES];
    struct ec_program_opts o = train_opts();
    struct ec_program_memory shared, kept;
    int variant;

    three_steps(&toy_ctx, &o, want, &shared);
    for (variant = 0; variant < 12; variant++) {
        o.keep_all = variant & 1;
        o.no_fuse = variant & 2;
        toy_mirror = variant >= 4 && variant < 8;
        if (variant >= 8 && toy_mirror)
            continue;
        three_steps(variant < 8 ? &toy_ctx : &toy_ctx_bwd, &o, got, &kept);
        CHECK_STR(got, want);
        if (o.keep_all)
            CHECK(kept.arena > shared.arena * 3 / 2);
    }
    toy_mirror = 0;
}

TEST(every_prepared_kernel_is_dropped)
{
    CHECK_INT(toy_dropped, toy_prepared);
}

TEST(ledger_adds_up)
{
    char digest[EC_SHA256_TEXT_BYTES];
    struct ec_program_opts o = train_opts();
    struct ec_program_memory m;

    o.cond.optimizer = EC_OPT_adam;
    three_steps(&toy_ctx, &o, digest, &m);
    CHECK_INT(m.total, m.weights + m.buffers + m.gradients + m.optimizer + m.arena + m.io);
    CHECK_INT(m.gradients, m.weights);
    CHECK_INT(m.optimizer, 2 * m.weights);
    CHECK(m.arena < m.values + m.value_gradients + m.workspace + m.scratch);
    CHECK_INT(m.buffers, 0);
}

/* A million images need more than any machine has; its tasks and its memory are known all the same.
 */
TEST(a_program_that_never_runs_takes_no_memory)
{
    struct ec_graph_opts images = { .struct_size = sizeof images, .batch = 1000000 };
    struct ec_engine_opts engine = { .backend = "ref" };
    struct ec_program_opts o = train_opts();
    struct ec_program_memory m;
    struct ec_program *p = NULL;
    struct ec_graph *g = NULL;
    struct ec_ctx *ctx = NULL;
    struct ec_err err;

    o.compile_only = true;
    CHECK_OK(ec_engine_open(&engine, &ctx, &err));
    CHECK_OK(ec_graph_open("vgg16", &images, &g, &err));
    CHECK_OK(ec_program_new(ctx, g, &o, &p, &err));
    ec_program_memory(p, &m);
    CHECK(m.total > (int64_t)10 << 40);
    CHECK(ec_program_tasks(p) > 50);
    ec_program_free(p);
    ec_graph_free(g);
    ec_engine_close(ctx);
}

/* One weight, two readers; the loss of a sum. */
static struct ec_graph *tied(struct ec_err *err)
{
    struct ec_builder b = { .g = ec_graph_new("tied"), .err = err };
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)3, (int64_t)5);
    int first;

    x = ec_b1(&b, x, "linear n=5 bias=0 name=one");
    first = ec_b_last(&b)->param[0];
    x = ec_b1(&b, x, "sigmoid");
    x = ec_b1(&b, x, "linear n=5 bias=0 name=two");
    CHECK(ec_graph_tie(b.g, ec_b_last(&b), 0, first, err) == EC_OK);
    CHECK(ec_graph_add_output(b.g, x, err) == EC_OK);
    return b.g;
}

TEST(shared_weights_add_their_gradients)
{
    struct ec_err err = { 0 };
    struct ec_graph *g = tied(&err);
    struct ec_program_opts o = train_opts();
    struct ec_program *p = NULL;
    float d[25];
    int at;

    o.loss = EC_LOSS_mse;
    toy_mirror = 1;
    CHECK_OK(ec_program_new(&toy_ctx, g, &o, &p, &err));
    CHECK_OK(ec_program_fill(p, 3, &err));
    CHECK_OK(ec_program_step(p, NULL, NULL, &err));
    CHECK_OK(ec_program_read(p, "one.weight", 'g', d, 25, &err));
    for (at = 0; at < 25; at += 6) {
        double up = moved_loss(p, "one.weight", at, 1.0F / 1024, 25);
        double down = moved_loss(p, "one.weight", at, -1.0F / 1024, 25);

        CHECK_NEAR((up - down) * 512, (double)d[at], 1e-4);
    }
    CHECK_FAILS(ec_program_read(p, "two.weight", 'v', d, 25, &err), EC_E_NOT_FOUND, "two.weight");
    toy_mirror = 0;
    ec_program_free(p);
    ec_graph_free(g);
}

TEST(frozen_weights_stay_and_cost_no_gradient)
{
    struct ec_err err = { 0 };
    struct ec_graph *g = branching(&err);
    struct ec_program_opts o = train_opts();
    struct ec_update u = sgd(0.1);
    struct ec_program *p = NULL;
    float before[64], after[64];
    struct ec_program_memory m;
    int i;

    for (i = 0; i < g->n_values; i++)
        if (ec_str_starts(g->values[i]->name, "stem.") || ec_str_starts(g->values[i]->name, "a."))
            g->values[i]->trainable = g->values[i]->requires_grad = false;
    CHECK_OK(ec_program_new(&toy_ctx, g, &o, &p, &err));
    CHECK_OK(ec_program_fill(p, 3, &err));
    CHECK_OK(ec_program_read(p, "a.weight", 'v', before, 64, &err));
    CHECK_OK(ec_program_step(p, &u, NULL, &err));
    CHECK_OK(ec_program_read(p, "a.weight", 'v', after, 64, &err));
    CHECK(!memcmp(before, after, sizeof before));
    CHECK_FAILS(ec_program_read(p, "a.weight", 'g', after, 64, &err), EC_E_NOT_FOUND, "gradient");
    ec_program_memory(p, &m);
    CHECK(m.gradients < m.weights);
    for (i = 0; i < ec_program_tasks(p); i++)
        if (!strcmp(ec_program_task(p, i).name, "stem"))
            CHECK_INT(ec_program_task(p, i).phase, EC_FORWARD);
    ec_program_free(p);
    ec_graph_free(g);
}

struct seen {
    float *next;
    int64_t n;
    int calls;
};

static enum ec_status on_grads(void *user, float *grad, int64_t n, struct ec_err *err)
{
    struct seen *s = user;

    (void)grad;
    (void)err;
    s->n += n;
    s->calls++;
    return EC_OK;
}

TEST(gradients_are_told_only_where_they_are_float32)
{
    struct ec_err err = { 0 };
    struct ec_graph *g = branching(&err);
    struct ec_program_opts o = train_opts();
    struct ec_program *p = NULL;
    struct seen s = { 0 };

    CHECK_OK(ec_program_new(&toy_ctx, g, &o, &p, &err));
    CHECK_OK(ec_program_fill(p, 3, &err));
    ec_program_on_grads(p, on_grads, &s);
    CHECK_FAILS(ec_program_step(p, NULL, NULL, &err), EC_E_UNSUPPORTED, "not float32");
    ec_program_free(p);
    ec_graph_free(g);
}

/* Two half batches that add up are one whole; here the same batch twice at half the scale. */
TEST(accumulated_gradients_add_up)
{
    struct ec_err err = { 0 };
    struct ec_graph *g = branching(&err);
    struct ec_program_opts o = train_opts();
    struct ec_update u = sgd(0.1);
    struct ec_program *p = NULL, *q = NULL;
    float a[64], b[64];
    double norm = 0, norm2 = 0;
    int i;

    CHECK_OK(ec_program_new(&toy_ctx, g, &o, &p, &err));
    o.accumulate = true;
    CHECK_OK(ec_program_new(&toy_ctx, g, &o, &q, &err));
    CHECK_OK(ec_program_fill(p, 3, &err));
    CHECK_OK(ec_program_fill(q, 3, &err));
    CHECK_OK(ec_program_step(p, &u, NULL, &err));
    CHECK_OK(ec_program_grad_norm(p, &norm, &err));
    ec_program_set_loss_scale(q, 0.5);
    CHECK_OK(ec_program_step(q, NULL, NULL, &err));
    CHECK_OK(ec_program_step(q, NULL, NULL, &err));
    CHECK_OK(ec_program_grad_norm(q, &norm2, &err));
    CHECK_NEAR(norm2, norm, 1e-12);
    CHECK_OK(ec_program_update(q, &u, &err));
    CHECK_OK(ec_program_read(p, "a.weight", 'v', a, 64, &err));
    CHECK_OK(ec_program_read(q, "a.weight", 'v', b, 64, &err));
    for (i = 0; i < 64; i++)
        CHECK_NEAR((double)b[i], (double)a[i], 1e-6);
    CHECK_OK(ec_program_grad_norm(q, &norm, &err));
    CHECK_NEAR(norm, 0, 0);
    ec_program_free(p);
    ec_program_free(q);
    ec_graph_free(g);
}

TEST(evaluation_runs_layers_as_they_infer)
{
    struct ec_err err = { 0 };
    struct ec_builder b = { .g = ec_graph_new("drop"), .err = &err };
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)2, (int64_t)2);
    const float in[4] = { 1, 2, 3, 4 };
    struct ec_program_opts o = train_opts();
    struct ec_program *p = NULL;
    float y[4], d[4], w[4] = { 1, 0, 0, 1 };

    x = ec_b1(&b, x, "linear n=2 bias=0 name=l");
    x = ec_b1(&b, x, "dropout");
    CHECK_OK(ec_graph_add_output(b.g, x, &err));
    CHECK_OK(ec_program_new(&toy_ctx, b.g, &o, &p, &err));
    CHECK_OK(ec_program_fill(p, 1, &err));
    CHECK_OK(ec_program_write(p, "l.weight", 'v', w, 4, &err));
    CHECK_OK(ec_program_set_input(p, 0, in, sizeof in, &err));
    CHECK_OK(ec_program_step(p, NULL, NULL, &err));
    CHECK_OK(ec_program_output(p, 0, y, 4, &err));
    CHECK_NEAR((double)y[3], 2, 0);
    CHECK_OK(ec_program_eval(p, NULL, &err));
    CHECK_OK(ec_program_output(p, 0, y, 4, &err));
    CHECK_NEAR((double)y[3], 4, 0);
    CHECK_OK(ec_program_read(p, "l.weight", 'g', d, 4, &err));
    ec_program_free(p);
    ec_graph_free(b.g);
}

TEST(gradients_of_inputs_and_from_outside)
{
    struct ec_err err = { 0 };
    struct ec_builder b = { .g = ec_graph_new("layer"), .err = &err };
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)1, (int64_t)2);
    const float in[2] = { 1, 2 }, given[1] = { 3 }, w[2] = { 5, 7 };
    struct ec_program_opts o = { .cond.mode = EC_MODE_FORWARD_BACKWARD, .input_grad = true };
    struct ec_program *p = NULL;
    float d[2];

    x = ec_b1(&b, x, "linear n=1 bias=0 name=l");
    CHECK_OK(ec_graph_add_output(b.g, x, &err));
    CHECK_OK(ec_program_new(&toy_ctx, b.g, &o, &p, &err));
    CHECK_OK(ec_program_set_input(p, 0, in, sizeof in, &err));
    CHECK_OK(ec_program_set_d_out(p, 0, given, sizeof given, &err));
    CHECK_OK(ec_program_write(p, "l.weight", 'v', w, 2, &err));
    CHECK_OK(ec_program_step(p, NULL, NULL, &err));
    CHECK_OK(ec_program_read(p, "x", 'g', d, 2, &err));
    CHECK_NEAR((double)d[0], 15, 0);
    CHECK_NEAR((double)d[1], 21, 0);
    CHECK_OK(ec_program_read(p, "l.weight", 'g', d, 2, &err));
    CHECK_NEAR((double)d[1], 6, 0);
    CHECK_FAILS(ec_program_set_input(p, 0, in, 4, &err), EC_E_INPUT, "4 bytes given, 8 expected");
    CHECK_FAILS(ec_program_set_target(p, in, 4, &err), EC_E_INPUT, "without a loss");
    ec_program_free(p);
    ec_graph_free(b.g);
}

TEST(an_operator_or_an_optimizer_that_it_has_not_is_named)
{
    struct ec_err err = { 0 };
    struct ec_builder b = { .g = ec_graph_new("odd"), .err = &err };
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)2, (int64_t)2);
    struct ec_program_opts o = { .cond.mode = EC_MODE_FORWARD };
    struct ec_program *p = NULL;

    x = ec_b1(&b, x, "tanh name=odd");
    CHECK_OK(ec_graph_add_output(b.g, x, &err));
    CHECK_FAILS(ec_program_new(&toy_ctx, b.g, &o, &p, &err), EC_E_UNSUPPORTED,
                "tanh \"odd\": backend ref64 has no kernel for tanh x=2x2");
    o.cond = (struct ec_conditions){ .mode = EC_MODE_TRAINING_STEP, .optimizer = EC_OPT_lion };
    CHECK_FAILS(ec_program_new(&toy_ctx, b.g, &o, &p, &err), EC_E_UNSUPPORTED,
                "the engine does not train with lion");
    CHECK(p == NULL);
    ec_graph_free(b.g);
}

static struct ec_graph *torture_graph;

static enum ec_status make_and_step(struct ec_err *err)
{
    struct ec_program_opts o = train_opts();
    struct ec_update u = sgd(0.1);
    struct ec_program *p = NULL;
    enum ec_status st;

    EC_TRY(ec_program_new(&toy_ctx, torture_graph, &o, &p, err));
    EC_TRY(ec_program_fill(p, 1, err));
    EC_TRY(ec_program_step(p, &u, NULL, err));
    EC_TRY(ec_program_eval(p, NULL, err));
out:
    ec_program_free(p);
    return st;
}

TEST(every_failing_allocation_is_survived)
{
    struct ec_err err = { 0 };

    torture_graph = branching(&err);
    toy_mirror = 1;
    CHECK_TORTURE(make_and_step);
    toy_mirror = 0;
    CHECK_TORTURE(make_and_step);
    ec_graph_free(torture_graph);
    CHECK_INT(toy_dropped, toy_prepared);
}
