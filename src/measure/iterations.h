/* A table with a row for each iteration of a network: what training benchmarks usually write.
 * docs/measurement-format.md */
#ifndef EC_ITERATIONS_H
#define EC_ITERATIONS_H

#include "measure/csv_log.h"
#include "measure/protocol.h"
#include "measure/row_file.h"

struct ec_iterations {
    struct ec_csv_log *log;          /* ec_iterations_open */
    const char *env;                 /* name of the environment in the table; borrowed */
    int64_t max_iters, warmup_iters; /* warm-up ones come first and are not written */
};
/* Errors: those of ec_csv_log_open */
enum ec_status ec_iterations_open(struct ec_iterations *it, const char *path,
                                  struct ec_err *err) EC_MUST_CHECK;
void ec_iterations_close(struct ec_iterations *it);

/* Runs the iterations and writes each one as it ends. Rows that an interrupted run of the same
 * network left at the end of the table are taken back first.
 * row    says which network, batch, optimizer, precision and device
 * stop   NULL, or asked between iterations
 * ret    samples, unjudged; fewer than max_iters when it was stopped
 * Errors those of run; IO; NOMEM */
enum ec_status ec_iterations_run(const struct ec_iterations *it, const struct ec_row *row,
                                 ec_measured_run run, void *user, bool (*stop)(void),
                                 struct ec_timing *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
