/* Walks the commands of EC_TESTED: of epochcast, where it is not said. */
#ifndef TEST_COMMANDS_H
#define TEST_COMMANDS_H

#include "cli/cli.h"

#ifndef EC_TESTED
#define EC_TESTED ec_epochcast
#endif

/* All that have options: commands, and sub-commands after the command that they belong to. The i-th
 * of them; NULL: there are no more. */
static inline const struct ec_cmd *command_at(int i)
{
    const struct ec_cmd *const *cmd, *const *sub;

    for (cmd = EC_TESTED.commands; *cmd; cmd++) {
        if ((*cmd)->groups && !i--)
            return *cmd;
        for (sub = (*cmd)->subs; sub && *sub; sub++)
            if ((*sub)->groups && !i--)
                return *sub;
    }
    return NULL;
}

#endif
