/* Convolutional networks with branches of their own kind: VoVNet, Xception, RepVGG. */
#include "graph/zoo_internal.h"

#define VOVNET(X, T)                                                                               \
    X(T, INTS, stem, 1, 65536, "filters of the three convolutions of the stem")                    \
    X(T, INTS, mid, 1, 65536, "filters inside the blocks of each stage")                           \
    X(T, INTS, out, 1, 65536, "channels of each stage")                                            \
    X(T, INTS, blocks, 1, 1000, "blocks of each stage")                                            \
    X(T, INT, per_block, 1, VOV_MAX, "convolutions of a block")                                    \
    X(T, BOOL, depthwise, "depthwise and 1x1 in place of 3x3")                                     \
    X(T, BOOL, plain, "without attention and additions")
EC__VARIANT(vovnet, VOVNET);

#define XCEPTION(X, T) X(T, INT, middle, 0, 1000, "blocks at the middle resolution")
EC__VARIANT(xception, XCEPTION);

#define REPVGG(X, T)                                                                               \
    X(T, INTS, blocks, 1, 1000, "blocks of the four stages: 4x6x16x1")                             \
    X(T, REAL, width, 0.02, 64, "multiplies the channels of the first three stages")               \
    X(T, REAL, last, 0.02, 64, "multiplies those of the last")                                     \
    X(T, INT, groups, 0, 1024, "groups of every second block; 0: 1")                               \
    X(T, BOOL, merged, "as it infers: the branches of a block merged into one 3x3")                \
    X(T, INT, se, 0, 1024, "squeeze-and-excitation to channels/N; 0: none")
EC__VARIANT(repvgg, REPVGG);

/* --- VoVNet: all outputs of a block are joined once, at its end --- */

static int vov_conv(struct ec_builder *b, int x, const struct ec__vovnet *v, int64_t k)
{
    if (!v->depthwise)
        return ec__conv_bn_act(b, x, EC__CONV(.k = k, .r = 3), "relu");
    x = ec__conv(b, x, EC__CONV(.k = ec_b_dim(b, x, 1), .r = 3, .groups = ec_b_dim(b, x, 1)));
    return ec__conv_bn_act(b, x, EC__CONV(.k = k), "relu");
}

/* The mean of each channel, through one 1x1, scales the channel. */
static int vov_attend(struct ec_builder *b, int x)
{
    int y = ec_b1(b, x, "global_avg_pool");

    y = ec__conv(b, y, EC__CONV(.k = ec_b_dim(b, x, 1), .bias = true));
    return ec_b2(b, x, ec_b1(b, y, "hard_sigmoid"), "mul");
}

#define VOV_MAX 16

/* Block j of stage i; the last of a stage attends, all but the first add their input. */
static int vov_block(struct ec_builder *b, int x, const struct ec__vovnet *v, int i_stage,
                     int64_t j)
{
    int64_t mid = v->mid.v[i_stage], out = v->out.v[i_stage];
    int xs[VOV_MAX + 1] = { x }, i, y = x;

    if (v->depthwise && ec_b_dim(b, x, 1) != mid)
        y = ec__conv_bn_act(b, x, EC__CONV(.k = mid), "relu");
    for (i = 0; i < (int)v->per_block && !b->st; i++)
        y = xs[i + 1] = vov_conv(b, y, v, mid);
    y = ec_bn(b, xs, (int)v->per_block + 1, "concat");
    y = ec__conv_bn_act(b, y, EC__CONV(.k = out), "relu");
    if (v->plain)
        return y;
    if (j + 1 == v->blocks.v[i_stage])
        y = vov_attend(b, y);
    return j ? ec__add(b, y, x) : y;
}

static int vovnet_stages(struct ec_builder *b, int x, const struct ec__vovnet *v)
{
    int64_t j;
    int i;

    for (i = 0; i < v->out.n; i++) {
        if (i)
            x = ec_b1(b, x, "max_pool2d r=3 stride=2 ceil=1");
        for (j = 0; ec_b_each(b, j, v->blocks.v[i], "stages.%d.%lld.", i, EC__I64(j)); j++)
            x = vov_block(b, x, v, i, j);
    }
    return x;
}

static int vovnet_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__vovnet *v = variant;
    int x = ec__input_image(b, net, 3);

    if (v->stem.n != 3 || v->mid.n < v->out.n || v->blocks.n < v->out.n) {
        b->st = ec_fail(b->err, EC_E_INPUT,
                        "stem has %d numbers, expected 3; mid %d, blocks %d, "
                        "expected those of out, %d",
                        v->stem.n, v->mid.n, v->blocks.n, v->out.n);
        return -1;
    }
    x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stem.v[0], .r = 3, .stride = 2), "relu");
    if (v->depthwise) {
        int64_t c = v->stem.v[0];

        x = ec__conv(b, x, EC__CONV(.k = c, .r = 3, .groups = c));
        x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stem.v[1]), "relu");
        c = v->stem.v[1];
        x = ec__conv(b, x, EC__CONV(.k = c, .r = 3, .stride = 2, .groups = c));
        x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stem.v[2]), "relu");
    } else {
        x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stem.v[1], .r = 3), "relu");
        x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stem.v[2], .r = 3, .stride = 2), "relu");
    }
    return ec__classifier(b, vovnet_stages(b, x, v), 0, net->classes, "head.fc");
}

