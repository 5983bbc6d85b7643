/* The stages of a prediction: counts and specification, physics, learned corrections, profile,
 * host, several devices, interval. Each stage is a row of a table: when it applies, what it does,
 * how it explains itself. */
#include "predict/query.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------
 * Sums of parts */

/* Scales all parts alike, since a correction is of their sum. */
static void scale_time(struct ec_step_time *t, double by)
{
    double *parts[] = { &t->device_ns, &t->host_ns, &t->step_ns, &t->fixed_ns,  &t->compute_ns,
                        &t->memory_ns, &t->gap_ns,  &t->cast_ns, &t->unknown_ns };
    int i;

    for (i = 0; i < EC_LEN(parts); i++)
        *parts[i] *= by;
    for (i = 0; i < EC_PHASE_COUNT; i++)
        t->phase_ns[i] *= by;
    for (i = 0; i < EC_KCLASS_COUNT; i++)
        t->class_ns[i] *= by;
}

static void add_time(struct ec_step_time *sum, const struct ec_step_time *t)
{
    int i;

    sum->device_ns += t->device_ns;
    sum->compute_ns += t->compute_ns;
    sum->memory_ns += t->memory_ns;
    sum->unknown_ns += t->unknown_ns;
    sum->launches += t->launches;
    sum->issued += t->issued;
    for (i = 0; i < EC_PHASE_COUNT; i++)
        sum->phase_ns[i] += t->phase_ns[i];
    for (i = 0; i < EC_KCLASS_COUNT; i++) {
        sum->class_ns[i] += t->class_ns[i];
        sum->class_launches[i] += t->class_launches[i];
    }
}

/* Adds up the parts. The time beside kernels is counted once: a measurement of an operator has one
 * call. */
static struct ec_step_time sum_of_parts(const struct ec__query *q)
{
    struct ec_step_time sum = { 0 };
    int i;

    if (!q->op)
        return q->part[0].time;
    for (i = 0; i < q->n_parts; i++) {
        add_time(&sum, &q->part[i].time);
        sum.gap_ns = fmax(sum.gap_ns, q->part[i].time.gap_ns);
    }
    sum.step_ns = sum.device_ns + sum.gap_ns;
    return sum;
}

/* ------------------------------------------------------------------------------------------------
 * Explanation */

/* Adds a row to the explanation: the time of each kind of kernel after the stage. */
static struct ec_explained *tell(struct ec_explanation *why, const char *column,
                                 const struct ec_step_time *after)
{
    struct ec_explained *e = &why->row[why->n < EC_EXPLAINED_MAX - 1 ? why->n++ : why->n];

    e->stage = why->stage;
    e->column = column;
    if (column)
        memcpy(e->kind_ns, after->class_ns, sizeof e->kind_ns);
    return e;
}

static void kernels_after(struct ec_explanation *why, const struct ec__query *q)
{
    const struct ec_step_time *t = &q->time;

    memcpy(why->launches, t->class_launches, sizeof why->launches);
    why->issued = t->issued;
    why->cast_ns = t->cast_ns;
    why->gap_ns = t->gap_ns;
    why->device_ns = q->op ? t->step_ns : t->device_ns;
}

/* ------------------------------------------------------------------------------------------------
 * Cost: kernels, and their time by the specification */

static bool always(const struct ec__query *q)
{
    (void)q;
    return true;
}

static bool by_laws(const struct ec__query *q)
{
    return !q->t.by_layers;
}

/* Divides the step into parts. Operators are measured phase by phase, so each phase is a part; its
 * kernels are adjacent. Isolated steps are measured as a whole. */
static enum ec_status apply_cost(struct ec__query *q, struct ec_err *err)
{
    const struct ec_step *s = q->step;
    bool by_phase = q->op && q->o->cond.mode != EC_MODE_ISOLATED_STEP;
    int from, to;

    (void)err;
    for (from = 0; from < s->n; from = to) {
        struct ec__part *part = &q->part[q->n_parts++];

        to = s->n;
        if (by_phase)
            for (to = from; to < s->n && s->kernel[to].phase == s->kernel[from].phase; to++)
                continue;
        *part = (struct ec__part){ .step = *s, .correction = 1, .spread = 1 };
        part->step.kernel = s->kernel + from;
        part->step.n = to - from;
    }
    return EC_OK;
}

