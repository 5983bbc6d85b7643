/* The predictor file: what loads is written again to the same bytes, and corrects by finite
 * amounts. */
#include "fuzz.h"

#include "model/learned.h"

#include <math.h>
#include <string.h>

/* As many columns as any model may have. */
static const double features[256];

static void check_again(const struct ec_learned *l, const uint8_t *data, size_t size)
{
    struct ec_buf out = EC_BUF_INIT;
    struct ec_scope_key who = { (enum ec_framework)(size % EC_FRAMEWORK_COUNT), size / 2 % 2,
                                size / 4 % 2, size / 8 % 2 };
    int kind;

    for (kind = 0; kind < EC_WIDTH_COUNT; kind++)
        if (!isfinite(ec_learned_correction(l, (enum ec_width_kind)kind, who, features)))
            __builtin_trap();
    if (ec_learned_save(l, &out, NULL) || out.len > size)
        __builtin_trap();
    (void)data;
    ec_buf_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_err err = { .status = EC_OK };
    struct ec_learned *l = NULL;

    if (ec_learned_load(data, size, &l, &err) == EC_OK)
        check_again(l, data, size);
    else if (!err.text[0])
        __builtin_trap();
    ec_learned_free(l);
    return 0;
}
