/* Nearest neighbours on standardised columns, weighted by distance. Looks at every kept row. */
#include "learn/learn_internal.h"

#include <assert.h>
#include <math.h>

#include "kinds_fields.h"

struct knn {
    int n, k;
    double *mean, *sd, *y;
    float *z; /* n x n_cols, standardised */
};

static enum ec_status knn_fit(const struct ec_fitting *f, void *state, struct ec_err *err)
{
    const struct knn_opts *o = f->r->opts;
    const struct ec_rows *rows = f->rows;
    size_t d = (size_t)rows->n_cols, j;
    struct knn *m = state;
    int i;

    m->n = rows->n < o->max_rows ? rows->n : (int)o->max_rows;
    m->k = (int)o->k < m->n ? (int)o->k : m->n;
    assert(m->k > 0 && m->n <= rows->n);
    m->mean = ec_arena_alloc(f->a, d * sizeof *m->mean);
    m->sd = ec_arena_alloc(f->a, d * sizeof *m->sd);
    m->y = ec_arena_alloc(f->a, (size_t)m->n * sizeof *m->y);
    m->z = ec_arena_alloc(f->a, (size_t)m->n * d * sizeof *m->z);
    EC_PASS(ec_allocated(m->mean && m->sd && m->y && m->z, err));
    ec__column_stats(rows, m->mean, m->sd);
    for (i = 0; i < m->n; i++) {
        size_t from = (size_t)((int64_t)rows->n * i / m->n);

        m->y[i] = rows->y[from];
        for (j = 0; j < d; j++)
            m->z[(size_t)i * d + j] = (float)((rows->x[from * d + j] - m->mean[j]) / m->sd[j]);
    }
    return EC_OK;
}

static float distance2(const float *a, const float *b, int n)
{
    float s = 0;
    int i;

    for (i = 0; i < n; i++)
        s += (a[i] - b[i]) * (a[i] - b[i]);
    return s;
}

static double knn_predict(const void *state, const double *x, int n_cols)
{
    const struct knn *m = state;
    float q[EC_LEARN_COLS_MAX], near[EC__KNN_MAX];
    double sum = 0, weights = 0;
    int index[EC__KNN_MAX], n = 0, i, at;

    for (i = 0; i < n_cols; i++)
        q[i] = (float)((x[i] - m->mean[i]) / m->sd[i]);
    for (i = 0; i < m->n; i++) {
        float d = distance2(q, m->z + (size_t)i * (size_t)n_cols, n_cols);

        if (n == m->k && !(d < near[n - 1]))
            continue;
        if (n < m->k)
            n++;
        for (at = n - 1; at > 0 && near[at - 1] > d; at--) {
            near[at] = near[at - 1];
            index[at] = index[at - 1];
        }
        near[at] = d;
        index[at] = i;
    }
    for (i = 0; i < n; i++) {
        double w = 1 / (sqrt((double)near[i]) + 1e-6);

        sum += w * m->y[index[i]];
        weights += w;
    }
    return weights > 0 ? sum / weights : m->y[0];
}

static void knn_members(struct ec_bytes *io, void *state, int n_cols)
{
    struct knn *m = state;

    ec__io_int(io, &m->k, 1, EC__KNN_MAX);
    ec__io_count(io, &m->n, 8 + 4 * (size_t)n_cols, 1000000);
    io->bad |= m->k > m->n;
    ec__io_f64s(io, &m->mean, n_cols);
    ec__io_widths(io, &m->sd, n_cols);
    ec__io_f64s(io, &m->y, m->n);
    ec__io_f32s(io, &m->z, m->n * n_cols);
}

static void knn_describe(const void *state, const char *const *names, int n_cols,
                         struct ec_buf *out)
{
    const struct knn *m = state;

    (void)names;
    (void)n_cols;
    ec_buf_printf(out, "the %d nearest of %d rows, weighted by distance", m->k, m->n);
}

const struct ec_regressor_kind ec_regressor_knn = {
    .name = "knn",
    .help = "nearest neighbours on standardised columns, weighted by distance",
    .fields = knn_fields,
    .opts_size = sizeof(struct knn_opts),
    .state_size = sizeof(struct knn),
    .fit = knn_fit,
    .predict = knn_predict,
    .members = knn_members,
    .describe = knn_describe,
};
