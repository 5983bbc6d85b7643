/* Output of epochcast trace: operators beside their predictions, kernels, modules. */
#include "cli/trace_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli_columns.h"

#define SHORT_LIST 10

static const char *const mapped_words[] = { "operator", "bytes", "no" };

static struct ec_cell known(double v)
{
    return isfinite(v) && v > 0 ? ec_num(v) : ec_none();
}

static void add_op(struct ec_table *t, const struct ec_trace_op *v, int n_steps, bool is_data)
{
    bool is_predicted = is_data || v->mapped == EC_TRACE_MAPPED;
    double calls = (double)v->calls, none = (double)NAN;

    ec_table_row(t, ec_text(v->name), ec_text(v->text), ec_text(v->label), ec_text(v->kind),
                 ec_text(ec_trace_way_words[v->way]), ec_text(v->where), ec_num(calls / n_steps),
                 ec_num(v->measured_ns / calls), known(is_predicted ? v->predicted_ns.p05 : none),
                 known(is_predicted ? v->predicted_ns.p50 : none),
                 known(is_predicted ? v->predicted_ns.p95 : none),
                 known(is_predicted ? v->roofline_ns : none), ec_num(v->measured_ns / n_steps),
                 known(v->recoverable_ns), ec_text(mapped_words[v->mapped]),
                 ec_text(v->text ? ec_precision_names[v->precision] : NULL), ec_text(v->kernel),
                 ec_num((double)v->kernels / calls), ec_text(v->why));
}

enum ec_status ec__trace_said(struct ec_call *call, size_t from, struct ec_err *err)
{
    struct ec_span text = { ec_buf_text(&call->out) + from, call->out.len - from }, line;
    struct ec_buf apart = EC_BUF_INIT;

    if (!call->forms.markdown)
        return ec_call_fit(call, from, err);
    ec_buf_char(&apart, '\n');
    while (text.len && ec_span_cut(&text, '\n', &line))
        if (line.len)
            ec_buf_printf(&apart, "%.*s\n\n", (int)line.len, line.p);
    call->out.len = from;
    ec_buf_join(&call->out, &apart);
    ec_buf_clear(&apart);
    return ec_buf_status(&call->out, err);
}

int ec__trace_by_name(const void *a, const void *b)
{
    const struct ec__trace_sum *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : strcmp(x->way ? x->way : "", y->way ? y->way : "");
}

int ec__trace_add_up(struct ec__trace_sum *v, int n, int (*order)(const void *, const void *))
{
    int kept = 0, i, k;

    if (n)
        qsort(v, (size_t)n, sizeof *v, ec__trace_by_name);
    for (i = 0; i < n; i++)
        if (kept && !ec__trace_by_name(&v[kept - 1], &v[i]))
            for (k = 0; k < EC_LEN(v->v); k++)
                v[kept - 1].v[k] += v[i].v[k];
        else
            v[kept++] = v[i];
    if (kept)
        qsort(v, (size_t)kept, sizeof *v, order);
    return kept;
}

enum { COUNT, TIME, PREDICTED };

static int by_time(const void *a, const void *b)
{
    const struct ec__trace_sum *x = a, *y = b;

    return x->v[TIME] != y->v[TIME] ? (x->v[TIME] > y->v[TIME] ? -1 : 1) : ec__trace_by_name(x, y);
}

/* Kernels of the steps that count, collectives and copies too. */
static int take_kernels(const struct ec_traced *f, struct ec__trace_sum *v)
{
    const struct ec_trace *t = &f->trace;
    int n = 0, i;

    for (i = 0; i < t->n; i++)
        if (ec_trace_of_device(&t->v[i]) && ec_trace_counts(&f->steps, (uint32_t)i))
            v[n++] = (struct ec__trace_sum){
                .name = ec_trace_name(t, &t->v[i]),
                .way = f->ops.kind[t->what[t->v[i].what].name],
                .v = {1, (double)t->v[i].dur_ns}
            };
    return n;
}

static int take_modules(const struct ec_traced *f, struct ec__trace_sum *v)
{
    int i;

    for (i = 0; i < f->ops.n; i++) {
        const struct ec_trace_op *o = &f->ops.v[i];

        v[i] = (struct ec__trace_sum){
            .name = o->where ? o->where : "(no module)", .v = {(double)o->calls, o->measured_ns}
        };
        if (o->predicted_ns.p50 > 0)
            v[i].v[PREDICTED] = o->predicted_ns.p50 * (double)o->calls;
    }
    return f->ops.n;
}

static enum ec_status names_table(struct ec_call *call, const struct ec_traced *f,
                                  struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    int room = o->kernels ? f->trace.n : f->ops.n, n_steps = f->ops.n_steps, n, i;
    struct ec__trace_sum *v = ec_alloc(sizeof *v * ((size_t)room + 1));
    struct ec_table t;
    enum ec_status st;
    double all = 0;

    EC_PASS(ec_allocated(v, err));
    ec_table_init(&t, trace_name_cols, EC_LEN(trace_name_cols));
    n = o->kernels ? take_kernels(f, v) : take_modules(f, v);
    for (i = 0; i < n; i++)
        all += v[i].v[TIME];
    n = ec__trace_add_up(v, n, by_time);
    for (i = 0; i < n && (!o->top || i < o->top); i++)
        ec_table_row(&t, ec_text(v[i].name), ec_text(v[i].way), ec_num(v[i].v[COUNT] / n_steps),
                     ec_num(v[i].v[TIME] / n_steps), ec_num(v[i].v[TIME] / all),
                     known(v[i].v[PREDICTED] / n_steps));
    EC_TRY(ec_call_table(call, NULL, &t, err));
out:
    ec_table_clear(&t);
    ec_free(v);
    return st;
}

