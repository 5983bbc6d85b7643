/* ResNet and its kin: ResNeXt, Wide ResNet, deep stems, squeeze-and-excitation, CIFAR's small ones.
 * Layers and names as torchvision has them; options as the timm variants have them. */
#include "graph/zoo_internal.h"

#include <math.h>

static int64_t or_default(int64_t v, int64_t other)
{
    return v ? v : other;
}

static int stem_convs(struct ec_builder *b, int x, const struct ec__resnet *v)
{
    int i;

    if (v->small_stem)
        return ec__conv_bn_act(
            b, x, EC__CONV(.k = or_default(v->width, 64), .r = 3, .name = "conv1", .norm = "bn1"),
            "relu");
    if (!v->stem.n)
        return ec__conv_bn_act(b, x,
                               EC__CONV(.k = or_default(v->width, 64), .r = 7, .stride = 2,
                                        .name = "conv1", .norm = "bn1"),
                               "relu");
    for (i = 0; i < v->stem.n; i++)
        x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stem.v[i], .r = 3, .stride = i ? 1 : 2), "relu");
    return x;
}

static int stem(struct ec_builder *b, int x, const struct ec__resnet *v)
{
    x = stem_convs(b, x, v);
    if (v->small_stem)
        return x;
    if (v->conv_pool)
        return ec__conv_bn_act(b, x, EC__CONV(.k = ec_b_dim(b, x, 1), .r = 3, .stride = 2), "relu");
    return ec_b1(b, x, "max_pool2d r=3 stride=2 pad=1 name=maxpool");
}

static int shortcut(struct ec_builder *b, int x, const struct ec__resnet *v, int64_t out,
                    int64_t stride)
{
    if (stride == 1 && ec_b_dim(b, x, 1) == out)
        return x;
    if (v->avg_down && stride > 1) {
        x = ec_b1(b, x, "avg_pool2d r=2 stride=%lld ceil=1 count_include_pad=0", EC__I64(stride));
        stride = 1;
    }
    return ec__conv_bn(
        b, x, EC__CONV(.k = out, .stride = stride, .name = "downsample.0", .norm = "downsample.1"));
}

/* Squeezed channels are rounded to a multiple of 8. */
static int attend(struct ec_builder *b, int x, const struct ec__resnet *v)
{
    int64_t c = ec_b_dim(b, x, 1), r;
    int y;

    if (v->se) {
        r = (c / v->se + 4) / 8 * 8;
        return ec__se(b, x, r < 8 ? 8 : r, "relu", "sigmoid");
    }
    if (!v->eca)
        return x;
    r = (int64_t)(fabs(log2((double)c) + 1) / 2); /* the filter grows with the channels; odd */
    r = r % 2 ? r : r + 1;
    y = ec_b1(b, x, "global_avg_pool");
    y = ec_b1(b, y, "reshape shape=0,1,-1");
    y = ec_b1(b, y, "conv1d k=1 r=%lld pad=%lld bias=0", EC__I64(r), EC__I64(r / 2));
    y = ec_b1(b, ec__act(b, y, "sigmoid"), "reshape shape=0,-1,1,1");
    return ec_b2(b, x, y, "mul");
}

static int basic(struct ec_builder *b, int x, int64_t planes, int64_t stride)
{
    x = ec__conv_bn_act(
        b, x, EC__CONV(.k = planes, .r = 3, .stride = stride, .name = "conv1", .norm = "bn1"),
        "relu");
    return ec__conv_bn(b, x, EC__CONV(.k = planes, .r = 3, .name = "conv2", .norm = "bn2"));
}

static int bottleneck(struct ec_builder *b, int x, const struct ec__resnet *v, int64_t planes,
                      int64_t stride)
{
    int64_t groups = or_default(v->groups, 1);
    int64_t width = planes * or_default(v->base_width, 64) / 64 * groups;
    int64_t first = v->stride_1x1 ? stride : 1, second = v->stride_1x1 ? 1 : stride;

    x = ec__conv_bn_act(b, x, EC__CONV(.k = width, .stride = first, .name = "conv1", .norm = "bn1"),
                        "relu");
    x = ec__conv_bn_act(b, x,
                        EC__CONV(.k = width, .r = 3, .stride = second, .groups = groups,
                                 .name = "conv2", .norm = "bn2"),
                        "relu");
    return ec__conv_bn(b, x, EC__CONV(.k = planes * 4, .name = "conv3", .norm = "bn3"));
}

static int block(struct ec_builder *b, int x, const struct ec__resnet *v, int64_t planes,
                 int64_t stride)
{
    int y = v->basic ? basic(b, x, planes, stride) : bottleneck(b, x, v, planes, stride);

    y = ec__drop_path(b, attend(b, y, v), v->drop_path);
    y = ec__add(b, y, shortcut(b, x, v, v->basic ? planes : planes * 4, stride));
    return ec__act(b, y, "relu");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__resnet *v = variant;
    int64_t planes = or_default(v->width, 64), j;
    int i, x = stem(b, ec__input_image(b, net, 3), v);

    for (i = 0; i < v->layers.n; i++, planes *= 2)
        for (j = 0; j < v->layers.v[i] && !b->st; j++) {
            size_t old = ec_b_push(b, "layer%d.%lld.", i + 1, EC__I64(j));

            x = block(b, x, v, planes, i && !j ? 2 : 1);
            ec_b_pop(b, old);
        }
    return ec__classifier(b, x, 0, net->classes, "fc");
}

/* clang-format off */
#define T struct ec__resnet
static const struct ec_field fields[] = {
    EC__INTS(T, "layers", layers, 1, 1000, "blocks of each stage: 3x4x6x3"),
    EC__BOOL(T, "basic", basic, "two 3x3 convolutions per block in place of 1x1, 3x3, 1x1"),
    EC__INT(T, "width", width, 0, 8192, "channels of the first stage; 0: 64"),
    EC__INT(T, "base_width", base_width, 0, 8192, "width of a group per 64 channels; 0: 64"),
    EC__INT(T, "groups", groups, 0, 8192, "groups of the 3x3 convolution; 0: 1"),
    EC__INTS(T, "stem", stem, 1, 8192,
                "channels of the 3x3 convolutions of the stem; none: one 7x7"),
    EC__BOOL(T, "small_stem", small_stem, "one 3x3 at full resolution and no pool"),
    EC__BOOL(T, "conv_pool", conv_pool, "a strided convolution in place of the stem's pool"),
    EC__BOOL(T, "avg_down", avg_down, "shortcuts pool before they project"),
    EC__BOOL(T, "stride_1x1", stride_1x1, "stride on the first 1x1 convolution (v1)"),
    EC__INT(T, "se", se, 0, 1024, "squeeze-and-excitation to channels/N; 0: none"),
    EC__BOOL(T, "eca", eca, "efficient channel attention"),
    EC__REAL(T, "drop_path", drop_path, 0, 0.99, "probability of dropping a block"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

const struct ec__family ec__family_resnet = {
    "resnet", "residual blocks of convolutions", "classify", sizeof(struct ec__resnet), fields,
    build,
};
