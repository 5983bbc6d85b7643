/* Long short-term memory and gated recurrent units with PyTorch's parameters and order of gates.
 *
 * Per layer and direction the inputs of all steps meet their weight in one product; then each step
 * multiplies the state with its weight, held in the library's layout, and goes through the gates.
 * Backward walks the steps the other way; gradients of the weights are one product each over all
 * steps. All of it is float32 inside: lower precision is converted at both ends. */
#include "engine/cpu/dense.h"
#include "engine/cpu/rows.h"

#include <string.h>

#define LAYERS_MAX 8

/* A walk over the steps of one layer and direction. Tensors are (n, t, width), width and offset of
 * the states in y being those of both directions. */
struct walk {
    bool gru, reverse;
    int64_t n, t, h, gates; /* gates: 4 h or 3 h */
    int64_t y_width, y_at;
    struct ec__prim *step; /* (n, h) (h, gates), backward (n, gates) (gates, h) */
};

static int64_t time_of(const struct walk *w, int64_t s)
{
    return w->reverse ? w->t - 1 - s : s;
}

/* --- Forward: places x_gates, h_gates (gru: kept; lstm: scratch of one step), c, tanh_c, y,
 * weight, bias, packed state, scratchpad */
enum { F_GATES, F_H_GATES, F_C, F_TANH, F_Y, F_W, F_BIAS, F_STATE, F_PAD };

struct step_job {
    const struct ec__cpu *cpu;
    const struct walk *w;
    void *const *at;
    int64_t s; /* step */
};

/* Sample n of a (n, t, width) tensor at step s. */
static float *row(const struct walk *w, void *base, int64_t n, int64_t s, int64_t width)
{
    return (float *)base + (n * w->t + time_of(w, s)) * width;
}

static void cells(const void *data, int64_t begin, int64_t end)
{
    const struct step_job *j = data;
    const struct walk *w = j->w;
    const struct ec__loops *l = j->cpu->loops;
    int64_t i;

    for (i = begin; i < end; i++) {
        float *g = row(w, j->at[F_GATES], i, j->s, w->gates);
        float *hg = (float *)j->at[F_H_GATES] + i * w->gates;
        float *y = row(w, j->at[F_Y], i, j->s, w->y_width) + w->y_at;
        float *state = (float *)j->at[F_STATE] + i * w->h;

        if (w->gru) {
            float *kept = row(w, j->at[F_C], i, j->s, w->gates);

            l->gru_cell(g, hg, state, y, w->h);
            memcpy(kept, hg, (size_t)w->gates * sizeof *kept);
        } else {
            float *before = j->s ? row(w, j->at[F_C], i, j->s - 1, w->h) : NULL;

            l->add_to(g, hg, w->gates);
            l->lstm_cell(g, before, row(w, j->at[F_C], i, j->s, w->h),
                         row(w, j->at[F_TANH], i, j->s, w->h), y, w->h);
        }
        memcpy(state, y, (size_t)w->h * sizeof *y);
    }
}

/* The first state is 0: its product is the bias alone, but is computed like any other. */
static enum ec_status forward(const struct ec__run *r)
{
    const struct walk *w = r->data;
    void *args[] = { r->at[F_STATE], r->at[F_W], r->at[F_H_GATES], r->at[F_BIAS], r->at[F_PAD] };
    struct step_job j = { r->cpu, w, r->at, 0 };
    int n = 3;

    if (r->at[F_BIAS])
        n++;
    else
        args[n] = r->at[F_PAD];
    memset(r->at[F_STATE], 0, (size_t)(w->n * w->h) * sizeof(float));
    for (j.s = 0; j.s < w->t; j.s++) {
        EC_PASS(ec__prim_run(r->cpu->lib, w->step, args, r->err));
        ec__threads_run(r->cpu, w->n, 1, cells, &j);
    }
    return EC_OK;
}

/* --- Backward: places gates, h_gates (gru), c, tanh_c, y, dy, d_gates, d_h_gates (gru), weight,
 * packed d_gates of a step, dh from the next step, dc or what passes straight, scratchpad */
enum { B_GATES, B_H_GATES, B_C, B_TANH, B_Y, B_DY, B_DG, B_DHG, B_W, B_STEP, B_DH, B_PASS, B_PAD };

static void lstm_back(const struct step_job *j, int64_t i, float *dh)
{
    const struct walk *w = j->w;
    float *before = j->s ? row(w, j->at[B_C], i, j->s - 1, w->h) : NULL;
    float *dg = row(w, j->at[B_DG], i, j->s, w->gates);

    memcpy(dg, row(w, j->at[B_GATES], i, j->s, w->gates), (size_t)w->gates * sizeof *dg);
    j->cpu->loops->lstm_cell_bwd(dg, before, row(w, j->at[B_TANH], i, j->s, w->h), dh,
                                 (float *)j->at[B_PASS] + i * w->h, w->h);
    memcpy((float *)j->at[B_STEP] + i * w->gates, dg, (size_t)w->gates * sizeof *dg);
}

