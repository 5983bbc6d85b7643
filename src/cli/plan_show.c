/* Output of epochcast plan: the table, what is said around it, and the picture. */
#include "cli/plan_internal.h"

#include <string.h>

#include "plot/plot.h"
#include "cli_columns.h"

/* What a row has of the other options that were given several values. */
static void add_searched(const struct ec_plan_query *q, const struct ec_predict_opts *o,
                         struct ec_buf *out)
{
    static const char *const shown[] = { "recompute", "tp",   "pp",          "cp",
                                         "ep",        "zero", "micro_batch", "devices" };
    const struct ec_field *f;
    char flag[EC_FLAG_BYTES];
    int i;

    for (i = 0; i < q->n_axes; i++) {
        if (ec_name_index(shown, EC_LEN(shown), q->axes[i].field) >= 0 || q->axes[i].values.n < 2)
            continue;
        f = ec_field_find(ec_predict_fields, ec_span_of(q->axes[i].field));
        ec_buf_str(out, ", ");
        if (f->type != EC_F_ENUM)
            ec_buf_printf(out, "%s ", ec_flag_text(f->name, flag, sizeof flag) + 2);
        ec_field_print(f, o, out);
    }
}

const char *ec__plan_how(const struct ec_plan_query *q, const struct plan_row *row,
                         struct ec_arena *a)
{
    const struct ec_parallelism *p = &row->opts.parallel;
    const struct {
        const char *name;
        int64_t n;
    } parts[] = {
        {"zero", row->r.zero_stage},
        { "tp",  p->tensor        },
        { "pp",  p->pipeline      },
        { "cp",  p->context       },
        { "ep",  p->expert        },
    };
    struct ec_buf out = EC_BUF_INIT;
    const char *ret = NULL;
    int i;

    for (i = 0; i < EC_LEN(parts); i++)
        if (parts[i].n > (i ? 1 : 0))
            ec_buf_printf(&out, "%s%s %lld", out.len ? ", " : "", parts[i].name,
                          (long long)parts[i].n);
    if (!out.len)
        ec_buf_str(&out, row->r.devices > 1 ? ec_strategy_names[EC_STRATEGY_ddp] : "alone");
    if (row->opts.cond.recompute != EC_RECOMPUTE_NONE)
        ec_buf_printf(&out, ", recompute%s",
                      row->opts.cond.recompute == EC_RECOMPUTE_FULL ? "" : " selective");
    add_searched(q, &row->opts, &out);
    if (!out.st)
        ret = ec_arena_str(a, ec_buf_text(&out));
    ec_buf_clear(&out);
    return ret;
}

const char *ec__plan_batches(const struct plan_row *row, struct ec_arena *a)
{
    const struct ec_prediction *r = &row->r;

    if (r->is_shared && r->micro_batches > 1)
        return ec_arena_printf(a, "%lld x %lld", (long long)r->micro_batch,
                               (long long)r->micro_batches);
    return ec_arena_printf(a, "%lld", (long long)r->batch_per_device);
}

/* ------------------------------------------------------------------------------------------------
 * Table */

#define NS_PER_HOUR 3.6e12
#define J_PER_KWH 3.6e6

static void add_known(struct ec_table *t, bool known, double v)
{
    if (known)
        ec_table_num(t, ec_nine_digits(v));
    else
        ec_table_none(t);
}

static void add_interval(struct ec_table *t, bool known, const struct ec_interval *v)
{
    add_known(t, known, v->p50);
    add_known(t, known, v->p05);
    add_known(t, known, v->p95);
}

