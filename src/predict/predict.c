/* A question to an answer: load, time the kernels, add intervals, memory, epochs and warnings. */
#include "predict/composed.h"
#include "predict/domain.h"
#include "predict/features.h"
#include "predict/gp.h"
#include "predict/learned.h"
#include "predict/network_features.h"
#include "predict/predict_internal.h"
#include "predict/relatives.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *ec_limit_name(enum ec_limit l)
{
    static const char *const names[] = {
        [EC_LIMIT_COMPUTE] = "compute",
        [EC_LIMIT_MEMORY] = "memory bandwidth",
        [EC_LIMIT_LAUNCH] = "kernel launches",
        [EC_LIMIT_HOST] = "host dispatch",
        [EC_LIMIT_COMMUNICATION] = "communication",
    };

    return names[l];
}

const char *ec_basis_name(enum ec_basis b)
{
    static const char *const names[] = {
        [EC_BASIS_MEASURED] = "measured",
        [EC_BASIS_SPECIFICATION] = "specification",
        [EC_BASIS_CALIBRATED] = "calibrated",
    };

    return names[b];
}

void ec__warn(struct ec_prediction *r, const char *fmt, ...)
{
    va_list ap;

    if (r->n_warnings == EC_LEN(r->warnings))
        return;
    va_start(ap, fmt);
    (void)ec_vsnprintf(r->warnings[r->n_warnings++], sizeof r->warnings[0], fmt, ap);
    va_end(ap);
}

/* No end is farther from the median than this factor: beyond it nothing is known, and an age would
 * be said of milliseconds. */
#define WIDEST 100.0

static double end_of(double mid, double end, double widen)
{
    double way = (end - mid) * widen, most = log(WIDEST);

    return mid + fmin(fmax(way, -most), most);
}

static struct ec_width widened(const struct ec_width *w, double widen)
{
    struct ec_width ret = *w;

    ret.lo = end_of(w->mid, w->lo, widen);
    ret.hi = end_of(w->mid, w->hi, widen);
    return ret;
}

static struct ec_interval spread(double value, const struct ec_width *w, double widen)
{
    struct ec_width wide = widened(w, widen);

    return (struct ec_interval){ value * exp(wide.lo), value * exp(wide.mid),
                                 value * exp(wide.hi) };
}

static struct ec_interval scaled(struct ec_interval i, double by)
{
    return (struct ec_interval){ i.p05 * by, i.p50 * by, i.p95 * by };
}

static struct ec_interval rate_of(struct ec_interval ns, double samples)
{
    return (struct ec_interval){ samples * 1e9 / ns.p95, samples * 1e9 / ns.p50,
                                 samples * 1e9 / ns.p05 };
}

/* Up to the warnings: what the first version had. */
#define SMALLEST_RESULT offsetof(struct ec_prediction, devices)

/* The device of a question, with what the fit knows of it. */
struct target {
    const struct ec_device *device;
    const struct ec_device_fit *fit;  /* NULL: specification only */
    const struct ec_profile *profile; /* NULL: none of this device */
    struct ec_rates rates;
    struct ec_rates plain; /* without the profile: what corrections were taught with */
    enum ec_basis basis;
    enum ec_width_kind kind; /* of question, for its interval */
    double spread;           /* how much wider than usual the interval is */
    double offset[EC_DO_COUNT];
    const char *host; /* of networks; NULL: none is named */
    bool by_layers;   /* timed by layers of the profile, with a width of its own */
    struct ec_width own_width;
    double own_memory; /* 0: by the law of memory */
};

/* A profile knows the numbers of its device, where the catalogue does not. */
static const char *numbers_for(const struct ec_predictor *p, const struct ec_device *d,
                               const struct ec_predict_opts *o)
{
    const struct ec_profile *profile = ec__profile_of(p, ec_device_key(d));

    if (o->set && *o->set)
        return o->set;
    return profile && !p->shipped && *profile->numbers ? profile->numbers : NULL;
}

/* Without what a caller changes: neither `set` nor a profile. */
static enum ec_status look_up(const struct ec_predictor *p, const char *key,
                              const struct ec_predict_opts *o, const struct ec_op *op,
                              struct target *ret, struct ec_err *err)
{
    enum ec_status st;

    memset(ret, 0, sizeof *ret);
    EC_TRY(ec_device_find(key, &ret->device, err));
    ret->fit = ec__fitted_device(p->fitted, ec_device_key(ret->device));
    ret->kind = op ? ec__width_of_op(op) : ec__width_of_network(ret->device);
    ec__fitted_offset(p->fitted, ret->device, o->cond.framework, ret->kind, ret->offset);
out:
    return st;
}

/* A processor runs what it issues: it is its own host. In a comparison it is passed over. */
static enum ec_status find_host(const struct ec_predictor *p, const struct ec_predict_opts *o,
                                struct target *t, struct ec_err *err)
{
    double launch = 0;
    enum ec_status st = EC_OK;

