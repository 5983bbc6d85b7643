/* Text, numbers, near names and human units. */
#include "base/text.h"

#include "base/print.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

struct ec_span ec_span_of(const char *text)
{
    return (struct ec_span){ text, text ? strlen(text) : 0 };
}

bool ec_span_holds(struct ec_span s, const char *part)
{
    return s.len && memmem(s.p, s.len, part, strlen(part)) != NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct ec_span ec_span_trim(struct ec_span s)
{
    while (s.len && is_blank(s.p[0])) {
        s.p++;
        s.len--;
    }
    while (s.len && is_blank(s.p[s.len - 1]))
        s.len--;
    return s;
}

struct ec_span ec_span_after_mark(struct ec_span s)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t n = strlen(mark);

    return s.len >= n && memcmp(s.p, mark, n) == 0 ? (struct ec_span){ s.p + n, s.len - n } : s;
}

bool ec_span_cut(struct ec_span *rest, char sep, struct ec_span *ret_part)
{
    const char *hit;

    if (!rest->p)
        return false;
    hit = rest->len ? memchr(rest->p, sep, rest->len) : NULL;
    if (!hit) {
        *ret_part = *rest;
        *rest = (struct ec_span){ NULL, 0 };
        return true;
    }
    *ret_part = (struct ec_span){ rest->p, (size_t)(hit - rest->p) };
    rest->len -= ret_part->len + 1;
    rest->p = hit + 1;
    return true;
}

