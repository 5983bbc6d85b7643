/* Output of epochcast predict: a card for one device, a table with notes for several, JSON. */
#include "cli/predict_cmd_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

/* clang-format off */
/* A median and its bounds: text has those of the step only, CSV has all. */
#define INTERVAL(name, unit, title_, format_, flags_, bound_flags) \
    { .key = name "_" unit, .title = title_, .format = format_, .flags = flags_ }, \
    { .key = name "_p05_" unit, .title = "5 %", .format = format_, .flags = bound_flags }, \
    { .key = name "_p95_" unit, .title = "95 %", .format = format_, .flags = bound_flags }

static const struct ec_col cols[] = {
    { .key = "device", .title = "device" },
    INTERVAL("step_time", "ns", "step", EC_COL_NS, 0, 0),
    { .key = "device_ns", .title = "device time", .format = EC_COL_NS, .drop = 3 },
    { .key = "host_ns", .title = "host time", .format = EC_COL_NS, .drop = 3 },
    { .key = "host", .title = "host", .flags = EC_COL_DATA_ONLY },
    INTERVAL("samples", "per_s", "samples/s", EC_COL_DIGITS3, EC_COL_HIDE_EMPTY, EC_COL_DATA_ONLY),
    INTERVAL("epoch_time", "ns", "epoch", EC_COL_NS, EC_COL_HIDE_EMPTY, EC_COL_DATA_ONLY),
    INTERVAL("job_time", "ns", "job", EC_COL_NS, EC_COL_HIDE_EMPTY, EC_COL_DATA_ONLY),
    INTERVAL("cost", "usd", "USD", EC_COL_DIGITS3, EC_COL_HIDE_EMPTY, EC_COL_DATA_ONLY),
    INTERVAL("memory_peak", "bytes", "memory", EC_COL_BYTES, EC_COL_HIDE_EMPTY, EC_COL_DATA_ONLY),
    INTERVAL("allocator_peak", "bytes", "allocated", EC_COL_BYTES, EC_COL_DATA_ONLY,
             EC_COL_DATA_ONLY),
    { .key = "fits", .title = "fits", .format = EC_COL_TEXT, .flags = EC_COL_HIDE_EMPTY },
    { .key = "fits_probability", .title = "chance to fit", .format = EC_COL_DIGITS3,
      .flags = EC_COL_DATA_ONLY },
    { .key = "limit", .title = "limited by", .drop = 1 },
    { .key = "basis", .title = "basis", .drop = 2 },
    { .key = "precision", .title = "precision" },
};
/* clang-format on */

static const char *fits_word(const struct ec_prediction *r)
{
    if (!r->has_memory || r->fits_probability < 0)
        return NULL;
    if (r->fits_probability >= 0.9)
        return "yes";
    return r->fits_probability <= 0.1 ? "no" : r->fits ? "likely" : "unlikely";
}

/* Three columns. */
static void add_interval(struct ec_table *t, bool has, const struct ec_interval *v)
{
    const double points[] = { v->p50, v->p05, v->p95 };
    int i;

    for (i = 0; i < EC_LEN(points); i++)
        if (has)
            ec_table_num(t, points[i]);
        else
            ec_table_none(t);
}

static void add_positive(struct ec_table *t, double v)
{
    if (v > 0)
        ec_table_num(t, v);
    else
        ec_table_none(t);
}

/* If no host issues the kernels, there is no host time. */
static void add_sides(struct ec_table *t, const struct ec_prediction *r)
{
    add_positive(t, r->device_ns);
    add_positive(t, *r->host ? r->host_ns : 0);
    ec_table_text(t, *r->host ? r->host : NULL);
}

static void add_row(struct ec_table *t, const struct answer *a, bool is_op)
{
    const struct ec_prediction *r = &a->r;

    ec_table_text(t, a->device);
    add_interval(t, true, &r->step_time_ns);
    add_sides(t, r);
    add_interval(t, !is_op, &r->samples_per_s);
    add_interval(t, r->has_epoch, &r->epoch_time_ns);
    add_interval(t, r->has_job, &r->job_time_ns);
    add_interval(t, r->has_cost, &r->cost_usd);
    add_interval(t, r->has_memory, &r->memory_peak_bytes);
    add_interval(t, r->has_memory, &r->allocator_peak_bytes);
    ec_table_text(t, fits_word(r));
    if (r->has_memory && r->fits_probability >= 0)
        ec_table_num(t, r->fits_probability);
    else
        ec_table_none(t);
    ec_table_text(t, ec_limit_name(r->limit));
    ec_table_text(t, ec_basis_name(r->basis));
    ec_table_text(t, ec_precision_names[r->precision]);
}

