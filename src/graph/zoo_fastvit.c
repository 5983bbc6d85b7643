/* FastViT and the image encoders of MobileCLIP: branches of convolutions that merge, a mixer that
 * subtracts a norm of its input, attention in the last stages. */
#include "graph/zoo_internal.h"

#define FASTVIT(X, T)                                                                              \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 2x2x6x2")                                   \
    X(T, INTS, widths, 1, 65536, "channels of each stage: 64x128x256x512")                         \
    X(T, INT, ratio, 1, 64, "inner channels per channel")                                          \
    X(T, INT, attending, 0, 8, "last stages that attend")                                          \
    X(T, BOOL, clip, "encoder of MobileCLIP: more activations, squeeze-and-excitation")            \
    X(T, BOOL, five, "its larger kind: layer norms in place of squeeze-and-excitation")            \
    X(T, BOOL, merged, "as it infers: branches are one filter")
EC__VARIANT(fastvit, FASTVIT);

/* Branches of one block: the filter, a 1x1 beside a larger one, a norm of the input where it has
 * the output's shape. merged: all of them as one filter. */
static int branches(struct ec_builder *b, int x, struct ec__conv c, bool filter, bool scale,
                    bool merged)
{
    bool same = ec_b_dim(b, x, 1) == c.k && (c.stride ? c.stride : 1) == 1;
    struct ec__conv one = c;
    int y = -1;

    if (merged) {
        c.bias = true;
        return ec__conv(b, x, c);
    }
    one.r = 1, one.name = NULL;
    if (scale && c.r > 1)
        y = ec__conv_bn(b, x, one);
    if (same) {
        int z = ec_b1(b, x, "batch_norm");

        y = y < 0 ? z : ec__add(b, y, z);
    }
    if (filter) {
        int z = ec__conv_bn(b, x, c);

        y = y < 0 ? z : ec__add(b, y, z);
    }
    return y;
}

/* x + scale * (branches(x) - norm(x)); merged: one filter */
static int rep_mixer(struct ec_builder *b, int x, const struct ec__fastvit *v)
{
    struct ec__conv c = { .k = ec_b_dim(b, x, 1), .r = 3, .groups = ec_b_dim(b, x, 1) };
    int y;

    if (v->merged)
        return branches(b, x, c, true, true, true);
    y = branches(b, x, c, true, true, false);
    y = ec_b2(b, y, branches(b, x, c, false, false, false), "sub");
    return ec__add(b, x, ec__channel_scale(b, y, "token_mixer.layer_scale"));
}

static int mlp(struct ec_builder *b, int x, const struct ec__fastvit *v, const char *scale)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec__conv_bn(b, x, EC__CONV(.k = c, .r = 7, .groups = c, .name = "mlp.conv"));

    y = ec__channel_scale(b, ec__conv_mlp(b, y, v->ratio * c, "gelu"), scale);
    return ec__add(b, x, y);
}

static int rep_block(struct ec_builder *b, int x, const struct ec__fastvit *v)
{
    return mlp(b, rep_mixer(b, x, v), v, "layer_scale");
}

static int attention(struct ec_builder *b, int map)
{
    int64_t c = ec_b_dim(b, map, 1), h = ec_b_dim(b, map, 2), w = ec_b_dim(b, map, 3);
    int qkv[3], x = ec__linear(b, ec__map_tokens(b, map), 3 * c, false, "token_mixer.qkv");

    ec__qkv(b, x, c / 32, qkv);
    x = ec__merge_heads(b, ec__attend(b, qkv, -1));
    return ec__tokens_map(b, ec__linear(b, x, c, true, "token_mixer.proj"), h, w);
}

static int attention_block(struct ec_builder *b, int x, const struct ec__fastvit *v)
{
    int y = v->five ? ec__norm2d(b, x) : ec_b1(b, x, "batch_norm name=norm");

    x = ec__add(b, x, ec__channel_scale(b, attention(b, y), "layer_scale_1"));
    return mlp(b, x, v, "layer_scale_2");
}

/* A large and a small depthwise filter, merged one, then a 1x1. */
static int embed(struct ec_builder *b, int x, const struct ec__fastvit *v, int64_t k, bool squeeze)
{
    struct ec__conv large = { .k = k, .r = 7, .stride = 2, .groups = ec_b_dim(b, x, 1) };
    struct ec__conv small = large;
    int y = ec__conv_norm(b, x, large, v->merged);

    small.r = 3;
    if (!v->merged)
        y = ec__add(b, y, ec__conv_bn(b, x, small));
    if (squeeze)
        y = ec__se(b, y, ec__round_to((double)k / 4, 8, false), "relu", "sigmoid");
    y = v->clip ? ec_b1(b, y, "gelu") : y;
    return ec_b1(b, branches(b, y, EC__CONV(.k = k, .r = 1), true, true, v->merged), "gelu");
}

/* Positions by a depthwise filter, added to its input. */
static int positions(struct ec_builder *b, int x, bool merged)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec__conv(b, x, EC__CONV(.k = c, .r = 7, .groups = c, .bias = true, .name = "pos_emb"));

    return merged ? y : ec__add(b, y, x);
}

static int stem(struct ec_builder *b, int x, const struct ec__fastvit *v)
{
    int64_t k = v->widths.v[0];
    bool scale = !v->five;

    x = branches(b, x, EC__CONV(.k = k, .r = 3, .stride = 2), true, scale, v->merged);
    x = branches(b, ec_b1(b, x, "gelu"), EC__CONV(.k = k, .r = 3, .stride = 2, .groups = k), true,
                 scale, v->merged);
    x = branches(b, ec_b1(b, x, "gelu"), EC__CONV(.k = k, .r = 1), true, scale, v->merged);
    return ec_b1(b, x, "gelu");
}

static int run_stage(struct ec_builder *b, int x, const struct ec__fastvit *v, int i)
{
    bool attends = i >= v->depths.n - v->attending, squeeze = v->clip && !v->five && i > 1;
    int64_t j;

    x = i ? embed(b, x, v, v->widths.v[i], squeeze) : x;
    x = attends ? positions(b, x, v->merged) : x;
    for (j = 0; ec_b_each(b, j, v->depths.v[i], "blocks.%lld.", EC__I64(j)); j++)
        x = attends ? attention_block(b, x, v) : rep_block(b, x, v);
    return x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__fastvit *v = variant;
    int i, x = ec__input_image(b, net, 3);
    int64_t c;

    if (!ec__per_stage(b, v->depths.n, "widths", v->widths.n, NULL))
        return -1;
    x = stem(b, x, v);
    for (i = 0; ec_b_each(b, i, v->depths.n, "stages.%d.", i); i++)
        x = run_stage(b, x, v, i);
    c = ec_b_dim(b, x, 1);
    x = branches(b, x, EC__CONV(.k = 2 * c, .r = 3, .groups = c), true, true, v->merged);
    x = ec_b1(b, ec__se(b, x, 2 * c / 16, "relu", "sigmoid"), "gelu");
    return ec__classifier(b, x, 0, net->classes, "head.fc");
}

EC__FAMILY(fastvit, "branches that merge, attention at the end", "classify", FASTVIT, build);
