/* MobileOne in training: depthwise and 1x1 blocks, each of several normed branches that are added.
 * To infer, the branches of a block are merged into one convolution, like those of RepVGG. */
#include "graph/zoo_internal.h"

#define MOBILEONE(X, T)                                                                            \
    X(T, INTS, widths, 1, 65536, "channels of each stage")                                         \
    X(T, INTS, blocks, 1, 1000, "depthwise and 1x1 blocks of each stage: 2x8x10x1")                \
    X(T, INTS, gated, 0, 1000, "last N of each stage with squeeze-and-excitation")                 \
    X(T, INT, stem, 1, 65536, "filters of the stem")                                               \
    X(T, INT, branches, 1, 64, "equal branches of each block")                                     \
    X(T, BOOL, merged, "as it infers: the branches of a block merged into one")
EC__VARIANT(mobileone, MOBILEONE);

struct one { /* a block */
    int64_t k, r, stride, groups, branches;
    bool se;
};

static int branches(struct ec_builder *b, int x, const struct one *o)
{
    struct ec__conv filter = { .k = o->k, .r = o->r, .stride = o->stride, .groups = o->groups };
    int y = -1, z;
    int64_t i;

    if (o->r > 1)
        y = ec__conv_bn(b, x, EC__CONV(.k = o->k, .stride = o->stride, .groups = o->groups));
    for (i = 0; i < o->branches; i++) {
        z = ec__conv_bn(b, x, filter);
        y = y < 0 ? z : ec__add(b, y, z);
    }
    if (o->stride == 1 && ec_b_dim(b, x, 1) == o->k)
        y = ec__add(b, y, ec_b1(b, x, "batch_norm name=identity"));
    return y;
}

static int block(struct ec_builder *b, int x, const struct ec__mobileone *v, struct one o)
{
    struct ec__conv merged = { .k = o.k, .r = o.r, .stride = o.stride, .groups = o.groups };
    int64_t squeeze = (o.k / 16 + 4) / 8 * 8;

    merged.bias = true;
    x = v->merged ? ec__conv(b, x, merged) : branches(b, x, &o);
    if (o.se)
        x = ec__se(b, x, squeeze < 8 ? 8 : squeeze, "relu", "sigmoid");
    return ec__act(b, x, "relu");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__mobileone *v = variant;
    struct one o = { v->stem, 3, 2, 1, 1, false };
    int x = block(b, ec__input_image(b, net, 3), v, o), i;
    int64_t j;

    if (!ec__per_stage(b, v->widths.n, "blocks", v->blocks.n, "gated", v->gated.n, NULL))
        return -1;
    o.branches = v->branches;
    for (i = 0; i < v->widths.n; i++)
        for (j = 0; ec_b_each(b, j, v->blocks.v[i], "stages.%d.%lld.", i, EC__I64(j)); j++) {
            o.se = j >= v->blocks.v[i] - v->gated.v[i];
            o.k = o.groups = ec_b_dim(b, x, 1);
            o.r = 3;
            o.stride = j ? 1 : 2;
            x = block(b, x, v, o);
            o.k = v->widths.v[i];
            o.r = o.stride = o.groups = 1;
            x = block(b, x, v, o);
        }
    return ec__classifier(b, x, 0, net->classes, "head.fc");
}

EC__FAMILY(mobileone, "depthwise and 1x1 in added branches", "classify", MOBILEONE, build);
