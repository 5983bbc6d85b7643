/* Graphs as JSON: every built-in network comes back with the same totals; wrong files are refused.
 */
#include "test.h"

#include "graph/build_internal.h"
#include "onnx_bytes.h"
#include "work.h"

static struct ec_err err;

/* Every count of every node, added up: equal only if shapes and attributes are. */
static double fingerprint(const struct ec_graph *g)
{
    struct ec_count sum = { 0 };
    double params = 0;
    int i, p;

    for (i = 0; i < g->n_nodes; i++)
        for (p = EC_FORWARD; p < EC_UPDATE; p++) {
            struct ec_case c = ec_node_case(g->nodes[i]);
            struct ec_work w;

            w.n = 0;
            c.op->work(&c, (enum ec_phase)p, &w);
            work_count(&w, 4, &sum);
        }
    for (i = 0; i < g->n_values; i++)
        if (g->values[i]->kind == EC_V_PARAM)
            params += ec_type_elems(&g->values[i]->type);
    return sum.mac + sum.flop + sum.bytes + sum.launches + params;
}

static void round_trip(const struct ec_graph *g)
{
    struct ec_buf once = EC_BUF_INIT, twice = EC_BUF_INIT;
    struct ec_graph *back = NULL;

    CHECK_OK(ec_graph_to_json(g, &once, &err));
    CHECK_OK(ec_graph_from_json(ec_buf_text(&once), once.len, NULL, &back, &err));
    if (back) {
        CHECK_NEAR(fingerprint(back), fingerprint(g), 0);
        CHECK_NEAR(graph_params(back), graph_params(g), 0);
        CHECK_INT(back->batch, g->batch);
        CHECK_INT(back->n_unknown, g->n_unknown);
        CHECK_OK(ec_graph_to_json(back, &twice, &err));
        CHECK(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);
    }
    ec_graph_free(back);
    ec_buf_clear(&once);
    ec_buf_clear(&twice);
}

TEST(every_built_in_network_comes_back)
{
    const char *const *names;
    int n, i;

    names = ec_zoo_names(&n);
    for (i = 0; i < n; i++) {
        struct ec_graph_opts opts = { .batch = 2 };
        struct ec_graph *g = NULL;
        int bad = test_bad_checks;

        CHECK_OK(ec_zoo_build(names[i], &opts, &g, &err));
        if (g)
            round_trip(g);
        if (test_bad_checks > bad)
            test_fail(__FILE__, __LINE__, "in %s", names[i]);
        ec_graph_free(g);
    }
}

TEST(shared_unknown_and_equally_named_nodes_come_back)
{
    struct ec_graph *g = NULL;
    struct ob b = { 0 };

    ob_input(&b, "x", "2x6");
    ob_output(&b, "y", "2x6");
    ob_weight(&b, "m.weight", "6x6");
    ob_node(&b, "MatMul", "x m.weight", "a");
    ob_node(&b, "MatMul", "a m.weight", "b");
    ob_node(&b, "Frobnicate", "b", "c");
    ob_node(&b, "MatMul", "c m.weight", "y");
    CHECK_OK(ob_read(&b, NULL, &g, &err));
    if (g) {
        CHECK_NEAR(graph_params(g), 36, 0);
        round_trip(g);
    }
    ec_graph_free(g);
}

static enum ec_status parse(const char *text, int64_t batch, struct ec_graph **ret)
{
    struct ec_graph_opts opts = { .batch = batch };

    *ret = NULL;
    return ec_graph_from_json(text, strlen(text), &opts, ret, &err);
}

#define HEAD "{\"schema\": \"epochcast.graph/1\", \"inputs\": ["
#define X "{\"name\": \"x\", \"shape\": [\"N\", 3, 8, 8]}"
#define NODE(more) "\"nodes\": [{\"name\": \"c\", \"op\": \"conv2d\", \"in\": [\"x\"]" more "}]"
#define TAIL ", \"outputs\": [\"c\"]}"

TEST(the_batch_is_the_readers_choice)
{
    struct ec_graph *g;

    CHECK_OK(
        parse(HEAD X "]," NODE(", \"attrs\": {\"k\": 4, \"r\": 3, \"pad\": [1]}") TAIL, 5, &g));
    if (g) {
        CHECK_INT(g->values[g->outputs[0]]->type.shape.d[0], 5);
        CHECK_NEAR(graph_mac(g), 5.0 * 64 * 4 * 27, 0);
    }
    ec_graph_free(g);
}

