/* The protocol of one measurement: warm up until times are stable, then repeat until the interval
 * of the median is narrow enough, the budget is used up, or the number of runs is reached. Every
 * sample is kept. */
#include "measure/protocol_internal.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "learn/learn.h"

#define NS_PER_S 1e9
enum { WINDOW = 5, WARMUP_MAX = 1000, THIRDS_FROM = 9 };
#define WARMUP_BUDGET_FRAC 0.25
#define DRIFT_IQRS 2.0

#include "protocol_fields.h"

const char *ec_stop_name(enum ec_stop s)
{
    return s == EC_STOP_ENOUGH ? "ci" : s == EC_STOP_BUDGET ? "budget" : "count";
}

void ec_timing_clear(struct ec_timing *t)
{
    if (!t)
        return;
    ec_free(t->sample);
    memset(t, 0, sizeof *t);
}

static double median_of(const struct ec_sample *s, int n, double *room)
{
    int i;

    for (i = 0; i < n; i++)
        room[i] = (double)s[i].host_ns;
    return ec_quantile_inplace(room, n, 0.5);
}

/* Order statistics n/2 -+ 0.98 sqrt(n) enclose the median with 95 %, whatever the distribution.
 * room holds the sorted samples. Fewer than 6 cannot enclose it: their range stands in. */
static double median_ci_frac(const double *sorted, int n, double median)
{
    double half = 0.98 * sqrt((double)n);
    int lo = (int)floor(n / 2.0 - half), hi = (int)ceil(n / 2.0 + half);

    if (median <= 0)
        return 0;
    lo = lo < 0 ? 0 : lo;
    hi = hi > n - 1 ? n - 1 : hi;
    return (sorted[hi] - sorted[lo]) / 2 / median;
}

/* Of n samples sorted into room. */
static double iqr_of(const struct ec_sample *s, int n, double *room)
{
    (void)median_of(s, n, room);
    return ec_quantile_inplace(room, n, 0.75) - ec_quantile_inplace(room, n, 0.25);
}

/* Noise alone moves the medians of thirds; what moves them by more than the spread inside either
 * third is the device. */
static void judge_drift(const struct ec_protocol *p, struct ec_timing *t, double *room)
{
    int third = t->n / 3;
    const struct ec_sample *last = t->sample + t->n - third;
    double first_ns, last_ns, spread_ns;

    t->drift_frac = 0;
    t->unstable = false;
    if (t->n < THIRDS_FROM)
        return;
    first_ns = median_of(t->sample, third, room);
    last_ns = median_of(last, third, room);
    spread_ns = fmax(iqr_of(t->sample, third, room), iqr_of(last, third, room));
    t->drift_frac = first_ns > 0 ? last_ns / first_ns - 1 : 0;
    t->unstable =
        fabs(t->drift_frac) > p->unstable_frac && fabs(last_ns - first_ns) > DRIFT_IQRS * spread_ns;
}

enum ec_status ec_timing_judge(const struct ec_protocol *p, struct ec_timing *t, struct ec_err *err)
{
    double *room;

    if (!t->n)
        return EC_OK;
    room = ec_alloc((size_t)t->n * sizeof *room);
    EC_PASS(ec_allocated(room, err));
    judge_drift(p, t, room);
    t->median_ns = median_of(t->sample, t->n, room);
    t->ci_frac = median_ci_frac(room, t->n, t->median_ns);
    t->noisy = t->ci_frac > p->ci_frac;
    ec_free(room);
    return EC_OK;
}

/* --- Running --- */

struct session {
    const struct ec_protocol *p;
    ec_measured_run run;
    void *user;
    bool (*stop)(void);
    int64_t start_ns;
};

static bool out_of_time(const struct session *s, double budget_s)
{
    return (s->stop && s->stop()) || (double)(ec_clock_ns() - s->start_ns) > budget_s * NS_PER_S;
}

/* Windows of runs until two in a row agree. A quarter of the budget ends it too: at least one run
 * has been made, so that what is lazily made is there. */
static enum ec_status warm_up(const struct session *s, struct ec_timing *t, struct ec_err *err)
{
    struct ec_sample window[WINDOW];
    double room[WINDOW], last = 0;

    memset(window, 0, sizeof window);
    for (t->n_warmup = 0; t->n_warmup < WARMUP_MAX;) {
        struct ec_sample *w = &window[t->n_warmup % WINDOW];

        EC_PASS(s->run(s->user, &w->host_ns, err));
        t->n_warmup++;
        if (out_of_time(s, s->p->budget_s * WARMUP_BUDGET_FRAC))
            break;
        if (t->n_warmup % WINDOW == 0) {
            double now = median_of(window, WINDOW, room);

            if (t->n_warmup >= s->p->warmup_runs && last > 0 &&
                fabs(now / last - 1) <= s->p->warmup_frac)
                break;
            last = now;
        }
    }
    return EC_OK;
}

static enum ec_status add_sample(const struct session *s, struct ec_timing *t, struct ec_err *err)
{
    struct ec_sample *x;

    EC_PASS(ec_grow(&t->sample, &t->cap, t->n + 1, sizeof *t->sample, err));
    x = &t->sample[t->n];
    memset(x, 0, sizeof *x);
    x->iteration = t->n;
    x->flags = "";
    EC_PASS(s->run(s->user, &x->host_ns, err));
    t->n++;
    return EC_OK;
}

/* The judgement sorts, so it is asked when there are half as many samples again, not at each. */
static enum ec_status repeat(const struct session *s, struct ec_timing *t, struct ec_err *err)
{
    int64_t ask = s->p->min_runs;

    for (;;) {
        EC_PASS(add_sample(s, t, err));
        t->stop = EC_STOP_RUNS;
        if (t->n >= s->p->max_runs)
            break;
        t->stop = EC_STOP_BUDGET;
        if (out_of_time(s, s->p->budget_s))
            break;
        if (t->n < ask)
            continue;
        t->stop = EC_STOP_ENOUGH;
        EC_PASS(ec_timing_judge(s->p, t, err));
        if (t->ci_frac <= s->p->ci_frac)
            break;
        ask = t->n + t->n / 2 + 1;
    }
    return EC_OK;
}

static double cpu_s(const struct rusage *u)
{
    return (double)u->ru_utime.tv_sec + (double)u->ru_stime.tv_sec +
           1e-6 * ((double)u->ru_utime.tv_usec + (double)u->ru_stime.tv_usec);
}

enum ec_status ec_protocol_run(const struct ec_protocol *p, ec_measured_run run, void *user,
                               bool (*stop)(void), struct ec_timing *ret, struct ec_err *err)
{
    struct session s = { p, run, user, stop, ec_clock_ns() };
    struct rusage before, after;
    enum ec_status st = EC_OK;
    int64_t start_ns;
    double wall_s;

    memset(ret, 0, sizeof *ret);
    EC_PASS(warm_up(&s, ret, err));
    getrusage(RUSAGE_THREAD, &before);
    start_ns = ec_clock_ns();
    st = repeat(&s, ret, err);
    getrusage(RUSAGE_THREAD, &after);
    wall_s = (double)(ec_clock_ns() - start_ns) / NS_PER_S;
    if (ret->n) {
        /* This thread works or spins all the time, unless others take its core or it waits for a
         * device. */
        ret->wait_frac = wall_s > 0 ? 1 - (cpu_s(&after) - cpu_s(&before)) / wall_s : 0;
        ret->wait_frac = ret->wait_frac > 0 ? ret->wait_frac : 0;
        if (!st)
            st = ec_timing_judge(p, ret, err);
    }
    return st;
}
