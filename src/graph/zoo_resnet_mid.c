/* What stands in place of the 3x3 convolution in kin of ResNet: split attention (ResNeSt), selected
 * kernels (SKNet), parts one after the other (Res2Net). */
#include "graph/zoo_internal.h"

/* (n, radix*c, h, w) -> (n, radix, c, h, w) */
static int radices(struct ec_builder *b, int x, int64_t radix)
{
    return ec_b1(b, x, "reshape shape=0,%lld,-1,%lld,%lld", EC__I64(radix),
                 EC__I64(ec_b_dim(b, x, 2)), EC__I64(ec_b_dim(b, x, 3)));
}

/* Weights of the branches, which sum to 1 in each channel; one branch has a gate. */
static int radix_weights(struct ec_builder *b, int x, int64_t radix, int64_t groups)
{
    if (radix == 1)
        return ec__act(b, x, "sigmoid");
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,-1", EC__I64(groups), EC__I64(radix));
    x = ec_b1(b, ec_b1(b, x, "transpose perm=0,2,1,3"), "softmax axis=1");
    return ec_b1(b, x, "reshape shape=0,%lld,-1,1,1", EC__I64(radix));
}

int ec__split_attention(struct ec_builder *b, int x, struct ec__conv c, int64_t radix)
{
    int64_t groups = c.groups ? c.groups : 1, k = c.k;
    int64_t inner = ec__round_to((double)(ec_b_dim(b, x, 1) * radix) / 4, 8, false);
    int y;

    c.k = k * radix;
    c.groups = groups * radix;
    x = ec__conv_bn_act(b, x, c, "relu");
    y = x;
    if (radix > 1) {
        x = radices(b, x, radix);
        y = ec_b1(b, x, "reduce_sum axes=1 keepdims=0");
    }
    y = ec_b1(b, y, "global_avg_pool");
    y = ec__conv_bn_act(b, y,
                        EC__CONV(.k = inner < 32 ? 32 : inner, .groups = groups, .bias = true,
                                 .name = "fc1", .norm = "bn_fc1"),
                        "relu");
    y = ec__conv(b, y, EC__CONV(.k = k * radix, .groups = groups, .bias = true, .name = "fc2"));
    x = ec_b2(b, x, radix_weights(b, y, radix, groups), "mul");
    return radix > 1 ? ec_b1(b, x, "reduce_sum axes=1 keepdims=0") : x;
}

/* Half of the channels through a 3x3, half through a dilated one; both give all channels. */
int ec__selective(struct ec_builder *b, int x, struct ec__conv c, int64_t squeeze)
{
    int64_t half = ec_b_dim(b, x, 1) / 2, sizes[2] = { half, half };
    int xs[2], y, i;

    ec__split(b, x, 1, sizes, 2, xs);
    for (i = 0; i < 2; i++) {
        c.dil = i + 1;
        c.name = i ? "paths.1.conv" : "paths.0.conv";
        c.norm = i ? "paths.1.bn" : "paths.0.bn";
        xs[i] = ec__conv_bn_act(b, xs[i], c, "relu");
    }
    x = radices(b, ec_bn(b, xs, 2, "concat"), 2);
    y = ec_b1(b, ec_b1(b, x, "reduce_sum axes=1 keepdims=0"), "global_avg_pool");
    y = ec__conv_bn_act(b, y, EC__CONV(.k = squeeze, .name = "fc_reduce"), "relu");
    y = ec__conv(b, y, EC__CONV(.k = 2 * c.k, .name = "fc_select"));
    y = ec_b1(b, ec_b1(b, y, "reshape shape=0,2,-1,1,1"), "softmax axis=1");
    return ec_b1(b, ec_b2(b, x, y, "mul"), "reduce_sum axes=1 keepdims=0");
}

#define SCALES_MAX 16

/* Each part but the last has a filter, which gets the result of the part before it, too; in the
 * first block of a stage the parts are apart and the last one is pooled. */
int ec__multi_scale(struct ec_builder *b, int x, struct ec__conv c, int64_t scale, bool first)
{
    int64_t sizes[SCALES_MAX] = { 0 };
    int xs[SCALES_MAX], n = (int)(scale < SCALES_MAX ? scale : SCALES_MAX), i, y = -1;

    for (i = 0; i < n; i++)
        sizes[i] = c.k;
    ec__split(b, x, 1, sizes, n, xs);
    for (i = 0; i + 1 < n; i++) {
        y = i && !first ? ec__add(b, y, xs[i]) : xs[i];
        xs[i] = y = ec__conv_bn_act(b, y, c, "relu");
    }
    if (first)
        xs[n - 1] = ec_b1(b, xs[n - 1], "avg_pool2d r=3 stride=%lld pad=1", EC__I64(c.stride));
    return ec_bn(b, xs, n, "concat");
}
