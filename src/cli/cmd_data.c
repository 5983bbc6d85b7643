/* epochcast data: the store of measurements. */
#include "cli/data_internal.h"

#include "hw/hw.h"
#include "report/report.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "data_cmd.h"
#include "cli_columns.h"

#define LIST_LIMIT 50

static struct ec_store_query query_of(const struct ec_call *call)
{
    const struct data_opts *o = call->opts;

    return (struct ec_store_query){ .device = o->device,
                                    .op = o->op,
                                    .network = o->network,
                                    .source = o->source,
                                    .kind =
                                        ec_call_given(call, "kind") ? ec_kind_names[o->kind] : NULL,
                                    .precision = ec_precision_word(o->precision),
                                    .leave_flagged = o->clean,
                                    .limit = o->limit };
}

static bool has_filter(const struct ec_call *call)
{
    static const char *const names[] = { "device",    "op",   "network", "source",
                                         "precision", "kind", "limit",   "clean" };
    int i;

    for (i = 0; i < EC_LEN(names); i++)
        if (ec_call_given(call, names[i]))
            return true;
    return false;
}

static enum ec_status print_table(struct ec_call *call, const struct ec_table *t,
                                  const char *schema, const char *key, struct ec_err *err)
{
    struct ec_table_head head = { .schema = schema, .rows = key };

    return ec_call_table(call, &head, t, err);
}

/* ------------------------------------------------------------------------------------------------
 * import, merge */

static void say_counts(struct ec_buf *out, const char *path, const struct ec_store_counts *c)
{
    char text[3][32];

    ec_buf_printf(out, "%s: measurements: %s added, %s there already", path,
                  ec_fmt_thousands(text[0], sizeof text[0], c->added),
                  ec_fmt_thousands(text[1], sizeof text[1], c->known));
    if (c->samples)
        ec_buf_printf(out, "; samples: %s added",
                      ec_fmt_thousands(text[2], sizeof text[2], c->samples));
    if (c->skipped)
        ec_buf_printf(out, "; %s rows not of mapping %s",
                      ec_fmt_thousands(text[2], sizeof text[2], c->skipped), c->mapping);
    if (c->no_time)
        ec_buf_printf(out, "; without figures, outcome error: %s",
                      ec_fmt_thousands(text[2], sizeof text[2], c->no_time));
    if (c->left_out)
        ec_buf_printf(out, "; rows left out: %s",
                      ec_fmt_thousands(text[2], sizeof text[2], c->left_out));
    ec_buf_char(out, '\n');
}

/* An import of several paths: a file that fails does not stop the others. */
struct import_run {
    struct ec_store *s;
    struct ec_store_import opts;
    bool alone; /* only one path was given: its error is the error of the command */
    int n_files, n_failed;
    int n_passed;        /* files of folders that are left out with a reason */
    struct ec_said said; /* of the path at hand */
};

/* Failures that every other file would have too. */
static bool is_final(enum ec_status st)
{
    return st == EC_E_STORE || st == EC_E_NOMEM;
}

static enum ec_status import_file(struct ec_call *call, struct import_run *run, const char *path,
                                  bool in_folder, struct ec_err *err)
{
    struct ec_store_counts c;
    enum ec_status st = ec_store_import(run->s, path, &run->opts, &c, err);

    if (is_final(st) || (st && run->alone && !in_folder))
        return st;
    run->n_files++;
    if (st && st != EC_E_IO && in_folder) { /* as the other commands leave it out */
        ec_said_left_out(&run->said, path, err->text);
        run->n_passed++;
        return EC_OK;
    }
    if (st) {
        ec_say("epochcast data import: %s\n", err->text);
        run->n_failed++;
        return EC_OK;
    }
    say_counts(&call->out, path, &c);
    EC_PASS(ec_call_flush(call, err));
    ec_store_counts_say(&c, path, true, &run->said);
    run->n_failed += c.left_out && !c.added && !c.known;
    return EC_OK;
}

