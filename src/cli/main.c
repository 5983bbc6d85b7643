/* epochcast. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return ec_main(&ec_epochcast, argc, argv);
}
