/* Help texts, made from the tables. */
#include "cli/cli.h"

#include <stdio.h>

#define HELP_WIDTH 80
#define USAGE_INDENT 7 /* behind "Usage:" */
#define SUBS_INDENT 14
#define USAGE_BYTES 512
#define HELP_INDENT 30
/* Help prints a range only if its upper bound is at most this; larger bounds only exclude nonsense.
 * */
#define RANGE_WORTH_TELLING 1e5

const char *ec_cmd_title(const struct ec_cmd *cmd, char *out, size_t size)
{
    (void)snprintf(out, size, "%s%s%s", cmd->of ? cmd->of->name : "", cmd->of ? " " : "",
                   cmd->name);
    return out;
}

bool ec_is_positional(const struct ec_cmd *cmd, const char *field_name)
{
    return ec_is_among(field_name, ec_span_of(cmd->positional), ' ');
}

const char *ec_help_metavar(const struct ec_field *f)
{
    static const char *const by_type[] = {
        [EC_F_BOOL] = "0|1", [EC_F_INT] = "N",    [EC_F_DOUBLE] = "X",  [EC_F_ENUM] = "CHOICE",
        [EC_F_STR] = "TEXT", [EC_F_INTS] = "N,N", [EC_F_STRS] = "TEXT",
    };

    return f->metavar
               ? f->metavar
               : by_type[f->choices && (f->type == EC_F_STRS || f->type == EC_F_STR) ? EC_F_ENUM
                                                                                     : f->type];
}

char ec_short_flag(const char *name)
{
    static const char *const names[] = { "batch", "device", "epochs", "out", "precision" };

    return ec_name_index(names, EC_LEN(names), name) >= 0 ? name[0] : 0;
}

const char *ec_flag_offered(const struct ec_field *f, char *out, size_t size)
{
    bool is_on = f->type == EC_F_BOOL && f->deflt && ec_str_eq(f->deflt, "1");
    char name[EC_FLAG_BYTES];

    (void)ec_snprintf(name, sizeof name, "%s%s", is_on ? "no-" : "", f->name);
    return ec_flag_text(name, out, size);
}

void ec_help_flag(const struct ec_field *f, struct ec_buf *out)
{
    char flag[EC_FLAG_BYTES];

    if (ec_short_flag(f->name))
        ec_buf_printf(out, "-%c, ", ec_short_flag(f->name));
    ec_buf_str(out, ec_flag_offered(f, flag, sizeof flag));
    if (f->type != EC_F_BOOL)
        ec_buf_printf(out, " %s", ec_help_metavar(f));
}

static void choices_text(const struct ec_field *f, struct ec_buf *out)
{
    int i, n = 0;

    for (i = 0; f->choices[i]; i++)
        if (ec_field_may_be(f, i))
            ec_buf_printf(out, "%s%s", n++ ? ", " : ": ", f->choices[i]);
}

static void range_text(const struct ec_field *f, struct ec_buf *out)
{
    char text[EC_FMT_DOUBLE_BYTES];

    ec_buf_str(out, ec_fmt_double(text, sizeof text, f->min));
    ec_buf_str(out, " to ");
    ec_buf_str(out, ec_fmt_double(text, sizeof text, f->max));
}

void ec_help_text(const struct ec_field *f, struct ec_buf *out)
{
    bool bounded = f->max != 0 && f->max <= RANGE_WORTH_TELLING;
    bool has_default = f->deflt && *f->deflt && f->type != EC_F_BOOL;
    int n = 0;

    ec_buf_str(out, f->help ? f->help : "");
    if (f->choices && f->type != EC_F_INTS && f->type != EC_F_INT)
        choices_text(f, out);
    if (f->type == EC_F_STRS)
        ec_buf_str(out, "; may be repeated");
    if (!bounded && !has_default && !f->unit)
        return;
    ec_buf_str(out, " (");
    if (has_default)
        ec_buf_printf(out, "%sdefault %s", n++ ? ", " : "", f->deflt);
    if (bounded) {
        ec_buf_str(out, n++ ? ", " : "");
        range_text(f, out);
    }
    if (f->unit)
        ec_buf_printf(out, "%s%s", n ? " " : "in ", f->unit);
    ec_buf_char(out, ')');
}

static void pad_to(struct ec_buf *out, size_t line_start, size_t column)
{
    while (out->st == EC_OK && out->len - line_start < column)
        ec_buf_char(out, ' ');
}

/* "6 %" is one word. */
static bool cut_word(struct ec_span *rest, struct ec_span *ret)
{
    struct ec_span sign;

    if (!ec_span_cut(rest, ' ', ret))
        return false;
    if (rest->len && rest->p[0] == '%' && ec_span_cut(rest, ' ', &sign))
        ret->len = (size_t)(sign.p - ret->p) + sign.len;
    return true;
}

