/* TinyViT: inverted residuals, then attention in windows with a depthwise convolution after it. */
#include "graph/zoo_internal.h"

#define TINYVIT(X, T)                                                                              \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 2x2x6x2")                                   \
    X(T, INTS, widths, 2, 65536, "channels of each stage: 64x128x160x320")                         \
    X(T, INTS, heads, 1, 1024, "attention heads of each stage; the first has none")                \
    X(T, INTS, windows, 1, 256, "side of the windows of each stage")                               \
    X(T, BOOL, merged, "as it infers: convolutions and their norms are one")
EC__VARIANT(tinyvit, TINYVIT);

static int mbconv(struct ec_builder *b, int x, bool merged)
{
    int64_t c = ec_b_dim(b, x, 1), mid = 4 * c;
    int y = ec_b1(b, ec__conv_norm(b, x, EC__CONV(.k = mid), merged), "gelu");

    y = ec__conv_norm(b, y, EC__CONV(.k = mid, .r = 3, .groups = mid), merged);
    y = ec__conv_norm(b, ec_b1(b, y, "gelu"), EC__CONV(.k = c), merged);
    return ec_b1(b, ec__add(b, y, x), "gelu");
}

static int downsample(struct ec_builder *b, int x, int64_t k, bool merged)
{
    x = ec_b1(b, ec__conv_norm(b, x, EC__CONV(.k = k), merged), "gelu");
    x = ec__conv_norm(b, x, EC__CONV(.k = k, .r = 3, .stride = 2, .groups = k), merged);
    return ec__conv_norm(b, ec_b1(b, x, "gelu"), EC__CONV(.k = k), merged);
}

/* (windows, tokens, c) */
static int attention(struct ec_builder *b, int x, int64_t heads)
{
    int64_t t = ec_b_dim(b, x, 1), c = ec_b_dim(b, x, 2);
    int qkv[3];

    x = ec__linear(b, ec_b1(b, x, "layer_norm name=norm"), 3 * c, true, "qkv");
    ec__chunk(b, ec__split_heads(b, x, heads), 3, 3, qkv);
    x = ec__attend(b, qkv, ec__distance_bias(b, heads, t, t));
    return ec__linear(b, ec__join_heads(b, x), c, true, "proj");
}

/* Tokens (n, h*w, c) */
static int block(struct ec_builder *b, int x, const struct ec__tinyvit *v, int stage, int64_t h,
                 int64_t w)
{
    int64_t c = ec_b_dim(b, x, 2), side = v->windows.v[stage];
    size_t old = ec_b_push(b, "attn.");
    int y = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(h), EC__I64(w), EC__I64(c));

    y = attention(b, ec__windows(b, ec__pad_map(b, y, side), side), v->heads.v[stage]);
    y = ec__windows_map(b, y, side, ec__round_up(h, side), ec__round_up(w, side));
    y = ec_b1(b, ec__crop_map(b, y, h, w), "reshape shape=0,-1,%lld", EC__I64(c));
    ec_b_pop(b, old);
    x = ec__tokens_map(b, ec__add(b, x, y), h, w);
    x = ec__conv_norm(b, x, EC__CONV(.k = c, .r = 3, .groups = c, .name = "local_conv"), v->merged);
    x = ec__map_tokens(b, x);
    return ec__add(b, x, ec__mlp(b, ec_b1(b, x, "layer_norm name=mlp.norm"), 4 * c, "gelu", 0));
}

static int run_stage(struct ec_builder *b, int x, const struct ec__tinyvit *v, int i)
{
    int64_t j, h, w;

    x = downsample(b, x, v->widths.v[i], v->merged);
    h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3);
    x = ec__map_tokens(b, x);
    for (j = 0; ec_b_each(b, j, v->depths.v[i], "blocks.%lld.", EC__I64(j)); j++)
        x = block(b, x, v, i, h, w);
    return i + 1 < v->depths.n ? ec__tokens_map(b, x, h, w) : x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__tinyvit *v = variant;
    int i, x = ec__input_image(b, net, 3);
    int64_t j, c = v->widths.v[0];

    if (!ec__per_stage(b, v->depths.n, "widths", v->widths.n, "heads", v->heads.n, "windows",
                       v->windows.n, NULL))
        return -1;
    x = ec__conv_norm(b, x, EC__CONV(.k = c / 2, .r = 3, .stride = 2), v->merged);
    x = ec__conv_norm(b, ec_b1(b, x, "gelu"), EC__CONV(.k = c, .r = 3, .stride = 2), v->merged);
    for (j = 0; j < v->depths.v[0] && !b->st; j++)
        x = mbconv(b, x, v->merged);
    for (i = 1; i < v->depths.n; i++) {
        size_t old = ec_b_push(b, "stages.%d.", i);

        x = run_stage(b, x, v, i);
        ec_b_pop(b, old);
    }
    x = ec_b1(b, ec_b1(b, x, "reduce_mean axes=1 keepdims=0"), "layer_norm name=head.norm");
    return ec__linear(b, x, net->classes, true, "head.fc");
}

EC__FAMILY(tinyvit, "inverted residuals, then attention in windows", "classify", TINYVIT, build);
