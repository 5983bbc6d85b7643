/* Measurements of the very question that is asked. They say more than any model: one within
 * ONE_RUN, two that agree within what separates two runs of one job. */
#include "adapt/profile.h"

#include <math.h>

#include "adapt/neighbours.h"

/* Nothing shows whether a lone run was disturbed, unless it is far from what all runs say. */
#define ONE_RUN 0.0953     /* log 1.1 */
#define ONE_RUN_FAR 0.4055 /* log 1.5 */

/* Repeats agree when the largest is at most this much above the smallest, as a logarithm. */
#define AGREE 0.1

static uint64_t mix(uint64_t h, const void *data, size_t len)
{
    return h * 1099511628211u + ec_hash(data, len);
}

int64_t ec_query_id(const struct ec_physics_query *q)
{
    uint64_t h = ec_conditions_hash(&q->cond);
    int i;

    for (i = 0; i < q->step->n; i++) {
        const struct ec_kernel *k = &q->step->kernel[i];
        const double v[] = { k->kclass,      k->phase,
                             k->flop,        k->read_elems,
                             k->write_elems, k->weight_elems,
                             k->fixed_bytes, k->b,
                             k->m,           k->n,
                             k->k,           k->launches,
                             k->r,           k->s,
                             k->stride,      q->step->repeat ? q->step->repeat[i] : 1 };

        h = mix(h, v, sizeof v);
    }
    return (int64_t)(h >> 12) + 1;
}

bool ec_profile_repeats(const struct ec_profile *p, int64_t query, double predicted_ns,
                        struct ec_width *ret)
{
    double v[EC_GP_MAX], least, most, mid, noise;
    int i, n = 0;

    for (i = 0; i < p->n_points; i++)
        if (p->point[i].query == query && p->point[i].time_ns > 0)
            v[n++] = log(p->point[i].time_ns / predicted_ns);
    if (n < 1 || (n == 1 && fabs(v[0]) > ONE_RUN_FAR))
        return false;
    noise = n < 2 ? ONE_RUN : EC_RUN_NOISE;
    mid = ec_quantile_inplace(v, n, 0.5);
    least = v[0];
    most = v[n - 1];
    if (most - least > AGREE)
        return false;
    *ret = (struct ec_width){ mid - hypot(noise, mid - least), mid, mid + hypot(noise, most - mid),
                              n };
    return true;
}
