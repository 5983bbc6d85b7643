/* Predicts a query: checks the options, runs the stages, and fills in what follows from the step's
 * time. */
#include "predict/query.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "learn/learn.h"

/* Size of struct ec_prediction in the first version, which ended with the warnings. */
#define SMALLEST_RESULT offsetof(struct ec_prediction, devices)

/* Takes the options; defaults for NULL, and for members that an older caller does not have. */
static enum ec_status settle(const struct ec_predict_opts *given, struct ec__query *q,
                             struct ec_err *err)
{
    q->o = &q->settled;
    if (given && ec_need_size(err, "struct ec_predict_opts", given->struct_size,
                              sizeof given->struct_size, sizeof *given))
        return EC_E_INPUT;
    ec_predict_opts_default(&q->settled);
    if (given)
        memcpy(&q->settled, given, given->struct_size);
    if (given && given->struct_size < sizeof *given)
        q->settled.usual_precision = false; /* an older caller's fp32 is meant */
    return EC_OK;
}

static void start(struct ec_predictor *p, struct ec_prediction *r)
{
    ec_arena_clear(&p->scratch);
    memset(r, 0, sizeof *r);
    r->struct_size = sizeof *r;
    r->fits_probability = -1;
}

/* Whether the profile has layers for the query: only for the framework, precision and threads that
 * they were measured with. */
static bool has_layers(const struct ec_predictor *p, const struct ec__target *t,
                       const struct ec_predict_opts *o)
{
    const struct ec_layer_machine *m =
        t->profile && p->layers ? ec_layers_machine(p->layers) : NULL;

    return m && (!o->threads || o->threads == m->threads) &&
           ec_str_eq(m->framework, ec_framework_keys[o->cond.framework]) &&
           ec_str_eq(m->precision, ec_precision_names[o->cond.precision]);
}

static void take_composed(struct ec__target *t, const struct ec_composed *c,
                          struct ec_prediction *r)
{
    double half = EC_NORMAL_95 * c->log_sd;

    t->by_layers = true;
    t->spread = 1;
    t->own_width = (struct ec_width){ -half, 0, half, 0 };
    t->own_memory = c->has_memory ? c->memory_bytes : 0;
    if (c->unknown_frac > 0.01)
        ec__warn(r, "%.0f %% of the time is in tasks without a layer in the profile (%s)",
                 100 * c->unknown_frac, c->unknown);
}

/* Predicts a network by the profile's layers. *ret: whether it did. A failure counts as "no" with a
 * shipped profile, which nobody asked for by name: then the physics predicts. */
static enum ec_status compose(const struct ec_predictor *p, struct ec__target *t,
                              const struct ec_predict_opts *o, const struct ec_graph *g,
                              struct ec_composed *composed, struct ec_prediction *r, bool *ret,
                              struct ec_err *err)
{
    struct ec_err why = { .status = EC_OK };
    enum ec_status st;

    *ret = has_layers(p, t, o);
    if (!*ret)
        return EC_OK;
    st = ec_compose_network(p->layers, g, &o->cond, composed, p->shipped ? &why : err);
    if (!st || !p->shipped)
        return st;
    if (st == EC_E_UNSUPPORTED)
        ec__warn(r, "%s", why.text);
    *ret = false; /* a plan that this machine cannot hold, too */
    t->profile = NULL;
    return EC_OK;
}

static void warn_profile(const struct ec_predictor *p, const struct ec__target *t,
                         const struct ec_predict_opts *o, struct ec_prediction *r)
{
    char id[EC_PROFILE_TEXT_BYTES];

    if (!t->profile)
        return;
    r->basis = EC_BASIS_CALIBRATED;
    if (t->by_layers && o->host && *o->host)
        ec__warn(r, "host %s has no part in it: the profile's layers were timed with their own",
                 o->host);
    ec_constants_id(p->fitted, id);
    if (!p->shipped && !ec_str_eq(id, t->profile->constants))
        ec__warn(r, "the profile was made with other constants (epochcast %s): calibrate again",
                 t->profile->version);
}

static void warn_conditions(const struct ec__target *t, const struct ec_predict_opts *o,
                            struct ec_prediction *r)
{
    const struct ec_device *d = t->device;
    const char *asked = ec_precision_names[o->cond.precision];

