/* epochcast predict: time, throughput and memory of a network or an operator, on one device or in
 * comparison; and the same for a stream of JSON requests. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hw/hw.h"
#include "predict/predict.h"
#include "report/report.h"

struct predict_cmd_opts {
    const char *model, *op, *requests;
    struct ec_strs device;
    bool json, csv, markdown;
    struct ec_predict_opts question;
};

#define AT(member) offsetof(struct predict_cmd_opts, member)

/* clang-format off */
static const struct ec_field fields[] = {
    { .name = "model", .type = EC_F_STR, .offset = AT(model), .metavar = "MODEL",
      .help = "an .onnx or .json file, or the name of a built-in network" },
    { .name = "device", .type = EC_F_STRS, .offset = AT(device), .metavar = "KEY",
      .short_flag = 'd', .help = "device key, or a pattern such as 'rtx*'; several are compared" },
    { .name = "op", .type = EC_F_STR, .offset = AT(op), .metavar = "CASE",
      .help = "predict one operator, such as 'conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1'" },
    { .name = "requests", .type = EC_F_STR, .offset = AT(requests), .metavar = "FILE.jsonl",
      .help = "answer one JSON request per line; - reads standard input" },
    { .name = "json", .type = EC_F_BOOL, .offset = AT(json), .help = "write JSON" },
    { .name = "csv", .type = EC_F_BOOL, .offset = AT(csv), .help = "write CSV" },
    { .name = "markdown", .type = EC_F_BOOL, .offset = AT(markdown), .help = "write Markdown" },
    EC_FIELD_END
};

static const struct ec_arg_group groups[] = {
    { "Options", fields, 0 },
    { "The question", ec_predict_fields, AT(question) },
    { NULL, NULL, 0 },
};

static const char *const usage[] = {
    "MODEL --device KEY [--batch N] [--precision P] ...",
    "--op CASE --device KEY [--phase PHASE] ...",
    "--requests FILE.jsonl",
    NULL,
};

#define DURATION(key_, title_, flags_) \
    { .key = key_, .title = title_, .format = EC_COL_NS, .flags = flags_ }

static const struct ec_col cols[] = {
    { .key = "device", .title = "device" },
    DURATION("step_time_ns", "step", 0),
    DURATION("step_time_p05_ns", "5 %", 0),
    DURATION("step_time_p95_ns", "95 %", 0),
    { .key = "samples_per_s", .title = "samples/s", .format = EC_COL_DIGITS3,
      .flags = EC_COL_HIDE_EMPTY },
    DURATION("epoch_time_ns", "epoch", EC_COL_HIDE_EMPTY),
    DURATION("job_time_ns", "job", EC_COL_HIDE_EMPTY),
    { .key = "memory_peak_bytes", .title = "memory", .format = EC_COL_BYTES,
      .flags = EC_COL_HIDE_EMPTY },
    { .key = "fits", .title = "fits", .format = EC_COL_TEXT, .flags = EC_COL_HIDE_EMPTY },
    { .key = "limit", .title = "limited by" },
    { .key = "basis", .title = "basis" },
};
/* clang-format on */

/* One device with its answer, or why there is none. */
struct answer {
    const char *device;
    const struct ec_device *used; /* with the changes of --set */
    struct ec_prediction r;
    enum ec_status st;
    struct ec_err err;
};

static const char *fits_word(const struct ec_prediction *r)
{
    if (!r->has_memory || r->fits_probability < 0)
        return NULL;
    if (r->fits_probability >= 0.9)
        return "yes";
    return r->fits_probability <= 0.1 ? "no" : r->fits ? "likely" : "unlikely";
}

static void add_if(struct ec_table *t, bool has, double v)
{
    if (has)
        ec_table_num(t, v);
    else
        ec_table_none(t);
}

static void add_row(struct ec_table *t, const struct answer *a, bool is_op)
{
    const struct ec_prediction *r = &a->r;

    ec_table_text(t, a->device);
    ec_table_num(t, r->step_time_ns.p50);
    ec_table_num(t, r->step_time_ns.p05);
    ec_table_num(t, r->step_time_ns.p95);
    add_if(t, !is_op, r->samples_per_s.p50);
    add_if(t, r->has_epoch, r->epoch_time_ns.p50);
    add_if(t, r->has_job, r->job_time_ns.p50);
    add_if(t, r->has_memory, r->memory_peak_bytes.p50);
    ec_table_text(t, fits_word(r));
    ec_table_text(t, ec_limit_name(r->limit));
    ec_table_text(t, ec_basis_name(r->basis));
}

