/* Measured rows for epochcast calibrate. */
#include "cli/calibrate_internal.h"

#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "trace/trace.h"

enum { OTHERS_SAID = 16 };

/* ------------------------------------------------------------------------------------------------
 * Rows in words */

struct words {
    struct ec_predict_opts opts;
    struct ec_buf what;
    const struct ec_op *op; /* NULL: a network */
    double samples_per_s, time_ms;
};

/* The operator's own attributes are tried first, because some have the name of an option. */
static bool is_option(const struct words *w, const struct ec_field *f)
{
    static const char *const of_op[] = { "precision", "layout",    "framework",  "mode",
                                         "phase",     "optimizer", "activation", "threads" };
    static const char *const of_network[] = { "batch",      "precision", "layout",  "optimizer",
                                              "framework",  "mode",      "seq_len", "image",
                                              "input_copy", "threads" };
    const char *const *names = w->op ? of_op : of_network;
    int n = w->op ? EC_LEN(of_op) : EC_LEN(of_network);

    if (w->op && w->op->fields && ec_field_find(w->op->fields, ec_span_of(f->name)))
        return false;
    return ec_name_index(names, n, f->name) >= 0;
}

static enum ec_status take_word(struct words *w, struct ec_span word, struct ec_arena *a,
                                struct ec_err *err)
{
    struct ec_span value = word, name = { NULL, 0 };
    const struct ec_field *f = NULL;
    bool has_value = memchr(word.p, '=', word.len) != NULL;
    double *number;

    if (has_value)
        (void)ec_span_cut(&value, '=', &name);
    number = ec_span_eq(name, "samples_per_s") ? &w->samples_per_s
             : ec_span_eq(name, "time_ms")     ? &w->time_ms
                                               : NULL;
    if (number)
        return ec_parse_double(value, number) && *number > 0
                   ? EC_OK
                   : ec_fail(err, EC_E_INPUT, "%.*s: expected a number above zero", (int)word.len,
                             word.p);
    if (has_value)
        f = ec_field_find(ec_predict_fields, name);
    if (f && is_option(w, f))
        return ec_field_set(f, &w->opts, value, a, err);
    if (!w->op)
        return ec_fail(
            err, EC_E_INPUT,
            "unknown word \"%.*s\" in a row of a network; expected batch, precision, "
            "layout, optimizer, framework, mode, seq_len, image, threads, samples_per_s or time_ms",
            (int)(word.len > 60 ? 60 : word.len), word.p);
    ec_buf_char(&w->what, ' ');
    ec_buf_add(&w->what, word.p, word.len);
    return EC_OK;
}

static enum ec_status measured_ns(const struct words *w, double *ret, struct ec_err *err)
{
    if ((w->samples_per_s > 0) == (w->time_ms > 0))
        return ec_fail(err, EC_E_INPUT, "expected one of samples_per_s and time_ms");
    *ret = w->time_ms * 1e6;
    if (w->time_ms > 0)
        return EC_OK;
    if (w->op || w->opts.batch < 1)
        return ec_fail(err, EC_E_INPUT,
                       w->op ? "operators take time_ms, not samples_per_s"
                             : "samples_per_s needs batch=N");
    *ret = (double)w->opts.batch / w->samples_per_s * 1e9;
    return EC_OK;
}

enum ec_status ec__row_of_text(const char *text, const char *device, double samples_per_s,
                               double time_ms, struct ec_arena *a, struct ec_record *ret,
                               struct ec_err *err)
{
    struct words w = { .samples_per_s = samples_per_s, .time_ms = time_ms, .what = EC_BUF_INIT };
    struct ec_span rest = ec_span_trim(ec_span_of(text)), word = { NULL, 0 };
    enum ec_status st = EC_OK;
    struct ec_record m;
    int i;

