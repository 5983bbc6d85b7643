/* The text of a family of networks, in the language of data/families. What is built is sound, what
 * is not built says why, and nothing runs without end. */
#include "fuzz.h"

#include "fuzz_graph.h"
#include "graph/net_internal.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ec_field none[] = { EC_FIELD_END };
    struct ec__family family = { .name = "fuzz", .fields = none };
    struct ec__net net = { .batch = 1, .size = 32, .classes = 10 };
    struct ec_err err = { .status = EC_OK };
    struct ec_builder b = { .err = &err };
    char *text = calloc(1, size + 1);
    int out;

    if (!text)
        return 0;
    memcpy(text, data, size);
    family.text = text;
    b.g = ec_graph_new("fuzz");
    if (b.g) {
        b.g->arena.max_bytes = (size_t)16 << 20;
        out = ec__net_build(&b, &net, &family, NULL);
        if (!b.st)
            b.st = ec_graph_add_output(b.g, out, &err);
        if (!b.st)
            fuzz_check_graph(b.g);
        else if (!err.text[0])
            __builtin_trap();
        ec_graph_free(b.g);
    }
    free(text);
    return 0;
}
