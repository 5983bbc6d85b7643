/* Baselines: published methods that add up layers, with our predictions of single layers in place
 * of their measurements. */
#include "predict/methods.h"

#include <math.h>
#include <string.h>

#include "model/model.h"
#include "predict/predict_internal.h"

/* In the practicum the sum of isolated layers was about this much above the time of the network. */
#define ISOLATION_FACTOR 1.5

/* The query of a method. */
struct query {
    struct ec_predictor *p;
    const char *model, *op, *device;
    const struct ec_predict_opts *opts;
};

typedef enum ec_status (*method_fn)(const struct query *q, double *ret, struct ec_err *err);

/* ------------------------------------------------------------------------------------------------
 * Paper peaks */

static enum ec_status plain(const struct query *q, struct ec_plain_estimate *ret,
                            struct ec_err *err)
{
    const struct ec_step *step = NULL;
    const struct ec_device *d = NULL;
    struct ec_owned_case c = { 0 };
    struct ec_step own = { 0 };
    const struct ec_graph *g = NULL;
    const struct ec_predict_opts *o = q->opts;
    enum ec_status st;

    EC_TRY(ec_device_find(q->device, &d, err));
    if (q->op) {
        EC_TRY(ec_case_parse(q->op, &c, err));
        EC_TRY(ec_step_of_query(&c.c, o, &own, err));
        step = &own;
    } else {
        EC_TRY(ec_predictor_network(q->p, q->model, o, &g, &step, err));
    }
    *ret = ec_plain_estimate(step, d, o->cond.precision);
out:
    ec_step_clear(&own);
    ec_case_clear(&c);
    return st;
}

static enum ec_status roofline(const struct query *q, double *ret, struct ec_err *err)
{
    struct ec_plain_estimate j = { 0 };
    enum ec_status st = plain(q, &j, err);

    *ret = j.roofline_ns;
    return st;
}

static enum ec_status flop(const struct query *q, double *ret, struct ec_err *err)
{
    struct ec_plain_estimate j = { 0 };
    enum ec_status st = plain(q, &j, err);

    *ret = j.flop_ns;
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Sums of isolated layers */

/* Time in ns of one layer trained alone on one device. Benchmarks of training steps train input and
 * target with it. */
static enum ec_status layer_ns(const struct query *q, const struct ec_graph *g, int node,
                               struct ec_buf *text, double *ret, struct ec_err *err)
{
    struct ec_case c = ec_node_case(g->nodes[node]);
    struct ec_prediction r;
    struct ec_predict_opts o;

