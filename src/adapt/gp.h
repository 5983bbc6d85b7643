/* A Gaussian process on the residuals of one device: what the physics, its corrections and the
 * three offsets of the device do not explain. Near measured rows it predicts their residuals, far
 * from them 0. */
#ifndef EC_GP_H
#define EC_GP_H

#include "model/model.h"

#define EC_GP_COORDS 24
#define EC_GP_NEIGHBOURS 6
#define EC_GP_MAX 256 /* number of points; further rows are ignored */
/* Version of the coordinates. Points of another version are ignored. */
#define EC_GP_LAYOUT 3

/* A measured row: its coordinates, and its residual log(measured / predicted). */
struct ec_gp_point {
    int kind; /* enum ec_width_kind; independent of points of other kinds */
    int code; /* operator, class and phase of the main kernel; points with another code correlate
                 less */
    int framework;
    int n_neighbours;
    double at[EC_GP_COORDS]; /* in units of the length over which correlation falls by e */
    double neighbour[EC_GP_NEIGHBOURS]; /* residuals of neighbour devices there */
    double residual;
    int64_t query;  /* ec_query_id of what was measured; 0: not recorded */
    double time_ns; /* measured */
};
/* Number of coordinates of points of a kind. */
int ec_gp_coords(int kind);
/* Whether neighbour[] is used for a kind. */
bool ec_gp_wants_neighbours(int kind);

/* A query, as input of ec_gp_place. All is borrowed. */
struct ec_gp_query {
    const struct ec_step *step;
    const struct ec_op *op; /* NULL for a network */
    struct ec_conditions cond;
    int kind;
    const double *features;  /* of model/features.h; of a network, of model/network_features.h */
    const double *neighbour; /* n_neighbours residuals, of adapt/neighbours.h */
    int n_neighbours;
};
void ec_gp_place(const struct ec_gp_query *q, struct ec_gp_point *ret);

struct ec_gp; /* opaque */
/* Copies at most EC_GP_MAX points; n = 0 gives NULL. ret: ec_gp_free. Errors: NOMEM, UNSTABLE when
 * the covariances have no factorisation */
enum ec_status ec_gp_new(const struct ec_gp_point *points, int n, struct ec_gp **ret,
                         struct ec_err *err) EC_MUST_CHECK;
void ec_gp_free(struct ec_gp *g);
/* Whether it has points of this kind; *ret_neighbours: whether these have neighbours. g may be
 * NULL. */
bool ec_gp_knows(const struct ec_gp *g, int kind, bool *ret_neighbours);
/* Expected log(measured / predicted) at a point. ret_unknown: variance there over the prior
 * variance; 1 far from every row. g may be NULL. */
double ec_gp_mean(const struct ec_gp *g, const struct ec_gp_point *at, double *ret_unknown);
/* Candidates for a measurement. */
struct ec_gp_choice {
    const struct ec_gp_point *point;
    /* for each point: standard deviation of log(time) by each offset of the device */
    const double (*shared)[EC_DO_COUNT];
    int n, n_given; /* the first n_given are measured already */
};
/* Selects at most n_chosen points to measure, one by one: each time the point that leaves the least
 * variance, summed over all points that are not given.
 * ret       n_chosen indices into c->point
 * ret_left  mean variance before the first and after each, n_chosen + 1 numbers; or NULL
 * Errors    NOMEM */
enum ec_status ec_gp_choose(const struct ec_gp_choice *c, int n_chosen, int *ret, double *ret_left,
                            struct ec_err *err) EC_MUST_CHECK;

#endif
