/* The physics' time of a query. */
#include "model/physics_query.h"

#include <math.h>
#include <string.h>

#define GRADIENT_STEP 1e-3

double ec_query_log_ns(const struct ec_fitted *f, const struct ec_physics_query *q,
                       const double change[EC_DO_COUNT])
{
    double offset[EC_DO_COUNT];
    struct ec_step_time t;
    struct ec_rates r;
    int i;

    ec_fitted_offset(f, q->device, &q->cond, q->op, offset);
    for (i = 0; change && i < EC_DO_COUNT; i++)
        offset[i] += change[i];
    if (ec_rates_init(&r, q->device, &q->cond, &f->c, offset, NULL))
        return (double)NAN;
    r.copy_bytes = q->copy_bytes;
    ec_step_time(q->step, &r, &f->c, q->isolated, &t);
    return log(t.step_ns);
}

void ec_query_gradient(const struct ec_fitted *f, const struct ec_physics_query *q,
                       const double change[EC_DO_COUNT], double ret[EC_DO_COUNT])
{
    double at[EC_DO_COUNT], up, down;
    int i;

    memcpy(at, change, sizeof at);
    for (i = 0; i < EC_DO_COUNT; i++) {
        at[i] = change[i] + GRADIENT_STEP;
        up = ec_query_log_ns(f, q, at);
        at[i] = change[i] - GRADIENT_STEP;
        down = ec_query_log_ns(f, q, at);
        at[i] = change[i];
        ret[i] = (up - down) / (2 * GRADIENT_STEP);
    }
}
