/* Imports a table: each row becomes measurements, or a sample where rows are iterations of one.
 * Rows are committed about every 50 ms. Running an interrupted import again completes it, since
 * rows that are there stay as they are. */
#include "store/store_internal.h"

#include "graph/graph.h"
#include "hw/hw.h"
#include "op/op.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMPORT_MAX_BYTES ((size_t)2 << 30)
#define MACHINE_MAX_BYTES ((size_t)1 << 20)

struct import {
    struct ec_store *s;
    struct ec_reader *reader;
    const struct ec_csv *csv;
    struct ec_dict understood; /* texts of cases: 1 when they are ours */
    struct ec_dict named;  /* networks and devices of which a note has said that they are unknown */
    struct ec_dict groups; /* measurements of which rows are the iterations */
    struct ec_buf key;
    const char *path; /* of the table: machine records lie beside it */
    struct ec_dict machines;
    int64_t source_id;
    struct ec_store_counts counts;
    bool is_own;     /* a user's own table: unknown devices and networks are named */
    bool tells_runs; /* of iterations: flags and extra are of the measurement */
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
    const char *texts[] = { r->reading,   r->what,        r->device, r->framework_version,
                            r->libraries, r->device_name, r->run };
    int i;

    ec_buf_reset(&im->key);
    for (i = 0; i < EC_LEN(texts); i++)
        ec_buf_printf(&im->key, "%zu %s\x1f", strlen(texts[i]), texts[i]);
    for (i = 0; i < EC_WORD_COUNT; i++)
        ec_buf_printf(&im->key, "%s\x1f", ec_record_word(r, (enum ec_word)i));
    ec_conditions_print(&r->cond, &im->key);
    ec_buf_printf(&im->key, "\x1f%s\x1f%s\x1f%d %lld %lld %lld %lld %lld %lld", r->activation,
                  r->method, r->phase, (long long)r->threads, (long long)r->batch,
                  (long long)r->image_px, (long long)r->seq_len, (long long)r->num_devices,
                  (long long)r->n_warm_up);
    if (im->tells_runs)
        ec_buf_printf(&im->key, "\x1f%s\x1f%s\x1f%s", r->machine, r->extra, r->flags);
    return ec_buf_status(&im->key, im->err);
}

static int64_t whole_ns(struct ec_reading v)
{
    return v.known && fabs(v.ns) < 0x1p62 ? (int64_t)llround(v.ns) : 0;
}

/* The id of the machine record that the row names; 0 when the file is missing, as the row is useful
 * without it. */
static enum ec_status machine_of(struct import *im, const char *name, int64_t *ret_id)
{
    const char *slash = strrchr(im->path, '/');
    struct ec_buf path = EC_BUF_INIT;
    struct ec_file f = { 0 };
    enum ec_status st = EC_OK;

    *ret_id = 0;
    if (!*name || strchr(name, '/') || ec__dict_find(&im->machines, name, ret_id))
        return EC_OK;
    if (slash)
        ec_buf_add(&path, im->path, (size_t)(slash - im->path) + 1);
    ec_buf_printf(&path, "machine-%s.json", name);
    EC_TRY(ec_buf_status(&path, im->err));
    if (ec_file_open(ec_buf_text(&path), MACHINE_MAX_BYTES, &f, NULL) == EC_OK) {
        ec_buf_reset(&path);
        ec_buf_add(&path, (const char *)f.data, f.len);
        EC_TRY(ec_buf_status(&path, im->err));
        EC_TRY(ec_store_add_machine(im->s, ec_buf_text(&path), ret_id, im->err));
    }
    EC_TRY(ec__dict_add(&im->machines, name, *ret_id, im->err));
out:
    ec_file_close(&f);
    ec_buf_clear(&path);
    return st;
}

/* Where to write why a row is left out; NULL when there are enough reasons. */
static char *leave_out(struct import *im)
{
    int64_t n = im->counts.left_out++;

    return n < EC_STORE_WHY_MAX ? im->counts.why[n] : NULL;
}

/* A second iteration of one number, which another run of the same configuration has. */
static void leave_out_second(struct import *im, const struct ec_record *r)
{
    char *text = leave_out(im);

    if (text)
        (void)snprintf(text, EC_STORE_WHY_BYTES,
                       "line %d: iteration %lld of this run stands above; a column run would part "
                       "several runs",
                       im->csv->lines[r->row], (long long)r->iteration);
}

