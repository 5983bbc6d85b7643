/* Reads what `export` wrote. Rows keep their source, so that they are recognised. */
#include "store/store_internal.h"

#include "op/op.h"

#include <stdio.h>
#include <string.h>

struct own_import {
    struct ec_store *s;
    struct ec_store_counts *counts;
    struct ec_arena a;         /* of one row */
    int64_t rows;              /* read so far */
    struct ec_row_fault fault; /* the first of the row */
    struct ec_err *err;
};

static void find_fault(struct own_import *im, const char *column, const char *found,
                       const char *expected)
{
    if (!im->fault.column)
        im->fault = (struct ec_row_fault){ column, found, expected };
}

static bool has_samples(const struct ec_jval *samples)
{
    return samples && samples->type == EC_J_ARRAY && samples->child;
}

static bool lacks_figures(const struct ec_record *r, const struct ec_jval *samples)
{
    return !ec__describes(r->kind) && ec_str_eq(r->outcome, "ok") && !r->time.known &&
           !(r->memory_peak_bytes > 0) && !has_samples(samples);
}

/* An operator that ran has a case of ours. */
static enum ec_status check_case(struct own_import *im, const struct ec_record *r)
{
    struct ec_owned_case c = { 0 };
    enum ec_status st;

    if (r->kind != EC_KIND_operator || !ec_str_eq(r->outcome, "ok"))
        return EC_OK;
    st = ec_case_parse(r->what, &c, NULL);
    ec_case_clear(&c);
    if (st == EC_E_NOMEM)
        return ec_nomem(im->err);
    if (st)
        find_fault(im, "what", r->what, "a case");
    return EC_OK;
}

