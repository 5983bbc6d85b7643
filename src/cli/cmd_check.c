/* epochcast check: is a run as expected, and if not, why. */
#include "cli/check_internal.h"

#include <math.h>

#include "cli/predict_cmd_internal.h"

#include "check_cmd.h"

#define LOG_MOST ((size_t)1 << 30)
#define CAUSES 5

/* A run, and what was expected of it. */
struct checked {
    struct ec_job job;
    struct ec_expected e;
    const struct ec_device *device;
    double ns, tolerance, percentile; /* of a step; a share; 0 to 100 */
    enum ec_verdict verdict;
    struct ec_cause cause[CAUSES];
};

/* ------------------------------------------------------------------------------------------------
 * As text */

/* "681 samples/s", "500 TFLOP/s": of all devices. */
static void speed_line(struct ec_call *call, const struct checked *c, enum ec_speed_kind kind)
{
    const char *unit = ec_speed_words[kind].unit;
    double v = 1e9 * c->e.does.of[kind] / c->ns;
    char number[32];

    if (kind < EC_SPEED_FLOP)
        ec_buf_printf(&call->out, "             %s %s\n", ec_fmt_digits3(number, sizeof number, v),
                      unit);
    else
        ec_buf_printf(&call->out, "             %s%s\n", ec_fmt_si(number, sizeof number, v), unit);
}

static void head_lines(struct ec_call *call, const struct checked *c)
{
    const struct check_opts *o = call->opts;
    struct predict_cmd_opts shown = { .op = c->job.op, .query = o->query };
    struct answer a = { .model = c->job.op ? c->job.op : c->job.model,
                        .device = c->job.device,
                        .r = c->e.r,
                        .query = c->job.opts,
                        .asked_batch = o->query.batch };
    struct ec_buf line = EC_BUF_INIT;
    char bytes[32];

    if (!c->job.model && !c->job.op)
        ec_buf_printf(&line, "%s of %s", ec_collective_names[c->job.collective],
                      ec_fmt_bytes(bytes, sizeof bytes, c->job.bytes));
    else
        ec__query_line(&shown, &a, true, NULL, &line);
    ec_help_wrap(&call->out, call->out.len, ec_buf_text(&line), 0);
    if (c->e.does.devices > 1)
        ec_buf_printf(&call->out, "on %lld x %s\n", (long long)c->e.does.devices, c->device->name);
    else
        ec_buf_printf(&call->out, "on %s\n", c->device->name);
    if (c->job.model)
        ec__usual_line(&shown, &a, &call->out);
    ec_buf_clear(&line);
}

/* A percentile of an interval of 90 % says little far out. */
static const char *percentile_of(const struct checked *c, char *out, size_t size)
{
    if (c->percentile < 1)
        return "below percentile 1";
    if (c->percentile > 99)
        return "above percentile 99";
    (void)ec_snprintf(out, size, "percentile %.0f", c->percentile);
    return out;
}

static void verdict_lines(struct ec_call *call, const struct checked *c)
{
    const struct ec_interval *i = &c->e.ns;
    const bool shown[EC_SPEED_COUNT] = {
        [EC_SPEED_SAMPLES] = c->job.model != NULL,
        [EC_SPEED_TOKENS] = c->job.model != NULL,
        [EC_SPEED_FLOP] = c->job.op != NULL,
        [EC_SPEED_BYTES] = !c->job.model,
    };
    char ns[4][32], percentile[32];
    const char *step = c->job.model ? " a step" : "";
    int k;

    ec_buf_printf(&call->out, "\n  verdict    %s: %.*f times the expected time\n",
                  ec_verdict_names[c->verdict], c->ns < 0.1 * i->p50 ? 4 : 2, c->ns / i->p50);
    ec_buf_printf(&call->out, "  expected   %s%s (90 %%: %s to %s)",
                  ec_fmt_ns_like(ns[0], sizeof ns[0], i->p50, i->p50), step,
                  ec_fmt_ns_like(ns[1], sizeof ns[1], i->p05, i->p50),
                  ec_fmt_ns_like(ns[2], sizeof ns[2], i->p95, i->p50));
    if (c->tolerance > 0)
        ec_buf_printf(&call->out, ", widened by %.3g %%", 100 * c->tolerance);
    ec_buf_printf(&call->out, "\n  measured   %s%s, %s\n",
                  ec_fmt_ns_like(ns[3], sizeof ns[3], c->ns, c->ns < 100 * i->p50 ? i->p50 : c->ns),
                  step, percentile_of(c, percentile, sizeof percentile));
    for (k = 0; k < EC_SPEED_COUNT; k++)
        if (shown[k] && c->e.does.of[k] > 0)
            speed_line(call, c, (enum ec_speed_kind)k);
}

