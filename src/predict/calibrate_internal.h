/* Shared by calibration and its study: the three offsets by maximum a posteriori. */
#ifndef EC_CALIBRATE_INTERNAL_H
#define EC_CALIBRATE_INTERNAL_H

#include "predict/predict_internal.h"

/* What is not law is held while the offsets move, then taken anew. */
#define EC_MAP_ROUNDS 3
struct ec_map_row {
    struct ec_posed q;
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
enum ec_status ec__map_offsets(const struct ec_map *m, double x[EC_DO_COUNT],
                               double ret_covariance[EC_DO_COUNT][EC_DO_COUNT],
                               struct ec_err *err) EC_MUST_CHECK;
void ec__calibrate_prior_sd(const struct ec_fitted *f, const char *key, double ret[EC_DO_COUNT]);
/* The same constants, with nothing known of any device beyond its catalogue, nor of the machine
 * around it. */
struct ec_fitted ec__fitted_bare(const struct ec_fitted *f);
/* Error of the law on a row, beside the offsets. */
double ec__row_sigma(const struct ec_fitted *f, const struct ec_posed *q);
/* What is kept of log(measured / predicted): a row further off is a mistake of its own. */
double ec__left_over(double log_ratio);

#endif
