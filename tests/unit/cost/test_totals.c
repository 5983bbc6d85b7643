/* Totals of networks: by hand for small ones, published figures for a known one. */
#include "builder.h"
#include "graph_cases.h"

TEST(two_linear_layers_by_hand)
{
    struct ec_graph *g = two_layers();
    struct ec_totals t = totals_of(g, EC_OPT_sgd);
    double first = 8 * 32 * 16, second = 8 * 16 * 4;

    CHECK_NEAR(t.params, 32 * 16 + 16 + 16 * 4 + 4, 0);
    CHECK_NEAR(t.trainable_params, t.params, 0);
    CHECK_NEAR(t.buffers, 0, 0);
    CHECK_NEAR(t.phase[EC_FORWARD].mac, first + second, 0);
    CHECK_NEAR(t.phase[EC_GRAD_DATA].mac, second, 0); /* none for the data */
    CHECK_NEAR(t.phase[EC_GRAD_WEIGHT].mac, first + second, 0);
    CHECK_NEAR(t.phase[EC_UPDATE].flop, 2 * t.params, 0);
    CHECK_NEAR(t.input_bytes, 4 * 8 * 32, 0);
    CHECK_NEAR(t.output_elems, 8 * 16 + 8 * 16 + 8 * 4, 0);
    CHECK_NEAR(ec_totals_backward_flop(&t),
               t.phase[EC_GRAD_DATA].flop + t.phase[EC_GRAD_WEIGHT].flop, 0);
    CHECK_NEAR(ec_totals_training_flop(&t),
               t.phase[EC_FORWARD].flop + ec_totals_backward_flop(&t) + t.phase[EC_UPDATE].flop, 0);
    /* relu's output, which is the second layer's input too; the first layer keeps the data */
    CHECK_NEAR(t.saved_bytes, 4 * 8 * 16, 0);
    ec_graph_free(g);
}

TEST(layers_add_up_to_the_network)
{
    struct ec_graph *g = two_layers();
    struct ec_layer *layer = NULL;
    struct ec_totals t = { 0 };
    struct ec_err err = { 0 };
    double params = 0, mac = 0, saved = 0, weight_flop = 0;
    int i;

    CHECK_OK(ec_cost_graph(g, EC_OPT_none, 4, &t, &layer, &err));
    for (i = 0; layer && i < g->n_nodes; i++) {
        CHECK(layer[i].node == g->nodes[i]);
        params += layer[i].t.params;
        mac += layer[i].t.phase[EC_FORWARD].mac;
        weight_flop += layer[i].t.phase[EC_GRAD_WEIGHT].flop;
        saved += layer[i].t.saved_bytes;
    }
    CHECK_NEAR(params, t.params, 0);
    CHECK_NEAR(mac, t.phase[EC_FORWARD].mac, 0);
    CHECK_NEAR(weight_flop, t.phase[EC_GRAD_WEIGHT].flop, 0);
    CHECK_NEAR(saved, t.saved_bytes, 0);
    ec_free(layer);
    ec_graph_free(g);
}

/* Two layers with the same weight: the second one's parameter is the first one's. */
TEST(a_tied_weight_counts_once)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)16);
    struct ec_node *first, *second;
    struct ec_layer *layer = NULL;
    struct ec_totals t = { 0 };
    struct ec_step s;

    x = ec_b1(&b, x, "linear n=16 bias=0");
    first = ec_b_last(&b);
    x = ec_b1(&b, x, "linear n=16 bias=0");
    second = ec_b_last(&b);
    small_close(&b, x);
    CHECK_OK(ec_graph_tie(b.g, second, 0, first->param[0], &err));
    CHECK_OK(ec_cost_graph(b.g, EC_OPT_sgd, 4, &t, &layer, &err));
    CHECK_NEAR(t.params, 256, 0);
    CHECK_NEAR(layer[0].t.params, 256, 0);
    CHECK_NEAR(layer[1].t.params, 0, 0);
    CHECK_NEAR(t.phase[EC_GRAD_WEIGHT].mac, 2.0 * 8 * 16 * 16, 0); /* but works twice */
    s = step_of(b.g, EC_MODE_TRAINING_STEP, EC_OPT_sgd);
    CHECK_INT(s.n_param_tensors, 1);
    ec_step_clear(&s);
    ec_free(layer);
    ec_graph_free(b.g);
}

