/* A mixture of experts, one expert after the other: the rows of its tokens are gathered, go through
 * its two products, and are added to the result with their scores. Nothing but tokens and scores is
 * kept. */
#include "engine/ref/ref_internal.h"

#include <math.h>
#include <string.h>

struct experts {
    int64_t tokens, c, n, ffn, inner, top_k;
    bool gated;
};

/* Of one expert: rows of its tokens. x (rows, c), h (rows, inner), a (rows, ffn), y (rows, c) */
struct rows {
    int64_t n, expert;
    real *x, *h, *a, *y, *dy, *da, *dh;
    int64_t *token;
};

static struct experts experts_of(const struct ec_knode *k)
{
    const struct ec_shape *x = &k->c->in[0]->shape, *s = &k->c->in[1]->shape;
    struct experts e = { .c = x->d[x->rank - 1],
                         .n = s->d[s->rank - 1],
                         .ffn = ec_case_int(k->c, "ffn"),
                         .top_k = ec_case_int(k->c, "top_k"),
                         .gated = ec_case_int(k->c, "gated") };

    e.inner = e.ffn * (e.gated ? 2 : 1);
    e.tokens = e.c ? ec__ref_elems(k->c->in[0]) / e.c : 0;
    return e;
}

static bool experts_prepare(struct ec_knode *k)
{
    struct experts e = experts_of(k);

    k->ws_bytes = e.tokens * e.top_k *
                  ((int64_t)sizeof(int64_t) + (2 * e.c + e.inner + e.ffn) * (int64_t)sizeof(real));
    k->scratch_bytes = e.tokens * (e.c + e.inner + e.ffn) * (int64_t)sizeof(real);
    return true;
}

/* Rows from the first-th on: kept from forward, but for gradients. */
static struct rows rows_at(const struct experts *e, const struct ec_kargs *a, int64_t first)
{
    int64_t n = e->tokens * e->top_k;
    struct rows r = { .token = a->ws, .dy = a->scratch };

    r.x = (real *)(r.token + n) + first * e->c;
    r.y = r.x + n * e->c;
    r.h = (real *)(r.token + n) + 2 * n * e->c + first * e->inner;
    r.a = (real *)(r.token + n) + n * (2 * e->c + e->inner) + first * e->ffn;
    r.token += first;
    r.dh = r.dy + e->tokens * e->c;
    r.da = r.dh + e->tokens * e->inner;
    return r;
}

/* Whether fewer than top_k experts score higher; of equal ones the first is higher. */
static bool chosen(const struct experts *e, const real *score, int64_t expert)
{
    int64_t i, higher = 0;

    for (i = 0; i < e->n; i++)
        higher += score[i] > score[expert] || (score[i] >= score[expert] && i < expert);
    return higher < e->top_k;
}

static void gather(const struct experts *e, const struct ec_kargs *a, int64_t expert,
                   struct rows *r)
{
    const real *x = a->in[0], *s = a->in[1];
    int64_t i;

    r->n = 0;
    r->expert = expert;
    for (i = 0; i < e->tokens; i++)
        if (chosen(e, s + i * e->n, expert)) {
            memcpy(r->x + r->n * e->c, x + i * e->c, (size_t)e->c * sizeof *x);
            r->token[r->n++] = i;
        }
}

static real gelu(real x)
{
    return (real)(0.5 * (double)x * (1 + erf((double)x * sqrt(0.5))));
}

