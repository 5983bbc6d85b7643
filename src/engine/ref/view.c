/* Operators whose output is their input under another shape, and casts. */
#include "engine/ref/ref_internal.h"

#include <string.h>

/* All values are plain, so that nothing ever runs; a program may ask all the same (views are a
 * permission). */
static enum ec_status view_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    (void)ctx;
    (void)err;
    k->view = true;
    return EC_OK;
}

static enum ec_status view_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase p,
                               const struct ec_kargs *a, struct ec_err *err)
{
    size_t bytes = (size_t)(ec__ref_elems(k->c->in[0]) * ec__ref_size(k->c->in[0]));

    (void)ctx;
    (void)err;
    if (p == EC_FORWARD && a->out[0] != a->in[0])
        memmove(a->out[0], a->in[0], bytes);
    if (p == EC_GRAD_DATA && a->d_in[0] && a->d_in[0] != a->d_out[0])
        memmove(a->d_in[0], a->d_out[0], bytes);
    return EC_OK;
}

/* Float types are all held as `real`: between them a cast changes nothing. */
static enum ec_status cast_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    (void)ctx;
    (void)err;
    k->view = EC__REF(is_real)(k);
    return EC_OK;
}

static enum ec_status cast_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase p,
                               const struct ec_kargs *a, struct ec_err *err)
{
    int64_t n = ec__ref_elems(k->c->in[0]), i;

    if (EC__REF(is_real)(k))
        return view_run(ctx, k, p, a, err);
    if (p == EC_GRAD_DATA && a->d_in[0])
        memset(a->d_in[0], 0, sizeof(real) * (size_t)n);
    for (i = 0; p == EC_FORWARD && i < n; i++) {
        double v = EC__REF(load)(k->c->in[0], a->in[0], i);

        EC__REF(store)
        (k->c->out[0], a->out[0], i, k->c->out[0]->dtype == EC_DT_bool ? v != 0 : v);
    }
    return EC_OK;
}

EC__REF_KERNEL(cast, cast_prepare, cast_run)
EC__REF_KERNEL(flatten, view_prepare, view_run)
EC__REF_KERNEL(identity, view_prepare, view_run)
EC__REF_KERNEL(reshape, view_prepare, view_run)
EC__REF_KERNEL(squeeze, view_prepare, view_run)
EC__REF_KERNEL(unsqueeze, view_prepare, view_run)
