/* Predicted runs, whole and layer by layer. */
#include "report/runs.h"

#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"
#include "report/runs_internal.h"

static enum ec_status append(struct ec_runs *r, const struct ec_run *v, struct ec_err *err)
{
    EC_PASS(ec_grow(&r->v, &r->cap, r->n + 1, sizeof *r->v, err));
    r->v[r->n++] = *v;
    return EC_OK;
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

static enum ec_status whole(struct asked *a, const struct ec_totals *t,
                            struct ec_step_layers *ret_layers)
{
    const struct ec_runs_ask *ask = a->ask;
    struct ec_run r = a->common;
    struct ec_prediction p;

    if (ask->layers)
        EC_PASS(ec_predict_layers(a->p, ask->model, r.record.device, &ask->opts, &p, ret_layers,
                                  &a->runs->arena, a->err));
    else
        EC_PASS(ec_predict_network(a->p, ask->model, r.record.device, &ask->opts, &p, a->err));
    r.median_ns = r.predicted_ns = p.step_time_ns.p50;
    r.limit = ec_limit_name(p.limit);
    if (p.has_memory)
        r.memory_peak_bytes = p.memory_peak_bytes.p50;
    ec__run_count(&r, t, last_phase(ask->opts.cond.mode));
    return append(a->runs, &r, a->err);
}

/* A layer as a part of the predicted step. One update is of all parameters: a layer has the share
 * of its own, in its time too. */
static enum ec_status layer(struct asked *a, const struct ec_totals *t, const struct ec_layer *l,
                            const struct ec_node_time *time)
{
    double share = t->params > 0 ? l->t.params / t->params : 0;
    struct ec_run r = a->common;
    struct ec_totals own = l->t;

    own.phase[EC_UPDATE].flop = share * t->phase[EC_UPDATE].flop;
    own.phase[EC_UPDATE].bytes = share * t->phase[EC_UPDATE].bytes;
    ec__run_count(&r, &own, last_phase(a->ask->opts.cond.mode));
    r.median_ns = r.predicted_ns = time->forward_ns + time->backward_ns + time->update_ns;
    if (r.bytes <= 0 || r.median_ns <= 0)
        return EC_OK; /* views */
    r.layer = time->name;
    r.limit = ec_limit_name(time->limit);
    return append(a->runs, &r, a->err);
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
    struct ec_step_layers times = { 0 };
    struct ec_layer *layers = NULL;
    struct ec_graph *g = NULL;
    struct ec_totals t;
    enum ec_status st;
    int i, first;

    ec__runs_changed(runs);
    EC_TRY(ec_predict_batch(p, ask->model, ec_device_key(ask->device), o, &own.opts.batch, err));
    go.batch = o->batch;
    EC_TRY(ec_graph_open(ask->model, &go, &g, err));
    EC_TRY(common_of(&a, g));
    EC_TRY(ec_cost_graph(g, o->cond.optimizer, ec_precision_bytes(o->cond.precision), &t, &layers,
                         err));
    EC_TRY(whole(&a, &t, &times));
    first = runs->n;
    for (i = 0; i < times.n && i <= g->n_nodes; i++)
        EC_TRY(layer(&a, &t, &layers[i], &times.v[i]));
    keep_slowest(&a, first);
out:
    ec_free(layers);
    ec_graph_free(g);
    return st;
}
