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

    if (v->preact && !v->stem.n)
        return ec__conv(
            b, x, EC__CONV(.k = or_default(v->width, 64), .r = 7, .stride = 2, .name = "conv1"));

    if (v->small_stem)
        return ec__conv_bn_act(
            b, x, EC__CONV(.k = or_default(v->width, 64), .r = 3, .name = "conv1", .norm = "bn1"),
            "relu");
    if (!v->stem.n)
        return ec__conv_bn_act(b, x,
                               EC__CONV(.k = or_default(v->width, 64), .r = 7, .stride = 2,
                                        .name = "conv1", .norm = "bn1"),
                               "relu");
    for (i = 0; i < v->stem.n; i++) {
        struct ec__conv c = { .k = v->stem.v[i], .r = 3, .stride = i ? 1 : 2 };

        if (v->preact && i + 1 == v->stem.n) /* its norm is that of the first block */
            return ec__conv(b, x, c);
        x = ec__conv_bn_act(b, x, c, "relu");
    }
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

struct place { /* of a block */
    int64_t planes, stride, dil;
};

/* The strided filter; antialiased ones run at full resolution and then average. */
static int strided(struct ec_builder *b, int x, const struct ec__resnet *v, struct ec__conv c)
{
    int64_t stride = c.stride;

    if (!v->aa || stride < 2)
        return ec__conv_bn_act(b, x, c, "relu");
    c.stride = 1;
    return ec_b1(b, ec__conv_bn_act(b, x, c, "relu"), "avg_pool2d r=2 stride=%lld",
                 EC__I64(stride));
}

static int basic(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at)
{
    x = strided(
        b, x, v,
        EC__CONV(.k = at.planes, .r = 3, .stride = at.stride, .name = "conv1", .norm = "bn1"));
    return ec__conv_bn(b, x, EC__CONV(.k = at.planes, .r = 3, .name = "conv2", .norm = "bn2"));
}

static int bottleneck(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at)
{
    int64_t groups = or_default(v->groups, 1);
    int64_t width = at.planes * or_default(v->base_width, 64) / 64 * groups;
    int64_t first = v->stride_1x1 ? at.stride : 1, second = v->stride_1x1 ? 1 : at.stride;

    x = ec__conv_bn_act(b, x, EC__CONV(.k = width, .stride = first, .name = "conv1", .norm = "bn1"),
                        "relu");
    x = strided(b, x, v,
                EC__CONV(.k = width, .r = 3, .stride = second, .groups = groups, .dil = at.dil,
                         .name = "conv2", .norm = "bn2"));
    return ec__conv_bn(b, x, EC__CONV(.k = at.planes * 4, .name = "conv3", .norm = "bn3"));
}

static int block(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at)
{
    int y = v->basic ? basic(b, x, v, at) : bottleneck(b, x, v, at);

    y = ec__drop_path(b, attend(b, y, v), v->drop_path);
    y = ec__add(b, y, shortcut(b, x, v, v->basic ? at.planes : at.planes * 4, at.stride));
    return ec__act(b, y, "relu");
}

static int norm_act(struct ec_builder *b, int x, const struct ec__resnet *v)
{
    return ec__act(b, ec_b1(b, x, v->gn ? "group_norm groups=32" : "batch_norm"), "relu");
}

static int preact_shortcut(struct ec_builder *b, int x, const struct ec__resnet *v, int64_t out,
                           int64_t stride)
{
    if (v->avg_down && stride > 1) {
        x = ec_b1(b, x, "avg_pool2d r=2 stride=%lld ceil=1 count_include_pad=0", EC__I64(stride));
        stride = 1;
    }
    return ec__conv(b, x, EC__CONV(.k = out, .stride = stride, .name = "downsample.conv"));
}

static int preact_block(struct ec_builder *b, int x, const struct ec__resnet *v, struct place at)
{
    int64_t out = v->basic ? at.planes : 4 * at.planes;
    bool project = at.stride > 1 || ec_b_dim(b, x, 1) != out;
    int y = norm_act(b, x, v);

    x = project ? preact_shortcut(b, y, v, out, at.stride) : x;
    if (v->basic) {
        y = ec__conv(b, y, EC__CONV(.k = out, .r = 3, .stride = at.stride, .name = "conv1"));
        y = ec__conv(b, norm_act(b, y, v), EC__CONV(.k = out, .r = 3, .name = "conv2"));
        return ec__add(b, x, ec__drop_path(b, y, v->drop_path));
    }
    y = ec__conv(b, y, EC__CONV(.k = at.planes, .name = "conv1"));
    y = ec__conv(b, norm_act(b, y, v),
                 EC__CONV(.k = at.planes, .r = 3, .stride = at.stride, .name = "conv2"));
    y = ec__conv(b, norm_act(b, y, v), EC__CONV(.k = out, .name = "conv3"));
    return ec__add(b, x, ec__drop_path(b, y, v->drop_path));
}

/* Stages that keep the resolution dilate from their second block on what the stride would have
 * been from the first. */
