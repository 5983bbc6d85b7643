/* Reading back what `export` wrote: rows keep their source, so that they are known again. */
#include "store/store_internal.h"

#include "op/op.h"

#include <math.h>
#include <string.h>

struct own_import {
    struct ec_store *s;
    struct ec_store_counts *counts;
    struct ec_arena a; /* of one row */
    int64_t rows;      /* read so far */
    struct ec_err *err;
};

bool ec__own_table(const struct ec_csv *csv)
{
    return ec_csv_col(csv, "source_key") >= 0 && ec_csv_col(csv, "source_row") >= 0 &&
           ec_csv_col(csv, "reading") >= 0 && ec_csv_col(csv, "what") >= 0;
}

static enum ec_status fail_cell(const struct own_import *im, const struct ec_own_col *col,
                                const char *text)
{
    return ec_fail(im->err, EC_E_PARSE, "row %lld: %s is \"%.60s\", a number is expected",
                   (long long)im->rows, col->name, text);
}

static enum ec_status set_count(const struct own_import *im, const struct ec_own_col *col,
                                const char *text, char *at)
{
    int64_t v = 0;
    int n;

    if (*text && (!ec_parse_int(ec_span_of(text), &v) || v < 0))
        return fail_cell(im, col, text);
    if (col->type == EC_OWN_COUNT) {
        memcpy(at, &v, sizeof v);
        return EC_OK;
    }
    if (v > INT32_MAX)
        return fail_cell(im, col, text);
    n = (int)v;
    memcpy(at, &n, sizeof n);
    return EC_OK;
}

static enum ec_status set_number(const struct own_import *im, const struct ec_own_col *col,
                                 const char *text, char *at)
{
    struct ec_reading v = { .known = *text != '\0' };

    if (v.known && !ec_parse_double(ec_span_of(text), &v.ns))
        return fail_cell(im, col, text);
    if (col->type == EC_OWN_NUMBER)
        memcpy(at, &v.ns, sizeof v.ns);
    else
        memcpy(at, &v, sizeof v);
    return EC_OK;
}

static enum ec_status set_cell(const struct own_import *im, const struct ec_own_col *col,
                               const char *text, struct ec_stored *row)
{
    char *at = (char *)row + col->offset;

    if (col->type == EC_OWN_COUNT || col->type == EC_OWN_ROW)
        return set_count(im, col, text, at);
    if (col->type == EC_OWN_NUMBER || col->type == EC_OWN_TIME)
        return set_number(im, col, text, at);
    memcpy(at, &text, sizeof text);
    return EC_OK;
}

static int phase_of(const char *name)
{
    int p;

    for (p = 0; p < EC_PHASE_COUNT; p++)
        if (ec_str_eq(ec_phase_name((enum ec_phase)p), name))
            return p;
    return -1;
}

static bool take_ns(const struct ec_jval *v, int64_t *ret)
{
    *ret = v->type == EC_J_NUM && v->is_int ? v->i : 0;
    return v->type == EC_J_NULL || (v->type == EC_J_NUM && v->is_int && v->i >= 0);
}

static enum ec_status add_samples(struct own_import *im, int64_t id, const struct ec_jval *list)
{
    const struct ec_jval *v;
    enum ec_status st = EC_OK;

    if (list->type != EC_J_ARRAY)
        return ec_fail(im->err, EC_E_PARSE, "row %lld: samples are no list", (long long)im->rows);
    for (v = list->child; v && !st; v = v->next) {
        const struct ec_jval *c = v->type == EC_J_ARRAY && v->n == 4 ? v->child : NULL;
        struct ec_sample sample;

        if (!c || !c->is_int || !take_ns(c->next, &sample.host_ns) ||
            !take_ns(c->next->next, &sample.device_ns) || c->next->next->next->type != EC_J_STR)
            return ec_fail(im->err, EC_E_PARSE,
                           "row %lld: a sample is [iteration, host_ns, device_ns, flags]",
                           (long long)im->rows);
        sample.iteration = c->i;
        sample.flags = c->next->next->next->str;
        st = ec_store_add_sample(im->s, id, &sample, im->err);
        im->counts->samples += st ? 0 : sqlite3_changes(im->s->db);
    }
    return st;
}

static enum ec_status add_row(struct own_import *im, struct ec_stored *row,
                              const struct ec_jval *samples)
{
    struct ec_store_source source = { row->source_key, row->source_name, row->r.m.layout,
                                      row->licence,    row->url,         row->file_name,
                                      row->sha256,     row->imported };
    int64_t source_id = 0, machine_id = 0, id = 0;
    bool is_new = false;
    enum ec_status st = EC_OK;

    if (!*row->source_key || !*row->r.reading)
        return ec_fail(im->err, EC_E_PARSE, "row %lld: no source_key or no reading",
                       (long long)im->rows);
    row->r.m.phase = phase_of(row->phase);
    row->r.held_out = row->held_out != 0;
    EC_TRY(ec_store_add_source(im->s, &source, &source_id, im->err));
    if (*row->machine_json)
        EC_TRY(ec_store_add_machine(im->s, row->machine_json, &machine_id, im->err));
    EC_TRY(ec_store_add(im->s, source_id, machine_id, &row->r, &id, &is_new, im->err));
    im->counts->added += is_new;
    im->counts->known += !is_new;
    if (samples)
        EC_TRY(add_samples(im, id, samples));
out:
    return st;
}

/* Batches: called before each row, and with `more` false at the end. */
static enum ec_status turn_batch(struct own_import *im, bool more)
{
    enum ec_status st = EC_OK;

