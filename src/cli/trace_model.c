/* Output of epochcast trace --model: the step of a trace beside the prediction of its network. */
#include "cli/trace_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS(key_, title_)                                                                           \
    {                                                                                              \
        .key = key_, .title = title_, .unit = "ms", .format = EC_COL_DIGITS3, .scale = 1e-6        \
    }

/* clang-format off */
static const struct ec_col cols[] = {
    { .key = "operator", .title = "kernels of" },
    MS("forward_ns", "forward"),
    MS("forward_predicted_ns", "predicted"),
    MS("backward_ns", "backward"),
    MS("backward_predicted_ns", "predicted"),
    MS("update_ns", "update"),
    MS("update_predicted_ns", "predicted"),
};
/* clang-format on */

/* Operators of one kind: measured, predicted; forward, backward, update. */
struct kind {
    char name[40];
    double ns[2][3];
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct kind *)a)->name, ((const struct kind *)b)->name);
}

static double time_of(const struct kind *k)
{
    double sum = 0;
    int i;

    for (i = 0; i < 3; i++)
        sum += k->ns[0][i] + k->ns[1][i];
    return sum;
}

static int by_time(const void *a, const void *b)
{
    double x = time_of(a), y = time_of(b);

    return x != y ? (x > y ? -1 : 1) : by_name(a, b);
}

/* "conv2d n=32 ..." -> "conv2d"; what frameworks and networks call differently is one kind. */
static void name_kind(const char *text, bool is_update, struct kind *k)
{
    static const char *const same[][2] = {
        {"linear",             "linear, matmul"},
        { "matmul",            "linear, matmul"},
        { "relu",              "relu, clip"    },
        { "clip",              "relu, clip"    },
        { "reduce_mean",       "mean"          },
        { "global_avg_pool",   "mean"          },
        { "log_softmax",       "loss"          },
        { "cross_entropy",     "loss"          },
        { "scale_scalar",      "copies"        },
        { "adaptive_avg_pool", "mean"          },
    };
    int i;

    (void)ec_snprintf(k->name, sizeof k->name, "%.*s", (int)strcspn(text, " "), text);
    for (i = 0; i < EC_LEN(same); i++)
        if (ec_str_eq(k->name, same[i][0]))
            (void)ec_snprintf(k->name, sizeof k->name, "%s", same[i][1]);
    if (is_update)
        (void)ec_snprintf(k->name, sizeof k->name, "update");
}

static int add_up(struct kind *v, int n)
{
    int kept = 0, i, m, w;

    if (n)
        qsort(v, (size_t)n, sizeof *v, by_name);
    for (i = 0; i < n; i++) {
        if (!kept || by_name(&v[kept - 1], &v[i])) {
            v[kept++] = v[i];
            continue;
        }
        for (m = 0; m < 2; m++)
            for (w = 0; w < 3; w++)
                v[kept - 1].ns[m][w] += v[i].ns[m][w];
    }
    if (kept)
        qsort(v, (size_t)kept, sizeof *v, by_time);
    return kept;
}

static int gather(const struct ec__traced *f, const struct ec_step_layers *l, struct kind *v)
{
    int n = 0, i;

    for (i = 0; i < f->ops.n; i++) {
        const struct ec_trace_op *o = &f->ops.v[i];

        v[n] = (struct kind){ .name = "" };
        name_kind(o->text ? o->text : "not mapped", o->way == EC_TRACE_UPDATE, &v[n]);
        v[n++].ns[0][o->way] = o->measured_ns / f->ops.n_steps;
    }
    for (i = 0; i < l->n; i++) {
        v[n] = (struct kind){ .name = "" };
        name_kind(l->v[i].op ? l->v[i].op : "cross_entropy", false, &v[n]);
        v[n].ns[1][0] = l->v[i].forward_ns;
        v[n++].ns[1][1] = l->v[i].backward_ns;
        v[n] = (struct kind){ .name = "update" };
        v[n++].ns[1][2] = l->v[i].update_ns;
    }
    return add_up(v, n);
}

