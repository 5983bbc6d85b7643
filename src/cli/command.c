/* The command inside the caller's process: its output is returned, not printed. */
#include "epochcast/command.h"

#include "cli/cli.h"

static enum ec_status run(int n, char **word, struct ec_buf *out, struct ec_err *err)
{
    struct ec_call call = { .of = &ec_epochcast, .out = EC_BUF_INIT, .taken = out };
    const char *name = n > 0 && word[0] ? word[0] : "";
    const struct ec_cmd *cmd = ec_cmd_find(call.of, name);
    enum ec_status st = cmd ? ec_call_answer(&call, cmd, n - 1, word + 1, err)
                            : ec_fail(err, EC_E_INPUT, "no command \"%.60s\"", name);

    ec_call_clear(&call);
    return st;
}

/* The text of a buffer, which the caller frees; NULL: no memory. */
static char *take(struct ec_buf *b)
{
    char *text;

    ec_buf_str(b, ""); /* so that there is a text where nothing was written */
    text = b->st ? NULL : b->data;
    if (text)
        b->data = NULL;
    ec_buf_clear(b);
    return text;
}

enum ec_status ec_command(int n, char **word, char **ret_out, char **ret_said, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT, said = EC_BUF_INIT, *before;
    char *text, *note;
    enum ec_status st;

    EC_NEED(err, word, ret_out);
    before = ec_say_into(&said);
    st = run(n, word, &out, err);
    (void)ec_say_into(before);
    text = take(&out);
    note = take(&said);
    if (!st && (!text || !note))
        st = ec_nomem(err);
    if (!st) {
        *ret_out = text;
        text = NULL;
    }
    if (ret_said) {
        *ret_said = note;
        note = NULL;
    }
    ec_free(text);
    ec_free(note);
    return st;
}

void ec_text_free(char *text)
{
    ec_free(text);
}

int ec_command_main(int argc, char **argv)
{
    return argv ? ec_main(&ec_epochcast, argc, argv) : EC_EXIT_FAILED;
}

const char *ec_version(void)
{
    return EC_VERSION;
}
