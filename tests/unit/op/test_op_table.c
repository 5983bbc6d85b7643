/* Walks every row of the operator list. */
#include "op/op.h"
#include "op/contract.h"
#include "test.h"

#include <string.h>

static enum ec_status check_row(const struct ec_op *op, struct ec_err *err)
{
    if (!op->help || !op->help[0])
        return missing("help", err);
    if (!op->inputs || !op->inputs[0])
        return missing("inputs", err);
    if (!op->shape || !op->work || !op->saved)
        return missing("a rule (shape, work or saved)", err);
    if (!op->example)
        return missing("example", err);
    if (op->n_out && op->outputs)
        return ec_fail(err, EC_E_INPUT, "has both n_out and outputs");
    if ((op->attrs_size == 0) != (op->fields == NULL))
        return ec_fail(err, EC_E_INPUT, "needs attrs_size and fields, or neither");
    return EC_OK;
}

static enum ec_status check_example(const struct ec_op *op, struct ec_err *err)
{
    struct ec_owned_case c = { 0 };
    enum ec_status st;

    EC_TRY(ec_case_parse(op->example, &c, err));
    if (c.c.op != op)
        st = ec_fail(err, EC_E_INPUT, "its example is one of %s", c.c.op->name);
    if (st)
        goto out;
    EC_TRY(check_contract(&c.c, err));
out:
    ec_case_clear(&c);
    return st;
}

#define DRAWS 40

/* Every case drawn is one: of this operator, with shapes. */
static enum ec_status check_sample(const struct ec_op *op, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_owned_case c = { 0 };
    enum ec_status st = EC_OK;
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, 1);
    for (i = 0; op->sample && i < DRAWS; i++) {
        ec_buf_reset(&text);
        op->sample(op, &rng, &text);
        EC_TRY(ec_buf_status(&text, err));
        EC_TRY(ec_case_parse(ec_buf_text(&text), &c, err));
        if (c.c.op != op)
            EC_TRY(ec_fail(err, EC_E_INPUT, "a drawn case is one of %s", c.c.op->name));
        ec_case_clear(&c);
    }
out:
    ec_case_clear(&c);
    ec_buf_clear(&text);
    return st;
}

static enum ec_status check_rows(struct ec_err *err)
{
    const struct ec_op *const *ops;
    enum ec_status st = EC_OK;
    int n, i = 0;

    ops = ec_ops(&n);
    for (i = 0; i < n; i++) {
        if (i && strcmp(ops[i - 1]->name, ops[i]->name) >= 0)
            return ec_fail(err, EC_E_INPUT, "operator %s does not sort after %s", ops[i]->name,
                           ops[i - 1]->name);
        EC_TRY(check_row(ops[i], err));
        EC_TRY(check_example(ops[i], err));
        EC_TRY(check_sample(ops[i], err));
    }
out:
    if (st)
        ec_err_prefix(err, "operator %s: ", ops[i]->name);
    return st;
}

TEST(every_row_keeps_its_contract)
{
    struct ec_err err = { 0 };

    CHECK_INT(check_rows(&err), EC_OK);
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
