/* Attention among pixels inside residual blocks: of a whole map (BoTNet), of blocks and their
 * surroundings (HaloNet), by functions made of the map (LambdaNetworks), by products along rows and
 * columns (BAT). Copies as timm makes them. */
#include "graph/zoo_byob_internal.h"

/* What a table of distances along one axis says of every pair: (n, length, d) -> (n, length,
 * window). Rows of products with all distances are shifted against each other by padding. */
static int relative_1d(struct ec_builder *b, int q, const char *name, int64_t window)
{
    int64_t length = ec_b_dim(b, q, 1), d = ec_b_dim(b, q, 2), distances = 2 * window - 1;
    int x = ec_b2(b, q, ec_b_param(b, name, 2, distances, d), "matmul transpose_b=1");

    x = ec_b1(b, ec_b1(b, x, "pad pads=0,0,0,0,0,1"), "flatten");
    x = ec_b1(b, x, "pad pads=0,0,0,%lld", EC__I64(distances - length));
    x = ec_b1(b, x, "reshape shape=-1,%lld,%lld", EC__I64(length + 1), EC__I64(distances));
    return ec_b1(b, x, "slice axes=1,2 starts=0,%lld ends=%lld,%lld", EC__I64(window - 1),
                 EC__I64(length), EC__I64(distances));
}

/* (..., side*side, d) -> (n, side*side, window*window): along rows plus along columns */
static int relative(struct ec_builder *b, int q, int64_t side, int64_t window)
{
    int64_t d = ec_b_dim(b, q, -1);
    int x, y;

    q = ec_b1(b, q, "reshape shape=-1,%lld,%lld,%lld", EC__I64(side), EC__I64(side), EC__I64(d));
    x = ec_b1(b, q, "reshape shape=-1,%lld,%lld", EC__I64(side), EC__I64(d));
    x = relative_1d(b, x, "pos_embed.width_rel", window);
    x = ec_b1(b, x, "reshape shape=-1,%lld,%lld,1,%lld", EC__I64(side), EC__I64(side),
              EC__I64(window));
    y = ec_b1(b, ec_b1(b, q, "transpose perm=0,2,1,3"), "reshape shape=-1,%lld,%lld", EC__I64(side),
              EC__I64(d));
    y = relative_1d(b, y, "pos_embed.height_rel", window);
    y = ec_b1(b, y, "reshape shape=-1,%lld,%lld,%lld", EC__I64(side), EC__I64(side),
              EC__I64(window));
    y = ec_b1(b, ec_b1(b, y, "transpose perm=0,2,1,3"), "unsqueeze axes=4");
    return ec_b1(b, ec__add(b, y, x), "reshape shape=-1,%lld,%lld", EC__I64(side * side),
                 EC__I64(window * window));
}

static int64_t query_dim(const struct ec__self_attention *a, int64_t c)
{
    return a->dim ? a->dim : ec__round_to((double)c * a->ratio, 8, false) / a->heads;
}

static int halved(struct ec_builder *b, int x, int64_t stride)
{
    return stride > 1 ? ec_b1(b, x, "avg_pool2d r=2") : x;
}

int ec__bottleneck_attention(struct ec_builder *b, int x, const struct ec__self_attention *a,
                             int64_t stride)
{
    int64_t c = ec_b_dim(b, x, 1), h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3);
    int64_t d = query_dim(a, c), batch = ec_b_dim(b, x, 0) * a->heads;
    int64_t sizes[3] = { a->heads * d, a->heads * d, c };
    int qkv[3], i;

    x = ec__conv(b, x, EC__CONV(.k = 2 * a->heads * d + c, .name = "qkv"));
    ec__split(b, x, 1, sizes, 3, qkv);
    for (i = 0; i < 3; i++)
        qkv[i] = ec_b1(b, qkv[i], "reshape shape=%lld,-1,%lld", EC__I64(batch), EC__I64(h * w));
    x = ec_b2(b, qkv[0], qkv[1], "matmul transpose_a=1");
    x = ec__scaled(b, x, d);
    x = ec__add(b, x, relative(b, ec_b1(b, qkv[0], "transpose perm=0,2,1"), w, w));
    x = ec_b2(b, ec_b1(b, x, "softmax"), qkv[2], "matmul transpose_b=1");
    x = ec_b1(b, ec_b1(b, x, "transpose perm=0,2,1"), "reshape shape=%lld,%lld,%lld,%lld",
              EC__I64(batch / a->heads), EC__I64(c), EC__I64(h), EC__I64(w));
    return halved(b, x, stride);
}

