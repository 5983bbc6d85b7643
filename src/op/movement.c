/* Operators that move elements: copies, and views whose gradient is a copy. */
#include "op/op_internal.h"

/* Nothing is kept. `...`: what further members are not 0. */
#define EC__OP_MOVE(opname, attrs, rule, kernels, text, words, ...)                                \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        EC__ATTRS(attrs, attrs##_fields),                                                          \
        .inputs = "x",                                                                             \
        .shape = rule,                                                                             \
        .work = kernels,                                                                           \
        .saved = ec__saved_none,                                                                   \
        .example = #opname " " words,                                                              \
        __VA_ARGS__,                                                                               \
    }

/* --- transpose --- */

static enum ec_status transpose_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct transpose_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;
    struct ec_shape y = { x->rank, { 0 } };
    unsigned seen = 0;
    int i, axis = 0;

    if (a->perm.n && a->perm.n != x->rank)
        return ec_fail(err, EC_E_SHAPE, "perm has %d axes, the input has %d dimensions", a->perm.n,
                       x->rank);
    EC_PASS(ec__axes(&a->perm, x->rank, &seen, err)); /* each axis once */
    for (i = 0; i < x->rank; i++) {
        EC_PASS(ec__axis(a->perm.n ? a->perm.v[i] : x->rank - 1 - i, x->rank, &axis, err));
        y.d[i] = x->d[axis];
    }
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

/* Heads of attention, and channels to the end and back. */
static void transpose_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    static const char *const perms[] = { "0x2x1x3", "0x2x1x3", "0x1x3x2", "0x2x3x1", "0x3x1x2" };
    static const int64_t dims[] = { 32, 64, 64, 64, 128 };
    int64_t way = ec_rng_range(r, 0, EC_LEN(perms) - 1), n = ec__draw_log(r, 1, 128);
    bool heads = way < 3;
    int64_t a = heads ? ec__draw_log(r, 8, 1024) : ec__draw_width(r, 16, 1024);
    int64_t b = heads ? ec_rng_range(r, 1, 16) : ec__draw_side(r);
    int64_t c = heads ? ec__draw_of(r, dims, EC_LEN(dims)) : b;

    if (way == 4) { /* channels come last */
        c = a;
        a = b;
    }
    ec_buf_printf(out, "%s x=%lldx%lldx%lldx%lld perm=%s", op->name, (long long)n, (long long)a,
                  (long long)b, (long long)c, perms[way]);
}

EC__OP_MOVE(transpose, transpose, transpose_shape, ec__copy_work, "permute dimensions",
            "x=8x128x12x64 perm=0x2x1x3", .sample = transpose_sample);

/* What reads it follows the strides: elements of a product, of sums, of joined tensors. */
EC__OP_MOVE(permute, transpose, transpose_shape, ec__no_work, "permute dimensions, without a copy",
            "x=8x128x12x64 perm=0x2x1x3", .flags = EC_OPF_VIEW);

/* --- concat: forward copies; the gradients are views of the output's --- */

static enum ec_status concat_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct concat_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;
    char tx[200], ty[200];
    int i, axis = 0;

    EC_PASS(ec__axis(a->axis, y.rank, &axis, err));
    for (i = 1; i < c->n_in; i++) {
        struct ec_shape rest = c->in[i]->shape, mine = y;

        if (rest.rank == y.rank)
            rest.d[axis] = mine.d[axis] = 0;
        if (!ec_shape_eq(&rest, &mine))
            return ec_fail(err, EC_E_SHAPE, "input %d is %s, which does not join %s along axis %d",
                           i, ec_shape_text(&c->in[i]->shape, tx, sizeof tx),
                           ec_shape_text(&y, ty, sizeof ty), axis);
        if (!ec_add_i64(y.d[axis], c->in[i]->shape.d[axis], &y.d[axis]))
            return ec_fail(err, EC_E_SHAPE, "axis %d becomes too long", axis);
    }
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

static void concat_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    if (p == EC_FORWARD)
        ec__copy_work(c, p, w);
}

