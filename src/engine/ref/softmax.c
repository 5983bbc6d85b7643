/* softmax and log_softmax along an axis. */
#include "engine/ref/ref_internal.h"

#include <math.h>

struct rows {
    int64_t outer, n, inner;
};

static struct rows rows_of(const struct ec_case *c)
{
    const struct ec_shape *s = &c->in[0]->shape;
    struct rows r = { 1, 1, 1 };
    int axis = s->rank ? ec_case_axis(c) : 0, i;

    for (i = 0; i < s->rank; i++)
        *(i < axis ? &r.outer : i > axis ? &r.inner : &r.n) *= s->d[i];
    return r;
}

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

void EC__REF(softmax_row)(real *x, int64_t n)
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

static enum ec_status softmax_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    (void)ctx;
    (void)err;
    EC__REF(keep)(k, 0, 1);
    return EC_OK;
}

static enum ec_status softmax_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase p,
                                  const struct ec_kargs *a, struct ec_err *err)
{
    bool is_log = ec_str_eq(k->c->op->name, "log_softmax");
    struct rows r = rows_of(k->c);
    int64_t i, j;

    (void)ctx;
    (void)err;
    for (i = 0; i < r.outer; i++)
        for (j = 0; j < r.inner; j++) {
            int64_t at = i * r.n * r.inner + j;

            if (p == EC_FORWARD)
                forward_row((const real *)a->in[0] + at, (real *)a->out[0] + at, r.n, r.inner,
                            is_log);
            else if (p == EC_GRAD_DATA && a->d_in[0])
                backward_row((const real *)a->out[0] + at, (const real *)a->d_out[0] + at,
                             (real *)a->d_in[0] + at, r.n, r.inner, is_log);
        }
    return EC_OK;
}

EC__REF_KERNEL(log_softmax, softmax_prepare, softmax_run)
EC__REF_KERNEL(softmax, softmax_prepare, softmax_run)