/* The query as text. An operator is predicted for one phase or for all phases of a mode; only whole
 * steps have an optimizer. precision: false where the table has a column of it */
static const char *query_line(const struct predict_cmd_opts *o, const struct answer *a,
                              bool precision, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    static const char *const of_step[] = { "precision", "layout",    "mode",
                                           "optimizer", "framework", NULL };
    static const char *const of_mode[] = { "precision", "layout", "mode", "framework", NULL };
    static const char *const of_phase[] = { "precision", "layout", "phase", "framework", NULL };
    const char *const *word = o->query.phase                                         ? of_phase
                              : o->query.cond.mode == EC_MODE_ISOLATED_STEP          ? of_step
                              : o->op || o->query.cond.mode != EC_MODE_TRAINING_STEP ? of_mode
                                                                                     : of_step;

    ec_buf_reset(out);
    ec_buf_str(out, o->op ? o->op : o->model);
    if (!o->op)
        ec_buf_printf(out, ", batch %lld", (long long)r->batch);
    if (r->devices > 1)
        ec_buf_printf(out, " (%lld x %lld)", (long long)r->devices, (long long)r->batch_per_device);
    if (r->seq_len > 0)
        ec_buf_printf(out, ", %lld tokens", (long long)r->seq_len);
    if (r->image_px > 0)
        ec_buf_printf(out, ", %lld px", (long long)r->image_px);
    for (word += !precision; *word; word++) {
        ec_buf_str(out, ec_str_eq(*word, "optimizer") ? ", optimizer " : ", ");
        ec_field_print(ec_field_find(ec_predict_fields, ec_span_of(*word)), &a->query, out);
    }
    if (o->query.cond.master_weights)
        ec_buf_str(out, ", master weights");
    return ec_buf_text(out);
}

/* The host, if there is one; with_time: and its time. */
static void host_line(const struct predict_cmd_opts *o, const struct ec_prediction *r,
                      bool with_time, struct ec_buf *out)
{
    char time[32];

    if (!*r->host)
        return;
    if (ec_str_eq(r->host, ec_host_at(0).name))
        ec_buf_printf(out, "host: reference host of %s (--host for others)",
                      ec_framework_keys[o->query.cond.framework]);
    else
        ec_buf_printf(out, "host: %s", r->host);
    ec_buf_str(out, r->basis == EC_BASIS_CALIBRATED ? ", as the profile corrects it" : "");
    if (with_time)
        ec_buf_printf(out, ", %s a step", ec_fmt_ns(time, sizeof time, r->host_ns));
    ec_buf_char(out, '\n');
}

/* Device and host work at the same time, and a step waits for the slower one. */
static void sides_line(const struct ec_prediction *r, struct ec_buf *out)
{
    const char *slower = r->limit == EC_LIMIT_COMMUNICATION ? "communication"
                         : r->host_ns > r->device_ns        ? "the host"
                                                            : "the device";
    char device[32], host[32], hidden[32];

    if (*r->host)
        ec_buf_printf(out, "  %sdevice %s, host %s, of which %s overlap: the step waits for %s\n",
                      r->devices > 1 ? "each " : "", ec_fmt_ns(device, sizeof device, r->device_ns),
                      ec_fmt_ns(host, sizeof host, r->host_ns),
                      ec_fmt_ns(hidden, sizeof hidden, r->hidden_ns), slower);
}

static void part(struct ec_buf *out, const char *name, double ns, double of, int *n_parts)
{
    if (of > 0 && ns / of >= 0.005)
        ec_buf_printf(out, "%s%s %.0f %%", (*n_parts)++ ? ", " : ": ", name, 100 * ns / of);
}

