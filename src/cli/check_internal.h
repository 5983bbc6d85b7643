/* Options of epochcast check, shared by its files. */
#ifndef EC_CHECK_INTERNAL_H
#define EC_CHECK_INTERNAL_H

#include "cli/evaluate_internal.h"
#include "plan/plan.h"

#include "check_opts.h"

/* Exit status, for scripts. */
static const int check_exits[] = {
    [EC_VERDICT_NORMAL] = 0, [EC_VERDICT_SLOWER] = 3, [EC_VERDICT_FASTER] = 4
};
int ec__check_exit(const int n[3]); /* of several runs, so many of each verdict */
/* --tolerance as a share; unchanged where it is not given. Errors: of usage */
enum ec_status ec__check_tolerance(struct ec_call *call, double *ret,
                                   struct ec_err *err) EC_MUST_CHECK;

/* check_thresholds.c: --thresholds and --against. Errors: of usage; those of the files and
 * predictions
 */
enum ec_status ec__check_thresholds(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__check_against(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;

#endif
