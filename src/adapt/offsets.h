/* Fits the three offsets of a device to a few rows, by maximum a posteriori. */
#ifndef EC_ADAPT_OFFSETS_H
#define EC_ADAPT_OFFSETS_H

#include "model/model.h"

/* Rounds of the fit: corrections are constant in a round and are computed again before the next. */
#define EC_MAP_ROUNDS 3
struct ec_map_row {
    struct ec_physics_query q;
    double time_ns;    /* measured */
    double correction; /* of log(time), beside the physics; constant in a round */
};
struct ec_map {
    const struct ec_fitted *fitted;
    const struct ec_map_row *row;
    int n;
    double prior_sd[EC_DO_COUNT];
};
/* x               start on entry, optimum on return
 * ret_covariance  the inverse of the Hessian there
 * Errors          NOMEM, UNSTABLE */
enum ec_status ec_offsets_map(const struct ec_map *m, double x[EC_DO_COUNT],
                              double ret_covariance[EC_DO_COUNT][EC_DO_COUNT],
                              struct ec_err *err) EC_MUST_CHECK;
void ec_offsets_prior_sd(const struct ec_fitted *f, const char *key, double ret[EC_DO_COUNT]);
/* Bounds a residual: a row further off is an error of its own. */
double ec_residual_kept(double log_ratio);
/* Variance of log(time) from the covariance of the offsets: g' C g, g the gradient by the offsets.
 */
double ec_variance_along(const double g[EC_DO_COUNT],
                         const double covariance[EC_DO_COUNT][EC_DO_COUNT]);

#endif
