/* Recurrent layers with PyTorch's parameters: x (n, t, c) -> y (n, t, h * directions).
 *
 * All inputs of a layer meet their weights in one product; then each step adds its state's. Gates
 * are kept as they leave their functions: lstm i f g o and the cell, gru r z n and what the reset
 * gate multiplies (W_hn h + b_hn), rnn its output alone. Backward walks the steps from the end,
 * making the gradients of the gates before their functions: `gx` as the input's product sees them,
 * `gh` as the state's does (they differ for gru's n alone). */
#include "engine/ref/ref_internal.h"

#include <math.h>
#include <string.h>

enum cell { RNN, LSTM, GRU };

struct rnn {
    enum cell cell;
    int64_t n, t, h, dirs, layers, gates; /* gates: rows of a weight over h */
    int64_t in;                           /* features of the first layer */
    bool bias;
};

/* Workspace and scratch of one direction of one layer; sizes in elements. */
struct sizes {
    int64_t gates; /* n t gates h */
    int64_t state; /* n t h: lstm's cell, gru's candidate */
};

static struct rnn rnn_of(const struct ec_case *c)
{
    const struct ec_shape *x = &c->in[0]->shape;
    struct rnn r = { RNN, x->d[0], x->d[1], ec_case_int(c, "hidden"), 1, 1, 1, x->d[2], false };

    r.cell = ec_str_eq(c->op->name, "lstm") ? LSTM : ec_str_eq(c->op->name, "gru") ? GRU : RNN;
    r.gates = r.cell == LSTM ? 4 : r.cell == GRU ? 3 : 1;
    r.dirs = ec_case_int(c, "bidir") ? 2 : 1;
    r.layers = ec_case_int(c, "layers");
    r.bias = ec_case_int(c, "bias");
    return r;
}

static struct sizes sizes_of(const struct rnn *r)
{
    struct sizes s = { r->n * r->t * r->gates * r->h, r->n * r->t * r->h };

    return s;
}

/* One direction of one layer, with everything it reads and writes. */
struct direction {
    const struct rnn *r;
    bool reverse;
    int64_t in;           /* features of the layer's input */
    const real *x;        /* (n, t, in) */
    real *y;              /* (n, t, ldy), this direction's h columns */
    int64_t ldy;          /* h * dirs */
    const real *w[4];     /* weight_ih, weight_hh, bias_ih, bias_hh */
    real *dw[4];          /* NULL: not wanted */
    real *gates, *state;  /* workspace */
    const real *dy;       /* backward: (n, t, ldy) */
    real *dx;             /* (n, t, in), added to */
    real *gx, *gh;        /* scratch: gradients of the gates, (n, t, gates h) */
    real *zero, *dh, *dc; /* scratch: (n, h) */
    real *hh;             /* scratch: (n, gates h) */
};

/* Step s of the walk is time s, or t - 1 - s backwards; its state comes from step s - 1. */
static int64_t time_of(const struct direction *d, int64_t s)
{
    return d->reverse ? d->r->t - 1 - s : s;
}

/* States before step s: matrix (n, h). */
static struct ec__ref_mat state_before(const struct direction *d, int64_t s)
{
    const struct rnn *r = d->r;

