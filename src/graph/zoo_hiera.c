/* Hiera: tokens in such an order that pools are maxima over parts of it, with attention inside
 * units and, in later stages, to all; and the encoder of Segment Anything 2, its form over maps. */
#include "graph/zoo_internal.h"

#define HIERA(X, T)                                                                                \
    X(T, INT, width, 1, 65536, "features of the first stage")                                      \
    X(T, INT, heads, 1, 1024, "attention heads of the first stage")                                \
    X(T, INTS, layers, 1, 1000, "blocks of each stage: 2x3x16x3")                                  \
    X(T, INT, grid, 0, 4096,                                                                       \
      "positions are a map of this side and those of a window; 0: of each token")                  \
    X(T, BOOL, repeat, "maximum and mean in place of a dense layer where stages pool")             \
    X(T, BOOL, scale, "learned scale of each residual branch")
EC__VARIANT(hiera, HIERA);

#define HIERADET(X, T)                                                                             \
    X(T, INT, width, 1, 65536, "features of the first stage")                                      \
    X(T, INT, heads, 1, 1024, "attention heads of the first stage")                                \
    X(T, INTS, layers, 1, 1000, "blocks of each stage: 2x3x16x3")                                  \
    X(T, INTS, windows, 2, 1024, "side of the windows of each stage: 8x4x14x7")                    \
    X(T, INTS, global, 0, 1000, "blocks that see the whole map, counted from 0")                   \
    X(T, INT, grid, 1, 4096, "side of the map of positions")                                       \
    X(T, BOOL, scale, "learned scale of each residual branch")
EC__VARIANT(hieradet, HIERADET);

enum { UNIT = 64, POOL = 4 }; /* tokens of a unit in the first stage; of a pool */

/* Both sides halved: 2x2 pixels apart become the leading part of the order. Three times, once for
 * each pool. */
static int unroll(struct ec_builder *b, int x, int64_t side, int64_t stages)
{
    int64_t n = ec_b_dim(b, x, 0), c = ec_b_dim(b, x, 2), t = side * side, i;

    for (i = 0; i < stages; i++) {
        side /= 2;
        x = ec_b1(b, x, "reshape shape=-1,%lld,2,%lld,2,%lld", EC__I64(side), EC__I64(side),
                  EC__I64(c));
        x = ec_b1(b, x, "transpose perm=0,2,4,1,3,5");
    }
    return ec_b1(b, x, "reshape shape=%lld,%lld,%lld", EC__I64(n), EC__I64(t), EC__I64(c));
}

struct step {                /* one block */
    int64_t c, heads, units; /* features after it; units that attend inside themselves */
    bool pools;
};

/* x (n, t, c) -> parts, each (n, heads, units, t / units, d) */
static void split_units(struct ec_builder *b, int x, const struct step *s, int qkv[3])
{
    const struct ec_node *split;
    int i;

    x = ec_b1(b, x, "reshape shape=0,-1,%lld,3,%lld,%lld", EC__I64(s->units), EC__I64(s->heads),
              EC__I64(s->c / s->heads));
    (void)ec_b1(b, ec_b1(b, x, "transpose perm=3,0,4,2,1,5"), "split axis=0 parts=3");
    split = ec_b_last(b);
    for (i = 0; i < 3; i++)
        qkv[i] = split ? ec_b1(b, split->out[i], "squeeze axes=0") : -1;
}

static int attention(struct ec_builder *b, int x, const struct step *s)
{
    int64_t d = s->c / s->heads;
    int qkv[3];

    split_units(b, ec__linear(b, x, 3 * s->c, true, "attn.qkv"), s, qkv);
    if (s->pools) {
        qkv[0] = ec_b1(b, qkv[0], "reshape shape=0,0,0,%d,-1,%lld", POOL, EC__I64(d));
        qkv[0] = ec_b1(b, qkv[0], "reduce_max axes=3 keepdims=0");
    }
    x = ec_b1(b, ec__attend(b, qkv, -1), "transpose perm=0,3,2,1,4");
    x = ec_b1(b, x, "reshape shape=0,-1,%lld", EC__I64(s->c));
    return ec__linear(b, x, s->c, true, "attn.proj");
}

