/* Attention: of given q, k, v, and the layer with its projections. Both run heads one by one:
 * scores = q k' / sqrt(d), softmax along the keys, dropout, times v. */
#include "engine/ref/ref_internal.h"

#include <math.h>

/* One head: q (t, d), k (u, d), v (u, e), y (t, e), each with its row stride. */
struct head {
    int64_t t, u, d, e;
    int64_t ldq, ldk, ldv, ldy;
    const real *q, *k, *v, *dy;
    real *y, *dq, *dk, *dv;
    real *probs;        /* (t, u): softmax's result, before dropout */
    real *dropped, *ds; /* scratch (t, u) */
    bool causal;
    int64_t window; /* a query sees so many keys; 0: all up to its own */
    double p;
    uint64_t seed;
    int64_t first; /* number of the head's first score, for dropout */
};

static bool hidden(const struct head *h, int64_t query, int64_t key)
{
    return h->causal && (key > query || (h->window && key <= query - h->window));
}

static void probabilities(struct ec_ctx *ctx, const struct head *h)
{
    double scale = 1 / sqrt((double)h->d);
    int64_t i, j;

    ec__ref_gemm(ctx, h->t, h->u, h->d, ec__ref_mat(h->q, h->ldq, 1), ec__ref_mat(h->k, 1, h->ldk),
                 ec__ref_set(h->probs, h->u));
    for (i = 0; i < h->t; i++) {
        real *row = h->probs + i * h->u;

        for (j = 0; j < h->u; j++)
            row[j] = hidden(h, i, j) ? -(real)INFINITY : (real)((double)row[j] * scale);
        ec__ref_softmax_row(row, h->u);
    }
}

/* What the weighted sum uses: the probabilities, after dropout. */
static const real *weights_of(const struct head *h)
{
    int64_t i;

    if (h->p <= 0)
        return h->probs;
    for (i = 0; i < h->t * h->u; i++)
        h->dropped[i] = (real)((double)h->probs[i] * ec__ref_drop(h->seed, h->first + i, h->p));
    return h->dropped;
}

static void weighted_sum(struct ec_ctx *ctx, const struct head *h)
{
    ec__ref_gemm(ctx, h->t, h->e, h->u, ec__ref_mat(weights_of(h), h->u, 1),
                 ec__ref_mat(h->v, h->ldv, 1), ec__ref_set(h->y, h->ldy));
}

/* ds: from the gradient of the weights to that of the products q k'. */
static void softmax_backward(const struct head *h)
{
    double scale = 1 / sqrt((double)h->d), factor;
    int64_t i, j;

    for (i = 0; i < h->t; i++) {
        const real *p = h->probs + i * h->u;
        real *ds = h->ds + i * h->u;
        double sum = 0;

        for (j = 0; j < h->u; j++) {
            factor = h->p > 0 ? ec__ref_drop(h->seed, h->first + i * h->u + j, h->p) : 1;
            ds[j] = (real)((double)ds[j] * factor);
            sum += (double)ds[j] * (double)p[j];
        }
        for (j = 0; j < h->u; j++)
            ds[j] = (real)((double)p[j] * ((double)ds[j] - sum) * scale);
    }
}

static void head_backward(struct ec_ctx *ctx, const struct head *h)
{
    if (h->dv)
        ec__ref_gemm(ctx, h->u, h->e, h->t, ec__ref_mat(weights_of(h), 1, h->u),
                     ec__ref_mat(h->dy, h->ldy, 1), ec__ref_set(h->dv, h->ldv));
    if (!h->dq && !h->dk)
        return;
    ec__ref_gemm(ctx, h->t, h->u, h->e, ec__ref_mat(h->dy, h->ldy, 1), ec__ref_mat(h->v, 1, h->ldv),
                 ec__ref_set(h->ds, h->u));
    softmax_backward(h);
    if (h->dq)
        ec__ref_gemm(ctx, h->t, h->d, h->u, ec__ref_mat(h->ds, h->u, 1),
                     ec__ref_mat(h->k, h->ldk, 1), ec__ref_set(h->dq, h->ldq));
    if (h->dk)
        ec__ref_gemm(ctx, h->u, h->d, h->t, ec__ref_mat(h->ds, 1, h->u),
                     ec__ref_mat(h->q, h->ldq, 1), ec__ref_set(h->dk, h->ldk));
}

/* --- attention: the probabilities are computed again in backward, nothing but q, k, v is kept ---
 */

static struct head head_of(const struct ec_knode *k, const struct ec_kargs *a)
{
    const struct ec_shape *q = &k->c->in[0]->shape, *v = &k->c->in[2]->shape;
    struct head h = { 0 };

    h.t = q->d[q->rank - 2];
    h.d = h.ldq = h.ldk = q->d[q->rank - 1];
    h.u = v->d[v->rank - 2];
    h.e = h.ldv = h.ldy = v->d[v->rank - 1];
    h.causal = ec_case_int(k->c, "causal");
    h.window = ec_case_int(k->c, "window");
    h.p = k->training ? ec_case_double(k->c, "p") : 0;
    if (a) {
        h.seed = a->seed;
        h.probs = a->scratch;
        h.dropped = h.probs + h.t * h.u;
        h.ds = h.dropped + h.t * h.u;
    }
    return h;
}

static bool attention_prepare(struct ec_knode *k)
{
    struct head h = head_of(k, NULL);

    k->scratch_bytes = 3 * h.t * h.u * (int64_t)sizeof(real);
    return true;
}