/* Shares of the device's time. */
static void phase_line(const struct ec_prediction *r, struct ec_buf *out)
{
    double sum = r->forward_ns + r->backward_ns + r->update_ns + r->launch_ns;
    int n = 0;

    if (!(sum > 0))
        return;
    ec_buf_str(out, "  device time");
    part(out, "forward", r->forward_ns, sum, &n);
    part(out, "backward", r->backward_ns, sum, &n);
    part(out, "update", r->update_ns, sum, &n);
    part(out, "launches", r->launch_ns, sum, &n);
    ec_buf_char(out, '\n');
}

static void basis_lines(const struct ec_prediction *r, struct ec_buf *out)
{
    ec_buf_printf(out, "  the estimate rests on %s\n",
                  r->basis == EC_BASIS_CALIBRATED ? "a profile of this device" : r->evidence);
    if (*r->weakest && r->basis != EC_BASIS_CALIBRATED)
        ec_buf_printf(out, "  its weakest part: %s\n", r->weakest);
}

/* The lines on the limit of the step, its phases, and the basis. */
static void why_lines(const struct ec_prediction *r, struct ec_buf *out)
{
    ec_buf_char(out, '\n');
    sides_line(r, out);
    ec_buf_printf(out, "  limited by %s\n", ec_limit_name(r->limit));
    phase_line(r, out);
    basis_lines(r, out);
}

static void interval_line(struct ec_buf *out, const char *name, const struct ec_interval *i,
                          const char *(*fmt)(char *, size_t, double))
{
    char lo[32], mid[32], hi[32];

    ec_buf_printf(out, "  %-12s %12s", name, fmt(mid, sizeof mid, i->p50));
    if (!isnan(i->p05))
        ec_buf_printf(out, "   (90 %%: %s to %s)", fmt(lo, sizeof lo, i->p05),
                      fmt(hi, sizeof hi, i->p95));
    ec_buf_char(out, '\n');
}

static const char *fmt_usd(char *out, size_t size, double v)
{
    (void)ec_snprintf(out, size, "%.2f USD", v);
    return out;
}

static void several_lines(const struct predict_cmd_opts *o, const struct ec_prediction *r,
                          struct ec_buf *out)
{
    char all[32], waited[32], rest[32];

    if (r->has_cost)
        interval_line(out, "cost", &r->cost_usd, fmt_usd);
    if (r->devices < 2 || o->method != EC_METHOD_OWN)
        return;
    ec_buf_printf(out, "  %-12s %10.1f %%   (90 %%: %.1f to %.1f %%)\n", "efficiency",
                  100 * r->scaling_efficiency.p50, 100 * r->scaling_efficiency.p05,
                  100 * r->scaling_efficiency.p95);
    ec_buf_printf(
        out,
        "  of a step: communication %s, of which %s are not hidden; waiting for the slowest %s\n",
        ec_fmt_ns(all, sizeof all, r->communication_ns),
        ec_fmt_ns(waited, sizeof waited, r->exposed_ns), ec_fmt_ns(rest, sizeof rest, r->wait_ns));
}

/* Adds an item to a line that lists several; an item beyond the right margin starts a new line. */
static void add_part(struct ec_buf *out, int *used, const char *text)
{
    int width = ec_text_width(text);

    if (*used && *used + 3 + width > 80) {
        ec_buf_str(out, ",\n      ");
        *used = 6;
    } else {
        ec_buf_str(out, *used ? ", " : "    ");
        *used += *used ? 2 : 4;
    }
    ec_buf_str(out, text);
    *used += width;
}

static void evidence_line(const struct ec_evidence *e, struct ec_buf *out)
{
    char time[32], least[32], most[32], text[160];
    int used = 0;

    add_part(out, &used, e->what);
    (void)snprintf(text, sizeof text, "batch %lld", (long long)e->batch);
    if (e->batch)
        add_part(out, &used, text);
    add_part(out, &used, e->precision);
    add_part(out, &used, e->phase[0] ? e->phase : e->mode);
    if (e->framework[0])
        add_part(out, &used, e->framework);
    (void)snprintf(text, sizeof text, "on %.80s: %s", e->device,
                   ec_fmt_ns(time, sizeof time, e->time_ns));
    add_part(out, &used, text);
    (void)snprintf(text, sizeof text, "mean of %d from %s to %s", e->count,
                   ec_fmt_ns(least, sizeof least, e->least_ns),
                   ec_fmt_ns(most, sizeof most, e->most_ns));
    if (e->count > 1)
        add_part(out, &used, text);
    (void)ec_snprintf(text, sizeof text, "distance %.2f", e->distance);
    add_part(out, &used, text);
    add_part(out, &used, e->source);
    (void)snprintf(text, sizeof text, "measurement %lld", (long long)e->id);
    add_part(out, &used, text);
    ec_buf_char(out, '\n');
}

