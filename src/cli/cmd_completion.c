/* epochcast completion: scripts that complete command lines in bash, zsh and fish, from the tables
 * of options. */
#include "cli/cli.h"

#include <string.h>

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

#include "completion_cmd.h"

#define DEVICES "epochcast device list --csv 2>/dev/null | sed '1d;s/,.*//'"
#define NETWORKS "epochcast model --list 2>/dev/null"

/* What the shell runs for the words that a value can have; NULL: choices, a file, or anything. */
static const char *source_of(const struct ec_field *f)
{
    if (ec_str_eq(f->name, "device"))
        return DEVICES;
    return f->metavar && ec_str_starts(f->metavar, "MODEL") ? NETWORKS : NULL;
}

static bool names_files(const struct ec_field *f)
{
    return f->metavar && (strstr(f->metavar, "FILE") || strstr(f->metavar, "DIR") ||
                          ec_str_starts(f->metavar, "MODEL"));
}

static void put_words(const char *const *words, struct ec_buf *out)
{
    int i;

    for (i = 0; words[i]; i++)
        ec_buf_printf(out, "%s%s", i ? " " : "", words[i]);
}

static void put_commands(const struct ec_cmd *const *commands, struct ec_buf *out)
{
    int i;

    for (i = 0; commands && commands[i]; i++)
        ec_buf_printf(out, "%s%s", i ? " " : "", commands[i]->name);
}

/* In single quotes of a shell; characters of `also` get a backslash. */
static void put_quoted(const char *text, const char *also, struct ec_buf *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            ec_buf_str(out, "'\\''");
        else if (strchr(also, *text))
            ec_buf_printf(out, "\\%c", *text);
        else
            ec_buf_char(out, *text);
    }
}

/* Calls `visit` for each option of a command. */
static void each_option(const struct ec_cmd *cmd, bool words,
                        void (*visit)(const struct ec_cmd *cmd, const struct ec_field *f,
                                      struct ec_buf *out),
                        struct ec_buf *out)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;

    for (g = cmd->groups; g && g->fields; g++)
        for (f = g->fields; f->name; f++)
            if (ec_is_positional(cmd, f->name) == words)
                visit(cmd, f, out);
}

/* Calls `visit` for each command, and for each sub-command before the command that it belongs to.
 */
static void each_command(const struct ec_cmd *const *commands,
                         void (*visit)(const struct ec_cmd *cmd, struct ec_buf *out),
                         struct ec_buf *out)
{
    const struct ec_cmd *const *c, *const *sub;

    for (c = commands; *c; c++) {
        for (sub = (*c)->subs; sub && *sub; sub++)
            visit(*sub, out);
        visit(*c, out);
    }
}

/* ------------------------------------------------------------------------------------------------
 * bash */

static void bash_flag(const struct ec_cmd *cmd, const struct ec_field *f, struct ec_buf *out)
{
    char flag[EC_FLAG_BYTES];

    (void)cmd;
    ec_buf_printf(out, "%s ", ec_flag_offered(f, flag, sizeof flag));
}

/* The words behind an option that takes a value. */
static void bash_value(const struct ec_cmd *cmd, const struct ec_field *f, struct ec_buf *out)
{
    char flag[EC_FLAG_BYTES];

    (void)cmd;
    if (f->type == EC_F_BOOL)
        return;
    ec_buf_printf(out, "        %s", ec_flag_offered(f, flag, sizeof flag));
    if (ec_short_flag(f->name))
        ec_buf_printf(out, "|-%c", ec_short_flag(f->name));
    ec_buf_str(out, ") ");
    if (source_of(f))
        ec_buf_printf(out, "words=$(%s) ;;\n", source_of(f));
    else if (f->choices) {
        ec_buf_str(out, "words=\"");
        put_words(f->choices, out);
        ec_buf_str(out, "\" ;;\n");
    } else {
        ec_buf_printf(out, "%sreturn ;;\n", names_files(f) ? "" : "compopt +o default; ");
    }
}

static void bash_argument(const struct ec_cmd *cmd, const struct ec_field *f, struct ec_buf *out)
{
    (void)cmd;
    if (source_of(f))
        ec_buf_printf(out, "; [[ $cur == -* ]] || words+=\" $(%s)\"", source_of(f));
    if (f->choices) {
        ec_buf_str(out, "; words+=\" ");
        put_words(f->choices, out);
        ec_buf_char(out, '"');
    }
}

