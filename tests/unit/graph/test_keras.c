/* Models of Keras as JSON: parameters of the published applications and of every kind of layer as
 * TensorFlow.js counts them, calls that share weights, and what is refused. */
#include "test.h"

#include "graph/graph.h"
#include "graph/zoo_internal.h"
#include "figures.h"

#include <stdlib.h>

#define RECORDED "tests/recorded/keras/"

static struct ec_err err;

static struct ec_graph *from(const char *text, int64_t batch)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = batch, .seq_len = 9 };
    struct ec_graph *g = NULL;

    CHECK_OK(ec_graph_from_json(text, strlen(text), &opts, &g, &err));
    return g;
}

/* Moving means and variances, which are no parameters here. */
static double moving(const struct ec_graph *g)
{
    double n = 0;
    int i;

    for (i = 0; i < g->n_nodes; i++)
        if (ec_str_eq(g->nodes[i]->op->name, "batch_norm"))
            n += 2 * (double)g->nodes[i]->in_type[0]->shape.d[1];
    return n;
}

/* Lines of a name and one or two numbers; below 0: not there. */
static int check_table(const char *file, const char *ending)
{
    struct ec_span rest, line, word;
    struct ec_file f = { 0 };
    double want[2], n;
    char path[200];
    int count = 0, i;

    CHECK_OK(ec_file_open(file, 1 << 20, &f, &err));
    rest = (struct ec_span){ (const char *)f.data, f.len };
    while (rest.p && ec_span_cut(&rest, '\n', &line)) {
        struct ec_graph *g = NULL;

        if (!line.len || *line.p == '#')
            continue;
        CHECK(ec_span_cut(&line, ' ', &word));
        (void)ec_snprintf(path, sizeof path, RECORDED "%.*s%s", (int)word.len, word.p, ending);
        for (i = 0; i < 2; i++) {
            want[i] = -1;
            if (line.p && ec_span_cut(&line, ' ', &word))
                CHECK(ec_parse_double(word, &want[i]));
        }
        CHECK_OK(ec_graph_open(path, NULL, &g, &err));
        n = g ? graph_params(g) : 0;
        if (n < want[0] || n > want[0])
            test_fail(__FILE__, __LINE__, "%s: %.0f parameters, want %.0f", path, n, want[0]);
        if (g && want[1] >= 0)
            CHECK_NEAR(n + moving(g), want[1], 1e-12);
        ec_graph_free(g);
        count++;
    }
    ec_file_close(&f);
    return count;
}

TEST(published_applications)
{
    CHECK_INT(check_table(RECORDED "applications.txt", ".keras"), 13);
}

TEST(every_kind_of_layer_as_tensorflow_js_counts_it)
{
    CHECK_INT(check_table(RECORDED "params.txt", ".json"), 6);
}

TEST(an_application_is_the_built_in_network)
{
    static const char *const pairs[][2] = {
        {"vgg16.keras",           "vgg16"          },
        { "resnet50.keras",       "resnet50"       },
        { "densenet121.keras",    "densenet121"    },
        { "mobilenetv2.keras",    "mobilenet_v2"   },
        { "xception.keras",       "xception"       },
        { "efficientnetb0.keras", "efficientnet_b0"},
    };
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = 2 };
    char path[100];
    int i;

    for (i = 0; i < EC_LEN(pairs); i++) {
        struct ec_graph *g = NULL, *h = NULL;

        (void)ec_snprintf(path, sizeof path, RECORDED "%s", pairs[i][0]);
        CHECK_OK(ec_graph_open(path, &opts, &g, &err));
        CHECK_OK(ec_graph_open(pairs[i][1], &opts, &h, &err));
        if (g && h) /* Keras strides elsewhere in a block, and pads by rule */
            CHECK_NEAR(graph_mac(g), graph_mac(h), 0.07);
        ec_graph_free(g);
        ec_graph_free(h);
    }
}

#define LAYER(class, config) "{\"class_name\":\"" class "\",\"config\":{" config "}}"
#define CHAIN(layers) "{\"class_name\":\"Sequential\",\"config\":{\"layers\":[" layers "]}}"
#define IMAGE "\"name\":\"in\",\"batch_input_shape\":[null,12,10,3]"
#define WORDS "\"name\":\"in\",\"batch_input_shape\":[null,null]"

static void check_output(const char *text, const char *want)
{
    struct ec_graph *g = from(text, 2);
    struct ec_buf out = EC_BUF_INIT;
    int i;

    for (i = 0; g && i < g->values[g->outputs[0]]->type.shape.rank; i++)
        ec_buf_printf(&out, "%s%lld", i ? "x" : "",
                      (long long)g->values[g->outputs[0]]->type.shape.d[i]);
    CHECK_STR(ec_buf_text(&out), want);
    ec_buf_clear(&out);
    ec_graph_free(g);
}

