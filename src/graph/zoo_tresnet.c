/* TResNet (Ridnik et al. 2020): pixels folded into channels, leaky ReLU, blurred strides, squeezed
 * inside the blocks of two stages. */
#include "graph/zoo_internal.h"

#define TRESNET(X, T)                                                                              \
    X(T, INTS, layers, 1, 1000, "blocks of each stage: 3x4x11x3")                                  \
    X(T, INT, width, 4, 8192, "channels of the first stage")                                       \
    X(T, INT, basic, 0, 16, "first N stages with two 3x3 per block")
EC__VARIANT(tresnet, TRESNET);

#define LEAKY "leaky_relu alpha=0.001"

struct place { /* of a block */
    int64_t planes, stride;
    bool basic, se;
};

static int strided(struct ec_builder *b, int x, const struct place *at, const char *name)
{
    x = ec__conv_bn_act(b, x, EC__CONV(.k = at->planes, .r = 3, .name = name), LEAKY);
    return at->stride > 1 ? ec__blur(b, x, at->stride, "reflect") : x;
}

static int shortcut(struct ec_builder *b, int x, const struct place *at)
{
    int64_t out = at->basic ? at->planes : 4 * at->planes;

    if (at->stride == 1 && ec_b_dim(b, x, 1) == out)
        return x;
    if (at->stride > 1)
        x = ec_b1(b, x, "avg_pool2d r=2 stride=%lld ceil=1 count_include_pad=0",
                  EC__I64(at->stride));
    return ec__conv_bn(b, x, EC__CONV(.k = out, .name = "downsample"));
}

/* Squeezed to a quarter, in bottlenecks to half of the channels, to 64 at least. */
static int attend(struct ec_builder *b, int x, const struct place *at)
{
    int64_t r = at->basic ? at->planes / 4 : at->planes / 2;

    return at->se ? ec__se(b, x, r < 64 ? 64 : r, "relu", "sigmoid") : x;
}

static int block(struct ec_builder *b, int x, const struct place *at)
{
    int y;

    if (at->basic) {
        y = strided(b, x, at, "conv1");
        y = ec__conv_bn(b, y, EC__CONV(.k = at->planes, .r = 3, .name = "conv2"));
        y = attend(b, y, at);
    } else {
        y = ec__conv_bn_act(b, x, EC__CONV(.k = at->planes, .name = "conv1"), LEAKY);
        y = attend(b, strided(b, y, at, "conv2"), at);
        y = ec__conv_bn(b, y, EC__CONV(.k = 4 * at->planes, .name = "conv3"));
    }
    return ec__act(b, ec__add(b, y, shortcut(b, x, at)), "relu");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__tresnet *v = variant;
    struct place at = { .planes = v->width };
    int x = ec_b1(b, ec__input_image(b, net, 3), "space_to_depth block=4"), i;
    int64_t j;

    x = ec__conv_bn_act(b, x, EC__CONV(.k = v->width, .r = 3, .name = "body.conv1"), "leaky_relu");
    for (i = 0; i < v->layers.n; i++, at.planes *= 2) {
        at.basic = i < v->basic;
        at.se = i + 1 < v->layers.n;
        for (j = 0; ec_b_each(b, j, v->layers.v[i], "body.layer%d.%lld.", i + 1, EC__I64(j)); j++) {
            at.stride = i && !j ? 2 : 1;
            x = block(b, x, &at);
        }
    }
    return ec__classifier(b, x, 0, net->classes, "head.fc");
}

EC__FAMILY(tresnet, "folded pixels, blurred strides", "classify", TRESNET, build);
