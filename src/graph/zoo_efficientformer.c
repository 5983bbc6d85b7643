/* EfficientFormer: maps of pools and 1x1 convolutions, then tokens that attend. In version 2 all
 * blocks convolve, those at the end of the last two stages attend on the map as well. */
#include "graph/zoo_internal.h"

#define EFFICIENTFORMER(X, T)                                                                      \
    X(T, INTS, depths, 1, 1000, "blocks of each stage: 3x2x6x4")                                   \
    X(T, INTS, widths, 2, 65536, "channels of each stage: 48x96x224x448")                          \
    X(T, INT, attending, 0, 1000,                                                                  \
      "blocks that attend at the end of the last stage; version 2: of the last two")               \
    X(T, BOOL, v2, "version 2")                                                                    \
    X(T, INTS, narrow, 0, 1000,                                                                    \
      "version 2: in each of the last two stages, the first block with three times the "           \
      "inner channels in place of four, and how many follow: 1x3x1x2")
EC__VARIANT(efficientformer, EFFICIENTFORMER);

#define STAGES 4
#define HEADS 8

static int conv_bn(struct ec_builder *b, int x, struct ec__conv c)
{
    c.bias = true;
    return ec__conv_bn(b, x, c);
}

/* 1x1 to `inner`, in version 2 a depthwise filter, and 1x1 back, each with its norm */
static int conv_mlp(struct ec_builder *b, int x, int64_t inner, bool filter)
{
    int64_t c = ec_b_dim(b, x, 1);
    int y = ec_b1(b, conv_bn(b, x, EC__CONV(.k = inner, .name = "mlp.fc1")), "gelu");

    if (filter)
        y = ec_b1(b,
                  conv_bn(b, y, EC__CONV(.k = inner, .r = 3, .groups = inner, .name = "mlp.mid")),
                  "gelu");
    y = conv_bn(b, y, EC__CONV(.k = c, .name = "mlp.fc2"));
    return ec__add(b, x, ec__channel_scale(b, y, "ls2"));
}

/* --- Version 1 --- */

static int pool_block(struct ec_builder *b, int x)
{
    int y = ec_b1(b, x, "avg_pool2d r=3 stride=1 pad=1 count_include_pad=0");

    y = ec__channel_scale(b, ec_b2(b, y, x, "sub"), "ls1");
    return conv_mlp(b, ec__add(b, x, y), 4 * ec_b_dim(b, x, 1), false);
}

/* Keys have 32 features, values 128. */
static int attention(struct ec_builder *b, int x)
{
    static const int64_t sizes[3] = { 32, 32, 128 };
    int64_t t = ec_b_dim(b, x, 1), c = ec_b_dim(b, x, 2);
    int qkv[3];

    x = ec__linear(b, x, HEADS * (32 + 32 + 128), true, "token_mixer.qkv");
    ec__split(b, ec__split_heads(b, x, HEADS), 3, sizes, 3, qkv);
    x = ec__attend(b, qkv, ec__distance_bias(b, HEADS, t, t));
    return ec__linear(b, ec__join_heads(b, x), c, true, "token_mixer.proj");
}

static int token_block(struct ec_builder *b, int x)
{
    int64_t c = ec_b_dim(b, x, 2);
    int y = attention(b, ec_b1(b, x, "layer_norm name=norm1"));

    x = ec__residual(b, x, y, "ls1", 0);
    y = ec__mlp(b, ec_b1(b, x, "layer_norm name=norm2"), 4 * c, "gelu", 0);
    return ec__residual(b, x, y, "ls2", 0);
}

static int head(struct ec_builder *b, int x, bool tokens, int64_t classes)
{
    if (tokens)
        x = ec_b1(b, ec_b1(b, x, "layer_norm name=norm"), "reduce_mean axes=1 keepdims=0");
    else
        x = ec_b1(b, ec_b1(b, ec_b1(b, x, "batch_norm name=norm"), "global_avg_pool"), "flatten");
    return ec__two_heads(b, x, classes);
}

/* --- Version 2 --- */

/* (n, heads * d, h, w) -> (n, heads, d, h*w) */
static int heads_of(struct ec_builder *b, int x)
{
    int64_t pixels = ec_b_dim(b, x, 2) * ec_b_dim(b, x, 3);

    return ec_b1(b, x, "reshape shape=0,%d,-1,%lld", HEADS, EC__I64(pixels));
}

/* softmax of (n, heads, queries, keys), which are maps of heads for 1x1 convolutions (talking
 * heads); then the values, of which a filtered copy is added */
static int attend_map(struct ec_builder *b, int q, int k, int v, int local, bool talk)
{
    int64_t d = ec_b_dim(b, q, 1) / HEADS, h = ec_b_dim(b, local, 2), w = ec_b_dim(b, local, 3);
    int x = ec_b2(b, heads_of(b, q), heads_of(b, k), "matmul transpose_a=1");

    x = ec__scaled(b, x, d);
    x = ec__add(b, x, ec__distance_bias(b, HEADS, ec_b_dim(b, x, 2), ec_b_dim(b, x, 3)));
    x = talk ? ec__conv(b, x, EC__CONV(.k = HEADS, .bias = true, .name = "talking_head1")) : x;
    x = ec_b1(b, x, "softmax");
    x = talk ? ec__conv(b, x, EC__CONV(.k = HEADS, .bias = true, .name = "talking_head2")) : x;
    x = ec_b2(b, x, heads_of(b, v), "matmul transpose_b=1");
    x = ec_b1(b, x, "transpose perm=0,1,3,2");
    x = ec_b1(b, x, "reshape shape=0,-1,%lld,%lld", EC__I64(h), EC__I64(w));
    return ec__add(b, x, local);
}

