/* Swin transformers, versions 1 and 2: attention inside windows that shift from block to block.
 * Feature maps are (n, h, w, c); kernels in the order in which torchvision runs them. */
#include "graph/zoo_internal.h"

struct window {
    int64_t side, shift; /* of this block */
    int64_t h, w;        /* of the padded map */
};

static int64_t round_up(int64_t v, int64_t by)
{
    return (v + by - 1) / by * by;
}

static int roll(struct ec_builder *b, int x, int64_t shift)
{
    return shift ? ec_b1(b, x, "roll shifts=%lld,%lld axes=1,2", EC__I64(shift), EC__I64(shift))
                 : x;
}

/* (n, h, w, c) -> (n * windows, side*side, c) */
static int partition(struct ec_builder *b, int x, const struct window *w)
{
    int64_t c = ec_b_dim(b, x, 3);

    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld,%lld,%lld", EC__I64(w->h / w->side),
              EC__I64(w->side), EC__I64(w->w / w->side), EC__I64(w->side), EC__I64(c));
    x = ec_b1(b, x, "transpose perm=0,1,3,2,4,5");
    return ec_b1(b, x, "reshape shape=-1,%lld,%lld", EC__I64(w->side * w->side), EC__I64(c));
}

static int reverse(struct ec_builder *b, int x, const struct window *w)
{
    int64_t c = ec_b_dim(b, x, 2);

    x = ec_b1(b, x, "reshape shape=-1,%lld,%lld,%lld,%lld,%lld", EC__I64(w->h / w->side),
              EC__I64(w->w / w->side), EC__I64(w->side), EC__I64(w->side), EC__I64(c));
    x = ec_b1(b, x, "transpose perm=0,1,3,2,4,5");
    return ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(w->h), EC__I64(w->w), EC__I64(c));
}

/* Version 2 computes the table with a small MLP from relative coordinates. */
static int bias_table(struct ec_builder *b, const struct ec__swin *v, const struct window *w,
                      int64_t heads)
{
    int64_t n = 2 * w->side - 1;
    int x;

    if (!v->v2)
        return ec_b_param(b, "relative_position_bias_table", 2, n * n, heads);
    x = ec__const(b, "relative_coords_table", EC_DT_f32, 4, (int64_t)1, n, n, (int64_t)2);
    x = ec__holds_rule(b, x, "relative_coords", 0, 0, 0);
    x = ec__act(b, ec__linear(b, x, 512, true, "cpb_mlp.0"), "relu");
    x = ec__linear(b, x, heads, false, "cpb_mlp.2");
    return ec_b1(b, x, "reshape shape=-1,%lld", EC__I64(heads));
}

/* (1, heads, l, l), l = tokens of a window */
static int position_bias(struct ec_builder *b, const struct ec__swin *v, const struct window *w,
                         int64_t heads)
{
    int64_t l = w->side * w->side;
    int index = ec__const(b, "relative_position_index", EC_DT_i64, 1, l * l);
    int x = bias_table(b, v, w, heads);

    x = ec_b2(b, x, ec__holds_rule(b, index, "relative_index", 0, 0, 0), "gather axis=0");
    x = ec_b1(b, x, "reshape shape=%lld,%lld,-1", EC__I64(l), EC__I64(l));
    x = ec_b1(b, ec_b1(b, x, "transpose perm=2,0,1"), "unsqueeze axes=0");
    return v->v2 ? ec_b1(b, ec_b1(b, x, "sigmoid"), "scale_scalar mul=16") : x;
}

static int unit_length(struct ec_builder *b, int x)
{
    int norm = ec_b1(b, x, "reduce_l2 axes=-1");

    return ec_b2(b, x, ec_b1(b, norm, "clip lo=1e-12"), "div");
}

static int scores_of(struct ec_builder *b, const struct ec__swin *v, int q, int k, int64_t heads)
{
    int x, scale;

    if (!v->v2) {
        q = ec__scaled(b, q, ec_b_dim(b, q, -1));
        return ec_b2(b, q, k, "matmul transpose_b=1");
    }
    x = ec_b2(b, unit_length(b, q), unit_length(b, k), "matmul transpose_b=1");
    scale = ec_b_param(b, "logit_scale", 3, heads, (int64_t)1, (int64_t)1);
    return ec_b2(b, x, ec_b1(b, ec_b1(b, scale, "clip hi=4.60517019"), "exp"), "mul");
}