    ec_predict_opts_default(&o);
    o.cond = q->opts->cond;
    o.cond.input_copy = o.cond.master_weights = false; /* for networks only */
    if (o.cond.framework ==
        EC_FW_tensorflow_2) /* there is no data of lone layers for it; the harness is the same */
        o.cond.framework = EC_FW_tensorflow_1;
    o.set = q->opts->set;
    if (o.cond.mode == EC_MODE_TRAINING_STEP) {
        o.cond.mode = EC_MODE_ISOLATED_STEP;
        o.activation = ec_graph_activation(g, node);
    } else {
        o.cond.optimizer = ec_conditions_default().optimizer;
    }
    ec_buf_reset(text);
    ec_case_print(&c, text);
    EC_PASS(ec_buf_status(text, err));
    EC_PASS(ec_predict_op(q->p, text->data, q->device, &o, &r, err));
    *ret = r.step_time_ns.p50;
    return EC_OK;
}

static double param_bytes(const struct ec_case *c)
{
    struct ec_param_list l = { .n = 0 };
    double bytes = 0;
    int64_t elems;
    int i;

    if (c->op->params)
        c->op->params(c, &l);
    for (i = 0; i < l.n; i++)
        if (l.p[i].trainable && ec_shape_count(&l.p[i].shape, &elems))
            bytes += 4 * (double)elems;
    return bytes;
}

/* Time in ns of the layer with several devices; with one device it is `alone`. */
static enum ec_status distributed_ns(const struct query *q, const struct ec_case *c, double alone,
                                     double *ret, struct ec_err *err)
{
    struct ec_parallel_job p = { .strategy = ec__strategy_of(q->opts),
                                 .alone_ns = alone,
                                 .gradient_bytes = param_bytes(c) };
    const struct ec_device *d = NULL;
    struct ec_parallel_time t;

    *ret = alone;
    if (q->opts->devices < 2)
        return EC_OK;
    EC_PASS(ec_device_find(q->device, &d, err));
    EC_PASS(ec__topology_of(d, q->opts, &p.at, err));
    p.parameter_bytes = p.gradient_bytes;
    ec_parallel_time(&p, ec_parallel_fitted()->v, &t);
    *ret = t.step_ns;
    return EC_OK;
}

/* Sums in ns over the layers of a network, alone and with several devices; the last layer
 * separately. */
struct layers {
    double rest_alone, rest_distributed, last_alone, last_distributed;
};

static enum ec_status sum_layers(const struct query *q, struct layers *ret, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    struct layers l = { 0 };
    const struct ec_graph *g = NULL;
    const struct ec_step *step = NULL;
    enum ec_status st = EC_OK;
    int i;

    if (q->op)
        return ec_fail(err, EC_E_INPUT, "this method composes layers: it takes a network");
    if (q->opts->cond.recompute != EC_RECOMPUTE_NONE)
        return ec_fail(err, EC_E_INPUT,
                       "--recompute %s: this method adds up layers that keep their activations; "
                       "expected --method %s",
                       ec_recompute_names[q->opts->cond.recompute], ec_method_names[EC_METHOD_OWN]);
    EC_TRY(ec_predictor_network(q->p, q->model, q->opts, &g, &step, err));
    for (i = 0; i < g->n_nodes; i++) {
        struct ec_case c = ec_node_case(g->nodes[i]);

        if (!ec_case_is_layer(&c))
            continue;
        l.rest_alone += l.last_alone;
        l.rest_distributed += l.last_distributed;
        EC_TRY(layer_ns(q, g, i, &text, &l.last_alone, err));
        EC_TRY(distributed_ns(q, &c, l.last_alone, &l.last_distributed, err));
    }
    if (l.last_alone <= 0)
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED, "%s has no layers to sum", q->model));
    *ret = l;
out:
    ec_buf_clear(&text);
    return st;
}

static enum ec_status justus_sum(const struct query *q, double *ret, struct ec_err *err)
{
    struct layers l = { 0 };
    enum ec_status st = sum_layers(q, &l, err);

    *ret = l.rest_alone + l.last_alone;
    return st;
}

static enum ec_status practicum_1(const struct query *q, double *ret, struct ec_err *err)
{
    struct layers l = { 0 };
    enum ec_status st = sum_layers(q, &l, err);

    *ret = l.rest_distributed + l.last_distributed;
    return st;
}

static enum ec_status practicum_2(const struct query *q, double *ret, struct ec_err *err)
{
    struct layers l = { 0 };
    enum ec_status st = sum_layers(q, &l, err);

    *ret = l.rest_alone + l.last_distributed;
    return st;
}

static enum ec_status practicum_3(const struct query *q, double *ret, struct ec_err *err)
{
    struct layers l = { 0 };
    enum ec_status st = sum_layers(q, &l, err);

