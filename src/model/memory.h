/* Memory of a step on a device, from what it holds. */
#ifndef EC_MODEL_MEMORY_H
#define EC_MODEL_MEMORY_H

#include "cost/cost.h"

/* Peak of the framework's allocator: base + the most that the step holds at one moment. Peak memory
 * of the device: base + context, reserve times the sum of each kind at its own most, and workspace
 * times the largest working set of a convolution. The context and the workspace are not negative
 * and the reserve is at least 1: what is allocated is never above what the device holds. */
struct ec_memory_constants {
    double base_bytes, context_bytes, reserve_factor, workspace_factor;
};

/* Peak memory of the device in bytes from its parts. */
double ec_memory_total(const struct ec_memory *m, const struct ec_memory_constants *c);
/* And what the framework's allocator says of it, never more. */
double ec_allocator_total(const struct ec_memory *m, const struct ec_memory_constants *c);
/* What a network holds in a step under these conditions. Errors: NOMEM */
enum ec_status ec_memory_parts(const struct ec_graph *g, const struct ec_conditions *cond,
                               struct ec_memory *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
