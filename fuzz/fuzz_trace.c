/* A trace that somebody passes on: read, joined, its steps found and divided. Parts of a step add
 * up to it; what is refused has its sentence. */
#include "fuzz.h"

#include "trace/trace.h"

#include <math.h>

static void check_steps(const struct ec_trace_steps *s)
{
    int i, k;

    for (i = 0; i < s->n; i++) {
        double sum = 0, all = (double)(s->v[i].to_ns - s->v[i].from_ns);

        for (k = 0; k < EC_TRACE_PARTS; k++) {
            if (!(s->v[i].part_ns[k] >= 0))
                __builtin_trap();
            sum += s->v[i].part_ns[k];
        }
        if (all >= 0 && fabs(sum - all) > 1e-9 * fabs(all) + 1)
            __builtin_trap();
    }
}

static void check_operators(const struct ec_trace *t, const uint32_t *up,
                            const struct ec_trace_steps *s)
{
    struct ec_trace_ops o = { 0 };
    double sum = 0;
    int i;

    if (ec_trace_operators(t, up, s, NULL, NULL, &o, NULL))
        __builtin_trap();
    for (i = 0; i < 3; i++)
        sum += o.mapped_ns[i];
    if (fabs(sum - o.kernels_ns) > 1e-9 * o.kernels_ns + 1)
        __builtin_trap();
    for (i = 0; i < o.n; i++)
        if (!o.v[i].text == !o.v[i].why)
            __builtin_trap();
    ec_trace_ops_clear(&o);
}

static void analyse(const struct ec_trace *t)
{
    struct ec_trace_steps s = { 0 };
    uint32_t *up = NULL;
    struct ec_err err = { 0 };

    if (ec_trace_join(t, &up, &err))
        __builtin_trap();
    if (ec_trace_find_steps(t, up, &s, &err) == EC_OK) {
        if (ec_trace_budget(t, up, &s, &err))
            __builtin_trap();
        check_steps(&s);
        check_operators(t, up, &s);
    } else if (!err.text[0]) {
        __builtin_trap();
    }
    ec_trace_steps_clear(&s);
    ec_free(up);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_trace t;
    struct ec_err err = { 0 };

    if (ec_trace_parse(data, size, &t, &err) == EC_OK) {
        analyse(&t);
        ec_trace_clear(&t);
    } else if (!err.text[0]) {
        __builtin_trap();
    }
    return 0;
}
