/* Attention of vision transformers: plain, with relative or rotary positions, with norms of queries
 * and keys, differential; and as a pool. */
#include "graph/zoo_vit_internal.h"

#include <math.h>

enum ec__vit_rope { EC__ROPE_NONE, EC__ROPE_FIXED, EC__ROPE_LEARNED };

int ec__vit_norm(struct ec_builder *b, int x, const struct ec__vit *v, const char *name)
{
    return ec_b1(b, x, "%s name=%s", v->rms ? "rms_norm" : "layer_norm", name);
}

/* --- What blocks share --- */

/* A number for each head and pair of tokens, which a small MLP makes of distances by their
 * logarithm; 0 for tokens in front of the patches. */
static int relative_bias(struct ec_builder *b, const struct ec__vit *v, int64_t side)
{
    int64_t n = 2 * side - 1, l = side * side;
    int index = ec__const(b, "rel_pos.index", EC_DT_i64, 1, l * l);
    int x = ec__const(b, "rel_pos.coords", EC_DT_f32, 4, (int64_t)1, n, n, (int64_t)2);

    x = ec__holds_rule(b, x, "log_coords", 0, 0, 0);
    x = ec__act(b, ec__linear(b, x, v->relative, true, "rel_pos.mlp.fc1"), "relu");
    x = ec__linear(b, ec__dropout(b, x, 0.125), v->heads, true, "rel_pos.mlp.fc2");
    x = ec_b1(b, x, "reshape shape=-1,%lld", EC__I64(v->heads));
    x = ec_b2(b, x, ec__holds_rule(b, index, "relative_index", 0, 0, 0), "gather axis=0");
    x = ec_b1(b, x, "reshape shape=%lld,%lld,-1", EC__I64(l), EC__I64(l));
    x = ec_b1(b, x, "transpose perm=2,0,1");
    if (v->extra)
        x = ec_b1(b, x, "pad pads=0,%lld,%lld,0,0,0", EC__I64(v->extra), EC__I64(v->extra));
    return ec_b1(b, x, "unsqueeze axes=0");
}

/* Angles (layers, heads, t, d/2) of learned frequencies, each twice for the features. */
static void learned_rotation(struct ec_builder *b, const struct ec__vit *v, int64_t t,
                             struct ec__vit_shared *ret)
{
    int64_t d = v->hidden / v->heads;
    int angles[2], i, twice[2];

    for (i = 0; i < 2; i++) {
        int place = ec__const(b, i ? "rope.rows" : "rope.columns", EC_DT_f32, 2, t, (int64_t)1);
        int freqs = ec_b_param(b, i ? "rope.freqs_rows" : "rope.freqs_columns", 4, v->layers,
                               v->heads, (int64_t)1, d / 2);

        place = ec__holds_rule(b, place, "grid", 1, i, 0);
        angles[i] = ec_b2(b, place, freqs, "matmul");
    }
    angles[0] = ec__add(b, angles[0], angles[1]);
    twice[0] = twice[1] = ec_b1(b, angles[0], "cos");
    ret->cos = ec_bn(b, twice, 2, "concat axis=3");
    twice[0] = twice[1] = ec_b1(b, angles[0], "sin");
    ret->sin = ec_bn(b, twice, 2, "concat axis=3");
}

static void fixed_rotation(struct ec_builder *b, const struct ec__vit *v, int64_t t,
                           struct ec__vit_shared *ret)
{
    int64_t d = v->hidden / v->heads;

    ret->cos = ec__const(b, "rope.cos", EC_DT_f32, 4, (int64_t)1, (int64_t)1, t, d);
    ret->sin = ec__const(b, "rope.sin", EC_DT_f32, 4, (int64_t)1, (int64_t)1, t, d);
    ret->cos = ec__holds_rule(b, ret->cos, "rotary_2d", 1, 0, 0);
    ret->sin = ec__holds_rule(b, ret->sin, "rotary_2d", 1, 1, 0);
}

void ec__vit_share(struct ec_builder *b, const struct ec__vit *v, int64_t side,
                   struct ec__vit_shared *ret)
{
    *ret = (struct ec__vit_shared){ side, -1, -1, -1, 0 };
    if (v->relative && v->shared_relative)
        ret->bias = relative_bias(b, v, side);
    if (v->rope == EC__ROPE_FIXED)
        fixed_rotation(b, v, side * side, ret);
    if (v->rope == EC__ROPE_LEARNED)
        learned_rotation(b, v, side * side, ret);
}

/* --- Attention --- */

/* The patches of x (n, heads, t, d) rotated; tokens in front of them as they are. */
static int rotated(struct ec_builder *b, int x, const struct ec__vit *v,
                   const struct ec__vit_shared *s)
{
    int64_t t = ec_b_dim(b, x, 2);
    int cos = s->cos, sin = s->sin, xs[2];

    if (v->rope == EC__ROPE_LEARNED) {
        cos = ec_b1(b, cos, "slice axes=0 starts=%lld ends=%lld", EC__I64(s->block),
                    EC__I64(s->block + 1));
        sin = ec_b1(b, sin, "slice axes=0 starts=%lld ends=%lld", EC__I64(s->block),
                    EC__I64(s->block + 1));
    }
    if (!v->extra)
        return ec__rotate(b, x, cos, sin);
    xs[0] = ec_b1(b, x, "slice axes=2 starts=0 ends=%lld", EC__I64(v->extra));
    xs[1] = ec_b1(b, x, "slice axes=2 starts=%lld ends=%lld", EC__I64(v->extra), EC__I64(t));
    xs[1] = ec__rotate(b, xs[1], cos, sin);
    return ec_bn(b, xs, 2, "concat axis=2");
}

