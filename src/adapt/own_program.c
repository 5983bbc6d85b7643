/* Compiles a program of this engine for the list of its tasks. */
#include "adapt/own_program.h"

#include "measure/measure.h"

/* Opens the backend with oneDNN, or plain C without it; programs of plain C convert and fuse
 * nothing. */
static enum ec_status open_engine(struct ec_engine_opts *o, struct ec_ctx **ret, struct ec_err *err)
{
    if (!ec_engine_open(o, ret, NULL))
        return EC_OK;
    o->backend = "ref";
    return ec_engine_open(o, ret, err);
}

enum ec_status ec__own_tasks(const struct ec_graph *g, const struct ec_conditions *cond,
                             int64_t threads, struct ec_program_memory *ret_memory,
                             ec_own_task_fn *fn, void *user, struct ec_err *err)
{
    struct ec_engine_opts engine = { .backend = "cpu", .threads = threads };
    struct ec_program_opts opts = ec_program_opts_for(g, cond);
    struct ec_ctx *ctx = NULL;
    struct ec_program *p = NULL;
    enum ec_status st;
    int i;

    opts.with_loss = cond->mode != EC_MODE_FORWARD;
    opts.compile_only = true;
    EC_TRY(open_engine(&engine, &ctx, err));
    EC_TRY(ec_program_new(ctx, g, &opts, &p, err));
    ec_program_memory(p, ret_memory);
    for (i = 0; i < ec_program_tasks(p); i++) {
        struct ec_task_info t = ec_program_task(p, i);

        EC_TRY(fn(user, &t, err));
    }
out:
    ec_program_free(p);
    ec_engine_close(ctx);
    return st;
}
