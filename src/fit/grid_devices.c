/* Which device is preferable: by how much others are slower for what both ran. */
#include <math.h>
#include <string.h>

#include "fit/grid_internal.h"
#include "learn/learn.h"

#define DEVICES_MAX 12 /* that are compared with the fastest */

struct devices {
    const struct ec__grid *g;
    struct ec_groups of, jobs; /* configurations by their device; by all but the device */
    double *time;              /* of each configuration; of a rate its inverse */
    int *wins;                 /* of each device: jobs that several ran and it ran fastest */
    int n_jobs;                /* that several devices ran */
};

static int by_device(const void *user, int a, int b)
{
    const struct ec__grid *g = user;

    return strcmp(ec__grid_device(g, g->row[a]), ec__grid_device(g, g->row[b]));
}

/* False where the target is neither a time nor a rate. */
static bool set_times(struct devices *d)
{
    const char *target = d->g->o->target, *unit;
    double seconds;
    bool is_rate;
    int i;

    unit = ec_column_unit(target, &seconds);
    is_rate = unit && ec_str_glob("*/s", unit);
    for (i = 0; i < d->g->n; i++)
        d->time[i] = is_rate ? 1 / d->g->target[i] : d->g->target[i];
    return is_rate || seconds > 0;
}

static void count_wins(struct devices *d)
{
    int i, k;

    for (i = 0; i < d->jobs.n; i++) {
        int best = ec_group_first(&d->jobs, i);

        for (k = d->jobs.begin[i]; k < d->jobs.begin[i + 1]; k++)
            best = d->time[d->jobs.item[k]] < d->time[best] ? d->jobs.item[k] : best;
        if (ec_group_size(&d->jobs, i) < 2)
            continue;
        d->wins[d->of.of[best]]++;
        d->n_jobs++;
    }
}

static const char *name_of(const struct devices *d, int device)
{
    return ec__grid_device(d->g, d->g->row[ec_group_first(&d->of, device)]);
}

/* One device against the fastest. room: a number for each configuration */
static enum ec_status say_device(const struct devices *d, int device, int fastest, double *room,
                                 struct ec_strs *ret, struct ec_arena *a, struct ec_err *err)
{
    double least = (double)INFINITY, most = 0, median;
    int i, k, n = 0;

    for (i = 0; i < d->jobs.n; i++) {
        double mine = 0, best = 0;

        for (k = d->jobs.begin[i]; k < d->jobs.begin[i + 1]; k++) {
            int item = d->jobs.item[k];

            mine = d->of.of[item] == device ? d->time[item] : mine;
            best = d->of.of[item] == fastest ? d->time[item] : best;
        }
        if (!(mine > 0 && best > 0))
            continue;
        room[n] = mine / best;
        least = fmin(least, room[n]);
        most = fmax(most, room[n++]);
    }
    if (!n)
        return EC_OK;
    median = ec_quantile_inplace(room, n, 0.5);
    return ec_strs_add(ret, a, err,
                       "%s takes %.3g times as long as %s (%.3g to %.3g times, %d "
                       "configuration%s): it is preferable where its hour costs less than %.2g of "
                       "the other's.",
                       name_of(d, device), median, name_of(d, fastest), least, most, n,
                       n == 1 ? "" : "s", 1 / median);
}

static enum ec_status compare(struct devices *d, double *room, struct ec_strs *ret,
                              struct ec_arena *a, struct ec_err *err)
{
    int fastest = 0, i;

    count_wins(d);
    for (i = 1; i < d->of.n; i++)
        fastest = d->wins[i] > d->wins[fastest] ? i : fastest;
    if (d->n_jobs)
        EC_PASS(ec_strs_add(ret, a, err,
                            "Of %d configurations that several devices ran, %s is fastest for %d.",
                            d->n_jobs, name_of(d, fastest), d->wins[fastest]));
    for (i = 0; i < d->of.n && i < DEVICES_MAX && d->n_jobs; i++)
        if (i != fastest)
            EC_PASS(say_device(d, i, fastest, room, ret, a, err));
    return EC_OK;
}

enum ec_status ec__grid_devices(const struct ec__grid *g, struct ec_strs *ret, struct ec_arena *a,
                                struct ec_err *err)
{
    struct devices d = { .g = g };
    struct ec__grid_queries q;
    double *room = NULL;
    enum ec_status st;

    ec__grid_queries(g, true, &q);
    EC_TRY(ec_group(g->n, by_device, g, &d.of, err));
    if (d.of.n < 2)
        goto out;
    EC_TRY(ec_group(g->n, ec__grid_by_query, &q, &d.jobs, err));
    d.time = ec_alloc(sizeof *d.time * (size_t)g->n);
    room = ec_alloc(sizeof *room * (size_t)g->n);
    d.wins = ec_alloc(sizeof *d.wins * (size_t)d.of.n);
    EC_TRY(ec_allocated(d.time && room && d.wins, err));
    if (set_times(&d))
        EC_TRY(compare(&d, room, ret, a, err));
out:
    ec_groups_clear(&d.of);
    ec_groups_clear(&d.jobs);
    ec_free(d.time);
    ec_free(d.wins);
    ec_free(room);
    return st;
}