static void count_kernels(const struct ec_step *s, const struct ec__query *q,
                          struct ec_explanation *why, struct ec_step_time *paper)
{
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        double repeat = s->repeat ? s->repeat[i] : 1;
        struct ec_step one = { .n = 1,
                               .kernel = s->kernel + i,
                               .repeat = s->repeat ? s->repeat + i : NULL };

        why->flop[k->kclass] += repeat * k->flop;
        paper->class_ns[k->kclass] +=
            ec_plain_estimate(&one, q->t.device, q->o->cond.precision).roofline_ns;
    }
}

static void explain_cost(const struct ec__query *q, struct ec_explanation *why)
{
    const struct ec_device *d = q->t.device;
    struct ec_step_time paper = { 0 };
    char flop_per_s[32], bytes_per_s[32];
    struct ec_explained *e;
    int i;

    for (i = 0; i < q->n_parts; i++)
        count_kernels(&q->part[i].step, q, why, &paper);
    e = tell(why, "paper", &paper);
    (void)snprintf(
        e->text, sizeof e->text,
        "the data sheet has %sFLOP/s and %sB/s: each kernel takes the longer of its "
        "arithmetic and its traffic",
        ec_fmt_si(flop_per_s, sizeof flop_per_s, ec_paper_peak(d, q->o->cond.precision, true)),
        ec_fmt_si(bytes_per_s, sizeof bytes_per_s, d->memory_bytes_per_s.value));
}

/* ------------------------------------------------------------------------------------------------
 * Physics: formulas, with the offsets of architecture and product */

static void time_parts(struct ec__query *q, const struct ec_rates *r)
{
    int i;

    for (i = 0; i < q->n_parts; i++) {
        struct ec__part *part = &q->part[i];
        struct ec_rates own = *r;

        if (!q->op)
            own.work_factor = part->correction;
        ec_step_time(&part->step, &own, &q->p->fitted->c, q->op != NULL, &part->time);
        if (q->op)
            scale_time(&part->time, part->correction);
    }
    q->time = sum_of_parts(q);
}

static enum ec_status apply_physics(struct ec__query *q, struct ec_err *err)
{
    int i;

    (void)err;
    time_parts(q, &q->t.plain);
    for (i = 0; i < q->n_parts; i++)
        q->part[i].plain = q->part[i].time;
    return EC_OK;
}

/* What a kernel takes before its first byte, by the kinds that have such a time. */
static void tell_starts(const struct ec__query *q, char *out, size_t size)
{
    const double *theta = q->p->fitted->c.theta;
    char conv[32], product[32], norm[32];

    out[0] = '\0';
    if (q->t.device->kind == EC_DEV_CPU)
        return;
    (void)snprintf(out, size,
                   "; to start, a convolution takes %s, a product %s, a norm of two passes %s",
                   ec_fmt_ns(conv, sizeof conv, theta[EC_T_conv_start_ns]),
                   ec_fmt_ns(product, sizeof product, theta[EC_T_matrix_start_ns]),
                   ec_fmt_ns(norm, sizeof norm, theta[EC_T_norm_start_ns]));
}

/* Two rows: by the specification alone, then with the offsets of architecture and product. */
static void explain_physics(const struct ec__query *q, struct ec_explanation *why)
{
    const struct ec_device *d = q->t.device;
    struct ec_fitted bare = ec_fitted_bare(q->p->fitted);
    double offset[EC_DO_COUNT], none[EC_DO_COUNT];
    struct ec__query spec = *q;
    struct ec_explained *e;
    char arch[EC_ARCH_BYTES], gap[32], more[160], starts[160];
    struct ec_rates r;

    ec_fitted_offset(&bare, d, q->o->cond.framework, q->t.kind, none);
    ec_fitted_offset(q->p->fitted, d, q->o->cond.framework, q->t.kind, offset);
    if (ec_rates_init(&r, d, &q->o->cond, &q->p->fitted->c, none, NULL))
        return;
    r.copy_bytes = q->t.plain.copy_bytes;
    time_parts(&spec, &r);
    e = tell(why, "law", &spec.time);
    if (q->op)
        (void)ec_snprintf(more, sizeof more, "a call takes %s beside its kernels, once",
                          ec_fmt_ns(gap, sizeof gap, q->time.gap_ns));
    else
        (void)ec_snprintf(more, sizeof more, "%s as a whole x%.3f; between two kernels %s",
                          ec_framework_keys[q->o->cond.framework],
                          q->p->fitted->c.framework[q->o->cond.framework][EC_FWT_speed],
                          ec_fmt_ns(gap, sizeof gap, q->time.gap_ns / q->time.issued));
    tell_starts(q, starts, sizeof starts);
    (void)snprintf(
        e->text, sizeof e->text,
        "by the formulas, kernels of this kind take so many times as long: tiles, waves over "
        "the multiprocessors, bytes moved; below 1 by caches or faster algorithms%s; %s",
        starts, more);
    ec_arch_key(d, arch);
    e = tell(why, "device", &q->time);
    (void)ec_snprintf(
        e->text, sizeof e->text,
        "offsets from the specification, measured by %d sources of architecture %s, %d "
        "of this product, with %d rows of networks and %d of operators on this device: "
        "arithmetic x%.3f, memory x%.3f; above 1 is slower",
        ec_fitted_arch_sources(q->p->fitted, arch), arch, ec_fitted_sources(q->p->fitted, d->key),
        q->t.fit ? q->t.fit->n_networks : 0, q->t.fit ? q->t.fit->n_operators : 0,
        exp(offset[EC_DO_COMPUTE]), exp(offset[EC_DO_MEMORY]));
    kernels_after(why, q);
}

