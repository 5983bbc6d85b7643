/* Twins: attention to a summary of the map, and (SVT) in turn with attention inside windows; a
 * depthwise convolution in each stage gives positions. */
#include "graph/zoo_internal.h"

#define TWINS(X, T)                                                                                \
    X(T, INTS, widths, 1, 65536, "features of each stage: 64x128x256x512")                         \
    X(T, INTS, layers, 1, 1000, "blocks of each stage: 2x2x10x4")                                  \
    X(T, INTS, heads, 1, 1024, "attention heads of each stage: 2x4x8x16")                          \
    X(T, INTS, ratios, 1, 64, "of each stage, inner features of its MLP to width")                 \
    X(T, INTS, sr, 1, 256, "of each stage, side of what one summary token stands for")             \
    X(T, INT, window, 0, 256, "side of the windows of every second block; 0: none")
EC__VARIANT(twins, TWINS);

struct stage {
    int64_t heads, sr, window, h, w; /* sr: side of what one summary token stands for */
};

/* Attention inside windows; the map is padded to whole ones. */
static int grouped(struct ec_builder *b, int x, const struct stage *s)
{
    int64_t c = ec_b_dim(b, x, 2), side = s->window;
    int64_t h = ec__round_up(s->h, side), w = ec__round_up(s->w, side);
    int qkv[3];

    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(s->h), EC__I64(s->w), EC__I64(c));
    x = ec__windows(b, ec__pad_map(b, x, side), side);
    ec__split_parts(b, ec__linear(b, x, 3 * c, true, "attn.qkv"), 3, s->heads, qkv);
    x = ec__windows_map(b, ec__join_heads(b, ec__attend(b, qkv, -1)), side, h, w);
    x = ec__crop_map(b, x, s->h, s->w);
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld", EC__I64(s->h * s->w), EC__I64(c));
    return ec__linear(b, x, c, true, "attn.proj");
}

/* Attention to the tokens of a strided convolution. */
static int summarised(struct ec_builder *b, int x, const struct stage *s)
{
    int64_t c = ec_b_dim(b, x, 2);
    int qkv[3];

    qkv[0] = ec__split_heads(b, ec__linear(b, x, c, true, "attn.q"), s->heads);
    if (s->sr > 1) {
        x = ec__tokens_map(b, x, s->h, s->w);
        x = ec__layer_norm(b, ec__patches(b, x, c, s->sr, "attn.sr"), "attn.norm");
    }
    ec__split_parts(b, ec__linear(b, x, 2 * c, true, "attn.kv"), 2, s->heads, qkv + 1);
    return ec__linear(b, ec__join_heads(b, ec__attend(b, qkv, -1)), c, true, "attn.proj");
}

static int block(struct ec_builder *b, int x, const struct stage *s, int64_t inner, bool windows)
{
    int y = ec__layer_norm(b, x, "norm1");

    x = ec__add(b, x, windows ? grouped(b, y, s) : summarised(b, y, s));
    return ec__add(b, x, ec__mlp(b, ec__layer_norm(b, x, "norm2"), inner, "gelu", 0));
}

static int place(struct ec_builder *b, int x, const struct stage *s)
{
    int64_t c = ec_b_dim(b, x, 2);
    int map = ec__tokens_map(b, x, s->h, s->w);

    x = ec__conv(b, map, EC__CONV(.k = c, .r = 3, .groups = c, .bias = true, .name = "pos_block"));
    return ec__map_tokens(b, ec__add(b, x, map));
}

static int stages(struct ec_builder *b, int x, const struct ec__twins *v)
{
    struct stage s = { .window = v->window };
    int64_t j;
    int i;

    for (i = 0; ec_b_each(b, i, v->layers.n, "stages.%d.", i); i++) {
        int64_t c = v->widths.v[i], patch = i ? 2 : 4;

        s.heads = v->heads.v[i];
        s.sr = v->sr.v[i];
        s.h = ec_b_dim(b, x, 2) / patch;
        s.w = ec_b_dim(b, x, 3) / patch;
        x = ec__layer_norm(b, ec__patches(b, x, c, patch, "patch.proj"), "patch.norm");
        for (j = 0; j < v->layers.v[i] && !b->st; j++) {
            size_t outer = ec_b_push(b, "%lld.", EC__I64(j));

            x = block(b, x, &s, v->ratios.v[i] * c, v->window && j % 2 == 0);
            ec_b_pop(b, outer);
            x = j ? x : place(b, x, &s);
        }
        x = i + 1 < v->layers.n ? ec__tokens_map(b, x, s.h, s.w) : x;
    }
    return x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__twins *v = variant;
    int n = v->layers.n, x = ec__input_image(b, net, 3);

    if (!ec__per_stage(b, n, "widths", v->widths.n, "heads", v->heads.n, "ratios", v->ratios.n,
                       "sr", v->sr.n, NULL))
        return -1;
    x = ec__layer_norm(b, stages(b, x, v), "norm");
    return ec__linear(b, ec_b1(b, x, "reduce_mean axes=1 keepdims=0"), net->classes, true, "head");
}

EC__FAMILY(twins, "attention to summaries and inside windows", "classify", TWINS, build);
