/* Help texts, made from the tables. */
#include "cli/cli.h"

#include <string.h>

#define HELP_WIDTH 80
#define HELP_INDENT 30
/* Larger bounds only keep out nonsense. */
#define RANGE_WORTH_TELLING 1e5

bool ec_is_positional(const struct ec_cmd *cmd, const char *field_name)
{
    struct ec_span rest = ec_span_of(cmd->positional), name;

    while (ec_span_cut(&rest, ' ', &name))
        if (ec_span_eq(name, field_name))
            return true;
    return false;
}

const char *ec_help_metavar(const struct ec_field *f)
{
    static const char *const by_type[] = {
        [EC_F_BOOL] = "0|1", [EC_F_INT] = "N",    [EC_F_DOUBLE] = "X",  [EC_F_ENUM] = "CHOICE",
        [EC_F_STR] = "TEXT", [EC_F_INTS] = "N,N", [EC_F_STRS] = "TEXT",
    };

    return f->metavar ? f->metavar
                      : by_type[f->choices && f->type == EC_F_STRS ? EC_F_ENUM : f->type];
}

void ec_help_flag(const struct ec_field *f, struct ec_buf *out)
{
    const char *c;

    if (f->short_flag)
        ec_buf_printf(out, "-%c, ", f->short_flag);
    ec_buf_str(out, "--");
    for (c = f->name; *c; c++)
        ec_buf_char(out, *c == '_' ? '-' : *c);
    if (f->type != EC_F_BOOL)
        ec_buf_printf(out, " %s", ec_help_metavar(f));
}

static void choices_text(const struct ec_field *f, struct ec_buf *out)
{
    int i;

    for (i = 0; f->choices[i]; i++)
        ec_buf_printf(out, "%s%s", i ? ", " : ": ", f->choices[i]);
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
    if (f->choices && f->type != EC_F_INTS)
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

/* Fills lines with the words of `text`, indented. The first line has been begun. */
static void wrap(struct ec_buf *out, size_t line_start, const char *text, size_t indent)
{
    struct ec_span rest = ec_span_of(text), word;

    pad_to(out, line_start, indent);
    while (ec_span_cut(&rest, ' ', &word)) {
        size_t used = out->len - line_start;

        if (used > indent && used + 1 + word.len > HELP_WIDTH) {
            ec_buf_char(out, '\n');
            line_start = out->len;
            pad_to(out, line_start, indent);
        } else if (used > indent) {
            ec_buf_char(out, ' ');
        }
        ec_buf_add(out, word.p, word.len);
    }
    ec_buf_char(out, '\n');
}

static void one_option(const struct ec_field *f, bool is_word, struct ec_buf *out)
{
    struct ec_buf text = EC_BUF_INIT;
    size_t start = out->len;

    ec_buf_str(out, is_word || f->short_flag ? "  " : "      ");
    if (is_word)
        ec_buf_str(out, f->metavar ? f->metavar : f->name);
    else
        ec_help_flag(f, out);
    if (out->len - start + 2 > HELP_INDENT) {
        ec_buf_char(out, '\n');
        start = out->len;
    }
    ec_help_text(f, &text);
    wrap(out, start, ec_buf_text(&text), HELP_INDENT);
    ec_buf_clear(&text);
}

static void options_of(const struct ec_cmd *cmd, bool words, struct ec_buf *out)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;
    bool begun = false;

    for (g = cmd->groups; g->fields; g++) {
        if (!words)
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

void ec_help_cmd(const struct ec_cmd *cmd, struct ec_buf *out)
{
    int i;

    ec_buf_printf(out, "epochcast %s - %s\n\n", cmd->name, cmd->help);
    for (i = 0; cmd->usage[i]; i++)
        ec_buf_printf(out, "%s epochcast %s %s\n", i ? "      " : "Usage:", cmd->name,
                      cmd->usage[i]);
    options_of(cmd, true, out);
    options_of(cmd, false, out);
}

void ec_help_all(struct ec_buf *out)
{
    int i;

    ec_buf_str(out, "epochcast - how long will training a network take, on which device?\n\n"
                    "Usage: epochcast COMMAND [OPTIONS]\n\nCommands:\n");
    for (i = 0; ec_commands[i]; i++)
        ec_buf_printf(out, "  %-10s %s\n", ec_commands[i]->name, ec_commands[i]->help);
    ec_buf_str(out, "  help       what a command does and its options: epochcast help COMMAND\n\n"
                    "epochcast --version prints the version.\n");
}
