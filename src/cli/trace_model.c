/* Output of epochcast trace --model: the step of a trace beside the prediction of its network. */
#include "cli/trace_internal.h"

#include <stdlib.h>
#include <string.h>

#include "cli_columns.h"

#define MOST_LAYERS 10
#define WORTH_SAYING 0.01 /* of a step */
#define MUCH 0.1          /* of a step, or of its kernels */

/* v of a sum: forward, backward, update as measured, then as predicted. */
enum { PREDICTED = 3, ALL = 6 };

struct compared {
    const struct ec_traced *f;
    struct ec_prediction r;
    enum ec_framework framework;  /* of the prediction */
    struct ec_trace_layer *layer; /* n_layers */
    struct ec__trace_sum *kind;   /* n_kinds, by time */
    int n_layers, n_kinds;
    struct ec_strs notes; /* what differs, in sentences */
};

static double time_of(const struct ec__trace_sum *k)
{
    double sum = 0;
    int i;

    for (i = 0; i < ALL; i++)
        sum += k->v[i];
    return sum;
}

static int by_time(const void *a, const void *b)
{
    double x = time_of(a), y = time_of(b);

    return x != y ? (x > y ? -1 : 1) : ec__trace_by_name(a, b);
}

/* Sums of layers by kind: of all, or of those that are no node of the network. */
static int add_kinds(const struct compared *c, bool all, struct ec__trace_sum *ret)
{
    int n = 0, i;

    for (i = 0; i < c->n_layers; i++) {
        const struct ec_trace_layer *l = &c->layer[i];

        if (l->name && !all)
            continue;
        ret[n].name = l->kind;
        memcpy(ret[n].v, l->measured_ns, sizeof l->measured_ns);
        memcpy(ret[n++].v + PREDICTED, l->predicted_ns, sizeof l->predicted_ns);
    }
    return ec__trace_add_up(ret, n, by_time);
}

static void add_times(struct ec_table *t, const double *measured, const double *predicted, int ways)
{
    int k;

    for (k = 0; k < ways; k++)
        ec_table_row(t, ec_positive(measured[k]), ec_positive(predicted[k]));
}

static void fill_kinds(const struct compared *c, struct ec_table *t)
{
    struct ec__trace_sum all = { .name = "all" };
    int i, k;

    for (i = 0; i <= c->n_kinds; i++) {
        const struct ec__trace_sum *of = i < c->n_kinds ? &c->kind[i] : &all;

        if (!(time_of(of) > 0))
            continue; /* views */
        if (of == &all)
            ec_table_rule(t);
        ec_table_text(t, of->name);
        add_times(t, of->v, of->v + PREDICTED, PREDICTED);
        for (k = 0; k < ALL && of != &all; k++)
            all.v[k] += of->v[k];
    }
}

/* What it takes beyond the prediction, forward and backward; where only one of the two has it: 0 */
static double excess(const struct ec_trace_layer *l)
{
    return l->is_paired
               ? l->measured_ns[0] + l->measured_ns[1] - l->predicted_ns[0] - l->predicted_ns[1]
               : 0;
}

static int by_excess(const void *a, const void *b)
{
    double x = excess(a), y = excess(b);

    return x != y ? (x > y ? -1 : 1)
                  : strcmp(((const struct ec_trace_layer *)a)->kind,
                           ((const struct ec_trace_layer *)b)->kind);
}

/* Nodes in the order of the network, then what only the trace has by kind. */
static enum ec_status fill_layers(const struct compared *c, int64_t most, struct ec_table *t,
                                  struct ec_err *err)
{
    struct ec__trace_sum *rest = ec_alloc(sizeof *rest * ((size_t)c->n_layers + 1));
    int n_rest, i;

    EC_PASS(ec_allocated(rest, err));
    for (i = 0; i < c->n_layers && ec_table_rows(t) < most; i++) {
        const struct ec_trace_layer *l = &c->layer[i];

        if (!l->name || !(l->predicted_ns[0] + l->predicted_ns[1] > 0))
            continue;
        ec_table_row(t, ec_text(l->name), ec_text(l->kind));
        add_times(t, l->measured_ns, l->predicted_ns, EC_TRACE_UPDATE);
        ec_table_row(t, l->is_paired ? ec_num(excess(l)) : ec_none());
    }
    n_rest = add_kinds(c, false, rest);
    for (i = 0; i < n_rest && ec_table_rows(t) < most; i++) {
        if (!(time_of(&rest[i]) > 0) || ec_str_eq(rest[i].name, "update"))
            continue;
        ec_table_row(t, ec_none(), ec_text(rest[i].name));
        add_times(t, rest[i].v, rest[i].v + PREDICTED, EC_TRACE_UPDATE);
        ec_table_row(t, ec_none());
    }
    ec_free(rest);
    return EC_OK;
}

