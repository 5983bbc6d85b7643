/* The search for plans: every way in which devices can share a job, without predicting all of them.
 *
 * What does not depend on the number of devices and on ZeRO's stage is a layout: micro-batch,
 * precision, recomputation, tensor and pipeline. Of each layout one configuration is predicted
 * first. From its answer follow, for the others of the layout, a lower bound of the memory (what a
 * rank holds, shared out otherwise, without what is in flight) and of the time (micro-batches on
 * the device, and the bubble, without communication and update). Then layouts are visited from the
 * fastest on. A configuration is left out where its memory bound does not fit, or where its time
 * bound is above an answer that fits, of as many of the same devices, for that is cheaper too.
 * docs/cmd/plan.md */
#include "plan/plan.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------
 * Configurations */

static int64_t one_at_least(int64_t n)
{
    return n > 1 ? n : 1;
}

/* Devices that hold the network once. */
static int64_t of_replica(const struct ec_parallelism *p)
{
    return one_at_least(p->tensor) * one_at_least(p->pipeline) * one_at_least(p->context);
}

static double replicas_of(const struct ec_predict_opts *o)
{
    int64_t n = one_at_least(o->devices) / of_replica(&o->parallel);

    return (double)n;
}

/* Replicas that share nothing but the batch, and take it at once, are asked for without the
 * options of those that share more: their time follows from measured runs. */
static void make_plain(struct ec_predict_opts *o)
{
    struct ec_parallelism *p = &o->parallel;
    int64_t one = one_at_least(p->micro_batch), n = one_at_least(o->devices);

    if (of_replica(p) > 1 || p->expert > 1 || p->zero || p->offload || p->accumulation > 1 ||
        o->strategy == EC_STRATEGY_fsdp || !p->micro_batch ||
        (o->global_batch && o->global_batch != one * n) || (o->batch && o->batch != one))
        return;
    if (!o->global_batch)
        o->batch = one;
    p->micro_batch = p->accumulation = 0;
}

void ec_plan_usual(struct ec_predict_opts *o, const struct ec_device *d)
{
    if (o->usual_precision && o->cond.precision == EC_BF16)
        o->cond.precision = ec_precision_of_tokens(d);
    o->usual_precision = false;
    if (o->cond.precision != EC_BF16 && o->cond.precision != EC_FP16)
        o->cond.master_weights = false; /* the others have float32 parameters */
}

static enum ec_status options_at(const struct ec_plan_query *q, int device, int index,
                                 struct ec_predict_opts *ret, struct ec_err *err)
{
    struct ec_sweep s = {
        .models = {1, 1, (const char **)&q->model},
        .axes = q->axes,
        .n_axes = q->n_axes,
        .devices = q->devices + device,
        .n_devices = 1
    };
    const struct ec_price *price;
    struct ec_sweep_point at;

    EC_PASS(ec_sweep_at(&s, &q->opts, index, &at, err));
    *ret = at.opts;
    price = ec_price_of(&q->prices, q->devices[device], ret);
    if (price)
        ret->usd_per_hour = ec_price_each(price, ret);
    ec_plan_usual(ret, q->devices[device]);
    make_plain(ret);
    return EC_OK;
}

enum ec_status ec_plan_opts(const struct ec_plan_query *q, const struct ec_plan_point *at,
                            struct ec_predict_opts *ret, struct ec_err *err)
{
    return options_at(q, at->device, at->index, ret, err);
}

/* Whether devices divide the batch and each other so. cards: of a machine; 0: not known */
static bool is_possible(const struct ec_plan_query *q, const struct ec_predict_opts *o,
                        int64_t cards, struct ec_err *why)
{
    int64_t n = one_at_least(o->devices);

    if (q->whole_machines && (n & (n - 1)) && (!cards || n % cards))
        return false;
    if (o->parallel.zero && n == of_replica(&o->parallel))
        return false; /* nobody to share with: the same as without */
    if (cards && o->parallel.tensor > cards)
        return false;
    if (o->parallel.tuning == EC_TUNING_QLORA && o->parallel.tensor > 1 && !q->splits_packed)
        return false;
    return !ec_predict_opts_check(o, false, why);
}

