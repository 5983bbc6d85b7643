/* Joining the processes of mpirun: a module is opened only when this process was started by it, so
 * that the program itself needs no MPI library. */
#include "engine/ranks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define MODULE "epochcast-mpi.so"

/* What launchers set: OpenMPI, MPICH and Intel, Slurm. */
static const char *const worlds[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", NULL };

static bool was_launched(void)
{
    int i;

    for (i = 0; worlds[i]; i++)
        if (getenv(worlds[i]))
            return true;
    return false;
}

/* An MPI library loads parts of its own that want its symbols: global. */
static void *open_module(const char *module)
{
    const int flags = RTLD_NOW | RTLD_GLOBAL;

    return module ? dlopen(module, flags) : ec_module_open(MODULE, flags);
}

enum ec_status ec_group_open(const char *module, struct ec_group *ret, struct ec_err *err)
{
    const struct ec_ranks_ops *ops;
    void *lib;

    memset(ret, 0, sizeof *ret);
    if (!was_launched())
        return EC_OK;
    lib = open_module(module);
    if (!lib)
        return ec_fail(err, EC_E_BACKEND,
                       "started by mpirun, but the module that joins processes does not open: "
                       "%.300s (it is built where Debian's package libopenmpi-dev is installed)",
                       dlerror());
    ops = dlsym(lib, EC_RANKS_SYMBOL);
    if (!ops || ops->abi != EC_RANKS_ABI)
        return ec_fail(err, EC_E_BACKEND, MODULE " is of another version of this program");
    EC_PASS(ops->open(&ret->ranks, &ret->rank, &ret->world, err));
    ret->ops = ops;
    return EC_OK;
}

void ec_group_close(struct ec_group *g)
{
    if (g && g->ops)
        g->ops->close(g->ranks);
}
