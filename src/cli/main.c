/* The process around ec_main. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return ec_main(argc, argv);
}