static void evidence_lines(const struct answer *a, struct ec_buf *out)
{
    int i;

    if (a->no_evidence)
        ec_buf_printf(out, "\n  no evidence: %s\n", a->no_evidence);
    if (!a->evidence)
        return;
    ec_buf_str(out, a->n_evidence ? "\n  measured nearest to it\n"
                                  : "\n  no evidence: the store has no similar measurement\n");
    for (i = 0; i < a->n_evidence; i++)
        evidence_line(&a->evidence[i], out);
}

static void machines_line(const struct ec_prediction *r, struct ec_buf *out)
{
    char rate[32], bits[32];

    if (r->devices < 2)
        return;
    if (r->machines < 2)
        ec_buf_str(out, "in one machine\n");
    else
        ec_buf_printf(out, "in %lld machines of %lld; between them %sB/s (%sb/s) for each device\n",
                      (long long)r->machines, (long long)r->devices_per_machine,
                      ec_fmt_si(rate, sizeof rate, r->network_bytes_per_s),
                      ec_fmt_si(bits, sizeof bits, 8 * r->network_bytes_per_s));
}

/* A single device: a card rather than a table of one row. */
void ec__predict_card(const struct predict_cmd_opts *o, const struct answer *a, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    struct ec_buf line = EC_BUF_INIT;
    int i;

    ec_buf_printf(out, "%s\non ", query_line(o, a, true, &line));
    if (r->devices > 1)
        ec_buf_printf(out, "%lld x ", (long long)r->devices);
    ec_buf_printf(out, "%s%s%s\n", a->used->name, o->query.set ? ", with " : "",
                  o->query.set ? o->query.set : "");
    machines_line(r, out);
    host_line(o, r, false, out);
    ec_buf_char(out, '\n');
    interval_line(out, o->op ? "time" : "step", &r->step_time_ns, ec_fmt_ns);
    if (!o->op)
        interval_line(out, "samples/s", &r->samples_per_s, ec_fmt_si);
    if (r->has_epoch)
        interval_line(out, "epoch", &r->epoch_time_ns, ec_fmt_ns);
    if (r->has_job)
        interval_line(out, "job", &r->job_time_ns, ec_fmt_ns);
    several_lines(o, r, out);
    if (r->has_memory) {
        interval_line(out, "peak memory", &r->memory_peak_bytes, ec_fmt_bytes);
        interval_line(out, "  allocated", &r->allocator_peak_bytes, ec_fmt_bytes);
    }
    if (fits_word(r))
        ec_buf_printf(out, "  %-12s %12s   (of %.1f GiB)\n", "fits", fits_word(r),
                      a->used->memory_bytes.value / 0x1p30);
    if (o->method == EC_METHOD_OWN)
        why_lines(r, out);
    else
        ec_buf_printf(
            out, "\n  by %s: %s\n  %.2f times our own prediction; a baseline has no interval\n",
            ec_method_names[o->method], ec_method_help(o->method),
            r->step_time_ns.p50 / a->own_step_ns);
    for (i = 0; i < r->n_warnings; i++)
        ec_buf_printf(out, "  note: %s\n", r->warnings[i]);
    evidence_lines(a, out);
    ec_buf_clear(&line);
}

/* A note that applies to several devices is printed once, with their names. */
struct note {
    const char *kind, *text;
    struct ec_buf devices;
    int n_devices;
};
struct notes {
    struct note *v;
    int n, cap;
};

static void notes_clear(struct notes *l)
{
    int i;

    for (i = 0; i < l->n; i++)
        ec_buf_clear(&l->v[i].devices);
    ec_free(l->v);
}

