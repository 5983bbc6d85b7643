/* Options of epochcast check, shared by its files. */
#ifndef EC_CHECK_INTERNAL_H
#define EC_CHECK_INTERNAL_H

#include "cli/evaluate_internal.h"
#include "plan/plan.h"

struct check_opts {
    struct ec_strs model, device;
    const char *op, *bytes, *measured, *from, *tolerance, *thresholds, *against, *profile, *mapping;
    enum ec_collective collective;
    struct ec_table_given given;
    struct ec_forms forms;
    struct ec_predict_opts query;
};

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
