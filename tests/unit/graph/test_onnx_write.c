/* Writing ONNX: what is written reads back to the same totals; what cannot be written is named. */
#include "test.h"

#include "graph/build_internal.h"
#include "onnx_bytes.h"

static struct ec_err err;

/* Families that consist of operators with a counterpart. */
static const char *const nets[] = { "alexnet",         "vgg16",
                                    "resnet18",        "resnet50",
                                    "mobilenet_v2",    "mobilenet_v3_large",
                                    "efficientnet_b0", "densenet121",
                                    "squeezenet1_0",   "shufflenet_v2_x1_0",
                                    "regnet_y_400mf",  "resnext50_32x4d",
                                    "mnasnet1_0" };

/* False when the network has an operator that we do not write. */
static bool round_trip(const char *name, int64_t batch)
{
    struct ec_graph_opts opts = { .batch = 2 }, again = { .batch = batch };
    struct ec_graph *g = NULL, *back = NULL;
    struct ec_buf file = EC_BUF_INIT;
    int bad = test_bad_checks;
    bool written;

    CHECK_OK(ec_zoo_build(name, &opts, &g, &err));
    written = g && ec_graph_to_onnx(g, &file, &err) == EC_OK;
    if (g && !written)
        CHECK_HAS(err.text, "no counterpart");
    if (written)
        CHECK_OK(ec_graph_from_onnx(file.data, file.len, &again, &back, &err));
    if (back) {
        CHECK_NEAR(graph_params(back), graph_params(g), 0);
        CHECK_NEAR(graph_mac(back), graph_mac(g) * (double)batch / 2, 1e-12);
        CHECK_INT(back->n_unknown, 0);
    }
    if (test_bad_checks > bad)
        test_fail(__FILE__, __LINE__, "in %s", name);
    ec_graph_free(g);
    ec_graph_free(back);
    ec_buf_clear(&file);
    return written;
}

TEST(convolutional_networks_come_back_at_any_batch)
{
    int i;

    for (i = 0; i < EC_LEN(nets); i++)
        CHECK(round_trip(nets[i], 7));
}

/* RMSNormalization and Attention */
TEST(decoders_come_back)
{
    CHECK(round_trip("llama3_8b:layers=2,seq=64", 7));
    CHECK(round_trip("qwen3_0.6b:layers=2,seq=64", 2));
    CHECK(round_trip("deepseek_v2_lite:layers=1,seq=64", 2));
    CHECK(!round_trip("mixtral_8x7b:layers=1,seq=64", 2));
    CHECK(!round_trip("gemma2_2b:layers=1,window=32,seq=64", 2));
    CHECK(round_trip("gemma_2b:layers=1,seq=64", 2));
}

/* What changes numbers and no time is in the file too. */
TEST(small_numbers_of_norms_come_back)
{
    struct ec_builder b = { .g = ec_graph_new("norms"), .err = &err };
    struct ec_buf file = EC_BUF_INIT;
    struct ec_graph *back = NULL;
    int x = ec_b_input(&b, "x", EC_DT_f32, 4, (int64_t)2, (int64_t)3, (int64_t)4, (int64_t)4);

    x = ec_b1(&b, x, "batch_norm eps=0.001 momentum=0.01");
    x = ec_b1(&b, x, "batch_norm");
    x = ec_b1(&b, x, "layer_norm eps=1e-6");
    x = ec_b1(&b, x, "rms_norm wide=1");
    x = ec_b1(&b, x, "rms_norm");
    CHECK(!b.st);
    CHECK_OK(ec_graph_add_output(b.g, x, &err));
    CHECK_OK(ec_graph_to_onnx(b.g, &file, &err));
    CHECK_OK(ec_graph_from_onnx(file.data, file.len, NULL, &back, &err));
    if (back) {
        struct ec_case first = ec_node_case(back->nodes[0]), usual = ec_node_case(back->nodes[1]),
                       rows = ec_node_case(back->nodes[2]), wide = ec_node_case(back->nodes[3]),
                       narrow = ec_node_case(back->nodes[4]);

        CHECK_NEAR(ec_case_double(&first, "eps"), 0.001, 0);
        CHECK_NEAR(ec_case_double(&first, "momentum"), 0.01, 0);
        CHECK_NEAR(ec_case_double(&usual, "eps"), 1e-5, 0);
        CHECK_NEAR(ec_case_double(&usual, "momentum"), 0.1, 0);
        CHECK_NEAR(ec_case_double(&rows, "eps"), 1e-6, 0);
        CHECK_INT(back->n_nodes, 5);
        CHECK_INT(ec_case_int(&wide, "wide"), 1);
        CHECK_INT(back->nodes[3]->n_param, 1);
        CHECK_INT(ec_case_int(&narrow, "wide"), 0);
    }
    ec_graph_free(back);
    ec_graph_free(b.g);
    ec_buf_clear(&file);
}

