/* The three offsets of a device from a few rows, by maximum a posteriori. */
#ifndef EC_ADAPT_OFFSETS_H
#define EC_ADAPT_OFFSETS_H

#include "model/model.h"

/* What is not law is held while the offsets move, then taken anew. */
#define EC_MAP_ROUNDS 3
struct ec_map_row {
    struct ec_physics_query q;
    double time_ns;    /* measured */
    double correction; /* of log(time), what is not law: held while the offsets move */
};
struct ec_map {
    const struct ec_fitted *fitted;
    const struct ec_map_row *row;
    int n;
    double prior_sd[EC_DO_COUNT];
};
/* x: start on entry, optimum on return; ret_covariance: by the curvature there. Errors: NOMEM,
 * UNSTABLE */
enum ec_status ec_offsets_map(const struct ec_map *m, double x[EC_DO_COUNT],
                              double ret_covariance[EC_DO_COUNT][EC_DO_COUNT],
                              struct ec_err *err) EC_MUST_CHECK;
void ec_offsets_prior_sd(const struct ec_fitted *f, const char *key, double ret[EC_DO_COUNT]);
/* Error of the law on a row, beside the offsets. */
double ec_offsets_row_sd(const struct ec_fitted *f, const struct ec_physics_query *q);
/* What is kept of log(measured / predicted): a row further off is a mistake of its own. */
double ec_residual_kept(double log_ratio);
/* Variance of the logarithm that the covariance of the offsets leaves: g' C g. */
double ec_variance_along(const double g[EC_DO_COUNT],
                         const double covariance[EC_DO_COUNT][EC_DO_COUNT]);

#endif
