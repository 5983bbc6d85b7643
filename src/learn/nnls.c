/* Non-negative least squares by Lawson and Hanson's active set: sums of physical terms, none of
 * which can take time away. */
#include "learn/learn_internal.h"

#include <math.h>

#include "kinds_fields.h"

/* min |A x - b| over x >= 0, from A'A and A'b. */
struct problem {
    double *ata, *atb, *x, *trial, *sub; /* d x d, d, d, d, d x d */
    int *set;                            /* columns that may be above zero */
    int d, n_set;
};

static double gradient(const struct problem *p, int j)
{
    double g = p->atb[j];
    int k;

    for (k = 0; k < p->d; k++)
        g -= p->ata[j * p->d + k] * p->x[k];
    return g;
}

static bool in_set(const struct problem *p, int j)
{
    int i;

    for (i = 0; i < p->n_set; i++)
        if (p->set[i] == j)
            return true;
    return false;
}

static bool solve_set(struct problem *p)
{
    int i, k;

    for (i = 0; i < p->n_set; i++) {
        for (k = 0; k < p->n_set; k++)
            p->sub[i * p->n_set + k] = p->ata[p->set[i] * p->d + p->set[k]];
        p->sub[i * p->n_set + i] *= 1 + 1e-12;
        p->trial[i] = p->atb[p->set[i]];
    }
    return ec_cholesky_solve(p->sub, p->trial, p->n_set);
}

/* Moves from x towards the trial as far as all stay at or above zero; columns at zero leave the
 * set. Returns true when it arrived at the trial. */
static bool step(struct problem *p)
{
    double most = 1;
    int i, kept = 0;

    for (i = 0; i < p->n_set; i++)
        if (p->trial[i] <= 0) {
            double x = p->x[p->set[i]];

            most = fmin(most, x / (x - p->trial[i]));
        }
    for (i = 0; i < p->n_set; i++) {
        double *x = &p->x[p->set[i]];

        *x += most * (p->trial[i] - *x);
        if (most < 1 && (*x <= 1e-14 || (p->trial[i] <= 0 && *x < 1e-12)))
            *x = 0;
        else
            p->set[kept++] = p->set[i];
    }
    p->n_set = kept;
    return most >= 1;
}

static void nnls(struct problem *p)
{
    int round, j;

    for (round = 0; round < 10 * p->d; round++) {
        double best = 0;
        int enter = -1;

        for (j = 0; j < p->d; j++) {
            double g = in_set(p, j) ? 0 : gradient(p, j);

            if (g > best + 1e-10 * fabs(p->atb[j])) {
                best = g;
                enter = j;
            }
        }
        if (enter < 0)
            return;
        p->set[p->n_set++] = enter;
        do {
            if (!solve_set(p)) {
                p->n_set--; /* a combination of columns in the set */
                return;
            }
        } while (!step(p) && p->n_set);
    }
}

/* Columns are scaled to norm 1, so that tolerances mean the same for all. */
static enum ec_status gather(const struct ec_rows *rows, const struct nnls_opts *o,
                             struct problem *p, double *scale, double *z, struct ec_err *err)
{
    int i, j, k, d = p->d;

    for (i = 0; i < rows->n; i++) {
        const double *x = rows->x + (size_t)i * (size_t)rows->n_cols;
        double w = 1;

        if (o->relative) {
            if (rows->y[i] == 0)
                return ec_fail(err, EC_E_INPUT, "row %d: relative errors need values other than 0",
                               i);
            w = 1 / fabs(rows->y[i]);
        }
        for (j = 0; j < rows->n_cols; j++)
            z[j] = w * x[j];
        if (d > rows->n_cols)
            z[rows->n_cols] = w;
        for (j = 0; j < d; j++) {
            for (k = 0; k < d; k++)
                p->ata[j * d + k] += z[j] * z[k];
            p->atb[j] += z[j] * w * rows->y[i];
        }
    }
    for (j = 0; j < d; j++)
        scale[j] = p->ata[j * d + j] > 0 ? sqrt(p->ata[j * d + j]) : 1;
    for (j = 0; j < d; j++) {
        for (k = 0; k < d; k++)
            p->ata[j * d + k] /= scale[j] * scale[k];
        p->atb[j] /= scale[j];
    }
    return EC_OK;
}

static enum ec_status nnls_fit(const struct ec_fitting *f, void *state, struct ec_err *err)
{
    const struct ec_rows *rows = f->rows;
    const struct nnls_opts *o = f->r->opts;
    size_t d = (size_t)rows->n_cols + (o->intercept ? 1 : 0), j;
    struct problem p = { .d = (int)d };
    struct ec_linear_model *m = state;
    struct ec_arena scratch = { 0 };
    double *scale, *z;
    enum ec_status st;

    m->coef = ec_arena_alloc(f->a, sizeof *m->coef * (size_t)rows->n_cols);
    EC_TRY(ec_allocated(m->coef, err));
    p.ata = ec_arena_alloc(&scratch, (2 * d * d + 5 * d) * sizeof *p.ata);
    p.set = ec_arena_alloc(&scratch, d * sizeof *p.set);
    EC_TRY(ec_allocated(p.ata && p.set, err));
    p.sub = p.ata + d * d;
    p.atb = p.sub + d * d;
    p.x = p.atb + d;
    p.trial = p.x + d;
    scale = p.trial + d;
    z = scale + d;
    EC_TRY(gather(rows, o, &p, scale, z, err));
    nnls(&p);
    for (j = 0; j < (size_t)rows->n_cols; j++)
        m->coef[j] = p.x[j] / scale[j];
    m->intercept = o->intercept ? p.x[d - 1] / scale[d - 1] : 0;
out:
    ec_arena_clear(&scratch);
    return st;
}

const struct ec_regressor_kind ec_regressor_nnls = {
    .name = "nnls",
    .help = "least squares with coefficients that are not below zero",
    .fields = nnls_fields,
    .opts_size = sizeof(struct nnls_opts),
    .state_size = sizeof(struct ec_linear_model),
    .fit = nnls_fit,
    .predict = ec__linear_predict,
    .members = ec__linear_members,
    .describe = ec__linear_describe,
};
