/* Dual path networks (Chen et al. 2017): each block adds to one path and joins to another. Norms
 * before convolutions. */
#include "graph/zoo_internal.h"

#define DPN(X, T)                                                                                  \
    X(T, INTS, blocks, 1, 1000, "blocks of each stage: 3x4x20x3")                                  \
    X(T, INTS, grow, 1, 65536, "channels that a block of each stage joins")                        \
    X(T, INT, stem, 1, 65536, "filters of the stem")                                               \
    X(T, INT, inner, 1, 65536, "channels inside the blocks of the first stage")                    \
    X(T, INT, groups, 1, 65536, "groups of the 3x3")                                               \
    X(T, BOOL, small, "a stem of 3x3 and 64 channels of the sum, else 7x7 and 256")                \
    X(T, BOOL, apart, "a convolution for each path at the end of a block")                         \
    X(T, STR, act, "activation: relu, silu")
EC__VARIANT(dpn, DPN);

struct paths {
    int sum, joined; /* joined -1: only one value yet */
};

static int norm_conv(struct ec_builder *b, int x, const struct ec__dpn *v, struct ec__conv c)
{
    return ec__conv(b, ec__bn_act(b, x, v->act), c);
}

static int all_of(struct ec_builder *b, struct paths p)
{
    int xs[2] = { p.sum, p.joined };

    return p.joined < 0 ? p.sum : ec_bn(b, xs, 2, "concat");
}

struct place { /* of a block */
    int64_t wide, grow, inner, stride;
    bool project;
};

/* What goes to the sum and what to the join. */
static struct paths branch(struct ec_builder *b, int x, const struct ec__dpn *v,
                           const struct place *at)
{
    int64_t sizes[2] = { at->wide, at->grow };
    int parts[2];

    x = norm_conv(b, x, v, EC__CONV(.k = at->inner, .name = "c1x1_a"));
    x = norm_conv(b, x, v,
                  EC__CONV(.k = at->inner, .r = 3, .stride = at->stride, .groups = v->groups,
                           .name = "c3x3_b"));
    if (v->apart) {
        x = ec__bn_act(b, x, v->act);
        return (struct paths){ ec__conv(b, x, EC__CONV(.k = at->wide, .name = "c1x1_c1")),
                               ec__conv(b, x, EC__CONV(.k = at->grow, .name = "c1x1_c2")) };
    }
    x = norm_conv(b, x, v, EC__CONV(.k = at->wide + at->grow, .name = "c1x1_c"));
    ec__split(b, x, 1, sizes, 2, parts);
    return (struct paths){ parts[0], parts[1] };
}

static struct paths block(struct ec_builder *b, struct paths in, const struct ec__dpn *v,
                          const struct place *at)
{
    int64_t sizes[2] = { at->wide, 2 * at->grow };
    int x = all_of(b, in), side[2] = { in.sum, in.joined }, xs[2];
    struct paths y;

    if (at->project) {
        side[0] = norm_conv(
            b, x, v,
            EC__CONV(.k = at->wide + 2 * at->grow, .stride = at->stride, .name = "c1x1_w"));
        ec__split(b, side[0], 1, sizes, 2, side);
    }
    y = branch(b, x, v, at);
    xs[0] = side[1];
    xs[1] = y.joined;
    return (struct paths){ ec__add(b, side[0], y.sum), ec_bn(b, xs, 2, "concat") };
}

static int stages(struct ec_builder *b, int x, const struct ec__dpn *v)
{
    struct paths p = { x, -1 };
    int64_t j;
    int i;

    for (i = 0; i < v->blocks.n; i++)
        for (j = 0; ec_b_each(b, j, v->blocks.v[i], "conv%d_%lld.", i + 2, EC__I64(j + 1)); j++) {
            struct place at = { .wide = (int64_t)(v->small ? 64 : 256) << i,
                                .grow = v->grow.v[i],
                                .inner = v->inner << i,
                                .stride = i && !j ? 2 : 1,
                                .project = !j };

            p = block(b, p, v, &at);
        }
    return all_of(b, p);
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__dpn *v = variant;
    int x = ec__input_image(b, net, 3);

    if (v->grow.n < v->blocks.n || v->blocks.n > 8) {
        b->st = ec_fail(b->err, EC_E_INPUT, "grow: %d numbers for %d stages, at most 8", v->grow.n,
                        v->blocks.n);
        return -1;
    }
    x = ec__conv_bn_act(
        b, x, EC__CONV(.k = v->stem, .r = v->small ? 3 : 7, .stride = 2, .name = "conv1_1"),
        v->act);
    x = stages(b, ec_b1(b, x, "max_pool2d r=3 stride=2 pad=1"), v);
    x = ec_b1(b, ec__bn_act(b, x, "elu"), "global_avg_pool");
    x = ec__conv(b, x, EC__CONV(.k = net->classes, .bias = true, .name = "classifier"));
    return ec_b1(b, x, "flatten");
}

EC__FAMILY(dpn, "one path of sums, one of joins", "classify", DPN, build);
