/* Peak memory of a training step. */
#ifndef EC_MODEL_MEMORY_H
#define EC_MODEL_MEMORY_H

#include "cost/cost.h"

/* Fitted constants; `most` is the largest sum that the step holds at one moment.
 *   allocated   base + most
 *   idle        base + context, and convolution if the network has convolutions of several elements
 *   needed      idle + hold * most: with less the step does not run
 *   peak        idle + reserve * the sum of each kind's own maximum
 *                    + workspace * the largest working set of a convolution; at least what is
 * needed, and else no more than the device has, since a full device takes back what is reserved
 * Bytes and workspace are at least 0, hold and reserve at least 1, so that allocated <= needed <=
 * peak. */
struct ec_memory_constants {
    double base_bytes, context_bytes, convolution_bytes;
    double hold_factor, reserve_factor, workspace_factor;
};

/* Peak of the framework's allocator in bytes. */
double ec_allocator_total(const struct ec_memory *m, const struct ec_memory_constants *c);
/* What the step needs of a device; at least ec_allocator_total. */
double ec_memory_need(const struct ec_memory *m, const struct ec_memory_constants *c);
/* Peak memory of a device that has enough; at least ec_memory_need. */
double ec_memory_total(const struct ec_memory *m, const struct ec_memory_constants *c);
/* Peak memory of a device of this capacity. capacity  0: unknown */
double ec_memory_on(double need, double total, double capacity);
/* Whether the constants were fitted to rows of the framework. */
bool ec_memory_is_fitted(enum ec_framework fw);

#endif
