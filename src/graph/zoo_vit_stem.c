/* What comes before the patches of hybrid vision transformers: residual stages or convolutions. */
#include "graph/zoo_vit_internal.h"

/* Tokens of `hidden` features at once; the last convolution has a bias and nothing after it. */
static int convolutions(struct ec_builder *b, int x, int64_t hidden)
{
    static const int side[] = { 4, 2, 2 };
    int i;

    for (i = 0; i < 2; i++) {
        x = ec_b1(b, x, "conv2d k=%lld r=%d stride=%d bias=0", EC__I64(hidden / 4), side[i],
                  side[i]);
        x = ec__bn_act(b, x, "gelu");
    }
    return ec_b1(b, x, "conv2d k=%lld r=%d stride=%d", EC__I64(hidden), side[i], side[i]);
}

static int conv_bias(struct ec_builder *b, int x, struct ec__conv c)
{
    c.bias = true;
    return ec__conv(b, x, c);
}

/* An inverted residual; the first of a stage has stride 2. */
static int inverted(struct ec_builder *b, int x, int64_t out, bool first)
{
    int y = ec__map_norm(b, x, "pre_norm");

    y = ec_b1(b, conv_bias(b, y, EC__CONV(.k = 4 * out, .name = "conv1_1x1")), "gelu");
    y = conv_bias(b, y,
                  EC__CONV(.k = 4 * out, .r = 3, .stride = first ? 2 : 1, .groups = 4 * out,
                           .name = "conv2_kxk"));
    y = conv_bias(b, ec_b1(b, y, "gelu"), EC__CONV(.k = out, .name = "conv3_1x1"));
    if (first)
        x = ec_b1(b, x, "avg_pool2d r=3 stride=2 pad=1 count_include_pad=0");
    if (ec_b_dim(b, x, 1) != out)
        x = conv_bias(b, x, EC__CONV(.k = out, .name = "shortcut.expand"));
    return ec__add(b, y, x);
}

static int vitamin(struct ec_builder *b, int x, const struct ec__vit *v)
{
    int64_t j;
    int i;

    if (!ec__per_stage(b, v->stem_layers.n, "stem_widths", v->stem_widths.n, NULL))
        return -1;
    x = conv_bias(b, x,
                  EC__CONV(.k = v->stem_widths.v[0], .r = 3, .stride = 2, .name = "stem.conv1"));
    x = ec_b1(b, ec__map_norm(b, x, "stem.norm1"), "gelu");
    x = conv_bias(b, x, EC__CONV(.k = v->stem_widths.v[0], .r = 3, .name = "stem.conv2"));
    for (i = 0; i < v->stem_layers.n; i++)
        for (j = 0; ec_b_each(b, j, v->stem_layers.v[i], "stages.%d.%lld.", i, EC__I64(j)); j++)
            x = inverted(b, x, v->stem_widths.v[i], !j);
    x = ec__map_norm(b, x, "pool.norm");
    return conv_bias(b, x, EC__CONV(.k = v->hidden, .r = 3, .stride = 2, .name = "pool.proj"));
}

int ec__vit_stem(struct ec_builder *b, int image, const struct ec__vit *v, int64_t *ret_patch)
{
    size_t old = ec_b_push(b, "backbone.");
    int x = image;

    *ret_patch = v->patch;
    if (v->stem == EC__STEM_RESNET_V2)
        x = ec__resnet_maps(
            b, x,
            &(struct ec__resnet){ .layers = v->stem_layers, .norm = EC__NORM_GROUP, .std = true });
    if (v->stem == EC__STEM_RESNET_D)
        x = ec__resnet_maps(
            b, x,
            &(struct ec__resnet){
                .layers = v->stem_layers, .stem = {3, { 32, 32, 64 }},
                     .avg_down = true
        });
    if (v->stem == EC__STEM_CONVS)
        x = convolutions(b, x, v->hidden);
    if (v->stem == EC__STEM_VITAMIN)
        x = vitamin(b, x, v);
    if (v->stem == EC__STEM_CONVS || v->stem == EC__STEM_VITAMIN)
        *ret_patch = 0;
    ec_b_pop(b, old);
    return x;
}