/* A view, and a view of a view, keep the value that owns the memory, once. */
TEST(values_are_kept_once_through_views)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)32), h, v, y;
    struct ec_totals t;

    h = ec_b1(&b, x, "linear n=16");
    v = ec_b1(&b, h, "reshape shape=16x8");
    v = ec_b1(&b, v, "reshape shape=8x16");
    y = ec_b1(&b, h, "linear n=16"); /* keeps h */
    v = ec_b1(&b, v, "linear n=16"); /* keeps h, seen as another shape */
    v = b2(&b, v, y, "add");
    small_close(&b, v);
    t = totals_of(b.g, EC_OPT_none);
    CHECK_NEAR(t.saved_bytes, 4 * 8 * 16, 0);
    ec_graph_free(b.g);
}

/* Each factor of a product for the gradient of the other; a layer's input for that of its weight.
 */
TEST(what_no_gradient_asks_for_is_not_kept)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)16), h, i;
    struct ec_totals t;
    struct ec_node *last;

    h = ec_b1(&b, x, "linear n=16");
    h = b2(&b, h, x, "mul"); /* keeps x alone, an input */
    h = ec_b1(&b, h, "linear n=16");
    last = ec_b_last(&b);
    small_close(&b, h);
    t = totals_of(b.g, EC_OPT_none);
    CHECK_NEAR(t.saved_bytes, 4 * 8 * 16, 0); /* what the last layer reads */
    for (i = 0; i < last->n_param; i++)
        b.g->values[last->param[i]]->trainable = false;
    t = totals_of(b.g, EC_OPT_none);
    CHECK_NEAR(t.saved_bytes, 0, 0);
    ec_graph_free(b.g);
}

/* Saved bytes of attention of 2 heads over 8 tokens; keys come from `kv` features. */
static double saved_by_attention(int kv, const char *queries, const char *after)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 3, (int64_t)2, (int64_t)8, (int64_t)16), in[3], i;
    struct ec_totals t;

    for (i = 0; i < 3; i++) {
        in[i] = ec_b1(&b, x, i == 0 || kv == 16 ? "linear n=16" : "linear n=8");
        in[i] = ec_b1(&b, in[i], "reshape shape=2x8x-1x8");
        in[i] = ec_b1(&b, in[i], "transpose perm=0x2x1x3");
        if (i == 0 && queries)
            in[i] = ec_b1(&b, in[i], "%s", queries);
        if (i > 0 && kv != 16)
            in[i] = ec_b1(&b, in[i], "tile repeats=1x2x1x1");
    }
    x = ec_bn(&b, in, 3, "attention");
    if (after) {
        x = ec_b1(&b, ec_b1(&b, x, "transpose perm=0x2x1x3"), "reshape shape=2x8x16");
        x = ec_b1(&b, x, "%s", after);
    }
    small_close(&b, x);
    t = totals_of(b.g, EC_OPT_none);
    ec_graph_free(b.g);
    return t.saved_bytes;
}

TEST(attention_keeps_heads_as_they_lie)
{
    const double q = 4.0 * 2 * 8 * 16, statistics = 4.0 * 2 * 2 * 8;

    CHECK_NEAR(saved_by_attention(16, NULL, NULL), 4 * q + statistics, 0);
    CHECK_NEAR(saved_by_attention(16, NULL, "linear n=16"), 4 * q + statistics, 0); /* a view */
    CHECK_NEAR(saved_by_attention(8, NULL, NULL), 3 * q + statistics, 0); /* heads share keys */
    /* its result lies as such queries do, so that the layer behind it reads a copy */
    CHECK_NEAR(saved_by_attention(16, "concat axis=2", "linear n=16"), 5 * q + statistics, 0);
}