    if (d->file_note)
        ec__warn(r, "%s", d->file_note);
    if (t->usual_precision)
        ec__warn(r, "predicted in %s: the catalogue has no fp32 rate of the device", asked);
    if (t->compiled)
        ec__warn(r, EC_COMPILED_NOTE);
    if (t->no_tf32)
        ec__warn(r, "the device has no tf32 units: predicted as fp32");
    if (o->cond.precision == EC_FP32 || t->rates.tensor)
        return;
    if (t->rates.matrix_flop_per_s > t->rates.simt_flop_per_s)
        ec__warn(r, "the device has no matrix units for %s: predicted at its rate for fp16 vectors",
                 asked);
    else
        ec__warn(r, "the device has no matrix units for %s: halves the bytes, not the arithmetic",
                 asked);
}

static void warn_experts(const struct ec__query *q)
{
    bool composed = false;
    int i;

    for (i = 0; i < q->step->n && !composed; i++)
        composed =
            q->step->kernel[i].flags & EC_KF_GROUPED && q->step->kernel[i].flags & EC_KF_COMPOSED;
    if (composed && ec_frameworks[q->o->cond.framework].composes_layers)
        ec__warn(q->r,
                 "experts are counted as Hugging Face transformers runs them, which copies their "
                 "weights in each step; software that does not is faster: --framework "
                 "pytorch-compiled, --ep N, --stack megatron");
}

static void copy_notes(const struct ec_graph *g, struct ec_prediction *r)
{
    int i;

    for (i = 0; i < g->notes.n; i++)
        ec__warn(r, "%s", g->notes.v[i]);
}

static enum ec_limit what_limits(const struct ec_step_time *t)
{
    if (t->host_ns > t->device_ns)
        return EC_LIMIT_HOST;
    if (t->gap_ns > t->compute_ns && t->gap_ns > t->memory_ns)
        return EC_LIMIT_LAUNCH;
    return t->compute_ns >= t->memory_ns ? EC_LIMIT_COMPUTE : EC_LIMIT_MEMORY;
}

/* The rows of a profile correct the step as a whole; its parts are those of the corrected one. */
static void fit_parts(struct ec_prediction *r, double by)
{
    double *parts[] = { &r->device_ns,       &r->host_ns,     &r->other_ns,  &r->hidden_ns,
                        &r->forward_ns,      &r->backward_ns, &r->update_ns, &r->compute_bound_ns,
                        &r->memory_bound_ns, &r->launch_ns,   &r->unknown_ns };
    int i;

    for (i = 0; i < EC_LEN(parts); i++)
        *parts[i] *= by;
}

/* median: factor on t */
static void fill_time(const struct ec_step_time *t, double median, struct ec_prediction *r)
{
    double alone_ns = t->step_ns - r->exposed_ns - r->wait_ns; /* of one device, no other waiting */

    r->samples_per_s = ec__rate_of(r->step_time_ns, (double)r->batch);
    r->device_ns = t->device_ns;
    r->host_ns = t->host_ns;
    r->other_ns = t->fixed_ns;
    r->input_copy_ns = t->copy_ns;
    r->hidden_ns = fmax(0, t->device_ns + t->host_ns + t->fixed_ns - alone_ns);
    r->forward_ns = t->phase_ns[EC_FORWARD];
    r->backward_ns = t->phase_ns[EC_GRAD_DATA] + t->phase_ns[EC_GRAD_WEIGHT];
    r->update_ns = t->phase_ns[EC_UPDATE];
    r->compute_bound_ns = t->compute_ns;
    r->memory_bound_ns = t->memory_ns;
    r->launch_ns = t->gap_ns;
    r->unknown_ns = t->unknown_ns;
    r->limit = what_limits(t);
    fit_parts(r, median);
}

/* There is a note on the host where the interval's ends are WIDE_INTERVAL apart and the range of
 * measured hosts is HOSTS_SHARE of that, as logarithms. */
#define WIDE_INTERVAL 3.0
#define HOSTS_SHARE 0.5

/* ns of the step with a host that takes `factor` times as long. */
static double step_by_host(const struct ec_step_time *time, double factor)
{
    return time->step_ns + fmax(time->device_ns, time->host_ns * factor) -
           fmax(time->device_ns, time->host_ns);
}

static void warn_host(const struct ec_predictor *p, const struct ec__target *t,
                      const struct ec_predict_opts *o, const struct ec_step_time *time,
                      struct ec_prediction *r)
{
    double width = log(r->step_time_ns.p95 / r->step_time_ns.p05), fast = 1, slow = 1;
    int i;

