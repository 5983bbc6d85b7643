/* Runs a command line and returns the exit status. */
#include "cli/cli.h"

const struct ec_cmd *ec_cmd_find(const struct ec_executable *x, const char *name)
{
    int i;

    for (i = 0; x->commands[i]; i++)
        if (ec_str_eq(x->commands[i]->name, name))
            return x->commands[i];
    return NULL;
}

enum ec_status ec_call_answer(struct ec_call *call, const struct ec_cmd *cmd, int argc, char **argv,
                              struct ec_err *err)
{
    call->cmd = cmd;
    EC_PASS(ec_args_color(&argc, argv, call, err));
    EC_PASS(ec_args_choose(cmd, &argc, argv, call, &call->cmd, err));
    if (call->cmd->groups)
        EC_PASS(ec_args_parse(call->cmd, argc, argv, call, err));
    if (call->want_help) {
        ec_help_cmd(call->of, call->cmd, &call->out);
    } else {
        EC_PASS(ec_args_check(call, err));
        EC_PASS(ec_call_read_devices(call, err));
        EC_PASS(call->cmd->run(call, err));
    }
    return ec_call_flush(call, err);
}

static int run_cmd(const struct ec_executable *x, const struct ec_cmd *cmd, int argc, char **argv)
{
    struct ec_call call = { .of = x, .out = EC_BUF_INIT };
    struct ec_err err = { .status = EC_OK };
    enum ec_status st = ec_call_answer(&call, cmd, argc, argv, &err);
    char title[EC_CMD_TITLE_BYTES];

    (void)ec_cmd_title(call.cmd, title, sizeof title);
    if (call.interrupted[0])
        ec_say("%s %s: %s\n", x->name, title, call.interrupted);
    if (st)
        ec_say("%s %s: %s\n", x->name, title, err.text);
    ec_call_clear(&call);
    if (st)
        return call.wrong_usage ? EC_EXIT_USAGE : EC_EXIT_FAILED;
    return call.interrupted[0] ? ec_interrupt_status() : call.verdict;
}

static int unknown_command(const struct ec_executable *x, const char *name)
{
    const char *names[64];
    struct ec_buf hint = EC_BUF_INIT;
    int n;

    for (n = 0; x->commands[n] && n < EC_LEN(names); n++)
        names[n] = x->commands[n]->name;
    ec_near_hint(&hint, name, names, n);
    if (!hint.len)
        ec_buf_printf(&hint, "; %s help lists them", x->name);
    ec_say("%s: no command \"%.60s\"%s\n", x->name, name, ec_buf_text(&hint));
    ec_buf_clear(&hint);
    return EC_EXIT_USAGE;
}

static int print(const struct ec_executable *x, struct ec_call *call)
{
    struct ec_err err = { .status = EC_OK };
    enum ec_status st = ec_call_flush(call, &err);

    if (st)
        ec_say("%s: %s\n", x->name, err.text);
    ec_call_clear(call);
    return st ? EC_EXIT_FAILED : EC_EXIT_OK;
}

static int print_help(const struct ec_executable *x, const struct ec_cmd *cmd)
{
    struct ec_call call = { .out = EC_BUF_INIT };

    if (cmd)
        ec_help_cmd(x, cmd, &call.out);
    else
        ec_help_all(x, &call.out);
    return print(x, &call);
}

static int print_version(const struct ec_executable *x)
{
    struct ec_call call = { .out = EC_BUF_INIT };

    ec_buf_printf(&call.out, "%s " EC_VERSION "\n", x->name);
    return print(x, &call);
}

static int no_command(const struct ec_executable *x)
{
    struct ec_buf out = EC_BUF_INIT;

    ec_help_all(x, &out);
    ec_say("%s", ec_buf_text(&out));
    ec_buf_clear(&out);
    return EC_EXIT_USAGE;
}

static int unknown_sub(const struct ec_executable *x, const struct ec_cmd *cmd, const char *word)
{
    ec_say("%s %s: no sub-command \"%.60s\"; %s help %s lists them\n", x->name, cmd->name, word,
           x->name, cmd->name);
    return EC_EXIT_USAGE;
}

static int help_for(const struct ec_executable *x, int argc, char **argv)
{
    const struct ec_cmd *cmd = argc < 1 ? NULL : ec_cmd_find(x, argv[0]);

    if (argc > 0 && !cmd)
        return unknown_command(x, argv[0]);
    if (argc > 1 && cmd->subs && !ec_cmd_sub(cmd, argv[1]))
        return unknown_sub(x, cmd, argv[1]);
    return print_help(x, argc > 1 && cmd->subs ? ec_cmd_sub(cmd, argv[1]) : cmd);
}

int ec_run(const struct ec_executable *x, int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    const struct ec_cmd *cmd;

    if (!word)
        return no_command(x);
    if (ec_str_eq(word, "--version") || ec_str_eq(word, "version"))
        return print_version(x);
    if (ec_str_eq(word, "help") || ec_str_eq(word, "--help") || ec_str_eq(word, "-h"))
        return help_for(x, argc - 2, argv + 2);
    cmd = ec_cmd_find(x, word);
    return cmd ? run_cmd(x, cmd, argc - 2, argv + 2) : unknown_command(x, word);
}
