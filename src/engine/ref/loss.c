/* Losses as operators of a graph. Their targets are implied: class 0 of every row, and 0 for single
 * elements. Training takes its losses with targets from the backend's flat functions. */
#include "engine/ref/ref_internal.h"

#include <math.h>

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

static enum ec_status cross_entropy_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    const struct ec_shape *s = &call->c->in[0]->shape;
    int64_t n = s->d[s->rank - 1], rows = n ? ec__ref_elems(call->c->in[0]) / n : 0, i, j;
    double sum = 0;

    for (i = 0; i < rows; i++) {
        const real *x = (const real *)a->in[0] + i * n;
        double total = log_sum(x, n), dy;

        sum += total - (double)x[0];
        if (call->phase != EC_GRAD_DATA || !a->d_in[0])
            continue;
        dy = (double)((const real *)a->d_out[0])[0] / (double)rows;
        for (j = 0; j < n; j++)
            ((real *)a->d_in[0])[i * n + j] = (real)(dy * (exp((double)x[j] - total) - (j == 0)));
    }
    if (call->phase == EC_FORWARD)
        ((real *)a->out[0])[0] = (real)(sum / (double)rows);
    return EC_OK;
}

/* A loss of single elements, and its slope. */
struct element {
    double (*f)(double x), (*slope)(double x);
};

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

static enum ec_status element_run(const struct ec__ref_call *call)
{
    const struct element *e = call->data;
    const struct ec_kargs *a = call->a;
    int64_t n = ec__ref_elems(call->c->in[0]), i;
    const real *x = a->in[0];
    double sum = 0, dy = 0;

    if (call->phase == EC_GRAD_DATA)
        dy = (double)((const real *)a->d_out[0])[0] / (double)n;
    for (i = 0; i < n; i++) {
        if (call->phase == EC_FORWARD)
            sum += e->f((double)x[i]);
        else if (call->phase == EC_GRAD_DATA && a->d_in[0])
            ((real *)a->d_in[0])[i] = (real)(dy * e->slope((double)x[i]));
    }
    if (call->phase == EC_FORWARD)
        ((real *)a->out[0])[0] = (real)(sum / (double)n);
    return EC_OK;
}

#define EC__REF_KERNEL_ELEMENT(opname, f, slope)                                                   \
    static const struct element opname##_fns = { f, slope };                                       \
    EC__REF_KERNEL(opname, .keeps_in = 1, .data = &opname##_fns, .run = element_run)

EC__REF_KERNEL_ELEMENT(bce, bce, bce_slope)
EC__REF_KERNEL_ELEMENT(mae, fabs, sign)
EC__REF_KERNEL_ELEMENT(mse, square, twice)
EC__REF_KERNEL(cross_entropy, .keeps_in = 1, .run = cross_entropy_run)
