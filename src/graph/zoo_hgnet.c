/* PP-HGNet, versions 1 and 2: blocks that join all their convolutions once, at the end. */
#include "graph/zoo_internal.h"

#define HGNET(X, T)                                                                                \
    X(T, BOOL, v2, "version 2: another stem, two 1x1 in place of the gate")                        \
    X(T, INTS, stem, 2, 65536, "filters of the stem")                                              \
    X(T, INTS, mid, 1, 65536, "filters inside the blocks of each stage")                           \
    X(T, INTS, out, 2, 65536, "channels of each stage")                                            \
    X(T, INTS, blocks, 1, 1000, "blocks of each stage")                                            \
    X(T, INTS, light, 0, 1, "1: 1x1 and depthwise 5x5 in place of the 3x3 of a stage")             \
    X(T, INT, per_block, 1, LAYERS_MAX, "convolutions of a block")                                 \
    X(T, BOOL, affine, "a learned scale and shift after each activation")
EC__VARIANT(hgnet, HGNET);

/* A learned scale and shift of everything. */
static int affine(struct ec_builder *b, int x, const struct ec__hgnet *v)
{
    size_t old;

    if (!v->affine)
        return x;
    old = ec_b_push(b, "lab_%d.", b->g->n_nodes);
    x = ec_b2(b, x, ec_b_param(b, "scale", 1, (int64_t)1), "mul");
    x = ec__add(b, x, ec_b_param(b, "bias", 1, (int64_t)1));
    ec_b_pop(b, old);
    return x;
}

static int conv(struct ec_builder *b, int x, const struct ec__hgnet *v, struct ec__conv c)
{
    return affine(b, ec__conv_bn_act(b, x, c, "relu"), v);
}

static int stem_1(struct ec_builder *b, int x, const struct ec__hgnet *v)
{
    int i;

    for (i = 0; i < v->stem.n; i++)
        x = conv(b, x, v, EC__CONV(.k = v->stem.v[i], .r = 3, .stride = i ? 1 : 2));
    return ec_b1(b, x, "max_pool2d r=3 stride=2 pad=1");
}

static int pad_end(struct ec_builder *b, int x)
{
    return ec_b1(b, x, "pad pads=0,0,0,0,0,0,1,1");
}

/* Filters of 2x2 beside a pool. */
static int stem_2(struct ec_builder *b, int x, const struct ec__hgnet *v)
{
    int64_t mid = v->stem.v[0];
    int xs[2];

    x = pad_end(b, conv(b, x, v, EC__CONV(.k = mid, .r = 3, .stride = 2, .name = "stem1")));
    xs[1] = conv(b, x, v, EC__CONV(.k = mid / 2, .r = 2, .valid = true, .name = "stem2a"));
    xs[1] =
        conv(b, pad_end(b, xs[1]), v, EC__CONV(.k = mid, .r = 2, .valid = true, .name = "stem2b"));
    xs[0] = ec_b1(b, x, "max_pool2d r=2 stride=1 ceil=1");
    x = conv(b, ec_bn(b, xs, 2, "concat"), v,
             EC__CONV(.k = mid, .r = 3, .stride = 2, .name = "stem3"));
    return conv(b, x, v, EC__CONV(.k = v->stem.v[1], .name = "stem4"));
}

#define LAYERS_MAX 16

static int layer(struct ec_builder *b, int x, const struct ec__hgnet *v, int i_stage)
{
    int64_t mid = v->mid.v[i_stage];

    if (!v->light.v[i_stage])
        return conv(b, x, v, EC__CONV(.k = mid, .r = 3));
    x = ec__conv_bn(b, x, EC__CONV(.k = mid));
    return conv(b, x, v, EC__CONV(.k = mid, .r = 5, .groups = mid));
}

static int block(struct ec_builder *b, int x, const struct ec__hgnet *v, int i_stage, bool residual)
{
    int64_t out = v->out.v[i_stage];
    int xs[LAYERS_MAX + 1] = { x }, y = x, i;

    for (i = 0; i < (int)v->per_block && !b->st; i++)
        y = xs[i + 1] = layer(b, y, v, i_stage);
    y = ec_bn(b, xs, (int)v->per_block + 1, "concat");
    if (v->v2)
        y = conv(b, y, v, EC__CONV(.k = out / 2, .name = "aggregation.0"));
    y = conv(b, y, v, EC__CONV(.k = out, .name = "aggregation.1"));
    if (!v->v2) {
        int gate = ec_b1(b, y, "global_avg_pool");

        gate = ec__conv(b, gate, EC__CONV(.k = out, .bias = true, .name = "att.conv"));
        y = ec_b2(b, y, ec__act(b, gate, "sigmoid"), "mul");
    }
    return residual ? ec__add(b, y, x) : y;
}

static int stages(struct ec_builder *b, int x, const struct ec__hgnet *v)
{
    int64_t j;
    int i;

    for (i = 0; ec_b_each(b, i, v->out.n, "stages.%d.", i); i++) {
        int64_t c = ec_b_dim(b, x, 1);

        if (i)
            x = ec__conv_bn(
                b, x,
                EC__CONV(.k = c, .r = 3, .stride = 2, .groups = c, .name = "downsample.conv"));
        for (j = 0; ec_b_each(b, j, v->blocks.v[i], "blocks.%lld.", EC__I64(j)); j++)
            x = block(b, x, v, i, j > 0);
    }
    return x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__hgnet *v = variant;
    int x = ec__input_image(b, net, 3);

    if (v->mid.n < v->out.n || v->blocks.n < v->out.n || v->light.n < v->out.n || v->stem.n < 2) {
        b->st = ec_fail(b->err, EC_E_INPUT,
                        "mid %d, blocks %d, light %d numbers, expected those of out, %d; stem %d, "
                        "expected 2",
                        v->mid.n, v->blocks.n, v->light.n, v->out.n, v->stem.n);
        return -1;
    }
    x = stages(b, v->v2 ? stem_2(b, x, v) : stem_1(b, x, v), v);
    x = ec__conv(b, ec_b1(b, x, "global_avg_pool"), EC__CONV(.k = 2048, .name = "head.last_conv"));
    x = ec_b1(b, affine(b, ec__act(b, x, "relu"), v), "flatten");
    return ec__linear(b, x, net->classes, true, "head.fc");
}

EC__FAMILY(hgnet, "one join per block, depthwise strides", "classify", HGNET, build);
