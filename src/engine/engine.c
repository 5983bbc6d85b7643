/* Which backends there are, and opening one. */
#include "engine/engine.h"

#include "engine/backend.h"

#include <string.h>

/* Best first: what opens when none is asked for. Fake and slow ones must be named. */
static const struct ec_backend *const backends[] = {
    &ec_backend_cpu,
    &ec_backend_ref,
    &ec_backend_ref64,
    &ec_backend_sim,
};
enum { N_BACKENDS = EC_LEN(backends) };

static const struct ec_backend *by_name(const char *name)
{
    int i;

    for (i = 0; i < N_BACKENDS; i++)
        if (!strcmp(backends[i]->name, name))
            return backends[i];
    return NULL;
}

static enum ec_status unknown(const char *name, struct ec_err *err)
{
    struct ec_buf names = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; i < N_BACKENDS; i++)
        ec_buf_printf(&names, "%s%s", i ? ", " : "", backends[i]->name);
    st = ec_fail(err, EC_E_NOT_FOUND, "no backend \"%s\"; there are %s", name, ec_buf_text(&names));
    ec_buf_clear(&names);
    return st;
}

enum ec_status ec_engine_open(const struct ec_engine_opts *opts, struct ec_ctx **ret,
                              struct ec_err *err)
{
    const struct ec_backend *b = opts->backend ? by_name(opts->backend) : NULL;
    enum ec_status st = EC_E_NOT_FOUND;
    struct ec_ctx *ctx = NULL;
    int i;

    if (opts->backend)
        st = b ? b->open(opts, &ctx, err) : unknown(opts->backend, err);
    for (i = 0; i < N_BACKENDS && st && !opts->backend; i++)
        st = backends[i]->open(opts, &ctx, err);
    if (!st && opts->threads > 1 && ctx->threads == 1) {
        st = ec_fail(err, EC_E_INPUT, "backend %s computes on one thread, found %lld threads",
                     ctx->backend->name, (long long)opts->threads);
        ec_engine_close(ctx);
    }
    if (!st)
        *ret = ctx;
    return st;
}

void ec_engine_close(struct ec_ctx *ctx)
{
    if (ctx)
        ctx->backend->close(ctx);
}

const char *ec_engine_name(const struct ec_ctx *ctx)
{
    return ctx->backend->name;
}

const char *ec_engine_library(struct ec_ctx *ctx)
{
    return ctx->backend->library(ctx);
}

int ec_engine_threads(const struct ec_ctx *ctx)
{
    return ctx->threads;
}

enum ec_status ec_engine_sync(struct ec_ctx *ctx, struct ec_err *err)
{
    return ctx->backend->sync ? ctx->backend->sync(ctx, err) : EC_OK;
}

int64_t ec_engine_now_ns(struct ec_ctx *ctx)
{
    if (ctx->backend->now_ns)
        return ctx->backend->now_ns(ctx);
    return ctx->thread_clock ? ec_thread_clock_ns() : ec_clock_ns();
}

enum ec_status ec_engine_use_thread_clock(struct ec_ctx *ctx, struct ec_err *err)
{
    if (ctx->backend->now_ns)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "the thread's clock: backend %s has a clock of its own", ctx->backend->name);
    if (ctx->threads > 1)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "the thread's clock times one thread, found %d; give --threads 1",
                       ctx->threads);
    ctx->thread_clock = true;
    return EC_OK;
}

enum ec_dtype ec_engine_dtype(enum ec_precision p)
{
    return p == EC_BF16 ? EC_DT_bf16 : p == EC_FP16 ? EC_DT_f16 : EC_DT_f32;
}
