/* Residuals of neighbour devices at a query. */
#include "adapt/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_kept(const struct ec_neighbours *r, const struct ec_physics_query *q)
{
    return r->device == q->device && r->kind == q->kind && r->cond.framework == q->cond.framework &&
           r->cond.precision == q->cond.precision && r->cond.layout == q->cond.layout;
}

int ec_nearest_devices(const struct ec_device *to, const struct ec_device *const *from, int n,
                       int ret[EC_GP_NEIGHBOURS])
{
    int n_ret = 0, i, k;

    for (i = 0; i < n; i++) {
        int apart = abs(from[i]->compute_capability - to->compute_capability);

        for (k = n_ret; k > 0; k--) {
            if (abs(from[ret[k - 1]]->compute_capability - to->compute_capability) <= apart)
                break;
            if (k < EC_GP_NEIGHBOURS)
                ret[k] = ret[k - 1];
        }
        if (k < EC_GP_NEIGHBOURS)
            ret[k] = i;
        n_ret += n_ret < EC_GP_NEIGHBOURS;
    }
    return n_ret;
}

static void add_neighbour(const struct ec_fitted *f, const struct ec_physics_query *q,
                          const struct ec_device *d, struct ec_neighbours *r)
{
    struct ec_neighbour *v = &r->v[r->n++];
    double offset[EC_DO_COUNT];

    v->device = d;
    ec_fitted_offset(f, d, &q->cond, q->op, offset);
    if (ec_rates_init(&v->plain, v->device, &q->cond, &f->c, NULL, NULL) ||
        ec_rates_init(&v->known, v->device, &q->cond, &f->c, offset, NULL))
        v->device = NULL;
}

/* Devices with rows of a kind and framework; further ones are ignored. */
#define DEVICES_MAX 64

/* Fills r for queries like q. The order of the neighbours depends on kind and framework only, since
 * points of a profile are compared by it. */
static enum ec_status gather(const struct ec_fitted *f, const struct ec_physics_query *q,
                             struct ec_neighbours *r, struct ec_err *err)
{
    const struct ec_device *found[DEVICES_MAX];
    int nearest[EC_GP_NEIGHBOURS], n = 0, i;
    const char *last = "";

    memset(r, 0, sizeof *r);
    EC_PASS(ec_rates_init(&r->plain, q->device, &q->cond, &f->c, NULL, err));
    r->kind = q->kind;
    r->cond = q->cond;
    r->is_known = ec_fitted_known(f, q->device, &q->cond, q->kind, q->step).same > 0;
    for (i = 0; i < f->n_seen && n < DEVICES_MAX; i++) {
        const struct ec_seen_fit *h = &f->seen[i];

        if (h->kind != q->kind || h->framework != q->cond.framework || ec_str_eq(h->device, last))
            continue;
        last = h->device;
        n += !ec_device_find(h->device, &found[n], NULL);
    }
    n = ec_nearest_devices(q->device, found, n, nearest);
    for (i = 0; i < n; i++)
        add_neighbour(f, q, found[nearest[i]], r);
    r->device = q->device;
    return EC_OK;
}

/* log(ns) by the physics at these rates, and the features. Returns false where the catalogue lacks
 * a rate. */
static bool features_at(const struct ec_fitted *f, const struct ec_physics_query *q,
                        const struct ec_device *d, const struct ec_rates *rates, double *ret,
                        double *ret_log_ns)
{
    struct ec_operator o = {
        .op = q->op, .step = *q->step, .device = d, .cond = q->cond, .routes = q->kind == EC_W_conv
    };
    struct ec_rates own = *rates;
    struct ec_step_time t;

    own.cond = q->cond;
    ec_step_time(q->step, &own, &f->c, true, &t);
    *ret_log_ns = log(t.step_ns);
    return ec_features_at(&o, &own, &t, ret, NULL) == EC_OK;
}

/* Neighbours are asked for benchmarked calls, queued or not. */
static struct ec_scope_key scope_of(const struct ec_physics_query *q)
{
    struct ec_scope_key who = ec_scope_key_of(&q->cond, ec_is_forward(q->step));

    who.queued = false;
    return who;
}

/* log of the neighbour's time, with offsets and correction, over its time by specification; 0 when
 * there is none. The correction is of the trees alone, which takes a tenth of the time. */
static double departure(const struct ec_fitted *f, const struct ec_learned *learned,
                        const struct ec_physics_query *q, const struct ec_neighbour *v)
{
    struct ec_scope_key who = scope_of(q);
    double features[EC_FEATURE_COUNT], plain, known;

    if (!v->device || !features_at(f, q, v->device, &v->plain, features, &plain) ||
        !features_at(f, q, v->device, &v->known, features, &known))
        return 0;
    known += ec_learned_trees(learned, q->kind, EC_ROLE_correction, who, features);
    return fmax(-EC_DEPARTURE_MAX, fmin(EC_DEPARTURE_MAX, known - plain));
}

static enum ec_status place_operator(const struct ec_fitted *f, struct ec_learned *learned,
                                     struct ec_neighbours *r, const struct ec_physics_query *q,
                                     bool with_neighbours, struct ec_gp_query ask,
                                     struct ec_gp_point *ret, struct ec_err *err)
{
    struct ec_scope_key who = scope_of(q);
    double features[EC_FEATURE_COUNT], neighbour[EC_GP_NEIGHBOURS], log_ns;
    int i;

    if (!is_kept(r, q))
        EC_PASS(gather(f, q, r, err));
    if (features_at(f, q, q->device, &r->plain, features, &log_ns))
        ask.features = features;
    /* queries with `queued` have models of their own, fitted to few devices */
    if (with_neighbours && !q->cond.queued && !r->is_known &&
        ec_gp_wants_neighbours((int)q->kind)) {
        EC_PASS(ec_learned_need(learned, q->kind, who, err));
        for (i = 0; i < r->n; i++)
            neighbour[i] = departure(f, learned, q, &r->v[i]);
        ask.neighbour = neighbour;
        ask.n_neighbours = r->n;
    }
    ec_gp_place(&ask, ret);
    return EC_OK;
}

static enum ec_status place_network(const struct ec_fitted *f, const struct ec_physics_query *q,
                                    struct ec_gp_query ask, struct ec_gp_point *ret,
                                    struct ec_err *err)
{
    double features[EC_NF_COUNT];
    struct ec_rates rates;
    struct ec_step_time t;

    EC_PASS(ec_rates_init(&rates, q->device, &q->cond, &f->c, NULL, err));
    ec_step_time(q->step, &rates, &f->c, false, &t);
    ec_network_features(q->step, &rates, &t, features);
    ask.features = features;
    ec_gp_place(&ask, ret);
    return EC_OK;
}

enum ec_status ec_query_place(const struct ec_fitted *f, struct ec_learned *learned,
                              struct ec_neighbours *r, const struct ec_physics_query *q,
                              bool with_neighbours, struct ec_gp_point *ret, struct ec_err *err)
{
    struct ec_gp_query ask = { .step = q->step, .op = q->op, .kind = (int)q->kind };

    if (q->op)
        return place_operator(f, learned, r, q, with_neighbours, ask, ret, err);
    return place_network(f, q, ask, ret, err);
}