    if (t->kind != EC_W_network) {
        if (o->host && *o->host)
            st = ec_fail(err, EC_E_UNSUPPORTED,
                         "%s: --host is for GPUs; this device issues its own work", t->device->key);
        return st;
    }
    t->host = o->host && *o->host ? o->host : EC_REFERENCE_HOST;
    EC_TRY(ec__fitted_host(p->fitted, t->host, &launch, err));
    t->offset[EC_DO_LAUNCH] += launch;
out:
    return st;
}

static enum ec_status set_rates(const struct ec_predictor *p, const struct ec_predict_opts *o,
                                const struct target *t, struct ec_rates *ret, struct ec_err *err)
{
    return ec_rates_init(ret, t->device, &o->cond, &p->fitted->c, t->offset, err);
}

/* Targets looked up lately: questions come many to a device. */
#define KEPT_TARGETS 64
struct ec_kept_target {
    char key[40]; /* as the caller wrote it; "": a free place */
    int kind;
    struct ec_conditions cond;
    struct target target;
};

/* Of the question, as far as it is known without the device. */
static int known_kind(const struct ec_op *op)
{
    return op ? (int)ec__width_of_op(op) : -1;
}

/* Where a question's target is kept; NULL: nowhere. */
static struct ec_kept_target *place_of(struct ec_predictor *p, const char *key,
                                       const struct ec_predict_opts *o, int kind)
{
    size_t len = strlen(key);
    uint64_t hash;

    if (!len || len >= sizeof p->kept_targets->key || (o->set && *o->set) ||
        (o->host && *o->host) || (p->profile && *p->profile->numbers))
        return NULL;
    hash = ec_hash(key, len) + (uint64_t)(kind + 1) * 17 + ec_conditions_hash(&o->cond);
    return &p->kept_targets[hash % KEPT_TARGETS];
}

static bool is_kept(const struct ec_kept_target *k, const char *key,
                    const struct ec_predict_opts *o, int kind)
{
    return k && k->kind == kind && ec_conditions_equal(&k->cond, &o->cond) &&
           ec_str_eq(k->key, key);
}

static void keep(struct ec_kept_target *k, const char *key, const struct ec_predict_opts *o,
                 int kind, const struct target *t)
{
    memcpy(k->key, key, strlen(key) + 1);
    k->kind = kind;
    k->cond = o->cond;
    k->target = *t;
}

static struct ec_asker asker(const struct ec_predict_opts *o, bool forward)
{
    return (struct ec_asker){ o->cond.framework, forward, o->cond.queued };
}

/* op: NULL for a network. */
static enum ec_status find_target(struct ec_predictor *p, const char *key,
                                  const struct ec_predict_opts *o, const struct ec_op *op,
                                  struct target *ret, struct ec_err *err)
{
    int kind = known_kind(op);
    struct ec_kept_target *place;
    const char *numbers;
    enum ec_status st;

    if (!p->kept_targets)
        p->kept_targets = ec_alloc(sizeof *p->kept_targets * KEPT_TARGETS);
    if (!p->kept_targets)
        return ec_nomem(err);
    place = place_of(p, key, o, kind);
    if (is_kept(place, key, o, kind)) {
        *ret = place->target;
    } else {
        EC_TRY(look_up(p, key, o, op, ret, err));
        EC_TRY(find_host(p, o, ret, err));
        numbers = numbers_for(p, ret->device, o);
        if (numbers)
            EC_TRY(ec_device_override(ret->device, numbers, &p->scratch, &ret->device, err));
        EC_TRY(set_rates(p, o, ret, &ret->plain, err));
        if (place)
            keep(place, key, o, kind, ret);
    }
    EC_TRY(ec__shipped_need(p, ret->device->key, o, err));
    ret->profile = ec__profile_of(p, ret->device->key);
    ret->rates = ret->plain;
    if (ret->profile) {
        ec__profile_add(ret->profile, ret->offset);
        EC_TRY(set_rates(p, o, ret, &ret->rates, err));
    }
out:
    return st;
}

/* What was measured of the question, and the models that this asks for. */
static enum ec_status find_basis(const struct ec_predictor *p, const struct ec_predict_opts *o,
                                 const struct ec_step *step, struct target *t, struct ec_err *err)
{
    bool forward = o->phase ? o->phase - 1 == EC_FORWARD : o->cond.mode == EC_MODE_FORWARD;
    enum ec_status st;

    t->basis = ec__fitted_basis(p->fitted, t->device->key, o->cond.framework, t->kind, step);
    EC_TRY(ec_learned_need(p->learned, t->kind, t->basis, asker(o, true), err));
    EC_TRY(ec_learned_need(p->learned, t->kind, t->basis, asker(o, forward), err));
out:
    return st;
}

