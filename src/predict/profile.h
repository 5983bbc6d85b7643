/* Profiles of devices: what a handful of measurements adds to what ships. */
#ifndef EC_PREDICT_PROFILE_H
#define EC_PREDICT_PROFILE_H

#include "dataset/dataset.h"
#include "epochcast/predict.h"
#include "predict/gp.h"
#include "predict/layers_rows.h"
#include "predict/physics.h"

#define EC_PROFILE_TEXT_BYTES 128
/* What a handful of measurements says of a device beyond what ships: changes of the logarithms of
 * its compute, memory and launch times. docs/calibration.md has the file. */
struct ec_profile {
    char device[EC_PROFILE_TEXT_BYTES];
    double change[EC_DO_COUNT];
    double covariance[EC_DO_COUNT][EC_DO_COUNT];
    int64_t n_operators, n_networks; /* rows behind it */
    int n_points;                    /* what each row leaves over, beyond the offsets */
    struct ec_gp_point point[EC_GP_MAX];
    double error_before, error_after;    /* median absolute share on these rows */
    char numbers[EC_PROFILE_TEXT_BYTES]; /* of the device, measured: "name=value,..."; "": none */
    char source[EC_PROFILE_TEXT_BYTES], made[EC_PROFILE_TEXT_BYTES];
    char machine[EC_PROFILE_TEXT_BYTES]; /* around the device, in words; "": not told */
    char version[EC_PROFILE_TEXT_BYTES], constants[EC_PROFILE_TEXT_BYTES];
};
void ec_profile_json(const struct ec_profile *p, struct ec_buf *out);
/* The same with layers of the machine; layers: NULL for none. */
void ec_profile_json_layers(const struct ec_profile *p, const struct ec_layers *layers,
                            struct ec_buf *out);
/* *ret: ec_layers_free, NULL when the profile has none. Errors: PARSE, NOMEM */
enum ec_status ec_profile_parse_layers(const char *text, size_t len, struct ec_layers **ret,
                                       struct ec_err *err) EC_MUST_CHECK;
/* Errors: PARSE with what is wrong, UNSUPPORTED for a newer schema */
enum ec_status ec_profile_parse(const char *text, size_t len, struct ec_profile *ret,
                                struct ec_err *err) EC_MUST_CHECK;
/* NULL: none */
const struct ec_profile *ec_predictor_profile(const struct ec_predictor *p);

/* Before any row: what is known of the device's offsets, as a profile that changes nothing.
 * Errors: NOT_FOUND for the device */
enum ec_status ec_calibrate_prior(const char *device, struct ec_profile *ret,
                                  struct ec_err *err) EC_MUST_CHECK;
/* Rows that could not be used; why: a line for each of the first ten, then how many more.
 * ec_buf_clear it. */
struct ec_left_out {
    int n;
    struct ec_buf why;
};
/* A row that took part: what was predicted before and after. */
struct ec_calibrated_row {
    const struct ec_measured *m;
    double before_ns, after_ns;
};
/* Offsets by maximum a posteriori: a Gaussian prior around what ships, robust errors on the
 * logarithm of the time. Rows of other devices are an error, rows we cannot predict are left out
 * and counted. The predictor is left with the result as its profile.
 * ret_rows  n - *ret_left_out->n of them; ec_free() it
 * Errors    INPUT when no row can be used, with the reason of the first; NOMEM */
enum ec_status ec_calibrate(struct ec_predictor *p, const char *device,
                            const struct ec_measured *rows, int n, struct ec_profile *ret,
                            struct ec_calibrated_row **ret_rows, struct ec_left_out *ret_left_out,
                            struct ec_err *err) EC_MUST_CHECK;

/* Which measurements would tell most, best first: each is the one that leaves the least variance
 * over all candidates together, after those before it. */
struct ec_suggestion {
    const char *what;
    bool is_network;
    const char *precision;
    int64_t batch;
    double expected_ns;
    double spread; /* standard deviation of log(time) left over the candidates, after this one */
};
/* from: known so far (a prior or a profile)
 * ret_spread  before any
 * ret         n of them; ec_free() it */
enum ec_status ec_calibrate_suggest(struct ec_predictor *p, const struct ec_profile *from, int n,
                                    struct ec_suggestion **ret, int *ret_n, double *ret_spread,
                                    struct ec_err *err) EC_MUST_CHECK;
/* Errors against the number of calibration rows, each device in turn taken as new, as CSV. */
enum ec_status ec_calibrate_study(const char *data_dir, int64_t seed,
                                  void (*progress)(void *ctx, const char *text), void *ctx,
                                  struct ec_buf *out, struct ec_err *err) EC_MUST_CHECK;

#endif
