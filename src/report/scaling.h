/* Measured data-parallel steps beside their predictions: the table of `epochcast measure ddp`. */
#ifndef EC_REPORT_SCALING_H
#define EC_REPORT_SCALING_H

#include "predict/predict.h"
#include "report/table.h"

void ec_scaling_table(struct ec_table *t);

/* Appends the networks of such a table, with steps on 2 and 4 processes that were not measured.
 * A step of several processes is predicted from the measured step of one.
 * csv    model, ranks, batch_per_rank, optimizer, precision, step_ns, threads, device
 * ret_why  why rows have no prediction, in the arena; "": all have one
 * Errors: NOMEM */
enum ec_status ec_scaling_rows(struct ec_predictor *p, const struct ec_csv *csv, struct ec_arena *a,
                               struct ec_table *t, const char **ret_why,
                               struct ec_err *err) EC_MUST_CHECK;

/* A network's step on several processes of this machine. */
struct ec_scaling_job {
    const char *network, *optimizer;
    int64_t batch; /* of one process */
    int ranks;
    double alone_ns; /* the measured step of one process */
};
struct ec_scaling_answer {
    double plain_ns;    /* as `predict` answers; 0: it cannot */
    double from_run_ns; /* from the step of one process */
};
/* Errors: NOMEM */
enum ec_status ec_scaling_predict(struct ec_predictor *p, const struct ec_scaling_job *job,
                                  struct ec_scaling_answer *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
