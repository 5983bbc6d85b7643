/* FocalNet: in place of attention, depthwise convolutions of growing filters whose sum, weighed for
 * each pixel, modulates the queries. */
#include "graph/zoo_internal.h"

#define FOCALNET(X, T)                                                                             \
    X(T, INT, width, 1, 65536, "channels of the first stage")                                      \
    X(T, INTS, layers, 1, 1000, "blocks of each stage: 2x2x6x2")                                   \
    X(T, INT, levels, 1, 16, "depthwise convolutions of a block, one after the other")             \
    X(T, INT, window, 1, 256, "side of the filters of the first; odd")                             \
    X(T, BOOL, post_norm, "norms after the branches")                                              \
    X(T, BOOL, inner_norm, "a norm of the modulated queries")                                      \
    X(T, BOOL, overlap, "overlapping patches")                                                     \
    X(T, BOOL, scale, "learned scale of each residual branch")                                     \
    X(T, BOOL, mean, "the mean of the levels in place of their sum")                               \
    X(T, REAL, drop_path, 0, 0.99, "probability of dropping the last branch")
EC__VARIANT(focalnet, FOCALNET);

/* context, level after level, times the gate of the level; the last is its mean over the map */
static int gathered(struct ec_builder *b, int context, int gates, const struct ec__focalnet *v)
{
    int64_t c = ec_b_dim(b, context, 1), i;
    int sum = -1, x;

    for (i = 0; i <= v->levels && !b->st; i++) {
        int gate =
            ec_b1(b, gates, "slice axes=1 starts=%lld ends=%lld", EC__I64(i), EC__I64(i + 1));

        if (i < v->levels)
            context = ec__conv(b, context, EC__CONV(.k = c, .r = v->window + 2 * i, .groups = c));
        else
            context = ec_b1(b, context, "global_avg_pool");
        context = ec_b1(b, context, "gelu");
        x = ec_b2(b, context, gate, "mul");
        sum = i ? ec__add(b, sum, x) : x;
    }
    return v->mean ? ec_b1(b, sum, "scale_scalar mul=%.9g", 1 / (double)(v->levels + 1)) : sum;
}

static int modulation(struct ec_builder *b, int x, const struct ec__focalnet *v)
{
    int64_t c = ec_b_dim(b, x, 1);
    const struct ec_node *split;
    int query, context, gates;

    x = ec__conv(b, x, EC__CONV(.k = 2 * c + v->levels + 1, .bias = true, .name = "modulation.f"));
    (void)ec_b1(b, x, "split axis=1 sizes=%lld,%lld,%lld", EC__I64(c), EC__I64(c),
                EC__I64(v->levels + 1));
    split = ec_b_last(b);
    query = split ? split->out[0] : -1;
    context = split ? split->out[1] : -1;
    gates = split ? split->out[2] : -1;
    context = gathered(b, context, gates, v);
    context = ec__conv(b, context, EC__CONV(.k = c, .bias = true, .name = "modulation.h"));
    x = ec_b2(b, query, context, "mul");
    x = v->inner_norm ? ec__map_norm(b, x, "modulation.norm") : x;
    return ec__conv(b, x, EC__CONV(.k = c, .bias = true, .name = "modulation.proj"));
}

static int mlp(struct ec_builder *b, int x)
{
    int64_t c = ec_b_dim(b, x, 1);

    x = ec__conv(b, x, EC__CONV(.k = 4 * c, .bias = true, .name = "mlp.fc1"));
    return ec__conv(b, ec_b1(b, x, "gelu"), EC__CONV(.k = c, .bias = true, .name = "mlp.fc2"));
}

static int branch(struct ec_builder *b, int x, int y, const struct ec__focalnet *v,
                  const char *gamma, double p)
{
    int64_t c = ec_b_dim(b, x, 1);

    if (v->scale)
        y = ec_b2(b, y, ec_b_param(b, gamma, 3, c, (int64_t)1, (int64_t)1), "mul");
    return ec__add(b, x, ec__drop_path(b, y, p));
}

static int block(struct ec_builder *b, int x, const struct ec__focalnet *v, double p)
{
    int y = modulation(b, v->post_norm ? x : ec__map_norm(b, x, "norm1"), v);

    x = branch(b, x, v->post_norm ? ec__map_norm(b, y, "norm1") : y, v, "ls1", p);
    y = mlp(b, v->post_norm ? x : ec__map_norm(b, x, "norm2"));
    return branch(b, x, v->post_norm ? ec__map_norm(b, y, "norm2") : y, v, "ls2", p);
}

/* Patches side by side, or overlapping ones. */
static int shrink(struct ec_builder *b, int x, const struct ec__focalnet *v, int64_t c, bool first)
{
    int side = first ? 4 : 2, overlapping = first ? 7 : 3, pad = first ? 2 : 1;

    x = ec_b1(b, x, "conv2d k=%lld r=%d stride=%d pad=%d name=downsample.proj", EC__I64(c),
              v->overlap ? overlapping : side, side, v->overlap ? pad : 0);
    return ec__map_norm(b, x, "downsample.norm");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__focalnet *v = variant;
    int64_t total = ec__sum(&v->layers), at = 0, c = v->width, j;
    int x = ec__input_image(b, net, 3), i;

    for (i = 0; ec_b_each(b, i, v->layers.n, "layers.%d.", i); i++, c *= 2) {
        x = shrink(b, x, v, c, !i);
        for (j = 0; ec_b_each(b, j, v->layers.v[i], "blocks.%lld.", EC__I64(j)); j++, at++)
            x = block(b, x, v, ec__rising(v->drop_path, at, total));
    }
    return ec__classifier(b, ec__map_norm(b, x, "norm"), 0, net->classes, "head");
}

EC__FAMILY(focalnet, "focal modulation", "classify", FOCALNET, build);
