/* The order of predictions, and which of them is the fastest and the cheapest. */
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>

const char *const ec_sort_names[] = { "time", "cost", "memory", "samples", "given", NULL };

static double time_of(const struct ec_prediction *r)
{
    return r->has_job     ? r->job_time_ns.p50
           : r->has_epoch ? r->epoch_time_ns.p50
                          : r->step_time_ns.p50 / fmax(1, (double)r->batch);
}

/* Smaller is better; what is not known comes last. */
static double key_of(const struct ec_prediction *r, enum ec_sort sort)
{
    switch (sort) {
    case EC_SORT_TIME:
        return time_of(r);
    case EC_SORT_COST:
        return r->has_cost ? r->cost_usd.p50 : HUGE_VAL;
    case EC_SORT_MEMORY:
        return r->has_memory ? r->memory_peak_bytes.p50 : HUGE_VAL;
    case EC_SORT_SAMPLES:
        return -r->samples_per_s.p50;
    case EC_SORT_GIVEN:
        break;
    }
    return 0;
}

/* 0: it fits, in time as far as is asked; 1, 2: less likely, or not, in time; 3: it does not fit */
static int tier_of(const struct ec_choice *c)
{
    if (c->r->has_memory && c->r->fits_probability >= 0 && c->r->fits_probability < 0.5)
        return 3;
    return c->in_time < 0 || c->in_time >= 0.5 ? 0 : c->in_time > 0.1 ? 1 : 2;
}

bool ec_choice_is_possible(const struct ec_choice *c)
{
    return tier_of(c) == 0;
}

struct keyed {
    struct ec_choice choice;
    int tier;
    double key;
};

static int by_key(const void *va, const void *vb)
{
    const struct keyed *a = va, *b = vb;

    if (a->tier != b->tier)
        return a->tier < b->tier ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->choice.index > b->choice.index) - (a->choice.index < b->choice.index);
}

/* The best of a group, of those that are possible; NULL where there is nothing to choose from. */
static struct ec_choice *best(struct ec_choice *v, int n, int group, enum ec_sort sort)
{
    struct ec_choice *found = NULL;
    int i, n_group = 0;

    for (i = 0; i < n; i++) {
        n_group += v[i].group == group;
        if (v[i].group == group && tier_of(&v[i]) == 0 && !ec_is_guess(v[i].r) &&
            key_of(v[i].r, sort) < HUGE_VAL &&
            (!found || key_of(v[i].r, sort) < key_of(found->r, sort)))
            found = &v[i];
    }
    return n_group > 1 ? found : NULL;
}

static void mark_best(struct ec_choice *v, int n)
{
    struct ec_choice *fastest, *cheapest;
    int group = 0, last = 0, i;

    for (i = 0; i < n; i++)
        last = v[i].group > last ? v[i].group : last;
    for (; group <= last; group++) {
        fastest = best(v, n, group, EC_SORT_TIME);
        cheapest = best(v, n, group, EC_SORT_COST);
        if (fastest)
            fastest->is_fastest = true;
        if (cheapest)
            cheapest->is_cheapest = true;
    }
}

enum ec_status ec_choices_rank(struct ec_choice *v, int n, enum ec_sort sort, double deadline_ns,
                               struct ec_err *err)
{
    struct keyed *k = ec_alloc(sizeof *k * (size_t)(n + 1));
    int i;

    EC_PASS(ec_allocated(k, err));
    for (i = 0; i < n; i++) {
        const struct ec_prediction *r = v[i].r;

        v[i].in_time =
            !(deadline_ns > 0) || !r->has_epoch
                ? -1
                : ec_interval_below(r->has_job ? &r->job_time_ns : &r->epoch_time_ns, deadline_ns);
        k[i] = (struct keyed){ v[i], 0, key_of(r, sort) };
        if (sort != EC_SORT_GIVEN)
            k[i].tier = 2 * tier_of(&v[i]) + (sort != EC_SORT_MEMORY && ec_is_guess(r));
    }
    qsort(k, (size_t)n, sizeof *k, by_key);
    for (i = 0; i < n; i++)
        v[i] = k[i].choice;
    ec_free(k);
    mark_best(v, n);
    return EC_OK;
}
