/* ConvMixer: patches, then depthwise and 1x1 convolutions of one width. */
#include "graph/zoo_internal.h"

#define CONVMIXER(X, T)                                                                            \
    X(T, INT, patch, 1, 4096, "side of a patch in pixels")                                         \
    X(T, INT, hidden, 1, 65536, "channels")                                                        \
    X(T, INT, layers, 1, 1000, "blocks")                                                           \
    X(T, INT, filter, 1, 1000, "side of the depthwise filters")                                    \
    X(T, STR, act, "activation: relu, gelu")
EC__VARIANT(convmixer, CONVMIXER);

static int act_norm(struct ec_builder *b, int x, const struct ec__convmixer *v)
{
    return ec_b1(b, ec__act(b, x, v->act), "batch_norm");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__convmixer *v = variant;
    int x = ec__input_image(b, net, 3), y;
    int64_t i;

    x = ec_b1(b, x, "conv2d k=%lld r=%lld stride=%lld name=stem", EC__I64(v->hidden),
              EC__I64(v->patch), EC__I64(v->patch));
    x = act_norm(b, x, v);
    for (i = 0; ec_b_each(b, i, v->layers, "blocks.%lld.", EC__I64(i)); i++) {
        y = ec_b1(b, x, "conv2d k=%lld r=%lld pad=same groups=%lld name=0", EC__I64(v->hidden),
                  EC__I64(v->filter), EC__I64(v->hidden));
        x = ec__add(b, act_norm(b, y, v), x);
        x = act_norm(b, ec__conv(b, x, EC__CONV(.k = v->hidden, .bias = true, .name = "1")), v);
    }
    return ec__classifier(b, x, 0, net->classes, "head");
}

EC__FAMILY(convmixer, "depthwise and 1x1 convolutions over patches", "classify", CONVMIXER, build);
