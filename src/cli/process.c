/* The process around a run: signals that would end it silently print a message. */
#include "cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A signal handler may call only functions such as write(). */
static void tell(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/* SIGBUS: a page of a mapped file is missing. */
static void on_bus_error(int number)
{
    (void)number;
    tell("epochcast: a file was cut short while it was read, or its disk failed\n");
    _exit(EC_EXIT_FAILED);
}

/* Faults inside libraries that go on with no memory where some ended. Elsewhere they are mistakes
 * of our own, and end the process as they would have. */
static void on_fault(int number)
{
    const char *library = ec_foreign();

    if (library) {
        tell("epochcast: ");
        tell(library);
        tell(" ended with a fault, most likely because memory ran out\n");
        _exit(EC_EXIT_FAILED);
    }
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* On a stack of its own, because the fault may be that the usual one is full. A sanitizer has
 * handlers already. */
static void handle_faults(void)
{
    static const int faults[] = { SIGSEGV, SIGABRT };
    static char stack[64 << 10];
    const stack_t use = { .ss_sp = stack, .ss_size = sizeof stack };
    const struct sigaction handle = { .sa_handler = on_fault, .sa_flags = SA_ONSTACK };
    struct sigaction now;
    int i;

    if (sigaltstack(&use, NULL))
        return;
    for (i = 0; i < EC_LEN(faults); i++)
        if (sigaction(faults[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            (void)sigaction(faults[i], &handle, NULL);
}

/* Opens /dev/null for standard descriptors that are closed. Otherwise a file that is opened later
 * would get such a number, and messages would be written into it. The modes are reversed, so that
 * reading standard input and writing the others still fail. False: /dev/null cannot be opened. */
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
    (void)signal(SIGXFSZ, SIG_IGN); /* beyond the limit of the file size, write() then fails */
    (void)signal(SIGBUS, on_bus_error);
    handle_faults();
    return ec_run(x, argc, argv);
}
