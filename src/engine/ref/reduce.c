/* Reductions over axes, argmax, running sums, and what else orders elements of an axis. */
#include "engine/ref/ref_internal.h"

#include <math.h>
#include <string.h>

enum kind { SUM, MEAN, L2, MAX, MIN, PROD };

static enum kind kind_of(const struct ec_case *c)
{
    static const char *const names[] = { "reduce_sum", "reduce_mean", "reduce_l2",
                                         "reduce_max", "reduce_min",  "reduce_prod" };
    int i = 0;

    while (!ec_str_eq(names[i], c->op->name))
        i++;
    return (enum kind)i;
}

/* Bits of the axes reduced; none given means all. */
static unsigned axes_of(const struct ec_case *c)
{
    const struct ec_ints *axes = ec_case_ints(c, "axes");
    int rank = c->in[0]->shape.rank, i;
    unsigned set = axes->n ? 0 : (1u << rank) - 1;

    for (i = 0; i < axes->n; i++)
        set |= 1u << (axes->v[i] < 0 ? axes->v[i] + rank : axes->v[i]);
    return set;
}

static double start_of(enum kind kind)
{
    switch (kind) {
    case MAX:
        return -(double)INFINITY;
    case MIN:
        return (double)INFINITY;
    case PROD:
        return 1;
    default:
        return 0;
    }
}

static double take(enum kind kind, double sum, double v)
{
    switch (kind) {
    case MAX:
        return isnan(v) || v > sum ? v : sum;
    case MIN:
        return isnan(v) || v < sum ? v : sum;
    case PROD:
        return sum * v;
    case L2:
        return sum + v * v;
    default:
        return sum + v;
    }
}

/* Backward of maximum and minimum counts equals; that of the product counts zeros and multiplies
 * the others. */
static enum ec_status reduce_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    enum kind kind = kind_of(k->c);

    (void)ctx;
    (void)err;
    if (kind != SUM && kind != MEAN)
        EC__REF(keep)(k, 1, 1);
    k->scratch_bytes = 2 * ec__ref_elems(k->c->out[0]) * (int64_t)sizeof(double);
    return EC_OK;
}

static struct ec__ref_walk walk_of(const struct ec_case *c)
{
    struct ec__ref_walk w = EC__REF(walk)(&c->in[0]->shape);

    EC__REF(walk_add)(&w, &c->in[0]->shape);
    EC__REF(walk_add_reduced)(&w, axes_of(c));
    if (c->in[0]->shape.rank == 0)
        w.s[1][0] = 0;
    return w;
}

static void reduce_forward(const struct ec_case *c, const struct ec_kargs *a)
{
    int64_t n = ec__ref_elems(c->out[0]), each = n ? ec__ref_elems(c->in[0]) / n : 0, i;
    enum kind kind = kind_of(c);
    struct ec__ref_walk w = walk_of(c);
    double *sum = a->scratch;

    for (i = 0; i < n; i++)
        sum[i] = start_of(kind);
    EC__REF_WALK(&w)
    {
        for (i = 0; i < w.len; i++) {
            double *s = &sum[w.off[1] + i * w.step[1]];

            *s = take(kind, *s, EC__REF(load)(c->in[0], a->in[0], w.off[0] + i));
        }
    }
    for (i = 0; i < n; i++) {
        double v = kind == MEAN ? sum[i] / (double)each : kind == L2 ? sqrt(sum[i]) : sum[i];

        EC__REF(store)(c->out[0], a->out[0], i, v);
    }
}

/* Per result: how many elements are it (maximum, minimum) or are zero (product), and the product of
 * those that are not. */
static void count(const struct ec_case *c, const struct ec_kargs *a, enum kind kind, double *equal,
                  double *others)
{
    const real *x = a->in[0], *y = a->out[0];
    int64_t n = ec__ref_elems(c->out[0]), i;
    struct ec__ref_walk w = walk_of(c);

    for (i = 0; i < n; i++) {
        equal[i] = 0;
        others[i] = 1;
    }
    EC__REF_WALK(&w)
    {
        for (i = 0; i < w.len; i++) {
            int64_t at = w.off[1] + i * w.step[1];
            double v = (double)x[w.off[0] + i];

            if (kind == PROD ? v == 0 : v == (double)y[at])
                equal[at]++;
            else
                others[at] *= v;
        }
    }
}

