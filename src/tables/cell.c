/* Reads cells of tables by the name of a column, or of a key in a cell; computes times from several
 * cells. */
#include "tables/mapping_internal.h"

#include <stdio.h>
#include <string.h>

void ec__column_name(struct ec_span s, char *out, size_t size)
{
    (void)snprintf(out, size, "%.*s", s.len >= size ? 0 : (int)s.len, s.len ? s.p : "");
}

struct ec_span ec__cell_part(const char *cell, struct ec_span key)
{
    struct ec_span rest = ec_span_of(cell), word;
    bool is_next = false; /* "key: value" are two words */

    while (rest.p && ec_span_cut(&rest, ' ', &word)) {
        if (!word.len)
            continue;
        if (is_next)
            return word;
        if (word.len <= key.len || memcmp(word.p, key.p, key.len) != 0)
            continue;
        if (word.p[key.len] == '=')
            return (struct ec_span){ word.p + key.len + 1, word.len - key.len - 1 };
        is_next = word.p[key.len] == ':' && word.len == key.len + 1;
    }
    return (struct ec_span){ NULL, 0 };
}

static int find_one(const struct ec_csv *csv, struct ec_span name, struct ec_span *ret_key)
{
    struct ec_span before;
    char column[64];
    int col;

    *ret_key = (struct ec_span){ NULL, 0 };
    ec__column_name(name, column, sizeof column);
    col = ec_csv_col(csv, column);
    if (col >= 0 || !name.len || !memchr(name.p, '.', name.len))
        return col;
    *ret_key = name;
    (void)ec_span_cut(ret_key, '.', &before);
    ec__column_name(before, column, sizeof column);
    return ec_csv_col(csv, column);
}

int ec__column_find(const struct ec_csv *csv, struct ec_span name, struct ec_span *ret_key)
{
    struct ec_span one = { NULL, 0 };
    int col = -1;

    if (!name.len || !memchr(name.p, '|', name.len))
        return find_one(csv, name, ret_key);
    while (col < 0 && name.p && ec_span_cut(&name, '|', &one))
        col = find_one(csv, one, ret_key);
    return col;
}

int ec__column_named(const struct ec_csv *csv, const char *name)
{
    struct ec_span key;

    if (!name)
        return -1;
    if (!strchr(name, '|'))
        return ec_csv_col(csv, name);
    return ec__column_find(csv, ec_span_of(name), &key);
}

void ec__word_put(const struct ec_csv *csv, int row, const char *word, struct ec_buf *out)
{
    const char *open, *close;
    char room[64];

    while ((open = strchr(word, '{')) && (close = strchr(open, '}'))) {
        ec_buf_add(out, word, (size_t)(open - word));
        ec_buf_str(out, ec__cell(csv, row, (struct ec_span){ open + 1, (size_t)(close - open - 1) },
                                 room, sizeof room));
        word = close + 1;
    }
    ec_buf_str(out, word);
}

const char *ec__cell(const struct ec_csv *csv, int row, struct ec_span name, char *room,
                     size_t size)
{
    struct ec_span key;
    const char *cell = ec_csv_cell(csv, row, ec__column_find(csv, name, &key));

    if (!key.len)
        return cell;
    ec__column_name(ec__cell_part(cell, key), room, size);
    return room;
}

static double number_of(const struct ec_csv *csv, int row, struct ec_span name)
{
    char room[64];
    double v = 0;

    return ec_parse_double(ec_span_of(ec__cell(csv, row, name, room, sizeof room)), &v) ? v : 0;
}

/* The product of the cells of these columns; 0 if one is not a number, 1 without columns. */
static double product_of(const struct ec_csv *csv, int row, const char *columns)
{
    struct ec_span rest = ec_span_of(columns), word;
    double product = 1;

    while (rest.p && ec_span_cut(&rest, ' ', &word))
        product *= word.len ? number_of(csv, row, word) : 1;
    return product;
}

double ec__mapping_time_ns(const struct ec_mapping_time *t, const struct ec_csv *csv, int row,
                           double value)
{
    double tflops;

    if (!t->multiply_adds)
        return value * (t->unit_ns > 0 ? t->unit_ns : 1e6);
    tflops = value * product_of(csv, row, t->peak_tflops);
    return tflops > 0 ? 2 * product_of(csv, row, t->multiply_adds) / (tflops * 1e3) : 0;
}
