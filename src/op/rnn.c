/* Recurrent layers, with PyTorch's parameters.
 *
 * Per layer, as cuDNN and oneDNN run it: the inputs of all steps meet their weights in one GEMM
 * (n*t rows), then t dependent steps multiply the state (n x h)(h x gates*h) and apply the gates.
 * Backward goes through the steps again with the transposed weight; the gradients of the weights
 * are GEMMs over all steps. */
#include "op/op_internal.h"

/* What distinguishes the cells. Arithmetic per state element and step, by this folder's convention
 * (a sigmoid is 4): lstm 4 sums, 3 sigmoids, 2 tanh, 4 to update; gru 3, 2, 1 and 5. `kept` counts
 * state-sized tensors that backward needs beside the output: gates, and the lstm's cell. */
struct cell {
    double gates, kept, flop_fwd, flop_bwd;
};

static const struct cell rnn_cell = { 1, 0, 2, 3 };
static const struct cell lstm_cell = { 4, 5, 22, 28 };
static const struct cell gru_cell = { 3, 4, 17, 24 };

static const struct cell *cell_of(const struct ec_case *c)
{
    if (ec_str_eq(c->op->name, "lstm"))
        return &lstm_cell;
    return ec_str_eq(c->op->name, "gru") ? &gru_cell : &rnn_cell;
}

static enum ec_status rnn_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct rnn_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;

    EC_PASS(ec__rank_is(c, 0, 3, 3, err));
    EC_PASS(ec__required(a->hidden, "hidden (features of the state)", err));
    y.d[2] = a->hidden * (a->bidir ? 2 : 1);
    EC_PASS(ec__set_out(c, 0, &y, c->in[0]->dtype, err));
    return ec__params_fit(c, err);
}

/* clang-format off */
#define ROLES(suffix) { "weight_ih_l" suffix, "weight_hh_l" suffix, \
                        "bias_ih_l" suffix, "bias_hh_l" suffix }
#define BOTH(layer) { ROLES(layer), ROLES(layer "_reverse") }
static const char *const roles[EC__RNN_LAYERS_MAX][2][4] = {
    BOTH("0"), BOTH("1"), BOTH("2"), BOTH("3"), BOTH("4"), BOTH("5"), BOTH("6"), BOTH("7"),
};
/* clang-format on */

static void rnn_params(const struct ec_case *c, struct ec_param_list *ret)
{
    const struct rnn_attrs *a = c->attrs;
    int dirs = a->bidir ? 2 : 1, layer, dir;
    int64_t in = c->in[0]->shape.d[2], rows = (int64_t)cell_of(c)->gates * a->hidden;

    for (layer = 0; layer < a->layers; layer++) {
        for (dir = 0; dir < dirs; dir++) {
            const char *const *role = roles[layer][dir];

            ec_param_add(ret, role[0], true, 2, rows, in);
            ec_param_add(ret, role[1], true, 2, rows, a->hidden);
            if (!a->bias)
                continue;
            ec_param_add(ret, role[2], true, 1, rows);
            ec_param_add(ret, role[3], true, 1, rows);
        }
        in = a->hidden * dirs;
    }
}

struct size {
    double batch, steps, rows; /* rows = batch * steps */
    double in, h, dirs, gates_h;
    double states; /* elements of all states of a layer: rows * h * dirs */
    const struct cell *cell;
    bool bias;
};

static struct size size_of(const struct ec_case *c, int layer)
{
    const struct rnn_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    struct size s = { 0 };

    s.cell = cell_of(c);
    s.batch = (double)x->d[0];
    s.steps = (double)x->d[1];
    s.rows = s.batch * s.steps;
    s.h = (double)a->hidden;
    s.dirs = a->bidir ? 2 : 1;
    s.in = layer ? s.h * s.dirs : (double)x->d[2];
    s.gates_h = s.cell->gates * s.h;
    s.states = s.rows * s.h * s.dirs;
    s.bias = a->bias;
    return s;
}

/* The dependent steps: a product of the state, then the gates. Two launches per step. */
static struct ec_kernel *add_steps(struct ec_work *w, enum ec_phase p, const struct size *s,
                                   double flop)
{
    struct ec_kernel *k = ec_work_add(w, EC_K_RNN, p);

    k->flags = EC_KF_MATRIX;
    k->b = s->dirs;
    k->m = s->batch;
    k->n = s->gates_h;
    k->k = s->h;
    k->serial = s->steps > 1 ? s->steps : 1;
    k->launches = 2 * k->serial;
    k->mac = s->dirs * s->rows * s->gates_h * s->h;
    k->flop = 2 * k->mac + flop * s->states;
    k->weight_elems = s->dirs * s->gates_h * s->h;
    return k;
}

