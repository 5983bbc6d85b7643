/* The words of a command line: the first line names the command, each further line is one word. */
#include "fuzz.h"

#include "cli/cli.h"

#include <string.h>

#define WORDS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_err err = { .status = EC_OK };
    char text[4096], *words[WORDS_MAX], *p = text;
    const struct ec_cmd *cmd;
    enum ec_status st;
    int n = 0;

    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    while (p && n < WORDS_MAX) {
        words[n++] = p;
        p = strchr(p, '\n');
        if (p)
            *p++ = '\0';
    }
    cmd = ec_cmd_find(&ec_epochcast, words[0]);
    if (!cmd)
        return 0;
    n--;
    st = ec_args_choose(cmd, &n, words + 1, &call, &cmd, &err);
    if (!st && cmd->groups)
        st = ec_args_parse(cmd, n, words + 1, &call, &err);
    if (st && !err.text[0])
        __builtin_trap();
    ec_call_clear(&call);
    return 0;
}
