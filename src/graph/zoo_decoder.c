/* Decoders of tokens by parameters: GPT-2, OPT, BLOOM, Falcon, GPT-NeoX, Llama, Mistral, Qwen,
 * Gemma, Phi, mixtures of experts, DeepSeek. A block is attention and feed-forward layers, each
 * with a norm and an addition; blocks of one kind are the same nodes. Kernels stand in the order in
 * which the reference implementations run them; `flash` makes attention one kernel. */
#include "graph/zoo_text_internal.h"

#include <math.h>

enum { ROTARY, LEARNED, ALIBI, NO_POSITIONS };
static const char *const encodings[] = { "rotary", "learned", "alibi", "none", NULL };
enum { RMS, LAYER };
static const char *const norms[] = { "rms", "layer", NULL };
enum { BEFORE, AFTER, BOTH };
static const char *const norm_places[] = { "before", "after", "both", NULL };
enum { ONE_AFTER_OTHER, ONE_NORM, TWO_NORMS };
static const char *const parallels[] = { "no", "one_norm", "two_norms", NULL };
enum { NO_QK_NORM, OF_HEADS, OF_ALL };
static const char *const qk_norms[] = { "none", "heads", "all", NULL };
/* Added to the scores; GPT-2 divides, then selects with a boolean mask; OPT scales the queries
 * first, and clips at the lowest float. */
enum { ADD, SELECT, CLIP };
static const char *const masks[] = { "add", "select", "clip", NULL };

#define DECODER(X, T)                                                                              \
    X(T, INT, layers, 1, 1000, "decoder layers")                                                   \
    X(T, INT, hidden, 1, 1000000, "features of a token")                                           \
    X(T, INT, heads, 1, 4096, "attention heads")                                                   \
    X(T, INT, kv_heads, 0, 4096, "heads of keys and values; 0: as many as heads")                  \
    X(T, INT, head_dim, 0, 65536, "features of a head; 0: hidden/heads")                           \
    X(T, INT, ffn, 0, 10000000, "features inside the feed-forward layers; 0: 4 times hidden")      \
    X(T, BOOL, gated, "feed-forward with a gate")                                                  \
    X(T, STR, act, "activation: gelu, gelu_new, gelu_tanh, relu, silu")                            \
    X(T, INT, vocab, 1, 100000000, "words")                                                        \
    X(T, BOOL, tied, "the output layer shares the embedding")                                      \
    X(T, ENUM, encoding, encodings, "positions: rotary, learned, alibi, none")                     \
    X(T, INT, positions, 0, 16777216, "longest sequence; 0: the given one")                        \
    X(T, INT, rotary_dim, 0, 65536, "features of a head that are rotated; 0: all")                 \
    X(T, ENUM, norm, norms, "norm: rms, layer")                                                    \
    X(T, ENUM, norm_place, norm_places, "norms before, after or both before and after each part")  \
    X(T, ENUM, parallel, parallels, "attention beside feed-forward: no, one_norm, two_norms")      \
    X(T, BOOL, embed_norm, "a norm after the embedding")                                           \
    X(T, BOOL, embed_scale, "embeddings are multiplied by the root of hidden")                     \
    X(T, BOOL, logit_cap, "logits are bounded by tanh")                                            \
    X(T, BOOL, qkv_fused, "one product for queries, keys and values")                              \
    X(T, BOOL, qkv_bias, "queries, keys and values have a bias")                                   \
    X(T, BOOL, out_bias, "the product after attention has a bias")                                 \
    X(T, BOOL, ffn_bias, "feed-forward layers have biases")                                        \
    X(T, BOOL, head_bias, "the output layer has a bias")                                           \
    X(T, ENUM, qk_norm, qk_norms, "norm of queries and keys: none, heads, all")                    \
    X(T, INT, window, 0, 16777216, "keys that a query sees; 0: all before it")                     \
    X(T, INT, window_every, 0, 1000, "each such layer sees all; 0: none does")                     \
    X(T, BOOL, sinks, "a learned score of each head beside those of the keys")                     \
    X(T, INT, kv_rank, 0, 65536,                                                                   \
      "features of keys and values together (latent attention); 0: none")                          \
    X(T, INT, q_rank, 0, 65536, "features of latent queries; 0: none")                             \
    X(T, INT, rope_dim, 0, 65536, "features of a latent head that are rotated, beside head_dim")   \
    X(T, INT, v_dim, 0, 65536, "features of a head's values; 0: head_dim")                         \
    X(T, INT, experts, 0, 4096, "experts of a layer; 0: none")                                     \
    X(T, INT, top_k, 0, 64, "experts of a token")                                                  \
    X(T, INT, expert_ffn, 0, 10000000, "features inside an expert; 0: ffn")                        \
    X(T, INT, shared_experts, 0, 64, "experts that see all tokens, as one")                        \
    X(T, BOOL, shared_gate, "a learned weight of the shared experts for each token")               \
    X(T, BOOL, expert_bias, "router and experts have biases")                                      \
    X(T, BOOL, score_bias, "sigmoid scores, with a learned bias for the choice")                   \
    X(T, INT, dense_first, 0, 1000, "first layers without experts")                                \
    X(T, INT, sparse_step, 0, 1000, "each such layer has experts; 0: each")                        \
    X(T, BOOL, flash, "fused attention")                                                           \
    X(T, ENUM, mask, masks, "how scores are masked without flash: add, select, clip")              \
    X(T, REAL, dropout, 0, 0.99, "dropout")                                                        \
    X(T, BOOL, embed_dropout, "dropout after the embedding too")
