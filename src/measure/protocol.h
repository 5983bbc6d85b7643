/* The protocol of one measurement: what turns a thing to run into samples worth keeping.
 * docs/measurement-format.md */
#ifndef EC_PROTOCOL_H
#define EC_PROTOCOL_H

#include "engine/engine.h"
#include "store/store.h"

/* --- The protocol: one measurement --- */

/* When a measurement has warmed up, and when it has seen enough. Options: ec_protocol_fields. */
struct ec_protocol {
    int64_t warmup_runs; /* at least so many runs first */
    double warmup_frac;  /* ... and until two windows in a row differ by less than this */
    int64_t min_runs, max_runs;
    double ci_frac;       /* enough when the median's 95 % interval is within +- this share */
    double budget_s;      /* ... or when so much time has gone, warm-up included */
    double unstable_frac; /* first and last third further apart: drift, marked unstable */
};
extern const struct ec_field ec_protocol_fields[];

enum ec_stop { EC_STOP_ENOUGH, EC_STOP_BUDGET, EC_STOP_RUNS };
const char *ec_stop_name(enum ec_stop s); /* "ci", "budget", "count": docs/measurement-format.md */

struct ec_timing {
    int n, cap, n_warmup;
    struct ec_sample *sample; /* n; warm-up runs are not among them */
    enum ec_stop stop;
    bool unstable;     /* drift: the device slowed down, or was never warm */
    bool noisy;        /* the median is less well known than was asked for */
    double median_ns;  /* device time where there is one, else the host's */
    double ci_frac;    /* half-width of the median's interval as a share of it */
    double drift_frac; /* last third's median over the first's, minus 1 */
    double faults;     /* page faults of the calling thread per run */
    double wait_frac;  /* share of wall time in which the calling thread did not run: others took
                        * its core, or it waited for a device */
};
void ec_timing_clear(struct ec_timing *t);

/* Runs once and says how long it took. device_ns comes 0: no clock of its own. */
typedef enum ec_status (*ec_measured_run)(void *user, int64_t *host_ns, int64_t *device_ns,
                                          struct ec_err *err);
/* Repeats `run` as the protocol says. ret is valid (what was seen so far) even on failure.
 * stop     NULL, or asked between runs: true ends it (Ctrl-C), with EC_STOP_BUDGET
 * Errors   those of run; NOMEM */
enum ec_status ec_protocol_run(const struct ec_protocol *p, ec_measured_run run, void *user,
                               bool (*stop)(void), struct ec_timing *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* The statistics of what lies in t->sample; run does this itself. Errors: NOMEM */
enum ec_status ec_timing_judge(const struct ec_protocol *p, struct ec_timing *t,
                               struct ec_err *err) EC_MUST_CHECK;

#endif