/* exp(q1 k1') - exp(q2 k2') plus what depends on the depth: the weight of the second attention */
static int second_weight(struct ec_builder *b, int64_t d, double init)
{
    static const char *const name[] = { "lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2" };
    int x[4], i;

    for (i = 0; i < 4; i++)
        x[i] = ec_b_param(b, name[i], 1, d);
    for (i = 0; i < 4; i += 2) {
        x[i] = ec_b2(b, x[i], x[i + 1], "mul");
        x[i] = ec_b1(b, ec_b1(b, x[i], "reduce_sum axes=0"), "exp");
    }
    return ec_b1(b, ec_b2(b, x[0], x[2], "sub"), "scale_scalar add=%.9g", init);
}

/* Two attentions per head, of half its features each: (n, heads, t, d) */
static int differential(struct ec_builder *b, const int qkv[3], const struct ec__vit_shared *s)
{
    int64_t heads = ec_b_dim(b, qkv[2], 1), t = ec_b_dim(b, qkv[2], 2), d = ec_b_dim(b, qkv[0], 3);
    double init = 0.8 - 0.6 * exp(-0.3 * (double)s->block);
    int x = ec_b2(b, ec__scaled(b, qkv[0], d), qkv[1], "matmul transpose_b=1"), y;

    x = ec_b1(b, ec_b1(b, x, "softmax"), "reshape shape=0,%lld,2,%lld,%lld", EC__I64(heads),
              EC__I64(t), EC__I64(t));
    y = ec_b1(b, ec_b1(b, x, "slice axes=2 starts=1 ends=2"), "squeeze axes=2");
    x = ec_b1(b, ec_b1(b, x, "slice axes=2 starts=0 ends=1"), "squeeze axes=2");
    x = ec_b2(b, x, ec_b2(b, y, second_weight(b, d, init), "mul"), "sub");
    x = ec_b1(b, ec_b2(b, x, qkv[2], "matmul"), "rms_norm name=sub_norm");
    return ec_b1(b, x, "scale_scalar mul=%.9g", 1 - init);
}

/* q, k, v are (n, heads, t, d), the first two of twice as many heads where it is differential */
static int attend(struct ec_builder *b, int qkv[3], const struct ec__vit *v,
                  const struct ec__vit_shared *s)
{
    int bias = s->bias;

    if (v->qk_norm) {
        qkv[0] = ec__vit_norm(b, qkv[0], v, "q_norm");
        qkv[1] = ec__vit_norm(b, qkv[1], v, "k_norm");
    }
    if (v->rope) {
        qkv[0] = rotated(b, qkv[0], v, s);
        qkv[1] = rotated(b, qkv[1], v, s);
    }
    if (v->relative && !v->shared_relative)
        bias = relative_bias(b, v, s->side);
    return ec__join_heads(b, v->differential ? differential(b, qkv, s) : ec__attend(b, qkv, bias));
}

int ec__vit_attend(struct ec_builder *b, const int qkv[3], const struct ec__vit *v,
                   const struct ec__vit_shared *s)
{
    int parts[3], i;

    for (i = 0; i < 3; i++)
        parts[i] = ec__split_heads(b, qkv[i], v->differential && i < 2 ? 2 * v->heads : v->heads);
    return attend(b, parts, v, s);
}

int ec__vit_attention(struct ec_builder *b, int x, const struct ec__vit *v,
                      const struct ec__vit_shared *s)
{
    static const char *const name[] = { "q_proj", "k_proj", "v_proj" };
    bool bias = !v->no_qkv_bias && !v->no_bias;
    const struct ec_node *split;
    int qkv[3] = { -1, -1, -1 }, i;

    if (v->split_qkv) {
        for (i = 0; i < 3; i++)
            qkv[i] = ec__linear(b, x, v->hidden, bias && i != 1, name[i]);
        x = ec__vit_attend(b, qkv, v, s);
    } else if (v->differential) {
        (void)ec_b1(b, ec__linear(b, x, 3 * v->hidden, bias, "qkv"), "split axis=2 parts=3");
        split = ec_b_last(b);
        for (i = 0; split && i < 3; i++)
            qkv[i] = split->out[i];
        x = ec__vit_attend(b, qkv, v, s);
    } else {
        ec__split_parts(b, ec__linear(b, x, 3 * v->hidden, bias, "qkv"), 3, v->heads, qkv);
        x = attend(b, qkv, v, s);
    }
    if (v->attn_norm)
        x = ec__vit_norm(b, x, v, "attn.norm");
    return ec__dropout(b, ec__linear(b, x, v->hidden, !v->no_bias, "proj"), v->dropout);
}

/* --- As a pool --- */

int ec__vit_pool_attention(struct ec_builder *b, int x, const struct ec__vit *v)
{
    int64_t n = ec_b_dim(b, x, 0), c = v->hidden, heads = v->pool_heads ? v->pool_heads : v->heads;
    size_t old = ec_b_push(b, "attn_pool.");
    int qkv[3], y = ec_b_param(b, "latent", 3, (int64_t)1, (int64_t)1, c);

    y = ec_b1(b, y, "expand shape=%lld,1,%lld", EC__I64(n), EC__I64(c));
    qkv[0] = ec__split_heads(b, ec__linear(b, y, c, true, "q"), heads);
    ec__split_parts(b, ec__linear(b, x, 2 * c, true, "kv"), 2, heads, qkv + 1);
    x = ec__linear(b, ec__join_heads(b, ec__attend(b, qkv, -1)), c, true, "proj");
    y = ec__mlp(b, ec__vit_norm(b, x, v, "norm"), v->pool_ffn ? v->pool_ffn : v->ffn, "gelu", 0);
    x = ec__token(b, ec__add(b, x, y), 0);
    ec_b_pop(b, old);
    return x;
}
