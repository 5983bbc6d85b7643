/* Where a question lies for the Gaussian process of a profile: its features, and how devices that
 * were measured depart there from what their specifications promise. What a device does that nobody
 * measured is, for a part, a mixture of that. */
#ifndef EC_ADAPT_NEIGHBOURS_H
#define EC_ADAPT_NEIGHBOURS_H

#include "adapt/gp.h"
#include "model/model.h"

/* No departure beyond a factor of this much, as a logarithm. */
#define EC_DEPARTURE_MAX 1.0

/* A device whose operators were measured with the framework of the question. */
struct ec_neighbour {
    const struct ec_device *device; /* NULL: it cannot do what is asked */
    struct ec_rates plain, known;   /* by specification; with what the fit found */
};

struct ec_neighbours {
    /* of which questions; device NULL: of none */
    const struct ec_device *device;
    enum ec_width_kind kind;
    struct ec_conditions cond;
    bool is_known;         /* the device itself was measured: its corrections know it */
    struct ec_rates plain; /* of the device */
    int n;
    struct ec_neighbour v[EC_GP_NEIGHBOURS];
};
/* Of n devices the nearest in generation, at most EC_GP_NEIGHBOURS, as indices; those first that
 * come first. Returns how many. */
int ec_nearest_devices(const struct ec_device *to, const struct ec_device *const *from, int n,
                       int ret[EC_GP_NEIGHBOURS]);
/* r                what is kept from question to question; zeros at first
 * with_neighbours  false: none are asked, which takes a tenth of the time
 * Errors           those of reading corrections; NOMEM */
enum ec_status ec_query_place(const struct ec_fitted *f, struct ec_learned *learned,
                              struct ec_neighbours *r, const struct ec_physics_query *q,
                              bool with_neighbours, struct ec_gp_point *ret,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
