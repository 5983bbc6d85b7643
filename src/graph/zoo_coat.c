/* CoaT: maps of four sizes, each with attention factored through its keys; the parallel layers
 * attend at three sizes and add what the others resampled. Convolutions that give positions belong
 * to a size, not to a layer. */
#include "graph/zoo_internal.h"

#define COAT(X, T)                                                                                 \
    X(T, INTS, widths, 8, 65536, "features of each size: 152x152x152x152")                         \
    X(T, INTS, layers, 1, 1000, "layers of each size: 2x2x2x2")                                    \
    X(T, INTS, ratios, 1, 64, "of each size, inner features of its MLP to width")                  \
    X(T, INT, parallel, 0, 1000, "layers over three sizes; their widths are equal")
EC__VARIANT(coat, COAT);

enum { SIZES = 4, HEADS = 8, SPLITS = 3 };

/* What the layers of one size share: parameters of the nodes that were built first. */
struct shared {
    int64_t h, w;
    int place[2], relative[SPLITS][2]; /* weight and bias; -1: not built yet */
};

/* Ties the node added last to what `params` names, or names its parameters there. */
static void share(struct ec_builder *b, int params[2])
{
    struct ec_node *n = ec_b_last(b);
    int i;

    for (i = 0; n && i < 2 && !b->st; i++) {
        if (params[i] < 0)
            params[i] = n->param[i];
        else
            b->st = ec_graph_tie(b->g, n, i, params[i], b->err);
    }
}

static int depthwise(struct ec_builder *b, int x, int64_t r, int params[2])
{
    int64_t c = ec_b_dim(b, x, 1);

    x = ec__conv(b, x, EC__CONV(.k = c, .r = r, .groups = c, .bias = true));
    share(b, params);
    return x;
}

static int rest_of(struct ec_builder *b, int x)
{
    return ec__tokens_of(b, x, 1, ec_b_dim(b, x, 1));
}

static int with_class(struct ec_builder *b, int from, int x)
{
    return ec_bn(b, (int[]){ ec__tokens_of(b, from, 0, 1), x }, 2, "concat");
}

/* Tokens plus a depthwise convolution of their map. */
static int place(struct ec_builder *b, int x, struct shared *s)
{
    int map = ec__tokens_map(b, rest_of(b, x), s->h, s->w);

    return with_class(b, x, ec__map_tokens(b, ec__add(b, depthwise(b, map, 3, s->place), map)));
}

/* q times depthwise convolutions of v, whose filters grow from head to head; 0 for the class. */
static int relative(struct ec_builder *b, int q, int v, struct shared *s)
{
    static const int64_t heads[SPLITS] = { 2, 3, 3 };
    int64_t t = ec_b_dim(b, v, 2), d = ec_b_dim(b, v, 3), at = 0;
    int xs[SPLITS], map, i;

    q = ec_b1(b, q, "slice axes=2 starts=1 ends=%lld", EC__I64(t));
    map = ec_b1(b, v, "slice axes=2 starts=1 ends=%lld", EC__I64(t));
    map = ec_b1(b, ec_b1(b, map, "transpose perm=0,1,3,2"), "reshape shape=0,%lld,%lld,%lld",
                EC__I64(HEADS * d), EC__I64(s->h), EC__I64(s->w));
    for (i = 0; i < SPLITS; i++) {
        xs[i] = ec_b1(b, map, "slice axes=1 starts=%lld ends=%lld", EC__I64(at),
                      EC__I64(at + heads[i] * d));
        xs[i] = depthwise(b, xs[i], 3 + 2 * i, s->relative[i]);
        at += heads[i] * d;
    }
    map = ec_b1(b, ec_bn(b, xs, SPLITS, "concat"), "reshape shape=0,%d,%lld,-1", HEADS, EC__I64(d));
    q = ec_b2(b, q, ec_b1(b, map, "transpose perm=0,1,3,2"), "mul");
    return ec_b1(b, q, "pad pads=0,0,1,0,0,0,0,0");
}

/* q (softmax(k)' v): the keys are weighed over the tokens, so no score of two tokens is made. */
static int attention(struct ec_builder *b, int x, struct shared *s)
{
    int64_t c = ec_b_dim(b, x, 2);
    int qkv[3], y;

    ec__split_parts(b, ec__linear(b, x, 3 * c, true, "qkv"), 3, HEADS, qkv);
    y = ec_b2(b, ec_b1(b, qkv[1], "softmax axis=2"), qkv[2], "matmul transpose_a=1");
    y = ec__scaled(b, ec_b2(b, qkv[0], y, "matmul"), c / HEADS);
    y = ec__add(b, y, relative(b, qkv[0], qkv[2], s));
    return ec__linear(b, ec__join_heads(b, y), c, true, "proj");
}

static int serial_block(struct ec_builder *b, int x, struct shared *s, int64_t inner)
{
    x = place(b, x, s);
    x = ec__add(b, x, attention(b, ec__layer_norm(b, x, "norm1"), s));
    return ec__add(b, x, ec__mlp(b, ec__layer_norm(b, x, "norm2"), inner, "gelu", 0));
}

