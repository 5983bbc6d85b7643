/* DaViT: blocks of attention inside windows and of attention between channels in turn; depthwise
 * convolutions give positions. */
#include "graph/zoo_internal.h"

#define DAVIT(X, T)                                                                                \
    X(T, INTS, widths, 1, 65536, "features of each stage: 96x192x384x768")                         \
    X(T, INTS, layers, 1, 1000, "pairs of blocks of each stage: 1x1x3x1")                          \
    X(T, INTS, heads, 1, 1024, "attention heads of each stage: 3x6x12x24")                         \
    X(T, INT, window, 1, 256, "side of a window")                                                  \
    X(T, BOOL, overlap, "overlapping patches between stages")
EC__VARIANT(davit, DAVIT);

struct map {
    int64_t h, w;
};

/* x plus a depthwise convolution of its map; tokens in, tokens out */
static int place(struct ec_builder *b, int x, const struct map *m, const char *name)
{
    int64_t c = ec_b_dim(b, x, 2);
    int map = ec__tokens_map(b, x, m->h, m->w);

    x = ec__conv(b, map, EC__CONV(.k = c, .r = 3, .groups = c, .bias = true, .name = name));
    return ec__map_tokens(b, ec__add(b, x, map));
}

static int windows(struct ec_builder *b, int x, const struct map *m, int64_t heads, int64_t side)
{
    int64_t c = ec_b_dim(b, x, 2), h = ec__round_up(m->h, side), w = ec__round_up(m->w, side);

    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(m->h), EC__I64(m->w), EC__I64(c));
    x = ec__windows(b, ec__pad_map(b, x, side), side);
    x = ec__windows_map(b, ec__self_attention(b, x, heads, true), side, h, w);
    x = ec__crop_map(b, x, m->h, m->w);
    return ec_b1(b, x, "reshape shape=0,%lld,%lld", EC__I64(m->h * m->w), EC__I64(c));
}

/* Each token's query times softmax(k' v)', where k, v are (n, heads, t, d) */
static int channels(struct ec_builder *b, int x, int64_t heads)
{
    int64_t c = ec_b_dim(b, x, 2);
    int qkv[3];

    ec__split_parts(b, ec__linear(b, x, 3 * c, true, "qkv"), 3, heads, qkv);
    x = ec_b2(b, ec__scaled(b, qkv[1], c / heads), qkv[2], "matmul transpose_a=1");
    x = ec_b2(b, qkv[0], ec_b1(b, x, "softmax"), "matmul transpose_b=1");
    return ec__linear(b, ec__join_heads(b, x), c, true, "proj");
}

/* window 0: attention between channels */
static int block(struct ec_builder *b, int x, const struct map *m, int64_t heads, int64_t window)
{
    size_t old = ec_b_push(b, window ? "spatial." : "channel.");
    int64_t c = ec_b_dim(b, x, 2);
    int y;

    x = place(b, x, m, "cpe1");
    y = ec__layer_norm(b, x, "norm1");
    x = ec__add(b, x, window ? windows(b, y, m, heads, window) : channels(b, y, heads));
    x = place(b, x, m, "cpe2");
    x = ec__add(b, x, ec__mlp(b, ec__layer_norm(b, x, "norm2"), 4 * c, "gelu", 0));
    ec_b_pop(b, old);
    return x;
}

/* To tokens of the next stage; their norm stands after the first convolution, before the others.
 * Returns the tokens, and the size of their map. */
static int shrink(struct ec_builder *b, int x, const struct ec__davit *v, int i, struct map *m)
{
    int side = v->overlap ? 3 : 2;

    if (!i) {
        x = ec_b1(b, x, "conv2d k=%lld r=7 stride=4 pad=3 name=stem.conv", EC__I64(v->widths.v[0]));
    } else {
        x = ec__tokens_map(b, ec__layer_norm(b, x, "downsample.norm"), m->h, m->w);
        if (!v->overlap && (m->h % 2 || m->w % 2))
            x = ec_b1(b, x, "pad pads=0,0,0,0,0,0,%lld,%lld", EC__I64(m->h % 2), EC__I64(m->w % 2));
        x = ec_b1(b, x, "conv2d k=%lld r=%d stride=2 pad=%d name=downsample.conv",
                  EC__I64(v->widths.v[i]), side, v->overlap);
    }
    *m = (struct map){ ec_b_dim(b, x, 2), ec_b_dim(b, x, 3) };
    x = ec__map_tokens(b, x);
    return i ? x : ec__layer_norm(b, x, "stem.norm");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__davit *v = variant;
    int x = ec__input_image(b, net, 3), i;
    struct map m = { 0, 0 };
    int64_t j;

    if (!ec__per_stage(b, v->layers.n, "widths", v->widths.n, "heads", v->heads.n, NULL))
        return -1;
    for (i = 0; ec_b_each(b, i, v->layers.n, "stages.%d.", i); i++) {
        x = shrink(b, x, v, i, &m);
        for (j = 0; ec_b_each(b, j, v->layers.v[i], "%lld.", EC__I64(j)); j++) {
            x = block(b, x, &m, v->heads.v[i], v->window);
            x = block(b, x, &m, v->heads.v[i], 0);
        }
    }
    x = ec__layer_norm(b, ec_b1(b, x, "reduce_mean axes=1 keepdims=0"), "head.norm");
    return net->classes ? ec__linear(b, x, net->classes, true, "head.fc") : x;
}

EC__FAMILY(davit, "attention inside windows and between channels", "classify", DAVIT, build);
