/* The command line before its options are read: --color, and the sub-command that its words name.
 */
#include "cli/args_internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum ec_status ec_args_color(int *argc, char **argv, struct ec_call *call, struct ec_err *err)
{
    static const char *const words[] = { "auto", "always", "never", NULL };
    static const struct ec_field f = {
        .name = "--color", .type = EC_F_ENUM, .choices = words, .metavar = "WHEN"
    };
    static const char flag[] = "--color=";
    enum ec_status st = EC_OK;
    int i, n = 0, choice = 0;

    for (i = 0; i < *argc && !ec_str_eq(argv[i], "--") && !st; i++)
        if (ec_str_starts(argv[i], flag))
            st = ec_field_choice(&f, ec_span_of(argv[i] + strlen(flag)), &choice, err);
        else
            argv[n++] = argv[i];
    call->wrong_usage = st != EC_OK;
    call->color = (enum ec_color)choice;
    for (; i < *argc; i++)
        argv[n++] = argv[i];
    *argc = n;
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Sub-commands */

const struct ec_cmd *ec_cmd_sub(const struct ec_cmd *cmd, const char *name)
{
    int i;

    for (i = 0; cmd->subs && cmd->subs[i]; i++)
        if (ec_str_eq(cmd->subs[i]->name, name))
            return cmd->subs[i];
    return NULL;
}

/* Whether the next word is the value of this flag in any sub-command. */
static bool takes_next(const struct ec_cmd *cmd, const char *word)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;
    char letter;
    struct ec_span flag = ec__flag_of(word, &letter);
    int i;

    if (letter ? word[2] != '\0' : flag.p[flag.len] == '=')
        return false;
    f = ec__field_of(cmd, flag, letter, &g);
    for (i = 0; !f && cmd->subs[i]; i++)
        f = ec__field_of(cmd->subs[i], flag, letter, &g);
    return f && f->type != EC_F_BOOL;
}

/* Index of the first word that is neither a flag nor the value of a flag; argc if there is none. */
static int first_word(const struct ec_cmd *cmd, int argc, char **argv)
{
    int at = 0;

    while (at < argc && argv[at][0] == '-' && argv[at][1] && !ec_str_eq(argv[at], "--"))
        at += 1 + takes_next(cmd, argv[at]);
    return at < argc ? at : argc;
}

static bool has_flag(const char *name, int argc, char **argv)
{
    char letter;
    int i;

    for (i = 0; i < argc && !ec_str_eq(argv[i], "--"); i++)
        if (ec_str_starts(argv[i], "--") && ec__flag_eq(ec__flag_of(argv[i], &letter), name))
            return true;
    return false;
}

static bool has_any_flag(const char *names, int argc, char **argv)
{
    struct ec_span rest = ec_span_of(names), word;
    char name[32];

    while (rest.len && ec_span_cut(&rest, ' ', &word)) {
        (void)snprintf(name, sizeof name, "%.*s", (int)word.len, word.p);
        if (has_flag(name, argc, argv))
            return true;
    }
    return false;
}

/* The sub-command that options or a path select without its name; NULL: none. */
static const struct ec_cmd *chosen(const struct ec_cmd *cmd, const char *word, int argc,
                                   char **argv)
{
    const struct ec_cmd *by_path = NULL;
    int i;

    if (word && !strpbrk(word, "./") && access(word, F_OK))
        return NULL;
    for (i = 0; cmd->subs && cmd->subs[i]; i++) {
        const struct ec_cmd *sub = cmd->subs[i];

        if (sub->chosen_by && (!word || sub->positional) &&
            has_any_flag(sub->chosen_by, argc, argv))
            return sub;
        if (word && sub->chosen_by_path)
            by_path = sub;
    }
    return by_path;
}

static bool wants_help(int argc, char **argv)
{
    return ec_name_index((const char *const *)argv, argc, "-h") >= 0 ||
           has_flag("help", argc, argv);
}

static void put_subs(const struct ec_cmd *cmd, struct ec_buf *out)
{
    int i;

    for (i = 0; cmd->subs[i]; i++)
        ec_buf_printf(out, "%s%s", !i ? "" : cmd->subs[i + 1] ? ", " : " or ", cmd->subs[i]->name);
}

static enum ec_status fail_word(const struct ec_cmd *cmd, const char *word, struct ec_call *call,
                                struct ec_err *err)
{
    struct ec_buf names = EC_BUF_INIT;
    enum ec_status st;

    put_subs(cmd, &names);
    if (word)
        st = ec_usage(call, err, "found \"%.40s\", expected %s", word, ec_buf_text(&names));
    else
        st = ec_usage(call, err, "a sub-command is missing: %s", ec_buf_text(&names));
    ec_buf_clear(&names);
    return st;
}

enum ec_status ec_args_choose(const struct ec_cmd *cmd, int *argc, char **argv,
                              struct ec_call *call, const struct ec_cmd **ret, struct ec_err *err)
{
    int at = cmd->subs ? first_word(cmd, *argc, argv) : *argc;
    const struct ec_cmd *sub = at < *argc ? ec_cmd_sub(cmd, argv[at]) : NULL;

    *ret = cmd;
    if (sub) {
        memmove(argv + at, argv + at + 1, sizeof *argv * (size_t)(*argc - at - 1));
        --*argc;
        *ret = sub;
        return EC_OK;
    }
    sub = chosen(cmd, at < *argc ? argv[at] : NULL, *argc, argv);
    if (sub) {
        *ret = sub;
        return EC_OK;
    }
    if (cmd->run)
        return EC_OK;
    call->want_help = wants_help(*argc, argv);
    return call->want_help ? EC_OK : fail_word(cmd, at < *argc ? argv[at] : NULL, call, err);
}