static double gelu_slope(double x)
{
    return 0.5 * (1 + erf(x * sqrt(0.5))) + x * exp(-x * x / 2) / sqrt(2 * acos(-1));
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void activate(const struct experts *e, const struct rows *r)
{
    int64_t i, j;

    for (i = 0; i < r->n; i++)
        for (j = 0; j < e->ffn; j++) {
            const real *h = r->h + i * e->inner + j;
            double g = (double)h[0];

            r->a[i * e->ffn + j] =
                e->gated ? (real)(g * sigmoid(g) * (double)h[e->ffn]) : gelu(h[0]);
        }
}

static void activate_backward(const struct experts *e, const struct rows *r)
{
    int64_t i, j;

    for (i = 0; i < r->n; i++)
        for (j = 0; j < e->ffn; j++) {
            const real *h = r->h + i * e->inner + j;
            real *dh = r->dh + i * e->inner + j;
            double d = (double)r->da[i * e->ffn + j], g = (double)h[0], s = sigmoid(g);

            dh[0] = (real)(e->gated ? d * (double)h[e->ffn] * s * (1 + g * (1 - s))
                                    : d * gelu_slope(g));
            if (e->gated)
                dh[e->ffn] = (real)(d * g * s);
        }
}

/* Parameters of one expert, or their gradients; NULL: none */
struct part {
    real *up, *down, *up_bias, *down_bias;
};

static real *part_of(const struct ec_knode *k, void *const *of, int i, int64_t first)
{
    return i < k->n_param && of[i] ? (real *)of[i] + first : NULL;
}

static struct part part_at(const struct ec_knode *k, const struct experts *e, void *const *of,
                           int64_t i)
{
    return (struct part){ part_of(k, of, 0, i * e->inner * e->c),
                          part_of(k, of, 1, i * e->c * e->ffn), part_of(k, of, 2, i * e->inner),
                          part_of(k, of, 3, i * e->c) };
}

static void expert_forward(struct ec_ctx *ctx, const struct experts *e, const struct rows *r,
                           const struct part *w)
{
    struct ec__ref_dense up = { r->n, e->inner, e->c }, down = { r->n, e->c, e->ffn };

    ec__ref_dense_forward(ctx, &up, r->x, w->up, w->up_bias, r->h);
    activate(e, r);
    ec__ref_dense_forward(ctx, &down, r->a, w->down, w->down_bias, r->y);
}

/* y += score * the expert's result */
static void scatter(const struct experts *e, const struct ec_kargs *a, const struct rows *r)
{
    const real *s = a->in[1];
    int64_t i, j;

    for (i = 0; i < r->n; i++)
        for (j = 0; j < e->c; j++)
            ((real *)a->out[0])[r->token[i] * e->c + j] +=
                s[r->token[i] * e->n + r->expert] * r->y[i * e->c + j];
}

/* dy of the rows, and the gradient of the scores. */
static void scatter_backward(const struct experts *e, const struct ec_kargs *a,
                             const struct rows *r)
{
    const real *s = a->in[1], *d_out = a->d_out[0];
    int64_t i, j;

    for (i = 0; i < r->n; i++) {
        int64_t at = r->token[i] * e->n + r->expert;
        const real *dy = d_out + r->token[i] * e->c;
        double sum = 0;

        for (j = 0; j < e->c; j++) {
            r->dy[i * e->c + j] = s[at] * dy[j];
            sum += (double)dy[j] * (double)r->y[i * e->c + j];
        }
        if (a->d_in[1])
            ((real *)a->d_in[1])[at] = (real)sum;
    }
}

static void expert_backward(struct ec_ctx *ctx, const struct experts *e, const struct ec_kargs *a,
                            const struct rows *r, const struct part *w, const struct part *d)
{
    struct ec__ref_dense up = { r->n, e->inner, e->c }, down = { r->n, e->c, e->ffn };
    real *dx = a->d_in[0];
    int64_t i, j;

    scatter_backward(e, a, r);
    ec__ref_dense_backward(ctx, &down, r->a, w->down, r->dy, r->da, d->down, d->down_bias);
    activate_backward(e, r);
    /* the gradient of x takes the place of dy */
    ec__ref_dense_backward(ctx, &up, r->x, w->up, r->dh, dx ? r->dy : NULL, d->up, d->up_bias);
    for (i = 0; dx && i < r->n; i++)
        for (j = 0; j < e->c; j++)
            dx[r->token[i] * e->c + j] += r->dy[i * e->c + j];
}

static void zero(void *p, const struct ec_type *t)
{
    if (p)
        memset(p, 0, (size_t)ec__ref_elems(t) * sizeof(real));
}

static enum ec_status experts_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct experts e = experts_of(call->k);
    int64_t i, first = 0;

    zero(call->phase == EC_FORWARD ? a->out[0] : a->d_in[0], call->c->in[0]);
    if (call->phase != EC_FORWARD)
        zero(a->d_in[1], call->c->in[1]);
    for (i = 0; i < e.n; i++) {
        struct part w = part_at(call->k, &e, a->param, i), d;
        struct rows r = rows_at(&e, a, first);

        gather(&e, a, i, &r);
        first += r.n;
        if (call->phase == EC_FORWARD) {
            expert_forward(call->ctx, &e, &r, &w);
            scatter(&e, a, &r);
        } else {
            d = part_at(call->k, &e, a->d_param, i);
            expert_backward(call->ctx, &e, a, &r, &w, &d);
        }
    }
    return EC_OK;
}

EC__REF_KERNEL(experts, .keeps_in = 3, .prepare = experts_prepare, .run = experts_run)
