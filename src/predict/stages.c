/* The stages of a prediction. Each is a row of a table: when it applies, what it does, how it
 * explains itself. */
#include "predict/query.h"

#include <math.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------------------
 * Kernels */

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
static enum ec_status apply_kernels(struct ec__query *q, struct ec_err *err)
{
    const struct ec_step *s = q->step;
    bool by_phase = q->op && q->o->cond.mode != EC_MODE_ISOLATED_STEP;
    int from, to;

    q->kept = *s;
    if (q->o->cond.recompute != EC_RECOMPUTE_NONE && ec_step_once(s, &q->p->scratch, &q->kept, err))
        return EC_E_NOMEM;
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

/* ------------------------------------------------------------------------------------------------
 * Laws, with the offsets of architecture and product */

static enum ec_status apply_laws(struct ec__query *q, struct ec_err *err)
{
    int i;

    (void)err;
    ec__time_parts(q, &q->t.plain, false);
    for (i = 0; i < q->n_parts; i++)
        q->part[i].plain = q->part[i].time;
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * What is learned: corrections of operators, spreads of errors */

/* A forward pass that runs again has the spread of the first one. */
static enum ec_status spread_network(struct ec__query *q, struct ec_err *err)
{
    struct ec_step_time kept = q->part[0].plain;
    double features[EC_NF_COUNT];

    (void)err;
    if (q->o->cond.recompute != EC_RECOMPUTE_NONE)
        ec_step_time(&q->kept, &q->t.plain, &q->p->fitted->c, false, &kept);
    ec_network_features(&q->kept, &q->t.plain, &kept, features);
    q->t.spread = ec_learned_spread(q->p->learned, q->t.kind, q->t.device, features);
    return EC_OK;
}

/* ns of an operator's products at the highest rate of matrix units. */
static double least_ns(const struct ec_step *s, const struct ec_rates *r)
{
    double mac = 0;
    int i;

    for (i = 0; i < s->n; i++)
        if (s->kernel[i].kclass == EC_K_GEMM)
            mac += s->kernel[i].mac;
    return r->tensor && !r->cpu && !(r->low_speedup > 0) ? 2 * mac / r->most_flop_per_s * 1e9 : 0;
}

static void correct_operator(const struct ec__query *q, struct ec__part *part)
{
    const struct ec_learned *l = q->p->learned;
    double least = least_ns(&part->step, &q->t.plain);
    struct ec_scope_key who = ec_scope_key_of(&q->o->cond, ec_is_forward(&part->step));
    struct ec_operator o = { .op = q->op->op,
                             .step = part->step,
                             .device = q->t.device,
                             .cond = q->o->cond,
                             .routes = q->t.kind == EC_W_conv };
    double features[EC_FEATURE_COUNT];

    if (ec_features_at(&o, &q->t.plain, &part->plain, features, NULL))
        return;
    part->spread = ec_learned_spread(l, q->t.kind, q->t.device, features);
    part->correction = fmax(exp(ec_learned_correction(l, q->t.kind, who, features)),
                            least / part->plain.device_ns);
}

/* The spread of an operator is the mean over its parts, weighted by time. */
static enum ec_status correct_operators(struct ec__query *q, struct ec_err *err)
{
    double spread = 0, of = 0;
    int i;

