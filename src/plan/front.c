/* What a plan comes down to: the front of time and money, and the best by chances of 50 and 95 %.
 */
#include "plan/plan.h"

#include <stdlib.h>

#define RATHER 0.5

bool ec_plan_is_limited(const struct ec_plan_query *q)
{
    return q->deadline_ns > 0 || q->budget > 0 || q->energy_j > 0;
}

enum ec_plan_verdict ec_plan_judge(const struct ec_plan_query *q, const struct ec_plan_point *at)
{
    if (at->fits >= 0 && at->fits < q->memory_chance)
        return EC_PLAN_FULL;
    return at->in_limits < RATHER ? EC_PLAN_LATE : EC_PLAN_OK;
}

static int order_of(double a, double b)
{
    return (a > b) - (a < b);
}

/* Faster first; of the same time the cheaper, then that with more room. */
static int by_time(const void *va, const void *vb)
{
    const struct ec_plan_point *a = *(const struct ec_plan_point *const *)va;
    const struct ec_plan_point *b = *(const struct ec_plan_point *const *)vb;
    int by = order_of(a->time_ns, b->time_ns);

    by = by ? by : order_of(a->cost, b->cost);
    by = by ? by : order_of(a->need_bytes, b->need_bytes);
    by = by ? by : order_of(a->device, b->device);
    return by ? by : order_of(a->index, b->index);
}

static int by_machines(const void *va, const void *vb)
{
    const struct ec_plan_point *a = *(const struct ec_plan_point *const *)va;
    const struct ec_plan_point *b = *(const struct ec_plan_point *const *)vb;
    int by = order_of(a->device, b->device);

    by = by ? by : order_of((double)a->count, (double)b->count);
    return by ? by : by_time(va, vb);
}

/* Leaves one of each device and number: of those about as fast as the fastest the plainest. */
static int keep_fastest(const struct ec_plan_point **v, int n)
{
    const struct ec_plan_point *fastest = NULL;
    int i, kept = 0;

    if (n)
        qsort(v, (size_t)n, sizeof *v, by_machines);
    for (i = 0; i < n; i++) {
        if (!fastest || v[i]->device != fastest->device || v[i]->count != fastest->count)
            v[kept++] = fastest = v[i];
        else if (v[i]->time_ns <= fastest->time_ns * EC_PLAN_ABOUT &&
                 v[i]->involved < v[kept - 1]->involved)
            v[kept - 1] = v[i];
    }
    return kept;
}

/* The cheapest where there is a deadline, else the fastest. */
static const struct ec_plan_point *best(const struct ec_plan_query *q,
                                        const struct ec_plan_point **v, int n, double chance)
{
    const struct ec_plan_point *found = NULL;
    int i;

    for (i = 0; i < n && ec_plan_is_limited(q); i++)
        if (v[i]->in_limits >= chance &&
            (!found || (q->deadline_ns > 0 && v[i]->cost < found->cost)))
            found = v[i];
    return found;
}

static int take(const struct ec_plan_query *q, const struct ec_plan *p, bool guesses,
                enum ec_plan_verdict worst, const struct ec_plan_point **v)
{
    int i, n = 0;

    for (i = 0; i < p->n; i++)
        if (ec_plan_judge(q, &p->v[i]) <= worst && (guesses || !p->v[i].is_guess))
            v[n++] = &p->v[i];
    return n;
}

enum ec_status ec_plan_front(const struct ec_plan_query *q, const struct ec_plan *p,
                             struct ec_plan_front *ret, struct ec_err *err)
{
    int i, n = 0, tier;

    *ret = (struct ec_plan_front){ .v = ec_alloc(sizeof *ret->v * ((size_t)p->n + 1)) };
    EC_PASS(ec_allocated(ret->v, err));
    for (tier = 0; tier < 4 && !n; tier++) { /* within the limits; then without guesses */
        ret->within = tier < 2;
        n = take(q, p, tier % 2, ret->within ? EC_PLAN_OK : EC_PLAN_LATE, ret->v);
    }
    n = keep_fastest(ret->v, n);
    if (n)
        qsort(ret->v, (size_t)n, sizeof *ret->v, by_time);
    ret->best = best(q, ret->v, n, RATHER);
    ret->surest = best(q, ret->v, n, EC_SURE);
    for (i = 0; i < n; i++)
        if (!ret->n || ret->v[i]->cost < ret->v[ret->n - 1]->cost)
            ret->v[ret->n++] = ret->v[i];
    return EC_OK;
}
