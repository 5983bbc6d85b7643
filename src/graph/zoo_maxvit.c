/* MaxViT: an inverted residual, then attention inside windows, then over a grid of distant pixels.
 */
#include "graph/zoo_internal.h"

#define MAXVIT(X, T)                                                                               \
    X(T, INT, stem, 1, 16384, "filters of the stem")                                               \
    X(T, INTS, layers, 1, 1000, "layers of each stage: 2x2x5x2")                                   \
    X(T, INTS, widths, 4, 65536, "channels of each stage: 64x128x256x512")                         \
    X(T, INT, window, 2, 256, "side of windows and grids")                                         \
    X(T, INT, head_dim, 1, 4096, "features of an attention head")                                  \
    X(T, REAL, drop_path, 0, 0.99, "probability of dropping the last branch")
EC__VARIANT(maxvit, MAXVIT);

/* Squeezed to a quarter of the output; norms before, a plain 1x1 at the end. */
static int mbconv(struct ec_builder *b, int x, int64_t out, int64_t stride, double p)
{
    int64_t mid = 4 * out;
    int y, side = x;

    if (stride > 1)
        side = ec_b1(b, side, "avg_pool2d r=3 stride=2 pad=1");
    if (stride > 1 || ec_b_dim(b, x, 1) != out)
        side = ec__conv(b, side, EC__CONV(.k = out, .bias = true, .name = "proj"));
    y = ec_b1(b, x, "batch_norm name=pre_norm");
    y = ec__conv_bn_act(b, y, EC__CONV(.k = mid, .name = "conv_a"), "gelu");
    y = ec__conv_bn_act(
        b, y, EC__CONV(.k = mid, .r = 3, .stride = stride, .groups = mid, .name = "conv_b"),
        "gelu");
    y = ec__se(b, y, out / 4, "silu", "sigmoid");
    y = ec__conv(b, y, EC__CONV(.k = out, .bias = true, .name = "conv_c"));
    return ec__add(b, side, ec__drop_path(b, y, p));
}

/* (n, groups, l, c); one bias table for all groups */
static int attention(struct ec_builder *b, int x, const struct ec__maxvit *v)
{
    int64_t c = ec_b_dim(b, x, 3), heads = c / v->head_dim, l = v->window * v->window;
    int64_t n = 2 * v->window - 1;
    const struct ec_node *split;
    int qkv[3] = { -1, -1, -1 }, bias, index, i;

    (void)ec_b1(b, ec__linear(b, x, 3 * c, true, "to_qkv"), "split axis=3 parts=3");
    split = ec_b_last(b);
    for (i = 0; split && i < 3; i++) {
        qkv[i] = ec_b1(b, split->out[i], "reshape shape=0,0,0,%lld,-1", EC__I64(heads));
        qkv[i] = ec_b1(b, qkv[i], "transpose perm=0,1,3,2,4");
    }
    x = ec_b2(b, qkv[0], ec__scaled(b, qkv[1], c / heads), "matmul transpose_b=1");
    bias = ec_b_param(b, "relative_position_bias_table", 2, n * n, heads);
    index = ec__const(b, "relative_position_index", EC_DT_i64, 1, l * l);
    bias = ec_b2(b, bias, ec__holds_rule(b, index, "relative_index", 0, 0, 0), "gather axis=0");
    bias = ec_b1(b, bias, "reshape shape=%lld,%lld,-1", EC__I64(l), EC__I64(l));
    bias = ec_b1(b, ec_b1(b, bias, "transpose perm=2,0,1"), "unsqueeze axes=0");
    x = ec_b2(b, ec_b1(b, ec__add(b, x, bias), "softmax"), qkv[2], "matmul");
    x = ec_b1(b, ec_b1(b, x, "transpose perm=0,1,3,2,4"), "reshape shape=0,0,0,-1");
    return ec__linear(b, x, c, true, "merge");
}