static void add_row(struct ec_call *call, const struct plan_answer *a, int i, struct ec_table *t)
{
    const struct plan_row *row = &a->v[i];
    const struct ec_prediction *r = &row->r;
    const struct ec_parallelism *p = &row->opts.parallel;
    const struct ec_device *d = a->q.devices[row->at->device];
    int64_t micro = r->is_shared ? r->micro_batch : r->batch_per_device;
    int64_t n_micro = r->is_shared ? r->micro_batches : 1;
    double hours = row->at->time_ns / NS_PER_HOUR * (double)r->devices;
    bool limits = ec_plan_is_limited(&a->q);
    struct ec_interval tokens = { 0, 0, 0 };
    bool has_tokens = ec_tokens_per_s(r, &tokens);
    const char *how = ec__plan_how(&a->q, row, &call->arena);

    if (a->q.opts.usual_precision && r->precision != a->q.opts.cond.precision)
        how = ec_arena_printf(&call->arena, "%s, %s", how, ec_precision_names[r->precision]);
    ec_table_int(t, i + 1);
    ec_table_text(t, ec_device_key(d));
    ec_table_int(t, r->devices);
    ec_table_text(t, how);
    ec_table_text(t, ec__plan_batches(row, &call->arena));
    ec_table_int(t, r->batch);
    ec_table_text(t, ec_precision_names[r->precision]);
    ec_table_text(t, ec_recompute_names[row->opts.cond.recompute]);
    ec_table_int(t, r->zero_stage);
    ec_table_int(t, p->tensor > 1 ? p->tensor : 1);
    ec_table_int(t, p->pipeline > 1 ? p->pipeline : 1);
    ec_table_int(t, micro);
    ec_table_int(t, n_micro);
    add_interval(t, true, r->has_job ? &r->job_time_ns : &r->epoch_time_ns);
    add_known(t, !r->has_cost, hours);
    add_interval(t, r->has_cost, &r->cost_usd);
    add_known(t, has_tokens, tokens.p50);
    add_known(t, true, r->samples_per_s.p50);
    add_known(t, true, ec_flop_share(r, r->model_flop));
    add_known(t, r->has_memory, r->memory_peak_bytes.p50);
    add_known(t, r->has_memory, row->at->need_bytes);
    add_known(t, row->at->fits >= 0, row->at->fits);
    add_known(t, limits, row->at->in_limits);
    add_known(t, r->board_energy_j.p50 > 0, r->board_energy_j.p50 / J_PER_KWH);
    ec_table_text(t, row->mark);
    ec_table_text(t, row->why);
    ec_table_text(t, row->command);
}

/* The job, in the words of the options; what is searched is in the table. */
static void head(const struct plan_answer *a, struct ec_buf *out)
{
    struct ec_predict_opts o = a->q.opts, usual;
    const struct ec_field *f;
    int i;

    ec_predict_opts_default(&usual);
    for (i = 0; i < a->q.n_axes; i++) {
        f = ec_field_find(ec_predict_fields, ec_span_of(a->q.axes[i].field));
        memcpy((char *)&o + f->offset, (const char *)&usual + f->offset,
               f->type == EC_F_INT      ? sizeof(int64_t)
               : f->type == EC_F_DOUBLE ? sizeof(double)
                                        : sizeof(int));
    }
    if (o.cond.precision != EC_BF16 && o.cond.precision != EC_FP16)
        o.cond.master_weights = false;
    ec_buf_printf(out, "%s:", a->q.model);
    ec_fields_print(ec_predict_fields, &o, out);
    if (o.module_precision)
        ec_buf_printf(out, " (%s, as the parameters of the module are)",
                      ec_precision_names[o.cond.precision]);
    ec_buf_str(out, "\n\n");
}

