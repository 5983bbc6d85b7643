/* A step as the sum of its tasks, each timed by layers that were measured. */
#ifndef EC_PREDICT_COMPOSED_H
#define EC_PREDICT_COMPOSED_H

#include "adapt/layers.h"
#include "model/model.h"

struct ec_composed {
    struct ec_step_time time;
    double log_sd;                     /* of the step */
    double unknown_frac;               /* of the time: tasks whose kind nobody measured */
    char unknown[EC_LAYER_TEXT_BYTES]; /* the longest kind of those */
    bool has_memory;                   /* a program was compiled: its ledger, exactly */
    double memory_bytes;
    bool own_program; /* the tasks are those of a program, else one for each node and phase */
};
enum ec_status ec_compose_network(const struct ec_layers *l, const struct ec_graph *g,
                                  enum ec_mode mode, enum ec_optimizer opt, struct ec_composed *ret,
                                  struct ec_err *err) EC_MUST_CHECK;
/* phase: enum ec_phase; -1 for all of forward and gradients */
enum ec_status ec_compose_op(const struct ec_layers *l, const struct ec_case *c, int phase,
                             struct ec_composed *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