    ec_record_init(&m);
    m.source.mapping = "row";
    m.device = device;
    ec_predict_opts_default(&w.opts);
    if (!rest.len || !ec_span_cut(&rest, ' ', &word) || memchr(word.p, '=', word.len))
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "expected a network or an operator first, such as \"resnet50 batch=64 "
                       "samples_per_s=690\""));
    w.op = ec_op_find(word);
    ec_buf_add(&w.what, word.p, word.len);
    while (rest.p && ec_span_cut(&rest, ' ', &word))
        if (word.len)
            EC_TRY(take_word(&w, word, a, err));
    EC_TRY(measured_ns(&w, &m.time.ns, err));
    EC_TRY(ec_buf_keep(&w.what, a, &m.what, err));
    m.time.known = true;
    m.kind = w.op ? EC_KIND_operator : EC_KIND_network;
    m.cond = w.opts.cond;
    for (i = 0; i < EC_WORD_COUNT; i++)
        m.foreign[i] = NULL;
    m.activation = w.opts.activation ? w.opts.activation : "";
    m.phase = w.opts.phase - 1;
    m.batch = w.opts.batch;
    m.image_px = w.opts.image;
    m.seq_len = w.opts.seq_len;
    m.threads = w.opts.threads;
    *ret = m;
out:
    st = ec_within(err, st, "row \"%.80s\": ", text);
    ec_buf_clear(&w.what);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Tables and the store */

static bool is_device(const char *key, const struct ec_device *d)
{
    const struct ec_device *own = NULL;

    return !ec_device_find(key, &own, NULL) && own == d;
}

static enum ec_status append(struct ec_record_list *l, const struct ec_record *m,
                             struct ec_err *err)
{
    EC_PASS(ec_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, err));
    l->v[l->n++] = *m;
    return EC_OK;
}

static void say_out_of_memory(struct ec_said *said, const char *path, const struct ec_csv *csv,
                              const struct ec_record_list *l)
{
    int line[EC_CALL_LINES_MAX], i;

    for (i = 0; i < l->n_out_of_memory && i < EC_CALL_LINES_MAX; i++)
        line[i] = csv->lines[l->out_of_memory[i].row];
    if (l->n_out_of_memory)
        ec_call_say_rows(said, path, line, l->n_out_of_memory,
                         "ran out of memory: there is no time to calibrate to");
}

/* As many as a sentence names. */
static enum ec_status add_other(const char *device, struct ec_strs *others, struct ec_arena *a,
                                struct ec_err *err)
{
    if (ec_strs_have(others, device))
        return EC_OK;
    if (others->n == OTHERS_SAID)
        return ec_strs_add(others, a, err, "others");
    if (others->n > OTHERS_SAID)
        return EC_OK;
    return ec_strs_add(others, a, err, "%s", *device ? device : "no device");
}

struct tables {
    const struct ec_device *d;
    struct ec_arena *a;
    struct ec_record_list *rows;
    struct ec_strs *others;
    struct ec_said said;     /* of the path at hand */
    struct ec_copies copies; /* of all paths */
    int n_copies, n_named;   /* n_named: tables of the path that say their devices */
};

/* Whether a table without a device is of the one given is known when the others of its folder were
 * read: may_wait. */
static enum ec_status read_table(struct tables *t, const struct ec_table_given *table,
                                 const char *path, bool may_wait, bool *ret_later,
                                 struct ec_err *err)
{
    struct ec_table_given given = *table;
    const struct ec_mapping *layout = NULL;
    struct ec_record_list all = { 0 };
    struct ec_csv csv = { 0 };
    enum ec_status st = EC_OK;
    int i, col, n_others = 0;
    bool named;

    given.path = path;
    given.device = ec_device_key(t->d);
    given.device_chooses = true;
    given.device_in = ec_device_in_text;
    given.is_processor = ec_device_is_processor;
    given.tokens_of = ec_tokens_of_network;
    given.of_trace = ec_trace_table;
    EC_PASS(ec_table_open(&given, &csv, err)); /* the message names the file */
    given.device = NULL;
    named = ec_table_device(&csv, &given, &col) || col >= 0;
    *ret_later = may_wait && !named;
    if (*ret_later)
        goto out;
    if (!t->said.folder || (!named && !t->n_named))
        given.device = ec_device_key(t->d); /* else it may be of another one's */
    EC_TRY(ec_mapping_of_table(&csv, &given, t->a, &layout, err));
    EC_TRY(ec_mapping_rows(layout, &csv, t->a, &all, err));
    t->n_named += named;
    EC_TRY(ec_copies_drop(&t->copies, &all, &t->n_copies, err));
    EC_TRY(ec_call_table_notes(&t->said, path, &csv, layout, t->a, err));
    ec_call_left_out(&t->said, path, &all);
    say_out_of_memory(&t->said, path, &csv, &all);
    for (i = 0; i < all.n; i++)
        if (!is_device(all.v[i].device, t->d)) {
            n_others++;
            EC_TRY(add_other(all.v[i].device, t->others, t->a, err));
        } else if (all.v[i].time.ns > 0 && (!*all.v[i].run || all.v[i].num_devices <= 1))
            EC_TRY(append(t->rows, &all.v[i], err));
    if (n_others && n_others < all.n)
        ec_said_add(&t->said, path, "%d measurement%s of other devices %s not used", n_others,
                    n_others == 1 ? "" : "s", n_others == 1 ? "is" : "are");
out:
    st = ec_within(err, st, "%s: ", path);
    ec_records_clear(&all);
    ec_csv_clear(&csv);
    return st;
}

