/* Output of epochcast trace: what ran, and the budget of its median step. */
#include "cli/trace_internal.h"

#include <math.h>

#include "cli_columns.h"

#define SHOWN_FROM 0.0005    /* of a step */
#define KIND_SHOWN_FROM 0.01 /* likewise, of kinds of kernels */

/* The shortest and the longest of the steps that count. */
static void range_of(const struct ec_trace_steps *s, double *ret_least, double *ret_most)
{
    int i;

    *ret_least = (double)INFINITY;
    *ret_most = 0;
    for (i = s->n_out; i < s->n; i++) {
        *ret_least = fmin(*ret_least, ec_trace_step_ns(&s->v[i]));
        *ret_most = fmax(*ret_most, ec_trace_step_ns(&s->v[i]));
    }
}

static void say_conditions(struct ec_call *call, const struct ec_traced *f)
{
    const struct ec_trace_said *c = &f->said;

    if (!c->batch)
        return;
    ec_buf_str(&call->out, "by its shapes: ");
    if (!c->is_list)
        ec_buf_printf(&call->out, "batch %lld%s", (long long)c->batch, c->seq_len ? ", " : "");
    if (c->seq_len)
        ec_buf_printf(&call->out, "%lld tokens%s", (long long)c->seq_len,
                      c->is_list ? " in one list" : "");
    if (c->image)
        ec_buf_printf(&call->out, ", %lld px", (long long)c->image);
    ec_buf_printf(&call->out, ", %s%s, %s\n", ec_precision_names[c->cond.precision],
                  c->cond.layout == EC_CHANNELS_LAST ? ", channels-last" : "",
                  c->cond.mode == EC_MODE_TRAINING_STEP ? ec_optimizer_names[c->cond.optimizer]
                  : c->cond.mode == EC_MODE_FORWARD     ? "forward"
                                                        : "forward and backward");
}

static void head(struct ec_call *call, const struct ec_traced *f)
{
    const struct ec_trace *t = &f->trace;
    const struct ec_trace_steps *s = &f->steps;
    char a[32], b[32], c[32];
    double least, most, median = ec_trace_step_ns(ec_trace_median(s));

    ec_put_plain(&call->out, f->path);
    ec_buf_printf(&call->out, ": %s event%s on ", ec_fmt_thousands(a, sizeof a, t->n_seen),
                  t->n_seen == 1 ? "" : "s");
    ec_put_plain(&call->out, *t->device ? t->device : "a device that it does not name");
    if (t->ranks > 1)
        ec_buf_printf(&call->out, ", rank %lld of %lld", (long long)t->rank, (long long)t->ranks);
    range_of(s, &least, &most);
    if (s->n == 1)
        ec_buf_printf(&call->out, "\n1 step, %s: %s\n", s->found, ec_fmt_ns(a, sizeof a, median));
    else
        ec_buf_printf(&call->out, "\n%d steps, %s, the first left out: median %s, %s to %s\n", s->n,
                      s->found, ec_fmt_ns(a, sizeof a, median), ec_fmt_ns(b, sizeof b, least),
                      ec_fmt_ns(c, sizeof c, most));
    say_conditions(call, f);
    if (t->is_cut)
        ec_buf_printf(&call->out, "the file is cut: %s; what came before is used\n", t->cut);
    if (t->n_refused)
        ec_buf_printf(&call->out,
                      "%lld durations reach far into what follows on their stream: left out\n",
                      (long long)t->n_refused);
    if (t->n_odd)
        ec_buf_printf(&call->out, "events without a time that could be read, left out: %lld\n",
                      (long long)t->n_odd);
    if (t->with_stack)
        ec_buf_str(&call->out, "recorded with call stacks, which slow the host: an unprofiled step "
                               "is shorter\n");
    ec_buf_char(&call->out, '\n');
}

static void budget_row(struct ec_table *t, const struct trace_opts *o, const char *name, double ns,
                       double predicted_ns, double step_ns)
{
    ec_table_row(t, ec_text(name), ec_num(ns), ec_num(ns / step_ns),
                 predicted_ns > 0 ? ec_num(predicted_ns) : ec_none(),
                 o->usd_per_hour > 0 ? ec_num(ns / step_ns * o->usd_per_hour) : ec_none());
}

