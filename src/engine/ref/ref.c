/* The oracle: plain C, any operator, on the host. */
#include "engine/backend.h"

static const struct ec_kernel_row rows[] = {
    {NULL, 0, NULL, NULL, NULL, NULL},
};

static enum ec_status ref_open(const struct ec_engine_opts *opts, struct ec_ctx **ret,
                               struct ec_err *err)
{
    struct ec_ctx *ctx = ec_alloc(sizeof *ctx);

    if (!ctx)
        return ec_nomem(err);
    ctx->backend = &ec_backend_ref;
    ctx->threads = 1;
    ctx->seed = opts->seed;
    *ret = ctx;
    return EC_OK;
}

static void ref_close(struct ec_ctx *ctx)
{
    ec_free(ctx);
}

static const char *ref_library(struct ec_ctx *ctx)
{
    (void)ctx;
    return "ref";
}

const struct ec_backend ec_backend_ref = {
    .name = "ref",
    .help = "plain C on the host, any operator; slow, the oracle",
    .abi = EC_BACKEND_ABI,
    .open = ref_open,
    .close = ref_close,
    .rows = rows,
    .library = ref_library,
};
