/* Random removal: a function of the step's seed and of the element, or the sample, so that backward
 * needs no mask. */
#include "engine/ref/ref_internal.h"

static enum ec_status drop_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    (void)ctx;
    (void)err;
    k->view = !k->training || ec_case_double(k->c, "p") <= 0;
    k->in_place = k->view ? -1 : 0;
    k->d_in_place = k->in_place;
    return EC_OK;
}

static int64_t per_sample(const struct ec_case *c)
{
    const struct ec_shape *s = &c->in[0]->shape;
    int64_t n = ec__ref_elems(c->in[0]);

    if (!ec_str_eq(c->op->name, "drop_path"))
        return 1;
    return s->rank && s->d[0] ? n / s->d[0] : n;
}

static enum ec_status drop_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase phase,
                               const struct ec_kargs *a, struct ec_err *err)
{
    const real *from = phase == EC_FORWARD ? a->in[0] : a->d_out[0];
    real *to = phase == EC_FORWARD ? a->out[0] : a->d_in[0];
    int64_t n = ec__ref_elems(k->c->in[0]), each = per_sample(k->c), i, j;
    double p = k->training ? ec_case_double(k->c, "p") : 0;

    (void)ctx;
    (void)err;
    for (i = 0; to && each && i < n; i += each) {
        double factor = p > 0 ? EC__REF(drop)(a->seed, i / each, p) : 1;

        for (j = i; j < i + each; j++)
            to[j] = factor > 0 ? (real)((double)from[j] * factor) : 0;
    }
    return EC_OK;
}

EC__REF_KERNEL(drop_path, drop_prepare, drop_run)
EC__REF_KERNEL(dropout, drop_prepare, drop_run)
