/* A fitted model. One that is read predicts without reading where it should not, and is written as
 * the bytes it was read from. Inputs whose checksum is wrong get the right one, so that what lies
 * behind the checksum is tried too. */
#include "fuzz.h"

#include "learn/learn_internal.h"

#include <string.h>

#define HEADER_BYTES 28
#define SIZE_MAX_BYTES (1 << 16)

static void put(uint8_t *p, uint64_t v)
{
    int i;

    for (i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static void use(const struct ec_regressor *r, const uint8_t *data, size_t size)
{
    double x[EC_LEARN_COLS_MAX], y;
    struct ec_buf text = EC_BUF_INIT, again = EC_BUF_INIT;
    struct ec_err err = { .status = EC_OK };
    int i;

    for (i = 0; i < EC_LEARN_COLS_MAX; i++)
        x[i] = i % 7 - 3;
    ec_regressor_predict(r, x, 1, &y);
    ec_regressor_describe(r, &text);
    if (ec_regressor_save(r, &again, &err) || again.len != size ||
        memcmp(again.data, data, size) != 0)
        __builtin_trap();
    ec_buf_clear(&text);
    ec_buf_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t copy[SIZE_MAX_BYTES];
    struct ec_err err = { .status = EC_OK };
    struct ec_regressor *r = NULL;

    if (size > sizeof copy)
        return 0;
    memcpy(copy, data, size);
    if (size >= HEADER_BYTES) {
        put(copy + 12, size - HEADER_BYTES);
        put(copy + 20, ec_hash(copy + HEADER_BYTES, size - HEADER_BYTES));
    }
    if (ec_regressor_load(copy, size, &r, &err) == EC_OK)
        use(r, copy, size);
    else if (!err.text[0])
        __builtin_trap();
    ec_regressor_free(r);
    return 0;
}