/* ------------------------------------------------------------------------------------------------
 * Residual: learned corrections */

static void correct_network(const struct ec__query *q, struct ec__part *part)
{
    const struct ec_learned *l = q->p->learned;
    struct ec_scope_key who = ec_scope_key_of(&q->o->cond, ec_is_forward(&part->step));
    double features[EC_NF_COUNT];

    ec_network_features(&part->step, &q->t.plain, &part->plain, features);
    part->spread = ec_learned_spread(l, q->t.kind, features);
    part->correction = exp(ec_learned_correction(l, q->t.kind, who, features));
}

static void correct_operator(const struct ec__query *q, struct ec__part *part)
{
    const struct ec_learned *l = q->p->learned;
    struct ec_scope_key who = ec_scope_key_of(&q->o->cond, ec_is_forward(&part->step));
    struct ec_operator o = { .op = q->op->op,
                             .step = part->step,
                             .device = q->t.device,
                             .cond = q->o->cond,
                             .routes = q->t.kind == EC_W_conv };
    double features[EC_FEATURE_COUNT];

    if (ec_features_at(&o, &q->t.plain, &part->plain, features, NULL))
        return;
    part->spread = ec_learned_spread(l, q->t.kind, features);
    part->correction = exp(ec_learned_correction(l, q->t.kind, who, features));
}

/* The spread of an operator is the mean over its parts, weighted by time. */
static enum ec_status apply_residual(struct ec__query *q, struct ec_err *err)
{
    double spread = 0, of = 0;
    int i;

    (void)err;
    for (i = 0; i < q->n_parts; i++)
        (q->op ? correct_operator : correct_network)(q, &q->part[i]);
    time_parts(q, &q->t.plain);
    for (i = 0; i < q->n_parts; i++) {
        spread += q->part[i].spread * q->part[i].time.device_ns;
        of += q->part[i].time.device_ns;
    }
    q->t.spread = !q->op ? q->part[0].spread : of > 0 ? spread / of : 1;
    return EC_OK;
}

static void explain_residual(const struct ec__query *q, struct ec_explanation *why)
{
    struct ec_explained *e = tell(why, "learned", &q->time);
    char call[96] = "";
    double plain_ns = 0;
    int i;

    for (i = 0; i < q->n_parts; i++)
        plain_ns = fmax(plain_ns, q->part[i].plain.gap_ns);
    if (q->op && plain_ns > 0)
        (void)ec_snprintf(call, sizeof call, "; the call has the factor of one phase, x%.3f",
                          q->time.gap_ns / plain_ns);
    (void)snprintf(
        e->text, sizeof e->text,
        "boosted trees and neural networks, fitted to the residuals of measured rows%s%s",
        q->op ? "" : ", at most 20 %, and not for the optimizer's kernels", call);
    kernels_after(why, q);
}

/* ------------------------------------------------------------------------------------------------
 * Adaptation: a profile of the device */

static struct ec_physics_query physics_query_of(const struct ec__query *q)
{
    return (struct ec_physics_query){ .device = q->t.device,
                                      .step = q->step,
                                      .op = q->op ? q->op->op : NULL,
                                      .cond = q->o->cond,
                                      .kind = q->t.kind,
                                      .isolated = q->op != NULL,
                                      .copy_bytes = q->t.rates.copy_bytes };
}

