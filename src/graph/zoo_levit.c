/* LeViT: convolutions, then attention with learned distances in place of positions, and batch
 * norms; stages shrink in an attention of few queries. Dense layers over tokens, or 1x1
 * convolutions over maps. */
#include "graph/zoo_internal.h"

#define LEVIT(X, T)                                                                                \
    X(T, INT, patch, 2, 256, "pixels of the image to one of the first map, a power of 2")          \
    X(T, INT, key_dim, 1, 4096, "features of a query of one head")                                 \
    X(T, INTS, widths, 8, 65536, "features of each stage: 128x256x384")                            \
    X(T, INTS, layers, 0, 1000, "blocks of each stage: 4x4x4")                                     \
    X(T, INTS, heads, 1, 1024, "attention heads of each stage: 4x8x12")                            \
    X(T, BOOL, conv, "1x1 convolutions in place of dense layers")                                  \
    X(T, BOOL, distilled, "the mean of two classifiers")                                           \
    X(T, STR, act, "activation")
EC__VARIANT(levit, LEVIT);

struct place {
    const struct ec__levit *v;
    int64_t side; /* of the map that goes in */
};

/* A dense layer and its batch norm. */
static int dense(struct ec_builder *b, int x, const struct ec__levit *v, int64_t out,
                 const char *name)
{
    size_t old = ec_b_push(b, "%s.", name);
    int64_t t = ec_b_dim(b, x, 1);

    if (v->conv) {
        x = ec__conv_bn(b, x, EC__CONV(.k = out, .name = "linear", .norm = "bn"));
    } else {
        x = ec__linear(b, x, out, false, "linear");
        x = ec_b1(b, x, "reshape shape=-1,%lld", EC__I64(out));
        x = ec_b1(b, x, "batch_norm name=bn");
        x = ec_b1(b, x, "reshape shape=-1,%lld,%lld", EC__I64(t), EC__I64(out));
    }
    ec_b_pop(b, old);
    return x;
}

/* Heads of queries, keys or values: tokens from (n, t, heads, d), as transposed copies (n, heads,
 * t, d); maps from (n, heads, d, t), as they are. */
static int part(struct ec_builder *b, int x, const struct ec__levit *v, int64_t from, int64_t to)
{
    if (v->conv)
        return ec_b1(b, x, "slice axes=2 starts=%lld ends=%lld", EC__I64(from), EC__I64(to));
    x = ec_b1(b, x, "slice axes=3 starts=%lld ends=%lld", EC__I64(from), EC__I64(to));
    return ec_b1(b, x, "transpose perm=0,2,1,3");
}

static int heads_of(struct ec_builder *b, int x, const struct ec__levit *v, int64_t heads)
{
    int64_t c = ec_b_dim(b, x, 1);

    if (v->conv)
        return ec_b1(b, x, "reshape shape=0,%lld,%lld,-1", EC__I64(heads), EC__I64(c / heads));
    return ec_b1(b, x, "reshape shape=0,0,%lld,-1", EC__I64(heads));
}

/* qkv as `part` gives them; tokens (n, t, heads * d) or a map of that side */
static int attend(struct ec_builder *b, const int qkv[3], const struct ec__levit *v, int64_t heads,
                  int64_t side, int64_t keys)
{
    int x = ec_b2(b, qkv[0], qkv[1], v->conv ? "matmul transpose_a=1" : "matmul transpose_b=1");

    x = ec__scaled(b, x, v->key_dim);
    x = ec_b1(b, ec__add(b, x, ec__distance_bias(b, heads, side * side, keys)), "softmax");
    if (!v->conv)
        return ec__join_heads(b, ec_b2(b, x, qkv[2], "matmul"));
    x = ec_b2(b, qkv[2], x, "matmul transpose_b=1");
    return ec_b1(b, x, "reshape shape=0,-1,%lld,%lld", EC__I64(side), EC__I64(side));
}

static int attention(struct ec_builder *b, int x, const struct place *at, int64_t c, int64_t heads)
{
    const struct ec__levit *v = at->v;
    int64_t k = v->key_dim, t = at->side * at->side;
    int qkv[3], i;

    x = heads_of(b, dense(b, x, v, 4 * k * heads, "qkv"), v, heads);
    for (i = 0; i < 3; i++)
        qkv[i] = part(b, x, v, i * k, i < 2 ? (i + 1) * k : 4 * k);
    x = attend(b, qkv, v, heads, at->side, t);
    return dense(b, ec__act(b, x, v->act), v, c, "proj");
}