/* The share of the peak at the measured time. */
static double share(const struct checked *c, double flop)
{
    return ec_flop_share(&c->e.r, flop) * c->e.ns.p50 / c->ns;
}

static void share_lines(struct ec_call *call, const struct checked *c)
{
    const struct ec_prediction *r = &c->e.r;
    bool masked = r->whole_flop > 1.001 * r->model_flop;
    bool again = r->hardware_flop > 1.001 * r->model_flop;
    char text[400], peak[32];

    if (!c->job.model || !(r->peak_flop_per_s > 0) || !(r->model_flop > 0))
        return;
    ec_buf_printf(&call->out, "  MFU%s   %.1f %%, expected %.1f %%", again ? "     " : ", HFU",
                  100 * share(c, r->model_flop), 100 * ec_flop_share(r, r->model_flop));
    if (masked)
        ec_buf_printf(&call->out, "; causal attention counted whole %.1f %%",
                      100 * share(c, r->whole_flop));
    if (again)
        ec_buf_printf(&call->out, "\n  HFU        %.1f %%, expected %.1f %%",
                      100 * share(c, r->hardware_flop), 100 * ec_flop_share(r, r->hardware_flop));
    ec_buf_char(&call->out, '\n');
    (void)ec_snprintf(
        text, sizeof text,
        "counted: 2 FLOP for each multiply-add of products and convolutions, forward%s once%s; HFU "
        "also what is computed again; over the dense %s peak of the data sheet, %sFLOP/s%s%s",
        r->backward_ns > 0 ? " and backward" : "",
        masked ? ", causal attention by the half of the pairs that it computes" : "",
        ec_precision_names[r->precision], ec_fmt_si(peak, sizeof peak, r->peak_flop_per_s),
        c->e.does.devices > 1 ? " on all devices" : "",
        share(c, r->hardware_flop) > 1 ? "; no run is above 100 %: it was another than this" : "");
    ec_help_wrap(&call->out, call->out.len, text, 13);
}

static void rests_on_lines(struct ec_call *call, const struct checked *c)
{
    const struct ec_prediction *r = &c->e.r;
    struct ec_buf line = EC_BUF_INIT;
    int i;

    if (!c->job.model && !c->job.op)
        return;
    ec_buf_printf(&line, "the estimate rests on %s", r->evidence);
    ec_buf_char(&call->out, '\n');
    ec_help_wrap(&call->out, call->out.len, ec_buf_text(&line), 2);
    for (i = 0; i < r->n_warnings; i++)
        ec_buf_printf(&call->out, "  note: %s\n", r->warnings[i]);
    ec_buf_clear(&line);
}

static void cause_lines(struct ec_call *call, const struct checked *c)
{
    struct ec_buf line = EC_BUF_INIT;
    size_t start;
    int i;

    for (i = 0; i < CAUSES && c->cause[i].kind && c->verdict != EC_VERDICT_NORMAL; i++) {
        ec_buf_str(&call->out, i ? "" : "\n  likely causes, the likeliest first\n");
        ec_buf_reset(&line);
        ec_buf_printf(&line, "%s: %s", ec_cause_word(c->cause[i].kind), c->cause[i].text);
        start = call->out.len;
        ec_buf_printf(&call->out, "  %d.", i + 1);
        ec_help_wrap(&call->out, start, ec_buf_text(&line), 5);
        if (c->cause[i].confirm)
            ec_buf_printf(&call->out, "       %s\n", c->cause[i].confirm);
    }
    ec_buf_clear(&line);
}