/* Pixels of each block, and of it with its surroundings. */
struct halo {
    int64_t batch, across, side, window; /* heads of all samples; blocks in a row; pixels */
    int64_t d, v;                        /* features of queries and keys; of values */
};

/* -> (batch, blocks, side*side, d) */
static int halo_queries(struct ec_builder *b, int x, const struct halo *a)
{
    x = ec_b1(b, x, "reshape shape=%lld,%lld,%lld,%lld,%lld,%lld", EC__I64(a->batch), EC__I64(a->d),
              EC__I64(a->across), EC__I64(a->side), EC__I64(a->across), EC__I64(a->side));
    x = ec_b1(b, ec_b1(b, x, "transpose perm=0,1,3,5,2,4"), "reshape shape=0,0,%lld,-1",
              EC__I64(a->side * a->side));
    return ec_b1(b, x, "transpose perm=0,3,2,1");
}

/* -> keys (batch, blocks, d, window*window), values (batch, blocks, window*window, v) */
static void halo_keys(struct ec_builder *b, int x, const struct halo *a, int64_t block, int64_t rim,
                      int ret[2])
{
    int64_t rows = ec_b_dim(b, x, 2) + 2 * rim, sizes[2] = { a->d, a->v };
    int index;

    x = ec_b1(b, x, "pad pads=0,0,%lld,%lld,0,0,%lld,%lld", EC__I64(rim), EC__I64(rim),
              EC__I64(rim), EC__I64(rim));
    x = ec_b1(b, x, "reshape shape=%lld,%lld,-1", EC__I64(a->batch), EC__I64(a->d + a->v));
    index =
        ec__const(b, "window_index", EC_DT_i64, 2, a->across * a->across, a->window * a->window);
    index = ec__holds_rule(b, index, "overlap_index", 2, (double)rows, (double)block);
    x = ec_b2(b, x, index, "gather axis=2");
    ec__split(b, x, 1, sizes, 2, ret);
    ret[0] = ec_b1(b, ret[0], "transpose perm=0,2,1,3");
    ret[1] = ec_b1(b, ret[1], "transpose perm=0,2,3,1");
}

int ec__halo_attention(struct ec_builder *b, int x, const struct ec__self_attention *a,
                       int64_t stride)
{
    int64_t c = ec_b_dim(b, x, 1), size = ec_b_dim(b, x, 2), block = a->window;
    int64_t step = block % stride ? 1 : stride; /* blocks that do not divide are pooled after */
    struct halo h = { .batch = ec_b_dim(b, x, 0) * a->heads, .d = query_dim(a, c) };
    int q, kv[2];

    if (b->st || size % block) {
        if (!b->st)
            b->st = ec_fail(b->err, EC_E_INPUT, "a map of %lldx%lld has no blocks of %lld",
                            EC__I64(size), EC__I64(size), EC__I64(block));
        return -1;
    }
    h.v = c / a->heads;
    h.across = size / block;
    h.side = block / step;
    h.window = block + 2 * a->rim;
    q = ec__conv(b, x, EC__CONV(.k = a->heads * h.d, .stride = step, .name = "q"));
    q = halo_queries(b, q, &h);
    x = ec__conv(b, x, EC__CONV(.k = a->heads * (h.d + h.v), .name = "kv"));
    halo_keys(b, x, &h, block, a->rim, kv);
    x = ec__scaled(b, ec_b2(b, q, kv[0], "matmul"), h.d);
    q = relative(b, q, h.side, h.window);
    q = ec_b1(b, q, "reshape shape=%lld,%lld,%lld,-1", EC__I64(h.batch),
              EC__I64(h.across * h.across), EC__I64(h.side * h.side));
    x = ec_b2(b, ec_b1(b, ec__add(b, x, q), "softmax"), kv[1], "matmul");
    x = ec_b1(b, x, "transpose perm=0,3,2,1");
    x = ec_b1(b, x, "reshape shape=-1,%lld,%lld,%lld,%lld", EC__I64(h.side), EC__I64(h.side),
              EC__I64(h.across), EC__I64(h.across));
    x = ec_b1(b, ec_b1(b, x, "transpose perm=0,3,1,4,2"), "reshape shape=%lld,%lld,%lld,%lld",
              EC__I64(h.batch / a->heads), EC__I64(c), EC__I64(size / step), EC__I64(size / step));
    return halved(b, x, stride / step);
}

