/* Memory of a step from its parts. */
#include "model/memory.h"

#include <math.h>

static double most(const struct ec_memory *m)
{
    return m->most.fixed + m->most.kept + m->most.transient;
}

/* What a process holds on the device before its first tensor. */
static double idle(const struct ec_memory *m, const struct ec_memory_constants *c)
{
    return c->base_bytes + c->context_bytes + (m->windowed > 0 ? c->convolution_bytes : 0);
}

double ec_allocator_total(const struct ec_memory *m, const struct ec_memory_constants *c)
{
    return c->base_bytes + most(m);
}

double ec_memory_need(const struct ec_memory *m, const struct ec_memory_constants *c)
{
    return idle(m, c) + c->hold_factor * most(m);
}

/* The allocator keeps freed blocks for reuse by kind, so the sum is over each kind's own maximum.
 */
double ec_memory_total(const struct ec_memory *m, const struct ec_memory_constants *c)
{
    return fmax(ec_memory_need(m, c),
                idle(m, c) + c->reserve_factor * m->apart + c->workspace_factor * m->windowed);
}

double ec_memory_on(double need, double total, double capacity)
{
    return capacity > 0 ? fmax(need, fmin(total, capacity)) : total;
}

bool ec_memory_is_fitted(enum ec_framework fw)
{
    return fw == EC_FW_pytorch_1 || fw == EC_FW_pytorch_2;
}
