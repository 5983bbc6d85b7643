/* Peak memory of a training step. */
#ifndef EC_MODEL_MEMORY_H
#define EC_MODEL_MEMORY_H

#include "cost/cost.h"

/* Fitted constants. The peak of the framework's allocator is base + the largest sum that the step
 * holds at one moment. The peak of the device is base + context + reserve times the sum of each
 * kind's own maximum + workspace times the largest working set of a convolution. Context and
 * workspace are at least 0 and the reserve at least 1, so that the device's peak is never below the
 * allocator's. */
struct ec_memory_constants {
    double base_bytes, context_bytes, reserve_factor, workspace_factor;
};

/* Peak memory of the device in bytes. */
double ec_memory_total(const struct ec_memory *m, const struct ec_memory_constants *c);
/* Peak of the framework's allocator in bytes; at most ec_memory_total. */
double ec_allocator_total(const struct ec_memory *m, const struct ec_memory_constants *c);

#endif