/* The errors that make the interval. */
static enum ec_status width_of(struct ec_predictor *p, const struct target *t,
                               const struct ec_predict_opts *o, const struct ec_step *step,
                               const struct ec_op *op, struct ec_width *ret, struct ec_err *err)
{
    struct ec_posed q = { .device = t->device,
                          .step = step,
                          .op = op,
                          .cond = o->cond,
                          .kind = t->kind,
                          .isolated = op != NULL,
                          .copy_bytes = t->rates.copy_bytes };
    struct ec_gp_point at;
    struct ec_width w;
    double unknown = 1, mean = 0;
    enum ec_status st = EC_OK;
    bool relatives;

    if (t->by_layers) {
        *ret = t->own_width;
        return EC_OK;
    }
    if (!t->profile) {
        *ret = ec__fitted_width(p->fitted, t->kind, t->basis,
                                ec__width_group(q.cond.framework, step, t->device, q.cond.queued));
        if (!op && t->fit && t->basis == EC_BASIS_MEASURED) {
            ret->lo *= t->fit->interval_factor;
            ret->hi *= t->fit->interval_factor;
        }
        return EC_OK;
    }
    if (ec_gp_knows(p->residuals, (int)q.kind, &relatives)) {
        EC_TRY(ec__posed_place(p, &q, relatives, &at, err));
        mean = ec_gp_mean(p->residuals, &at, &unknown);
    }
    w = ec__profile_width(p->fitted, t->profile, unknown, &q);
    *ret = (struct ec_width){ w.lo + mean, w.mid + mean, w.hi + mean, w.n };
out:
    return st;
}

/* Layers stand for the framework and the precision that they were measured with. */
static bool has_layers(const struct ec_predictor *p, const struct target *t,
                       const struct ec_predict_opts *o)
{
    const struct ec_layer_machine *m =
        t->profile && p->layers ? ec_layers_machine(p->layers) : NULL;

    return m && ec_str_eq(m->framework, ec_framework_keys[o->cond.framework]) &&
           ec_str_eq(m->precision, ec_precision_names[o->cond.precision]);
}

static void take_composed(struct target *t, const struct ec_composed *c, struct ec_prediction *r)
{
    double half = 1.645 * c->log_sd;

    t->by_layers = true;
    t->spread = 1;
    t->own_width = (struct ec_width){ -half, 0, half, 0 };
    t->own_memory = c->has_memory ? c->memory_bytes : 0;
    if (c->unknown_frac > 0.01)
        ec__warn(r, "%.0f %% of the time is of tasks that the profile has no layer of (%s)",
                 100 * c->unknown_frac, c->unknown);
}

/* *ret false: the laws of the catalogue answer. Nobody has asked for a profile that ships: where
 * there is no plan to compose by, it is passed over. */
static enum ec_status compose(const struct ec_predictor *p, struct target *t,
                              const struct ec_predict_opts *o, const struct ec_graph *g,
                              struct ec_composed *composed, bool *ret, struct ec_err *err)
{
    enum ec_status st;

    *ret = has_layers(p, t, o);
    if (!*ret)
        return EC_OK;
    st = ec_compose_network(p->layers, g, o->cond.mode, o->cond.optimizer, composed,
                            p->shipped ? NULL : err);
    if (!st || !p->shipped)
        return st;
    if (st == EC_E_NOMEM)
        return ec_nomem(err);
    *ret = false;
    t->profile = NULL;
    return EC_OK;
}

static void warn_profile(const struct ec_predictor *p, const struct target *t,
                         const struct ec_predict_opts *o, struct ec_prediction *r)
{
    char id[EC_PROFILE_TEXT_BYTES];

    if (!t->profile)
        return;
    r->basis = EC_BASIS_CALIBRATED;
    if (t->by_layers && o->host && *o->host)
        ec__warn(r, "host %s has no part in it: the profile's layers were timed with their own",
                 o->host);
    ec__constants_id(p->fitted, id);
    if (!p->shipped && !ec_str_eq(id, t->profile->constants))
        ec__warn(r, "the profile was made with other constants (epochcast %s): calibrate again",
                 t->profile->version);
}

static void warn_precision(const struct target *t, const struct ec_predict_opts *o,
                           struct ec_prediction *r)
{
    const struct ec_device *d = t->device;
    const char *asked = ec_precision_names[o->cond.precision];

    if (o->cond.precision == EC_FP32 || t->rates.tensor)
        return;
    if (o->cond.precision == EC_TF32)
        ec__warn(r, "the device has no tf32 units: predicted as fp32");
    else if (d->fp16_vector_flop_per_s.value > d->fp32_flop_per_s.value)
        ec__warn(r, "the device has no matrix units for %s: predicted at its rate for fp16 vectors",
                 asked);
    else
        ec__warn(r, "the device has no matrix units for %s: halves the bytes, not the arithmetic",
                 asked);
}

/* Numbers given with `set` may be absurd. */
static enum ec_status check_time(const struct ec_step_time *t, struct ec_err *err)
{
    if (isfinite(t->step_ns) && isfinite(t->device_ns) && t->step_ns > 0)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "the numbers of this device give no finite time");
}

