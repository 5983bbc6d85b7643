/* EdgeNeXt: ConvNeXt blocks, and at the end of stages blocks that filter groups of channels one
 * after the other and attend among channels. */
#include "graph/zoo_internal.h"

#define EDGENEXT(X, T)                                                                             \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 3x3x9x3")                                   \
    X(T, INTS, widths, 4, 65536, "channels of each stage: 48x96x160x304")                          \
    X(T, INT, heads, 1, 1024, "groups of channels that attend to each other")                      \
    X(T, BOOL, early, "overlapping stem, strides in the first blocks, no bias in convolutions")
EC__VARIANT(edgenext, EDGENEXT);

#define STAGES 4
#define SCALES_MAX 4

/* On (n, h, w, c): norm, two dense layers, learned scale */
static int dense(struct ec_builder *b, int x)
{
    int64_t c = ec_b_dim(b, x, 3);

    x = ec__mlp(b, ec_b1(b, x, "layer_norm name=norm"), 4 * c, "gelu", 0);
    return ec_b2(b, x, ec_b_param(b, "gamma", 1, c), "mul");
}

static int conv_block(struct ec_builder *b, int x, const struct ec__edgenext *v, int64_t out,
                      int64_t r, int64_t stride)
{
    int64_t in = ec_b_dim(b, x, 1);
    int y = ec__conv(b, x,
                     EC__CONV(.k = out, .r = r, .stride = stride, .groups = in, .bias = !v->early,
                              .name = "conv_dw"));
    int side = stride > 1 || in != out ? y : x;

    y = dense(b, ec_b1(b, y, "transpose perm=0,2,3,1"));
    return ec__add(b, side, ec_b1(b, y, "transpose perm=0,3,1,2"));
}

/* Each part but the last is filtered with what the filter before it gave. */
static int split_filters(struct ec_builder *b, int x, const struct ec__edgenext *v, int64_t scales)
{
    int64_t c = ec_b_dim(b, x, 1), width = (c + scales - 1) / scales, sizes[SCALES_MAX];
    int xs[SCALES_MAX], i, n = (int)scales, sp;

    for (i = 0; i < n; i++)
        sizes[i] = i + 1 < n ? width : c - (n - 1) * width;
    ec__split(b, x, 1, sizes, n, xs);
    for (i = 0, sp = xs[0]; i + 1 < n; i++) {
        sp = i ? ec__add(b, sp, xs[i]) : sp;
        sp = ec__conv(b, sp, EC__CONV(.k = width, .r = 3, .groups = width, .bias = !v->early));
        xs[i] = sp;
    }
    return ec__concat(b, xs, n);
}

/* Sines and cosines of the place, as channels that a 1x1 convolution makes as many as needed. */
static int positions(struct ec_builder *b, int x, int64_t batch, int64_t c)
{
    int64_t h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3);
    int y = ec__const(b, "pos_embd", EC_DT_f32, 4, batch, (int64_t)64, h, w);

    y = ec__holds_rule(b, y, "positions", 0, 0, 0);
    y = ec__conv(b, y, EC__CONV(.k = c, .bias = true, .name = "pos_embd.token_projection"));
    return ec__map_tokens(b, y);
}

/* Features of unit length over the tokens */
static int unit(struct ec_builder *b, int x)
{
    return ec_b2(b, x, ec_b1(b, x, "reduce_l2 axes=3"), "div");
}

/* Attention of channels to channels: (n, heads, c/heads, t) */
static int cross_covariance(struct ec_builder *b, int x, int64_t heads)
{
    int64_t c = ec_b_dim(b, x, 2), t = ec_b_dim(b, x, 1);
    int qkv[3], i;

    x = ec__linear(b, x, 3 * c, true, "xca.qkv");
    x = ec_b1(b, x, "reshape shape=0,0,3,%lld,-1", EC__I64(heads));
    ec__chunk(b, ec_b1(b, x, "transpose perm=2,0,3,4,1"), 0, 3, qkv);
    for (i = 0; i < 3; i++)
        qkv[i] = ec_b1(b, qkv[i], "squeeze axes=0");
    x = ec_b2(b, unit(b, qkv[0]), unit(b, qkv[1]), "matmul transpose_b=1");
    x = ec_b2(b, x, ec_b_param(b, "xca.temperature", 3, heads, (int64_t)1, (int64_t)1), "mul");
    x = ec_b2(b, ec_b1(b, x, "softmax"), qkv[2], "matmul");
    x = ec_b1(b, x, "transpose perm=0,3,1,2");
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld", EC__I64(t), EC__I64(c));
    return ec__linear(b, x, c, true, "xca.proj");
}

static int split_block(struct ec_builder *b, int x, const struct ec__edgenext *v, int stage)
{
    static const int64_t scales[STAGES] = { 2, 2, 3, 4 };
    int64_t n = ec_b_dim(b, x, 0), c = ec_b_dim(b, x, 1), h = ec_b_dim(b, x, 2);
    int side = x, y;

    x = split_filters(b, x, v, scales[stage]);
    y = ec__map_tokens(b, x);
    if (stage == 1)
        y = ec__add(b, y, positions(b, x, n, c));
    x = cross_covariance(b, ec_b1(b, y, "layer_norm name=norm_xca"), v->heads);
    x = ec__add(b, y, ec_b2(b, x, ec_b_param(b, "gamma_xca", 1, c), "mul"));
    x = ec_b1(b, x, "reshape shape=0,%lld,-1,%lld", EC__I64(h), EC__I64(c));
    return ec__add(b, side, ec_b1(b, dense(b, x), "transpose perm=0,3,1,2"));
}

static int run_stage(struct ec_builder *b, int x, const struct ec__edgenext *v, int i)
{
    int64_t out = v->widths.v[i], r = 2 * i + 3, j;

    if (i && !v->early)
        x = ec_b1(b, ec__norm2d(b, x), "conv2d k=%lld r=2 stride=2 name=stages.%d.downsample",
                  EC__I64(out), i);
    for (j = 0; ec_b_each(b, j, v->depths.v[i], "stages.%d.blocks.%lld.", i, EC__I64(j)); j++) {
        if (i && j + 1 == v->depths.v[i])
            x = split_block(b, x, v, i);
        else
            x = conv_block(b, x, v, out, r, v->early && i && !j ? 2 : 1);
    }
    return x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__edgenext *v = variant;
    int i, x = ec__input_image(b, net, 3);

    if (v->widths.n != STAGES || v->depths.n != STAGES) {
        b->st = ec_fail(b->err, EC_E_INPUT, "%d widths and %d depths, expected %d of each",
                        v->widths.n, v->depths.n, STAGES);
        return -1;
    }
    x = v->early
            ? ec__conv(b, x, EC__CONV(.k = v->widths.v[0], .r = 9, .stride = 4, .name = "stem.0"))
            : ec_b1(b, x, "conv2d k=%lld r=4 stride=4 name=stem.0", EC__I64(v->widths.v[0]));
    x = ec__norm2d(b, x);
    for (i = 0; i < STAGES; i++)
        x = run_stage(b, x, v, i);
    x = ec__norm2d(b, ec_b1(b, x, "global_avg_pool"));
    return ec__linear(b, ec_b1(b, x, "flatten"), net->classes, true, "head.fc");
}

EC__FAMILY(edgenext, "depthwise convolutions and attention among channels", "classify", EDGENEXT,
           build);