/* An iteration: its measurement is the first row with the same conditions. */
static enum ec_status add_iteration(struct import *im, const struct ec_record *r)
{
    struct ec_sample sample = { .iteration = r->iteration,
                                .flags = im->tells_runs ? "" : r->flags };
    struct ec_record whole = *r;
    int64_t id = 0, machine_id = 0;
    bool is_new = false;

    EC_PASS(group_key(im, r));
    if (!ec__dict_find(&im->groups, ec_buf_text(&im->key), &id)) {
        whole.time = (struct ec_reading){ 0 };
        whole.flags = im->tells_runs ? r->flags : "";
        whole.extra = im->tells_runs ? r->extra : "";
        EC_PASS(machine_of(im, r->machine, &machine_id));
        EC_PASS(ec_store_add(im->s, im->source_id, machine_id, &whole, &id, &is_new, im->err));
        /* negative: it was there before, with its samples */
        EC_PASS(ec__dict_add(&im->groups, ec_buf_text(&im->key), is_new ? id : -id, im->err));
        count(&im->counts, is_new);
        id = is_new ? id : -id;
    }
    sample.host_ns = whole_ns(r->time);
    EC_PASS(ec_store_add_sample(im->s, llabs(id), &sample, im->err));
    im->counts.samples += sqlite3_changes(im->s->db);
    if (id > 0 && !sqlite3_changes(im->s->db))
        leave_out_second(im, r);
    return EC_OK;
}

/* Raw samples of the host's clock and the device's, in step. */
static enum ec_status add_samples(struct import *im, int64_t id, const struct ec_record *r)
{
    struct ec_span host = ec_span_of(r->samples_ns), device = ec_span_of(r->device_samples_ns);
    struct ec_sample sample = { .flags = "" };
    bool bad[2] = { false, false };

    for (;; sample.iteration++) {
        bool more = ec_samples_next(&host, &sample.host_ns, &bad[0]);

        more = ec_samples_next(&device, &sample.device_ns, &bad[1]) || more;
        if (!more)
            return EC_OK;
        if (bad[0] || bad[1])
            return ec_fail(im->err, EC_E_PARSE, "row %d: sample %lld is no number of nanoseconds",
                           r->row + 1, (long long)sample.iteration);
        EC_PASS(ec_store_add_sample(im->s, id, &sample, im->err));
        im->counts.samples += sqlite3_changes(im->s->db);
        sample.host_ns = sample.device_ns = 0;
    }
}

static enum ec_status add_record(struct import *im, const struct ec_record *r)
{
    int64_t id = 0, machine_id = 0;
    bool is_new = false;

    EC_PASS(machine_of(im, r->machine, &machine_id));
    EC_PASS(ec_store_add(im->s, im->source_id, machine_id, r, &id, &is_new, im->err));
    EC_PASS(add_samples(im, id, r));
    count(&im->counts, is_new);
    return EC_OK;
}

static void leave_out_faulty(struct import *im, int row, const struct ec_row_fault *fault)
{
    char *why = leave_out(im);

    if (why)
        (void)snprintf(why, EC_STORE_WHY_BYTES,
                       "line %d, column %.40s: found \"%.60s\", expected %s", im->csv->lines[row],
                       fault->column, fault->found, fault->expected);
}

static bool lacks_figures(const struct ec_record *r)
{
    return ec_str_eq(r->outcome, "error") && strstr(r->flags, "no_time");
}

/* Whether the row's operator is a valid case; if not, the row is left out. */
static enum ec_status understand(struct import *im, int row, const struct ec_record *r,
                                 bool *ret_understood)
{
    struct ec_owned_case c = { 0 };
    struct ec_err why = { .status = EC_OK };
    enum ec_status st = EC_OK;
    int64_t known = 0;
    char *text;

    *ret_understood = true;
    if (r->kind != EC_KIND_operator || (!ec_str_eq(r->outcome, "ok") && !lacks_figures(r)) ||
        ec__dict_find(&im->understood, r->what, &known))
        return EC_OK;
    st = ec_case_parse(r->what, &c, &why);
    if (st == EC_E_NOMEM)
        return ec_nomem(im->err);
    ec_case_clear(&c);
    if (!st)
        return ec__dict_add(&im->understood, r->what, 1, im->err);
    *ret_understood = false;
    text = leave_out(im);
    if (text)
        (void)snprintf(text, EC_STORE_WHY_BYTES, "line %d: found \"%.100s\", no case: %.120s",
                       im->csv->lines[row], r->what, why.text);
    return EC_OK;
}