static void gru_back(const struct step_job *j, int64_t i, float *dh)
{
    const struct walk *w = j->w;
    float *before = j->s ? row(w, j->at[B_Y], i, j->s - 1, w->y_width) + w->y_at : NULL;
    float *dg = row(w, j->at[B_DG], i, j->s, w->gates);
    float *dhg = row(w, j->at[B_DHG], i, j->s, w->gates);

    memcpy(dg, row(w, j->at[B_GATES], i, j->s, w->gates), (size_t)w->gates * sizeof *dg);
    memcpy(dhg, row(w, j->at[B_C], i, j->s, w->gates), (size_t)w->gates * sizeof *dg);
    j->cpu->loops->gru_cell_bwd(dg, dhg, before, dh, (float *)j->at[B_PASS] + i * w->h, w->h);
    memcpy((float *)j->at[B_STEP] + i * w->gates, dhg, (size_t)w->gates * sizeof *dg);
}

static void cells_back(const void *data, int64_t begin, int64_t end)
{
    const struct step_job *j = data;
    const struct walk *w = j->w;
    int64_t i;

    for (i = begin; i < end; i++) {
        float *dh = (float *)j->at[B_DH] + i * w->h;

        if (w->gru && j->s < w->t - 1)
            j->cpu->loops->add_to(dh, (float *)j->at[B_PASS] + i * w->h, w->h);
        j->cpu->loops->add_to(dh, row(w, j->at[B_DY], i, j->s, w->y_width) + w->y_at, w->h);
        if (w->gru)
            gru_back(j, i, dh);
        else
            lstm_back(j, i, dh);
    }
}

static enum ec_status backward(const struct ec__run *r)
{
    const struct walk *w = r->data;
    void *args[] = { r->at[B_STEP], r->at[B_W], r->at[B_DH], r->at[B_PAD] };
    struct step_job j = { r->cpu, w, r->at, 0 };

    memset(r->at[B_DH], 0, (size_t)(w->n * w->h) * sizeof(float));
    memset(r->at[B_PASS], 0, (size_t)(w->n * w->h) * sizeof(float));
    for (j.s = w->t - 1; j.s >= 0; j.s--) {
        ec__threads_run(r->cpu, w->n, 1, cells_back, &j);
        EC_PASS(ec__prim_run(r->cpu->lib, w->step, args, r->err));
    }
    return EC_OK;
}

/* to (n, t, h) = the state before each step, out of y. */
static enum ec_status states_before(const struct ec__run *r)
{
    const struct walk *w = r->data;
    size_t bytes = (size_t)w->h * sizeof(float);
    int64_t i, s;

    for (i = 0; i < w->n; i++)
        for (s = 0; s < w->t; s++)
            if (s)
                memcpy(row(w, r->at[1], i, s, w->h),
                       row(w, r->at[0], i, s - 1, w->y_width) + w->y_at, bytes);
            else
                memset(row(w, r->at[1], i, s, w->h), 0, bytes);
    return EC_OK;
}

/* --- Calls --- */

struct cell {
    struct ec__dense in, state; /* weights of input and state */
    struct walk w;
    struct ec__place gates, c, tanh_c; /* gru: c is the state's part of the gates */
};

struct rnn {
    struct ec__build *b;
    bool gru, bias;
    int layers, dirs;
    int64_t n, t, in, h;
    struct cell cell[LAYERS_MAX][2];
    struct ec__place y[LAYERS_MAX + 1]; /* y[0] the input */
};

static int64_t width(const struct rnn *v, int layer)
{
    return layer ? v->h * v->dirs : v->in;
}

static int64_t bytes_of(const struct rnn *v, int64_t per_step)
{
    return v->n * v->t * per_step * (int64_t)sizeof(float);
}

static struct ec__place room(const struct rnn *v, int64_t bytes)
{
    return v->b->k->training ? ec__ws(v->b, bytes) : ec__scratch(v->b, bytes);
}

