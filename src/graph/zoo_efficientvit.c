/* EfficientViT with linear attention: keys and values are multiplied first, on maps filtered at two
 * scales. The large ones begin with fused convolutions. */
#include "graph/zoo_internal.h"

#define EFFICIENTVIT(X, T)                                                                         \
    X(T, INTS, widths, 1, 65536, "channels of the stem and of each stage")                         \
    X(T, INTS, depths, 1, 1000, "blocks of the stem and of each stage")                            \
    X(T, INT, head_dim, 1, 4096, "features of an attention head")                                  \
    X(T, INTS, head, 1, 65536, "channels of the last convolution and dense layer")                 \
    X(T, BOOL, large, "fused convolutions, attention in the last stage only")                      \
    X(T, STR, act, "activation: hard_swish, gelu")
EC__VARIANT(efficientvit, EFFICIENTVIT);

/* Convolution, then norm, or a bias where norms are few. */
static int conv(struct ec_builder *b, int x, struct ec__conv c, bool norm, const char *act)
{
    c.bias = !norm;
    return ec__act(b, norm ? ec__conv_bn(b, x, c) : ec__conv(b, x, c), act);
}

static int separable(struct ec_builder *b, int x, int64_t out, int64_t stride, int64_t expand,
                     bool norm, const char *act)
{
    int64_t mid = expand * ec_b_dim(b, x, 1);

    if (expand > 1)
        x = conv(b, x, EC__CONV(.k = mid, .name = "inverted_conv"), norm, act);
    x = conv(b, x,
             EC__CONV(.k = mid, .r = 3, .stride = stride, .groups = mid, .name = "depth_conv"),
             norm, act);
    return ec__conv_bn(b, x, EC__CONV(.k = out, .name = "point_conv"));
}

static int fused(struct ec_builder *b, int x, int64_t out, int64_t stride, int64_t expand,
                 bool norm, const char *act)
{
    int64_t mid = expand * ec_b_dim(b, x, 1);

    x = conv(b, x, EC__CONV(.k = mid, .r = 3, .stride = stride, .name = "spatial_conv"), norm, act);
    return ec__conv_bn(b, x, EC__CONV(.k = out, .r = expand > 1 ? 1 : 3, .name = "point_conv"));
}

/* q (k' v), over the sum of the weights, which a feature of ones beside the values brings along */
static int linear_product(struct ec_builder *b, const int qkv[3], int64_t d)
{
    const int64_t sizes[2] = { d, 1 };
    int q = ec_b1(b, qkv[0], "relu"), k = ec_b1(b, qkv[1], "relu"), x, parts[2];

    x = ec_b1(b, qkv[2], "pad pads=0,0,0,0,0,0,0,1");
    x = ec_b2(b, q, ec_b2(b, k, x, "matmul transpose_a=1"), "matmul");
    ec__split(b, x, 3, sizes, 2, parts);
    return ec_b2(b, parts[0], ec_b1(b, parts[1], "scale_scalar add=1e-05"), "div");
}

static int linear_attention(struct ec_builder *b, int map, int64_t d)
{
    int64_t c = ec_b_dim(b, map, 1), h = ec_b_dim(b, map, 2), w = ec_b_dim(b, map, 3);
    int64_t all = c / d * d * 3;
    int xs[2], qkv[3], x;

    xs[0] = ec__conv(b, map, EC__CONV(.k = all, .name = "qkv"));
    xs[1] = ec__conv(b, xs[0], EC__CONV(.k = all, .r = 5, .groups = all, .name = "aggreg.0"));
    xs[1] = ec__conv(b, xs[1], EC__CONV(.k = all, .groups = all / d, .name = "aggreg.1"));
    x = ec_b1(b, ec__concat(b, xs, 2), "reshape shape=0,-1,%lld,%lld", EC__I64(3 * d),
              EC__I64(h * w));
    ec__chunk(b, ec_b1(b, x, "transpose perm=0,1,3,2"), 3, 3, qkv);
    x = ec_b1(b, linear_product(b, qkv, d), "transpose perm=0,1,3,2");
    x = ec_b1(b, x, "reshape shape=0,-1,%lld,%lld", EC__I64(h), EC__I64(w));
    return ec__add(b, ec__conv_bn(b, x, EC__CONV(.k = c, .name = "proj")), map);
}

static int transformer_block(struct ec_builder *b, int x, const struct ec__efficientvit *v)
{
    x = linear_attention(b, x, v->head_dim);
    return ec__add(b, separable(b, x, ec_b_dim(b, x, 1), 1, v->large ? 6 : 4, false, v->act), x);
}

/* A block of convolutions. Late stages have fewer norms. */
static int local(struct ec_builder *b, int x, const struct ec__efficientvit *v, int stage,
                 int64_t out, int64_t stride)
{
    bool attends = stage >= v->widths.n - (v->large ? 1 : 2);
    bool norm = v->large ? stage < 3 : !attends, first = stride > 1;
    int64_t expand = !v->large ? 4 : !first ? 4 : attends ? 24 : 16;

    if (v->large && first && attends)
        norm = false;
    if (v->large && stage < 3)
        return fused(b, x, out, stride, expand, norm, v->act);
    return separable(b, x, out, stride, expand, norm, v->act);
}

static int run_stage(struct ec_builder *b, int x, const struct ec__efficientvit *v, int i)
{
    bool attends = i >= v->widths.n - (v->large ? 1 : 2);
    int64_t more = v->depths.v[i] - (attends || v->large ? 0 : 1), out = v->widths.v[i], j;
    size_t old = ec_b_push(b, "stages.%d.blocks.0.", i - 1);

    x = local(b, x, v, i, out, 2);
    ec_b_pop(b, old);
    for (j = 0; ec_b_each(b, j, more, "stages.%d.blocks.%lld.", i - 1, EC__I64(j + 1)); j++)
        x = attends ? transformer_block(b, x, v) : ec__add(b, local(b, x, v, i, out, 1), x);
    return x;
}

static int head(struct ec_builder *b, int x, const struct ec__efficientvit *v, int64_t classes)
{
    x = conv(b, x, EC__CONV(.k = v->head.v[0], .name = "head.in_conv"), true, v->act);
    x = ec_b1(b, ec_b1(b, x, "global_avg_pool"), "flatten");
    x = ec_b1(b, ec__linear(b, x, v->head.v[1], false, "head.classifier.0"), "layer_norm");
    return ec__linear(b, ec__act(b, x, v->act), classes, true, "head.classifier.4");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__efficientvit *v = variant;
    int i, x = ec__input_image(b, net, 3);
    int64_t j, c;

    if (v->widths.n < 4 || v->depths.n != v->widths.n || v->head.n != 2) {
        b->st = ec_fail(b->err, EC_E_INPUT,
                        "%d widths, %d depths and %d of head, expected as many depths as widths, "
                        "at least 4, and 2",
                        v->widths.n, v->depths.n, v->head.n);
        return -1;
    }
    c = v->widths.v[0];
    x = conv(b, x, EC__CONV(.k = c, .r = 3, .stride = 2, .name = "stem.in_conv"), true, v->act);
    for (j = 0; ec_b_each(b, j, v->depths.v[0], "stem.res%lld.", EC__I64(j)); j++)
        x = ec__add(b,
                    v->large ? fused(b, x, c, 1, 1, true, v->act)
                             : separable(b, x, c, 1, 1, true, v->act),
                    x);
    for (i = 1; i < v->widths.n; i++)
        x = run_stage(b, x, v, i);
    return head(b, x, v, net->classes);
}

EC__FAMILY(efficientvit, "convolutions and linear attention", "classify", EFFICIENTVIT, build);