static void bash_command(const struct ec_cmd *cmd, struct ec_buf *out)
{
    char title[EC_CMD_TITLE_BYTES];

    ec_buf_printf(out, "    \"%s%s\"%s)\n        case $prev in\n",
                  ec_cmd_title(cmd, title, sizeof title), cmd->of ? "" : " ", cmd->of ? "" : "*");
    each_option(cmd, false, bash_value, out);
    ec_buf_str(out, "        *) words=\"");
    each_option(cmd, false, bash_flag, out);
    ec_buf_str(out, "--help ");
    put_commands(cmd->subs, out);
    ec_buf_char(out, '"');
    each_option(cmd, true, bash_argument, out);
    ec_buf_str(out, " ;;\n        esac ;;\n");
}

static void write_bash(const struct ec_cmd *const *commands, struct ec_buf *out)
{
    ec_buf_str(out, "# Completion of epochcast in bash, by `epochcast completion bash`.\n"
                    "_epochcast()\n{\n"
                    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
                    "words= head=\n"
                    "    COMPREPLY=()\n"
                    "    case \"$COMP_CWORD ${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n"
                    "    1\\ *) words=\"");
    put_commands(commands, out);
    ec_buf_str(out, " help --version\" ;;\n    *\" help \"*) words=\"");
    put_commands(commands, out);
    ec_buf_str(out, "\" ;;\n    *) case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n");
    each_command(commands, bash_command, out);
    ec_buf_str(out, "    esac ;;\n    esac\n"
                    "    # of several values the last is completed\n"
                    "    [[ $cur == *,* ]] && head=${cur%,*},\n"
                    "    COMPREPLY=($(compgen -P \"$head\" -W \"$words\" -- \"${cur##*,}\"))\n"
                    "}\n"
                    "complete -o default -F _epochcast epochcast\n");
}

/* ------------------------------------------------------------------------------------------------
 * zsh */

#define ZSH_SPECIAL "[]:\\"

static void zsh_values(const struct ec_field *f, struct ec_buf *out)
{
    ec_buf_char(out, ':');
    put_quoted(ec_help_metavar(f), ZSH_SPECIAL, out);
    ec_buf_char(out, ':');
    if (source_of(f)) {
        ec_buf_str(out, "{local -a w; w=(${(f)\"$(");
        put_quoted(source_of(f), "", out);
        ec_buf_printf(out, ")\"}); _values -s , value $w%s}", names_files(f) ? " || _files" : "");
    } else if (f->choices) {
        ec_buf_char(out, '(');
        put_words(f->choices, out);
        ec_buf_char(out, ')');
    } else if (names_files(f)) {
        ec_buf_str(out, "_files");
    } else {
        ec_buf_char(out, ' ');
    }
}

static void zsh_option(const struct ec_cmd *cmd, const struct ec_field *f, struct ec_buf *out)
{
    char flag[EC_FLAG_BYTES], letter = ec_short_flag(f->name);

    (void)cmd;
    (void)ec_flag_offered(f, flag, sizeof flag);
    if (letter)
        ec_buf_printf(out, "        '(-%c %s)'{-%c,%s}'[", letter, flag, letter, flag);
    else
        ec_buf_printf(out, "        '%s[", flag);
    put_quoted(f->help ? f->help : "", ZSH_SPECIAL, out);
    ec_buf_char(out, ']');
    if (f->type != EC_F_BOOL)
        zsh_values(f, out);
    ec_buf_str(out, "' \\\n");
}

static void zsh_argument(const struct ec_cmd *cmd, const struct ec_field *f, struct ec_buf *out)
{
    (void)cmd;
    ec_buf_printf(out, "        '%s", f->type == EC_F_STRS ? "*" : "");
    if (f->type != EC_F_STRS)
        ec_buf_char(out, ':');
    zsh_values(f, out);
    ec_buf_str(out, "' \\\n");
}

static void zsh_command(const struct ec_cmd *cmd, struct ec_buf *out)
{
    char title[EC_CMD_TITLE_BYTES];

    ec_buf_printf(out, "    \"%s%s\"%s) _arguments \\\n", ec_cmd_title(cmd, title, sizeof title),
                  cmd->of ? "" : " ", cmd->of ? "" : "*");
    each_option(cmd, false, zsh_option, out);
    if (cmd->subs) {
        ec_buf_str(out, "        '1:sub-command:(");
        put_commands(cmd->subs, out);
        ec_buf_str(out, ")' \\\n");
    } else {
        each_option(cmd, true, zsh_argument, out);
    }
    ec_buf_str(out, "        '--help[what it does]' ;;\n");
}

