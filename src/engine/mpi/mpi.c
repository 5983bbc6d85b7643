/* The module epochcast-mpi.so: the functions of engine/ranks.h by MPI. */
#include "engine/ranks.h"

#include <mpi.h>

#define MAX_REQUESTS 4096

struct ec_ranks {
    MPI_Comm comm;
    int n;
    MPI_Request running[MAX_REQUESTS];
};

static enum ec_status check(int code, const char *what, struct ec_err *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;

    if (code == MPI_SUCCESS)
        return EC_OK;
    (void)MPI_Error_string(code, text, &n);
    return ec_fail(err, EC_E_BACKEND, "%s: %.300s", what, text);
}

static enum ec_status ranks_open(struct ec_ranks **ret, int *ret_rank, int *ret_world,
                                 struct ec_err *err)
{
    struct ec_ranks *r = ec_alloc(sizeof *r);
    int level = 0;
    enum ec_status st;

    EC_PASS(ec_allocated(r, err));
    EC_TRY(check(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level), "MPI_Init_thread", err));
    EC_TRY(check(MPI_Comm_dup(MPI_COMM_WORLD, &r->comm), "MPI_Comm_dup", err));
    EC_TRY(
        check(MPI_Comm_set_errhandler(r->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", err));
    EC_TRY(check(MPI_Comm_rank(r->comm, ret_rank), "MPI_Comm_rank", err));
    EC_TRY(check(MPI_Comm_size(r->comm, ret_world), "MPI_Comm_size", err));
    *ret = r;
    r = NULL;
out:
    ec_free(r);
    return st;
}

static void ranks_close(struct ec_ranks *r)
{
    int done = 0;

    if (!r)
        return;
    (void)MPI_Finalized(&done);
    if (!done) {
        (void)MPI_Comm_free(&r->comm);
        (void)MPI_Finalize();
    }
    ec_free(r);
}

static enum ec_status ranks_wait(struct ec_ranks *r, struct ec_err *err)
{
    int n = r->n;

    r->n = 0;
    return check(MPI_Waitall(n, r->running, MPI_STATUSES_IGNORE), "MPI_Waitall", err);
}

static enum ec_status sum_start(struct ec_ranks *r, float *x, int64_t n, struct ec_err *err)
{
    const int64_t largest = (int64_t)1 << 30;

    while (n > 0) {
        int64_t part = n < largest ? n : largest;

        if (r->n == MAX_REQUESTS)
            EC_PASS(ranks_wait(r, err));
        EC_PASS(check(MPI_Iallreduce(MPI_IN_PLACE, x, (int)part, MPI_FLOAT, MPI_SUM, r->comm,
                                     &r->running[r->n]),
                      "MPI_Iallreduce", err));
        r->n++;
        x += part;
        n -= part;
    }
    return EC_OK;
}

static void progress(struct ec_ranks *r)
{
    int flag = 0;

    if (r->n)
        (void)MPI_Testall(r->n, r->running, &flag, MPI_STATUSES_IGNORE);
    if (flag)
        r->n = 0;
}

static enum ec_status sum(struct ec_ranks *r, double *x, int64_t n, struct ec_err *err)
{
    return check(MPI_Allreduce(MPI_IN_PLACE, x, (int)n, MPI_DOUBLE, MPI_SUM, r->comm),
                 "MPI_Allreduce", err);
}

static enum ec_status from_first(struct ec_ranks *r, float *x, int64_t n, struct ec_err *err)
{
    return check(MPI_Bcast(x, (int)n, MPI_FLOAT, 0, r->comm), "MPI_Bcast", err);
}

__attribute__((visibility("default"))) extern const struct ec_ranks_ops ec_ranks_module;
const struct ec_ranks_ops ec_ranks_module = {
    .abi = EC_RANKS_ABI,
    .name = "mpi",
    .open = ranks_open,
    .close = ranks_close,
    .sum_start = sum_start,
    .progress = progress,
    .wait = ranks_wait,
    .sum = sum,
    .from_first = from_first,
};