const char *ec_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int fold(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

void ec_str_letters(const char *text, char *out, size_t size)
{
    size_t n = 0;

    for (; *text && n + 1 < size; text++) {
        char c = (char)fold(*text);

        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out[n++] = c;
    }
    out[n] = '\0';
}

bool ec_str_ieq(const char *a, const char *b)
{
    while (*a && fold(*a) == fold(*b)) {
        a++;
        b++;
    }
    return fold(*a) == fold(*b);
}

bool ec_str_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool ec_str_ends(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && ec_str_ieq(text + n - m, end);
}

bool ec_is_among(const char *word, struct ec_span list, char sep)
{
    struct ec_span one;

    while (list.p && ec_span_cut(&list, sep, &one))
        if (ec_span_eq(one, word))
            return true;
    return false;
}

bool ec_str_glob(const char *pattern, const char *text)
{
    const char *star = NULL, *back = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            back = text;
        } else if (*pattern == '?' || (*pattern && fold(*pattern) == fold(*text))) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++back;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

bool ec_parse_int(struct ec_span s, int64_t *ret)
{
    size_t i = s.len && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0;
    bool neg = i && s.p[0] == '-';
    int64_t v = 0;

    if (i == s.len)
        return false;
    for (; i < s.len; i++) {
        int64_t digit = s.p[i] - '0';

        if (digit < 0 || digit > 9 || !ec_mul_i64(v, 10, &v) ||
            !ec_add_i64(v, neg ? -digit : digit, &v))
            return false;
    }
    *ret = v;
    return true;
}

bool ec_parse_double(struct ec_span s, double *ret)
{
    char copy[64], *end;
    double v;
    size_t i;

    if (!s.len || s.len >= sizeof copy)
        return false;
    for (i = 0; i < s.len; i++)
        if (!(isdigit((unsigned char)s.p[i]) || strchr("+-.eE", s.p[i])) || !s.p[i])
            return false;
    memcpy(copy, s.p, s.len);
    copy[s.len] = '\0';
    errno = 0;
    v = ec_strtod(copy, &end);
    if (end != copy + s.len || !isfinite(v))
        return false;
    *ret = v;
    return true;
}

#define EXACT_BELOW 0x1p53 /* whole doubles are exact */

bool ec_parse_amount(struct ec_span s, int64_t *ret)
{
    static const struct {
        const char *suffix;
        double times;
    } rows[] = {
        {"",   1   },
        { "k", 1e3 },
        { "m", 1e6 },
        { "b", 1e9 },
        { "g", 1e9 },
        { "t", 1e12}
    };
    struct ec_span number = s;
    char suffix[2] = "";
    double v = 0;
    int i;

    if (ec_parse_int(s, ret))
        return true;
    if (s.len && isalpha((unsigned char)s.p[s.len - 1]))
        suffix[0] = (char)tolower((unsigned char)s.p[--number.len]);
    for (i = 0; i < EC_LEN(rows) && !ec_str_eq(suffix, rows[i].suffix); i++)
        continue;
    if (i == EC_LEN(rows) || !ec_parse_double(ec_span_trim(number), &v))
        return false;
    v *= rows[i].times;
    if (fabs(v - round(v)) > 1e-9 * fabs(v) || fabs(v) >= EXACT_BELOW) /* 1.1e9 is whole */
        return false;
    *ret = (int64_t)round(v);
    return true;
}

/* A number above 0 and its unit, which is "" where there is none. */
struct unit {
    const char *name;
    double size;
};
#define UNIT(name, size) { name, size },

static bool parse_with_unit(struct ec_span s, const struct unit *units, int n, double *ret)
{
    double v = 0;
    int i;

    for (i = 0; i < n; i++) {
        size_t len = strlen(units[i].name);
        struct ec_span number = { s.p, s.len > len ? s.len - len : 0 };

        if (number.len && memcmp(s.p + number.len, units[i].name, len) == 0 &&
            ec_parse_double(ec_span_trim(number), &v) && v > 0 && isfinite(v * units[i].size)) {
            *ret = v * units[i].size;
            return true;
        }
    }
    return false;
}

#define DURATION_MAX 64

bool ec_parse_duration(struct ec_span s, double *ret_ns)
{
    static const struct unit units[] = { TIME_UNITS(UNIT) };
    struct ec_span first = ec_span_trim(s), rest = first;
    double head = 0, tail = 0;

    if (parse_with_unit(s, units, EC_LEN(units), ret_ns))
        return true;
    if (s.len > DURATION_MAX) /* each part is parsed inside the one before */
        return false;
    while (rest.len && strchr("0123456789.", *rest.p)) /* "1h12m", "1 d 6 h" */
        rest = (struct ec_span){ rest.p + 1, rest.len - 1 };
    while (rest.len && !strchr("0123456789.", *rest.p))
        rest = (struct ec_span){ rest.p + 1, rest.len - 1 };
    first.len -= rest.len;
    if (!rest.len || !parse_with_unit(ec_span_trim(first), units, EC_LEN(units), &head) ||
        !ec_parse_duration(rest, &tail) || !(tail < head))
        return false;
    *ret_ns = head + tail;
    return true;
}

bool ec_parse_byte_rate(struct ec_span s, double *ret_bytes_per_s)
{
    static const struct unit units[] = { BYTE_RATE_UNITS(UNIT) };

    return parse_with_unit(s, units, EC_LEN(units), ret_bytes_per_s);
}

bool ec_parse_bytes(struct ec_span s, double *ret_bytes)
{
    static const struct unit units[] = { BYTE_UNITS(UNIT) };

    return parse_with_unit(s, units, EC_LEN(units), ret_bytes);
}

bool ec_parse_energy(struct ec_span s, double *ret_j)
{
    static const struct unit units[] = { ENERGY_UNITS(UNIT) };

    return parse_with_unit(s, units, EC_LEN(units), ret_j);
}

bool ec_mul_i64(int64_t a, int64_t b, int64_t *ret)
{
    return !__builtin_mul_overflow(a, b, ret);
}

bool ec_add_i64(int64_t a, int64_t b, int64_t *ret)
{
    return !__builtin_add_overflow(a, b, ret);
}

#define NEAR_MAX_LEN 63

/* Optimal string alignment distance; transposed neighbours count once. */
static int distance(const char *a, const char *b)
{
    int row[3][NEAR_MAX_LEN + 2];
    int na = (int)strlen(a), nb = (int)strlen(b), i, j;
    int *prev2 = row[0], *prev = row[1], *cur = row[2], *spare;

    if (na > NEAR_MAX_LEN || nb > NEAR_MAX_LEN)
        return INT32_MAX;
    for (j = 0; j <= nb; j++)
        prev[j] = j;
    for (i = 1; i <= na; i++) {
        cur[0] = i;
        for (j = 1; j <= nb; j++) {
            bool same = fold(a[i - 1]) == fold(b[j - 1]);
            int best = prev[j - 1] + (same ? 0 : 1);

            best = prev[j] + 1 < best ? prev[j] + 1 : best;
            best = cur[j - 1] + 1 < best ? cur[j - 1] + 1 : best;
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]) && prev2[j - 2] + 1 < best)
                best = prev2[j - 2] + 1;
            cur[j] = best;
        }
        spare = prev2;
        prev2 = prev;
        prev = cur;
        cur = spare;
    }
    return prev[nb];
}