/* A product that is run by a walk: its weight in the layout it wants, scratchpad and all. */
static struct ec__prim *step_prim(struct rnn *v, int64_t in, int64_t out, bool bias,
                                  struct ec__buf *weight, struct ec__place *pad)
{
    struct ec__build *b = v->b;
    const int64_t w_dims[] = { in, out };
    int ids[5] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST }, n = 3;
    struct ec__prim_spec s = { .algo = EC__MATMUL };
    struct ec__prim *p;
    int64_t scratchpad;

    s.src = ec__plain(b, EC_DT_f32, 2, (const int64_t[]){ v->n, in });
    s.dst = ec__plain(b, EC_DT_f32, 2, (const int64_t[]){ v->n, out });
    if (bias) {
        s.bias = ec__plain(b, EC_DT_f32, 2, (const int64_t[]){ 1, out });
        ids[n++] = DNNL_ARG_BIAS;
    }
    if (b->st)
        return NULL;
    s.weights = ec__need(b, ec__md_any(b->cpu->lib, b->k->arena, EC_DT_f32, 2, w_dims));
    p = ec__make(b, &s);
    if (b->st)
        return NULL;
    scratchpad = ec__prim_scratch(b->cpu->lib, p);
    *pad = scratchpad ? ec__scratch(b, scratchpad) : ec__place_at(EC__NOWHERE, 0);
    if (scratchpad)
        ids[n++] = DNNL_ARG_SCRATCHPAD;
    b->st = ec__prim_args(b->cpu->lib, p, n, ids, b->err);
    *weight = ec__as(b, *weight, ec__md_of(b, p, DNNL_ARG_WEIGHTS), false);
    return p;
}

/* The state's weight (gates, h) seen as (h, gates). */
static struct ec__buf turned(struct rnn *v, struct ec__buf w)
{
    struct ec__buf r = { w.place, NULL };

    if (!v->b->st)
        r.md = ec__need(v->b, ec__md_turned(v->b->cpu->lib, v->b->k->arena, w.md));
    return r;
}

static void cell_forward(struct rnn *v, int layer, int dir)
{
    struct ec__build *b = v->b;
    struct cell *c = &v->cell[layer][dir];
    int first = (layer * v->dirs + dir) * (v->bias ? 4 : 2);
    int64_t gates = v->h * (v->gru ? 3 : 4), f = (int64_t)sizeof(float);
    struct ec__place h_gates, state, pad = { EC__NOWHERE, 0 };
    struct ec__buf w;

    c->w = (struct walk){ v->gru, dir == 1,       v->n,       v->t, v->h,
                          gates,  v->h * v->dirs, v->h * dir, NULL };
    c->in = (struct ec__dense){ .b = b,
                                .weight = first,
                                .bias = v->bias ? first + 2 : -1,
                                .rows = v->n * v->t,
                                .in = width(v, layer),
                                .out = gates,
                                .type = EC_DT_f32 };
    c->state = (struct ec__dense){ .b = b,
                                   .weight = first + 1,
                                   .bias = v->bias ? first + 3 : -1,
                                   .rows = v->n * v->t,
                                   .in = v->h,
                                   .out = gates,
                                   .type = EC_DT_f32,
                                   .plain_weight = true };
    c->gates = room(v, bytes_of(v, gates));
    c->c = room(v, bytes_of(v, v->gru ? gates : v->h));
    c->tanh_c = room(v, v->gru ? 0 : bytes_of(v, v->h));
    ec__dense_forward(&c->in, v->y[layer], c->gates);
    ec__dense_open(&c->state);
    if (b->st)
        return;
    h_gates = ec__scratch(b, v->n * gates * f);
    state = ec__scratch(b, v->n * v->h * f);
    w = turned(v, c->state.w);
    c->w.step = step_prim(v, v->h, gates, v->bias, &w, &pad);
    EC__CALL_OWN(b, forward, &c->w, c->gates, h_gates, c->c, c->tanh_c, v->y[layer + 1], w.place,
                 ec__place_at(v->bias ? EC__PARAM : EC__NOWHERE, first + 3), state, pad);
}

/* The walk back; leaves the gradients of the gates in *ret_dg (by input) and *ret_dhg (by state).
 */
static void walk_back(struct rnn *v, int layer, int dir, struct ec__place dy,
                      struct ec__place *ret_dg, struct ec__place *ret_dhg)
{
    struct ec__build *b = v->b;
    struct cell *c = &v->cell[layer][dir];
    int64_t f = (int64_t)sizeof(float), gates = c->w.gates;
    struct ec__place pad = { EC__NOWHERE, 0 };
    struct ec__buf w = c->state.w;

    *ret_dg = ec__scratch(b, bytes_of(v, gates));
    *ret_dhg = v->gru ? ec__scratch(b, bytes_of(v, gates)) : *ret_dg;
    c->w.step = step_prim(v, gates, v->h, false, &w, &pad);
    EC__CALL_OWN(b, backward, &c->w, c->gates, c->c, c->c, c->tanh_c, v->y[layer + 1], dy, *ret_dg,
                 *ret_dhg, w.place, ec__scratch(b, v->n * gates * f),
                 ec__scratch(b, v->n * v->h * f), ec__scratch(b, v->n * v->h * f), pad);
}

