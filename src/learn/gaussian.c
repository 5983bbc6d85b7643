/* Gaussian process regression by Cholesky factorisation; the caller provides the covariances. */
#include "learn/learn.h"

#include <string.h>

void ec_gaussian_clear(struct ec_gaussian *g)
{
    ec_free(g->factor);
    ec_free(g->alpha);
    memset(g, 0, sizeof *g);
}

enum ec_status ec_gaussian_init(struct ec_gaussian *g, int n, struct ec_err *err)
{
    size_t room = (size_t)(n > 0 ? n : 1);

    *g = (struct ec_gaussian){ .n = n,
                               .factor = ec_alloc(sizeof *g->factor * room * room),
                               .alpha = ec_alloc(sizeof *g->alpha * room) };
    if (g->factor && g->alpha)
        return EC_OK;
    ec_gaussian_clear(g);
    return ec_nomem(err);
}

bool ec_gaussian_solve(struct ec_gaussian *g, ec_covariance_fn covariance, const void *ctx,
                       const double *residual)
{
    int i, j;

    for (i = 0; i < g->n; i++)
        for (j = 0; j <= i; j++)
            g->factor[i * g->n + j] = covariance(ctx, i, j);
    if (!ec_cholesky_factor(g->factor, g->n))
        return false;
    memcpy(g->alpha, residual, sizeof *g->alpha * (size_t)g->n);
    ec_cholesky_lower(g->factor, g->n, g->alpha);
    ec_cholesky_upper(g->factor, g->n, g->alpha);
    return true;
}

double ec_gaussian_mean(const struct ec_gaussian *g, const double *k)
{
    double mean = 0;
    int i;

    for (i = 0; i < g->n; i++)
        mean += k[i] * g->alpha[i];
    return mean;
}

double ec_gaussian_explained(const struct ec_gaussian *g, double *k)
{
    double explained = 0;
    int i;

    ec_cholesky_lower(g->factor, g->n, k);
    for (i = 0; i < g->n; i++)
        explained += k[i] * k[i];
    return explained;
}

/* Column i of the factor's inverse: zero above i. */
static void inverse_column(const struct ec_gaussian *g, int i, double *ret)
{
    int k, j;

    for (k = i; k < g->n; k++) {
        const double *row = g->factor + (size_t)k * (size_t)g->n;
        double sum = k == i;

        for (j = i; j < k; j++)
            sum -= row[j] * ret[j];
        ret[k] = sum / row[k];
    }
}

double ec_gaussian_left_out(const struct ec_gaussian *g, int i, double *room, double *ret_variance)
{
    double inverse = 0;
    int k;

    inverse_column(g, i, room);
    for (k = i; k < g->n; k++)
        inverse += room[k] * room[k];
    *ret_variance = 1 / inverse;
    return g->alpha[i] * *ret_variance;
}
