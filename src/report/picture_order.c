/* The order of series and categories: numbers by size, words as they first occur. It must not
 * depend on the order of rows, which a campaign draws at random. */
#include "report/picture_internal.h"

#include <stdlib.h>
#include <string.h>

struct sorting {
    const struct ec_csv *t;
    const int *cols;
    int n_cols;
};
struct place {
    int index, row; /* row: its first row */
    const struct sorting *by;
};

static int first_row(const struct ec_csv *t, int col, const char *text)
{
    int row;

    for (row = 0; !ec_str_eq(ec_csv_cell(t, row, col), text); row++)
        continue;
    return row;
}

static int by_cells(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    const struct sorting *s = p->by;
    int i;

    for (i = 0; i < s->n_cols; i++) {
        const char *x = ec_csv_cell(s->t, p->row, s->cols[i]);
        const char *y = ec_csv_cell(s->t, q->row, s->cols[i]);
        double v = 0, w = 0;
        bool v_known, w_known;

        if (ec_str_eq(x, y))
            continue;
        v_known = ec_parse_double(ec_span_of(x), &v);
        w_known = ec_parse_double(ec_span_of(y), &w);
        if (v_known != w_known)
            return v_known ? -1 : 1;
        if (!v_known)
            return first_row(s->t, s->cols[i], x) - first_row(s->t, s->cols[i], y);
        if (v < w || v > w)
            return v < w ? -1 : 1;
    }
    return p->index - q->index;
}

enum ec_status ec__names_sort(const struct ec_csv *t, const int *cols, int n_cols,
                              const char **names, const int *rows, int n, int *ret_to,
                              struct ec_err *err)
{
    struct sorting by = { t, cols, n_cols };
    struct place *v = ec_alloc(sizeof *v * (size_t)(n + 1));
    const char **old = ec_alloc(sizeof *old * (size_t)(n + 1));
    enum ec_status st = v && old ? EC_OK : ec_nomem(err);
    int i;

    for (i = 0; i < n && !st; i++) {
        v[i] = (struct place){ i, rows[i], &by };
        old[i] = names[i];
    }
    if (!st)
        qsort(v, (size_t)n, sizeof *v, by_cells);
    for (i = 0; i < n && !st; i++) {
        names[i] = old[v[i].index];
        ret_to[v[i].index] = i;
    }
    ec_free(v);
    ec_free(old);
    return st;
}
