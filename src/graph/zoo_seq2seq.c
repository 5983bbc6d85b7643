/* Encoder-decoder transformers: the first one (Vaswani et al. 2017), T5, and T5 with switched
 * experts. Both inputs have the length of the sequence. */
#include "graph/zoo_internal.h"

#include <math.h>

enum { EC__TRANSFORMER, EC__T5 };

#define EC__EXPERTS_MAX 256

#define SEQ2SEQ(X, T)                                                                              \
    X(T, ENUM, style, styles, "whose kernels: transformer, t5")                                    \
    X(T, INT, layers, 1, 1000, "layers of the encoder, and of the decoder")                        \
    X(T, INT, hidden, 1, 1000000, "features of a token")                                           \
    X(T, INT, heads, 1, 4096, "attention heads")                                                   \
    X(T, INT, head_dim, 0, 65536, "features of a head; 0: hidden/heads")                           \
    X(T, INT, ffn, 1, 10000000, "features between the two dense layers")                           \
    X(T, INT, vocab, 1, 100000000, "words")                                                        \
    X(T, BOOL, gated, "feed-forward with a GELU gate (T5 1.1)")                                    \
    X(T, BOOL, untied, "the output layer has a weight of its own")                                 \
    X(T, INT, experts, 0, EC__EXPERTS_MAX, "experts of sparse layers; 0: none")                    \
    X(T, INT, sparse_step, 1, 1000, "every N-th feed-forward has experts")                         \
    X(T, INT, capacity, 0, 16777216, "tokens an expert takes of a sequence; 0: all")               \
    X(T, REAL, dropout, 0, 0.99, "dropout")
EC__VARIANT(seq2seq, SEQ2SEQ);

struct side { /* encoder or decoder while it is built */
    const struct ec__seq2seq *v;
    int64_t n, t;
    int mask; /* (1, 1, t, t) or (1, 1, 1, t) */
    bool causal;
    int bias; /* T5: relative positions, shared by all layers; -1 */
};

static bool is_t5(const struct ec__seq2seq *v)
{
    return v->style == EC__T5;
}

static int norm(struct ec_builder *b, int x, const struct ec__seq2seq *v, const char *name)
{
    return ec_b1(b, x, "%s name=%s", is_t5(v) ? "rms_norm" : "layer_norm", name);
}

static int64_t head_dim(const struct ec__seq2seq *v)
{
    return v->head_dim ? v->head_dim : v->hidden / v->heads;
}

/* T5 does not scale the scores; its position bias already holds the mask. */
static int weights(struct ec_builder *b, int q, int k, const struct side *s)
{
    int x = ec_b2(b, q, k, "matmul transpose_b=1");

    if (!is_t5(s->v))
        x = ec__scaled(b, x, ec_b_dim(b, q, -1));
    x = ec__add(b, x, s->bias >= 0 ? s->bias : s->mask);
    return ec__dropout(b, ec_b1(b, x, "softmax"), s->v->dropout);
}

static int attention(struct ec_builder *b, int x, int memory, const struct side *s,
                     const char *name)
{
    const struct ec__seq2seq *v = s->v;
    int64_t inner = v->heads * head_dim(v);
    bool bias = !is_t5(v);
    size_t old = ec_b_push(b, "%s.", name);
    int q = ec__split_heads(b, ec__linear(b, x, inner, bias, "q"), v->heads);
    int k = ec__split_heads(b, ec__linear(b, memory, inner, bias, "k"), v->heads);
    int w = ec__split_heads(b, ec__linear(b, memory, inner, bias, "v"), v->heads);

    x = ec__join_heads(b, ec_b2(b, weights(b, q, k, s), w, "matmul"));
    x = ec__linear(b, x, v->hidden, bias, "o");
    ec_b_pop(b, old);
    return ec__dropout(b, x, v->dropout);
}

