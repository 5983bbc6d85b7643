/* DLA, deep layer aggregation: blocks as leaves of trees whose roots join them (Yu et al. 2018). */
#include "graph/zoo_internal.h"

#define DLA(X, T)                                                                                  \
    X(T, INTS, stages, 1, 65536, "channels of the six levels")                                     \
    X(T, INTS, heights, 1, 8, "heights of the trees of the last four")                             \
    X(T, BOOL, basic, "two 3x3 convolutions per leaf in place of 1x1, 3x3, 1x1")                   \
    X(T, BOOL, root_add, "roots add their first input")                                            \
    X(T, INT, groups, 0, 4096, "groups of the 3x3 convolution; 0: 1")                              \
    X(T, INT, base_width, 0, 4096, "width of a group per 64 channels; 0: 64")
EC__VARIANT(dla, DLA);

#define CHILDREN_MAX 32

struct children {
    int n, v[CHILDREN_MAX];
};

static int leaf(struct ec_builder *b, int x, int shortcut, const struct ec__dla *v, int64_t out,
                int64_t stride)
{
    int64_t groups = v->groups ? v->groups : 1, mid;
    int y;

    if (v->basic) {
        y = ec__conv_bn_act(b, x, EC__CONV(.k = out, .r = 3, .stride = stride, .name = "conv1"),
                            "relu");
        y = ec__conv_bn(b, y, EC__CONV(.k = out, .r = 3, .name = "conv2"));
    } else {
        mid = out * (v->base_width ? v->base_width : 64) / 64 * groups / 2;
        y = ec__conv_bn_act(b, x, EC__CONV(.k = mid, .name = "conv1"), "relu");
        y = ec__conv_bn_act(
            b, y, EC__CONV(.k = mid, .r = 3, .stride = stride, .groups = groups, .name = "conv2"),
            "relu");
        y = ec__conv_bn(b, y, EC__CONV(.k = out, .name = "conv3"));
    }
    return ec__act(b, ec__add(b, y, shortcut), "relu");
}

/* Joins two leaves and what earlier levels handed down. */
static int root(struct ec_builder *b, const struct ec__dla *v, int x2, int x1,
                const struct children *c, int64_t out)
{
    int xs[CHILDREN_MAX + 2] = { x2, x1 }, i, x;

    for (i = 0; i < c->n; i++)
        xs[i + 2] = c->v[i];
    x = ec_bn(b, xs, c->n + 2, "concat");
    x = ec__conv_bn(b, x, EC__CONV(.k = out, .name = "root.conv"));
    return ec__act(b, v->root_add ? ec__add(b, x, x2) : x, "relu");
}

static int child(struct children *c, int x)
{
    if (c->n < CHILDREN_MAX)
        c->v[c->n++] = x;
    return x;
}

/* A tree of the given height: at height 1 two leaves, above two trees. */
static int tree(struct ec_builder *b, int x, const struct ec__dla *v, int64_t height, int64_t out,
                int64_t stride, bool hand_down, struct children c)
{
    static const struct children none = { 0 };
    int bottom = stride > 1 && (hand_down || height == 1)
                     ? ec_b1(b, x, "max_pool2d r=%lld", EC__I64(stride))
                     : x;
    size_t old = ec_b_push(b, "tree1.");
    int x1;

    if (hand_down)
        (void)child(&c, bottom);
    if (height > 1) {
        x1 = child(&c, tree(b, x, v, height - 1, out, stride, false, none));
        ec_b_pop(b, old);
        old = ec_b_push(b, "tree2.");
        x = tree(b, x1, v, height - 1, out, 1, false, c);
        ec_b_pop(b, old);
        return x;
    }
    if (ec_b_dim(b, bottom, 1) != out)
        bottom = ec__conv_bn(b, bottom, EC__CONV(.k = out, .name = "project"));
    x1 = leaf(b, x, bottom, v, out, stride);
    ec_b_pop(b, old);
    old = ec_b_push(b, "tree2.");
    x = leaf(b, x1, x1, v, out, 1);
    ec_b_pop(b, old);
    return root(b, v, x, x1, &c, out);
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    static const struct children none = { 0 };
    const struct ec__dla *v = variant;
    int i, x = ec__input_image(b, net, 3);

    if (v->stages.n != 6 || v->heights.n != 4) {
        b->st = ec_fail(b->err, EC_E_INPUT, "%d channels and %d heights, expected 6 and 4",
                        v->stages.n, v->heights.n);
        return -1;
    }
    x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stages.v[0], .r = 7, .name = "base"), "relu");
    x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stages.v[0], .r = 3, .name = "level0"), "relu");
    x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stages.v[1], .r = 3, .stride = 2, .name = "level1"),
                        "relu");
    for (i = 0; ec_b_each(b, i, 4, "level%d.", i + 2); i++)
        x = tree(b, x, v, v->heights.v[i], v->stages.v[i + 2], 2, i > 0, none);
    x = ec_b1(b, x, "global_avg_pool");
    x = ec__conv(b, x, EC__CONV(.k = net->classes, .bias = true, .name = "fc"));
    return ec_b1(b, x, "flatten");
}

EC__FAMILY(dla, "trees of blocks", "classify", DLA, build);
