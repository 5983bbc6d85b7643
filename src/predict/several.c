/* From one device to several: communication by strategy, measured runs of the job, interval and
 * limit. */
#include "model/model.h"
#include "predict/predict_internal.h"

#include <math.h>

/* 5 and 95 % points of the log of the ratio of two runs of one job on one machine. */
#define RUN_NOISE 0.03

enum ec_strategy ec__strategy_of(const struct ec_predict_opts *o)
{
    if (o->strategy != EC_STRATEGY_auto)
        return o->strategy;
    return o->cond.framework == EC_FW_tensorflow_1 || o->cond.framework == EC_FW_tensorflow_2
               ? EC_STRATEGY_mirrored
               : EC_STRATEGY_ddp;
}

void ec__share_batch(const struct ec_predict_opts **opts, struct ec_predict_opts *own)
{
    if (!(*opts)->global_batch)
        return;
    if (*opts != own)
        *own = **opts;
    own->batch = own->global_batch / (own->devices > 1 ? own->devices : 1);
    *opts = own;
}

/* Adds the widths of independent errors, as root of squares. */
struct ec_width ec__several_width(const struct ec__several_width *s, const struct ec_width *one)
{
    struct ec_width w = s->from_run ? (struct ec_width){ -RUN_NOISE, 0, RUN_NOISE, one->n } : *one;
    double down = hypot(w.mid - w.lo, s->mid - s->lo), up = hypot(w.hi - w.mid, s->hi - s->mid);

    if (!s->adds)
        return w;
    w.mid += s->mid;
    w.lo = w.mid - down;
    w.hi = w.mid + up;
    return w;
}

static void warn_several(const struct ec_several *q, const struct ec_parallel_job *p,
                         struct ec_prediction *r)
{
    const struct ec_parallel_constants *c = ec_parallel_fitted();

    if (p->reach.assumed)
        ec__warn(r, "the catalogue does not know the slot of the device: taken for PCIe 3 x16");
    if (q->opts->interconnect == EC_LINK_auto && p->reach.link == EC_LINK_pcie &&
        q->device->link_bytes_per_s.src != EC_SRC_NONE)
        ec__warn(r, "predicted without its optional bridge: --interconnect nvlink-bridge has it, "
                    "for two devices");
    if (q->opts->interconnect == EC_LINK_bridge && p->reach.link == EC_LINK_pcie)
        ec__warn(r, "a bridge joins two devices: a ring of %lld crosses PCIe",
                 (long long)q->opts->devices);
    if (q->opts->devices > c->most_devices)
        ec__warn(
            r,
            "extrapolating: %lld devices, the most behind the fit are %d in one machine; links "
            "between machines are not modelled",
            (long long)q->opts->devices, c->most_devices);
}

/* Width of a strategy; one without rows in the fit has that of ddp. */
static const struct ec_parallel_width *width_of(const struct ec_parallel_job *p, bool from_run)
{
    const struct ec_parallel_width *of = ec_parallel_fitted()->width[p->strategy];
    enum ec_parallel_basis b = from_run ? EC_PB_RUN : EC_PB_ALONE;

    return of[b].n             ? &of[b]
           : of[EC_PB_ALONE].n ? &of[EC_PB_ALONE]
                               : &ec_parallel_fitted()->width[EC_STRATEGY_ddp][b];
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
    struct ec_parallel_job p = { .strategy = ec__strategy_of(q->opts),
                                 .devices = (double)(q->opts->devices > 1 ? q->opts->devices : 1),
                                 .alone_ns = *step_ns,
                                 .backward_ns = q->backward_share * *step_ns,
                                 .parameter_bytes = q->memory->weights,
                                 .gradient_bytes = q->memory->gradients,
                                 .tensors = (double)q->step->n_param_tensors };
    const struct ec_parallel_width *law;
    struct ec_parallel_runs runs;
    struct ec_parallel_time t;
    enum ec_status st;

    EC_TRY(ec_parallel_runs_parse(q->opts->from_run, &runs, err));
    if (p.devices > 1 || runs.several_ns > 0)
        EC_TRY(
            ec_device_reach(q->device, q->opts->interconnect, (int64_t)p.devices, &p.reach, err));
    *w = (struct ec__several_width){ .from_run = runs.alone_ns > 0 || runs.several_ns > 0 };
    if (runs.alone_ns > 0) {
        p.alone_ns = runs.alone_ns;
        p.backward_ns = q->backward_share * p.alone_ns;
    }
    law = width_of(&p, runs.several_ns > 0);
    *step_ns = ec_parallel_from_runs(&p, &runs, v);
    if (p.devices > 1 && p.devices != runs.devices) {
        warn_several(q, &p, r);
        *w = (struct ec__several_width){ w->from_run, true, law->lo, law->mid, law->hi };
    }
    ec_parallel_time(&p, v, &t);
    if (runs.alone_ns > 0) { /* measured runs have precedence over the formula */
        t.step_ns = fmax(*step_ns, p.alone_ns);
        t.exposed_ns = fmin(t.exposed_ns, t.step_ns - p.alone_ns);
        t.wait_ns = t.step_ns - p.alone_ns - t.exposed_ns;
    }
    fill(&t, *step_ns, law, r);
out:
    return st;
}
