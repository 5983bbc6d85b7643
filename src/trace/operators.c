/* Operators of a trace, grouped by their arguments, beside their predictions. */
#include "trace/operators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AFTER_MOST 64 /* operators in which the reader of a result is looked for */

/* A node of autograd: before PyTorch 1.10 by its own name alone. */
static bool is_backward(const char *op)
{
    return strstr(op, "Backward") || strstr(op, "autograd::");
}

const char *const ec_trace_way_words[] = { "forward", "backward", "update", NULL };

/* Work on one trace. */
struct work {
    const struct ec_trace *t;
    const uint32_t *up;
    const struct ec_trace_steps *s;
    struct ec_predictor *p;
    const char *device; /* NULL: nothing is predicted */
    const struct ec_device *d;
    struct ec__aten_table aten;
    const struct ec__aten **row; /* by text: the row of the name; NULL: none */
    bool *is_seen;               /* by event: the call was counted */
    struct ec__set optimizer;    /* when the host updates */
    uint32_t *order;             /* operators by start */
    int n_order;
    double param_bytes;
    struct group *group;
    int n_groups, cap_groups;
    struct ec__index index; /* of groups */
    struct ec_csv kernels;  /* data/kernels.csv */
    const char **label;     /* of kernels whose operators have no shapes */
    uint32_t *labelled;     /* by text: its label plus 1; 0: none yet */
    int n_labels, cap_labels;
    struct ec__index label_index;
    struct ec_trace_ops *ret;
};

#define BY_LABEL (1u << 31)
struct group {
    uint32_t what, way; /* the key; what: of the operator, or a label and BY_LABEL */
    uint32_t event;     /* the first */
    uint32_t kernel_what;
    double kernel_ns; /* of the longest single kernel */
    bool has_op, tf32;
    struct ec_trace_op op;
};

/* --- Which operator a kernel belongs to --- */

static bool has_dims(const struct ec_trace *t, const struct ec_trace_event *e)
{
    return t->what[e->what].dims != EC_TRACE_NIL;
}

struct belongs {
    uint32_t op;     /* EC_TRACE_NIL: none */
    uint32_t number; /* of autograd, the nearest; 0: none */
    bool backward;
    bool has_op; /* there is one, with shapes or without */
};

/* The nearest operator that the table has, else the nearest with shapes; an embedding whole. */
static struct belongs op_of(const struct work *w, uint32_t event)
{
    struct belongs b = { .op = EC_TRACE_NIL };
    uint32_t at, shaped = EC_TRACE_NIL;

    for (at = w->up[event]; at != EC_TRACE_NIL; at = w->up[at]) {
        const struct ec_trace_event *e = &w->t->v[at];
        const char *name = ec_trace_name(w->t, e);
        const struct ec__aten *row = w->row[w->t->what[e->what].name];

        if (e->kind != EC_TRACE_OP)
            continue;
        b.has_op = true;
        b.number = b.number ? b.number : e->link;
        b.backward |= is_backward(name);
        if (has_dims(w->t, e) && row && (b.op == EC_TRACE_NIL || ec_str_eq(row->rule, "embedding")))
            b.op = at;
        if (shaped == EC_TRACE_NIL && has_dims(w->t, e) && !strstr(name, "Backward"))
            shaped = at;
    }
    b.op = b.op == EC_TRACE_NIL ? shaped : b.op;
    return b;
}

static enum ec_trace_way way_of(const struct work *w, const struct belongs *b, uint32_t event)
{
    const struct ec_trace_event *e =
        b->op == EC_TRACE_NIL ? ec__trace_launch(w->t, w->up, event) : &w->t->v[b->op];
    const struct ec__aten *row =
        b->op == EC_TRACE_NIL ? NULL : w->row[w->t->what[w->t->v[b->op].what].name];

    if ((row && row->phase == EC__ATEN_UPDATE) ||
        (e && ec__set_within(&w->optimizer, e->start_ns, e->start_ns + 1) > 0))
        return EC_TRACE_UPDATE;
    return b->backward || (row && row->phase == EC__ATEN_BACKWARD) ? EC_TRACE_BACKWARD
           : b->has_op                                             ? EC_TRACE_FORWARD
                                                                   : EC_TRACE_UNKNOWN;
}