static bool has_profile(const struct ec__query *q)
{
    return q->t.profile != NULL;
}

static enum ec_status apply_adaptation(struct ec__query *q, struct ec_err *err)
{
    struct ec_physics_query query = physics_query_of(q);
    struct ec_gp_point at;
    enum ec_status st = EC_OK;
    bool neighbours;

    if (q->t.by_layers) {
        q->time = q->composed.time;
        return EC_OK;
    }
    time_parts(q, &q->t.rates);
    q->unknown = 1;
    if (ec_gp_knows(q->p->residuals, (int)query.kind, &neighbours)) {
        EC_TRY(ec_predictor_place(q->p, &query, neighbours, &at, err));
        q->near = ec_gp_mean(q->p->residuals, &at, &q->unknown);
    }
out:
    return st;
}

static void explain_adaptation(const struct ec__query *q, struct ec_explanation *why)
{
    const struct ec_profile *profile = q->t.profile;
    struct ec_explained *e = tell(why, "profile", &q->time);
    int64_t rows = profile->n_operators + profile->n_networks;

    if (q->t.by_layers)
        (void)snprintf(
            e->text, sizeof e->text,
            "the sum of the step's tasks, each timed by layers measured on this machine");
    else
        (void)ec_snprintf(e->text, sizeof e->text,
                          "%lld measured %s: arithmetic x%.3f, memory x%.3f, launches x%.3f; "
                          "residuals of rows nearby x%.3f, on the whole step",
                          (long long)rows, rows == 1 ? "row" : "rows",
                          exp(profile->change[EC_DO_COMPUTE]), exp(profile->change[EC_DO_MEMORY]),
                          exp(profile->change[EC_DO_LAUNCH]), exp(q->near));
    kernels_after(why, q);
}

/* ------------------------------------------------------------------------------------------------
 * Host: issues the kernels while the device works */

static bool has_host(const struct ec__query *q)
{
    return q->t.host && !q->t.by_layers;
}

static enum ec_status apply_host(struct ec__query *q, struct ec_err *err)
{
    (void)err;
    (void)snprintf(q->r->host, sizeof q->r->host, "%s", q->t.host);
    return EC_OK;
}

static void explain_host(const struct ec__query *q, struct ec_explanation *why)
{
    const struct ec_constants *c = &q->p->fitted->c;
    const double *f = c->framework[q->o->cond.framework];
    const struct ec_step_time *t = &q->time;
    double share = ec_host_share(c->theta);
    char each[32], update[64] = "", host[32], more[32], less[32], other[32], step[32];
    struct ec_explained *e = tell(why, NULL, NULL);

    if (t->phase_ns[EC_UPDATE] > 0)
        (void)snprintf(update, sizeof update, " + %s for the update",
                       ec_fmt_ns(each, sizeof each, f[EC_FWT_update_ns]));
    (void)ec_snprintf(
        e->text, sizeof e->text,
        "(%.1f calls x %s%s) x %.3f for host and device x %.3f for %s = %s; the step is the "
        "longer of device and host, %.3f of the shorter, and %s: %s + %.3f x %s + %s = %s",
        t->calls, ec_fmt_ns(each, sizeof each, f[EC_FWT_dispatch_ns]), update,
        q->t.rates.launch_factor, f[EC_FWT_speed], ec_framework_keys[q->o->cond.framework],
        ec_fmt_ns(host, sizeof host, t->host_ns), share,
        q->o->cond.input_copy ? "bookkeeping and the copy of the input" : "bookkeeping",
        ec_fmt_ns(more, sizeof more, fmax(t->device_ns, t->host_ns)), share,
        ec_fmt_ns(less, sizeof less, fmin(t->device_ns, t->host_ns)),
        ec_fmt_ns(other, sizeof other, t->fixed_ns), ec_fmt_ns(step, sizeof step, t->step_ns));
    e->step_ns = t->step_ns;
}

/* ------------------------------------------------------------------------------------------------
 * Communication: several devices */

static bool is_network(const struct ec__query *q)
{
    return q->op == NULL;
}

/* Numbers given with `set` may have no finite result. */
static enum ec_status check_time(const struct ec_step_time *t, struct ec_err *err)
{
    if (isfinite(t->step_ns) && isfinite(t->device_ns) && t->step_ns > 0)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "the numbers of this device give no finite time");
}

