/* Where a question lies for the Gaussian process of a profile: its features, and how devices that
 * were measured depart there from what their specifications promise. What a device does that nobody
 * measured is, for a part, a mixture of that. */
#ifndef EC_RELATIVES_H
#define EC_RELATIVES_H

#include "predict/gp.h"
#include "predict/predict_internal.h"

/* No departure beyond a factor of this much, as a logarithm. */
#define EC_DEPARTURE_MAX 1.0

struct ec_relatives; /* opaque: devices and their rates, kept from question to question */
void ec_relatives_free(struct ec_relatives *r);
/* Of n devices the nearest in generation, at most EC_GP_RELATIVES, as indices; those first that
 * come first. Returns how many. */
int ec__nearest_relatives(const struct ec_device *to, const struct ec_device *const *from, int n,
                          int ret[EC_GP_RELATIVES]);
/* with_relatives  false: none are asked, which takes a tenth of the time
 * Errors          those of reading corrections; NOMEM */
enum ec_status ec__posed_place(struct ec_predictor *p, const struct ec_posed *q,
                               bool with_relatives, struct ec_gp_point *ret,
                               struct ec_err *err) EC_MUST_CHECK;

#endif