/* ------------------------------------------------------------------------------------------------
 * Bounds, from the answer to one configuration of a layout */

struct layout {
    int first; /* index of its first configuration */
    bool has_bounds, is_guess;
    struct ec_predict_opts opts; /* of the answer */
    double need, sum, ledger[EC_LEDGER_COUNT];
    struct ec_interval interval; /* of the memory */
    /* Of a micro-batch: on the device, and what tensor and other groups exchange; stages that a
     * step waits for, as micro-batches, and for how long each without exchange. */
    double alone_ns, exchange_ns, waits, mean_ns;
    double micro_batches; /* of the answer */
    double samples;       /* of the job */
    double order;         /* device time of a sample: those that may be fast come first */
};

static double shared_by(const struct ec_predict_opts *o, int64_t from_stage)
{
    double ranks = replicas_of(o) * (double)one_at_least(o->parallel.context);

    if (o->parallel.zero < from_stage)
        return 1;
    return o->parallel.shard_group > 0 ? fmin((double)o->parallel.shard_group, ranks) : ranks;
}

/* Ranks that shared what a rank holds now, over those that would: of experts fewer ranks share. */
static double held_more(const struct layout *l, const struct ec_predict_opts *o, int64_t from_stage)
{
    double more = shared_by(&l->opts, from_stage) / shared_by(o, from_stage);
    double before = l->opts.parallel.zero < from_stage
                        ? 1
                        : ec_expert_ranks(&l->opts.parallel, (int64_t)replicas_of(&l->opts));
    double after =
        o->parallel.zero < from_stage ? 1 : ec_expert_ranks(&o->parallel, (int64_t)replicas_of(o));

    return o->parallel.expert > 1 ? fmin(more, before / after) : more;
}

static double micro_batches_of(const struct ec_predict_opts *o, double usual)
{
    double samples = o->global_batch ? (double)o->global_batch / replicas_of(o) : (double)o->batch;

    if (o->parallel.accumulation)
        return (double)o->parallel.accumulation;
    return samples > 0 ? samples / (double)o->parallel.micro_batch : usual;
}

/* The step is compute + bubble + what is exposed + waiting; its median may be that times a factor,
 * which is the same for all of a layout. */
static void find_bounds(const struct ec_predict_opts *o, const struct ec_prediction *r,
                        struct layout *l)
{
    double chunks = fmax(1, (double)o->parallel.virtual_stages), m = (double)r->micro_batches;
    double stages = (double)one_at_least(o->parallel.pipeline);
    double parts =
        r->device_ns + r->host_ns + r->other_ns - r->hidden_ns + r->exposed_ns + r->wait_ns;
    double factor = fmin(1, r->step_time_ns.p50 / parts), ns, steps;
    double epochs = r->has_job && o->epochs ? (double)o->epochs : 1;
    int i;

    if (!r->is_shared || !o->parallel.micro_batch || r->fits_probability < 0 || o->rl ||
        (o->lengths && *o->lengths) || r->loader_ns > 0)
        return;
    l->opts = *o;
    l->is_guess = ec_is_guess(r);
    l->interval = r->memory_needed_bytes;
    l->need = r->memory_needed_bytes.p50;
    memcpy(l->ledger, r->ledger_bytes, sizeof l->ledger);
    for (i = 0; i < EC_LEDGER_COUNT; i++)
        l->sum += l->ledger[i];
    l->alone_ns = factor * (r->device_ns - r->update_ns) / m;
    l->exchange_ns = factor * (r->tensor_ns + r->context_ns + r->expert_ns) / m;
    l->waits = (stages - 1) / chunks;
    l->mean_ns = l->waits > 0 ? fmax(0, factor * r->bubble_ns / l->waits - l->exchange_ns) : 0;
    ns = r->has_job ? r->job_time_ns.p50 - r->restarts_ns - r->start_ns -
                          epochs * (r->evaluation_ns + r->checkpoint_ns)
                    : r->epoch_time_ns.p50;
    steps = round(ns / r->step_time_ns.p50);
    l->micro_batches = m;
    l->order =
        (l->alone_ns + l->exchange_ns) * (double)of_replica(&o->parallel) / (double)r->micro_batch;
    l->samples = (steps - epochs) * (double)r->batch; /* the last step of an epoch may be short */
    l->has_bounds = l->need > 0 && l->sum > 0 && isfinite(l->alone_ns + l->mean_ns);
}

