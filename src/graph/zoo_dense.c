/* Networks that join branches along the channels: DenseNet, SqueezeNet, ShuffleNet V2. */
#include "graph/zoo_internal.h"

#define DENSENET(X, T)                                                                             \
    X(T, INT, growth, 1, 4096, "filters that each layer adds")                                     \
    X(T, INT, first, 1, 4096, "filters of the 7x7 stem")                                           \
    X(T, INTS, blocks, 1, DENSE_MAX, "layers of each block: 6x12x24x16")                           \
    X(T, INTS, stem, 1, 4096, "channels of the 3x3 convolutions of the stem; none: one 7x7")       \
    X(T, STR, act, "activation; by default relu")                                                  \
    X(T, BOOL, blur, "a blur in place of the stride of the first pool (antialiasing)")
EC__VARIANT(densenet, DENSENET);

#define SQUEEZENET(X, T) X(T, BOOL, v1_1, "the smaller stem and earlier pools of version 1.1")
EC__VARIANT(squeezenet, SQUEEZENET);

#define SHUFFLENET(X, T)                                                                           \
    X(T, INTS, stages, 2, 65536,                                                                   \
      "channels of the stages and of the last convolution: 116x232x464x1024")
EC__VARIANT(shufflenet, SHUFFLENET);

static int concat2(struct ec_builder *b, int x, int y)
{
    int xs[2] = { x, y };

    return ec_bn(b, xs, 2, "concat");
}

/* One layer: every earlier output joined, 1x1 to four times the growth, 3x3 to the growth. */
static int dense_layer(struct ec_builder *b, const int *xs, int n, int64_t growth, const char *act)
{
    int x = n > 1 ? ec_bn(b, xs, n, "concat") : xs[0];

    x = ec__bn_act(b, x, act);
    x = ec__conv_bn_act(b, x, EC__CONV(.k = 4 * growth, .name = "conv1", .norm = "norm2"), act);
    return ec__conv(b, x, EC__CONV(.k = growth, .r = 3, .name = "conv2"));
}

#define DENSE_MAX 256 /* layers of a block; the field table holds users to it */

static int dense_block(struct ec_builder *b, int x, int64_t layers, int64_t growth, const char *act)
{
    int xs[DENSE_MAX + 1] = { x };
    int i;

    for (i = 0; ec_b_each(b, i, (int)layers, "denselayer%d.", i + 1); i++)
        xs[i + 1] = dense_layer(b, xs, i + 1, growth, act);
    return ec_bn(b, xs, i + 1, "concat");
}

static int dense_stem(struct ec_builder *b, int x, const struct ec__densenet *v, const char *act)
{
    int i;

    if (!v->stem.n)
        x = ec__conv_bn_act(
            b, x, EC__CONV(.k = v->first, .r = 7, .stride = 2, .name = "conv0", .norm = "norm0"),
            act);
    for (i = 0; i < v->stem.n; i++)
        x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stem.v[i], .r = 3, .stride = i ? 1 : 2), act);
    if (v->blur)
        return ec__blur(b, ec_b1(b, x, "max_pool2d r=3 stride=1 pad=1 name=pool0"), 2, "reflect");
    return ec_b1(b, x, "max_pool2d r=3 stride=2 pad=1 name=pool0");
}

static int transition(struct ec_builder *b, int x, const char *act)
{
    x = ec__bn_act(b, x, act);
    x = ec__conv(b, x, EC__CONV(.k = ec_b_dim(b, x, 1) / 2, .name = "conv"));
    return ec_b1(b, x, "avg_pool2d r=2 name=pool");
}

static int densenet_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__densenet *v = variant;
    const char *act = v->act ? v->act : "relu";
    size_t outer = ec_b_push(b, "features."), old;
    int i, x = dense_stem(b, ec__input_image(b, net, 3), v, act);

    for (i = 0; i < v->blocks.n; i++) {
        old = ec_b_push(b, "denseblock%d.", i + 1);
        x = dense_block(b, x, v->blocks.v[i], v->growth, act);
        ec_b_pop(b, old);
        if (i + 1 == v->blocks.n)
            break;
        old = ec_b_push(b, "transition%d.", i + 1);
        x = transition(b, x, act);
        ec_b_pop(b, old);
    }
    x = ec__bn_act(b, x, act);
    ec_b_pop(b, outer);
    return ec__classifier(b, x, 0, net->classes, "classifier");
}

EC__FAMILY(densenet, "every layer sees all earlier ones of its block", "classify", DENSENET,
           densenet_build);