/* ------------------------------------------------------------------------------------------------
 * As JSON */

static void shares_json(const struct checked *c, struct ec_json *j)
{
    const struct ec_prediction *r = &c->e.r;

    if (!c->job.model || !(r->peak_flop_per_s > 0))
        return;
    ec_json_num(j, "mfu_frac", share(c, r->model_flop));
    ec_json_num(j, "mfu_whole_attention_frac", share(c, r->whole_flop));
    ec_json_num(j, "hfu_frac", share(c, r->hardware_flop));
    ec_json_num(j, "expected_mfu_frac", ec_flop_share(r, r->model_flop));
    ec_json_num(j, "expected_hfu_frac", ec_flop_share(r, r->hardware_flop));
    ec_json_num(j, "peak_dense_flop_per_s", r->peak_flop_per_s);
}

static void as_json(struct ec_call *call, const struct checked *c)
{
    struct ec_json j;
    int i;

    ec_json_document(&j, &call->out, 2, "epochcast.check/1");
    ec_json_str(&j, "verdict", ec_verdict_names[c->verdict]);
    if (!c->job.model && !c->job.op)
        ec_json_str(&j, "collective", ec_collective_names[c->job.collective]);
    else
        ec_json_str(&j, c->job.op ? "op" : "model", c->job.op ? c->job.op : c->job.model);
    ec_json_str(&j, "device", c->job.device);
    ec_json_num(&j, "measured_ns", c->ns);
    ec_json_open(&j, "expected_ns", '{');
    ec_json_num(&j, "p05", c->e.ns.p05);
    ec_json_num(&j, "p50", c->e.ns.p50);
    ec_json_num(&j, "p95", c->e.ns.p95);
    ec_json_close(&j, '}');
    ec_json_num(&j, "tolerance_frac", c->tolerance);
    ec_json_num(&j, "percentile", c->percentile);
    shares_json(c, &j);
    ec_json_open(&j, "causes", '[');
    for (i = 0; i < CAUSES && c->cause[i].kind && c->verdict != EC_VERDICT_NORMAL; i++) {
        ec_json_open(&j, NULL, '{');
        ec_json_str(&j, "cause", ec_cause_word(c->cause[i].kind));
        ec_json_str(&j, "evidence", c->cause[i].text);
        ec_json_str(&j, "confirm", c->cause[i].confirm);
        ec_json_close(&j, '}');
    }
    ec_json_close(&j, ']');
    if (c->job.model || c->job.op) {
        ec_json_open(&j, "prediction", '{');
        ec_answer_json(&j, &c->job.opts, &c->e.r, c->job.op != NULL);
        ec_json_close(&j, '}');
    }
    ec_json_end(&j);
}

/* ------------------------------------------------------------------------------------------------
 * One run */

static enum ec_status read_log(struct ec_call *call, struct ec_log *ret, struct ec_err *err)
{
    const struct check_opts *o = call->opts;
    struct ec_file file = { 0 };
    enum ec_status st;

    EC_TRY(ec_file_open(o->from, LOG_MOST, &file, err));
    st = ec_log_read((struct ec_span){ (const char *)file.data, file.len }, ret, err);
    st = ec_within(err, st, "%s: ", ec_str_eq(o->from, "-") ? "standard input" : o->from);
out:
    ec_file_close(&file);
    return st;
}

/* As --measured takes it: "680 samples/s"; of steps their time. */
static const char *speed_of(const struct ec_log *log, char *out, size_t size)
{
    double s = log->step_ns / 1e9;

    (void)ec_snprintf(out, size, "%.6g %s", log->kind == EC_SPEED_EPOCHS ? s : 1 / s,
                      log->kind == EC_SPEED_EPOCHS ? "s/epoch" : ec_speed_words[log->kind].unit);
    return log->kind == EC_SPEED_STEPS ? ec_fmt_ns(out, size, log->step_ns) : out;
}