TEST(nothing_is_kept_where_nothing_trains)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)32);
    struct ec_totals t;

    x = ec_b1(&b, x, "relu");
    small_close(&b, ec_b1(&b, x, "tanh"));
    t = totals_of(b.g, EC_OPT_adam);
    CHECK_NEAR(t.saved_bytes, 0, 0);
    CHECK_NEAR(ec_totals_backward_flop(&t), 0, 0);
    ec_graph_free(b.g);
}

TEST(running_statistics_are_buffers)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 4, (int64_t)2, (int64_t)8, (int64_t)6, (int64_t)6);
    struct ec_totals t;

    small_close(&b, ec_b1(&b, x, "batch_norm"));
    t = totals_of(b.g, EC_OPT_none);
    CHECK_NEAR(t.params, 16, 0);
    CHECK_NEAR(t.buffers, 16, 0);
    ec_graph_free(b.g);
}

static struct ec_memory memory_with(const struct ec_graph *g, struct ec_conditions cond)
{
    struct ec_err err = { 0 };
    struct ec_memory m = { 0 };

    CHECK_OK(ec_cost_memory(g, &cond, &m, &err));
    return m;
}

static struct ec_memory memory_of(const struct ec_graph *g, enum ec_mode mode,
                                  enum ec_optimizer opt, enum ec_precision p)
{
    return memory_with(g, (struct ec_conditions){ .mode = mode, .optimizer = opt, .precision = p });
}

TEST(memory_by_mode_optimizer_and_precision)
{
    struct ec_graph *g = two_layers();
    double params = 32 * 16 + 16 + 16 * 4 + 4;
    struct ec_memory m = memory_of(g, EC_MODE_FORWARD, EC_OPT_adam, EC_FP32);

    CHECK_NEAR(m.weights, 4 * params, 0);
    CHECK_NEAR(m.input, 4 * 8 * 32, 0);
    CHECK_NEAR(m.gradients + m.optimizer + m.activations, 0, 0);
    CHECK_NEAR(m.transient, 4 * 8 * (16 + 4), 0); /* relu works in place of what it reads */
    m = memory_of(g, EC_MODE_FORWARD_BACKWARD, EC_OPT_adam, EC_FP32);
    CHECK_NEAR(m.gradients, 4 * params, 0);
    CHECK_NEAR(m.activations, 4 * 8 * 16, 0);
    CHECK_NEAR(m.optimizer, 0, 0);
    m = memory_of(g, EC_MODE_TRAINING_STEP, EC_OPT_adam, EC_FP32);
    CHECK_NEAR(m.optimizer, 2 * 4 * params, 0);
    CHECK_NEAR(memory_of(g, EC_MODE_TRAINING_STEP, EC_OPT_sgd, EC_FP32).optimizer, 0, 0);
    m = memory_of(g, EC_MODE_TRAINING_STEP, EC_OPT_momentum, EC_BF16);
    CHECK_NEAR(m.activations, 2 * 8 * 16, 0);
    CHECK_NEAR(m.weights, 2 * params, 0);
    CHECK_NEAR(m.optimizer, 2 * params, 0); /* states are halves, too */
    CHECK_NEAR(m.gradients, 2 * params, 0);
    m = memory_of(g, EC_MODE_TRAINING_STEP, EC_OPT_momentum, EC_AMP);
    CHECK_NEAR(m.optimizer, 4 * params, 0); /* parameters are float32 under autocast */
    ec_graph_free(g);
}

static double at_most(const struct ec_memory *m)
{
    return m->most.fixed + m->most.kept + m->most.transient;
}

