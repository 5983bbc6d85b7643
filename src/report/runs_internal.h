/* Inside report: numbers of a run, and the conditions of comparisons. */
#ifndef EC_REPORT_RUNS_INTERNAL_H
#define EC_REPORT_RUNS_INTERNAL_H

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

/* Whether run `i` is the first of its environment. */
bool ec_runs_env_is_new(const struct ec_runs *r, int i);

/* The conditions of comparisons: training steps if there are any, and the precision of most
 * environments; of equals that of most runs. */
struct ec_runs_common {
    const char *mode, *precision;
};
void ec_runs_common(const struct ec_runs *r, struct ec_runs_common *ret);
bool ec_run_is_common(const struct ec_run *v, const struct ec_runs_common *c);
/* The most important runs: of each network and environment the one with the largest batch. ret
 * borrows the texts of r. Errors: NOMEM */
enum ec_status ec_runs_leading(const struct ec_runs *r, struct ec_runs *ret,
                               struct ec_err *err) EC_MUST_CHECK;

/* Between a network's name and the reason, in notes. */
#define EC__UNCOUNTED " is not counted: "

/* --- runs_left.c: runs without a time of their own, and noisy ones --- */

/* Adds the predicted need of memory of those that did not fit. Errors: NOMEM */
enum ec_status ec__runs_judge_left(struct ec_predictor *p, struct ec_runs *r,
                                   struct ec_err *err) EC_MUST_CHECK;
/* Sentences: how many runs ran out of memory, drifted, failed or are noisy, and which. */
enum ec_status ec__runs_say_left(const struct ec_runs *r, struct ec_arena *a, struct ec_strs *ret,
                                 struct ec_err *err) EC_MUST_CHECK;
/* The runs that ran out of memory beside the need that is predicted. ret: clear it */
void ec__runs_misfits(const struct ec_runs *r, struct ec_table *ret);

#endif