static void fill(struct ec_table *t, const struct kind *v, int n)
{
    struct kind all = { .name = "all" };
    int i, m, w;

    for (i = 0; i <= n; i++) {
        const struct kind *k = i < n ? &v[i] : &all;

        if (i < n && !(time_of(k) > 0))
            continue; /* views */
        if (i == n)
            ec_table_rule(t);
        ec_table_text(t, k->name);
        for (w = 0; w < 3; w++)
            for (m = 0; m < 2; m++) {
                ec_table_row(t, k->ns[m][w] > 0 ? ec_num(k->ns[m][w]) : ec_none());
                if (i < n)
                    all.ns[m][w] += k->ns[m][w];
            }
    }
}

static void opts_of(const struct trace_opts *o, const struct ec__traced *f,
                    struct ec_predict_opts *q)
{
    const struct ec_trace_said *c = &f->said;

    ec_predict_opts_default(q);
    q->batch = o->batch ? o->batch : c->batch;
    q->seq_len = c->seq_len;
    q->image = c->image;
    q->usual_precision = false;
    q->cond = c->cond;
}

/* The step as a whole, and what differs from what was asked. */
static void say_step(struct ec_call *call, const struct ec__traced *f, const struct trace_opts *o,
                     const struct ec_prediction *r, const struct kind *v, int n)
{
    const struct ec_trace_step *s = &f->steps.v[f->steps.median];
    double step = (double)(s->to_ns - s->from_ns);
    char a[32], b[32], c[32], d[32];
    int i, k, said;

    ec_buf_printf(&call->out,
                  "step: measured %s, predicted %s (90 %%: %s to %s) of %s on %s, "
                  "batch %lld, %s\n",
                  ec_fmt_ns(a, sizeof a, step), ec_fmt_ns(b, sizeof b, r->step_time_ns.p50),
                  ec_fmt_ns(c, sizeof c, r->step_time_ns.p05),
                  ec_fmt_ns(d, sizeof d, r->step_time_ns.p95), o->model, f->device,
                  (long long)r->batch, ec_precision_names[r->precision]);
    if (o->batch && f->said.batch && o->batch != f->said.batch)
        ec_buf_printf(&call->out, "The trace runs batch %lld by its shapes, not %lld.\n",
                      (long long)f->said.batch, (long long)o->batch);
    for (k = 0; k < 2; k++) {
        for (said = i = 0; i < n; i++) {
            double here = v[i].ns[k][0] + v[i].ns[k][1], other = v[i].ns[!k][0] + v[i].ns[!k][1];

            if (here > 0.01 * step && !(other > 0)) {
                ec_buf_printf(&call->out, "%s%s",
                              said++ ? ", "
                              : k    ? "The network has, and the trace does not: "
                                     : "The trace runs, and the network has not: ",
                              v[i].name);
            }
        }
        ec_buf_str(&call->out, said ? ".\n" : "");
    }
    ec_buf_char(&call->out, '\n');
}

enum ec_status ec__trace_model(struct ec_call *call, struct ec_predictor *p,
                               const struct ec__traced *f, struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    struct ec_step_layers l = { 0 };
    struct ec_predict_opts q;
    struct ec_prediction r;
    struct kind *v = NULL;
    struct ec_table t;
    enum ec_status st;
    size_t from = call->out.len;
    int n;

    ec_table_init(&t, cols, EC_LEN(cols));
    if (!f->device)
        EC_TRY(ec_fail(err, EC_E_NOT_FOUND, "%s: its device is not in the catalogue: give --device",
                       f->path));
    opts_of(o, f, &q);
    EC_TRY(ec_predict_layers(p, o->model, f->device, &q, &r, &l, &call->arena, err));
    v = ec_alloc(sizeof *v * ((size_t)f->ops.n + 2 * (size_t)l.n + 1));
    if (!v)
        EC_TRY(ec_nomem(err));
    n = gather(f, &l, v);
    if (!ec_forms_any(&o->forms)) {
        say_step(call, f, o, &r, v, n);
        EC_TRY(ec_call_fit(call, from, err));
    }
    fill(&t, v, n);
    EC_TRY(ec_call_table(
        call, &o->forms,
        &(struct ec_table_head){ "epochcast.trace-model/1", "operators", { { NULL, NULL } } }, &t,
        err));
out:
    ec_table_clear(&t);
    ec_free(v);
    return st;
}
