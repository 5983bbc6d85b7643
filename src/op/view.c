/* Operators that only rename dimensions: no kernel in any phase. */
#include "op/op_internal.h"

#define EC__OP_VIEW(opname, text, words)                                                           \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        EC__ATTRS(opname, opname##_fields),                                                        \
        .inputs = "x",                                                                             \
        .flags = EC_OPF_VIEW,                                                                      \
        .shape = opname##_shape,                                                                   \
        .work = ec__no_work,                                                                       \
        .saved = ec__saved_none,                                                                   \
        .example = #opname " " words,                                                              \
    }

EC__OP(identity) = {
    .name = "identity",
    .help = "the input itself",
    .inputs = "x",
    .flags = EC_OPF_VIEW,
    .shape = ec__shape_same,
    .work = ec__no_work,
    .saved = ec__saved_none,
    .example = "identity x=32x64",
};

/* --- reshape --- */

static enum ec_status mismatch(const struct ec_shape *x, const struct ec_shape *want,
                               struct ec_err *err)
{
    char tx[200], ty[200];

    return ec_fail(err, EC_E_SHAPE, "%s cannot be reshaped to %s: the element counts differ",
                   ec_shape_text(x, tx, sizeof tx), ec_shape_text(want, ty, sizeof ty));
}

/* Copies and checks the dimensions asked for; *ret_free is the place of -1, or -1. */
static enum ec_status wanted_shape(const struct ec_shape *x, const struct ec_ints *v,
                                   struct ec_shape *ret, int *ret_free, struct ec_err *err)
{
    struct ec_shape y = { v->n, { 0 } };
    int i, free_at = -1;

    if (v->n > EC_RANK_MAX)
        return ec_fail(err, EC_E_SHAPE, "shape has %d dimensions, at most %d", v->n, EC_RANK_MAX);
    for (i = 0; i < v->n; i++) {
        y.d[i] = v->v[i];
        if (y.d[i] == 0 && i >= x->rank)
            return ec_fail(err, EC_E_SHAPE, "shape copies dimension %d, the input has only %d", i,
                           x->rank);
        if (y.d[i] == 0)
            y.d[i] = x->d[i];
        if (y.d[i] == -1 && free_at >= 0)
            return ec_fail(err, EC_E_SHAPE, "shape has more than one -1");
        if (y.d[i] == -1)
            free_at = i;
    }
    *ret = y;
    *ret_free = free_at;
    return EC_OK;
}

static enum ec_status reshape_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct reshape_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    struct ec_shape y = { 0 }, known;
    int64_t have = 0, n = 0;
    int free_at = -1;

    EC_PASS(wanted_shape(x, &a->shape, &y, &free_at, err));
    known = y;
    if (free_at >= 0)
        known.d[free_at] = 1;
    if (!ec_shape_count(x, &have) || !ec_shape_count(&known, &n))
        return mismatch(x, &y, err);
    if (free_at >= 0) {
        if (n == 0 || have % n != 0)
            return mismatch(x, &y, err);
        y.d[free_at] = have / n;
    } else if (n != have) {
        return mismatch(x, &y, err);
    }
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

EC__OP_VIEW(reshape, "the same elements under other dimensions", "x=32x12x128x64 shape=0x-1x768");

/* --- flatten: dimensions before and from the axis become one each --- */

static enum ec_status flatten_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct flatten_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    struct ec_shape y = {
        2, {1, 1}
    };
    int64_t axis = a->axis < 0 ? a->axis + x->rank : a->axis;
    int i;

    if (axis < 0 || axis > x->rank)
        return ec_fail(err, EC_E_SHAPE, "axis %lld is out of range for %d dimensions",
                       (long long)a->axis, x->rank);
    for (i = 0; i < x->rank; i++)
        if (!ec_mul_i64(y.d[i >= axis], x->d[i], &y.d[i >= axis]))
            return ec_fail(err, EC_E_SHAPE, "input has too many elements to flatten");
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

EC__OP_VIEW(flatten, "fold dimensions before the axis, and from it on, into one each",
            "x=32x512x7x7");

/* --- squeeze, unsqueeze --- */

static enum ec_status squeeze_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct squeeze_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    struct ec_shape y = { 0, { 0 } };
    unsigned set = 0;
    int i;

    EC_PASS(ec__axes(&a->axes, x->rank, &set, err));
    for (i = 0; i < x->rank; i++) {
        bool drop = set & 1u << i;

        if (drop && a->axes.n && x->d[i] != 1)
            return ec_fail(err, EC_E_SHAPE, "axis %d has extent %lld, only 1 can be squeezed", i,
                           (long long)x->d[i]);
        if (!drop || x->d[i] != 1)
            y.d[y.rank++] = x->d[i];
    }
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

EC__OP_VIEW(squeeze, "drop dimensions of extent 1", "x=32x2048x1x1 axes=2x3");

static enum ec_status unsqueeze_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct unsqueeze_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    struct ec_shape y = { x->rank + a->axes.n, { 0 } };
    unsigned set = 0;
    int i, at = 0;

    if (a->axes.n < 1 || y.rank > EC_RANK_MAX)
        return ec_fail(err, EC_E_SHAPE,
                       "%d axes added to %d dimensions, expected 1 up to %d in all", a->axes.n,
                       x->rank, EC_RANK_MAX);
    EC_PASS(ec__axes(&a->axes, y.rank, &set, err));
    for (i = 0; i < y.rank; i++)
        y.d[i] = set & 1u << i ? 1 : x->d[at++];
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

EC__OP_VIEW(unsqueeze, "add dimensions of extent 1", "x=32x128 axes=1x2");
