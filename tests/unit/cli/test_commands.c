/* The option tables of epochcast, and what its manual says of them. */
#include "values.h"

TEST(there_are_many_options)
{
    CHECK(each_option(has_a_name) > 200);
}

TEST(every_sub_command_is_in_the_help_of_its_command)
{
    struct ec_buf help = EC_BUF_INIT;
    const struct ec_cmd *cmd;
    int i, n = 0;

    for (i = 0; (cmd = command_at(i)); i++) {
        CHECK(cmd->help[strlen(cmd->help) - 1] != '.');
        CHECK(cmd->usage[0] && cmd->run);
        if (!cmd->of)
            continue;
        n++;
        CHECK(ec_cmd_sub(cmd->of, cmd->name) == cmd);
        ec_buf_reset(&help);
        ec_help_cmd(&ec_epochcast, cmd->of, &help);
        CHECK_HAS(ec_buf_text(&help), cmd->name);
    }
    CHECK(n > 10);
    ec_buf_clear(&help);
}

static void names_are_fields(const struct ec_cmd *cmd, const char *names)
{
    struct ec_span rest = ec_span_of(names ? names : ""), name, field;

    while (rest.len && ec_span_cut(&rest, ' ', &name)) {
        struct ec_span value = name;
        const struct ec_field *f;

        (void)ec_span_cut(&value, '=', &field);
        f = field_of(cmd, field);
        if (!f || (value.p && f->type == EC_F_ENUM && ec_field_index(f, value) < 0))
            test_fail(__FILE__, __LINE__, "%s: a rule of no option: %.*s", cmd->name, (int)name.len,
                      name.p);
    }
}

TEST(rules_are_of_options_that_exist)
{
    const struct ec_arg_rule *r;
    const struct ec_cmd *cmd;
    int i, n = 0;

    for (i = 0; (cmd = command_at(i)); i++)
        for (r = cmd->rules; r && r->fields; r++, n++) {
            CHECK(*r->fields ? r->why || r->needs || r->unless : r->why && r->needs);
            names_are_fields(cmd, r->fields);
            names_are_fields(cmd, r->needs);
            names_are_fields(cmd, r->unless);
        }
    CHECK(n > 5);
}

/* --- Manuals: docs/cmd/NAME.md --- */

static bool some_command_has(struct ec_span flag)
{
    char name[EC_FLAG_BYTES];
    size_t i, n = flag.len < sizeof name ? flag.len : sizeof name - 1;
    int k;

    for (i = 0; i < n; i++)
        name[i] = (char)(flag.p[i] == '-' ? '_' : flag.p[i]);
    name[n] = '\0';
    for (k = 0; command_at(k); k++)
        if (field_of(command_at(k), ec_span_of(name)) ||
            (ec_str_starts(name, "no_") && field_of(command_at(k), ec_span_of(name + 3))))
            return true;
    return ec_str_eq(name, "help") || ec_str_eq(name, "version");
}

static bool is_flag_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/* Words such as --batch; a dash before them makes them a line of dashes. */
static void flags_of_a_page_exist(const char *path, struct ec_span text)
{
    const char *p = text.p, *end = text.p + text.len;

    for (; p + 3 < end; p++) {
        struct ec_span flag = { p + 2, 0 };

        if (p[0] != '-' || p[1] != '-' || p[2] < 'a' || p[2] > 'z' ||
            (p > text.p && is_flag_letter(p[-1])))
            continue;
        while (flag.p + flag.len < end && is_flag_letter(flag.p[flag.len]))
            flag.len++;
        if (!some_command_has(flag))
            test_fail(__FILE__, __LINE__, "%s: no command has --%.*s", path, (int)flag.len, flag.p);
        p = flag.p + flag.len - 1;
    }
}

TEST(pages_name_options_that_exist)
{
    int i;

    for (i = 0; command_at(i); i++) {
        struct ec_file f = { 0 };
        struct ec_err err;
        char path[128];

        (void)snprintf(path, sizeof path, "docs/cmd/%s.md",
                       command_at(i)->of ? command_at(i)->of->name : command_at(i)->name);
        CHECK_OK(ec_file_open(path, 1 << 20, &f, &err));
        flags_of_a_page_exist(path, (struct ec_span){ (const char *)f.data, f.len });
        ec_file_close(&f);
    }
}
