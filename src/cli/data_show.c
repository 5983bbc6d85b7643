/* Prints one measurement of the store, line by line, with its samples and its source. */
#include "cli/data_internal.h"
#include "cli_columns.h"

static void line(struct ec_table *t, const char *label, const char *value)
{
    if (!*value)
        return;
    ec_table_row(t, ec_text(label), ec_text(value));
}

static void line_count(struct ec_table *t, const char *label, int64_t v)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%lld", (long long)v);
    line(t, label, v ? text : "");
}

static void line_time(struct ec_table *t, const char *label, struct ec_reading v)
{
    char text[32];

    if (v.known)
        line(t, label, ec_fmt_ns(text, sizeof text, v.ns));
}

static void add_row(struct ec_table *t, const struct ec_stored *row, struct ec_buf *scratch)
{
    const struct ec_record *r = &row->r;
    char text[32];

    line(t, "kind", ec_kind_names[r->kind]);
    line(t, "family", r->family);
    line(t, "device", r->device);
    line(t, "device name", r->device_name);
    line_count(t, "devices", r->num_devices);
    line(t, "framework", ec_record_word(r, EC_WORD_FRAMEWORK));
    line(t, "version", r->framework_version);
    line(t, "libraries", r->libraries);
    line(t, "precision", ec_record_word(r, EC_WORD_PRECISION));
    line(t, "memory format", ec_record_word(r, EC_WORD_LAYOUT));
    line(t, "mode", ec_record_word(r, EC_WORD_MODE));
    line(t, "phase", ec_record_phase_word(r));
    line(t, "optimizer", ec_record_word(r, EC_WORD_OPTIMIZER));
    if (r->foreign[EC_WORD_RECOMPUTE] || r->cond.recompute != EC_RECOMPUTE_NONE)
        line(t, "recompute", ec_record_word(r, EC_WORD_RECOMPUTE));
    line(t, "job", r->job);
    line_count(t, "batch", r->batch);
    line_count(t, "image", r->image_px);
    line_count(t, "sequence", r->seq_len);
    line(t, "outcome", r->outcome);
    line_time(t, "time", r->time);
    line(t, "time is the", row->n_samples ? "median of the samples" : r->time_stat);
    line_time(t, "smallest", r->min);
    line_time(t, "largest", r->max);
    line_time(t, "mean", r->mean);
    line_time(t, "standard deviation", r->std);
    line_count(t, "repeats", r->n_samples);
    if (r->memory_peak_bytes > 0)
        line(t, "peak memory", ec_fmt_bytes(text, sizeof text, r->memory_peak_bytes));
    line(t, "memory seen by", r->memory_kind);
    if (r->memory_reserved_bytes)
        line(t, "reserved memory",
             ec_fmt_bytes(text, sizeof text, (double)r->memory_reserved_bytes));
    line(t, "method", r->method);
    line_count(t, "threads", r->threads);
    line_count(t, "warm-up", r->n_warm_up);
    line(t, "kept apart", r->held_out ? "yes, never used in a fit" : "");
    line(t, "run", r->run);
    line(t, "flags", r->flags);
    line(t, "findings", row->findings);
    line(t, "also recorded", r->extra);
    line(t, "machine", r->machine_json);
    line(t, "source", r->source.name);
    line(t, "source key", r->source.key);
    line(t, "licence", r->source.licence);
    line(t, "url", r->source.url);
    line(t, "file", r->source.file_name);
    line(t, "sha256", r->source.sha256);
    ec_buf_printf(scratch, "%d, %s", r->row + 1, r->reading);
    line(t, "row, reading", ec_buf_text(scratch));
    line(t, "imported", r->source.imported);
}

static void add_sample(struct ec_table *t, const struct ec_sample *v, struct ec_buf *scratch)
{
    char label[40], text[32];

    (void)snprintf(label, sizeof label, "sample %lld", (long long)v->iteration);
    ec_buf_reset(scratch);
    ec_buf_str(scratch, v->host_ns ? ec_fmt_ns(text, sizeof text, (double)v->host_ns) : "-");
    if (v->device_ns)
        ec_buf_printf(scratch, ", on the device %s",
                      ec_fmt_ns(text, sizeof text, (double)v->device_ns));
    ec_buf_printf(scratch, "%s%s", *v->flags ? "  " : "", v->flags);
    line(t, label, ec_buf_text(scratch));
}

static void write_text(const struct ec_table *t, const struct ec_stored *row, struct ec_buf *out)
{
    int i;

    ec_buf_printf(out, "%lld  ", (long long)row->id);
    ec_put_plain(out, row->r.what);
    ec_buf_char(out, '\n');
    for (i = 0; i < t->n_cells; i += EC_LEN(data_show_cols)) {
        ec_buf_printf(out, "  %-18s", t->cells[i].v.text);
        ec_put_plain(out, t->cells[i + 1].v.text);
        ec_buf_char(out, '\n');
    }
}

enum ec_status ec__data_show(struct ec_call *call, struct ec_store *s, const struct ec_stored *row,
                             bool markdown, struct ec_err *err)
{
    struct ec_buf scratch = EC_BUF_INIT;
    struct ec_sample *v = NULL;
    struct ec_table t;
    enum ec_status st = EC_OK;
    int n = 0, i;

    ec_table_init(&t, data_show_cols, EC_LEN(data_show_cols));
    if (markdown) {
        line_count(&t, "measurement", row->id);
        line(&t, "case or network", row->r.what);
    }
    add_row(&t, row, &scratch);
    EC_TRY(ec_store_samples(s, row->id, &call->arena, &v, &n, err));
    for (i = 0; i < n; i++)
        add_sample(&t, &v[i], &scratch);
    EC_TRY(ec_buf_status(&scratch, err));
    if (markdown || t.st) /* the status of the table has the error */
        EC_TRY(ec_table_write(&t, EC_TABLE_MARKDOWN, &call->out, err));
    else
        write_text(&t, row, &call->out);
out:
    ec_free(v);
    ec_table_clear(&t);
    ec_buf_clear(&scratch);
    return st;
}
