/* The binary version of CIFAR: whole records only. */
#include "fuzz.h"

#include "dataset/samples_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec__pixels p = { .c = 3, .h = 32, .w = 32 };
    struct ec__bytes b = { (unsigned char *)data, size }; /* only read */
    struct ec_err err = { .status = EC_OK };

    if (ec__cifar_binary(&b, 1, 0, &p, EC_PART_TRAIN, &err) == EC_OK) {
        if ((size_t)p.n[EC_PART_TRAIN] * 3073 != size)
            __builtin_trap();
    } else if (!err.text[0]) {
        __builtin_trap();
    }
    ec_free(p.data[EC_PART_TRAIN]);
    ec_free(p.label[EC_PART_TRAIN]);
    return 0;
}