/* The characters of a text as a set of bits, capitals as small letters. */
static uint64_t letters(const char *text)
{
    uint64_t set = 0;

    for (; *text; text++) {
        int c = fold(*text);

        set |= UINT64_C(1) << ((c >= 'a' ? c - 'a' + 10 : c - '0') & 63);
    }
    return set;
}

/* Lower is nearer; a common prefix or containment counts as near whatever the length. */
static int near_score(const char *name, const char *other)
{
    int len = (int)strlen(name), longer = (int)strlen(other) - len, d;
    int limit = len <= 4 ? 2 : 1 + len / 3;
    int lacks = __builtin_popcountll(letters(name) & ~letters(other));

    /* the lengths and the letters that it lacks are lower bounds, and most names fall to them */
    d = abs(longer) <= limit && lacks <= limit ? distance(name, other) : INT32_MAX;
    if (d <= limit)
        return d;
    if (len >= 2 && longer > 0 && !lacks) {
        char pattern[NEAR_MAX_LEN + 3];

        if (len > NEAR_MAX_LEN)
            return INT32_MAX;
        (void)snprintf(pattern, sizeof pattern, "*%s*", name);
        if (ec_str_glob(pattern, other))
            return limit + 1 + longer;
    }
    return INT32_MAX;
}

int ec_near_names(const char *name, const char *const *names, int n_names, const char **ret,
                  int max)
{
    int score[16], n = 0, i, j;

    if (max > EC_LEN(score))
        max = EC_LEN(score);
    for (i = 0; i < n_names; i++) {
        int s = near_score(name, names[i]);

        if (s == INT32_MAX || (n == max && s >= score[n - 1]))
            continue;
        j = n < max ? n++ : n - 1;
        for (; j > 0 && score[j - 1] > s; j--) {
            score[j] = score[j - 1];
            ret[j] = ret[j - 1];
        }
        score[j] = s;
        ret[j] = names[i];
    }
    return n;
}

int ec_name_index(const char *const *names, int n_names, const char *name)
{
    int i;

    for (i = 0; i < n_names; i++)
        if (ec_str_eq(names[i], name))
            return i;
    return -1;
}

const void *ec_row_named(const void *table, int n_rows, size_t row_bytes, const char *name)
{
    const char *row = table;

    for (; n_rows-- > 0; row += row_bytes)
        if (ec_str_eq(*(const char *const *)(const void *)row, name))
            return row;
    return NULL;
}

void ec_near_hint(struct ec_buf *out, const char *name, const char *const *names, int n_names)
{
    const char *found[4];
    int n = ec_near_names(name, names, n_names, found, EC_LEN(found)), i;

    for (i = 0; i < n; i++)
        ec_buf_printf(out, "%s\"%s\"", i ? ", " : "; did you mean ", found[i]);
    if (n)
        ec_buf_char(out, '?');
}

