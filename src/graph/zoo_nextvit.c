/* Next-ViT: blocks of grouped convolutions; every fifth block, and the last of a stage, attends on
 * most of its channels and convolves the others. */
#include "graph/zoo_internal.h"

#include <math.h>

#define NEXTVIT(X, T)                                                                              \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 3x4x10x3")                                  \
    X(T, BOOL, merged, "as it infers: norms in front of products are a part of them")
EC__VARIANT(nextvit, NEXTVIT);

#define STAGES 4
#define HEAD_DIM 32

/* A pool in place of a stride, a 1x1 in place of other channels. */
static int embed(struct ec_builder *b, int x, int64_t out, int64_t stride)
{
    if (stride > 1)
        x = ec_b1(b, x, "avg_pool2d r=2 stride=2 ceil=1");
    if (stride > 1 || ec_b_dim(b, x, 1) != out)
        x = ec__conv_bn(b, x, EC__CONV(.k = out, .name = "patch_embed"));
    return x;
}

/* merged: as it infers, norms in front of a product are a part of it */
static int norm(struct ec_builder *b, int x, const struct ec__nextvit *v, const char *name)
{
    return v->merged ? x : ec_b1(b, x, "batch_norm name=%s", name);
}

static int conv_attention(struct ec_builder *b, int x)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec__conv_bn_act(
        b, x, EC__CONV(.k = c, .r = 3, .groups = c / HEAD_DIM, .name = "mhca.group_conv3x3"),
        "relu");

    return ec__add(b, x, ec__conv(b, y, EC__CONV(.k = c, .name = "mhca.projection")));
}

static int mlp(struct ec_builder *b, int x, const struct ec__nextvit *v, int64_t ratio)
{
    int y = norm(b, x, v, "mlp.norm");

    return ec__add(b, x, ec__conv_mlp(b, y, ratio * ec_b_dim(b, x, 1), "relu"));
}

static int conv_block(struct ec_builder *b, int x, const struct ec__nextvit *v, int64_t out,
                      int64_t stride)
{
    return mlp(b, conv_attention(b, embed(b, x, out, stride)), v, 3);
}

/* Keys and values of the mean of `near` tokens that follow each other. */
static int attention(struct ec_builder *b, int x, const struct ec__nextvit *v, int64_t near)
{
    int64_t c = ec_b_dim(b, x, 2), heads = c / HEAD_DIM;
    int qkv[3] = { ec__split_heads(b, ec__linear(b, x, c, true, "e_mhsa.q"), heads) };

    if (near > 1) {
        x = ec_b1(b, x, "transpose perm=0,2,1");
        x = ec_b1(b, x, "avg_pool1d r=%lld stride=%lld", EC__I64(near), EC__I64(near));
        x = ec_b1(b, norm(b, x, v, "e_mhsa.norm"), "transpose perm=0,2,1");
    }
    qkv[1] = ec__split_heads(b, ec__linear(b, x, c, true, "e_mhsa.k"), heads);
    qkv[2] = ec__split_heads(b, ec__linear(b, x, c, true, "e_mhsa.v"), heads);
    x = ec__join_heads(b, ec__attend(b, qkv, -1));
    return ec__linear(b, x, c, true, "e_mhsa.proj");
}

static int transformer_block(struct ec_builder *b, int x, const struct ec__nextvit *v, int64_t out,
                             int64_t stride, int64_t near)
{
    int64_t mid = ec__round_to(floor((double)out * 3 / 4), 32, false), h, w;
    int xs[2], y;

    x = embed(b, x, mid, stride);
    h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3);
    y = attention(b, ec__map_tokens(b, norm(b, x, v, "norm1")), v, near);
    xs[0] = ec__add(b, x, ec__tokens_map(b, y, h, w));
    xs[1] = ec__conv_bn(b, xs[0], EC__CONV(.k = out - mid, .name = "projection"));
    xs[1] = conv_attention(b, xs[1]);
    return mlp(b, ec__concat(b, xs, 2), v, 2);
}

static int run_stage(struct ec_builder *b, int x, const struct ec__nextvit *v, int i)
{
    static const int64_t widths[STAGES] = { 96, 192, 384, 768 },
                         wider[STAGES] = { 96, 256, 512, 1024 }, near[STAGES] = { 64, 16, 4, 1 };
    int64_t n = v->depths.v[i], j;

    for (j = 0; ec_b_each(b, j, n, "stages.%d.blocks.%lld.", i, EC__I64(j)); j++) {
        bool attends = i == 2 ? j % 5 == 4 : i && j + 1 == n;
        int64_t stride = i && !j ? 2 : 1;

        x = attends ? transformer_block(b, x, v, wider[i], stride, near[i])
                    : conv_block(b, x, v, widths[i], stride);
    }
    return x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    static const int64_t stem[4] = { 64, 32, 64, 64 };
    const struct ec__nextvit *v = variant;
    int i, x = ec__input_image(b, net, 3);

    if (v->depths.n != STAGES) {
        b->st = ec_fail(b->err, EC_E_INPUT, "depths: %d numbers, expected %d", v->depths.n, STAGES);
        return -1;
    }
    for (i = 0; i < 4; i++)
        x = ec__conv_bn_act(b, x, EC__CONV(.k = stem[i], .r = 3, .stride = i % 3 ? 1 : 2), "relu");
    for (i = 0; i < STAGES; i++)
        x = run_stage(b, x, v, i);
    return ec__classifier(b, ec_b1(b, x, "batch_norm name=norm"), 0, net->classes, "head.fc");
}

EC__FAMILY(nextvit, "grouped convolutions and attention in turn", "classify", NEXTVIT, build);
