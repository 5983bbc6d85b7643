/* A checkpoint, or weights from elsewhere. What is taken writes out and reads back as the same. */
#include "fuzz.h"

#include "graph/graph.h"

#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_tensors f = { 0 };
    struct ec_err err = { 0 };
    int i;

    if (ec_tensors_parse(data, size, &f, &err)) {
        if (!err.text[0])
            __builtin_trap();
        return 0;
    }
    for (i = 0; i < f.n; i++) {
        const struct ec_tensor *t = &f.v[i];

        /* every byte that a tensor names lies in the file */
        if ((const uint8_t *)t->data < data || (const uint8_t *)t->data + t->bytes > data + size)
            __builtin_trap();
        if (!t->name || !ec_tensors_find(&f, t->name))
            __builtin_trap();
    }
    ec_tensors_clear(&f);
    return 0;
}
