/* A profile of one machine from files of its measured layers and ceilings: docs/local.md */
#ifndef EC_PREDICT_LOCAL_H
#define EC_PREDICT_LOCAL_H

#include "adapt/profile.h"

struct ec_local {
    struct ec_profile profile;
    struct ec_layers *layers;
    int left_out; /* number of rows of unknown operators */
    char machine[EC_LAYER_TEXT_BYTES];
};
/* Makes a profile from n files.
 * device   key of the catalogue, or "this"
 * threads  take only rows with so many; 0: all, which must then be the same
 * ret      ec_local_clear
 * Errors   those of reading; INPUT for rows of two machines, engines or precisions, and when no row
 *          can be used; NOT_FOUND for the device */
enum ec_status ec_local_make(const char *device, const char *const *paths, int n, int64_t threads,
                             struct ec_local *ret, struct ec_err *err) EC_MUST_CHECK;
/* Writes the file that ec_predictor_use_profile reads. */
void ec_local_json(const struct ec_local *l, struct ec_buf *out);
void ec_local_clear(struct ec_local *l);

#endif