TEST(the_batch_may_stand_in_attributes)
{
    const char *text = HEAD X "], \"batch\": 2, \"nodes\": [{\"name\": \"c\", \"op\": \"reshape\", "
                              "\"in\": [\"x\"], \"attrs\": {\"shape\": [3, \"N\", -1]}}]" TAIL;
    struct ec_graph *g;

    CHECK_OK(parse(text, 5, &g));
    if (g)
        CHECK_INT(g->values[g->outputs[0]]->type.shape.d[1], 5);
    ec_graph_free(g);
}

TEST(a_block_begins_where_the_file_says)
{
    struct ec_graph *g;

    CHECK_OK(
        parse(HEAD X "]," NODE(", \"attrs\": {\"k\": 4}, \"begins_block\": true") TAIL, 1, &g));
    if (g) {
        CHECK(g->nodes[0]->begins_block);
        round_trip(g);
    }
    ec_graph_free(g);
}

TEST(a_frozen_layer_makes_nothing_that_needs_a_gradient)
{
    const char *text = HEAD X
        "], \"params\": [{\"name\": \"w\", \"shape\": [4, 3, 1, 1], \"trainable\": false}]," NODE(
            ", \"attrs\": {\"k\": 4, \"bias\": false}, \"share\": {\"weight\": \"w\"}") TAIL;
    struct ec_graph *g;

    CHECK_OK(parse(text, 1, &g));
    if (g)
        CHECK(!g->values[g->outputs[0]]->requires_grad);
    ec_graph_free(g);
}

TEST(a_network_of_fixed_shapes_has_one_batch)
{
    const char *text = HEAD
        "{\"name\": \"x\", \"shape\": [4, 3, 8, 8]}], \"batch\": 4," NODE(", \"attrs\": {\"k\": 4}")
            TAIL;
    struct ec_graph *g;

    CHECK_OK(parse(text, 0, &g));
    ec_graph_free(g);
    CHECK_OK(parse(text, 4, &g));
    ec_graph_free(g);
    CHECK_FAILS(parse(text, 8, &g), EC_E_INPUT, "batch of 4 only, found 8");
}

TEST(the_precision_of_a_module_is_kept)
{
    static const char text[] =
        "{\"schema\":\"epochcast.graph/1\",\"precision\":\"%s\","
        "\"inputs\":[{\"name\":\"x\",\"shape\":[\"N\",8]}],"
        "\"nodes\":[{\"name\":\"y\",\"op\":\"relu\",\"in\":[\"x\"]}],\"outputs\":[\"y\"]}";
    struct ec_buf out = EC_BUF_INIT;
    struct ec_graph *g = NULL;
    char one[400];

    (void)ec_snprintf(one, sizeof one, text, "bf16");
    CHECK_OK(ec_graph_from_json(one, strlen(one), NULL, &g, &err));
    CHECK_STR(g->precision, "bf16");
    CHECK_OK(ec_graph_to_json(g, &out, &err));
    CHECK(strstr(ec_buf_text(&out), "\"precision\": \"bf16\""));
    ec_graph_free(g);
    ec_buf_clear(&out);
    (void)ec_snprintf(one, sizeof one, text, "tf32");
    CHECK_FAILS(ec_graph_from_json(one, strlen(one), NULL, &g, &err), EC_E_PARSE,
                "\"precision\" is missing or not fp32, fp16 or bf16");
}

TEST(wrong_graphs_are_refused_with_a_sentence)
{
    struct ec_graph *g;

    CHECK_FAILS(parse("[1]", 0, &g), EC_E_PARSE, "JSON object");
    CHECK_FAILS(parse("{}", 0, &g), EC_E_PARSE, "neither \"schema\"");
    CHECK_FAILS(parse("{\"schema\": \"epochcast.graph/9\"}", 0, &g), EC_E_PARSE, "neither");
    CHECK_FAILS(parse(HEAD X "]," NODE("") TAIL, 0, &g), EC_E_INPUT, "k");
    CHECK_FAILS(parse(HEAD X "]," NODE(", \"attrs\": {\"z\": 4}") TAIL, 0, &g), EC_E_INPUT,
                "no attribute \"z\"");
    CHECK_FAILS(parse(HEAD X "," X "]," NODE("") TAIL, 0, &g), EC_E_PARSE, "given twice");
    CHECK_FAILS(parse(HEAD "]," NODE(", \"attrs\": {\"k\": 4}") TAIL, 0, &g), EC_E_PARSE,
                "\"x\" is not defined before");
    CHECK_FAILS(parse(HEAD "{\"name\": \"x\", \"shape\": [1099511627776, 1099511627776]}],"
                           "\"nodes\": [], \"outputs\": []}",
                      0, &g),
                EC_E_SHAPE, "too large");
    CHECK_FAILS(parse(HEAD X "], \"nodes\": [{\"name\": \"c\", \"op\": \"conv9\"}]" TAIL, 0, &g),
                EC_E_NOT_FOUND, "conv9");
    CHECK_FAILS(parse(HEAD X "]," NODE(", \"attrs\": {\"k\": 4}, \"share\": {\"weight\": \"x\"}")
                          TAIL,
                      0, &g),
                EC_E_INPUT, "nothing to share");
}

