/* Losses as operators of a graph. Their targets are implied: class 0 of every row, and 0 for single
 * elements. Training takes its losses with targets from the backend's flat functions. */
#include "engine/ref/ref_internal.h"

#include <math.h>

static enum ec_status loss_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    (void)ctx;
    (void)err;
    EC__REF(keep)(k, 1, 0);
    return EC_OK;
}

/* log of the sum of the exponentials of a row */
static double log_sum(const real *x, int64_t n)
{
    double top = (double)x[0], sum = 0;
    int64_t i;

    for (i = 1; i < n; i++)
        top = fmax(top, (double)x[i]);
    for (i = 0; i < n; i++)
        sum += exp((double)x[i] - top);
    return top + log(sum);
}

static enum ec_status cross_entropy_run(struct ec_ctx *ctx, const struct ec_knode *k,
                                        enum ec_phase p, const struct ec_kargs *a,
                                        struct ec_err *err)
{
    const struct ec_shape *s = &k->c->in[0]->shape;
    int64_t n = s->d[s->rank - 1], rows = n ? ec__ref_elems(k->c->in[0]) / n : 0, i, j;
    double sum = 0;

    (void)ctx;
    (void)err;
    for (i = 0; i < rows; i++) {
        const real *x = (const real *)a->in[0] + i * n;
        double total = log_sum(x, n), dy;

        sum += total - (double)x[0];
        if (p != EC_GRAD_DATA || !a->d_in[0])
            continue;
        dy = (double)((const real *)a->d_out[0])[0] / (double)rows;
        for (j = 0; j < n; j++)
            ((real *)a->d_in[0])[i * n + j] = (real)(dy * (exp((double)x[j] - total) - (j == 0)));
    }
    if (p == EC_FORWARD)
        ((real *)a->out[0])[0] = (real)(sum / (double)rows);
    return EC_OK;
}

typedef double element_fn(double x);

static double bce(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double bce_slope(double x)
{
    return 1 / (1 + exp(-x));
}

static double square(double x)
{
    return x * x;
}

static double twice(double x)
{
    return 2 * x;
}

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

static enum ec_status element_run(const struct ec_knode *k, enum ec_phase p,
                                  const struct ec_kargs *a, element_fn *f, element_fn *slope)
{
    int64_t n = ec__ref_elems(k->c->in[0]), i;
    const real *x = a->in[0];
    double sum = 0, dy = 0;

    if (p == EC_GRAD_DATA)
        dy = (double)((const real *)a->d_out[0])[0] / (double)n;
    for (i = 0; i < n; i++) {
        if (p == EC_FORWARD)
            sum += f((double)x[i]);
        else if (p == EC_GRAD_DATA && a->d_in[0])
            ((real *)a->d_in[0])[i] = (real)(dy * slope((double)x[i]));
    }
    if (p == EC_FORWARD)
        ((real *)a->out[0])[0] = (real)(sum / (double)n);
    return EC_OK;
}

#define ELEMENT_LOSS(name, f, slope)                                                               \
    static enum ec_status name##_run(struct ec_ctx *ctx, const struct ec_knode *k,                 \
                                     enum ec_phase p, const struct ec_kargs *a,                    \
                                     struct ec_err *err)                                           \
    {                                                                                              \
        (void)ctx;                                                                                 \
        (void)err;                                                                                 \
        return element_run(k, p, a, f, slope);                                                     \
    }

ELEMENT_LOSS(bce, bce, bce_slope)
ELEMENT_LOSS(mae, fabs, sign)
ELEMENT_LOSS(mse, square, twice)

EC__REF_KERNEL(bce, loss_prepare, bce_run)
EC__REF_KERNEL(cross_entropy, loss_prepare, cross_entropy_run)
EC__REF_KERNEL(mae, loss_prepare, mae_run)
EC__REF_KERNEL(mse, loss_prepare, mse_run)
