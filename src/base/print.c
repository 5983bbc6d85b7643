/* Numbers in the C locale. glibc and musl have this locale as a static object, so a call costs
 * nanoseconds; if it is not available, the thread's own locale is used. */
#include "base/print.h"

#include <ctype.h>
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

/* Reads a number of at most 15 digits without an exponent. Such a whole number and such a power of
 * ten are exact, so that the one division rounds as strtod does. NULL: another form. */
static const char *read_short(const char *text, double *ret)
{
    static const double powers[] = { 1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
    const char *p = text + (*text == '-' || *text == '+');
    int64_t whole = 0;
    int n = 0, n_decimals = 0;
    bool after_point = false;

    for (; isdigit((unsigned char)*p) || (*p == '.' && !after_point); p++) {
        if (*p == '.') {
            after_point = true;
            continue;
        }
        if (++n >= EC_LEN(powers))
            return NULL;
        whole = 10 * whole + (*p - '0');
        n_decimals += after_point;
    }
    if (!n || isalpha((unsigned char)*p)) /* 1e5, 0x10, nan */
        return NULL;
    *ret = (double)whole / powers[n_decimals];
    if (*text == '-')
        *ret = -*ret;
    return p;
}

double ec_strtod(const char *text, char **ret_end)
{
    struct c_locale l;
    double v;
    const char *end = read_short(text, &v);

    if (end) {
        if (ret_end)
            *ret_end = (char *)end;
        return v;
    }
    l = c_locale_begin();
    v = strtod(text, ret_end);
    c_locale_end(l);
    return v;
}