/* --- What differs, in sentences --- */

/* Kinds of which one of the two has more than a hundredth of the step, and the other nothing. */
static enum ec_status note_kinds(struct compared *c, bool of_network, struct ec_arena *a,
                                 struct ec_err *err)
{
    double step_ns = ec_trace_step_ns(ec_trace_median(&c->f->steps));
    struct ec_buf names = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < c->n_kinds; i++) {
        const double *here = &c->kind[i].v[of_network ? PREDICTED : 0];
        const double *there = &c->kind[i].v[of_network ? 0 : PREDICTED];

        if (here[0] + here[1] > WORTH_SAYING * step_ns && !(there[0] + there[1] > 0))
            ec_buf_printf(&names, "%s%s", names.len ? "; " : "", c->kind[i].name);
    }
    if (names.len)
        EC_TRY(ec_strs_add(&c->notes, a, err,
                           of_network ? "The network has, and the trace does not: %s."
                                      : "The trace runs, and the network has not: %s.",
                           ec_buf_text(&names)));
out:
    ec_buf_clear(&names);
    return st;
}

/* The part that takes most of the measured step beside compute; the kernels that no layer has. */
static enum ec_status note_rest(struct compared *c, struct ec_arena *a, struct ec_err *err)
{
    const struct ec_trace_step *s = ec_trace_median(&c->f->steps);
    int most = EC_TRACE_PART_compute + 1, i;
    double other_ns = 0, all_ns = 0;
    char x[32], y[32];

    for (i = most; i < EC_TRACE_PARTS; i++)
        most = s->part_ns[i] > s->part_ns[most] ? i : most;
    if (s->part_ns[most] > MUCH * ec_trace_step_ns(s))
        EC_PASS(ec_strs_add(&c->notes, a, err, "The measured step computes for %s; %s are %s.",
                            ec_fmt_ns(x, sizeof x, s->part_ns[EC_TRACE_PART_compute]),
                            ec_fmt_ns(y, sizeof y, s->part_ns[most]), ec_trace_part_labels[most]));
    for (i = 0; i < c->n_layers; i++) {
        const struct ec_trace_layer *l = &c->layer[i];
        double ns = l->measured_ns[EC_TRACE_FORWARD] + l->measured_ns[EC_TRACE_BACKWARD];

        all_ns += ns;
        other_ns += l->name ? 0 : ns;
    }
    if (other_ns > MUCH * all_ns)
        EC_PASS(ec_strs_add(&c->notes, a, err,
                            "%.0f %% of the kernel time belongs to no layer of the network.",
                            100 * other_ns / all_ns));
    return EC_OK;
}

static enum ec_status note_differences(struct compared *c, const struct ec_call *call,
                                       struct ec_arena *a, struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    const struct ec_trace_said *said = &c->f->said;
    enum ec_framework framework = said->cond.framework;
    int nodes = 0, paired = 0, i;

    if (o->batch && said->batch && o->batch != said->batch)
        EC_PASS(ec_strs_add(&c->notes, a, err, "The trace runs batch %lld by its shapes, not %lld.",
                            (long long)said->batch, (long long)o->batch));
    if (ec_call_given(call, "precision") && o->as_precision != said->cond.precision)
        EC_PASS(ec_strs_add(&c->notes, a, err, "The trace runs %s by its types, not %s.",
                            ec_precision_names[said->cond.precision],
                            ec_precision_names[o->as_precision]));
    if (ec_call_given(call, "framework") && o->as_framework != framework)
        EC_PASS(ec_strs_add(&c->notes, a, err, "The trace is of %s by its operators, not of %s.",
                            ec_framework_keys[framework], ec_framework_keys[o->as_framework]));
    for (i = 0; i < c->n_layers; i++) {
        nodes += c->layer[i].name && c->layer[i].predicted_ns[EC_TRACE_FORWARD] > 0;
        paired += c->layer[i].is_paired;
    }
    if (paired < nodes)
        EC_PASS(ec_strs_add(&c->notes, a, err,
                            "Found in the trace: %d of %d layers; the others are fused or divided "
                            "there, or of another network.",
                            paired, nodes));
    EC_PASS(note_rest(c, a, err));
    EC_PASS(note_kinds(c, false, a, err));
    return note_kinds(c, true, a, err);
}