    if (im->s->in_batch && (!more || ec__store_batch_full(im->s)))
        st = ec__store_end(im->s, EC_OK, im->err);
    if (!st && more && !im->s->in_batch)
        st = ec_store_begin(im->s, im->err);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * CSV */

static enum ec_status csv_row(struct own_import *im, const struct ec_csv *csv, const int *cols,
                              int samples_col, int at)
{
    const char *samples = ec_csv_cell(csv, at, samples_col);
    const struct ec_jval *list = NULL;
    struct ec_stored row;
    enum ec_status st = EC_OK;
    int i;

    memset(&row, 0, sizeof row);
    im->rows = at + 1;
    for (i = 0; ec__own_cols[i].name; i++)
        EC_TRY(set_cell(im, &ec__own_cols[i], ec_csv_cell(csv, at, cols[i]), &row));
    if (*samples)
        EC_TRY(ec_json_parse(samples, strlen(samples), &im->a, &list, im->err));
    EC_TRY(add_row(im, &row, list));
out:
    ec_arena_clear(&im->a);
    return st;
}

enum ec_status ec__import_own_csv(struct ec_store *s, const struct ec_csv *csv,
                                  struct ec_store_counts *c, struct ec_err *err)
{
    struct own_import im = { .s = s, .counts = c, .err = err };
    enum ec_status st = EC_OK;
    int cols[64], row, i;

    for (i = 0; ec__own_cols[i].name && i < EC_LEN(cols); i++)
        cols[i] = ec_csv_col(csv, ec__own_cols[i].name);
    for (row = 0; row < csv->n_rows && !st; row++) {
        im.rows = row;
        st = turn_batch(&im, true);
        if (!st)
            st = csv_row(&im, csv, cols, ec_csv_col(csv, "samples"), row);
    }
    c->rows = csv->n_rows;
    if (s->in_batch)
        st = ec__store_end(s, st, err);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * JSON lines */

/* A parsed value back to text, for columns that are kept as JSON. */
static void print_value(const struct ec_jval *v, struct ec_buf *out)
{
    const struct ec_jval *c;
    char number[EC_FMT_DOUBLE_BYTES];

    switch (v->type) {
    case EC_J_NULL:
        ec_buf_str(out, "null");
        return;
    case EC_J_BOOL:
        ec_buf_str(out, v->b ? "true" : "false");
        return;
    case EC_J_NUM:
        if (v->is_int)
            ec_buf_printf(out, "%lld", (long long)v->i);
        else
            ec_buf_str(out, ec_fmt_double(number, sizeof number, v->num));
        return;
    case EC_J_STR:
        ec_json_quote(out, v->str);
        return;
    case EC_J_ARRAY:
    case EC_J_OBJECT:
        ec_buf_char(out, v->type == EC_J_ARRAY ? '[' : '{');
        for (c = v->child; c; c = c->next) {
            ec_buf_str(out, c == v->child ? "" : ",");
            if (v->type == EC_J_OBJECT) {
                ec_json_quote(out, c->key);
                ec_buf_char(out, ':');
            }
            print_value(c, out);
        }
        ec_buf_char(out, v->type == EC_J_ARRAY ? ']' : '}');
    }
}

static enum ec_status json_cell(struct own_import *im, const struct ec_own_col *col,
                                const struct ec_jval *v, struct ec_stored *row)
{
    struct ec_buf text = EC_BUF_INIT;
    const char *copy = "";
    enum ec_status st = EC_OK;

    if (v && v->type == EC_J_STR && col->type != EC_OWN_JSON) {
        copy = v->str;
    } else if (v && v->type != EC_J_NULL) {
        print_value(v, &text);
        EC_TRY(ec_buf_status(&text, im->err));
        copy = ec_arena_str(&im->a, ec_buf_text(&text));
        if (!copy)
            EC_TRY(ec_nomem(im->err));
    }
    EC_TRY(set_cell(im, col, copy, row));
out:
    ec_buf_clear(&text);
    return st;
}

static enum ec_status json_row(struct own_import *im, struct ec_span line)
{
    const struct ec_jval *root = NULL;
    struct ec_stored row;
    enum ec_status st = EC_OK;
    int i;

    memset(&row, 0, sizeof row);
    EC_TRY(ec_json_parse(line.p, line.len, &im->a, &root, im->err));
    if (root->type != EC_J_OBJECT)
        EC_TRY(ec_fail(im->err, EC_E_PARSE, "not an object"));
    for (i = 0; ec__own_cols[i].name; i++)
        EC_TRY(json_cell(im, &ec__own_cols[i], ec_json_get(root, ec__own_cols[i].name), &row));
    EC_TRY(add_row(im, &row, ec_json_get(root, "samples")));
out:
    if (st)
        ec_err_prefix(im->err, "line %lld: ", (long long)im->rows);
    ec_arena_clear(&im->a);
    return st;
}

enum ec_status ec__import_own_json(struct ec_store *s, const char *text, size_t len,
                                   struct ec_store_counts *c, struct ec_err *err)
{
    struct own_import im = { .s = s, .counts = c, .err = err };
    struct ec_span rest = { text, len }, line;
    enum ec_status st = EC_OK;

    while (!st && ec_span_cut(&rest, '\n', &line)) {
        line = ec_span_trim(line);
        if (!line.len)
            continue;
        st = turn_batch(&im, true);
        im.rows++;
        if (!st)
            st = json_row(&im, line);
    }
    c->rows = im.rows;
    if (s->in_batch)
        st = ec__store_end(s, st, err);
    return st;
}