enum ec_status ec_fail_near(struct ec_err *err, enum ec_status st, const char *name,
                            const char *const *names, int n_names, const char *fmt, ...)
{
    struct ec_buf text = EC_BUF_INIT;
    va_list ap;

    va_start(ap, fmt);
    ec_buf_vprintf(&text, fmt, ap);
    va_end(ap);
    ec_near_hint(&text, name, names, n_names);
    st = ec_fail(err, text.st ? text.st : st, "%s", ec_buf_text(&text));
    ec_buf_clear(&text);
    return st;
}

/* Three significant digits, four decimals at most. */
static const char *fmt_scaled(char *out, size_t size, double v, const char *unit)
{
    double a = fabs(v);
    int digits = a >= 99.95                ? 0
                 : a >= 9.995              ? 1
                 : a >= 0.9995 || a < 1e-9 ? 2
                 : a >= 0.09995            ? 3
                                           : 4;

    (void)ec_snprintf(out, size, "%.*f%s%s", digits, v, *unit ? " " : "", unit);
    return out;
}

const char *ec_unit_of_ns(double like, double *ret_scale)
{
    static const struct {
        double at_least, ns;
        const char *unit;
    } steps[] = {
        {86400e9 * 2, 86400e9, "d"  },
        { 3600e9 * 2, 3600e9,  "h"  },
        { 120e9,      60e9,    "min"},
        { 0.9995e9,   1e9,     "s"  },
        { 0.9995e6,   1e6,     "ms" },
        { 0.9995e3,   1e3,     "us" },
        { 0,          1,       "ns" },
    };
    int i = 0;

    while (i + 1 < EC_LEN(steps) && !(fabs(like) >= steps[i].at_least))
        i++;
    *ret_scale = 1 / steps[i].ns;
    return steps[i].unit;
}

const char *ec_fmt_ns_like(char *out, size_t size, double ns, double like)
{
    double scale;
    const char *unit = ec_unit_of_ns(like, &scale);

    return fmt_scaled(out, size, ns * scale, unit);
}

const char *ec_fmt_ns(char *out, size_t size, double ns)
{
    return ec_fmt_ns_like(out, size, ns, ns);
}

const char *ec_unit_of_bytes(double like, double *ret_scale)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
    int i = 0;

    *ret_scale = 1;
    for (; fabs(like) >= 1023.5 && i + 1 < EC_LEN(units); i++) {
        like /= 1024;
        *ret_scale /= 1024;
    }
    return units[i];
}

const char *ec_fmt_bytes_like(char *out, size_t size, double bytes, double like)
{
    double scale;
    const char *unit = ec_unit_of_bytes(like, &scale);

    if (scale < 1)
        return fmt_scaled(out, size, bytes * scale, unit);
    (void)ec_snprintf(out, size, "%.0f B", bytes);
    return out;
}

const char *ec_fmt_bytes(char *out, size_t size, double bytes)
{
    return ec_fmt_bytes_like(out, size, bytes, bytes);
}

const char *ec_fmt_bytes_apart(char *out, size_t size, double bytes, double from)
{
    char other[32];
    double scale;
    const char *unit = ec_unit_of_bytes(bytes, &scale);
    int digits = bytes * scale < 9.995 ? 3 : bytes * scale < 99.95 ? 2 : 1;

    (void)ec_fmt_bytes(out, size, bytes);
    (void)ec_fmt_bytes(other, sizeof other, from);
    for (; bytes != from && scale < 1 && ec_str_eq(out, other) && digits < 9; digits++) {
        (void)ec_snprintf(out, size, "%.*f %s", digits, bytes * scale, unit);
        (void)ec_snprintf(other, sizeof other, "%.*f %s", digits, from * scale, unit);
    }
    return out;
}

