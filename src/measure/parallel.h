/* Data parallel training of processes that mpirun started: the time of a step with and without the
 * exchange of gradients, and of the exchange alone. All processes call these together; the first
 * one writes. docs/multi-device.md */
#ifndef EC_MEASURE_PARALLEL_H
#define EC_MEASURE_PARALLEL_H

#include "measure/measurer.h"

struct ec_parallel {
    const struct ec_group *group; /* borrowed; zeroed: one process */
    int64_t max_iters, warmup_iters;
    struct ec_csv_log *table; /* one row per network; NULL on all but the first process */
};
/* Errors: those of ec_csv_log_open */
enum ec_status ec_parallel_open(struct ec_parallel *p, const char *table,
                                struct ec_err *err) EC_MUST_CHECK;
void ec_parallel_close(struct ec_parallel *p);

/* Whether any of the processes was asked to stop (m->stop); all call it together and get the same.
 * Errors: those of the exchange */
enum ec_status ec_parallel_stopped(const struct ec_measurer *m, const struct ec_parallel *p,
                                   bool *ret, struct ec_err *err) EC_MUST_CHECK;

/* A network with `batch` samples per process. Asked to stop, it writes no row. m->file is NULL on
 * all but the first process.
 * Errors: those of training, the same on every process; IO, NOMEM */
enum ec_status ec_measure_parallel(struct ec_measurer *m, const struct ec_parallel *p,
                                   const char *name, int64_t batch,
                                   struct ec_err *err) EC_MUST_CHECK;
/* A lone layer's training step in the same strategy: each process has its own batch of the case,
 * and all that is trained is added up over the processes. what        case text activation  behind
 * it; NULL: none method      EC_LAYER_ISOLATED or EC_LAYER_JUSTUS: input and target are trained,
 * too Errors: those of programs, the same on every process; INPUT; IO, NOMEM */
enum ec_status ec_measure_parallel_layer(struct ec_measurer *m, const struct ec_parallel *p,
                                         const char *what, const char *activation,
                                         enum ec_layer_method method,
                                         struct ec_err *err) EC_MUST_CHECK;
/* Adding up `bytes` of float32 over all processes: a ceiling, `all_reduce bytes=N`. One process
 * alone measures nothing. */
enum ec_status ec_measure_all_reduce(struct ec_measurer *m, const struct ec_parallel *p,
                                     int64_t bytes, struct ec_err *err) EC_MUST_CHECK;

#endif
