/* Blocks that transformers on images share. Attention is composed of products and softmax, as the
 * reference implementations run it. */
#include "graph/zoo_internal.h"

int ec__layer_norm(struct ec_builder *b, int x, const char *name)
{
    return ec_b1(b, x, "layer_norm name=%s", name);
}

int ec__map_tokens(struct ec_builder *b, int x)
{
    return ec_b1(b, ec_b1(b, x, "reshape shape=0,0,-1"), "transpose perm=0,2,1");
}

int ec__tokens_map(struct ec_builder *b, int x, int64_t h, int64_t w)
{
    x = ec_b1(b, x, "transpose perm=0,2,1");
    return ec_b1(b, x, "reshape shape=0,0,%lld,%lld", EC__I64(h), EC__I64(w));
}

int ec__patches(struct ec_builder *b, int x, int64_t hidden, int64_t patch, const char *name)
{
    return ec__map_tokens(b, ec_b1(b, x, "conv2d k=%lld r=%lld stride=%lld name=%s",
                                   EC__I64(hidden), EC__I64(patch), EC__I64(patch), name));
}

int ec__prefix(struct ec_builder *b, int x, int64_t tokens, const char *name)
{
    int64_t n = ec_b_dim(b, x, 0), c = ec_b_dim(b, x, -1);
    int xs[2] = { ec_b_param(b, name, 3, (int64_t)1, tokens, c), x };

    xs[0] = ec_b1(b, xs[0], "expand shape=%lld,%lld,%lld", EC__I64(n), EC__I64(tokens), EC__I64(c));
    return ec_bn(b, xs, 2, "concat");
}

int ec__positions(struct ec_builder *b, int x, const char *name)
{
    int64_t t = ec_b_dim(b, x, 1), c = ec_b_dim(b, x, 2);

    return ec__add(b, x, ec_b_param(b, name, 3, (int64_t)1, t, c));
}

int ec__tokens_of(struct ec_builder *b, int x, int64_t from, int64_t to)
{
    return ec_b1(b, x, "slice axes=1 starts=%lld ends=%lld", EC__I64(from), EC__I64(to));
}

int ec__token(struct ec_builder *b, int x, int64_t i)
{
    return ec_b1(b, ec__tokens_of(b, x, i, i + 1), "squeeze axes=1");
}

void ec__split_parts(struct ec_builder *b, int x, int parts, int64_t heads, int *ret)
{
    const struct ec_node *split;
    int i;

    x = ec_b1(b, x, "reshape shape=0,0,%d,%lld,-1", parts, EC__I64(heads));
    x = ec_b1(b, x, "transpose perm=2,0,3,1,4");
    (void)ec_b1(b, x, "split axis=0 parts=%d", parts);
    split = ec_b_last(b);
    for (i = 0; i < parts; i++)
        ret[i] = split ? ec_b1(b, split->out[i], "squeeze axes=0") : -1;
}

int ec__attend(struct ec_builder *b, const int qkv[3], int bias)
{
    int scores = ec_b2(b, qkv[0], qkv[1], "matmul transpose_b=1");

    scores = ec__scaled(b, scores, ec_b_dim(b, qkv[0], -1));
    if (bias >= 0)
        scores = ec__add(b, scores, bias);
    return ec_b2(b, ec_b1(b, scores, "softmax"), qkv[2], "matmul");
}

int ec__self_attention(struct ec_builder *b, int x, int64_t heads, bool qkv_bias)
{
    int64_t c = ec_b_dim(b, x, -1);
    int qkv[3];

    ec__split_parts(b, ec__linear(b, x, 3 * c, qkv_bias, "qkv"), 3, heads, qkv);
    return ec__linear(b, ec__join_heads(b, ec__attend(b, qkv, -1)), c, true, "proj");
}

int ec__class_attention(struct ec_builder *b, int x, int64_t heads)
{
    int64_t c = ec_b_dim(b, x, -1);
    int q = ec__linear(b, ec__tokens_of(b, x, 0, 1), c, true, "q"), qkv[3];

    qkv[0] = ec__split_heads(b, q, heads);
    qkv[1] = ec__split_heads(b, ec__linear(b, x, c, true, "k"), heads);
    qkv[2] = ec__split_heads(b, ec__linear(b, x, c, true, "v"), heads);
    return ec__linear(b, ec__join_heads(b, ec__attend(b, qkv, -1)), c, true, "proj");
}

int ec__mlp(struct ec_builder *b, int x, int64_t inner, const char *act, double dropout)
{
    int64_t c = ec_b_dim(b, x, -1);

    x = ec__act(b, ec__linear(b, x, inner, true, "mlp.fc1"), act);
    x = ec__linear(b, ec__dropout(b, x, dropout), c, true, "mlp.fc2");
    return ec__dropout(b, x, dropout);
}