static enum ec_status apply_communication(struct ec__query *q, struct ec_err *err)
{
    const struct ec_step_time *t = &q->time;
    double backward = t->phase_ns[EC_GRAD_DATA] + t->phase_ns[EC_GRAD_WEIGHT];
    struct ec_several s = { q->o, q->t.device, q->step, &q->memory, backward / t->device_ns };
    enum ec_status st = check_time(t, err);

    return st ? st : ec__several(&s, &q->time.step_ns, &q->several, q->r, err);
}

/* "; 4 all-reduces of 24.4 MiB by a ring: 271 us each, 43.0 us of it latency, 165 GB/s" */
static const char *reductions(const struct ec_prediction *r, char *out, size_t size)
{
    char bytes[32], each[32], latency[32], rate[32];
    int i;

    for (i = 0; i < EC_ALGORITHM_COUNT; i++)
        if (ec_str_eq(ec_algorithm_names[i], r->algorithm))
            break;
    *out = '\0';
    if (r->reductions && i < EC_ALGORITHM_COUNT)
        (void)snprintf(out, size, "; %lld all-reduce%s of %s by %s: %s%s, %s of it latency, %sB/s",
                       (long long)r->reductions, r->reductions > 1 ? "s" : "",
                       ec_fmt_bytes(bytes, sizeof bytes, r->reduction_bytes), ec_algorithm_said[i],
                       ec_fmt_ns(each, sizeof each, r->reduction_ns),
                       r->reductions > 1 ? " each" : "",
                       ec_fmt_ns(latency, sizeof latency, r->reduction_latency_ns),
                       ec_fmt_si(rate, sizeof rate, r->reduction_bytes_per_s));
    return out;
}

static void explain_communication(const struct ec__query *q, struct ec_explanation *why)
{
    char alone[32], waited[32], others[32], step[32], reduced[256];
    const struct ec_prediction *r = q->r;
    struct ec_explained *e;

    if (r->devices < 2 && !q->several.from_run)
        return;
    e = tell(why, NULL, NULL);
    e->step_ns = q->time.step_ns;
    (void)snprintf(
        e->text, sizeof e->text,
        "%lld devices: %s alone + %s for gradients + %s for the slowest device = %s%s%s",
        (long long)r->devices,
        ec_fmt_ns(alone, sizeof alone, q->time.step_ns - r->exposed_ns - r->wait_ns),
        ec_fmt_ns(waited, sizeof waited, r->exposed_ns),
        ec_fmt_ns(others, sizeof others, r->wait_ns), ec_fmt_ns(step, sizeof step, e->step_ns),
        q->several.from_run ? ", by the runs given" : "", reductions(r, reduced, sizeof reduced));
}

/* ------------------------------------------------------------------------------------------------
 * Interval: errors on rows that were held out of the fit */

/* For each doubling outside the range of the fit, in any quantity, the interval is widened by this
 * share of its width. */
#define WIDEN_PER_DOUBLING 0.25
#define WIDEN_MAX 2.0
#define DOUBTS_SAID 3

/* How much the interval is widened for extrapolation; each reason becomes a note. */
static double outside(const struct ec__query *q, const struct ec_facts *facts)
{
    struct ec_outside past[EC_FACTS_MAX];
    int n = ec_domain_outside(q->p->domain, facts, past, EC_LEN(past)), i;
    double doublings = 0;

    for (i = 0; i < n; i++) {
        doublings += past[i].log2_factor;
        if (i < DOUBTS_SAID)
            ec__warn(q->r, "%s", past[i].text);
    }
    if (n > DOUBTS_SAID)
        ec__warn(q->r, "extrapolating: %d more quantities are outside what was measured",
                 n - DOUBTS_SAID);
    return fmin(WIDEN_MAX, WIDEN_PER_DOUBLING * doublings);
}

static double widening(const struct ec__query *q)
{
    double unknown = q->time.device_ns > 0 ? q->time.unknown_ns / q->time.device_ns : 0;
    struct ec_facts facts;
    double widen;

    if (q->op)
        ec_facts_of_op(q->op, q->t.device, q->o->cond.precision, &facts);
    else
        ec_facts_of_network(q->graph, q->step, q->t.device, &q->o->cond, &facts);
    widen = 1 + outside(q, &facts);
    if (unknown > 0) {
        ec__warn(q->r,
                 "operators that are not known take about %.0f %% of the time: costed by bytes",
                 100 * unknown);
        widen += 2 * unknown;
    }
    return widen;
}

