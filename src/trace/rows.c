/* A trace with all that is found in it, and its operators and steps as rows of a measurement file,
 * which every command that reads tables then reads. */
#include "trace/trace_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum ec_status ec_traced_read(const char *path, int gpu, ec_trace_progress progress, void *arg,
                              struct ec_predictor *p, const char *device, struct ec_traced *ret,
                              struct ec_err *err)
{
    struct ec_traced f = { .path = path };
    enum ec_status st;

    EC_TRY(ec_trace_read(path, gpu, progress, arg, &f.trace, err));
    if (!f.trace.is_stopped) {
        EC_TRY(ec_trace_join(&f.trace, &f.up, err));
        EC_TRY(ec_within(err, ec_trace_find_steps(&f.trace, f.up, &f.steps, err), "%s: ", path));
        EC_TRY(ec_trace_budget(&f.trace, f.up, &f.steps, err));
        f.device = device ? device : ec_trace_device(&f.trace);
        EC_TRY(ec_trace_operators(&f.trace, f.up, &f.steps, p, p ? f.device : NULL, &f.ops, err));
        ec_trace_conditions(&f.trace, &f.ops, &f.said);
    }
    *ret = f;
    f = (struct ec_traced){ 0 };
out:
    ec_traced_clear(&f);
    return st;
}

void ec_traced_clear(struct ec_traced *f)
{
    ec_trace_clear(&f->trace);
    ec_trace_steps_clear(&f->steps);
    ec_trace_ops_clear(&f->ops);
    ec_free(f->up);
    f->up = NULL;
}

/* A file as the profiler begins it, or anything that is packed. */
static bool is_trace(const char *path)
{
    char head[4096] = "";
    struct stat info;
    FILE *file = stat(path, &info) || !S_ISREG(info.st_mode) ? NULL : fopen(path, "re");
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;

    if (file)
        (void)fclose(file);
    return (n > 1 && !memcmp(head, "\x1f\x8b", 2)) || ec_str_eq(head, "SQLite format 3") ||
           memmem(head, n, "\"traceEvents\"", 13) || memmem(head, n, "\"deviceProperties\"", 18);
}

static void put_row(const struct ec_record *r, struct ec_buf *out)
{
    const struct ec_record_col *c;
    struct ec_buf cell = EC_BUF_INIT;
    const char *comma = "";

    for (c = ec_record_cols; c->name; c++) {
        if (!c->in_file)
            continue;
        ec_buf_reset(&cell);
        if (r)
            ec_record_put_in_file(c, r, &cell);
        ec_buf_str(out, comma);
        ec_csv_put(out, r ? ec_buf_text(&cell) : c->in_file);
        comma = ",";
    }
    ec_buf_char(out, '\n');
    ec_buf_clear(&cell);
}

/* What all rows have in common. run: of a file's events, so that two files never share it. */
static void common(const struct ec_traced *f, char run[EC_SHA256_TEXT_BYTES], struct ec_record *r)
{
    ec_record_init(r);
    ec_sha256(f->trace.v, sizeof *f->trace.v * (size_t)f->trace.n, run);
    run[12] = '\0';
    r->run = run;
    r->method = "traced";
    r->outcome = "ok";
    r->engine = "pytorch";
    r->device = f->device ? f->device : "";
    r->device_name = f->trace.device;
    r->num_devices = 1;
    r->cond = f->said.cond;
    memset(r->foreign, 0, sizeof r->foreign);
    r->tool = "epochcast";
}

static enum ec_status steps_row(const struct ec_traced *f, const struct ec_table_given *given,
                                struct ec_record r, struct ec_buf *out, struct ec_err *err)
{
    struct ec_buf ns = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i;

    for (i = f->steps.n_out; i < f->steps.n; i++)
        ec_buf_printf(&ns, "%s%.0f", ns.len ? " " : "", ec_trace_step_ns(&f->steps.v[i]));
    EC_TRY(ec_buf_status(&ns, err));
    r.kind = EC_KIND_network;
    r.what = given->model;
    r.batch = given->batch ? given->batch : f->said.batch;
    r.image_px = f->said.image;
    r.seq_len = f->said.seq_len;
    r.num_devices = f->trace.ranks > 1 ? f->trace.ranks : 1;
    r.samples_ns = ec_buf_text(&ns);
    put_row(&r, out);
out:
    ec_buf_clear(&ns);
    return st;
}