/* Of a log without a network. */
static enum ec_status say_log(struct ec_call *call, struct ec_err *err)
{
    struct ec_log log = { .step = 0 };
    struct ec_json j;
    char ns[32];
    enum ec_status st;
    int i;

    EC_TRY(read_log(call, &log, err));
    if (!call->forms.json) {
        ec_buf_printf(&call->out, "%s%s, the median of %.0f", speed_of(&log, ns, sizeof ns),
                      log.kind == EC_SPEED_STEPS ? " a step" : "", log.counted);
        if (log.step)
            ec_buf_printf(&call->out, "; the last %s is %lld",
                          log.kind == EC_SPEED_EPOCHS ? "epoch" : "step", (long long)log.step);
        if (log.steps)
            ec_buf_printf(&call->out, " of %lld", (long long)log.steps);
        ec_buf_str(&call->out, "\n");
        goto out;
    }
    ec_json_document(&j, &call->out, 0, "epochcast.log/1");
    ec_json_int(&j, "step", log.step);
    if (log.steps)
        ec_json_int(&j, "steps", log.steps);
    if (log.kind == EC_SPEED_STEPS)
        ec_json_num(&j, "step_time_ns", log.step_ns);
    (void)ec_snprintf(ns, sizeof ns, "%s_per_s", ec_speed_words[log.kind].key);
    ec_json_num(&j, ns, 1e9 / log.step_ns);
    ec_json_open(&j, "spans", '[');
    for (i = 0; i < log.n; i++) {
        ec_json_open(&j, NULL, '[');
        ec_json_num(&j, NULL, log.v[i].steps);
        ec_json_num(&j, NULL, log.v[i].seconds);
        ec_json_close(&j, ']');
    }
    ec_json_close(&j, ']');
    ec_json_end(&j);
out:
    ec_log_clear(&log);
    return st;
}

static enum ec_status take_job(struct ec_call *call, struct checked *c, struct ec_err *err)
{
    struct check_opts *o = call->opts;
    const struct ec_device **devices = NULL;
    bool exchange = ec_call_given(call, "collective");
    int n = 0;

    if (o->measured && o->model.n > 1)
        return ec_usage(call, err, "a value with blanks stands in quotes: --measured '%.40s %.40s'",
                        o->measured, o->model.v[1]);
    if (o->model.n + (o->op != NULL) + exchange != 1 || exchange != (o->bytes != NULL))
        return ec_usage(
            call, err, "expected one of MODEL, --op CASE, and --collective KIND with --bytes SIZE");
    EC_PASS(ec_devices_named(&o->device, &devices, &n, &call->arena, err));
    if (n != 1)
        return ec_usage(call, err, "--device: found %d devices, expected one%s", n,
                        n ? "" : ": say --device KEY");
    c->device = devices[0];
    c->job = (struct ec_job){ .model = o->model.n ? o->model.v[0] : NULL,
                              .op = o->op,
                              .collective = o->collective,
                              .device = ec_device_key(devices[0]),
                              .opts = o->query };
    if (exchange && !ec_parse_bytes(ec_span_of(o->bytes), &c->job.bytes))
        return ec_usage(call, err, "--bytes: found \"%.40s\", expected " EC_BYTES_EXPECTED,
                        o->bytes);
    return EC_OK;
}

static enum ec_status measured_ns(struct ec_call *call, const struct ec_amounts *does, double *ret,
                                  struct ec_err *err)
{
    const struct check_opts *o = call->opts;
    struct ec_log log = { .step = 0 };
    enum ec_status st;
    char text[40];

