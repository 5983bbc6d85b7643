/* Transformers on tokens: BERT, GPT-2 and its kin (GPT-3, OPT, MPT), Llama. Kernels in the order in
 * which the reference implementations run them eagerly; `flash` makes attention one kernel. */
#include "graph/zoo_internal.h"

#include <stdio.h>

struct ec__bert {
    int64_t layers, hidden, heads, ffn, vocab, positions, types;
    int head; /* masked words; these and sentence pairs; answer spans */
    double dropout;
};

enum ec__decoder_style { EC__GPT2, EC__OPT, EC__MPT };

struct ec__gpt {
    int style;
    int64_t layers, hidden, heads, ffn, vocab, positions;
    bool flash; /* fused attention */
    double dropout;
};

struct ec__llama {
    int64_t layers, hidden, heads, kv_heads, ffn, vocab, head_dim;
    bool tied, flash, qkv_bias;
};

struct ec__rnn_lm {
    int cell; /* 0 rnn, 1 lstm, 2 gru */
    int64_t vocab, embed, hidden, layers;
    bool tied;
    double dropout;
};

/* --- Shared --- */

static int norm(struct ec_builder *b, int x, const char *name)
{
    return ec_b1(b, x, "layer_norm name=%s", name);
}

/* Index of the embedding table in ret_table, for tying the output layer to it. */
static int embed(struct ec_builder *b, int ids, int64_t num, int64_t dim, const char *name,
                 int *ret_table)
{
    int x = ec_b1(b, ids, "embedding num=%lld dim=%lld name=%s", EC__I64(num), EC__I64(dim), name);
    const struct ec_node *n = ec_b_last(b);

    if (ret_table)
        *ret_table = n ? n->param[0] : -1;
    return x;
}

/* Position ids are a constant (1, t). */
static int embed_positions(struct ec_builder *b, int64_t t, int64_t num, int64_t dim,
                           const char *name)
{
    int ids = ec__const(b, "position_ids", EC_DT_i64, 2, (int64_t)1, t);

    if (!b->st && t > num)
        b->st = ec_fail(b->err, EC_E_INPUT, "%lld tokens, the network has %lld positions",
                        EC__I64(t), EC__I64(num));
    ids = ec__holds_rule(b, ids, "range", 0, 0, 0);
    return embed(b, ids, num, dim, name, NULL);
}

/* Logits (n*t, vocab); table >= 0 ties the weight to the embedding. */
static int lm_head(struct ec_builder *b, int x, int64_t vocab, int table, bool bias,
                   const char *name)
{
    x = ec__linear(b, x, vocab, bias, name);
    if (!b->st && table >= 0)
        b->st = ec_graph_tie(b->g, ec_b_last(b), 0, table, b->err);
    return ec_b1(b, x, "reshape shape=-1,%lld", EC__I64(vocab));
}

static bool check_heads(struct ec_builder *b, int64_t hidden, int64_t heads)
{
    if (!b->st && hidden % heads)
        b->st = ec_fail(b->err, EC_E_INPUT, "%lld heads do not divide hidden %lld", EC__I64(heads),
                        EC__I64(hidden));
    return !b->st;
}

/* --- BERT --- */

static int bert_attention(struct ec_builder *b, int x, const struct ec__bert *v, int mask)
{
    size_t old = ec_b_push(b, "self.");
    int q = ec__split_heads(b, ec__linear(b, x, v->hidden, true, "query"), v->heads);
    int k = ec__split_heads(b, ec__linear(b, x, v->hidden, true, "key"), v->heads);
    int w = ec__split_heads(b, ec__linear(b, x, v->hidden, true, "value"), v->heads);
    int s = ec__scaled(b, ec_b2(b, q, k, "matmul transpose_b=1"), ec_b_dim(b, q, -1));

    s = ec_b1(b, ec__add(b, s, mask), "softmax");
    s = ec_b2(b, ec__dropout(b, s, v->dropout), w, "matmul");
    s = ec__join_heads(b, s);
    ec_b_pop(b, old);
    s = ec__dropout(b, ec__linear(b, s, v->hidden, true, "output.dense"), v->dropout);
    return norm(b, ec__add(b, s, x), "output.LayerNorm");
}

static int bert_layer(struct ec_builder *b, int x, const struct ec__bert *v, int mask)
{
    size_t old = ec_b_push(b, "attention.");
    int y;

    x = bert_attention(b, x, v, mask);
    ec_b_pop(b, old);
    y = ec_b1(b, ec__linear(b, x, v->ffn, true, "intermediate.dense"), "gelu");
    y = ec__dropout(b, ec__linear(b, y, v->hidden, true, "output.dense"), v->dropout);
    return norm(b, ec__add(b, y, x), "output.LayerNorm");
}

