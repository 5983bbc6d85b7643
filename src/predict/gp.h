/* A Gaussian process on what the law, its corrections and the three offsets of a device leave over:
 * near to rows that were measured, their errors are taken over; far from them nothing is. */
#ifndef EC_GP_H
#define EC_GP_H

#include "predict/physics.h"

#define EC_GP_COORDS 10
#define EC_GP_MAX 256 /* points; of more rows the first count */

/* A row: where it lies, and log(measured / predicted). */
struct ec_gp_point {
    int kind;                /* enum ec_width_kind: points of other kinds say nothing */
    int code;                /* operator, class and phase of its main kernel: others say less */
    double at[EC_GP_COORDS]; /* logarithms of its work, matrix of its main kernel, its alignment */
    double residual;
};
/* op: NULL for a network. */
void ec_gp_place(const struct ec_step *s, const struct ec_op *op, enum ec_precision p, int kind,
                 struct ec_gp_point *ret);

struct ec_gp; /* opaque */
/* n points, copied. n = 0 gives NULL, which knows nothing. Errors: NOMEM, UNSTABLE */
enum ec_status ec_gp_new(const struct ec_gp_point *points, int n, struct ec_gp **ret,
                         struct ec_err *err) EC_MUST_CHECK;
void ec_gp_free(struct ec_gp *g);
/* Mean of log(measured / predicted) at a point, and which share of its variance is left: 1 far from
 * every row. g may be NULL. */
double ec_gp_mean(const struct ec_gp *g, const struct ec_gp_point *at, double *ret_unknown);

#endif