/* Windows that wrapped around must not see across the seam. */
static int add_mask(struct ec_builder *b, int x, const struct window *w, int64_t heads)
{
    int64_t n = w->h / w->side * (w->w / w->side), l = w->side * w->side;
    int mask;

    if (!w->shift)
        return x;
    mask = ec__const(b, "attn_mask", EC_DT_f32, 5, (int64_t)1, n, (int64_t)1, l, l);
    mask = ec__holds_rule(b, mask, "window_mask", 2, (double)w->h, (double)w->shift);
    x = ec_b1(b, x, "reshape shape=-1,%lld,%lld,%lld,%lld", EC__I64(n), EC__I64(heads), EC__I64(l),
              EC__I64(l));
    return ec_b1(b, ec__add(b, x, mask), "reshape shape=-1,%lld,%lld,%lld", EC__I64(heads),
                 EC__I64(l), EC__I64(l));
}

static int attend(struct ec_builder *b, int x, const struct ec__swin *v, const struct window *w,
                  int64_t heads)
{
    int64_t c = ec_b_dim(b, x, 2);
    const struct ec_node *split;
    int qkv[3] = { -1, -1, -1 }, i;

    x = ec__linear(b, x, 3 * c, true, "qkv");
    x = ec_b1(b, x, "reshape shape=0,0,3,%lld,-1", EC__I64(heads));
    x = ec_b1(b, x, "transpose perm=2,0,3,1,4");
    (void)ec_b1(b, x, "split axis=0 parts=3");
    split = ec_b_last(b);
    for (i = 0; split && i < 3; i++)
        qkv[i] = ec_b1(b, split->out[i], "squeeze axes=0");
    x = scores_of(b, v, qkv[0], qkv[1], heads);
    x = ec__add(b, x, position_bias(b, v, w, heads));
    x = ec_b1(b, add_mask(b, x, w, heads), "softmax");
    x = ec__join_heads(b, ec_b2(b, x, qkv[2], "matmul"));
    return ec__linear(b, x, c, true, "proj");
}

/* Pad to whole windows, shift, attend, undo both. */
static int windows(struct ec_builder *b, int x, const struct ec__swin *v, int64_t heads, bool odd)
{
    int64_t h = ec_b_dim(b, x, 1), w = ec_b_dim(b, x, 2), least = h < w ? h : w;
    int64_t side = v->clip && least && least < v->window ? least : v->window;
    struct window win = { side, odd ? side / 2 : 0, round_up(h, side), round_up(w, side) };
    bool padded = win.h != h || win.w != w;

    if (side >= win.h)
        win.shift = 0;
    if (padded)
        x = ec_b1(b, x, "pad pads=0,0,0,0,0,%lld,%lld,0", EC__I64(win.h - h), EC__I64(win.w - w));
    x = roll(b, x, -win.shift);
    x = attend(b, partition(b, x, &win), v, &win, heads);
    x = roll(b, reverse(b, x, &win), win.shift);
    if (padded) {
        x = ec_b1(b, x, "slice axes=1,2 starts=0,0 ends=%lld,%lld", EC__I64(h), EC__I64(w));
        x = ec_b1(b, x, "identity");
    }
    return x;
}

static int mlp(struct ec_builder *b, int x)
{
    int64_t c = ec_b_dim(b, x, -1);

    x = ec_b1(b, ec__linear(b, x, 4 * c, true, "mlp.0"), "gelu");
    return ec__linear(b, x, c, true, "mlp.3");
}

static int norm(struct ec_builder *b, int x, const char *name)
{
    return ec_b1(b, x, "layer_norm name=%s", name);
}