TEST(master_weights_are_copies_and_float32_states)
{
    struct ec_conditions cond = { .precision = EC_BF16, .master_weights = true };
    struct ec_graph *g = two_layers();
    double params = 32 * 16 + 16 + 16 * 4 + 4;
    struct ec_memory m;

    cond.optimizer = EC_OPT_adamw;
    m = memory_with(g, cond);

    CHECK_NEAR(m.weights, 2 * params, 0);
    CHECK_NEAR(m.gradients, 2 * params, 0);
    CHECK_NEAR(m.optimizer, 4 * params * (2 + 1), 0);
    CHECK_NEAR(m.most.fixed, (2 + 2 + 12 + 4) * params, 0); /* and the root of a state */
    cond.optimizer = EC_OPT_sgd;
    m = memory_with(g, cond);
    CHECK_NEAR(m.optimizer, 4 * params, 0); /* copies alone */
    cond.mode = EC_MODE_FORWARD_BACKWARD;
    cond.optimizer = EC_OPT_adamw;
    m = memory_with(g, cond);
    CHECK_NEAR(m.optimizer, 0, 0);
    ec_graph_free(g);
}

static struct ec_memory adapted(bool wide, double *ret_params)
{
    struct ec_graph_opts o = { sizeof o, .batch = 1, .seq_len = 64, .adapter_rank = 8,
                               .wide_adapters = wide };
    struct ec_conditions cond = { .precision = EC_BF16, .optimizer = EC_OPT_adamw };
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    struct ec_memory m;

    CHECK_OK(ec_graph_open("llama3_8b:layers=2", &o, &g, &err));
    m = memory_with(g, cond);
    *ret_params = ec_graph_trained_elems(g);
    ec_graph_free(g);
    return m;
}

/* Queries, keys and values read one input, gate and up another; attention keeps its own result. */
TEST(adapters_in_float32_keep_an_input_each)
{
    const double tokens = 64, h = 4096, f = 14336, narrow = 7 * 8;
    double each = tokens * (6 * h + f), shared = tokens * (2 * h + f), params;
    struct ec_memory halves = adapted(false, &params), wide = adapted(true, &params);

    CHECK_NEAR(wide.weights - halves.weights, 2 * params, 0);
    CHECK_NEAR(wide.gradients, 4 * params, 0);
    CHECK_NEAR(wide.optimizer, 8 * params, 0);
    CHECK_NEAR(wide.activations - halves.activations,
               2 * (4 * each - 2 * shared + 2 * tokens * narrow), 0);
}

/* With a batch of 8 parameters outweigh activations: most is held while they are updated. */
TEST(most_is_held_at_one_moment)
{
    struct ec_graph *g = two_layers();
    double params = 32 * 16 + 16 + 16 * 4 + 4, input = 4 * 8 * 32;
    struct ec_memory m = memory_of(g, EC_MODE_TRAINING_STEP, EC_OPT_adam, EC_FP32);

    CHECK_NEAR(m.most.fixed, 4 * params * 5, 0); /* with gradient, two states, and a root */
    CHECK_NEAR(m.most.kept, input, 0);
    CHECK_NEAR(m.most.transient, 0, 0);
    CHECK_NEAR(m.apart, at_most(&m), 0);
    m = memory_of(g, EC_MODE_FORWARD, EC_OPT_none, EC_FP32);
    CHECK_NEAR(at_most(&m), 4 * params + input + m.transient, 0);
    CHECK_NEAR(m.apart, at_most(&m), 0);
    m = memory_of(g, EC_MODE_FORWARD_BACKWARD, EC_OPT_none, EC_FP32);
    CHECK(at_most(&m) <= m.weights + m.gradients + m.input + m.activations + m.transient);
    CHECK(at_most(&m) > m.weights + m.input + m.activations);
    CHECK_NEAR(m.apart, m.weights + m.gradients + m.input + m.activations + m.transient, 0);
    /* Autocast: halves of the weights of products beside activations of half the size. */
    m = memory_of(g, EC_MODE_FORWARD_BACKWARD, EC_OPT_none, EC_AMP);
    CHECK_NEAR(m.weights, 4 * params, 0);
    CHECK_NEAR(m.casts, 2 * params, 0);
    CHECK_NEAR(m.gradients, 4 * params, 0);
    ec_graph_free(g);
}

/* A network of the zoo under sgd. */
static struct ec_memory memory_under(const char *network, int64_t batch, enum ec_framework fw,
                                     enum ec_mode mode, enum ec_precision p)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = batch };
    struct ec_memory m;
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_graph_open(network, &opts, &g, &err));
    m = memory_with(g,
                    (struct ec_conditions){
                        .framework = fw, .mode = mode, .precision = p, .optimizer = EC_OPT_sgd });
    ec_graph_free(g);
    return m;
}

