/* U-Net on images and volumes: down, up, and every level joined across. Two 3x3 convolutions per
 * level, each with norm and ReLU, padded so that sizes are kept. */
#include "graph/zoo_internal.h"

#define UNET(X, T)                                                                                 \
    X(T, INTS, widths, 1, 65536, "channels of each level, finest first: 64x128x256")               \
    X(T, INT, dims, 2, 3, "2: images, 3: volumes")                                                 \
    X(T, BOOL, strided, "convolutions with stride in place of pools")                              \
    X(T, BOOL, instance, "instance norm in place of batch norm")
EC__VARIANT(unet, UNET);

#define LEVELS_MAX 16

static int conv(struct ec_builder *b, int x, const struct ec__unet *v, int64_t k, int64_t stride)
{
    x = ec_b1(b, x, "conv%lldd k=%lld%s r=3 stride=%lld pad=1 bias=0", EC__I64(v->dims), EC__I64(k),
              v->dims == 3 ? " t=3" : "", EC__I64(stride));
    x = ec_b1(b, x, v->instance ? "instance_norm affine=1" : "batch_norm");
    return ec__act(b, x, "relu");
}

static int down(struct ec_builder *b, int x, const struct ec__unet *v, int64_t k)
{
    if (v->strided)
        return conv(b, conv(b, x, v, k, 2), v, k, 1);
    x = v->dims == 3 ? ec_b1(b, x, "max_pool3d t=2 r=2") : ec_b1(b, x, "max_pool2d r=2");
    return conv(b, conv(b, x, v, k, 1), v, k, 1);
}

static int up(struct ec_builder *b, int x, int across, const struct ec__unet *v, int64_t k)
{
    int xs[2] = { across, -1 };

    xs[1] = ec_b1(b, x, "conv_transpose%lldd k=%lld%s r=2 stride=2", EC__I64(v->dims), EC__I64(k),
                  v->dims == 3 ? " t=2" : "");
    x = ec_bn(b, xs, 2, "concat");
    return conv(b, conv(b, x, v, k, 1), v, k, 1);
}

static int input(struct ec_builder *b, const struct ec__net *net, const struct ec__unet *v)
{
    int64_t c = net->channels ? net->channels : 3;

    if (v->dims == 2)
        return ec_b_input(b, "input", EC_DT_f32, 4, net->batch, c, net->size, net->size);
    return ec_b_input(b, "input", EC_DT_f32, 5, net->batch, c, net->size, net->size, net->size);
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__unet *v = variant;
    int level[LEVELS_MAX], n = v->widths.n, i, x;

    if (n < 1 || n > LEVELS_MAX || (net->size >> (n - 1)) << (n - 1) != net->size) {
        b->st = ec_fail(b->err, EC_E_INPUT, "a side of %lld cannot be halved %d times",
                        EC__I64(net->size), n - 1);
        return -1;
    }
    b->g->task = "segment";
    x = conv(b, input(b, net, v), v, v->widths.v[0], 1);
    level[0] = conv(b, x, v, v->widths.v[0], 1);
    for (i = 1; i < n; i++) {
        size_t old = ec_b_push(b, "down%d.", i);

        level[i] = down(b, level[i - 1], v, v->widths.v[i]);
        ec_b_pop(b, old);
    }
    for (x = level[n - 1], i = n - 2; i >= 0; i--) {
        size_t old = ec_b_push(b, "up%d.", i);

        x = up(b, x, level[i], v, v->widths.v[i]);
        ec_b_pop(b, old);
    }
    return ec_b1(b, x, "conv%lldd k=%lld r=1 name=out", EC__I64(v->dims), EC__I64(net->classes));
}

EC__FAMILY(unet, "encoder, decoder and joins across", "classify", UNET, build);
