/* Which device runs which of several jobs, one after another, so that all have ended soonest. */
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS_MAX = 10000 };

struct by_time {
    double ns; /* where it is shortest */
    int job;
};

static double time_on(const struct ec_queue *q, int job, int machine)
{
    double ns = q->time_ns[(ptrdiff_t)job * q->n_kinds + machine / q->count];

    return ns > 0 ? ns : (double)INFINITY;
}

static int longest_first(const void *a, const void *b)
{
    const struct by_time *x = a, *y = b;

    return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : x->job - y->job;
}

/* Each job, the longest first, to where it ends first. */
static void place_all(struct ec_queue *q, struct by_time *order)
{
    int n = q->n_kinds * q->count, i, m;
    double sum = 0;

    for (i = 0; i < q->n_jobs; i++) {
        order[i] = (struct by_time){ (double)INFINITY, i };
        for (m = 0; m < n; m += q->count)
            order[i].ns = fmin(order[i].ns, time_on(q, i, m));
        if (isfinite(order[i].ns)) {
            sum += order[i].ns;
            q->bound_ns = fmax(q->bound_ns, order[i].ns);
        }
    }
    q->bound_ns = fmax(q->bound_ns, sum / n);
    qsort(order, (size_t)q->n_jobs, sizeof *order, longest_first);
    for (i = 0; i < q->n_jobs; i++) {
        int job = order[i].job, best = 0;

        for (m = 1; m < n; m++)
            if (q->load_ns[m] + time_on(q, job, m) < q->load_ns[best] + time_on(q, job, best))
                best = m;
        q->machine[job] = isfinite(order[i].ns) ? best : -1;
        if (isfinite(order[i].ns))
            q->load_ns[best] += time_on(q, job, best);
    }
}

/* Moves the job from `from` to `to`, and one of these back if other >= 0, where both then end
 * before `from` did. */
static bool try_swap(struct ec_queue *q, int job, int other, int from, int to)
{
    double left = q->load_ns[from] - time_on(q, job, from);
    double right = q->load_ns[to] + time_on(q, job, to);

    if (other >= 0) {
        left += time_on(q, other, from);
        right -= time_on(q, other, to);
    }
    if (!(fmax(left, right) < q->load_ns[from] * (1 - 1e-9)))
        return false;
    q->machine[job] = to;
    if (other >= 0)
        q->machine[other] = from;
    q->load_ns[from] = left;
    q->load_ns[to] = right;
    return true;
}

/* One step that relieves the device that ends last; false: there is none. */
static bool improve(struct ec_queue *q)
{
    int n = q->n_kinds * q->count, last = 0, i, k, m;

    for (m = 1; m < n; m++)
        last = q->load_ns[m] > q->load_ns[last] ? m : last;
    q->end_ns = q->load_ns[last];
    for (i = 0; i < q->n_jobs; i++) {
        if (q->machine[i] != last)
            continue;
        for (m = 0; m < n; m++)
            if (m != last && try_swap(q, i, -1, last, m))
                return true;
        for (k = 0; k < q->n_jobs; k++)
            if (q->machine[k] >= 0 && q->machine[k] != last &&
                try_swap(q, i, k, last, q->machine[k]))
                return true;
    }
    return false;
}

enum ec_status ec_queue_place(struct ec_queue *q, struct ec_err *err)
{
    struct by_time *order = ec_alloc(sizeof *order * (size_t)(q->n_jobs + 1));
    int rounds = 0;

    EC_PASS(ec_allocated(order, err));
    place_all(q, order);
    while (improve(q) && ++rounds < ROUNDS_MAX)
        continue;
    ec_free(order);
    return EC_OK;
}
