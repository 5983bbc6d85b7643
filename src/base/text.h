/* Text to numbers and back, spans, names close to a given one. Nothing outside base converts text
 * to numbers by itself. */
#ifndef EC_BASE_TEXT_H
#define EC_BASE_TEXT_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A borrowed piece of text, not NUL-terminated. */
struct ec_span {
    const char *p;
    size_t len;
};

struct ec_span ec_span_of(const char *text);
/* Most comparisons of names fail at the first character: without a call. */
static inline bool ec_span_eq(struct ec_span s, const char *text)
{
    size_t i = 0;

    while (i < s.len && text[i] && s.p[i] == text[i])
        i++;
    return i == s.len && !text[i];
}
bool ec_span_holds(struct ec_span s, const char *part); /* anywhere */
static inline bool ec_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
struct ec_span ec_span_trim(struct ec_span s);
/* The text without the byte order mark that some editors put before it. */
struct ec_span ec_span_after_mark(struct ec_span s);
/* Cuts *rest at the first `sep`; what stands before it is returned. False at the end of text. */
bool ec_span_cut(struct ec_span *rest, char sep, struct ec_span *ret_part);

/* What stands behind the last '/'. */
const char *ec_path_name(const char *path);

static inline bool ec_str_eq(const char *a, const char *b)
{
    return *a == *b && strcmp(a, b) == 0;
}
bool ec_str_ieq(const char *a, const char *b); /* ASCII letters, case folded */
/* Its letters and digits, small; what is too long is cut. */
void ec_str_letters(const char *text, char *out, size_t size);
bool ec_str_starts(const char *text, const char *prefix);
bool ec_str_ends(const char *text, const char *end); /* as a name of a file does, case folded */
bool ec_is_among(const char *word, struct ec_span list, char sep);
/* Shell-style pattern of '*' and '?', case folded. */
bool ec_str_glob(const char *pattern, const char *text);

/* Whole-text conversions: no leading or trailing rest. Decimal; doubles must be finite. */
bool ec_parse_int(struct ec_span s, int64_t *ret);
bool ec_parse_double(struct ec_span s, double *ret);
/* A count, also as 1e9, 300M or 15B (k, M, B or G, T): whole, below 2^53. */
bool ec_parse_amount(struct ec_span s, int64_t *ret);
/* A time above 0 with its unit, ns, us, ms, s, min, h or d: "48.5ms", "12 h". */
bool ec_parse_duration(struct ec_span s, double *ret_ns);
/* A rate above 0 with its unit: "200Gb/s", "25GB/s". */
bool ec_parse_byte_rate(struct ec_span s, double *ret_bytes_per_s);
/* A size above 0: "100MB", "1GiB", "2e6". */
#define EC_BYTES_EXPECTED "a size such as 100MB or 1GiB"
bool ec_parse_bytes(struct ec_span s, double *ret_bytes);

/* An energy above 0 with its unit, J, Wh, kWh or MWh: "500kWh". */
bool ec_parse_energy(struct ec_span s, double *ret_j);

/* A bound of so many bytes, or of all that there can be where a size_t ends before. */
#define EC_SIZE_BOUND(bytes) ((size_t)((uint64_t)(bytes) < SIZE_MAX ? (bytes) : SIZE_MAX))

/* Overflow-checked size arithmetic; false when the result does not fit. */
bool ec_mul_i64(int64_t a, int64_t b, int64_t *ret);
bool ec_add_i64(int64_t a, int64_t b, int64_t *ret);

/* Where a name stands in a list; -1: nowhere. */
int ec_name_index(const char *const *names, int n_names, const char *name);
/* The first row of a table whose first member is this name; NULL: none. */
const void *ec_row_named(const void *table, int n_rows, size_t row_bytes, const char *name);
/* Up to `max` names closest to `name`, best first; returns how many are close enough to offer. */
int ec_near_names(const char *name, const char *const *names, int n_names, const char **ret,
                  int max);
/* `; did you mean "a", "b"?` or nothing: the tail of a not-found sentence. */
void ec_near_hint(struct ec_buf *out, const char *name, const char *const *names, int n_names);
/* ec_fail() with this tail. Errors: st; NOMEM */
enum ec_status ec_fail_near(struct ec_err *err, enum ec_status st, const char *name,
                            const char *const *names, int n_names, const char *fmt, ...)
    EC_PRINTF(6, 7);

/* Human text, for printing only: 1.234 ms, 12.3 GB, 4.09 G. Three significant digits. */
const char *ec_fmt_ns(char *out, size_t size, double ns);
const char *ec_fmt_bytes(char *out, size_t size, double bytes);
const char *ec_fmt_si(char *out, size_t size, double value);
/* As a column of a table has it: 0.649, 649, 85102. */
const char *ec_fmt_digits3(char *out, size_t size, double value);
/* The unit that `like` would be printed in, "ms", and how much of it one nanosecond or byte is. */
const char *ec_unit_of_ns(double like, double *ret_scale);
const char *ec_unit_of_bytes(double like, double *ret_scale);
/* In the unit that `like` would have: numbers of one line are compared. */
const char *ec_fmt_ns_like(char *out, size_t size, double ns, double like);
const char *ec_fmt_bytes_like(char *out, size_t size, double bytes, double like);
/* With as many digits as set it apart from another number: 15.71 GiB, where that is 15.74 GiB. */
const char *ec_fmt_bytes_apart(char *out, size_t size, double bytes, double from);
/* 1234567 -> 1,234,567 */
const char *ec_fmt_thousands(char *out, size_t size, int64_t value);

/* How many times: 2.3, 38.1, 389, 2,014. */
const char *ec_fmt_times(char *out, size_t size, double times);

/* Shortest decimal text that reads back as the same double; v is finite. */
#define EC_FMT_DOUBLE_BYTES 32
const char *ec_fmt_double(char *out, size_t size, double v);

/* To nine digits: what is predicted is the same with every C library, whose last digits differ. */
double ec_nine_digits(double v);

/* Bytes of the UTF-8 character at p, 0 when what stands there is not one. len >= 1 */
int ec_utf8_len(const char *p, size_t len);

/* Bytes of the character at p, at least 1. *ret_plain: it may be shown, on a terminal, in a page or
 * in a picture: it is UTF-8, no control character (C0, C1), and neither breaks lines nor turns the
 * direction of text. len >= 1 */
size_t ec_plain_char(const char *p, size_t len, bool *ret_plain);
/* Text of others in place: '?' stands for what may not be shown. kept: control characters that
 * stay, such as "\n". Returns its length, which never grows; no NUL is written. */
size_t ec_plain_text(char *text, size_t len, const char *kept);
/* The same, appended to `out`, on one line. */
void ec_put_plain(struct ec_buf *out, const char *text);

/* FNV-1a, 64 bits. */
uint64_t ec_hash(const void *data, size_t len);

#endif
