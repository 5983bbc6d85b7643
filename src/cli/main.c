/* The process around ec_main: what would end it without a word becomes a sentence. */
#include "cli/cli.h"

#include <signal.h>
#include <unistd.h>

/* A page of a mapped file is not there. Nothing but write() may be called here. */
static void on_bus_error(int number)
{
    static const char text[] =
        "epochcast: a file was cut short while it was read, or its disk failed\n";

    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(EC_EXIT_FAILED);
}

int main(int argc, char **argv)
{
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may grow no more is told by write() */
    (void)signal(SIGBUS, on_bus_error);
    return ec_main(argc, argv);
}
