/* A pickled batch: what is read has as many labels as images; nothing is ever called. */
#include "fuzz.h"

#include "dataset/samples_internal.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec__pixels p = { .c = 3, .h = 32, .w = 32 };
    struct ec__bytes b = { 0 };
    struct ec_err err = { .status = EC_OK };
    int64_t i;

    b.data = ec_alloc(size);
    b.len = size;
    if (!b.data)
        return 0;
    memcpy(b.data, data, size);
    if (ec__cifar_pickled(&b, "labels", &p, EC_PART_TRAIN, &err) == EC_OK) {
        for (i = 0; i < p.n[EC_PART_TRAIN]; i++)
            if (p.label[EC_PART_TRAIN][i] < 0)
                __builtin_trap();
    } else if (!err.text[0]) {
        __builtin_trap();
    }
    ec_free(p.data[EC_PART_TRAIN]);
    ec_free(p.label[EC_PART_TRAIN]);
    ec__bytes_clear(&b);
    return 0;
}
