/* What is printed for people on standard error. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

/* Line wrapping is off in a progress line, because the part that a terminal wraps would not be
 * overwritten. */
#define LINE_OVER "\r\033[K\033[?7l"
#define LINE_END "\033[?7h"

/* Of a thread, because most of what is said has no call around it. */
static _Thread_local struct ec_buf *g_into;

struct ec_buf *ec_say_into(struct ec_buf *out)
{
    struct ec_buf *before = g_into;

    g_into = out;
    return before;
}

/* Most texts are short, and are printed where there is no memory; of a longer one its beginning. */
EC_PRINTF(2, 0)
static void say(const char *before, const char *fmt, va_list ap, const char *after)
{
    struct ec_buf text = EC_BUF_INIT, fitted = EC_BUF_INIT;
    char small[1024], *shown = small;
    va_list again;
    size_t len;
    int n;

    va_copy(again, ap);
    n = ec_vsnprintf(small, sizeof small, fmt, ap);
    len = n < 0 ? 0 : (size_t)n < sizeof small ? (size_t)n : sizeof small - 1;
    if (n >= (int)sizeof small) {
        ec_buf_vprintf(&text, fmt, again);
        shown = text.st ? small : text.data;
        len = text.st ? len : text.len;
    }
    va_end(again);
    len = len ? ec_plain_text(shown, len, "\n\t") : 0;
    if (g_into)
        ec_buf_add(g_into, shown, *before ? 0 : len); /* progress is for a terminal */
    else if (len && shown[len - 1] == '\n' && !*before &&
             ec_terminal_fit((struct ec_span){ shown, len }, &fitted) && !fitted.st)
        (void)fprintf(stderr, "%s", fitted.data);
    else
        (void)fprintf(stderr, "%s%.*s%s", before, (int)len, shown, after);
    ec_buf_clear(&fitted);
    ec_buf_clear(&text);
}

void ec_say(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say("", fmt, ap, "");
    va_end(ap);
}

void ec_say_over(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say(LINE_OVER, fmt, ap, LINE_END);
    va_end(ap);
}

void ec_say_nothing_over(void)
{
    if (!g_into)
        (void)fputs("\r\033[K", stderr);
}
