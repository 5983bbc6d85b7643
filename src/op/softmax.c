/* softmax and log_softmax: rows along one axis. */
#include "op/op_internal.h"

static double row_elems(const struct ec_case *c)
{
    const struct softmax_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;

    return x->rank ? (double)x->d[a->axis < 0 ? a->axis + x->rank : a->axis] : 1;
}

static enum ec_status softmax_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct softmax_attrs *a = c->attrs;
    int axis;

    if (c->in[0]->shape.rank)
        EC_PASS(ec__axis(a->axis, c->in[0]->shape.rank, &axis, err));
    return ec__shape_same(c, err);
}

/* forward: max, subtract, exp, sum, divide. backward: y (dy - sum(dy y)), reading dy and y. */
static void softmax_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double x = ec__in(c, 0);
    struct ec_kernel *k;

    if (p != EC_FORWARD && p != EC_GRAD_DATA)
        return;
    if (p == EC_FORWARD)
        k = ec__kernel(w, EC_K_SOFTMAX, p, x * c->op->flop_fwd, x, x);
    else
        k = ec__kernel(w, EC_K_SOFTMAX, p, x * c->op->flop_bwd, 2 * x, x);
    k->flags = EC_KF_FP32;
    k->b = 1;
    k->n = row_elems(c);
    k->m = ec__ratio(x, k->n);
    k->for_input = p == EC_GRAD_DATA;
}

/* Of attention, or of classes. */
static void softmax_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    bool attention = ec__draw_chance(r, 60);
    int64_t n = ec__draw_log(r, 1, attention ? 64 : 8192);
    int64_t c = attention ? ec_rng_range(r, 1, 16) : ec__draw_log(r, 2, 33000);
    int64_t t = attention ? ec__draw_log(r, 8, 1024) : 0;

    ec_buf_printf(out, "%s x=%lldx%lld", op->name, (long long)n, (long long)c);
    if (attention)
        ec_buf_printf(out, "x%lldx%lld", (long long)t, (long long)t);
}

#define EC__OP_SOFTMAX(opname, text)                                                               \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        EC__ATTRS(softmax, softmax_fields),                                                        \
        .inputs = "x",                                                                             \
        .shape = softmax_shape,                                                                    \
        .work = softmax_work,                                                                      \
        .saved = ec__saved_out,                                                                    \
        .sample = softmax_sample,                                                                  \
        .example = #opname " x=8x12x128x128",                                                      \
        .flop_fwd = 5,                                                                             \
        .flop_bwd = 4,                                                                             \
    }

EC__OP_SOFTMAX(softmax, "exp(x) over its sum along an axis");
EC__OP_SOFTMAX(log_softmax, "logarithm of softmax along an axis");
