/* Resampling, and exchanges between channels and space. */
#include "op/op_internal.h"

static enum ec_status resize_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct resize_attrs *a = c->attrs;
    const struct ec_ints *v = a->size.n ? &a->size : &a->scale;
    struct ec_shape y = c->in[0]->shape;
    int i;

    EC_PASS(ec__rank_is(c, 0, 3, 5, err));
    if (v->n != 1 && v->n != y.rank - 2)
        return ec_fail(err, EC_E_SHAPE, "%s has %d numbers, expected 1 or %d",
                       a->size.n ? "size" : "scale", v->n, y.rank - 2);
    for (i = 2; i < y.rank; i++) {
        int64_t f = ec__ints_at(v, i - 2);

        if (!ec_mul_i64(a->size.n ? 1 : y.d[i], f, &y.d[i]))
            return ec_fail(err, EC_E_SHAPE, "dimension %d becomes too long", i);
    }
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

/* Arithmetic per output: a tap is a multiply and an add; nearest has none. linear has 2 taps per
 * spatial dimension, cubic 4. backward adds the same taps into dx. */
static double resize_flop(const struct ec_case *c)
{
    const struct resize_attrs *a = c->attrs;
    double taps = 1, per_dim = a->mode == 2 ? 4 : 2;
    int i;

    if (a->mode == 0)
        return 0;
    for (i = 2; i < c->in[0]->shape.rank; i++)
        taps *= per_dim;
    return 2 * taps;
}

static void resize_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double x = ec__in(c, 0), y = ec__out(c, 0), flop = resize_flop(c);

    if (p == EC_FORWARD)
        ec_work_stream(w, p, y * flop, x, y);
    if (p == EC_GRAD_DATA)
        ec_work_stream(w, p, y * (flop > 0 ? flop : 1), y, x)->for_input = 1;
}

EC__OP(resize) = {
    .name = "resize",
    .help = "resample the spatial dimensions",
    EC__ATTRS(resize, resize_fields),
    .inputs = "x",
    .shape = resize_shape,
    .work = resize_work,
    .saved = ec__saved_none,
    .example = "resize x=8x256x32x32 scale=2 mode=linear",
};

/* --- depth_to_space, space_to_depth: b x b blocks of pixels, as channels --- */

static enum ec_status depth_to_space_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct block_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;

    EC_PASS(ec__rank_is(c, 0, 4, 4, err));
    EC_PASS(ec__divides(a->block * a->block, y.d[1], "parts (block squared)", "channels", err));
    y.d[1] /= a->block * a->block;
    if (!ec_mul_i64(y.d[2], a->block, &y.d[2]) || !ec_mul_i64(y.d[3], a->block, &y.d[3]))
        return ec_fail(err, EC_E_SHAPE, "spatial dimensions become too long");
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

static enum ec_status space_to_depth_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct block_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;

    EC_PASS(ec__rank_is(c, 0, 4, 4, err));
    EC_PASS(ec__divides(a->block, y.d[2], "blocks' rows", "rows", err));
    EC_PASS(ec__divides(a->block, y.d[3], "blocks' columns", "columns", err));
    if (!ec_mul_i64(y.d[1], a->block * a->block, &y.d[1]))
        return ec_fail(err, EC_E_SHAPE, "channels become too many");
    y.d[2] /= a->block;
    y.d[3] /= a->block;
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

/* --- channel_shuffle: (g, c/g) -> (c/g, g) --- */

static enum ec_status channel_shuffle_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct shuffle_attrs *a = c->attrs;

    EC_PASS(ec__rank_is(c, 0, 2, EC_RANK_MAX, err));
    EC_PASS(ec__divides(a->groups, c->in[0]->shape.d[1], "groups", "channels", err));
    return ec__shape_same(c, err);
}

#define EC__OP_COPY(opname, attrs_type, attr_fields, text, words)                                  \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        .attrs_size = sizeof(struct attrs_type),                                                   \
        .fields = attr_fields,                                                                     \
        .inputs = "x",                                                                             \
        .shape = opname##_shape,                                                                   \
        .work = ec__copy_work,                                                                     \
        .saved = ec__saved_none,                                                                   \
        .example = #opname " " words,                                                              \
    }

EC__OP_COPY(depth_to_space, block_attrs, block_fields,
            "channels to blocks of pixels (pixel shuffle)", "x=8x256x64x64");
EC__OP_COPY(space_to_depth, block_attrs, block_fields, "blocks of pixels to channels",
            "x=8x12x320x320");
EC__OP_COPY(channel_shuffle, shuffle_attrs, channel_shuffle_fields, "interleave groups of channels",
            "x=32x116x28x28");