/* --- Groups --- */

static enum ec_status group_of(struct work *w, uint32_t what, enum ec_trace_way way,
                               struct group **ret, struct ec_err *err)
{
    const uint32_t key[] = { what, way };
    uint32_t at;

    EC_PASS(ec__index_find(&w->index, w->group, sizeof *w->group, key, sizeof key, &at, err));
    if (at == (uint32_t)w->n_groups) {
        EC_PASS(ec_grow(&w->group, &w->cap_groups, w->n_groups + 1, sizeof *w->group, err));
        w->group[w->n_groups++] = (struct group){
            .what = what, .way = way, .event = EC_TRACE_NIL, .op = {.way = way, .group = at}
        };
    }
    *ret = &w->group[at];
    return EC_OK;
}

/* A group for each label, so that kernels of one kind are one row. */
static enum ec_status label_of(struct work *w, uint32_t kernel, uint32_t *ret, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    uint32_t at;

    if (!w->labelled[kernel]) {
        ec__kernel_label(&w->kernels, w->t->text[kernel], &text);
        EC_TRY(ec_buf_status(&text, err));
        EC_TRY(ec__index_find(&w->label_index, w->label, 0, text.data, text.len, &at, err));
        EC_TRY(ec_grow(&w->label, &w->cap_labels, w->n_labels + 1, sizeof *w->label, err));
        if (at == (uint32_t)w->n_labels)
            w->label[w->n_labels++] = ec_arena_str(&w->ret->arena, ec_buf_text(&text));
        EC_TRY(ec_allocated(w->label[at], err));
        w->labelled[kernel] = at + 1;
    }
    *ret = (w->labelled[kernel] - 1) | BY_LABEL;
out:
    ec_buf_clear(&text);
    return st;
}

static enum ec_status add_kernel(struct work *w, uint32_t event, struct ec_err *err)
{
    const struct ec_trace_event *e = &w->t->v[event];
    struct belongs b = op_of(w, event);
    uint32_t of = b.op == EC_TRACE_NIL ? event : b.op;
    struct ec_trace_ops *o = w->ret;
    uint32_t what = w->t->v[of].what;
    struct group *g;

    if (b.op == EC_TRACE_NIL)
        EC_PASS(label_of(w, w->t->what[what].name, &what, err));
    EC_PASS(group_of(w, what, way_of(w, &b, event), &g, err));
    if (g->event == EC_TRACE_NIL)
        g->event = of;
    g->has_op = b.op != EC_TRACE_NIL;
    g->op.why = g->has_op  ? NULL
                : b.has_op ? "operators have no shapes (record_shapes=True)"
                           : "no operator is around the launch";
    g->op.calls += !w->is_seen[of];
    w->is_seen[of] = true;
    g->op.kernels++;
    g->op.measured_ns += (double)e->dur_ns;
    g->tf32 |=
        strstr(ec_trace_name(w->t, e), "tf32") || strstr(ec_trace_name(w->t, e), "tensorop_s1688");
    if ((double)e->dur_ns >= g->kernel_ns) {
        g->kernel_ns = (double)e->dur_ns;
        g->kernel_what = e->what;
    }
    if (w->s->of[event] == w->s->median) {
        EC_PASS(ec_grow(&o->call, &o->cap_calls, o->n_calls + 1, sizeof *o->call, err));
        o->call[o->n_calls++] =
            (struct ec_trace_call){ of, b.number, (int)g->op.group, -1, (double)e->dur_ns };
    }
    return EC_OK;
}

static enum ec_status find_kind(struct work *w, uint32_t name, struct ec_err *err)
{
    const char **kind = &w->ret->kind[name];

    if (!*kind)
        *kind = ec_arena_str(&w->ret->arena, ec__kernel_kind(&w->kernels, w->t->text[name]));
    return *kind ? EC_OK : ec_nomem(err);
}

static enum ec_status gather(struct work *w, struct ec_err *err)
{
    int i;

