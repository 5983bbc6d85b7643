/* RepViT: depthwise filters of three branches that become one, then 1x1 convolutions. */
#include "graph/zoo_internal.h"

#define REPVIT(X, T)                                                                               \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 2x2x14x2")                                  \
    X(T, INTS, widths, 2, 65536, "channels of each stage: 48x96x192x384")                          \
    X(T, BOOL, legacy, "a norm of each branch, none of their sum")                                 \
    X(T, BOOL, merged, "as it infers: branches, norms and classifiers are one")
EC__VARIANT(repvit, REPVIT);

static int mixer(struct ec_builder *b, int x, const struct ec__repvit *v)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec__conv_norm(b, x, EC__CONV(.k = c, .r = 3, .groups = c, .name = "conv"), v->merged);
    int z;

    if (v->merged)
        return y;
    z = v->legacy ? ec__conv_bn(b, x, EC__CONV(.k = c, .groups = c, .name = "conv1"))
                  : ec__conv(b, x, EC__CONV(.k = c, .groups = c, .bias = true, .name = "conv1"));
    y = ec__add(b, ec__add(b, y, z), x);
    return v->legacy ? y : ec_b1(b, y, "batch_norm name=bn");
}

static int channel_mixer(struct ec_builder *b, int x, const struct ec__repvit *v)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec__conv_norm(b, x, EC__CONV(.k = 2 * c, .name = "channel.conv1"), v->merged);

    y = ec_b1(b, y, "gelu");
    return ec__add(b, x, ec__conv_norm(b, y, EC__CONV(.k = c, .name = "channel.conv2"), v->merged));
}

static int block(struct ec_builder *b, int x, const struct ec__repvit *v, bool squeeze)
{
    x = mixer(b, x, v);
    if (squeeze)
        x = ec__se(b, x, ec__round_to((double)ec_b_dim(b, x, 1) / 4, 8, false), "relu", "sigmoid");
    return channel_mixer(b, x, v);
}

static int downsample(struct ec_builder *b, int x, const struct ec__repvit *v, int64_t out)
{
    int64_t c = ec_b_dim(b, x, 1);

    x = block(b, x, v, false);
    x = ec__conv_norm(
        b, x, EC__CONV(.k = c, .r = 3, .stride = 2, .groups = c, .name = "spatial_downsample"),
        v->merged);
    x = ec__conv_norm(b, x, EC__CONV(.k = out, .name = "channel_downsample"), v->merged);
    return channel_mixer(b, x, v);
}

/* Two classifiers, whose mean the network gives; merged, they are one. */
static int head(struct ec_builder *b, int x, int64_t classes, bool merged)
{
    int y;

    x = ec_b1(b, ec_b1(b, x, "global_avg_pool"), "flatten");
    if (merged)
        return ec__linear(b, x, classes, true, "head");
    y = ec__linear(b, ec_b1(b, x, "batch_norm name=head.bn"), classes, true, "head.l");
    x = ec__linear(b, ec_b1(b, x, "batch_norm name=head_dist.bn"), classes, true, "head_dist.l");
    return ec_b1(b, ec__add(b, y, x), "scale_scalar mul=0.5");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__repvit *v = variant;
    int i, x = ec__input_image(b, net, 3);
    int64_t j, c = v->widths.v[0];

    if (!ec__per_stage(b, v->widths.n, "depths", v->depths.n, NULL))
        return -1;
    x = ec__conv_norm(b, x, EC__CONV(.k = c / 2, .r = 3, .stride = 2), v->merged);
    x = ec__conv_norm(b, ec_b1(b, x, "gelu"), EC__CONV(.k = c, .r = 3, .stride = 2), v->merged);
    for (i = 0; ec_b_each(b, i, v->widths.n, "stages.%d.", i); i++) {
        size_t old = ec_b_push(b, "downsample.");

        x = i ? downsample(b, x, v, v->widths.v[i]) : x;
        ec_b_pop(b, old);
        for (j = 0; ec_b_each(b, j, v->depths.v[i], "blocks.%lld.", EC__I64(j)); j++)
            x = block(b, x, v, j % 2 == 0);
    }
    return head(b, x, net->classes, v->merged);
}

EC__FAMILY(repvit, "depthwise branches that merge", "classify", REPVIT, build);
