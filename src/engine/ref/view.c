/* Operators whose output is their input under another shape, and casts. */
#include "engine/ref/ref_internal.h"

#include <string.h>

/* All values are plain, so that nothing ever runs; a program may ask all the same (views are a
 * permission). */
static bool view_prepare(struct ec_knode *k)
{
    k->view = true;
    return true;
}

static enum ec_status view_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    size_t bytes = (size_t)(ec__ref_elems(call->c->in[0]) * ec__ref_size(call->c->in[0]));

    if (call->phase == EC_FORWARD && a->out[0] != a->in[0])
        memmove(a->out[0], a->in[0], bytes);
    if (call->phase == EC_GRAD_DATA && a->d_in[0] && a->d_in[0] != a->d_out[0])
        memmove(a->d_in[0], a->d_out[0], bytes);
    return EC_OK;
}

/* Float types are all held as `real`: between them a cast changes nothing. */
static bool cast_prepare(struct ec_knode *k)
{
    k->view = ec__ref_is_real(k);
    return true;
}

static enum ec_status cast_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    int64_t n = ec__ref_elems(call->c->in[0]), i;

    if (ec__ref_is_real(call->k))
        return view_run(call);
    if (call->phase == EC_GRAD_DATA)
        ec__ref_clear_d_in(call, 0);
    for (i = 0; call->phase == EC_FORWARD && i < n; i++) {
        double v = ec__ref_load(call->c->in[0], a->in[0], i);

        ec__ref_store(call->c->out[0], a->out[0], i,
                      call->c->out[0]->dtype == EC_DT_bool ? v != 0 : v);
    }
    return EC_OK;
}

EC__REF_KERNEL(cast, .prepare = cast_prepare, .run = cast_run)
EC__REF_KERNEL(flatten, .prepare = view_prepare, .run = view_run)
EC__REF_KERNEL(identity, .prepare = view_prepare, .run = view_run)
EC__REF_KERNEL(reshape, .prepare = view_prepare, .run = view_run)
EC__REF_KERNEL(squeeze, .prepare = view_prepare, .run = view_run)
EC__REF_KERNEL(unsqueeze, .prepare = view_prepare, .run = view_run)