static int bert_embeddings(struct ec_builder *b, const struct ec__net *net,
                           const struct ec__bert *v, int *ret_table)
{
    size_t old = ec_b_push(b, "embeddings.");
    int ids = ec__input_tokens(b, net);
    int x = embed(b, ids, v->vocab, v->hidden, "word_embeddings", ret_table);
    int types;

    if (v->types) {
        types = ec__const(b, "token_type_ids", EC_DT_i64, 2, (int64_t)1, net->size);
        types = ec__holds(b, types, 0);
        types = embed(b, types, v->types, v->hidden, "token_type_embeddings", NULL);
        x = ec__add(b, x, types);
    }
    x = ec__add(b, x,
                embed_positions(b, net->size, v->positions, v->hidden, "position_embeddings"));
    x = ec__dropout(b, norm(b, x, "LayerNorm"), v->dropout);
    ec_b_pop(b, old);
    return x;
}

/* Sentence pair: first token, dense, tanh, two logits. */
static void bert_pair_head(struct ec_builder *b, int x, const struct ec__bert *v)
{
    x = ec_b1(b, ec_b1(b, x, "slice axes=1 starts=0 ends=1"), "squeeze axes=1");
    x = ec_b1(b, ec__linear(b, x, v->hidden, true, "pooler.dense"), "tanh");
    x = ec__linear(b, x, 2, true, "seq_relationship");
    if (!b->st)
        b->st = ec_graph_add_output(b->g, x, b->err);
}

enum { BERT_MLM, BERT_PRETRAINING, BERT_QA };

static int bert_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__bert *v = variant;
    int64_t i;
    int table = -1, x, mask;

    if (!check_heads(b, v->hidden, v->heads))
        return -1;
    x = bert_embeddings(b, net, v, &table);
    mask =
        ec__const(b, "attention_mask", EC_DT_f32, 4, (int64_t)1, (int64_t)1, (int64_t)1, net->size);
    mask = ec__holds(b, mask, 0);
    for (i = 0; i < v->layers && !b->st; i++) {
        size_t old = ec_b_push(b, "encoder.layer.%lld.", EC__I64(i));

        x = bert_layer(b, x, v, mask);
        ec_b_pop(b, old);
    }
    if (v->head == BERT_QA)
        return ec_b1(b, ec__linear(b, x, 2, true, "qa_outputs"), "reshape shape=-1,2");
    if (v->head == BERT_PRETRAINING)
        bert_pair_head(b, x, v);
    x = ec_b1(b, ec__linear(b, x, v->hidden, true, "cls.transform.dense"), "gelu");
    x = norm(b, x, "cls.transform.LayerNorm");
    return lm_head(b, x, v->vocab, table, true, "cls.decoder");
}

