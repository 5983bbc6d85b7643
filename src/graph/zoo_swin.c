/* Swin transformers, versions 1 and 2: attention inside windows that shift from block to block.
 * Feature maps are (n, h, w, c); kernels in the order in which torchvision runs them, those of the
 * version by Christoph Reich (`cr`) as timm does. */
#include "graph/zoo_internal.h"

#define SWIN(X, T)                                                                                 \
    X(T, INT, dim, 1, 16384, "features of a patch")                                                \
    X(T, INT, window, 0, 1024, "side of a window; 0: of the image by 32")                          \
    X(T, INTS, windows, 2, 1024, "of each stage, where they differ: 7x7x14x7")                     \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 2x2x6x2")                                   \
    X(T, INTS, heads, 1, 1024, "attention heads of each stage: 3x6x12x24")                         \
    X(T, BOOL, clip, "no window larger than the map; else the map is padded")                      \
    X(T, BOOL, v2, "version 2: cosine attention, norms after the branches")                        \
    X(T, BOOL, cr, "version 2 as Christoph Reich wrote it")                                        \
    X(T, INT, norm_every, 0, 1000, "a further norm after every N blocks; 0: none")                 \
    X(T, BOOL, norm_stages, "a further norm after each stage")                                     \
    X(T, REAL, drop_path, 0, 0.99, "probability of dropping the last branch")
EC__VARIANT(swin, SWIN);

struct window {
    int64_t side, shift; /* of this block */
    int64_t h, w;        /* of the padded map */
};

struct place {                            /* of a block */
    int64_t window, heads, block, blocks; /* of the stage; number in it, from 0 */
    bool last;                            /* stage, after which a norm stands anyway */
    double drop_path;
};