static enum ec_status attention_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct head h = head_of(call->k, a);
    int64_t one = h.t * h.d, batch = one > 0 ? ec__ref_elems(call->c->in[0]) / one : 0, i;

    for (i = 0; i < batch; i++) {
        h.q = (const real *)a->in[0] + i * h.t * h.d;
        h.k = (const real *)a->in[1] + i * h.u * h.d;
        h.v = (const real *)a->in[2] + i * h.u * h.e;
        h.first = i * h.t * h.u;
        probabilities(call->ctx, &h);
        if (call->phase == EC_FORWARD) {
            h.y = (real *)a->out[0] + i * h.t * h.e;
            weighted_sum(call->ctx, &h);
        } else {
            h.dy = (const real *)a->d_out[0] + i * h.t * h.e;
            h.dq = ec__ref_at(a->d_in[0], i * h.t * h.d);
            h.dk = ec__ref_at(a->d_in[1], i * h.u * h.d);
            h.dv = ec__ref_at(a->d_in[2], i * h.u * h.e);
            head_backward(call->ctx, &h);
        }
    }
    return EC_OK;
}

/* --- multi_head_attention ---
 * Workspace: q, k, v as (n, t, 3, c); the heads' results (n, t, c); probabilities (n, heads, t, t).
 * Scratch: the gradients of the first two, then two (t, t). */

struct mha {
    int64_t n, t, c, heads, rows;
    int w_in, b_in, w_out, b_out; /* parameters; -1: none */
};

static struct mha mha_of(const struct ec_knode *k)
{
    const struct ec_shape *x = &k->c->in[0]->shape;
    struct mha m = { x->d[0],
                     x->d[1],
                     x->d[2],
                     ec_case_int(k->c, "heads"),
                     x->d[0] * x->d[1],
                     ec__ref_param(k, "in_proj_weight"),
                     ec__ref_param(k, "in_proj_bias"),
                     ec__ref_param(k, "out_proj.weight"),
                     ec__ref_param(k, "out_proj.bias") };

    return m;
}

static bool mha_prepare(struct ec_knode *k)
{
    struct mha m = mha_of(k);

    k->ws_bytes = (4 * m.rows * m.c + m.n * m.heads * m.t * m.t) * (int64_t)sizeof(real);
    k->scratch_bytes = (4 * m.rows * m.c + 2 * m.t * m.t) * (int64_t)sizeof(real);
    return true;
}

/* The head's places in q, k, v and in the results. */
static struct head mha_head(const struct ec_knode *k, const struct mha *m, const struct ec_kargs *a,
                            int64_t i, int64_t head)
{
    real *qkv = a->ws, *sums = qkv + 3 * m->rows * m->c, *probs = sums + m->rows * m->c;
    real *dqkv = a->scratch, *dsums = dqkv + 3 * m->rows * m->c;
    int64_t d = m->c / m->heads, row = i * m->t, at = row * 3 * m->c + head * d;
    struct head h = { 0 };

    h.t = h.u = m->t;
    h.d = h.e = d;
    h.ldq = h.ldk = h.ldv = 3 * m->c;
    h.ldy = m->c;
    h.causal = ec_case_int(k->c, "causal");
    h.p = k->training ? ec_case_double(k->c, "p") : 0;
    h.seed = a->seed;
    h.first = (i * m->heads + head) * m->t * m->t;
    h.q = qkv + at;
    h.k = h.q + m->c;
    h.v = h.k + m->c;
    h.y = sums + row * m->c + head * d;
    h.probs = probs + h.first;
    h.dropped = dsums + m->rows * m->c;
    h.ds = h.dropped + m->t * m->t;
    h.dq = dqkv + at;
    h.dk = h.dq + m->c;
    h.dv = h.dk + m->c;
    h.dy = dsums + row * m->c + head * d;
    return h;
}

static void *at(void *const *list, int i)
{
    return i < 0 ? NULL : list[i];
}

static enum ec_status mha_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct mha m = mha_of(call->k);
    real *qkv = a->ws, *sums = qkv + 3 * m.rows * m.c;
    real *dqkv = a->scratch, *dsums = dqkv + 3 * m.rows * m.c;
    struct ec__ref_dense in = { m.rows, 3 * m.c, m.c }, out = { m.rows, m.c, m.c };
    int64_t i;

    if (call->phase == EC_FORWARD)
        ec__ref_dense_forward(call->ctx, &in, a->in[0], a->param[m.w_in], at(a->param, m.b_in),
                              qkv);
    else if (call->phase == EC_GRAD_DATA)
        ec__ref_dense_backward(call->ctx, &out, sums, a->param[m.w_out], a->d_out[0], dsums,
                               at(a->d_param, m.w_out), at(a->d_param, m.b_out));
    for (i = 0; i < m.n * m.heads; i++) {
        struct head h = mha_head(call->k, &m, a, i / m.heads, i % m.heads);

        if (call->phase == EC_FORWARD) {
            probabilities(call->ctx, &h);
            weighted_sum(call->ctx, &h);
        } else if (call->phase == EC_GRAD_DATA) {
            head_backward(call->ctx, &h);
        }
    }
    if (call->phase == EC_FORWARD)
        ec__ref_dense_forward(call->ctx, &out, sums, a->param[m.w_out], at(a->param, m.b_out),
                              a->out[0]);
    else if (call->phase == EC_GRAD_DATA)
        ec__ref_dense_backward(call->ctx, &in, a->in[0], a->param[m.w_in], dqkv, a->d_in[0],
                               at(a->d_param, m.w_in), at(a->d_param, m.b_in));
    return EC_OK;
}

EC__REF_KERNEL(attention, .keeps_in = 7, .prepare = attention_prepare, .run = attention_run)
EC__REF_KERNEL(multi_head_attention, .keeps_in = 1, .prepare = mha_prepare, .run = mha_run)
