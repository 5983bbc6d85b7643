/* The process around a run: what would end it without a word becomes a sentence. */
#include "cli/cli.h"

#include <fcntl.h>
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

/* A file opened while one of the three is closed would get its number, and what is meant for people
 * would be written into it. Opened the wrong way round: reading standard input and writing the
 * others go on failing, as they do when closed. False: there is no /dev/null either. */
static bool fill_standard_files(void)
{
    static const int modes[] = {
        [STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDONLY
    };
    int i;

    for (i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", modes[i]) != i)
            return false;
    return true;
}

int ec_main(const struct ec_executable *x, int argc, char **argv)
{
    if (!fill_standard_files())
        return EC_EXIT_FAILED;
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may grow no more fails in write() */
    (void)signal(SIGBUS, on_bus_error);
    return ec_run(x, argc, argv);
}