static int stages(struct ec_builder *b, int x, const struct ec__resnet *v)
{
    struct place at = { or_default(v->width, 64), 1, 1 };
    int64_t j, dil = 1;
    int i;

    for (i = 0; i < v->layers.n; i++, at.planes *= 2) {
        bool flat = i >= v->layers.n - v->flat;

        at.dil = dil;
        if (i && flat && v->dilate)
            dil *= 2;
        for (j = 0; j < v->layers.v[i] && !b->st; j++, at.dil = dil) {
            size_t old = ec_b_push(b, "layer%d.%lld.", i + 1, EC__I64(j));

            at.stride = i && !j && !flat ? 2 : 1;
            x = v->preact ? preact_block(b, x, v, at) : block(b, x, v, at);
            ec_b_pop(b, old);
        }
    }
    return v->preact ? norm_act(b, x, v) : x;
}

static int fcn_head(struct ec_builder *b, int x, int64_t classes)
{
    x = ec__conv_bn_act(b, x, EC__CONV(.k = ec_b_dim(b, x, 1) / 4, .r = 3), "relu");
    return ec__conv(b, ec__dropout(b, x, 0.1), EC__CONV(.k = classes, .bias = true));
}

/* DeepLab v3: a 1x1, three dilated 3x3 and the global mean, joined. */
static int deeplab_head(struct ec_builder *b, int x, int64_t classes)
{
    int64_t h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3), i;
    int xs[5];

    xs[0] = ec__conv_bn_act(b, x, EC__CONV(.k = 256), "relu");
    for (i = 1; i < 4; i++)
        xs[i] = ec__conv_bn_act(b, x, EC__CONV(.k = 256, .r = 3, .dil = 12 * i), "relu");
    xs[4] = ec__conv_bn_act(b, ec_b1(b, x, "global_avg_pool"), EC__CONV(.k = 256), "relu");
    xs[4] = ec_b1(b, xs[4], "resize size=%lld,%lld mode=linear", EC__I64(h), EC__I64(w));
    x = ec__conv_bn_act(b, ec_bn(b, xs, 5, "concat"), EC__CONV(.k = 256), "relu");
    x = ec__conv_bn_act(b, ec__dropout(b, x, 0.5), EC__CONV(.k = 256, .r = 3), "relu");
    return ec__conv(b, x, EC__CONV(.k = classes, .bias = true));
}

/* Boxes of one feature map of SSD: (n, what, positions), for 4 coordinates or the classes. */
static int ssd_boxes(struct ec_builder *b, int x, int64_t boxes, int64_t what)
{
    x = ec__conv(b, x, EC__CONV(.k = boxes * what, .r = 3, .bias = true));
    return ec_b1(b, x, "reshape shape=0,%lld,-1", EC__I64(what));
}

/* SSD: five further, ever smaller maps; boxes of four or six shapes per place of each map. */
static int ssd_head(struct ec_builder *b, int x, int64_t classes)
{
    static const int64_t out[5] = { 512, 512, 256, 256, 256 }, mid[5] = { 256, 256, 128, 128, 128 };
    static const int64_t boxes[6] = { 4, 6, 6, 6, 4, 4 };
    int coordinates[6], scores[6], i;

    for (i = 0; i < 6 && !b->st; i++) {
        size_t old = ec_b_push(b, "ssd%d.", i);

        if (i) {
            x = ec__conv_bn_act(b, x, EC__CONV(.k = mid[i - 1]), "relu");
            x = ec__conv_bn_act(
                b, x, EC__CONV(.k = out[i - 1], .r = 3, .stride = i < 4 ? 2 : 1, .valid = i >= 4),
                "relu");
        }
        coordinates[i] = ssd_boxes(b, x, boxes[i], 4);
        scores[i] = ssd_boxes(b, x, boxes[i], classes);
        ec_b_pop(b, old);
    }
    if (b->st)
        return -1;
    x = ec_bn(b, coordinates, 6, "concat axis=2");
    if (!b->st)
        b->st = ec_graph_add_output(b->g, x, b->err);
    return ec_bn(b, scores, 6, "concat axis=2");
}

enum { CLASSIFY, FCN, DEEPLAB, SSD };

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__resnet *v = variant;
    int x = stages(b, stem(b, ec__input_image(b, net, 3), v), v);

    if (v->head == CLASSIFY)
        return ec__classifier(b, x, 0, net->classes, "fc");
    b->g->task = v->head == SSD ? "detect" : "segment";
    if (v->head == SSD)
        return ssd_head(b, x, net->classes);
    x = v->head == FCN ? fcn_head(b, x, net->classes) : deeplab_head(b, x, net->classes);
    return ec_b1(b, x, "resize size=%lld mode=linear", EC__I64(net->size));
}

/* clang-format off */
#define T struct ec__resnet
static const char *const heads[] = { "classify", "fcn", "deeplab", "ssd", NULL };
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
    EC__BOOL(T, "aa", aa, "average in place of strides (antialiasing)"),
    EC__BOOL(T, "preact", preact, "norm and ReLU before each convolution (version 2)"),
    EC__BOOL(T, "gn", gn, "with preact: group norm in place of batch norm"),
    EC__INT(T, "flat", flat, 0, 16, "last N stages keep the resolution"),
    EC__BOOL(T, "dilate", dilate, "and dilate their filters"),
    EC__ENUM(T, "head", head, heads, "classify, fcn, deeplab, ssd"),
    EC__REAL(T, "drop_path", drop_path, 0, 0.99, "probability of dropping a block"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

const struct ec__family ec__family_resnet = {
    "resnet", "residual blocks of convolutions", "classify", sizeof(struct ec__resnet), fields,
    build,
};
