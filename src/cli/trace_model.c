/* Output of epochcast trace --model: the step of a trace beside the prediction of its network. */
#include "cli/trace_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli_columns.h"

/* v of a sum: forward, backward, update as measured, then as predicted. */
enum { PREDICTED = 3, ALL = 6 };

static double time_of(const struct ec__trace_sum *k)
{
    double sum = 0;
    int i;

    for (i = 0; i < PREDICTED; i++)
        sum += k->v[i] + k->v[PREDICTED + i];
    return sum;
}

static int by_time(const void *a, const void *b)
{
    double x = time_of(a), y = time_of(b);

    return x != y ? (x > y ? -1 : 1) : ec__trace_by_name(a, b);
}

/* "conv2d n=32 ..." -> "conv2d"; what frameworks and networks call differently is one kind. */
static const char *kind_of(const char *text, struct ec_arena *a)
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
    struct ec_span op = { text, strcspn(text, " ") };
    int i;

    for (i = 0; i < EC_LEN(same); i++)
        if (ec_span_eq(op, same[i][0]))
            return same[i][1];
    return ec_arena_strn(a, op.p, op.len);
}

/* The kinds in sums, of zeroed ret. */
static enum ec_status gather(const struct ec_traced *f, const struct ec_step_layers *l,
                             struct ec_arena *a, struct ec__trace_sum *ret, int *ret_n,
                             struct ec_err *err)
{
    int n = 0, i;

    for (i = 0; i < f->ops.n; i++) {
        const struct ec_trace_op *o = &f->ops.v[i];
        const char *text = o->text ? o->text : "not mapped";

        ret[n].name = o->way == EC_TRACE_UPDATE ? "update" : kind_of(text, a);
        ret[n++].v[o->way] = o->measured_ns / f->ops.n_steps;
    }
    for (i = 0; i < l->n; i++) {
        const struct ec_node_time *of = &l->v[i];

        ret[n++] = (struct ec__trace_sum){ .name = kind_of(of->op ? of->op : "cross_entropy", a),
                                           .v[PREDICTED] = of->forward_ns,
                                           .v[PREDICTED + EC_TRACE_BACKWARD] = of->backward_ns };
        ret[n++] = (struct ec__trace_sum){ .name = "update",
                                           .v[PREDICTED + EC_TRACE_UPDATE] = of->update_ns };
    }
    for (i = 0; i < n; i++)
        if (!ret[i].name)
            return ec_nomem(err);
    *ret_n = ec__trace_add_up(ret, n, by_time);
    return EC_OK;
}

static void fill(struct ec_table *t, const struct ec__trace_sum *v, int n)
{
    struct ec__trace_sum all = { .name = "all" };
    int i, k;

    for (i = 0; i <= n; i++) {
        const struct ec__trace_sum *of = i < n ? &v[i] : &all;

        if (i < n && !(time_of(of) > 0))
            continue; /* views */
        if (i == n)
            ec_table_rule(t);
        ec_table_text(t, of->name);
        for (k = 0; k < ALL; k++) {
            double ns = of->v[k / 2 + k % 2 * PREDICTED];

            ec_table_row(t, ns > 0 ? ec_num(ns) : ec_none());
        }
        for (k = 0; k < ALL && i < n; k++)
            all.v[k] += of->v[k];
    }
}

/* The step as a whole, and what differs from what was asked. */
static void say_step(struct ec_call *call, const struct ec_traced *f, const struct trace_opts *o,
                     const struct ec_prediction *r, const struct ec__trace_sum *v, int n)
{
    double step = ec_trace_step_ns(ec_trace_median(&f->steps));
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
            const double *of = &v[i].v[k ? PREDICTED : 0], *in = &v[i].v[k ? 0 : PREDICTED];
            double here = of[0] + of[1], other = in[0] + in[1];

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
                               const struct ec_traced *f, struct ec_err *err)
{
    const struct trace_opts *o = call->opts;
    struct ec_step_layers l = { 0 };
    struct ec_predict_opts q;
    struct ec_prediction r;
    struct ec__trace_sum *v = NULL;
    struct ec_table t;
    enum ec_status st;
    size_t from = call->out.len;
    int n = 0;

    ec_table_init(&t, trace_model_cols, EC_LEN(trace_model_cols));
    if (!f->device)
        EC_TRY(ec_fail(err, EC_E_NOT_FOUND, "%s: its device is not in the catalogue: give --device",
                       f->path));
    ec_predict_opts_default(&q);
    q.batch = o->batch ? o->batch : f->said.batch;
    q.seq_len = f->said.seq_len;
    q.image = f->said.image;
    q.usual_precision = false;
    q.cond = f->said.cond;
    EC_TRY(ec_predict_layers(p, o->model, f->device, &q, &r, &l, &call->arena, err));
    v = ec_alloc(sizeof *v * ((size_t)f->ops.n + 2 * (size_t)l.n + 1));
    if (!v)
        EC_TRY(ec_nomem(err));
    EC_TRY(gather(f, &l, &call->arena, v, &n, err));
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