int ec__residual(struct ec_builder *b, int x, int y, const char *gamma, double drop_path)
{
    if (gamma)
        y = ec_b2(b, y, ec_b_param(b, gamma, 1, ec_b_dim(b, y, -1)), "mul");
    return ec__add(b, x, ec__drop_path(b, y, drop_path));
}

int ec__block(struct ec_builder *b, int x, int64_t heads, int64_t inner, double drop_path)
{
    int y = ec__self_attention(b, ec__layer_norm(b, x, "norm1"), heads, true);

    x = ec__residual(b, x, y, NULL, drop_path);
    y = ec__mlp(b, ec__layer_norm(b, x, "norm2"), inner, "gelu", 0);
    return ec__residual(b, x, y, NULL, drop_path);
}

int ec__windows(struct ec_builder *b, int x, int64_t side)
{
    int64_t h = ec_b_dim(b, x, 1), w = ec_b_dim(b, x, 2), c = ec_b_dim(b, x, 3);

    if (b->st || h % side || w % side) {
        if (!b->st)
            b->st = ec_fail(b->err, EC_E_INPUT, "a map of %lldx%lld has no windows of %lld",
                            EC__I64(h), EC__I64(w), EC__I64(side));
        return -1;
    }
    x = ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld,%lld,%lld", EC__I64(h / side), EC__I64(side),
              EC__I64(w / side), EC__I64(side), EC__I64(c));
    x = ec_b1(b, x, "transpose perm=0,1,3,2,4,5");
    return ec_b1(b, x, "reshape shape=-1,%lld,%lld", EC__I64(side * side), EC__I64(c));
}

int ec__windows_map(struct ec_builder *b, int x, int64_t side, int64_t h, int64_t w)
{
    int64_t c = ec_b_dim(b, x, -1);

    x = ec_b1(b, x, "reshape shape=-1,%lld,%lld,%lld,%lld,%lld", EC__I64(h / side),
              EC__I64(w / side), EC__I64(side), EC__I64(side), EC__I64(c));
    x = ec_b1(b, x, "transpose perm=0,1,3,2,4,5");
    return ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(h), EC__I64(w), EC__I64(c));
}

int64_t ec__round_up(int64_t v, int64_t by)
{
    return (v + by - 1) / by * by;
}

int ec__pad_map(struct ec_builder *b, int x, int64_t side)
{
    int64_t h = ec_b_dim(b, x, 1), w = ec_b_dim(b, x, 2);
    int64_t down = ec__round_up(h, side) - h, right = ec__round_up(w, side) - w;

    if (!down && !right)
        return x;
    return ec_b1(b, x, "pad pads=0,0,0,0,0,%lld,%lld,0", EC__I64(down), EC__I64(right));
}

int ec__crop_map(struct ec_builder *b, int x, int64_t h, int64_t w)
{
    if (ec_b_dim(b, x, 1) == h && ec_b_dim(b, x, 2) == w)
        return x;
    x = ec_b1(b, x, "slice axes=1,2 starts=0,0 ends=%lld,%lld", EC__I64(h), EC__I64(w));
    return ec_b1(b, x, "identity");
}

int ec__to_last(struct ec_builder *b, int x)
{
    return ec_b1(b, x, "transpose perm=0,2,3,1");
}

int ec__to_second(struct ec_builder *b, int x)
{
    return ec_b1(b, x, "transpose perm=0,3,1,2");
}

int ec__map_norm(struct ec_builder *b, int x, const char *name)
{
    return ec__to_second(b, ec__layer_norm(b, ec__to_last(b, x), name));
}

int ec__unit_length(struct ec_builder *b, int x)
{
    int norm = ec_b1(b, x, "reduce_l2 axes=-1");

    return ec_b2(b, x, ec_b1(b, norm, "clip lo=1e-12"), "div");
}

bool ec__heads_fit(struct ec_builder *b, int64_t hidden, int64_t heads)
{
    if (!b->st && (heads < 1 || hidden % heads))
        b->st = ec_fail(b->err, EC_E_INPUT, "%lld heads do not divide %lld features",
                        EC__I64(heads), EC__I64(hidden));
    return !b->st;
}

int64_t ec__sum(const struct ec_ints *list)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < list->n; i++)
        sum += list->v[i];
    return sum;
}

double ec__rising(double p, int64_t at, int64_t total)
{
    return total > 1 ? p * (double)at / (double)(total - 1) : 0;
}