/* Branches of channels; now and then sequences. */
static void concat_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    bool image = ec__draw_chance(r, 80);
    int64_t n = ec__draw_log(r, 1, 128), side = image ? ec__draw_side(r) : 1;
    int64_t width = image ? 1 : ec__draw_width(r, 64, 2048);
    int64_t parts = ec__draw_chance(r, 60) ? 2 : ec_rng_range(r, 3, 4), i;

    ec_buf_printf(out, "%s", op->name);
    for (i = 0; i < parts; i++) {
        int64_t c = image ? ec__draw_width(r, 8, 512) : ec__draw_log(r, 1, 512);

        if (i < 3)
            ec_buf_printf(out, " %c=", "xyz"[i]);
        else
            ec_buf_printf(out, " x%lld=", (long long)i);
        ec_buf_printf(out, "%lldx%lld", (long long)n, (long long)c);
        if (image)
            ec_buf_printf(out, "x%lldx%lld", (long long)side, (long long)side);
        else
            ec_buf_printf(out, "x%lld", (long long)width);
    }
}

EC__OP_MOVE(concat, concat, concat_shape, concat_work, "join inputs along an axis",
            "x=32x64x28x28 y=32x128x28x28", .flags = EC_OPF_VARIADIC | EC_OPF_PLACES,
            .sample = concat_sample);

/* --- split: outputs are views; the gradient joins them --- */

static int split_outputs(const struct ec_case *c)
{
    const struct split_attrs *a = c->attrs;

    return a->sizes.n ? a->sizes.n : (int)a->parts;
}

static enum ec_status check_split(const struct split_attrs *a, int64_t extent, struct ec_err *err)
{
    int64_t sum = 0;
    int i;

    if (!a->sizes.n)
        return ec__divides(a->parts, extent, "parts", "rows", err);
    for (i = 0; i < a->sizes.n; i++)
        if (!ec_add_i64(sum, a->sizes.v[i], &sum))
            break;
    if (i < a->sizes.n || sum != extent)
        return ec_fail(err, EC_E_SHAPE, "sizes add up to %lld, the axis has %lld", (long long)sum,
                       (long long)extent);
    return EC_OK;
}

static enum ec_status split_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct split_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;
    int64_t extent;
    int i, axis = 0;

    EC_PASS(ec__axis(a->axis, y.rank, &axis, err));
    extent = y.d[axis];
    EC_PASS(check_split(a, extent, err));
    for (i = 0; i < c->n_out; i++) {
        y.d[axis] = a->sizes.n ? a->sizes.v[i] : extent / c->n_out;
        EC_PASS(ec__set_out(c, i, &y, c->in[0]->dtype, err));
    }
    return EC_OK;
}

static void view_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    if (p == EC_GRAD_DATA)
        ec_work_stream(w, p, 0, ec__out_all(c), ec__in_all(c))->for_input = 1;
}

EC__OP(split) = {
    .name = "split",
    .help = "cut along an axis",
    EC__ATTRS(split, split_fields),
    .inputs = "x",
    .flags = EC_OPF_VIEW,
    .outputs = split_outputs,
    .shape = split_shape,
    .work = view_work,
    .saved = ec__saved_none,
    .example = "split x=32x116x28x28 axis=1 parts=2",
};

/* --- slice: a view; the gradient is written into zeros --- */

static int64_t clamp_index(int64_t v, int64_t extent, int64_t lo, int64_t hi)
{
    if (v < 0)
        v += extent;
    return v < lo ? lo : v > hi ? hi : v;
}

static int64_t slice_extent(int64_t extent, int64_t start, int64_t end, int64_t step)
{
    int64_t span;

    if (step > 0) {
        start = clamp_index(start, extent, 0, extent);
        end = clamp_index(end, extent, 0, extent);
        span = end - start;
    } else {
        start = clamp_index(start, extent, -1, extent - 1);
        end = clamp_index(end, extent, -1, extent - 1);
        span = start - end;
        step = -step;
    }
    return span <= 0 ? 0 : (span - 1) / step + 1;
}