/* Least memory that a configuration of the layout needs. Beside the ledger there is what a process
 * holds, and the ledger counts by a factor. Fewer groups hold fewer communicators. */
static double least_bytes(const struct layout *l, const struct ec_predict_opts *o)
{
    const struct ec_width *width = ec_fitted()->width[EC_W_memory];
    double groups = ec_communicator_bytes(&l->opts.parallel, (double)l->opts.devices) -
                    ec_communicator_bytes(&o->parallel, (double)o->devices);
    const struct ec_memory_constants *c = &ec_fitted()->memory;
    const double *v = l->ledger;
    double held = c->base_bytes + c->context_bytes + c->convolution_bytes, sum;

    sum = (v[EC_LEDGER_weights] + v[EC_LEDGER_frozen]) * held_more(l, o, 3) +
          v[EC_LEDGER_gradients] * held_more(l, o, 2) +
          (v[EC_LEDGER_master] + v[EC_LEDGER_moments]) * held_more(l, o, 1) + v[EC_LEDGER_kept] +
          v[EC_LEDGER_working];
    if (sum <= l->sum)
        sum = l->need * sum / l->sum;
    else
        sum = l->need * (held + c->hold_factor * sum) / (held + c->hold_factor * l->sum);
    return fmax(0.1 * sum, sum - fmax(0, groups) * exp(fmax(width[0].mid, width[1].mid)));
}

static double fits_at_most(const struct layout *l, const struct ec_predict_opts *o, double usable,
                           double *need)
{
    double by;
    struct ec_interval least;

    *need = least_bytes(l, o);
    by = *need / l->need;
    least =
        (struct ec_interval){ l->interval.p05 * by, l->interval.p50 * by, l->interval.p95 * by };
    return ec_interval_below(&least, usable);
}

/* Rounding of sums may be on either side. */
#define ALMOST (1 - 1e-9)

/* Groups inside a machine exchange as fast where all of its links are in use. */
static double least_ns(const struct layout *l, const struct ec_predict_opts *o, int64_t cards)
{
    const double *v = ec_parallel_fitted()->v;
    double m = micro_batches_of(o, l->micro_batches), replicas = replicas_of(o), step;
    bool same_links = cards && o->devices >= cards && l->opts.devices >= cards;
    double exchange = same_links ? l->exchange_ns : 0;

    step = m * (l->alone_ns + exchange) + l->waits * (l->mean_ns + exchange);
    if (replicas > 1) /* for the slowest */
        step += m * l->alone_ns * v[EC_P_wait_ddp] * pow(log2(replicas), v[EC_P_wait_power]);
    return fmax(0, l->samples) / ((double)o->parallel.micro_batch * m * replicas) * step * ALMOST;
}

/* ------------------------------------------------------------------------------------------------
 * Search of one device */

struct search {
    const struct ec_plan_query *q;
    int n, n_layouts, per_layout, n_counts;
    struct task *task;
    int next, done;
    pthread_mutex_t lock;
};

/* A device. */
struct task {
    struct search *of;
    int device;
    struct ec_predictor *p;
    struct ec_plan found;
    double usable;
    int64_t cards;  /* of a machine; 0: not known */
    int64_t blocks; /* stacked in the network, which are most of it; 0: none */
    double *fastest_ns, *fastest_guess_ns; /* by number of devices: of what fits */
    char *state;                           /* by configuration */
    struct layout *layout;
    enum ec_status st;
    struct ec_err err;
};
enum { IMPOSSIBLE, POSSIBLE, SETTLED };

