/* The middle of what was seen. With a target of ratios it scales the base column: "roofline times
 * a fitted constant"; fixed, it is the base column itself. */
#include "learn/learn_internal.h"

#include <string.h>

#include "kinds_fields.h"

static enum ec_status constant_fit(const struct ec_fitting *f, void *state, struct ec_err *err)
{
    const struct constant_opts *o = f->r->opts;
    double *c = state, *y;

    if (o->fixed)
        return EC_OK;
    y = ec_alloc(sizeof *y * (size_t)f->rows->n);
    EC_PASS(ec_allocated(y, err));
    memcpy(y, f->rows->y, sizeof *y * (size_t)f->rows->n);
    *c = ec_quantile_inplace(y, f->rows->n, 0.5);
    ec_free(y);
    return EC_OK;
}

static double constant_predict(const void *state, const double *x, int n_cols)
{
    (void)x;
    (void)n_cols;
    return *(const double *)state;
}

static void constant_members(struct ec_bytes *io, void *state, int n_cols)
{
    (void)n_cols;
    ec__io_f64(io, state);
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
    .state_size = sizeof(double),
    .fit = constant_fit,
    .predict = constant_predict,
    .members = constant_members,
    .describe = constant_describe,
};