/* Maps have their channels second here, whatever Keras says. */
TEST(axes_and_shapes)
{
    check_output(CHAIN(LAYER("ZeroPadding2D", IMAGE ",\"padding\":[[1,2],[0,3]]")), "2x3x15x13");
    check_output(CHAIN(LAYER("Permute", IMAGE ",\"dims\":[2,1,3]")), "2x3x10x12");
    check_output(CHAIN(LAYER("Permute", IMAGE ",\"dims\":[3,1,2]")), "2x10x3x12");
    check_output(CHAIN(LAYER("Reshape", IMAGE ",\"target_shape\":[-1,3]")), "2x120x3");
    check_output(CHAIN(LAYER("Dense", IMAGE ",\"units\":5")), "2x5x12x10");
    check_output(CHAIN(LAYER("LayerNormalization", IMAGE ",\"axis\":[3]")), "2x3x12x10");
    check_output(CHAIN(LAYER("Conv2D", IMAGE ",\"filters\":4,\"kernel_size\":[3,5]")), "2x4x10x6");
    check_output(CHAIN(LAYER("Conv2D", IMAGE ",\"filters\":4,\"kernel_size\":3,"
                                             "\"data_format\":\"channels_first\"")),
                 "2x4x8x1");
    check_output(CHAIN(LAYER("Conv2DTranspose", IMAGE ",\"filters\":4,\"kernel_size\":[2,2],"
                                                      "\"strides\":[3,3],\"padding\":\"same\"")),
                 "2x4x36x30");
    check_output(CHAIN(LAYER("MaxPooling2D", IMAGE ",\"pool_size\":[5,5],\"padding\":\"same\"")),
                 "2x3x3x2");
    check_output(CHAIN(LAYER("GlobalAveragePooling2D", IMAGE ",\"keepdims\":true")), "2x3x1x1");
    check_output(CHAIN(LAYER("Resizing", IMAGE ",\"height\":7,\"width\":8")), "2x3x7x8");
    check_output(CHAIN(LAYER("TimeDistributed", IMAGE ",\"layer\":" LAYER("Dense", "\"units\":4"))),
                 "2x4x12x10");
    check_output(CHAIN(LAYER("Embedding", WORDS ",\"input_dim\":50,\"output_dim\":6")), "2x9x6");
    check_output(CHAIN(LAYER("Embedding", WORDS ",\"input_dim\":50,\"output_dim\":6") "," LAYER(
                     "Bidirectional", "\"name\":\"b\",\"merge_mode\":\"sum\",\"layer\":" LAYER(
                                          "GRU", "\"units\":4,\"reset_after\":true"))),
                 "2x4");
}

#define TENSOR(name)                                                                               \
    "{\"class_name\":\"__keras_tensor__\",\"config\":{\"keras_history\":[\"" name "\",0,0]}}"
#define CALLED(class, name, config, args)                                                          \
    "{\"class_name\":\"" class "\",\"name\":\"" name "\",\"config\":{\"name\":\"" name "\"" config \
                               "},\"inbound_nodes\":[" args "]}"
#define NET(layers, in, out)                                                                       \
    "{\"class_name\":\"Functional\",\"config\":{\"name\":\"net\",\"layers\":[" layers              \
    "],\"input_layers\":" in ",\"output_layers\":" out "}}"
#define INPUT(name) CALLED("InputLayer", name, ",\"batch_shape\":[null,7,8]", "")
#define ONE(name) "{\"args\":[" TENSOR(name) "],\"kwargs\":{}}"

TEST(attention_and_numbers_as_in_keras_3)
{
    /* clang-format off */
    static const char text[] = NET(
        INPUT("x") ","
        CALLED("MultiHeadAttention", "a", ",\"num_heads\":2,\"key_dim\":3",
               "{\"args\":[" TENSOR("x") "," TENSOR("x") "],"
               "\"kwargs\":{\"attention_mask\":" TENSOR("x") "}}") ","
        CALLED("Multiply", "half", "", "{\"args\":[" TENSOR("a") ",0.5],\"kwargs\":{}}") ","
        CALLED("Add", "sum", "",
               "{\"args\":[[" TENSOR("half") "," TENSOR("x") "]],\"kwargs\":{}}"),
        "[\"x\",0,0]", "[\"sum\",0,0]");
    /* clang-format on */
    struct ec_graph *g = from(text, 3);

    if (!g)
        return;
    CHECK_NEAR(graph_params(g), 3 * (8 * 6 + 6) + 6 * 8 + 8, 0);
    CHECK_STR(g->nodes[g->n_nodes - 2]->op->name, "scale_scalar");
    CHECK_STR(g->nodes[g->n_nodes - 1]->op->name, "add");
    ec_graph_free(g);
}