/* The question in words. An operator is asked for one phase, or for all that a mode holds; only
 * whole steps have an update. */
static const char *question_line(const struct predict_cmd_opts *o, const struct ec_prediction *r,
                                 struct ec_buf *out)
{
    static const char *const of_step[] = { "precision", "layout",    "mode",
                                           "optimizer", "framework", NULL };
    static const char *const of_mode[] = { "precision", "layout", "mode", "framework", NULL };
    static const char *const of_phase[] = { "precision", "layout", "phase", "framework", NULL };
    const char *const *word = o->question.phase                                    ? of_phase
                              : o->op || o->question.mode != EC_MODE_TRAINING_STEP ? of_mode
                                                                                   : of_step;

    ec_buf_reset(out);
    ec_buf_str(out, o->op ? o->op : o->model);
    if (!o->op)
        ec_buf_printf(out, ", batch %lld", (long long)r->batch);
    for (; *word; word++) {
        ec_buf_str(out, ec_str_eq(*word, "optimizer") ? ", optimizer " : ", ");
        ec_field_print(ec_field_find(ec_predict_fields, ec_span_of(*word)), &o->question, out);
    }
    return ec_buf_text(out);
}

static void part(struct ec_buf *out, const char *name, double ns, double of, int *n_parts)
{
    if (of > 0 && ns / of >= 0.005)
        ec_buf_printf(out, "%s%s %.0f %%", (*n_parts)++ ? ", " : ": ", name, 100 * ns / of);
}

/* Shares of the device's time. */
static void limit_lines(const struct ec_prediction *r, struct ec_buf *out)
{
    double sum = r->forward_ns + r->backward_ns + r->update_ns + r->launch_ns;
    int n = 0;

    ec_buf_printf(out, "\n  limited by %s", ec_limit_name(r->limit));
    part(out, "forward", r->forward_ns, sum, &n);
    part(out, "backward", r->backward_ns, sum, &n);
    part(out, "update", r->update_ns, sum, &n);
    part(out, "launches", r->launch_ns, sum, &n);
    ec_buf_printf(out, "%s\n  rests on %s\n", n ? " of device time" : "",
                  r->basis == EC_BASIS_MEASURED ? "measurements of this device"
                                                : "the device's specification only");
}

static void interval_line(struct ec_buf *out, const char *name, const struct ec_interval *i,
                          const char *(*fmt)(char *, size_t, double))
{
    char lo[32], mid[32], hi[32];

    ec_buf_printf(out, "  %-12s %12s   (90 %%: %s to %s)\n", name, fmt(mid, sizeof mid, i->p50),
                  fmt(lo, sizeof lo, i->p05), fmt(hi, sizeof hi, i->p95));
}

/* A single device: a card rather than a table of one row. */
static void card(const struct predict_cmd_opts *o, const struct answer *a, struct ec_buf *out)
{
    const struct ec_prediction *r = &a->r;
    struct ec_buf line = EC_BUF_INIT;
    int i;

    ec_buf_printf(out, "%s\non %s%s%s\n\n", question_line(o, r, &line), a->used->name,
                  o->question.set ? ", with " : "", o->question.set ? o->question.set : "");
    interval_line(out, o->op ? "time" : "step", &r->step_time_ns, ec_fmt_ns);
    if (!o->op)
        interval_line(out, "samples/s", &r->samples_per_s, ec_fmt_si);
    if (r->has_epoch)
        interval_line(out, "epoch", &r->epoch_time_ns, ec_fmt_ns);
    if (r->has_job)
        interval_line(out, "job", &r->job_time_ns, ec_fmt_ns);
    if (r->has_memory)
        interval_line(out, "peak memory", &r->memory_peak_bytes, ec_fmt_bytes);
    if (fits_word(r))
        ec_buf_printf(out, "  %-12s %12s   (of %.1f GiB)\n", "fits", fits_word(r),
                      a->used->memory_bytes.value / 0x1p30);
    limit_lines(r, out);
    for (i = 0; i < r->n_warnings; i++)
        ec_buf_printf(out, "  note: %s\n", r->warnings[i]);
    ec_buf_clear(&line);
}

