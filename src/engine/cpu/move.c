/* Operators that move elements: transpose, concatenation, splitting, slices without a step. Each is
 * a few copies between a tensor and a part of another, in the layouts they have. */
#include "engine/cpu/cpu_internal.h"

#define PARTS_MAX 64

/* Rows [at, at + n) along an axis of a buffer; no md when its layout cannot be cut there. */
static struct ec__buf part_of(struct ec__build *b, struct ec__buf x, int axis, int64_t at,
                              int64_t n)
{
    struct ec__buf r = { x.place, NULL };

    if (!b->st && x.md)
        r.md = ec__md_part(b->cpu->lib, b->k->arena, x.md, axis, at, n);
    if (!b->st && !r.md)
        ec__build_fail(b, EC_E_UNSUPPORTED, "a layout that cannot be cut there");
    return r;
}

static int axis_of(const struct ec_knode *k)
{
    int64_t axis = ec_case_int(k->c, "axis");

    return (int)(axis < 0 ? axis + k->c->in[0]->shape.rank : axis);
}

static bool all_float(const struct ec_knode *k)
{
    return ec_dtype_is_float(k->c->in[0]->dtype) && k->c->in[0]->shape.rank > 0 &&
           k->c->in[0]->shape.rank <= EC_DNNL_RANK_MAX && ec__elems(k->c->in[0]) > 0 &&
           ec__elems(k->c->out[0]) > 0;
}

/* The whole in the layout of a part where blocks of channels stay whole, else plain. */
static const struct ec__md *whole_layout(struct ec__build *b, const struct ec_type *whole,
                                         const struct ec__buf *part, bool cut_ok)
{
    const struct ec_shape *s = &whole->shape;

    if (part->md && cut_ok && !ec__md_is_plain(part->md)) {
        struct ec__channels c;

        if (ec__md_channels(part->md, &c) && c.block == 16 && s->rank >= 3 && s->rank <= 5)
            return ec__need(b,
                            ec__md_blocked(b->cpu->lib, b->k->arena, b->k->compute, s->rank, s->d));
        if (ec__md_channels(part->md, &c) && c.block == c.channels)
            return ec__need(b, ec__md_nhwc(b->cpu->lib, b->k->arena, b->k->compute, s->rank, s->d));
    }
    return ec__plain(b, b->k->compute, s->rank, s->d);
}

/* Blocks of 16 channels are cut only between blocks. */
static bool cut_ok(const struct ec_type *const *parts, int n, int axis)
{
    int i;

    if (axis != 1)
        return axis == 0;
    for (i = 0; i < n; i++)
        if (parts[i]->shape.d[1] % 16)
            return false;
    return true;
}

void ec__concat_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    struct ec__buf out;
    int axis = axis_of(k), i;
    int64_t at;

    if (!all_float(k) || k->c->n_in > PARTS_MAX)
        ec__build_fail(b, EC_E_UNSUPPORTED, "not a float");
    if (b->st)
        return;
    out = ec__at_in(b, 0);
    ec__choose_out(b, 0, whole_layout(b, k->c->out[0], &out, cut_ok(k->c->in, k->c->n_in, axis)));
    ec__build_phase(b, EC_FORWARD);
    out = ec__at_out(b, 0);
    for (at = 0, i = 0; i < k->c->n_in; at += k->c->in[i++]->shape.d[axis])
        ec__copy(b, ec__at_in(b, i), part_of(b, out, axis, at, k->c->in[i]->shape.d[axis]));
    if (k->training) {
        ec__build_phase(b, EC_GRAD_DATA);
        out = ec__at_d_out(b, 0);
        for (at = 0, i = 0; i < k->c->n_in; at += k->c->in[i++]->shape.d[axis])
            if (k->want_d_in[i])
                ec__copy(b, part_of(b, out, axis, at, k->c->in[i]->shape.d[axis]),
                         ec__at_d_in(b, i));
    }
    b->impl = "reorder";
}

