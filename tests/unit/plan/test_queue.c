/* Jobs on devices, against all placements. */
#include "plan/plan.h"

#include <math.h>

#include "test.h"

enum { JOBS = 6, KINDS = 2, COUNT = 2, MACHINES = KINDS * COUNT };

static double end_of(const double *time_ns, int n_jobs, const int *machine)
{
    double load[MACHINES] = { 0 }, end = 0;
    int i;

    for (i = 0; i < n_jobs; i++)
        load[machine[i]] += time_ns[i * KINDS + machine[i] / COUNT];
    for (i = 0; i < MACHINES; i++)
        end = fmax(end, load[i]);
    return end;
}

static double best_end(const double *time_ns)
{
    double best = (double)INFINITY;
    int machine[JOBS], code, i, rest;

    for (code = 0; code < 1 << (2 * JOBS); code++) {
        for (i = 0, rest = code; i < JOBS; i++, rest /= MACHINES)
            machine[i] = rest % MACHINES;
        best = fmin(best, end_of(time_ns, JOBS, machine));
    }
    return best;
}

TEST(placements_are_near_the_best)
{
    struct ec_err err = { 0 };
    struct ec_rng r;
    int round, i;

    ec_rng_seed(&r, 7);
    for (round = 0; round < 40; round++) {
        double time_ns[JOBS * KINDS], load_ns[MACHINES] = { 0 }, best;
        int machine[JOBS];
        struct ec_queue q = { .n_jobs = JOBS,
                              .n_kinds = KINDS,
                              .count = COUNT,
                              .time_ns = time_ns,
                              .machine = machine,
                              .load_ns = load_ns };

        for (i = 0; i < JOBS * KINDS; i++)
            time_ns[i] = 1 + floor(100 * ec_rng_unit(&r));
        CHECK_OK(ec_queue_place(&q, &err));
        best = best_end(time_ns);
        CHECK(q.bound_ns <= best && best <= q.end_ns);
        CHECK(q.end_ns <= 1.5 * best);
        CHECK(fabs(q.end_ns - end_of(time_ns, JOBS, machine)) < 1e-6);
    }
}

TEST(a_job_that_runs_nowhere_is_left_out)
{
    const double time_ns[] = { 0, 0, 5, 0, 0, 7 };
    double load_ns[2] = { 0 };
    struct ec_err err = { 0 };
    int machine[3];
    struct ec_queue q = { .n_jobs = 3,
                          .n_kinds = 2,
                          .count = 1,
                          .time_ns = time_ns,
                          .machine = machine,
                          .load_ns = load_ns };

    CHECK_OK(ec_queue_place(&q, &err));
    CHECK(machine[0] == -1 && machine[1] == 0 && machine[2] == 1);
    CHECK(q.end_ns == 7 && q.bound_ns == 7);
}