TEST(frozen_layers_are_not_trained)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_graph *g =
        from(CHAIN(LAYER("Dense", IMAGE ",\"units\":5,\"trainable\":false") "," LAYER(
                 "Dense", "\"name\":\"b\",\"units\":2")),
             1);

    if (!g)
        return;
    CHECK_NEAR(graph_params(g), 12, 0);
    CHECK(!g->values[g->nodes[0]->out[0]]->requires_grad);
    CHECK_OK(ec_graph_to_json(g, &text, &err));
    ec_graph_free(g);
    g = from(ec_buf_text(&text), 1);
    if (g)
        CHECK_NEAR(graph_params(g), 12, 0);
    ec_buf_clear(&text);
    ec_graph_free(g);
}

static void refuse(const char *text, enum ec_status status, const char *part)
{
    struct ec_graph *g = NULL;

    CHECK_FAILS(ec_graph_from_json(text, strlen(text), NULL, &g, &err), status, part);
}

TEST(what_cannot_be_read_is_refused)
{
    refuse("{\"class_name\":\"MyModel\",\"config\":{}}", EC_E_UNSUPPORTED,
           "layers are in its code");
    refuse(CHAIN(""), EC_E_PARSE, "expected a list of \"layers\"");
    refuse(CHAIN("1"), EC_E_INPUT, "the shape of its input");
    refuse(CHAIN(LAYER("Dense", "\"name\":\"a\",\"units\":3")), EC_E_INPUT,
           "\"a\" does not say the shape");
    refuse(CHAIN(LAYER("Dense", WORDS ",\"units\":3")), EC_E_INPUT, "--seq-len");
    refuse(CHAIN(LAYER("Lambda", IMAGE)), EC_E_UNSUPPORTED, "layer \"in\" (Lambda)");
    refuse(CHAIN(LAYER("active", IMAGE)), EC_E_UNSUPPORTED, "no layer of this class");
    refuse(CHAIN(LAYER("Dense", IMAGE)), EC_E_INPUT, "Dense needs units");
    refuse(CHAIN(LAYER("Dense", IMAGE ",\"units\":\"x\"")), EC_E_INPUT, "linear: n: found");
    refuse(CHAIN(LAYER("Activation", IMAGE ",\"activation\":\"linear n=3\"")), EC_E_INPUT,
           "no activation");
    refuse(NET(INPUT("x") "," INPUT("x"), "[]", "[]"), EC_E_PARSE, "two layers");
    refuse(NET(INPUT("x"), "[\"x\",0,0]", "[\"y\",0,0]"), EC_E_PARSE, "which is no layer");
    refuse(NET(INPUT("x"), "[\"x\",0,0]", "[\"x\",3,0]"), EC_E_PARSE, "has no call 3");
    refuse(NET(INPUT("x"), "[\"x\",0,0]", "[\"x\",0,2]"), EC_E_PARSE, "has no output 2");
    refuse(NET(INPUT("x"), "[\"x\",0,0]", "[]"), EC_E_PARSE, "output_layers");
    refuse(
        NET(INPUT("x") "," CALLED("ReLU", "a", "", ONE("b")) "," CALLED("ReLU", "b", "", ONE("a")),
            "[\"x\",0,0]", "[\"a\",0,0]"),
        EC_E_PARSE, "called on what follows from it");
}

/* A few lines that would make a model of 10^16 layers. */
TEST(models_that_multiply_are_stopped)
{
    char *text = NULL, *inner;
    int depth, i;

    for (depth = 0; depth < 12; depth++) {
        struct ec_buf b = EC_BUF_INIT;

        ec_buf_str(&b, "{\"class_name\":\"Functional\",\"name\":\"m\",\"config\":{\"name\":\"m\","
                       "\"layers\":[" INPUT("x"));
        inner = text;
        if (inner) {
            ec_buf_printf(&b, ",%.*s,\"inbound_nodes\":[", (int)strlen(inner) - 1, inner);
            for (i = 0; i < 10; i++)
                ec_buf_str(&b, i ? "," ONE("x") : ONE("x"));
            ec_buf_str(&b, "]}");
        }
        ec_buf_printf(&b, "],\"input_layers\":[[\"x\",0,0]],\"output_layers\":[[\"%s\",0,0]]}}",
                      inner ? "m" : "x");
        text = strdup(ec_buf_text(&b));
        free(inner);
        ec_buf_clear(&b);
    }
    refuse(text, EC_E_PARSE, "layers and calls");
    free(text);
}

static enum ec_status once(struct ec_err *e)
{
    /* clang-format off */
    static const char text[] = NET(
        INPUT("x") ","
        CALLED("Dense", "a", ",\"units\":3", ONE("x") "," ONE("x")) ","
        CALLED("Add", "s", "",
               "{\"args\":[[" TENSOR("a") "," TENSOR("a") "],2],\"kwargs\":{}}"),
        "[\"x\",0,0]", "[\"s\",0,0]");
    /* clang-format on */
    struct ec_graph *g = NULL;
    enum ec_status st = ec_graph_from_json(text, sizeof text - 1, NULL, &g, e);

    ec_graph_free(g);
    return st;
}

TEST(memory_may_end_at_any_allocation)
{
    CHECK_TORTURE(once);
}
