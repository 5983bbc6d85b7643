/* Where networks come from: files by content, built-in names; what is neither. */
#include "test.h"

#include "onnx_bytes.h"

#include <unistd.h>

static struct ec_err err;
/* Path of a file of that name with that content. */
static const char *file_with(const char *name, const void *data, size_t len)
{
    static char path[200];

    (void)snprintf(path, sizeof path, "/tmp/epochcast-open-%d-%s", (int)getpid(), name);
    CHECK_OK(ec_file_write(path, data, len, &err));
    return path;
}

static void small_model(struct ec_buf *out)
{
    struct ob b = { 0 };

    ob_input(&b, "x", "2x4");
    ob_output(&b, "y", "2x4");
    ob_node(&b, "Relu", "x", "y");
    ob_model(&b, out);
}

TEST(onnx_and_json_are_told_apart_by_content)
{
    struct ec_buf onnx = EC_BUF_INIT, json = EC_BUF_INIT;
    struct ec_graph *g = NULL;
    const char *path;

    small_model(&onnx);
    path = file_with("net.bin", onnx.data, onnx.len);
    CHECK_OK(ec_graph_open(path, NULL, &g, &err));
    if (g) {
        CHECK_HAS(ec_graph_name(g), "-net");
        CHECK_OK(ec_graph_to_json(g, &json, &err));
    }
    ec_graph_free(g);
    (void)unlink(path);
    g = NULL;
    path = file_with("net.txt", ec_buf_text(&json), json.len);
    CHECK_OK(ec_graph_open(path, NULL, &g, &err));
    if (g)
        CHECK_INT(ec_graph_batch(g), 2);
    ec_graph_free(g);
    (void)unlink(path);
    ec_buf_clear(&onnx);
    ec_buf_clear(&json);
}

TEST(built_in_names_open)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = 3 };
    struct ec_graph *g = NULL;

    CHECK_OK(ec_graph_open("resnet18", &opts, &g, &err));
    if (g)
        CHECK_NEAR(graph_params(g), 11689512, 0);
    ec_graph_free(g);
}

static void refuse_content(const char *name, const char *data, size_t len, const char *part)
{
    struct ec_graph *g = NULL;
    const char *path = file_with(name, data, len);

    CHECK_FAILS(ec_graph_open(path, NULL, &g, &err), EC_E_PARSE, part);
    CHECK_HAS(err.text, name);
    (void)unlink(path);
}

TEST(what_is_no_network_is_refused)
{
    struct ec_graph *g = NULL;

    CHECK_FAILS(ec_graph_open("/", NULL, &g, &err), EC_E_NOT_FOUND, "a folder without config.json");
    CHECK_FAILS(ec_graph_open("/nonexistent/a.onnx", NULL, &g, &err), EC_E_NOT_FOUND, "a.onnx");
    CHECK_FAILS(ec_graph_open("resnet5O", NULL, &g, &err), EC_E_NOT_FOUND, "resnet50");
    refuse_content("empty.onnx", "", 0, "the file is empty");
    refuse_content("text.onnx", "hello, world", 12, "ONNX");
    refuse_content("zeros.onnx", "\0\0\0\0", 4, "ONNX");
    /* a graph that claims 2 GB in a file of a few bytes */
    refuse_content("claim.onnx", "\x3a\xff\xff\xff\xff\x07", 6, "more bytes than there are");
}
