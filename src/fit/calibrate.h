/* Calibration: a profile of a device from a few of its measurements; and which to make. */
#ifndef EC_FIT_CALIBRATE_H
#define EC_FIT_CALIBRATE_H

#include "predict/predict.h"

/* Rows that could not be used; why: a line for each of the first ten, then how many more.
 * ec_buf_clear it. */
struct ec_left_out {
    int n;
    struct ec_buf why;
};
/* A row that took part: what was predicted before and after. */
struct ec_calibrated_row {
    const struct ec_record *m;
    double before_ns, after_ns;
};
/* Offsets by maximum a posteriori: a Gaussian prior around what ships, robust errors on the
 * logarithm of the time. Rows of other devices are an error, rows we cannot predict are left out
 * and counted. The predictor is left with the result as its profile.
 * ret_rows  n - *ret_left_out->n of them; ec_free() it
 * Errors    INPUT when no row can be used, with the reason of the first; NOMEM */
enum ec_status ec_calibrate(struct ec_predictor *p, const char *device,
                            const struct ec_record *rows, int n, struct ec_profile *ret,
                            struct ec_calibrated_row **ret_rows, struct ec_left_out *ret_left_out,
                            struct ec_err *err) EC_MUST_CHECK;

/* Which measurements would narrow the prediction most, best first: each is the one that leaves the
 * least variance over all candidates together, after those before it. */
struct ec_suggestion {
    const char *what;
    bool is_network;
    const char *precision;
    int64_t batch;
    double expected_ns;
    double
        spread; /* remaining standard deviation of log(time) over the candidates, after this one */
};
/* from: known so far (a prior or a profile)
 * ret_spread  before any
 * ret         n of them; ec_free() it */
enum ec_status ec_calibrate_suggest(struct ec_predictor *p, const struct ec_profile *from, int n,
                                    struct ec_suggestion **ret, int *ret_n, double *ret_spread,
                                    struct ec_err *err) EC_MUST_CHECK;

#endif