    *ret = l.rest_alone / ISOLATION_FACTOR + l.last_distributed;
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * The table. With one device the strategy adds nothing to a layer, and the first two methods of the
 * practicum are the plain sum. */

/* clang-format off */
#define METHOD_LIST(X)                                                                             \
    X("epochcast", NULL, "formulas, learned corrections, overlap of host and device")              \
    X("roofline", roofline, "FLOP / peak or bytes / bandwidth, the larger, at paper peaks")        \
    X("flop", flop, "FLOP / paper peak")                                                           \
    X("justus-sum", justus_sum, "isolated layers' training steps, summed (Justus et al. 2018)")    \
    X("practicum-1", practicum_1, "layers inside the distributed strategy; on one device the sum") \
    X("practicum-2", practicum_2, "last layer distributed, others alone; on one device the sum")   \
    X("practicum-3", practicum_3, "last layer distributed, sum of the others divided by 1.5")
/* clang-format on */

static const struct {
    method_fn step_ns; /* NULL: our own prediction */
    const char *help;
} methods[] = {
#define METHOD_ROW(name, fn, help) { fn, help },
    METHOD_LIST(METHOD_ROW)
#undef METHOD_ROW
};

const char *const ec_method_names[] = {
#define METHOD_NAME(name, fn, help) name,
    METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
        NULL
};

const char *ec_method_help(int method)
{
    return methods[method].help;
}

enum ec_status ec_method_check(int method, const char *host, struct ec_err *err)
{
    if (!methods[method].step_ns || !host || !*host)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT,
                   "--host with --method %s: that method has no host; expected --method %s",
                   ec_method_names[method], ec_method_names[EC_METHOD_OWN]);
}

enum ec_status ec_method_ns(struct ec_predictor *p, int method, const char *model, const char *op,
                            const char *device, const struct ec_predict_opts *opts, double *ret,
                            struct ec_err *err)
{
    struct ec_predict_opts shared = *opts;
    struct query q = { p, model, op, device, &shared };
    struct ec_prediction r;

    EC_PASS(ec_method_check(method, opts->host, err));
    ec__share_batch(&shared);
    if (methods[method].step_ns)
        return methods[method].step_ns(&q, ret, err);
    EC_PASS(op ? ec_predict_op(p, op, device, opts, &r, err)
               : ec_predict_network(p, model, device, opts, &r, err));
    *ret = r.step_time_ns.p50;
    return EC_OK;
}

struct ec_interval ec_no_interval(double v)
{
    return (struct ec_interval){ .p05 = (double)NAN, .p50 = v, .p95 = (double)NAN };
}

static void drop_interval_notes(struct ec_prediction *r)
{
    int i, n = 0;

    for (i = 0; i < r->n_warnings; i++)
        if (!ec_str_starts(r->warnings[i], EC_NOTE_INTERVAL))
            memmove(r->warnings[n++], r->warnings[i], sizeof r->warnings[0]);
    r->n_warnings = n;
}

void ec_method_replace(struct ec_prediction *r, double step_ns)
{
    double by = step_ns / r->step_time_ns.p50;
    double *parts[] = { &r->device_ns,       &r->host_ns,     &r->other_ns,   &r->hidden_ns,
                        &r->forward_ns,      &r->backward_ns, &r->update_ns,  &r->compute_bound_ns,
                        &r->memory_bound_ns, &r->launch_ns,   &r->unknown_ns, &r->communication_ns,
                        &r->exposed_ns,      &r->wait_ns };
    int i;

    r->epoch_time_ns = ec_no_interval(r->epoch_time_ns.p50 * by);
    r->job_time_ns = ec_no_interval(r->job_time_ns.p50 * by);
    r->step_time_ns = ec_no_interval(step_ns);
    r->cost_usd = ec_no_interval(r->cost_usd.p50 * by);
    r->board_power_w = r->board_energy_j = (struct ec_interval){ 0, 0, 0 };
    r->scaling_efficiency = ec_no_interval((double)NAN); /* it is not defined by the method */
    r->samples_per_s = ec_no_interval((double)r->batch * 1e9 / step_ns);
    for (i = 0; i < EC_LEN(parts); i++)
        *parts[i] = 0;
    r->host[0] = r->algorithm[0] = '\0';
    r->reductions = 0;
    drop_interval_notes(r);
}
