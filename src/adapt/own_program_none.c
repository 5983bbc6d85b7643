/* In a build of the predictor alone (parts=predict): there is no engine to compile a program. */
#include "adapt/own_program.h"

enum ec_status ec__own_tasks(const struct ec_graph *g, const struct ec_conditions *cond,
                             int64_t threads, struct ec_program_memory *ret_memory,
                             ec_own_task_fn *fn, void *user, struct ec_err *err)
{
    (void)g, (void)cond, (void)threads, (void)ret_memory, (void)fn, (void)user;
    return ec_fail(err, EC_E_UNSUPPORTED,
                   "framework epochcast: its measured layers are added up by a program of its "
                   "engine, which this build leaves out (parts=predict)");
}