/* stride: attention on a smaller map, whose result is resized */
static int map_attention(struct ec_builder *b, int x, int64_t stride)
{
    int64_t c = ec_b_dim(b, x, 1), h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3);
    int q, k, v, local;

    if (stride > 1)
        x = conv_bn(b, x,
                    EC__CONV(.k = c, .r = 3, .stride = stride, .groups = c, .name = "stride_conv"));
    q = conv_bn(b, x, EC__CONV(.k = 32 * HEADS, .name = "q"));
    k = conv_bn(b, x, EC__CONV(.k = 32 * HEADS, .name = "k"));
    v = conv_bn(b, x, EC__CONV(.k = 128 * HEADS, .name = "v"));
    local =
        conv_bn(b, v, EC__CONV(.k = 128 * HEADS, .r = 3, .groups = 128 * HEADS, .name = "v_local"));
    x = attend_map(b, q, k, v, local, true);
    x = ec_b1(b, ec__resize(b, x, h, w), "gelu");
    return conv_bn(b, x, EC__CONV(.k = c, .name = "proj"));
}

/* Queries stand on every second pixel. */
static int attend_down(struct ec_builder *b, int x, int64_t out)
{
    int64_t c = ec_b_dim(b, x, 1);
    int q, k, v, local;

    q = ec__conv(
        b, x, EC__CONV(.k = c, .r = 3, .stride = 2, .groups = c, .bias = true, .name = "q.local"));
    q = ec__add(b, q, ec_b1(b, x, "avg_pool2d r=1 stride=2"));
    q = conv_bn(b, q, EC__CONV(.k = 16 * HEADS, .name = "q.proj"));
    k = conv_bn(b, x, EC__CONV(.k = 16 * HEADS, .name = "k"));
    v = conv_bn(b, x, EC__CONV(.k = 64 * HEADS, .name = "v"));
    local = conv_bn(
        b, v,
        EC__CONV(.k = 64 * HEADS, .r = 3, .stride = 2, .groups = 64 * HEADS, .name = "v_local"));
    x = ec_b1(b, attend_map(b, q, k, v, local, false), "gelu");
    return conv_bn(b, x, EC__CONV(.k = out, .name = "proj"));
}

static int block_v2(struct ec_builder *b, int x, const struct ec__efficientformer *v, int stage,
                    int64_t j)
{
    int64_t first = stage > 1 ? v->narrow.v[2 * stage - 4] : 0, c = ec_b_dim(b, x, 1);
    int64_t many = stage > 1 ? v->narrow.v[2 * stage - 3] : 0;
    int64_t ratio = j >= first && j < first + many ? 3 : 4;

    if (stage > 1 && j >= v->depths.v[stage] - v->attending) {
        size_t old = ec_b_push(b, "token_mixer.");
        int y = map_attention(b, x, stage == 2 ? 2 : 1);

        ec_b_pop(b, old);
        x = ec__add(b, x, ec__channel_scale(b, y, "ls1"));
    }
    return conv_mlp(b, x, ratio * c, true);
}

/* --- Both --- */

static int downsample(struct ec_builder *b, int x, int64_t k, bool attends)
{
    int y = conv_bn(b, x, EC__CONV(.k = k, .r = 3, .stride = 2, .name = "downsample"));
    size_t old = ec_b_push(b, "downsample.attn.");

    if (attends)
        y = ec__add(b, attend_down(b, x, k), y);
    ec_b_pop(b, old);
    return y;
}

/* In version 1 the map becomes tokens in front of the first block that attends. */
static int run_stage(struct ec_builder *b, int x, const struct ec__efficientformer *v, int i)
{
    int64_t n = v->depths.v[i], j;

    x = i ? downsample(b, x, v->widths.v[i], v->v2 && i == 3) : x;
    for (j = 0; ec_b_each(b, j, n, "blocks.%lld.", EC__I64(j)); j++) {
        int64_t tokens_from = i < 3 || v->v2 ? n : n > v->attending ? n - v->attending : 0;

        x = j == tokens_from ? ec__map_tokens(b, x) : x;
        if (v->v2)
            x = block_v2(b, x, v, i, j);
        else
            x = j >= tokens_from ? token_block(b, x) : pool_block(b, x);
    }
    return x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__efficientformer *v = variant;
    int i, x = ec__input_image(b, net, 3);

    if (v->depths.n != STAGES || v->widths.n != STAGES || (v->v2 && v->narrow.n != 4)) {
        b->st =
            ec_fail(b->err, EC_E_INPUT, "%d depths, %d widths, %d of narrow, expected %d of each",
                    v->depths.n, v->widths.n, v->narrow.n, STAGES);
        return -1;
    }
    for (i = 1; i >= 0; i--) {
        x = conv_bn(b, x, EC__CONV(.k = v->widths.v[0] >> i, .r = 3, .stride = 2));
        x = ec__act(b, x, v->v2 ? "gelu" : "relu");
    }
    for (i = 0; ec_b_each(b, i, STAGES, "stages.%d.", i); i++)
        x = run_stage(b, x, v, i);
    return head(b, x, !v->v2 && v->attending > 0, net->classes);
}

EC__FAMILY(efficientformer, "pools and convolutions, attention at the end", "classify",
           EFFICIENTFORMER, build);
