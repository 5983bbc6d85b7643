/* Fills tables, and writes them as CSV and JSON. */
#include "report/report_internal.h"

#include <math.h>

void ec_table_init(struct ec_table *t, const struct ec_col *cols, int n_cols)
{
    *t = (struct ec_table){ .cols = cols, .n_cols = n_cols };
}

void ec_table_clear(struct ec_table *t)
{
    if (!t)
        return;
    ec_free(t->cells);
    ec_free(t->rules);
    ec_arena_clear(&t->arena);
    *t = (struct ec_table){ 0 };
}

void ec_table_cells(struct ec_table *t, const struct ec_cell *cells, int n)
{
    int i;

    if (!t->st)
        t->st = ec_grow(&t->cells, &t->cap_cells, t->n_cells + n, sizeof *t->cells, NULL);
    for (i = 0; i < n && !t->st; i++) {
        struct ec_cell cell = cells[i];
        bool known = cell.kind == EC_CELL_TEXT ? cell.v.text != NULL
                                               : cell.kind != EC_CELL_NUM || isfinite(cell.v.num);

        if (known && cell.kind == EC_CELL_TEXT) {
            cell.v.text = ec_arena_str(&t->arena, cell.v.text);
            t->st = cell.v.text ? EC_OK : EC_E_NOMEM;
        }
        t->cells[t->n_cells++] = known ? cell : ec_none();
    }
}

void ec_table_text(struct ec_table *t, const char *v)
{
    ec_table_row(t, ec_text(v));
}

void ec_table_num(struct ec_table *t, double v)
{
    ec_table_row(t, ec_num(v));
}

void ec_table_int(struct ec_table *t, int64_t v)
{
    ec_table_row(t, ec_int(v));
}

void ec_table_bool(struct ec_table *t, bool v)
{
    ec_table_row(t, ec_bool(v));
}

void ec_table_none(struct ec_table *t)
{
    ec_table_row(t, ec_none());
}

void ec_table_rule(struct ec_table *t)
{
    if (!t->st)
        t->st = ec_grow(&t->rules, &t->cap_rules, t->n_rules + 1, sizeof *t->rules, NULL);
    if (!t->st)
        t->rules[t->n_rules++] = ec_table_rows(t);
}

int ec_table_rows(const struct ec_table *t)
{
    return t->n_cells / t->n_cols;
}

static void csv_cell(const struct ec_cell *cell, struct ec_buf *out)
{
    char text[EC_FMT_DOUBLE_BYTES];

    switch (cell->kind) {
    case EC_CELL_NONE:
        break;
    case EC_CELL_TEXT:
        ec_csv_put(out, cell->v.text);
        break;
    case EC_CELL_NUM:
        if (isfinite(cell->v.num))
            ec_buf_str(out, ec_fmt_double(text, sizeof text, cell->v.num));
        break;
    case EC_CELL_INT:
        ec_buf_printf(out, "%lld", (long long)cell->v.i);
        break;
    case EC_CELL_BOOL:
        ec_buf_char(out, cell->v.b ? '1' : '0');
        break;
    }
}

void ec__table_csv(const struct ec_table *t, struct ec_buf *out)
{
    int row, col, n;

    for (row = -1; row < ec_table_rows(t); row++) {
        for (col = 0, n = 0; col < t->n_cols; col++) {
            if (t->cols[col].flags & EC_COL_TEXT_ONLY)
                continue;
            if (n++)
                ec_buf_char(out, ',');
            if (row < 0)
                ec_csv_put(out, t->cols[col].key);
            else
                csv_cell(&t->cells[row * t->n_cols + col], out);
        }
        ec_buf_char(out, '\n');
    }
}

static void json_cell(const struct ec_cell *cell, struct ec_json *j, const char *key)
{
    switch (cell->kind) {
    case EC_CELL_NONE:
        ec_json_null(j, key);
        break;
    case EC_CELL_TEXT:
        ec_json_str(j, key, cell->v.text);
        break;
    case EC_CELL_NUM:
        ec_json_num(j, key, cell->v.num);
        break;
    case EC_CELL_INT:
        ec_json_int(j, key, cell->v.i);
        break;
    case EC_CELL_BOOL:
        ec_json_bool(j, key, cell->v.b);
        break;
    }
}

enum ec_status ec_table_json(const struct ec_table *t, struct ec_json *j, const char *key,
                             struct ec_err *err)
{
    int row, col;

    if (t->st)
        return ec_nomem(err);
    ec_json_open(j, key, '[');
    for (row = 0; row < ec_table_rows(t); row++) {
        ec_json_open(j, NULL, '{');
        for (col = 0; col < t->n_cols; col++)
            if (!(t->cols[col].flags & EC_COL_TEXT_ONLY))
                json_cell(&t->cells[row * t->n_cols + col], j, t->cols[col].key);
        ec_json_close(j, '}');
    }
    ec_json_close(j, ']');
    return ec_buf_status(j->out, err);
}
