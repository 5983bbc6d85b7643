/* Shared by the targets that read networks. */
#include "fuzz_graph.h"

/* Numbers that constants hold. */
static int64_t held(const struct ec_graph *g)
{
    int64_t n = 0;
    int i;

    for (i = 0; i < g->n_values; i++)
        n += g->values[i]->contents.n + (g->values[i]->contents.rule != NULL);
    return n;
}

static struct ec_totals count(const struct ec_graph *g)
{
    struct ec_totals t = { 0 };
    double sum;

    if (ec_cost_graph(g, EC_OPT_adam, 4, &t, NULL, NULL))
        return t;
    sum = t.params + t.buffers + t.saved_bytes + ec_totals_training_flop(&t) +
          t.phase[EC_FORWARD].bytes;
    if (!isfinite(sum) || sum < 0)
        __builtin_trap();
    return t;
}

void fuzz_check_graph(const struct ec_graph *g)
{
    struct ec_totals before = count(g), after;
    struct ec_err err = { .status = EC_OK };
    struct ec_buf text = EC_BUF_INIT;
    struct ec_graph *back = NULL;

    if (ec_graph_to_json(g, &text, &err) == EC_OK) {
        if (ec_graph_from_json(text.data, text.len, NULL, &back, &err))
            __builtin_trap();
        after = count(back);
        if (held(g) != held(back))
            __builtin_trap();
        if (fabs(before.params - after.params) > 1e-9 * before.params ||
            fabs(before.phase[EC_FORWARD].mac - after.phase[EC_FORWARD].mac) >
                1e-9 * before.phase[EC_FORWARD].mac)
            __builtin_trap();
    } else if (!err.text[0]) {
        __builtin_trap();
    }
    ec_graph_free(back);
    ec_buf_clear(&text);
}
