/* Reductions over axes, argmax, running sums, and what else orders elements of an axis. */
#include "engine/ref/ref_internal.h"

#include <math.h>

enum kind { SUM, MEAN, L2, MAX, MIN, PROD };

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
static bool reduce_prepare(struct ec_knode *k)
{
    k->scratch_bytes = 2 * ec__ref_elems(k->c->out[0]) * (int64_t)sizeof(double);
    return true;
}

static struct ec__ref_walk walk_of(const struct ec_case *c)
{
    struct ec__ref_walk w = ec__ref_walk_over(&c->in[0]->shape);

    ec__ref_walk_add(&w, &c->in[0]->shape);
    ec__ref_walk_add_reduced(&w, axes_of(c));
    if (c->in[0]->shape.rank == 0)
        w.s[1][0] = 0;
    return w;
}

static void reduce_forward(const struct ec_case *c, const struct ec_kargs *a, enum kind kind)
{
    int64_t n = ec__ref_elems(c->out[0]), each = n ? ec__ref_elems(c->in[0]) / n : 0, i;
    struct ec__ref_walk w = walk_of(c);
    double *sum = a->scratch;

    for (i = 0; i < n; i++)
        sum[i] = start_of(kind);
    EC__REF_WALK(&w)
    {
        for (i = 0; i < w.len; i++) {
            double *s = &sum[w.off[1] + i * w.step[1]];

            *s = take(kind, *s, ec__ref_load(c->in[0], a->in[0], w.off[0] + i));
        }
    }
    for (i = 0; i < n; i++) {
        double v = kind == MEAN ? sum[i] / (double)each : kind == L2 ? sqrt(sum[i]) : sum[i];

        ec__ref_store(c->out[0], a->out[0], i, v);
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

static void reduce_backward(const struct ec_case *c, const struct ec_kargs *a, enum kind kind)
{
    const real *x = a->in[0], *y = a->out[0], *dy = a->d_out[0];
    int64_t n = ec__ref_elems(c->out[0]), i;
    double *equal = a->scratch, *others = equal + n;
    double each = n ? (double)ec__ref_elems(c->in[0]) / (double)n : 0;
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

static enum ec_status reduce_run(const struct ec__ref_call *call)
{
    const enum kind *kind = call->data;
    const struct ec_kargs *a = call->a;
    if (call->phase == EC_FORWARD)
        reduce_forward(call->c, a, *kind);
    else if (call->phase == EC_GRAD_DATA && a->d_in[0])
        reduce_backward(call->c, a, *kind);
    return EC_OK;
}

#define EC__REF_KERNEL_REDUCE(opname, word, keeps)                                                 \
    static const enum kind opname##_kind = word;                                                   \
    EC__REF_KERNEL(opname, .keeps_in = keeps, .keeps_out = keeps, .data = &opname##_kind,          \
                   .prepare = reduce_prepare, .run = reduce_run)

EC__REF_KERNEL_REDUCE(reduce_l2, L2, 1)
EC__REF_KERNEL_REDUCE(reduce_max, MAX, 1)
EC__REF_KERNEL_REDUCE(reduce_mean, MEAN, 0)
EC__REF_KERNEL_REDUCE(reduce_min, MIN, 1)
EC__REF_KERNEL_REDUCE(reduce_prod, PROD, 1)
EC__REF_KERNEL_REDUCE(reduce_sum, SUM, 0)

/* --- Along one axis --- */

static enum ec_status argmax_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct ec__ref_lines l = ec__ref_lines_of(&call->c->in[0]->shape, ec_case_axis(call->c));
    const struct ec_type *t = call->c->in[0];
    int64_t line, i;

    if (call->phase == EC_GRAD_DATA)
        ec__ref_clear_d_in(call, 0);
    for (line = 0; call->phase == EC_FORWARD && line < l.outer * l.inner; line++) {
        int64_t at = line / l.inner * l.n * l.inner + line % l.inner, best = 0;

        for (i = 1; i < l.n; i++)
            if (ec__ref_load(t, a->in[0], at + i * l.inner) >
                ec__ref_load(t, a->in[0], at + best * l.inner))
                best = i;
        ((int64_t *)a->out[0])[line] = best;
    }
    return EC_OK;
}

/* Forward from the first element, backward from the last. */
static enum ec_status cumsum_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    const void *from = call->phase == EC_FORWARD ? a->in[0] : a->d_out[0];
    void *to = call->phase == EC_FORWARD ? a->out[0] : a->d_in[0];
    const struct ec_type *t = call->c->in[0];
    struct ec__ref_lines l = ec__ref_lines_of(&call->c->in[0]->shape, ec_case_axis(call->c));
    int64_t line, i;

    for (line = 0; to && line < l.outer * l.inner; line++) {
        int64_t at = line / l.inner * l.n * l.inner + line % l.inner;
        double sum = 0;

        for (i = 0; i < l.n; i++) {
            int64_t e = at + (call->phase == EC_FORWARD ? i : l.n - 1 - i) * l.inner;

            sum += ec__ref_load(t, from, e);
            ec__ref_store(t, to, e, sum);
        }
    }
    return EC_OK;
}

/* --- topk --- */

/* Whether element i stands before element j: larger, or equal and earlier. */
static bool before(const struct ec_type *t, const void *x, int64_t at, int64_t step, int64_t i,
                   int64_t j)
{
    double a = ec__ref_load(t, x, at + i * step), b = ec__ref_load(t, x, at + j * step);

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

static void topk_line(const struct ec_case *c, const struct ec_kargs *a,
                      const struct ec__ref_lines *l, int64_t line, bool back)
{
    int64_t k = ec_case_int(c, "k"), kept = k ? k : l->n, last = -1, i;
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
            ec__ref_store(c->out[0], a->out[0], e,
                          ec__ref_load(c->in[0], a->in[0], at + last * l->inner));
        if (a->out[1])
            ((int64_t *)a->out[1])[e] = last;
    }
}

static enum ec_status topk_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct ec__ref_lines l = ec__ref_lines_of(&call->c->in[0]->shape, ec_case_axis(call->c));
    bool back = call->phase == EC_GRAD_DATA && a->d_in[0];
    int64_t line;

    if (back)
        ec__ref_clear_d_in(call, 0);
    if (call->phase != EC_FORWARD && !(back && a->d_out[0]))
        return EC_OK;
    for (line = 0; line < l.outer * l.inner; line++)
        topk_line(call->c, a, &l, line, back);
    return EC_OK;
}

EC__REF_KERNEL(argmax, .run = argmax_run)
EC__REF_KERNEL(cumsum, .run = cumsum_run)
EC__REF_KERNEL(topk, .keeps_out = 2, .run = topk_run)
