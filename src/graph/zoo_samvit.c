/* The image encoder of Segment Anything: a vision transformer over (n, h, w, c) whose blocks attend
 * inside windows, some to the whole map, with relative positions of rows and of columns. */
#include "graph/zoo_internal.h"

#define SAMVIT(X, T)                                                                               \
    X(T, INT, patch, 1, 4096, "side of a patch")                                                   \
    X(T, INT, hidden, 1, 65536, "features of a token")                                             \
    X(T, INT, layers, 1, 1000, "blocks")                                                           \
    X(T, INT, heads, 1, 1024, "attention heads")                                                   \
    X(T, INT, window, 1, 1024, "side of a window")                                                 \
    X(T, INT, every, 1, 1000, "every N-th block sees the whole map")                               \
    X(T, INT, neck, 0, 65536, "channels of two convolutions after the blocks; 0: none")            \
    X(T, BOOL, positions, "learned positions")
EC__VARIANT(samvit, SAMVIT);

/* For each query the scores of each row (or column) of keys: (n, side, side, side) from queries
 * (n, side, side, d), where the second dimension is the row (or column) of a query. */
static int line_scores(struct ec_builder *b, int q, int64_t side, int64_t d, const char *name)
{
    int index = ec__const(b, name, EC_DT_i64, 2, side, side), x;
    size_t old = ec_b_push(b, "%s.", name);

    x = ec_b_param(b, "rel_pos", 2, 2 * side - 1, d);
    x = ec_b2(b, x, ec__holds_rule(b, index, "line_index", 0, 0, 0), "gather axis=0");
    ec_b_pop(b, old);
    return ec_b2(b, q, x, "matmul transpose_b=1");
}

/* (n, heads, l, l): what the scores get from rows plus what they get from columns */
static int decomposed(struct ec_builder *b, int q, int64_t side)
{
    int64_t heads = ec_b_dim(b, q, 1), d = ec_b_dim(b, q, 3), l = side * side;
    int rows, columns;

    q = ec_b1(b, q, "reshape shape=-1,%lld,%lld,%lld", EC__I64(side), EC__I64(side), EC__I64(d));
    rows = ec_b1(b, line_scores(b, q, side, d, "rows"), "unsqueeze axes=4");
    columns = line_scores(b, ec_b1(b, q, "transpose perm=0,2,1,3"), side, d, "columns");
    columns = ec_b1(b, ec_b1(b, columns, "transpose perm=0,2,1,3"), "unsqueeze axes=3");
    return ec_b1(b, ec__add(b, rows, columns), "reshape shape=-1,%lld,%lld,%lld", EC__I64(heads),
                 EC__I64(l), EC__I64(l));
}

/* x (n, l, c) of a square window or map */
static int attention(struct ec_builder *b, int x, int64_t heads, int64_t side)
{
    int64_t c = ec_b_dim(b, x, 2);
    int qkv[3];

    ec__split_parts(b, ec__linear(b, x, 3 * c, true, "attn.qkv"), 3, heads, qkv);
    x = ec__attend(b, qkv, decomposed(b, qkv[0], side));
    return ec__linear(b, ec__join_heads(b, x), c, true, "attn.proj");
}

static int windowed(struct ec_builder *b, int x, const struct ec__samvit *v)
{
    int64_t h = ec_b_dim(b, x, 1), side = v->window;
    int64_t whole = ec__round_up(h, side);

    x = attention(b, ec__windows(b, ec__pad_map(b, x, side), side), v->heads, side);
    x = ec__windows_map(b, x, side, whole, whole);
    return ec__crop_map(b, x, h, h);
}

static int global(struct ec_builder *b, int x, const struct ec__samvit *v)
{
    int64_t h = ec_b_dim(b, x, 1), c = ec_b_dim(b, x, 3);

    x = ec_b1(b, x, "reshape shape=0,%lld,%lld", EC__I64(h * h), EC__I64(c));
    x = attention(b, x, v->heads, h);
    return ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(h), EC__I64(h), EC__I64(c));
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__samvit *v = variant;
    int x = ec__input_image(b, net, 3);
    int64_t i;

    if (!ec__heads_fit(b, v->hidden, v->heads))
        return -1;
    x = ec_b1(b, x, "conv2d k=%lld r=%lld stride=%lld name=patch_embed.proj", EC__I64(v->hidden),
              EC__I64(v->patch), EC__I64(v->patch));
    x = ec__to_last(b, x);
    if (v->positions)
        x = ec__add(b, x,
                    ec_b_param(b, "pos_embed", 4, (int64_t)1, ec_b_dim(b, x, 1), ec_b_dim(b, x, 2),
                               v->hidden));
    for (i = 0; ec_b_each(b, i, v->layers, "blocks.%lld.", EC__I64(i)); i++) {
        int y = ec__layer_norm(b, x, "norm1");

        x = ec__add(b, x, (i + 1) % v->every ? windowed(b, y, v) : global(b, y, v));
        x = ec__add(b, x, ec__mlp(b, ec__layer_norm(b, x, "norm2"), 4 * v->hidden, "gelu", 0));
    }
    x = ec__to_second(b, x);
    if (v->neck) {
        x = ec__map_norm(b, ec__conv(b, x, EC__CONV(.k = v->neck, .name = "neck.0")), "neck.1");
        x = ec__map_norm(b, ec__conv(b, x, EC__CONV(.k = v->neck, .r = 3, .name = "neck.2")),
                         "neck.3");
    }
    return ec__classifier(b, x, 0, net->classes, "head");
}

EC__FAMILY(samvit, "vision transformer of windows", "classify", SAMVIT, build);
