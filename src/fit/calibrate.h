/* Calibration: makes a profile of a device from a few measurements, and suggests which to make. */
#ifndef EC_FIT_CALIBRATE_H
#define EC_FIT_CALIBRATE_H

#include "predict/predict.h"

/* Rows that could not be used: their number, and the reasons of the first ten as lines of text.
 * ec_buf_clear why. */
struct ec_left_out {
    int n;
    struct ec_buf why;
};
/* A row that was used: predictions with the profile before and after. */
struct ec_calibrated_row {
    const struct ec_record *m;
    double before_ns, after_ns; /* by all rows, but not as an answer to itself */
};
/* Fits the offsets by maximum a posteriori: a Gaussian prior around the shipped offsets, robust
 * errors of log(time). A row of another device is an error; rows that cannot be predicted are left
 * out and counted. Afterwards the predictor uses the resulting profile.
 * ret_rows  n - ret_left_out->n of them; ec_free() it
 * Errors    INPUT when no row can be used, with the reason of the first; NOMEM */
enum ec_status ec_calibrate(struct ec_predictor *p, const char *device,
                            const struct ec_record *rows, int n, struct ec_profile *ret,
                            struct ec_calibrated_row **ret_rows, struct ec_left_out *ret_left_out,
                            struct ec_err *err) EC_MUST_CHECK;

/* A measurement that would narrow predictions, the best first. Each is the one that leaves the
 * least variance over all candidates, given those before it. */
struct ec_suggestion {
    const char *what;
    bool is_network;
    const char *precision;
    int64_t batch;
    double expected_ns;
    double spread; /* standard deviation of log(time) over all candidates after this one */
};
/* from        the prior or a profile
 * ret_spread  standard deviation before any suggestion
 * ret         n of them; ec_free() it
 * Errors      those of predictions; NOMEM */
enum ec_status ec_calibrate_suggest(struct ec_predictor *p, const struct ec_profile *from, int n,
                                    struct ec_suggestion **ret, int *ret_n, double *ret_spread,
                                    struct ec_err *err) EC_MUST_CHECK;

#endif
