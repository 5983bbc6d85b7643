/* Walks every row of the operator list. */
#include "op/op.h"
#include "test.h"

TEST(every_row_keeps_its_contract)
{
    struct ec_err err = { 0 };

    CHECK_INT(ec_ops_check(&err), EC_OK);
    CHECK_STR(err.text, "");
}

TEST(rows_are_found_by_name)
{
    const struct ec_op *const *ops;
    int n, i;

    ops = ec_ops(&n);
    for (i = 0; i < n; i++)
        CHECK(ec_op_find(ec_span_of(ops[i]->name)) == ops[i]);
    CHECK(ec_op_find(ec_span_of("conv2")) == NULL);
    CHECK(ec_op_find(ec_span_of("conv2dd")) == NULL);
    CHECK(ec_op_find(ec_span_of("")) == NULL);
}

static enum ec_status parse_examples(struct ec_err *err)
{
    static const char *const texts[] = { "conv2d n=1 c=2 h=5 w=5 k=4 r=3", "concat x=2x3 y=2x4",
                                         "split x=4x4 parts=2", "opaque x=3 type=Foo shape=5x6" };
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < EC_LEN(texts); i++) {
        struct ec_owned_case c = { 0 };

        EC_TRY(ec_case_parse(texts[i], &c, err));
        ec_case_clear(&c);
    }
out:
    return st;
}

TEST(memory_may_run_out_while_parsing)
{
    CHECK_TORTURE(parse_examples);
}

TEST(near_names_are_offered)
{
    struct ec_err err = { 0 };
    struct ec_owned_case c = { 0 };

    CHECK_FAILS(ec_case_parse("conv2b n=1", &c, &err), EC_E_NOT_FOUND, "\"conv2d\"");
    CHECK_FAILS(ec_case_parse("", &c, &err), EC_E_PARSE, "empty case text");
    CHECK_FAILS(ec_case_parse("relu x=3 y=4", &c, &err), EC_E_INPUT, "relu has no \"y\"");
    CHECK_FAILS(ec_case_parse("relu x=1x1x1x1x1x1x1x1x1", &c, &err), EC_E_PARSE, "at most 8");
    CHECK_FAILS(ec_case_parse("relu", &c, &err), EC_E_INPUT, "input 0 has no shape");
}
