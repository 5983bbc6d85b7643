/* XCiT: attention between channels (cross-covariance), with local convolutions, then two layers in
 * which a class token attends to the patches. */
#include "graph/zoo_internal.h"

/* Transformers on images, beside vit, swin and maxvit */
#define XCIT(X, T)                                                                                 \
    X(T, INT, patch, 2, 256, "side of a patch, a power of 2")                                      \
    X(T, INT, hidden, 1, 65536, "features of a token")                                             \
    X(T, INT, layers, 1, 1000, "blocks before the class token joins")                              \
    X(T, INT, heads, 1, 1024, "attention heads")                                                   \
    X(T, BOOL, norm_class, "the last norms see the class token only")
EC__VARIANT(xcit, XCIT);

enum { FOURIER = 64 }; /* features of a position before their projection */

/* Convolutions with stride 2 until a pixel is a patch; the last has all features. */
static int stem(struct ec_builder *b, int x, const struct ec__xcit *v)
{
    int64_t left;

    for (left = v->patch / 2; left >= 1; left /= 2) {
        x = ec__conv_bn(b, x, EC__CONV(.k = v->hidden / left, .r = 3, .stride = 2));
        x = left > 1 ? ec_b1(b, x, "gelu") : x;
    }
    return x;
}

/* Sines and cosines of rows and columns, projected and repeated for each image. */
static int positions(struct ec_builder *b, int map)
{
    int64_t n = ec_b_dim(b, map, 0), c = ec_b_dim(b, map, 1);
    int x = ec__const(b, "pos_embed.fourier", EC_DT_f32, 4, (int64_t)1, (int64_t)FOURIER,
                      ec_b_dim(b, map, 2), ec_b_dim(b, map, 3));

    x = ec__holds_rule(b, x, "positions_2d", 0, 0, 0);
    x = ec__conv(b, x, EC__CONV(.k = c, .bias = true, .name = "pos_embed.token_projection"));
    return ec__map_tokens(b, ec_b1(b, x, "tile repeats=%lld,1,1,1", EC__I64(n)));
}

/* softmax(q k') v, where q, k, v are (n, heads, d, t) and q, k of unit length over the tokens */
static int channel_attention(struct ec_builder *b, int x, const struct ec__xcit *v)
{
    const struct ec_node *split;
    int qkv[3] = { -1, -1, -1 }, i;

    x = ec__linear(b, x, 3 * v->hidden, true, "attn.qkv");
    x = ec_b1(b, x, "reshape shape=0,0,3,%lld,-1", EC__I64(v->heads));
    (void)ec_b1(b, ec_b1(b, x, "transpose perm=2,0,3,4,1"), "split axis=0 parts=3");
    split = ec_b_last(b);
    for (i = 0; split && i < 3; i++)
        qkv[i] = ec_b1(b, split->out[i], "squeeze axes=0");
    x = ec_b2(b, ec__unit_length(b, qkv[0]), ec__unit_length(b, qkv[1]), "matmul transpose_b=1");
    x = ec_b2(b, x, ec_b_param(b, "attn.temperature", 3, v->heads, (int64_t)1, (int64_t)1), "mul");
    x = ec_b2(b, ec_b1(b, x, "softmax"), qkv[2], "matmul");
    x = ec_b1(b, ec_b1(b, x, "transpose perm=0,3,1,2"), "reshape shape=0,0,-1");
    return ec__linear(b, x, v->hidden, true, "attn.proj");
}

/* Two depthwise convolutions over the map of the patches. */
static int local(struct ec_builder *b, int x, const int64_t map[2])
{
    int64_t c = ec_b_dim(b, x, -1);
    struct ec__conv conv = { .k = c, .r = 3, .groups = c, .bias = true };

    x = ec__conv(b, ec__tokens_map(b, x, map[0], map[1]), conv);
    x = ec_b1(b, ec_b1(b, x, "gelu"), "batch_norm");
    return ec__map_tokens(b, ec__conv(b, x, conv));
}

static int block(struct ec_builder *b, int x, const struct ec__xcit *v, const int64_t map[2])
{
    int y = channel_attention(b, ec__layer_norm(b, x, "norm1"), v);

    x = ec__residual(b, x, y, "gamma1", 0);
    x = ec__residual(b, x, local(b, ec__layer_norm(b, x, "norm3"), map), "gamma3", 0);
    y = ec__mlp(b, ec__layer_norm(b, x, "norm2"), 4 * v->hidden, "gelu", 0);
    return ec__residual(b, x, y, "gamma2", 0);
}

/* first (n, 1, c) in place of the first token of x */
static int with_first(struct ec_builder *b, int first, int x)
{
    int xs[2] = { first, ec__tokens_of(b, x, 1, ec_b_dim(b, x, 1)) };

    return ec_bn(b, xs, 2, "concat");
}

static int class_block(struct ec_builder *b, int x, const struct ec__xcit *v)
{
    int y = ec__layer_norm(b, x, "norm1");

    y = with_first(b, ec__class_attention(b, y, v->heads), y);
    x = ec__residual(b, x, y, "gamma1", 0);
    if (v->norm_class)
        x = with_first(b, ec__layer_norm(b, ec__tokens_of(b, x, 0, 1), "norm2"), x);
    else
        x = ec__layer_norm(b, x, "norm2");
    y = ec__mlp(b, ec__tokens_of(b, x, 0, 1), 4 * v->hidden, "gelu", 0);
    y = ec_b2(b, y, ec_b_param(b, "gamma2", 1, v->hidden), "mul");
    return ec__add(b, x, with_first(b, y, x));
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__xcit *v = variant;
    int64_t map[2], i;
    int x = stem(b, ec__input_image(b, net, 3), v), places;

    if (!ec__heads_fit(b, v->hidden, v->heads))
        return -1;
    map[0] = ec_b_dim(b, x, 2);
    map[1] = ec_b_dim(b, x, 3);
    places = positions(b, x);
    x = ec__add(b, ec__map_tokens(b, x), places);
    for (i = 0; ec_b_each(b, i, v->layers, "blocks.%lld.", EC__I64(i)); i++)
        x = block(b, x, v, map);
    x = ec__prefix(b, x, 1, "cls_token");
    for (i = 0; ec_b_each(b, i, 2, "cls_attn_blocks.%lld.", EC__I64(i)); i++)
        x = class_block(b, x, v);
    x = ec__token(b, ec__layer_norm(b, x, "norm"), 0);
    return ec__linear(b, x, net->classes, true, "head");
}

EC__FAMILY(xcit, "attention between channels", "classify", XCIT, build);