EC__VARIANT(decoder, DECODER);

/* What the blocks share: tables of rotary positions. */
struct shared {
    int cos, sin;
};

static int norm(struct ec_builder *b, int x, const struct ec__decoder *v, const char *name)
{
    return ec_b1(b, x, "%s name=%s", v->norm == RMS ? "rms_norm" : "layer_norm", name);
}

static int64_t head_dim(const struct ec__decoder *v)
{
    return v->head_dim ? v->head_dim : v->hidden / v->heads;
}

static int64_t kv_heads(const struct ec__decoder *v)
{
    return v->kv_heads ? v->kv_heads : v->heads;
}

/* Features of a head that are rotated. */
static int64_t rotated(const struct ec__decoder *v)
{
    return v->kv_rank ? v->rope_dim : v->rotary_dim ? v->rotary_dim : head_dim(v);
}

/* --- Attention --- */

/* Keys and values of one group serve several heads: copied for each of them. */
static int repeat_heads(struct ec_builder *b, int x, int64_t times)
{
    int64_t kv = ec_b_dim(b, x, 1), t = ec_b_dim(b, x, 2), d = ec_b_dim(b, x, 3);

    if (times == 1)
        return x;
    x = ec_b1(b, x, "unsqueeze axes=2");
    x = ec_b1(b, x, "tile repeats=1,1,%lld,1,1", EC__I64(times));
    return ec_b1(b, x, "reshape shape=0,%lld,%lld,%lld", EC__I64(kv * times), EC__I64(t),
                 EC__I64(d));
}

/* The first `rotated` features of each head. */
static int rotate(struct ec_builder *b, int x, const struct ec__decoder *v, const struct shared *s)
{
    int64_t sizes[2] = { rotated(v), ec_b_dim(b, x, -1) - rotated(v) };
    int parts[2];

    if (v->encoding != ROTARY)
        return x;
    if (sizes[1] <= 0)
        return ec__rotate(b, x, s->cos, s->sin);
    ec__split(b, x, 3, sizes, 2, parts);
    parts[0] = ec__rotate(b, parts[0], s->cos, s->sin);
    return ec_bn(b, parts, 2, "concat axis=3");
}

/* As OPT does; others scale the scores. */
static bool scales_queries(const struct ec__decoder *v)
{
    return v->mask == CLIP && !v->flash && !v->qkv_fused && !v->kv_rank;
}

