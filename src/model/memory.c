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

enum ec_status ec_memory_parts(const struct ec_graph *g, const struct ec_conditions *cond,
                               struct ec_memory *ret, struct ec_err *err)
{
    struct ec_elem_bytes bytes = ec_elem_bytes_of(cond->precision, cond->master_weights);

    return ec_cost_memory(g, cond->mode, cond->optimizer, &bytes, ret, err);
}