/* Once under the table, however many devices say it. The table tells what does not fit. */
static void note(const char *text, struct ec_buf *out)
{
    struct ec_buf line = EC_BUF_INIT;

    ec_buf_printf(&line, "note: %s\n", text);
    if (!strstr(text, "fit: ") && !strstr(ec_buf_text(out), ec_buf_text(&line)))
        ec_buf_str(out, ec_buf_text(&line));
    ec_buf_clear(&line);
}

static void notes_of_all(const struct answer *a, int n, struct ec_buf *out)
{
    int i, j;

    for (i = 0; i < n; i++) {
        if (a[i].st)
            ec_buf_printf(out, "no answer: %s\n", a[i].err.text);
        for (j = 0; j < a[i].r.n_warnings; j++)
            note(a[i].r.warnings[j], out);
    }
}

static enum ec_status table(struct ec_call *call, const struct answer *a, int n, struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    struct ec_buf line = EC_BUF_INIT, notes = EC_BUF_INIT;
    struct ec_table t;
    enum ec_status st;
    int i, first = 0;

    ec_table_init(&t, cols, EC_LEN(cols));
    while (first < n && a[first].st)
        first++;
    for (i = 0; i < n; i++)
        if (!a[i].st)
            add_row(&t, &a[i], o->op != NULL);
    if (!o->csv && first < n)
        ec_buf_printf(&call->out, "%s\n\n", question_line(o, &a[first].r, &line));
    EC_TRY(ec_table_write(&t,
                          o->csv        ? EC_TABLE_CSV
                          : o->markdown ? EC_TABLE_MARKDOWN
                                        : EC_TABLE_TEXT,
                          &call->out, err));
    notes_of_all(a, n, &notes);
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

static void json_one(const struct predict_cmd_opts *o, const struct answer *a, struct ec_json *j)
{
    ec_json_str(j, o->op ? "op" : "model", o->op ? o->op : o->model);
    ec_json_str(j, "device", a->device);
    if (!a->st) {
        ec_prediction_json(j, &a->r);
        return;
    }
    ec_json_open(j, "error", '{');
    ec_json_str(j, "status", ec_status_name(a->st));
    ec_json_str(j, "message", a->err.text);
    ec_json_close(j, '}');
}

static void json(struct ec_call *call, const struct answer *a, int n)
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

static enum ec_status match_devices(struct ec_call *call, const struct ec_device ***ret, int *ret_n,
                                    struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    enum ec_status st = EC_OK;
    int i, total = 0, n_all;
    const struct ec_device **list;

    (void)ec_devices(&n_all);
    list = ec_arena_alloc(&call->arena, sizeof *list * (size_t)n_all * (size_t)o->device.n);
    if (!list)
        return ec_nomem(err);
    for (i = 0; i < o->device.n; i++) {
        const struct ec_device **found = NULL, *one = NULL;
        int n = 0;

        if (!strpbrk(o->device.v[i], "*?") && !ec_device_find(o->device.v[i], &one, NULL)) {
            list[total++] = one;
            continue;
        }
        EC_TRY(ec_devices_match(o->device.v[i], &found, &n, &call->arena, err));
        memcpy(list + total, found, sizeof *list * (size_t)n);
        total += n;
    }
    *ret = list;
    *ret_n = total;
out:
    return st;
}

static void answer_one(struct ec_predictor *p, struct ec_call *call, const struct ec_device *d,
                       struct answer *a)
{
    const struct predict_cmd_opts *o = call->opts;
    const char *set = o->question.set;

    a->device = ec_device_key(d);
    a->used = d;
    if (set && *set)
        a->st = ec_device_override(d, set, &call->arena, &a->used, &a->err);
    if (a->st)
        return;
    a->st = o->op ? ec_predict_op(p, o->op, a->device, &o->question, &a->r, &a->err)
                  : ec_predict_network(p, o->model, a->device, &o->question, &a->r, &a->err);
}

/* Devices without the numbers a prediction needs are reported and passed over; any other failure
 * concerns the question itself. */
static enum ec_status answer_all(struct ec_predictor *p, struct ec_call *call,
                                 const struct ec_device **devices, int n, struct answer *a,
                                 struct ec_err *err)
{
    int i, n_ok = 0;

    for (i = 0; i < n; i++) {
        answer_one(p, call, devices[i], &a[i]);
        n_ok += a[i].st == EC_OK;
        if (a[i].st && (a[i].st != EC_E_UNSUPPORTED || n == 1)) {
            if (err)
                *err = a[i].err;
            return a[i].st;
        }
    }
    if (!n_ok)
        return ec_fail(err, EC_E_UNSUPPORTED, "none of the %d devices can be predicted: %s", n,
                       a[0].err.text);
    return EC_OK;
}

static enum ec_status ask(struct ec_call *call, struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    const struct ec_device **devices = NULL;
    struct ec_predictor *p = NULL;
    struct answer *a = NULL;
    enum ec_status st;
    int n = 0;

    EC_TRY(match_devices(call, &devices, &n, err));
    a = ec_arena_alloc(&call->arena, sizeof *a * (size_t)n);
    if (!a)
        EC_TRY(ec_nomem(err));
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(answer_all(p, call, devices, n, a, err));
    if (o->json)
        json(call, a, n);
    else if (n == 1 && !o->csv && !o->markdown)
        card(o, &a[0], &call->out);
    else
        EC_TRY(table(call, a, n, err));
out:
    ec_predictor_free(p);
    return st;
}

/* False at the end of the input. Of a line that is too long enough is kept for its answer to say
 * so. */
static bool read_line(FILE *in, struct ec_buf *line)
{
    int c;

    ec_buf_reset(line);
    while ((c = getc_unlocked(in)) != EOF && c != '\n')
        if (line->len <= EC_REQUEST_MAX_BYTES)
            ec_buf_char(line, (char)c);
    return c != EOF || line->len;
}

/* One answer per line, in order. Standard input may be a person or a program that waits for each
 * answer: flushed line by line. */
static enum ec_status serve_lines(struct ec_call *call, FILE *in, bool each_line,
                                  struct ec_err *err)
{
    struct ec_predictor *p = NULL;
    struct ec_buf line = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(ec_predictor_new(&p, err));
    while (read_line(in, &line)) {
        struct ec_span text = ec_span_trim((struct ec_span){ ec_buf_text(&line), line.len });

        EC_TRY(ec_buf_status(&line, err));
        if (!text.len)
            continue;
        EC_TRY(ec_predict_request(p, text.p, text.len, &call->out, err));
        ec_buf_char(&call->out, '\n');
        if (each_line || call->out.len > 1 << 16)
            EC_TRY(ec_call_flush(call, err));
    }
    if (ferror(in))
        EC_TRY(ec_fail(err, EC_E_IO, "reading requests failed"));
out:
    ec_buf_clear(&line);
    ec_predictor_free(p);
    return st;
}

static enum ec_status serve(struct ec_call *call, struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    enum ec_status st;
    FILE *in;

    if (ec_str_eq(o->requests, "-"))
        return serve_lines(call, stdin, true, err);
    in = fopen(o->requests, "re");
    if (!in)
        return ec_fail(err, EC_E_IO, "%s: cannot open: %s", o->requests, strerror(errno));
    st = serve_lines(call, in, false, err);
    (void)fclose(in);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    struct predict_cmd_opts *o = call->opts;

    o->question.struct_size = sizeof o->question;
    if (o->json + o->csv + o->markdown > 1)
        return ec_usage(call, err, "--json, --csv and --markdown exclude each other");
    if (o->requests)
        return call->given.n > 1
                   ? ec_usage(call, err, "--requests stands alone: its lines say everything else")
                   : serve(call, err);
    if (!o->model == !o->op)
        return ec_usage(call, err,
                        o->model ? "a MODEL and --op are both given, expected one"
                                 : "nothing to predict: give a MODEL or --op CASE");
    if (!o->device.n)
        return ec_usage(call, err,
                        "no device: give --device KEY (epochcast device list shows them)");
    return ask(call, err);
}

const struct ec_cmd ec_cmd_predict = {
    .name = "predict",
    .help = "time, throughput and memory of a network or an operator on any device",
    .usage = usage,
    .positional = "model",
    .groups = groups,
    .opts_size = sizeof(struct predict_cmd_opts),
    .run = run,
};