/* Attention and dense layers on pixels that lie in one window, or as far apart as the grid. */
static int partition_layer(struct ec_builder *b, int x, const struct ec__maxvit *v, bool grid,
                           double p)
{
    int64_t h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3), c = ec_b_dim(b, x, 1);
    int64_t ph = grid ? h / v->window : v->window, pw = grid ? w / v->window : v->window;
    int y;

    if (b->st || h % v->window || w % v->window) {
        if (!b->st)
            b->st = ec_fail(b->err, EC_E_INPUT, "a map of %lldx%lld has no windows of %lld",
                            EC__I64(h), EC__I64(w), EC__I64(v->window));
        return -1;
    }
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld,%lld,%lld", EC__I64(c), EC__I64(h / ph),
              EC__I64(ph), EC__I64(w / pw), EC__I64(pw));
    x = ec_b1(b, x, "transpose perm=0,2,4,3,5,1");
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(h / ph * (w / pw)), EC__I64(ph * pw),
              EC__I64(c));
    x = grid ? ec_b1(b, x, "transpose perm=0,2,1,3") : x;
    y = attention(b, ec_b1(b, x, "layer_norm name=attn_norm"), v);
    x = ec__add(b, x, ec__drop_path(b, y, p));
    y = ec_b1(b, x, "layer_norm name=mlp_norm");
    y = ec_b1(b, ec__linear(b, y, 4 * c, true, "mlp.1"), "gelu");
    x = ec__add(b, x, ec__drop_path(b, ec__linear(b, y, c, true, "mlp.3"), p));
    x = grid ? ec_b1(b, x, "transpose perm=0,2,1,3") : x;
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld,%lld,%lld", EC__I64(h / ph), EC__I64(w / pw),
              EC__I64(ph), EC__I64(pw), EC__I64(c));
    x = ec_b1(b, x, "transpose perm=0,5,1,3,2,4");
    return ec_b1(b, x, "reshape shape=0,0,%lld,%lld", EC__I64(h), EC__I64(w));
}

static int layer(struct ec_builder *b, int x, const struct ec__maxvit *v, int64_t out,
                 int64_t stride, double p)
{
    size_t old = ec_b_push(b, "MBconv.");

    x = mbconv(b, x, out, stride, p);
    ec_b_pop(b, old);
    old = ec_b_push(b, "window_attention.");
    x = partition_layer(b, x, v, false, p);
    ec_b_pop(b, old);
    old = ec_b_push(b, "grid_attention.");
    x = partition_layer(b, x, v, true, p);
    ec_b_pop(b, old);
    return x;
}

static int stages(struct ec_builder *b, int x, const struct ec__maxvit *v)
{
    int64_t total = ec__sum(&v->layers), at = 0, j;
    int i;

    for (i = 0; i < v->layers.n; i++)
        for (j = 0; ec_b_each(b, j, v->layers.v[i], "blocks.%d.%lld.", i, EC__I64(j)); j++, at++)
            x = layer(b, x, v, v->widths.v[i], j ? 1 : 2, ec__rising(v->drop_path, at, total));
    return x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__maxvit *v = variant;
    int x = ec__input_image(b, net, 3);

    if (!ec__per_stage(b, v->layers.n, "widths", v->widths.n, NULL))
        return -1;
    x = ec__conv_bn_act(b, x, EC__CONV(.k = v->stem, .r = 3, .stride = 2, .name = "stem.0"),
                        "gelu");
    x = ec__conv(b, x, EC__CONV(.k = v->stem, .r = 3, .bias = true, .name = "stem.1"));
    x = ec_b1(b, stages(b, x, v), "global_avg_pool");
    x = ec_b1(b, ec_b1(b, x, "flatten"), "layer_norm name=classifier.2");
    x = ec_b1(b, ec__linear(b, x, ec_b_dim(b, x, 1), true, "classifier.3"), "tanh");
    return ec__linear(b, x, net->classes, false, "classifier.5");
}

EC__FAMILY(maxvit, "convolution, window and grid attention", "classify", MAXVIT, build);
