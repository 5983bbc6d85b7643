/* Aligned Xception, the backbone of DeepLab: blocks of three separable convolutions. */
#include "graph/zoo_internal.h"

#define ALIGNED_XCEPTION(X, T)                                                                     \
    X(T, INTS, entry, 1, 65536, "channels of the blocks before the middle: 128x256x728")           \
    X(T, INT, middle, 0, 1000, "blocks at the middle resolution")                                  \
    X(T, BOOL, preact, "norm and ReLU before each convolution")
EC__VARIANT(aligned_xception, ALIGNED_XCEPTION);

#define STACK 3 /* separable convolutions of a block */

struct place { /* of a block */
    int64_t k[STACK], stride;
    bool last; /* no shortcut; activations follow norms */
};

/* Depthwise and 1x1; norms between and after. */
static int separable(struct ec_builder *b, int x, int64_t k, int64_t stride, const char *act)
{
    int64_t c = ec_b_dim(b, x, 1);

    x = ec__conv_bn_act(b, x, EC__CONV(.k = c, .r = 3, .stride = stride, .groups = c), act);
    return ec__conv_bn_act(b, x, EC__CONV(.k = k), act);
}

static int plain_block(struct ec_builder *b, int x, const struct place *at)
{
    int i, y = x;

    for (i = 0; i < STACK; i++) {
        y = at->last ? y : ec__act(b, y, "relu");
        y = separable(b, y, at->k[i], i + 1 == STACK ? at->stride : 1, at->last ? "relu" : NULL);
    }
    if (at->last)
        return y;
    if (at->stride > 1 || ec_b_dim(b, x, 1) != at->k[STACK - 1])
        x = ec__conv_bn(b, x,
                        EC__CONV(.k = at->k[STACK - 1], .stride = at->stride, .name = "shortcut"));
    return ec__add(b, y, x);
}

/* Norm and activation before each separable convolution. */
static int preact_block(struct ec_builder *b, int x, const struct place *at)
{
    int y, i;

    x = y = ec__bn_act(b, x, "relu");
    for (i = 0; i < STACK; i++) {
        int64_t c = ec_b_dim(b, y, 1);

        y = i ? ec__bn_act(b, y, "relu") : y;
        y = ec__conv(
            b, y, EC__CONV(.k = c, .r = 3, .stride = i + 1 == STACK ? at->stride : 1, .groups = c));
        y = ec__conv(b, y, EC__CONV(.k = at->k[i]));
    }
    if (at->last)
        return y;
    if (at->stride > 1 || ec_b_dim(b, x, 1) != at->k[STACK - 1])
        x = ec__conv(b, x,
                     EC__CONV(.k = at->k[STACK - 1], .stride = at->stride, .name = "shortcut"));
    return ec__add(b, y, x);
}

static int block(struct ec_builder *b, int x, const struct ec__aligned_xception *v, int64_t i,
                 struct place at)
{
    size_t old = ec_b_push(b, "blocks.%lld.", EC__I64(i));

    x = v->preact ? preact_block(b, x, &at) : plain_block(b, x, &at);
    ec_b_pop(b, old);
    return x;
}

/* Widths of the entry, every second block of which keeps the resolution where there are five. */
static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__aligned_xception *v = variant;
    int64_t i = 0, j, c = 0;
    int x = ec__input_image(b, net, 3);

    x = ec__conv_bn_act(b, x, EC__CONV(.k = 32, .r = 3, .stride = 2), "relu");
    x = v->preact ? ec__conv(b, x, EC__CONV(.k = 64, .r = 3))
                  : ec__conv_bn_act(b, x, EC__CONV(.k = 64, .r = 3), "relu");
    for (i = 0; i < v->entry.n; i++) {
        c = v->entry.v[i];
        x = block(b, x, v, i,
                  (struct place){
                      {c, c, c},
                      v->entry.n > 3 && i % 2 ? 1 : 2, false
        });
    }
    for (j = 0; j < v->middle && !b->st; j++, i++)
        x = block(b, x, v, i,
                  (struct place){
                      {c, c, c},
                      1, false
        });
    x = block(b, x, v, i,
              (struct place){
                  {c, 1024, 1024},
                  2, false
    });
    x = block(b, x, v, i + 1,
              (struct place){
                  {1536, 1536, 2048},
                  1, true
    });
    return ec__classifier(b, v->preact ? ec__act(b, x, "relu") : x, 0, net->classes, "head.fc");
}

EC__FAMILY(aligned_xception, "blocks of three separable convolutions", "classify", ALIGNED_XCEPTION,
           build);