/* At a large batch most is held where the loss is taken back: PyTorch 1 has the gradients of the
 * step before there, PyTorch 2 has freed them. */
TEST(gradients_are_kept_from_step_to_step_or_not)
{
    const char *mlp = "mlp:in=64,hidden=32x32,out=100";
    double params = 64 * 32 + 32 + 32 * 32 + 32 + 32 * 100 + 100, rows = 4096;
    struct ec_memory kept =
        memory_under(mlp, (int64_t)rows, EC_FW_pytorch_1, EC_MODE_TRAINING_STEP, EC_FP32);
    struct ec_memory freed =
        memory_under(mlp, (int64_t)rows, EC_FW_pytorch_2, EC_MODE_TRAINING_STEP, EC_FP32);

    CHECK_NEAR(freed.most.fixed, 4 * params, 0);
    CHECK_NEAR(kept.most.fixed, 2 * 4 * params, 0);
    CHECK_NEAR(freed.most.kept, 4 * rows * (64 + 32 + 32), 0); /* input, and what relu makes */
    CHECK_NEAR(freed.most.transient, rows * 100 * (4 + 8), 0); /* output; its loss and gradient */
}

/* Halves of the output: PyTorch 1 holds a float32 copy beside them, log-probabilities and the
 * gradient in halves, 12 bytes an element in all; trainers of today hold 7.3. */
TEST(scores_of_words_take_their_bytes_in_halves)
{
    const char *mlp = "mlp:in=64,hidden=32x32,out=100";
    double rows = 4096;
    struct ec_memory old =
        memory_under(mlp, (int64_t)rows, EC_FW_pytorch_1, EC_MODE_TRAINING_STEP, EC_FP16);
    struct ec_memory today =
        memory_under(mlp, (int64_t)rows, EC_FW_pytorch_2, EC_MODE_TRAINING_STEP, EC_FP16);

    CHECK_NEAR(old.working - old.at_loss, rows * 100 * 12, 0);
    CHECK_NEAR(today.working - today.at_loss, rows * 100 * 7.3, 1e-9);
}

/* Autocast's halves of the weights are there while the loss is taken back, and go with their nodes:
 * at a small batch the most is held at the end, by float32 weights and gradients. */
TEST(copies_of_autocast_go_with_their_nodes)
{
    const char *mlp = "mlp:in=64,hidden=32x32,out=10";
    double params = 64 * 32 + 32 + 32 * 32 + 32 + 32 * 10 + 10;
    struct ec_memory m = memory_under(mlp, 1, EC_FW_pytorch_2, EC_MODE_FORWARD_BACKWARD, EC_AMP);

    CHECK_NEAR(m.weights, 4 * params, 0);
    CHECK_NEAR(m.casts, 2 * params, 0);
    CHECK_NEAR(m.gradients, 4 * params, 0);
    CHECK_NEAR(m.most.fixed, 8 * params, 0);
    CHECK(m.most.kept < 2 * (64 * 32 + 32) + 4 * 64 + 200); /* those of the first layer remain */
}

/* Attention of 12 heads over 197 tokens: softmax's result is kept where it is no single kernel. */
TEST(scores_are_kept_where_attention_is_not_one_kernel)
{
    struct ec_memory fused =
        memory_under("vit_b_16", 4, EC_FW_pytorch_2, EC_MODE_TRAINING_STEP, EC_FP32);
    struct ec_memory plain =
        memory_under("vit_b_16", 4, EC_FW_pytorch_1, EC_MODE_TRAINING_STEP, EC_FP32);

    CHECK_NEAR(plain.activations - fused.activations, 12.0 * 4 * 4 * 12 * 197 * 197, 1e-9);
    fused = memory_under("gpt2:flash=0", 1, EC_FW_pytorch_2, EC_MODE_TRAINING_STEP, EC_FP32);
    plain = memory_under("gpt2:flash=0", 1, EC_FW_pytorch_1, EC_MODE_TRAINING_STEP, EC_FP32);
    CHECK(plain.activations - fused.activations > 12.0 * 4 * 12 * 1024 * 1024);
}