static enum ec_status import_path(struct ec_call *call, struct import_run *run, const char *path,
                                  struct ec_err *err)
{
    struct ec_strs files = { 0 };
    struct ec_err why = { 0 };
    bool is_folder = false;
    enum ec_status st;
    int i;

    st = ec_files_find(path, EC_TABLE_FILES, &call->arena, &files, &is_folder, err);
    if (!st && run->opts.source_key && files.n > 1)
        return ec_usage(call, err, "--source names one table, %s holds %d files named *.csv", path,
                        files.n);
    run->said = (struct ec_said){ .folder = is_folder ? path : NULL, .arena = &call->arena };
    for (i = 0; i < files.n && !st; i++)
        st = import_file(call, run, files.v[i], is_folder, err);
    if (!st)
        st = ec_said_end(&run->said, err);
    if (!st && is_folder && !files.n && ec_no_table(path, "", &call->arena, &why))
        ec_say("epochcast data import: %s\n", why.text);
    return st;
}

static enum ec_status run_import(struct ec_call *call, struct ec_store *s, struct ec_err *err)
{
    const struct data_opts *o = call->opts;
    struct import_run run = {
        .s = s, .opts = {.source_key = o->source, .given = o->given},
             .alone = o->words.n == 1
    };
    int i;

    if (o->source && o->words.n > 1)
        return ec_usage(call, err, "--source names one table, %d are given", o->words.n);
    run.opts.given.of_trace = ec_trace_table;
    EC_PASS(ec_mapping_check(o->given.mapping, err));
    for (i = 0; i < o->words.n; i++)
        EC_PASS(import_path(call, &run, o->words.v[i], err));
    if (run.n_failed || (run.n_passed && run.n_passed == run.n_files))
        return ec_fail(err, EC_E_INPUT, "%d of %d files could not be imported",
                       run.n_failed + run.n_passed, run.n_files);
    return EC_OK;
}

static enum ec_status run_merge(struct ec_call *call, struct ec_store *s, struct ec_err *err)
{
    const struct data_opts *o = call->opts;
    struct ec_store_counts c;
    int i;

    for (i = 0; i < o->words.n; i++) {
        EC_PASS(ec_store_merge(s, o->words.v[i], &c, err));
        say_counts(&call->out, o->words.v[i], &c);
    }
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * list, export */

static enum ec_status list_sources(struct ec_call *call, struct ec_store *s, struct ec_err *err)
{
    struct ec_store_source_row *v = NULL;
    struct ec_table t;
    enum ec_status st = EC_OK;
    int n = 0, i;

    ec_table_init(&t, data_source_cols, EC_LEN(data_source_cols));
    EC_TRY(ec_store_sources(s, &call->arena, &v, &n, err));
    for (i = 0; i < n; i++) {
        ec_table_row(&t, ec_text(v[i].key), ec_text(v[i].name), ec_int(v[i].measurements),
                     ec_int(v[i].samples), ec_int(v[i].devices), ec_int(v[i].cases),
                     ec_given(v[i].licence), ec_text(v[i].mapping), ec_text(v[i].url),
                     ec_text(v[i].file_name), ec_text(v[i].sha256), ec_text(v[i].imported));
    }
    EC_TRY(print_table(call, &t, "epochcast.sources/1", "sources", err));
out:
    ec_free(v);
    ec_table_clear(&t);
    return st;
}

static void put_count(struct ec_table *t, int64_t v)
{
    ec_table_row(t, v ? ec_int(v) : ec_none());
}

static void add_row(struct ec_table *t, const struct ec_stored *row)
{
    const struct ec_record *r = &row->r;

    ec_table_int(t, row->id);
    ec_table_row(t, ec_given(r->what), ec_given(r->device));
    put_count(t, r->num_devices);
    ec_table_row(t, ec_given(ec_record_word(r, EC_WORD_PRECISION)),
                 ec_given(ec_record_word(r, EC_WORD_FRAMEWORK)),
                 ec_given(ec_record_word(r, EC_WORD_MODE)), ec_given(ec_record_phase_word(r)));
    put_count(t, r->batch);
    ec_table_row(t, r->time.known ? ec_num(r->time.ns) : ec_none(),
                 ec_positive(r->memory_peak_bytes));
    ec_table_row(t, ec_given(r->outcome), ec_given(r->flags), ec_given(row->findings),
                 ec_given(r->source.key));
}

/* Nothing matched. An error if a device of the filter is in neither the store nor the catalogue. */
static enum ec_status say_empty(struct ec_call *call, struct ec_store *s, struct ec_err *err)
{
    const struct data_opts *o = call->opts;
    struct ec_store_query q = { .device = o->device, .limit = 1 };
    struct ec_span rest = ec_span_of(o->device), word;
    const struct ec_device *device = NULL;
    const struct ec_stored *row = NULL;
    struct ec_store_rows *rows = NULL;
    enum ec_status st;

