/* Fits the constants of memory to peak readings of devices and allocators, with families held out
 * to test them. */
#include "lab/fit_internal.h"

#include <math.h>
#include <string.h>

/* The parameters: logarithms of value over initial value, so that none is negative. For hold and
 * reserve, of their excess over 1. */
enum { BASE, CONTEXT, CONVOLUTION, HOLD, RESERVE, WORKSPACE, PARAM_COUNT };
static const double initial[PARAM_COUNT] = { 60e6, 1.4e9, 4e8, 0.03, 0.05, 1.2 };
static const double prior_sd[PARAM_COUNT] = { 1, 1, 1, 2, 2, 2 };
#define HUBER 0.05
#define FEWEST_ROWS 20

static void set_constants(const double *x, struct ec_memory_constants *ret)
{
    ret->base_bytes = initial[BASE] * exp(x[BASE]);
    ret->context_bytes = initial[CONTEXT] * exp(x[CONTEXT]);
    ret->convolution_bytes = initial[CONVOLUTION] * exp(x[CONVOLUTION]);
    ret->hold_factor = 1 + initial[HOLD] * exp(x[HOLD]);
    ret->reserve_factor = 1 + initial[RESERVE] * exp(x[RESERVE]);
    ret->workspace_factor = initial[WORKSPACE] * exp(x[WORKSPACE]);
}

/* Rows of memory that a fit sees: all but a part of the families. */
struct seen {
    const struct ec_fit *f;
    const int *row;
};

/* log(predicted / measured); of a rung of a ladder, of what it needs over what there is. */
static double row_log_error(const struct ec_fit_memory_row *r, const double *x)
{
    struct ec_memory_constants c;
    double need;

    set_constants(x, &c);
    need = ec_memory_need(&r->parts, &c);
    if (r->rung)
        return log(need / r->capacity_bytes);
    if (r->allocator)
        return log(ec_allocator_total(&r->parts, &c) / r->peak_bytes);
    return log(ec_memory_on(need, ec_memory_total(&r->parts, &c), r->capacity_bytes) /
               r->peak_bytes);
}

static double memory_log_error(const void *ctx, const double *x, int row)
{
    const struct seen *s = ctx;
    const struct ec_fit_memory_row *r = &s->f->memory_row[s->row[row]];
    double e = row_log_error(r, x);

    return r->rung && e * r->rung > 0 ? 0 : e; /* a rung on its side says nothing more */
}

static int part_of(const struct ec_fit_memory_row *r)
{
    return (int)((ec_hash(r->family, strlen(r->family)) * 0x9e3779b97f4a7c15u >> 33) %
                 EC_FIT_FOLDS_MEMORY);
}

/* part  of the families is left out; -1: none */
static enum ec_status fit_part(const struct ec_fit *f, int part, double *x, struct ec_err *err)
{
    int *row = ec_alloc(sizeof *row * (size_t)(f->n_memory_rows + 1)), i;
    struct seen seen = { f, row };
    struct ec_lm_problem p = { .n_params = PARAM_COUNT,
                               .ctx = &seen,
                               .residual = memory_log_error,
                               .prior_sd = prior_sd,
                               .huber = HUBER,
                               .max_iterations = 40,
                               .n_threads = 1 };
    double loss;
    enum ec_status st;

    EC_PASS(ec_allocated(row, err));
    for (i = 0; i < f->n_memory_rows; i++)
        if (f->memory_row[i].in_fit && part_of(&f->memory_row[i]) != part)
            row[p.n_rows++] = i;
    memset(x, 0, sizeof *x * PARAM_COUNT);
    st = ec_lm_fit(&p, x, &loss, err);
    ec_free(row);
    return st;
}

static bool is_of_device(const struct ec_fit_memory_row *r)
{
    return !r->allocator && !r->rung;
}

static int rows_like(const struct ec_fit *f, const struct ec_fit_memory_row *r)
{
    int i, n = 0;

    for (i = 0; i < f->n_memory_rows; i++)
        n += is_of_device(&f->memory_row[i]) && f->memory_row[i].source == r->source &&
             ec_str_eq(f->memory_row[i].family, r->family);
    return n;
}

/* Each row by constants that had none of its family. */
static enum ec_status leave_families(struct ec_fit *f, struct ec_err *err)
{
    double x[PARAM_COUNT];
    int part, i;

    for (part = 0; part < EC_FIT_FOLDS_MEMORY; part++) {
        EC_PASS(fit_part(f, part, x, err));
        for (i = 0; i < f->n_memory_rows; i++)
            if (part_of(&f->memory_row[i]) == part)
                f->memory_row[i].unseen = -row_log_error(&f->memory_row[i], x);
    }
    return EC_OK;
}

/* Errors of readings of devices; each family of a table counts as the root of its rows. */
static enum ec_status width_of(const struct ec_fit *f, bool in_fit, struct ec_width *ret,
                               struct ec_err *err)
{
    struct ec_weighted *v = ec_alloc(sizeof *v * (size_t)(f->n_memory_rows + 1));
    int i, n = 0;

    EC_PASS(ec_allocated(v, err));
    for (i = 0; i < f->n_memory_rows; i++)
        if (is_of_device(&f->memory_row[i]) && f->memory_row[i].in_fit == in_fit)
            v[n++] = (struct ec_weighted){ f->memory_row[i].unseen,
                                           1 / sqrt(rows_like(f, &f->memory_row[i])) };
    if (n >= FEWEST_ROWS)
        *ret = ec__weighted_width(v, n);
    ec_free(v);
    return EC_OK;
}

/* The second width is that of frameworks to whose rows no constant is fitted.
 * With few readings of devices the constants stay, since readings of allocators do not depend on
 * the context. */
enum ec_status ec__fit_memory(struct ec_fit *f, struct ec_err *err)
{
    double x[PARAM_COUNT];
    int i, n = 0;

    for (i = 0; i < f->n_memory_rows; i++)
        n += is_of_device(&f->memory_row[i]) && f->memory_row[i].in_fit;
    if (n < FEWEST_ROWS)
        return EC_OK;
    EC_PASS(leave_families(f, err));
    EC_PASS(width_of(f, true, &f->width[EC_W_memory][0], err));
    f->width[EC_W_memory][1] = f->width[EC_W_memory][0];
    EC_PASS(width_of(f, false, &f->width[EC_W_memory][1], err));
    EC_PASS(fit_part(f, -1, x, err));
    set_constants(x, &f->memory);
    return EC_OK;
}
