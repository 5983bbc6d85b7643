/* The physics' time of a query, and its gradient by the offsets of the device. */
#ifndef EC_MODEL_PHYSICS_QUERY_H
#define EC_MODEL_PHYSICS_QUERY_H

#include "model/fitted.h"

/* A query in the terms of the physics: a step on a device under conditions. All is borrowed. */
struct ec_physics_query {
    const struct ec_device *device;
    const struct ec_step *step;
    const struct ec_op *op; /* NULL for a network */
    struct ec_conditions cond;
    enum ec_width_kind kind;
    bool isolated;
    double copy_bytes;
};
/* log of the step's time in ns, with `change` (NULL: none) added to the device's offsets. NaN when
 * the catalogue lacks a rate. */
double ec_query_log_ns(const struct ec_fitted *f, const struct ec_physics_query *q,
                       const double change[EC_DO_COUNT]);
/* The derivative of ec_query_log_ns by each offset. */
void ec_query_gradient(const struct ec_fitted *f, const struct ec_physics_query *q,
                       const double change[EC_DO_COUNT], double ret[EC_DO_COUNT]);

#endif