static int fire(struct ec_builder *b, int x, int64_t squeeze, int64_t expand)
{
    size_t old = ec_b_push(b, "fire%d.", b->g->n_nodes);
    int one, three;

    x = ec__act(b, ec__conv(b, x, EC__CONV(.k = squeeze, .bias = true, .name = "squeeze")), "relu");
    one = ec__act(b, ec__conv(b, x, EC__CONV(.k = expand, .bias = true, .name = "expand1x1")),
                  "relu");
    three =
        ec__act(b, ec__conv(b, x, EC__CONV(.k = expand, .r = 3, .bias = true, .name = "expand3x3")),
                "relu");
    ec_b_pop(b, old);
    return concat2(b, one, three);
}

/* Fire modules with a pool before those at which `pools` has a bit. */
static int squeezenet_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    static const struct {
        int64_t squeeze, expand;
    } fires[8] = {
        {16,  64 },
        { 16, 64 },
        { 32, 128},
        { 32, 128},
        { 48, 192},
        { 48, 192},
        { 64, 256},
        { 64, 256}
    };
    const struct ec__squeezenet *v = variant;
    unsigned pools = v->v1_1 ? 1u << 0 | 1u << 2 | 1u << 4 : 1u << 0 | 1u << 3 | 1u << 7;
    int i, x = ec__input_image(b, net, 3);

    x = ec__conv(b, x,
                 EC__CONV(.k = v->v1_1 ? 64 : 96, .r = v->v1_1 ? 3 : 7, .stride = 2, .valid = true,
                          .bias = true));
    x = ec__act(b, x, "relu");
    for (i = 0; i < 8; i++) {
        if (pools >> i & 1)
            x = ec_b1(b, x, "max_pool2d r=3 stride=2 ceil=1");
        x = fire(b, x, fires[i].squeeze, fires[i].expand);
    }
    x = ec__dropout(b, x, 0.5);
    x = ec__conv(b, x, EC__CONV(.k = net->classes, .bias = true, .name = "classifier.1"));
    x = ec_b1(b, ec__act(b, x, "relu"), "global_avg_pool");
    return ec_b1(b, x, "flatten");
}

EC__FAMILY(squeezenet, "fire modules", "classify", SQUEEZENET, squeezenet_build);

static int shuffle_main(struct ec_builder *b, int x, int64_t half, int64_t stride)
{
    x = ec__conv_bn_act(b, x, EC__CONV(.k = half), "relu");
    x = ec__conv_bn(b, x, EC__CONV(.k = half, .r = 3, .stride = stride, .groups = half));
    return ec__conv_bn_act(b, x, EC__CONV(.k = half), "relu");
}

/* Stride 2: both branches see everything. Stride 1: one half of the channels passes by. */
static int shuffle_unit(struct ec_builder *b, int x, int64_t out, int64_t stride)
{
    int64_t half = out / 2, in = ec_b_dim(b, x, 1);
    int side = x;

    if (stride == 1) {
        side = ec_b1(b, x, "split axis=1 parts=2");
        x = b->st ? -1 : ec_b_last(b)->out[1];
    } else {
        side = ec__conv_bn(b, x, EC__CONV(.k = in, .r = 3, .stride = stride, .groups = in));
        side = ec__conv_bn_act(b, side, EC__CONV(.k = half), "relu");
    }
    x = concat2(b, side, shuffle_main(b, x, half, stride));
    return ec_b1(b, x, "channel_shuffle groups=2");
}

static int shufflenet_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    static const int repeats[3] = { 4, 8, 4 };
    const struct ec__shufflenet *v = variant;
    int i, j, x = ec__input_image(b, net, 3);

    if (v->stages.n != 4) {
        b->st = ec_fail(b->err, EC_E_INPUT, "channels: %d numbers, expected 4", v->stages.n);
        return -1;
    }
    x = ec__conv_bn_act(
        b, x, EC__CONV(.k = 24, .r = 3, .stride = 2, .name = "conv1.0", .norm = "conv1.1"), "relu");
    x = ec_b1(b, x, "max_pool2d r=3 stride=2 pad=1 name=maxpool");
    for (i = 0; i < 3; i++)
        for (j = 0; ec_b_each(b, j, repeats[i], "stage%d.%d.", i + 2, j); j++)
            x = shuffle_unit(b, x, v->stages.v[i], j ? 1 : 2);
    x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stages.v[3], .name = "conv5.0", .norm = "conv5.1"),
                        "relu");
    return ec__classifier(b, x, 0, net->classes, "fc");
}

EC__FAMILY(shufflenet, "channel split and shuffle (version 2)", "classify", SHUFFLENET,
           shufflenet_build);
