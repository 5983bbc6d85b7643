/* Random removal: a function of the step's seed and of the element, or the sample, so that backward
 * needs no mask. */
#include "engine/ref/ref_internal.h"

static bool drop_prepare(struct ec_knode *k)
{
    k->view = !k->training || ec_case_double(k->c, "p") <= 0;
    k->in_place = k->view ? -1 : 0;
    k->d_in_place = k->in_place;
    return true;
}

static int64_t per_sample(const struct ec_case *c)
{
    const struct ec_shape *s = &c->in[0]->shape;
    int64_t n = ec__ref_elems(c->in[0]);

    if (!ec_str_eq(c->op->name, "drop_path"))
        return 1;
    return s->rank && s->d[0] ? n / s->d[0] : n;
}

static enum ec_status drop_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    const real *from = call->phase == EC_FORWARD ? a->in[0] : a->d_out[0];
    real *to = call->phase == EC_FORWARD ? a->out[0] : a->d_in[0];
    int64_t n = ec__ref_elems(call->c->in[0]), each = per_sample(call->c), i, j;
    double p = call->k->training ? ec_case_double(call->c, "p") : 0;

    for (i = 0; to && each && i < n; i += each) {
        double factor = p > 0 ? ec__ref_drop(a->seed, i / each, p) : 1;

        for (j = i; j < i + each; j++)
            to[j] = factor > 0 ? (real)((double)from[j] * factor) : 0;
    }
    return EC_OK;
}

EC__REF_KERNEL(drop_path, .prepare = drop_prepare, .run = drop_run)
EC__REF_KERNEL(dropout, .prepare = drop_prepare, .run = drop_run)
