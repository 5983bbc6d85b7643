/* Attention, softmax(scale q k') v, and the layer with its projections. Scores are products of
 * batches of matrices; the heads of a layer are read out of the projections where they lie, by
 * strides. The weights after softmax are kept; dropout is made again backward. */
#include "engine/cpu/dense.h"
#include "engine/cpu/rows.h"

#include <math.h>

/* Four views with batch dimensions first; gradients lie alike. */
struct core {
    struct ec__build *b;
    int rank; /* batch dimensions + 2 */
    int64_t batch[2], t, u, d, e;
    bool causal;
    double p;
    struct ec__buf q, k, v, o; /* (.., t, d) (.., u, d) (.., u, e) (.., t, e) */
    struct ec__buf dq, dk, dv, dout;
    struct ec__place prob; /* kept */
};

static int64_t heads(const struct core *c)
{
    return c->batch[0] * (c->rank > 3 ? c->batch[1] : 1);
}

/* (.., rows, cols), dense or by the strides of the last rank dimensions. */
static const struct ec__md *view(struct core *c, int64_t rows, int64_t cols, const int64_t *strides)
{
    int64_t dims[4] = { c->batch[0], c->batch[1] };

    dims[c->rank - 2] = rows;
    dims[c->rank - 1] = cols;
    return ec__need(c->b, ec__md_strided(c->b->cpu->lib, c->b->k->arena, c->b->k->compute, c->rank,
                                         dims, strides));
}

/* The last two dimensions change places. */
static struct ec__buf turned(struct core *c, struct ec__buf x)
{
    struct ec__buf y = { x.place, NULL };

    if (!c->b->st)
        y.md = ec__need(c->b, ec__md_turned(c->b->cpu->lib, c->b->k->arena, x.md));
    return y;
}

static struct ec__softmax_rows rows_of(const struct core *c)
{
    struct ec__softmax_rows s = { .t = ec__elem_of(c->b->k),
                                  .rows = heads(c) * c->t,
                                  .n = c->u,
                                  .causal = c->causal ? c->t : 0 };

    return s;
}

static int64_t score_bytes(const struct core *c)
{
    return heads(c) * c->t * c->u * ec_dtype_bytes(c->b->k->compute);
}

/* The weights as v meets them. */
static struct ec__buf dropped(struct core *c)
{
    struct ec__buf p = { c->prob, view(c, c->t, c->u, NULL) };

    if (c->p <= 0 || !c->b->k->training)
        return p;
    p.place = ec__scratch(c->b, score_bytes(c));
    ec__dropout_call(c->b, c->p, heads(c) * c->t * c->u, c->prob, p.place);
    return p;
}

static void core_forward(struct core *c)
{
    struct ec__build *b = c->b;
    struct ec__buf s = { ec__place_at(EC__NOWHERE, 0), view(c, c->t, c->u, NULL) };

    c->prob = b->k->training ? ec__ws(b, score_bytes(c)) : ec__scratch(b, score_bytes(c));
    s.place = c->prob;
    ec__product(b, c->q, turned(c, c->k), s, (float)(1 / sqrt((double)c->d)));
    ec__softmax_forward(b, rows_of(c), s.place, s.place);
    ec__product(b, dropped(c), c->v, c->o, 1);
}

static void core_backward(struct core *c)
{
    struct ec__build *b = c->b;
    float scale = (float)(1 / sqrt((double)c->d));
    struct ec__buf p = dropped(c), s = { ec__place_at(EC__NOWHERE, 0), p.md };

    ec__product(b, turned(c, p), c->dout, c->dv, 1);
    s.place = ec__scratch(b, score_bytes(c));
    ec__product(b, c->dout, turned(c, c->v), s, 1);
    if (p.place.kind != c->prob.kind || p.place.at != c->prob.at)
        ec__dropout_call(b, c->p, heads(c) * c->t * c->u, s.place, s.place);
    ec__softmax_backward(b, rows_of(c), c->prob, s.place, s.place);
    ec__product(b, s, c->k, c->dq, scale);
    ec__product(b, turned(c, s), c->q, c->dk, scale);
}

static struct ec__place gradient(struct ec__build *b, int i)
{
    return b->k->want_d_in[i]
               ? ec__place_at(EC__D_IN, i)
               : ec__scratch(b, ec__elems(b->k->c->in[i]) * ec_dtype_bytes(b->k->compute));
}

void ec__attention_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *q = &k->c->in[0]->shape, *v = &k->c->in[2]->shape;
    struct core c = { .b = b, .rank = 3 };
    int i;

    for (i = 0; i < 3; i++)
        if (k->in_fmt[i] || !ec__elems(k->c->in[i]))
            ec__build_fail(b, EC_E_UNSUPPORTED, "values that are not plain");
    c.t = q->d[q->rank - 2];
    c.d = q->d[q->rank - 1];
    c.u = v->d[q->rank - 2];
    c.e = v->d[q->rank - 1];
    c.causal = ec_case_int(k->c, "causal");
    c.p = ec_case_double(k->c, "p");
    if (c.p >= 1 || (c.causal && c.t != c.u) || ec_case_int(k->c, "window"))
        ec__build_fail(b, EC_E_UNSUPPORTED, "a mask that is not square");
    if (b->st)
        return;
    c.batch[0] = ec__elems(k->c->in[0]) / (c.t * c.d);
    c.q = (struct ec__buf){ ec__place_at(EC__IN, 0), view(&c, c.t, c.d, NULL) };
    c.k = (struct ec__buf){ ec__place_at(EC__IN, 1), view(&c, c.u, c.d, NULL) };
    c.v = (struct ec__buf){ ec__place_at(EC__IN, 2), view(&c, c.u, c.e, NULL) };
    c.o = (struct ec__buf){ ec__place_at(EC__OUT, 0), view(&c, c.t, c.e, NULL) };
    ec__build_phase(b, EC_FORWARD);
    core_forward(&c);
    if (k->training && (k->want_d_in[0] || k->want_d_in[1] || k->want_d_in[2])) {
        ec__build_phase(b, EC_GRAD_DATA);
        c.dq = (struct ec__buf){ gradient(b, 0), c.q.md };
        c.dk = (struct ec__buf){ gradient(b, 1), c.k.md };
        c.dv = (struct ec__buf){ gradient(b, 2), c.v.md };
        c.dout = (struct ec__buf){ ec__place_at(EC__D_OUT, 0), c.o.md };
        core_backward(&c);
        for (i = 0; i < 3; i++)
            k->keep_in[i] = true;
    }
    b->impl = "products and softmax";
}