    (void)err;
    for (i = 0; i < q->n_parts; i++)
        correct_operator(q, &q->part[i]);
    ec__time_parts(q, &q->t.plain, true);
    for (i = 0; i < q->n_parts; i++) {
        spread += q->part[i].spread * q->part[i].time.device_ns;
        of += q->part[i].time.device_ns;
    }
    q->t.spread = of > 0 ? spread / of : 1;
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Profile of the device */

static struct ec_physics_query physics_query_of(const struct ec__query *q)
{
    return (struct ec_physics_query){ .device = q->t.device,
                                      .step = &q->kept,
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

/* Measurements of the very query, unless they disagree, replace what else is known of its time.
 * They are of the profile's host. */
static void find_repeats(struct ec__query *q, const struct ec_physics_query *query)
{
    if (q->o->host && *q->o->host)
        return;
    if (ec_profile_repeats(q->t.profile, ec_query_id(query), q->time.step_ns, &q->repeats))
        (void)ec_snprintf(q->r->evidence, sizeof q->r->evidence,
                          "%d measurement%s of this very question, in the profile", q->repeats.n,
                          q->repeats.n > 1 ? "s" : "");
}

static enum ec_status apply_profile(struct ec__query *q, struct ec_err *err)
{
    struct ec_physics_query query = physics_query_of(q);
    struct ec_gp_point at;
    bool neighbours;

    if (q->t.by_layers) {
        q->time = q->composed.time;
        return EC_OK;
    }
    ec__time_parts(q, &q->t.rates, false);
    q->unknown = 1;
    if (ec_gp_knows(q->p->residuals, (int)query.kind, &neighbours)) {
        EC_PASS(ec_predictor_place(q->p, &query, neighbours, &at, err));
        q->near = ec_gp_mean(q->p->residuals, &at, &q->unknown);
    }
    find_repeats(q, &query);
    return EC_OK;
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

/* ------------------------------------------------------------------------------------------------
 * Several devices */

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

static enum ec_status apply_devices(struct ec__query *q, struct ec_err *err)
{
    const struct ec_step_time *t = &q->time;
    double backward = t->phase_ns[EC_GRAD_DATA] + t->phase_ns[EC_GRAD_WEIGHT], step_ns = t->step_ns;
    struct ec_several s = { q->o, q->t.device, q->step, &q->memory, backward / t->device_ns };

    EC_PASS(check_time(t, err));
    if (q->shard)
        return ec__sharded(q, err);
    EC_PASS(ec__several(&s, &step_ns, &q->several, q->r, err));
    if (q->several.from_run) /* the parts are those of the run */
        ec__scale_time(&q->time, (step_ns - q->r->exposed_ns - q->r->wait_ns) / t->step_ns);
    q->time.step_ns = step_ns;
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Interval: errors on rows that were held out of the fit */

/* For each doubling outside the range of the fit, in any quantity, the interval is widened by this
 * share of its width. */
#define WIDEN_PER_DOUBLING 0.25
#define WIDEN_MAX 2.0
#define DOUBTS_SAID 3

/* How much the interval is widened for extrapolation; each reason becomes a note. That of shared
 * jobs is of rows of large models, whose networks are beyond those of one device. */
static double outside(const struct ec__query *q, const struct ec_facts *facts)
{
    struct ec_outside past[EC_FACTS_MAX];
    int n = ec_domain_outside(q->p->domain, facts, past, EC_LEN(past)), i;
    double doublings = 0;

    for (i = 0; q->several.of_jobs && i < n; i++)
        if (!past[i].is_unseen)
            past[i--] = past[--n];
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
        ec_facts_of_op(q->op, q->t.device, &q->o->cond, &facts);
    else
        ec_facts_of_network(q->graph, q->step, q->t.device, &q->o->cond, &facts);
    if (q->o->cond.recompute != EC_RECOMPUTE_NONE && !q->several.of_jobs)
        ec__warn(q->r, "recomputation is counted from the network: no row of the fit has it");
    widen = 1 + outside(q, &facts);
    if (unknown > 0) {
        ec__warn(q->r,
                 "operators that are not known take about %.0f %% of the time: costed by bytes",
                 100 * unknown);
        widen += 2 * unknown;
    }
    /* Rows like it erred more by the spread already: variances add, and are not paid twice. */
    return sqrt(1 + (widen * widen - 1) / fmax(1, q->t.spread * q->t.spread));
}

/* The width of the fit. */
static struct ec_width fitted_errors(const struct ec__query *q)
{
    const struct ec__target *t = &q->t;
    const struct ec_conditions *cond = &q->o->cond;
    int group = ec_width_group(cond->framework, q->step, t->device, cond->queued);
    struct ec_width w = ec_fitted_width(q->p->fitted, t->kind, EC_BASIS_MEASURED, group), bare;

    if (!q->op && t->fit && t->known.same) {
        w.lo *= t->fit->interval_factor;
        w.hi *= t->fit->interval_factor;
    }
    bare = ec_fitted_width(q->p->fitted, t->kind, EC_BASIS_SPECIFICATION, group);
    w = ec_width_between(&w, &bare, t->known.unknown);
    return ec__widened(&w, t->spread);
}

/* That of a profile: rows of the device never widen the interval. */
static struct ec_width profile_errors(const struct ec__query *q)
{
    struct ec_physics_query query = physics_query_of(q);
    struct ec_width w = ec_profile_width(q->p->fitted, q->t.profile, q->unknown, &query);
    struct ec_width without = fitted_errors(q);

    w = (struct ec_width){ w.lo + q->near, w.mid + q->near, w.hi + q->near, w.n };
    w = ec__widened(&w, q->t.spread);
    if (w.hi - w.lo > without.hi - without.lo) {
        w.lo = w.mid + without.lo - without.mid;
        w.hi = w.mid + without.hi - without.mid;
    }
    return w;
}

/* The width by basis: of layers, of a profile, or of the fit. */
static struct ec_width errors_of(const struct ec__query *q)
{
    if (q->t.by_layers)
        return q->t.own_width;
    if (q->repeats.n)
        return q->repeats;
    return q->t.profile ? profile_errors(q) : fitted_errors(q);
}

/* Nor is any time of an operator below that of its products. */
static void bound_interval(const struct ec__query *q, struct ec_interval *time_ns)
{
    double least = 0;
    int i;

    for (i = 0; i < q->n_parts && q->op; i++)
        least += least_ns(&q->part[i].step, &q->t.plain);
    time_ns->p05 = fmax(time_ns->p05, fmin(least, time_ns->p50));
}

static enum ec_status apply_interval(struct ec__query *q, struct ec_err *err)
{
    struct ec_width w;

    EC_PASS(check_time(&q->time, err));
    w = errors_of(q);
    q->widened = q->t.by_layers || q->repeats.n ? 1 : widening(q);
    w = ec__widened(&w, q->widened);
    q->median = q->t.profile && !q->t.by_layers ? exp(w.mid) : 1;
    q->width = ec__several_width(&q->several, &w);
    q->r->step_time_ns = ec__spread(q->time.step_ns, &q->width, 1);
    bound_interval(q, &q->r->step_time_ns);
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * The stages, named and ordered as in docs/time-model.md */

static bool is_step_of_laws(const struct ec__query *q)
{
    return by_laws(q) && is_network(q);
}

static bool is_operator_of_laws(const struct ec__query *q)
{
    return by_laws(q) && !is_network(q);
}

static const struct {
    bool (*applies)(const struct ec__query *q);
    enum ec_status (*apply)(struct ec__query *q, struct ec_err *err); /* NULL: explains alone */
    void (*explain)(const struct ec__query *q, struct ec_explanation *why); /* NULL: says nothing */
} stages[] = {
    {always,               apply_kernels,     ec__explain_kernels   },
    { by_laws,             NULL,              ec__explain_paper     },
    { always,              NULL,              ec__explain_law       },
    { by_laws,             apply_laws,        ec__explain_offset    },
    { is_operator_of_laws, correct_operators, ec__explain_correction},
    { is_step_of_laws,     spread_network,    NULL                  },
    { has_profile,         apply_profile,     ec__explain_profile   },
    { by_laws,             NULL,              ec__explain_gaps      },
    { has_host,            apply_host,        ec__explain_host      },
    { is_step_of_laws,     NULL,              ec__explain_step      },
    { is_network,          apply_devices,     ec__explain_devices   },
    { always,              apply_interval,    ec__explain_interval  },
};

enum ec_status ec__run_stages(struct ec__query *q, struct ec_explanation *why, struct ec_err *err)
{
    int i;

    for (i = 0; i < EC_LEN(stages); i++) {
        if (!stages[i].applies(q))
            continue;
        if (stages[i].apply)
            EC_PASS(stages[i].apply(q, err));
        if (why && stages[i].explain)
            stages[i].explain(q, why);
    }
    return EC_OK;
}