static enum ec_limit what_limits(const struct ec_step_time *t)
{
    if (t->host_ns > t->device_ns)
        return EC_LIMIT_HOST;
    if (t->gap_ns > t->compute_ns && t->gap_ns > t->memory_ns)
        return EC_LIMIT_LAUNCH;
    return t->compute_ns >= t->memory_ns ? EC_LIMIT_COMPUTE : EC_LIMIT_MEMORY;
}

static void fill_time(const struct ec_step_time *t, const struct ec_width *w, double widen,
                      double samples, struct ec_prediction *r)
{
    r->step_time_ns = spread(t->step_ns, w, widen);
    r->samples_per_s = rate_of(r->step_time_ns, samples);
    r->device_ns = t->device_ns;
    r->host_ns = t->host_ns;
    r->other_ns = t->fixed_ns;
    r->hidden_ns = fmax(0, t->device_ns + t->host_ns + t->fixed_ns - t->step_ns);
    r->forward_ns = t->phase_ns[EC_FORWARD];
    r->backward_ns = t->phase_ns[EC_GRAD_DATA] + t->phase_ns[EC_GRAD_WEIGHT];
    r->update_ns = t->phase_ns[EC_UPDATE];
    r->compute_bound_ns = t->compute_ns;
    r->memory_bound_ns = t->memory_ns;
    r->launch_ns = t->gap_ns;
    r->unknown_ns = t->unknown_ns;
    r->limit = what_limits(t);
}

/* Tokens of one sample: asked for, or the second dimension of the indices a network reads. */
static int64_t sequence_length(const struct ec_graph *g, const struct ec_predict_opts *o)
{
    const struct ec_type *t;

    if (o->seq_len > 0 || !g->n_inputs)
        return o->seq_len;
    t = &g->values[g->inputs[0]]->type;
    return t->shape.rank == 2 && !ec_dtype_is_float(t->dtype) ? t->shape.d[1] : 0;
}

/* A stream of tokens is cut into sequences: those are the samples. */
static enum ec_status token_samples(const struct ec_dataset *d, int64_t seq_len, int64_t *ret,
                                    struct ec_err *err)
{
    if (seq_len < 1)
        return ec_fail(err, EC_E_INPUT,
                       "data set %s is a stream of tokens and the network's sequence length is not "
                       "known: give --seq-len or --samples",
                       d->key);
    if (seq_len > d->train)
        return ec_fail(err, EC_E_INPUT,
                       "data set %s has %lld tokens, less than one sequence of %lld", d->key,
                       (long long)d->train, (long long)seq_len);
    *ret = d->train / seq_len;
    return EC_OK;
}

static enum ec_status epoch_samples(const struct ec_graph *g, const struct ec_predict_opts *o,
                                    int64_t *ret, struct ec_err *err)
{
    const struct ec_dataset *d = NULL;
    enum ec_status st;

    *ret = o->samples;
    if (!o->dataset || !*o->dataset)
        return EC_OK;
    EC_TRY(ec_dataset_find(o->dataset, &d, err));
    *ret = d->train;
    if (d->kind == EC_SAMPLE_TOKEN)
        EC_TRY(token_samples(d, sequence_length(g, o), ret, err));
out:
    return st;
}

/* An epoch is whole steps, the last one short: ceil(samples / batch). */
static enum ec_status fill_epoch(const struct ec_graph *g, const struct ec_predict_opts *o,
                                 struct ec_prediction *r, struct ec_err *err)
{
    int64_t samples = 0;
    enum ec_status st;
    double steps;

    EC_TRY(epoch_samples(g, o, &samples, err));
    if (!samples)
        return EC_OK;
    if (r->batch > samples)
        ec__warn(r, "batch %lld is larger than the %lld samples of an epoch", (long long)r->batch,
                 (long long)samples);
    steps = ceil((double)samples / (double)r->batch);
    r->has_epoch = true;
    r->epoch_time_ns = scaled(r->step_time_ns, steps);
    if (o->epochs) {
        r->has_job = true;
        r->job_time_ns = scaled(r->epoch_time_ns, (double)o->epochs);
    }
    r->has_cost = o->usd_per_hour > 0;
    if (r->has_cost)
        r->cost_usd = scaled(r->has_job ? r->job_time_ns : r->epoch_time_ns,
                             o->usd_per_hour * (double)r->devices / 3600e9);
out:
    return st;
}

double ec__allocator_total(const struct ec_memory *m, const struct ec_memory_constants *c)
{
    return c->base_bytes + m->most.fixed + m->most.kept + m->most.transient;
}

/* The allocator keeps the blocks that it was given: those of each kind, as many as there were. */
double ec__memory_total(const struct ec_memory *m, const struct ec_memory_constants *c)
{
    return c->base_bytes + c->context_bytes + c->reserve_factor * m->apart +
           c->workspace_factor * m->windowed;
}

