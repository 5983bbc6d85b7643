/* Help, read line by line: all ways to ask for it agree, each option has its place, and what usage
 * lines mention is there. */
#include "capture.h"
#include "commands.h"

#define COMPLAIN(cmd, ...) complain(__LINE__, (cmd), __VA_ARGS__)
EC_PRINTF(3, 4) static void complain(int line, const struct ec_cmd *cmd, const char *fmt, ...)
{
    char text[512], title[EC_CMD_TITLE_BYTES];
    va_list ap;

    va_start(ap, fmt);
    (void)ec_vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    test_fail(__FILE__, line, "%s: %s", ec_cmd_title(cmd, title, sizeof title), text);
}

/* Standard output of the words, which must be an answer without complaint. */
static void answer(const struct ec_cmd *cmd, const char *words, struct ec_buf *ret)
{
    struct done d;

    epochcast(words, &d);
    if (d.status != EC_EXIT_OK || d.err.len)
        COMPLAIN(cmd, "\"%s\": status %d", words, d.status);
    ec_buf_reset(ret);
    if (d.out.len)
        ec_buf_add(ret, (const char *)d.out.data, d.out.len);
    done_clear(&d);
}

/* Commands that only have sub-commands too. */
static const struct ec_cmd *any_command_at(int i)
{
    const struct ec_cmd *const *cmd, *const *sub;

    for (cmd = ec_epochcast.commands; *cmd; cmd++) {
        if (!i--)
            return *cmd;
        for (sub = (*cmd)->subs; sub && *sub; sub++)
            if (!i--)
                return *sub;
    }
    return NULL;
}

TEST(all_ways_to_ask_for_help_agree)
{
    static const char *const ways[] = { "%s --help", "%s -h", "help %s", "--help %s", "-h %s" };
    struct ec_buf want = EC_BUF_INIT, seen = EC_BUF_INIT;
    char words[128], title[EC_CMD_TITLE_BYTES];
    const struct ec_cmd *cmd;
    int i, way;

    for (i = 0; (cmd = any_command_at(i)); i++) {
        ec_buf_reset(&want);
        ec_help_cmd(&ec_epochcast, cmd, &want);
        (void)ec_cmd_title(cmd, title, sizeof title);
        for (way = 0; way < EC_LEN(ways); way++) {
            struct ec_span rest = ec_span_of(ways[way]), part;

            (void)ec_span_cut(&rest, '%', &part);
            (void)snprintf(words, sizeof words, "%.*s%s%s", (int)part.len, part.p, title,
                           rest.len > 1 ? rest.p + 1 : "");
            answer(cmd, words, &seen);
            CHECK_STR(ec_buf_text(&seen), ec_buf_text(&want));
        }
    }
    CHECK(i > 40);
    ec_buf_clear(&want);
    ec_buf_clear(&seen);
}

/* --- Lines of options --- */

/* "  -b, --batch N   ...", or "  MODEL   ..." of a word without a flag. */
static bool is_line_of(const struct ec_cmd *cmd, const struct ec_field *f, struct ec_span line)
{
    struct ec_buf want = EC_BUF_INIT;
    bool found;

    if (ec_is_positional(cmd, f->name)) {
        ec_buf_printf(&want, "  %s", f->metavar ? f->metavar : f->name);
    } else {
        ec_buf_str(&want, ec_short_flag(f->name) ? "  " : "      ");
        ec_help_flag(f, &want);
    }
    found = line.len >= want.len && memcmp(line.p, want.data, want.len) == 0 &&
            (line.len == want.len || line.p[want.len] == ' ');
    ec_buf_clear(&want);
    return found;
}

static int lines_of(const struct ec_cmd *cmd, const struct ec_field *f, const char *help)
{
    struct ec_span rest = ec_span_of(help), line;
    int n = 0;

    while (rest.len && ec_span_cut(&rest, '\n', &line))
        n += is_line_of(cmd, f, line);
    return n;
}

/* What is said of an option stands behind it, whole, whatever line it was broken into. */
static bool text_follows(const struct ec_cmd *cmd, const struct ec_field *f, const char *help)
{
    struct ec_buf want = EC_BUF_INIT, seen = EC_BUF_INIT;
    struct ec_span rest = ec_span_of(help), line, word;
    bool begun = false, ok;

    ec_help_text(f, &want);
    while (rest.len && ec_span_cut(&rest, '\n', &line)) {
        if (is_line_of(cmd, f, line))
            begun = true;
        else if (begun && !(line.len > 30 && memcmp(line.p, "                    ", 20) == 0))
            break;
        while (begun && line.len && ec_span_cut(&line, ' ', &word))
            if (word.len)
                ec_buf_printf(&seen, "%s%.*s", seen.len ? " " : "", (int)word.len, word.p);
    }
    ok = seen.len >= want.len &&
         ec_str_eq(ec_buf_text(&seen) + seen.len - want.len, ec_buf_text(&want));
    ec_buf_clear(&want);
    ec_buf_clear(&seen);
    return ok;
}