    if (s == 0)
        return (struct ec__ref_mat){ d->zero, r->h, 1 };
    return (struct ec__ref_mat){ d->y + time_of(d, s - 1) * d->ldy, r->t * d->ldy, 1 };
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* One step of sample i: a holds the gates before their functions, hh what the state adds. */
static void step_forward(const struct direction *d, int64_t i, int64_t s)
{
    const struct rnn *r = d->r;
    int64_t h = r->h, time = time_of(d, s), row = i * r->t + time, before, j;
    real *a = d->gates + row * r->gates * h, *y = d->y + row * d->ldy;
    const real *hh = d->hh + i * r->gates * h;

    before = s ? i * r->t + time_of(d, s - 1) : 0;
    for (j = 0; j < h; j++) {
        double prev = s ? (double)d->y[before * d->ldy + j] : 0;

        if (r->cell == LSTM) {
            double in = sigmoid((double)(a[j] + hh[j]));
            double forget = sigmoid((double)(a[h + j] + hh[h + j]));
            double g = tanh((double)(a[2 * h + j] + hh[2 * h + j]));
            double out = sigmoid((double)(a[3 * h + j] + hh[3 * h + j]));
            double c = in * g + (s ? forget * (double)d->state[before * h + j] : 0);

            a[j] = (real)in;
            a[h + j] = (real)forget;
            a[2 * h + j] = (real)g;
            a[3 * h + j] = (real)out;
            d->state[row * h + j] = (real)c;
            y[j] = (real)(out * tanh(c));
        } else if (r->cell == GRU) {
            double reset = sigmoid((double)(a[j] + hh[j]));
            double z = sigmoid((double)(a[h + j] + hh[h + j]));
            double n = tanh((double)a[2 * h + j] + reset * (double)hh[2 * h + j]);

            a[j] = (real)reset;
            a[h + j] = (real)z;
            a[2 * h + j] = (real)n;
            d->state[row * h + j] = hh[2 * h + j];
            y[j] = (real)((1 - z) * n + z * prev);
        } else {
            y[j] = (real)tanh((double)(a[j] + hh[j]));
        }
    }
}

static void direction_forward(struct ec_ctx *ctx, const struct direction *d)
{
    const struct rnn *r = d->r;
    int64_t gh = r->gates * r->h, rows = r->n * r->t, s, i;

    ec__ref_gemm(ctx, rows, gh, d->in, ec__ref_mat(d->x, d->in, 1), ec__ref_mat(d->w[0], 1, d->in),
                 ec__ref_set(d->gates, gh));
    if (r->bias)
        ec__ref_add_row(d->gates, rows, gh, gh, d->w[2]);
    for (s = 0; s < r->t; s++) {
        ec__ref_gemm(ctx, r->n, gh, r->h, state_before(d, s), ec__ref_mat(d->w[1], 1, r->h),
                     ec__ref_set(d->hh, gh));
        if (r->bias)
            ec__ref_add_row(d->hh, r->n, gh, gh, d->w[3]);
        for (i = 0; i < r->n; i++)
            step_forward(d, i, s);
    }
}

static void lstm_backward(const struct direction *d, int64_t i, int64_t s)
{
    const struct rnn *r = d->r;
    int64_t h = r->h, row = i * r->t + time_of(d, s), j;
    int64_t before = s ? i * r->t + time_of(d, s - 1) : 0;
    const real *a = d->gates + row * 4 * h;
    real *g = d->gx + row * 4 * h, *dh = d->dh + i * h, *dc = d->dc + i * h;

    for (j = 0; j < h; j++) {
        double in = (double)a[j], forget = (double)a[h + j], cand = (double)a[2 * h + j];
        double out = (double)a[3 * h + j], tc = tanh((double)d->state[row * h + j]);
        double prev = s ? (double)d->state[before * h + j] : 0;
        double dy = (double)dh[j] + (double)d->dy[row * d->ldy + j];
        double c = (double)dc[j] + dy * out * (1 - tc * tc);

        g[j] = (real)(c * cand * in * (1 - in));
        g[h + j] = (real)(c * prev * forget * (1 - forget));
        g[2 * h + j] = (real)(c * in * (1 - cand * cand));
        g[3 * h + j] = (real)(dy * tc * out * (1 - out));
        dc[j] = (real)(c * forget);
        dh[j] = 0;
    }
}

/* dh keeps the part of the old state that passes the update gate. */
static void gru_backward(const struct direction *d, int64_t i, int64_t s)
{
    const struct rnn *r = d->r;
    int64_t h = r->h, row = i * r->t + time_of(d, s), j;
    int64_t before = s ? i * r->t + time_of(d, s - 1) : 0;
    const real *a = d->gates + row * 3 * h;
    real *gx = d->gx + row * 3 * h, *gh = d->gh + row * 3 * h, *dh = d->dh + i * h;

    for (j = 0; j < h; j++) {
        double reset = (double)a[j], z = (double)a[h + j], n = (double)a[2 * h + j];
        double hn = (double)d->state[row * h + j];
        double prev = s ? (double)d->y[before * d->ldy + j] : 0;
        double dy = (double)dh[j] + (double)d->dy[row * d->ldy + j];
        double dn = dy * (1 - z) * (1 - n * n);

        gx[j] = gh[j] = (real)(dn * hn * reset * (1 - reset));
        gx[h + j] = gh[h + j] = (real)(dy * (prev - n) * z * (1 - z));
        gx[2 * h + j] = (real)dn;
        gh[2 * h + j] = (real)(dn * reset);
        dh[j] = (real)(dy * z);
    }
}

static void rnn_backward(const struct direction *d, int64_t i, int64_t s)
{
    int64_t h = d->r->h, row = i * d->r->t + time_of(d, s), j;

    for (j = 0; j < h; j++) {
        double y = (double)d->y[row * d->ldy + j];
        double dy = (double)d->dh[i * h + j] + (double)d->dy[row * d->ldy + j];

        d->gx[row * h + j] = (real)(dy * (1 - y * y));
        d->dh[i * h + j] = 0;
    }
}

/* The gradients of the gates at time(s): matrix (n, gates h). */
static struct ec__ref_mat at_step(const struct direction *d, const real *g, int64_t s)
{
    int64_t gh = d->r->gates * d->r->h;

