/* Prints the options of every command as JSON, for the package of Python: tools/make-python makes
 * its keywords and their types of them.
 *
 *     make-options > options.json */
#include "cli/cli.h"

#include <stdio.h>

int main(void)
{
    struct ec_buf out = EC_BUF_INIT;

    ec_options_json(&out);
    if (out.st || fputs(ec_buf_text(&out), stdout) < 0 || fflush(stdout)) {
        (void)fputs("make-options: cannot write\n", stderr);
        return 1;
    }
    ec_buf_clear(&out);
    return 0;
}