static void layer_forward(const struct size *s, struct ec_work *w)
{
    double gates = s->states * s->cell->gates, biases = 2 * s->dirs * s->gates_h;
    struct ec_kernel *k = ec__gemm(w, EC_FORWARD, s->dirs, s->rows, s->gates_h, s->in);

    k->read_elems = s->rows * s->in;
    k->write_elems = gates;
    k->weight_elems = s->dirs * s->gates_h * s->in + (s->bias ? biases : 0);
    k->flop += s->bias ? gates : 0;
    k = add_steps(w, EC_FORWARD, s, s->cell->flop_fwd);
    k->read_elems = gates + s->states;
    k->write_elems = s->states * (1 + s->cell->kept);
}

/* The steps are needed by the weights' gradients too; dx of the first layer by the input's only. */
static void layer_grad_data(const struct size *s, int layer, struct ec_work *w)
{
    double gates = s->states * s->cell->gates;
    struct ec_kernel *k = add_steps(w, EC_GRAD_DATA, s, s->cell->flop_bwd);

    k->read_elems = s->states * (2 + s->cell->kept); /* dy, states, gates */
    k->write_elems = gates;
    k = ec__gemm(w, EC_GRAD_DATA, s->dirs, s->rows, s->in, s->gates_h);
    k->read_elems = gates;
    k->write_elems = s->rows * s->in;
    k->weight_elems = s->dirs * s->gates_h * s->in;
    k->for_input = layer == 0;
}

static void weight_grad(const struct size *s, double features, double reads, struct ec_work *w)
{
    struct ec_kernel *k = ec__gemm(w, EC_GRAD_WEIGHT, s->dirs, s->gates_h, features, s->rows);

    k->read_elems = reads + s->states * s->cell->gates;
    k->weight_elems = s->dirs * s->gates_h * features;
}

static void layer_grad_weight(const struct size *s, struct ec_work *w)
{
    weight_grad(s, s->in, s->rows * s->in, w);
    weight_grad(s, s->h, s->states, w);
    if (s->bias) /* both biases have the same gradient */
        ec__bias_grad(w, s->dirs * s->gates_h, s->rows)->weight_elems = 2 * s->dirs * s->gates_h;
}

static void rnn_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct rnn_attrs *a = c->attrs;
    int layer;

    for (layer = 0; layer < a->layers; layer++) {
        struct size s = size_of(c, layer);

        if (p == EC_FORWARD)
            layer_forward(&s, w);
        if (p == EC_GRAD_DATA)
            layer_grad_data(&s, layer, w);
        if (p == EC_GRAD_WEIGHT)
            layer_grad_weight(&s, w);
    }
}

/* Input and output, the outputs between layers, and each layer's gates. */
static void rnn_saved(const struct ec_case *c, struct ec_saved *ret)
{
    const struct rnn_attrs *a = c->attrs;
    struct size s = size_of(c, 0);
    double layers = (double)a->layers;

    ret->in_mask = 1;
    ret->out_mask = 1;
    ret->extra_elems = s.states * (layers - 1 + layers * s.cell->kept);
}

static void rnn_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    int64_t layers = ec__draw_chance(r, 70) ? 1 : ec_rng_range(r, 2, 3);
    int64_t n = ec__draw_log(r, 1, 256), t = ec__draw_log(r, 4, 256);
    int64_t c = ec__draw_width(r, 8, 1024), hidden = ec__draw_width(r, 8, 1024);
    bool bidir = ec__draw_chance(r, 35);

    ec_buf_printf(out, "%s n=%lld t=%lld c=%lld hidden=%lld layers=%lld bidir=%d", op->name,
                  (long long)n, (long long)t, (long long)c, (long long)hidden, (long long)layers,
                  bidir);
}

#define EC__OP_RNN(opname, text)                                                                   \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        EC__ATTRS(rnn, rnn_fields),                                                                \
        .inputs = "n t c",                                                                         \
        .shape = rnn_shape,                                                                        \
        .params = rnn_params,                                                                      \
        .work = rnn_work,                                                                          \
        .saved = rnn_saved,                                                                        \
        .sample = rnn_sample,                                                                      \
        .example = #opname " n=32 t=100 c=128 hidden=256 layers=2 bidir=1",                        \
    }

EC__OP_RNN(gru, "gated recurrent unit");
EC__OP_RNN(lstm, "long short-term memory");
EC__OP_RNN(rnn, "recurrent layer with tanh");
