/* Memory of a step from its parts. */
#include "model/memory.h"

double ec_allocator_total(const struct ec_memory *m, const struct ec_memory_constants *c)
{
    return c->base_bytes + m->most.fixed + m->most.kept + m->most.transient;
}

/* The allocator keeps freed blocks for reuse by kind, so the sum is over each kind's own maximum.
 */
double ec_memory_total(const struct ec_memory *m, const struct ec_memory_constants *c)
{
    return c->base_bytes + c->context_bytes + c->reserve_factor * m->apart +
           c->workspace_factor * m->windowed;
}