static enum ec_status add_note(struct notes *l, const char *kind, const char *text,
                               const char *device, struct ec_err *err)
{
    enum ec_status st;
    struct note *at;
    int i = 0;

    while (i < l->n && !(ec_str_eq(l->v[i].kind, kind) && ec_str_eq(l->v[i].text, text)))
        i++;
    if (i == l->n) {
        EC_TRY(ec_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, err));
        l->v[l->n++] = (struct note){ .kind = kind, .text = text };
    }
    at = &l->v[i];
    ec_buf_printf(&at->devices, "%s%s", at->n_devices++ ? ", " : "", device);
    st = ec_buf_status(&at->devices, err);
out:
    return st;
}

/* The sentence without the key it begins with: the key is printed with the others. */
static const char *reason(const struct answer *a)
{
    size_t len = strlen(a->device);

    return ec_str_starts(a->err.text, a->device) && ec_str_starts(a->err.text + len, ": ")
               ? a->err.text + len + 2
               : a->err.text;
}

static enum ec_status print_notes(const struct answer *a, int n, struct ec_buf *out,
                                  struct ec_err *err)
{
    struct notes l = { 0 };
    enum ec_status st = EC_OK;
    int i, j;

    for (i = 0; i < n; i++) {
        if (a[i].st)
            EC_TRY(add_note(&l, "no answer", reason(&a[i]), a[i].device, err));
        for (j = 0; j < a[i].r.n_warnings; j++)
            if (!strstr(a[i].r.warnings[j], "fit: ")) /* the table has a column for the basis */
                EC_TRY(add_note(&l, "note", a[i].r.warnings[j], a[i].device, err));
    }
    for (i = 0; i < l.n; i++) {
        ec_buf_printf(out, "%s: %s", l.v[i].kind, l.v[i].text);
        if (l.v[i].n_devices < n)
            ec_buf_printf(out, " (%s)", ec_buf_text(&l.v[i].devices));
        ec_buf_char(out, '\n');
    }
out:
    notes_clear(&l);
    return st;
}

/* Text has the times of device and host only if there is a host. What is the same in all rows, a
 * host time or the precision, is printed above the table. */
static void choose_cols(bool has_host, bool same_host, bool same_precision,
                        struct ec_col ret[EC_LEN(cols)])
{
    const struct {
        const char *key;
        bool hidden;
    } rows[] = {
        {"precision",  same_precision        },
        { "device_ns", !has_host             },
        { "host_ns",   !has_host || same_host},
    };
    int i, k;

    memcpy(ret, cols, sizeof cols);
    for (i = 0; i < EC_LEN(cols); i++)
        for (k = 0; k < EC_LEN(rows); k++)
            if (rows[k].hidden && ec_str_eq(cols[i].key, rows[k].key))
                ret[i].flags |= EC_COL_DATA_ONLY;
}

/* Whether the host time is printed the same in all rows with a host. */
static bool is_same_host(const struct answer *a, int n, const struct answer *first)
{
    char want[32], time[32];
    int i;

    if (!first)
        return false;
    (void)ec_fmt_ns(want, sizeof want, first->r.host_ns);
    for (i = 0; i < n; i++)
        if (!a[i].st && *a[i].r.host &&
            !ec_str_eq(want, ec_fmt_ns(time, sizeof time, a[i].r.host_ns)))
            return false;
    return true;
}

static bool is_same_precision(const struct answer *a, int n, const struct answer *first)
{
    int i;

    for (i = 0; i < n; i++)
        if (!a[i].st && a[i].r.precision != first->r.precision)
            return false;
    return true;
}

/* The first answer (with_host: the first with a host); NULL if there is none. */
static const struct answer *first_answer(const struct answer *a, int n, bool with_host)
{
    int i;

    for (i = 0; i < n; i++)
        if (!a[i].st && (!with_host || *a[i].r.host))
            return &a[i];
    return NULL;
}

