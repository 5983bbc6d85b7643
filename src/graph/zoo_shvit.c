/* Two transformers on maps of a sixteenth of the image's side, with stems, feed-forwards and steps
 * between stages of one kind: EfficientViT with cascaded groups (m0 to m5), where each head sees
 * its own channels and the result of the head before it, and SHViT, whose only head sees a part of
 * the channels. Attention has the features as rows where the map has them so. */
#include "graph/zoo_internal.h"

#define EFFICIENTVIT_M(X, T)                                                                       \
    X(T, INTS, widths, 8, 65536, "channels of each stage: 64x128x192")                             \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 1x2x3")                                     \
    X(T, INTS, heads, 1, HEADS_MAX, "attention heads of each stage: 4x4x4")                        \
    X(T, INTS, filters, 1, 63, "side of the filter of the queries of each head")                   \
    X(T, BOOL, merged, "as it infers: convolutions and their norms are one")
EC__VARIANT(efficientvit_m, EFFICIENTVIT_M);

#define SHVIT(X, T)                                                                                \
    X(T, INTS, widths, 8, 65536, "channels of each stage: 128x224x320")                            \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 2x4x5")                                     \
    X(T, INTS, parts, 0, 65536, "channels that attend, of each stage; 0: none")                    \
    X(T, BOOL, merged, "as it infers: convolutions and their norms are one")
EC__VARIANT(shvit, SHVIT);

#define KEY_DIM 16

/* merged: as they infer, each convolution with its norm as one */
static int feed_forward(struct ec_builder *b, int x, bool merged)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec__conv_norm(b, x, EC__CONV(.k = 2 * c), merged);

    return ec__add(b, x, ec__conv_norm(b, ec_b1(b, y, "relu"), EC__CONV(.k = c), merged));
}

/* Adds its input. fold: merged, the sum is a part of the filter */
static int depthwise(struct ec_builder *b, int x, bool merged, bool fold)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec__conv_norm(b, x, EC__CONV(.k = c, .r = 3, .groups = c), merged);

    return merged && fold ? y : ec__add(b, x, y);
}

static int stem(struct ec_builder *b, int x, int64_t k, bool merged)
{
    int i;

    for (i = 3; i >= 0; i--) {
        x = ec__conv_norm(b, x, EC__CONV(.k = k >> i, .r = 3, .stride = 2), merged);
        x = i ? ec_b1(b, x, "relu") : x;
    }
    return x;
}

static int downsample(struct ec_builder *b, int x, int64_t out, bool merged, bool fold)
{
    int64_t mid = 4 * ec_b_dim(b, x, 1);

    x = feed_forward(b, depthwise(b, x, merged, fold), merged);
    x = ec_b1(b, ec__conv_norm(b, x, EC__CONV(.k = mid), merged), "relu");
    x = ec__conv_norm(b, x, EC__CONV(.k = mid, .r = 3, .stride = 2, .groups = mid), merged);
    x = ec__se(b, ec_b1(b, x, "relu"), ec__round_to((double)mid / 4, 8, false), "relu", "sigmoid");
    x = ec__conv_norm(b, x, EC__CONV(.k = out), merged);
    return feed_forward(b, depthwise(b, x, merged, fold), merged);
}

static int head(struct ec_builder *b, int x, int64_t classes, bool merged)
{
    x = ec_b1(b, ec_b1(b, x, "global_avg_pool"), "flatten");
    x = merged ? x : ec_b1(b, x, "batch_norm name=head.bn");
    return ec__linear(b, x, classes, true, "head.l");
}

/* Maps q, k (n, d, h, w) and v (n, e, h, w) -> (n, e, h, w) */
static int attend_maps(struct ec_builder *b, const int qkv[3], int bias)
{
    int64_t h = ec_b_dim(b, qkv[2], 2), w = ec_b_dim(b, qkv[2], 3), d = ec_b_dim(b, qkv[0], 1);
    int flat[3], x, i;

    for (i = 0; i < 3; i++)
        flat[i] = ec_b1(b, qkv[i], "reshape shape=0,0,-1");
    x = ec__scaled(b, ec_b2(b, flat[0], flat[1], "matmul transpose_a=1"), d);
    x = bias >= 0 ? ec__add(b, x, bias) : x;
    x = ec_b2(b, flat[2], ec_b1(b, x, "softmax"), "matmul transpose_b=1");
    return ec_b1(b, x, "reshape shape=0,0,%lld,%lld", EC__I64(h), EC__I64(w));
}

/* --- EfficientViT with cascaded groups --- */

#define HEADS_MAX 16

static int cascade(struct ec_builder *b, int x, const struct ec__efficientvit_m *v, int64_t heads)
{
    int64_t t = ec_b_dim(b, x, 2) * ec_b_dim(b, x, 3), c = ec_b_dim(b, x, 1), i;
    int64_t d = heads ? c / heads : c;
    const int64_t sizes[3] = { KEY_DIM, KEY_DIM, d };
    int in[HEADS_MAX], bias[HEADS_MAX], qkv[3], feat = -1;

    ec__chunk(b, x, 1, (int)heads, in);
    ec__chunk(b, ec__distance_bias(b, heads, t, t), 0, (int)heads, bias);
    for (i = 0; ec_b_each(b, i, heads, "head%lld.", EC__I64(i)); i++) {
        feat = i ? ec__add(b, feat, in[i]) : in[0];
        feat = ec__conv_norm(b, feat, EC__CONV(.k = 2 * KEY_DIM + d, .name = "qkv"), v->merged);
        ec__split(b, feat, 1, sizes, 3, qkv);
        qkv[0] = ec__conv_norm(
            b, qkv[0],
            EC__CONV(.k = KEY_DIM, .r = v->filters.v[i], .groups = KEY_DIM, .name = "dw"),
            v->merged);
        in[i] = feat = attend_maps(b, qkv, bias[i]);
    }
    x = ec_b1(b, ec__concat(b, in, (int)heads), "relu");
    return ec__conv_norm(b, x, EC__CONV(.k = c, .name = "proj"), v->merged);
}

