/* epochcast completion: scripts that complete command lines in bash, zsh and fish. They ask the
 * program what may stand next (`epochcast completion words`), which reads its tables of options. */
#include "cli/args_internal.h"

#include <string.h>

#include "completion_bash.h"
#include "completion_fish.h"
#include "completion_zsh.h"
#include "hw/hw.h"

static const char *const shells[] = { "bash", "zsh", "fish", "words", NULL };

#include "completion_cmd.h"

/* Each prints words, and "files" first where names of files fit too, see write_words. */
EC_EMBED(completion_bash, EC_COMPLETION_BASH);
EC_EMBED(completion_zsh, EC_COMPLETION_ZSH);
EC_EMBED(completion_fish, EC_COMPLETION_FISH);
static const char *const scripts[] = { ec__completion_bash_begin, ec__completion_zsh_begin,
                                       ec__completion_fish_begin };

/* A word as it would be complete: `head` are the values of a list before it. */
static void put_word(struct ec_buf *out, struct ec_span head, const char *word, const char *help)
{
    ec_buf_printf(out, "%.*s%s%s%s\n", (int)head.len, head.p, word, help ? "\t" : "",
                  help ? help : "");
}

static const struct ec_span no_head = { "", 0 };

static void put_commands(struct ec_buf *out, const struct ec_cmd *const *commands)
{
    for (; commands && *commands; commands++)
        put_word(out, no_head, (*commands)->name, (*commands)->help);
}

static bool names_networks(const struct ec_field *f)
{
    return f->metavar && ec_str_starts(f->metavar, "MODEL");
}

static bool names_files(const struct ec_field *f)
{
    return names_networks(f) ||
           (f->metavar && (strstr(f->metavar, "FILE") || strstr(f->metavar, "DIR")));
}

/* What an option or argument may be; of several values the last is completed. */
static void put_values(struct ec_buf *out, const struct ec_field *f, const char *typed)
{
    const char *comma = strrchr(typed, ',');
    struct ec_span head = { typed, comma ? (size_t)(comma - typed) + 1 : 0 };
    bool is_device = ec_str_eq(f->name, "device");
    const struct ec_device *const *devices;
    const char *const *names;
    int n, i;

    devices = ec_devices(&n);
    for (i = 0; is_device && i < n; i++)
        put_word(out, head, devices[i]->key, NULL);
    names = ec_zoo_names(&n);
    for (i = 0; names_networks(f) && i < n; i++)
        put_word(out, head, names[i], NULL);
    for (i = 0; f->choices && f->choices[i]; i++)
        put_word(out, head, f->choices[i], NULL);
}

/* Options and sub-commands of a command, or the values of its arguments. */
static void put_all(struct ec_buf *out, const struct ec_cmd *cmd, const char *typed,
                    bool *ret_files)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;
    char flag[EC_FLAG_BYTES];

    for (g = cmd->groups; g && g->fields; g++)
        for (f = g->fields; f->name; f++)
            if (!ec_is_positional(cmd, f->name)) {
                put_word(out, no_head, ec_flag_offered(f, flag, sizeof flag), f->help);
            } else if (typed[0] != '-') {
                put_values(out, f, typed);
                *ret_files = *ret_files || names_files(f);
            }
    put_word(out, no_head, "--help", "what it does");
    put_commands(out, cmd->subs);
}

/* What may stand where the last of n words is, a line each with a tab and a help where it has one,
 * under a line that says whether names of files may, too. */
static void write_words(const struct ec_executable *x, const char *const *word, int n,
                        struct ec_buf *out)
{
    const char *typed = n ? word[n - 1] : "", *before = n > 1 ? word[n - 2] : "";
    const struct ec_cmd *cmd = n > 1 ? ec_cmd_find(x, word[0]) : NULL;
    const struct ec_cmd *sub = cmd && cmd->subs && n > 2 ? ec_cmd_sub(cmd, word[1]) : NULL;
    const struct ec_arg_group *g;
    const struct ec_field *f = NULL;
    struct ec_buf words = EC_BUF_INIT;
    bool files = false;
    char letter;

    cmd = sub ? sub : cmd;
    if (cmd && before[0] == '-') {
        struct ec_span flag = ec__flag_of(before, &letter);

        f = ec__field_of(cmd, flag, letter, &g);
    }
    if (n < 2 || (n == 2 && ec_str_eq(word[0], "help"))) {
        put_commands(&words, x->commands);
        if (n < 2)
            ec_buf_str(&words, "help\twhat a command does\n--version\n");
    } else if (f && f->type != EC_F_BOOL) {
        put_values(&words, f, typed);
        files = names_files(f);
    } else if (cmd) {
        put_all(&words, cmd, typed, &files);
    }
    ec_buf_printf(out, "%s\n%s", files ? "files" : "words", ec_buf_text(&words));
    ec_buf_clear(&words);
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct completion_opts *o = call->opts;
    int i;

    if (!o->shell)
        return ec_usage(call, err, "which shell? bash, zsh or fish");
    i = ec_name_index(shells, EC_LEN(scripts), o->shell);
    if (i >= 0)
        ec_buf_str(&call->out, scripts[i]);
    else
        write_words(call->of, o->words.v, o->words.n, &call->out);
    return ec_buf_status(&call->out, err);
}