/* One product, cut into three. */
static void fused_qkv(struct ec_builder *b, int x, const struct ec__decoder *v, int qkv[3])
{
    int64_t q = v->heads * head_dim(v), kv = kv_heads(v) * head_dim(v);
    int64_t sizes[3] = { q, kv, kv };
    const struct ec_node *split;
    int i;

    x = ec__linear(b, x, q + 2 * kv, v->qkv_bias, "qkv_proj");
    if (q == kv) {
        (void)ec_b1(b, x, "split axis=2 parts=3");
        split = ec_b_last(b);
        for (i = 0; i < 3; i++)
            qkv[i] = split ? split->out[i] : -1;
    } else {
        ec__split(b, x, 2, sizes, 3, qkv);
    }
    for (i = 0; i < 3; i++)
        qkv[i] = ec__split_heads(b, qkv[i], i ? kv_heads(v) : v->heads);
}

static int projection(struct ec_builder *b, int x, const struct ec__decoder *v, int64_t heads,
                      const char *name)
{
    return ec__linear(b, x, heads * head_dim(v), v->qkv_bias, name);
}

static int qk_norm(struct ec_builder *b, int x, const struct ec__decoder *v, int kind,
                   const char *name)
{
    return v->qk_norm == kind ? norm(b, x, v, name) : x;
}

static void separate_qkv(struct ec_builder *b, int x, const struct ec__decoder *v, int qkv[3])
{
    int64_t kv = kv_heads(v);

    qkv[0] = qk_norm(b, projection(b, x, v, v->heads, "q_proj"), v, OF_ALL, "q_norm");
    if (scales_queries(v))
        qkv[0] = ec__scaled(b, qkv[0], head_dim(v));
    qkv[0] = ec__split_heads(b, qkv[0], v->heads);
    qkv[1] = qk_norm(b, projection(b, x, v, kv, "k_proj"), v, OF_ALL, "k_norm");
    qkv[1] = ec__split_heads(b, qkv[1], kv);
    qkv[2] = ec__split_heads(b, projection(b, x, v, kv, "v_proj"), kv);
}

static void grouped_qkv(struct ec_builder *b, int x, const struct ec__decoder *v,
                        const struct shared *s, int qkv[3])
{
    int64_t times = v->heads / kv_heads(v);

    if (v->qkv_fused)
        fused_qkv(b, x, v, qkv);
    else
        separate_qkv(b, x, v, qkv);
    qkv[0] = rotate(b, qk_norm(b, qkv[0], v, OF_HEADS, "q_norm"), v, s);
    qkv[1] = rotate(b, qk_norm(b, qkv[1], v, OF_HEADS, "k_norm"), v, s);
    qkv[1] = repeat_heads(b, qkv[1], times);
    qkv[2] = repeat_heads(b, qkv[2], times);
}

/* Keys and values of all heads from few features, beside a rotated part of the keys that heads
 * share (DeepSeek). */
static void latent_qkv(struct ec_builder *b, int x, const struct ec__decoder *v,
                       const struct shared *s, int qkv[3])
{
    int64_t d = head_dim(v), e = v->v_dim ? v->v_dim : d;
    int64_t down[2] = { v->kv_rank, v->rope_dim }, q_parts[2] = { d, v->rope_dim };
    int64_t up[2] = { d, e };
    int q = x, part[2], kv[2];

    if (v->q_rank) {
        q = ec__linear(b, x, v->q_rank, false, "q_a_proj");
        q = norm(b, q, v, "q_a_layernorm");
    }
    q = ec__linear(b, q, v->heads * (d + v->rope_dim), false, v->q_rank ? "q_b_proj" : "q_proj");
    ec__split(b, ec__split_heads(b, q, v->heads), 3, q_parts, 2, part);
    part[1] = ec__rotate(b, part[1], s->cos, s->sin);
    qkv[0] = ec_bn(b, part, 2, "concat axis=3");
    ec__split(b, ec__linear(b, x, v->kv_rank + v->rope_dim, false, "kv_a_proj"), 2, down, 2, kv);
    kv[0] = norm(b, kv[0], v, "kv_a_layernorm");
    kv[0] = ec__linear(b, kv[0], v->heads * (d + e), false, "kv_b_proj");
    ec__split(b, ec__split_heads(b, kv[0], v->heads), 3, up, 2, part);
    qkv[2] = part[1];
    part[1] = ec__rotate(b, ec__split_heads(b, kv[1], 1), s->cos, s->sin);
    part[1] = repeat_heads(b, part[1], v->heads);
    qkv[1] = ec_bn(b, part, 2, "concat axis=3");
}

