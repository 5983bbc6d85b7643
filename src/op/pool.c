/* Pooling: windows, adaptive and global. */
#include "op/op_internal.h"

/* stride=0 stands for the window, per dimension. */
static struct ec_ints stride_of(const struct pool_attrs *a, const int64_t *filter, int dims)
{
    struct ec_ints stride = a->stride;
    int i;

    if (stride.n != 1 && stride.n != dims)
        return stride; /* refused later */
    stride.n = dims;
    for (i = 0; i < dims; i++) {
        stride.v[i] = ec__ints_at(&a->stride, i);
        if (stride.v[i] == 0)
            stride.v[i] = filter[i];
    }
    return stride;
}

static enum ec_status window_of(const struct ec_case *c, struct ec__window *ret, struct ec_err *err)
{
    static const struct ec_ints one = { 1, { 1 } };
    const struct pool_attrs *a = c->attrs;
    int dims = c->in[0]->shape.rank - 2;
    int64_t f[EC__SPATIAL_MAX] = { a->t, a->r, a->s ? a->s : a->r };
    const int64_t *filter = dims == 3 ? f : f + 1;
    struct ec_ints stride = stride_of(a, filter, dims);
    struct ec__window_attrs wa = { filter, &stride, &a->pad, a->dil.n ? &a->dil : &one,
                                   NULL,   a->ceil };

    return ec__window_make(&c->in[0]->shape, &wa, ret, err);
}

static enum ec_status shape_of(const struct ec_case *c, int dims, struct ec_err *err)
{
    struct ec_shape y = c->in[0]->shape;
    struct ec__window w = { 0 };
    int i;

    EC_PASS(ec__rank_is(c, 0, dims + 2, dims + 2, err));
    EC_PASS(window_of(c, &w, err));
    for (i = 0; i < dims; i++)
        y.d[2 + i] = w.out[i];
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

static enum ec_status pool1_shape(const struct ec_case *c, struct ec_err *err)
{
    return shape_of(c, 1, err);
}

static enum ec_status pool2_shape(const struct ec_case *c, struct ec_err *err)
{
    return shape_of(c, 2, err);
}

static enum ec_status pool3_shape(const struct ec_case *c, struct ec_err *err)
{
    return shape_of(c, 3, err);
}

/* Maximum remembers where it was found: an index per output, written forward and read backward,
 * where the gradient is cleared and scattered. The mean spreads its gradient over the window. */
static struct ec_kernel *add_pool(const struct ec_case *c, enum ec_phase p, struct ec_work *w,
                                  double taps)
{
    double x = ec__in(c, 0), y = ec__out(c, 0), flop = y * taps;
    bool is_max = c->op->flags & EC_OPF_MAX;
    struct ec_kernel *k;

    if (p == EC_FORWARD)
        k = ec__kernel(w, EC_K_POOL, p, is_max ? flop : flop + y, x, y);
    else
        k = ec__kernel(w, EC_K_POOL, p, is_max ? y : flop + y, y, x);
    k->for_input = p == EC_GRAD_DATA;
    k->fixed_bytes = is_max ? EC__INDEX_BYTES * y : 0;
    k->in_hw = ec__spatial(&c->in[0]->shape);
    k->out_hw = ec__spatial(&c->out[0]->shape);
    k->c_in = k->c_out = (double)c->in[0]->shape.d[1];
    k->groups = 1;
    return k;
}

static void pool_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    struct ec__window win = { 0 };
    struct ec_kernel *k;

    if ((p != EC_FORWARD && p != EC_GRAD_DATA) || window_of(c, &win, NULL))
        return;
    k = add_pool(c, p, w, ec__window_taps(&win));
    k->s = (double)win.filter[win.dims - 1];
    k->r = ec__window_taps(&win) / k->s;
    k->stride = ec__window_stride(&win);
}

/* PyTorch keeps the input beside the indices. */
static void max_pool_saved(const struct ec_case *c, struct ec_saved *ret)
{
    ret->in_mask = 1;
    ret->extra_bytes = EC__INDEX_BYTES * ec__out(c, 0);
}

/* 2 by 2, or 3 by 3 with stride 2; some keep the size. */
static void pool_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    static const char *const extents[] = { "d", "h", "w" };
    int dims = ec_field_find(op->fields, ec_span_of("t"))   ? 3
               : ec_field_find(op->fields, ec_span_of("s")) ? 2
                                                            : 1;
    int64_t side = dims == 1 ? ec__draw_log(r, 16, 4096) : ec__draw_side(r);
    int64_t n = ec__draw_log(r, 1, 256), c = ec__draw_width(r, 8, dims == 3 ? 256 : 2048);
    int64_t depth = dims == 3 ? ec__draw_log(r, 3, 32) : 0;
    int i;

    ec_buf_printf(out, "%s n=%lld c=%lld", op->name, (long long)n, (long long)c);
    for (i = 3 - dims; i < 3; i++)
        ec_buf_printf(out, " %s=%lld", extents[i], (long long)(i == 0 ? depth : side));
    if (ec__draw_chance(r, 50))
        ec_buf_printf(out, " r=2%s", dims == 3 ? " t=2" : "");
    else
        ec_buf_printf(out, " r=3%s stride=%d pad=1", dims == 3 ? " t=3" : "",
                      ec__draw_chance(r, 70) ? 2 : 1);
}

#define EC__OP_POOL(opname, flag, rule, kept, dims_text, text, words)                              \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        .flags = flag,                                                                             \
        EC__ATTRS(pool, opname##_fields),                                                          \
        .inputs = dims_text,                                                                       \
        .shape = rule,                                                                             \
        .work = pool_work,                                                                         \
        .saved = kept,                                                                             \
        .sample = pool_sample,                                                                     \
        .example = #opname " " words,                                                              \
    }

