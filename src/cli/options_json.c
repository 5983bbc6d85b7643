/* The options of every command as JSON, for programs that offer them: the package of Python, the
 * page. */
#include "cli/cli.h"

static const char *const type_words[] = {
    [EC_F_BOOL] = "bool", [EC_F_INT] = "int",   [EC_F_DOUBLE] = "float", [EC_F_ENUM] = "choice",
    [EC_F_STR] = "text",  [EC_F_INTS] = "ints", [EC_F_STRS] = "texts",
};

static void put_choices(struct ec_json *j, const struct ec_field *f)
{
    int i;

    if (!f->choices)
        return;
    ec_json_open(j, "choices", '[');
    for (i = 0; f->choices[i]; i++)
        if (ec_field_may_be(f, i))
            ec_json_str(j, NULL, f->choices[i]);
    ec_json_close(j, ']');
}

static void put_option(struct ec_json *j, const struct ec_cmd *cmd, const struct ec_field *f,
                       bool of_query)
{
    struct ec_buf help = EC_BUF_INIT;

    ec_help_text(f, &help);
    ec_json_open(j, NULL, '{');
    ec_json_str(j, "name", f->name);
    ec_json_str(j, "type", type_words[f->type]);
    ec_json_str(j, "help", ec_buf_text(&help));
    ec_json_str(j, "metavar", f->metavar);
    put_choices(j, f);
    ec_json_str(j, "default", f->deflt);
    ec_json_num(j, "min", f->min); /* both 0: no bound */
    ec_json_num(j, "max", f->max);
    ec_json_str(j, "unit", f->unit);
    ec_json_bool(j, "amount", f->is_amount); /* "15B" is read as well */
    ec_json_bool(j, "query", of_query);      /* of a prediction: requests have it as well */
    ec_json_bool(j, "positional", ec_is_positional(cmd, f->name));
    ec_json_close(j, '}');
    ec_buf_clear(&help);
}

static void put_command(struct ec_json *j, const struct ec_cmd *cmd)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;

    ec_json_open(j, cmd->name, '[');
    for (g = cmd->groups; g && g->fields; g++)
        for (f = g->fields; f->name; f++)
            put_option(j, cmd, f, g->fields == ec_predict_fields);
    ec_json_close(j, ']');
}

void ec_options_json(struct ec_buf *out)
{
    struct ec_json j;
    int i;

    ec_json_begin(&j, out, 1);
    ec_json_open(&j, NULL, '{');
    for (i = 0; ec_epochcast.commands[i]; i++)
        if (ec_epochcast.commands[i]->groups)
            put_command(&j, ec_epochcast.commands[i]);
    ec_json_end(&j);
}
