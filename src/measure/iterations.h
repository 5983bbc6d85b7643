/* Runs of so many iterations of a network, and the table with a row for each of them: what training
 * benchmarks usually write. docs/measurement-format.md */
#ifndef EC_ITERATIONS_H
#define EC_ITERATIONS_H

#include "measure/protocol.h"

struct ec_iterations_table;
struct ec_iterations {
    struct ec_iterations_table *table; /* ec_iterations_open; NULL: none is written */
    const char *env;                   /* name of the environment in the table; borrowed */
    int64_t max_iters, warmup_iters;   /* warm-up ones come first and are not written */
    bool thread_clock;                 /* times are of that clock, in a column of their own */
    const char *data; /* ec_samples_open: what the network is fed with; NULL: it runs on the same
                       * random batch */
    int64_t workers;  /* threads that prepare batches of it ahead */
    /* After each iteration; done counts those of the warm-up too. NULL: silent */
    void (*told)(void *user, const struct ec_record *row, int64_t done, int64_t total, double ns);
    void *user;
};
/* Errors: those of ec_csv_log_open */
enum ec_status ec_iterations_open(struct ec_iterations *it, const char *path,
                                  struct ec_err *err) EC_MUST_CHECK;
void ec_iterations_close(struct ec_iterations *it);

#endif
