/* A question as the laws see it. */
#ifndef EC_MODEL_PHYSICS_QUERY_H
#define EC_MODEL_PHYSICS_QUERY_H

#include "model/fitted.h"

/* A question as physics sees it: a step on a device, under conditions. */
struct ec_physics_query {
    const struct ec_device *device;
    const struct ec_step *step;
    const struct ec_op *op; /* NULL for a network */
    struct ec_conditions cond;
    enum ec_width_kind kind;
    bool isolated;
    double copy_bytes;
};
/* Logarithm of the step in ns, offsets being those of the device with `change` added; NaN when the
 * catalogue lacks what it needs. change: NULL for none. */
double ec_query_log_ns(const struct ec_fitted *f, const struct ec_physics_query *q,
                       const double change[EC_DO_COUNT]);
/* What a change of each offset changes in it. */
void ec_query_gradient(const struct ec_fitted *f, const struct ec_physics_query *q,
                       const double change[EC_DO_COUNT], double ret[EC_DO_COUNT]);

#endif
