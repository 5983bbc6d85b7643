/* Ordinary least squares by Householder QR with column pivoting; columns that others explain get a
 * coefficient of 0. */
#include "learn/learn_internal.h"

#include <math.h>
#include <string.h>

/* Standardised columns, one after the other (column-major), and what goes with the fit. */
struct qr {
    double *z, *y, *mean, *sd, *beta; /* n x d, n, d, d, d */
    int *col;                         /* original column at each place */
    size_t n;
    int d, rank;
};

#define RANK_TOLERANCE 1e-9

static double norm2(const double *v, size_t from, size_t n)
{
    double s = 0;
    size_t i;

    for (i = from; i < n; i++)
        s += v[i] * v[i];
    return s;
}

static void swap_columns(struct qr *q, int a, int b)
{
    double *p = q->z + (size_t)a * q->n, *o = q->z + (size_t)b * q->n;
    int c = q->col[a];
    size_t i;

    if (a == b)
        return;
    for (i = 0; i < q->n; i++) {
        double t = p[i];

        p[i] = o[i];
        o[i] = t;
    }
    q->col[a] = q->col[b];
    q->col[b] = c;
}

static void reflect(const double *v, double scale, double *w, size_t from, size_t n)
{
    double s = 0;
    size_t i;

    for (i = from; i < n; i++)
        s += v[i] * w[i];
    s *= scale;
    for (i = from; i < n; i++)
        w[i] -= s * v[i];
}

/* Step k: the column with most left goes to place k and is turned onto the k-th axis. */
static bool turn(struct qr *q, int k, double first)
{
    double *v = q->z + (size_t)k * q->n, best = -1, alpha, head;
    int j, at = k;

    for (j = k; j < q->d; j++) {
        double left = norm2(q->z + (size_t)j * q->n, (size_t)k, q->n);

        if (left > best) {
            best = left;
            at = j;
        }
    }
    if (best <= first * RANK_TOLERANCE * RANK_TOLERANCE || (size_t)k >= q->n)
        return false;
    swap_columns(q, k, at);
    alpha = v[k] > 0 ? -sqrt(best) : sqrt(best);
    head = v[k] - alpha;
    v[k] = head;
    for (j = k + 1; j < q->d; j++)
        reflect(v, 2 / norm2(v, (size_t)k, q->n), q->z + (size_t)j * q->n, (size_t)k, q->n);
    reflect(v, 2 / norm2(v, (size_t)k, q->n), q->y, (size_t)k, q->n);
    v[k] = alpha; /* R's diagonal; what is below is not read again */
    return true;
}

static void solve(struct qr *q)
{
    double first = (double)q->n;
    int i, j;

    for (q->rank = 0; q->rank < q->d && turn(q, q->rank, first);)
        q->rank++;
    memset(q->beta, 0, sizeof *q->beta * (size_t)q->d);
    for (i = q->rank; i-- > 0;) {
        double s = q->y[i];

        for (j = i + 1; j < q->rank; j++)
            s -= q->z[(size_t)j * q->n + (size_t)i] * q->beta[q->col[j]];
        q->beta[q->col[i]] = s / q->z[(size_t)i * q->n + (size_t)i];
    }
}

static void standardise(struct qr *q, const struct ec_rows *rows, double y_mean)
{
    size_t i, j, d = (size_t)q->d;

    for (i = 0; i < q->n; i++) {
        for (j = 0; j < d; j++)
            q->z[j * q->n + i] = (rows->x[i * d + j] - q->mean[j]) / q->sd[j];
        q->y[i] = rows->y[i] - y_mean;
    }
    for (j = 0; j < d; j++)
        q->col[j] = (int)j;
}

static enum ec_status linear_fit(const struct ec_fitting *f, void *state, struct ec_err *err)
{
    const struct ec_rows *rows = f->rows;
    size_t n = (size_t)rows->n, d = (size_t)rows->n_cols, j;
    struct qr q = { .n = n, .d = rows->n_cols };
    struct ec_linear_model *m = state;
    struct ec_arena scratch = { 0 };
    enum ec_status st;
    double mean = 0;
    int i;

    m->coef = ec_arena_alloc(f->a, sizeof *m->coef * (size_t)rows->n_cols);
    EC_TRY(ec_allocated(m->coef, err));
    q.z = ec_arena_alloc(&scratch, n * d * sizeof *q.z);
    q.y = ec_arena_alloc(&scratch, n * sizeof *q.y);
    q.mean = ec_arena_alloc(&scratch, 3 * d * sizeof *q.mean);
    q.col = ec_arena_alloc(&scratch, d * sizeof *q.col);
    EC_TRY(ec_allocated(q.z && q.y && q.mean && q.col, err));
    q.sd = q.mean + d;
    q.beta = q.sd + d;
    for (i = 0; i < rows->n; i++)
        mean += rows->y[i] / rows->n;
    ec__column_stats(rows, q.mean, q.sd);
    standardise(&q, rows, mean);
    solve(&q);
    m->intercept = mean;
    for (j = 0; j < d; j++) {
        m->coef[j] = q.beta[j] / q.sd[j];
        m->intercept -= m->coef[j] * q.mean[j];
    }
out:
    ec_arena_clear(&scratch);
    return st;
}

static const struct ec_field fields[] = { EC_FIELD_END };

const struct ec_regressor_kind ec_regressor_linear = {
    .name = "linear",
    .help = "ordinary least squares",
    .fields = fields,
    .state_size = sizeof(struct ec_linear_model),
    .fit = linear_fit,
    .predict = ec__linear_predict,
    .members = ec__linear_members,
    .describe = ec__linear_describe,
};
