/* Measurements as CSV and JSON lines: one table of columns, written here and read in import_own.c.
 */
#include "store/store_internal.h"

#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(struct ec_stored, member)

/* clang-format off */
const struct ec_own_col ec__own_cols[] = {
    { "source_key", EC_OWN_TEXT, AT(source_key) },
    { "source_row", EC_OWN_ROW, AT(r.m.row) },
    { "reading", EC_OWN_TEXT, AT(r.reading) },
    { "kind", EC_OWN_TEXT, AT(r.kind) },
    { "what", EC_OWN_TEXT, AT(r.m.what) },
    { "family", EC_OWN_TEXT, AT(r.m.family) },
    { "device", EC_OWN_TEXT, AT(r.m.device) },
    { "device_name", EC_OWN_TEXT, AT(r.device_name) },
    { "framework", EC_OWN_TEXT, AT(r.m.framework) },
    { "framework_version", EC_OWN_TEXT, AT(r.framework_version) },
    { "libraries", EC_OWN_TEXT, AT(r.libraries) },
    { "precision", EC_OWN_TEXT, AT(r.m.precision) },
    { "memory_format", EC_OWN_TEXT, AT(r.m.memory_format) },
    { "mode", EC_OWN_TEXT, AT(r.m.mode) },
    { "phase", EC_OWN_TEXT, AT(phase) },
    { "optimizer", EC_OWN_TEXT, AT(r.m.optimizer) },
    { "batch", EC_OWN_COUNT, AT(r.m.batch) },
    { "image_px", EC_OWN_COUNT, AT(r.m.image_px) },
    { "seq_len", EC_OWN_COUNT, AT(r.m.seq_len) },
    { "num_devices", EC_OWN_COUNT, AT(r.num_devices) },
    { "outcome", EC_OWN_TEXT, AT(r.outcome) },
    { "time_ns", EC_OWN_TIME, AT(r.time) },
    { "time_stat", EC_OWN_TEXT, AT(r.time_stat) },
    { "time_min_ns", EC_OWN_TIME, AT(r.min) },
    { "time_max_ns", EC_OWN_TIME, AT(r.max) },
    { "time_mean_ns", EC_OWN_TIME, AT(r.mean) },
    { "time_std_ns", EC_OWN_TIME, AT(r.std) },
    { "n_samples", EC_OWN_COUNT, AT(r.n_samples) },
    { "memory_peak_bytes", EC_OWN_NUMBER, AT(r.m.memory_bytes) },
    { "memory_kind", EC_OWN_TEXT, AT(r.memory_kind) },
    { "memory_reserved_bytes", EC_OWN_COUNT, AT(r.memory_reserved_bytes) },
    { "method", EC_OWN_TEXT, AT(r.method) },
    { "threads", EC_OWN_COUNT, AT(r.threads) },
    { "n_warm_up", EC_OWN_COUNT, AT(r.n_warm_up) },
    { "held_out", EC_OWN_COUNT, AT(held_out) },
    { "run", EC_OWN_TEXT, AT(r.run) },
    { "flags", EC_OWN_TEXT, AT(r.flags) },
    { "extra", EC_OWN_JSON, AT(r.extra) },
    { "source_name", EC_OWN_TEXT, AT(source_name) },
    { "layout", EC_OWN_TEXT, AT(r.m.layout) },
    { "licence", EC_OWN_TEXT, AT(licence) },
    { "url", EC_OWN_TEXT, AT(url) },
    { "sha256", EC_OWN_TEXT, AT(sha256) },
    { "file_name", EC_OWN_TEXT, AT(file_name) },
    { "imported_utc", EC_OWN_TEXT, AT(imported) },
    { "machine", EC_OWN_JSON, AT(machine_json) },
    { NULL, EC_OWN_TEXT, 0 },
};
/* clang-format on */

void ec_export_header(enum ec_export_form form, struct ec_buf *out)
{
    int i;

    if (form != EC_EXPORT_CSV)
        return;
    for (i = 0; ec__own_cols[i].name; i++)
        ec_buf_printf(out, "%s,", ec__own_cols[i].name);
    ec_buf_str(out, "samples\n");
}

/* The text of a cell; false when nothing is known. */
static bool cell_text(const struct ec_own_col *col, const struct ec_stored *row, struct ec_buf *out)
{
    const char *at = (const char *)row + col->offset;
    char number[EC_FMT_DOUBLE_BYTES];
    struct ec_reading reading;
    const char *text;
    int64_t count;
    double v;
    int n;

    ec_buf_reset(out);
    switch (col->type) {
    case EC_OWN_TEXT:
    case EC_OWN_JSON:
        memcpy(&text, at, sizeof text);
        ec_buf_str(out, text);
        return *text;
    case EC_OWN_COUNT:
        memcpy(&count, at, sizeof count);
        ec_buf_printf(out, "%lld", (long long)count);
        return count;
    case EC_OWN_ROW:
        memcpy(&n, at, sizeof n);
        ec_buf_printf(out, "%d", n);
        return true;
    case EC_OWN_NUMBER:
        memcpy(&v, at, sizeof v);
        ec_buf_str(out, ec_fmt_double(number, sizeof number, v));
        return v > 0;
    case EC_OWN_TIME:
        memcpy(&reading, at, sizeof reading);
        ec_buf_str(out, ec_fmt_double(number, sizeof number, reading.ns));
        return reading.known;
    }
    return false;
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

/* Medians of samples are computed when they are read: the row itself has no time. */
static bool left_empty(const struct ec_own_col *col, const struct ec_stored *row)
{
    return row->n_samples && col->offset == AT(r.time);
}

/* The cell is emptied for the next one: its failure becomes the line's. */
static bool has_cell(const struct ec_own_col *col, const struct ec_stored *row, struct ec_buf *cell,
                     struct ec_buf *out)
{
    bool known = cell_text(col, row, cell);

    out->st = out->st ? out->st : cell->st;
    return known && !left_empty(col, row);
}

static void csv_row(const struct ec_stored *row, const struct ec_buf *samples, struct ec_buf *cell,
                    struct ec_buf *out)
{
    int i;

    for (i = 0; ec__own_cols[i].name; i++) {
        if (has_cell(&ec__own_cols[i], row, cell, out))
            ec_csv_put(out, ec_buf_text(cell));
        ec_buf_char(out, ',');
    }
    ec_csv_put(out, ec_buf_text(samples));
    ec_buf_char(out, '\n');
}

static void json_row(const struct ec_stored *row, const struct ec_buf *samples, struct ec_buf *cell,
                     struct ec_buf *out)
{
    int i;

    ec_buf_char(out, '{');
    for (i = 0; ec__own_cols[i].name; i++) {
        const struct ec_own_col *col = &ec__own_cols[i];

        if (!has_cell(col, row, cell, out))
            continue;
        ec_buf_printf(out, "%s\"%s\":", i ? "," : "", col->name);
        if (col->type == EC_OWN_TEXT)
            ec_json_quote(out, ec_buf_text(cell));
        else
            ec_buf_str(out, ec_buf_text(cell));
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