static void note(struct import *im, const char *fmt, ...) EC_PRINTF(2, 3);
static void note(struct import *im, const char *fmt, ...)
{
    int n = im->counts.n_notes++;
    va_list ap;

    if (n >= EC_STORE_NOTES_MAX)
        return;
    va_start(ap, fmt);
    (void)ec_vsnprintf(im->counts.note[n], EC_STORE_WHY_BYTES, fmt, ap);
    va_end(ap);
}

/* Says once for each name that it is unknown: the row is stored, but cannot be predicted. */
static enum ec_status note_unknown(struct import *im, int row, const char *name, const char *why)
{
    int64_t said = 0;

    if (ec__dict_find(&im->named, name, &said))
        return EC_OK;
    note(im, "line %d: stored, but cannot be predicted: %s", im->csv->lines[row], why);
    return ec__dict_add(&im->named, name, 1, im->err);
}

/* The catalogue's key for a device, and the user's word beside it, where no other word is. */
static enum ec_status name_device(struct import *im, int row, struct ec_record *r)
{
    struct ec_err why = { .status = EC_OK };
    const struct ec_device *d = NULL;
    const char *word = r->device;

    if (!*word)
        return EC_OK;
    if (ec_device_find(word, &d, &why))
        return im->is_own ? note_unknown(im, row, word, why.text) : EC_OK;
    if (ec_str_eq(ec_device_key(d), word))
        return EC_OK;
    r->device = ec_device_key(d);
    if (!*r->device_name && r->iteration < 0)
        r->device_name = word;
    return EC_OK;
}

/* A network of a user's table is one of the zoo, however it is spelled, or the file of one. */
static enum ec_status check_network(struct import *im, int row, struct ec_record *r)
{
    struct ec_err why = { .status = EC_OK };
    struct ec_graph *g = NULL;
    int64_t said = 0;
    enum ec_status st;

    if (r->kind != EC_KIND_network)
        return EC_OK;
    r->what = ec_zoo_spelled(r->what);
    if (ec_zoo_has(r->what) || ec__dict_find(&im->named, r->what, &said))
        return EC_OK;
    st = ec_graph_open(r->what, NULL, &g, im->counts.n_notes < EC_STORE_NOTES_MAX ? &why : NULL);
    ec_graph_free(g);
    return st == EC_E_NOT_FOUND ? note_unknown(im, row, r->what, why.text) : EC_OK;
}

static enum ec_status check_names(struct import *im, int row, struct ec_record *r)
{
    enum ec_status st = name_device(im, row, r);

    return st || !im->is_own ? st : check_network(im, row, r);
}

static enum ec_status import_row(struct import *im, int row)
{
    struct ec_record r[EC_RECORDS_MAX];
    struct ec_row_fault fault;
    bool understood = true;
    int n = 0, i;

    EC_PASS(ec_reader_row(im->reader, row, r, &n, im->err));
    fault = ec_reader_fault(im->reader);
    if (fault.column)
        leave_out_faulty(im, row, &fault);
    else if (n)
        EC_PASS(understand(im, row, &r[0], &understood));
    else
        im->counts.skipped++;
    for (i = 0; i < n && understood; i++) {
        im->counts.no_time += lacks_figures(&r[i]);
        EC_PASS(check_names(im, row, &r[i]));
        EC_PASS(r[i].iteration >= 0 ? add_iteration(im, &r[i]) : add_record(im, &r[i]));
    }
    return EC_OK;
}

static enum ec_status import_rows(struct import *im)
{
    const struct ec_csv *csv = im->csv;
    enum ec_status st = EC_OK;
    int row = 0;

    while (row < csv->n_rows && !st) {
        EC_PASS(ec_store_begin(im->s, im->err));
        do
            st = import_row(im, row++);
        while (row < csv->n_rows && !st && !ec__store_batch_full(im->s));
        st = ec__store_end(im->s, st, im->err);
    }
    im->counts.rows = csv->n_rows;
    return st;
}

/* Our own campaigns have a key, so that a file that has grown continues the same source. */
static const char *run_key(const struct ec_mapping *l, const struct ec_csv *csv, struct ec_buf *out)
{
    const char *column = ec_mapping_run_column(l);
    const char *run = column && csv->n_rows ? ec_csv_cell(csv, 0, ec_csv_col(csv, column)) : "";

    if (!*run)
        return NULL;
    ec_buf_printf(out, "campaign/%.100s", run);
    return ec_buf_text(out);
}

static enum ec_status import_table(struct ec_store *s, const struct ec_csv *csv,
                                   const struct ec_table_given *given, const char *source_key,
                                   const char *sha256, struct ec_store_counts *ret,
                                   struct ec_err *err)
{
    struct import im = { .s = s, .csv = csv, .path = given->path, .err = err };
    const struct ec_mapping *l = NULL;
    struct ec_arena a = { 0 };
    struct ec_buf key = EC_BUF_INIT;
    struct ec_source source = { .key = source_key, .sha256 = sha256 };
    struct ec_strs notes = { 0 };
    enum ec_status st = EC_OK;
    int i;