    if (!t->host || (o->host && *o->host) || t->profile || width < log(WIDE_INTERVAL))
        return;
    for (i = 0; i < p->fitted->n_hosts; i++) {
        fast = fmin(fast, exp(p->fitted->hosts[i].launch));
        slow = fmax(slow, exp(p->fitted->hosts[i].launch));
    }
    if (log(step_by_host(time, slow) / step_by_host(time, fast)) >= HOSTS_SHARE * width)
        ec__warn(r,
                 EC_NOTE_INTERVAL "the step waits for its host, which is not known: "
                                  "measured ones took %.2g to %.2g times as long as the reference",
                 fast, slow);
}

static void fill_devices(const struct ec_graph *g, const struct ec_predict_opts *o,
                         struct ec_prediction *r)
{
    r->devices = o->devices > 1 ? o->devices : 1;
    r->batch_per_device = ec_graph_batch(g);
    r->batch = r->batch_per_device * r->devices;
    r->scaling_efficiency = (struct ec_interval){ 1, 1, 1 };
    r->seq_len = ec__sequence_length(g, o);
    r->image_px = ec__image_side(g);
}

/* Copies as many bytes as the caller's struct has. Before that nothing of it is written. */
static enum ec_status hand_over(const struct ec_prediction *r, struct ec_prediction *ret,
                                size_t size, struct ec_err *err)
{
    EC_PASS(ec_need_size(err, "struct ec_prediction", size, SMALLEST_RESULT, sizeof *r));
    memcpy(ret, r, size);
    ret->struct_size = size;
    return EC_OK;
}

/* One device may stand beside several in a table. */
static void warn_alone(const struct ec_predict_opts *o, struct ec_prediction *r)
{
    if (o->network_rate && *o->network_rate && r->machines <= 1)
        ec__warn(r, "--network-rate has no effect within one machine");
    if (o->interconnect != EC_LINK_auto && r->devices_per_machine <= 1)
        ec__warn(r, "--interconnect has no effect where each machine has one device");
}

/* Fills in all that follows from the time of the step. */
static enum ec_status answer(struct ec__query *q, struct ec_explanation *why, struct ec_err *err)
{
    struct ec_prediction *r = q->r;

    r->basis = q->t.basis;
    r->precision = q->o->cond.precision;
    (void)snprintf(r->kind, sizeof r->kind, "%s", ec__kind_text(q->op ? q->op->op : NULL, q->step));
    ec__say_evidence(&q->t, &q->o->cond, r);
    warn_profile(q->p, &q->t, q->o, r);
    if (r->basis == EC_BASIS_CALIBRATED)
        (void)ec_snprintf(r->evidence, sizeof r->evidence, "a profile of this device");
    if (q->graph)
        copy_notes(q->graph, r);
    if (q->unfused)
        ec__warn(r, "predicted with pytorch-2: NVIDIA's fused kernels are of transformers");
    warn_conditions(&q->t, q->o, r);
    EC_PASS(ec__run_stages(q, why, err));
    fill_time(&q->time, q->median, r);
    warn_alone(q->o, r);
    return EC_OK;
}

/* Settles the options, finds the device and chooses the batch. */
static enum ec_status start_network(struct ec__query *q, const char *model, const char *device,
                                    const struct ec_predict_opts *opts, struct ec_err *err)
{
    start(q->p, q->r);
    EC_PASS(settle(opts, q, err));
    EC_PASS(ec_predict_opts_check(q->o, false, err));
    ec__share_batch(&q->settled);
    EC_PASS(ec__choose_framework(q, model, err));
    EC_PASS(ec__find_target(q->p, device, &q->settled, NULL, &q->t, err));
    return ec__choose_batch(q, model, err);
}

enum ec_status ec_predict_batch(struct ec_predictor *p, const char *model, const char *device,
                                const struct ec_predict_opts *opts, int64_t *ret,
                                struct ec_err *err)
{
    struct ec_prediction none;
    struct ec__query q = { .p = p, .r = &none };

    EC_PASS(start_network(&q, model, device, opts, err));
    *ret = q.o->batch;
    return EC_OK;
}

/* What an answer has in addition; NULL: not asked for. */
struct more {
    struct ec_explanation *why;
    struct ec_step_layers *layers;
    struct ec_arena *arena; /* of the layers */
};

static enum ec_status predict_evaluation(struct ec_predictor *p, const char *model,
                                         const char *device, const struct ec_predict_opts *opts,
                                         struct ec_prediction *ret, struct ec_err *err);

static enum ec_status predict_alike(struct ec_predictor *p, const char *model, const char *device,
                                    const struct ec_predict_opts *opts, struct ec_prediction *ret,
                                    struct ec_err *err);

