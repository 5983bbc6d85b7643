/* TNT: a transformer over the pixels of each patch inside a transformer over the patches. */
#include "graph/zoo_internal.h"

#define TNT(X, T)                                                                                  \
    X(T, INT, hidden, 1, 65536, "features of a patch")                                             \
    X(T, INT, pixel, 1, 65536, "features of a pixel")                                              \
    X(T, INT, layers, 1, 1000, "blocks")                                                           \
    X(T, INT, heads, 1, 1024, "attention heads over patches")                                      \
    X(T, INT, pixel_heads, 1, 1024, "attention heads over pixels")
EC__VARIANT(tnt, TNT);

enum { PATCH = 16, STRIDE = 4, PIXELS = PATCH / STRIDE };

static int attention(struct ec_builder *b, int x, int64_t heads, const char *name)
{
    size_t old = ec_b_push(b, "%s.", name);
    int64_t c = ec_b_dim(b, x, 2);
    int qkv[3];

    ec__split_parts(b, ec__linear(b, x, 2 * c, false, "qk"), 2, heads, qkv);
    qkv[2] = ec__split_heads(b, ec__linear(b, x, c, false, "v"), heads);
    x = ec__linear(b, ec__join_heads(b, ec__attend(b, qkv, -1)), c, true, "proj");
    ec_b_pop(b, old);
    return x;
}

/* A transformer block over tokens (n, t, c). */
static int block(struct ec_builder *b, int x, int64_t heads, const char *part)
{
    size_t old = ec_b_push(b, "%s", part);

    x = ec__add(b, x, attention(b, ec__layer_norm(b, x, "norm"), heads, "attn"));
    x = ec__add(b, x,
                ec__mlp(b, ec__layer_norm(b, x, "norm_mlp"), 4 * ec_b_dim(b, x, 2), "gelu", 0));
    ec_b_pop(b, old);
    return x;
}

/* Pixels (n * patches, t, c), with what each pixel of a patch adds. */
static int pixel_tokens(struct ec_builder *b, int x, int64_t c)
{
    int64_t h, w, t = PIXELS * PIXELS;

    x = ec_b1(b, x, "conv2d k=%lld r=7 stride=%d pad=3 name=pixel_embed.proj", EC__I64(c), STRIDE);
    h = ec_b_dim(b, x, 2) / PIXELS;
    w = ec_b_dim(b, x, 3) / PIXELS;
    x = ec_b1(b, x, "reshape shape=0,0,%lld,%d,%lld,%d", EC__I64(h), PIXELS, EC__I64(w), PIXELS);
    x = ec_b1(b, ec_b1(b, x, "transpose perm=0,2,4,1,3,5"), "reshape shape=-1,%lld,%lld",
              EC__I64(c), EC__I64(t));
    x = ec__add(b, x, ec_b_param(b, "pixel_pos", 3, (int64_t)1, c, t));
    return ec_b1(b, x, "transpose perm=0,2,1");
}

/* Added to the patches (not to the class token): a dense layer over the pixels of each. */
static int from_pixels(struct ec_builder *b, int x, int pixels)
{
    int64_t t = ec_b_dim(b, x, 1), c = ec_b_dim(b, x, 2), all = PIXELS * PIXELS;
    int y = ec__layer_norm(b, pixels, "norm1_proj");

    y = ec_b1(b, y, "reshape shape=-1,%lld,%lld", EC__I64(t - 1), EC__I64(all * ec_b_dim(b, y, 2)));
    y = ec__add(b, ec__tokens_of(b, x, 1, t), ec__linear(b, y, c, true, "proj"));
    return ec_bn(b, (int[]){ ec__tokens_of(b, x, 0, 1), y }, 2, "concat");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__tnt *v = variant;
    int64_t patches = net->size / PATCH * (net->size / PATCH), i;
    int pixels, x;

    if (net->size % PATCH || !ec__heads_fit(b, v->hidden, v->heads)) {
        if (!b->st)
            b->st = ec_fail(b->err, EC_E_INPUT, "an image of %lld is no whole patches of %d",
                            EC__I64(net->size), PATCH);
        return -1;
    }
    pixels = pixel_tokens(b, ec__input_image(b, net, 3), v->pixel);
    x = ec_b1(b, pixels, "reshape shape=-1,%lld,%lld", EC__I64(patches),
              EC__I64(PIXELS * PIXELS * v->pixel));
    x = ec__linear(b, ec__layer_norm(b, x, "norm1_proj"), v->hidden, true, "proj");
    x = ec__prefix(b, ec__layer_norm(b, x, "norm2_proj"), 1, "cls_token");
    x = ec__positions(b, x, "patch_pos");
    for (i = 0; ec_b_each(b, i, v->layers, "blocks.%lld.", EC__I64(i)); i++) {
        pixels = block(b, pixels, v->pixel_heads, "in.");
        x = block(b, from_pixels(b, x, pixels), v->heads, "out.");
    }
    x = ec__token(b, ec__layer_norm(b, x, "norm"), 0);
    return ec__linear(b, x, net->classes, true, "head");
}

EC__FAMILY(tnt, "transformer over pixels inside one over patches", "classify", TNT, build);
