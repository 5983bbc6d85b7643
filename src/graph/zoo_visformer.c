/* Visformer: a stage of grouped convolutions, then two of attention; all dense layers are 1x1
 * convolutions and all norms batch norms. */
#include "graph/zoo_internal.h"

#define VISFORMER(X, T)                                                                            \
    X(T, INT, stem, 1, 8192, "filters of the stem")                                                \
    X(T, INT, hidden, 8, 65536, "features of the second stage")                                    \
    X(T, INTS, layers, 1, 1000, "blocks of each stage: 7x4x4")                                     \
    X(T, INT, heads, 1, 1024, "attention heads")
EC__VARIANT(visformer, VISFORMER);

enum { GROUPS = 8 };

static int mlp(struct ec_builder *b, int x, bool spatial)
{
    int64_t c = ec_b_dim(b, x, 1), inner = spatial ? 2 * c : 4 * c;

    x = ec_b1(b, ec__conv(b, x, EC__CONV(.k = inner, .name = "mlp.conv1")), "gelu");
    if (spatial)
        x = ec_b1(
            b, ec__conv(b, x, EC__CONV(.k = inner, .r = 3, .groups = GROUPS, .name = "mlp.conv2")),
            "gelu");
    return ec__conv(b, x, EC__CONV(.k = c, .name = "mlp.conv3"));
}

static int attention(struct ec_builder *b, int x, int64_t heads)
{
    int64_t c = ec_b_dim(b, x, 1), h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3);
    const struct ec_node *split;
    int qkv[3] = { -1, -1, -1 }, i;

    x = ec__conv(b, x, EC__CONV(.k = 3 * c, .name = "attn.qkv"));
    x = ec_b1(b, x, "reshape shape=0,3,%lld,%lld,-1", EC__I64(heads), EC__I64(c / heads));
    (void)ec_b1(b, ec_b1(b, x, "transpose perm=1,0,2,4,3"), "split axis=0 parts=3");
    split = ec_b_last(b);
    for (i = 0; split && i < 3; i++)
        qkv[i] = ec_b1(b, split->out[i], "squeeze axes=0");
    x = ec_b1(b, ec__attend(b, qkv, -1), "transpose perm=0,1,3,2");
    x = ec_b1(b, x, "reshape shape=0,-1,%lld,%lld", EC__I64(h), EC__I64(w));
    return ec__conv(b, x, EC__CONV(.k = c, .name = "attn.proj"));
}

/* Patches of 2x2 (of 4x4 in the first stage), their norm and their positions. */
static int embed(struct ec_builder *b, int x, int64_t c, int64_t patch)
{
    x = ec_b1(b, x, "conv2d k=%lld r=%lld stride=%lld name=proj", EC__I64(c), EC__I64(patch),
              EC__I64(patch));
    x = ec_b1(b, x, "batch_norm name=norm");
    return ec__add(
        b, x, ec_b_param(b, "pos_embed", 4, (int64_t)1, c, ec_b_dim(b, x, 2), ec_b_dim(b, x, 3)));
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__visformer *v = variant;
    int x = ec__input_image(b, net, 3), i;
    int64_t j, c = v->hidden / 2;

    if (!ec__heads_fit(b, v->hidden, v->heads))
        return -1;
    x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stem, .r = 7, .stride = 2), "relu");
    for (i = 0; ec_b_each(b, i, v->layers.n, "stage%d.", i + 1); i++, c *= 2) {
        x = embed(b, x, c, i ? 2 : 4);
        for (j = 0; ec_b_each(b, j, v->layers.v[i], "%lld.", EC__I64(j)); j++) {
            if (i)
                x = ec__add(b, x, attention(b, ec_b1(b, x, "batch_norm name=norm1"), v->heads));
            x = ec__add(b, x, mlp(b, ec_b1(b, x, "batch_norm name=norm2"), !i));
        }
    }
    return ec__classifier(b, ec_b1(b, x, "batch_norm name=norm"), 0, net->classes, "head");
}

EC__FAMILY(visformer, "convolutions, then attention of 1x1 convolutions", "classify", VISFORMER,
           build);
