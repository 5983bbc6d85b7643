/* Reductions over axes, and argmax. */
#include "op/op_internal.h"

static struct ec_shape reduced(const struct ec_shape *x, unsigned set, bool keepdims)
{
    struct ec_shape y = { 0, { 0 } };
    int i;

    for (i = 0; i < x->rank; i++)
        if (!(set & 1u << i))
            y.d[y.rank++] = x->d[i];
        else if (keepdims)
            y.d[y.rank++] = 1;
    return y;
}

static enum ec_status reduce_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct reduce_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    struct ec_shape y;
    unsigned set = 0;

    EC_PASS(ec__axes(&a->axes, x->rank, &set, err));
    y = reduced(x, set, a->keepdims);
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

/* Backward spreads each gradient over what was reduced, reading whatever was kept. */
static void reduce_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double x = ec__in(c, 0), y = ec__out(c, 0);
    struct ec_saved kept = { 0 };

    if (p == EC_FORWARD)
        ec__reduce(w, p, y, ec__ratio(x, y))->flop = x * c->op->flop_fwd;
    if (p != EC_GRAD_DATA)
        return;
    c->op->saved(c, &kept);
    ec_work_stream(w, p, x * c->op->flop_bwd, y + (kept.in_mask ? x : 0) + (kept.out_mask ? y : 0),
                   x)
        ->for_input = 1;
}

#define EC__OP_REDUCE(opname, kept, fwd, bwd, text)                                                \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        EC__ATTRS(reduce, reduce_fields),                                                          \
        .inputs = "x",                                                                             \
        .shape = reduce_shape,                                                                     \
        .work = reduce_work,                                                                       \
        .saved = ec__saved_##kept,                                                                 \
        .example = #opname " x=32x64x56x56 axes=2x3",                                              \
        .flop_fwd = fwd,                                                                           \
        .flop_bwd = bwd,                                                                           \
    }

/* clang-format off */
/*     name         keeps   fwd bwd */
EC__OP_REDUCE(reduce_l2,   in_out, 2,  2, "square root of the sum of squares");
EC__OP_REDUCE(reduce_max,  in_out, 1,  2, "maximum");
EC__OP_REDUCE(reduce_mean, none,   1,  1, "mean");
EC__OP_REDUCE(reduce_min,  in_out, 1,  2, "minimum");
EC__OP_REDUCE(reduce_prod, in_out, 1,  2, "product");
EC__OP_REDUCE(reduce_sum,  none,   1,  0, "sum");
/* clang-format on */

/* --- argmax --- */

static enum ec_status argmax_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct argmax_attrs *a = c->attrs;
    struct ec_shape y;
    int axis = 0;

    EC_PASS(ec__axis(a->axis, c->in[0]->shape.rank, &axis, err));
    y = reduced(&c->in[0]->shape, 1u << axis, a->keepdims);
    return ec__set_out(c, 0, &y, EC_DT_i64, err);
}

static void argmax_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double x = ec__in(c, 0), y = ec__out(c, 0);
    struct ec_kernel *k;

    if (p != EC_FORWARD)
        return;
    k = ec__reduce(w, p, y, ec__ratio(x, y));
    k->write_elems = 0;
    k->fixed_bytes = EC__INDEX_BYTES * y;
}

EC__OP(argmax) = {
    .name = "argmax",
    .help = "index of the maximum along an axis (i64)",
    EC__ATTRS(argmax, argmax_fields),
    .inputs = "x",
    .flags = EC_OPF_NO_GRAD,
    .shape = argmax_shape,
    .work = argmax_work,
    .saved = ec__saved_none,
    .example = "argmax x=32x1000 axis=1",
};