const char *ec_fmt_si(char *out, size_t size, double value)
{
    static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };
    int i = 0;

    while (fabs(value) >= 999.5 && i + 1 < EC_LEN(units)) {
        value /= 1000;
        i++;
    }
    if (i == 0 && value == floor(value)) {
        (void)ec_snprintf(out, size, "%.0f", value);
        return out;
    }
    return fmt_scaled(out, size, value, units[i]);
}

const char *ec_fmt_digits3(char *out, size_t size, double value)
{
    return fmt_scaled(out, size, value, "");
}

const char *ec_fmt_thousands(char *out, size_t size, int64_t value)
{
    char digits[32];
    size_t len, i, o = 0;
    bool neg = value < 0;
    uint64_t mag = neg ? 0 - (uint64_t)value : (uint64_t)value;

    len = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)mag);
    if (neg && size > 1)
        out[o++] = '-';
    for (i = 0; i < len && o + 2 < size; i++) {
        if (i && (len - i) % 3 == 0)
            out[o++] = ',';
        out[o++] = digits[i];
    }
    if (size)
        out[o] = '\0';
    return out;
}

const char *ec_fmt_times(char *out, size_t size, double times)
{
    if (!(fabs(times) < 9e18))
        (void)ec_snprintf(out, size, "%g", times);
    else if (times < 99.95)
        (void)ec_snprintf(out, size, "%.1f", times);
    else
        (void)ec_fmt_thousands(out, size, (int64_t)(times + 0.5));
    return out;
}

/* `scaled` over `power` of ten, both whole, the quotient not. */
static bool put_decimal(char *out, size_t size, bool negative, int64_t scaled, int64_t power)
{
    int n = snprintf(out, size, "%s%lld.", negative ? "-" : "", (long long)(scaled / power));
    size_t len = n > 0 ? (size_t)n : size;

    for (scaled %= power; power > 1 && len + 1 < size; scaled %= power) {
        power /= 10;
        out[len++] = (char)('0' + scaled / power);
    }
    if (len >= size)
        return false;
    out[len] = '\0';
    return power == 1;
}

/* 12.5 is 125 / 10: when both are exact, so is the quotient read back. Much quicker than to search
 * for the number of digits. */
static bool fmt_short_decimal(char *out, size_t size, double v)
{
    static const double powers[] = { 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
    double a = fabs(v);
    int i;

    for (i = 0; i < EC_LEN(powers) && a >= 1e-4; i++) {
        double scaled = floor(a * powers[i] + 0.5);

        if (scaled >= 1e15)
            break;
        if (scaled / powers[i] == a)
            return put_decimal(out, size, v < 0, (int64_t)scaled, (int64_t)powers[i]);
    }
    return false;
}

const char *ec_fmt_double(char *out, size_t size, double v)
{
    int digits;

    if (fabs(v) < 1e15 && v == floor(v)) {
        (void)snprintf(out, size, "%lld", (long long)v);
        return out;
    }
    if (fmt_short_decimal(out, size, v))
        return out;
    for (digits = 15; digits <= 17; digits++) {
        (void)ec_snprintf(out, size, "%.*g", digits, v);
        if (ec_strtod(out, NULL) == v)
            break;
    }
    return out;
}

double ec_nine_digits(double v)
{
    char text[EC_FMT_DOUBLE_BYTES];

    if (!isfinite(v))
        return v;
    (void)ec_snprintf(text, sizeof text, "%.9g", v);
    return ec_strtod(text, NULL);
}

void ec_put_plain(struct ec_buf *out, const char *text)
{
    size_t start = out->len;

    ec_buf_str(out, text);
    if (out->len > start) {
        out->len = start + ec_plain_text(out->data + start, out->len - start, "");
        out->data[out->len] = '\0';
    }
}

uint64_t ec_hash(const void *data, size_t len)
{
    const unsigned char *p = data;
    uint64_t h = 0xcbf29ce484222325u;

    while (len--) {
        h ^= *p++;
        h *= 0x100000001b3u;
    }
    return h;
}
