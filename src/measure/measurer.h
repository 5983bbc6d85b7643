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
    struct ec_iterations *iterations; /* borrowed; NULL: networks write their rows only */
    struct ec_row base;               /* of every row: device, machine, versions, precision, seed */
    enum ec_dtype precision;          /* f32, bf16 */
    enum ec_optimizer optimizer;
    bool (*stop)(void);                 /* NULL: never */
    int64_t n_added, n_known, n_failed; /* rows: written, there already, with an outcome not ok */
    int64_t n_cut;                      /* stopped on the way, and left without their row */
    double last_ns;                     /* median of the row written last, for progress */
};

/* One operator case: the rows of its phases from one network of EC_LAYER_COPIES copies, whose tasks
 * are timed one by one while data flows through all of them (`separated`), and what a copy adds to
 * a whole training step (`marginal`). On request what others measure: a lone layer's training step
 * with its input's gradient (`isolated`), and with input and target trained (`justus`). */
enum ec_layer_method {
    EC_LAYER_SEPARATED = 1 << 0,
    EC_LAYER_MARGINAL = 1 << 1,
    EC_LAYER_ISOLATED = 1 << 2,
    EC_LAYER_JUSTUS = 1 << 3,
};
#define EC_LAYER_COPIES 3
/* what     canonical case text
 * methods  enum ec_layer_method
 * Errors   those that end a campaign: IO, NOMEM, INPUT for a text that is no case. What does not
 *          work on this backend is a row. */
enum ec_status ec_measure_layer(struct ec_measurer *m, const char *what, unsigned methods,
                                struct ec_err *err) EC_MUST_CHECK;

/* One network: its step, and the parts forward, forward_backward, loss and update.
 * name    as ec_graph_open reads it; goes into the row
 * opts    batch, image size, sequence length
 * loss    see ec_loss_for */
enum ec_status ec_measure_network(struct ec_measurer *m, const char *name,
                                  const struct ec_graph_opts *opts,
                                  struct ec_err *err) EC_MUST_CHECK;

/* A roof of the machine, by its words in the row (docs/measurement-format.md):
 *   fma isa=NAME flop=N        multiply-adds in registers, all threads
 *   gemm m=N n=N k=N           a product through the backend, in the measurer's precision
 *   copy bytes=N               memory to memory, the threads' parts together
 *   launch                     an operator with nothing to do
 * Errors  INPUT for other words; those that end a campaign */
enum ec_status ec_measure_ceiling(struct ec_measurer *m, const char *what,
                                  struct ec_err *err) EC_MUST_CHECK;
/* Appends the usual ones of this machine; texts live in the arena. */
enum ec_status ec_ceilings(const struct ec_measurer *m, struct ec_arena *a, struct ec_strs *ret,
                           struct ec_err *err) EC_MUST_CHECK;

/* Plan options that train `g` as it is usually trained: the loss by the form of its output. */
struct ec_plan_opts ec_plan_opts_for(const struct ec_graph *g, enum ec_dtype precision,
                                     enum ec_optimizer optimizer);

#endif
