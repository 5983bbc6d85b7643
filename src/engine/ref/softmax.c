/* softmax and log_softmax along an axis. */
#include "engine/ref/ref_internal.h"

#include <math.h>

/* x and y: rows of n elements, `step` apart */
static void forward_row(const real *x, real *y, int64_t n, int64_t step, bool is_log)
{
    double top = -(double)INFINITY, sum = 0;
    int64_t i;

    for (i = 0; i < n; i++)
        top = fmax(top, (double)x[i * step]);
    if (isinf(top)) /* a row that is masked as a whole */
        top = 0;
    for (i = 0; i < n; i++)
        sum += exp((double)x[i * step] - top);
    for (i = 0; i < n; i++) {
        double v = (double)x[i * step] - top;

        y[i * step] = (real)(is_log ? v - log(sum) : exp(v) / sum);
    }
}

void ec__ref_softmax_row(real *x, int64_t n)
{
    forward_row(x, x, n, 1, false);
}

static void backward_row(const real *y, const real *dy, real *dx, int64_t n, int64_t step,
                         bool is_log)
{
    double sum = 0;
    int64_t i;

    for (i = 0; i < n; i++)
        sum += (double)dy[i * step] * (is_log ? 1 : (double)y[i * step]);
    for (i = 0; i < n; i++) {
        double v = (double)y[i * step], d = (double)dy[i * step];

        dx[i * step] = (real)(is_log ? d - exp(v) * sum : v * (d - sum));
    }
}

static enum ec_status softmax_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    bool is_log = ec_str_eq(call->c->op->name, "log_softmax");
    struct ec__ref_lines r = ec__ref_lines_of(
        &call->c->in[0]->shape, call->c->in[0]->shape.rank ? ec_case_axis(call->c) : 0);
    int64_t i, j;

    for (i = 0; i < r.outer; i++)
        for (j = 0; j < r.inner; j++) {
            int64_t at = i * r.n * r.inner + j;

            if (call->phase == EC_FORWARD)
                forward_row((const real *)a->in[0] + at, (real *)a->out[0] + at, r.n, r.inner,
                            is_log);
            else if (call->phase == EC_GRAD_DATA && a->d_in[0])
                backward_row((const real *)a->out[0] + at, (const real *)a->d_out[0] + at,
                             (real *)a->d_in[0] + at, r.n, r.inner, is_log);
        }
    return EC_OK;
}

EC__REF_KERNEL(log_softmax, .keeps_out = 1, .run = softmax_run)
EC__REF_KERNEL(softmax, .keeps_out = 1, .run = softmax_run)
