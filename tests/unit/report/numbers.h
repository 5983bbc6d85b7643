/* Numbers out of sentences, and statistics another way. */
#ifndef TEST_NUMBERS_H
#define TEST_NUMBERS_H

#include "test.h"

/* The number that follows the words in a text; commas between thousands are passed over.
 * Not finite without one. */
static inline double number_after(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    char digits[64];
    size_t n = 0;
    double v;

    at = at ? at + strlen(words) : "";
    for (; *at && n + 1 < sizeof digits; at++)
        if (strchr("-.0123456789", *at))
            digits[n++] = *at;
        else if (*at != ',')
            break;
    while (n && digits[n - 1] == '.')
        n--;
    digits[n] = '\0';
    return ec_parse_double(ec_span_of(digits), &v) ? v : (double)NAN;
}

/* A quantile another way: by the share of values below, without interpolation's formula. */
static inline double quantile_of(const double *v, int n, double q)
{
    double at = q * (n - 1), lo = (double)NAN, hi = (double)NAN;
    int i, k;

    for (i = 0; i < n; i++) {
        int below = 0, upto = 0;

        for (k = 0; k < n; k++) {
            below += v[k] < v[i];
            upto += v[k] <= v[i];
        }
        if (below <= floor(at) && upto > floor(at))
            lo = v[i];
        if (below <= ceil(at) && upto > ceil(at))
            hi = v[i];
    }
    return lo + (hi - lo) * (at - floor(at));
}

#endif
