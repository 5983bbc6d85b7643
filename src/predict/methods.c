/* Baselines: what others composed, with our times of single layers in place of theirs. */
#include "predict/methods.h"

#include <string.h>

#include "predict/predict_internal.h"

/* The practicum found the sum of isolated layers about this much above the network. */
#define ISOLATION_FACTOR 1.5

/* A question to a method. */
struct posed {
    struct ec_predictor *p;
    const char *model, *op, *device;
    const struct ec_predict_opts *opts;
};

typedef enum ec_status (*method_fn)(const struct posed *q, double *ret, struct ec_err *err);

/* ------------------------------------------------------------------------------------------------
 * Paper peaks */

static enum ec_status plain(const struct posed *q, struct ec_judged *ret, struct ec_err *err)
{
    const struct ec_step *step = NULL;
    const struct ec_device *d = NULL;
    struct ec_owned_case c = { 0 };
    struct ec_step own = { 0 };
    struct ec_loaded *l = NULL;
    const struct ec_predict_opts *o = q->opts;
    enum ec_status st;

    EC_TRY(ec_device_find(q->device, &d, err));
    if (q->op) {
        EC_TRY(ec_case_parse(q->op, &c, err));
        EC_TRY(ec_step_of_case(&c.c, o->phase - 1, (enum ec_mode)o->mode, &own, err));
        step = &own;
    } else {
        EC_TRY(ec__load(q->p, q->model, o, &l, err));
        EC_TRY(
            ec__loaded_step(l, (enum ec_mode)o->mode, (enum ec_optimizer)o->optimizer, &step, err));
    }
    ec__plain_estimates(step, d, (enum ec_precision)o->precision, ret);
out:
    ec_step_clear(&own);
    ec_case_clear(&c);
    return st;
}

static enum ec_status roofline(const struct posed *q, double *ret, struct ec_err *err)
{
    struct ec_judged j = { 0 };
    enum ec_status st = plain(q, &j, err);

    *ret = j.roofline_ns;
    return st;
}

static enum ec_status flop(const struct posed *q, double *ret, struct ec_err *err)
{
    struct ec_judged j = { 0 };
    enum ec_status st = plain(q, &j, err);

    *ret = j.flop_ns;
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Sums of isolated layers */

/* What a benchmark of layers measures on its own: products, windows, norms ... Element-wise
 * operators are the activation of the layer before. */
static bool is_layer(const struct ec_case *c)
{
    struct ec_work w;

    w.n = 0;
    c->op->work(c, EC_FORWARD, &w);
    return w.n > 0 && w.kernel[0].kclass != EC_K_STREAM && w.kernel[0].kclass != EC_K_COPY;
}

static enum ec_status layer_ns(const struct posed *q, const struct ec_case *c, struct ec_buf *text,
                               double *ret, struct ec_err *err)
{
    struct ec_prediction r;
    struct ec_predict_opts o;
    enum ec_status st;

    ec_predict_opts_default(&o);
    o.precision = q->opts->precision;
    o.layout = q->opts->layout;
    o.framework = q->opts->framework;
    o.mode = q->opts->mode;
    o.set = q->opts->set;
    ec_buf_reset(text);
    ec_case_print(c, text);
    EC_TRY(ec_buf_status(text, err));
    EC_TRY(ec_predict_op(q->p, text->data, q->device, &o, &r, err));
    *ret = r.step_time_ns.p50;
out:
    return st;
}

/* Steps of the layers, each trained alone; the last of them apart. */
static enum ec_status layer_sum(const struct posed *q, double *ret_rest, double *ret_last,
                                struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_loaded *l = NULL;
    enum ec_status st = EC_OK;
    double rest = 0, last = 0;
    int i, n = 0;

    if (q->op)
        return ec_fail(err, EC_E_INPUT, "this method composes layers: it takes a network");
    EC_TRY(ec__load(q->p, q->model, q->opts, &l, err));
    for (i = 0; i < l->graph->n_nodes; i++) {
        struct ec_case c = ec_node_case(l->graph->nodes[i]);

        if (!is_layer(&c))
            continue;
        rest += last;
        EC_TRY(layer_ns(q, &c, &text, &last, err));
        n++;
    }
    if (!n)
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED, "%s has no layers to sum", q->model));
    *ret_rest = rest;
    *ret_last = last;
out:
    ec_buf_clear(&text);
    return st;
}

static enum ec_status justus_sum(const struct posed *q, double *ret, struct ec_err *err)
{
    double rest = 0, last = 0;
    enum ec_status st = layer_sum(q, &rest, &last, err);

    if (!st)
        *ret = rest + last;
    return st;
}

/* The last layer as the distributed benchmark has it, the others corrected. */
static enum ec_status practicum_3(const struct posed *q, double *ret, struct ec_err *err)
{
    double rest = 0, last = 0;
    enum ec_status st = layer_sum(q, &rest, &last, err);

    if (!st)
        *ret = rest / ISOLATION_FACTOR + last;
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * The table. With one device the strategy adds nothing to a layer, and the first two methods of the
 * practicum are the plain sum. */

/* clang-format off */
#define METHOD_LIST(X)                                                                             \
    X("epochcast", NULL, "laws, host and device as two queues, learned corrections")               \
    X("roofline", roofline, "FLOP / peak or bytes / bandwidth, the larger, at paper peaks")        \
    X("flop", flop, "FLOP / paper peak")                                                           \
    X("justus-sum", justus_sum, "isolated layers' training steps, summed (Justus et al. 2018)")    \
    X("practicum-1", justus_sum, "layers inside the distributed strategy; on one device the sum")  \
    X("practicum-2", justus_sum, "last layer distributed, others alone; on one device the sum")    \
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

enum ec_status ec_method_ns(struct ec_predictor *p, int method, const char *model, const char *op,
                            const char *device, const struct ec_predict_opts *opts, double *ret,
                            struct ec_err *err)
{
    struct posed q = { p, model, op, device, opts };
    struct ec_prediction r;
    enum ec_status st;

    if (methods[method].step_ns)
        return methods[method].step_ns(&q, ret, err);
    st = op ? ec_predict_op(p, op, device, opts, &r, err)
            : ec_predict_network(p, model, device, opts, &r, err);
    if (!st)
        *ret = r.step_time_ns.p50;
    return st;
}

static struct ec_interval exactly(double v)
{
    return (struct ec_interval){ v, v, v };
}

void ec_method_replace(struct ec_prediction *r, double step_ns)
{
    double by = step_ns / r->step_time_ns.p50;
    double *parts[] = { &r->device_ns,       &r->host_ns,   &r->forward_ns,
                        &r->backward_ns,     &r->update_ns, &r->compute_bound_ns,
                        &r->memory_bound_ns, &r->launch_ns, &r->unknown_ns };
    int i;

    r->epoch_time_ns = exactly(r->epoch_time_ns.p50 * by);
    r->job_time_ns = exactly(r->job_time_ns.p50 * by);
    r->step_time_ns = exactly(step_ns);
    r->samples_per_s = exactly((double)r->batch * 1e9 / step_ns);
    for (i = 0; i < EC_LEN(parts); i++)
        *parts[i] = 0;
}