/* hang: columns before the second line and those after it */
static void wrap(struct ec_buf *out, size_t line_start, const char *text, size_t indent,
                 size_t hang)
{
    struct ec_span rest = ec_span_of(text), word;

    pad_to(out, line_start, indent);
    while (cut_word(&rest, &word)) {
        size_t used = out->len - line_start;

        if (used > indent && used + 1 + word.len > HELP_WIDTH) {
            ec_buf_char(out, '\n');
            line_start = out->len;
            indent = hang;
            pad_to(out, line_start, indent);
        } else if (used > indent) {
            ec_buf_char(out, ' ');
        }
        ec_buf_add(out, word.p, word.len);
    }
    ec_buf_char(out, '\n');
}

void ec_help_wrap(struct ec_buf *out, size_t line_start, const char *text, size_t indent)
{
    wrap(out, line_start, text, indent, indent);
}

static void one_option(const struct ec_field *f, bool is_word, struct ec_buf *out)
{
    struct ec_buf text = EC_BUF_INIT;
    size_t start = out->len;

    ec_buf_str(out, is_word || ec_short_flag(f->name) ? "  " : "      ");
    if (is_word)
        ec_buf_str(out, f->metavar ? f->metavar : f->name);
    else
        ec_help_flag(f, out);
    if (out->len - start + 2 > HELP_INDENT) {
        ec_buf_char(out, '\n');
        start = out->len;
    }
    ec_help_text(f, &text);
    ec_help_wrap(out, start, ec_buf_text(&text), HELP_INDENT);
    ec_buf_clear(&text);
}

static void options_of(const struct ec_cmd *cmd, bool words, struct ec_buf *out)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;
    bool begun = false;

    for (g = cmd->groups; g && g->fields; g++) {
        if (!words && (g == cmd->groups || !ec_str_eq(g->heading, g[-1].heading)))
            begun = false;
        for (f = g->fields; f->name; f++) {
            if (ec_is_positional(cmd, f->name) != words)
                continue;
            if (!begun)
                ec_buf_printf(out, "\n%s:\n", words ? "Arguments" : g->heading);
            begun = true;
            one_option(f, words, out);
        }
    }
}

/* The usage lines of a command and of its sub-commands. */
static void usage_of(const struct ec_executable *x, const struct ec_cmd *cmd, bool *begun,
                     struct ec_buf *out)
{
    char title[EC_CMD_TITLE_BYTES], line[USAGE_BYTES];
    size_t start;
    int i;

    (void)ec_cmd_title(cmd, title, sizeof title);
    for (i = 0; cmd->usage && cmd->usage[i]; i++) {
        start = out->len;
        (void)ec_snprintf(line, sizeof line, "%s %s %s", x->name, title, cmd->usage[i]);
        ec_buf_str(out, *begun ? "" : "Usage:");
        wrap(out, start, line, USAGE_INDENT, USAGE_INDENT + 4);
        *begun = true;
    }
    for (i = 0; cmd->subs && cmd->subs[i]; i++)
        usage_of(x, cmd->subs[i], begun, out);
}

static void subs_of(const struct ec_executable *x, const struct ec_cmd *cmd, struct ec_buf *out)
{
    size_t start;
    int i;

    if (!cmd->subs)
        return;
    ec_buf_str(out, "\nSub-commands:\n");
    for (i = 0; cmd->subs[i]; i++) {
        start = out->len;
        ec_buf_printf(out, "  %s", cmd->subs[i]->name);
        ec_help_wrap(out, start, cmd->subs[i]->help, SUBS_INDENT);
    }
    ec_buf_printf(out, "\nFor the options of a sub-command: %s help %s %s\n", x->name, cmd->name,
                  cmd->subs[0]->name);
}

void ec_help_cmd(const struct ec_executable *x, const struct ec_cmd *cmd, struct ec_buf *out)
{
    char title[EC_CMD_TITLE_BYTES], line[USAGE_BYTES];
    bool begun = false;

    (void)ec_snprintf(line, sizeof line, "%s %s - %s", x->name,
                      ec_cmd_title(cmd, title, sizeof title), cmd->help);
    wrap(out, out->len, line, 0, 4);
    ec_buf_char(out, '\n');
    usage_of(x, cmd, &begun, out);
    subs_of(x, cmd, out);
    options_of(cmd, true, out);
    options_of(cmd, false, out);
}

void ec_help_all(const struct ec_executable *x, struct ec_buf *out)
{
    int i;

    ec_buf_printf(out, "%s - %s\n\nUsage: %s COMMAND [OPTIONS]\n\nCommands:\n", x->name, x->help,
                  x->name);
    for (i = 0; x->commands[i]; i++)
        ec_buf_printf(out, "  %-10s %s\n", x->commands[i]->name, x->commands[i]->help);
    ec_buf_printf(
        out,
        "  help       what a command does and its options: %s help COMMAND\n\n"
        "%s --version prints the version. Every command takes --color=auto|always|never;\n"
        "auto colours tables on a terminal, unless NO_COLOR is set.\n",
        x->name, x->name);
}
