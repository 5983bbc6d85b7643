/* The parts of a query as one time: phases of an operator, or a step as a whole. */
#include "predict/query.h"

#include <math.h>

void ec__scale_time(struct ec_step_time *t, double by)
{
    double *parts[] = { &t->device_ns, &t->host_ns, &t->step_ns, &t->fixed_ns,  &t->compute_ns,
                        &t->memory_ns, &t->gap_ns,  &t->cast_ns, &t->unknown_ns };
    int i;

    for (i = 0; i < EC_LEN(parts); i++)
        *parts[i] *= by;
    for (i = 0; i < EC_PHASE_COUNT; i++)
        t->phase_ns[i] *= by;
    for (i = 0; i < EC_KCLASS_COUNT; i++)
        t->class_ns[i] *= by;
}

static void add_time(struct ec_step_time *sum, const struct ec_step_time *t)
{
    int i;

    sum->device_ns += t->device_ns;
    sum->compute_ns += t->compute_ns;
    sum->memory_ns += t->memory_ns;
    sum->unknown_ns += t->unknown_ns;
    sum->launches += t->launches;
    sum->issued += t->issued;
    for (i = 0; i < EC_PHASE_COUNT; i++)
        sum->phase_ns[i] += t->phase_ns[i];
    for (i = 0; i < EC_KCLASS_COUNT; i++) {
        sum->class_ns[i] += t->class_ns[i];
        sum->class_launches[i] += t->class_launches[i];
    }
}

/* Adds up the parts. The time beside kernels is counted once: a measurement of an operator has one
 * call. */
static struct ec_step_time sum_of_parts(const struct ec__query *q)
{
    struct ec_step_time sum = { 0 };
    int i;

    if (!q->op)
        return q->part[0].time;
    for (i = 0; i < q->n_parts; i++) {
        add_time(&sum, &q->part[i].time);
        sum.gap_ns = fmax(sum.gap_ns, q->part[i].time.gap_ns);
    }
    sum.step_ns = sum.device_ns + sum.gap_ns;
    return sum;
}

void ec__time_parts(struct ec__query *q, const struct ec_rates *r, bool again)
{
    int i;

    for (i = 0; i < q->n_parts; i++) {
        struct ec__part *part = &q->part[i];

        if (again)
            part->time = part->plain;
        else
            ec_step_time(&part->step, r, &q->p->fitted->c, q->op != NULL, &part->time);
        if (q->op)
            ec__scale_time(&part->time, part->correction);
    }
    q->time = sum_of_parts(q);
}