static void cell_backward(struct rnn *v, int layer, int dir, struct ec__place dy,
                          struct ec__place dx)
{
    struct ec__build *b = v->b;
    struct cell *c = &v->cell[layer][dir];
    struct ec__place dg, dhg, before;

    walk_back(v, layer, dir, dy, &dg, &dhg);
    if (ec__dense_wants_weights(&c->in))
        ec__dense_backward_weights(&c->in, v->y[layer], dg);
    if (ec__dense_wants_weights(&c->state)) {
        before = ec__scratch(b, bytes_of(v, v->h));
        EC__CALL_OWN(b, states_before, &c->w, v->y[layer + 1], before);
        ec__dense_backward_weights(&c->state, before, dhg);
    }
    if (dx.kind == EC__NOWHERE)
        return;
    if (!dir) {
        ec__dense_backward_data(&c->in, dg, dx);
    } else {
        struct ec__place part = ec__scratch(b, bytes_of(v, width(v, layer)));

        ec__dense_backward_data(&c->in, dg, part);
        ec__binary_call(b, EC__B_add, EC__F32, v->n * v->t * width(v, layer), dx, part, dx);
    }
}

/* A value of the node as float32 rows: itself, or converted. */
static struct ec__buf f32_of(struct rnn *v, struct ec__buf x, bool in_ws)
{
    const struct ec__md *md =
        v->b->st ? NULL : ec__need(v->b, ec__md_retype(v->b->k->arena, x.md, EC_DT_f32));

    return ec__as(v->b, x, md, in_ws);
}

static void all_forward(struct rnn *v)
{
    struct ec__build *b = v->b;
    struct ec__buf out = ec__at_out(b, 0), made;
    int layer, dir;

    ec__build_phase(b, EC_FORWARD);
    v->y[0] = f32_of(v, ec__at_in(b, 0), b->k->training).place;
    made = out;
    if (b->k->compute != EC_DT_f32 && !b->st) {
        made.md = ec__need(b, ec__md_retype(b->k->arena, out.md, EC_DT_f32));
        made.place = room(v, bytes_of(v, v->h * v->dirs));
    }
    for (layer = 0; layer < v->layers && !b->st; layer++) {
        v->y[layer + 1] = layer + 1 < v->layers ? room(v, bytes_of(v, v->h * v->dirs)) : made.place;
        for (dir = 0; dir < v->dirs && !b->st; dir++)
            cell_forward(v, layer, dir);
    }
    ec__deliver(b, made, out);
}

static void all_backward(struct rnn *v)
{
    struct ec__build *b = v->b;
    struct ec__buf to = ec__at_d_in(b, 0), dx = to;
    struct ec__place dy;
    int layer, dir;

    ec__build_phase(b, EC_GRAD_DATA);
    dy = f32_of(v, ec__at_d_out(b, 0), false).place;
    if (b->k->compute != EC_DT_f32 && !b->st)
        dx = ec__stage(b, to, ec__need(b, ec__md_retype(b->k->arena, to.md, EC_DT_f32)));
    for (layer = v->layers - 1; layer >= 0 && !b->st; layer--) {
        struct ec__place d = layer                ? ec__scratch(b, bytes_of(v, width(v, layer)))
                             : b->k->want_d_in[0] ? dx.place
                                                  : ec__place_at(EC__NOWHERE, 0);

        for (dir = 0; dir < v->dirs; dir++)
            cell_backward(v, layer, dir, dy, d);
        dy = d;
    }
    if (b->k->want_d_in[0])
        ec__deliver(b, dx, to);
    if (b->st)
        return;
    b->k->keep_in[0] = v->y[0].kind == EC__IN;
    b->k->keep_out[0] = v->y[v->layers].kind == EC__OUT;
}

void ec__rnn_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *x = &k->c->in[0]->shape;
    struct rnn *v;

    v = ec_arena_alloc(k->arena, sizeof *v);
    if (!v || k->in_fmt[0] || !ec__elems(k->c->in[0])) {
        ec__build_fail(b, v ? EC_E_UNSUPPORTED : EC_E_NOMEM, "values that are not plain");
        return;
    }
    v->b = b;
    v->gru = ec__op_is(k, "gru");
    v->bias = ec_case_int(k->c, "bias");
    v->layers = (int)ec_case_int(k->c, "layers");
    v->dirs = ec_case_int(k->c, "bidir") ? 2 : 1;
    v->h = ec_case_int(k->c, "hidden");
    v->n = x->d[0];
    v->t = x->d[1];
    v->in = x->d[2];
    all_forward(v);
    if (!b->st && k->training)
        all_backward(v);
    if (!b->st)
        b->impl = ec_arena_printf(k->arena, "%s+loop:%s", b->impl, b->cpu->loops->isa);
}