static enum ec_status budget(struct ec_call *call, const struct ec_traced *f, struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    const struct ec_trace_step *s = ec_trace_median(&f->steps);
    struct ec_trace_share kind[EC_TRACE_KINDS_MOST];
    double step_ns = ec_trace_step_ns(s);
    struct ec_table t;
    enum ec_status st;
    int n, i, k;

    ec_table_init(&t, trace_budget_cols, EC_LEN(trace_budget_cols));
    n = ec_trace_by_kind(&f->steps, &f->ops, kind);
    for (i = 0; i < EC_TRACE_PARTS; i++) {
        if (s->part_ns[i] > SHOWN_FROM * step_ns || i == EC_TRACE_PART_compute)
            budget_row(&t, o, ec_trace_part_labels[i], s->part_ns[i], (double)NAN, step_ns);
        for (k = 0; k < n && i == EC_TRACE_PART_compute; k++) {
            char name[40];

            (void)ec_snprintf(name, sizeof name, "  %s", kind[k].kind);
            if (kind[k].ns > KIND_SHOWN_FROM * step_ns)
                budget_row(&t, o, name, kind[k].ns,
                           kind[k].is_predicted ? kind[k].predicted_ns : (double)NAN, step_ns);
        }
    }
    ec_table_rule(&t);
    budget_row(&t, o, "step", step_ns, (double)NAN, step_ns);
    EC_TRY(ec_call_table(call, NULL, &t, err));
out:
    ec_table_clear(&t);
    return st;
}

#define WORTH_SAYING 0.05 /* of a step */

static void say_loader(struct ec_call *call, const struct ec_traced *f)
{
    const struct ec_trace_step *s = ec_trace_median(&f->steps);
    double idle = s->part_ns[EC_TRACE_PART_loader], rest = ec_trace_step_ns(s) - idle;
    char a[32], b[32], c[32], d[32];

    ec_buf_printf(&call->out,
                  "%s of the step of %s wait for the data loader, and the device is idle in %s of "
                  "them: if batches were always ready, %s would be left, or a little more, since "
                  "workers share the host with the training.",
                  ec_fmt_ns(a, sizeof a, s->loading_ns),
                  ec_fmt_ns(b, sizeof b, ec_trace_step_ns(s)), ec_fmt_ns(c, sizeof c, idle),
                  ec_fmt_ns(d, sizeof d, rest));
    if (f->steps.has_loader_workers)
        ec_buf_str(&call->out, " It needs more workers, or samples that are prepared before.\n");
    else
        ec_buf_printf(&call->out,
                      " The training process loads by itself: use DataLoader(num_workers=%.0f).\n",
                      ceil(s->loading_ns / fmax(rest, 1)) + 1);
}

/* Whether CUDA graphs, or HIP's, are replayed. */
static bool has_graphs(const struct ec_trace *t)
{
    int i = 0;

    while (i < t->n_text && !ec_str_starts(t->text[i], "cudaGraphLaunch") &&
           !ec_str_starts(t->text[i], "hipGraphLaunch"))
        i++;
    return i < t->n_text;
}

/* What the budget means, in sentences, the largest part first. */
static void advise(struct ec_call *call, const struct ec_traced *f)
{
    static const char *const words[EC_TRACE_PARTS] = {
        [EC_TRACE_PART_communication] = "wait for other devices, beside no computation",
        [EC_TRACE_PART_copies] =
            "copy, beside no computation: pinned memory and non_blocking=True let copies overlap",
        [EC_TRACE_PART_sync] =
            "pass with the device idle while the host waits for it (.item(), synchronize())",
        [EC_TRACE_PART_host] =
            "pass with the device idle because the host launches too late: a larger batch",
        [EC_TRACE_PART_profiler] = "are the profiler's own",
    };
    const struct ec_trace_step *s = ec_trace_median(&f->steps);
    bool said[EC_TRACE_PARTS] = { false };
    char a[32];
    int i, k;

    for (k = 0; k < EC_TRACE_PARTS; k++) {
        int most = 0;

        for (i = 1; i < EC_TRACE_PARTS; i++)
            if (!said[i] && (said[most] || s->part_ns[i] > s->part_ns[most]))
                most = i;
        said[most] = true;
        if (s->part_ns[most] < WORTH_SAYING * ec_trace_step_ns(s))
            break;
        if (!k)
            ec_buf_char(&call->out, '\n');
        if (most == EC_TRACE_PART_loader)
            say_loader(call, f);
        else if (words[most])
            ec_buf_printf(
                &call->out, "%s %s%s.\n", ec_fmt_ns(a, sizeof a, s->part_ns[most]), words[most],
                most != EC_TRACE_PART_host ? ""
                : has_graphs(&f->trace)
                    ? " helps, or graphs of the kernels that are still launched one by one"
                    : ", torch.compile or CUDA graphs help");
    }
}

