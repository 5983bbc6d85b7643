/* Blocks that networks on images share: norms over channels, attention. */
#include "graph/zoo_internal.h"

void ec__chunk(struct ec_builder *b, int x, int axis, int parts, int *out)
{
    const struct ec_node *split;
    int i;

    (void)ec_b1(b, x, "split axis=%d parts=%d", axis, parts);
    split = ec_b_last(b);
    for (i = 0; i < parts; i++)
        out[i] = split ? split->out[i] : -1;
}

int ec__concat(struct ec_builder *b, const int *xs, int n)
{
    return b->st ? -1 : ec_bn(b, xs, n, "concat");
}

int ec__norm2d(struct ec_builder *b, int x)
{
    return ec__to_second(b, ec_b1(b, ec__to_last(b, x), "layer_norm"));
}

int ec__channel_scale(struct ec_builder *b, int x, const char *name)
{
    return ec_b2(b, x, ec_b_param(b, name, 3, ec_b_dim(b, x, 1), (int64_t)1, (int64_t)1), "mul");
}

int ec__rms_norm2d(struct ec_builder *b, int x)
{
    size_t old = ec_b_push(b, "rms_norm_%d.", b->g->n_nodes);
    int y = ec_b1(b, ec_b2(b, x, x, "mul"), "reduce_mean axes=1");

    y = ec_b1(b, ec_b1(b, y, "scale_scalar add=1e-06"), "pow_scalar p=-0.5");
    y = ec__channel_scale(b, ec_b2(b, x, y, "mul"), "weight");
    ec_b_pop(b, old);
    return y;
}

/* x sigmoid(v x) over the standard deviation of its group of channels, then a scale and a shift. */
int ec__evo_norm(struct ec_builder *b, int x, int64_t groups, bool act)
{
    int64_t c = ec_b_dim(b, x, 1), h = ec_b_dim(b, x, 2), w = ec_b_dim(b, x, 3);
    size_t old = ec_b_push(b, "evo_%d.", b->g->n_nodes);
    int y = x, d;

    if (act) {
        d = ec_b1(b, x, "reshape shape=0,%lld,-1", EC__I64(groups));
        d = ec_b2(b, d, ec_b1(b, d, "reduce_mean axes=2"), "sub");
        d = ec_b1(b, ec_b2(b, d, d, "mul"), "reduce_mean axes=2");
        d = ec_b1(b, ec_b1(b, d, "scale_scalar add=1e-05"), "sqrt");
        y = ec_b2(b, x, ec_b1(b, ec__channel_scale(b, x, "v"), "sigmoid"), "mul");
        y = ec_b2(b, ec_b1(b, y, "reshape shape=0,%lld,-1", EC__I64(groups)), d, "div");
        y = ec_b1(b, y, "reshape shape=0,%lld,%lld,%lld", EC__I64(c), EC__I64(h), EC__I64(w));
    }
    y = ec__channel_scale(b, y, "weight");
    y = ec__add(b, y, ec_b_param(b, "bias", 3, c, (int64_t)1, (int64_t)1));
    ec_b_pop(b, old);
    return y;
}

void ec__qkv(struct ec_builder *b, int x, int64_t heads, int out[3])
{
    bool grouped = !b->st && b->g->values[x]->type.shape.rank == 4;
    int i;

    x = ec_b1(b, x, "reshape shape=0,0,%s3,%lld,-1", grouped ? "0," : "", EC__I64(heads));
    ec__chunk(b, ec_b1(b, x, "transpose perm=%s", grouped ? "3,0,1,4,2,5" : "2,0,3,1,4"), 0, 3,
              out);
    for (i = 0; i < 3; i++)
        out[i] = ec_b1(b, out[i], "squeeze axes=0");
}

int ec__merge_heads(struct ec_builder *b, int x)
{
    bool grouped = !b->st && b->g->values[x]->type.shape.rank == 5;

    if (!grouped)
        return ec__join_heads(b, x);
    return ec_b1(b, ec_b1(b, x, "transpose perm=0,1,3,2,4"), "reshape shape=0,0,0,-1");
}

int ec__grouped_attention(struct ec_builder *b, int x, int64_t heads)
{
    int64_t c = ec_b_dim(b, x, -1);
    int qkv[3];

    ec__qkv(b, ec__linear(b, x, 3 * c, true, "attn.qkv"), heads, qkv);
    x = ec__merge_heads(b, ec__attend(b, qkv, -1));
    return ec__linear(b, x, c, true, "attn.proj");
}

int ec__conv_mlp(struct ec_builder *b, int x, int64_t inner, const char *act)
{
    int64_t c = ec_b_dim(b, x, 1);

    x = ec__act(b, ec__conv(b, x, EC__CONV(.k = inner, .bias = true, .name = "mlp.fc1")), act);
    return ec__conv(b, x, EC__CONV(.k = c, .bias = true, .name = "mlp.fc2"));
}

int ec__resize(struct ec_builder *b, int x, int64_t h, int64_t w)
{
    if (ec_b_dim(b, x, 2) == h && ec_b_dim(b, x, 3) == w)
        return x;
    return ec_b1(b, x, "resize size=%lldx%lld mode=linear", EC__I64(h), EC__I64(w));
}

int ec__conv_norm(struct ec_builder *b, int x, struct ec__conv c, bool merged)
{
    c.bias = c.bias || merged;
    return merged ? ec__conv(b, x, c) : ec__conv_bn(b, x, c);
}

int ec__two_heads(struct ec_builder *b, int x, int64_t classes)
{
    int y = ec__linear(b, x, classes, true, "head");

    y = ec__add(b, y, ec__linear(b, x, classes, true, "head_dist"));
    return ec_b1(b, y, "scale_scalar mul=0.5");
}

int ec__distance_bias(struct ec_builder *b, int64_t heads, int64_t queries, int64_t keys)
{
    int table = ec_b_param(b, "attention_biases", 2, heads, keys);
    int index = ec__const(b, "attention_bias_idxs", EC_DT_i64, 2, queries, keys);

    return ec_b2(b, table, ec__holds_rule(b, index, "distance_index", 0, 0, 0), "gather axis=1");
}
