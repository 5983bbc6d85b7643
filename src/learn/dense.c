/* Small dense algebra, and models that are a weighted sum of columns. */
#include "learn/learn_internal.h"

#include <math.h>
#include <string.h>

void ec__column_stats(const struct ec_rows *rows, double *mean, double *sd)
{
    size_t d = (size_t)rows->n_cols, j;
    int i;

    memset(mean, 0, d * sizeof *mean);
    memset(sd, 0, d * sizeof *sd);
    for (i = 0; i < rows->n; i++)
        for (j = 0; j < d; j++)
            mean[j] += rows->x[(size_t)i * d + j];
    for (j = 0; j < d; j++)
        mean[j] /= rows->n;
    for (i = 0; i < rows->n; i++)
        for (j = 0; j < d; j++) {
            double e = rows->x[(size_t)i * d + j] - mean[j];

            sd[j] += e * e;
        }
    for (j = 0; j < d; j++) {
        sd[j] = sqrt(sd[j] / rows->n);
        if (!(sd[j] > 1e-12 * (1 + fabs(mean[j]))))
            sd[j] = 1;
    }
}

double ec__linear_predict(const void *state, const double *x, int n_cols)
{
    const struct ec_linear_model *m = state;
    double y = m->intercept;
    int i;

    for (i = 0; i < n_cols; i++)
        y += m->coef[i] * x[i];
    return y;
}

void ec__linear_members(struct ec_bytes *io, void *state, int n_cols)
{
    struct ec_linear_model *m = state;

    ec__io_f64(io, &m->intercept);
    ec__io_f64s(io, &m->coef, n_cols);
}

void ec__linear_describe(const void *state, const char *const *names, int n_cols,
                         struct ec_buf *out)
{
    const struct ec_linear_model *m = state;
    int i;

    ec_buf_printf(out, "%.6g", m->intercept);
    for (i = 0; i < n_cols; i++)
        if (m->coef[i] != 0)
            ec_buf_printf(out, " %c %.6g %s", m->coef[i] < 0 ? '-' : '+', fabs(m->coef[i]),
                          names[i]);
}
