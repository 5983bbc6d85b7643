/* Limits of acceptance: what each job of a list is expected to reach, in a file of JSON. */
#ifndef EC_PLAN_THRESHOLDS_H
#define EC_PLAN_THRESHOLDS_H

#include "predict/predict.h"

struct ec_threshold {
    const char *job; /* its name */
    struct ec_interval ns;
    struct ec_amounts does;
};
struct ec_thresholds {
    double tolerance;       /* a share */
    struct ec_threshold *v; /* n, sorted by name; in the arena */
    int n;
};

/* Writes them as one object of JSON. */
void ec_thresholds_write(const struct ec_thresholds *l, struct ec_buf *out);
/* Errors: PARSE; INPUT for a name that is there twice, or numbers that are no limits */
enum ec_status ec_thresholds_parse(struct ec_span text, struct ec_arena *a,
                                   struct ec_thresholds *ret, struct ec_err *err) EC_MUST_CHECK;
/* Errors: NOT_FOUND, with near names */
enum ec_status ec_thresholds_find(const struct ec_thresholds *l, const char *job,
                                  const struct ec_threshold **ret,
                                  struct ec_err *err) EC_MUST_CHECK;

/* The job that a row of a table says: columns `model`, `op`, or `collective` and `bytes`; `device`;
 * the options of predictions by their names. Empty cells say nothing.
 * ret_name  of the column `job`, else made of the cells; in the arena
 * Errors    INPUT, with the column; NOMEM */
enum ec_status ec_job_of_row(const struct ec_csv *csv, int row, struct ec_arena *a,
                             struct ec_job *ret, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_job_name(const struct ec_csv *csv, int row, struct ec_arena *a,
                           const char **ret_name, struct ec_err *err) EC_MUST_CHECK;

#endif