static void miss(struct ec_plan *p, const struct ec_plan_point *at)
{
    if (at->usable_bytes > 0 &&
        (p->nearest.index < 0 ||
         at->need_bytes / at->usable_bytes < p->nearest.need_bytes / p->nearest.usable_bytes))
        p->nearest = *at;
}

static double chance(const struct ec_interval *i, double limit)
{
    return limit > 0 ? ec_interval_below(i, limit) : 1;
}

/* Where the energy is not known, it is taken to be too much. */
static double energy_chance(const struct ec_prediction *r, double limit_j)
{
    return limit_j > 0 && !(r->board_energy_j.p50 > 0) ? 0 : chance(&r->board_energy_j, limit_j);
}

static int how_involved(const struct ec_predict_opts *o)
{
    const struct ec_parallelism *p = &o->parallel;

    return 4 * ((p->tensor > 1) + (p->pipeline > 1) + (p->context > 1) + (p->expert > 1) +
                (p->offload != 0)) +
           (p->zero > 0) + (o->cond.recompute != EC_RECOMPUTE_NONE);
}

static enum ec_status add_point(struct task *t, int index, const struct ec_predict_opts *o,
                                const struct ec_prediction *r, struct ec_err *err)
{
    const struct ec_plan_query *q = t->of->q;
    const struct ec_interval *ends = r->has_job ? &r->job_time_ns : &r->epoch_time_ns;
    double device_hours = (double)r->devices / 3.6e12;
    struct ec_interval spent = { ends->p05 * device_hours, ends->p50 * device_hours,
                                 ends->p95 * device_hours };
    const struct ec_interval *cost = r->has_cost ? &r->cost_usd : &spent;
    struct ec_plan_point at = { .device = t->device,
                                .index = index,
                                .count = r->devices,
                                .time_ns = ends->p50,
                                .cost = cost->p50,
                                .need_bytes = r->memory_needed_bytes.p50,
                                .usable_bytes = t->usable,
                                .fits = r->fits_probability,
                                .involved = how_involved(o),
                                .in_limits = fmin(
                                    energy_chance(r, q->energy_j),
                                    fmin(chance(ends, q->deadline_ns), chance(cost, q->budget))),
                                .is_guess = ec_is_guess(r) };
    double *fastest = at.is_guess ? t->fastest_guess_ns : t->fastest_ns;
    struct ec_plan *p = &t->found;

    if (ec_plan_judge(q, &at) == EC_PLAN_FULL)
        miss(p, &at);
    else if (energy_chance(r, q->energy_j) > 0.5) /* a slower one may need less power */
        fastest[index % t->of->n_counts] = fmin(fastest[index % t->of->n_counts], at.time_ns);
    EC_PASS(ec_grow(&p->v, &p->cap, p->n + 1, sizeof *p->v, err));
    p->v[p->n++] = at;
    return EC_OK;
}

/* Sentences about what the network or the device lacks are answers; others end the search. */
static enum ec_status ask(struct task *t, int index, struct layout *l)
{
    const struct ec_plan_query *q = t->of->q;
    struct ec_predict_opts o;
    struct ec_prediction r;
    struct ec_err why = { 0 };
    enum ec_status st;

    t->state[index] = SETTLED;
    EC_PASS(options_at(q, t->device, index, &o, &t->err));
    st = ec_predict_network(t->p, q->model, ec_device_key(q->devices[t->device]), &o, &r, &why);
    if (st == EC_E_INPUT || st == EC_E_UNSUPPORTED) {
        t->found.n_refused++;
        if (!*t->found.refused)
            (void)ec_snprintf(t->found.refused, sizeof t->found.refused, "%s", why.text);
        return EC_OK;
    }
    if (st)
        t->err = why;
    EC_PASS(st);
    t->found.n_predicted++;
    if (!l->has_bounds)
        find_bounds(&o, &r, l);
    return add_point(t, index, &o, &r, &t->err);
}

