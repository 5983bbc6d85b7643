/* Inside report: numbers of a run, and the conditions of comparisons. */
#ifndef EC_REPORT_RUNS_INTERNAL_H
#define EC_REPORT_RUNS_INTERNAL_H

#include "report/query.h"
#include "report/runs.h"

/* Computed from a run; not finite when unknown. */
double ec_run_samples_per_s(const struct ec_run *r);
double ec_run_intensity(const struct ec_run *r);  /* FLOP per byte */
double ec_run_flop_per_s(const struct ec_run *r); /* achieved */
double ec_run_efficiency(const struct ec_run *r); /* of the peak */
double ec_run_attainable(const struct ec_run *r); /* FLOP/s under the roofs */
double ec_run_ridge(const struct ec_run *r);      /* FLOP per byte where the roofs meet */
/* What limits the step by its prediction, else by its arithmetic intensity; "": not known. */
const char *ec_run_limit(const struct ec_run *r);

/* What runs are grouped by, joined by '|'. */
enum ec__run_key {
    EC__BY_ENV = 1 << 0,
    EC__BY_NETWORK = 1 << 1,
    EC__BY_PIXELS = 1 << 2,
    EC__BY_TOKENS = 1 << 3,
    EC__BY_BATCH = 1 << 4,
    EC__BY_MODE = 1 << 5,
    EC__BY_PRECISION = 1 << 6,
    EC__BY_FRAMEWORK = 1 << 7,
    EC__BY_WORDS = 1 << 8, /* all conditions, the three above among them */
    EC__BY_DEVICE = 1 << 9,
    EC__BY_NUM_DEVICES = 1 << 10,
    EC__BY_THREADS = 1 << 11,
    EC__BY_LOADING = 1 << 12, /* whether batches were loaded beside the steps */
    EC__BY_FLAGS = 1 << 13,
    EC__BY_OUTCOME = 1 << 14,
    EC__BY_KIND = 1 << 15, /* measured or predicted, the whole or one of its layers */
    EC__BY_QUERY = EC__BY_NETWORK | EC__BY_PIXELS | EC__BY_TOKENS | EC__BY_MODE | EC__BY_PRECISION |
                   EC__BY_KIND,
    EC__BY_STEP = EC__BY_NETWORK | EC__BY_PIXELS | EC__BY_TOKENS | EC__BY_BATCH | EC__BY_WORDS,
};
/* Compares what these keys name, as strcmp does. */
int ec__run_compare(const struct ec_run *a, const struct ec_run *b, unsigned keys);
/* ret: clear it. Errors: NOMEM */
enum ec_status ec__runs_group(const struct ec_run *v, int n, unsigned keys, struct ec_groups *ret,
                              struct ec_err *err) EC_MUST_CHECK;
/* Whether the runs of a group have several values in these keys. */
bool ec__runs_vary(const struct ec_run *v, const struct ec_groups *g, int group, unsigned keys);
/* Fills a table with runs: the columns of EC_RUNS_ANALYSIS and what queries need besides. */
void ec__runs_into(struct ec__query *q, const char *table, const struct ec_run *runs, int n);
/* Whether batches were loaded beside the steps, which takes time of its own. */
bool ec__run_loads_data(const struct ec_run *r);

/* One device's share of the batch: below 1 where the source counts that of all devices. */
double ec__run_batch_share(const struct ec_run *r);

/* The conditions of comparisons: training steps if there are any, and the precision of most
 * environments; of equals that of most runs. */
struct ec_runs_common {
    const char *mode, *precision;
};
enum ec_status ec_runs_common(const struct ec_runs *r, struct ec_runs_common *ret,
                              struct ec_err *err) EC_MUST_CHECK;
bool ec_run_is_common(const struct ec_run *v, const struct ec_runs_common *c);
/* Appends the runs whose numbers a statement on the views of runs.sql gives. Borrows the texts.
 * Errors: NOMEM */
enum ec_status ec__runs_listed(const struct ec_runs *r, const char *sql, struct ec_runs *ret,
                               struct ec_err *err) EC_MUST_CHECK;

/* --- runs_left.c: runs without a time of their own, and noisy ones --- */

/* Adds the predicted need of memory of those that did not fit. Errors: NOMEM */
enum ec_status ec__runs_judge_left(struct ec_predictor *p, struct ec_runs *r,
                                   struct ec_err *err) EC_MUST_CHECK;
/* The runs that ran out of memory beside the need that is predicted. ret: clear it */
void ec__runs_misfits(const struct ec_runs *r, struct ec_table *ret);

#endif