/* Forward frees what is read last: the sum at one moment, whatever the depth. */
TEST(forward_holds_what_is_still_read)
{
    struct ec_memory m = memory_under("mlp:in=64,hidden=32x32x32x32x32x32,out=10", 8,
                                      EC_FW_pytorch_2, EC_MODE_FORWARD, EC_FP32);

    CHECK_NEAR(m.transient, 4 * 8 * (32 + 32), 0);
    CHECK_NEAR(m.most.transient, m.transient, 0);
}

/* ReLU6 in place keeps a copy of what it reads, beside what the next layer keeps. */
TEST(relu6_keeps_its_input)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)32);

    x = ec_b1(&b, ec_b1(&b, x, "linear n=16"), "relu6");
    small_close(&b, ec_b1(&b, x, "linear n=4"));
    CHECK_NEAR(memory_of(b.g, EC_MODE_TRAINING_STEP, EC_OPT_sgd, EC_FP32).activations,
               4 * 8 * 2 * 16, 0);
    ec_graph_free(b.g);
}

/* Operator by operator in eager PyTorch: the input in float32, and what the weight multiplies, in
 * Gemma's norms in float32 too. */
TEST(an_rms_norm_of_several_operators_keeps_float32)
{
    int wide;

    for (wide = 0; wide < 2; wide++) {
        struct ec_conditions cond = { .mode = EC_MODE_TRAINING_STEP,
                                      .precision = EC_BF16,
                                      .framework = EC_FW_pytorch_compiled };
        struct ec_err err = { 0 };
        struct ec_builder b = small_open(&err);
        int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)32);
        double fused;

        x = ec_b1(&b, ec_b1(&b, x, "linear n=16"), "rms_norm wide=%d", wide);
        small_close(&b, ec_b1(&b, x, "linear n=4"));
        fused = memory_with(b.g, cond).activations;
        cond.framework = EC_FW_pytorch_2;
        CHECK_NEAR(memory_with(b.g, cond).activations - fused, (4 + (wide ? 4 : 2) - 2) * 8 * 16,
                   0);
        ec_graph_free(b.g);
    }
}

/* A mask for each layer and sample, in the type of the activations. */
TEST(windows_of_attention_keep_a_mask)
{
    const struct ec_conditions cond = { .mode = EC_MODE_TRAINING_STEP,
                                        .precision = EC_BF16,
                                        .framework = EC_FW_pytorch_2 };
    const struct ec_graph_opts o = { .struct_size = sizeof o, .batch = 3 };
    static const char *const names[] = { "gemma2_2b:layers=2,window=64,seq=64",
                                         "gemma2_2b:layers=2,window=63,seq=64" };
    struct ec_graph *g[2] = { NULL };
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < 2; i++)
        CHECK_OK(ec_graph_open(names[i], &o, &g[i], &err));
    CHECK_NEAR(memory_with(g[1], cond).activations - memory_with(g[0], cond).activations,
               2 * 3 * 64 * 64, 0); /* the other layer sees all */
    for (i = 0; i < 2; i++)
        ec_graph_free(g[i]);
}

/* The gate is made again from what it was made of; what a product reads is kept. */
TEST(a_compiler_makes_again_what_passes_read)
{
    struct ec_conditions cond = { .mode = EC_MODE_TRAINING_STEP, .framework = EC_FW_pytorch_2 };
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)32), gate;

    gate = ec_b1(&b, ec_b1(&b, x, "linear n=16"), "silu");
    x = b2(&b, gate, ec_b1(&b, x, "linear n=16"), "mul");
    small_close(&b, ec_b1(&b, x, "linear n=4"));
    CHECK_NEAR(memory_with(b.g, cond).activations, 4 * 4 * 8 * 16, 0);
    cond.framework = EC_FW_pytorch_compiled;
    CHECK_NEAR(memory_with(b.g, cond).activations, 3 * 4 * 8 * 16, 0);
    ec_graph_free(b.g);
}

