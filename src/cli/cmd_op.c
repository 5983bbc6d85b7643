/* epochcast op: the operators, and how a case of each is written. */
#include "cli/cli.h"

#include "op/op.h"
#include "report/report.h"

struct op_opts {
    const char *name;
    bool json;
};

/* clang-format off */
static const struct ec_field fields[] = {
    { .name = "name", .type = EC_F_STR, .offset = offsetof(struct op_opts, name),
      .metavar = "NAME", .help = "an operator; without it all are listed" },
    { .name = "json", .type = EC_F_BOOL, .offset = offsetof(struct op_opts, json),
      .help = "write JSON" },
    EC_FIELD_END
};

static const struct ec_arg_group groups[] = {
    { "Options", fields, 0 },
    { NULL, NULL, 0 },
};

static const char *const usage[] = { "[NAME] [--json]", NULL };

static const struct ec_col list_cols[] = {
    { .key = "op", .title = "operator" },
    { .key = "help", .title = "what it does" },
    { .key = "inputs", .title = "inputs", .flags = EC_COL_DATA_ONLY },
    { .key = "example", .title = "a case of it" },
};

static const struct ec_col attr_cols[] = {
    { .key = "attribute", .title = "attribute" },
    { .key = "help", .title = "meaning" },
};
/* clang-format on */

/* Dimensions as they are written in a case. */
static const char *inputs_of(const struct ec_op *op)
{
    return op->dims ? op->dims : op->inputs;
}

static enum ec_status write_json(const struct ec_table *t, struct ec_json *j, const char *key,
                                 struct ec_buf *out, struct ec_err *err)
{
    enum ec_status st = ec_table_json(t, j, key, err);

    ec_json_close(j, '}');
    ec_buf_char(out, '\n');
    return st;
}

static enum ec_status list(struct ec_call *call, bool json, struct ec_err *err)
{
    const struct ec_op *const *ops;
    struct ec_table t;
    struct ec_json j;
    enum ec_status st;
    int n, i;

    ops = ec_ops(&n);
    ec_table_init(&t, list_cols, EC_LEN(list_cols));
    for (i = 0; i < n; i++) {
        ec_table_text(&t, ops[i]->name);
        ec_table_text(&t, ops[i]->help);
        ec_table_text(&t, inputs_of(ops[i]));
        ec_table_text(&t, ops[i]->example);
    }
    if (json) {
        ec_json_begin(&j, &call->out, 2);
        ec_json_open(&j, NULL, '{');
        ec_json_str(&j, "schema", "epochcast.op_list/1");
        st = write_json(&t, &j, "operators", &call->out, err);
    } else {
        st = ec_table_write(&t, EC_TABLE_TEXT, &call->out, err);
    }
    ec_table_clear(&t);
    return st;
}

static void add_attrs(const struct ec_op *op, struct ec_table *t)
{
    struct ec_buf text = EC_BUF_INIT;
    const struct ec_field *f;

    for (f = op->fields; f && f->name; f++) {
        ec_buf_reset(&text);
        ec_help_text(f, &text);
        ec_table_text(t, f->name);
        ec_table_text(t, ec_buf_text(&text));
    }
    ec_buf_clear(&text);
}

static enum ec_status show(struct ec_call *call, const struct ec_op *op, bool json,
                           struct ec_err *err)
{
    struct ec_buf *out = &call->out;
    enum ec_status st = EC_OK;
    struct ec_table t;
    struct ec_json j;

    ec_table_init(&t, attr_cols, EC_LEN(attr_cols));
    add_attrs(op, &t);
    if (json) {
        ec_json_begin(&j, out, 2);
        ec_json_open(&j, NULL, '{');
        ec_json_str(&j, "schema", "epochcast.op/1");
        ec_json_str(&j, "op", op->name);
        ec_json_str(&j, "help", op->help);
        ec_json_str(&j, "inputs", inputs_of(op));
        ec_json_str(&j, "example", op->example);
        st = write_json(&t, &j, "attributes", out, err);
    } else {
        ec_buf_printf(out, "%s: %s\n  inputs   %s\n  example  %s\n", op->name, op->help,
                      inputs_of(op), op->example);
        ec_buf_str(out, ec_table_rows(&t) ? "\n" : "");
        if (ec_table_rows(&t))
            st = ec_table_write(&t, EC_TABLE_TEXT, out, err);
    }
    ec_table_clear(&t);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct op_opts *o = call->opts;
    const struct ec_op *op = NULL;
    enum ec_status st;

    if (!o->name)
        return list(call, o->json, err);
    st = ec_op_named(ec_span_of(o->name), &op, err);
    return st ? st : show(call, op, o->json, err);
}

const struct ec_cmd ec_cmd_op = {
    .name = "op",
    .help = "the operators, and how a case of one is written",
    .usage = usage,
    .positional = "name",
    .groups = groups,
    .opts_size = sizeof(struct op_opts),
    .run = run,
};
