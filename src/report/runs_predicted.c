/* Predicted runs, whole and layer by layer. */
#include "report/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

static enum ec_status append(struct ec_runs *r, const struct ec_run *v, struct ec_err *err)
{
    enum ec_status st = ec_grow(&r->v, &r->cap, r->n + 1, sizeof *r->v, err);

    if (!st)
        r->v[r->n++] = *v;
    return st;
}

/* The last phase of a mode. */
static int last_phase(enum ec_mode mode)
{
    return mode == EC_MODE_FORWARD            ? EC_FORWARD
           : mode == EC_MODE_FORWARD_BACKWARD ? EC_GRAD_WEIGHT
                                              : EC_UPDATE;
}

struct asked {
    struct ec_predictor *p;
    const struct ec_runs_ask *ask;
    struct ec_runs *runs;
    struct ec_run common;
    struct ec_err *err;
};

static enum ec_status common_of(struct asked *a, const struct ec_graph *g)
{
    const struct ec_device *d = a->ask->device;
    const struct ec_predict_opts *o = &a->ask->opts;
    struct ec_run *r = &a->common;
    double peak;

    *r = ec__run_blank();
    r->record.device = r->env = ec_device_key(d);
    r->record.what = ec_arena_str(&a->runs->arena, a->ask->model);
    r->record.cond = o->cond;
    memset(r->record.foreign, 0, sizeof r->record.foreign);
    r->record.batch = g->batch;
    peak = ec_paper_peak_named(d, ec_run_precision(r));
    if (peak > 0)
        r->peak_flop_per_s = peak;
    if (d->memory_bytes_per_s.src != EC_SRC_NONE)
        r->memory_bytes_per_s = d->memory_bytes_per_s.value;
    return r->record.what ? EC_OK : ec_nomem(a->err);
}

static enum ec_status whole(struct asked *a, const struct ec_totals *t)
{
    struct ec_run r = a->common;
    struct ec_prediction p;
    enum ec_status st;

    EC_TRY(ec_predict_network(a->p, a->ask->model, r.record.device, &a->ask->opts, &p, a->err));
    r.median_ns = r.predicted_ns = p.step_time_ns.p50;
    r.limit = ec_limit_name(p.limit);
    if (p.has_memory)
        r.memory_peak_bytes = p.memory_peak_bytes.p50;
    ec__run_count(&r, t, last_phase(a->ask->opts.cond.mode));
    EC_TRY(append(a->runs, &r, a->err));
out:
    return st;
}

/* The time of an operator in a mode. The first operators of a network compute no gradient of their
 * input. The time of a call beside its kernels is counted once. *ret_ns 0: unknown. Errors: NOMEM
 */
static enum ec_status layer_ns(struct asked *a, const char *text,
                               const struct ec_predict_opts *opts, bool with_input, double *ret_ns,
                               const char **ret_limit)
{
    static const int phases[] = { 1, 3 }; /* forward, grad_weight: include/epochcast/predict.h */
    bool parts = !with_input && opts->cond.mode != EC_MODE_FORWARD;
    struct ec_predict_opts o = *opts;
    struct ec_prediction p;
    double device_ns = 0, gap_ns = 0;
    enum ec_status st;
    int i;

    *ret_ns = 0;
    for (i = 0; i < (parts ? EC_LEN(phases) : 1); i++) {
        o.phase = parts ? phases[i] : 0;
        st = ec_predict_op(a->p, text, a->common.record.device, &o, &p, NULL);
        if (st == EC_E_NOMEM)
            return ec_nomem(a->err);
        if (st)
            continue;
        if (p.device_ns > device_ns / 2)
            *ret_limit = ec_limit_name(p.limit); /* of the longer part */
        device_ns += p.device_ns;
        gap_ns = fmax(gap_ns, p.step_time_ns.p50 - p.device_ns);
        *ret_ns = parts ? device_ns + gap_ns : p.step_time_ns.p50;
    }
    return EC_OK;
}

/* Predicts a layer without the update, which is of all parameters together. */
static enum ec_status layer(struct asked *a, const struct ec_graph *g, const struct ec_layer *l)
{
    struct ec_predict_opts o = a->ask->opts;
    struct ec_case c = ec_node_case(l->node);
    struct ec_buf text = EC_BUF_INIT;
    struct ec_run r = a->common;
    enum ec_status st;

    ec__run_count(&r, &l->t, o.cond.mode == EC_MODE_FORWARD ? EC_FORWARD : EC_GRAD_WEIGHT);
    if (r.bytes <= 0 || l->node->op->flags & EC_OPF_VIEW)
        return EC_OK;
    ec_case_print(&c, &text);
    EC_TRY(ec_buf_status(&text, a->err));
    o.cond.optimizer = EC_OPT_none;
    o.cond.mode = o.cond.mode == EC_MODE_FORWARD ? EC_MODE_FORWARD : EC_MODE_FORWARD_BACKWARD;
    o.dataset = o.host = NULL;
    o.batch = o.samples = o.epochs = o.seq_len = o.image = o.classes = 0;
    o.cond.input_copy = o.as_exported = false;
    EC_TRY(layer_ns(a, ec_buf_text(&text), &o, ec_node_needs_input_grad(g, l->node), &r.median_ns,
                    &r.limit));
    if (r.median_ns > 0) {
        r.predicted_ns = r.median_ns;
        r.layer = ec_arena_str(&a->runs->arena, l->node->name);
        if (!r.layer)
            EC_TRY(ec_nomem(a->err));
        EC_TRY(append(a->runs, &r, a->err));
    }
out:
    ec_buf_clear(&text);
    return st;
}

static int slowest_first(const void *a, const void *b)
{
    const struct ec_run *x = a, *y = b;

    return (x->median_ns < y->median_ns) - (x->median_ns > y->median_ns);
}

/* Sorts the layers, and keeps those that are asked for. */
static void keep_slowest(struct asked *a, int first)
{
    struct ec_runs *runs = a->runs;

    qsort(runs->v + first, (size_t)(runs->n - first), sizeof *runs->v, slowest_first);
    if (a->ask->top && runs->n - first > a->ask->top)
        runs->n = first + (int)a->ask->top;
}

enum ec_status ec_runs_predict(struct ec_predictor *p, const struct ec_runs_ask *asked,
                               struct ec_runs *runs, struct ec_err *err)
{
    struct ec_runs_ask own = *asked;
    const struct ec_runs_ask *ask = &own;
    const struct ec_predict_opts *o = &own.opts;
    struct ec_graph_opts go = { .struct_size = sizeof go,
                                .image_px = o->image,
                                .seq_len = o->seq_len,
                                .classes = o->classes,
                                .as_exported = o->as_exported };
    struct asked a = { .p = p, .ask = ask, .runs = runs, .err = err };
    struct ec_layer *layers = NULL;
    struct ec_graph *g = NULL;
    struct ec_totals t;
    enum ec_status st;
    int i, first;

    EC_TRY(ec_predict_batch(p, ask->model, ec_device_key(ask->device), o, &own.opts.batch, err));
    go.batch = o->batch;
    EC_TRY(ec_graph_open(ask->model, &go, &g, err));
    EC_TRY(common_of(&a, g));
    EC_TRY(ec_cost_graph(g, o->cond.optimizer, ec_precision_bytes(o->cond.precision), &t, &layers,
                         err));
    EC_TRY(whole(&a, &t));
    first = runs->n;
    for (i = 0; i < g->n_nodes && ask->layers; i++)
        EC_TRY(layer(&a, g, &layers[i]));
    keep_slowest(&a, first);
out:
    ec_free(layers);
    ec_graph_free(g);
    return st;
}