    EC_TRY(ec_mapping_of_record(csv, given, &a, &l, err));
    im.is_own = ec_mapping_is_own(l);
    im.tells_runs = ec_mapping_tells_runs(l);
    EC_TRY(ec_table_notes(csv, l, &a, &notes, err));
    for (i = 0; i < notes.n; i++)
        note(&im, "%s", notes.v[i]);
    im.counts.n_table_notes = im.counts.n_notes;
    EC_TRY(ec_reader_new(l, csv, NULL, &im.reader, err));
    if (ec_csv_col(csv, "device") < 0 && ec_mapping_needs_device(l))
        EC_TRY(ec_fail(err, EC_E_INPUT, "the table has no column device: say --device KEY"));
    if (!source.key)
        source.key = run_key(l, csv, &key);
    EC_TRY(ec_buf_status(&key, err));
    source.name = ec_mapping_source(l);
    source.mapping = ec_mapping_name(l);
    (void)snprintf(im.counts.mapping, sizeof im.counts.mapping, "%s", source.mapping);
    source.licence = ec_mapping_licence(l);
    source.url = ec_mapping_url(l);
    source.file_name = ec_path_name(given->path);
    EC_TRY(ec_store_add_source(s, &source, &im.source_id, err));
    EC_TRY(import_rows(&im));
    *ret = im.counts;
out:
    ec__dict_clear(&im.groups);
    ec__dict_clear(&im.named);
    ec__dict_clear(&im.machines);
    ec__dict_clear(&im.understood);
    ec_buf_clear(&im.key);
    ec_buf_clear(&key);
    ec_reader_free(im.reader);
    ec_arena_clear(&a);
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
    struct ec_table_given given = { 0 };
    char sha256[EC_SHA256_TEXT_BYTES];
    struct ec_store_counts counts = { .mapping = "export" };
    struct ec_file f = { 0 };
    struct ec_csv csv = { 0 };
    enum ec_status st;

    *ret = counts;
    given = opts ? opts->given : given;
    given.path = path;
    given.device_in = ec_device_in_text;
    given.is_processor = ec_device_is_processor;
    st = given.of_trace ? given.of_trace(&given, &csv, err) : EC_OK;
    if (!st)
        st = ec_file_open(path, IMPORT_MAX_BYTES, &f, err);
    if (st) { /* the messages name the file */
        ec_csv_clear(&csv);
        return st;
    }
    if (!csv.n_cols && is_json(&f)) {
        EC_TRY(ec__import_own_json(s, (const char *)f.data, f.len, &counts, err));
    } else {
        if (!csv.n_cols)
            EC_TRY(ec_csv_parse((const char *)f.data, f.len, &csv, err));
        EC_TRY(ec_table_prepare(&csv, &given, err));
        ec_sha256(f.data, f.len, sha256);
        if (ec_record_is_export(&csv))
            EC_TRY(ec__import_own_csv(s, &csv, &counts, err));
        else
            EC_TRY(import_table(s, &csv, &given, opts ? opts->source_key : NULL, sha256, &counts,
                                err));
    }
    *ret = counts;
out:
    if (st)
        ec_err_prefix(err, "%s: ", path);
    ec_csv_clear(&csv);
    ec_file_close(&f);
    return st;
}

void ec_store_counts_say(const struct ec_store_counts *c, const char *path, bool stored,
                         struct ec_said *said)
{
    int n = stored ? c->n_notes : c->n_table_notes, i;

    for (i = 0; i < EC_STORE_NOTES_MAX && i < n; i++)
        ec_said_add(said, path, "%s", c->note[i]);
    if (n > EC_STORE_NOTES_MAX)
        ec_said_add(said, path, "%d more such lines", n - EC_STORE_NOTES_MAX);
    for (i = 0; i < EC_STORE_WHY_MAX && i < c->left_out; i++)
        ec_said_add(said, path, "left out: %s", c->why[i]);
    if (c->left_out > EC_STORE_WHY_MAX)
        ec_said_add(said, path, "left out: %lld more", (long long)(c->left_out - EC_STORE_WHY_MAX));
    if (c->no_time && !stored)
        ec_said_add(said, path, "%lld row%s left out: no time", (long long)c->no_time,
                    c->no_time == 1 ? "" : "s");
}