static int masked(struct ec_builder *b, int s, const struct ec__decoder *v, int64_t window)
{
    int64_t t = ec_b_dim(b, s, 3);
    int xs[3];

    if (v->mask == SELECT && !window && v->encoding != ALIBI) {
        xs[0] = ec__const(b, "causal_mask", EC_DT_bool, 4, (int64_t)1, (int64_t)1, t, t);
        xs[0] = ec__holds_rule(b, xs[0], "causal", 2, 1, 0);
        xs[1] = ec__scaled(b, s, head_dim(v));
        xs[2] = ec__const(b, "mask_value", EC_DT_f32, 4, (int64_t)1, (int64_t)1, (int64_t)1,
                          (int64_t)1);
        xs[2] = ec__holds(b, xs[2], EC__MASKED);
        return ec_bn(b, xs, 3, "where");
    }
    if (!scales_queries(v))
        s = ec__scaled(b, s, head_dim(v) + (v->kv_rank ? v->rope_dim : 0));
    xs[0] = ec__const(b, "causal_mask", EC_DT_f32, 4, (int64_t)1, (int64_t)1, t, t);
    xs[0] = window ? ec__holds_rule(b, xs[0], "causal_window", 2, (double)window, EC__MASKED)
                   : ec__holds_rule(b, xs[0], "causal", 2, 0, EC__MASKED);
    if (v->encoding == ALIBI) {
        xs[1] = ec__const(b, "alibi", EC_DT_f32, 4, (int64_t)1, v->heads, (int64_t)1, t);
        s = ec__add(b, s, ec__holds_rule(b, xs[1], "alibi", 0, 0, 0));
    }
    s = ec__add(b, s, xs[0]);
    return v->mask == CLIP ? ec_b1(b, s, "clip lo=-3.4028234663852886e+38") : s;
}

/* softmax(q k') v; window: keys that a query sees, 0: all before it */
static int attend(struct ec_builder *b, const int qkv[3], const struct ec__decoder *v,
                  int64_t window)
{
    int s;

    if (window >= ec_b_dim(b, qkv[0], 2))
        window = 0;
    if (v->flash)
        return ec_bn(b, qkv, 3, "attention causal=1 p=%.9g window=%lld", v->dropout,
                     EC__I64(window));
    s = ec_b2(b, qkv[0], qkv[1], "matmul transpose_b=1");
    s = ec_b1(b, masked(b, s, v, window), "softmax");
    return ec_b2(b, ec__dropout(b, s, v->dropout), qkv[2], "matmul");
}

static int attention(struct ec_builder *b, int x, const struct ec__decoder *v, int64_t layer,
                     const struct shared *s)
{
    bool full = !v->window || (v->window_every && (layer + 1) % v->window_every == 0);
    int qkv[3];

    if (v->kv_rank)
        latent_qkv(b, x, v, s, qkv);
    else
        grouped_qkv(b, x, v, s, qkv);
    x = attend(b, qkv, v, full ? 0 : v->window);
    if (v->sinks) /* what they leave of the sum is a factor */
        x = ec_b2(b, x, ec_b_param(b, "sinks", 3, v->heads, (int64_t)1, (int64_t)1), "mul");
    x = ec__join_heads(b, x);
    return ec__dropout(b, ec__linear(b, x, v->hidden, v->out_bias, "o_proj"), v->dropout);
}

/* --- Feed-forward layers --- */

