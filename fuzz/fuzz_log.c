/* A log of training, and a speed as text: what is read has times above 0; what is refused has its
 * sentence. */
#include "fuzz.h"

#include "tables/tables.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_span text = { (const char *)data, size };
    struct ec_log log;
    struct ec_speed s;
    struct ec_err err = { 0 };
    int i;

    if (size && ec_parse_speed(text, &s) && !(s.value > 0 && isfinite(s.value)))
        __builtin_trap();
    if (ec_log_read(text, &log, &err)) {
        if (!err.text[0])
            __builtin_trap();
        return 0;
    }
    if (!(log.step_ns > 0 && log.counted >= 1) || log.n < 1)
        __builtin_trap();
    for (i = 0; i < log.n; i++)
        if (!(log.v[i].steps >= 1) || !(log.v[i].seconds > 0))
            __builtin_trap();
    ec_log_clear(&log);
    return 0;
}
