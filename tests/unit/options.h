/* Every row of the option tables of every command of EC_TESTED: what help, defaults, ranges and
 * choices promise is what the parser does. A command or an option that is added is tested by its
 * row. */
#ifndef TEST_OPTIONS_H
#define TEST_OPTIONS_H

#include "test.h"

#include "cli/cli.h"
#include "commands.h"

#define LINE_MAX_COLUMNS 80

/* What a visit of each option is told. */
struct row {
    const struct ec_cmd *cmd;
    const struct ec_arg_group *group;
    const struct ec_field *f;
};

#define COMPLAIN(r, fmt, ...)                                                                      \
    test_fail(__FILE__, __LINE__, "%s: %s: " fmt, (r)->cmd->name, (r)->f->name, ##__VA_ARGS__)

/* Returns how many options there are. */
static int each_option(void (*visit)(const struct row *))
{
    struct row r = { 0 };
    int i, n = 0;

    for (i = 0; command_at(i); i++) {
        r.cmd = command_at(i);
        for (r.group = r.cmd->groups; r.group->fields; r.group++)
            for (r.f = r.group->fields; r.f->name; r.f++, n++)
                visit(&r);
    }
    return n;
}

static enum ec_status parse(const struct ec_cmd *cmd, const char *word, const char *second,
                            struct ec_call *call, struct ec_err *err)
{
    char one[512], two[512], *argv[] = { one, two };

    *call = (struct ec_call){ .out = EC_BUF_INIT };
    err->text[0] = '\0';
    (void)snprintf(one, sizeof one, "%s", word);
    (void)snprintf(two, sizeof two, "%s", second ? second : "");
    return ec_args_parse(cmd, second ? 2 : 1, argv, call, err);
}

/* FLAG=TEXT */
static enum ec_status parse_value(const struct row *r, const char *text, struct ec_call *call,
                                  struct ec_err *err)
{
    char flag[EC_FLAG_BYTES], word[512];

    (void)snprintf(word, sizeof word, "%s=%s", ec_flag_text(r->f->name, flag, sizeof flag), text);
    return parse(r->cmd, word, NULL, call, err);
}

static const void *object(const struct row *r, const struct ec_call *call)
{
    return (const char *)call->opts + r->group->offset;
}

static bool is_listed(const char *names, const char *name)
{
    struct ec_span rest = ec_span_of(names), word;

    while (rest.len && ec_span_cut(&rest, ' ', &word))
        if (ec_span_eq(word, name))
            return true;
    return false;
}

static bool writes(const struct ec_cmd *cmd, const char *name)
{
    return is_listed(cmd->writes, name) || is_listed(cmd->writes_dirs, name);
}

static size_t size_of(enum ec_field_type type)
{
    static const size_t sizes[] = {
        [EC_F_BOOL] = sizeof(bool),          [EC_F_INT] = sizeof(int64_t),
        [EC_F_DOUBLE] = sizeof(double),      [EC_F_ENUM] = sizeof(int),
        [EC_F_STR] = sizeof(char *),         [EC_F_INTS] = sizeof(struct ec_ints),
        [EC_F_STRS] = sizeof(struct ec_strs)
    };

    return sizes[type];
}

/* --- Names and places --- */

static void has_a_name(const struct row *r)
{
    const char *c;

    if (r->f->name[0] < 'a' || r->f->name[0] > 'z')
        COMPLAIN(r, "begins with no letter");
    for (c = r->f->name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_'))
            COMPLAIN(r, "holds '%c'", *c);
    if (strlen(r->f->name) + 3 > EC_FLAG_BYTES)
        COMPLAIN(r, "longer than a flag may be");
    if (ec_str_starts(r->f->name, "no_"))
        COMPLAIN(r, "reads as the negation of another");
}

static void lies_in_the_options(const struct row *r)
{
    size_t at = r->group->offset + r->f->offset;

    if (at + size_of(r->f->type) > r->cmd->opts_size)
        COMPLAIN(r, "ends at %zu of %zu bytes", at + size_of(r->f->type), r->cmd->opts_size);
}

/* Two options of one name or one place would set each other. */
static void is_alone(const struct row *r)
{
    size_t at = r->group->offset + r->f->offset, end = at + size_of(r->f->type), from;
    const struct ec_arg_group *g;
    const struct ec_field *f;

    for (g = r->cmd->groups; g->fields; g++)
        for (f = g->fields; f->name; f++) {
            from = g->offset + f->offset;
            if (f == r->f && g == r->group)
                continue;
            if (ec_str_eq(f->name, r->f->name))
                COMPLAIN(r, "is there twice");
            if (from < end && at < from + size_of(f->type))
                COMPLAIN(r, "shares its place with %s", f->name);
        }
}

static void means_something(const struct row *r)
{
    const struct ec_field *f = r->f;
    const char *c = f->metavar;

    if (!f->help || !*f->help || f->help[strlen(f->help) - 1] == '.')
        COMPLAIN(r, "help is no sentence without its full stop");
    if (c && !*c)
        COMPLAIN(r, "an empty metavar");
    if (f->type == EC_F_BOOL && f->metavar && !ec_is_positional(r->cmd, f->name))
        COMPLAIN(r, "a flag without a value has the metavar %s", f->metavar);
    if (f->type == EC_F_ENUM && (!f->choices || !f->choices[0]))
        COMPLAIN(r, "no choices");
    if (f->min > f->max)
        COMPLAIN(r, "%g to %g is no range", f->min, f->max);
}

TEST(options_have_names_places_and_a_meaning)
{
    CHECK(each_option(has_a_name) > 20);
    (void)each_option(lies_in_the_options);
    (void)each_option(is_alone);
    (void)each_option(means_something);
}

/* What stands in for a value is written large, so that nobody takes it for one. */
static void has_a_large_metavar(const struct row *r)
{
    const char *c, *text = ec_help_metavar(r->f);

    for (c = text; *c && r->f->type != EC_F_BOOL; c++)
        if (*c >= 'A' && *c <= 'Z')
            return;
    if (r->f->type != EC_F_BOOL)
        COMPLAIN(r, "metavar %s", text);
}

TEST(values_stand_as_large_letters)
{
    (void)each_option(has_a_large_metavar);
}

/* --- Lists of names in a command's row --- */

static const struct ec_field *field_of(const struct ec_cmd *cmd, struct ec_span name)
{
    const struct ec_arg_group *g;
    const struct ec_field *f = NULL;

    for (g = cmd->groups; g->fields && !f; g++)
        f = ec_field_find(g->fields, name);
    return f;
}

TEST(words_without_a_flag_are_options_too)
{
    int i;

    for (i = 0; command_at(i); i++) {
        const struct ec_cmd *cmd = command_at(i);
        struct ec_span rest = ec_span_of(cmd->positional), name;

        while (rest.len && ec_span_cut(&rest, ' ', &name)) {
            const struct ec_field *f = field_of(cmd, name);

            if (!f)
                test_fail(__FILE__, __LINE__, "%s: no option %.*s", cmd->name, (int)name.len,
                          name.p);
            else if (f->type == EC_F_STRS && rest.len)
                test_fail(__FILE__, __LINE__, "%s: %s takes all words, and %.*s follows", cmd->name,
                          f->name, (int)rest.len, rest.p);
        }
    }
}

static void writes_are_files(const struct ec_cmd *cmd, const char *names)
{
    struct ec_span rest = ec_span_of(names), name;

    while (rest.len && ec_span_cut(&rest, ' ', &name)) {
        const struct ec_field *f = field_of(cmd, name);

        if (!f || f->type != EC_F_STR)
            test_fail(__FILE__, __LINE__, "%s: %.*s names no file to be written", cmd->name,
                      (int)name.len, name.p);
    }
}

TEST(what_is_written_is_an_option)
{
    int i;

    for (i = 0; command_at(i); i++) {
        writes_are_files(command_at(i), command_at(i)->writes);
        writes_are_files(command_at(i), command_at(i)->writes_dirs);
    }
}

/* Before the work is done. */
static void refuses_a_place_that_is_not_there(const struct row *r)
{
    struct ec_call call;
    struct ec_err err;

    if (!writes(r->cmd, r->f->name) || ec_is_positional(r->cmd, r->f->name))
        return;
    if (!parse_value(r, "no-such-directory/deeper/file.csv", &call, &err))
        COMPLAIN(r, "is taken though it cannot be written");
    else if (!strstr(err.text, "no-such-directory"))
        COMPLAIN(r, "does not name what cannot be written: %s", err.text);
    ec_call_clear(&call);
}

TEST(what_cannot_be_written_is_told_first)
{
    (void)each_option(refuses_a_place_that_is_not_there);
}

/* --- Defaults, ranges, choices --- */

static void default_is_taken(const struct row *r)
{
    struct ec_call call;
    struct ec_err err;

    if (!r->f->deflt || writes(r->cmd, r->f->name))
        return;
    if (parse_value(r, r->f->deflt, &call, &err))
        COMPLAIN(r, "refuses its own default: %s", err.text);
    else if (!ec_field_is_default(r->f, object(r, &call)))
        COMPLAIN(r, "its default %s is another value", r->f->deflt);
    else if (!ec_call_given(&call, r->f->name))
        COMPLAIN(r, "is not noted as given");
    ec_call_clear(&call);
}

static void refused(const struct row *r, const char *text, const char *expected)
{
    char flag[EC_FLAG_BYTES];
    struct ec_call call;
    struct ec_err err;

    (void)ec_flag_text(r->f->name, flag, sizeof flag);
    if (parse_value(r, text, &call, &err) != EC_E_INPUT)
        COMPLAIN(r, "takes %s", text);
    else if (!ec_str_starts(err.text, flag) || !strstr(err.text, expected) ||
             !strstr(err.text, text) || !call.wrong_usage)
        COMPLAIN(r, "refuses %s with \"%s\"", text, err.text);
    ec_call_clear(&call);
}

static bool is_number(const struct ec_field *f)
{
    return f->type == EC_F_INT || f->type == EC_F_DOUBLE;
}

/* Without an exponent, which whole numbers have not. */
static const char *plain(double v, char out[EC_FMT_DOUBLE_BYTES])
{
    (void)ec_snprintf(out, EC_FMT_DOUBLE_BYTES, v == floor(v) ? "%.0f" : "%.9g", v);
    return out;
}

static void range_is_held(const struct row *r)
{
    char text[EC_FMT_DOUBLE_BYTES];
    struct ec_call call;
    struct ec_err err;

    if (!is_number(r->f))
        return;
    refused(r, "many", "expected");
    if (!(r->f->max > r->f->min) || r->f->max > 1e15)
        return;
    refused(r, plain(r->f->max + 1, text), "expected");
    refused(r, plain(r->f->min - 1, text), "expected");
    if (parse_value(r, plain(r->f->max, text), &call, &err))
        COMPLAIN(r, "refuses its largest value: %s", err.text);
    ec_call_clear(&call);
    if (r->f->type == EC_F_INT && parse_value(r, plain(ceil(r->f->min), text), &call, &err))
        COMPLAIN(r, "refuses its smallest value: %s", err.text);
    ec_call_clear(&call);
}

static void choices_are_all_there_is(const struct row *r)
{
    struct ec_call call;
    struct ec_err err;
    int i, k;

    if (r->f->type != EC_F_ENUM)
        return;
    refused(r, "none-of-these", r->f->choices[0]);
    for (i = 0; r->f->choices[i]; i++) {
        bool refuses = parse_value(r, r->f->choices[i], &call, &err) != EC_OK;

        if (!ec_field_may_be(r->f, i) && (!refuses || !strstr(err.text, "not possible here")))
            COMPLAIN(r, "takes %s, which it says is not possible", r->f->choices[i]);
        else if (ec_field_may_be(r->f, i) && refuses)
            COMPLAIN(r, "refuses its choice %s: %s", r->f->choices[i], err.text);
        else if (!refuses)
            CHECK_INT(*(const int *)((const char *)object(r, &call) + r->f->offset), i);
        ec_call_clear(&call);
        for (k = 0; k < i; k++)
            if (ec_str_eq(r->f->choices[k], r->f->choices[i]))
                COMPLAIN(r, "the choice %s is there twice", r->f->choices[i]);
    }
}

TEST(defaults_ranges_and_choices_are_held)
{
    (void)each_option(default_is_taken);
    (void)each_option(range_is_held);
    (void)each_option(choices_are_all_there_is);
}

/* --- Ways to write them --- */

static void a_bare_flag_is_true(const struct row *r)
{
    char flag[EC_FLAG_BYTES], negated[EC_FLAG_BYTES + 4];
    struct ec_call call;
    struct ec_err err;

    if (r->f->type != EC_F_BOOL)
        return;
    (void)ec_flag_text(r->f->name, flag, sizeof flag);
    (void)snprintf(negated, sizeof negated, "--no-%s", flag + 2);
    if (parse(r->cmd, flag, NULL, &call, &err))
        COMPLAIN(r, "%s", err.text);
    else
        CHECK(*(const bool *)((const char *)object(r, &call) + r->f->offset));
    ec_call_clear(&call);
    if (parse(r->cmd, negated, NULL, &call, &err))
        COMPLAIN(r, "%s", err.text);
    else
        CHECK(!*(const bool *)((const char *)object(r, &call) + r->f->offset));
    ec_call_clear(&call);
}

static void a_value_is_asked_for(const struct row *r)
{
    char flag[EC_FLAG_BYTES], want[EC_FLAG_BYTES + 64];
    struct ec_call call;
    struct ec_err err;

    if (r->f->type == EC_F_BOOL)
        return;
    (void)ec_flag_text(r->f->name, flag, sizeof flag);
    (void)snprintf(want, sizeof want, "%s needs a value: %s", flag, ec_help_metavar(r->f));
    if (parse(r->cmd, flag, NULL, &call, &err) != EC_E_INPUT || !ec_str_eq(err.text, want))
        COMPLAIN(r, "says \"%s\", want \"%s\"", err.text, want);
    ec_call_clear(&call);
}

static void short_and_long_are_one(const struct row *r)
{
    char flag[3] = { '-', ec_short_flag(r->f->name), '\0' };
    struct ec_call call;
    struct ec_err err;

    if (!ec_short_flag(r->f->name) || r->f->type == EC_F_BOOL || r->f->choices ||
        writes(r->cmd, r->f->name))
        return;
    if (parse(r->cmd, flag, is_number(r->f) || r->f->type == EC_F_INTS ? "1" : "word", &call, &err))
        COMPLAIN(r, "%s: %s", flag, err.text);
    else if (!ec_call_given(&call, r->f->name))
        COMPLAIN(r, "%s is another option", flag);
    ec_call_clear(&call);
}

static void is_given_once(const struct row *r)
{
    char flag[EC_FLAG_BYTES], *argv[] = { flag, flag };
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_err err = { 0 };

    if (r->f->type != EC_F_BOOL)
        return;
    (void)ec_flag_text(r->f->name, flag, sizeof flag);
    if (ec_args_parse(r->cmd, 2, argv, &call, &err) != EC_E_INPUT ||
        !strstr(err.text, "is given twice"))
        COMPLAIN(r, "twice: \"%s\"", err.text);
    ec_call_clear(&call);
}

TEST(flags_are_taken_as_they_are_written)
{
    (void)each_option(a_bare_flag_is_true);
    (void)each_option(a_value_is_asked_for);
    (void)each_option(short_and_long_are_one);
    (void)each_option(is_given_once);
}

/* A letter too many or too few is told by the name that was meant. */
static void a_slip_is_understood(const struct row *r)
{
    char flag[EC_FLAG_BYTES], slip[EC_FLAG_BYTES + 8];
    struct ec_call call;
    struct ec_err err;

    if (strlen(r->f->name) < 5 || ec_is_positional(r->cmd, r->f->name))
        return;
    (void)ec_flag_text(r->f->name, flag, sizeof flag);
    (void)snprintf(slip, sizeof slip, "%sx", flag);
    if (parse(r->cmd, slip, NULL, &call, &err) != EC_E_INPUT)
        COMPLAIN(r, "%s is taken", slip);
    else if (!strstr(err.text, flag) || !strstr(err.text, "did you mean"))
        COMPLAIN(r, "%s: \"%s\"", slip, err.text);
    ec_call_clear(&call);
}

TEST(a_slip_names_what_was_meant)
{
    (void)each_option(a_slip_is_understood);
}

/* --- Help --- */

static void is_in_the_help(const struct row *r)
{
    struct ec_buf help = EC_BUF_INIT, flag = EC_BUF_INIT, text = EC_BUF_INIT;
    char first[24];
    int i;

    ec_help_cmd(&EC_TESTED, r->cmd, &help);
    ec_help_flag(r->f, &flag);
    ec_help_text(r->f, &text);
    if (!ec_is_positional(r->cmd, r->f->name) && !strstr(ec_buf_text(&help), ec_buf_text(&flag)))
        COMPLAIN(r, "no line of the help has %s", ec_buf_text(&flag));
    (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(r->f->help, " "), r->f->help);
    if (!strstr(ec_buf_text(&help), first))
        COMPLAIN(r, "the help does not say what it is");
    for (i = 0; r->f->type == EC_F_ENUM && r->f->choices[i]; i++)
        if (ec_field_may_be(r->f, i) && !strstr(ec_buf_text(&text), r->f->choices[i]))
            COMPLAIN(r, "the help leaves out %s", r->f->choices[i]);
    if (r->f->deflt && *r->f->deflt && r->f->type != EC_F_BOOL &&
        !strstr(ec_buf_text(&text), r->f->deflt))
        COMPLAIN(r, "the help leaves out the default %s", r->f->deflt);
    ec_buf_clear(&help);
    ec_buf_clear(&flag);
    ec_buf_clear(&text);
}

static int widest_line(const char *text)
{
    struct ec_span rest = ec_span_of(text), line;
    int most = 0;

    while (rest.len && ec_span_cut(&rest, '\n', &line)) {
        char copy[1024];

        (void)snprintf(copy, sizeof copy, "%.*s", (int)line.len, line.p);
        most = ec_text_width(copy) > most ? ec_text_width(copy) : most;
    }
    return most;
}

/* Lines joined, as they were before they were broken. */
static void join_lines(const char *text, struct ec_buf *out)
{
    for (; *text; text++)
        if (*text != ' ' && *text != '\n')
            ec_buf_char(out, *text);
        else if (out->len && out->data[out->len - 1] != ' ')
            ec_buf_char(out, ' ');
}

TEST(help_names_every_option_and_fits_a_terminal)
{
    struct ec_buf help = EC_BUF_INIT, joined = EC_BUF_INIT;
    int i;

    (void)each_option(is_in_the_help);
    for (i = 0; command_at(i); i++) {
        ec_buf_reset(&help);
        ec_help_cmd(&EC_TESTED, command_at(i), &help);
        if (widest_line(ec_buf_text(&help)) > LINE_MAX_COLUMNS)
            test_fail(__FILE__, __LINE__, "%s: help is %d columns wide", command_at(i)->name,
                      widest_line(ec_buf_text(&help)));
        ec_buf_reset(&joined);
        join_lines(ec_buf_text(&help), &joined);
        CHECK_HAS(ec_buf_text(&joined), command_at(i)->usage[0]);
        CHECK_HAS(ec_buf_text(&joined), command_at(i)->help);
    }
    ec_buf_clear(&joined);
    ec_buf_clear(&help);
}

TEST(every_command_is_in_the_list)
{
    struct ec_buf all = EC_BUF_INIT;
    char line[128];
    int i, k;

    ec_help_all(&EC_TESTED, &all);
    for (i = 0; EC_TESTED.commands[i]; i++) {
        const struct ec_cmd *cmd = EC_TESTED.commands[i];

        (void)snprintf(line, sizeof line, "\n  %-10s %s\n", cmd->name, cmd->help);
        CHECK_HAS(ec_buf_text(&all), line);
        CHECK(cmd->subs || (cmd->usage[0] && cmd->run));
        for (k = 0; k < i; k++)
            CHECK(strcmp(EC_TESTED.commands[k]->name, cmd->name) != 0);
    }
    ec_buf_clear(&all);
}

/* --- Running out of memory --- */

static enum ec_status all_defaults(struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; command_at(i) && !st; i++) {
        struct ec_call call = { .out = EC_BUF_INIT };

        st = ec_args_parse(command_at(i), 0, NULL, &call, err);
        ec_call_clear(&call);
    }
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(all_defaults);
}

#endif
