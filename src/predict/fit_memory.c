/* Memory: four constants on peak readings. */
#include "predict/fit_internal.h"

#include <math.h>

static const double memory_init[] = { 1.2e9, 1, 1, 1 };

static struct ec_memory_constants memory_of(const double *x)
{
    return (struct ec_memory_constants){ memory_init[0] * exp(x[0]), memory_init[1] * exp(x[1]),
                                         memory_init[2] * exp(x[2]), memory_init[3] * exp(x[3]) };
}

static double memory_log_error(const void *ctx, const double *x, int row)
{
    const struct ec_fit *f = ctx;
    struct ec_memory_constants c = memory_of(x);

    return log(ec__memory_total(&f->memory_row[row].parts, &c) / f->memory_row[row].peak_bytes);
}

enum ec_status ec__fit_memory(struct ec_fit *f, struct ec_err *err)
{
    static const double sd[] = { 1, 0.5, 0.5, 1 };
    struct ec_lm_problem p = { .n_params = 4,
                               .n_rows = f->n_memory_rows,
                               .ctx = f,
                               .residual = memory_log_error,
                               .prior_sd = sd,
                               .huber = 0.2,
                               .max_iterations = 40,
                               .n_threads = 1 };
    struct ec_residuals res = { 0 };
    double x[4] = { 0 }, loss;
    enum ec_status st = EC_OK;
    int i;

    EC_TRY(ec_lm_fit(&p, x, &loss, err));
    f->memory = memory_of(x);
    for (i = 0; i < f->n_memory_rows; i++)
        EC_TRY(ec__residual_keep(&res, -memory_log_error(f, x, i), err));
    f->width[EC_W_memory][0] = f->width[EC_W_memory][1] = ec__residual_width(&res);
out:
    ec_free(res.v);
    return st;
}
