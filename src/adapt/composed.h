/* The time of a step as the sum of its tasks, each predicted from measured layers of the machine.
 */
#ifndef EC_PREDICT_COMPOSED_H
#define EC_PREDICT_COMPOSED_H

#include "adapt/layers.h"
#include "model/model.h"

struct ec_composed {
    struct ec_step_time time;       /* its class_ns: by the main kernel of each task */
    double law_ns[EC_KCLASS_COUNT]; /* the same by the machine's ceilings alone */
    double log_sd;                  /* of the step: standard deviation of log(time) */
    double unknown_frac; /* share of the time, 0 to 1, in tasks of kinds without measured layers */
    char unknown[EC_LAYER_TEXT_BYTES]; /* the kind among them with the most time */
    bool has_memory;                   /* memory_bytes is exact, from a compiled program */
    double memory_bytes;
    bool own_program; /* tasks of a compiled program; else one for each node and phase */
};
enum ec_status ec_compose_network(const struct ec_layers *l, const struct ec_graph *g,
                                  const struct ec_conditions *cond, struct ec_composed *ret,
                                  struct ec_err *err) EC_MUST_CHECK;
/* phase: enum ec_phase; -1: forward and gradients. Errors: UNSUPPORTED when the operator runs no
 * kernel there, NOMEM */
enum ec_status ec_compose_op(const struct ec_layers *l, const struct ec_case *c, int phase,
                             struct ec_composed *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