    for (i = 0; i < w->t->n; i++) {
        const struct ec_trace_event *e = &w->t->v[i];

        if (!ec_trace_of_device(e) || !ec_trace_counts(w->s, (uint32_t)i))
            continue;
        EC_PASS(find_kind(w, w->t->what[e->what].name, err));
        if (e->kind == EC_TRACE_KERNEL) {
            w->ret->kernels_ns += (double)e->dur_ns;
            EC_PASS(add_kernel(w, (uint32_t)i, err));
        } else if (e->kind == EC_TRACE_COLLECTIVE) {
            w->ret->collective_ns += (double)e->dur_ns;
        }
    }
    return EC_OK;
}

static int by_host(const void *a, const void *b, void *arg)
{
    const struct ec_trace_call *x = a, *y = b;
    const struct ec_trace_event *v = arg;

    if (v[x->event].start_ns != v[y->event].start_ns)
        return v[x->event].start_ns < v[y->event].start_ns ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

/* Calls out of kernels, in order; of several that have a number the last made autograd's node. */
static enum ec_status join_calls(struct work *w, struct ec_err *err)
{
    struct ec_trace_ops *o = w->ret;
    struct ec__numbers last = { 0 };
    enum ec_status st = EC_OK;
    int n = 0, i;

    if (o->n_calls)
        qsort_r(o->call, (size_t)o->n_calls, sizeof *o->call, by_host, w->t->v);
    for (i = 0; i < o->n_calls; i++)
        if (n && o->call[n - 1].event == o->call[i].event)
            o->call[n - 1].ns += o->call[i].ns;
        else
            o->call[n++] = o->call[i];
    o->n_calls = n;
    for (i = 0; i < n; i++)
        if (o->call[i].number && w->group[o->call[i].op].way == EC_TRACE_FORWARD)
            EC_TRY(ec__numbers_add(&last, o->call[i].number, (uint32_t)(n - i), err));
    ec__numbers_sort(&last);
    for (i = 0; i < n; i++) {
        uint32_t at = ec__numbers_find(&last, o->call[i].number);

        if (at != EC_TRACE_NIL && w->group[o->call[i].op].way == EC_TRACE_BACKWARD)
            o->call[i].forward = n - (int)at;
    }
out:
    ec_free(last.v);
    return st;
}

/* --- Cases and predictions --- */

/* What is known of the first input of an operator; ret_bytes: of one of its elements. */
static enum ec_status first_input(const struct ec_trace *t, uint32_t what, struct ec__arg *ret,
                                  double *ret_bytes, struct ec_err *err)
{
    struct ec_arena a = { 0 };
    struct ec__called c = { 0 };
    enum ec_status st;

    EC_TRY(ec__called_read(t, &t->what[what], &a, &c, err));
    *ret = (struct ec__arg){ .shape = c.arg[0].shape, .elems = c.arg[0].elems };
    *ret_bytes = ec__type_bytes(c.arg[0].type);
out:
    ec_arena_clear(&a);
    return st;
}

/* The first input of what comes after a convolution or a pool on its thread and has its samples:
 * its output, which old traces do not say. */
static enum ec_status find_after(const struct work *w, uint32_t event, struct ec__called *c,
                                 struct ec_err *err)
{
    const struct ec_trace_event *e = &w->t->v[event];
    const struct ec__tensor *x = &c->arg[0].shape, *filter = &c->arg[1].shape;
    int64_t channels = c->n > 1 && filter->rank >= 3 ? filter->d[0] : x->rank > 1 ? x->d[1] : 0;
    int lo, i;

    EC__FIRST(lo, w->n_order, w->t->v[w->order[mid]].start_ns >= ec_trace_end(e));
    for (i = lo; i < w->n_order && i < lo + AFTER_MOST && !c->after.rank; i++) {
        const struct ec_trace_event *next = &w->t->v[w->order[i]];
        struct ec__arg in = { 0 };
        double bytes;

        if (next->lane == e->lane)
            EC_PASS(first_input(w->t, next->what, &in, &bytes, err));
        if (in.shape.rank == x->rank && x->rank >= 3 && in.shape.d[0] == x->d[0] &&
            in.shape.d[1] == channels)
            c->after = in.shape;
    }
    return EC_OK;
}

static void opts_of(const struct work *w, const struct group *g, const struct ec__called *c,
                    struct ec_predict_opts *o)
{
    ec_predict_opts_default(o);
    o->usual_precision = false;
    o->cond.precision = g->op.precision;
    o->cond.mode = EC_MODE_FORWARD_BACKWARD;
    o->cond.queued = true;
    o->cond.framework = w->ret->is_old ? EC_FW_pytorch_1 : EC_FW_pytorch_2;
    o->cond.layout = ec__called_channels_last(c) ? EC_CHANNELS_LAST : EC_CHANNELS_FIRST;
}

static bool only_weights(const struct ec__called *c)
{
    const struct ec__aten_arg *mask = c->row ? ec__aten_arg(c->row, "mask") : NULL;
    const char *text = mask && mask->at >= 0 && mask->at < c->n ? c->arg[mask->at].value : NULL;

    if (c->row && ec_str_eq(c->row->op, "conv") && !text)
        return c->n > 2 && c->arg[2].shape.rank >= 3 && c->arg[2].shape.d[1] <= 3; /* of images */
    return text && ec_str_starts(text, "[False");
}

/* Which phases the call runs, and the sum of their times. */
static void predict(const struct work *w, const struct ec__called *c, struct group *g)
{
    bool is_backward = c->row && c->row->phase == EC__ATEN_BACKWARD;
    int phase = !is_backward ? EC_FORWARD : only_weights(c) ? EC_GRAD_WEIGHT : EC_GRAD_DATA;
    int last = is_backward ? EC_GRAD_WEIGHT : EC_FORWARD, n = 0;
    struct ec_interval all = { 0, 0, 0 };
    bool by_bytes = ec_str_starts(g->op.text, "scale_scalar");
    struct ec_owned_case one = { 0 };
    struct ec_predict_opts o;
    int i;

    if (by_bytes)
        phase = last = EC_FORWARD;
    opts_of(w, g, c, &o);
    if (ec_case_parse(g->op.text, &one, NULL))
        return;
    for (; phase <= last; phase++) {
        struct ec_step step = { 0 };
        struct ec_prediction r;

        o.phase = phase + 1;
        if (!ec_step_of_query(&one.c, &o, &step, NULL) && step.n && !by_bytes)
            g->op.phase = n++ ? EC_PHASE_COUNT : phase;
        for (i = 0; i < step.n; i++)
            g->op.elems += step.kernel[i].read_elems + step.kernel[i].write_elems +
                           step.kernel[i].weight_elems;
        if (step.n && w->device && !ec_predict_op(w->p, g->op.text, w->device, &o, &r, NULL)) {
            all.p05 += r.step_time_ns.p05;
            all.p50 += r.step_time_ns.p50;
            all.p95 += r.step_time_ns.p95;
            g->op.roofline_ns += ec_plain_estimate(&step, w->d, o.cond.precision).roofline_ns;
        }
        ec_step_clear(&step);
    }
    ec_case_clear(&one);
    if (all.p50 > 0)
        g->op.predicted_ns = ec_interval_traced(all);
}

static enum ec_status map_group(const struct work *w, struct group *g, struct ec_err *err)
{
    struct ec_arena *keep = &w->ret->arena, a = { 0 };
    struct ec__called c = { .param_bytes = w->param_bytes };
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st = EC_OK;

    g->op.mapped = EC_TRACE_NOT_MAPPED;
    if (!g->has_op)
        goto out;
    c.row = w->row[w->t->what[g->what].name];
    EC_TRY(ec__called_read(w->t, &w->t->what[g->what], &a, &c, err));
    if (c.row && c.n && w->ret->is_old)
        EC_TRY(find_after(w, g->event, &c, err));
    g->op.why = ec__case_of(&c, &text);
    EC_TRY(ec_buf_status(&text, err));
    if (g->op.why)
        goto out;
    g->op.text = ec_arena_str(keep, ec_buf_text(&text));
    EC_TRY(ec_allocated(g->op.text, err));
    g->op.mapped = c.row ? EC_TRACE_MAPPED : EC_TRACE_BY_BYTES;
    g->op.precision =
        ec_str_starts(g->op.text, "scale_scalar") ? EC_FP32 : ec__called_precision(&c);
    g->op.channels_last = ec__called_channels_last(&c);
    if (g->op.precision == EC_FP32 && g->tf32)
        g->op.precision = EC_TF32;
    predict(w, &c, g);
out:
    ec_arena_clear(&a);
    ec_buf_clear(&text);
    return st;
}

/* --- Where in the model --- */

/* A range that takes half of a step or more is that of steps. */
static uint32_t module_of(const struct work *w, uint32_t event)
{
    double most_ns = ec_trace_step_ns(ec_trace_median(w->s)) / 2;

    for (; event != EC_TRACE_NIL; event = w->up[event]) {
        const struct ec_trace_event *e = &w->t->v[event];

        if (e->kind == EC_TRACE_MODULE ||
            (e->kind == EC_TRACE_RANGE && (double)e->dur_ns < most_ns))
            break;
    }
    return event;
}

/* "Qwen2MLP.Linear": the class of the module, and of the one around it; a range's own name. */
static char *module_name(const struct work *w, uint32_t module)
{
    uint32_t outer = module_of(w, w->up[module]);
    char name[2][64] = { "", "" };
    int i;

    if (w->t->v[module].kind == EC_TRACE_RANGE)
        return ec_arena_str(&w->ret->arena, ec_trace_name(w->t, &w->t->v[module]));
    for (i = 0; i < 2; i++) {
        uint32_t at = i ? module : outer;
        const char *full, *number;

        if (at == EC_TRACE_NIL)
            continue;
        full = ec_trace_name(w->t, &w->t->v[at]) + strlen("nn.Module: ");
        number = strrchr(full, '_');
        (void)ec_snprintf(name[i], sizeof name[i], "%.*s",
                          number ? (int)(number - full) : (int)strlen(full), full);
    }
    return ec_arena_printf(&w->ret->arena, "%s%s%s", name[0], *name[0] ? "." : "", name[1]);
}

/* The module of a call of the median step; backward has that of its forward. */
static void find_modules(struct work *w)
{
    const struct ec_trace_ops *o = w->ret;
    int i;

    for (i = 0; i < o->n_calls; i++) {
        const struct ec_trace_call *c = &o->call[o->call[i].forward < 0 ? i : o->call[i].forward];
        uint32_t where = module_of(w, c->event);
        struct group *g = &w->group[o->call[i].op];

        if (!g->op.where && where != EC_TRACE_NIL)
            g->op.where = module_name(w, where);
    }
}

/* --- All of it --- */

static bool is_optimizer(const char *range)
{
    return ec_str_starts(range, "Optimizer.step");
}

/* Bytes of all parameters of a step: those whose gradients autograd collects. */
static enum ec_status find_parameters(struct work *w, struct ec_err *err)
{
    const struct ec_trace *t = w->t;
    int i;

    for (i = 0; i < t->n; i++) {
        struct ec__arg x;
        double bytes;

        if (t->v[i].kind != EC_TRACE_OP ||
            !ec_str_eq(ec_trace_name(t, &t->v[i]), "torch::autograd::AccumulateGrad"))
            continue;
        EC_PASS(first_input(t, t->v[i].what, &x, &bytes, err));
        w->ret->float_parameters |= bytes > 2;
        w->param_bytes += x.elems * bytes;
    }
    w->param_bytes /= w->s->n;
    return EC_OK;
}

static enum ec_status prepare(struct work *w, struct ec_err *err)
{
    int i;

    EC_PASS(ec__aten_read(&w->aten, err));
    EC_PASS(ec__kernels_read(&w->kernels, err));
    w->row = ec_alloc(sizeof(struct ec__aten *) * ((size_t)w->t->n_text + 1));
    w->is_seen = ec_alloc(sizeof *w->is_seen * ((size_t)w->t->n + 1));
    w->ret->kind = ec_arena_alloc(&w->ret->arena, sizeof(char *) * ((size_t)w->t->n_text + 1));
    w->labelled = ec_alloc(sizeof *w->labelled * ((size_t)w->t->n_text + 1));
    EC_PASS(ec_allocated(w->row && w->is_seen && w->ret->kind && w->labelled, err));
    for (i = 0; i < w->t->n_text; i++)
        w->row[i] = ec__aten_find(&w->aten, w->t->text[i]);
    w->ret->is_old = true;
    for (i = 0; i < w->t->n_what && w->ret->is_old; i++)
        w->ret->is_old = !*ec_trace_text(w->t, w->t->what[i].values);
    for (i = 0; i < w->t->n; i++)
        if (w->t->v[i].kind == EC_TRACE_RANGE && is_optimizer(ec_trace_name(w->t, &w->t->v[i])))
            EC_PASS(
                ec__set_add(&w->optimizer, w->t->v[i].start_ns, ec_trace_end(&w->t->v[i]), err));
    ec__set_unite(&w->optimizer);
    EC_PASS(ec__trace_sorted(w->t, EC__TRACE_KIND(OP), &w->order, &w->n_order, err));
    return find_parameters(w, err);
}

static int by_recoverable(const void *a, const void *b)
{
    const struct ec_trace_op *x = a, *y = b;

    if (x->recoverable_ns != y->recoverable_ns)
        return x->recoverable_ns > y->recoverable_ns ? -1 : 1;
    if (x->measured_ns != y->measured_ns)
        return x->measured_ns > y->measured_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static enum ec_status sum_up(struct ec_trace_ops *o, struct ec_err *err)
{
    double *errors = ec_alloc(sizeof *errors * ((size_t)o->n + 1));
    int *place = ec_alloc(sizeof *place * ((size_t)o->n + 1)), n = 0, inside = 0, i;

    if (!errors || !place) {
        ec_free(errors);
        ec_free(place);
        return ec_nomem(err);
    }
    for (i = 0; i < o->n; i++) {
        struct ec_trace_op *v = &o->v[i];
        double call = v->measured_ns / (double)v->calls;

        o->mapped_ns[v->mapped] += v->measured_ns / o->n_steps;
        if (!(v->predicted_ns.p50 > 0) || v->mapped != EC_TRACE_MAPPED)
            continue;
        o->compared_ns += v->measured_ns / o->n_steps;
        o->mean_error += fabs(v->predicted_ns.p50 * (double)v->calls - v->measured_ns) / o->n_steps;
        o->predicted_ns += v->predicted_ns.p50 * (double)v->calls / o->n_steps;
        if (call > v->predicted_ns.p95)
            v->recoverable_ns = (call - v->predicted_ns.p50) * (double)v->calls / o->n_steps;
        errors[n++] = fabs(v->predicted_ns.p50 / call - 1);
        inside += call >= v->predicted_ns.p05 && call <= v->predicted_ns.p95;
    }
    if (n)
        qsort(errors, (size_t)n, sizeof *errors, ec_by_double);
    o->mean_error = n ? o->mean_error / o->compared_ns : (double)NAN;
    o->median_error = n ? errors[(n - 1) / 2] : (double)NAN;
    o->inside_frac = n ? (double)inside / n : (double)NAN;
    o->kernels_ns /= o->n_steps;
    o->collective_ns /= o->n_steps;
    if (o->n)
        qsort(o->v, (size_t)o->n, sizeof *o->v, by_recoverable);
    for (i = 0; i < o->n; i++)
        place[o->v[i].group] = i;
    for (i = 0; i < o->n_calls; i++)
        o->call[i].op = place[o->call[i].op];
    ec_free(errors);
    ec_free(place);
    return EC_OK;
}

/* By its longest kernel, but where this does a part of what the operator is. */
static const char *kind_of_group(const struct work *w, const struct group *g)
{
    static const char *const rows[][2] = {
        {"conv",  "convolution"},
        { "lstm", "recurrent"  },
        { "gru",  "recurrent"  },
        { "rnn",  "recurrent"  }
    };
    int i;

    for (i = 0; i < EC_LEN(rows); i++)
        if (g->op.text && ec_str_starts(g->op.text, rows[i][0]))
            return rows[i][1];
    return w->ret->kind[w->t->what[g->kernel_what].name];
}

static const char *label_of_group(const struct work *w, const struct group *g)
{
    const char *name = g->op.name + (ec_str_starts(g->op.name, "aten::") ? strlen("aten::") : 0);
    char bytes[32];

    if (g->what & BY_LABEL)
        return w->label[g->what & ~BY_LABEL];
    if (!g->op.text)
        return name;
    if (!ec_str_starts(g->op.text, "scale_scalar"))
        return g->op.text;
    return ec_arena_printf(&w->ret->arena, "%s of %s", name,
                           ec_fmt_bytes(bytes, sizeof bytes, 4 * g->op.elems));
}

static enum ec_status finish(struct work *w, struct ec_err *err)
{
    struct ec_trace_ops *o = w->ret;
    int i;

    o->v = ec_arena_alloc(&o->arena, sizeof *o->v * ((size_t)w->n_groups + 1));
    EC_PASS(ec_allocated(o->v, err));
    for (i = 0; i < w->n_groups; i++) {
        struct group *g = &w->group[i];

        g->op.phase = -1;
        g->op.predicted_ns = (struct ec_interval){ (double)NAN, (double)NAN, (double)NAN };
        EC_PASS(map_group(w, g, err));
        g->op.kernel = ec_arena_str(&o->arena, w->t->text[w->t->what[g->kernel_what].name]);
        g->op.name = g->op.kernel;
        if (!(g->what & BY_LABEL))
            g->op.name = ec_arena_str(&o->arena, w->t->text[w->t->what[g->what].name]);
        EC_PASS(ec_allocated(g->op.name && g->op.kernel, err));
        g->op.kind = kind_of_group(w, g);
        g->op.label = label_of_group(w, g);
        EC_PASS(ec_allocated(g->op.label, err));
        o->v[o->n++] = g->op;
    }
    return sum_up(o, err);
}

static void work_clear(struct work *w)
{
    ec_arena_clear(&w->aten.arena);
    ec__set_clear(&w->optimizer);
    ec_free(w->row);
    ec_free(w->is_seen);
    ec_free(w->order);
    ec_free(w->group);
    ec_free(w->index.slot);
    ec_csv_clear(&w->kernels);
    ec_free(w->label);
    ec_free(w->labelled);
    ec_free(w->label_index.slot);
}

enum ec_status ec_trace_operators(const struct ec_trace *t, const uint32_t *up,
                                  const struct ec_trace_steps *s, struct ec_predictor *p,
                                  const char *device, struct ec_trace_ops *ret, struct ec_err *err)
{
    struct ec_trace_ops made = { .n_steps = s->n - s->n_out };
    struct work w = { .t = t, .up = up, .s = s, .p = p, .device = device, .ret = &made };
    enum ec_status st;

    if (device)
        EC_TRY(ec_device_find(device, &w.d, err));
    EC_TRY(prepare(&w, err));
    EC_TRY(gather(&w, err));
    EC_TRY(join_calls(&w, err));
    find_modules(&w);
    EC_TRY(finish(&w, err));
    *ret = made;
    made = (struct ec_trace_ops){ 0 };
out:
    work_clear(&w);
    ec_trace_ops_clear(&made);
    return st;
}

void ec_trace_ops_clear(struct ec_trace_ops *o)
{
    ec_free(o->call);
    ec_arena_clear(&o->arena);
    *o = (struct ec_trace_ops){ 0 };
}

/* Words that vendors put into names of boards and that no key has. */
const char *ec_trace_device(const struct ec_trace *t)
{
    static const char *const tries[][2] = {
        {"DGXS",            "SXM2"          },
        { " VF",            ""              },
        { "A100-PG509-200", "A100-SXM4-40GB"},
        { "",               ""              }
    };
    const struct ec_device *d = NULL;
    char name[160];
    int i;

    for (i = EC_LEN(tries) - 1; i >= 0; i--) {
        const char *at = *tries[i][0] ? strstr(t->device, tries[i][0]) : t->device;

        if (!at || !*t->device)
            continue;
        (void)ec_snprintf(name, sizeof name, "%.*s%s%s", (int)(at - t->device), t->device,
                          tries[i][1], at + strlen(tries[i][0]));
        if (!ec_device_find(name, &d, NULL))
            return ec_device_key(d);
    }
    return NULL;
}
