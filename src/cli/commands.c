/* Every command, in the order of the help. src/cli/cmd_<name>.c defines ec_cmd_<name>. */
#include "cli/cli.h"

#include "command_list.h" /* EC_COMMAND_LIST, of src/cli/meson.build */

#define COMMAND_DECLARE(name) extern const struct ec_cmd ec_cmd_##name;
EC_COMMAND_LIST(COMMAND_DECLARE)
#undef COMMAND_DECLARE

static const struct ec_cmd *const commands[] = {
#define COMMAND_ROW(name) &ec_cmd_##name,
    EC_COMMAND_LIST(COMMAND_ROW)
#undef COMMAND_ROW
        NULL,
};

const struct ec_executable ec_epochcast = {
    .name = "epochcast",
    .help = "how long will training a network take, on which device?",
    .commands = commands,
};
