/* Networks on tokens other than decoders: BERT, recurrent language models. Kernels in the order in
 * which the reference implementations run them eagerly. */
#include "graph/zoo_text_internal.h"

#define BERT(X, T)                                                                                 \
    X(T, INT, layers, 1, 1000, "encoder layers")                                                   \
    X(T, INT, hidden, 1, 1000000, "features of a token")                                           \
    X(T, INT, heads, 1, 4096, "attention heads")                                                   \
    X(T, INT, ffn, 1, 10000000, "features between the two dense layers")                           \
    X(T, INT, vocab, 1, 100000000, "words")                                                        \
    X(T, INT, positions, 1, 16777216, "longest sequence")                                          \
    X(T, INT, types, 0, 1000, "token types; 0: none")                                              \
    X(T, ENUM, head, bert_heads, "masked words, these and sentence pairs, or answer spans")        \
    X(T, REAL, dropout, 0, 0.99, "dropout")
EC__VARIANT(bert, BERT);

#define RNN_LM(X, T)                                                                               \
    X(T, ENUM, cell, cells, "rnn, lstm, gru")                                                      \
    X(T, INT, vocab, 1, 100000000, "words")                                                        \
    X(T, INT, embed, 1, 1000000, "features of an embedding")                                       \
    X(T, INT, hidden, 1, 1000000, "features of the state")                                         \
    X(T, INT, layers, 1, 8, "layers")                                                              \
    X(T, BOOL, tied, "the decoder shares the embedding")                                           \
    X(T, REAL, dropout, 0, 0.99, "dropout")
EC__VARIANT(rnn_lm, RNN_LM);

/* --- Shared --- */

/* Index of the embedding table in ret_table, for tying the output layer to it. */
int ec__embed(struct ec_builder *b, int ids, int64_t num, int64_t dim, const char *name,
              int *ret_table)
{
    int x = ec_b1(b, ids, "embedding num=%lld dim=%lld name=%s", EC__I64(num), EC__I64(dim), name);
    const struct ec_node *n = ec_b_last(b);

    if (ret_table)
        *ret_table = n ? n->param[0] : -1;
    return x;
}

/* Position ids are a constant (1, t). */
int ec__embed_positions(struct ec_builder *b, int64_t t, int64_t num, int64_t dim, const char *name)
{
    int ids = ec__const(b, "position_ids", EC_DT_i64, 2, (int64_t)1, t);

    if (!b->st && t > num)
        b->st = ec_fail(b->err, EC_E_INPUT, "%lld tokens, the network has %lld positions",
                        EC__I64(t), EC__I64(num));
    ids = ec__holds_rule(b, ids, "range", 0, 0, 0);
    return ec__embed(b, ids, num, dim, name, NULL);
}

/* Logits (n*t, vocab); table >= 0 ties the weight to the embedding. */
int ec__lm_head(struct ec_builder *b, int x, int64_t vocab, int table, bool bias, const char *name)
{
    x = ec__linear(b, x, vocab, bias, name);
    if (!b->st && table >= 0)
        b->st = ec_graph_tie(b->g, ec_b_last(b), 0, table, b->err);
    return ec_b1(b, x, "reshape shape=-1,%lld", EC__I64(vocab));
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
    return ec__layer_norm(b, ec__add(b, s, x), "output.LayerNorm");
}

static int bert_layer(struct ec_builder *b, int x, const struct ec__bert *v, int mask)
{
    size_t old = ec_b_push(b, "attention.");
    int y;

    x = bert_attention(b, x, v, mask);
    ec_b_pop(b, old);
    y = ec_b1(b, ec__linear(b, x, v->ffn, true, "intermediate.dense"), "gelu");
    y = ec__dropout(b, ec__linear(b, y, v->hidden, true, "output.dense"), v->dropout);
    return ec__layer_norm(b, ec__add(b, y, x), "output.LayerNorm");
}

static int bert_embeddings(struct ec_builder *b, const struct ec__net *net,
                           const struct ec__bert *v, int *ret_table)
{
    size_t old = ec_b_push(b, "embeddings.");
    int ids = ec__input_tokens(b, net);
    int x = ec__embed(b, ids, v->vocab, v->hidden, "word_embeddings", ret_table);
    int types;

    if (v->types) {
        types = ec__const(b, "token_type_ids", EC_DT_i64, 2, (int64_t)1, net->size);
        types = ec__holds(b, types, 0);
        types = ec__embed(b, types, v->types, v->hidden, "token_type_embeddings", NULL);
        x = ec__add(b, x, types);
    }
    x = ec__add(b, x,
                ec__embed_positions(b, net->size, v->positions, v->hidden, "position_embeddings"));
    x = ec__dropout(b, ec__layer_norm(b, x, "LayerNorm"), v->dropout);
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

    if (!ec__heads_fit(b, v->hidden, v->heads))
        return -1;
    x = bert_embeddings(b, net, v, &table);
    mask =
        ec__const(b, "attention_mask", EC_DT_f32, 4, (int64_t)1, (int64_t)1, (int64_t)1, net->size);
    mask = ec__holds(b, mask, 0);
    for (i = 0; ec_b_each(b, i, v->layers, "encoder.layer.%lld.", EC__I64(i)); i++)
        x = bert_layer(b, x, v, mask);
    if (v->head == BERT_QA)
        return ec_b1(b, ec__linear(b, x, 2, true, "qa_outputs"), "reshape shape=-1,2");
    if (v->head == BERT_PRETRAINING)
        bert_pair_head(b, x, v);
    x = ec_b1(b, ec__linear(b, x, v->hidden, true, "cls.transform.dense"), "gelu");
    x = ec__layer_norm(b, x, "cls.transform.LayerNorm");
    return ec__lm_head(b, x, v->vocab, table, true, "cls.decoder");
}

static const char *const bert_heads[] = { "mlm", "pretraining", "qa", NULL };

EC__FAMILY(bert, "transformer encoder", "language", BERT, bert_build);

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
    x = ec__dropout(b, ec__embed(b, x, v->vocab, v->embed, "encoder", &table), v->dropout);
    x = ec_b1(b, x, "%s hidden=%lld layers=%lld name=rnn", cells[v->cell], EC__I64(v->hidden),
              EC__I64(v->layers));
    return ec__lm_head(b, ec__dropout(b, x, v->dropout), v->vocab, v->tied ? table : -1, true,
                       "decoder");
}

static const char *const cells[] = { "rnn", "lstm", "gru", NULL };

EC__FAMILY(rnn_lm, "recurrent language model", "language", RNN_LM, rnn_lm_build);