/* The tanh form of GELU written out in eight element-wise passes, as GPT-2 runs it. */
static int gelu_new(struct ec_builder *b, int x)
{
    int half = ec_b1(b, x, "scale_scalar mul=0.5");
    int y = ec_b1(b, ec_b1(b, x, "pow_scalar p=3"), "scale_scalar mul=0.044715");

    y = ec_b1(b, ec__add(b, x, y), "scale_scalar mul=0.797884561");
    y = ec_b1(b, ec_b1(b, y, "tanh"), "scale_scalar add=1");
    return ec_b2(b, half, y, "mul");
}

static int activation(struct ec_builder *b, int x, const char *act)
{
    if (ec_str_eq(act, "gelu_new"))
        return gelu_new(b, x);
    return ec__act(b, x, ec_str_eq(act, "gelu_tanh") ? "gelu approx=tanh" : act);
}

static int dense(struct ec_builder *b, int x, const struct ec__decoder *v, int64_t inner)
{
    int y = ec__linear(b, x, inner, v->ffn_bias, v->gated ? "mlp.gate_proj" : "mlp.up_proj");

    y = activation(b, y, v->act);
    if (v->gated)
        y = ec_b2(b, y, ec__linear(b, x, inner, v->ffn_bias, "mlp.up_proj"), "mul");
    return ec__dropout(b, ec__linear(b, y, v->hidden, v->ffn_bias, "mlp.down_proj"), v->dropout);
}

static int64_t ffn(const struct ec__decoder *v)
{
    return v->ffn ? v->ffn : 4 * v->hidden;
}

/* The scores of the experts for each token: (n, t, experts) */
static int router(struct ec_builder *b, int x, const struct ec__decoder *v)
{
    int s = ec__linear(b, x, v->experts, v->expert_bias, "router");

    if (!v->score_bias)
        return ec_b1(b, s, "softmax");
    s = ec_b1(b, s, "sigmoid");
    return ec__add(b, s, ec_b_param(b, "router.score_bias", 1, v->experts));
}

static int sparse(struct ec_builder *b, int x, const struct ec__decoder *v)
{
    int64_t inner = v->expert_ffn ? v->expert_ffn : ffn(v);
    int xs[2] = { x, router(b, x, v) }, y, z;

    y = ec_bn(b, xs, 2, "experts top_k=%lld ffn=%lld gated=%d bias=%d name=experts",
              EC__I64(v->top_k), EC__I64(inner), v->gated, v->expert_bias);
    if (!v->shared_experts)
        return y;
    z = dense(b, x, v, inner * v->shared_experts);
    if (v->shared_gate)
        z = ec_b2(b, z, ec_b1(b, ec__linear(b, x, 1, false, "shared_gate"), "sigmoid"), "mul");
    return ec__add(b, y, z);
}

static int feed_forward(struct ec_builder *b, int x, const struct ec__decoder *v, int64_t layer)
{
    int64_t step = v->sparse_step ? v->sparse_step : 1;

    if (v->experts && layer >= v->dense_first && (layer + 1) % step == 0)
        return sparse(b, x, v);
    return dense(b, x, v, ffn(v));
}

/* --- The whole --- */

static int before(struct ec_builder *b, int x, const struct ec__decoder *v, const char *name)
{
    return v->norm_place == AFTER ? x : norm(b, x, v, name);
}

static int after(struct ec_builder *b, int x, const struct ec__decoder *v, const char *name)
{
    return v->norm_place == BEFORE ? x : norm(b, x, v, name);
}

static int layer(struct ec_builder *b, int x, const struct ec__decoder *v, int64_t i,
                 const struct shared *s)
{
    int h = before(b, x, v, "input_layernorm"), y = attention(b, h, v, i, s);

    if (v->parallel) {
        if (v->parallel == TWO_NORMS)
            h = norm(b, x, v, "post_attention_layernorm");
        return ec__add(b, x, ec__add(b, y, feed_forward(b, h, v, i)));
    }
    x = ec__add(b, x, after(b, y, v, "attention_out_layernorm"));
    y = feed_forward(b, before(b, x, v, "post_attention_layernorm"), v, i);
    return ec__add(b, x, after(b, y, v, "feedforward_out_layernorm"));
}