/* (n, m, d, v) of positions: a convolution over the values, or a table of distances */
static int position_lambda(struct ec_builder *b, int v, const struct ec__self_attention *a,
                           int64_t size)
{
    int64_t m = size * size, dv = ec_b_dim(b, v, 1), n = ec_b_dim(b, v, 0);
    int x, index;

    if (a->rim) {
        x = ec_b1(b, ec_b1(b, v, "transpose perm=0,2,1"), "reshape shape=%lld,1,%lld,%lld,%lld",
                  EC__I64(n), EC__I64(size), EC__I64(size), EC__I64(dv));
        x = ec_b1(b, x, "conv3d k=%lld t=%lld r=%lld s=1 pad=%lldx%lldx0 name=conv_lambda",
                  EC__I64(a->dim), EC__I64(a->rim), EC__I64(a->rim), EC__I64(a->rim / 2),
                  EC__I64(a->rim / 2));
        x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(a->dim), EC__I64(m), EC__I64(dv));
        return ec_b1(b, x, "transpose perm=0,2,1,3");
    }
    index = ec__const(b, "rel_pos_indices", EC_DT_i64, 1, m * m);
    index = ec__holds_rule(b, index, "relative_index", 0, 0, 0);
    x = ec_b_param(b, "pos_emb", 2, (2 * size - 1) * (2 * size - 1), a->dim);
    x = ec_b1(b, ec_b2(b, x, index, "gather axis=0"), "reshape shape=1,%lld,%lld,%lld", EC__I64(m),
              EC__I64(m), EC__I64(a->dim));
    v = ec_b1(b, ec_b1(b, v, "transpose perm=0,2,1"), "unsqueeze axes=1");
    return ec_b2(b, x, v, "matmul transpose_a=1");
}

int ec__lambda_layer(struct ec_builder *b, int x, const struct ec__self_attention *a,
                     int64_t stride)
{
    int64_t c = ec_b_dim(b, x, 1), size = ec_b_dim(b, x, 2), m = size * size;
    int64_t sizes[3] = { a->heads * a->dim, a->dim, c / a->heads };
    int qkv[3], content, position;

    x = ec__conv(b, x, EC__CONV(.k = sizes[0] + sizes[1] + sizes[2], .name = "qkv"));
    ec__split(b, x, 1, sizes, 3, qkv);
    qkv[0] = ec_b1(b, qkv[0], "batch_norm name=norm_q");
    qkv[0] = ec_b1(b, qkv[0], "reshape shape=0,%lld,%lld,%lld", EC__I64(a->heads), EC__I64(a->dim),
                   EC__I64(m));
    qkv[2] = ec_b1(b, ec_b1(b, qkv[2], "batch_norm name=norm_v"), "reshape shape=0,0,-1");
    qkv[1] = ec_b1(b, ec_b1(b, qkv[1], "reshape shape=0,0,-1"), "softmax");
    content = ec_b2(b, qkv[1], qkv[2], "matmul transpose_b=1"); /* (n, d, v) */
    content = ec_b2(b, qkv[0], ec_b1(b, content, "unsqueeze axes=1"), "matmul transpose_a=1");
    position = ec_b1(b, position_lambda(b, qkv[2], a, size), "unsqueeze axes=1");
    position = ec_b1(b, position, "tile repeats=1,%lld,1,1,1", EC__I64(a->heads));
    x = ec_b1(b, ec_b1(b, qkv[0], "transpose perm=0,1,3,2"), "unsqueeze axes=3");
    x = ec_b1(b, ec_b2(b, x, position, "matmul"), "squeeze axes=3");
    x = ec_b1(b, ec__add(b, content, x), "transpose perm=0,1,3,2");
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(c), EC__I64(size), EC__I64(size));
    return halved(b, x, stride);
}

#define BAT_BLOCK 8
#define BAT_GROUPS 2

