/* The point of a query for the Gaussian process of a profile: its features, and the residuals of
 * neighbour devices there. The residual of a device without rows is modelled as a mixture of its
 * neighbours'. */
#ifndef EC_ADAPT_NEIGHBOURS_H
#define EC_ADAPT_NEIGHBOURS_H

#include "adapt/gp.h"
#include "model/model.h"

/* Bound on the residual of a neighbour, as a logarithm. */
#define EC_DEPARTURE_MAX 1.0

/* A device whose operators were measured with the framework of the query. */
struct ec_neighbour {
    const struct ec_device *device; /* NULL: it lacks the precision of the query */
    struct ec_rates plain, known;   /* by specification; with the fitted offsets */
};

struct ec_neighbours {
    /* the queries that this is for; device NULL: not filled */
    const struct ec_device *device;
    enum ec_width_kind kind;
    struct ec_conditions cond;
    bool is_known; /* the device has rows in the fit, so its corrections need no neighbours */
    struct ec_rates plain; /* of the device */
    int n;
    struct ec_neighbour v[EC_GP_NEIGHBOURS];
};
/* Indices of at most EC_GP_NEIGHBOURS devices out of n that are nearest in generation to `to`; at
 * equal distance in the order of `from`. Returns how many. */
int ec_nearest_devices(const struct ec_device *to, const struct ec_device *const *from, int n,
                       int ret[EC_GP_NEIGHBOURS]);
/* Fills the point of a query.
 * r                a cache from query to query; zeros at first
 * with_neighbours  false: without residuals of neighbours, in a tenth of the time
 * Errors           those of ec_learned_need; NOMEM */
enum ec_status ec_query_place(const struct ec_fitted *f, struct ec_learned *learned,
                              struct ec_neighbours *r, const struct ec_physics_query *q,
                              bool with_neighbours, struct ec_gp_point *ret,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
