/* What belongs to what: kernels to launches by correlation, launches to operators by time. */
#include "trace/trace_internal.h"

#include <string.h>

static enum ec_status join_device(const struct ec_trace *t, uint32_t *up, struct ec_err *err)
{
    struct ec__numbers launches = { 0 }, ops = { 0 };
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < t->n; i++) {
        if (t->v[i].kind == EC_TRACE_LAUNCH && t->v[i].link)
            EC_TRY(ec__numbers_add(&launches, t->v[i].link, (uint32_t)i, err));
        if (t->v[i].kind == EC_TRACE_OP && t->v[i].external)
            EC_TRY(ec__numbers_add(&ops, t->v[i].external, (uint32_t)i, err));
    }
    ec__numbers_sort(&launches);
    ec__numbers_sort(&ops);
    for (i = 0; i < t->n; i++) {
        if (!ec_trace_of_device(&t->v[i]))
            continue;
        up[i] = ec__numbers_find(&launches, t->v[i].link);
        if (up[i] == EC_TRACE_NIL)
            up[i] = ec__numbers_find(&ops, t->v[i].external);
    }
out:
    ec_free(launches.v);
    ec_free(ops.v);
    return st;
}

/* Frames of Python may stand on a thread of their own, without a number: modules then belong to the
 * thread that runs most operators. */
static uint32_t main_lane(const struct ec_trace *t, int *ops)
{
    int best = 0, i;

    for (i = 0; i < t->n; i++)
        if (t->v[i].kind == EC_TRACE_OP)
            ops[t->v[i].lane]++;
    for (i = 1; i < t->n_lanes; i++)
        best = ops[i] > ops[best] ? i : best;
    return (uint32_t)best;
}

#define NESTED_MOST 512 /* deeper ones belong to the deepest that is kept */

struct open_events {
    uint32_t v[NESTED_MOST];
    int n;
};

static enum ec_status join_host(const struct ec_trace *t, uint32_t *up, struct ec_err *err)
{
    /* Of a database the ranges, too: a user's ranges of layers are all that it has of modules. */
    const unsigned kinds = EC__TRACE_KIND(OP) | EC__TRACE_KIND(MODULE) | EC__TRACE_KIND(LAUNCH) |
                           (t->n_gpus ? EC__TRACE_KIND(RANGE) : 0);
    struct open_events **open = NULL;
    int *ops = NULL, n = 0, i;
    uint32_t *list = NULL, home;
    enum ec_status st = EC_OK;

    EC_TRY(ec__trace_sorted(t, kinds, &list, &n, err));
    open = ec_alloc(sizeof(struct open_events *) * ((size_t)t->n_lanes + 1));
    ops = ec_alloc(sizeof *ops * ((size_t)t->n_lanes + 1));
    EC_TRY(ec_allocated(open && ops, err));
    home = main_lane(t, ops);
    for (i = 0; i < n; i++) {
        const struct ec_trace_event *e = &t->v[list[i]];
        uint32_t lane = e->kind == EC_TRACE_MODULE && !ops[e->lane] ? home : e->lane;
        struct open_events *o = open[lane];

        if (!o)
            o = open[lane] = ec_alloc(sizeof *o);
        EC_TRY(ec_allocated(o, err));
        while (o->n && ec_trace_end(&t->v[o->v[o->n - 1]]) <= e->start_ns)
            o->n--;
        up[list[i]] = o->n ? o->v[o->n - 1] : EC_TRACE_NIL;
        if (e->kind != EC_TRACE_LAUNCH && o->n < NESTED_MOST)
            o->v[o->n++] = list[i];
    }
out:
    for (i = 0; open && i < t->n_lanes; i++)
        ec_free(open[i]);
    ec_free(open);
    ec_free(ops);
    ec_free(list);
    return st;
}

enum ec_status ec_trace_join(const struct ec_trace *t, uint32_t **ret_up, struct ec_err *err)
{
    uint32_t *up = ec_alloc(sizeof *up * ((size_t)t->n + 1));
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(up, err));
    memset(up, 0xff, sizeof *up * ((size_t)t->n + 1));
    EC_TRY(join_host(t, up, err));
    EC_TRY(join_device(t, up, err));
    *ret_up = up;
    up = NULL;
out:
    ec_free(up);
    return st;
}
