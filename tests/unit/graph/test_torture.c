/* Each allocation fails once while networks are built, written, read and counted. */
#include "test.h"

#include "cost/cost.h"

static const char *spec;

static enum ec_status there_and_back(struct ec_err *err)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = 2 };
    struct ec_buf json = EC_BUF_INIT, onnx = EC_BUF_INIT;
    struct ec_graph *g = NULL, *from_json = NULL, *from_onnx = NULL;
    struct ec_layer *layers = NULL;
    struct ec_totals totals;
    enum ec_status st = EC_OK;

    EC_TRY(ec_graph_open(spec, &opts, &g, err));
    EC_TRY(ec_graph_to_json(g, &json, err));
    EC_TRY(ec_graph_from_json(json.data, json.len, NULL, &from_json, err));
    EC_TRY(ec_graph_to_onnx(g, &onnx, err));
    EC_TRY(ec_graph_from_onnx(onnx.data, onnx.len, NULL, &from_onnx, err));
    EC_TRY(ec_cost_graph(from_onnx, EC_OPT_adam, 4, &totals, &layers, err));
out:
    ec_free(layers);
    ec_graph_free(from_onnx);
    ec_graph_free(from_json);
    ec_graph_free(g);
    ec_buf_clear(&onnx);
    ec_buf_clear(&json);
    return st;
}

TEST(each_allocation_may_fail)
{
    static const char *const specs[] = { "lenet5", "squeezenet1_1", "mobilenet_v2",
                                         "cifar_cnn:depth=2" };
    int i;

    for (i = 0; i < EC_LEN(specs); i++) {
        spec = specs[i];
        CHECK_TORTURE(there_and_back);
    }
}
