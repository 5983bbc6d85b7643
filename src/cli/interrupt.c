/* SIGINT (Ctrl-C) and SIGTERM: the first asks the command to stop, the second ends the process. */
#include "cli/cli.h"

#include <signal.h>
#include <stdarg.h>

/* Global, because a signal handler has no argument that could carry state. */
static volatile sig_atomic_t g_signal;

static int g_watching; /* a server watches for itself, and its questions beside it */

static void usual(void)
{
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
}

static void on_signal(int number)
{
    g_signal = number;
    usual();
}

void ec_interrupt_watch(void)
{
    if (__atomic_fetch_add(&g_watching, 1, __ATOMIC_RELAXED))
        return;
    g_signal = 0;
    (void)signal(SIGINT, on_signal);
    (void)signal(SIGTERM, on_signal);
}

void ec_interrupt_end(void)
{
    if (!__atomic_sub_fetch(&g_watching, 1, __ATOMIC_RELAXED))
        usual();
}

bool ec_interrupted(void)
{
    return g_signal != 0;
}

int ec_interrupt_status(void)
{
    return EC_EXIT_SIGNAL + (g_signal ? g_signal : SIGINT);
}

void ec_call_interrupted(struct ec_call *call, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)ec_vsnprintf(call->interrupted, sizeof call->interrupted, fmt, ap);
    va_end(ap);
}
