/* A Gaussian process on what the law, its corrections and the three offsets of a device do not
 * explain: near to rows that were measured, their errors are taken over; far from them nothing is.
 */
#ifndef EC_GP_H
#define EC_GP_H

#include "model/model.h"

#define EC_GP_COORDS 24
#define EC_GP_NEIGHBOURS 6
#define EC_GP_MAX 256 /* points; of more rows the first count */
/* Which coordinates a point has, and what they mean: points of another layout say nothing here. */
#define EC_GP_LAYOUT 3

/* A row: where it lies, and log(measured / predicted). */
struct ec_gp_point {
    int kind; /* enum ec_width_kind: points of other kinds say nothing */
    int code; /* operator, class and phase of its main kernel: others say less */
    int framework;
    int n_neighbours;
    double at[EC_GP_COORDS]; /* in lengths: two points that lie one apart are alike no more */
    double neighbour[EC_GP_NEIGHBOURS]; /* what neighbours of the device do there */
    double residual;
};
/* How many coordinates questions of a kind have. */
int ec_gp_coords(int kind);
/* Whether neighbours help with questions of a kind. */
bool ec_gp_wants_neighbours(int kind);

/* A question as the process sees it. */
struct ec_gp_question {
    const struct ec_step *step;
    const struct ec_op *op; /* NULL for a network */
    struct ec_conditions cond;
    int kind;
    const double *features;  /* model/features.h, of a network model/network_features.h */
    const double *neighbour; /* adapt/neighbours.h */
    int n_neighbours;
};
void ec_gp_place(const struct ec_gp_question *q, struct ec_gp_point *ret);

struct ec_gp; /* opaque */
/* n points, copied. n = 0 gives NULL, which knows nothing. Errors: NOMEM, UNSTABLE */
enum ec_status ec_gp_new(const struct ec_gp_point *points, int n, struct ec_gp **ret,
                         struct ec_err *err) EC_MUST_CHECK;
void ec_gp_free(struct ec_gp *g);
/* Whether it has points of this kind; *ret_neighbours: with neighbours. g may be NULL. */
bool ec_gp_knows(const struct ec_gp *g, int kind, bool *ret_neighbours);
/* Mean of log(measured / predicted) at a point, and which share of its variance is left: 1 far from
 * every row. g may be NULL. */
double ec_gp_mean(const struct ec_gp *g, const struct ec_gp_point *at, double *ret_unknown);
/* What is there to be measured. */
struct ec_gp_choice {
    const struct ec_gp_point *point;
    /* for each point: the deviation that each offset of the device gives it, beside the process */
    const double (*shared)[EC_DO_COUNT];
    int n, n_given; /* the first n_given were measured already */
};
/* Which points to measure, n_chosen at most: always the one that leaves the least variance over all
 * that are not given, those given and chosen before it known. ret: n_chosen places in c->point;
 * ret_left: that mean variance before the first and after each, n_chosen + 1, or NULL. Errors:
 * NOMEM */
enum ec_status ec_gp_choose(const struct ec_gp_choice *c, int n_chosen, int *ret, double *ret_left,
                            struct ec_err *err) EC_MUST_CHECK;

#endif