static void foot(const struct plan_answer *a, struct ec_buf *out)
{
    const struct ec_plan *p = &a->found;
    const struct ec_price *price;
    bool compiled = false;
    char n[4][32];
    int i;

    ec_buf_printf(out,
                  "%s configurations are possible: %s predicted, %s ruled out by a bound of "
                  "the memory, %s of the time\n",
                  ec_fmt_thousands(n[0], sizeof n[0], p->n_possible - p->n_refused),
                  ec_fmt_thousands(n[1], sizeof n[1], p->n_predicted),
                  ec_fmt_thousands(n[2], sizeof n[2], p->n_by_memory),
                  ec_fmt_thousands(n[3], sizeof n[3], p->n_by_time));
    if (p->n_refused)
        ec_buf_printf(out, "note: %s others are not, such as: %s\n",
                      ec_fmt_thousands(n[0], sizeof n[0], p->n_refused), p->refused);
    if (!a->q.opts.global_batch && a->n > 1 && a->v[0].r.batch != a->v[a->n - 1].r.batch)
        ec_buf_str(out, "note: the batch of all devices differs, and with it what is learned: "
                        "--global-batch holds it\n");
    if (!a->front.within && a->n)
        ec_buf_str(out, "note: none is within the limits; these are the nearest\n");
    else if (a->front.best && !a->front.surest)
        ec_buf_str(out, "note: none is within the limits with a probability of 95 %\n");
    if (a->front.n > a->n)
        ec_buf_printf(
            out,
            "note: lines that save little are left out, %d of the front's %d: --top shows more\n",
            a->front.n - a->n, a->front.n);
    for (i = 0; i < a->n && !compiled; i++) { /* GPUs beside them run eagerly, as usual */
        const struct ec_device *d = a->q.devices[a->v[i].at->device];

        compiled = ec_runs_compiled(d, a->v[i].opts.cond.framework);
        if (compiled)
            ec_buf_printf(out, "note: %s: %s\n", ec_device_key(d), EC_COMPILED_NOTE);
    }
    if (a->n && a->v[0].at->is_guess)
        ec_buf_str(out, "note: guesses: nothing like this was measured\n");
    for (i = 0; i < a->n; i++) {
        price = ec_price_of(&a->q.prices, a->q.devices[a->v[i].at->device], &a->v[i].opts);
        if (price && ec_price_is_old(price)) {
            ec_buf_printf(out, "note: prices are older than 90 days, such as that of %s of %s\n",
                          ec_device_key(price->device), price->date);
            break;
        }
    }
    if (a->why_not)
        ec_buf_printf(out, "why not %s\n", a->why_not);
}

static void reasons(const struct plan_answer *a, struct ec_buf *out)
{
    int i;

    for (i = 0; i < a->n; i++)
        ec_buf_printf(out, "%s%d: %s\n", i ? "" : "\n", i + 1, a->v[i].why);
    ec_buf_char(out, '\n');
}

/* Not broken, so that they can be copied. */
static void commands(const struct plan_answer *a, struct ec_buf *out)
{
    bool any = a->front.best || a->front.surest;
    int i;

    for (i = 0; i < a->n; i++)
        if (any ? a->v[i].mark != NULL : i == 0 || i == a->n - 1)
            ec_buf_printf(out, "\n# %d%s%s\n%s\n", i + 1, any ? ", " : "", any ? a->v[i].mark : "",
                          a->v[i].command);
}

/* ------------------------------------------------------------------------------------------------
 * Picture */

/* The configurations of device `k` that fit, from `x` and `y` on. */
static struct ec_series points_of(const struct plan_answer *a, int k, double *x, double *y)
{
    struct ec_series s = { .name = ec_device_key(a->q.devices[k]),
                           .x = x,
                           .y = y,
                           .marks = EC_MARK_POINT | EC_MARK_SMALL };
    int i;

    for (i = 0; i < a->found.n; i++) {
        const struct ec_plan_point *p = &a->found.v[i];

        if (p->device != k || ec_plan_judge(&a->q, p) == EC_PLAN_FULL)
            continue;
        x[s.n] = p->time_ns / NS_PER_HOUR;
        y[s.n++] = p->cost;
    }
    return s;
}

static enum ec_status draw(struct ec_call *call, const struct plan_answer *a, struct ec_err *err)
{
    const struct plan_cmd_opts *o = call->opts;
    size_t n = (size_t)a->found.n + (size_t)a->n;
    double *x = ec_arena_alloc(&call->arena, sizeof *x * n);
    double *y = ec_arena_alloc(&call->arena, sizeof *y * n);
    const char **labels = ec_arena_alloc(&call->arena, sizeof *labels * ((size_t)a->n + 1));
    struct ec_series *s = ec_arena_alloc(&call->arena, sizeof *s * ((size_t)a->q.n_devices + 1));
    bool has_cost = a->n && a->v[0].r.has_cost;
    struct ec_plot plot = {
        .title = ec_arena_printf(&call->arena, "Plans for %s", a->q.model),
        .subtitle = "each point is a configuration that fits; the line is the "
                    "front",
        .x = {.title = "time of the job",                   .unit = "h", .log = true},
        .y = { .title = has_cost ? "cost" : "device-hours",
              .unit = has_cost ? "USD" : "h",
              .log = true                                                           },
        .series = s
    };
    struct ec_drawing d = { 0 };
    enum ec_status st = EC_OK;
    int at = 0, i, k;