TEST(each_option_has_one_line_and_its_text)
{
    struct ec_buf help = EC_BUF_INIT;
    const struct ec_arg_group *g;
    const struct ec_cmd *cmd;
    const struct ec_field *f;
    int i, n = 0;

    for (i = 0; (cmd = command_at(i)); i++) {
        ec_buf_reset(&help);
        ec_help_cmd(&ec_epochcast, cmd, &help);
        for (g = cmd->groups; g->fields; g++)
            for (f = g->fields; f->name; f++, n++) {
                if (lines_of(cmd, f, ec_buf_text(&help)) != 1)
                    COMPLAIN(cmd, "%s has %d lines", f->name, lines_of(cmd, f, ec_buf_text(&help)));
                if (!text_follows(cmd, f, ec_buf_text(&help)))
                    COMPLAIN(cmd, "%s: its text is not whole", f->name);
            }
    }
    CHECK(n > 200);
    ec_buf_clear(&help);
}

/* As many lines that begin with a flag as there are flags: help has none that the parser has not.
 */
TEST(help_has_no_option_of_its_own)
{
    struct ec_buf help = EC_BUF_INIT;
    const struct ec_arg_group *g;
    const struct ec_cmd *cmd;
    const struct ec_field *f;
    struct ec_span rest, line;
    int i, lines, flags;

    for (i = 0; (cmd = command_at(i)); i++) {
        ec_buf_reset(&help);
        ec_help_cmd(&ec_epochcast, cmd, &help);
        rest = ec_span_of(ec_buf_text(&help));
        for (lines = 0; rest.len && ec_span_cut(&rest, '\n', &line);)
            lines += line.len > 8 && line.p[0] == ' ' &&
                     (memcmp(line.p, "      --", 8) == 0 || memcmp(line.p, "  -", 3) == 0);
        for (flags = 0, g = cmd->groups; g->fields; g++)
            for (f = g->fields; f->name; f++)
                flags += !ec_is_positional(cmd, f->name);
        if (lines != flags)
            COMPLAIN(cmd, "%d lines of %d flags", lines, flags);
    }
    ec_buf_clear(&help);
}

/* Headings stand alone on their lines, none of them twice. */
TEST(headings_stand_once)
{
    struct ec_buf help = EC_BUF_INIT;
    const struct ec_cmd *cmd;
    int i, k, n;

    for (i = 0; (cmd = any_command_at(i)); i++) {
        struct ec_span rest, line,
            seen[32] = {
                {NULL, 0}
        };

        ec_buf_reset(&help);
        ec_help_cmd(&ec_epochcast, cmd, &help);
        rest = ec_span_of(ec_buf_text(&help));
        for (n = 0; rest.len && ec_span_cut(&rest, '\n', &line);) {
            if (!line.len || line.p[0] == ' ' || line.p[line.len - 1] != ':')
                continue;
            for (k = 0; k < n; k++)
                if (seen[k].len == line.len && memcmp(seen[k].p, line.p, line.len) == 0)
                    COMPLAIN(cmd, "\"%.*s\" twice", (int)line.len, line.p);
            if (n < EC_LEN(seen))
                seen[n++] = line;
        }
        CHECK(n >= 1);
    }
    ec_buf_clear(&help);
}

/* --- Usage --- */

static bool some_has(const struct ec_cmd *cmd, const char *flag, size_t len)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;
    char text[EC_FLAG_BYTES];

    for (g = cmd->groups; g && g->fields; g++)
        for (f = g->fields; f->name; f++) {
            (void)ec_flag_offered(f, text, sizeof text);
            if (strlen(text) == len && memcmp(text, flag, len) == 0)
                return true;
        }
    return false;
}

/* Each flag of a usage line, with what follows it, is an option of that very command. */
TEST(usage_names_options_that_exist)
{
    const struct ec_cmd *cmd;
    const char *p;
    int i, k;

    for (i = 0; (cmd = command_at(i)); i++)
        for (k = 0; cmd->usage[k]; k++)
            for (p = strstr(cmd->usage[k], "--"); p; p = strstr(p + 2, "--")) {
                size_t len = 2 + strspn(p + 2, "abcdefghijklmnopqrstuvwxyz0123456789-");

                if (!some_has(cmd, p, len))
                    COMPLAIN(cmd, "usage has %.*s", (int)len, p);
            }
}