enum ec_status ec__trace_show(struct ec_call *call, const struct ec_traced *f, struct ec_err *err)
{
    size_t from = call->out.len;

    head(call, f);
    if (!f->trace.has_device)
        ec_buf_printf(&call->out,
                      "the file has no work of a device, so there is nothing to divide%s\n",
                      f->trace.is_cut ? "" : ": was ProfilerActivity.CUDA among the activities?");
    EC_PASS(ec__trace_said(call, from, err));
    if (!f->trace.has_device)
        return EC_OK;
    EC_PASS(budget(call, f, err));
    from = call->out.len;
    advise(call, f);
    EC_PASS(ec__trace_said(call, from, err));
    return ec__trace_ops_table(call, f, err);
}

/* One row for each step: all of them, the first too. */
static void add_steps(struct ec_table *t, const struct ec_traced *f)
{
    int k, p;

    for (k = 0; k < f->steps.n; k++) {
        const struct ec_trace_step *s = &f->steps.v[k];

        ec_table_row(t, ec_text(f->path), ec_int(f->trace.rank < 0 ? 0 : f->trace.rank),
                     ec_int(k + 1), ec_int(k >= f->steps.n_out), ec_num(ec_trace_step_ns(s)));
        for (p = 0; p < EC_TRACE_PARTS; p++)
            ec_table_row(t, ec_num(s->part_ns[p]));
        ec_table_row(t, ec_num(s->loading_ns));
    }
}

enum ec_status ec__trace_csv(struct ec_call *call, const struct ec_traced *f, int n,
                             struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    struct ec_table t;
    enum ec_status st = EC_OK;
    int i;

    ec_table_init(&t, trace_step_cols, EC_LEN(trace_step_cols));
    for (i = 0; i < n; i++)
        if (o->operators || o->kernels || o->modules)
            EC_TRY(ec__trace_ops_table(call, &f[i], err));
        else
            add_steps(&t, &f[i]);
    if (ec_table_rows(&t))
        EC_TRY(ec_call_table(call, NULL, &t, err));
out:
    ec_table_clear(&t);
    return st;
}

enum ec_status ec__trace_json(struct ec_json *j, const struct ec_traced *f, struct ec_err *err)
{
    const struct ec_trace *t = &f->trace;
    struct ec_table steps;
    enum ec_status st;

    ec_table_init(&steps, trace_step_cols, EC_LEN(trace_step_cols));
    add_steps(&steps, f);
    ec_json_str(j, "file", f->path);
    ec_json_str(j, "device_name", *t->device ? t->device : NULL);
    if (t->ranks) {
        ec_json_int(j, "rank", t->rank);
        ec_json_int(j, "ranks", t->ranks);
    }
    ec_json_int(j, "events", t->n_seen);
    ec_json_int(j, "odd_events", t->n_odd);
    ec_json_int(j, "refused_durations", t->n_refused);
    ec_json_str(j, "cut", t->is_cut ? t->cut : NULL);
    ec_json_str(j, "steps_found", f->steps.found);
    ec_json_int(j, "median_step", f->steps.median + 1);
    EC_TRY(ec_table_json(&steps, j, "steps", err));
    EC_TRY(ec__trace_ops_json(j, f, err));
out:
    ec_table_clear(&steps);
    return st;
}
