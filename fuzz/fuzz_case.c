/* The text of an operator case. A case that is understood keeps the contract of its operator:
 * finite counts in the phases where they belong, a text that reads back as the same case. */
#include "fuzz.h"

#include "op/contract.h"

#include <stdio.h>
#include <string.h>

#define TEXT_MAX_BYTES 1024

static void check_case(const struct ec_case *c)
{
    struct ec_err err = { .status = EC_OK };

    if (check_contract(c, &err)) {
        (void)fprintf(stderr, "%s: %s\n", c->op->name, err.text);
        __builtin_trap();
    }
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
        check_case(&oc.c);
        ec_case_clear(&oc);
    } else if (!err.text[0]) {
        __builtin_trap();
    }
    return 0;
}