static void zsh_described(const struct ec_cmd *const *commands, struct ec_buf *out)
{
    for (; *commands; commands++) {
        ec_buf_printf(out, "        '%s:", (*commands)->name);
        put_quoted((*commands)->help, ZSH_SPECIAL, out);
        ec_buf_str(out, "'\n");
    }
}

static void write_zsh(const struct ec_cmd *const *commands, struct ec_buf *out)
{
    ec_buf_str(out, "#compdef epochcast\n"
                    "# Completion of epochcast in zsh, by `epochcast completion zsh`.\n"
                    "_epochcast()\n{\n    local -a commands\n    commands=(\n");
    zsh_described(commands, out);
    ec_buf_str(out, "        'help:what a command does'\n    )\n"
                    "    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
                    "        _describe command commands\n        return\n    fi\n"
                    "    local title=\"$words[2] $words[3]\"\n"
                    "    shift words\n    (( CURRENT-- ))\n"
                    "    case \"$title\" in\n");
    each_command(commands, zsh_command, out);
    ec_buf_str(out, "    esac\n}\ncompdef _epochcast epochcast\n");
}

/* ------------------------------------------------------------------------------------------------
 * fish */

static void fish_condition(const struct ec_cmd *cmd, struct ec_buf *out)
{
    ec_buf_printf(out, "complete -c epochcast -n '__fish_seen_subcommand_from %s",
                  cmd->of ? cmd->of->name : cmd->name);
    if (cmd->of)
        ec_buf_printf(out, "; and __fish_seen_subcommand_from %s", cmd->name);
    ec_buf_char(out, '\'');
}

static void fish_values(const struct ec_field *f, struct ec_buf *out)
{
    if (source_of(f)) {
        ec_buf_str(out, " -a '(");
        put_quoted(source_of(f), "", out);
        ec_buf_str(out, ")'");
    } else if (f->choices) {
        ec_buf_str(out, " -a '");
        put_words(f->choices, out);
        ec_buf_char(out, '\'');
    }
}

static void fish_option(const struct ec_cmd *cmd, const struct ec_field *f, struct ec_buf *out)
{
    char flag[EC_FLAG_BYTES];

    fish_condition(cmd, out);
    ec_buf_printf(out, " -l %s", ec_flag_offered(f, flag, sizeof flag) + 2);
    if (ec_short_flag(f->name))
        ec_buf_printf(out, " -s %c", ec_short_flag(f->name));
    if (f->type != EC_F_BOOL)
        ec_buf_str(out, names_files(f) ? " -r" : " -x");
    fish_values(f, out);
    ec_buf_str(out, " -d '");
    put_quoted(f->help ? f->help : "", "", out);
    ec_buf_str(out, "'\n");
}

static void fish_argument(const struct ec_cmd *cmd, const struct ec_field *f, struct ec_buf *out)
{
    if (!source_of(f) && !f->choices)
        return;
    fish_condition(cmd, out);
    fish_values(f, out);
    ec_buf_char(out, '\n');
}

static void fish_command(const struct ec_cmd *cmd, struct ec_buf *out)
{
    if (cmd->of)
        ec_buf_printf(out,
                      "complete -c epochcast -f -n '__fish_seen_subcommand_from %s' -a %s -d '",
                      cmd->of->name, cmd->name);
    else
        ec_buf_printf(out, "complete -c epochcast -f -n __fish_use_subcommand -a %s -d '",
                      cmd->name);
    put_quoted(cmd->help, "", out);
    ec_buf_str(out, "'\n");
    each_option(cmd, false, fish_option, out);
    each_option(cmd, true, fish_argument, out);
}

static void write_fish(const struct ec_cmd *const *commands, struct ec_buf *out)
{
    ec_buf_str(out, "# Completion of epochcast in fish, by `epochcast completion fish`.\n");
    each_command(commands, fish_command, out);
}

/* ------------------------------------------------------------------------------------------------
 */

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    static void (*const writers[])(const struct ec_cmd *const *commands,
                                   struct ec_buf *out) = { write_bash, write_zsh, write_fish };
    const struct completion_opts *o = call->opts;
    int i;

    for (i = 0; o->shell && shells[i]; i++)
        if (ec_str_eq(o->shell, shells[i])) {
            writers[i](call->of->commands, &call->out);
            return ec_buf_status(&call->out, err);
        }
    return ec_usage(call, err, "which shell? bash, zsh or fish");
}
