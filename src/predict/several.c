/* From one device to several: machines and network, communication by strategy, measured runs of the
 * job, interval and limit. */
#include "model/model.h"
#include "predict/predict_internal.h"
#include "predict/sharded.h"

#include <math.h>
#include <stdio.h>

void ec__share_batch(struct ec_predict_opts *o)
{
    if (ec__is_sharded(o))
        ec__settle_batch(o);
    else if (o->global_batch)
        o->batch = o->global_batch / (o->devices > 1 ? o->devices : 1);
}

/* A law beyond the devices behind it: for each doubling the interval is widened by this share of
 * its width. */
#define WIDEN_PER_DOUBLING 0.25

static void widen(struct ec_parallel_width *w, double devices)
{
    double by = 1 + WIDEN_PER_DOUBLING * log2(fmax(1, devices / w->most_devices));

    w->lo = w->mid + by * (w->lo - w->mid);
    w->hi = w->mid + by * (w->hi - w->mid);
}

enum ec_status ec_predict_collective(const struct ec_device *d, const struct ec_predict_opts *o,
                                     enum ec_collective kind, struct ec_collective_answer *a,
                                     struct ec_err *err)
{
    struct ec_parallel_width w;
    struct ec_topology at;

    EC_PASS(ec__topology_of(d, o, &at, err));
    ec_collective_time(kind, &at, a->bytes, ec_parallel_fitted()->v, &a->time);
    w = ec_parallel_fitted()->collective[ec_collective_group(kind, &at, a->bytes)];
    widen(&w, at.devices);
    a->ns = (struct ec_interval){ a->time.ns * exp(w.lo), a->time.ns, a->time.ns * exp(w.hi) };
    a->is_measured = ec_collective_is_measured(kind, &at);
    a->machines = (int64_t)ec_topology_machines(&at);
    a->per_machine = (int64_t)ec_topology_inside(&at);
    return EC_OK;
}

/* Adds the widths of independent errors, as root of squares. */
struct ec_width ec__several_width(const struct ec__several_width *s, const struct ec_width *one)
{
    struct ec_width w = s->from_run  ? (struct ec_width){ -EC_RUN_NOISE, 0, EC_RUN_NOISE, one->n }
                        : s->of_jobs ? (struct ec_width){ 0, 0, 0, one->n }
                                     : *one;
    double down = hypot(w.mid - w.lo, s->mid - s->lo), up = hypot(w.hi - w.mid, s->hi - s->mid);

    if (!s->adds)
        return w;
    w.mid += s->mid;
    w.lo = w.mid - down;
    w.hi = w.mid + up;
    return w;
}

/* Width of a strategy; one without rows in the fit has that of ddp. */
static struct ec_parallel_width width_of(const struct ec_parallel_job *p, bool from_run)
{
    const struct ec_parallel_constants *c = ec_parallel_fitted();
    enum ec_parallel_basis b = from_run ? EC_PB_RUN : EC_PB_ALONE;
    enum ec_parallel_place place =
        ec_topology_machines(&p->at) > 1 ? EC_PP_MACHINES : EC_PP_MACHINE;
    const struct ec_parallel_width *of = c->width[p->strategy][place];
    struct ec_parallel_width w = of[b].n             ? of[b]
                                 : of[EC_PB_ALONE].n ? of[EC_PB_ALONE]
                                                     : c->width[EC_STRATEGY_ddp][place][b];

    widen(&w, p->at.devices);
    return w;
}

static void warn_several(const struct ec_several *q, const struct ec_parallel_job *p,
                         const struct ec_parallel_width *law, struct ec_prediction *r)
{
    if (p->at.inside.assumed)
        ec__warn(r, "the catalogue does not know the slot of the device: taken for PCIe 3 x16");
    if (q->opts->interconnect == EC_LINK_auto && p->at.inside.link == EC_LINK_pcie &&
        p->at.devices == 2 && q->device->link_bytes_per_s.src != EC_SRC_NONE)
        ec__warn(r, "predicted without its optional bridge: --interconnect nvlink-bridge has it");
    if (q->opts->interconnect == EC_LINK_bridge && p->at.inside.link == EC_LINK_pcie)
        ec__warn(r, "a bridge joins %lld devices: a ring of %.0f crosses PCIe",
                 (long long)p->at.inside.joined, ec_topology_inside(&p->at));
    if (p->at.devices > law->most_devices)
        ec__warn(r, "extrapolating: %.0f devices, the most behind the fit are %d", p->at.devices,
                 law->most_devices);
}