EC__FAMILY(vovnet, "one join per block", "classify", VOVNET, vovnet_build);

/* --- Xception --- */

static int separable(struct ec_builder *b, int x, int64_t k)
{
    int64_t in = ec_b_dim(b, x, 1);

    x = ec__conv(b, x, EC__CONV(.k = in, .r = 3, .groups = in));
    return ec__conv_bn(b, x, EC__CONV(.k = k));
}

/* ReLU and separable convolution, for each of the given widths; then a pool when strided. */
static int x_block(struct ec_builder *b, int x, const int64_t *k, int n, bool relu_first,
                   int64_t stride)
{
    int i, y = x;

    for (i = 0; i < n; i++)
        y = separable(b, i || relu_first ? ec__act(b, y, "relu") : y, k[i]);
    if (stride > 1)
        y = ec_b1(b, y, "max_pool2d r=3 stride=2 pad=1");
    if (stride > 1 || ec_b_dim(b, x, 1) != k[n - 1])
        x = ec__conv_bn(b, x, EC__CONV(.k = k[n - 1], .stride = stride, .name = "skip"));
    return ec__add(b, y, x);
}

static int xception_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    static const int64_t entry[3][2] = {
        {128,  128},
        { 256, 256},
        { 728, 728}
    };
    static const int64_t middle[3] = { 728, 728, 728 }, last[2] = { 728, 1024 };
    const struct ec__xception *v = variant;
    int64_t i;
    int x = ec__input_image(b, net, 3);

    x = ec__conv_bn_act(b, x, EC__CONV(.k = 32, .r = 3, .stride = 2, .valid = true), "relu");
    x = ec__conv_bn_act(b, x, EC__CONV(.k = 64, .r = 3, .valid = true), "relu");
    for (i = 0; ec_b_each(b, i, 4 + v->middle, "block%lld.", EC__I64(i + 1)); i++) {
        if (i < 3)
            x = x_block(b, x, entry[i], 2, i > 0, 2);
        else if (i < 3 + v->middle)
            x = x_block(b, x, middle, 3, true, 1);
        else
            x = x_block(b, x, last, 2, true, 2);
    }
    x = ec__act(b, separable(b, x, 1536), "relu");
    x = ec__act(b, separable(b, x, 2048), "relu");
    return ec__classifier(b, x, 0, net->classes, "fc");
}

EC__FAMILY(xception, "separable convolutions", "classify", XCEPTION, xception_build);

/* --- RepVGG in training: a 3x3, a 1x1 and the identity, each normed, added. To infer, the three
 * are merged into one 3x3, which published MAC are of. --- */

static int rep_branches(struct ec_builder *b, int x, int64_t k, int64_t stride, int64_t groups,
                        bool merged)
{
    struct ec__conv filter = EC__CONV(.k = k, .r = 3, .stride = stride, .groups = groups);
    int y;

    if (merged) {
        filter.bias = true;
        return ec__conv(b, x, filter);
    }
    y = ec__conv_bn(b, x, filter);
    y = ec__add(b, y, ec__conv_bn(b, x, EC__CONV(.k = k, .stride = stride, .groups = groups)));
    if (stride == 1 && ec_b_dim(b, x, 1) == k)
        y = ec__add(b, y, ec_b1(b, x, "batch_norm name=identity"));
    return y;
}

static int rep_block(struct ec_builder *b, int x, const struct ec__repvgg *v, int64_t k,
                     int64_t stride, int64_t groups)
{
    x = rep_branches(b, x, k, stride, groups, v->merged);
    if (v->se)
        x = ec__se(b, x, k / v->se > 0 ? k / v->se : 1, "relu", "sigmoid");
    return ec__act(b, x, "relu");
}

static int repvgg_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    static const double base[4] = { 64, 128, 256, 512 };
    const struct ec__repvgg *v = variant;
    int64_t stem = v->width < 1 ? (int64_t)(64 * v->width) : 64, layer = 1, j;
    int i, x = rep_block(b, ec__input_image(b, net, 3), v, stem, 2, 1);

    for (i = 0; i < v->blocks.n && i < 4; i++) {
        int64_t k = (int64_t)(base[i] * (i == 3 ? v->last : v->width));

        for (j = 0; ec_b_each(b, j, v->blocks.v[i], "stages.%d.%lld.", i, EC__I64(j));
             j++, layer++) {
            bool grouped = v->groups > 1 && layer % 2 == 0;

            x = rep_block(b, x, v, k, j ? 1 : 2, grouped ? v->groups : 1);
        }
    }
    return ec__classifier(b, x, 0, net->classes, "head.fc");
}

EC__FAMILY(repvgg, "3x3, 1x1 and identity added", "classify", REPVGG, repvgg_build);
