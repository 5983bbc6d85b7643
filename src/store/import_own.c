/* Reading back what `export` wrote: rows keep their source, so that they are known again. */
#include "store/store_internal.h"

#include "op/op.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* As tables of others are held to. */
#define READING_MAX 1e18
#define COUNT_MAX 1000000000000000

struct own_import {
    struct ec_store *s;
    struct ec_store_counts *counts;
    struct ec_arena a;         /* of one row */
    int64_t rows;              /* read so far */
    struct ec_row_fault fault; /* the first of the row */
    struct ec_err *err;
};

bool ec__own_table(const struct ec_csv *csv)
{
    return ec_csv_col(csv, "source_key") >= 0 && ec_csv_col(csv, "source_row") >= 0 &&
           ec_csv_col(csv, "reading") >= 0 && ec_csv_col(csv, "what") >= 0;
}

static void find_fault(struct own_import *im, const char *column, const char *found,
                       const char *expected)
{
    if (!im->fault.column)
        im->fault = (struct ec_row_fault){ column, found, expected };
}

static void set_count(struct own_import *im, const struct ec_own_col *col, const char *text,
                      char *at)
{
    int64_t v = 0, max = col->type == EC_OWN_COUNT ? COUNT_MAX : INT32_MAX;
    int n;

    if (*text && (!ec_parse_int(ec_span_of(text), &v) || v < 0 || v > max)) {
        find_fault(im, col->name, text, "a whole number of at least 0");
        return;
    }
    if (col->type == EC_OWN_COUNT) {
        memcpy(at, &v, sizeof v);
        return;
    }
    n = (int)v;
    memcpy(at, &n, sizeof n);
}

static void set_number(struct own_import *im, const struct ec_own_col *col, const char *text,
                       char *at)
{
    struct ec_reading v = { .known = *text != '\0' };

    if (v.known &&
        (!ec_parse_double(ec_span_of(text), &v.ns) || !(v.ns >= 0) || v.ns > READING_MAX)) {
        find_fault(im, col->name, text, "a number from 0 to 10^18");
        return;
    }
    if (col->type == EC_OWN_NUMBER)
        memcpy(at, &v.ns, sizeof v.ns);
    else
        memcpy(at, &v, sizeof v);
}

static void set_cell(struct own_import *im, const struct ec_own_col *col, const char *text,
                     struct ec_stored *row)
{
    char *at = (char *)row + col->offset;

    if (col->type == EC_OWN_COUNT || col->type == EC_OWN_ROW)
        set_count(im, col, text, at);
    else if (col->type == EC_OWN_NUMBER || col->type == EC_OWN_TIME)
        set_number(im, col, text, at);
    else
        memcpy(at, &text, sizeof text);
}

static bool is_kind(const char *word)
{
    int i;

    for (i = 0; ec_record_kinds[i]; i++)
        if (ec_str_eq(ec_record_kinds[i], word))
            return true;
    return false;
}

/* Descriptions stand beside measurements and have no figures. */
static bool lacks_figures(const struct ec_stored *row, const struct ec_jval *samples)
{
    static const char *const describe[] = { "configuration", "device", "published" };
    int i;

    for (i = 0; i < EC_LEN(describe); i++)
        if (ec_str_eq(describe[i], row->r.kind))
            return false;
    return ec_str_eq(row->r.outcome, "ok") && !row->r.time.known && !(row->r.m.memory_bytes > 0) &&
           !(samples && samples->type == EC_J_ARRAY && samples->child);
}

/* An operator that ran has a case of ours. */
static enum ec_status check_case(struct own_import *im, const struct ec_stored *row)
{
    struct ec_owned_case c = { 0 };
    enum ec_status st;

    if (!ec_str_eq(row->r.kind, "operator") || !ec_str_eq(row->r.outcome, "ok"))
        return EC_OK;
    st = ec_case_parse(row->r.m.what, &c, NULL);
    ec_case_clear(&c);
    if (st == EC_E_NOMEM)
        return ec_nomem(im->err);
    if (st)
        find_fault(im, "what", row->r.m.what, "a case");
    return EC_OK;
}

/* The rules of other tables: a row without figures is no measurement that went well. */
static enum ec_status check_row(struct own_import *im, struct ec_stored *row,
                                const struct ec_jval *samples)
{
    struct ec_record *r = &row->r;
    enum ec_status st = check_case(im, row);

    if (st)
        return st;
    if (!is_kind(r->kind))
        find_fault(im, "kind", r->kind, "a kind of measurement");
    if (!*r->m.what && ec_str_eq(r->kind, "network"))
        find_fault(im, "what", "", "a network");
    if (r->time.known && !(r->time.ns > 0))
        find_fault(im, "time_ns", "0", "a time above zero");
    if (im->fault.column || !lacks_figures(row, samples))
        return EC_OK;
    r->outcome = "error";
    r->flags = ec_arena_printf(&im->a, "%s%sno_time", r->flags, *r->flags ? " " : "");
    im->counts->no_time++;
    return r->flags ? EC_OK : ec_nomem(im->err);
}

static void leave_out(struct own_import *im)
{
    struct ec_store_counts *c = im->counts;

    if (c->left_out < EC_STORE_WHY_MAX)
        (void)snprintf(c->why[c->left_out], EC_STORE_WHY_BYTES,
                       "row %lld, column %.40s: found \"%.60s\", expected %s", (long long)im->rows,
                       im->fault.column, im->fault.found, im->fault.expected);
    c->left_out++;
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
    EC_TRY(check_row(im, row, samples));
    if (im->fault.column) {
        leave_out(im);
        return EC_OK;
    }
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
    im->fault = (struct ec_row_fault){ 0 };
    for (i = 0; ec__own_cols[i].name; i++)
        set_cell(im, &ec__own_cols[i], ec_csv_cell(csv, at, cols[i]), &row);
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
    set_cell(im, col, copy, row);
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
    im->fault = (struct ec_row_fault){ 0 };
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
