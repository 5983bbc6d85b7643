/* Makes a manual page from a command's option table and its prose in docs/cmd/<name>.md.
 *
 *     make-man NAME docs/cmd/NAME.md > epochcast-NAME.1
 *     make-man - docs/cmd/epochcast.md > epochcast.1
 *
 * The prose is a small part of Markdown: paragraphs, "## headings", "- " lists, blocks indented by
 * four spaces, `code`. What stands before the first heading is the description. */
#include "cli/cli.h"

#include <string.h>

/* roff gives a meaning to backslashes, to dashes, and to a dot or quote that begins a line. */
static void put_char(struct ec_buf *out, char c)
{
    if (c == '\\')
        ec_buf_str(out, "\\e");
    else if (c == '-')
        ec_buf_str(out, "\\-");
    else
        ec_buf_char(out, c);
}

static void put_line(struct ec_buf *out, struct ec_span s, bool code_spans)
{
    bool bold = false;
    size_t i;

    if (s.len && (s.p[0] == '.' || s.p[0] == '\''))
        ec_buf_str(out, "\\&");
    for (i = 0; i < s.len; i++) {
        if (code_spans && s.p[i] == '`') {
            bold = !bold;
            ec_buf_str(out, bold ? "\\fB" : "\\fR");
        } else {
            put_char(out, s.p[i]);
        }
    }
    ec_buf_char(out, '\n');
}

static void put_heading(struct ec_buf *out, struct ec_span s)
{
    size_t i;

    ec_buf_str(out, ".SH ");
    for (i = 0; i < s.len; i++)
        ec_buf_char(out, s.p[i] >= 'a' && s.p[i] <= 'z' ? (char)(s.p[i] - 'a' + 'A') : s.p[i]);
    ec_buf_char(out, '\n');
}

static bool starts(struct ec_span s, const char *prefix)
{
    size_t n = strlen(prefix);

    return s.len >= n && ec_span_eq((struct ec_span){ s.p, n }, prefix);
}

static struct ec_span skip(struct ec_span s, size_t n)
{
    return (struct ec_span){ s.p + n, s.len - n };
}

/* Copies prose up to the next heading; the rest is left in *rest. */
static void put_section(struct ec_buf *out, struct ec_span *rest)
{
    struct ec_span before = *rest, line;
    bool in_block = false, fresh = true;

    for (; ec_span_cut(rest, '\n', &line); before = *rest) {
        bool block = starts(line, "    ");

        if (starts(line, "## ")) {
            *rest = before;
            break;
        }
        if (block != in_block && line.len) {
            ec_buf_str(out, block ? ".PP\n.EX\n" : ".EE\n");
            in_block = block;
        }
        if (!line.len) {
            ec_buf_str(out, in_block ? "" : fresh ? "" : ".PP\n");
            continue;
        }
        fresh = false;
        if (starts(line, "- "))
            ec_buf_str(out, ".IP \\(bu 2\n");
        put_line(out, skip(line, block ? 4 : starts(line, "- ") ? 2 : 0), !block);
    }
    if (in_block)
        ec_buf_str(out, ".EE\n");
}

static void put_options(struct ec_buf *out, const struct ec_cmd *cmd)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;
    struct ec_buf text = EC_BUF_INIT;

    for (g = cmd->groups; g && g->fields; g++) {
        if (!cmd->of && (g == cmd->groups || !ec_str_eq(g->heading, g[-1].heading)))
            put_heading(out, ec_span_of(g->heading));
        for (f = g->fields; f->name; f++) {
            ec_buf_reset(&text);
            ec_buf_char(&text, '`');
            if (ec_is_positional(cmd, f->name))
                ec_buf_str(&text, f->metavar ? f->metavar : f->name);
            else
                ec_help_flag(f, &text);
            ec_buf_char(&text, '`');
            ec_buf_str(out, ".TP\n");
            put_line(out, ec_span_of(ec_buf_text(&text)), true);
            ec_buf_reset(&text);
            ec_help_text(f, &text);
            put_line(out, ec_span_of(ec_buf_text(&text)), false);
        }
    }
    ec_buf_clear(&text);
}