/* Whether a bound rules it out. */
static bool is_ruled_out(struct task *t, const struct layout *l, const struct ec_predict_opts *o,
                         int index)
{
    const struct ec_plan_query *q = t->of->q;
    int count = index % t->of->n_counts;
    double fastest = t->fastest_ns[count], need;

    if (!l->has_bounds || !o->parallel.micro_batch)
        return false;
    if (fits_at_most(l, o, t->usable, &need) < q->memory_chance * ALMOST) {
        struct ec_plan_point at = { .device = t->device,
                                    .index = index,
                                    .count = o->devices,
                                    .need_bytes = need,
                                    .usable_bytes = t->usable };

        miss(&t->found, &at);
        t->found.n_by_memory++;
        return true;
    }
    if (l->is_guess)
        fastest = fmin(fastest, t->fastest_guess_ns[count]);
    if (least_ns(l, o, t->cards) <= fastest * EC_PLAN_ABOUT)
        return false;
    t->found.n_by_time++;
    return true;
}

static bool is_stopped(const struct ec_plan_query *q)
{
    return (q->stop && q->stop()) || (q->until_ns && ec_clock_ns() > q->until_ns);
}

/* The rest of a layout, those on most devices first. */
static enum ec_status finish_layout(struct task *t, struct layout *l)
{
    const struct ec_plan_query *q = t->of->q;
    struct ec_predict_opts o;
    int i;

    for (i = l->first + t->of->per_layout - 1; i >= l->first; i--) {
        if (is_stopped(q)) {
            t->found.stopped = true;
            break;
        }
        if (t->state[i] != POSSIBLE)
            continue;
        EC_PASS(options_at(q, t->device, i, &o, &t->err));
        if (q->exhaustive || !is_ruled_out(t, l, &o, i))
            EC_PASS(ask(t, i, l));
    }
    return EC_OK;
}

/* Whether by the bound of a layout with a smaller micro-batch no configuration fits: a larger one
 * keeps no less, where the stages are cut alike. They are cut by times where blocks do not share
 * out evenly. */
static enum ec_status is_full(struct task *t, const struct layout *l, const struct layout *smaller,
                              bool *ret)
{
    struct ec_predict_opts o;
    double need;
    int i;

    *ret = smaller && smaller->has_bounds && !t->of->q->exhaustive &&
           (smaller->opts.parallel.pipeline <= 1 ||
            (t->blocks && t->blocks % (one_at_least(smaller->opts.parallel.pipeline) *
                                       one_at_least(smaller->opts.parallel.virtual_stages)) ==
                              0));
    for (i = l->first; *ret && i < l->first + t->of->per_layout; i++) {
        EC_PASS(options_at(t->of->q, t->device, i, &o, &t->err));
        if (t->state[i] == POSSIBLE && o.parallel.micro_batch)
            *ret = fits_at_most(smaller, &o, t->usable, &need) < t->of->q->memory_chance * ALMOST;
    }
    return EC_OK;
}

/* The first answer of a layout: of a configuration that shares most, on most devices. */
static enum ec_status begin_layout(struct task *t, struct layout *l, const struct layout *smaller)
{
    struct ec_predict_opts o;
    int i, first = l->first;
    bool full;

    EC_PASS(is_full(t, l, smaller, &full));
    if (full) {
        *l = *smaller; /* its bounds are bounds of this one */
        l->first = first;
        return EC_OK;
    }
    for (i = first + t->of->per_layout - 1; i >= first; i--) {
        if (t->state[i] != POSSIBLE)
            continue;
        EC_PASS(options_at(t->of->q, t->device, i, &o, &t->err));
        if (o.parallel.micro_batch)
            return ask(t, i, l);
    }
    return EC_OK;
}

