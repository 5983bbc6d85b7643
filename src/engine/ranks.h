/* Several processes that train one network together. What they must exchange is behind a table of
 * functions, so that the trainer knows nothing of MPI (src/engine/mpi) or NCCL. */
#ifndef EC_ENGINE_RANKS_H
#define EC_ENGINE_RANKS_H

#include "base/base.h"

#define EC_RANKS_ABI 1
#define EC_RANKS_SYMBOL "ec_ranks_module" /* of a module: const struct ec_ranks_ops */

struct ec_ranks; /* an open group of processes */

struct ec_ranks_ops {
    int abi; /* EC_RANKS_ABI */
    const char *name;
    enum ec_status (*open)(struct ec_ranks **ret, int *ret_rank, int *ret_world,
                           struct ec_err *err);
    void (*close)(struct ec_ranks *r);
    /* Starts adding up n floats of all ranks in place; they must not be touched before wait. */
    enum ec_status (*sum_start)(struct ec_ranks *r, float *x, int64_t n, struct ec_err *err);
    void (*progress)(struct ec_ranks *r);                           /* lets running sums go on */
    enum ec_status (*wait)(struct ec_ranks *r, struct ec_err *err); /* for all that was started */
    enum ec_status (*sum)(struct ec_ranks *r, double *x, int64_t n, struct ec_err *err);
    enum ec_status (*from_first)(struct ec_ranks *r, float *x, int64_t n, struct ec_err *err);
};

/* The group a trainer belongs to; zeroed: alone. */
struct ec_group {
    const struct ec_ranks_ops *ops;
    struct ec_ranks *ranks;
    int rank, world; /* world 0 or 1: alone */
};

/* Opens the group when this process was started by mpirun, else leaves *ret zeroed.
 * module  path of epochcast-mpi.so; NULL: looked for beside the program and where it is installed
 * Errors: BACKEND: the module or a library of its is missing; the sentence says which */
enum ec_status ec_group_open(const char *module, struct ec_group *ret,
                             struct ec_err *err) EC_MUST_CHECK;
void ec_group_close(struct ec_group *g);

#endif