static enum ec_status slice_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct slice_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;
    unsigned seen = 0;
    int i, axis = 0, n = a->starts.n;

    if (a->ends.n != n || n > y.rank || (a->axes.n && a->axes.n != n) ||
        (a->steps.n && a->steps.n != n))
        return ec_fail(err, EC_E_SHAPE,
                       "%d axes, %d starts, %d ends and %d steps for %d dimensions", a->axes.n, n,
                       a->ends.n, a->steps.n, y.rank);
    if (a->axes.n)
        EC_PASS(ec__axes(&a->axes, y.rank, &seen, err));
    for (i = 0; i < n; i++) {
        int64_t step = a->steps.n ? a->steps.v[i] : 1;

        EC_PASS(ec__axis(a->axes.n ? a->axes.v[i] : i, y.rank, &axis, err));
        if (step == 0)
            return ec_fail(err, EC_E_SHAPE, "step of axis %d is 0", axis);
        y.d[axis] = slice_extent(y.d[axis], a->starts.v[i], a->ends.v[i], step);
    }
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

/* Some of the channels, one of the tokens, or a window of the image. */
static void slice_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    bool image = ec__draw_chance(r, 60), first = !image && ec__draw_chance(r, 50);
    int64_t n = ec__draw_log(r, 1, 128),
            rows = image ? ec__draw_width(r, 16, 1024) : ec__draw_log(r, 16, 1024);
    int64_t side = image ? ec__draw_side(r) : ec__draw_width(r, 64, 2048);
    int64_t kept = first ? 1 : ec_rng_range(r, 1, rows - 1);
    int64_t start = first ? 0 : ec_rng_range(r, 0, rows - kept), end = start + kept;

    ec_buf_printf(out, "%s x=%lldx%lldx%lld", op->name, (long long)n, (long long)rows,
                  (long long)side);
    if (image)
        ec_buf_printf(out, "x%lld", (long long)side);
    ec_buf_printf(out, " axes=1 starts=%lld ends=%lld", (long long)start, (long long)end);
}

EC__OP_MOVE(slice, slice, slice_shape, view_work, "part of each axis, with a step",
            "x=32x197x768 axes=1 starts=0 ends=1", .flags = EC_OPF_VIEW, .sample = slice_sample);

/* --- pad --- */

static enum ec_status pad_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct pad_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;
    int i;

    if (a->pads.n != 2 * y.rank)
        return ec_fail(err, EC_E_SHAPE, "pads has %d numbers, expected %d: begins, then ends",
                       a->pads.n, 2 * y.rank);
    for (i = 0; i < y.rank; i++) {
        int64_t lo = a->pads.v[i], hi = a->pads.v[y.rank + i];

        if (a->mode == 1 && (lo >= y.d[i] || hi >= y.d[i]) && (lo > 0 || hi > 0))
            return ec_fail(err, EC_E_SHAPE, "axis %d of extent %lld cannot be reflected by %lld", i,
                           (long long)y.d[i], (long long)(lo > hi ? lo : hi));
        if (!ec_add_i64(y.d[i], lo + hi, &y.d[i]) || y.d[i] < 0)
            return ec_fail(err, EC_E_SHAPE, "pads %lld and %lld do not fit axis %d", (long long)lo,
                           (long long)hi, i);
    }
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

/* Constant padding's gradient is the inner part, copied; PyTorch's other modes keep the input. */
static void pad_saved(const struct ec_case *c, struct ec_saved *ret)
{
    const struct pad_attrs *a = c->attrs;

    if (a->mode != 0)
        ret->in_mask = 1;
}

static void pad_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct pad_attrs *a = c->attrs;
    double x = ec__in(c, 0), y = ec__out(c, 0);

    if (p == EC_FORWARD)
        ec_work_stream(w, p, 0, x, y);
    if (p == EC_GRAD_DATA)
        ec_work_stream(w, p, a->mode ? y : 0, a->mode ? y : x, x)->for_input = 1;
}