/* A table, or those of a folder: one that cannot be used is named there, and left out. */
static enum ec_status read_path(struct tables *t, const struct ec_table_given *given,
                                const char *path, struct ec_err *err)
{
    struct ec_strs files = { 0 };
    bool is_folder = false, later = false;
    enum ec_status st, failed = EC_OK;
    struct ec_err why = { .status = EC_OK };
    int i, n;

    EC_PASS(ec_files_find(path, EC_TABLE_FILES, t->a, &files, &is_folder, err));
    if (!files.n)
        EC_PASS(ec_no_table(path, "", t->a, err));
    t->said = (struct ec_said){ .folder = is_folder ? path : NULL, .arena = t->a };
    t->n_named = 0;
    for (i = 0, n = files.n; i < files.n && !failed; i++) {
        st = read_table(t, given, files.v[i], is_folder && i < n, &later, &why);
        if (!st && later)
            EC_PASS(ec_strs_add(&files, t->a, err, "%s", files.v[i]));
        if (st && (!is_folder || st == EC_E_NOMEM))
            failed = st;
        else if (st)
            ec_said_left_out(&t->said, files.v[i], why.text);
    }
    EC_PASS(ec_said_end(&t->said, err));
    if (failed)
        return ec_fail(err, failed, "%.450s", why.text);
    return EC_OK;
}

enum ec_status ec__rows_of_tables(const struct ec_table_given *given, const struct ec_strs *paths,
                                  const struct ec_device *d, struct ec_arena *a,
                                  struct ec_record_list *ret, struct ec_strs *others,
                                  struct ec_err *err)
{
    struct tables t = { .d = d, .a = a, .rows = ret, .others = others };
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < paths->n; i++)
        EC_TRY(read_path(&t, given, paths->v[i], err));
    if (t.n_copies)
        ec_say("%d measurement%s left out, as %s samples are in another table too\n", t.n_copies,
               t.n_copies == 1 ? " is" : "s are", t.n_copies == 1 ? "its" : "their");
out:
    ec_copies_clear(&t.copies);
    return st;
}

/* Strings of a row of the store are valid until the next row is read, so they are copied. */
static enum ec_status keep_row(const struct ec_record *r, struct ec_arena *a,
                               struct ec_record_list *ret, struct ec_err *err)
{
    struct ec_record m = *r;

    EC_PASS(ec_record_keep(&m, a, err));
    ec_record_default(&m);
    return append(ret, &m, err);
}

enum ec_status ec__rows_of_store(const char *path, const struct ec_device *d, struct ec_arena *a,
                                 struct ec_record_list *ret, struct ec_err *err)
{
    struct ec_store_query q = { .device = ec_device_key(d),
                                .only_ok = true,
                                .leave_flagged = true };
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *s = NULL;
    struct ec_buf file = EC_BUF_INIT;
    struct ec_store *store = NULL;
    enum ec_status st;

    EC_TRY(ec_store_path(path, getenv, &file, err));
    EC_TRY(ec_store_open(ec_buf_text(&file), EC_STORE_READ, &store, err));
    EC_TRY(ec_store_select(store, &q, &rows, err));
    for (;;) {
        EC_TRY(ec_store_next(rows, &s, err));
        if (!s)
            break;
        if (ec_record_is_comparable(&s->r) && s->r.time.ns > 0 && s->r.num_devices <= 1 &&
            !*s->r.job)
            EC_TRY(keep_row(&s->r, a, ret, err));
    }
out:
    ec_store_rows_free(rows);
    ec_store_close(store);
    ec_buf_clear(&file);
    return st;
}
