/* PiT: a vision transformer whose map of patches is pooled between stages. */
#include "graph/zoo_internal.h"

#define PIT(X, T)                                                                                  \
    X(T, INT, patch, 1, 4096, "side of a patch")                                                   \
    X(T, INT, stride, 1, 4096, "from one patch to the next")                                       \
    X(T, INT, head_dim, 1, 4096, "features of an attention head")                                  \
    X(T, INTS, layers, 1, 1000, "blocks of each stage: 3x6x4")                                     \
    X(T, INTS, heads, 1, 1024, "attention heads of each stage: 4x8x16")                            \
    X(T, BOOL, distilled, "a second token and output")
EC__VARIANT(pit, PIT);

struct stage {
    int64_t layers, heads, h, w;
};

/* x (n, c, h, w) and tokens (n, k, c): joined for the blocks, then apart again. */
static void transform(struct ec_builder *b, int *x, int *tokens, const struct ec__pit *v,
                      const struct stage *s)
{
    int64_t k = ec_b_dim(b, *tokens, 1), i;
    int y = ec_bn(b, (int[]){ *tokens, ec__map_tokens(b, *x) }, 2, "concat");

    for (i = 0; ec_b_each(b, i, s->layers, "blocks.%lld.", EC__I64(i)); i++)
        y = ec__block(b, y, s->heads, 4 * v->head_dim * s->heads, 0);
    *tokens = ec__tokens_of(b, y, 0, k);
    *x = ec__tokens_map(b, ec__tokens_of(b, y, k, ec_b_dim(b, y, 1)), s->h, s->w);
}

/* Half as wide, with `out` channels: several filters for each channel. */
static void pool(struct ec_builder *b, int *x, int *tokens, int64_t out)
{
    *x = ec__conv(b, *x,
                  EC__CONV(.k = out, .r = 3, .stride = 2, .groups = ec_b_dim(b, *x, 1),
                           .bias = true, .name = "pool.conv"));
    *tokens = ec__linear(b, *tokens, out, true, "pool.fc");
}

static int stages(struct ec_builder *b, int x, const struct ec__pit *v, int64_t tokens)
{
    int64_t c = ec_b_dim(b, x, 1), n = ec_b_dim(b, x, 0);
    int cls = ec_b_param(b, "cls_token", 3, (int64_t)1, tokens, c), i;

    cls = ec_b1(b, cls, "expand shape=%lld,%lld,%lld", EC__I64(n), EC__I64(tokens), EC__I64(c));
    for (i = 0; ec_b_each(b, i, v->layers.n, "transformers.%d.", i); i++) {
        struct stage s = { v->layers.v[i], v->heads.v[i], ec_b_dim(b, x, 2), ec_b_dim(b, x, 3) };

        transform(b, &x, &cls, v, &s);
        if (i + 1 < v->layers.n)
            pool(b, &x, &cls, v->head_dim * v->heads.v[i + 1]);
    }
    return ec__layer_norm(b, cls, "norm");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__pit *v = variant;
    int x = ec__input_image(b, net, 3), first;

    if (!ec__per_stage(b, v->layers.n, "heads", v->heads.n, NULL))
        return -1;
    x = ec_b1(b, x, "conv2d k=%lld r=%lld stride=%lld name=patch_embed.conv",
              EC__I64(v->head_dim * v->heads.v[0]), EC__I64(v->patch), EC__I64(v->stride));
    x = ec__add(b, x,
                ec_b_param(b, "pos_embed", 4, (int64_t)1, ec_b_dim(b, x, 1), ec_b_dim(b, x, 2),
                           ec_b_dim(b, x, 3)));
    x = stages(b, x, v, v->distilled ? 2 : 1);
    first = ec__linear(b, ec__token(b, x, 0), net->classes, true, "head");
    if (v->distilled) {
        x = ec__linear(b, ec__token(b, x, 1), net->classes, true, "head_dist");
        if (!b->st)
            b->st = ec_graph_add_output(b->g, x, b->err);
    }
    return first;
}

EC__FAMILY(pit, "vision transformer with pools", "classify", PIT, build);
