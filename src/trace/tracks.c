/* The measured and the predicted step as tracks of one file in the format of Chrome's traces, which
 * Perfetto opens: a process for each, beginning at 0. */
#include "trace/trace_internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#ifdef EC_HAVE_ZLIB
#include <zlib.h>
#endif

enum { MEASURED = 1, PREDICTED };

/* what: "process_name" or "thread_name" */
static void name_track(struct ec_buf *b, int process, int thread, const char *what,
                       const char *name)
{
    ec_buf_printf(b,
                  "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":", what,
                  process, thread);
    ec_json_quote(b, name);
    ec_buf_str(b, "}},\n");
}

/* All but the end of it. */
static void begin_slice(struct ec_buf *b, int process, int thread, const char *name, int64_t at_ns,
                        int64_t ns)
{
    ec_buf_str(b, "{\"ph\":\"X\",\"name\":");
    ec_json_quote(b, name);
    ec_buf_printf(b, ",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f", process, thread,
                  (double)at_ns / 1e3, (double)ns / 1e3); /* microseconds */
}

/* What the device did: a thread for each stream. Slices of one never overlap, as the format wants:
 * those of a trace may by a little. */
static enum ec_status draw_measured(struct ec_buf *b, const struct ec_traced *f, struct ec_err *err)
{
    const struct ec_trace *t = &f->trace;
    int64_t *next = ec_alloc(sizeof *next * ((size_t)t->n_lanes + 1)); /* its start; 0: none yet */
    uint32_t *list = NULL;
    enum ec_status st = EC_OK;
    int n = 0, i;

    EC_TRY(ec_allocated(next, err));
    EC_TRY(ec__trace_sorted(t, EC__TRACE_OF_DEVICE, &list, &n, err));
    for (i = n - 1; i >= 0; i--) {
        const struct ec_trace_event *e = &t->v[list[i]];
        int64_t ns = e->dur_ns;

        if (f->steps.of[list[i]] != f->steps.median)
            continue;
        if (!next[e->lane])
            name_track(b, MEASURED, e->lane + 1, "thread_name", t->text[t->lane[e->lane].thread]);
        else if (ec_trace_end(e) > next[e->lane])
            ns = next[e->lane] - e->start_ns;
        next[e->lane] = e->start_ns;
        begin_slice(b, MEASURED, e->lane + 1, ec_trace_name(t, e),
                    e->start_ns - ec_trace_median(&f->steps)->from_ns, ns);
        ec_buf_str(b, ",\"cat\":\"measured\"},\n");
    }
out:
    ec_free(next);
    ec_free(list);
    return st;
}

/* Calls one after the other, each as long as predicted; what is not predicted as long as it took.
 */
static void draw_predicted(struct ec_buf *b, const struct ec_trace_ops *o)
{
    int64_t at_ns = 0, ns;
    int i;

    for (i = 0; i < o->n_calls; i++) {
        const struct ec_trace_op *op = &o->v[o->call[i].op];
        bool is_known = op->predicted_ns.p50 > 0;
        const char *way = ec_trace_way_words[op->way];

        ns = llrint(is_known ? op->predicted_ns.p50 : o->call[i].ns);
        begin_slice(b, PREDICTED, 1, op->name, at_ns, ns);
        ec_buf_printf(b, ",\"cat\":\"%s\",\"args\":{\"pass\":\"%s\",\"measured_us\":%.3f",
                      is_known ? "predicted" : "not predicted", way ? way : "unknown",
                      o->call[i].ns / 1e3);
        if (is_known)
            ec_buf_printf(b, ",\"p05_us\":%.3f,\"p95_us\":%.3f,\"case\":\"%s\"",
                          op->predicted_ns.p05 / 1e3, op->predicted_ns.p95 / 1e3, op->text);
        ec_buf_str(b, "}},\n");
        at_ns += ns;
    }
}

/* Packed where the name ends in ".gz". */
static enum ec_status write_out(const char *path, const struct ec_buf *text, struct ec_err *err)
{
    size_t len = strlen(path);

#ifdef EC_HAVE_ZLIB
    if (len > 3 && ec_str_eq(path + len - 3, ".gz")) {
        gzFile z = gzopen(path, "wbe");
        bool is_written = z && gzwrite(z, text->data, (unsigned)text->len) == (int)text->len;

        return gzclose(z) == Z_OK && is_written
                   ? EC_OK
                   : ec_fail(err, EC_E_IO, "%s: cannot write: %s", path, strerror(errno));
    }
#endif
    return ec_file_write(path, text->data, text->len, err);
}

enum ec_status ec_trace_tracks(const struct ec_traced *f, const char *path, struct ec_err *err)
{
    struct ec_buf text = { .max_bytes = INT32_MAX };
    enum ec_status st;

    ec_buf_str(&text, "{\"traceEvents\":[\n");
    EC_TRY(draw_measured(&text, f, err));
    draw_predicted(&text, &f->ops);
    name_track(&text, PREDICTED, 1, "thread_name", f->device ? f->device : "no device");
    name_track(&text, PREDICTED, 0, "process_name", "predicted");
    name_track(&text, MEASURED, 0, "process_name", "measured");
    text.len -= text.len > 2 ? 2 : 0; /* the last comma */
    ec_buf_str(&text, "\n]}\n");
    EC_TRY(ec_buf_status(&text, err));
    EC_TRY(write_out(path, &text, err));
out:
    ec_buf_clear(&text);
    return st;
}