EC__OP(pad) = {
    .name = "pad",
    .help = "add elements around each axis",
    EC__ATTRS(pad, pad_fields),
    .inputs = "x",
    .shape = pad_shape,
    .flags = EC_OPF_PLACES,
    .work = pad_work,
    .saved = pad_saved,
    .example = "pad x=8x3x256x256 pads=0x0x3x3x0x0x3x3 mode=reflect",
};

/* --- expand: a view; the gradient is summed back --- */

static enum ec_status expand_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct expand_attrs *a = c->attrs;
    struct ec_shape want = { a->shape.n, { 0 } }, y = { 0 };
    int i;

    if (want.rank > EC_RANK_MAX)
        return ec_fail(err, EC_E_SHAPE, "shape has %d dimensions, at most %d", want.rank,
                       EC_RANK_MAX);
    for (i = 0; i < want.rank; i++)
        want.d[i] = a->shape.v[i] == -1 ? 1 : a->shape.v[i];
    EC_PASS(ec__broadcast(&c->in[0]->shape, &want, &y, err));
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

static void expand_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    if (p == EC_GRAD_DATA)
        ec__unbroadcast(c, 0, w);
}

EC__OP_MOVE(expand, expand, expand_shape, expand_work,
            "repeat along axes of extent 1, without a copy", "x=1x1x768 shape=32x1x768",
            .flags = EC_OPF_VIEW);

/* --- tile: copies forward; the gradient is summed back --- */

static enum ec_status tile_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct tile_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;
    int i;

    if (a->repeats.n != y.rank)
        return ec_fail(err, EC_E_SHAPE, "repeats has %d numbers, the input has %d dimensions",
                       a->repeats.n, y.rank);
    for (i = 0; i < y.rank; i++)
        if (!ec_mul_i64(y.d[i], a->repeats.v[i], &y.d[i]))
            return ec_fail(err, EC_E_SHAPE, "axis %d becomes too long", i);
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

static void tile_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    if (p == EC_FORWARD)
        ec_work_stream(w, p, 0, ec__in(c, 0), ec__out(c, 0));
    if (p == EC_GRAD_DATA)
        ec__unbroadcast(c, 0, w);
}

EC__OP_MOVE(tile, tile, tile_shape, tile_work, "repeat along axes, copying",
            "x=8x64x32x32 repeats=1x1x2x2", .flags = 0);

/* --- roll, cast --- */

static enum ec_status roll_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct roll_attrs *a = c->attrs;
    unsigned set = 0;

    if (a->axes.n ? a->axes.n != a->shifts.n : a->shifts.n > c->in[0]->shape.rank)
        return ec_fail(err, EC_E_SHAPE, "%d shifts for %d axes of %d dimensions", a->shifts.n,
                       a->axes.n, c->in[0]->shape.rank);
    if (a->axes.n)
        EC_PASS(ec__axes(&a->axes, c->in[0]->shape.rank, &set, err));
    return ec__shape_same(c, err);
}

/* One axis after the other, a copy each. */
static void roll_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct roll_attrs *a = c->attrs;
    int i;

    for (i = 0; i < a->shifts.n && w->n < EC_WORK_MAX; i++)
        ec__copy_work(c, p, w);
}

EC__OP_MOVE(roll, roll, roll_shape, roll_work, "rotate along axes (a copy)",
            "x=8x56x56x96 shifts=-3x-3 axes=1x2", .flags = 0);

static enum ec_status cast_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct cast_attrs *a = c->attrs;

    return ec__set_out(c, 0, &c->in[0]->shape, a->to, err);
}

static void cast_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    enum ec_dtype from = c->in[0]->dtype, to = c->out[0]->dtype;
    bool has_grad = ec_dtype_is_float(from) && ec_dtype_is_float(to);

    if (from != to && (p == EC_FORWARD || has_grad))
        ec__copy_work(c, p, w);
}

EC__OP_MOVE(cast, cast, cast_shape, cast_work, "convert the element type", "x=32x128 to=f16",
            .flags = 0);
