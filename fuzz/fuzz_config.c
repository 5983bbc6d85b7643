/* config.json of Hugging Face. A network that is read has finite counts and survives being written.
 */
#include "fuzz.h"

#include "fuzz_graph.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = 2, .seq_len = 16 };
    struct ec_err err = { .status = EC_OK };
    struct ec_graph *g = NULL;

    if (!memmem(data, size, "model_type", 10)) /* other networks have a target of their own */
        return 0;
    if (ec_graph_from_json((const char *)data, size, &opts, &g, &err) == EC_OK)
        fuzz_check_graph(g);
    else if (!err.text[0] || g)
        __builtin_trap();
    ec_graph_free(g);
    return 0;
}