/* Every second row and column. */
static int subsample(struct ec_builder *b, int x, const struct place *at)
{
    int64_t side = at->side, c = ec_b_dim(b, x, 2);

    if (at->v->conv)
        return ec_b1(b, x, "avg_pool2d r=1 stride=2");
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(side), EC__I64(side), EC__I64(c));
    x = ec_b1(b, x, "slice axes=1,2 starts=0,0 ends=%lld,%lld steps=2,2", EC__I64(side),
              EC__I64(side));
    return ec_b1(b, x, "reshape shape=0,-1,%lld", EC__I64(c));
}

static int shrink(struct ec_builder *b, int x, const struct place *at, int64_t c, int64_t out)
{
    const struct ec__levit *v = at->v;
    int64_t k = v->key_dim, heads = c / k, side = (at->side - 1) / 2 + 1;
    int kv = heads_of(b, dense(b, x, v, 5 * k * heads, "kv"), v, heads), qkv[3];

    x = heads_of(b, dense(b, subsample(b, x, at), v, k * heads, "q"), v, heads);
    qkv[0] = part(b, x, v, 0, k);
    qkv[1] = part(b, kv, v, 0, k);
    qkv[2] = part(b, kv, v, k, 5 * k);
    x = attend(b, qkv, v, heads, side, at->side * at->side);
    return dense(b, ec__act(b, x, v->act), v, out, "proj");
}

static int mlp(struct ec_builder *b, int x, const struct ec__levit *v, int64_t c)
{
    int y = ec__act(b, dense(b, x, v, 2 * c, "mlp.ln1"), v->act);

    return ec__add(b, x, dense(b, y, v, c, "mlp.ln2"));
}

static int stage(struct ec_builder *b, int x, struct place *at, int i)
{
    const struct ec__levit *v = at->v;
    int64_t c = v->widths.v[i], j;
    size_t old;

    if (i) {
        old = ec_b_push(b, "stages.%d.downsample.", i);
        x = mlp(b, shrink(b, x, at, v->widths.v[i - 1], c), v, c);
        ec_b_pop(b, old);
        at->side = (at->side - 1) / 2 + 1;
    }
    for (j = 0; ec_b_each(b, j, v->layers.v[i], "stages.%d.blocks.%lld.", i, EC__I64(j)); j++)
        x = mlp(b, ec__add(b, x, attention(b, x, at, c, v->heads.v[i])), v, c);
    return x;
}

static int stem(struct ec_builder *b, int x, const struct ec__levit *v)
{
    int64_t left;

    for (left = v->patch / 2; left >= 1; left /= 2) {
        x = ec__conv_bn(b, x, EC__CONV(.k = v->widths.v[0] / left, .r = 3, .stride = 2));
        x = left > 1 ? ec__act(b, x, v->act) : x;
    }
    return x;
}

static int head(struct ec_builder *b, int x, int64_t classes, const char *name)
{
    return ec__linear(b, ec_b1(b, x, "batch_norm"), classes, true, name);
}

static bool check(struct ec_builder *b, const struct ec__levit *v)
{
    int i;

    (void)ec__per_stage(b, v->layers.n, "widths", v->widths.n, "heads", v->heads.n, NULL);
    for (i = 0; i < v->layers.n && !b->st; i++)
        if (v->widths.v[i] < v->key_dim)
            b->st = ec_fail(b->err, EC_E_INPUT, "a stage of %lld features has no head of %lld",
                            EC__I64(v->widths.v[i]), EC__I64(v->key_dim));
    return !b->st;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__levit *v = variant;
    struct place at = { v, 0 };
    int x, i;

    if (!check(b, v))
        return -1;
    x = stem(b, ec__input_image(b, net, 3), v);
    at.side = ec_b_dim(b, x, 2);
    x = v->conv ? x : ec__map_tokens(b, x);
    for (i = 0; i < v->layers.n; i++)
        x = stage(b, x, &at, i);
    x = ec_b1(b, x, "reduce_mean axes=%s keepdims=0", v->conv ? "2,3" : "1");
    if (!v->distilled)
        return head(b, x, net->classes, "head");
    x = ec__add(b, head(b, x, net->classes, "head"), head(b, x, net->classes, "head_dist"));
    return ec_b1(b, x, "scale_scalar mul=0.5");
}

EC__FAMILY(levit, "convolutions, then attention with batch norms", "classify", LEVIT, build);