/* Checks a row as for other tables: outcome ok needs a value. */
static enum ec_status check_row(struct own_import *im, struct ec_record *r,
                                const struct ec_jval *samples)
{
    EC_PASS(check_case(im, r));
    if (!*r->what && r->kind == EC_KIND_network)
        find_fault(im, "what", "", "a network");
    if (r->time.known && !(r->time.ns > 0))
        find_fault(im, "time_ns", "0", "a time above zero");
    if (im->fault.column || !lacks_figures(r, samples))
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

static bool take_ns(const struct ec_jval *v, int64_t *ret)
{
    *ret = v->type == EC_J_NUM && v->is_int ? v->i : 0;
    return v->type == EC_J_NULL || (v->type == EC_J_NUM && v->is_int && v->i >= 0);
}

static enum ec_status add_samples(struct own_import *im, int64_t id, const struct ec_jval *list)
{
    const struct ec_jval *v;

    if (list->type != EC_J_ARRAY)
        return ec_fail(im->err, EC_E_PARSE, "row %lld: samples are no list", (long long)im->rows);
    for (v = list->child; v; v = v->next) {
        const struct ec_jval *c = v->type == EC_J_ARRAY && v->n == 4 ? v->child : NULL;
        struct ec_sample sample;

        if (!c || !c->is_int || !take_ns(c->next, &sample.host_ns) ||
            !take_ns(c->next->next, &sample.device_ns) || c->next->next->next->type != EC_J_STR)
            return ec_fail(im->err, EC_E_PARSE,
                           "row %lld: a sample is [iteration, host_ns, device_ns, flags]",
                           (long long)im->rows);
        sample.iteration = c->i;
        sample.flags = c->next->next->next->str;
        EC_PASS(ec_store_add_sample(im->s, id, &sample, im->err));
        im->counts->samples += sqlite3_changes(im->s->db);
    }
    return EC_OK;
}

static enum ec_status add_row(struct own_import *im, struct ec_record *r,
                              const struct ec_jval *samples)
{
    int64_t source_id = 0, machine_id = 0, id = 0;
    bool is_new = false;

    if (!*r->source.key || !*r->reading)
        return ec_fail(im->err, EC_E_PARSE, "row %lld: no source_key or no reading",
                       (long long)im->rows);
    EC_PASS(check_row(im, r, samples));
    if (im->fault.column) {
        leave_out(im);
        return EC_OK;
    }
    if (has_samples(samples)) /* their median is the time: computed when it is read */
        r->time = (struct ec_reading){ 0 };
    EC_PASS(ec_store_add_source(im->s, &r->source, &source_id, im->err));
    if (*r->machine_json)
        EC_PASS(ec_store_add_machine(im->s, r->machine_json, &machine_id, im->err));
    EC_PASS(ec_store_add(im->s, source_id, machine_id, r, &id, &is_new, im->err));
    im->counts->added += is_new;
    im->counts->known += !is_new;
    if (samples)
        EC_PASS(add_samples(im, id, samples));
    return EC_OK;
}

/* Batches: called before each row, and with `more` false at the end. */
static enum ec_status turn_batch(struct own_import *im, bool more)
{
    if (im->s->in_batch && (!more || ec__store_batch_full(im->s)))
        EC_PASS(ec__store_end(im->s, EC_OK, im->err));
    if (more && !im->s->in_batch)
        EC_PASS(ec_store_begin(im->s, im->err));
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * CSV */

static enum ec_status csv_row(struct own_import *im, const struct ec_csv *csv, const int *cols,
                              int samples_col, int at)
{
    const char *samples = ec_csv_cell(csv, at, samples_col);
    const struct ec_jval *list = NULL;
    struct ec_record r;
    enum ec_status st = EC_OK;

    im->rows = at + 1;
    im->fault = (struct ec_row_fault){ 0 };
    ec_record_of_export(csv, cols, at, &r, &im->fault);
    if (*samples)
        EC_TRY(ec_json_parse(samples, strlen(samples), &im->a, &list, im->err));
    EC_TRY(add_row(im, &r, list));
out:
    ec_arena_clear(&im->a);
    return st;
}

enum ec_status ec__import_own_csv(struct ec_store *s, const struct ec_csv *csv,
                                  struct ec_store_counts *c, struct ec_err *err)
{
    struct own_import im = { .s = s, .counts = c, .err = err };
    enum ec_status st = EC_OK;
    int cols[EC_RECORD_COLS_MAX], row;

    ec_record_find_cols(csv, cols);
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

static enum ec_status json_cell(struct own_import *im, const struct ec_record_col *col,
                                const struct ec_jval *v, struct ec_record *r)
{
    struct ec_buf text = EC_BUF_INIT;
    const char *copy = "";
    enum ec_status st = EC_OK;

    if (v && v->type == EC_J_STR && col->type != EC_C_JSON) {
        copy = v->str;
    } else if (v && v->type != EC_J_NULL) {
        ec__json_print(v, &text);
        EC_TRY(ec_buf_keep(&text, &im->a, &copy, im->err));
    }
    ec_record_set(col, r, copy, &im->fault);
out:
    ec_buf_clear(&text);
    return st;
}

static enum ec_status json_row(struct own_import *im, struct ec_span line)
{
    const struct ec_jval *root = NULL;
    const struct ec_record_col *c;
    struct ec_record r;
    enum ec_status st = EC_OK;

    ec_record_init(&r);
    im->fault = (struct ec_row_fault){ 0 };
    EC_TRY(ec_json_parse(line.p, line.len, &im->a, &root, im->err));
    if (root->type != EC_J_OBJECT)
        EC_TRY(ec_fail(im->err, EC_E_PARSE, "not an object"));
    for (c = ec_record_cols; c->name; c++)
        if (c->table)
            EC_TRY(json_cell(im, c, ec_json_get(root, c->name), &r));
    ec_record_phase_mode(&r);
    EC_TRY(add_row(im, &r, ec_json_get(root, "samples")));
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
        if (!st && im.rows == 1 && line.len == 1)
            st = ec_fail(err, EC_E_UNSUPPORTED, EC_TABLE_IS_JSON);
        if (!st)
            st = json_row(&im, line);
    }
    c->rows = im.rows;
    if (s->in_batch)
        st = ec__store_end(s, st, err);
    return st;
}
