/* Ridge regression on standardised columns; the penalty by cross-validation. */
#include "learn/learn_internal.h"

#include <math.h>
#include <string.h>

#define FOLDS 5

#include "kinds_fields.h"

/* Sums over the rows of one fold: Z'Z, Z'y and y'y with Z standardised, y centred. */
struct sums {
    double *zz, *zy, yy;
    int n;
};

static void add_fold(struct sums *s, const struct ec_rows *rows, const double *mean,
                     const double *sd, double y_mean, int fold, double *z)
{
    int i, j, k, d = rows->n_cols;

    for (i = fold; i < rows->n; i += FOLDS) {
        const double *x = rows->x + (size_t)i * (size_t)d;
        double y = rows->y[i] - y_mean;

        for (j = 0; j < d; j++)
            z[j] = (x[j] - mean[j]) / sd[j];
        for (j = 0; j < d; j++) {
            for (k = 0; k <= j; k++)
                s->zz[j * d + k] += z[j] * z[k];
            s->zy[j] += z[j] * y;
        }
        s->yy += y * y;
        s->n++;
    }
}

/* Coefficients from all folds but `leave`; false when the penalty is too small to solve. */
static bool solve_without(const struct sums *fold, int leave, double lambda, int d, double *a,
                          double *beta)
{
    int f, j, k, n = 0;

    memset(a, 0, sizeof *a * (size_t)d * (size_t)d);
    memset(beta, 0, sizeof *beta * (size_t)d);
    for (f = 0; f < FOLDS; f++) {
        if (f == leave)
            continue;
        n += fold[f].n;
        for (j = 0; j < d; j++) {
            for (k = 0; k <= j; k++)
                a[j * d + k] += fold[f].zz[j * d + k];
            beta[j] += fold[f].zy[j];
        }
    }
    for (j = 0; j < d; j++)
        a[j * d + j] += lambda * n;
    return ec_cholesky_solve(a, beta, d);
}

/* Squared error of coefficients on a fold, from its sums. */
static double fold_error(const struct sums *s, const double *beta, int d)
{
    double e = s->yy;
    int j, k;

    for (j = 0; j < d; j++) {
        e -= 2 * beta[j] * s->zy[j];
        for (k = 0; k <= j; k++)
            e += (j == k ? 1 : 2) * beta[j] * beta[k] * s->zz[j * d + k];
    }
    return e;
}

static double best_lambda(const struct sums *fold, int d, double *a, double *beta)
{
    static const double tries[] = { 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10 };
    double best = 1e-3, best_error = HUGE_VAL;
    int i, f;

    for (i = 0; i < EC_LEN(tries); i++) {
        double error = 0;

        for (f = 0; f < FOLDS; f++)
            error += solve_without(fold, f, tries[i], d, a, beta) ? fold_error(&fold[f], beta, d)
                                                                  : HUGE_VAL;
        if (error < best_error) {
            best_error = error;
            best = tries[i];
        }
    }
    return best;
}

static enum ec_status ridge_fit(const struct ec_fitting *f, void *state, struct ec_err *err)
{
    const struct ec_rows *rows = f->rows;
    const struct ridge_opts *o = f->r->opts;
    size_t d = (size_t)rows->n_cols, j;
    struct ec_linear_model *m = state;
    struct ec_arena scratch = { 0 };
    struct sums fold[FOLDS] = { 0 };
    double *v = ec_arena_alloc(&scratch, (d * d + 4 * d) * sizeof *v);
    double *mean = v, *sd, *beta, *a, y_mean = 0, lambda;
    enum ec_status st;
    int i;

    m->coef = ec_arena_alloc(f->a, sizeof *m->coef * (size_t)rows->n_cols);
    EC_TRY(ec_allocated(m->coef, err));
    EC_TRY(ec_allocated(v, err));
    sd = v + d;
    beta = sd + d;
    a = beta + 2 * d;
    for (i = 0; i < rows->n; i++)
        y_mean += rows->y[i] / rows->n;
    ec__column_stats(rows, mean, sd);
    for (i = 0; i < FOLDS; i++) {
        fold[i].zz = ec_arena_alloc(&scratch, (d * d + d) * sizeof *v);
        EC_TRY(ec_allocated(fold[i].zz, err));
        fold[i].zy = fold[i].zz + d * d;
        add_fold(&fold[i], rows, mean, sd, y_mean, i, beta);
    }
    lambda = o->lambda > 0 ? o->lambda : best_lambda(fold, rows->n_cols, a, beta);
    while (!solve_without(fold, -1, lambda, rows->n_cols, a, beta))
        lambda *= 10;
    m->intercept = y_mean;
    for (j = 0; j < d; j++) {
        m->coef[j] = beta[j] / sd[j];
        m->intercept -= m->coef[j] * mean[j];
    }
out:
    ec_arena_clear(&scratch);
    return st;
}

const struct ec_regressor_kind ec_regressor_ridge = {
    .name = "ridge",
    .help = "least squares with a penalty chosen by cross-validation",
    .fields = ridge_fields,
    .opts_size = sizeof(struct ridge_opts),
    .state_size = sizeof(struct ec_linear_model),
    .fit = ridge_fit,
    .predict = ec__linear_predict,
    .members = ec__linear_members,
    .describe = ec__linear_describe,
};
