/* Memory: constants on peak readings of devices and of allocators, and how far they carry to
 * families that they were not fitted to. */
#include "predict/fit_internal.h"

#include <math.h>
#include <string.h>

/* What is read: all that the device has in use, or what the framework's allocator has handed out.
 */
enum reading { DEVICE, ALLOCATOR, READING_COUNT };

#define MOST_PARAMS 4
static const struct {
    int n;
    double init[MOST_PARAMS], sd[MOST_PARAMS];
} readings[READING_COUNT] = {
    [DEVICE] = {4,  { 1.2e9, 1, 1, 1 }, { 1, 0.5, 0.5, 1 }},
    [ALLOCATOR] = { 2, { 60e6, 1 },        { 1, 0.1 }        },
};

static void set_constants(enum reading of, const double *x, struct ec_memory_constants *ret)
{
    double v[MOST_PARAMS] = { 0 };
    int i;

    for (i = 0; i < readings[of].n; i++)
        v[i] = readings[of].init[i] * exp(x[i]);
    if (of == ALLOCATOR) {
        ret->allocator_base_bytes = v[0];
        ret->allocator_factor = v[1];
    } else {
        ret->base_bytes = v[0];
        ret->static_factor = v[1];
        ret->kept_factor = v[2];
        ret->transient_factor = v[3];
    }
}

/* Rows of memory that a fit sees: all of a reading but a part of the families. */
struct seen {
    const struct ec_fit *f;
    const int *row;
    enum reading of;
};

static double row_log_error(const struct ec_fit *f, enum reading of, const double *x, int row)
{
    const struct ec_fit_memory_row *r = &f->memory_row[row];
    struct ec_memory_constants c = { 0 };

    set_constants(of, x, &c);
    return log(
        (of == ALLOCATOR ? ec__allocator_total(&r->parts, &c) : ec__memory_total(&r->parts, &c)) /
        r->peak_bytes);
}

static double memory_log_error(const void *ctx, const double *x, int row)
{
    const struct seen *s = ctx;

    return row_log_error(s->f, s->of, x, s->row[row]);
}

static bool is_of(const struct ec_fit_memory_row *r, enum reading of)
{
    return r->allocator == (of == ALLOCATOR);
}

static int part_of(const struct ec_fit_memory_row *r)
{
    return (int)((ec_hash(r->family, strlen(r->family)) * 0x9e3779b97f4a7c15u >> 33) %
                 EC_FIT_FOLDS_MEMORY);
}

/* part  of the families is left out; -1: none */
static enum ec_status fit_part(const struct ec_fit *f, enum reading of, int part, double *x,
                               struct ec_err *err)
{
    int *row = ec_alloc(sizeof *row * (size_t)(f->n_memory_rows + 1)), i;
    struct seen seen = { f, row, of };
    struct ec_lm_problem p = { .n_params = readings[of].n,
                               .ctx = &seen,
                               .residual = memory_log_error,
                               .prior_sd = readings[of].sd,
                               .huber = of == ALLOCATOR ? 0.05 : 0.2,
                               .max_iterations = 40,
                               .n_threads = 1 };
    double loss;
    enum ec_status st;

    if (!row)
        return ec_nomem(err);
    for (i = 0; i < f->n_memory_rows; i++)
        if (is_of(&f->memory_row[i], of) && part_of(&f->memory_row[i]) != part)
            row[p.n_rows++] = i;
    memset(x, 0, sizeof *x * MOST_PARAMS);
    st = ec_lm_fit(&p, x, &loss, err);
    ec_free(row);
    return st;
}

static int rows_of(const struct ec_fit *f, int source)
{
    int i, n = 0;

    for (i = 0; i < f->n_memory_rows; i++)
        n += f->memory_row[i].source == source;
    return n;
}

/* In the interval each table counts as the root of its rows. Few rows of a reading leave its
 * constants as they are. */
static enum ec_status fit_reading(struct ec_fit *f, enum reading of, struct ec_width *ret_width,
                                  struct ec_err *err)
{
    struct ec_weighted *v = ec_alloc(sizeof *v * (size_t)(f->n_memory_rows + 1));
    enum ec_status st = EC_OK;
    double x[MOST_PARAMS];
    int part, i, n = 0;

    if (!v)
        return ec_nomem(err);
    for (i = 0; i < f->n_memory_rows; i++)
        n += is_of(&f->memory_row[i], of);
    if (n < 20)
        goto out;
    for (part = 0; part < EC_FIT_FOLDS_MEMORY; part++) {
        EC_TRY(fit_part(f, of, part, x, err));
        for (i = 0; i < f->n_memory_rows; i++)
            if (is_of(&f->memory_row[i], of) && part_of(&f->memory_row[i]) == part)
                f->memory_row[i].unseen = -row_log_error(f, of, x, i);
    }
    n = 0;
    for (i = 0; i < f->n_memory_rows; i++)
        if (is_of(&f->memory_row[i], of))
            v[n++] = (struct ec_weighted){ f->memory_row[i].unseen,
                                           1 / sqrt(rows_of(f, f->memory_row[i].source)) };
    *ret_width = ec__weighted_width(v, n);
    EC_TRY(fit_part(f, of, -1, x, err));
    set_constants(of, x, &f->memory);
out:
    ec_free(v);
    return st;
}

enum ec_status ec__fit_memory(struct ec_fit *f, struct ec_err *err)
{
    enum ec_status st;

    EC_TRY(fit_reading(f, DEVICE, &f->width[EC_W_memory][0], err));
    f->width[EC_W_memory][1] = f->width[EC_W_memory][0];
    EC_TRY(fit_reading(f, ALLOCATOR, &f->allocator, err));
out:
    return st;
}