static struct ec_elem_bytes elem_bytes_at(enum ec_precision p, bool master_weights)
{
    bool half = p == EC_AMP || p == EC_BF16 || p == EC_FP16;
    double weight = half && p != EC_AMP ? 2 : 4;

    return (struct ec_elem_bytes){ half ? 2 : 4, weight, master_weights ? 4 : weight };
}

enum ec_status ec__memory_parts(const struct ec_graph *g, enum ec_mode mode, enum ec_optimizer opt,
                                enum ec_precision p, struct ec_memory *ret, struct ec_err *err)
{
    struct ec_elem_bytes bytes = elem_bytes_at(p, false);

    return ec_cost_memory(g, mode, opt, &bytes, ret, err);
}

static enum ec_status memory_asked_for(const struct ec_graph *g, const struct ec_predict_opts *o,
                                       struct ec_memory *ret, struct ec_err *err)
{
    struct ec_elem_bytes bytes = elem_bytes_at(o->cond.precision, o->cond.master_weights);

    return ec_cost_memory(g, o->cond.mode, o->cond.optimizer, &bytes, ret, err);
}

/* Share of the spread that lies below the capacity; the two sides of the median, each with half of
 * it, are as wide as their own ends say. */
static double share_below(const struct ec_interval *i, double capacity)
{
    double end = capacity < i->p50 ? i->p05 : i->p95;
    double sd = fabs(log(end) - log(i->p50)) / 1.645;

    if (!(sd > 0))
        return i->p50 <= capacity ? 1 : 0;
    return 0.5 * erfc(-(log(capacity) - log(i->p50)) / (sd * sqrt(2)));
}

/* What is allocated is part of what the device holds, and errs with it: what is less is less by the
 * same share, what is more is more by the same bytes, such as those of a workspace that nobody
 * counted. So no point of it is above the device's. */
static struct ec_interval part_of_peak(double allocated, double total,
                                       const struct ec_interval *peak)
{
    double p50 = peak->p50 * (allocated / total);

    return (struct ec_interval){ p50 * (peak->p05 / peak->p50), p50,
                                 p50 + (peak->p95 - peak->p50) };
}

/* Of one device; several hold their gradients once more, packed for sending. */
static void fill_memory(const struct ec_predictor *p, const struct ec_memory *m,
                        const struct target *t, struct ec_prediction *r)
{
    double total = ec__memory_total(m, &p->fitted->memory), capacity;
    double allocated = ec__allocator_total(m, &p->fitted->memory);

    if (r->devices > 1) {
        total += m->gradients;
        allocated += m->gradients;
    }
    r->has_memory = true;
    if (t->own_memory > 0) {
        r->memory_peak_bytes = (struct ec_interval){ t->own_memory, t->own_memory, t->own_memory };
        r->allocator_peak_bytes = r->memory_peak_bytes;
    } else {
        r->memory_peak_bytes = spread(total, &p->fitted->width[EC_W_memory][0], 1);
        r->allocator_peak_bytes = part_of_peak(allocated, total, &r->memory_peak_bytes);
    }
    r->weights_bytes = m->weights;
    r->gradients_bytes = m->gradients;
    r->optimizer_bytes = m->optimizer;
    r->activations_bytes = m->activations + m->input;
    r->overhead_bytes = fmax(0, r->memory_peak_bytes.p50 - m->weights - m->gradients -
                                    m->optimizer - r->activations_bytes);
    r->fits_probability = -1;
    if (t->device->memory_bytes.src == EC_SRC_NONE)
        return;
    capacity = t->device->memory_bytes.value;
    r->fits = r->memory_peak_bytes.p50 <= capacity;
    r->fits_probability = share_below(&r->memory_peak_bytes, capacity);
    if (r->fits_probability < 0.1)
        ec__warn(r, "does not fit: about %.1f GiB of %.1f GiB", r->memory_peak_bytes.p50 / 0x1p30,
                 capacity / 0x1p30);
    else if (r->fits_probability < 0.9)
        ec__warn(r, "may not fit: %.1f to %.1f GiB of %.1f GiB", r->memory_peak_bytes.p05 / 0x1p30,
                 r->memory_peak_bytes.p95 / 0x1p30, capacity / 0x1p30);
}

/* Each doubling beyond what was measured, in any quantity, widens by this much of the interval. */
#define WIDEN_PER_DOUBLING 0.25
#define WIDEN_MAX 2.0
#define DOUBTS_SAID 3

/* Widening of the interval for what the fit has not seen; each reason is a sentence. */
static double outside(const struct ec_predictor *p, const struct ec_facts *facts,
                      struct ec_prediction *r)
{
    struct ec_doubt doubt[EC_FACTS_MAX];
    int n = ec_domain_doubts(p->domain, facts, doubt, EC_LEN(doubt)), i;
    double doublings = 0;

