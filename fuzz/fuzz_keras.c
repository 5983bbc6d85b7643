/* Models of Keras: zip archives, and the JSON inside. A network that is read has finite counts and
 * survives being written. */
#include "fuzz.h"

#include "fuzz_graph.h"

#include "base/zip.h"
#include "graph/files_internal.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_graph_opts opts = {
        .struct_size = sizeof opts, .batch = 2, .seq_len = 16, .image_px = 16
    };
    struct ec_err err = { .status = EC_OK };
    struct ec_graph *g = NULL;
    enum ec_status st = EC_OK;
    bool found = true;

    if (ec_zip_is(data, size))
        st = ec__keras_file("fuzz", data, size, &opts, &found, &g, &err);
    else if (memmem(data, size, "class_name", 10)) /* other networks have a target of their own */
        st = ec_graph_from_json((const char *)data, size, &opts, &g, &err);
    if (g)
        fuzz_check_graph(g);
    if ((st && (!err.text[0] || g)) || (!found && g))
        __builtin_trap();
    ec_graph_free(g);
    return 0;
}
