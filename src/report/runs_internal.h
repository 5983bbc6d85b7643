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

/* Opens the views of measured.sql, on runs alone. Close it, also after a failure. Errors: NOMEM */
enum ec_status ec__runs_views(const struct ec_run *runs, int n, struct ec__query *ret,
                              struct ec_err *err) EC_MUST_CHECK;
/* The runs, those left out, and the views of runs.sql too. They stay until the runs are cleared or
 * change, and whoever changes them says so. Errors: NOMEM */
enum ec_status ec__runs_query(struct ec_runs *r, struct ec__query **ret,
                              struct ec_err *err) EC_MUST_CHECK;
void ec__runs_changed(struct ec_runs *r);
/* A run as it is asked of predictions: what its source does not say is usual. Errors: NOMEM */
enum ec_status ec__run_asked(struct ec_predictor *p, const struct ec_record *given,
                             struct ec_record *ret, struct ec_err *err) EC_MUST_CHECK;
/* One device's share of the batch: below 1 where the source counts that of all devices, or several
 * devices share a network. */
double ec__run_batch_share(const struct ec_run *r);

/* The conditions of comparisons: training steps if there are any, and the precision of most
 * environments; of equals that of most runs. */
struct ec_runs_common {
    const char *mode, *precision;
};
enum ec_status ec_runs_common(struct ec_runs *r, struct ec_runs_common *ret,
                              struct ec_err *err) EC_MUST_CHECK;
bool ec_run_is_common(const struct ec_run *v, const struct ec_runs_common *c);
/* Appends the runs whose numbers a statement on the views of runs.sql gives. Borrows the texts.
 * Errors: NOMEM */
enum ec_status ec__runs_listed(struct ec_runs *r, const char *sql, struct ec_runs *ret,
                               struct ec_err *err) EC_MUST_CHECK;

/* --- runs_left.c: runs without a time of their own, and noisy ones --- */

/* Adds the predicted need of memory of those that did not fit. Errors: NOMEM */
enum ec_status ec__runs_judge_left(struct ec_predictor *p, struct ec_runs *r,
                                   struct ec_err *err) EC_MUST_CHECK;

#endif