    for (i = 0; i < n; i++) {
        doublings += doubt[i].log2_factor;
        if (i < DOUBTS_SAID)
            ec__warn(r, "%s", doubt[i].text);
    }
    if (n > DOUBTS_SAID)
        ec__warn(r, "and outside what was measured in %d more", n - DOUBTS_SAID);
    return fmin(WIDEN_MAX, WIDEN_PER_DOUBLING * doublings);
}

static double doubts(const struct ec_predictor *p, const struct ec_facts *facts,
                     const struct ec_step_time *time, struct ec_prediction *r)
{
    double unknown = time->device_ns > 0 ? time->unknown_ns / time->device_ns : 0;
    double widen = 1 + outside(p, facts, r);

    if (unknown > 0) {
        ec__warn(r, "operators that are not known take about %.0f %% of the time: costed by bytes",
                 100 * unknown);
        widen += 2 * unknown;
    }
    return widen;
}

static void copy_notes(const struct ec_graph *g, struct ec_prediction *r)
{
    int i;

    for (i = 0; i < g->notes.n; i++)
        ec__warn(r, "%s", g->notes.v[i]);
}

/* Defaults for NULL, and for the members that an older program does not know of. */
static enum ec_status settle(const struct ec_predict_opts **opts, struct ec_predict_opts *own,
                             struct ec_err *err)
{
    const struct ec_predict_opts *given = *opts;

    if (given && given->struct_size == sizeof *given)
        return EC_OK;
    if (given &&
        (given->struct_size < sizeof given->struct_size || given->struct_size > sizeof *given))
        return ec_fail(err, EC_E_INPUT,
                       "struct_size: found %zu, expected at most %zu; ec_predict_opts_default sets "
                       "it",
                       given->struct_size, sizeof *given);
    ec_predict_opts_default(own);
    if (given)
        memcpy(own, given, given->struct_size);
    *opts = own;
    return EC_OK;
}

static void start(struct ec_predictor *p, struct ec_prediction *r)
{
    ec_arena_clear(&p->scratch);
    memset(r, 0, sizeof *r);
    r->struct_size = sizeof *r;
    r->fits_probability = -1;
}

/* Every part of the time, scaled alike: a correction does not say which part was wrong. */
static void scale_time(struct ec_step_time *t, double by)
{
    double *parts[] = { &t->device_ns,  &t->host_ns,   &t->step_ns, &t->fixed_ns,
                        &t->compute_ns, &t->memory_ns, &t->gap_ns,  &t->unknown_ns };
    int i;

    for (i = 0; i < EC_LEN(parts); i++)
        *parts[i] *= by;
    for (i = 0; i < EC_PHASE_COUNT; i++)
        t->phase_ns[i] *= by;
}

/* The law's answer as corrections were taught with it. */
static const struct ec_step_time *taught_time(const struct ec_predictor *p, const struct target *t,
                                              const struct ec_step *step, bool isolated,
                                              const struct ec_step_time *time,
                                              struct ec_step_time *room)
{
    if (!t->profile)
        return time;
    ec_step_time(step, &t->plain, &p->fitted->c, isolated, room);
    return room;
}

/* Time of a network, its kernels corrected; how much wider than usual its interval is. */
static void network_time(const struct ec_predictor *p, struct target *t,
                         const struct ec_predict_opts *o, const struct ec_step *step,
                         struct ec_step_time *ret)
{
    struct ec_step_time room;
    double features[EC_NF_COUNT];

    ec_step_time(step, &t->rates, &p->fitted->c, false, ret);
    ec_network_features(step, &t->plain, taught_time(p, t, step, false, ret, &room), features);
    t->spread = ec_learned_spread(p->learned, t->kind, t->basis, features);
    t->rates.work_factor =
        exp(ec_learned_correction(p->learned, t->kind, asker(o, ec__is_forward(step)), features));
    ec_step_time(step, &t->rates, &p->fitted->c, false, ret);
}

/* The same for an operator whose kernels are those of `step`. */
static double correct_op(const struct ec_predictor *p, const struct target *t,
                         const struct ec_predict_opts *o, const struct ec_op *op,
                         const struct ec_step *step, struct ec_step_time *time)
{
    struct ec_operator q = { .op = op,
                             .step = *step,
                             .device = t->device,
                             .cond = o->cond,
                             .routes = t->kind == EC_W_conv };
    struct ec_step_time room;
    double features[EC_FEATURE_COUNT];

    if (ec_features_at(&q, &t->plain, taught_time(p, t, step, true, time, &room), features, NULL))
        return 1;
    scale_time(time, exp(ec_learned_correction(p->learned, t->kind, asker(o, ec__is_forward(step)),
                                               features)));
    return ec_learned_spread(p->learned, t->kind, t->basis, features);
}

