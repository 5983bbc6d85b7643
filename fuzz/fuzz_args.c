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
    cmd = ec_cmd_find(words[0]);
    if (!cmd)
        return 0;
    if (ec_args_parse(cmd, n - 1, words + 1, &call, &err) && !err.text[0])
        __builtin_trap();
    ec_call_clear(&call);
    return 0;
}
