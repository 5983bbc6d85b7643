/* Dense networks of `learn`, trained by programs: learn keeps rows, order and when to stop; a step
 * and a prediction are the engine's. */
#include "engine/program.h"

#include <stdio.h>
#include <string.h>

struct net {
    struct ec_ctx *ctx;
    struct ec_graph *g;
    struct ec_program *program;
    int n_layers, *width;
    int64_t batch, steps, largest; /* largest: weights of a layer */
    float *x, *y, *turned;
};

static enum ec_loss loss_of(int word)
{
    static const enum ec_loss losses[] = { EC_LOSS_mse, EC_LOSS_mae, EC_LOSS_huber };

    return losses[word];
}

static enum ec_status build(struct net *n, const struct ec_ann_shape *s, struct ec_err *err)
{
    struct ec_builder b = { .g = ec_graph_new("ann"), .err = err };
    int x, l;

    EC_PASS(ec_allocated(b.g, err));
    n->g = b.g;
    x = ec_b_input(&b, "x", EC_DT_f32, 2, s->batch, (int64_t)s->width[0]);
    for (l = 0; l < s->n_layers; l++) {
        x = ec_b1(&b, x, "linear n=%d name=l%d", s->width[l + 1], l);
        if (l + 1 < s->n_layers)
            x = ec_b1(&b, x, "%s", s->silu ? "silu" : "relu");
    }
    return b.st ? b.st : ec_graph_add_output(b.g, x, err);
}

static enum ec_status open_ctx(struct net *n, struct ec_err *err)
{
    struct ec_engine_opts o = { .backend = "cpu", .threads = 1 };
    struct ec_err ignored = { 0 };

    if (ec_engine_open(&o, &n->ctx, &ignored) == EC_OK)
        return EC_OK;
    o.backend = "ref";
    return ec_engine_open(&o, &n->ctx, err);
}

/* (rows x cols) to (cols x rows) */
static void turn(const float *a, int64_t rows, int64_t cols, float *ret)
{
    int64_t i, j;

    for (i = 0; i < rows; i++)
        for (j = 0; j < cols; j++)
            ret[j * rows + i] = a[i * cols + j];
}

/* One layer's weights and biases, to the program or from it; returns how many. */
static int64_t layer_elems(const struct net *n, int l)
{
    return (int64_t)(n->width[l] + 1) * n->width[l + 1];
}

static enum ec_status put_weights(struct net *n, const float *w, struct ec_err *err)
{
    char name[32];
    int l;

    for (l = 0; l < n->n_layers; l++) {
        int64_t in = n->width[l], out = n->width[l + 1];

        turn(w, in, out, n->turned);
        (void)snprintf(name, sizeof name, "l%d.weight", l);
        EC_PASS(ec_program_write(n->program, name, 'v', n->turned, in * out, err));
        (void)snprintf(name, sizeof name, "l%d.bias", l);
        EC_PASS(ec_program_write(n->program, name, 'v', w + in * out, out, err));
        w += layer_elems(n, l);
    }
    return EC_OK;
}

static enum ec_status net_weights(void *net, float *ret, struct ec_err *err)
{
    struct net *n = net;
    char name[32];
    int l;

    for (l = 0; l < n->n_layers; l++) {
        int64_t in = n->width[l], out = n->width[l + 1];

        (void)snprintf(name, sizeof name, "l%d.weight", l);
        EC_PASS(ec_program_read(n->program, name, 'v', n->turned, in * out, err));
        turn(n->turned, out, in, ret);
        (void)snprintf(name, sizeof name, "l%d.bias", l);
        EC_PASS(ec_program_read(n->program, name, 'v', ret + in * out, out, err));
        ret += layer_elems(n, l);
    }
    return EC_OK;
}

static void net_close(void *net)
{
    struct net *n = net;

    if (!n)
        return;
    ec_program_free(n->program);
    ec_graph_free(n->g);
    ec_engine_close(n->ctx);
    ec_free(n->width);
    ec_free(n->x);
    ec_free(n->y);
    ec_free(n->turned);
    ec_free(n);
}

static enum ec_status get_room(struct net *n, const struct ec_ann_shape *s, struct ec_err *err)
{
    int l;

    n->n_layers = s->n_layers;
    n->batch = s->batch;
    n->width = ec_alloc(sizeof *n->width * ((size_t)s->n_layers + 1));
    EC_PASS(ec_allocated(n->width, err));
    memcpy(n->width, s->width, sizeof *n->width * ((size_t)s->n_layers + 1));
    for (l = 0; l < s->n_layers; l++)
        if (layer_elems(n, l) > n->largest)
            n->largest = layer_elems(n, l);
    n->x = ec_alloc(sizeof *n->x * (size_t)(s->batch * s->width[0]));
    n->y = ec_alloc(sizeof *n->y * (size_t)s->batch);
    n->turned = ec_alloc(sizeof *n->turned * (size_t)n->largest);
    return ec_allocated(n->x && n->y && n->turned, err);
}

static enum ec_status net_open(const struct ec_ann_shape *shape, const float *weights, void **ret,
                               struct ec_err *err)
{
    struct net *n = ec_alloc(sizeof *n);
    const struct ec_program_opts o = {
        .cond = {.mode = EC_MODE_TRAINING_STEP, .optimizer = EC_OPT_adamw},
        .with_loss = true,
        .loss = loss_of(shape->loss),
        .huber_delta = 0.3,
    };
    enum ec_status st;

    EC_TRY(ec_allocated(n, err));
    EC_TRY(get_room(n, shape, err));
    EC_TRY(build(n, shape, err));
    EC_TRY(open_ctx(n, err));
    EC_TRY(ec_program_new(n->ctx, n->g, &o, &n->program, err));
    EC_TRY(put_weights(n, weights, err));
    *ret = n;
    n = NULL;
out:
    net_close(n);
    return st;
}

static enum ec_status net_step(void *net, const float *x, const float *y, double rate, double decay,
                               struct ec_err *err)
{
    struct net *n = net;
    struct ec_update u = ec_update_default(EC_OPT_adamw);

    u.lr = rate;
    u.weight_decay = decay;
    u.step = ++n->steps;
    EC_PASS(
        ec_program_set_input(n->program, 0, x, n->batch * n->width[0] * (int64_t)sizeof *x, err));
    EC_PASS(ec_program_set_target(n->program, y, n->batch * (int64_t)sizeof *y, err));
    return ec_program_step(n->program, &u, NULL, err);
}

static enum ec_status net_predict(void *net, const float *x, int rows, float *ret,
                                  struct ec_err *err)
{
    struct net *n = net;
    size_t cols = (size_t)n->width[0];

    memset(n->x, 0, sizeof *n->x * (size_t)n->batch * cols);
    memcpy(n->x, x, sizeof *n->x * (size_t)rows * cols);
    EC_PASS(ec_program_set_input(n->program, 0, n->x, n->batch * n->width[0] * (int64_t)sizeof *x,
                                 err));
    EC_PASS(ec_program_eval(n->program, NULL, err));
    EC_PASS(ec_program_output(n->program, 0, n->y, n->batch, err));
    memcpy(ret, n->y, sizeof *ret * (size_t)rows);
    return EC_OK;
}

const struct ec_ann_engine ec_ann_by_engine = {
    .open = net_open,
    .step = net_step,
    .predict = net_predict,
    .weights = net_weights,
    .close = net_close,
};
