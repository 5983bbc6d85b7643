/* epochcast-lab. */
#include "cli/cli.h"
#include "lab/lab.h"

int main(int argc, char **argv)
{
    return ec_main(&ec_lab, argc, argv);
}