/* The patches of tokens of one size as a map of another, the class token as it is. */
static int resampled(struct ec_builder *b, int x, const struct shared *from,
                     const struct shared *to)
{
    int map = ec__tokens_map(b, rest_of(b, x), from->h, from->w);

    map = ec_b1(b, map, "resize size=%lld,%lld mode=linear", EC__I64(to->h), EC__I64(to->w));
    return with_class(b, x, ec__map_tokens(b, map));
}

/* Each of sizes 1 to 3 attends to itself, then adds the others'. */
static void exchange(struct ec_builder *b, int *xs, struct shared *s)
{
    int cur[SIZES], sum, i, j;

    for (i = 1; i < SIZES; i++) {
        size_t old = ec_b_push(b, "factoratt%d.", i + 1);

        cur[i] = attention(b, ec__layer_norm(b, xs[i], "norm1"), &s[i]);
        ec_b_pop(b, old);
    }
    for (i = 1; i < SIZES; i++) {
        sum = cur[i];
        for (j = 1; j < SIZES; j++)
            if (j != i)
                sum = ec__add(b, sum, resampled(b, cur[j], &s[j], &s[i]));
        xs[i] = ec__add(b, xs[i], sum);
    }
}

/* The dense layers of a parallel layer are the same at each size. */
static void parallel_block(struct ec_builder *b, int *xs, struct shared *s, int64_t inner)
{
    int fc1[2] = { -1, -1 }, fc2[2] = { -1, -1 }, y, i;

    for (i = 1; i < SIZES; i++)
        xs[i] = place(b, xs[i], &s[i]);
    exchange(b, xs, s);
    for (i = 1; i < SIZES; i++) {
        size_t old = ec_b_push(b, "mlp%d.", i + 1);

        y = ec__linear(b, ec__layer_norm(b, xs[i], "norm2"), inner, true, "fc1");
        share(b, fc1);
        y = ec__linear(b, ec_b1(b, y, "gelu"), ec_b_dim(b, xs[i], 2), true, "fc2");
        share(b, fc2);
        xs[i] = ec__add(b, xs[i], y);
        ec_b_pop(b, old);
    }
}

/* One size after the other, each from the patches of the one before. */
static void serial(struct ec_builder *b, int x, const struct ec__coat *v, int *xs, struct shared *s)
{
    int64_t j;
    int i;

    for (i = 0; ec_b_each(b, i, SIZES, "serial_blocks%d.", i + 1); i++) {
        int64_t patch = i ? 2 : 4, c = v->widths.v[i];

        s[i] = (struct shared){
            ec_b_dim(b, x, 2) / patch,
            ec_b_dim(b, x, 3) / patch,
            {-1,          -1        },
            { { -1, -1 }, { -1, -1 }, { -1, -1 } }
        };
        x = ec__layer_norm(b, ec__patches(b, x, c, patch, "patch.proj"), "patch.norm");
        x = ec__prefix(b, x, 1, "cls_token");
        for (j = 0; ec_b_each(b, j, v->layers.v[i], "%lld.", EC__I64(j)); j++)
            x = serial_block(b, x, &s[i], v->ratios.v[i] * c);
        xs[i] = x;
        x = i + 1 < SIZES ? ec__tokens_map(b, rest_of(b, x), s[i].h, s[i].w) : x;
    }
}

/* The class tokens of three sizes, weighed by a convolution over them. */
static int aggregate(struct ec_builder *b, const int *xs)
{
    int tokens[SIZES - 1], i;

    for (i = 1; i < SIZES; i++) {
        size_t old = ec_b_push(b, "norm%d.", i + 1);

        tokens[i - 1] = ec__tokens_of(b, ec__layer_norm(b, xs[i], "norm"), 0, 1);
        ec_b_pop(b, old);
    }
    i = ec_bn(b, tokens, SIZES - 1, "concat");
    return ec_b1(b, ec_b1(b, i, "conv1d k=1 r=1 name=aggregate"), "squeeze axes=1");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__coat *v = variant;
    int xs[SIZES] = { -1, -1, -1, -1 }, x, i;
    struct shared s[SIZES];
    int64_t j;

    if (v->widths.n != SIZES || v->layers.n != SIZES || v->ratios.n != SIZES) {
        b->st = ec_fail(b->err, EC_E_INPUT, "widths, layers and ratios are %d numbers each", SIZES);
        return -1;
    }
    for (i = 0; i < SIZES; i++)
        if (!ec__heads_fit(b, v->widths.v[i], HEADS))
            return -1;
    serial(b, ec__input_image(b, net, 3), v, xs, s);
    for (j = 0; ec_b_each(b, j, v->parallel, "parallel_blocks.%lld.", EC__I64(j)); j++)
        parallel_block(b, xs, s, v->ratios.v[SIZES - 1] * v->widths.v[SIZES - 1]);
    x = v->parallel ? aggregate(b, xs) : ec__token(b, ec__layer_norm(b, xs[SIZES - 1], "norm4"), 0);
    return ec__linear(b, x, net->classes, true, "head");
}

EC__FAMILY(coat, "factored attention at four sizes", "classify", COAT, build);
