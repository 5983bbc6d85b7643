/* The order of series and categories: numbers by size, words as they first occur. It must not
 * depend on the order of rows, which a campaign draws at random. */
#include "report/picture_internal.h"

#include <string.h>

struct cells {
    const struct ec_csv *t;
    const int *cols, *rows;
    int n_cols;
};

static int compare_rows(const void *user, int a, int b)
{
    const struct cells *c = user;
    int i, by = 0;

    for (i = 0; i < c->n_cols && !by; i++)
        if (c->cols[i] >= 0)
            by = strcmp(ec_csv_cell(c->t, c->rows ? c->rows[a] : a, c->cols[i]),
                        ec_csv_cell(c->t, c->rows ? c->rows[b] : b, c->cols[i]));
    return by;
}

enum ec_status ec__csv_group(const struct ec_csv *t, const int *cols, int n, const int *rows,
                             int n_rows, struct ec_groups *ret, struct ec_err *err)
{
    const struct cells cells = { t, cols, rows, n };

    return ec_group(n_rows, compare_rows, &cells, ret, err);
}

struct sorting {
    const struct ec_csv *t;
    const struct ec__names *names;
    struct ec_groups words[EC__GROUP_MAX]; /* of each column: numbered as they first occur */
};

static int by_cells(const void *user, int a, int b)
{
    const struct sorting *s = user;
    int p = s->names->row[a], q = s->names->row[b], i;

    for (i = 0; i < s->names->n_cols; i++) {
        const char *x = ec_csv_cell(s->t, p, s->names->cols[i]);
        const char *y = ec_csv_cell(s->t, q, s->names->cols[i]);
        double v = 0, w = 0;
        bool v_known, w_known;

        if (ec_str_eq(x, y))
            continue;
        v_known = ec_parse_double(ec_span_of(x), &v);
        w_known = ec_parse_double(ec_span_of(y), &w);
        if (v_known != w_known)
            return v_known ? -1 : 1;
        if (!v_known)
            return s->words[i].of[p] - s->words[i].of[q];
        if (v < w || v > w)
            return v < w ? -1 : 1;
    }
    return 0;
}

enum ec_status ec__names_sort(const struct ec_csv *t, const struct ec__names *names, int *ret_to,
                              struct ec_err *err)
{
    struct sorting by = { .t = t, .names = names };
    int n = names->n, *item = ec_alloc(sizeof *item * 2 * ((size_t)n + 1)), i;
    enum ec_status st = item ? EC_OK : ec_nomem(err);

    for (i = 0; i < names->n_cols && !st; i++)
        st = ec__csv_group(t, &names->cols[i], 1, NULL, t->n_rows, &by.words[i], err);
    for (i = 0; i < n && !st; i++)
        item[i] = i;
    if (!st)
        ec_sort_items(item, n, item + n + 1, by_cells, &by);
    for (i = 0; i < n && !st; i++)
        ret_to[item[i]] = i;
    for (i = 0; i < names->n_cols; i++)
        ec_groups_clear(&by.words[i]);
    ec_free(item);
    return st;
}