static int dense(struct ec_builder *b, int x, const struct ec__seq2seq *v)
{
    bool bias = !is_t5(v);
    int gate;

    if (v->gated) {
        gate = ec_b1(b, ec__linear(b, x, v->ffn, false, "wi_0"), "gelu");
        x = ec_b2(b, gate, ec__linear(b, x, v->ffn, false, "wi_1"), "mul");
    } else {
        x = ec_b1(b, ec__linear(b, x, v->ffn, bias, "wi"), "relu");
    }
    return ec__linear(b, ec__dropout(b, x, v->dropout), v->hidden, bias, "wo");
}

/* One expert per token; an expert takes its tokens up to its capacity per sequence. */
static int experts(struct ec_builder *b, int x, const struct side *s)
{
    const struct ec__seq2seq *v = s->v;
    int64_t each = (s->t + v->experts - 1) / v->experts, i;
    int xs[EC__EXPERTS_MAX], gate, flat, back;

    if (v->capacity && each > v->capacity)
        each = v->capacity;
    gate = ec_b1(b, ec__linear(b, x, v->experts, false, "router"), "softmax");
    gate = ec_b1(b, gate, "reduce_max axes=-1");
    flat = ec_b1(b, x, "reshape shape=-1,%lld", EC__I64(v->hidden));
    for (i = 0; ec_b_each(b, i, v->experts, "expert_%lld.", EC__I64(i)); i++) {
        int tokens = ec__const(b, "tokens", EC_DT_i64, 1, s->n * each);

        xs[i] = dense(b, ec_b2(b, flat, tokens, "gather axis=0"), v);
    }
    x = ec_bn(b, xs, (int)v->experts, "concat axis=0");
    back = ec__const(b, "order", EC_DT_i64, 1, s->n * s->t);
    x = ec_b1(b, ec_b2(b, x, back, "gather axis=0"), "reshape shape=%lld,%lld,%lld", EC__I64(s->n),
              EC__I64(s->t), EC__I64(v->hidden));
    return ec_b2(b, x, gate, "mul");
}

static int feed_forward(struct ec_builder *b, int x, const struct side *s, int64_t layer)
{
    const struct ec__seq2seq *v = s->v;
    int64_t step = v->sparse_step ? v->sparse_step : 1;
    bool sparse = v->experts > 1 && layer % step == step - 1;

    return ec__dropout(b, sparse ? experts(b, x, s) : dense(b, x, v), v->dropout);
}

/* T5 norms before each branch, the first transformer after the addition. */
static int branch_in(struct ec_builder *b, int x, const struct ec__seq2seq *v, const char *name)
{
    return is_t5(v) ? norm(b, x, v, name) : x;
}

static int branch_out(struct ec_builder *b, int x, int y, const struct ec__seq2seq *v,
                      const char *name)
{
    x = ec__add(b, x, y);
    return is_t5(v) ? x : norm(b, x, v, name);
}

static int layer(struct ec_builder *b, int x, const struct side *self, const struct side *cross,
                 int memory, int64_t i)
{
    const struct ec__seq2seq *v = self->v;
    int y = branch_in(b, x, v, "norm1");

    x = branch_out(b, x, attention(b, y, y, self, "self"), v, "norm1");
    if (cross) {
        y = branch_in(b, x, v, "norm2");
        x = branch_out(b, x, attention(b, y, memory, cross, "cross"), v, "norm2");
    }
    y = branch_in(b, x, v, "norm3");
    return branch_out(b, x, feed_forward(b, y, self, i), v, "norm3");
}

/* 32 buckets of distance, one bias per head, with the mask added: (1, heads, t, t) */
static int position_bias(struct ec_builder *b, const struct side *s)
{
    int ids = ec__const(b, "buckets", EC_DT_i64, 2, s->t, s->t);
    int x;

    ids = ec__holds_rule(b, ids, "buckets", 1, !s->causal, 0);
    x = ec_b1(b, ids, "embedding num=32 dim=%lld name=relative_attention_bias",
              EC__I64(s->v->heads));

    x = ec_b1(b, ec_b1(b, x, "transpose perm=2,0,1"), "unsqueeze axes=0");
    return ec__add(b, x, s->mask);
}

