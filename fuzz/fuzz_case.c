/* The text of an operator case. A case that is understood prints to a text that reads back as the
 * same text, and every rule of its operator answers with finite counts. */
#include "fuzz.h"

#include "op/op.h"

#include <math.h>
#include <string.h>

#define TEXT_MAX_BYTES 1024

static void check_rules(const struct ec_case *c)
{
    struct ec_param_list params = { 0 };
    struct ec_saved saved = { 0 };
    struct ec_count sum = { 0 };
    int p;

    if (c->op->params)
        c->op->params(c, &params);
    if (c->op->saved)
        c->op->saved(c, &saved);
    for (p = EC_FORWARD; p < EC_UPDATE; p++) {
        struct ec_work w = { 0 };

        if (c->op->work)
            c->op->work(c, (enum ec_phase)p, &w);
        ec_work_count(&w, 4, &sum);
    }
    if (!isfinite(sum.flop) || !isfinite(sum.bytes) || sum.mac < 0 || sum.flop < 0 ||
        sum.bytes < 0 || saved.extra_elems < 0 || saved.extra_bytes < 0)
        __builtin_trap();
}

static void check_again(const struct ec_case *c)
{
    struct ec_buf once = EC_BUF_INIT, twice = EC_BUF_INIT;
    struct ec_owned_case again = { 0 };

    ec_case_print(c, &once);
    if (ec_case_parse(ec_buf_text(&once), &again, NULL))
        __builtin_trap();
    ec_case_print(&again.c, &twice);
    if (strcmp(ec_buf_text(&once), ec_buf_text(&twice)) != 0)
        __builtin_trap();
    ec_case_clear(&again);
    ec_buf_clear(&once);
    ec_buf_clear(&twice);
}

/* Unknown operators cost the most (near names are looked for) and show the least: a few will do. */
static bool worth_trying(const char *text)
{
    struct ec_span rest = ec_span_of(text), name;

    return (ec_span_cut(&rest, ' ', &name) && ec_op_find(name)) ||
           ec_hash(text, strlen(text)) % 64 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_err err = { .status = EC_OK };
    struct ec_owned_case oc = { 0 };
    char text[TEXT_MAX_BYTES];

    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (!worth_trying(text))
        return 0;
    if (ec_case_parse(text, &oc, &err) == EC_OK) {
        check_rules(&oc.c);
        check_again(&oc.c);
        ec_case_clear(&oc);
    } else if (!err.text[0]) {
        __builtin_trap();
    }
    return 0;
}