/* A section for each sub-command. */
static void put_subs(struct ec_buf *out, const struct ec_cmd *cmd)
{
    char title[EC_CMD_TITLE_BYTES];
    int i;

    for (i = 0; cmd->subs && cmd->subs[i]; i++) {
        put_heading(out, ec_span_of(ec_cmd_title(cmd->subs[i], title, sizeof title)));
        put_line(out, ec_span_of(cmd->subs[i]->help), false);
        put_options(out, cmd->subs[i]);
    }
}

static void put_synopsis(struct ec_buf *out, const struct ec_cmd *cmd, bool *begun)
{
    char title[EC_CMD_TITLE_BYTES];
    int i;

    (void)ec_cmd_title(cmd, title, sizeof title);
    for (i = 0; cmd->usage && cmd->usage[i]; i++) {
        ec_buf_printf(out, "%s\\fBepochcast %s\\fR ", *begun ? ".br\n" : "", title);
        put_line(out, ec_span_of(cmd->usage[i]), false);
        *begun = true;
    }
    for (i = 0; cmd->subs && cmd->subs[i]; i++)
        put_synopsis(out, cmd->subs[i], begun);
}

static void put_commands(struct ec_buf *out)
{
    int i;

    ec_buf_str(out, ".SH COMMANDS\n");
    for (i = 0; ec_epochcast.commands[i]; i++) {
        ec_buf_printf(out, ".TP\n\\fBepochcast\\-%s\\fR(1)\n", ec_epochcast.commands[i]->name);
        put_line(out, ec_span_of(ec_epochcast.commands[i]->help), false);
    }
}

static void put_page(struct ec_buf *out, const struct ec_cmd *cmd, struct ec_span prose)
{
    struct ec_span line;
    bool begun = false;

    ec_buf_printf(out, ".TH EPOCHCAST%s%s 1 \"\" \"epochcast " EC_VERSION "\"\n.SH NAME\n",
                  cmd ? "-" : "", cmd ? cmd->name : "");
    ec_buf_printf(out, "epochcast%s%s \\- %s\n.SH SYNOPSIS\n", cmd ? "\\-" : "",
                  cmd ? cmd->name : "", cmd ? cmd->help : "predict how long training takes");
    if (cmd)
        put_synopsis(out, cmd, &begun);
    else
        ec_buf_str(out, "\\fBepochcast\\fR COMMAND [OPTIONS]\n");
    ec_buf_str(out, ".SH DESCRIPTION\n");
    put_section(out, &prose);
    if (cmd) {
        put_options(out, cmd);
        put_subs(out, cmd);
    } else {
        put_commands(out);
    }
    while (ec_span_cut(&prose, '\n', &line)) {
        put_heading(out, skip(line, 3));
        put_section(out, &prose);
    }
    if (cmd)
        ec_buf_str(out, ".SH SEE ALSO\n\\fBepochcast\\fR(1)\n");
}

int main(int argc, char **argv)
{
    struct ec_err err = { .status = EC_OK };
    struct ec_buf out = EC_BUF_INIT;
    const struct ec_cmd *cmd = NULL;
    struct ec_file prose = { 0 };
    enum ec_status st = EC_OK;

    if (argc != 3)
        EC_TRY(ec_fail(&err, EC_E_INPUT, "usage: make-man NAME PROSE.md"));
    cmd = ec_cmd_find(&ec_epochcast, argv[1]);
    if (!cmd && !ec_str_eq(argv[1], "-"))
        EC_TRY(ec_fail(&err, EC_E_NOT_FOUND, "no command \"%s\"", argv[1]));
    EC_TRY(ec_file_open(argv[2], 1 << 20, &prose, &err));
    put_page(&out, cmd, ec_span_trim((struct ec_span){ (const char *)prose.data, prose.len }));
    EC_TRY(ec_buf_status(&out, &err));
    if (fputs(ec_buf_text(&out), stdout) < 0 || fflush(stdout))
        EC_TRY(ec_fail(&err, EC_E_IO, "cannot write"));
out:
    if (st)
        (void)fprintf(stderr, "make-man: %s\n", err.text);
    ec_file_close(&prose);
    ec_buf_clear(&out);
    return st ? 1 : 0;
}