static struct side begin(struct ec_builder *b, const struct ec__net *net,
                         const struct ec__seq2seq *v, bool causal)
{
    struct side s = { v, net->batch, net->size, -1, causal, -1 };

    s.mask = ec__const(b, "mask", EC_DT_f32, 4, (int64_t)1, (int64_t)1,
                       causal ? net->size : (int64_t)1, net->size);
    s.mask =
        causal ? ec__holds_rule(b, s.mask, "causal", 2, 0, EC__MASKED) : ec__holds(b, s.mask, 0);
    if (is_t5(v))
        s.bias = position_bias(b, &s);
    return s;
}

/* Token embedding with the table shared by both sides and by the output. */
static int embed(struct ec_builder *b, int ids, const struct side *s, int *table)
{
    const struct ec__seq2seq *v = s->v;
    int x = ec_b1(b, ids, "embedding num=%lld dim=%lld", EC__I64(v->vocab), EC__I64(v->hidden));
    struct ec_node *n = ec_b_last(b);
    int positions;

    if (n && *table >= 0)
        b->st = ec_graph_tie(b->g, n, 0, *table, b->err);
    else if (n)
        *table = n->param[0];
    if (!is_t5(v)) {
        x = ec_b1(b, x, "scale_scalar mul=%.9g", sqrt((double)v->hidden));
        positions = ec__const(b, "positions", EC_DT_f32, 3, (int64_t)1, s->t, v->hidden);
        x = ec__add(b, x, ec__holds_rule(b, positions, "positions", 0, 0, 0));
    }
    return ec__dropout(b, x, v->dropout);
}

static int finish(struct ec_builder *b, int x, const struct ec__seq2seq *v)
{
    return is_t5(v) ? ec__dropout(b, norm(b, x, v, "final_layer_norm"), v->dropout) : x;
}

static int encode(struct ec_builder *b, const struct ec__net *net, const struct ec__seq2seq *v,
                  int *table)
{
    size_t outer = ec_b_push(b, "encoder.");
    struct side s = begin(b, net, v, false);
    int64_t i;
    int x = embed(b, ec__input_tokens(b, net), &s, table);

    for (i = 0; ec_b_each(b, i, v->layers, "%lld.", EC__I64(i)); i++)
        x = layer(b, x, &s, NULL, -1, i);
    x = finish(b, x, v);
    ec_b_pop(b, outer);
    return x;
}

static int decode(struct ec_builder *b, const struct ec__net *net, const struct ec__seq2seq *v,
                  int memory, int *table)
{
    size_t outer = ec_b_push(b, "decoder.");
    struct side s = begin(b, net, v, true), cross = s;
    int64_t i;
    int x = ec_b_input(b, "decoder_input_ids", EC_DT_i64, 2, net->batch, net->size);

    cross.bias = -1;
    cross.mask =
        ec__const(b, "cross_mask", EC_DT_f32, 4, (int64_t)1, (int64_t)1, (int64_t)1, net->size);
    cross.mask = ec__holds(b, cross.mask, 0);
    x = embed(b, x, &s, table);
    for (i = 0; ec_b_each(b, i, v->layers, "%lld.", EC__I64(i)); i++)
        x = layer(b, x, &s, &cross, memory, i);
    x = finish(b, x, v);
    ec_b_pop(b, outer);
    return x;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__seq2seq *v = variant;
    int table = -1, x;

    if (head_dim(v) < 1 || v->experts > EC__EXPERTS_MAX) {
        b->st = ec_fail(b->err, EC_E_INPUT, "%lld heads do not divide hidden %lld",
                        EC__I64(v->heads), EC__I64(v->hidden));
        return -1;
    }
    x = encode(b, net, v, &table);
    x = decode(b, net, v, x, &table);
    if (is_t5(v) && !v->untied)
        x = ec__scaled(b, x, v->hidden);
    x = ec__linear(b, x, v->vocab, false, "lm_head");
    if (!b->st && !v->untied)
        b->st = ec_graph_tie(b->g, ec_b_last(b), 0, table, b->err);
    return ec_b1(b, x, "reshape shape=-1,%lld", EC__I64(v->vocab));
}

static const char *const styles[] = { "transformer", "t5", NULL };

EC__FAMILY(seq2seq, "transformer encoder and decoder", "language", SEQ2SEQ, build);