static void say_mapping(struct ec_call *call, const struct ec_traced *f)
{
    const struct ec_trace_ops *o = &f->ops;
    char a[32], b[32];
    double all = o->kernels_ns;

    ec_buf_printf(&call->out, "\n%s of kernels a step: ", ec_fmt_ns(a, sizeof a, all));
    ec_buf_printf(&call->out, "%.1f %% are operators that can be predicted, ",
                  100 * o->mapped_ns[EC_TRACE_MAPPED] / all);
    ec_buf_printf(&call->out, "%.1f %% others, costed by their bytes, %.1f %% are not mapped.\n",
                  100 * o->mapped_ns[EC_TRACE_BY_BYTES] / all,
                  100 * o->mapped_ns[EC_TRACE_NOT_MAPPED] / all);
    if (f->device && isfinite(o->median_error))
        ec_buf_printf(&call->out,
                      "Predicted for %s: %s for the %s of these. Of the operators half are off by "
                      "less than %.0f %%, and %.0f %% are in the interval of 90 %%; by time they "
                      "are off by %.0f %%.\n",
                      f->device, ec_fmt_ns(b, sizeof b, o->predicted_ns),
                      ec_fmt_ns(a, sizeof a, o->compared_ns), 100 * o->median_error,
                      100 * o->inside_frac, 100 * o->mean_error);
    if (!f->device)
        ec_buf_printf(&call->out, "Nothing is predicted: %s; give --device KEY.\n",
                      *f->trace.device ? "the catalogue has no such device"
                                       : "the file does not name its device");
}

/* The three that take longest of what is not mapped: among these that is their order. The reason is
 * that of the longest. */
static void say_unmapped(struct ec_call *call, const struct ec_traced *f)
{
    const char *why = NULL;
    int n = 0, i;

    for (i = 0; i < f->ops.n && n < 3; i++) {
        const struct ec_trace_op *v = &f->ops.v[i];
        double share = v->measured_ns / f->ops.n_steps / f->ops.kernels_ns;

        if (v->mapped != EC_TRACE_NOT_MAPPED || share < 0.005)
            continue;
        if (!why)
            ec_buf_printf(&call->out, "Not mapped, since %s: ", why = v->why);
        ec_buf_printf(&call->out, "%s%s %.1f %%", n++ ? "; " : "", v->label, 100 * share);
    }
    if (n)
        ec_buf_str(&call->out, ".\n");
}

static void say_winnable(struct ec_call *call, const struct ec_traced *f)
{
    double all = 0;
    char a[32];
    int n = 0, i;

    for (i = 0; i < f->ops.n; i++) {
        all += f->ops.v[i].recoverable_ns;
        n += f->ops.v[i].recoverable_ns > 0;
    }
    if (f->device && n)
        ec_buf_printf(&call->out,
                      "%d operator%s longer than predicted (above p95): %s a step to win.\n", n,
                      n == 1 ? " takes" : "s take", ec_fmt_ns(a, sizeof a, all));
    else if (f->ops.compared_ns > 0)
        ec_buf_str(&call->out,
                   "No operator takes longer than predicted (above p95); the longest:\n");
    else
        ec_buf_str(&call->out, "The longest; nothing is predicted for them:\n");
}

enum ec_status ec__trace_ops_table(struct ec_call *call, const struct ec_traced *f,
                                   struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    int64_t most = o->top ? o->top : o->operators ? INT_MAX : SHORT_LIST;
    struct ec_table t;
    enum ec_status st = EC_OK;
    size_t from = call->out.len;
    int i;

    ec_table_init(&t, trace_op_cols, EC_LEN(trace_op_cols));
    if (!(f->ops.kernels_ns > 0))
        goto out;
    if (!call->forms.csv) {
        say_mapping(call, f);
        say_unmapped(call, f);
        EC_TRY(ec__trace_said(call, from, err));
        from = call->out.len;
        ec_buf_char(&call->out, '\n');
    }
    if (o->kernels || o->modules) {
        EC_TRY(names_table(call, f, err));
        goto out;
    }
    if (!call->forms.csv) {
        say_winnable(call, f);
        EC_TRY(ec__trace_said(call, from, err));
    }
    for (i = 0; i < f->ops.n && i < most; i++)
        add_op(&t, &f->ops.v[i], f->ops.n_steps, call->forms.csv);
    EC_TRY(ec_call_table(call, NULL, &t, err));
out:
    ec_table_clear(&t);
    return st;
}

enum ec_status ec__trace_ops_json(struct ec_json *j, const struct ec_traced *f, struct ec_err *err)
{
    const struct ec_trace_ops *o = &f->ops;
    struct ec_table t;
    enum ec_status st;
    int i;

    ec_table_init(&t, trace_op_cols, EC_LEN(trace_op_cols));
    for (i = 0; i < o->n; i++)
        add_op(&t, &o->v[i], o->n_steps, true);
    ec_json_str(j, "device", f->device);
    ec_json_num(j, "kernels_ns", o->kernels_ns);
    ec_json_num(j, "collectives_ns", o->collective_ns);
    ec_json_num(j, "mapped_ns", o->mapped_ns[EC_TRACE_MAPPED]);
    ec_json_num(j, "by_bytes_ns", o->mapped_ns[EC_TRACE_BY_BYTES]);
    ec_json_num(j, "not_mapped_ns", o->mapped_ns[EC_TRACE_NOT_MAPPED]);
    ec_json_num(j, "predicted_ns", o->predicted_ns);
    ec_json_num(j, "median_error_frac", o->median_error);
    ec_json_num(j, "mean_error_frac", o->mean_error);
    ec_json_num(j, "inside_frac", o->inside_frac);
    st = ec_table_json(&t, j, "operators", err);
    ec_table_clear(&t);
    return st;
}