    EC_TRY(ec_store_select(s, &q, &rows, err));
    EC_TRY(ec_store_next(rows, &row, err));
    while (!row && rest.p && ec_span_cut(&rest, ',', &word)) {
        const char *key = NULL;

        word = ec_span_trim(word);
        key = ec_arena_strn(&call->arena, word.p ? word.p : "", word.len);
        EC_TRY(ec_allocated(key, err));
        if (*key && !strpbrk(key, "*?["))
            EC_TRY(ec_device_find(key, &device, err));
    }
    ec_say("%s: no measurement matches the filters\n", ec_store_file(s));
out:
    ec_store_rows_free(rows);
    return st;
}

static enum ec_status list_rows(struct ec_call *call, struct ec_store *s, struct ec_err *err)
{
    struct ec_store_query q = query_of(call);
    const struct ec_stored *row = NULL;
    struct ec_store_rows *rows = NULL;
    struct ec_table t;
    enum ec_status st = EC_OK;

    if (!ec_call_given(call, "limit"))
        q.limit = LIST_LIMIT;
    ec_table_init(&t, data_row_cols, EC_LEN(data_row_cols));
    EC_TRY(ec_store_select(s, &q, &rows, err));
    EC_TRY(ec_store_next(rows, &row, err));
    if (!row)
        EC_TRY(say_empty(call, s, err));
    while (row) {
        add_row(&t, row);
        EC_TRY(ec_store_next(rows, &row, err));
    }
    EC_TRY(print_table(call, &t, "epochcast.measurements/1", "measurements", err));
out:
    ec_store_rows_free(rows);
    ec_table_clear(&t);
    return st;
}

static enum ec_status run_list(struct ec_call *call, struct ec_store *s, struct ec_err *err)
{
    return has_filter(call) ? list_rows(call, s, err) : list_sources(call, s, err);
}

#define FLUSH_BYTES ((size_t)1 << 20)

static enum ec_status run_export(struct ec_call *call, struct ec_store *s, struct ec_err *err)
{
    enum ec_export_form form = call->forms.json ? EC_EXPORT_JSON_LINES : EC_EXPORT_CSV;
    struct ec_store_query q = query_of(call);
    const struct ec_stored *row = NULL;
    struct ec_store_rows *rows = NULL;
    enum ec_status st = EC_OK;

    call->is_data = true;
    EC_TRY(ec_store_select(s, &q, &rows, err));
    ec_export_header(form, &call->out);
    EC_TRY(ec_store_next(rows, &row, err));
    if (!row)
        EC_TRY(say_empty(call, s, err));
    while (row) {
        EC_TRY(ec_export_row(s, row, form, &call->out, err));
        if (call->out.len > FLUSH_BYTES)
            EC_TRY(ec_call_flush(call, err));
        EC_TRY(ec_store_next(rows, &row, err));
    }
out:
    ec_store_rows_free(rows);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * show */

static enum ec_status show_one(struct ec_call *call, struct ec_store *s, const char *word,
                               struct ec_err *err)
{
    struct ec_store_query q = { 0 };
    const struct ec_stored *row = NULL;
    struct ec_store_rows *rows = NULL;
    enum ec_status st = EC_OK;