/* clang-format off */
#define T struct ec__bert
static const char *const bert_heads[] = { "mlm", "pretraining", "qa", NULL };
static const struct ec_field bert_fields[] = {
    EC__INT(T, "layers", layers, 1, 1000, "encoder layers"),
    EC__INT(T, "hidden", hidden, 1, 1000000, "features of a token"),
    EC__INT(T, "heads", heads, 1, 4096, "attention heads"),
    EC__INT(T, "ffn", ffn, 1, 10000000, "features between the two dense layers"),
    EC__INT(T, "vocab", vocab, 1, 100000000, "words"),
    EC__INT(T, "positions", positions, 1, 16777216, "longest sequence"),
    EC__INT(T, "types", types, 0, 1000, "token types; 0: none"),
    EC__ENUM(T, "head", head, bert_heads,
                "masked words, these and sentence pairs, or answer spans"),
    EC__REAL(T, "dropout", dropout, 0, 0.99, "dropout"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

EC__FAMILY(bert, "transformer encoder", "language", bert_fields, bert_build);

/* --- GPT-2 and its kin --- */

/* The tanh form of GELU written out in eight element-wise passes, as GPT-2 runs it. */
static int gelu_new(struct ec_builder *b, int x)
{
    int half = ec_b1(b, x, "scale_scalar mul=0.5");
    int y = ec_b1(b, ec_b1(b, x, "pow_scalar p=3"), "scale_scalar mul=0.044715");

    y = ec_b1(b, ec__add(b, x, y), "scale_scalar mul=0.797884561");
    y = ec_b1(b, ec_b1(b, y, "tanh"), "scale_scalar add=1");
    return ec_b2(b, half, y, "mul");
}

/* One product for q, k and v, cut into three. */
static void fused_qkv(struct ec_builder *b, int x, const struct ec__gpt *v, int qkv[3])
{
    const struct ec_node *split;
    int parts[3] = { -1, -1, -1 }, i;

    x = ec__linear(b, x, 3 * v->hidden, true, "c_attn");
    (void)ec_b1(b, x, "split axis=2 parts=3");
    split = ec_b_last(b);
    for (i = 0; split && i < 3; i++)
        parts[i] = split->out[i];
    for (i = 0; i < 3; i++)
        qkv[i] = ec__split_heads(b, parts[i], v->heads);
}

/* OPT scales the queries before it cuts them into heads. */
static void separate_qkv(struct ec_builder *b, int x, const struct ec__gpt *v, int qkv[3])
{
    int q = ec__scaled(b, ec__linear(b, x, v->hidden, true, "q_proj"), v->hidden / v->heads);

    qkv[1] = ec__split_heads(b, ec__linear(b, x, v->hidden, true, "k_proj"), v->heads);
    qkv[2] = ec__split_heads(b, ec__linear(b, x, v->hidden, true, "v_proj"), v->heads);
    qkv[0] = ec__split_heads(b, q, v->heads);
}

/* GPT-2 divides, then selects with a boolean mask; OPT adds a mask and clips at the lowest float.
 */
static int mask_scores(struct ec_builder *b, int s, const struct ec__gpt *v)
{
    int64_t t = ec_b_dim(b, s, 3);
    int xs[3];

    if (v->style == EC__OPT) {
        xs[0] = ec__const(b, "mask", EC_DT_f32, 4, (int64_t)1, (int64_t)1, t, t);
        xs[0] = ec__holds_rule(b, xs[0], "causal", 2, 0, EC__MASKED);
        return ec_b1(b, ec__add(b, s, xs[0]), "clip lo=-3.4028234663852886e+38");
    }
    xs[0] = ec__const(b, "causal_mask", EC_DT_bool, 4, (int64_t)1, (int64_t)1, t, t);
    xs[0] = ec__holds_rule(b, xs[0], "causal", 2, 1, 0);
    xs[1] = ec__scaled(b, s, v->hidden / v->heads);
    xs[2] =
        ec__const(b, "mask_value", EC_DT_f32, 4, (int64_t)1, (int64_t)1, (int64_t)1, (int64_t)1);
    xs[2] = ec__holds(b, xs[2], EC__MASKED);
    return ec_bn(b, xs, 3, "where");
}

static int gpt_attention(struct ec_builder *b, int x, const struct ec__gpt *v)
{
    int qkv[3], s;

    if (v->style == EC__OPT)
        separate_qkv(b, x, v, qkv);
    else
        fused_qkv(b, x, v, qkv);
    if (v->flash) {
        s = ec_bn(b, qkv, 3, "attention causal=1 p=%.9g", v->style == EC__GPT2 ? v->dropout : 0);
    } else {
        s = ec_b2(b, qkv[0], qkv[1], "matmul transpose_b=1");
        s = ec_b1(b, mask_scores(b, s, v), "softmax");
        s = ec_b2(b, ec__dropout(b, s, v->dropout), qkv[2], "matmul");
    }
    s = ec__linear(b, ec__join_heads(b, s), v->hidden, true, "c_proj");
    return ec__dropout(b, s, v->dropout);
}

static int gpt_mlp(struct ec_builder *b, int x, const struct ec__gpt *v)
{
    x = ec__linear(b, x, v->ffn, true, "mlp.c_fc");
    if (v->style == EC__GPT2)
        x = gelu_new(b, x);
    else
        x = ec_b1(b, x, v->style == EC__OPT ? "relu" : "gelu");
    return ec__dropout(b, ec__linear(b, x, v->hidden, true, "mlp.c_proj"), v->dropout);
}

static int gpt_embed(struct ec_builder *b, const struct ec__net *net, const struct ec__gpt *v,
                     int *ret_table)
{
    int64_t positions = v->positions ? v->positions : net->size;
    int x = embed(b, ec__input_tokens(b, net), v->vocab, v->hidden, "wte", ret_table);

    /* OPT keeps two unused rows in front of its positions */
    if (v->style == EC__OPT)
        positions += 2;
    x = ec__add(b, x, embed_positions(b, net->size, positions, v->hidden, "wpe"));
    return v->style == EC__OPT ? x : ec__dropout(b, x, v->dropout);
}

static int gpt_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__gpt *v = variant;
    int64_t i;
    int table = -1, x;

    if (!check_heads(b, v->hidden, v->heads))
        return -1;
    x = gpt_embed(b, net, v, &table);
    for (i = 0; i < v->layers && !b->st; i++) {
        size_t old = ec_b_push(b, "h.%lld.", EC__I64(i));

        x = ec__add(b, x, gpt_attention(b, norm(b, x, "ln_1"), v));
        x = ec__add(b, x, gpt_mlp(b, norm(b, x, "ln_2"), v));
        ec_b_pop(b, old);
    }
    return lm_head(b, norm(b, x, "ln_f"), v->vocab, table, false, "lm_head");
}

/* clang-format off */
#define T struct ec__gpt
static const char *const gpt_styles[] = { "gpt2", "opt", "mpt", NULL };
static const struct ec_field gpt_fields[] = {
    EC__INT(T, "layers", layers, 1, 1000, "decoder layers"),
    EC__INT(T, "hidden", hidden, 1, 1000000, "features of a token"),
    EC__INT(T, "heads", heads, 1, 4096, "attention heads"),
    EC__INT(T, "ffn", ffn, 1, 10000000, "features between the two dense layers"),
    EC__INT(T, "vocab", vocab, 1, 100000000, "words"),
    EC__INT(T, "positions", positions, 0, 16777216, "longest sequence; 0: the given one"),
    EC__ENUM(T, "style", style, gpt_styles, "whose kernels: gpt2, opt, mpt"),
    EC__BOOL(T, "flash", flash, "fused attention"),
    EC__REAL(T, "dropout", dropout, 0, 0.99, "dropout"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

EC__FAMILY(gpt, "transformer decoder", "language", gpt_fields, gpt_build);

/* --- Llama: RMS norm, rotary positions, grouped keys, gated feed-forward --- */

static int rms_norm(struct ec_builder *b, int x, const char *name)
{
    return ec_b1(b, x, "rms_norm name=%s", name);
}

static int64_t llama_head_dim(const struct ec__llama *v)
{
    return v->head_dim ? v->head_dim : v->hidden / v->heads;
}

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

static int llama_scores(struct ec_builder *b, const int qkv[3], const struct ec__llama *v)
{
    int64_t t = ec_b_dim(b, qkv[0], 2);
    int s, mask;

    if (v->flash)
        return ec_bn(b, qkv, 3, "attention causal=1");
    s = ec__scaled(b, ec_b2(b, qkv[0], qkv[1], "matmul transpose_b=1"), ec_b_dim(b, qkv[0], -1));
    mask = ec__const(b, "causal_mask", EC_DT_f32, 4, (int64_t)1, (int64_t)1, t, t);
    mask = ec__holds_rule(b, mask, "causal", 2, 0, EC__MASKED);
    return ec_b2(b, ec_b1(b, ec__add(b, s, mask), "softmax"), qkv[2], "matmul");
}

static int llama_attention(struct ec_builder *b, int x, const struct ec__llama *v, int cos, int sin)
{
    int64_t d = llama_head_dim(v);
    int qkv[3];

    qkv[0] = ec__split_heads(b, ec__linear(b, x, v->heads * d, v->qkv_bias, "q_proj"), v->heads);
    qkv[1] =
        ec__split_heads(b, ec__linear(b, x, v->kv_heads * d, v->qkv_bias, "k_proj"), v->kv_heads);
    qkv[2] =
        ec__split_heads(b, ec__linear(b, x, v->kv_heads * d, v->qkv_bias, "v_proj"), v->kv_heads);
    qkv[0] = ec__rotate(b, qkv[0], cos, sin);
    qkv[1] = repeat_heads(b, ec__rotate(b, qkv[1], cos, sin), v->heads / v->kv_heads);
    qkv[2] = repeat_heads(b, qkv[2], v->heads / v->kv_heads);
    x = ec__join_heads(b, llama_scores(b, qkv, v));
    return ec__linear(b, x, v->hidden, false, "o_proj");
}

static int llama_mlp(struct ec_builder *b, int x, const struct ec__llama *v)
{
    int gate = ec_b1(b, ec__linear(b, x, v->ffn, false, "mlp.gate_proj"), "silu");
    int up = ec__linear(b, x, v->ffn, false, "mlp.up_proj");

    return ec__linear(b, ec_b2(b, gate, up, "mul"), v->hidden, false, "mlp.down_proj");
}

static bool llama_check(struct ec_builder *b, const struct ec__llama *v)
{
    if (v->heads % v->kv_heads || llama_head_dim(v) < 2 || llama_head_dim(v) % 2)
        b->st = ec_fail(b->err, EC_E_INPUT,
                        "%lld kv_heads must divide %lld heads of an even size, found %lld",
                        EC__I64(v->kv_heads), EC__I64(v->heads), EC__I64(llama_head_dim(v)));
    return !b->st;
}

static int llama_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__llama *v = variant;
    int64_t i;
    int table = -1, x, cos, sin;

    if (!llama_check(b, v))
        return -1;
    x = embed(b, ec__input_tokens(b, net), v->vocab, v->hidden, "embed_tokens", &table);
    cos = ec__const(b, "cos", EC_DT_f32, 4, (int64_t)1, (int64_t)1, net->size, llama_head_dim(v));
    sin = ec__const(b, "sin", EC_DT_f32, 4, (int64_t)1, (int64_t)1, net->size, llama_head_dim(v));
    cos = ec__holds_rule(b, cos, "rotary", 1, 0, 0);
    sin = ec__holds_rule(b, sin, "rotary", 1, 1, 0);
    for (i = 0; i < v->layers && !b->st; i++) {
        size_t old = ec_b_push(b, "layers.%lld.", EC__I64(i));

        x = ec__add(b, x, llama_attention(b, rms_norm(b, x, "input_layernorm"), v, cos, sin));
        x = ec__add(b, x, llama_mlp(b, rms_norm(b, x, "post_attention_layernorm"), v));
        ec_b_pop(b, old);
    }
    return lm_head(b, rms_norm(b, x, "norm"), v->vocab, v->tied ? table : -1, false, "lm_head");
}

/* clang-format off */
#define T struct ec__llama
static const struct ec_field llama_fields[] = {
    EC__INT(T, "layers", layers, 1, 1000, "decoder layers"),
    EC__INT(T, "hidden", hidden, 1, 1000000, "features of a token"),
    EC__INT(T, "heads", heads, 1, 4096, "attention heads"),
    EC__INT(T, "kv_heads", kv_heads, 1, 4096, "heads of keys and values"),
    EC__INT(T, "ffn", ffn, 1, 10000000, "features inside the gated feed-forward"),
    EC__INT(T, "vocab", vocab, 1, 100000000, "words"),
    EC__INT(T, "head_dim", head_dim, 0, 65536, "features of a head; 0: hidden/heads"),
    EC__BOOL(T, "tied", tied, "the output layer shares the embedding"),
    EC__BOOL(T, "flash", flash, "fused attention"),
    EC__BOOL(T, "qkv_bias", qkv_bias, "queries, keys and values have a bias"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

EC__FAMILY(llama, "decoder with rotary positions and gated feed-forward", "language", llama_fields,
           llama_build);

/* --- Recurrent language model: embedding, RNN / LSTM / GRU, decoder --- */

static int rnn_lm_build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    static const char *const cells[] = { "rnn", "lstm", "gru" };
    const struct ec__rnn_lm *v = variant;
    int table = -1, x = ec__input_tokens(b, net);

    if (v->tied && v->embed != v->hidden) {
        b->st = ec_fail(b->err, EC_E_INPUT, "tied needs embed %lld equal to hidden %lld",
                        EC__I64(v->embed), EC__I64(v->hidden));
        return -1;
    }
    x = ec__dropout(b, embed(b, x, v->vocab, v->embed, "encoder", &table), v->dropout);
    x = ec_b1(b, x, "%s hidden=%lld layers=%lld name=rnn", cells[v->cell], EC__I64(v->hidden),
              EC__I64(v->layers));
    return lm_head(b, ec__dropout(b, x, v->dropout), v->vocab, v->tied ? table : -1, true,
                   "decoder");
}

/* clang-format off */
#define T struct ec__rnn_lm
static const char *const cells[] = { "rnn", "lstm", "gru", NULL };
static const struct ec_field rnn_lm_fields[] = {
    EC__ENUM(T, "cell", cell, cells, "rnn, lstm, gru"),
    EC__INT(T, "vocab", vocab, 1, 100000000, "words"),
    EC__INT(T, "embed", embed, 1, 1000000, "features of an embedding"),
    EC__INT(T, "hidden", hidden, 1, 1000000, "features of the state"),
    EC__INT(T, "layers", layers, 1, 8, "layers"),
    EC__BOOL(T, "tied", tied, "the decoder shares the embedding"),
    EC__REAL(T, "dropout", dropout, 0, 0.99, "dropout"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

EC__FAMILY(rnn_lm, "recurrent language model", "language", rnn_lm_fields, rnn_lm_build);
