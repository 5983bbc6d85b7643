/* Every command, in the order of the help. src/cli/cmd_<name>.c defines ec_cmd_<name>. */
#include "cli/cli.h"

/* clang-format off */
#define COMMAND_LIST(X) \
    X(predict) \
    X(plan) \
    X(slurm) \
    X(model) \
    X(device) \
    X(op) \
    X(train) \
    X(measure) \
    X(study) \
    X(data) \
    X(fit) \
    X(evaluate) \
    X(calibrate) \
    X(whatif) \
    X(analyse) \
    X(roofline) \
    X(plot) \
    X(report) \
    X(demo) \
    X(fetch) \
    X(dataset) \
    X(completion)
/* clang-format on */

#define COMMAND_DECLARE(name) extern const struct ec_cmd ec_cmd_##name;
COMMAND_LIST(COMMAND_DECLARE)
#undef COMMAND_DECLARE

static const struct ec_cmd *const commands[] = {
#define COMMAND_ROW(name) &ec_cmd_##name,
    COMMAND_LIST(COMMAND_ROW)
#undef COMMAND_ROW
        NULL,
};

const struct ec_executable ec_epochcast = {
    .name = "epochcast",
    .help = "how long will training a network take, on which device?",
    .commands = commands,
};