static enum ec_status compare(struct ec_call *call, struct ec_predictor *p, struct compared *c,
                              struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    const struct ec_trace_said *said = &c->f->said;
    struct ec_step_layers l = { 0 };
    struct ec_predict_opts q;

    if (!c->f->device)
        return ec_fail(err, EC_E_NOT_FOUND, "%s: its device is not in the catalogue: give --device",
                       c->f->path);
    ec_predict_opts_default(&q);
    q.batch = o->batch ? o->batch : said->batch;
    q.seq_len = said->seq_len;
    q.image = said->image;
    q.usual_precision = false;
    q.cond = said->cond;
    if (ec_call_given(call, "precision"))
        q.cond.precision = o->as_precision;
    if (ec_call_given(call, "framework"))
        q.cond.framework = o->as_framework;
    c->framework = q.cond.framework;
    EC_PASS(ec_predict_layers(p, o->model, c->f->device, &q, &c->r, &l, &call->arena, err));
    EC_PASS(ec_trace_layers(&c->f->ops, &l,
                            said->batch ? (double)said->batch / (double)c->r.batch : 1,
                            &call->arena, &c->layer, &c->n_layers, err));
    c->kind = ec_arena_alloc(&call->arena, sizeof *c->kind * (size_t)c->n_layers);
    EC_PASS(ec_allocated(c->kind, err));
    c->n_kinds = add_kinds(c, true, c->kind);
    return note_differences(c, call, &call->arena, err);
}

static void say_step(struct ec_call *call, const struct compared *c)
{
    const struct trace_opts *o = call->opts;
    const struct ec_prediction *r = &c->r;
    char a[32], b[32], x[32], d[32];
    int i;

    ec_buf_printf(
        &call->out,
        "step: measured %s, predicted %s (90 %%: %s to %s) of %s on %s, batch %lld, %s, %s\n",
        ec_fmt_ns(a, sizeof a, ec_trace_step_ns(ec_trace_median(&c->f->steps))),
        ec_fmt_ns(b, sizeof b, r->step_time_ns.p50), ec_fmt_ns(x, sizeof x, r->step_time_ns.p05),
        ec_fmt_ns(d, sizeof d, r->step_time_ns.p95), o->model, c->f->device, (long long)r->batch,
        ec_precision_names[r->precision], ec_framework_keys[c->framework]);
    for (i = 0; i < c->notes.n; i++)
        ec_buf_printf(&call->out, "%s\n", c->notes.v[i]);
    ec_buf_char(&call->out, '\n');
}

static enum ec_status write_json(struct ec_call *call, const struct compared *c,
                                 const struct ec_table *kinds, const struct ec_table *layers,
                                 struct ec_err *err)
{
    const struct ec_prediction *r = &c->r;
    struct ec_json j;

    ec_json_document(&j, &call->out, 2, "epochcast.trace-model/1");
    ec_json_num(&j, "step_ns", ec_trace_step_ns(ec_trace_median(&c->f->steps)));
    ec_json_num(&j, "predicted_p05_ns", r->step_time_ns.p05);
    ec_json_num(&j, "predicted_ns", r->step_time_ns.p50);
    ec_json_num(&j, "predicted_p95_ns", r->step_time_ns.p95);
    ec_json_strs(&j, "notes", c->notes.v, c->notes.n);
    EC_PASS(ec_table_json(kinds, &j, "operators", err));
    EC_PASS(ec_table_json(layers, &j, "layers", err));
    ec_json_end(&j);
    return ec_buf_status(&call->out, err);
}

enum ec_status ec__trace_model(struct ec_call *call, struct ec_predictor *p,
                               const struct ec_traced *f, struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    bool is_page = !ec_forms_any(&call->forms);
    struct compared c = { .f = f };
    struct ec_table kinds, layers;
    size_t from = call->out.len;
    enum ec_status st;

    ec_table_init(&kinds, trace_model_cols, EC_LEN(trace_model_cols));
    ec_table_init(&layers, trace_layer_cols, EC_LEN(trace_layer_cols));
    EC_TRY(compare(call, p, &c, err));
    if (is_page)
        say_step(call, &c);
    EC_TRY(ec_call_fit(call, from, err));
    fill_kinds(&c, &kinds);
    if (is_page && !o->layers)
        qsort(c.layer, (size_t)c.n_layers, sizeof *c.layer, by_excess);
    EC_TRY(fill_layers(&c,
                       o->top                  ? o->top
                       : is_page && !o->layers ? MOST_LAYERS
                                               : INT64_MAX,
                       &layers, err));
    if (call->forms.json) {
        EC_TRY(write_json(call, &c, &kinds, &layers, err));
        goto out;
    }
    if (!o->layers)
        EC_TRY(ec_call_table(call, NULL, &kinds, err));
    if (is_page && !o->layers)
        ec_buf_str(&call->out, "\nlayers that take most above their prediction (--layers: all)\n");
    if (is_page || o->layers)
        EC_TRY(ec_call_table(call, NULL, &layers, err));
out:
    ec_table_clear(&kinds);
    ec_table_clear(&layers);
    return st;
}