static struct ec_graph *resnet50(int64_t batch)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = batch };
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_graph_open("resnet50", &opts, &g, &err));
    return g;
}

TEST(resnet50_has_its_published_figures)
{
    struct ec_graph *g = resnet50(1);
    struct ec_totals t = totals_of(g, EC_OPT_momentum);

    CHECK_NEAR(t.params, 25557032, 0);
    CHECK_NEAR(t.buffers, 53120, 0); /* mean and variance of 26,560 channels */
    CHECK_NEAR(t.phase[EC_FORWARD].mac, 4.09e9, 0.005);
    /* Each product twice in backward, but for the stem's 118 M toward the data. */
    CHECK_NEAR(t.phase[EC_GRAD_WEIGHT].mac, t.phase[EC_FORWARD].mac, 1e-9);
    CHECK_NEAR(t.phase[EC_GRAD_DATA].mac, t.phase[EC_FORWARD].mac - 112.0 * 112 * 64 * 3 * 49,
               1e-9);
    CHECK_NEAR(t.input_bytes, 4 * 3 * 224 * 224, 0);
    ec_graph_free(g);
}

TEST(counts_grow_with_the_batch_and_parameters_do_not)
{
    struct ec_graph *one = resnet50(1), *many = resnet50(32);
    struct ec_totals a = totals_of(one, EC_OPT_sgd), b = totals_of(many, EC_OPT_sgd);

    CHECK_NEAR(b.params, a.params, 0);
    CHECK_NEAR(b.phase[EC_FORWARD].mac, 32 * a.phase[EC_FORWARD].mac, 1e-12);
    CHECK_NEAR(b.phase[EC_GRAD_WEIGHT].mac, 32 * a.phase[EC_GRAD_WEIGHT].mac, 1e-12);
    CHECK_NEAR(b.phase[EC_UPDATE].bytes, a.phase[EC_UPDATE].bytes, 0);
    CHECK_NEAR(b.output_elems, 32 * a.output_elems, 1e-12);
    CHECK_NEAR(b.input_bytes, 32 * a.input_bytes, 0);
    CHECK_NEAR(b.saved_bytes, 32 * a.saved_bytes, 0.01); /* statistics do not grow */
    ec_graph_free(one);
    ec_graph_free(many);
}

static struct ec_graph *torture_graph;

/* A convolution of one element is a product; one of several asks for workspaces. */
TEST(windowed_convolutions_are_told_apart)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 4, (int64_t)2, (int64_t)8, (int64_t)6, (int64_t)6);

    x = ec_b1(&b, x, "conv2d k=64 r=1");
    x = ec_b1(&b, x, "conv2d k=16 r=3 pad=1");
    small_close(&b, ec_b1(&b, x, "max_pool2d r=2 stride=2"));
    CHECK_NEAR(memory_of(b.g, EC_MODE_FORWARD, EC_OPT_none, EC_FP32).windowed,
               4 * 2 * (64 + 16) * 36, 0);
    ec_graph_free(b.g);
    b.g = two_layers();
    CHECK_NEAR(memory_of(b.g, EC_MODE_FORWARD, EC_OPT_none, EC_FP32).windowed, 0, 0);
    ec_graph_free(b.g);
}

static enum ec_status cost_once(struct ec_err *err)
{
    const struct ec_conditions cond = { .optimizer = EC_OPT_sgd };
    struct ec_layer *layer = NULL;
    struct ec_totals t;
    struct ec_memory m;
    enum ec_status st;

    EC_TRY(ec_cost_graph(torture_graph, EC_OPT_sgd, 4, &t, &layer, err));
    EC_TRY(ec_cost_memory(torture_graph, &cond, &m, err));
out:
    ec_free(layer);
    return st;
}

TEST(each_allocation_failing)
{
    torture_graph = two_layers();
    CHECK_TORTURE(cost_once);
    ec_graph_free(torture_graph);
}
