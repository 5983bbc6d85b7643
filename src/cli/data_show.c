/* One measurement of the store, line by line, with its samples and where it comes from. */
#include "cli/data_internal.h"

static void line(struct ec_buf *out, const char *label, const char *value)
{
    if (*value)
        ec_buf_printf(out, "  %-18s%s\n", label, value);
}

static void line_count(struct ec_buf *out, const char *label, int64_t v)
{
    if (v)
        ec_buf_printf(out, "  %-18s%lld\n", label, (long long)v);
}

static void line_time(struct ec_buf *out, const char *label, struct ec_reading v)
{
    char text[32];

    if (v.known)
        ec_buf_printf(out, "  %-18s%s\n", label, ec_fmt_ns(text, sizeof text, v.ns));
}

static void show_text(const struct ec_stored *row, struct ec_buf *out)
{
    const struct ec_record *r = &row->r;
    char text[32];

    ec_buf_printf(out, "%lld  %s\n", (long long)row->id, r->m.what);
    line(out, "kind", r->kind);
    line(out, "family", r->m.family);
    line(out, "device", r->m.device);
    line(out, "device name", r->device_name);
    line_count(out, "devices", r->num_devices);
    line(out, "framework", r->m.framework);
    line(out, "version", r->framework_version);
    line(out, "libraries", r->libraries);
    line(out, "precision", r->m.precision);
    line(out, "memory format", r->m.memory_format);
    line(out, "mode", r->m.mode);
    line(out, "phase", row->phase);
    line(out, "optimizer", r->m.optimizer);
    line_count(out, "batch", r->m.batch);
    line_count(out, "image", r->m.image_px);
    line_count(out, "sequence", r->m.seq_len);
    line(out, "outcome", r->outcome);
    line_time(out, "time", r->time);
    line(out, "time is the", row->n_samples ? "median of the samples" : r->time_stat);
    line_time(out, "smallest", r->min);
    line_time(out, "largest", r->max);
    line_time(out, "mean", r->mean);
    line_time(out, "standard deviation", r->std);
    line_count(out, "repeats", r->n_samples);
    if (r->m.memory_bytes > 0)
        line(out, "peak memory", ec_fmt_bytes(text, sizeof text, r->m.memory_bytes));
    line(out, "memory seen by", r->memory_kind);
    if (r->memory_reserved_bytes)
        line(out, "reserved memory",
             ec_fmt_bytes(text, sizeof text, (double)r->memory_reserved_bytes));
    line(out, "method", r->method);
    line_count(out, "threads", r->threads);
    line_count(out, "warm-up", r->n_warm_up);
    line(out, "kept apart", r->held_out ? "yes, never fitted to" : "");
    line(out, "run", r->run);
    line(out, "flags", r->flags);
    line(out, "findings", row->findings);
    line(out, "also recorded", r->extra);
    line(out, "machine", row->machine_json);
    line(out, "source", row->source_name);
    line(out, "source key", row->source_key);
    line(out, "licence", row->licence);
    line(out, "url", row->url);
    line(out, "file", row->file_name);
    line(out, "sha256", row->sha256);
    ec_buf_printf(out, "  %-18s%d, %s\n", "row, reading", r->m.row + 1, r->reading);
    line(out, "imported", row->imported);
}

static enum ec_status show_samples(struct ec_call *call, struct ec_store *s, int64_t id,
                                   struct ec_err *err)
{
    struct ec_sample *v = NULL;
    enum ec_status st;
    char text[32];
    int n = 0, i;

    st = ec_store_samples(s, id, &call->arena, &v, &n, err);
    for (i = 0; i < n && !st; i++) {
        ec_buf_printf(&call->out, "  sample %-11lld", (long long)v[i].iteration);
        ec_buf_str(&call->out,
                   v[i].host_ns ? ec_fmt_ns(text, sizeof text, (double)v[i].host_ns) : "-");
        if (v[i].device_ns)
            ec_buf_printf(&call->out, ", on the device %s",
                          ec_fmt_ns(text, sizeof text, (double)v[i].device_ns));
        ec_buf_printf(&call->out, "%s%s\n", *v[i].flags ? "  " : "", v[i].flags);
    }
    ec_free(v);
    return st;
}

enum ec_status ec__data_show(struct ec_call *call, struct ec_store *s, const struct ec_stored *row,
                             struct ec_err *err)
{
    show_text(row, &call->out);
    return show_samples(call, s, row->id, err);
}
