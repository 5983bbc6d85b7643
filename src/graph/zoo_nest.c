/* NesT: attention inside blocks of the map only; between stages a convolution and a pool exchange
 * what the blocks found, and four blocks become one. */
#include "graph/zoo_internal.h"

#define NEST(X, T)                                                                                 \
    X(T, INTS, widths, 1, 65536, "features of each stage: 128x256x512")                            \
    X(T, INTS, layers, 1, 1000, "layers of each stage: 2x2x20")                                    \
    X(T, INTS, heads, 1, 1024, "attention heads of each stage: 4x8x16")                            \
    X(T, BOOL, same, "pools pad as TensorFlow does")                                               \
    X(T, REAL, drop_path, 0, 0.99, "probability of dropping the last branch")
EC__VARIANT(nest, NEST);

enum { PATCH = 4 };

/* x (n, blocks, t, c) */
static int layer(struct ec_builder *b, int x, int64_t heads, double p)
{
    int64_t blocks = ec_b_dim(b, x, 1), t = ec_b_dim(b, x, 2), c = ec_b_dim(b, x, 3);
    int y = ec__layer_norm(b, x, "norm1");

    y = ec_b1(b, y, "reshape shape=-1,%lld,%lld", EC__I64(t), EC__I64(c));
    y = ec__self_attention(b, y, heads, true);
    y = ec_b1(b, y, "reshape shape=-1,%lld,%lld,%lld", EC__I64(blocks), EC__I64(t), EC__I64(c));
    x = ec__residual(b, x, y, NULL, p);
    y = ec__mlp(b, ec__layer_norm(b, x, "norm2"), 4 * c, "gelu", 0);
    return ec__residual(b, x, y, NULL, p);
}

static int pool(struct ec_builder *b, int x, int64_t c, const struct ec__nest *v)
{
    x = ec__conv(b, x, EC__CONV(.k = c, .r = 3, .bias = true, .name = "pool.conv"));
    x = ec__map_norm(b, x, "pool.norm");
    return ec_b1(b, x, "max_pool2d r=3 stride=2 pad=%s", v->same ? "same" : "1");
}

static int stages(struct ec_builder *b, int x, const struct ec__nest *v, int64_t side)
{
    int64_t n = ec_b_dim(b, x, 0), total = ec__sum(&v->layers), at = 0, j;
    int i;

    for (i = 0; ec_b_each(b, i, v->layers.n, "levels.%d.", i); i++) {
        int64_t h, w;

        x = i ? pool(b, x, v->widths.v[i], v) : x;
        h = ec_b_dim(b, x, 2);
        w = ec_b_dim(b, x, 3);
        x = ec_b1(b, ec__windows(b, ec__to_last(b, x), side), "reshape shape=%lld,-1,%lld,%lld",
                  EC__I64(n), EC__I64(side * side), EC__I64(v->widths.v[i]));
        x = ec__add(b, x,
                    ec_b_param(b, "pos_embed", 4, (int64_t)1, ec_b_dim(b, x, 1), side * side,
                               v->widths.v[i]));
        for (j = 0; ec_b_each(b, j, v->layers.v[i], "%lld.", EC__I64(j)); j++, at++)
            x = layer(b, x, v->heads.v[i], ec__rising(v->drop_path, at, total));
        x = ec__to_second(b, ec__windows_map(b, x, side, h, w));
    }
    return x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__nest *v = variant;
    int n = v->layers.n, x = ec__input_image(b, net, 3);
    int64_t blocks, side;

    if (!ec__per_stage(b, n, "widths", v->widths.n, "heads", v->heads.n, NULL))
        return -1;
    blocks = (int64_t)1 << (n - 1); /* along a side of the first map; of the last map one */
    side = net->size / PATCH / blocks;
    if (side < 1 || net->size % (PATCH * blocks)) {
        b->st = ec_fail(b->err, EC_E_INPUT, "an image of %lld is not %lld whole blocks of patches",
                        EC__I64(net->size), EC__I64(blocks));
        return -1;
    }
    x = ec_b1(b, x, "conv2d k=%lld r=%d stride=%d name=patch_embed.proj", EC__I64(v->widths.v[0]),
              PATCH, PATCH);
    x = stages(b, x, v, side);
    x = ec__map_norm(b, x, "norm");
    return ec__classifier(b, x, 0, net->classes, "head");
}

EC__FAMILY(nest, "attention inside blocks that merge", "classify", NEST, build);
