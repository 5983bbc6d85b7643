/* A table with a row for each iteration of a network: what training benchmarks usually write.
 * docs/measurement-format.md */
#ifndef EC_ITERATIONS_H
#define EC_ITERATIONS_H

#include "measure/protocol.h"

struct ec_csv_log;
struct ec_iterations {
    struct ec_csv_log *log;          /* ec_iterations_open */
    const char *env;                 /* name of the environment in the table; borrowed */
    int64_t max_iters, warmup_iters; /* warm-up ones come first and are not written */
};
/* Errors: those of ec_csv_log_open */
enum ec_status ec_iterations_open(struct ec_iterations *it, const char *path,
                                  struct ec_err *err) EC_MUST_CHECK;
void ec_iterations_close(struct ec_iterations *it);

#endif
