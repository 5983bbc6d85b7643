/* Measurements as CSV and JSON lines, read again by import_own.c. */
#include "store/store_internal.h"

void ec_export_header(enum ec_export_form form, struct ec_buf *out)
{
    const struct ec_record_col *c;

    if (form != EC_EXPORT_CSV)
        return;
    for (c = ec_record_cols; c->name; c++)
        if (c->table)
            ec_buf_printf(out, "%s,", c->name);
    ec_buf_str(out, "samples\n");
}

/* [[iteration, host_ns, device_ns, "flags"], ...]; nothing measured is null. */
static void put_samples(const struct ec_sample *v, int n, struct ec_buf *out)
{
    int i;

    ec_buf_char(out, '[');
    for (i = 0; i < n; i++) {
        ec_buf_printf(out, "%s[%lld,", i ? "," : "", (long long)v[i].iteration);
        if (v[i].host_ns)
            ec_buf_printf(out, "%lld,", (long long)v[i].host_ns);
        else
            ec_buf_str(out, "null,");
        if (v[i].device_ns)
            ec_buf_printf(out, "%lld,", (long long)v[i].device_ns);
        else
            ec_buf_str(out, "null,");
        ec_json_quote(out, v[i].flags);
        ec_buf_char(out, ']');
    }
    ec_buf_char(out, ']');
}

/* The text of a cell; false when nothing is known. */
static bool has_cell(const struct ec_record_col *c, const struct ec_stored *row,
                     struct ec_buf *cell, struct ec_buf *out)
{
    bool known;

    ec_buf_reset(cell);
    known = ec_record_put(c, &row->r, cell);
    out->st = out->st ? out->st : cell->st;
    return known;
}

static void csv_row(const struct ec_stored *row, const struct ec_buf *samples, struct ec_buf *cell,
                    struct ec_buf *out)
{
    const struct ec_record_col *c;

    for (c = ec_record_cols; c->name; c++) {
        if (!c->table)
            continue;
        if (has_cell(c, row, cell, out))
            ec_csv_put(out, ec_buf_text(cell));
        ec_buf_char(out, ',');
    }
    ec_csv_put(out, ec_buf_text(samples));
    ec_buf_char(out, '\n');
}

static bool is_text(const struct ec_record_col *c)
{
    return c->type == EC_C_TEXT || c->type == EC_C_KIND || c->type == EC_C_PHASE ||
           c->type == EC_C_WORD;
}

/* Line breaks of an object that was laid out for people. */
static void put_in_line(const char *json, struct ec_buf *out)
{
    for (; *json; json++)
        ec_buf_char(out, *json == '\n' || *json == '\r' ? ' ' : *json);
}

static void json_row(const struct ec_stored *row, const struct ec_buf *samples, struct ec_buf *cell,
                     struct ec_buf *out)
{
    const struct ec_record_col *c;
    int n = 0;

    ec_buf_char(out, '{');
    for (c = ec_record_cols; c->name; c++) {
        if (!c->table || !has_cell(c, row, cell, out))
            continue;
        ec_buf_printf(out, "%s\"%s\":", n++ ? "," : "", c->name);
        if (is_text(c))
            ec_json_quote(out, ec_buf_text(cell));
        else
            put_in_line(ec_buf_text(cell), out);
    }
    if (samples->len)
        ec_buf_printf(out, ",\"samples\":%s", ec_buf_text(samples));
    ec_buf_str(out, "}\n");
}

enum ec_status ec_export_row(struct ec_store *s, const struct ec_stored *row,
                             enum ec_export_form form, struct ec_buf *out, struct ec_err *err)
{
    struct ec_buf samples = EC_BUF_INIT, cell = EC_BUF_INIT;
    struct ec_sample *v = NULL;
    struct ec_arena a = { 0 };
    enum ec_status st = EC_OK;
    int n = 0;

    if (row->n_samples) {
        EC_TRY(ec_store_samples(s, row->id, &a, &v, &n, err));
        put_samples(v, n, &samples);
        EC_TRY(ec_buf_status(&samples, err));
    }
    if (form == EC_EXPORT_CSV)
        csv_row(row, &samples, &cell, out);
    else
        json_row(row, &samples, &cell, out);
    EC_TRY(ec_buf_status(out, err));
out:
    ec_free(v);
    ec_arena_clear(&a);
    ec_buf_clear(&cell);
    ec_buf_clear(&samples);
    return st;
}
