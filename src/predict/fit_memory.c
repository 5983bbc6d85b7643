/* Memory: four constants on peak readings, and how far they carry to families that they were not
 * fitted to. */
#include "predict/fit_internal.h"

#include <math.h>
#include <string.h>

static const double memory_init[] = { 1.2e9, 1, 1, 1 };

static struct ec_memory_constants memory_of(const double *x)
{
    return (struct ec_memory_constants){ memory_init[0] * exp(x[0]), memory_init[1] * exp(x[1]),
                                         memory_init[2] * exp(x[2]), memory_init[3] * exp(x[3]) };
}

/* Rows of memory that a fit sees: all but a part of the families. */
struct seen {
    const struct ec_fit *f;
    const int *row;
};

static double row_log_error(const struct ec_fit *f, const double *x, int row)
{
    struct ec_memory_constants c = memory_of(x);

    return log(ec__memory_total(&f->memory_row[row].parts, &c) / f->memory_row[row].peak_bytes);
}

static double memory_log_error(const void *ctx, const double *x, int row)
{
    const struct seen *s = ctx;

    return row_log_error(s->f, x, s->row[row]);
}

static int part_of(const struct ec_fit_memory_row *r)
{
    return (int)((ec_hash(r->family, strlen(r->family)) * 0x9e3779b97f4a7c15u >> 33) %
                 EC_FIT_FOLDS_MEMORY);
}

/* part  of the families is left out; -1: none */
static enum ec_status fit_part(const struct ec_fit *f, int part, double *x, struct ec_err *err)
{
    static const double sd[] = { 1, 0.5, 0.5, 1 };
    int *row = ec_alloc(sizeof *row * (size_t)(f->n_memory_rows + 1)), i;
    struct seen seen = { f, row };
    struct ec_lm_problem p = { .n_params = 4,
                               .ctx = &seen,
                               .residual = memory_log_error,
                               .prior_sd = sd,
                               .huber = 0.2,
                               .max_iterations = 40,
                               .n_threads = 1 };
    double loss;
    enum ec_status st;

    if (!row)
        return ec_nomem(err);
    for (i = 0; i < f->n_memory_rows; i++)
        if (part_of(&f->memory_row[i]) != part)
            row[p.n_rows++] = i;
    memset(x, 0, sizeof *x * 4);
    st = ec_lm_fit(&p, x, &loss, err);
    ec_free(row);
    return st;
}

enum ec_status ec__fit_memory(struct ec_fit *f, struct ec_err *err)
{
    struct ec_weighted *v = ec_alloc(sizeof *v * (size_t)(f->n_memory_rows + 1));
    enum ec_status st = EC_OK;
    double x[4];
    int part, i;

    if (!v)
        return ec_nomem(err);
    for (part = 0; part < EC_FIT_FOLDS_MEMORY; part++) {
        EC_TRY(fit_part(f, part, x, err));
        for (i = 0; i < f->n_memory_rows; i++)
            if (part_of(&f->memory_row[i]) == part)
                f->memory_row[i].unseen = -row_log_error(f, x, i);
    }
    for (i = 0; i < f->n_memory_rows; i++)
        v[i] = (struct ec_weighted){ f->memory_row[i].unseen, 1 };
    f->width[EC_W_memory][0] = f->width[EC_W_memory][1] = ec__weighted_width(v, f->n_memory_rows);
    EC_TRY(fit_part(f, -1, x, err));
    f->memory = memory_of(x);
out:
    ec_free(v);
    return st;
}
