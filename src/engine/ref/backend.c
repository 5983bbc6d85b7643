/* The reference backend: plain C, any operator, on the host. The kernels are built for float and
 * for double. */
#include "engine/flat_host.h"
#include "engine/ref/ref.h"

#include <string.h>

static enum ec_status ref_new(const struct ec_backend *b, const struct ec_engine_opts *opts,
                              struct ec_ctx **ret, struct ec_err *err)
{
    struct ec_ref_ctx *r = ec_alloc(sizeof *r);

    EC_PASS(ec_allocated(r, err));
    r->ctx.backend = b;
    r->ctx.threads = 1;
    r->ctx.seed = opts->seed;
    *ret = &r->ctx;
    return EC_OK;
}

static enum ec_status ref_open(const struct ec_engine_opts *opts, struct ec_ctx **ret,
                               struct ec_err *err)
{
    return ref_new(&ec_backend_ref, opts, ret, err);
}

static enum ec_status ref64_open(const struct ec_engine_opts *opts, struct ec_ctx **ret,
                                 struct ec_err *err)
{
    return ref_new(&ec_backend_ref64, opts, ret, err);
}

static void ref_close(struct ec_ctx *ctx)
{
    ec_free(ctx);
}

static const char *ref_library(struct ec_ctx *ctx)
{
    return ctx->backend->name;
}

static double get(enum ec_dtype t, const void *p, int64_t i)
{
    return t == EC_DT_f64 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

/* All formats are plain: a copy, or a conversion between float and double. */
static enum ec_status reorder(struct ec_ctx *ctx, const struct ec_type *type,
                              const struct ec_fmt *from, const void *src, const struct ec_fmt *to,
                              void *dst, struct ec_err *err)
{
    enum ec_dtype own = ctx->backend == &ec_backend_ref64 ? EC_DT_f64 : EC_DT_f32;
    enum ec_dtype s = from ? from->dtype : own, d = to ? to->dtype : own;
    int64_t n = 0, i;

    if (!ec_shape_count(&type->shape, &n))
        return ec_fail(err, EC_E_SHAPE, "tensor has too many elements");
    if (!ec_dtype_is_float(type->dtype) || s == d) {
        memcpy(dst, src,
               (size_t)(n * ec_dtype_bytes(ec_dtype_is_float(type->dtype) ? s : type->dtype)));
        return EC_OK;
    }
    for (i = 0; i < n; i++) {
        if (d == EC_DT_f64)
            ((double *)dst)[i] = get(s, src, i);
        else
            ((float *)dst)[i] = (float)get(s, src, i);
    }
    return EC_OK;
}

const struct ec_backend ec_backend_ref = {
    .name = "ref",
    .help = "plain C on the host, any operator; slow, the reference",
    .abi = EC_BACKEND_ABI,
    .flags = EC_BACKEND_REF,
    .open = ref_open,
    .close = ref_close,
    .rows = ec__ref32_rows,
    .reorder = reorder,
    .flat = &ec_flat_host,
    .library = ref_library,
};

const struct ec_backend ec_backend_ref64 = {
    .name = "ref64",
    .help = "ref in float64, with which others are compared",
    .abi = EC_BACKEND_ABI,
    .flags = EC_BACKEND_REF,
    .open = ref64_open,
    .close = ref_close,
    .rows = ec__ref64_rows,
    .reorder = reorder,
    .flat = &ec_flat_host,
    .library = ref_library,
};