    return (struct ec__ref_mat){ g + time_of(d, s) * gh, d->r->t * gh, 1 };
}

static void steps_backward(struct ec_ctx *ctx, const struct direction *d)
{
    const struct rnn *r = d->r;
    int64_t gh = r->gates * r->h, s, i;

    memset(d->dh, 0, sizeof(real) * (size_t)(r->n * r->h));
    memset(d->dc, 0, sizeof(real) * (size_t)(r->n * r->h));
    for (s = r->t - 1; s >= 0; s--) {
        for (i = 0; i < r->n; i++)
            (r->cell == LSTM  ? lstm_backward
             : r->cell == GRU ? gru_backward
                              : rnn_backward)(d, i, s);
        ec__ref_gemm(ctx, r->n, r->h, gh, at_step(d, d->gh, s), ec__ref_mat(d->w[1], r->h, 1),
                     ec__ref_add(d->dh, r->h));
    }
}

static void weights_backward(struct ec_ctx *ctx, const struct direction *d)
{
    const struct rnn *r = d->r;
    int64_t gh = r->gates * r->h, rows = r->n * r->t, s;

    if (d->dw[0]) {
        ec__ref_gemm(ctx, gh, d->in, rows, ec__ref_mat(d->gx, 1, gh), ec__ref_mat(d->x, d->in, 1),
                     ec__ref_set(d->dw[0], d->in));
    }
    for (s = 0; d->dw[1] && s < r->t; s++) {
        struct ec__ref_mat a = at_step(d, d->gh, s);

        ec__ref_gemm(ctx, gh, r->h, r->n, ec__ref_mat(a.p, a.col, a.row), state_before(d, s),
                     (struct ec__ref_out){ d->dw[1], r->h, s > 0 });
    }
    if (r->bias && d->dw[2])
        ec__ref_column_sums(d->gx, rows, gh, gh, d->dw[2]);
    if (r->bias && d->dw[3])
        ec__ref_column_sums(d->gh, rows, gh, gh, d->dw[3]);
}

static void direction_backward(struct ec_ctx *ctx, const struct direction *d)
{
    const struct rnn *r = d->r;
    int64_t gh = r->gates * r->h, rows = r->n * r->t;

    steps_backward(ctx, d);
    weights_backward(ctx, d);
    if (d->dx)
        ec__ref_gemm(ctx, rows, d->in, gh, ec__ref_mat(d->gx, gh, 1),
                     ec__ref_mat(d->w[0], d->in, 1), ec__ref_add(d->dx, d->in));
}

/* --- All layers ---
 * Workspace: per layer and direction gates and state, then the outputs between layers.
 * Scratch: gx, gh, the gradients of two layers' outputs, then the small ones. */

static int64_t ws_elems(const struct rnn *r)
{
    struct sizes s = sizes_of(r);

    return r->layers * r->dirs * (s.gates + s.state) + (r->layers - 1) * s.state * r->dirs;
}

static int64_t scratch_elems(const struct rnn *r)
{
    struct sizes s = sizes_of(r);

    return 2 * s.gates + 2 * s.state * r->dirs + r->n * r->h * (3 + r->gates);
}

static bool rnn_prepare(struct ec_knode *k)
{
    struct rnn r = rnn_of(k->c);

    k->ws_bytes = ws_elems(&r) * (int64_t)sizeof(real);
    k->scratch_bytes = scratch_elems(&r) * (int64_t)sizeof(real);
    return true;
}

/* Output of a layer: the operator's, or one of those between. */
static real *layer_out(const struct rnn *r, const struct ec_kargs *a, int64_t layer)
{
    struct sizes s = sizes_of(r);
    real *between = (real *)a->ws + r->layers * r->dirs * (s.gates + s.state);

    return layer == r->layers - 1 ? a->out[0] : between + layer * s.state * r->dirs;
}

static void set_scratch(struct direction *d, real *p)
{
    const struct rnn *r = d->r;
    struct sizes s = sizes_of(r);

    d->gx = p;
    d->gh = r->cell == GRU ? p + s.gates : p;
    p += 2 * s.gates + 2 * s.state * r->dirs;
    d->zero = p;
    memset(d->zero, 0, sizeof(real) * (size_t)(r->n * r->h));
    d->dh = p + r->n * r->h;
    d->dc = p + 2 * r->n * r->h;
    d->hh = p + 3 * r->n * r->h;
}

static void set_params(struct direction *d, const struct ec_kargs *a, int64_t layer, int64_t dir,
                       bool back)
{
    int64_t each = d->r->bias ? 4 : 2, first = (layer * d->r->dirs + dir) * each, i;

    for (i = 0; i < each; i++) {
        d->w[i] = a->param[first + i];
        d->dw[i] = back ? a->d_param[first + i] : NULL;
    }
}

static struct direction direction_of(const struct rnn *r, const struct ec_kargs *a, int64_t layer,
                                     int64_t dir, bool back)
{
    struct sizes s = sizes_of(r);
    struct direction d = { .r = r, .reverse = dir == 1 };

    d.in = layer ? r->h * r->dirs : r->in;
    d.x = layer ? layer_out(r, a, layer - 1) : a->in[0];
    d.ldy = r->h * r->dirs;
    d.y = layer_out(r, a, layer) + dir * r->h;
    d.gates = (real *)a->ws + (layer * r->dirs + dir) * (s.gates + s.state);
    d.state = d.gates + s.gates;
    set_scratch(&d, a->scratch);
    set_params(&d, a, layer, dir, back);
    return d;
}

static void backward(struct ec_ctx *ctx, const struct rnn *r, const struct ec_kargs *a)
{
    struct sizes s = sizes_of(r);
    real *between[2];
    int64_t layer, dir;

    between[0] = (real *)a->scratch + 2 * s.gates;
    between[1] = between[0] + s.state * r->dirs;
    for (layer = r->layers - 1; layer >= 0; layer--) {
        const real *dy = layer == r->layers - 1 ? a->d_out[0] : between[(layer + 1) % 2];
        real *dx = layer ? between[layer % 2] : a->d_in[0];
        int64_t in = layer ? r->h * r->dirs : r->in;

        if (dx)
            memset(dx, 0, sizeof *dx * (size_t)(r->n * r->t * in));
        for (dir = 0; dir < r->dirs; dir++) {
            struct direction d = direction_of(r, a, layer, dir, true);

            d.dy = dy + dir * r->h;
            d.dx = dx;
            direction_backward(ctx, &d);
        }
    }
}

static enum ec_status rnn_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct rnn r = rnn_of(call->c);
    int64_t layer, dir;

    for (layer = 0; call->phase == EC_FORWARD && layer < r.layers; layer++)
        for (dir = 0; dir < r.dirs; dir++) {
            struct direction d = direction_of(&r, a, layer, dir, false);

            direction_forward(call->ctx, &d);
        }
    if (call->phase == EC_GRAD_DATA)
        backward(call->ctx, &r, a);
    return EC_OK;
}

EC__REF_KERNEL(gru, .keeps_in = 1, .keeps_out = 1, .prepare = rnn_prepare, .run = rnn_run)
EC__REF_KERNEL(lstm, .keeps_in = 1, .keeps_out = 1, .prepare = rnn_prepare, .run = rnn_run)
EC__REF_KERNEL(rnn, .keeps_in = 1, .keeps_out = 1, .prepare = rnn_prepare, .run = rnn_run)
