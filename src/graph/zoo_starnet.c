/* StarNet and SwiftFormer: depthwise and 1x1 convolutions; the first multiplies two branches, the
 * second weighs its tokens by a learned vector at the end of each stage. */
#include "graph/zoo_internal.h"

#define STARNET(X, T)                                                                              \
    X(T, INT, width, 1, 65536, "channels of the first stage; each further doubles them")           \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 2x2x8x3")                                   \
    X(T, INT, ratio, 1, 64, "inner channels per channel")
EC__VARIANT(starnet, STARNET);

#define SWIFTFORMER(X, T)                                                                          \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 3x3x6x4")                                   \
    X(T, INTS, widths, 2, 65536, "channels of each stage: 48x56x112x220")
EC__VARIANT(swiftformer, SWIFTFORMER);

static int biased_bn(struct ec_builder *b, int x, struct ec__conv c)
{
    c.bias = true;
    return ec__conv_bn(b, x, c);
}

/* --- StarNet --- */

static int star_block(struct ec_builder *b, int x, int64_t ratio)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y, f1, f2;

    y = biased_bn(b, x, EC__CONV(.k = c, .r = 7, .groups = c, .name = "dwconv"));
    f1 = ec__conv(b, y, EC__CONV(.k = ratio * c, .bias = true, .name = "f1"));
    f2 = ec__conv(b, y, EC__CONV(.k = ratio * c, .bias = true, .name = "f2"));
    y = ec_b2(b, ec_b1(b, f1, "relu6"), f2, "mul");
    y = biased_bn(b, y, EC__CONV(.k = c, .name = "g"));
    y = ec__conv(b, y, EC__CONV(.k = c, .r = 7, .groups = c, .bias = true, .name = "dwconv2"));
    return ec__add(b, x, y);
}

static int starnet_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__starnet *v = variant;
    int i, x = ec__input_image(b, net, 3);
    int64_t j;

    x = ec_b1(b, biased_bn(b, x, EC__CONV(.k = 32, .r = 3, .stride = 2, .name = "stem")), "relu6");
    for (i = 0; i < v->depths.n; i++) {
        x = biased_bn(b, x, EC__CONV(.k = v->width << i, .r = 3, .stride = 2));
        for (j = 0; ec_b_each(b, j, v->depths.v[i], "stages.%d.%lld.", i, EC__I64(j)); j++)
            x = star_block(b, x, v->ratio);
    }
    return ec__classifier(b, ec_b1(b, x, "batch_norm name=norm"), 0, net->classes, "head");
}

EC__FAMILY(starnet, "products of two branches", "classify", STARNET, starnet_build);

/* --- SwiftFormer --- */

static int conv_encoder(struct ec_builder *b, int x, int64_t inner)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = biased_bn(b, x, EC__CONV(.k = c, .r = 3, .groups = c, .name = "dwconv"));

    y = ec__channel_scale(b, ec__conv_mlp(b, y, inner, "gelu"), "layer_scale");
    return ec__add(b, x, y);
}

static int unit(struct ec_builder *b, int x, int axis)
{
    return ec_b2(b, x, ec_b1(b, x, "reduce_l2 axes=%d", axis), "div");
}

/* The queries, weighed by their product with a learned vector, add up to one. */
static int additive_attention(struct ec_builder *b, int map)
{
    int64_t c = ec_b_dim(b, map, 1), h = ec_b_dim(b, map, 2), w = ec_b_dim(b, map, 3);
    int x = ec__map_tokens(b, map), q, k, a;

    q = unit(b, ec__linear(b, x, c, true, "attn.to_query"), 2);
    k = unit(b, ec__linear(b, x, c, true, "attn.to_key"), 2);
    a = ec__scaled(b, ec_b2(b, q, ec_b_param(b, "attn.w_g", 2, c, (int64_t)1), "matmul"), c);
    a = ec_b1(b, ec_b2(b, unit(b, a, 1), q, "mul"), "reduce_sum axes=1");
    x = ec__add(b, ec__linear(b, ec_b2(b, a, k, "mul"), c, true, "attn.proj"), q);
    return ec__tokens_map(b, ec__linear(b, x, c, true, "attn.final"), h, w);
}

static int encoder(struct ec_builder *b, int x, int64_t inner)
{
    int y;
    size_t old = ec_b_push(b, "local_representation.");

    x = conv_encoder(b, x, ec_b_dim(b, x, 1));
    ec_b_pop(b, old);
    x = ec__add(b, x, ec__channel_scale(b, additive_attention(b, x), "layer_scale_1"));
    y = ec__conv_mlp(b, ec_b1(b, x, "batch_norm name=linear.norm1"), inner, "gelu");
    return ec__add(b, x, ec__channel_scale(b, y, "layer_scale_2"));
}

static int swiftformer_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__swiftformer *v = variant;
    int i, x = ec__input_image(b, net, 3);
    int64_t j, c;

    if (!ec__per_stage(b, v->depths.n, "widths", v->widths.n, NULL))
        return -1;
    c = v->widths.v[0];
    x = ec_b1(b, biased_bn(b, x, EC__CONV(.k = c / 2, .r = 3, .stride = 2)), "relu");
    x = ec_b1(b, biased_bn(b, x, EC__CONV(.k = c, .r = 3, .stride = 2)), "relu");
    for (i = 0; i < v->depths.n; i++) {
        c = v->widths.v[i];
        if (i)
            x = biased_bn(b, x, EC__CONV(.k = c, .r = 3, .stride = 2));
        for (j = 0; ec_b_each(b, j, v->depths.v[i], "stages.%d.%lld.", i, EC__I64(j)); j++)
            x = j + 1 < v->depths.v[i] ? conv_encoder(b, x, 4 * c) : encoder(b, x, 4 * c);
    }
    x = ec_b1(b, ec_b1(b, x, "batch_norm name=norm"), "global_avg_pool");
    return ec__two_heads(b, ec_b1(b, x, "flatten"), net->classes);
}

EC__FAMILY(swiftformer, "convolutions and additive attention", "classify", SWIFTFORMER,
           swiftformer_build);