static int embed(struct ec_builder *b, const struct ec__net *net, const struct ec__decoder *v,
                 int *ret_table)
{
    int x = ec__embed(b, ec__input_tokens(b, net), v->vocab, v->hidden, "embed_tokens", ret_table);

    if (v->embed_scale)
        x = ec_b1(b, x, "scale_scalar mul=%.9g", sqrt((double)v->hidden));
    if (v->encoding == LEARNED)
        x = ec__add(b, x,
                    ec__embed_positions(b, net->size, v->positions ? v->positions : net->size,
                                        v->hidden, "embed_positions"));
    if (v->embed_norm)
        x = norm(b, x, v, "embed_layernorm");
    return v->embed_dropout ? ec__dropout(b, x, v->dropout) : x;
}

static struct shared share(struct ec_builder *b, const struct ec__net *net,
                           const struct ec__decoder *v)
{
    struct shared s = { -1, -1 };

    if (v->encoding != ROTARY)
        return s;
    s.cos = ec__const(b, "cos", EC_DT_f32, 4, (int64_t)1, (int64_t)1, net->size, rotated(v));
    s.sin = ec__const(b, "sin", EC_DT_f32, 4, (int64_t)1, (int64_t)1, net->size, rotated(v));
    s.cos = ec__holds_rule(b, s.cos, "rotary", 1, 0, 0);
    s.sin = ec__holds_rule(b, s.sin, "rotary", 1, 1, 0);
    return s;
}

static bool refused(struct ec_builder *b, const struct ec__decoder *v)
{
    if (v->heads % kv_heads(v))
        b->st = ec_fail(b->err, EC_E_INPUT, "%lld kv_heads do not divide %lld heads",
                        EC__I64(kv_heads(v)), EC__I64(v->heads));
    else if (!v->head_dim && v->hidden % v->heads)
        (void)ec__heads_fit(b, v->hidden, v->heads);
    else if (v->encoding == ROTARY && (rotated(v) < 2 || rotated(v) % 2))
        b->st = ec_fail(b->err, EC_E_INPUT,
                        "%lld features of a head are rotated, expected an even number",
                        EC__I64(rotated(v)));
    else if (v->encoding == ROTARY && !v->kv_rank && rotated(v) > head_dim(v))
        b->st = ec_fail(b->err, EC_E_INPUT, "rotary_dim %lld is more than head_dim %lld",
                        EC__I64(rotated(v)), EC__I64(head_dim(v)));
    else if (v->kv_rank && v->encoding != ROTARY)
        b->st = ec_fail(b->err, EC_E_INPUT, "latent attention (kv_rank) needs rotary positions");
    else if (v->encoding == ALIBI && v->flash)
        b->st = ec_fail(b->err, EC_E_INPUT, "alibi needs flash=0");
    else if (v->experts && (v->top_k < 1 || v->top_k > v->experts))
        b->st = ec_fail(b->err, EC_E_INPUT, "top_k %lld, expected 1 to %lld experts",
                        EC__I64(v->top_k), EC__I64(v->experts));
    return b->st != EC_OK;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__decoder *v = variant;
    struct shared s;
    int64_t i;
    int table = -1, x;

    if (refused(b, v))
        return -1;
    x = embed(b, net, v, &table);
    s = share(b, net, v);
    for (i = 0; ec_b_each(b, i, v->layers, "layers.%lld.", EC__I64(i)); i++)
        x = layer(b, x, v, i, &s);
    x = ec__lm_head(b, norm(b, x, v, "norm"), v->vocab, v->tied ? table : -1, v->head_bias,
                    "lm_head");
    if (v->logit_cap)
        x = ec_b1(b, ec_b1(b, ec_b1(b, x, "scale_scalar mul=0.0333333333"), "tanh"),
                  "scale_scalar mul=30");
    return x;
}

EC__FAMILY(decoder, "decoder of tokens", "language", DECODER, build);
