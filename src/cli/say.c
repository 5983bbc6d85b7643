/* What is printed for people on standard error. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

/* Line wrapping is off in a progress line, because the part that a terminal wraps would not be
 * overwritten. */
#define LINE_OVER "\r\033[K\033[?7l"
#define LINE_END "\033[?7h"

static void say(const char *before, const char *fmt, va_list ap, const char *after)
{
    struct ec_buf text = EC_BUF_INIT;
    size_t len;

    ec_buf_vprintf(&text, fmt, ap);
    len = text.len ? ec_plain_text(text.data, text.len, "\n\t") : 0;
    (void)fprintf(stderr, "%s%.*s%s", before, (int)len, ec_buf_text(&text), after);
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
    (void)fputs("\r\033[K", stderr);
}
