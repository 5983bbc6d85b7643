/* Drawn cases: the same seed gives the same, none twice, within limits, of the operators asked for.
 */
#include "op/contract.h"
#include "test.h"

#include "graph/graph.h"

static struct ec_sample_opts opts_of(const struct ec_op *const *ops, int n_ops)
{
    return (struct ec_sample_opts){
        .ops = ops,
        .n_ops = n_ops,
        .count = 90,
        .seed = 5,
        .zoo_percent = 50,
        .limits = {1e8, 1e10}
    };
}

TEST(cases_are_drawn_in_turn_and_once)
{
    const struct ec_op *ops[] = { ec_op_find(ec_span_of("conv2d")), ec_op_find(ec_span_of("lstm")),
                                  ec_op_find(ec_span_of("conv2d")) };
    struct ec_sample_opts o = opts_of(ops, EC_LEN(ops));
    struct ec_sampled_list a = { 0 }, b = { 0 };
    struct ec_err err = { 0 };
    int n_conv = 0, i, k;

    CHECK_OK(ec_sample_cases(&o, &a, &err));
    CHECK_OK(ec_sample_cases(&o, &b, &err));
    CHECK_INT(a.n, 90);
    CHECK_INT(b.n, a.n);
    for (i = 0; i < a.n; i++) {
        struct ec_owned_case c = { 0 };

        CHECK_STR(a.v[i].text, b.v[i].text);
        for (k = 0; k < i; k++)
            CHECK(!ec_str_eq(a.v[i].text, a.v[k].text));
        CHECK_OK(ec_case_parse(a.v[i].text, &c, &err));
        CHECK(c.c.op == a.v[i].op);
        CHECK(ec_case_within(&c.c, &o.limits));
        CHECK(ec_case_train_bytes(&c.c) <= 1e8);
        CHECK_OK(check_contract(&c.c, &err));
        ec_case_clear(&c);
        n_conv += a.v[i].op == ops[0];
    }
    CHECK_INT(n_conv, 60);
    ec_sampled_clear(&a);
    ec_sampled_clear(&b);
}

TEST(what_cannot_be_drawn_is_told)
{
    const struct ec_op *reshape = ec_op_find(ec_span_of("reshape"));
    const struct ec_op *conv = ec_op_find(ec_span_of("conv2d"));
    struct ec_sample_opts o = opts_of(&reshape, 1);
    struct ec_sampled_list a = { 0 };
    struct ec_err err = { 0 };

    o.zoo_percent = 0;
    CHECK_FAILS(ec_sample_cases(&o, &a, &err), EC_E_UNSUPPORTED, "reshape has no rule");
    ec_sampled_clear(&a);
    o = opts_of(&conv, 1);
    o.zoo_percent = 0;
    o.limits.max_bytes = 64;
    CHECK_FAILS(ec_sample_cases(&o, &a, &err), EC_E_INPUT, "stayed within the limits");
    ec_sampled_clear(&a);
}

static enum ec_status draw(struct ec_err *err)
{
    const struct ec_op *conv = ec_op_find(ec_span_of("add"));
    struct ec_sample_opts o = opts_of(&conv, 1);
    struct ec_sampled_list a = { 0 };
    enum ec_status st;

    o.zoo_percent = 0;
    o.count = 3;
    st = ec_sample_cases(&o, &a, err);
    ec_sampled_clear(&a);
    return st;
}

TEST(memory_may_run_out_while_drawing)
{
    CHECK_TORTURE(draw);
}