    if (!o->out || !a->n)
        return EC_OK;
    EC_TRY(ec_allocated(x && y && labels && s, err));
    for (k = 0; k < a->q.n_devices; k++) {
        s[plot.n_series] = points_of(a, k, x + at, y + at);
        at += s[plot.n_series].n;
        plot.n_series += s[plot.n_series].n > 0;
    }
    s[plot.n_series++] =
        (struct ec_series){ .name = "front",
                            .n = a->n,
                            .x = x + at,
                            .y = y + at,
                            .labels = labels,
                            .marks = EC_MARK_LINE | EC_MARK_POINT | EC_MARK_LARGE | EC_MARK_GREY };
    for (i = 0; i < a->n; i++) {
        x[at] = a->v[i].at->time_ns / NS_PER_HOUR;
        y[at++] = a->v[i].at->cost;
        labels[i] = ec_arena_printf(&call->arena, "%lld x %s", (long long)a->v[i].at->count,
                                    ec_device_key(a->q.devices[a->v[i].at->device]));
    }
    EC_TRY(ec_plot_draw(&plot, &d, err));
    EC_TRY(ec_drawing_write(&d, o->out, err));
out:
    ec_drawing_clear(&d);
    return st;
}

static enum ec_status write_json(struct ec_call *call, const struct plan_answer *a,
                                 const struct ec_table *t, struct ec_err *err)
{
    const struct ec_plan *p = &a->found;
    enum ec_status st;
    struct ec_json j;

    ec_json_document(&j, &call->out, 2, "epochcast.plan/1");
    ec_json_str(&j, "model", a->q.model);
    ec_json_int(&j, "possible", p->n_possible - p->n_refused);
    ec_json_int(&j, "predicted", p->n_predicted);
    ec_json_int(&j, "ruled_out_by_memory", p->n_by_memory);
    ec_json_int(&j, "ruled_out_by_time", p->n_by_time);
    ec_json_int(&j, "refused", p->n_refused);
    ec_json_bool(&j, "within_limits", a->front.within);
    if (a->why_not)
        ec_json_str(&j, "why_not", a->why_not);
    st = ec_table_json(t, &j, "plans", err);
    ec_json_end(&j);
    return st;
}

enum ec_status ec__plan_show(struct ec_call *call, const struct plan_answer *a, struct ec_err *err)
{
    struct ec_buf notes = EC_BUF_INIT;
    struct ec_table t;
    enum ec_status st;
    size_t from;
    int i;

    ec_table_init(&t, plan_cols, EC_LEN(plan_cols));
    for (i = 0; i < a->n; i++)
        add_row(call, a, i, &t);
    EC_TRY(draw(call, a, err));
    foot(a, &notes);
    if (call->forms.json) {
        EC_TRY(write_json(call, a, &t, err));
    } else if (call->forms.csv) {
        EC_TRY(ec_call_table(call, NULL, &t, err));
        ec_say("%s", ec_buf_text(&notes));
    } else {
        from = call->out.len;
        head(a, &call->out);
        EC_TRY(ec_call_fit(call, from, err));
        if (a->n)
            EC_TRY(ec_call_table(call, NULL, &t, err));
        from = call->out.len;
        reasons(a, &call->out);
        ec_buf_join(&call->out, &notes);
        EC_TRY(ec_call_fit(call, from, err));
        commands(a, &call->out);
    }
    EC_TRY(ec_buf_status(&notes, err));
out:
    ec_table_clear(&t);
    ec_buf_clear(&notes);
    return st;
}