static int by_order(const void *va, const void *vb)
{
    const struct layout *a = va, *b = vb;

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static void report(struct search *s, int n)
{
    (void)pthread_mutex_lock(&s->lock);
    s->done += n;
    if (s->q->tell)
        s->q->tell(s->done, 2 * s->n_layouts * s->q->n_devices);
    (void)pthread_mutex_unlock(&s->lock);
}

static enum ec_status find_possible(struct task *t)
{
    const struct ec_plan_query *q = t->of->q;
    struct ec_topology_wish wish = { .devices = 1, .per_machine = q->opts.devices_per_machine };
    struct ec_topology at;
    struct ec_predict_opts o;
    struct ec_err why = { 0 };
    int i;

    t->usable = ec_device_usable_bytes(q->devices[t->device]);
    t->cards =
        ec_device_topology(q->devices[t->device], &wish, &at, NULL) ? 0 : (int64_t)at.per_machine;
    for (i = 0; i < t->of->n; i++) {
        EC_PASS(options_at(q, t->device, i, &o, &t->err));
        if (!is_possible(q, &o, t->cards, *why.text ? NULL : &why))
            continue;
        t->state[i] = POSSIBLE;
        t->found.n_possible++;
    }
    if (!t->found.n_possible)
        (void)ec_snprintf(t->found.refused, sizeof t->found.refused, "%s", why.text);
    return EC_OK;
}

/* The axis before the last two is that of micro-batches, where it has several values. */
static bool follows(const struct search *s, int layout)
{
    const struct ec_field_values *a = s->q->n_axes > 2 ? &s->q->axes[s->q->n_axes - 3] : NULL;

    return a && ec_str_eq(a->field, "micro_batch") && layout % a->values.n > 0;
}

/* Stages have as many blocks each where that is possible. */
static enum ec_status count_blocks(struct task *t)
{
    struct ec_predict_opts one = t->of->q->opts;
    const struct ec_graph *g = NULL;
    const struct ec_step *step = NULL;
    struct ec_blocks b;

    one.batch = 1;
    EC_PASS(ec_predictor_network(t->p, t->of->q->model, &one, &g, &step, &t->err));
    EC_PASS(ec_blocks_find(g, &b, &t->err));
    t->blocks = b.n * b.length * 2 >= g->n_nodes ? b.n : 0;
    return EC_OK;
}

static enum ec_status search_device(struct task *t)
{
    struct search *s = t->of;
    int i;

    t->found.nearest.index = -1;
    t->layout = ec_alloc(sizeof *t->layout * (size_t)s->n_layouts);
    t->state = ec_alloc((size_t)s->n);
    t->fastest_ns = ec_alloc(2 * sizeof(double) * (size_t)s->n_counts);
    EC_PASS(ec_allocated(t->layout && t->state && t->fastest_ns, &t->err));
    t->fastest_guess_ns = t->fastest_ns + s->n_counts;
    for (i = 0; i < 2 * s->n_counts; i++)
        t->fastest_ns[i] = HUGE_VAL;
    ec_compute_until(s->q->until_ns); /* a single prediction may take long, too */
    EC_PASS(ec_predictor_new(&t->p, &t->err));
    EC_PASS(ec_predictor_use_profile(t->p, s->q->profile, &t->err));
    EC_PASS(count_blocks(t));
    EC_PASS(find_possible(t));
    for (i = 0; i < s->n_layouts && !t->found.stopped; i++) {
        t->layout[i].first = i * s->per_layout;
        EC_PASS(begin_layout(t, &t->layout[i], follows(s, i) ? &t->layout[i - 1] : NULL));
        t->found.stopped = is_stopped(s->q);
        report(s, 1);
    }
    qsort(t->layout, (size_t)s->n_layouts, sizeof *t->layout, by_order);
    for (i = 0; i < s->n_layouts && !t->found.stopped; i++) {
        EC_PASS(finish_layout(t, &t->layout[i]));
        report(s, 1);
    }
    return EC_OK;
}

static void task_clear(struct task *t)
{
    ec_predictor_free(t->p);
    ec_free(t->layout);
    ec_free(t->state);
    ec_free(t->fastest_ns);
    t->p = NULL;
    t->layout = NULL;
    t->state = NULL;
    t->fastest_ns = NULL;
}

/* ------------------------------------------------------------------------------------------------
 * All devices */

static void *work(void *arg)
{
    struct search *s = arg;
    int i;

    for (;;) {
        (void)pthread_mutex_lock(&s->lock);
        i = s->next++;
        (void)pthread_mutex_unlock(&s->lock);
        if (i >= s->q->n_devices)
            return NULL;
        s->task[i].st = search_device(&s->task[i]);
        task_clear(&s->task[i]);
    }
}

#define THREADS_MAX 16

static void run(struct search *s)
{
    pthread_t thread[THREADS_MAX];
    int n = 0;

    while (n < s->q->threads - 1 && n < s->q->n_devices - 1 && n < THREADS_MAX &&
           !pthread_create(&thread[n], NULL, work, s))
        n++;
    (void)work(s);
    while (n)
        (void)pthread_join(thread[--n], NULL);
}

static int by_place(const void *va, const void *vb)
{
    const struct ec_plan_point *a = va, *b = vb;

    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static enum ec_status join(struct search *s, struct ec_plan *ret, struct ec_err *err)
{
    int i;

    ret->nearest.index = -1;
    for (i = 0; i < s->q->n_devices; i++) {
        const struct ec_plan *one = &s->task[i].found;

        if (s->task[i].st && err)
            *err = s->task[i].err;
        EC_PASS(s->task[i].st);
        EC_PASS(ec_grow(&ret->v, &ret->cap, ret->n + one->n, sizeof *ret->v, err));
        if (one->n)
            memcpy(ret->v + ret->n, one->v, sizeof *one->v * (size_t)one->n);
        ret->n += one->n;
        ret->n_possible += one->n_possible;
        ret->n_predicted += one->n_predicted;
        ret->n_by_memory += one->n_by_memory;
        ret->n_by_time += one->n_by_time;
        ret->n_refused += one->n_refused;
        ret->stopped |= one->stopped;
        if (!*ret->refused)
            memcpy(ret->refused, one->refused, sizeof ret->refused);
        if (one->nearest.index >= 0)
            miss(ret, &one->nearest);
    }
    if (ret->n)
        qsort(ret->v, (size_t)ret->n, sizeof *ret->v, by_place);
    return EC_OK;
}

void ec_plan_clear(struct ec_plan *p)
{
    ec_free(p->v);
    memset(p, 0, sizeof *p);
}

enum ec_status ec_plan_search(const struct ec_plan_query *q, struct ec_plan *ret,
                              struct ec_err *err)
{
    struct ec_sweep sweep = { .models.n = 1, .axes = q->axes, .n_axes = q->n_axes, .n_devices = 1 };
    struct search s = { .q = q, .lock = PTHREAD_MUTEX_INITIALIZER };
    enum ec_status st;
    int i;

    memset(ret, 0, sizeof *ret);
    EC_TRY(ec_sweep_count(&sweep, &s.n, err));
    s.n_counts = q->axes[q->n_axes - 1].values.n;
    s.per_layout = s.n_counts * q->axes[q->n_axes - 2].values.n;
    s.n_layouts = s.n / s.per_layout;
    s.task = ec_alloc(sizeof *s.task * (size_t)q->n_devices);
    EC_TRY(ec_allocated(s.task, err));
    for (i = 0; i < q->n_devices; i++)
        s.task[i] = (struct task){ .of = &s, .device = i, .found.nearest.index = -1 };
    run(&s);
    EC_TRY(join(&s, ret, err));
out:
    for (i = 0; s.task && i < q->n_devices; i++)
        ec_free(s.task[i].found.v);
    ec_free(s.task);
    if (st)
        ec_plan_clear(ret);
    return st;
}
