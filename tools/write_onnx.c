/* write_onnx NETWORK FILE: a network as ONNX without weights; made examples/resnet50.onnx. */
#include "graph/graph.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct ec_graph *g = NULL;
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };
    enum ec_status st;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: write_onnx NETWORK FILE\n");
        return 2;
    }
    EC_TRY(ec_graph_open(argv[1], NULL, &g, &err));
    EC_TRY(ec_graph_to_onnx(g, &out, &err));
    EC_TRY(ec_file_write(argv[2], out.data, out.len, &err));
out:
    if (st)
        (void)fprintf(stderr, "%s\n", err.text);
    ec_graph_free(g);
    ec_buf_clear(&out);
    return st != EC_OK;
}
