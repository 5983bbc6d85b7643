/* ConViT: attention that a learned gate mixes with weights of the distance of two patches; the last
 * layers have plain attention and a class token. */
#include "graph/zoo_internal.h"

#define CONVIT(X, T)                                                                               \
    X(T, INT, hidden, 1, 65536, "features of a token")                                             \
    X(T, INT, layers, 1, 1000, "blocks")                                                           \
    X(T, INT, gated, 0, 1000, "first blocks, whose attention knows distances")                     \
    X(T, INT, heads, 1, 1024, "attention heads")
EC__VARIANT(convit, CONVIT);

enum { PATCH = 16 };

/* Weights of distances, (n, heads, t, t): a dense layer over x, y and squared distance. */
static int distance_weights(struct ec_builder *b, int64_t n, int64_t t, int64_t heads)
{
    int x = ec__const(b, "rel_indices", EC_DT_f32, 4, (int64_t)1, t, t, (int64_t)3);

    x = ec_b1(b, ec__holds_rule(b, x, "distances", 0, 0, 0), "tile repeats=%lld,1,1,1", EC__I64(n));
    x = ec__linear(b, x, heads, true, "pos_proj");
    return ec_b1(b, ec_b1(b, x, "transpose perm=0,3,1,2"), "softmax");
}

/* (1 - g) x + g y, then rows of sum 1; g a number for each head */
static int gated(struct ec_builder *b, int x, int y, int64_t heads)
{
    int gate = ec_b_param(b, "gating_param", 4, (int64_t)1, heads, (int64_t)1, (int64_t)1);
    int rest = ec_b1(b, ec_b1(b, gate, "sigmoid"), "scale_scalar mul=-1 add=1");

    x = ec_b2(b, x, rest, "mul");
    x = ec__add(b, x, ec_b2(b, y, ec_b1(b, gate, "sigmoid"), "mul"));
    return ec_b2(b, x, ec_b1(b, x, "reduce_sum axes=-1"), "div");
}

static int positional_attention(struct ec_builder *b, int x, int64_t heads)
{
    int64_t n = ec_b_dim(b, x, 0), t = ec_b_dim(b, x, 1), c = ec_b_dim(b, x, 2);
    int value = x, places, qk[2];

    ec__split_parts(b, ec__linear(b, x, 2 * c, false, "qk"), 2, heads, qk);
    places = distance_weights(b, n, t, heads);
    x = ec__scaled(b, ec_b2(b, qk[0], qk[1], "matmul transpose_b=1"), c / heads);
    x = gated(b, ec_b1(b, x, "softmax"), places, heads);
    value = ec__split_heads(b, ec__linear(b, value, c, false, "v"), heads);
    x = ec__join_heads(b, ec_b2(b, x, value, "matmul"));
    return ec__linear(b, x, c, true, "proj");
}

static int block(struct ec_builder *b, int x, const struct ec__convit *v, bool gate)
{
    int y = ec__layer_norm(b, x, "norm1");

    y = gate ? positional_attention(b, y, v->heads) : ec__self_attention(b, y, v->heads, false);
    x = ec__add(b, x, y);
    return ec__add(b, x, ec__mlp(b, ec__layer_norm(b, x, "norm2"), 4 * v->hidden, "gelu", 0));
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__convit *v = variant;
    int x = ec__input_image(b, net, 3);
    int64_t i;

    if (!ec__heads_fit(b, v->hidden, v->heads))
        return -1;
    x = ec__patches(b, x, v->hidden, PATCH, "patch_embed.proj");
    x = ec__positions(b, x, "pos_embed");
    for (i = 0; ec_b_each(b, i, v->layers, "blocks.%lld.", EC__I64(i)); i++) {
        x = i == v->gated ? ec__prefix(b, x, 1, "cls_token") : x;
        x = block(b, x, v, i < v->gated);
    }
    x = ec__token(b, ec__layer_norm(b, x, "norm"), 0);
    return ec__linear(b, x, net->classes, true, "head");
}

EC__FAMILY(convit, "attention gated with distances", "classify", CONVIT, build);