/* Brackets are closed, and what may be left out does not hide what must be there. */
TEST(usage_is_well_written)
{
    const struct ec_cmd *cmd;
    const char *c;
    int i, k, depth;

    for (i = 0; (cmd = any_command_at(i)); i++)
        for (k = 0; cmd->usage && cmd->usage[k]; k++) {
            for (depth = 0, c = cmd->usage[k]; *c; c++) {
                depth += (*c == '[') - (*c == ']');
                if (depth < 0 || depth > 2)
                    break;
            }
            if (*c || depth)
                COMPLAIN(cmd, "brackets of \"%s\"", cmd->usage[k]);
            if (strstr(cmd->usage[k], "  ") || (c > cmd->usage[k] && c[-1] == ' '))
                COMPLAIN(cmd, "blanks of \"%s\"", cmd->usage[k]);
        }
}

/* --- Words that no command is --- */

/* Of each name with its last letter doubled the command itself is offered. */
TEST(a_slip_in_a_command_is_understood)
{
    char word[64], want[160];
    const struct ec_cmd *cmd;
    struct done d;
    int i;

    for (i = 0; (cmd = ec_epochcast.commands[i]); i++) {
        (void)snprintf(word, sizeof word, "%s%c", cmd->name, cmd->name[strlen(cmd->name) - 1]);
        (void)snprintf(want, sizeof want, "epochcast: no command \"%s\"; did you mean \"%s\"", word,
                       cmd->name);
        epochcast(word, &d);
        if (d.status != EC_EXIT_USAGE || d.out.len || !holds(&d.err, want))
            COMPLAIN(cmd, "%s is not understood", word);
        done_clear(&d);
    }
}

/* Commands are words as they are written: neither in capitals nor cut short. */
TEST(commands_are_written_whole)
{
    char word[64];
    const struct ec_cmd *cmd;
    struct done d;
    int i;

    for (i = 0; (cmd = ec_epochcast.commands[i]); i++) {
        (void)snprintf(word, sizeof word, "%s", cmd->name);
        word[0] = (char)(word[0] - 'a' + 'A');
        epochcast(word, &d);
        CHECK_INT(d.status, EC_EXIT_USAGE);
        CHECK(holds(&d.err, "no command") && !d.out.len);
        done_clear(&d);
        (void)snprintf(word, sizeof word, "%.*s", (int)strlen(cmd->name) - 1, cmd->name);
        if (ec_cmd_find(&ec_epochcast, word))
            continue;
        epochcast(word, &d);
        CHECK_INT(d.status, EC_EXIT_USAGE);
        done_clear(&d);
    }
}

/* What has only sub-commands names them all, whether a wrong one was given or none. */
TEST(a_missing_sub_command_is_told_with_all_there_are)
{
    const struct ec_cmd *cmd;
    char words[96];
    struct done d;
    int i, k, way, n = 0;

    for (i = 0; (cmd = ec_epochcast.commands[i]); i++)
        for (way = 0; cmd->subs && !cmd->run && way < 2; way++, n++) {
            (void)snprintf(words, sizeof words, "%s%s", cmd->name, way ? " nonesuch" : "");
            epochcast(words, &d);
            CHECK_INT(d.status, EC_EXIT_USAGE);
            CHECK(
                holds(&d.err, way ? "found \"nonesuch\", expected " : "a sub-command is missing"));
            for (k = 0; cmd->subs[k]; k++)
                if (!holds(&d.err, cmd->subs[k]->name))
                    COMPLAIN(cmd, "\"%s\" does not name %s", words, cmd->subs[k]->name);
            done_clear(&d);
        }
    CHECK(n > 6);
}

/* `help CMD WORD` of what is no sub-command. */
TEST(help_of_no_sub_command)
{
    const struct ec_cmd *cmd;
    char words[96];
    struct done d;
    int i;

    for (i = 0; (cmd = ec_epochcast.commands[i]); i++) {
        (void)snprintf(words, sizeof words, "help %s nonesuch", cmd->name);
        epochcast(words, &d);
        if (cmd->subs) {
            CHECK_INT(d.status, EC_EXIT_USAGE);
            CHECK(holds(&d.err, "no sub-command \"nonesuch\"") && !d.out.len);
        } else {
            CHECK_INT(d.status, EC_EXIT_OK);
        }
        done_clear(&d);
    }
}
