/* The tasks of a step of this engine, from a program that is compiled and not run. */
#ifndef EC_ADAPT_OWN_PROGRAM_H
#define EC_ADAPT_OWN_PROGRAM_H

#include "engine/engine.h"

typedef enum ec_status ec_own_task_fn(void *user, const struct ec_task_info *task,
                                      struct ec_err *err);

/* Calls fn for each task of a step, in order; ret_memory is filled in before the first call.
 * threads  of the machine
 * Errors   those of ec_program_new and of fn; UNSUPPORTED in a build without the engine */
enum ec_status ec__own_tasks(const struct ec_graph *g, const struct ec_conditions *cond,
                             int64_t threads, struct ec_program_memory *ret_memory,
                             ec_own_task_fn *fn, void *user, struct ec_err *err) EC_MUST_CHECK;

#endif
