/* Profiles of devices: what calibration on a few measurements adds to the shipped predictor. */
#ifndef EC_ADAPT_PROFILE_H
#define EC_ADAPT_PROFILE_H

#include "adapt/gp.h"
#include "adapt/layers_rows.h"
#include "model/model.h"

#define EC_PROFILE_TEXT_BYTES 128
/* Changes of the device's offsets, as logarithms of the times of compute, memory and launches, and
 * residuals. docs/calibration.md has the file. */
struct ec_profile {
    char device[EC_PROFILE_TEXT_BYTES];
    double change[EC_DO_COUNT];
    double covariance[EC_DO_COUNT][EC_DO_COUNT];
    int64_t n_operators, n_networks; /* rows that it was made from */
    int n_points; /* residuals of the rows, with physics, corrections and offsets */
    struct ec_gp_point point[EC_GP_MAX];
    double error_before, error_after;    /* median absolute relative error on these rows */
    char numbers[EC_PROFILE_TEXT_BYTES]; /* of the device, measured: "name=value,..."; "": none */
    char source[EC_PROFILE_TEXT_BYTES], made[EC_PROFILE_TEXT_BYTES];
    char machine[EC_PROFILE_TEXT_BYTES]; /* host of the device, in words; "": unknown */
    char version[EC_PROFILE_TEXT_BYTES], constants[EC_PROFILE_TEXT_BYTES];
};
void ec_profile_json(const struct ec_profile *p, struct ec_buf *out);
/* As ec_profile_json, with layers of the machine; NULL for none. */
void ec_profile_json_layers(const struct ec_profile *p, const struct ec_layers *layers,
                            struct ec_buf *out);
/* *ret: ec_layers_free; NULL when the profile has no layers. Errors: PARSE, NOMEM */
enum ec_status ec_profile_parse_layers(const char *text, size_t len, struct ec_layers **ret,
                                       struct ec_err *err) EC_MUST_CHECK;
/* Errors: PARSE, UNSUPPORTED for a newer schema */
enum ec_status ec_profile_parse(const char *text, size_t len, struct ec_profile *ret,
                                struct ec_err *err) EC_MUST_CHECK;
/* Makes these the rates of the device: of arithmetic, and of large copies. */
void ec_profile_set_rates(struct ec_profile *p, double flop_per_s, double bytes_per_s);
/* A profile before any row: no changes, and the prior covariance of the offsets. Errors: NOT_FOUND
 * for the device */
enum ec_status ec_profile_prior(const char *device, struct ec_profile *ret,
                                struct ec_err *err) EC_MUST_CHECK;
/* A profile inside the library, of a machine that this project measured: the text of its file, not
 * terminated. ec_profile_shipped: NULL when there is none for this device and these conditions. */
struct ec_shipped_profile {
    const char *device, *framework, *begin, *end;
};
const struct ec_shipped_profile *ec_profile_shipped(const char *device,
                                                    const struct ec_conditions *cond);

/* Adds the profile's changes to the offsets. */
void ec_profile_add(const struct ec_profile *profile, double offset[EC_DO_COUNT]);
/* The interval of a calibrated query: normally at least as wide as for a measured device, at most
 * as for a specification.
 * unknown  share of the variance that rows near the query leave, 0 to 1 */
struct ec_width ec_profile_width(const struct ec_fitted *f, const struct ec_profile *profile,
                                 double unknown, const struct ec_physics_query *q);
/* 5 and 95 % points of the log of the ratio of two runs of one job on one machine. */
#define EC_RUN_NOISE 0.03
/* Identifies a query by its kernels and conditions; 1 to EC_QUERY_ID_MAX, exact in JSON. */
#define EC_QUERY_ID_MAX 0x1p52
int64_t ec_query_id(const struct ec_physics_query *q);
/* The width of log(time / predicted_ns) by measurements of the very query, about their median: of
 * several that agree as wide as two runs of one job differ, of a lone one wider. n: their number.
 * Returns false where there is none, or none to believe. */
bool ec_profile_repeats(const struct ec_profile *p, int64_t query, double predicted_ns,
                        struct ec_width *ret);
/* A hash of the fitted constants: a profile is used only with those that it was made with. */
void ec_constants_id(const struct ec_fitted *f, char ret[EC_PROFILE_TEXT_BYTES]);

#endif