static int roll(struct ec_builder *b, int x, int64_t shift)
{
    return shift ? ec_b1(b, x, "roll shifts=%lld,%lld axes=1,2", EC__I64(shift), EC__I64(shift))
                 : x;
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

/* The same MLP for each pair of tokens of a window, without a table. */
static int pair_bias(struct ec_builder *b, int64_t l, int64_t heads)
{
    int x = ec__const(b, "relative_coordinates_log", EC_DT_f32, 2, l * l, (int64_t)2);

    x = ec__holds_rule(b, x, "pair_coords", 0, 0, 0);
    x = ec__act(b, ec__linear(b, x, 384, true, "meta_mlp.fc1"), "relu");
    x = ec__linear(b, ec__dropout(b, x, 0.125), heads, true, "meta_mlp.fc2");
    return ec_b1(b, ec_b1(b, x, "transpose perm=1,0"), "reshape shape=1,%lld,%lld,%lld",
                 EC__I64(heads), EC__I64(l), EC__I64(l));
}

/* (1, heads, l, l), l = tokens of a window */
static int table_bias(struct ec_builder *b, const struct ec__swin *v, const struct window *w,
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

static int scores_of(struct ec_builder *b, const struct ec__swin *v, int q, int k, int64_t heads)
{
    int x, scale;

    if (!v->v2 && !v->cr) {
        q = ec__scaled(b, q, ec_b_dim(b, q, -1));
        return ec_b2(b, q, k, "matmul transpose_b=1");
    }
    x = ec_b2(b, ec__unit_length(b, q), ec__unit_length(b, k), "matmul transpose_b=1");
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
    int64_t c = ec_b_dim(b, x, 2), l = w->side * w->side;
    int qkv[3];

    ec__split_parts(b, ec__linear(b, x, 3 * c, true, "qkv"), 3, heads, qkv);
    x = scores_of(b, v, qkv[0], qkv[1], heads);
    x = ec__add(b, x, v->cr ? pair_bias(b, l, heads) : table_bias(b, v, w, heads));
    x = ec_b1(b, add_mask(b, x, w, heads), "softmax");
    x = ec__join_heads(b, ec_b2(b, x, qkv[2], "matmul"));
    return ec__linear(b, x, c, true, "proj");
}

/* Pad to whole windows, shift, attend, undo both. */
static int windows(struct ec_builder *b, int x, const struct ec__swin *v, const struct place *at)
{
    int64_t h = ec_b_dim(b, x, 1), w = ec_b_dim(b, x, 2), least = h < w ? h : w;
    int64_t side = v->clip && least && least < at->window ? least : at->window;
    bool odd = at->block % 2;
    struct window win = { side, odd ? side / 2 : 0, ec__round_up(h, side), ec__round_up(w, side) };

    if (side >= win.h)
        win.shift = 0;
    x = roll(b, ec__pad_map(b, x, side), -win.shift);
    x = attend(b, ec__windows(b, x, win.side), v, &win, at->heads);
    x = roll(b, ec__windows_map(b, x, win.side, win.h, win.w), win.shift);
    return ec__crop_map(b, x, h, w);
}

static int mlp(struct ec_builder *b, int x)
{
    int64_t c = ec_b_dim(b, x, -1);

    x = ec_b1(b, ec__linear(b, x, 4 * c, true, "mlp.0"), "gelu");
    return ec__linear(b, x, c, true, "mlp.3");
}

/* Whether the sum of the branches has a norm of its own. */
static bool ends_with_norm(const struct ec__swin *v, const struct place *at)
{
    int64_t n = at->block + 1;

    return !at->last &&
           ((v->norm_every && n % v->norm_every == 0) || (v->norm_stages && n == at->blocks));
}

static int block(struct ec_builder *b, int x, const struct ec__swin *v, const struct place *at)
{
    double p = at->drop_path;
    int y;

    if (v->v2 || v->cr) { /* norms after the branches */
        y = ec__layer_norm(b, windows(b, x, v, at), "norm1");
        x = ec__residual(b, x, y, NULL, p);
        x = ec__residual(b, x, ec__layer_norm(b, mlp(b, x), "norm2"), NULL, p);
        return ends_with_norm(v, at) ? ec__layer_norm(b, x, "norm3") : x;
    }
    y = windows(b, ec__layer_norm(b, x, "norm1"), v, at);
    x = ec__residual(b, x, y, NULL, p);
    return ec__residual(b, x, mlp(b, ec__layer_norm(b, x, "norm2")), NULL, p);
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
        return ec__layer_norm(b, ec__linear(b, x, 2 * c, false, "reduction"), "norm");
    return ec__linear(b, ec__layer_norm(b, x, "norm"), 2 * c, false, "reduction");
}

static int stage(struct ec_builder *b, int x, const struct ec__swin *v, int i, int64_t before,
                 int64_t total)
{
    struct place at = { v->windows.n ? v->windows.v[i] : v->window,
                        v->heads.v[i],
                        0,
                        v->depths.v[i],
                        i + 1 == v->depths.n,
                        0 };

    if (!at.window)
        at.window = ec_b_dim(b, b->g->inputs[0], 2) / 32;
    for (; ec_b_each(b, at.block, at.blocks, "features.%d.%lld.", 2 * i + 1, EC__I64(at.block));
         at.block++) {
        at.drop_path = ec__rising(v->drop_path, before + at.block, total);
        x = block(b, x, v, &at);
    }
    return x;
}

static int stages(struct ec_builder *b, int x, const struct ec__swin *v)
{
    int64_t total = ec__sum(&v->depths), before = 0;
    int i;

    for (i = 0; i < v->depths.n && !b->st; i++) {
        x = stage(b, x, v, i, before, total);
        before += v->depths.v[i];
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

    if (v->heads.n < v->depths.n || (v->windows.n && v->windows.n < v->depths.n)) {
        b->st = ec_fail(b->err, EC_E_INPUT, "%d heads and %d windows for %d stages", v->heads.n,
                        v->windows.n, v->depths.n);
        return -1;
    }
    if (!v->windows.n && !v->window && net->size < 32) {
        b->st = ec_fail(b->err, EC_E_INPUT, "an image of %lld has no window", EC__I64(net->size));
        return -1;
    }
    x = ec_b1(b, x, "conv2d k=%lld r=4 stride=4 name=features.0.0", EC__I64(v->dim));
    x = ec__layer_norm(b, ec_b1(b, x, "transpose perm=0,2,3,1"), "features.0.2");
    x = ec__layer_norm(b, stages(b, x, v), "norm");
    x = ec_b1(b, x, "transpose perm=0,3,1,2");
    return ec__classifier(b, x, 0, net->classes, "head");
}

EC__FAMILY(swin, "attention in shifted windows", "classify", SWIN, build);