    if (!ec_parse_int(ec_span_of(word), &q.id) || q.id < 1)
        return ec_usage(call, err, "\"%.40s\" is not the number of a measurement", word);
    EC_TRY(ec_store_select(s, &q, &rows, err));
    EC_TRY(ec_store_next(rows, &row, err));
    if (!row)
        EC_TRY(ec_fail(err, EC_E_NOT_FOUND, "%s: no measurement %s", ec_store_file(s), word));
    if (call->forms.json) {
        EC_TRY(ec_export_row(s, row, EC_EXPORT_JSON_LINES, &call->out, err));
        goto out;
    }
    EC_TRY(ec__data_show(call, s, row, call->forms.markdown, err));
out:
    ec_store_rows_free(rows);
    return st;
}

static enum ec_status run_show(struct ec_call *call, struct ec_store *s, struct ec_err *err)
{
    const struct data_opts *o = call->opts;
    int i;

    for (i = 0; i < o->words.n; i++)
        EC_PASS(show_one(call, s, o->words.v[i], err));
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * check */

static enum ec_status run_check(struct ec_call *call, struct ec_store *s, struct ec_err *err)
{
    const struct data_opts *o = call->opts;
    struct ec_store_check c;
    struct ec_table t;
    enum ec_status st = EC_OK;
    int i;

    ec_table_init(&t, data_check_cols, EC_LEN(data_check_cols));
    EC_TRY(ec_store_check(s, !o->dry_run, &c, err));
    for (i = 0; i < EC_FINDING_COUNT; i++) {
        ec_table_row(&t, ec_text(ec_finding_name((enum ec_finding)i)), ec_int(c.found[i]));
        put_count(&t, c.example[i]);
        ec_table_text(&t, ec_finding_text((enum ec_finding)i));
    }
    EC_TRY(print_table(call, &t, "epochcast.check/1", "findings", err));
    ec_say("%lld measurements: %lld operators compared with their device, %lld of them "
           "faster than direct convolution, as Winograd and FFT can be; %lld operators "
           "that cannot be compared; %lld of networks, layers and others; %lld descriptions; "
           "%lld on devices not in the catalogue\n",
           (long long)c.measurements, (long long)c.judged, (long long)c.winograd,
           (long long)c.not_judged, (long long)c.others, (long long)c.descriptions,
           (long long)c.no_device);
out:
    ec_table_clear(&t);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Sub-commands */

static enum ec_status with_store(struct ec_call *call, unsigned flags,
                                 enum ec_status (*run)(struct ec_call *call, struct ec_store *s,
                                                       struct ec_err *err),
                                 struct ec_err *err)
{
    const struct data_opts *o = call->opts;
    struct ec_buf path = EC_BUF_INIT;
    struct ec_store *s = NULL;
    enum ec_status st;

    EC_TRY(ec_store_path(o->store, getenv, &path, err));
    EC_TRY(ec_store_open(ec_buf_text(&path), flags, &s, err));
    EC_TRY(run(call, s, err));
out:
    ec_store_close(s);
    ec_buf_clear(&path);
    return st;
}

static enum ec_status import(struct ec_call *call, struct ec_err *err)
{
    return with_store(call, 0, run_import, err);
}

static enum ec_status export(struct ec_call *call, struct ec_err *err) {
    return with_store(call, EC_STORE_READ, run_export, err);
}

static enum ec_status list(struct ec_call *call, struct ec_err *err)
{
    return with_store(call, EC_STORE_READ, run_list, err);
}

static enum ec_status show(struct ec_call *call, struct ec_err *err)
{
    return with_store(call, EC_STORE_READ, run_show, err);
}

static enum ec_status merge(struct ec_call *call, struct ec_err *err)
{
    return with_store(call, 0, run_merge, err);
}

static enum ec_status check(struct ec_call *call, struct ec_err *err)
{
    const struct data_opts *o = call->opts;

    return with_store(call, o->dry_run ? EC_STORE_READ : EC_STORE_EXISTS, run_check, err);
}

static enum ec_status mappings(struct ec_call *call, struct ec_err *err)
{
    const struct data_opts *o = call->opts;

    return ec__data_mappings(call, &o->words, err);
}
