/* Fitting and judging: sees numbers and matrices, never layers. */
#ifndef EC_LEARN_H
#define EC_LEARN_H

#include "base/base.h"

/* Errors of predictions against measurements, in the order given. Percentages are shares (0.05). */
struct ec_metrics {
    int n;
    double median_ape, mean_ape, p90_ape, worst_ape;
    double rmse, mae, r2; /* in the unit of the values */
    double bias;          /* median of predicted / measured */
    double coverage;      /* share inside [lo, hi]; 0 without intervals */
};
/* lo and hi may be NULL. n = 0 gives zeros. Errors: NOMEM */
enum ec_status ec_metrics_compute(const double *measured, const double *predicted, const double *lo,
                                  const double *hi, int n, struct ec_metrics *ret,
                                  struct ec_err *err) EC_MUST_CHECK;

/* Quantile with linear interpolation between order statistics; sorts `v`. n >= 1. */
double ec_quantile_inplace(double *v, int n, double q);

/* Robust nonlinear least squares: Levenberg-Marquardt on Huber-weighted residuals with Gaussian
 * priors around zero. Derivatives by central differences. Rows are cut into a fixed number of
 * pieces, summed in order, so that any number of threads gives the same bits. */
struct ec_lm_problem {
    int n_params, n_rows;
    void *ctx;
    double (*residual)(const void *ctx, const double *x, int row);
    bool (*depends)(const void *ctx, int param, int row); /* NULL: every row on every parameter */
    const double *prior_sd;                               /* n_params; 0: no prior */
    const double *weight;                                 /* n_rows; NULL: 1 */
    double huber; /* |residual| beyond which its growth is linear */
    int max_iterations, n_threads;
    void (*progress)(void *progress_ctx, int iteration, double loss); /* NULL: silent */
    void *progress_ctx;
};
/* x: start on entry, optimum on return. Errors: NOMEM, UNSTABLE when no step lowers the loss of a
 * start that is not finite. */
enum ec_status ec_lm_fit(const struct ec_lm_problem *p, double *x, double *ret_loss,
                         struct ec_err *err) EC_MUST_CHECK;

#endif
