/* Fits the three offsets of a device to a few rows. */
#include "adapt/offsets.h"

#include "learn/learn.h"

#include <math.h>

/* Prior standard deviations of the offsets, as in the fit of the constants. A device with rows of
 * its product may differ by its board, another one by its architecture. The host of the person who
 * measures is always unknown: HOST_SD is added for the launch offset. */
static const double measured_sd[EC_DO_COUNT] = { 0.08, 0.08, 0.10 };
static const double unmeasured_sd[EC_DO_COUNT] = { 0.16, 0.13, 0.14 };
#define HOST_SD 0.35
/* Standard deviations of log(time) that no offset explains, and the limit for outliers. Products
 * and convolutions: which kernel a library chooses; little of that is left in large and even
 * products (SIGMA_SUSTAINED). Other operators: less, plus SIGMA_BESIDE times the share of their
 * time beside kernels, which differs from operator to operator. */
#define SIGMA_MATRIX 0.40
#define SIGMA_SUSTAINED 0.15
#define SIGMA_OPERATOR 0.10
#define SIGMA_BESIDE 0.20
#define SIGMA_NETWORK 0.12
#define HUBER 0.3
/* Bound on a residual, so that rows nearby do not follow a single bad row. */
#define RESIDUAL_MAX 1.0
/* A product is sustained when its sides are multiples of EVEN, at least LONG, and it has at least
 * ROUNDS_MANY waves of tiles. */
#define EVEN 64
#define LONG 1024
#define TILE 128
#define ROUNDS_MANY 8

double ec_residual_kept(double log_ratio)
{
    return fmax(-RESIDUAL_MAX, fmin(RESIDUAL_MAX, log_ratio));
}

static bool is_long(double side)
{
    return side >= LONG && fmod(side, EVEN) == 0;
}

static bool is_sustained(const struct ec_physics_query *q)
{
    const struct ec_kernel *k = &q->step->kernel[0];
    double units = q->device->sm_count.value > 0 ? q->device->sm_count.value : 1;

    return q->kind == EC_W_gemm && q->step->n == 1 && is_long(k->m) && is_long(k->n) &&
           is_long(k->k) &&
           fmax(k->b, 1) * ceil(k->m / TILE) * ceil(k->n / TILE) >= ROUNDS_MANY * units;
}

/* The share of a lone operator's time that is beside its kernels. */
static double share_beside(const struct ec_fitted *f, const struct ec_physics_query *q)
{
    struct ec_step_time t;
    struct ec_rates r;

    if (ec_rates_init(&r, q->device, &q->cond, &f->c, NULL, NULL))
        return 0.5;
    ec_step_time(q->step, &r, &f->c, true, &t);
    return t.gap_ns / t.step_ns;
}

/* Standard deviation of log(time) of a row that no offset explains. */
static double row_sd(const struct ec_fitted *f, const struct ec_physics_query *q)
{
    if (!q->isolated)
        return SIGMA_NETWORK;
    if (is_sustained(q))
        return SIGMA_SUSTAINED;
    if (q->kind == EC_W_gemm || q->kind == EC_W_conv)
        return SIGMA_MATRIX;
    return SIGMA_OPERATOR + SIGMA_BESIDE * share_beside(f, q);
}

void ec_offsets_prior_sd(const struct ec_fitted *f, const char *key, double ret[EC_DO_COUNT])
{
    const double *sd = ec_fitted_sources(f, key) ? measured_sd : unmeasured_sd;
    int i;

    for (i = 0; i < EC_DO_COUNT; i++)
        ret[i] = i == EC_DO_LAUNCH ? hypot(sd[i], HOST_SD) : sd[i];
}

/* ------------------------------------------------------------------------------------------------
 * Maximum a posteriori */

static double log_error(const void *ctx, const double *x, int row)
{
    const struct ec_map *m = ctx;
    const struct ec_map_row *r = &m->row[row];
    double t = ec_query_log_ns(m->fitted, &r->q, x);

    return isfinite(t) ? t + r->correction - log(r->time_ns) : 0;
}

/* Inverse of a symmetric positive definite 3 x 3 matrix. */
static void invert(const double a[EC_DO_COUNT][EC_DO_COUNT], double ret[EC_DO_COUNT][EC_DO_COUNT])
{
    double det = 0;
    int i, k;

    for (i = 0; i < EC_DO_COUNT; i++) {
        int p = (i + 1) % 3, q = (i + 2) % 3;

        for (k = 0; k < EC_DO_COUNT; k++) {
            int u = (k + 1) % 3, v = (k + 2) % 3;

            ret[k][i] = a[p][u] * a[q][v] - a[p][v] * a[q][u];
        }
    }
    for (k = 0; k < EC_DO_COUNT; k++)
        det += a[0][k] * ret[k][0];
    for (i = 0; i < EC_DO_COUNT; i++)
        for (k = 0; k < EC_DO_COUNT; k++)
            ret[i][k] /= det;
}

/* Adds a row to the Hessian: weight times g g'. */
static void inform(double hessian[EC_DO_COUNT][EC_DO_COUNT], const double g[EC_DO_COUNT],
                   double weight)
{
    int i, k;

    for (i = 0; i < EC_DO_COUNT; i++)
        for (k = 0; k < EC_DO_COUNT; k++)
            hessian[i][k] += weight * g[i] * g[k];
}

static void posterior(const struct ec_map *m, const double *x, double ret[EC_DO_COUNT][EC_DO_COUNT])
{
    double h[EC_DO_COUNT][EC_DO_COUNT] = { { 0 } }, g[EC_DO_COUNT];
    int i;

    for (i = 0; i < EC_DO_COUNT; i++)
        h[i][i] = 1 / (m->prior_sd[i] * m->prior_sd[i]);
    for (i = 0; i < m->n; i++) {
        double e = fabs(log_error(m, x, i)), sigma = row_sd(m->fitted, &m->row[i].q);

        ec_query_gradient(m->fitted, &m->row[i].q, x, g);
        inform(h, g, (e > HUBER ? HUBER / e : 1) / (sigma * sigma));
    }
    invert((const double(*)[EC_DO_COUNT])h, ret);
}

enum ec_status ec_offsets_map(const struct ec_map *m, double x[EC_DO_COUNT],
                              double ret_covariance[EC_DO_COUNT][EC_DO_COUNT], struct ec_err *err)
{
    struct ec_map own = *m;
    struct ec_lm_problem p = { .n_params = EC_DO_COUNT,
                               .n_rows = m->n,
                               .ctx = &own,
                               .residual = log_error,
                               .prior_sd = m->prior_sd,
                               .huber = HUBER,
                               .max_iterations = 30,
                               .n_threads = 1 };
    double *weight = ec_alloc(sizeof *weight * (size_t)(m->n ? m->n : 1)), loss = 0;
    enum ec_status st;
    int i;

    EC_PASS(ec_allocated(weight, err));
    for (i = 0; i < m->n; i++) {
        double sigma = row_sd(m->fitted, &m->row[i].q);

        weight[i] = 1 / (sigma * sigma);
    }
    p.weight = weight;
    EC_TRY(ec_lm_fit(&p, x, &loss, err));
    posterior(m, x, ret_covariance);
out:
    ec_free(weight);
    return st;
}

double ec_variance_along(const double g[EC_DO_COUNT],
                         const double covariance[EC_DO_COUNT][EC_DO_COUNT])
{
    double sum = 0;
    int i, k;

    for (i = 0; i < EC_DO_COUNT; i++)
        for (k = 0; k < EC_DO_COUNT; k++)
            sum += g[i] * covariance[i][k] * g[k];
    return sum;
}
