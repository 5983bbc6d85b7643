/* epochcast op: lists the operators, and how a case of each is written. */
#include "cli/cli.h"

#include "graph/graph.h"
#include "op/op.h"
#include "report/report.h"

#include "op_cmd.h"
#include "cli_columns.h"

/* Dimensions as they are written in a case. */
static const char *inputs_of(const struct ec_op *op)
{
    return op->dims ? op->dims : op->inputs;
}

static enum ec_status list(struct ec_call *call, struct ec_err *err)
{
    static const struct ec_table_head head = { "epochcast.op_list/1", "operators", { { 0 } } };
    const struct ec_op *const *ops;
    struct ec_table t;
    int n, i;

    ops = ec_ops(&n);
    ec_table_init(&t, op_list_cols, EC_LEN(op_list_cols));
    for (i = 0; i < n; i++) {
        ec_table_row(&t, ec_text(ops[i]->name), ec_text(ops[i]->help), ec_text(inputs_of(ops[i])),
                     ec_text(ops[i]->example));
    }
    return ec_call_last_table(call, &head, &t, err);
}

static void add_attrs(const struct ec_op *op, struct ec_table *t)
{
    struct ec_buf text = EC_BUF_INIT;
    const struct ec_field *f;

    for (f = op->fields; f && f->name; f++) {
        ec_buf_reset(&text);
        ec_help_text(f, &text);
        ec_table_row(t, ec_text(f->name), ec_text(ec_buf_text(&text)));
    }
    ec_buf_clear(&text);
}

static enum ec_status show(struct ec_call *call, const struct ec_op *op, struct ec_err *err)
{
    const struct ec_table_head head = {
        "epochcast.op/1",
        "attributes",
        {{ "op", op->name },
          { "help", op->help },
          { "inputs", inputs_of(op) },
          { "example", op->example }}
    };
    enum ec_status st = EC_OK;
    struct ec_table t;

    ec_table_init(&t, op_attr_cols, EC_LEN(op_attr_cols));
    add_attrs(op, &t);
    if (!call->forms.json && !call->forms.csv) {
        ec_buf_printf(&call->out, "%s: %s\n  inputs   %s\n  example  %s\n", op->name, op->help,
                      inputs_of(op), op->example);
        ec_buf_str(&call->out, ec_table_rows(&t) ? "\n" : "");
    }
    if (ec_table_rows(&t) || ec_forms_any(&call->forms))
        st = ec_call_table(call, &head, &t, err);
    ec_table_clear(&t);
    return st;
}

static void put_outputs(const struct ec_case *c, struct ec_table *t)
{
    struct ec_buf text = EC_BUF_INIT;
    char shape[200];
    int i;

    for (i = 0; i < c->n_out; i++)
        ec_buf_printf(&text, "%s%s", i ? " " : "",
                      ec_shape_text(&c->out[i]->shape, shape, sizeof shape));
    ec_table_text(t, ec_buf_text(&text));
    ec_buf_clear(&text);
}

static double n_params(const struct ec_case *c)
{
    struct ec_param_list params = { 0 };
    double sum = 0;
    int64_t n = 0;
    int i;

    if (c->op->params)
        c->op->params(c, &params);
    for (i = 0; i < params.n; i++)
        if (params.p[i].trainable && ec_shape_count(&params.p[i].shape, &n))
            sum += (double)n;
    return sum;
}

static enum ec_status samples_table(struct ec_call *call, const struct ec_sampled_list *cases,
                                    struct ec_err *err)
{
    static const struct ec_table_head head = { "epochcast.op_sample/1", "cases", { { 0 } } };
    struct ec_owned_case c = { 0 };
    enum ec_status st = EC_OK;
    struct ec_table t;
    int i;

    ec_table_init(&t, op_sample_cols, EC_LEN(op_sample_cols));
    for (i = 0; i < cases->n; i++) {
        EC_TRY(ec_case_parse(cases->v[i].text, &c, err));
        ec_table_text(&t, cases->v[i].text);
        put_outputs(&c.c, &t);
        ec_table_num(&t, n_params(&c.c));
        ec_case_clear(&c);
    }
    EC_TRY(ec_call_table(call, &head, &t, err));
out:
    ec_case_clear(&c);
    ec_table_clear(&t);
    return st;
}

static enum ec_status run_sample(struct ec_call *call, struct ec_err *err)
{
    const struct op_opts *o = call->opts;
    struct ec_sample_opts opts = {
        .count = (int)o->count,
        .seed = (uint64_t)o->seed,
        .zoo_percent = (int)o->zoo_percent,
        .limits = {o->max_bytes, o->max_flop}
    };
    struct ec_sampled_list cases = { 0 };
    enum ec_status st;
    int i;

    EC_TRY(ec_ops_named(&o->op, &call->arena, &opts.ops, &opts.n_ops, err));
    EC_TRY(ec_sample_cases(&opts, &cases, err));
    if (ec_forms_any(&call->forms))
        EC_TRY(samples_table(call, &cases, err));
    for (i = 0; i < cases.n && !ec_forms_any(&call->forms); i++)
        ec_buf_printf(&call->out, "%s\n", cases.v[i].text);
out:
    ec_sampled_clear(&cases);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct op_opts *o = call->opts;
    const struct ec_op *op = NULL;

    if (!o->name)
        return list(call, err);
    EC_PASS(ec_op_named(ec_span_of(o->name), &op, err));
    return show(call, op, err);
}