static void fill_topology(const struct ec_topology *at, struct ec_prediction *r)
{
    r->machines = (int64_t)ec_topology_machines(at);
    r->devices_per_machine = (int64_t)ec_topology_inside(at);
    r->network_bytes_per_s = r->machines > 1 ? at->network_bytes_per_s : 0;
}

static void fill_reduction(const struct ec_parallel_time *t, struct ec_prediction *r)
{
    r->reductions = t->buckets;
    if (!t->buckets)
        return;
    r->reduction_bytes = t->bucket_bytes;
    r->reduction_ns = t->reduced.ns;
    r->reduction_latency_ns = t->reduced.latency_ns;
    r->reduction_bytes_per_s = t->reduced.bus_bytes_per_s;
    (void)snprintf(r->algorithm, sizeof r->algorithm, "%s",
                   ec_algorithm_names[t->reduced.algorithm]);
}

static void fill(const struct ec_parallel_time *t, double step_ns,
                 const struct ec_parallel_width *w, struct ec_prediction *r)
{
    double efficiency = (t->step_ns - t->exposed_ns - t->wait_ns) / t->step_ns;

    r->communication_ns = t->communication_ns;
    r->exposed_ns = t->exposed_ns * step_ns / t->step_ns;
    r->wait_ns = t->wait_ns * step_ns / t->step_ns;
    r->scaling_efficiency =
        (struct ec_interval){ fmin(1, efficiency * exp(-w->hi)), fmin(1, efficiency * exp(-w->mid)),
                              fmin(1, efficiency * exp(-w->lo)) };
}

enum ec_status ec__several(const struct ec_several *q, double *step_ns, struct ec__several_width *w,
                           struct ec_prediction *r, struct ec_err *err)
{
    const double *v = ec_parallel_fitted()->v;
    struct ec_parallel_job p = {
        .strategy = ec__strategy_of(q->opts),
        .at = {.devices = 1, .per_machine = 1},
        .alone_ns = *step_ns,
        .backward_ns = q->backward_share * *step_ns,
        .parameter_bytes = q->memory->weights,
        .gradient_bytes = q->memory->gradients,
        .tensors = (double)q->step->n_param_tensors
    };
    struct ec_parallel_width law = { 0 };
    struct ec_parallel_runs runs;
    struct ec_parallel_time t;

    EC_PASS(ec_parallel_runs_parse(q->opts->from_run, &runs, err));
    if (q->opts->devices > 1 || runs.several_ns > 0)
        EC_PASS(ec__topology_of(q->device, q->opts, &p.at, err));
    fill_topology(&p.at, r);
    *w = (struct ec__several_width){ .from_run = runs.alone_ns > 0 || runs.several_ns > 0 };
    if (runs.alone_ns > 0) {
        p.alone_ns = runs.alone_ns;
        p.backward_ns = q->backward_share * p.alone_ns;
    }
    if (p.at.devices > 1)
        law = width_of(&p, runs.several_ns > 0);
    *step_ns = ec_parallel_from_runs(&p, &runs, v);
    if (p.at.devices > 1 && p.at.devices != runs.devices) {
        warn_several(q, &p, &law, r);
        *w = (struct ec__several_width){ w->from_run, false, true, law.lo, law.mid, law.hi };
    }
    ec_parallel_time(&p, v, &t);
    if (runs.alone_ns > 0) { /* measured runs have precedence over the formula */
        t.step_ns = fmax(*step_ns, p.alone_ns);
        t.exposed_ns = fmin(t.exposed_ns, t.step_ns - p.alone_ns);
        t.wait_ns = t.step_ns - p.alone_ns - t.exposed_ns;
    }
    fill(&t, *step_ns, &law, r);
    fill_reduction(&t, r);
    return EC_OK;
}