/* The width by basis: of layers, of a profile, or of the fit. */
static struct ec_width errors_of(const struct ec__query *q)
{
    const struct ec__target *t = &q->t;
    const struct ec_conditions *cond = &q->o->cond;
    struct ec_physics_query query = physics_query_of(q);
    struct ec_width w, bare;
    int group;

    if (t->by_layers)
        return t->own_width;
    if (t->profile) {
        w = ec_profile_width(q->p->fitted, t->profile, q->unknown, &query);
        w = (struct ec_width){ w.lo + q->near, w.mid + q->near, w.hi + q->near, w.n };
        return ec__widened(&w, t->spread);
    }
    group = ec_width_group(cond->framework, q->step, t->device, cond->queued);
    w = ec_fitted_width(q->p->fitted, t->kind, EC_BASIS_MEASURED, group);
    if (!q->op && t->fit && t->known.same) {
        w.lo *= t->fit->interval_factor;
        w.hi *= t->fit->interval_factor;
    }
    bare = ec_fitted_width(q->p->fitted, t->kind, EC_BASIS_SPECIFICATION, group);
    return ec_width_between(&w, &bare, t->spread, t->known.unknown);
}

static enum ec_status apply_interval(struct ec__query *q, struct ec_err *err)
{
    struct ec_width w;
    enum ec_status st;

    EC_TRY(check_time(&q->time, err));
    w = errors_of(q);
    q->widened = q->t.by_layers ? 1 : widening(q);
    w = ec__widened(&w, q->widened);
    q->width = ec__several_width(&q->several, &w);
    q->r->step_time_ns = ec__spread(q->time.step_ns, &q->width, 1);
out:
    return st;
}

static void explain_interval(const struct ec__query *q, struct ec_explanation *why)
{
    static const char *const bases[] = {
        [EC_BASIS_MEASURED] = "errors on held-out rows of devices where this kind was measured",
        [EC_BASIS_SPECIFICATION] = "errors on rows of held-out devices",
        [EC_BASIS_CALIBRATED] = "errors on held-out rows, narrowed by the profile",
        [EC_BASIS_RELATED] = "errors on held-out rows and devices, by what was measured nearby",
    };
    const struct ec_interval *step = &q->r->step_time_ns;
    const char *base = q->several.from_run ? "two runs of one job differ by this much"
                       : q->t.by_layers    ? "uncertainty of the layers"
                                           : bases[q->t.profile ? EC_BASIS_CALIBRATED : q->t.basis];
    struct ec_explained *e = tell(why, NULL, NULL);
    char median[64] = "", wider[64] = "";

    if (fabs(q->width.mid) > 5e-4)
        (void)ec_snprintf(median, sizeof median, "the median x%.3f; ", exp(q->width.mid));
    if (fabs(q->widened - 1) > 5e-3 && !q->several.from_run)
        (void)ec_snprintf(wider, sizeof wider, ", scaled by x%.2f for this query", q->widened);
    (void)ec_snprintf(e->text, sizeof e->text, "%s90 %% between x%.3f and x%.3f: %s%s%s", median,
                      step->p05 / step->p50, step->p95 / step->p50, base, wider,
                      q->several.adds ? ", with the errors of several devices" : "");
    e->step_ns = step->p50;
}

/* ------------------------------------------------------------------------------------------------
 * The stages */

static const struct {
    const char *name;
    bool (*applies)(const struct ec__query *q);
    enum ec_status (*apply)(struct ec__query *q, struct ec_err *err);
    void (*explain)(const struct ec__query *q, struct ec_explanation *why);
} stages[] = {
    {"cost",           by_laws,     apply_cost,          explain_cost         },
    { "physics",       by_laws,     apply_physics,       explain_physics      },
    { "residual",      by_laws,     apply_residual,      explain_residual     },
    { "adaptation",    has_profile, apply_adaptation,    explain_adaptation   },
    { "host",          has_host,    apply_host,          explain_host         },
    { "communication", is_network,  apply_communication, explain_communication},
    { "interval",      always,      apply_interval,      explain_interval     },
};

enum ec_status ec__run_stages(struct ec__query *q, struct ec_explanation *why, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < EC_LEN(stages); i++) {
        if (!stages[i].applies(q))
            continue;
        EC_TRY(stages[i].apply(q, err));
        if (!why)
            continue;
        why->stage = stages[i].name;
        stages[i].explain(q, why);
    }
out:
    return st;
}