/* What one element's gradient is of its result's. */
static double share(enum kind kind, double x, double y, double equal, double others, double each)
{
    switch (kind) {
    case SUM:
        return 1;
    case MEAN:
        return 1 / each;
    case L2:
        return y > 0 ? x / y : 0;
    case PROD:
        if (x == 0)
            return equal > 1 ? 0 : others;
        return equal > 0 ? 0 : others / x;
    default:
        return x == y ? 1 / equal : 0;
    }
}

static void reduce_backward(const struct ec_case *c, const struct ec_kargs *a)
{
    const real *x = a->in[0], *y = a->out[0], *dy = a->d_out[0];
    int64_t n = ec__ref_elems(c->out[0]), i;
    double *equal = a->scratch, *others = equal + n;
    double each = n ? (double)ec__ref_elems(c->in[0]) / (double)n : 0;
    enum kind kind = kind_of(c);
    struct ec__ref_walk w = walk_of(c);
    bool reads = kind != SUM && kind != MEAN;

    if (reads)
        count(c, a, kind, equal, others);
    EC__REF_WALK(&w)
    {
        for (i = 0; i < w.len; i++) {
            int64_t at = w.off[1] + i * w.step[1], from = w.off[0] + i;
            double s =
                reads ? share(kind, (double)x[from], (double)y[at], equal[at], others[at], each)
                      : share(kind, 0, 0, 0, 0, each);

            ((real *)a->d_in[0])[from] = (real)((double)dy[at] * s);
        }
    }
}

static enum ec_status reduce_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase p,
                                 const struct ec_kargs *a, struct ec_err *err)
{
    (void)ctx;
    (void)err;
    if (p == EC_FORWARD)
        reduce_forward(k->c, a);
    else if (p == EC_GRAD_DATA && a->d_in[0])
        reduce_backward(k->c, a);
    return EC_OK;
}

/* --- Along one axis --- */

struct lines {
    int64_t outer, n, inner;
};

static struct lines lines_of(const struct ec_case *c)
{
    const struct ec_shape *s = &c->in[0]->shape;
    struct lines l = { 1, 1, 1 };
    int axis = ec_case_axis(c), i;

    for (i = 0; i < s->rank; i++)
        *(i < axis ? &l.outer : i > axis ? &l.inner : &l.n) *= s->d[i];
    return l;
}

static enum ec_status plain_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    (void)ctx;
    (void)k;
    (void)err;
    return EC_OK;
}

static void clear_d_in(const struct ec_knode *k, const struct ec_kargs *a)
{
    memset(a->d_in[0], 0, sizeof(real) * (size_t)ec__ref_elems(k->c->in[0]));
}

static enum ec_status argmax_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase p,
                                 const struct ec_kargs *a, struct ec_err *err)
{
    struct lines l = lines_of(k->c);
    const struct ec_type *t = k->c->in[0];
    int64_t line, i;

    (void)ctx;
    (void)err;
    if (p == EC_GRAD_DATA && a->d_in[0])
        clear_d_in(k, a);
    for (line = 0; p == EC_FORWARD && line < l.outer * l.inner; line++) {
        int64_t at = line / l.inner * l.n * l.inner + line % l.inner, best = 0;

        for (i = 1; i < l.n; i++)
            if (EC__REF(load)(t, a->in[0], at + i * l.inner) >
                EC__REF(load)(t, a->in[0], at + best * l.inner))
                best = i;
        ((int64_t *)a->out[0])[line] = best;
    }
    return EC_OK;
}

