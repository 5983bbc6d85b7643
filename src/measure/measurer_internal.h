/* Shared by the kinds of campaign, and the kinds themselves. */
#ifndef EC_MEASURER_INTERNAL_H
#define EC_MEASURER_INTERNAL_H

#include "measure/measurer.h"
#include "measure/protocol_internal.h"
#include "measure/row_file_internal.h"

/* Times of several parts of one run, kept apart: parts[part][run]. */
struct ec__parts {
    int n_parts, n_runs, cap_runs;
    int64_t *ns; /* run-major: n_runs * n_parts */
};
void ec__parts_clear(struct ec__parts *p);
/* Room for one more run; the caller fills n_parts numbers. NULL: no memory. */
int64_t *ec__parts_add(struct ec__parts *p);
/* The last whole->n runs of a part as a timing of its own. ret: ec_timing_clear it. */
enum ec_status ec__parts_timing(const struct ec_measurer *m, const struct ec__parts *p, int part,
                                const struct ec_timing *whole, struct ec_timing *ret,
                                struct ec_err *err) EC_MUST_CHECK;

/* How long a step of the program takes, by the engine's clock. Errors: those of ec_program_step */
enum ec_status ec__step_ns(const struct ec_measurer *m, struct ec_program *p,
                           const struct ec_update *u, int64_t *ret,
                           struct ec_err *err) EC_MUST_CHECK;

/* Counts a timing that others took the processor from: the thread that times waits for nothing but
 * a device or data. flags: of its row, or NULL */
void ec__note_crowd(struct ec_measurer *m, const char *flags, const struct ec_timing *t);

/* Whether the row is in the file already; counts it when it is. */
enum ec_status ec__row_known(struct ec_measurer *m, const struct ec_record *row, bool *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* Completes outcome, flags and what is held out, and writes it unless it is known.
 * timing  NULL: why is the reason there is none */
enum ec_status ec__row_write(struct ec_measurer *m, struct ec_record *row,
                             const struct ec_timing *timing, struct ec_err *err) EC_MUST_CHECK;
/* The row of a failure; passes on what ends a campaign (NOMEM of the host, IO, STORE). */
enum ec_status ec__row_failed(struct ec_measurer *m, struct ec_record *row, enum ec_status why,
                              struct ec_err *err) EC_MUST_CHECK;

/* Before the first iteration of a run: rows that an interrupted run of the same network left at the
 * end of the table are taken back. Errors: IO; NOMEM */
enum ec_status ec__iterations_begin(const struct ec_iterations *it, const struct ec_record *row,
                                    struct ec_err *err) EC_MUST_CHECK;
/* An iteration ended: adds it to the timing, as warm-up or as a sample, which is written.
 * wait_ns  part of the time that it waited for its data; below 0: it has none
 * Errors   IO; NOMEM */
enum ec_status ec__iterations_add(const struct ec_iterations *it, const struct ec_record *row,
                                  int64_t ns, int64_t wait_ns, struct ec_timing *t,
                                  struct ec_err *err) EC_MUST_CHECK;
/* The iterations of a network that is trained on it->data.
 * row     what rows say; its memory is set
 * ret     samples, unjudged; fewer than max_iters when it was stopped
 * Errors  those of the data, of training, IO, NOMEM */
enum ec_status ec__train_iterations(struct ec_measurer *m, const struct ec_graph *g,
                                    struct ec_record *row, struct ec_timing *ret,
                                    struct ec_err *err) EC_MUST_CHECK;
/* Runs the iterations and writes each one as it ends.
 * row    says which network, batch, optimizer, precision and device
 * stop   NULL, or asked between iterations
 * ret    samples, unjudged; fewer than max_iters when it was stopped
 * Errors those of run; IO; NOMEM */
enum ec_status ec_iterations_run(const struct ec_iterations *it, const struct ec_record *row,
                                 ec_measured_run run, void *user, bool (*stop)(void),
                                 struct ec_timing *ret, struct ec_err *err) EC_MUST_CHECK;

/* what        canonical case text
 * activation  behind the operator in the lone training steps (isolated, justus); NULL, "": none
 * methods     enum ec_layer_method
 * Errors      those that end a campaign: IO, NOMEM, INPUT for a text that is no case. What does not
 *             work on this backend is a row. */
enum ec_status ec_measure_layer(struct ec_measurer *m, const char *what, const char *activation,
                                unsigned methods, struct ec_err *err) EC_MUST_CHECK;
/* Single layers as programs. */
struct ec__layer_program {
    struct ec_graph *g;
    struct ec_program *program;
};
/* o    conditions, gradient of the input and fusing are set here
 * ret  ec__layer_close it
 * Errors: those of ec_graph_of_case and of programs */
enum ec_status ec__layer_open(const struct ec_measurer *m, const struct ec_case *c,
                              const struct ec_case_graph *shape, const struct ec_program_opts *o,
                              struct ec__layer_program *ret, struct ec_err *err) EC_MUST_CHECK;
void ec__layer_close(struct ec__layer_program *p);
/* An activation as `then` of a layer, with its usual attributes, in the arena.
 * ret  op NULL for NULL, "" and "none"
 * Errors: those of ec_activation_named */
enum ec_status ec__activation_case(const char *name, struct ec_arena *a, struct ec_case *ret,
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

#endif