/* The network of a query: its graph, the step of a device, its memory. */
static enum ec_status take_network(struct ec__query *q, const char *model, struct ec_err *err)
{
    struct ec_network *n = NULL;

    EC_PASS(ec__open_network(q->p, model, q->o, &n, err));
    EC_PASS(ec__check_needs(q->o, true, err)); /* a network says what is usual */
    q->graph = n->graph;
    if (ec__is_sharded(q->o)) {
        EC_PASS(ec__shard_network(q, n, err));
    } else {
        EC_PASS(ec_network_step(n, &q->o->cond, &q->step, err));
        EC_PASS(ec_network_memory(n, &q->o->cond, &q->memory, err));
    }
    return EC_OK;
}

static enum ec_status predict_network(struct ec_predictor *p, const char *model, const char *device,
                                      const struct ec_predict_opts *opts, struct ec_prediction *ret,
                                      const struct more *more, struct ec_err *err)
{
    struct ec__query q = { .p = p, .r = ret };
    struct ec_prediction forward;
    bool by_layers = false;
    enum ec_status st;

    if (opts && opts->struct_size == sizeof *opts && opts->lengths && *opts->lengths)
        return more->why || more->layers
                   ? ec_fail(err, EC_E_UNSUPPORTED,
                             "--explain and --layers are of samples that are alike: leave out "
                             "--lengths")
                   : ec__predict_lengths(p, model, device, opts, ret, predict_alike, err);
    EC_TRY(ec_compute_check(err));
    EC_TRY(start_network(&q, model, device, opts, err));
    opts = q.o;
    EC_TRY(take_network(&q, model, err));
    if (opts->cond.input_copy)
        q.t.rates.copy_bytes = q.t.plain.copy_bytes = q.step->input_bytes;
    EC_TRY(ec__find_basis(p, opts, q.step, &q.t, err));
    if (!q.shard)
        EC_TRY(compose(p, &q.t, opts, q.graph, &q.composed, ret, &by_layers, err));
    if (by_layers)
        take_composed(&q.t, &q.composed, ret);
    fill_devices(q.graph, opts, ret);
    if (q.shard)
        ec__fill_sharded(&q);
    else
        ec__fill_flop(&q);
    EC_TRY(answer(&q, more->why, err));
    if (ret->exposed_ns + ret->wait_ns >
            fmax(fmax(q.time.compute_ns, q.time.memory_ns), q.time.gap_ns) &&
        ret->exposed_ns + ret->wait_ns > q.time.host_ns)
        ret->limit = EC_LIMIT_COMMUNICATION;
    warn_host(p, &q.t, opts, &q.time, ret);
    warn_experts(&q);
    if (more->layers && q.shard)
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED,
                       "times by layer are of a device that has the whole network: leave out what "
                       "shares it"));
    if (more->layers)
        EC_TRY(ec__time_layers(&q, more->layers, more->arena, err));
    EC_TRY(ec__wait_for_loader(&q, err));
    EC_TRY(ec__add_passes(&q, err));
    EC_TRY(ec__fill_epoch(&q, err));
    ec__fill_memory(&q);
    if (more->layers)
        more->layers->rest_ns += ret->step_time_ns.p50 - more->layers->step_ns;
    if (more->layers)
        more->layers->step_ns = ret->step_time_ns.p50;
    if (opts->eval_samples) /* the last: it reuses what the query borrows */
        EC_TRY(predict_evaluation(p, model, device, opts, &forward, err));
    EC_TRY(ec__fill_job(&q, opts->eval_samples ? &forward : NULL, err));
    ec__fill_energy(&q);
out:
    ec__shard_free(q.shard);
    return st;
}

static enum ec_status predict_alike(struct ec_predictor *p, const char *model, const char *device,
                                    const struct ec_predict_opts *opts, struct ec_prediction *ret,
                                    struct ec_err *err)
{
    const struct more nothing = { .why = NULL };

    return predict_network(p, model, device, opts, ret, &nothing, err);
}

/* A step of an evaluation: forward alone, with the same loader. */
static enum ec_status predict_evaluation(struct ec_predictor *p, const char *model,
                                         const char *device, const struct ec_predict_opts *opts,
                                         struct ec_prediction *ret, struct ec_err *err)
{
    const struct more nothing = { .why = NULL };
    struct ec_predict_opts o = *opts;

