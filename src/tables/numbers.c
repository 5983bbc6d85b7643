/* Numbers as people write them in tables: "1,007", "690 img/s", "73 ms". */
#include "tables/mapping_internal.h"

#include <math.h>
#include <string.h>

#define TEXT_MAX_BYTES 32
#define DIGITS "0123456789"

/* "1,007" and "1,234,567.5", not "73,1": commas between thousands are taken out. */
static bool parse_thousands(const char *text, double *ret)
{
    char plain[TEXT_MAX_BYTES];
    size_t n = strspn(text, DIGITS), len = n;

    if (n < 1 || n > 3 || text[n] != ',' || strlen(text) >= sizeof plain)
        return false;
    memcpy(plain, text, n);
    for (text += n; *text == ','; text += 4) {
        if (strspn(text + 1, DIGITS) != 3)
            return false;
        memcpy(plain + len, text + 1, 3);
        len += 3;
    }
    n = strlen(text);
    memcpy(plain + len, text, n);
    return ec_parse_double((struct ec_span){ plain, len + n }, ret);
}

/* "45.2 ± 0.3 ms" without the spread: "45.2 ms". */
static struct ec_span without_spread(struct ec_span s, char ret[TEXT_MAX_BYTES])
{
    static const char *const signs[] = { "\302\261", "+/-", "+-" };
    const char *at = NULL, *behind = NULL;
    int i, n;

    if (s.len >= TEXT_MAX_BYTES)
        return s;
    n = ec_snprintf(ret, TEXT_MAX_BYTES, "%.*s", (int)s.len, s.p);
    for (i = 0; i < EC_LEN(signs) && !at; i++) {
        at = strstr(ret, signs[i]);
        behind = at ? at + strlen(signs[i]) : NULL;
    }
    if (!at)
        return s;
    behind += strspn(behind, " ");
    behind += strspn(behind, DIGITS ".,");
    memmove(ret + (at - ret), behind, (size_t)(ret + n - behind) + 1);
    return ec_span_trim(ec_span_of(ret));
}

/* Splits a cell into its number and the unit behind it, "" if there is none. */
static bool split(const char *cell, double *ret, char unit[TEXT_MAX_BYTES])
{
    char text[TEXT_MAX_BYTES], plain[TEXT_MAX_BYTES];
    struct ec_span s = without_spread(ec_span_trim(ec_span_of(cell)), plain), number = s;
    const char *blank = s.len ? memchr(s.p, ' ', s.len) : NULL;

    *unit = '\0';
    if (!s.len || s.len >= TEXT_MAX_BYTES)
        return false;
    if (ec_parse_double(s, ret))
        return true;
    number.len = blank ? (size_t)(blank - s.p) : strspn(s.p, DIGITS ".,");
    ec__column_name(number, text, sizeof text);
    ec__column_name(ec_span_trim((struct ec_span){ s.p + number.len, s.len - number.len }), unit,
                    TEXT_MAX_BYTES);
    return ec_parse_double(number, ret) || parse_thousands(text, ret);
}

/* The size of a unit of the quantity: of "ms"; of "img/s", which may be the name of a column. 0: it
 * is none of this quantity. */
static double unit_size(enum ec_quantity q, const char *unit)
{
    bool is_time = q == EC_Q_STEP_TIME || q == EC_Q_EPOCH_TIME;
    const struct ec_unit *u = is_time ? ec__time_units : q == EC_Q_MEMORY ? ec__byte_units : NULL;
    struct ec_meaning m = ec_column_meaning(unit);

    for (; u && u->name; u++)
        if (ec_str_ieq(u->name, unit))
            return u->size;
    return m.quantity == q ? m.size : 0;
}

/* Gives a column without a unit that of its cells, if all numbers have one. Errors: NOMEM */
static enum ec_status name_unit(struct ec_csv *csv, int col, struct ec_meaning *m,
                                struct ec_err *err)
{
    char unit[TEXT_MAX_BYTES], first[TEXT_MAX_BYTES] = "";
    const char *name;
    double v;
    int row;

    for (row = 0; row < csv->n_rows; row++) {
        if (!split(ec_csv_cell(csv, row, col), &v, unit))
            continue;
        if (!(unit_size(m->quantity, unit) > 0))
            return EC_OK;
        if (!*first)
            memcpy(first, unit, sizeof first);
    }
    if (!*first)
        return EC_OK;
    name = ec_arena_printf(&csv->arena, "%s (%s)", csv->names[col], first);
    EC_PASS(ec_allocated(name, err));
    if (ec_column_meaning(name).quantity == m->quantity) {
        *m = ec_column_meaning(name);
        csv->names[col] = name;
    }
    return EC_OK;
}

static enum ec_status make_plain(struct ec_csv *csv, int row, int col, const struct ec_meaning *m,
                                 struct ec_err *err)
{
    size_t at = (size_t)row * (size_t)csv->n_cols + (size_t)col;
    char unit[TEXT_MAX_BYTES], text[EC_FMT_DOUBLE_BYTES];
    const char *cell = csv->cells[at];
    double v, size;

    if (!cell[strspn(cell, DIGITS ".")] || ec_parse_double(ec_span_trim(ec_span_of(cell)), &v) ||
        !split(cell, &v, unit))
        return EC_OK;
    size = *unit ? unit_size(m->quantity, unit) : m->size;
    if (*unit && !(size > 0 && m->size > 0))
        return EC_OK; /* a unit of something else: the reader of the column refuses the cell */
    if (*unit && fabs(size - m->size) > 0)
        v *= size / m->size;
    csv->cells[at] = ec_arena_str(&csv->arena, ec_fmt_double(text, sizeof text, v));
    return ec_allocated(csv->cells[at], err);
}