static void add_time(struct ec_step_time *sum, const struct ec_step_time *t)
{
    int i;

    sum->device_ns += t->device_ns;
    sum->compute_ns += t->compute_ns;
    sum->memory_ns += t->memory_ns;
    sum->unknown_ns += t->unknown_ns;
    sum->launches += t->launches;
    for (i = 0; i < EC_PHASE_COUNT; i++)
        sum->phase_ns[i] += t->phase_ns[i];
}

/* Time of an operator: phase by phase, since that is how operators are measured; what a measurement
 * holds beside its kernels is there once. The kernels of a phase stand together. The spread is that
 * of the phases, by their time. */
static void op_time(const struct ec_predictor *p, struct target *t, const struct ec_predict_opts *o,
                    const struct ec_op *op, const struct ec_step *step, struct ec_step_time *ret)
{
    struct ec_step_time sum = { 0 };
    double spread = 0;
    int from, to;

    for (from = 0; from < step->n; from = to) {
        struct ec_step part = *step;
        struct ec_step_time time;

        for (to = from; to < step->n && step->kernel[to].phase == step->kernel[from].phase; to++)
            continue;
        part.kernel = step->kernel + from;
        part.n = to - from;
        ec_step_time(&part, &t->rates, &p->fitted->c, true, &time);
        spread += correct_op(p, t, o, op, &part, &time) * time.device_ns;
        add_time(&sum, &time);
        sum.gap_ns = time.gap_ns > sum.gap_ns ? time.gap_ns : sum.gap_ns;
    }
    t->spread = sum.device_ns > 0 ? spread / sum.device_ns : 1;
    sum.step_ns = sum.device_ns + sum.gap_ns;
    *ret = sum;
}

/* What a benchmark of lone layers trains beside the operator: explicit kernels, each issued by the
 * host in its turn. */
static enum ec_status add_isolated(const struct ec_predictor *p, const struct target *t,
                                   const struct ec_predict_opts *o, const struct ec_case *c,
                                   struct ec_step_time *sum, struct ec_err *err)
{
    const struct ec_op *activation = NULL;
    struct ec_step extra = { 0 };
    struct ec_step_time time;
    enum ec_status st = EC_OK;

    if (ec__activation_of(o))
        EC_TRY(ec_op_named(ec_span_of(ec__activation_of(o)), &activation, err));
    EC_TRY(ec_step_isolated(c, activation, o->cond.optimizer, &extra, err));
    ec_step_time(&extra, &t->rates, &p->fitted->c, true, &time);
    add_time(sum, &time);
    sum->step_ns = sum->device_ns + sum->gap_ns;
out:
    ec_step_clear(&extra);
    return st;
}

/* The interval holds for any host. It is wide for that, where its ends are this far apart and the
 * hosts that were measured make up this share of it. */
#define WIDE_INTERVAL 3.0
#define HOSTS_SHARE 0.5

/* The step by a host that takes `factor` times as long, as far as it waits for it. */
static double step_by_host(const struct ec_step_time *time, double factor)
{
    return time->step_ns + fmax(time->device_ns, time->host_ns * factor) -
           fmax(time->device_ns, time->host_ns);
}

static void warn_host(const struct ec_predictor *p, const struct target *t,
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
}

/* Time of the step on all devices: intervals, parts, limit. */
static enum ec_status fill_step(struct ec_predictor *p, const struct target *t,
                                const struct ec_predict_opts *o, const struct ec_loaded *l,
                                const struct ec_step *step, struct ec_step_time *time,
                                const struct ec_memory *m, struct ec_prediction *r,
                                struct ec_err *err)
{
    double backward = time->phase_ns[EC_GRAD_DATA] + time->phase_ns[EC_GRAD_WEIGHT];
    struct ec_several q = { o, t->device, step, m, backward / time->device_ns };
    struct ec_facts facts;
    struct ec_width w;
    enum ec_status st;
    double widen;

    EC_TRY(width_of(p, t, o, step, NULL, &w, err));
    ec_facts_of_network(l->graph, t->device, o->cond.precision, &facts);
    widen = t->by_layers ? 1 : t->spread * doubts(p, &facts, time, r);
    w = widened(&w, widen);
    EC_TRY(ec__several(&q, &time->step_ns, &w, r, err));
    fill_time(time, &w, 1, (double)r->batch, r);
    if (r->exposed_ns + r->wait_ns > fmax(fmax(time->compute_ns, time->memory_ns), time->gap_ns) &&
        r->exposed_ns + r->wait_ns > time->host_ns)
        r->limit = EC_LIMIT_COMMUNICATION;
out:
    return st;
}

/* Everything a caller of this size knows of; nothing is written before the answer is whole. */
static enum ec_status hand_over(const struct ec_prediction *r, struct ec_prediction *ret,
                                size_t size, struct ec_err *err)
{
    if (size < SMALLEST_RESULT || size > sizeof *r)
        return ec_fail(err, EC_E_INPUT,
                       "size of the result: found %zu, expected %zu to %zu, sizeof(struct "
                       "ec_prediction)",
                       size, SMALLEST_RESULT, sizeof *r);
    memcpy(ret, r, size);
    ret->struct_size = size;
    return EC_OK;
}