static int block(struct ec_builder *b, int x, const struct ec__swin *v, int64_t heads, bool odd,
                 double p)
{
    int y;

    if (v->v2) { /* norms after the branches */
        y = norm(b, windows(b, x, v, heads, odd), "norm1");
        x = ec__add(b, x, ec__drop_path(b, y, p));
        return ec__add(b, x, ec__drop_path(b, norm(b, mlp(b, x), "norm2"), p));
    }
    y = windows(b, norm(b, x, "norm1"), v, heads, odd);
    x = ec__add(b, x, ec__drop_path(b, y, p));
    return ec__add(b, x, ec__drop_path(b, mlp(b, norm(b, x, "norm2")), p));
}

/* 2x2 neighbours side by side, then half as many channels. */
static int merge(struct ec_builder *b, int x, const struct ec__swin *v)
{
    int64_t h = ec_b_dim(b, x, 1), w = ec_b_dim(b, x, 2), c = ec_b_dim(b, x, 3);
    int xs[4], i;

    if (h % 2 || w % 2)
        x = ec_b1(b, x, "pad pads=0,0,0,0,0,%lld,%lld,0", EC__I64(h % 2), EC__I64(w % 2));
    for (i = 0; i < 4; i++)
        xs[i] = ec_b1(b, x, "slice axes=1,2 starts=%d,%d ends=%lld,%lld steps=2,2", i % 2, i / 2,
                      EC__I64(h + h % 2), EC__I64(w + w % 2));
    x = ec_bn(b, xs, 4, "concat axis=3");
    if (v->v2)
        return norm(b, ec__linear(b, x, 2 * c, false, "reduction"), "norm");
    return ec__linear(b, norm(b, x, "norm"), 2 * c, false, "reduction");
}

static int stages(struct ec_builder *b, int x, const struct ec__swin *v)
{
    int64_t total = 0, at = 0, j;
    int i;

    for (i = 0; i < v->depths.n; i++)
        total += v->depths.v[i];
    for (i = 0; i < v->depths.n; i++) {
        for (j = 0; j < v->depths.v[i] && !b->st; j++, at++) {
            double p = total > 1 ? v->drop_path * (double)at / (double)(total - 1) : 0;
            size_t old = ec_b_push(b, "features.%d.%lld.", 2 * i + 1, EC__I64(j));

            x = block(b, x, v, v->heads.v[i], j % 2, p);
            ec_b_pop(b, old);
        }
        if (i + 1 < v->depths.n) {
            size_t old = ec_b_push(b, "features.%d.", 2 * i + 2);

            x = merge(b, x, v);
            ec_b_pop(b, old);
        }
    }
    return x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__swin *v = variant;
    int x = ec__input_image(b, net, 3);

    if (v->heads.n < v->depths.n) {
        b->st =
            ec_fail(b->err, EC_E_INPUT, "heads: %d numbers for %d stages", v->heads.n, v->depths.n);
        return -1;
    }
    x = ec_b1(b, x, "conv2d k=%lld r=4 stride=4 name=features.0.0", EC__I64(v->dim));
    x = norm(b, ec_b1(b, x, "transpose perm=0,2,3,1"), "features.0.2");
    x = norm(b, stages(b, x, v), "norm");
    x = ec_b1(b, x, "transpose perm=0,3,1,2");
    return ec__classifier(b, x, 0, net->classes, "head");
}

/* clang-format off */
#define T struct ec__swin
static const struct ec_field fields[] = {
    EC__INT(T, "dim", dim, 1, 16384, "features of a patch"),
    EC__INT(T, "window", window, 2, 1024, "side of a window"),
    EC__INTS(T, "depths", depths, 1, 1000, "blocks of each stage: 2x2x6x2"),
    EC__INTS(T, "heads", heads, 1, 1024, "attention heads of each stage: 3x6x12x24"),
    EC__BOOL(T, "clip", clip, "no window larger than the map; else the map is padded"),
    EC__BOOL(T, "v2", v2, "version 2: cosine attention, norms after the branches"),
    EC__REAL(T, "drop_path", drop_path, 0, 0.99, "probability of dropping the last branch"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

const struct ec__family ec__family_swin = {
    "swin", "attention in shifted windows", "classify", sizeof(struct ec__swin), fields, build,
};