void ec__split_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_type *const *outs = (const struct ec_type *const *)k->c->out;
    struct ec__buf in;
    int axis = axis_of(k), i;
    int64_t at;

    for (i = 0; i < k->c->n_out; i++)
        if (!all_float(k) || !ec__elems(outs[i]) || (k->training && !k->has_d_out[i]))
            ec__build_fail(b, EC_E_UNSUPPORTED, "not a float, or a part without gradient");
    in = ec__at_in(b, 0);
    for (i = 0; i < k->c->n_out && !b->st; i++)
        ec__choose_out(b, i, whole_layout(b, outs[i], &in, cut_ok(outs, k->c->n_out, axis)));
    ec__build_phase(b, EC_FORWARD);
    for (at = 0, i = 0; i < k->c->n_out && !b->st; at += outs[i++]->shape.d[axis])
        ec__copy(b, part_of(b, in, axis, at, outs[i]->shape.d[axis]), ec__at_out(b, i));
    if (k->training && k->want_d_in[0]) {
        ec__build_phase(b, EC_GRAD_DATA);
        in = ec__at_d_in(b, 0);
        for (at = 0, i = 0; i < k->c->n_out && !b->st; at += outs[i++]->shape.d[axis])
            ec__copy(b, ec__at_d_out(b, i), part_of(b, in, axis, at, outs[i]->shape.d[axis]));
    }
    b->impl = "reorder";
}

/* A copy of the input as it is seen to the output, and of the gradient back. */
static void copy_seen(struct ec__build *b, const struct ec__md *in, const struct ec__md *out)
{
    ec__build_phase(b, EC_FORWARD);
    ec__copy(b, (struct ec__buf){ ec__place_at(EC__IN, 0), in },
             (struct ec__buf){ ec__place_at(EC__OUT, 0), out });
    if (b->k->training && b->k->want_d_in[0]) {
        ec__build_phase(b, EC_GRAD_DATA);
        ec__copy(b, (struct ec__buf){ ec__place_at(EC__D_OUT, 0), out },
                 (struct ec__buf){ ec__place_at(EC__D_IN, 0), in });
    }
    b->impl = "reorder";
}

/* The output is plain; the input is seen with its axes in the output's order. */
void ec__transpose_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_ints *perm = ec_case_ints(k->c, "perm");
    const struct ec_shape *x = &k->c->in[0]->shape, *y = &k->c->out[0]->shape;
    int64_t stride[EC_RANK_MAX], seen[EC_RANK_MAX], n = 1;
    const struct ec__md *view = NULL, *plain;
    int i;

    if (!all_float(k) || k->in_fmt[0])
        ec__build_fail(b, EC_E_UNSUPPORTED, "values that are not plain");
    for (i = x->rank - 1; i >= 0; i--) {
        stride[i] = n;
        n *= x->d[i];
    }
    for (i = 0; i < x->rank; i++) {
        int64_t from = perm->n ? perm->v[i] : x->rank - 1 - i;

        seen[i] = stride[from < 0 ? from + x->rank : from];
    }
    plain = ec__plain(b, k->compute, y->rank, y->d);
    if (!b->st)
        view = ec__need(b, ec__md_strided(b->cpu->lib, k->arena, k->compute, y->rank, y->d, seen));
    copy_seen(b, view, plain);
}

/* Channels (groups, each) become (each, groups): a transposition of the input seen with one
 * dimension more. */
void ec__channel_shuffle_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *x = &k->c->in[0]->shape;
    int64_t groups = ec_case_int(k->c, "groups"), each = x->d[1] / groups, inner = 1;
    const struct ec__md *from, *to;
    int i;

    if (!all_float(k) || k->in_fmt[0])
        ec__build_fail(b, EC_E_UNSUPPORTED, "values that are not plain");
    for (i = 2; i < x->rank; i++)
        inner *= x->d[i];
    if (b->st)
        return;
    from =
        ec__need(b, ec__md_strided(b->cpu->lib, k->arena, k->compute, 4,
                                   (const int64_t[]){ x->d[0], each, groups, inner },
                                   (const int64_t[]){ x->d[1] * inner, inner, each * inner, 1 }));
    to = ec__plain(b, k->compute, 4, (const int64_t[]){ x->d[0], each, groups, inner });
    copy_seen(b, from, to);
}