enum ec_status ec_table_plain_numbers(struct ec_csv *csv, struct ec_err *err)
{
    int col, row;

    for (col = 0; col < csv->n_cols; col++) {
        struct ec_meaning m = ec_column_meaning(csv->names[col]);

        if (!ec_column_holds_numbers(m.quantity))
            continue;
        if (!(m.size > 0))
            EC_PASS(name_unit(csv, col, &m, err));
        for (row = 0; row < csv->n_rows; row++)
            EC_PASS(make_plain(csv, row, col, &m, err));
    }
    return EC_OK;
}

enum ec_status ec_table_epoch_seconds(struct ec_csv *csv, struct ec_err *err)
{
    int col = ec_column_of(csv, EC_Q_EPOCH_TIME), row;
    double size = col < 0 ? 0 : ec_column_meaning(csv->names[col]).size, v;
    char text[EC_FMT_DOUBLE_BYTES];

    if (!(size > 0) || !(fabs(size - 1e9) > 0) || ec_column_like(csv, "time_per_epoch") >= 0)
        return EC_OK;
    csv->names[col] = "time_per_epoch";
    for (row = 0; row < csv->n_rows; row++) {
        const char **cell = &csv->cells[(size_t)row * (size_t)csv->n_cols + (size_t)col];

        if (ec_parse_double(ec_span_trim(ec_span_of(*cell)), &v))
            *cell = ec_arena_str(&csv->arena, ec_fmt_double(text, sizeof text, v * size / 1e9));
        EC_PASS(ec_allocated(*cell, err));
    }
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * A time or a rate, alone */

#define WORDS(name, key, counted, unit) { key, counted, unit },
const struct ec_speed_words ec_speed_words[] = { EC_SPEEDS(WORDS) };
#undef WORDS

/* "img/s", "tok/s", "it/s", "s/it", "FLOP/s" */
static bool speed_unit(struct ec_span unit, double v, struct ec_speed *ret)
{
    char name[TEXT_MAX_BYTES];
    struct ec_meaning m;

    if (!unit.len || unit.len >= sizeof name)
        return false;
    (void)ec_snprintf(name, sizeof name, "%.*s", (int)unit.len, unit.p);
    ret->kind = EC_SPEED_FLOP;
    ret->value = v;
    if (ec_str_ieq(name, "FLOP/s") || ec_str_ieq(name, "FLOPS"))
        return true;
    m = ec_column_meaning(name);
    ret->kind = ec__column_rate(m.quantity);
    ret->value = v * m.size;
    return (m.quantity == EC_Q_STEP_TIME || ret->kind) && m.size > 0;
}

/* Takes one of the ends off. */
static bool cut_end(struct ec_span *s, const char *const *ends)
{
    for (; *ends; ends++) {
        size_t len = strlen(*ends);

        if (s->len > len && !strncasecmp(s->p + s->len - len, *ends, len)) {
            *s = ec_span_trim((struct ec_span){ s->p, s->len - len });
            return true;
        }
    }
    return false;
}

/* "71 ms/step", "21 min/epoch" */
static bool time_of(struct ec_span s, struct ec_speed *ret)
{
    static const char *const epoch[] = { "/epoch", NULL };
    static const char *const step[] = { "/step", "/iteration", "/iter", "/it", "/batch", NULL };
    bool is_epoch = cut_end(&s, epoch);

    if (!is_epoch)
        (void)cut_end(&s, step);
    ret->kind = is_epoch ? EC_SPEED_EPOCHS : EC_SPEED_TIME;
    if (!ec_parse_duration(s, &ret->value))
        return false;
    ret->value = is_epoch ? 1e9 / ret->value : ret->value;
    return true;
}

bool ec_parse_speed(struct ec_span text, struct ec_speed *ret)
{
    static const char prefixes[] = "kMGTP";
    static const char *const each[] = { "/gpu", "/device", NULL };
    char plain[2 * TEXT_MAX_BYTES], digits[TEXT_MAX_BYTES], *per;
    struct ec_span s = ec_span_trim(text), number, unit;
    double v;
    int i;

    *ret = (struct ec_speed){ .kind = EC_SPEED_TIME };
    if (s.len >= sizeof plain)
        return false;
    ec__column_name(s, plain, sizeof plain);
    while ((per = strstr(plain, " per ")) != NULL) {
        *per = '/';
        memmove(per + 1, per + 5, strlen(per + 5) + 1);
    }
    number = s = ec_span_of(plain);
    if (time_of(s, ret))
        return true;
    ret->of_each = cut_end(&s, each);
    ret->kind = EC_SPEED_BYTES;
    for (number.len = 0; number.len < s.len && strchr(DIGITS ".,", s.p[number.len]); number.len++)
        continue;
    unit = ec_span_trim((struct ec_span){ s.p + number.len, s.len - number.len });
    ec__column_name(number, digits, sizeof digits);
    if (!unit.len || (!ec_parse_double(number, &v) && !parse_thousands(digits, &v)) || !(v > 0))
        return false;
    if (ec_parse_byte_rate(s, &ret->value) || speed_unit(unit, v, ret))
        return isfinite(ret->value);
    for (i = 0; prefixes[i] && prefixes[i] != *unit.p; i++)
        continue;
    if (!prefixes[i])
        return false;
    unit = ec_span_trim((struct ec_span){ unit.p + 1, unit.len - 1 });
    return speed_unit(unit, v * pow(1000, i + 1), ret) && isfinite(ret->value);
}
