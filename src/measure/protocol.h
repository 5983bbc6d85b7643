/* The protocol of one measurement: how often a task is run, and which samples are kept.
 * docs/measurement-format.md */
#ifndef EC_PROTOCOL_H
#define EC_PROTOCOL_H

#include "engine/engine.h"
#include "store/store.h"

/* --- The protocol: one measurement --- */

/* When warm-up ends, and when a measurement ends. Options: ec_protocol_fields. */
struct ec_protocol {
    int64_t warmup_runs; /* at least so many runs first */
    double warmup_frac;  /* ... and until two windows in a row differ by less than this */
    int64_t min_runs, max_runs;
    double ci_frac;       /* end when the median's 95 % interval is within +- this share */
    double budget_s;      /* ... or when so much time has gone, warm-up included */
    double unstable_frac; /* first and last third further apart: drift, marked unstable */
};
extern const struct ec_field ec_protocol_fields[];
enum { EC_PROTOCOL_JUDGED = 6 }; /* the rows from here on hold for any samples, however many */

enum ec_stop { EC_STOP_ENOUGH, EC_STOP_BUDGET, EC_STOP_RUNS };

struct ec_timing {
    int n, cap, n_warmup;
    struct ec_sample *sample; /* n; warm-up runs are not among them */
    enum ec_stop stop;
    bool unstable; /* drift: the device slowed down, or was never warm */
    bool noisy;    /* the interval of the median is wider than requested */
    double median_ns;
    double ci_frac;    /* half-width of the median's interval as a share of it */
    double drift_frac; /* last third's median over the first's, minus 1 */
    double wait_frac;  /* share of wall time in which the calling thread did not run: others took
                        * its core, or it waited for a device */
};

#endif