static int by_case(const void *a, const void *b)
{
    const struct ec_trace_op *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    return order                          ? order
           : x->precision != y->precision ? (x->precision < y->precision ? -1 : 1)
                                          : x->channels_last - y->channels_last;
}

/* Calls of one case in one phase are together, forward first. */
static int by_phase(const void *a, const void *b)
{
    int order = by_case(a, b);

    return order ? order
                 : ((const struct ec_trace_op *)a)->phase - ((const struct ec_trace_op *)b)->phase;
}

/* The row of n groups of calls in one phase. ret_ns: the mean of these calls, before them that of
 * forward; a call that computes both gradients makes with that one row for both passes. */
static void operator_row(const struct ec_trace_op *v, int n, double *ret_ns, struct ec_record r,
                         struct ec_buf *out)
{
    bool both = v->phase == EC_PHASE_COUNT;
    char family[64], ns[EC_FMT_DOUBLE_BYTES];
    double sum = 0;
    int i;

    for (i = 0; i < n; i++) {
        sum += v[i].measured_ns;
        r.calls_per_sample += v[i].calls;
    }
    *ret_ns = sum / (double)r.calls_per_sample + (both ? *ret_ns : 0);
    (void)ec_snprintf(family, sizeof family, "%.*s", (int)strcspn(v->text, " "), v->text);
    r.kind = EC_KIND_operator;
    r.what = v->text;
    r.family = family;
    r.phase = both ? -1 : v->phase;
    r.cond.mode = EC_MODE_FORWARD_BACKWARD;
    r.cond.precision = v->precision;
    r.cond.layout = v->channels_last ? EC_CHANNELS_LAST : EC_CHANNELS_FIRST;
    r.cond.optimizer = EC_OPT_none;
    r.device_samples_ns = ec_fmt_double(ns, sizeof ns, *ret_ns);
    put_row(&r, out);
}

static enum ec_status operator_rows(struct ec_traced *f, const struct ec_record *r,
                                    struct ec_buf *out, struct ec_err *err)
{
    struct ec_trace_op *v = f->ops.v;
    int n = 0, i, k;
    double ns = 0;

    for (i = 0; i < f->ops.n; i++)
        if (v[i].phase >= 0)
            v[n++] = v[i];
    if (n)
        qsort(v, (size_t)n, sizeof *v, by_phase);
    for (i = 0; i < n; i = k) {
        bool has_forward = i && !by_case(&v[i - 1], &v[i]) && v[i - 1].phase == EC_FORWARD;

        for (k = i + 1; k < n && !by_phase(&v[i], &v[k]); k++)
            continue;
        if (v[i].phase != EC_PHASE_COUNT || has_forward)
            operator_row(&v[i], k - i, &ns, *r, out);
    }
    return ec_buf_status(out, err);
}

enum ec_status ec_trace_table(const struct ec_table_given *given, struct ec_csv *ret,
                              struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_traced f = { 0 };
    char run[EC_SHA256_TEXT_BYTES];
    struct ec_record r;
    enum ec_status st = EC_OK;

    if (!is_trace(given->path))
        return EC_OK;
    EC_TRY(ec_traced_read(given->path, 0, NULL, NULL, NULL, given->device, &f, err));
    common(&f, run, &r);
    put_row(NULL, &text);
    if (given->model)
        EC_TRY(steps_row(&f, given, r, &text, err));
    EC_TRY(operator_rows(&f, &r, &text, err));
    EC_TRY(ec_csv_parse(ec_buf_text(&text), text.len, ret, err));
    if (!ret->n_rows)
        EC_TRY(ec_fail(
            err, EC_E_NOT_FOUND,
            "%s: no operator of the trace can be predicted: expected kernels, and operators "
            "with shapes around their launches (record_shapes=True)",
            given->path));
    if (f.trace.is_cut)
        ret->note = ec_arena_printf(&ret->arena, "the trace is cut: %s; what came before is used",
                                    f.trace.cut);
out:
    if (st)
        ec_csv_clear(ret);
    ec_buf_clear(&text);
    ec_traced_clear(&f);
    return st;
}
