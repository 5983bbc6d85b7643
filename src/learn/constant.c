/* The middle of what was seen. With a target of ratios it scales the base column: "roofline times
 * a fitted constant"; fixed, it is the base column itself. */
#include "learn/learn_internal.h"

#include <string.h>

#include "kinds_fields.h"

static enum ec_status constant_fit(const struct ec_recipe *r, const struct ec_rows *rows,
                                   const struct ec_learn_env *env, struct ec_arena *a, void **ret,
                                   struct ec_err *err)
{
    const struct constant_opts *o = r->opts;
    double *c = ec_arena_alloc(a, sizeof *c), *y;

    (void)env;
    if (!c)
        return ec_nomem(err);
    *ret = c;
    if (o->fixed)
        return EC_OK;
    y = ec_alloc(sizeof *y * (size_t)rows->n);
    if (!y)
        return ec_nomem(err);
    memcpy(y, rows->y, sizeof *y * (size_t)rows->n);
    *c = ec_quantile_inplace(y, rows->n, 0.5);
    ec_free(y);
    return EC_OK;
}

static double constant_predict(const void *state, const double *x, int n_cols)
{
    (void)x;
    (void)n_cols;
    return *(const double *)state;
}

static void constant_save(const void *state, int n_cols, struct ec_buf *out)
{
    (void)n_cols;
    ec__put_f64(out, *(const double *)state);
}

static enum ec_status constant_load(struct ec_bytes *in, int n_cols, struct ec_arena *a, void **ret,
                                    struct ec_err *err)
{
    double *c = ec_arena_alloc(a, sizeof *c);

    (void)n_cols;
    if (!c)
        return ec_nomem(err);
    *c = ec__get_f64(in);
    *ret = c;
    return ec__get_status(in, true, err);
}

static void constant_describe(const void *state, const char *const *names, int n_cols,
                              struct ec_buf *out)
{
    (void)names;
    (void)n_cols;
    ec_buf_printf(out, "%.6g", *(const double *)state);
}

const struct ec_regressor_kind ec_regressor_constant = {
    .name = "constant",
    .help = "median of what was seen, or the base column itself",
    .fields = constant_fields,
    .opts_size = sizeof(struct constant_opts),
    .fit = constant_fit,
    .predict = constant_predict,
    .save = constant_save,
    .load = constant_load,
    .describe = constant_describe,
};
