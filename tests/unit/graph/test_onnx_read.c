/* Reading ONNX: layers, parameters with and without values, batch, fused patterns, restored norms,
 * and files that must be refused. */
#include "test.h"

#include "onnx_bytes.h"

static struct ec_err err;

static void begin(struct ob *b, const char *input_dims)
{
    *b = (struct ob){ 0 };
    ob_input(b, "x", input_dims);
    ob_output(b, "y", "1");
}

static const struct ec_shape *out_shape(const struct ec_graph *g)
{
    return &g->values[g->outputs[0]]->type.shape;
}

TEST(a_small_network_has_the_right_totals)
{
    struct ec_graph *g = NULL;
    char ops[200], shape[64];
    struct ob b;

    begin(&b, "Nx3x8x8");
    ob_weight(&b, "conv.weight", "4x3x3x3");
    ob_weight(&b, "conv.bias", "4");
    ob_weight(&b, "fc.weight", "10x256");
    ob_weight(&b, "fc.bias", "10");
    ob_attr_ints(&b, "pads", "1,1,1,1");
    ob_node(&b, "Conv", "x conv.weight conv.bias", "c");
    ob_node(&b, "Relu", "c", "r");
    ob_node(&b, "Flatten", "r", "f");
    ob_attr_int(&b, "transB", 1);
    ob_node(&b, "Gemm", "f fc.weight fc.bias", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    if (!g)
        return;
    CHECK_STR(graph_ops(g, ops, sizeof ops), "conv2d relu flatten linear");
    CHECK_NEAR(graph_params(g), 4 * 27 + 4 + 2560 + 10, 0);
    CHECK_NEAR(graph_mac(g), 4 * 27 * 64 + 2560, 0);
    CHECK_STR(ec_shape_text(out_shape(g), shape, sizeof shape), "1x10");
    CHECK_STR(g->nodes[0]->name, "conv");
    CHECK_STR(g->nodes[0]->origin, "Conv");
    CHECK_STR(g->values[g->nodes[0]->param[0]]->name, "conv.weight");
    ec_graph_free(g);
}

/* The exporter merges equal weights; a user who counts parameters is told. */
TEST(weights_of_several_layers_are_told)
{
    struct ec_graph *g = NULL;
    struct ob b;

    begin(&b, "Nx512");
    ob_weight(&b, "w", "512x512");
    ob_node(&b, "MatMul", "x w", "first");
    ob_node(&b, "MatMul", "first w", "second");
    ob_node(&b, "MatMul", "second w", "third");
    ob_node(&b, "MatMul", "third w", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    if (!g)
        return;
    CHECK_NEAR(graph_params(g), 512 * 512, 0);
    CHECK_INT(g->notes.n, 1);
    CHECK_HAS(g->notes.n ? g->notes.v[0] : "",
              "3 weights are shared with an earlier layer; kept apart they would be 786432 more");
    ec_graph_free(g);
}

static double attr(const struct ec_graph *g, int node, const char *name)
{
    const struct ec_case c = ec_node_case(g->nodes[node]);

    return ec_case_double(&c, name);
}

TEST(scalars_keep_their_values)
{
    static const int64_t index[] = { 2, 0, 1 };
    struct ec_graph *g = NULL;
    double held[3];
    char ops[200];
    struct ob b;

    begin(&b, "3x4");
    ob_float(&b, "k", 0.3);
    ob_float(&b, "lo", -1);
    ob_float(&b, "hi", 0.5);
    ob_weight(&b, "table", "3x4");
    ob_ints(&b, "index", index, 3);
    ob_node(&b, "Mul", "k x", "a");
    ob_node(&b, "Clip", "a lo hi", "b");
    ob_node(&b, "Sub", "k b", "c");
    ob_node(&b, "Div", "k c", "d");
    ob_node(&b, "Div", "d k", "e");
    ob_node(&b, "Pow", "e k", "f");
    ob_node(&b, "Pow", "k f", "p");
    ob_node(&b, "Gather", "table index", "bias");
    ob_node(&b, "Add", "p bias", "s");
    ob_node(&b, "Greater", "s x", "h");
    ob_node(&b, "Where", "h s x", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    if (!g)
        return;
    CHECK_STR(graph_ops(g, ops, sizeof ops),
              "scale_scalar clip scale_scalar reciprocal scale_scalar scale_scalar pow_scalar pow "
              "embedding add compare where");
    CHECK_NEAR(attr(g, 0, "mul"), 0.3, 1e-9);
    CHECK_NEAR(attr(g, 1, "lo"), -1, 0);
    CHECK_NEAR(attr(g, 1, "hi"), 0.5, 0);
    CHECK_NEAR(attr(g, 2, "mul"), -1, 0);
    CHECK_NEAR(attr(g, 2, "add"), 0.3, 1e-9);
    CHECK_NEAR(attr(g, 4, "mul"), 0.3, 1e-9);
    CHECK_NEAR(attr(g, 5, "mul"), 1 / 0.3, 1e-6);
    CHECK_NEAR(attr(g, 6, "p"), 0.3, 1e-9);
    CHECK(ec_value_contents(g->values[g->nodes[7]->in[0]], held));
    CHECK_NEAR(held[0], 0.3, 1e-7);
    CHECK(ec_value_contents(g->values[g->nodes[8]->in[0]], held));
    CHECK(held[0] == 2 && held[1] == 0 && held[2] == 1);
    CHECK_NEAR(
        (double)ec_case_int(
            &(struct ec_case){ g->nodes[10]->op, g->nodes[10]->attrs, 0, 0, NULL, NULL }, "kind"),
        4, 0); /* gt */
    ec_graph_free(g);
}

TEST(what_has_no_finite_inverse_is_no_factor)
{
    struct ec_graph *g = NULL;
    char ops[200];
    struct ob b;

    begin(&b, "3x4");
    ob_float(&b, "k", 0);
    ob_node(&b, "Div", "x k", "a");
    ob_node(&b, "Div", "k a", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    if (!g)
        return;
    CHECK_STR(graph_ops(g, ops, sizeof ops), "div reciprocal scale_scalar");
    CHECK_NEAR(attr(g, 2, "mul"), 0, 0);
    ec_graph_free(g);
}

TEST(weights_without_values_are_still_weights)
{
    struct ec_graph *g = NULL;
    struct ob b;

    begin(&b, "2x3x8x8");
    b.producer = "pytorch";
    ob_input(&b, "layer_scale", "4x1x1");
    ob_input(&b, "conv.weight", "4x3x3x3");
    ob_input(&b, "gain", "4x8x8");
    ob_node(&b, "Conv", "x conv.weight", "c");
    ob_node(&b, "Mul", "c layer_scale", "m");
    ob_attr_ints(&b, "pads", "0,0,1,1,0,0,1,1");
    ob_node(&b, "Pad", "m", "p");
    ob_node(&b, "Add", "p gain", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    if (!g)
        return;
    CHECK_INT(g->n_inputs, 1);
    CHECK_NEAR(graph_params(g), 4 + 108 + 256, 0);
    ec_graph_free(g);
}

TEST(any_order_of_nodes_is_sorted)
{
    struct ec_graph *g = NULL;
    char ops[100];
    struct ob b;

    begin(&b, "4x4");
    ob_node(&b, "Tanh", "s", "y");
    ob_node(&b, "Sigmoid", "r", "s");
    ob_node(&b, "Relu", "x", "r");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    CHECK_STR(g ? graph_ops(g, ops, sizeof ops) : "", "relu sigmoid tanh");
    ec_graph_free(g);
}

TEST(shape_arithmetic_is_evaluated_not_counted)
{
    static const int64_t zero[] = { 0 }, minus[] = { -1 };
    struct ec_graph *g = NULL;
    char ops[100], shape[64];
    struct ob b;

    begin(&b, "batchx6x4");
    ob_ints(&b, "zero", zero, 1);
    ob_ints(&b, "minus", minus, 1);
    ob_node(&b, "Shape", "x", "s");
    ob_node(&b, "Gather", "s zero", "n");
    ob_attr_int(&b, "axis", 0);
    ob_node(&b, "Concat", "n minus", "target");
    ob_node(&b, "Reshape", "x target", "y");
    CHECK_OK(ob_read(&b, &(struct ec_graph_opts){ .batch = 5 }, &g, &err));
    if (!g)
        return;
    CHECK_STR(graph_ops(g, ops, sizeof ops), "reshape");
    CHECK_STR(ec_shape_text(out_shape(g), shape, sizeof shape), "5x24");
    CHECK_INT(ec_graph_batch(g), 5);
    ec_graph_free(g);
}

TEST(a_fixed_batch_can_be_changed)
{
    static const int64_t heads[] = { 1, 6, 2, 2 }, merged[] = { 2, 6, 2 };
    struct ec_graph *g = NULL;
    char shape[64];
    struct ob b;

    begin(&b, "1x6x4");
    ob_ints(&b, "heads", heads, 4);
    ob_ints(&b, "merged", merged, 3);
    ob_node(&b, "Reshape", "x heads", "h");
    ob_attr_ints(&b, "perm", "0,2,1,3");
    ob_node(&b, "Transpose", "h", "t");
    ob_node(&b, "Reshape", "t merged", "y");
    CHECK_OK(ob_read(&b, &(struct ec_graph_opts){ .batch = 8 }, &g, &err));
    if (!g)
        return;
    CHECK_STR(ec_shape_text(out_shape(g), shape, sizeof shape), "16x6x2");
    CHECK(has_note(g, "the file fixes batch 1"));
    ec_graph_free(g);
}

/* nn.MultiheadAttention: (time, samples, features) becomes (time, samples x heads, .) and then
 * (time x samples, features). */
TEST(samples_leave_their_heads_for_another_batch)
{
    static const int64_t divided[] = { 6, 2, 2 }, joined[] = { 6, 4 };
    struct ec_graph *g = NULL;
    char shape[64];
    struct ob b;

    begin(&b, "1x6x4");
    ob_ints(&b, "divided", divided, 3);
    ob_ints(&b, "joined", joined, 2);
    ob_attr_ints(&b, "perm", "1,0,2");
    ob_node(&b, "Transpose", "x", "t");
    ob_node(&b, "Reshape", "t divided", "h");
    ob_node(&b, "Reshape", "h joined", "y");
    CHECK_OK(ob_read(&b, &(struct ec_graph_opts){ .batch = 8 }, &g, &err));
    if (!g)
        return;
    CHECK_STR(ec_shape_text(out_shape(g), shape, sizeof shape), "48x4");
    ec_graph_free(g);
}

static void read_open(const char *dims, const struct ec_graph_opts *opts, const char *shape,
                      const char *note)
{
    struct ec_graph *g = NULL;
    char text[64];
    struct ob b;

    begin(&b, dims);
    ob_node(&b, "Relu", "x", "y");
    CHECK_OK(ob_read(&b, opts, &g, &err));
    if (!g)
        return;
    CHECK_STR(ec_shape_text(out_shape(g), text, sizeof text), shape);
    CHECK_INT(g->notes.n, note ? 1 : 0);
    CHECK(!note || has_note(g, note));
    ec_graph_free(g);
}

TEST(open_sizes_are_asked_for_or_told)
{
    const struct ec_graph_opts asked = {
        .struct_size = sizeof asked, .batch = 2, .seq_len = 7, .image_px = 32
    };

    read_open("Nx3xheightxwidth", NULL, "1x3x224x224",
              "the image size is open: 224 pixels were taken");
    read_open("Nxseqx16", NULL, "1x128x16", "the sequence length is open: 128 was taken");
    read_open("Nx3xheightxwidth", &asked, "2x3x32x32", NULL);
    read_open("Nxseqx16", &asked, "2x7x16", NULL);
    read_open("NxTx16", &asked, "2x7x16", NULL);
}

TEST(layer_norm_gelu_and_linear_are_put_together)
{
    struct ec_graph *g = NULL;
    char ops[200];
    struct ob b;

    begin(&b, "2x6x4");
    ob_float(&b, "two", 2);
    ob_float(&b, "eps", 1e-3);
    ob_float(&b, "root", 1.4142);
    ob_float(&b, "one", 1);
    ob_float(&b, "half", 0.5);
    ob_weight(&b, "g", "4");
    ob_weight(&b, "h", "4");
    ob_weight(&b, "w", "4x8");
    ob_weight(&b, "b", "8");
    ob_attr_ints(&b, "axes", "-1");
    ob_node(&b, "ReduceMean", "x", "m");
    ob_node(&b, "Sub", "x m", "d");
    ob_node(&b, "Pow", "d two", "p");
    ob_attr_ints(&b, "axes", "-1");
    ob_node(&b, "ReduceMean", "p", "v");
    ob_node(&b, "Add", "v eps", "ve");
    ob_node(&b, "Sqrt", "ve", "sd");
    ob_node(&b, "Div", "d sd", "n");
    ob_node(&b, "Mul", "n g", "ng");
    ob_node(&b, "Add", "ng h", "ln");
    ob_node(&b, "MatMul", "ln w", "mm");
    ob_node(&b, "Add", "b mm", "fc");
    ob_node(&b, "Div", "fc root", "a");
    ob_node(&b, "Erf", "a", "e");
    ob_node(&b, "Add", "e one", "e1");
    ob_node(&b, "Mul", "fc e1", "fe");
    ob_node(&b, "Mul", "fe half", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    CHECK_STR(g ? graph_ops(g, ops, sizeof ops) : "", "layer_norm linear gelu");
    if (g) {
        struct ec_case norm = ec_node_case(g->nodes[0]);

        CHECK_NEAR(graph_params(g), 4 + 4 + 32 + 8, 0);
        CHECK_NEAR(ec_case_double(&norm, "eps"), 1e-3, 1e-6);
    }
    ec_graph_free(g);
}

TEST(a_transposed_operand_is_no_copy)
{
    struct ec_graph *g = NULL;
    char ops[100];
    struct ob b;

    begin(&b, "2x6x4");
    ob_attr_ints(&b, "perm", "0,2,1");
    ob_node(&b, "Transpose", "x", "t");
    ob_node(&b, "MatMul", "x t", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    CHECK_STR(g ? graph_ops(g, ops, sizeof ops) : "", "matmul");
    if (g)
        CHECK_NEAR(graph_mac(g), 2 * 6 * 6 * 4, 0);
    ec_graph_free(g);
}

/* torch.chunk is exported as a slice for each part. Those of another order, or that leave something
 * out, stay slices. */
TEST(slices_one_behind_the_other_are_a_split)
{
    static const int64_t at[] = { 0, 2, 3, 6 };
    struct ec_graph *g = NULL;
    char ops[200], name[2] = "a";
    struct ob b;
    int i;

    begin(&b, "2x6x4");
    for (i = 0; i < 4; i++, name[0]++)
        ob_ints(&b, name, &at[i], 1);
    ob_ints(&b, "axis", (const int64_t[]){ 1 }, 1);
    ob_node(&b, "Slice", "x a b axis", "p");
    ob_node(&b, "Relu", "p", "q");
    ob_node(&b, "Slice", "x b c axis", "r");
    ob_node(&b, "Slice", "x c d axis", "s");
    ob_node(&b, "Slice", "x b c axis", "t");
    ob_node(&b, "Slice", "x a c axis", "u");
    ob_node(&b, "Concat", "q r s t u", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    CHECK_STR(g ? graph_ops(g, ops, sizeof ops) : "", "split relu slice slice concat");
    if (g) {
        struct ec_case split = ec_node_case(g->nodes[0]);

        CHECK(g->nodes[0]->n_out == 3 && ec_case_ints(&split, "sizes")->v[2] == 3);
        CHECK(g->values[g->nodes[4]->in[2]]->producer == 0);
        for (i = 0; i < g->n_values; i++)
            CHECK(g->values[i]->id == i);
    }
    ec_graph_free(g);
}

static void padded_pool(struct ob *b, const int64_t pads[8])
{
    begin(b, "2x3x8x8");
    ob_ints(b, "pads", pads, 8);
    ob_node(b, "Pad", "x pads", "p");
    ob_attr_ints(b, "kernel_shape", "3,3");
    ob_node(b, "AveragePool", "p", "y");
}

TEST(a_pool_pads_itself)
{
    static const int64_t even[] = { 0, 0, 1, 1, 0, 0, 1, 1 }, uneven[] = { 0, 0, 0, 0, 0, 0, 1, 1 };
    struct ec_graph *g = NULL;
    char ops[200];
    struct ob b;

    padded_pool(&b, even);
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    CHECK_STR(g ? graph_ops(g, ops, sizeof ops) : "", "avg_pool2d");
    if (g) {
        struct ec_case pool = ec_node_case(g->nodes[0]);

        CHECK_INT(ec_case_int(&pool, "count_include_pad"), 1);
        CHECK(g->n_values == 2 && g->values[g->outputs[0]]->type.shape.d[3] == 8);
    }
    ec_graph_free(g);
    g = NULL;
    padded_pool(&b, uneven);
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    CHECK_STR(g ? graph_ops(g, ops, sizeof ops) : "", "pad avg_pool2d");
    ec_graph_free(g);
}

/* As PyTorch 1 exports nn.MultiheadAttention with the samples first. */
TEST(samples_and_time_swap_without_a_copy)
{
    struct ec_graph *g = NULL;
    char ops[200];
    struct ob b;

    begin(&b, "2x6x4");
    ob_weight(&b, "w", "4x4");
    ob_ints(&b, "rows", (const int64_t[]){ 12, 4 }, 2);
    ob_ints(&b, "back", (const int64_t[]){ 6, 2, 4 }, 3);
    ob_attr_ints(&b, "perm", "1,0,2");
    ob_node(&b, "Transpose", "x", "t");
    ob_node(&b, "MatMul", "t w", "u");
    ob_node(&b, "Relu", "u", "v");
    ob_attr_ints(&b, "perm", "1,0,2");
    ob_node(&b, "Transpose", "v", "copy");
    ob_node(&b, "Reshape", "copy rows", "r");
    ob_node(&b, "Gemm", "r w", "s");
    ob_node(&b, "Reshape", "s back", "q");
    ob_attr_ints(&b, "perm", "1,0,2");
    ob_node(&b, "Transpose", "q", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    CHECK_STR(g ? graph_ops(g, ops, sizeof ops) : "",
              "permute linear relu transpose reshape linear reshape permute");
    ec_graph_free(g);
}

TEST(a_pattern_used_elsewhere_stays_apart)
{
    struct ec_graph *g = NULL;
    char ops[100];
    struct ob b;

    begin(&b, "2x4");
    ob_output(&b, "s", "1");
    ob_node(&b, "Sigmoid", "x", "s");
    ob_node(&b, "Mul", "x s", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    CHECK_STR(g ? graph_ops(g, ops, sizeof ops) : "", "sigmoid mul");
    ec_graph_free(g);
}

TEST(shared_weights_count_once)
{
    struct ec_graph *g = NULL;
    struct ob b;

    begin(&b, "2x6");
    ob_weight(&b, "w", "6x6");
    ob_node(&b, "MatMul", "x w", "a");
    ob_node(&b, "Transpose", "w", "wt");
    ob_node(&b, "MatMul", "a wt", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    if (g) {
        CHECK_NEAR(graph_params(g), 36, 0);
        CHECK_NEAR(graph_mac(g), 2 * 2 * 36, 0);
    }
    ec_graph_free(g);
}

static void folded(struct ob *b)
{
    begin(b, "1x3x8x8");
    b->producer = "pytorch";
    ob_weight(b, "onnx::Conv_12", "4x3x3x3");
    ob_weight(b, "onnx::Conv_13", "4");
    ob_weight(b, "head.weight", "2x4x1x1");
    ob_weight(b, "head.bias", "2");
    ob_node(b, "Conv", "x onnx::Conv_12 onnx::Conv_13", "c");
    ob_node(b, "Relu", "c", "r");
    ob_node(b, "Conv", "r head.weight head.bias", "y");
}

TEST(folded_norms_are_restored_unless_told_otherwise)
{
    struct ec_graph_opts as_is = { .as_exported = true };
    struct ec_graph *g = NULL;
    char ops[100];
    struct ob b;

    folded(&b);
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    CHECK_STR(g ? graph_ops(g, ops, sizeof ops) : "", "conv2d batch_norm relu conv2d");
    if (g) {
        CHECK_NEAR(graph_params(g), 108 + 8 + 10, 0);
        CHECK(g->restored_norms && has_note(g, "TrainingMode.TRAINING"));
    }
    ec_graph_free(g);
    g = NULL;
    folded(&b);
    CHECK_OK(ob_read(&b, &as_is, &g, &err));
    CHECK_STR(g ? graph_ops(g, ops, sizeof ops) : "", "conv2d relu conv2d");
    ec_graph_free(g);
}

/* torch.onnx.export with dynamo=True: the bias that folding made has the name of the weight, and of
 * old versions that of the input. A convolution with a bias of its own keeps all names. */
TEST(norms_that_the_dynamo_exporter_folded_are_restored)
{
    static const char *const made[] = { "stem.weight_bias", "x_bias" };
    struct ec_graph *g = NULL;
    char ops[100];
    struct ob b;
    int i;

    for (i = 0; i < EC_LEN(made); i++) {
        char in[100];

        begin(&b, "1x3x8x8");
        b.producer = "pytorch";
        ob_weight(&b, "stem.weight", "4x3x3x3");
        ob_weight(&b, made[i], "4");
        ob_weight(&b, "head.weight", "2x4x1x1");
        ob_weight(&b, "head.bias", "2");
        (void)ec_snprintf(in, sizeof in, "x stem.weight %s", made[i]);
        ob_node(&b, "Conv", in, "c");
        ob_node(&b, "Relu", "c", "r");
        ob_node(&b, "Conv", "r head.weight head.bias", "y");
        CHECK_OK(ob_read(&b, NULL, &g, &err));
        CHECK_STR(g ? graph_ops(g, ops, sizeof ops) : "", "conv2d batch_norm relu conv2d");
        CHECK(g && g->restored_norms && !has_note(g, "no normalization"));
        ec_graph_free(g);
        g = NULL;
    }
}

TEST(a_file_without_norms_may_be_of_evaluation)
{
    static const char *const producers[] = { "pytorch", "other" };
    struct ec_graph *g = NULL;
    struct ob b;
    int i;

    for (i = 0; i < EC_LEN(producers); i++) {
        begin(&b, "1x3x8x8");
        b.producer = producers[i];
        ob_weight(&b, "stem.weight", "4x3x3x3");
        ob_weight(&b, "stem.bias", "4");
        ob_node(&b, "Conv", "x stem.weight stem.bias", "y");
        CHECK_OK(ob_read(&b, NULL, &g, &err));
        CHECK(g && !g->restored_norms);
        CHECK(g && has_note(g, "1 convolution with bias") == (i == 0));
        ec_graph_free(g);
        g = NULL;
    }
}

TEST(unknown_operators_are_counted_and_named)
{
    struct ec_graph *g = NULL;
    struct ob b;

    begin(&b, "2x4");
    ob_node(&b, "Frobnicate", "x", "a");
    ob_node(&b, "Frobnicate", "a", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    if (g) {
        CHECK_INT(g->n_unknown, 2);
        CHECK_STR(g->nodes[0]->op->name, "opaque");
        CHECK(has_note(g, "Frobnicate (2)"));
    }
    ec_graph_free(g);
}

/* What a detector does with its boxes: the number of those that are kept follows from data. */
TEST(shapes_that_follow_from_data_are_guessed)
{
    struct ec_graph *g = NULL;
    char ops[200];
    struct ob b;

    begin(&b, "8");
    ob_ints(&b, "one", (const int64_t[]){ 1 }, 1);
    ob_node(&b, "Greater", "x x", "keep");
    ob_node(&b, "NonZero", "keep", "at");
    ob_attr_ints(&b, "perm", "1,0");
    ob_node(&b, "Transpose", "at", "rows");
    ob_node(&b, "Squeeze", "rows one", "flat");
    ob_node(&b, "Gather", "x flat", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    CHECK_STR(g ? graph_ops(g, ops, sizeof ops) : "", "compare opaque opaque opaque gather");
    if (g) {
        CHECK_INT(g->n_unknown, 3);
        CHECK_HAS(g->notes.v[0], "NonZero (1), Transpose (1), Squeeze (1)");
    }
    ec_graph_free(g);
}

TEST(nodes_that_no_output_needs_are_left_out_and_said)
{
    struct ec_graph *g = NULL;
    struct ob b;

    begin(&b, "2x4");
    ob_node(&b, "Relu", "x", "y");
    ob_node(&b, "Tanh", "x", "unused");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    if (g) {
        CHECK_INT(g->n_nodes, 1);
        CHECK(has_note(g, "1 nodes that no output needs"));
    }
    ec_graph_free(g);
}

/* --- refusals --- */

static void refuse(struct ob *b, enum ec_status want, const char *part)
{
    struct ec_graph *g = NULL;

    CHECK_FAILS(ob_read(b, NULL, &g, &err), want, part);
    CHECK(!g);
    ec_graph_free(g);
}

TEST(a_graph_of_nothing_is_read)
{
    struct ec_graph *g = NULL;
    struct ob b = { 0 };

    ob_weight(&b, "w", "2");
    ob_node(&b, "Relu", "w", "z"); /* no output needs it */
    ob_output(&b, "y", "2");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    CHECK_INT(g ? g->n_nodes + g->n_values : -1, 0);
    ec_graph_free(g);
}

TEST(graphs_that_make_no_sense_are_refused)
{
    struct ob b;

    begin(&b, "2x4");
    ob_node(&b, "Add", "x b", "a");
    ob_node(&b, "Relu", "a", "b");
    ob_node(&b, "Relu", "b", "y");
    refuse(&b, EC_E_PARSE, "cycle");

    begin(&b, "2x4");
    ob_node(&b, "Relu", "z", "y");
    refuse(&b, EC_E_PARSE, "needs \"z\", which nothing produces");

    begin(&b, "2x4");
    ob_node(&b, "Relu", "x", "y");
    ob_node(&b, "Tanh", "x", "y");
    refuse(&b, EC_E_PARSE, "two nodes produce the value \"y\"");

    begin(&b, "2x4");
    refuse(&b, EC_E_PARSE, "no nodes");

    begin(&b, "2x4");
    ob_weight(&b, "w", "1x1");
    ob_weight(&b, "w", "2x2");
    ob_node(&b, "Relu", "x", "y");
    refuse(&b, EC_E_PARSE, "two initializers are named \"w\"");
}

TEST(sizes_that_lie_are_refused)
{
    struct ob b;

    begin(&b, "1099511627776x1099511627776");
    ob_node(&b, "Relu", "x", "y");
    refuse(&b, EC_E_SHAPE, "out of range");

    begin(&b, "2x-7");
    ob_node(&b, "Relu", "x", "y");
    refuse(&b, EC_E_SHAPE, "dimension -7");

    begin(&b, "2x4");
    ob_weight(&b, "w", "1099511627776x1099511627776");
    ob_node(&b, "MatMul", "x w", "y");
    refuse(&b, EC_E_SHAPE, "too large");

    begin(&b, "2x4");
    ob_weight(&b, "w", "5x3");
    ob_node(&b, "MatMul", "x w", "y");
    refuse(&b, EC_E_SHAPE, "5");

    begin(&b, "2x4");
    ob_attr_int(&b, "axis", 7);
    ob_node(&b, "Softmax", "x", "y");
    refuse(&b, EC_E_SHAPE, "softmax");

    begin(&b, "2x4");
    ob_attr_int(&b, "k", 0);
    ob_node(&b, "TopK", "x", "y i");
    refuse(&b, EC_E_SHAPE, "keeps 0 elements");

    begin(&b, "1x1x1x1x1x1x1x1x1");
    ob_node(&b, "Relu", "x", "y");
    refuse(&b, EC_E_UNSUPPORTED, "more than 8 dimensions");
}

TEST(more_than_the_format_allows_is_refused_unread)
{
    struct ec_graph *g = NULL;

    CHECK_FAILS(ec_graph_from_onnx("", (size_t)3 << 30, NULL, &g, &err), EC_E_PARSE, "2 GiB");
}

/* The transposed copy of a table that constant folding makes: told by its contents. */
static enum ec_status tied(double last, struct ec_graph **ret)
{
    struct ec_buf raw = EC_BUF_INIT;
    struct ob b;
    int which, i, k;

    begin(&b, "2x3");
    b.producer = "pytorch";
    for (which = 0; which < 2; which++) {
        struct ec_buf t = EC_BUF_INIT;

        ec_buf_reset(&raw);
        for (i = 0; i < 15; i++) { /* 5x3, then 3x5 with the same elements */
            float v = (float)(which ? i % 5 * 3 + i / 5 : i);

            if (which && i == 14)
                v = (float)last;
            ec_buf_add(&raw, &v, sizeof v);
        }
        for (k = 0; k < 2; k++)
            ec__wire_put_int(&t, 1, which == k ? 5 : 3);
        ec__wire_put_int(&t, 2, 1);
        ec__wire_put_str(&t, 8, which ? "onnx::MatMul_9" : "table");
        ec__wire_put_msg(&t, 9, &raw);
        ec__wire_put_msg(&b.graph, 5, &t);
        ec_buf_clear(&t);
    }
    ec_buf_clear(&raw);
    ob_attr_int(&b, "to", 7);
    ob_node(&b, "Cast", "x", "ids");
    ob_node(&b, "Gather", "table ids", "rows");
    ob_node(&b, "MatMul", "rows onnx::MatMul_9", "y");
    return ob_read(&b, NULL, ret, &err);
}

TEST(a_folded_tied_table_counts_once)
{
    struct ec_graph *g = NULL;

    CHECK_OK(tied(14, &g));
    CHECK_NEAR(g ? graph_params(g) : 0, 15, 0);
    ec_graph_free(g);
    g = NULL;
    CHECK_OK(tied(99, &g));
    CHECK_NEAR(g ? graph_params(g) : 0, 30, 0);
    ec_graph_free(g);
}

TEST(recurrent_layers_keep_their_parameters_and_lose_zero_states)
{
    struct ec_graph *g = NULL;
    struct ob b;

    begin(&b, "7x2x3");
    ob_weight(&b, "w", "16x3");
    ob_weight(&b, "r", "1x16x4");
    ob_weight(&b, "b", "1x32");
    ob_weight(&b, "h0", "1x2x4");
    ob_attr_ints(&b, "axes", "0");
    ob_node(&b, "Unsqueeze", "w", "w1");
    ob_node(&b, "Neg", "h0", "h1");
    ob_attr_int(&b, "hidden_size", 4);
    ob_node(&b, "LSTM", "x w1 r b - h1", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    if (g) {
        CHECK_NEAR(graph_params(g), 16 * 3 + 16 * 4 + 32, 0);
        CHECK_NEAR(graph_mac(g), 7 * 2 * (16 * 3 + 16 * 4), 0);
        CHECK_INT(out_shape(g)->rank, 4);
    }
    ec_graph_free(g);
}

TEST(every_truncation_is_refused_or_read_without_harm)
{
    struct ec_buf file = EC_BUF_INIT;
    struct ec_graph *g;
    struct ob b;
    size_t n;

    folded(&b);
    ob_model(&b, &file);
    for (n = 0; n < file.len; n++) {
        g = NULL;
        if (ec_graph_from_onnx(file.data, n, NULL, &g, &err))
            CHECK(err.text[0] != '\0');
        ec_graph_free(g);
    }
    ec_buf_clear(&file);
}

TEST(each_allocation_may_fail)
{
    struct ec_buf file = EC_BUF_INIT;
    struct ec_graph *g = NULL;
    enum ec_status st;
    struct ob b;
    int64_t n = 0;

    folded(&b);
    ob_model(&b, &file);
    do {
        ec_alloc_fail_after(++n);
        st = ec_graph_from_onnx(file.data, file.len, NULL, &g, &err);
        ec_alloc_fail_after(0);
        CHECK(st == EC_OK || st == EC_E_NOMEM);
    } while (st && n < 1000);
    CHECK(st == EC_OK);
    ec_graph_free(g);
    ec_buf_clear(&file);
}
