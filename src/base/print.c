/* Numbers in the C locale. glibc and musl have this locale as a static object, so a call costs
 * nanoseconds; if it is not available, the thread's own locale is used. */
#include "base/print.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

struct c_locale {
    locale_t c, before;
};

static struct c_locale c_locale_begin(void)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

    return (struct c_locale){ c, c ? uselocale(c) : (locale_t)0 };
}

static void c_locale_end(struct c_locale l)
{
    if (!l.c)
        return;
    (void)uselocale(l.before);
    freelocale(l.c);
}

int ec_vsnprintf(char *out, size_t size, const char *fmt, va_list ap)
{
    struct c_locale l = c_locale_begin();
    int n = vsnprintf(out, size, fmt, ap);

    c_locale_end(l);
    return n;
}

int ec_snprintf(char *out, size_t size, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = ec_vsnprintf(out, size, fmt, ap);
    va_end(ap);
    return n;
}

double ec_strtod(const char *text, char **ret_end)
{
    struct c_locale l = c_locale_begin();
    double v = strtod(text, ret_end);

    c_locale_end(l);
    return v;
}