/* Mean pooling needs only the shape, but PyTorch's avg_pool keeps its input all the same. */
EC__OP_POOL(max_pool1d, EC_OPF_MAX, pool1_shape, max_pool_saved, "n c w",
            "maximum of windows over one dimension", "n=16 c=64 w=1000 r=2");
EC__OP_POOL(max_pool2d, EC_OPF_MAX, pool2_shape, max_pool_saved, "n c h w",
            "maximum of windows over height and width", "n=32 c=64 h=112 w=112 r=3 stride=2 pad=1");
EC__OP_POOL(max_pool3d, EC_OPF_MAX, pool3_shape, max_pool_saved, "n c d h w",
            "maximum of windows over depth, height and width", "n=4 c=64 d=16 h=56 w=56 r=2");
EC__OP_POOL(avg_pool1d, 0, pool1_shape, ec__saved_in, "n c w", "mean of windows over one dimension",
            "n=16 c=64 w=1000 r=2");
EC__OP_POOL(avg_pool2d, 0, pool2_shape, ec__saved_in, "n c h w",
            "mean of windows over height and width", "n=32 c=128 h=56 w=56 r=2");
EC__OP_POOL(avg_pool3d, 0, pool3_shape, ec__saved_in, "n c d h w",
            "mean of windows over depth, height and width", "n=4 c=64 d=8 h=28 w=28 t=2 r=2");

/* --- Adaptive: the output's extent is given, windows follow --- */

static enum ec_status adaptive_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct adaptive_attrs *a = c->attrs;
    struct ec_shape y = c->in[0]->shape;
    int i;

    EC_PASS(ec__rank_is(c, 0, 3, 5, err));
    if (a->out.n != 1 && a->out.n != y.rank - 2)
        return ec_fail(err, EC_E_SHAPE, "out has %d numbers, expected 1 or %d", a->out.n,
                       y.rank - 2);
    for (i = 2; i < y.rank; i++)
        y.d[i] = ec__ints_at(&a->out, i - 2);
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

/* Windows tile the input, or overlap by a little: each output sees in / out elements, at least 1.
 */
static void adaptive_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double taps = ec__ratio(ec__in(c, 0), ec__out(c, 0));
    struct ec_kernel *k;

    if (p != EC_FORWARD && p != EC_GRAD_DATA)
        return;
    taps = taps < 1 ? 1 : taps;
    k = add_pool(c, p, w, taps);
    k->r = taps;
    k->s = k->stride = 1;
}

/* With a single output it is a mean over the plane: a reduction that keeps nothing. */
static void adaptive_avg_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double x = ec__in(c, 0), y = ec__out(c, 0);

    if (ec__spatial(&c->out[0]->shape) > 1)
        adaptive_work(c, p, w);
    else if (p == EC_FORWARD)
        ec__reduce(w, p, y, ec__ratio(x, y));
    else if (p == EC_GRAD_DATA)
        ec_work_stream(w, p, x, y, x)->for_input = 1;
}

static void adaptive_avg_pool_saved(const struct ec_case *c, struct ec_saved *ret)
{
    if (ec__spatial(&c->out[0]->shape) > 1)
        ret->in_mask = 1;
}

static void adaptive_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    ec__sample_images(op, r, out);
    ec_buf_printf(out, " out=%lld",
                  (long long)(ec__draw_chance(r, 60) ? 1 : ec_rng_range(r, 2, 7)));
}

#define EC__OP_ADAPTIVE(opname, flag, workrule, kept, text)                                        \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        .flags = flag,                                                                             \
        EC__ATTRS(adaptive, adaptive_fields),                                                      \
        .inputs = "x",                                                                             \
        .shape = adaptive_shape,                                                                   \
        .work = workrule,                                                                          \
        .saved = kept,                                                                             \
        .sample = adaptive_sample,                                                                 \
        .example = #opname " x=32x512x14x14 out=7x7",                                              \
    }

EC__OP_ADAPTIVE(adaptive_avg_pool, 0, adaptive_avg_work, adaptive_avg_pool_saved,
                "mean pooling to a given output extent");
EC__OP_ADAPTIVE(adaptive_max_pool, EC_OPF_MAX, adaptive_work, max_pool_saved,
                "maximum pooling to a given output extent");

/* --- Global: one output per channel, dimensions kept --- */

static enum ec_status global_shape(const struct ec_case *c, struct ec_err *err)
{
    struct ec_shape y = c->in[0]->shape;
    int i;

    EC_PASS(ec__rank_is(c, 0, 3, EC_RANK_MAX, err));
    for (i = 2; i < y.rank; i++)
        y.d[i] = 1;
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

static void global_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double x = ec__in(c, 0), y = ec__out(c, 0);
    struct ec_saved kept = { 0 };

    c->op->saved(c, &kept);
    if (p == EC_FORWARD)
        ec__reduce(w, p, y, ec__ratio(x, y));
    if (p == EC_GRAD_DATA)
        ec_work_stream(w, p, x, y + (kept.in_mask ? x : 0) + (kept.out_mask ? y : 0), x)
            ->for_input = 1;
}

#define EC__OP_GLOBAL(opname, flag, kept, text)                                                    \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        .flags = flag,                                                                             \
        .inputs = "x",                                                                             \
        .shape = global_shape,                                                                     \
        .work = global_work,                                                                       \
        .saved = kept,                                                                             \
        .sample = ec__sample_images,                                                               \
        .example = #opname " x=32x2048x7x7",                                                       \
    }

EC__OP_GLOBAL(global_avg_pool, 0, ec__saved_none, "mean of each channel");
EC__OP_GLOBAL(global_max_pool, EC_OPF_MAX, ec__saved_in_out, "maximum of each channel");
