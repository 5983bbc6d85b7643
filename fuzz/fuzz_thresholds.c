/* Limits of acceptance: what is read has a name and ordered times, is found by it, and is written
 * so that it is read again; what is refused has its sentence. */
#include "fuzz.h"

#include "plan/thresholds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_arena a = { 0 };
    struct ec_thresholds l, again;
    const struct ec_threshold *one;
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int i;

    if (ec_thresholds_parse((struct ec_span){ (const char *)data, size }, &a, &l, &err)) {
        if (!err.text[0])
            __builtin_trap();
    } else {
        for (i = 0; i < l.n; i++)
            if (ec_thresholds_find(&l, l.v[i].job, &one, &err) || one != &l.v[i] ||
                !(one->ns.p05 > 0 && one->ns.p05 <= one->ns.p95))
                __builtin_trap();
        ec_thresholds_write(&l, &text);
        if (!text.st &&
            (ec_thresholds_parse((struct ec_span){ text.data, text.len }, &a, &again, &err) ||
             again.n != l.n))
            __builtin_trap();
    }
    ec_buf_clear(&text);
    ec_arena_clear(&a);
    return 0;
}