enum ec_status ec_predict_network_into(struct ec_predictor *p, const char *model,
                                       const char *device, const struct ec_predict_opts *opts,
                                       struct ec_prediction *ret, size_t ret_size,
                                       struct ec_err *err)
{
    struct ec_predict_opts own;
    const struct ec_step *step = NULL;
    struct ec_step_time time;
    struct ec_loaded *l = NULL;
    struct ec_composed composed;
    bool by_layers = false;
    struct ec_prediction r;
    struct ec_memory memory;
    struct target t;
    enum ec_status st;

    start(p, &r);
    EC_TRY(settle(&opts, &own, err));
    EC_TRY(ec_predict_opts_check(opts, false, err));
    ec__share_batch(&opts, &own);
    EC_TRY(find_target(p, device, opts, NULL, &t, err));
    EC_TRY(ec__load(p, model, opts, &l, err));
    EC_TRY(ec__loaded_step(l, opts->cond.mode, opts->cond.optimizer, &step, err));
    EC_TRY(memory_asked_for(l->graph, opts, &memory, err));
    if (opts->cond.input_copy)
        t.rates.copy_bytes = t.plain.copy_bytes = step->input_bytes;
    EC_TRY(find_basis(p, opts, step, &t, err));
    EC_TRY(compose(p, &t, opts, l->graph, &composed, &by_layers, err));
    if (by_layers) {
        time = composed.time;
        take_composed(&t, &composed, &r);
    } else {
        network_time(p, &t, opts, step, &time);
    }
    EC_TRY(check_time(&time, err));
    fill_devices(l->graph, opts, &r);
    r.basis = t.basis;
    if (t.host && !by_layers)
        (void)snprintf(r.host, sizeof r.host, "%s", t.host);
    warn_profile(p, &t, opts, &r);
    copy_notes(l->graph, &r);
    warn_precision(&t, opts, &r);
    EC_TRY(fill_step(p, &t, opts, l, step, &time, &memory, &r, err));
    warn_host(p, &t, opts, &time, &r);
    EC_TRY(fill_epoch(l->graph, opts, &r, err));
    fill_memory(p, &memory, &t, &r);
    EC_TRY(hand_over(&r, ret, ret_size, err));
out:
    return st;
}

enum ec_status ec_predict_op_into(struct ec_predictor *p, const char *op_text, const char *device,
                                  const struct ec_predict_opts *opts, struct ec_prediction *ret,
                                  size_t ret_size, struct ec_err *err)
{
    struct ec_predict_opts own;
    struct ec_owned_case c = { 0 };
    struct ec_step step = { 0 };
    struct ec_step_time time;
    struct ec_composed composed;
    struct ec_facts facts;
    struct ec_prediction r;
    struct ec_width w;
    struct target t;
    enum ec_status st;

    start(p, &r);
    EC_TRY(settle(&opts, &own, err));
    EC_TRY(ec_predict_opts_check(opts, true, err));
    EC_TRY(ec_case_parse(op_text, &c, err));
    EC_TRY(find_target(p, device, opts, c.c.op, &t, err));
    EC_TRY(ec_step_of_case(&c.c, opts->phase - 1, opts->cond.mode, &step, err));
    if (step.n == 0)
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED, "%s runs no kernel in this phase", c.c.op->name));
    EC_TRY(find_basis(p, opts, &step, &t, err));
    if (has_layers(p, &t, opts) && opts->cond.mode != EC_MODE_ISOLATED_STEP) {
        EC_TRY(ec_compose_op(p->layers, &c.c, opts->phase - 1, &composed, err));
        time = composed.time;
        take_composed(&t, &composed, &r);
    } else {
        op_time(p, &t, opts, c.c.op, &step, &time);
    }
    if (opts->cond.mode == EC_MODE_ISOLATED_STEP)
        EC_TRY(add_isolated(p, &t, opts, &c.c, &time, err));
    EC_TRY(check_time(&time, err));
    r.devices = 1;
    r.batch = r.batch_per_device = ec_case_batch(&c.c);
    r.scaling_efficiency = (struct ec_interval){ 1, 1, 1 };
    r.basis = t.basis;
    warn_profile(p, &t, opts, &r);
    warn_precision(&t, opts, &r);
    EC_TRY(width_of(p, &t, opts, &step, c.c.op, &w, err));
    ec_facts_of_op(&c.c, t.device, opts->cond.precision, &facts);
    fill_time(&time, &w, t.by_layers ? 1 : t.spread * doubts(p, &facts, &time, &r), (double)r.batch,
              &r);
    EC_TRY(hand_over(&r, ret, ret_size, err));
out:
    ec_step_clear(&step);
    ec_case_clear(&c);
    return st;
}