    if (o->measured)
        return ec_within(err, ec_step_of_speed(does, o->measured, ret, err), "--measured: ");
    st = read_log(call, &log, err);
    if (!st && log.kind != EC_SPEED_STEPS)
        st = ec_within(err, ec_step_of_speed(does, speed_of(&log, text, sizeof text), ret, err),
                       "%s: ", o->from);
    else
        *ret = log.step_ns;
    ec_log_clear(&log);
    return st;
}

static enum ec_status one(struct ec_call *call, struct ec_err *err)
{
    const struct check_opts *o = call->opts;
    struct checked c = { .ns = 0 };
    struct ec_predictor *p = NULL;
    size_t from = call->out.len;
    enum ec_status st;

    if (call->forms.csv || call->forms.markdown)
        return ec_usage(call, err, "--csv and --markdown go with tables");
    EC_TRY(ec__check_tolerance(call, &c.tolerance, err));
    EC_TRY(take_job(call, &c, err));
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec_predictor_use_profile(p, o->profile ? o->profile : call->profile, err));
    EC_TRY(ec_expect(p, &c.job, &c.e, err));
    EC_TRY(measured_ns(call, &c.e.does, &c.ns, err));
    c.percentile = 100 * ec_interval_below(&c.e.ns, c.ns);
    c.verdict = ec_verdict(&c.e.ns, c.ns, c.tolerance);
    EC_TRY(ec_expected_causes(p, &c.job, &c.e, c.ns, CAUSES, c.cause, err));
    call->verdict = check_exits[c.verdict];
    if (call->forms.json) {
        as_json(call, &c);
        goto out;
    }
    head_lines(call, &c);
    verdict_lines(call, &c);
    share_lines(call, &c);
    cause_lines(call, &c);
    rests_on_lines(call, &c);
    EC_TRY(ec_call_fit(call, from, err));
out:
    ec_predictor_free(p);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Tables of measured rows, as `evaluate` reads them */

static enum ec_status rows(struct ec_call *call, struct ec_err *err)
{
    struct check_opts *o = call->opts;
    struct evaluate_opts e = { .tables = o->model,
                               .given = o->given,
                               .profile = o->profile,
                               .host = o->query.host,
                               .loader = o->query.loader,
                               .method = EC_METHOD_OWN };
    struct ec__verdicts v = { .tolerance = 0 };

    if (o->device.n > 1)
        return ec_usage(call, err, "--device: found %d devices, expected one", o->device.n);
    EC_PASS(ec__check_tolerance(call, &v.tolerance, err));
    e.given.device = o->device.n ? o->device.v[0] : NULL;
    e.given.mapping = o->mapping;
    e.given.batch = o->query.batch > 0 ? o->query.batch : 0;
    e.given.precision =
        ec_call_given(call, "precision") ? ec_precision_names[o->query.cond.precision] : NULL;
    EC_PASS(ec__evaluate(call, &e, &v, err));
    call->verdict = ec__check_exit(v.n);
    if (!ec_forms_any(&call->forms))
        ec_buf_printf(&call->out, "  verdict: %d normal, %d slower, %d faster\n",
                      v.n[EC_VERDICT_NORMAL], v.n[EC_VERDICT_SLOWER], v.n[EC_VERDICT_FASTER]);
    return EC_OK;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    struct check_opts *o = call->opts;

    o->query.struct_size = sizeof o->query;
    o->query.usual_precision = !ec_call_given(call, "precision");
    o->query.usual_optimizer = !ec_call_given(call, "optimizer");
    o->query.usual_framework = !ec_call_given(call, "framework");
    if (o->from && !o->model.n && !o->op && !ec_call_given(call, "collective"))
        return say_log(call, err);
    if (o->measured || o->from)
        return one(call, err);
    if (!o->model.n || ec_zoo_has(o->model.v[0]))
        return ec_usage(call, err,
                        "nothing was measured: give MODEL with --measured or --from, or "
                        "a table FILE.csv");
    if (o->thresholds)
        return ec__check_thresholds(call, err);
    return o->against ? ec__check_against(call, err) : rows(call, err);
}