/* Of x (n, t, c) the maxima (or means) over the leading part of the order. */
static int pooled(struct ec_builder *b, int x, const char *how)
{
    x = ec_b1(b, x, "reshape shape=0,%d,-1,%lld", POOL, EC__I64(ec_b_dim(b, x, 2)));
    return ec_b1(b, x, "%s axes=1 keepdims=0", how);
}

static int shortcut(struct ec_builder *b, int x, int normed, const struct ec__hiera *v,
                    const struct step *s)
{
    if (!s->pools)
        return x;
    if (!v->repeat)
        return pooled(b, ec__linear(b, normed, s->c, true, "proj"), "reduce_max");
    return ec_bn(b, (int[]){ pooled(b, x, "reduce_max"), pooled(b, x, "reduce_mean") }, 2,
                 "concat axis=2");
}

static int block(struct ec_builder *b, int x, const struct ec__hiera *v, const struct step *s)
{
    int y = ec__layer_norm(b, x, "norm1");

    x = shortcut(b, x, y, v, s);
    x = ec__residual(b, x, attention(b, y, s), v->scale ? "ls1" : NULL, 0);
    y = ec__mlp(b, ec__layer_norm(b, x, "norm2"), 4 * s->c, "gelu", 0);
    return ec__residual(b, x, y, v->scale ? "ls2" : NULL, 0);
}

/* Positions of a map (1, c, h, w): one of `side`, resized, plus one of a window, repeated. */
static int window_positions(struct ec_builder *b, int64_t c, int64_t side, int64_t window,
                            int64_t map)
{
    int x = ec_b_param(b, "pos_embed", 4, (int64_t)1, c, side, side);
    int y = ec_b_param(b, "pos_embed_window", 4, (int64_t)1, c, window, window);

    x = ec_b1(b, x, "resize size=%lld mode=cubic", EC__I64(map));
    y = ec_b1(b, y, "tile repeats=1,1,%lld,%lld", EC__I64(map / window), EC__I64(map / window));
    return ec__add(b, x, y);
}

static bool check(struct ec_builder *b, const struct ec__net *net, const struct ec_ints *layers)
{
    if (layers->n != 4 || net->size % 32)
        b->st = ec_fail(b->err, EC_E_INPUT,
                        "%d stages and an image of %lld, expected 4 and a multiple of 32",
                        layers->n, EC__I64(net->size));
    return !b->st;
}

/* The first block of a stage pools, and attends as the stage before. */
static int stages(struct ec_builder *b, int x, const struct ec__hiera *v)
{
    struct step s = { v->width, v->heads, 0, false };
    int64_t unit = UNIT, j;
    int i;

    for (i = 0; i < v->layers.n; i++)
        for (j = 0; ec_b_each(b, j, v->layers.v[i], "stages.%d.%lld.", i, EC__I64(j)); j++) {
            s.pools = i && !j;
            s.c *= s.pools ? 2 : 1;
            s.heads *= s.pools ? 2 : 1;
            s.units = (s.pools ? i - 1 : i) < 2 ? ec_b_dim(b, x, 1) / unit : 1;
            x = block(b, x, v, &s);
            unit /= s.pools ? POOL : 1;
        }
    return x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__hiera *v = variant;
    int x = ec__input_image(b, net, 3), places;
    int64_t side = net->size / 4;

    if (!check(b, net, &v->layers))
        return -1;
    x = ec_b1(b, x, "conv2d k=%lld r=7 stride=4 pad=3 name=patch_embed.proj", EC__I64(v->width));
    x = ec__map_tokens(b, x);
    if (v->grid) {
        places = window_positions(b, v->width, v->grid, 8, side);
        x = ec__add(b, x, ec__map_tokens(b, places));
    } else {
        x = ec__positions(b, x, "pos_embed");
    }
    x = stages(b, unroll(b, x, side, v->layers.n - 1), v);
    x = ec__layer_norm(b, ec_b1(b, x, "reduce_mean axes=1 keepdims=0"), "head.norm");
    return net->classes ? ec__linear(b, x, net->classes, true, "head.fc") : x;
}

EC__FAMILY(hiera, "attention inside units that pool", "classify", HIERA, build);

/* --- Segment Anything 2 --- */

struct place {                /* of a block */
    int64_t c, heads, window; /* features after it; window 0: the whole map */
    bool pools;
};

/* (n, h, w, c), half as wide */
static int max_pool(struct ec_builder *b, int x)
{
    return ec__to_last(b, ec_b1(b, ec__to_second(b, x), "max_pool2d r=2 stride=2"));
}

