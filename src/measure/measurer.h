/* What every campaign shares: the backend, the protocol, the file that rows go to, and what all of
 * its rows have in common. */
#ifndef EC_MEASURER_H
#define EC_MEASURER_H

#include "measure/iterations.h"
#include "measure/row_file.h"

struct ec_measurer {
    struct ec_ctx *ctx; /* borrowed */
    struct ec_protocol protocol;
    struct ec_row_file *file;         /* borrowed */
    struct ec_iterations *iterations; /* borrowed; NULL: steps are timed by the protocol */
    struct ec_record base;            /* of every row: device, machine, versions, precision, seed */
    bool thread_clock;                /* samples are of that clock, not the host's */
    struct ec_conditions cond;        /* precision fp32 or bf16 */
    bool (*stop)(void);               /* NULL: never */
    int64_t n_added, n_known,
        n_failed; /* numbers of rows: written, already in the file, with an outcome other than ok */
    int64_t n_crowded;          /* rows timed while others took the processor */
    double crowded_frac;        /* the largest share of time that they took */
    int64_t n_cut;              /* stopped on the way, and left without their row */
    double last_ns;             /* median of the row written last, for progress */
    char why[EC_ERR_MAX_BYTES]; /* of the row that failed last; "": none did */
};

/* One operator case: the rows of its phases from one network of EC_LAYER_COPIES copies, whose tasks
 * are timed one by one while data flows through all of them (`separated`), and what a copy adds to
 * a whole training step (`marginal`). On request what others measure: a lone layer's training step
 * with its input's gradient (`isolated`), and with input and target trained (`justus`); these two
 * may have an activation behind the operator. */
enum ec_layer_method {
    EC_LAYER_SEPARATED = 1 << 0,
    EC_LAYER_MARGINAL = 1 << 1,
    EC_LAYER_ISOLATED = 1 << 2,
    EC_LAYER_JUSTUS = 1 << 3,
};
#define EC_LAYER_COPIES 3

/* Appends the usual ones of this machine; texts live in the arena. */
enum ec_status ec_ceilings(const struct ec_measurer *m, struct ec_arena *a, struct ec_strs *ret,
                           struct ec_err *err) EC_MUST_CHECK;

/* A program that trains `g` as it is usually trained: the loss by the form of its output. */
struct ec_program_opts ec_program_opts_for(const struct ec_graph *g,
                                           const struct ec_conditions *cond);

#endif
