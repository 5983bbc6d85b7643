/* From the words of the command line to an exit status. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int ec_terminal_columns(void)
{
    const char *given = getenv("COLUMNS");
    struct winsize size;
    int64_t columns;

    if (given && ec_parse_int(ec_span_of(given), &columns) && columns > 0 && columns < INT16_MAX)
        return (int)columns;
    return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

enum ec_status ec_call_flush(struct ec_call *call, struct ec_err *err)
{
    enum ec_status st = ec_buf_status(&call->out, err);

    if (st)
        return st;
    if (fwrite(ec_buf_text(&call->out), 1, call->out.len, stdout) != call->out.len ||
        fflush(stdout))
        return ec_fail(err, EC_E_IO, "cannot write to standard output: %s", strerror(errno));
    ec_buf_reset(&call->out);
    return EC_OK;
}

static int run_cmd(const struct ec_cmd *cmd, int argc, char **argv)
{
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_err err = { .status = EC_OK };
    enum ec_status st;

    st = ec_args_parse(cmd, argc, argv, &call, &err);
    if (!st && call.want_help)
        ec_help_cmd(cmd, &call.out);
    else if (!st)
        st = cmd->run(&call, &err);
    if (!st)
        st = ec_call_flush(&call, &err);
    if (call.interrupted[0])
        (void)fprintf(stderr, "epochcast %s: %s\n", cmd->name, call.interrupted);
    if (st)
        (void)fprintf(stderr, "epochcast %s: %s\n", cmd->name, err.text);
    ec_call_clear(&call);
    if (st)
        return call.wrong_usage ? EC_EXIT_USAGE : EC_EXIT_FAILED;
    return call.interrupted[0] ? ec_interrupt_status() : EC_EXIT_OK;
}

static int unknown_command(const char *name)
{
    const char *names[64];
    struct ec_buf hint = EC_BUF_INIT;
    int n;

    for (n = 0; ec_commands[n] && n < EC_LEN(names); n++)
        names[n] = ec_commands[n]->name;
    ec_near_hint(&hint, name, names, n);
    if (!hint.len)
        ec_buf_str(&hint, "; epochcast help lists them");
    (void)fprintf(stderr, "epochcast: no command \"%.60s\"%s\n", name, ec_buf_text(&hint));
    ec_buf_clear(&hint);
    return EC_EXIT_USAGE;
}

static int print_help(const struct ec_cmd *cmd, FILE *to)
{
    struct ec_buf out = EC_BUF_INIT;

    if (cmd)
        ec_help_cmd(cmd, &out);
    else
        ec_help_all(&out);
    (void)fputs(ec_buf_text(&out), to);
    ec_buf_clear(&out);
    return fflush(to) ? EC_EXIT_FAILED : EC_EXIT_OK;
}

static int help_for(int argc, char **argv)
{
    if (argc < 1)
        return print_help(NULL, stdout);
    if (!ec_cmd_find(argv[0]))
        return unknown_command(argv[0]);
    return print_help(ec_cmd_find(argv[0]), stdout);
}

int ec_main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    const struct ec_cmd *cmd;

    if (!word) {
        (void)print_help(NULL, stderr);
        return EC_EXIT_USAGE;
    }
    if (ec_str_eq(word, "--version") || ec_str_eq(word, "version"))
        return puts("epochcast " EC_VERSION) < 0 || fflush(stdout) ? EC_EXIT_FAILED : EC_EXIT_OK;
    if (ec_str_eq(word, "help") || ec_str_eq(word, "--help") || ec_str_eq(word, "-h"))
        return help_for(argc - 2, argv + 2);
    cmd = ec_cmd_find(word);
    return cmd ? run_cmd(cmd, argc - 2, argv + 2) : unknown_command(word);
}
