/* Times of single tasks from measured layers of one machine: for each operator and phase a Gaussian
 * process on the residual of a simple formula (a roofline with measured ceilings). docs/local.md */
#ifndef EC_PREDICT_LAYERS_H
#define EC_PREDICT_LAYERS_H

#include "base/base.h"
#include "cost/cost.h"

#define EC_LAYER_COORDS 11
#define EC_LAYER_SIZES 32
#define EC_LAYER_TEXT_BYTES 64

/* Measured ceilings of the machine. */
struct ec_layer_machine {
    double flop_per_s;
    int n; /* sizes of copies, ascending */
    double size_bytes[EC_LAYER_SIZES],
        rate_bytes_per_s[EC_LAYER_SIZES]; /* bytes read and written */
    int64_t threads;
    char framework[EC_LAYER_TEXT_BYTES], precision[EC_LAYER_TEXT_BYTES];
};

/* A task: its coordinates, and the formula's time. */
struct ec_layer_point {
    char group[EC_LAYER_TEXT_BYTES]; /* words: operator, phase, class of its main kernel */
    double at[EC_LAYER_COORDS];      /* mostly logarithms */
    double log_law;
    enum ec_kclass kclass; /* of its main kernel; not known of rows of a profile */
};
struct ec_layer_row {
    struct ec_layer_point point;
    double log_ns;
    bool doubtful; /* measured, but flagged */
};

struct ec_layers; /* opaque */
/* Copies the rows. ret: ec_layers_free. Errors: NOMEM, UNSTABLE when covariances have no
 * factorisation */
enum ec_status ec_layers_new(const struct ec_layer_machine *m, const struct ec_layer_row *rows,
                             int n, struct ec_layers **ret, struct ec_err *err) EC_MUST_CHECK;
void ec_layers_free(struct ec_layers *l);
const struct ec_layer_machine *ec_layers_machine(const struct ec_layers *l);
int ec_layers_count(const struct ec_layers *l);
/* Writes the layers as members of an open JSON object, and reads them. Errors: PARSE, NOMEM */
void ec_layers_json(const struct ec_layers *l, struct ec_json *j);
enum ec_status ec_layers_parse(const struct ec_jval *obj, struct ec_layers **ret,
                               struct ec_err *err) EC_MUST_CHECK;

/* The task of an operator in a phase (enum ec_phase; -1: forward and gradients as one task, as
 * losses are).
 * footprint_bytes  of the whole program; 0: unknown. Data that is read again only after the rest of
 *                  the program is not in a smaller cache any more
 * Errors           UNSUPPORTED when the operator runs no kernel in the phase */
enum ec_status ec_layer_place(const struct ec_layer_machine *m, const struct ec_case *c, int phase,
                              double footprint_bytes, struct ec_layer_point *ret,
                              struct ec_err *err) EC_MUST_CHECK;
/* An optimizer's update of `elems` parameters; and the ns in which the machine moves `bytes`. */
void ec_layer_place_update(const struct ec_layer_machine *m, enum ec_optimizer o, double elems,
                           double footprint_bytes, struct ec_layer_point *ret);
double ec_layer_move_ns(const struct ec_layer_machine *m, double bytes, double footprint_bytes);

/* log of the time in ns, and its standard deviation. */
struct ec_layer_time {
    double log_ns, log_sd;
    int rows;       /* in its group; 0: the formula alone */
    double unknown; /* posterior over prior variance, 0 to 1 */
};
void ec_layers_time(const struct ec_layers *l, const struct ec_layer_point *at,
                    struct ec_layer_time *ret);
/* Standard deviation in ns of the sum of n tasks of one group with times ns[i]. Errors of tasks
 * near to each other are correlated. Errors: NOMEM */
enum ec_status ec_layers_sum_sd(const struct ec_layers *l, const struct ec_layer_point *const *at,
                                const double *ns, int n, double *ret,
                                struct ec_err *err) EC_MUST_CHECK;

#endif
