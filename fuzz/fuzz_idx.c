/* IDX, plain or gzip: the header never says more than the file holds, and little memory is taken.
 */
#include "fuzz.h"

#include "dataset/samples_internal.h"

#include <string.h>

#define MAX_BYTES ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec__bytes b = { 0 };
    struct ec_err err = { .status = EC_OK };
    int64_t dims[3] = { 0 };

    b.data = ec_alloc(size);
    b.len = size;
    if (!b.data)
        return 0;
    if (size)
        memcpy(b.data, data, size);
    if (ec__bytes_gunzip(&b, MAX_BYTES, NULL, &err) == EC_OK &&
        ec__idx_parse(&b, 3, dims, &err) == EC_OK) {
        if ((size_t)(dims[0] * dims[1] * dims[2]) + 16 != b.len)
            __builtin_trap();
    } else if (!err.text[0]) {
        __builtin_trap();
    }
    ec__bytes_clear(&b);
    return 0;
}
