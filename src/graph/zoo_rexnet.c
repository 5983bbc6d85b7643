/* ReXNet: inverted residuals whose channels grow from block to block by the same step. */
#include "graph/zoo_internal.h"

#include <math.h>

#define REXNET(X, T)                                                                               \
    X(T, REAL, width, 0.01, 64, "multiplies the channels")                                         \
    X(T, INT, by, 1, 1024, "channels are multiples of it")
EC__VARIANT(rexnet, REXNET);

#define STAGES 6

static int64_t rounded(double v, int64_t by)
{
    return ec__round_to(nearbyint(v), by, false);
}

/* Squeeze-and-excitation with a norm after the squeeze. */
static int squeeze(struct ec_builder *b, int x, int64_t k)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec_b1(b, x, "global_avg_pool");

    y = ec__conv(b, y, EC__CONV(.k = k, .bias = true, .name = "se.fc1"));
    y = ec__bn_act(b, y, "relu");
    y = ec__conv(b, y, EC__CONV(.k = c, .bias = true, .name = "se.fc2"));
    return ec_b2(b, x, ec_b1(b, y, "sigmoid"), "mul");
}

/* The input is added to the first channels of the wider output. */
static int shortcut(struct ec_builder *b, int y, int x)
{
    int64_t in = ec_b_dim(b, x, 1), out = ec_b_dim(b, y, 1);
    const int64_t sizes[2] = { in, out - in };
    int xs[2];

    if (in == out)
        return ec__add(b, y, x);
    ec__split(b, y, 1, sizes, 2, xs);
    xs[0] = ec__add(b, xs[0], x);
    return ec__concat(b, xs, 2);
}

static int block(struct ec_builder *b, int x, const struct ec__rexnet *v, int stage, int64_t out,
                 int64_t stride)
{
    int64_t in = ec_b_dim(b, x, 1), mid = stage ? rounded(6 * (double)in, v->by) : in;
    int y = x;

    if (stage)
        y = ec__conv_bn_act(b, y, EC__CONV(.k = mid, .name = "conv_exp"), "silu");
    y = ec__conv_bn(b, y,
                    EC__CONV(.k = mid, .r = 3, .stride = stride, .groups = mid, .name = "conv_dw"));
    if (stage > 1)
        y = squeeze(b, y, rounded(floor((double)mid / 12), v->by));
    y = ec_b1(b, y, "relu6");
    y = ec__conv_bn(b, y, EC__CONV(.k = out, .name = "conv_pwl"));
    return stride == 1 && in <= out ? shortcut(b, y, x) : y;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    static const int layers[STAGES] = { 1, 2, 2, 3, 3, 5 }, strides[STAGES] = { 1, 2, 2, 2, 1, 2 };
    const struct ec__rexnet *v = variant;
    double narrow = v->width < 1 ? v->width : 1, channels = 16 / narrow;
    int i, j, x = ec__input_image(b, net, 3);

    x = ec__conv_bn_act(
        b, x,
        EC__CONV(.k = rounded(32 / narrow * v->width, v->by), .r = 3, .stride = 2, .name = "stem"),
        "silu");
    for (i = 0; i < STAGES; i++)
        for (j = 0; ec_b_each(b, j, layers[i], "features.%d.%d.", i, j); j++) {
            x = block(b, x, v, i, rounded(channels * v->width, v->by), j ? 1 : strides[i]);
            channels += 180.0 / 16;
        }
    x = ec__conv_bn_act(
        b, x, EC__CONV(.k = ec__round_to(1280 * v->width, v->by, false), .name = "conv_head"),
        "silu");
    return ec__classifier(b, x, 0, net->classes, "head.fc");
}

EC__FAMILY(rexnet, "inverted residuals of steadily growing width", "classify", REXNET, build);
