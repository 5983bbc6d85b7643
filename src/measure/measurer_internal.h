/* Shared by the kinds of campaign. */
#ifndef EC_MEASURER_INTERNAL_H
#define EC_MEASURER_INTERNAL_H

#include "measure/measurer.h"

/* Times of several parts of one run, kept apart: parts[part][run]. */
struct ec__parts {
    int n_parts, n_runs, cap_runs;
    int64_t *ns; /* run-major: n_runs * n_parts */
};
void ec__parts_clear(struct ec__parts *p);
/* Room for one more run; the caller fills n_parts numbers. NULL: no memory. */
int64_t *ec__parts_add(struct ec__parts *p);
/* The last whole->n runs of a part as a timing of its own. ret: ec_timing_clear it. */
enum ec_status ec__parts_timing(const struct ec_measurer *m, const struct ec__parts *p, int part,
                                const struct ec_timing *whole, struct ec_timing *ret,
                                struct ec_err *err) EC_MUST_CHECK;

/* Whether the row is in the file already; counts it when it is. */
enum ec_status ec__row_known(struct ec_measurer *m, const struct ec_row *row, bool *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* Completes outcome, flags and what is held out, and writes it unless it is known.
 * timing  NULL: why is the reason there is none */
enum ec_status ec__row_write(struct ec_measurer *m, struct ec_row *row,
                             const struct ec_timing *timing, struct ec_err *err) EC_MUST_CHECK;
/* The row of a failure; passes on what ends a campaign (NOMEM of the host, IO, STORE). */
enum ec_status ec__row_failed(struct ec_measurer *m, struct ec_row *row, enum ec_status why,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