enum ec_status ec__predict_table(struct ec_call *call, const struct answer *a, int n,
                                 struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    const struct answer *first = first_answer(a, n, false), *with_host = first_answer(a, n, true);
    bool same_host = is_same_host(a, n, with_host);
    bool same_precision = is_same_precision(a, n, first);
    struct ec_forms forms = { .csv = o->csv, .markdown = o->markdown };
    struct ec_buf line = EC_BUF_INIT, notes = EC_BUF_INIT;
    struct ec_col chosen[EC_LEN(cols)];
    struct ec_table t;
    enum ec_status st;
    int i;

    choose_cols(with_host != NULL, same_host, same_precision, chosen);
    ec_table_init(&t, chosen, EC_LEN(cols));
    for (i = 0; i < n; i++)
        if (!a[i].st)
            add_row(&t, &a[i], o->op != NULL);
    if (!o->csv && first)
        ec_buf_printf(&call->out, "%s\n", query_line(o, first, same_precision, &line));
    if (!o->csv && with_host)
        host_line(o, &with_host->r, same_host, &call->out);
    if (!o->csv && first)
        ec_buf_char(&call->out, '\n');
    EC_TRY(ec_call_table(call, &forms, NULL, &t, err));
    EC_TRY(print_notes(a, n, &notes, err));
    if (o->csv)
        (void)fputs(ec_buf_text(&notes), stderr);
    else if (notes.len)
        ec_buf_printf(&call->out, "\n%s", notes.data);
out:
    ec_table_clear(&t);
    ec_buf_clear(&line);
    ec_buf_clear(&notes);
    return st;
}

static void json_evidence(const struct answer *a, struct ec_json *j)
{
    int i;

    if (a->no_evidence)
        ec_json_str(j, "no_evidence", a->no_evidence);
    if (!a->evidence && !a->no_evidence)
        return;
    ec_json_open(j, "evidence", '[');
    for (i = 0; i < a->n_evidence; i++) {
        const struct ec_evidence *e = &a->evidence[i];

        ec_json_open(j, NULL, '{');
        ec_json_int(j, "id", e->id);
        ec_json_str(j, "what", e->what);
        ec_json_str(j, "device", e->device);
        ec_json_str(j, "precision", e->precision);
        ec_json_str(j, "mode", e->mode);
        if (e->phase[0])
            ec_json_str(j, "phase", e->phase);
        ec_json_str(j, "framework", e->framework);
        if (e->batch)
            ec_json_int(j, "batch", e->batch);
        ec_json_num(j, "time_ns", e->time_ns);
        ec_json_int(j, "count", e->count);
        ec_json_num(j, "time_min_ns", e->least_ns);
        ec_json_num(j, "time_max_ns", e->most_ns);
        ec_json_num(j, "distance", e->distance);
        ec_json_str(j, "source", e->source);
        ec_json_close(j, '}');
    }
    ec_json_close(j, ']');
}

static void json_one(const struct predict_cmd_opts *o, const struct answer *a, struct ec_json *j)
{
    ec_json_str(j, o->op ? "op" : "model", o->op ? o->op : o->model);
    ec_json_str(j, "device", a->device);
    if (o->method != EC_METHOD_OWN)
        ec_json_str(j, "method", ec_method_names[o->method]);
    if (!a->st && a->own_step_ns > 0)
        ec_json_num(j, "ratio_to_own", a->r.step_time_ns.p50 / a->own_step_ns);
    if (!a->st) {
        ec_prediction_json(j, &a->r);
        if (a->why)
            ec_explanation_json(j, a->why);
        json_evidence(a, j);
        return;
    }
    ec_json_open(j, "error", '{');
    ec_json_str(j, "status", ec_status_name(a->st));
    ec_json_str(j, "message", a->err.text);
    ec_json_close(j, '}');
}

void ec__predict_json(struct ec_call *call, const struct answer *a, int n)
{
    const struct predict_cmd_opts *o = call->opts;
    struct ec_json j;
    int i;

    ec_json_begin(&j, &call->out, 2);
    ec_json_open(&j, NULL, '{');
    ec_json_str(&j, "schema", "epochcast.prediction/1");
    if (n == 1)
        json_one(o, &a[0], &j);
    if (n > 1)
        ec_json_open(&j, "predictions", '[');
    for (i = 0; n > 1 && i < n; i++) {
        ec_json_open(&j, NULL, '{');
        json_one(o, &a[i], &j);
        ec_json_close(&j, '}');
    }
    if (n > 1)
        ec_json_close(&j, ']');
    ec_json_close(&j, '}');
    ec_buf_char(&call->out, '\n');
}
