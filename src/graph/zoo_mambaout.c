/* MambaOut: blocks that gate features, some of which a depthwise convolution has filtered. Maps are
 * (n, h, w, c) between convolutions. */
#include "graph/zoo_internal.h"

#define MAMBAOUT(X, T)                                                                             \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 3x3x9x3")                                   \
    X(T, INTS, widths, 2, 65536, "channels of each stage: 96x192x384x576")                         \
    X(T, REAL, expand, 0.1, 64, "features inside a block per feature")                             \
    X(T, REAL, filtered, 0.01, 64, "of them filtered, per feature")                                \
    X(T, STR, act, "activation: gelu, silu")                                                       \
    X(T, BOOL, rw, "fewer norms, and a learned scale of each block")
EC__VARIANT(mambaout, MAMBAOUT);

static int to_last(struct ec_builder *b, int x)
{
    return ec_b1(b, x, "transpose perm=0,2,3,1");
}

static int to_second(struct ec_builder *b, int x)
{
    return ec_b1(b, x, "transpose perm=0,3,1,2");
}

static int block(struct ec_builder *b, int x, const struct ec__mambaout *v)
{
    int64_t c = ec_b_dim(b, x, 3), filtered = (int64_t)((double)c * v->filtered);
    int64_t inner = (int64_t)((double)c * v->expand);
    const int64_t sizes[3] = { inner, inner - filtered, filtered };
    int parts[3], y = ec_b1(b, x, "layer_norm name=norm");

    ec__split(b, ec__linear(b, y, 2 * inner, true, "fc1"), 3, sizes, 3, parts);
    y = ec__conv(b, to_second(b, parts[2]),
                 EC__CONV(.k = filtered, .r = 7, .groups = filtered, .bias = true, .name = "conv"));
    parts[2] = to_last(b, y);
    y = b->st ? -1 : ec_bn(b, parts + 1, 2, "concat axis=3");
    y = ec_b2(b, ec__act(b, parts[0], v->act), y, "mul");
    y = ec__linear(b, y, c, true, "fc2");
    if (v->rw)
        y = ec_b2(b, y, ec_b_param(b, "ls", 1, c), "mul");
    return ec__add(b, y, x);
}

static int conv_s2(struct ec_builder *b, int x, int64_t k, const char *name)
{
    return ec__conv(b, x, EC__CONV(.k = k, .r = 3, .stride = 2, .bias = true, .name = name));
}

static int stem(struct ec_builder *b, int x, const struct ec__mambaout *v)
{
    x = conv_s2(b, x, v->widths.v[0] / 2, "stem.conv1");
    x = ec__act(b, v->rw ? x : ec__norm2d(b, x), v->act);
    return ec_b1(b, to_last(b, conv_s2(b, x, v->widths.v[0], "stem.conv2")), "layer_norm");
}

static int downsample(struct ec_builder *b, int x, const struct ec__mambaout *v, int64_t k)
{
    if (v->rw)
        x = ec_b1(b, x, "layer_norm name=downsample.norm");
    x = to_last(b, conv_s2(b, to_second(b, x), k, "downsample.conv"));
    return v->rw ? x : ec_b1(b, x, "layer_norm name=downsample.norm");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__mambaout *v = variant;
    int i, x = ec__input_image(b, net, 3);
    int64_t j;

    if (!ec__per_stage(b, v->depths.n, "widths", v->widths.n, NULL))
        return -1;
    x = stem(b, x, v);
    for (i = 0; ec_b_each(b, i, v->depths.n, "stages.%d.", i); i++) {
        x = i ? downsample(b, x, v, v->widths.v[i]) : x;
        for (j = 0; ec_b_each(b, j, v->depths.v[i], "blocks.%lld.", EC__I64(j)); j++)
            x = block(b, x, v);
    }
    x = ec_b1(b, ec_b1(b, x, "reduce_mean axes=1,2 keepdims=0"), "layer_norm name=head.norm");
    x = ec__linear(b, x, 4 * ec_b_dim(b, x, 1), true, "head.pre_logits.fc");
    x = ec_b1(b, x, "gelu");
    x = v->rw ? x : ec_b1(b, x, "layer_norm name=head.pre_logits.norm");
    return ec__linear(b, x, net->classes, true, "head.fc");
}

EC__FAMILY(mambaout, "gated features, some of them filtered", "classify", MAMBAOUT, build);
