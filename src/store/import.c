/* Importing a table: each row becomes measurements, or samples of one where rows are iterations.
 * Rows are written some thousand at a time; an import that was cut short is finished by running it
 * again, because rows that are there already stay as they are. */
#include "store/store_internal.h"

#include <math.h>
#include <string.h>

#define IMPORT_MAX_BYTES ((size_t)2 << 30)

struct import {
    struct ec_store *s;
    struct ec_reader *reader;
    struct ec_dict groups; /* measurements of which rows are the iterations */
    struct ec_buf key;
    int64_t source_id;
    struct ec_store_counts counts;
    struct ec_err *err;
};

static void count(struct ec_store_counts *c, bool is_new)
{
    c->added += is_new;
    c->known += !is_new;
}

/* The conditions that iterations of one measurement share. */
static enum ec_status group_key(struct import *im, const struct ec_record *r)
{
    const char *texts[] = { r->reading,           r->m.what,      r->m.device,   r->m.precision,
                            r->m.memory_format,   r->m.optimizer, r->m.mode,     r->m.framework,
                            r->framework_version, r->libraries,   r->device_name };
    int i;

    ec_buf_reset(&im->key);
    for (i = 0; i < EC_LEN(texts); i++)
        ec_buf_printf(&im->key, "%zu %s\x1f", strlen(texts[i]), texts[i]);
    ec_buf_printf(&im->key, "%lld %lld %lld %lld", (long long)r->m.batch, (long long)r->m.image_px,
                  (long long)r->m.seq_len, (long long)r->num_devices);
    return ec_buf_status(&im->key, im->err);
}

static int64_t whole_ns(struct ec_reading v)
{
    return v.known && fabs(v.ns) < 0x1p62 ? (int64_t)llround(v.ns) : 0;
}

/* An iteration: its measurement is the first row with the same conditions. */
static enum ec_status add_iteration(struct import *im, const struct ec_record *r)
{
    struct ec_sample sample = { .iteration = r->iteration, .flags = r->flags };
    struct ec_record whole = *r;
    int64_t id = 0;
    bool is_new = false;
    enum ec_status st;

    EC_TRY(group_key(im, r));
    if (!ec__dict_find(&im->groups, ec_buf_text(&im->key), &id)) {
        whole.time = (struct ec_reading){ 0 };
        whole.flags = "";
        whole.extra = "";
        EC_TRY(ec_store_add(im->s, im->source_id, 0, &whole, &id, &is_new, im->err));
        EC_TRY(ec__dict_add(&im->groups, ec_buf_text(&im->key), id, im->err));
        count(&im->counts, is_new);
    }
    sample.host_ns = whole_ns(r->time);
    EC_TRY(ec_store_add_sample(im->s, id, &sample, im->err));
    im->counts.samples += sqlite3_changes(im->s->db);
out:
    return st;
}

static enum ec_status import_row(struct import *im, int row)
{
    struct ec_record r[EC_RECORDS_MAX];
    enum ec_status st;
    int64_t id = 0;
    int n = 0, i;

    EC_TRY(ec_reader_row(im->reader, row, r, &n, im->err));
    im->counts.skipped += n == 0;
    for (i = 0; i < n; i++) {
        bool is_new = false;

        if (r[i].iteration >= 0) {
            EC_TRY(add_iteration(im, &r[i]));
            continue;
        }
        EC_TRY(ec_store_add(im->s, im->source_id, 0, &r[i], &id, &is_new, im->err));
        count(&im->counts, is_new);
    }
out:
    return st;
}

static enum ec_status import_rows(struct import *im, const struct ec_csv *csv)
{
    enum ec_status st = EC_OK;
    int row = 0, end;

    while (row < csv->n_rows && !st) {
        st = ec_store_begin(im->s, im->err);
        if (st)
            return st;
        end = csv->n_rows - row > EC_STORE_BATCH_ROWS ? row + EC_STORE_BATCH_ROWS : csv->n_rows;
        for (; row < end && !st; row++)
            st = import_row(im, row);
        st = ec__store_end(im->s, st, im->err);
    }
    im->counts.rows = csv->n_rows;
    return st;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static enum ec_status import_table(struct ec_store *s, const struct ec_csv *csv,
                                   const struct ec_store_import *opts, const char *path,
                                   const char *sha256, struct ec_store_counts *ret,
                                   struct ec_err *err)
{
    struct import im = { .s = s, .err = err };
    const struct ec_layout *l = opts->layout;
    struct ec_store_source source = { .key = opts->source_key, .sha256 = sha256 };
    enum ec_status st = EC_OK;

    if (!l)
        EC_TRY(ec_layout_detect_record(csv, &l, err));
    if (!opts->device && opts->layout == NULL && ec_csv_col(csv, "device") < 0 &&
        ec_layout_needs_device(l))
        EC_TRY(ec_fail(err, EC_E_INPUT, "the table has no column device: say --device KEY"));
    EC_TRY(ec_reader_new(l, csv, opts->device, &im.reader, err));
    source.name = ec_layout_source(l);
    source.layout = im.counts.layout = ec_layout_name(l);
    source.licence = ec_layout_licence(l);
    source.url = ec_layout_url(l);
    source.file_name = base_name(path);
    EC_TRY(ec_store_add_source(s, &source, &im.source_id, err));
    EC_TRY(import_rows(&im, csv));
    *ret = im.counts;
out:
    ec__dict_clear(&im.groups);
    ec_buf_clear(&im.key);
    ec_reader_free(im.reader);
    return st;
}

static bool is_json(const struct ec_file *f)
{
    size_t i = 0;

    while (i < f->len && (f->data[i] == ' ' || f->data[i] == '\n' || f->data[i] == '\r'))
        i++;
    return i < f->len && f->data[i] == '{';
}

enum ec_status ec_store_import(struct ec_store *s, const char *path,
                               const struct ec_store_import *opts, struct ec_store_counts *ret,
                               struct ec_err *err)
{
    static const struct ec_store_import none = { 0 };
    char sha256[EC_SHA256_TEXT_BYTES];
    struct ec_store_counts counts = { .layout = "export" };
    struct ec_file f = { 0 };
    struct ec_csv csv = { 0 };
    enum ec_status st;

    st = ec_file_open(path, IMPORT_MAX_BYTES, &f, err);
    if (st)
        return st;
    opts = opts ? opts : &none;
    if (is_json(&f)) {
        EC_TRY(ec__import_own_json(s, (const char *)f.data, f.len, &counts, err));
    } else {
        EC_TRY(ec_csv_parse((const char *)f.data, f.len, &csv, err));
        ec_sha256(f.data, f.len, sha256);
        if (ec__own_table(&csv))
            EC_TRY(ec__import_own_csv(s, &csv, &counts, err));
        else
            EC_TRY(import_table(s, &csv, opts, path, sha256, &counts, err));
    }
    *ret = counts;
out:
    if (st)
        ec_err_prefix(err, "%s: ", path);
    ec_csv_clear(&csv);
    ec_file_close(&f);
    return st;
}
