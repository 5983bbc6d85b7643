/* Each allocation fails once while an operator's case is read, inferred and printed. */
#include "test.h"

#include "op/op.h"

static const char *case_text;

static enum ec_status parse_and_print(struct ec_err *err)
{
    struct ec_owned_case oc = { 0 };
    struct ec_buf b = EC_BUF_INIT;
    enum ec_status st = ec_case_parse(case_text, &oc, err);

    if (!st) {
        ec_case_print(&oc.c, &b);
        st = ec_buf_status(&b, err);
        ec_case_clear(&oc);
    }
    ec_buf_clear(&b);
    return st;
}

TEST(every_example_with_each_allocation_failing)
{
    const struct ec_op *const *ops;
    int n, i;

    ops = ec_ops(&n);
    CHECK(n > 100);
    for (i = 0; i < n; i++) {
        case_text = ops[i]->example;
        CHECK_TORTURE(parse_and_print);
    }
}