/* What ONNX has as inputs, and a scale that ONNX has and the operator has not. */
TEST(attributes_that_are_inputs_come_back)
{
    static const char *const words[] = { "pad pads=0,0,1,2,0,0,3,4 mode=reflect",
                                         "tile repeats=1,2,3,1", "reduce_sum axes=1,2 keepdims=0",
                                         "reduce_sum keepdims=0", "instance_norm eps=0.001" };
    int i;

    for (i = 0; i < EC_LEN(words); i++) {
        struct ec_builder b = { .g = ec_graph_new("one"), .err = &err };
        struct ec_buf file = EC_BUF_INIT, sent = EC_BUF_INIT, got = EC_BUF_INIT;
        struct ec_graph *back = NULL;
        int x = ec_b_input(&b, "x", EC_DT_f32, 4, (int64_t)2, (int64_t)3, (int64_t)6, (int64_t)6);
        struct ec_case c;

        CHECK(ec_b1(&b, x, "%s", words[i]) >= 0);
        CHECK_OK(ec_graph_add_output(b.g, ec_b_last(&b)->out[0], &err));
        CHECK_OK(ec_graph_to_onnx(b.g, &file, &err));
        CHECK_OK(ec_graph_from_onnx(file.data, file.len, NULL, &back, &err));
        if (back && back->n_nodes == 1) {
            c = ec_node_case(b.g->nodes[0]);
            ec_case_print(&c, &sent);
            c = ec_node_case(back->nodes[0]);
            ec_case_print(&c, &got);
            CHECK_STR(ec_buf_text(&got), ec_buf_text(&sent));
        }
        CHECK(back && back->n_nodes == 1);
        ec_graph_free(back);
        ec_graph_free(b.g);
        ec_buf_clear(&file);
        ec_buf_clear(&sent);
        ec_buf_clear(&got);
    }
}

/* As exporters write it: two parts of each axis change places. */
TEST(rotations_are_written_as_parts)
{
    struct ec_builder b = { .g = ec_graph_new("one"), .err = &err };
    struct ec_buf file = EC_BUF_INIT;
    struct ec_graph *back = NULL;
    int x = ec_b_input(&b, "x", EC_DT_f32, 4, (int64_t)2, (int64_t)6, (int64_t)6, (int64_t)3);

    x = ec_b1(&b, x, "roll shifts=-2,1 axes=1,2");
    CHECK(!b.st);
    CHECK_OK(ec_graph_add_output(b.g, x, &err));
    CHECK_OK(ec_graph_to_onnx(b.g, &file, &err));
    CHECK_OK(ec_graph_from_onnx(file.data, file.len, NULL, &back, &err));
    if (back) {
        CHECK_INT(back->n_nodes, 6);
        CHECK_STR(back->nodes[5]->op->name, "concat");
        CHECK(
            ec_shape_eq(&back->values[back->outputs[0]]->type.shape, &b.g->values[x]->type.shape));
        CHECK_INT(back->values[back->nodes[0]->out[0]]->type.shape.d[1], 4); /* 2 ... 5 first */
        CHECK_INT(back->values[back->nodes[3]->out[0]]->type.shape.d[2], 1); /* 5 first */
    }
    ec_graph_free(back);
    ec_graph_free(b.g);
    ec_buf_clear(&file);
}

/* Standardised weights have no reader: what reads the file could not know that they are work. */
TEST(work_without_a_reader_is_not_written)
{
    struct ec_buf file = EC_BUF_INIT;
    struct ec_graph *g = NULL;

    CHECK_OK(ec_zoo_build("nf_resnet26", NULL, &g, &err));
    if (g)
        CHECK_FAILS(ec_graph_to_onnx(g, &file, &err), EC_E_UNSUPPORTED, "no counterpart");
    ec_graph_free(g);
    ec_buf_clear(&file);
}

/* A weight that training leaves alone is none in the file. */
TEST(fixed_filters_stay_fixed)
{
    struct ec_graph *g = NULL, *back = NULL;
    struct ec_buf file = EC_BUF_INIT;

    CHECK_OK(ec_zoo_build("resnetblur18", NULL, &g, &err));
    if (g)
        CHECK_OK(ec_graph_to_onnx(g, &file, &err));
    CHECK_OK(ec_graph_from_onnx(file.data, file.len, NULL, &back, &err));
    if (back)
        CHECK_NEAR(graph_params(back), 11689512, 0);
    ec_graph_free(g);
    ec_graph_free(back);
    ec_buf_clear(&file);
}

