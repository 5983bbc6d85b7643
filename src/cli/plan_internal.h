/* Shared by the files of epochcast plan. */
#ifndef EC_PLAN_CMD_INTERNAL_H
#define EC_PLAN_CMD_INTERNAL_H

#include "cli/cli.h"
#include "plan/plan.h"

#include "plan_opts.h"

struct plan_job {
    bool tokens, images; /* what the network takes */
    double params;
    double experts; /* of a layer that has most; 1: none */
};
/* Sets what is usual for the network and was not said. Errors: those of reading it */
enum ec_status ec__plan_settle(struct ec_call *call, struct plan_job *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* --jobs. Errors: of usage; those of reading the table, its networks and devices */
enum ec_status ec__plan_jobs(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;

/* A row of the table: a configuration with its whole answer. */
struct plan_row {
    const struct ec_plan_point *at;
    struct ec_predict_opts opts;
    struct ec_prediction r;
    const char *command; /* that gives the same answer */
    const char *why;     /* it is in the table */
    const char *mark;    /* NULL: none */
};
struct plan_answer {
    struct ec_plan_query q;
    struct ec_plan found;
    struct ec_plan_front front;
    struct plan_row *v;
    int n;
    const char *why_not; /* a sentence; NULL: not asked */
};

/* "zero 3, tp 2, recompute, qlora": how devices share it, and what else of it was searched. In the
 * arena; NULL: NOMEM */
const char *ec__plan_how(const struct ec_plan_query *q, const struct plan_row *row,
                         struct ec_arena *a);
/* "2 x 8": samples that a replica takes at once, and how often in a step. In the arena; NULL: NOMEM
 */
const char *ec__plan_batches(const struct plan_row *row, struct ec_arena *a);
/* The table with what is said around it, and the picture. Errors: NOMEM, IO */
enum ec_status ec__plan_show(struct ec_call *call, const struct plan_answer *a,
                             struct ec_err *err) EC_MUST_CHECK;

#endif
