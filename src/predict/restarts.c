/* Restarts of a job: what fails or is taken away, how often it is worth to save, and what is
 * computed again. */
#include "predict/query.h"

#include <math.h>

#include "learn/learn.h"

/* A device fails, with what it needs, after so many hours: 419 unexpected interruptions of 16,384
 * H100 in 54 days (Llama Team, "The Llama 3 Herd of Models", 2024). Two clusters of A100 had 2.34
 * and 6.50 failures in 1,000 days of a machine of eight (Kokolis et al. 2025), 82,000 and 29,500
 * hours: these are the ends of its interval. */
#define DEVICE_FAILS_H 50700
#define FAILS_HI_H 82000
#define FAILS_LO_H 29500
/* What a machine writes to a file system: 2 TB/s for 2,048 machines (Llama Team 2024). */
#define MACHINE_WRITES_BYTES_PER_S 1e9
#define USUAL_RESTART_NS 600e9 /* assumed */
#define LEAST_WRITE_NS 5e9     /* assumed: to stop, gather, open files and go on */
#define HOUR_NS 3600e9
/* Beyond so many failures between two checkpoints a job does not get on. */
#define FAILS_MOST 5

struct restarts {
    double fails_ns, lo_ns, hi_ns; /* mean time between failures of the job, with its ends */
    double restart_ns, write_ns, every_ns;
    double work_ns; /* that is saved */
};

static enum ec_status duration(const char *option, const char *text, double usual, double *ret,
                               struct ec_err *err)
{
    *ret = usual;
    if (!text || !*text || (ec_parse_duration(ec_span_of(text), ret) && *ret > 0))
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "--%s: found \"%.60s\", expected a time such as 12h", option,
                   text);
}

/* Work between two checkpoints (Daly, "A higher order estimate of the optimum checkpoint interval
 * for restart dumps", 2006; its first term is Young's of 1974). */
static double best_interval(double write_ns, double fails_ns)
{
    double x = write_ns / (2 * fails_ns);

    return x < 1 ? sqrt(2 * write_ns * fails_ns) * (1 + sqrt(x) / 3 + x / 9) - write_ns : fails_ns;
}

/* Expected time of the work, where failures come as a Poisson process (Daly 2006). */
static double expected_ns(const struct restarts *s, double fails_ns)
{
    double every = fmin(s->every_ns, s->work_ns);
    double write = s->every_ns < s->work_ns ? s->write_ns : 0;

    return fails_ns * exp(s->restart_ns / fails_ns) * expm1((every + write) / fails_ns) *
           s->work_ns / every;
}

/* Adds them to the job. How many failures there are, how much each costs, and how often a device
 * fails, are all by chance. */
static void add(const struct restarts *s, struct ec_prediction *r)
{
    double all = expected_ns(s, s->fails_ns), more = expected_ns(s, s->lo_ns);
    double less = expected_ns(s, s->hi_ns), every = fmin(s->every_ns, s->work_ns);
    double writes = s->every_ns < s->work_ns ? s->write_ns * s->work_ns / every : 0;
    double each = s->restart_ns * s->restart_ns + s->restart_ns * every + every * every / 3;
    double down, up, by_chance;

    r->failures = all / s->fails_ns;
    r->failure_every_ns = s->fails_ns;
    r->checkpoint_every_ns = every;
    r->checkpoints_ns = writes;
    r->restarts_ns = all - s->work_ns;
    by_chance = EC_NORMAL_95 * sqrt(r->failures * each);
    down = fmin(hypot(all - less, by_chance), r->restarts_ns - writes); /* at best none fails */
    up = hypot(more - all, by_chance);
    down = hypot(r->job_time_ns.p50 - r->job_time_ns.p05, down);
    up = hypot(r->job_time_ns.p95 - r->job_time_ns.p50, up);
    r->job_time_ns.p50 += r->restarts_ns;
    r->job_time_ns.p05 = r->job_time_ns.p50 - down;
    r->job_time_ns.p95 = r->job_time_ns.p50 + up;
}

/* Rates of failures and of what a spot market takes away add up. */
static enum ec_status rates_of(const struct ec__query *q, struct restarts *s, struct ec_err *err)
{
    const struct ec_predict_opts *o = q->o;
    bool given = o->mtbf && *o->mtbf, none = given && ec_str_eq(o->mtbf, "none");
    double devices = (double)q->r->devices, machines = (double)q->r->machines;
    bool usual = !given && machines > 1;
    double device_ns = usual ? DEVICE_FAILS_H * HOUR_NS : (double)INFINITY, spot_ns;

    EC_PASS(duration("spot-life", o->spot_life, (double)INFINITY, &spot_ns, err));
    if (given && !none)
        EC_PASS(duration("mtbf", o->mtbf, device_ns, &device_ns, err));
    s->fails_ns = 1 / (devices / device_ns + machines / spot_ns);
    s->lo_ns = 1 / (devices / (usual ? FAILS_LO_H * HOUR_NS : device_ns) + machines / spot_ns);
    s->hi_ns = 1 / (devices / (usual ? FAILS_HI_H * HOUR_NS : device_ns) + machines / spot_ns);
    return EC_OK;
}

/* Epochs that end before the next checkpoint, and have one, save often enough. */
static bool epochs_save(const struct restarts *s, const struct ec_prediction *r)
{
    return r->checkpoint_ns > 0 &&
           r->epoch_time_ns.p50 + r->evaluation_ns + r->checkpoint_ns < s->every_ns;
}

enum ec_status ec__add_restarts(const struct ec__query *q, double write_bytes_per_s,
                                struct ec_err *err)
{
    const struct ec_predict_opts *o = q->o;
    struct ec_prediction *r = q->r;
    struct restarts s = { .work_ns = r->job_time_ns.p50 };
    double round_ns;

    EC_PASS(rates_of(q, &s, err));
    if (!(write_bytes_per_s > 0))
        write_bytes_per_s = MACHINE_WRITES_BYTES_PER_S * (double)r->machines;
    s.write_ns = fmax(LEAST_WRITE_NS, 1e9 * r->checkpoint_bytes / write_bytes_per_s);
    EC_PASS(duration("restart", o->restart, r->start_ns > 0 ? r->start_ns : USUAL_RESTART_NS,
                     &s.restart_ns, err));
    EC_PASS(duration("checkpoint-every", o->checkpoint_every, best_interval(s.write_ns, s.fails_ns),
                     &s.every_ns, err));
    if (!isfinite(s.fails_ns))
        return EC_OK;
    if (epochs_save(&s, r)) {
        s.every_ns = r->epoch_time_ns.p50 + r->evaluation_ns + r->checkpoint_ns;
        s.write_ns = 0;
    }
    round_ns = s.restart_ns + s.write_ns + fmin(s.every_ns, s.work_ns);
    if (round_ns <= FAILS_MOST * s.lo_ns)
        add(&s, r);
    else
        ec__warn(r,
                 "restarts are not in it: something fails every %.3g h, and a restart with the "
                 "work from one checkpoint to the next takes %.3g h",
                 s.fails_ns / HOUR_NS, round_ns / HOUR_NS);
    return EC_OK;
}