/* Forward from the first element, backward from the last. */
static enum ec_status cumsum_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase p,
                                 const struct ec_kargs *a, struct ec_err *err)
{
    const void *from = p == EC_FORWARD ? a->in[0] : a->d_out[0];
    void *to = p == EC_FORWARD ? a->out[0] : a->d_in[0];
    const struct ec_type *t = k->c->in[0];
    struct lines l = lines_of(k->c);
    int64_t line, i;

    (void)ctx;
    (void)err;
    for (line = 0; to && line < l.outer * l.inner; line++) {
        int64_t at = line / l.inner * l.n * l.inner + line % l.inner;
        double sum = 0;

        for (i = 0; i < l.n; i++) {
            int64_t e = at + (p == EC_FORWARD ? i : l.n - 1 - i) * l.inner;

            sum += EC__REF(load)(t, from, e);
            EC__REF(store)(t, to, e, sum);
        }
    }
    return EC_OK;
}

/* --- topk --- */

static enum ec_status topk_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    (void)ctx;
    (void)err;
    EC__REF(keep)(k, 0, 2);
    return EC_OK;
}

/* Whether element i stands before element j: larger, or equal and earlier. */
static bool before(const struct ec_type *t, const void *x, int64_t at, int64_t step, int64_t i,
                   int64_t j)
{
    double a = EC__REF(load)(t, x, at + i * step), b = EC__REF(load)(t, x, at + j * step);

    return a > b || (a == b && i < j);
}

/* The element that follows `last` in falling order; last < 0: the first. */
static int64_t next_largest(const struct ec_type *t, const void *x, int64_t at, int64_t n,
                            int64_t step, int64_t last)
{
    int64_t best = -1, i;

    for (i = 0; i < n; i++)
        if ((last < 0 || before(t, x, at, step, last, i)) &&
            (best < 0 || before(t, x, at, step, i, best)))
            best = i;
    return best < 0 ? 0 : best; /* only NaN are left */
}

static void topk_line(const struct ec_case *c, const struct ec_kargs *a, const struct lines *l,
                      int64_t line, bool back)
{
    int64_t kept = ec_case_int(c, "k"), last = -1, i;
    int64_t at = line / l->inner * l->n * l->inner + line % l->inner;
    int64_t to = line / l->inner * kept * l->inner + line % l->inner;

    for (i = 0; i < kept; i++) {
        int64_t e = to + i * l->inner;

        if (back) {
            last = ((const int64_t *)a->out[1])[e];
            ((real *)a->d_in[0])[at + last * l->inner] += ((const real *)a->d_out[0])[e];
            continue;
        }
        last = next_largest(c->in[0], a->in[0], at, l->n, l->inner, last);
        if (a->out[0])
            EC__REF(store)
        (c->out[0], a->out[0], e, EC__REF(load)(c->in[0], a->in[0], at + last * l->inner));
        if (a->out[1])
            ((int64_t *)a->out[1])[e] = last;
    }
}

static enum ec_status topk_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase p,
                               const struct ec_kargs *a, struct ec_err *err)
{
    struct lines l = lines_of(k->c);
    bool back = p == EC_GRAD_DATA && a->d_in[0];
    int64_t line;

    (void)ctx;
    (void)err;
    if (back)
        clear_d_in(k, a);
    if (p != EC_FORWARD && !(back && a->d_out[0]))
        return EC_OK;
    for (line = 0; line < l.outer * l.inner; line++)
        topk_line(k->c, a, &l, line, back);
    return EC_OK;
}

EC__REF_KERNEL(argmax, plain_prepare, argmax_run)
EC__REF_KERNEL(cumsum, plain_prepare, cumsum_run)
EC__REF_KERNEL(topk, topk_prepare, topk_run)
EC__REF_KERNEL(reduce_l2, reduce_prepare, reduce_run)
EC__REF_KERNEL(reduce_max, reduce_prepare, reduce_run)
EC__REF_KERNEL(reduce_mean, reduce_prepare, reduce_run)
EC__REF_KERNEL(reduce_min, reduce_prepare, reduce_run)
EC__REF_KERNEL(reduce_prod, reduce_prepare, reduce_run)
EC__REF_KERNEL(reduce_sum, reduce_prepare, reduce_run)