/* Weights of blocks of rows or columns, those of a row sum to 1, for every channel and pixel. */
static int bilinear(struct ec_builder *b, int x, int64_t channels, int64_t t, bool rows)
{
    int64_t n = ec_b_dim(b, x, 0), parts[BAT_BLOCK], i;
    double eye[64 * 64] = { 0 };
    int xs[BAT_BLOCK], unit, axis;

    x = ec_b1(b, x, rows ? "adaptive_max_pool out=8x1" : "adaptive_max_pool out=1x8");
    x = ec__conv(b, x,
                 EC__CONV(.k = BAT_BLOCK * BAT_BLOCK * BAT_GROUPS, .r = rows ? BAT_BLOCK : 1,
                          .s = rows ? 1 : BAT_BLOCK, .valid = true, .bias = true,
                          .name = rows ? "conv_p" : "conv_q"));
    x = ec_b1(b, ec_b1(b, x, "reshape shape=0,2,8,8"), "sigmoid");
    x = ec_b2(b, x, ec_b1(b, x, "reduce_sum axes=%d", rows ? 3 : 2), "div");
    x = ec_b1(b, ec_b1(b, x, "unsqueeze axes=2"), "tile repeats=1,1,%lld,1,1",
              EC__I64(channels / BAT_GROUPS));
    if (t == 1)
        return ec_b1(b, x, "reshape shape=0,%lld,8,8", EC__I64(channels));
    unit = ec__const(b, rows ? "eye_p" : "eye_q", EC_DT_f32, 2, t, t);
    for (i = 0; i < t; i++)
        eye[i * t + i] = 1;
    if (!b->st)
        b->st = ec_graph_const_values(b->g, unit, eye, t * t, b->err);
    x = ec_b2(b, ec_b1(b, x, "reshape shape=%lld,-1,1,1", EC__I64(n * channels)), unit, "mul");
    x = ec_b1(b, x, "reshape shape=%lld,8,8,%lld,%lld", EC__I64(n * channels), EC__I64(t),
              EC__I64(t));
    for (i = 0; i < BAT_BLOCK; i++)
        parts[i] = 1;
    for (axis = 1; axis < 3; axis++) { /* blocks become rows, then columns */
        ec__split(b, x, axis, parts, BAT_BLOCK, xs);
        x = ec_bn(b, xs, BAT_BLOCK, "concat axis=%d", axis + 2);
    }
    return ec_b1(b, x, "reshape shape=%lld,%lld,%lld,%lld", EC__I64(n), EC__I64(channels),
                 EC__I64(8 * t), EC__I64(8 * t));
}

int ec__bat(struct ec_builder *b, int x)
{
    int64_t c = ec_b_dim(b, x, 1), inner = ec__round_to((double)c / 4, 8, false);
    int64_t size = ec_b_dim(b, x, 2), batch = ec_b_dim(b, x, 0), t = size / BAT_BLOCK;
    int y, p, q, few;

    if (b->st || size % BAT_BLOCK || t > 64) {
        if (!b->st)
            b->st = ec_fail(b->err, EC_E_INPUT, "a map of %lldx%lld is not of 8x8 to 512x512, by 8",
                            EC__I64(size), EC__I64(size));
        return -1;
    }
    y = ec__conv_bn_act(b, x, EC__CONV(.k = inner, .name = "bat.conv1"), "relu");
    few = ec__conv_bn_act(b, y, EC__CONV(.k = BAT_GROUPS, .name = "bat.ba.conv1"), "relu");
    p = bilinear(b, few, inner, t, true);
    q = bilinear(b, few, inner, t, false);
    y = ec_b2(b, ec_b2(b, p, y, "matmul"), q, "matmul");
    y = ec__conv_bn_act(b, y, EC__CONV(.k = inner, .name = "bat.ba.conv2"), "relu");
    y = ec__conv_bn_act(b, y, EC__CONV(.k = c, .name = "bat.conv2"), "relu");
    y = ec_b1(b, y, "reshape shape=%lld,%lld,%lld", EC__I64(batch * c), EC__I64(size),
              EC__I64(size)); /* whole channels are dropped */
    y = ec_b1(b, ec__drop_path(b, y, 0.2), "reshape shape=%lld,%lld,%lld,%lld", EC__I64(batch),
              EC__I64(c), EC__I64(size), EC__I64(size));
    return ec__add(b, y, x);
}