/* --- The layer --- */

struct layer {
    struct ec__build *b;
    struct ec__dense in, out;
    struct core c;
    int64_t features, rows;
    struct ec__place qkv, context; /* (rows, 3 features), (rows, features) */
};

static struct ec__buf part_of(struct layer *v, struct ec__place base, int64_t which, int64_t width)
{
    int64_t c = v->features, d = v->c.d, t = v->c.t;
    const int64_t strides[4] = { t * width * c, d, width * c, 1 };
    struct ec__buf r = { base, view(&v->c, t, d, strides) };

    r.place.at += which * c * ec_dtype_bytes(v->b->k->compute);
    return r;
}

static void layer_forward(struct layer *v)
{
    struct ec__build *b = v->b;
    bool keep = b->k->training;
    int64_t bytes = v->rows * v->features * ec_dtype_bytes(b->k->compute);

    ec__build_phase(b, EC_FORWARD);
    v->qkv = keep ? ec__ws(b, 3 * bytes) : ec__scratch(b, 3 * bytes);
    v->context = keep ? ec__ws(b, bytes) : ec__scratch(b, bytes);
    ec__dense_forward(&v->in, ec__place_at(EC__IN, 0), v->qkv);
    if (b->st)
        return;
    v->c.q = part_of(v, v->qkv, 0, 3);
    v->c.k = part_of(v, v->qkv, 1, 3);
    v->c.v = part_of(v, v->qkv, 2, 3);
    v->c.o = part_of(v, v->context, 0, 1);
    core_forward(&v->c);
    ec__dense_forward(&v->out, v->context, ec__place_at(EC__OUT, 0));
}

static void layer_backward(struct layer *v)
{
    struct ec__build *b = v->b;
    struct ec_knode *k = b->k;
    int64_t bytes = v->rows * v->features * ec_dtype_bytes(k->compute);
    struct ec__place dy = ec__place_at(EC__D_OUT, 0), d_qkv, d_context;

    ec__build_phase(b, EC_GRAD_DATA);
    d_qkv = ec__scratch(b, 3 * bytes);
    d_context = ec__scratch(b, bytes);
    if (ec__dense_wants_weights(&v->out))
        ec__dense_backward_weights(&v->out, v->context, dy);
    ec__dense_backward_data(&v->out, dy, d_context);
    v->c.dq = part_of(v, d_qkv, 0, 3);
    v->c.dk = part_of(v, d_qkv, 1, 3);
    v->c.dv = part_of(v, d_qkv, 2, 3);
    v->c.dout = part_of(v, d_context, 0, 1);
    core_backward(&v->c);
    if (ec__dense_wants_weights(&v->in))
        ec__dense_backward_weights(&v->in, ec__place_at(EC__IN, 0), d_qkv);
    if (k->want_d_in[0])
        ec__dense_backward_data(&v->in, d_qkv, ec__place_at(EC__D_IN, 0));
    k->keep_in[0] = true;
}

void ec__mha_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *x = &k->c->in[0]->shape;
    bool bias = ec_case_int(k->c, "bias");
    struct layer v = { .b = b, .features = x->d[2], .rows = x->d[0] * x->d[1] };
    int64_t n_heads = ec_case_int(k->c, "heads");

    v.c = (struct core){
        .b = b,
        .rank = 4,
        .batch = {x->d[0], n_heads},
        .t = x->d[1],
        .u = x->d[1],
        .d = x->d[2] / n_heads,
        .e = x->d[2] / n_heads,
        .causal = ec_case_int(k->c, "causal"),
        .p = ec_case_double(k->c, "p")
    };
    v.in = (struct ec__dense){ .b = b,
                               .weight = 0,
                               .bias = bias ? 1 : -1,
                               .type = k->compute,
                               .rows = v.rows,
                               .in = v.features,
                               .out = 3 * v.features };
    v.out = (struct ec__dense){ .b = b,
                                .weight = bias ? 2 : 1,
                                .bias = bias ? 3 : -1,
                                .type = k->compute,
                                .rows = v.rows,
                                .in = v.features,
                                .out = v.features };
    if (k->in_fmt[0] || !ec__elems(k->c->in[0]) || v.c.p >= 1)
        ec__build_fail(b, EC_E_UNSUPPORTED, "rows that are not plain");
    if (!b->st)
        layer_forward(&v);
    if (!b->st && k->training)
        layer_backward(&v);
}