/* x (n, l, c) of square windows; where it pools, the queries of a window are a quarter. */
static int det_attention(struct ec_builder *b, int x, const struct place *at, int64_t side)
{
    const struct ec_node *split;
    int qkv[3] = { -1, -1, -1 }, i;

    (void)ec_b1(b, ec__linear(b, x, 3 * at->c, true, "attn.qkv"), "split axis=2 parts=3");
    split = ec_b_last(b);
    for (i = 0; split && i < 3; i++)
        qkv[i] = split->out[i];
    if (at->pools) {
        qkv[0] = ec_b1(b, qkv[0], "reshape shape=0,%lld,%lld,%lld", EC__I64(side), EC__I64(side),
                       EC__I64(at->c));
        qkv[0] = ec_b1(b, max_pool(b, qkv[0]), "reshape shape=0,-1,%lld", EC__I64(at->c));
    }
    for (i = 0; i < 3; i++)
        qkv[i] = ec__split_heads(b, qkv[i], at->heads);
    return ec__linear(b, ec__join_heads(b, ec__attend(b, qkv, -1)), at->c, true, "attn.proj");
}

/* x (n, h, h, c) */
static int det_windows(struct ec_builder *b, int x, const struct place *at)
{
    int64_t h = ec_b_dim(b, x, 1), c = ec_b_dim(b, x, 3), side = at->window ? at->window : h;
    int64_t out = at->pools ? h / 2 : h, half = at->pools ? side / 2 : side, whole;

    if (at->window)
        x = ec__windows(b, ec__pad_map(b, x, side), side);
    else
        x = ec_b1(b, x, "reshape shape=0,%lld,%lld", EC__I64(h * h), EC__I64(c));
    x = det_attention(b, x, at, side);
    if (!at->window)
        return ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(out), EC__I64(out),
                     EC__I64(at->c));
    whole = ec__round_up(out, half);
    return ec__crop_map(b, ec__windows_map(b, x, half, whole, whole), out, out);
}

static int det_block(struct ec_builder *b, int x, const struct ec__hieradet *v,
                     const struct place *at)
{
    int y = ec__layer_norm(b, x, "norm1");

    if (at->pools)
        x = max_pool(b, ec__linear(b, y, at->c, true, "proj"));
    x = ec__residual(b, x, det_windows(b, y, at), v->scale ? "ls1" : NULL, 0);
    y = ec__mlp(b, ec__layer_norm(b, x, "norm2"), 4 * at->c, "gelu", 0);
    return ec__residual(b, x, y, v->scale ? "ls2" : NULL, 0);
}

static bool is_global(const struct ec__hieradet *v, int64_t block)
{
    int i;

    for (i = 0; i < v->global.n; i++)
        if (v->global.v[i] == block)
            return true;
    return false;
}

static int det_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__hieradet *v = variant;
    struct place at = { v->width, v->heads, 0, false };
    int x = ec__input_image(b, net, 3), i;
    int64_t block = 0, j;

    if (!check(b, net, &v->layers) || v->windows.n < 4) {
        if (!b->st)
            b->st = ec_fail(b->err, EC_E_INPUT, "windows: %d numbers, expected 4", v->windows.n);
        return -1;
    }
    x = ec_b1(b, x, "conv2d k=%lld r=7 stride=4 pad=3 name=patch_embed.proj", EC__I64(v->width));
    x = ec__to_last(b, x);
    x = ec__add(
        b, x,
        ec__to_last(b, window_positions(b, v->width, v->grid, v->windows.v[0], net->size / 4)));
    for (i = 0; i < v->layers.n; i++)
        for (j = 0; ec_b_each(b, j, v->layers.v[i], "blocks.%lld.", EC__I64(block)); j++, block++) {
            at.pools = i && !j;
            at.c *= at.pools ? 2 : 1;
            at.heads *= at.pools ? 2 : 1;
            at.window = is_global(v, block) ? 0 : v->windows.v[at.pools ? i - 1 : i];
            x = det_block(b, x, v, &at);
        }
    x = ec__layer_norm(b, ec_b1(b, x, "reduce_mean axes=1,2 keepdims=0"), "head.norm");
    return net->classes ? ec__linear(b, x, net->classes, true, "head.fc") : x;
}

EC__FAMILY(hieradet, "Hiera over maps, with windows", "classify", HIERADET, det_build);
