/* Operators that move elements by index. */
#include "op/op_internal.h"

/* x(..., axis, ...) and indices -> the axis replaced by the indices' dimensions */
static enum ec_status gather_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct axis_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape, *ids = &c->in[1]->shape;
    struct ec_shape y = { 0, { 0 } };
    int i, axis = 0;

    EC_PASS(ec__axis(a->axis, x->rank, &axis, err));
    if (x->rank + ids->rank - 1 > EC_RANK_MAX)
        return ec_fail(err, EC_E_SHAPE, "output would have %d dimensions, at most %d are supported",
                       x->rank + ids->rank - 1, EC_RANK_MAX);
    for (i = 0; i < axis; i++)
        y.d[y.rank++] = x->d[i];
    for (i = 0; i < ids->rank; i++)
        y.d[y.rank++] = ids->d[i];
    for (i = axis + 1; i < x->rank; i++)
        y.d[y.rank++] = x->d[i];
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

static enum ec_status gather_elements_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct axis_attrs *a = c->attrs;
    int axis = 0;

    EC_PASS(ec__axis(a->axis, c->in[0]->shape.rank, &axis, err));
    EC_PASS(ec__rank_is(c, 1, c->in[0]->shape.rank, c->in[0]->shape.rank, err));
    return ec__set_out(c, 0, &c->in[1]->shape, c->in[0]->dtype, err);
}

/* forward: the elements asked for. backward: clear dx, then read-add-write what was gathered. */
static void gather_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double x = ec__in(c, 0), y = ec__out(c, 0);
    double index = ec__in(c, 1) * ec__index_bytes(c, 1);
    struct ec_kernel *k;

    if (p != EC_FORWARD && p != EC_GRAD_DATA)
        return;
    if (p == EC_GRAD_DATA) {
        ec_work_stream(w, p, 0, 0, x)->for_input = 1;
        k = ec__kernel(w, EC_K_GATHER, p, y, 2 * y, y);
    } else {
        k = ec__kernel(w, EC_K_GATHER, p, 0, y, y);
    }
    k->b = 1;
    k->m = ec__in(c, 1);
    k->n = ec__ratio(y, k->m);
    k->fixed_bytes = index;
    k->for_input = p == EC_GRAD_DATA;
}

static void gather_saved(const struct ec_case *c, struct ec_saved *ret)
{
    (void)c;
    ret->in_mask = 2;
}

#define EC__OP_GATHER(opname, text, words)                                                         \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        EC__ATTRS(axis, axis_fields),                                                              \
        .inputs = "x; y",                                                                          \
        .shape = opname##_shape,                                                                   \
        .work = gather_work,                                                                       \
        .saved = gather_saved,                                                                     \
        .example = #opname " " words,                                                              \
    }

EC__OP_GATHER(gather, "slices of x along an axis, by the indices y", "x=512x768 y=8x128");
EC__OP_GATHER(gather_elements, "elements of x along an axis, one per index of y",
              "x=32x1000 y=32x5 axis=1");

/* --- cumsum --- */

static enum ec_status cumsum_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct axis_attrs *a = c->attrs;
    int axis = 0;

    EC_PASS(ec__axis(a->axis, c->in[0]->shape.rank, &axis, err));
    return ec__shape_same(c, err);
}

/* backward sums from the other end */
static void cumsum_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double x = ec__in(c, 0);

    if (p == EC_FORWARD || p == EC_GRAD_DATA)
        ec_work_stream(w, p, x, x, x)->for_input = p == EC_GRAD_DATA;
}

EC__OP(cumsum) = {
    .name = "cumsum",
    .help = "running sum along an axis",
    EC__ATTRS(axis, axis_fields),
    .inputs = "x",
    .shape = cumsum_shape,
    .work = cumsum_work,
    .saved = ec__saved_none,
    .example = "cumsum x=32x128 axis=1",
};

/* --- one_hot --- */

static enum ec_status one_hot_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct one_hot_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;

    EC_PASS(ec__required(a->depth, "depth (number of classes)", err));
    EC_PASS(ec__rank_is(c, 0, 0, EC_RANK_MAX - 1, err));
    y.d[y.rank++] = a->depth;
    return ec__set_out(c, 0, &y, EC_DT_f32, err);
}

static void one_hot_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    if (p == EC_FORWARD)
        ec_work_stream(w, p, 0, 0, ec__out(c, 0))->fixed_bytes =
            ec__in(c, 0) * ec__index_bytes(c, 0);
}

EC__OP(one_hot) = {
    .name = "one_hot",
    .help = "a row per index, 1 at its place (f32)",
    EC__ATTRS(one_hot, one_hot_fields),
    .inputs = "x",
    .flags = EC_OPF_INDEX_IN | EC_OPF_NO_GRAD,
    .shape = one_hot_shape,
    .work = one_hot_work,
    .saved = ec__saved_none,
    .example = "one_hot x=32x128 depth=1000",
};

/* --- topk --- */

static enum ec_status topk_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct topk_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;
    int axis = 0;

    EC_PASS(ec__axis(a->axis, y.rank, &axis, err));
    if (a->k > y.d[axis])
        return ec_fail(err, EC_E_SHAPE, "k is %lld, axis %d has only %lld", (long long)a->k, axis,
                       (long long)y.d[axis]);
    y.d[axis] = a->k ? a->k : y.d[axis];
    EC_PASS(ec__set_out(c, 0, &y, c->in[0]->dtype, err));
    return ec__set_out(c, 1, &y, EC_DT_i64, err);
}

/* backward: cleared, then scattered by index */
static void topk_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double x = ec__in(c, 0), y = ec__out(c, 0);
    struct ec_kernel *k;

    if (p != EC_FORWARD && p != EC_GRAD_DATA)
        return;
    if (p == EC_FORWARD) {
        k = ec__reduce(w, p, y, ec__ratio(x, y));
        k->write_elems = y;
    } else {
        ec_work_stream(w, p, 0, 0, x)->for_input = 1;
        k = ec__kernel(w, EC_K_GATHER, p, 0, y, y);
        k->for_input = 1;
    }
    k->fixed_bytes = EC__INDEX_BYTES * y;
}

static void topk_saved(const struct ec_case *c, struct ec_saved *ret)
{
    (void)c;
    ret->out_mask = 2;
}

EC__OP(topk) = {
    .name = "topk",
    .help = "largest elements along an axis, and their indices",
    EC__ATTRS(topk, topk_fields),
    .inputs = "x",
    .n_out = 2,
    .shape = topk_shape,
    .work = topk_work,
    .saved = topk_saved,
    .example = "topk x=32x1000 k=5",
};
