/* Header of an array that NumPy saved: its numbers are positive and multiply up. */
#include "fuzz.h"

#include "dataset/samples_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec__npy h = { 0 };
    struct ec_err err = { .status = EC_OK };
    int64_t elems = 1;
    int i;

    if (ec__npy_parse(data, size, &h, &err) != EC_OK) {
        if (!err.text[0])
            __builtin_trap();
        return 0;
    }
    for (i = 0; i < h.rank; i++)
        if (h.dim[i] < 1 || !ec_mul_i64(elems, h.dim[i], &elems))
            __builtin_trap();
    if (elems != h.elems || h.rank < 1 || h.item_bytes < 1 || h.data_at > (int64_t)size)
        __builtin_trap();
    return 0;
}
