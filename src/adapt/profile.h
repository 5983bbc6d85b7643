/* Profiles of devices: what a handful of measurements adds to what ships. */
#ifndef EC_ADAPT_PROFILE_H
#define EC_ADAPT_PROFILE_H

#include "adapt/gp.h"
#include "adapt/layers_rows.h"
#include "model/model.h"

#define EC_PROFILE_TEXT_BYTES 128
/* What a handful of measurements says of a device beyond what ships: changes of the logarithms of
 * its compute, memory and launch times. docs/calibration.md has the file. */
struct ec_profile {
    char device[EC_PROFILE_TEXT_BYTES];
    double change[EC_DO_COUNT];
    double covariance[EC_DO_COUNT][EC_DO_COUNT];
    int64_t n_operators, n_networks; /* rows behind it */
    int n_points;                    /* residuals of the rows, beyond the offsets */
    struct ec_gp_point point[EC_GP_MAX];
    double error_before, error_after;    /* median absolute share on these rows */
    char numbers[EC_PROFILE_TEXT_BYTES]; /* of the device, measured: "name=value,..."; "": none */
    char source[EC_PROFILE_TEXT_BYTES], made[EC_PROFILE_TEXT_BYTES];
    char machine[EC_PROFILE_TEXT_BYTES]; /* around the device, in words; "": not known */
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
/* Before any row: what is known of the device's offsets, as a profile that changes nothing.
 * Errors: NOT_FOUND for the device */
enum ec_status ec_profile_prior(const char *device, struct ec_profile *ret,
                                struct ec_err *err) EC_MUST_CHECK;
/* A profile that ships with the library, of a machine that this project measured: the text of its
 * file. NULL: none of the device for what is asked. */
struct ec_shipped_profile {
    const char *device, *framework, *begin, *end;
};
const struct ec_shipped_profile *ec_profile_shipped(const char *device,
                                                    const struct ec_conditions *cond);

/* Adds what the profile changes. */
void ec_profile_add(const struct ec_profile *profile, double offset[EC_DO_COUNT]);
/* The interval of a calibrated question: at least that of a measured device and at most that of a
 * specification.
 * unknown  share of what rows near the question leave open, 0 to 1 */
struct ec_width ec_profile_width(const struct ec_fitted *f, const struct ec_profile *profile,
                                 double unknown, const struct ec_physics_query *q);
/* Tells constants apart, so that a profile is not used with others than it was made with. */
void ec_constants_id(const struct ec_fitted *f, char ret[EC_PROFILE_TEXT_BYTES]);

#endif