/* Every JSON example of the document is a network. */
TEST(the_examples_of_the_document_are_read)
{
    struct ec_file f = { 0 };
    const char *at, *end;
    int n = 0;

    CHECK_OK(ec_file_open("docs/graph-json.md", 0, &f, &err));
    at = (const char *)f.data;
    while (at && (at = memmem(at, f.len - (size_t)(at - (const char *)f.data), "```json", 7))) {
        struct ec_graph *g = NULL;

        at += 7;
        end = memmem(at, f.len - (size_t)(at - (const char *)f.data), "```", 3);
        CHECK_OK(ec_graph_from_json(at, (size_t)(end - at), NULL, &g, &err));
        ec_graph_free(g);
        at = end + 3;
        n++;
    }
    CHECK_INT(n, 2);
    ec_file_close(&f);
}

/* --- lists of layers --- */

#define LAYERS                                                                                     \
    "{\"input\": {\"dimension\": 3, \"size\": 32}, \"layers\": {"                                  \
    "\"1\": {\"name\": \"c1\", \"type\": \"Convolution\", \"matsize\": 32, \"kernelsize\": 3,"     \
    " \"channels_in\": 3, \"channels_out\": 8, \"padding\": \"SAME\", \"strides\": 1,"             \
    " \"use_bias\": 1, \"activation\": \"relu\"},"
#define DENSE                                                                                      \
    "\"3\": {\"type\": \"Fully_connected\", \"channels_out\": 10, \"activation\": \"none\"}}}"

TEST(a_list_of_layers_is_read)
{
    struct ec_graph *g;
    char ops[100];

    CHECK_OK(parse(LAYERS "\"2\": {\"type\": \"Max_pool\", \"pool_size\": 2, \"strides\": 2,"
                          " \"padding\": \"VALID\"}," DENSE,
                   4, &g));
    if (g) {
        CHECK_STR(graph_ops(g, ops, sizeof ops), "conv2d relu max_pool2d flatten linear");
        CHECK_NEAR(graph_params(g), 216 + 8 + 10 * 2048 + 10, 0);
        CHECK_INT(g->batch, 4);
    }
    ec_graph_free(g);
}

TEST(pooling_left_out_of_the_list_is_put_in)
{
    struct ec_graph *g;
    char ops[100];

    CHECK_OK(parse(LAYERS "\"2\": {\"type\": \"Convolution\", \"matsize\": 16, \"kernelsize\": 16,"
                          " \"channels_in\": 8, \"channels_out\": 5, \"padding\": \"VALID\","
                          " \"strides\": 1, \"use_bias\": 0, \"activation\": \"none\"}}}",
                   1, &g));
    if (g) {
        CHECK_STR(graph_ops(g, ops, sizeof ops), "conv2d relu max_pool2d conv2d");
        CHECK(has_note(g, "1 max-pooling layers were put in"));
    }
    ec_graph_free(g);
}

TEST(wrong_lists_are_refused_with_a_sentence)
{
    struct ec_graph *g;

    CHECK_FAILS(parse("{\"layers\": []}", 0, &g), EC_E_PARSE, "not a list of layers");
    CHECK_FAILS(parse("{\"layers\": [{\"type\": \"Magic\"}]}", 0, &g), EC_E_UNSUPPORTED,
                "unknown type \"Magic\"");
    CHECK_FAILS(parse(LAYERS "\"2\": {\"channels_in\": 9, \"channels_out\": 2}}}", 0, &g),
                EC_E_SHAPE, "gets 8 channels, expected 9");
    CHECK_FAILS(parse(LAYERS "\"2\": {\"matsize\": 31}}}", 0, &g), EC_E_SHAPE, "gets size 31");
}