TEST(most_built_in_networks_can_be_written_and_come_back)
{
    const char *const *names;
    int n, n_written = 0, i;

    names = ec_zoo_names(&n);
    for (i = 0; i < n; i++)
        if (!ec_str_eq(names[i], "googlenet")) /* pools to a size that does not divide */
            n_written += round_trip(names[i], 2);
    CHECK(n_written * 100 > n * 85);
}

TEST(the_example_is_resnet50_without_weights)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = 32 };
    struct ec_graph *g = NULL;

    CHECK_OK(ec_graph_open("examples/resnet50.onnx", &opts, &g, &err));
    if (g) {
        CHECK_NEAR(graph_params(g), 25557032, 0);
        CHECK_NEAR(graph_mac(g), 32 * 4.089184256e9, 1e-9);
        CHECK_STR(ec_graph_name(g), "resnet50");
    }
    ec_graph_free(g);
}

/* The operator by its name alone on one input; false: it needs attributes or is not written. */
static bool comes_back(const char *op)
{
    struct ec_builder b = { .g = ec_graph_new("one"), .err = &err };
    struct ec_buf file = EC_BUF_INIT;
    struct ec_graph *back = NULL;
    int x = ec_b_input(&b, "x", EC_DT_f32, 4, (int64_t)2, (int64_t)3, (int64_t)4, (int64_t)4);
    bool written = false;

    x = ec_b1(&b, x, "%s", op);
    if (!b.st) {
        CHECK_OK(ec_graph_add_output(b.g, x, &err));
        written = ec_graph_to_onnx(b.g, &file, &err) == EC_OK;
        if (!written)
            CHECK_HAS(err.text, "no counterpart");
    }
    if (written)
        CHECK_OK(ec_graph_from_onnx(file.data, file.len, NULL, &back, &err));
    if (back) {
        CHECK_NEAR(graph_params(back), graph_params(b.g), 0);
        if (back->n_nodes) { /* what leaves its input as it is comes back as nothing */
            CHECK_INT(back->n_nodes, 1);
            if (!b.g->nodes[0]->op->fields) /* others may have a more general one in ONNX */
                CHECK_STR(back->nodes[0]->op->name, op);
            CHECK(ec_shape_eq(&back->nodes[0]->out_type[0]->shape,
                              &b.g->nodes[0]->out_type[0]->shape));
        }
    }
    ec_graph_free(back);
    ec_graph_free(b.g);
    ec_buf_clear(&file);
    return written;
}

TEST(operators_of_one_input_come_back)
{
    const struct ec_op *const *ops;
    int n, i, written = 0;

    ops = ec_ops(&n);
    for (i = 0; i < n; i++)
        if (ec_str_eq(ops[i]->inputs, "x") && !ec_str_eq(ops[i]->name, "identity"))
            written += comes_back(ops[i]->name);
    CHECK(written >= 55);
}

/* Margins and copies are inputs of an ONNX node, not attributes. */
TEST(pads_and_tiles_come_back)
{
    struct ec_builder b = { .g = ec_graph_new("margins"), .err = &err };
    struct ec_buf file = EC_BUF_INIT;
    struct ec_graph *back = NULL;
    int x = ec_b_input(&b, "x", EC_DT_f32, 3, (int64_t)2, (int64_t)3, (int64_t)4);
    char text[80];

    x = ec_b1(&b, x, "pad pads=0,1,2,0,0,3 mode=edge");
    x = ec_b1(&b, x, "tile repeats=1,5,1");
    CHECK(!b.st);
    CHECK_OK(ec_graph_add_output(b.g, x, &err));
    CHECK_OK(ec_graph_to_onnx(b.g, &file, &err));
    CHECK_OK(ec_graph_from_onnx(file.data, file.len, NULL, &back, &err));
    if (back) {
        struct ec_case pad = ec_node_case(back->nodes[0]);

        CHECK_INT(back->n_nodes, 2);
        CHECK_STR(ec_shape_text(&pad.out[0]->shape, text, sizeof text), "2x4x9");
        CHECK_INT(ec_case_int(&pad, "mode"), 2);
        CHECK_STR(ec_shape_text(&back->nodes[1]->out_type[0]->shape, text, sizeof text), "2x20x9");
    }
    ec_graph_free(back);
    ec_graph_free(b.g);
    ec_buf_clear(&file);
}

TEST(what_cannot_be_written_is_named)
{
    struct ec_buf file = EC_BUF_INIT;
    struct ec_graph *g = NULL;
    struct ob b = { 0 };

    ob_input(&b, "x", "2x6");
    ob_output(&b, "y", "2x6");
    ob_node(&b, "Frobnicate", "x", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    if (g)
        CHECK_FAILS(ec_graph_to_onnx(g, &file, &err), EC_E_UNSUPPORTED, "opaque");
    ec_graph_free(g);
    ec_buf_clear(&file);
}