/* The same in windows, which become samples. */
static int windowed(struct ec_builder *b, int x, const struct ec__efficientvit_m *v, int64_t heads)
{
    int64_t s = 7, c = ec_b_dim(b, x, 1), h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3);

    if (h <= s && w <= s)
        return cascade(b, x, v, heads);
    x = ec__windows(b, ec__pad_map(b, ec__to_last(b, x), s), s);
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(s), EC__I64(s), EC__I64(c));
    x = ec__to_last(b, cascade(b, ec__to_second(b, x), v, heads));
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld", EC__I64(s * s), EC__I64(c));
    x = ec__windows_map(b, x, s, ec__round_up(h, s), ec__round_up(w, s));
    return ec__to_second(b, ec__crop_map(b, x, h, w));
}

static int cascade_block(struct ec_builder *b, int x, const struct ec__efficientvit_m *v,
                         int64_t heads)
{
    x = feed_forward(b, depthwise(b, x, v->merged, false), v->merged);
    x = ec__add(b, x, windowed(b, x, v, heads));
    return feed_forward(b, depthwise(b, x, v->merged, false), v->merged);
}

static int efficientvit_m_build(struct ec_builder *b, const struct ec__net *net,
                                const void *variant)
{
    const struct ec__efficientvit_m *v = variant;
    int i, x = ec__input_image(b, net, 3);
    int64_t j;

    for (i = 0; i < v->heads.n && v->heads.v[i] <= v->filters.n; i++)
        ;
    if (v->widths.n != v->depths.n || v->heads.n != v->depths.n || i < v->heads.n) {
        b->st = ec_fail(b->err, EC_E_INPUT,
                        "%d widths, %d depths, %d heads, expected as many of each, and a filter "
                        "for each head",
                        v->widths.n, v->depths.n, v->heads.n);
        return -1;
    }
    x = stem(b, x, v->widths.n ? v->widths.v[0] : 0, v->merged);
    for (i = 0; i < v->widths.n; i++) {
        x = i ? downsample(b, x, v->widths.v[i], v->merged, false) : x;
        for (j = 0; ec_b_each(b, j, v->depths.v[i], "stages.%d.blocks.%lld.", i, EC__I64(j)); j++)
            x = cascade_block(b, x, v, v->heads.v[i]);
    }
    return head(b, x, net->classes, v->merged);
}

EC__FAMILY(efficientvit_m, "attention of cascaded groups of channels", "classify", EFFICIENTVIT_M,
           efficientvit_m_build);

/* --- SHViT --- */

static int single_head(struct ec_builder *b, int x, const struct ec__shvit *v, int64_t part)
{
    int64_t c = ec_b_dim(b, x, 1);
    const int64_t sizes[3] = { KEY_DIM, KEY_DIM, part }, halves[2] = { part, c - part };
    int xs[2], qkv[3];

    ec__split(b, x, 1, halves, 2, xs);
    x = ec_b1(b, xs[0], "group_norm groups=1 name=pre_norm");
    x = ec__conv_norm(b, x, EC__CONV(.k = 2 * KEY_DIM + part, .name = "qkv"), v->merged);
    ec__split(b, x, 1, sizes, 3, qkv);
    xs[0] = attend_maps(b, qkv, -1);
    x = ec_b1(b, ec__concat(b, xs, 2), "relu");
    return ec__conv_norm(b, x, EC__CONV(.k = c, .name = "proj"), v->merged);
}

static int shvit_block(struct ec_builder *b, int x, const struct ec__shvit *v, int64_t part)
{
    x = depthwise(b, x, v->merged, true);
    if (part)
        x = ec__add(b, x, single_head(b, x, v, part));
    return feed_forward(b, x, v->merged);
}

static int shvit_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__shvit *v = variant;
    int i, x = ec__input_image(b, net, 3);
    int64_t j;

    if (!ec__per_stage(b, v->widths.n, "depths", v->depths.n, "parts", v->parts.n, NULL))
        return -1;
    x = stem(b, x, v->widths.n ? v->widths.v[0] : 0, v->merged);
    for (i = 0; i < v->widths.n; i++) {
        x = i ? downsample(b, x, v->widths.v[i], v->merged, true) : x;
        for (j = 0; ec_b_each(b, j, v->depths.v[i], "stages.%d.blocks.%lld.", i, EC__I64(j)); j++)
            x = shvit_block(b, x, v, v->parts.v[i]);
    }
    return head(b, x, net->classes, v->merged);
}

EC__FAMILY(shvit, "attention of one head on a part of the channels", "classify", SHVIT,
           shvit_build);