    o.cond.mode = EC_MODE_FORWARD;
    o.cond.recompute = EC_RECOMPUTE_NONE;
    o.eval_samples = o.epochs = o.samples = 0;
    o.dataset = o.checkpoint_rate = o.start = o.from_run = o.mtbf = o.spot_life = NULL;
    o.restart = o.checkpoint_every = NULL;
    o.rl = EC_RL_none;
    o.generated = o.group = o.generators = 0;
    o.usd_per_hour = 0;
    return predict_network(p, model, device, &o, ret, &nothing, err);
}

static enum ec_status predict_op(struct ec_predictor *p, const char *op_text, const char *device,
                                 const struct ec_predict_opts *opts, struct ec_prediction *ret,
                                 struct ec_explanation *why, struct ec_err *err)
{
    struct ec__query q = { .p = p, .r = ret };
    struct ec_owned_case c = { 0 };
    struct ec_step step = { 0 };
    enum ec_status st;

    start(p, ret);
    EC_TRY(settle(opts, &q, err));
    opts = q.o;
    EC_TRY(ec_predict_opts_check(opts, true, err));
    EC_TRY(ec_case_parse(op_text, &c, err));
    EC_TRY(ec__find_target(p, device, &q.settled, c.c.op, &q.t, err));
    EC_TRY(ec_step_of_query(&c.c, opts, &step, err));
    if (step.n == 0)
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED, "%s runs no kernel in this phase", c.c.op->name));
    EC_TRY(ec__find_basis(p, opts, &step, &q.t, err));
    q.op = &c.c;
    q.step = &step;
    if (has_layers(p, &q.t, opts) && opts->cond.mode != EC_MODE_ISOLATED_STEP) {
        EC_TRY(ec_compose_op(p->layers, &c.c, opts->phase - 1, &q.composed, err));
        take_composed(&q.t, &q.composed, ret);
    }
    ret->devices = ret->machines = ret->devices_per_machine = 1;
    ret->batch = ret->batch_per_device = ec_case_batch(&c.c);
    ret->scaling_efficiency = (struct ec_interval){ 1, 1, 1 };
    EC_TRY(answer(&q, why, err));
out:
    ec_step_clear(&step);
    ec_case_clear(&c);
    return st;
}

enum ec_status ec_predict_network_into(struct ec_predictor *p, const char *model,
                                       const char *device, const struct ec_predict_opts *opts,
                                       struct ec_prediction *ret, size_t ret_size,
                                       struct ec_err *err)
{
    const struct more nothing = { .why = NULL };
    struct ec_prediction r;

    EC_NEED(err, p, model, device, ret);
    EC_PASS(predict_network(p, model, device, opts, &r, &nothing, err));
    return hand_over(&r, ret, ret_size, err);
}

enum ec_status ec_predict_op_into(struct ec_predictor *p, const char *op_text, const char *device,
                                  const struct ec_predict_opts *opts, struct ec_prediction *ret,
                                  size_t ret_size, struct ec_err *err)
{
    struct ec_prediction r;

    EC_NEED(err, p, op_text, device, ret);
    EC_PASS(predict_op(p, op_text, device, opts, &r, NULL, err));
    return hand_over(&r, ret, ret_size, err);
}

enum ec_status ec_predict_explained(struct ec_predictor *p, const char *model, const char *op,
                                    const char *device, const struct ec_predict_opts *opts,
                                    struct ec_prediction *ret, struct ec_explanation *ret_why,
                                    struct ec_err *err)
{
    const struct more more = { .why = ret_why };

    memset(ret_why, 0, sizeof *ret_why);
    return op ? predict_op(p, op, device, opts, ret, ret_why, err)
              : predict_network(p, model, device, opts, ret, &more, err);
}

enum ec_status ec_predict_layers(struct ec_predictor *p, const char *model, const char *device,
                                 const struct ec_predict_opts *opts, struct ec_prediction *ret,
                                 struct ec_step_layers *ret_layers, struct ec_arena *arena,
                                 struct ec_err *err)
{
    const struct more more = { .layers = ret_layers, .arena = arena };

    return predict_network(p, model, device, opts, ret, &more, err);
}

enum ec_status ec_predict_try(struct ec_predictor *p, const char *model, const char *device,
                              const struct ec_predict_opts *opts, struct ec_prediction *ret,
                              bool *ret_ok, struct ec_err *err)
{
    enum ec_status st = ec_predict_network(p, model, device, opts, ret, NULL);

    *ret_ok = !st;
    return st == EC_E_NOMEM ? ec_nomem(err) : EC_OK;
}
