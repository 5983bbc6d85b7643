/* Measured tables beside predictions, for `evaluate` and `check`. */
#ifndef EC_EVALUATE_INTERNAL_H
#define EC_EVALUATE_INTERNAL_H

#include "cli/cli.h"
#include "predict/predict.h"

#include "evaluate_opts.h"

/* How many times are as expected, slower, faster (enum ec_verdict), within a tolerance. */
struct ec__verdicts {
    double tolerance; /* a share */
    int n[3];
};
/* Reads the tables and prints. verdicts: of each row is printed and counted; NULL: not. Errors: of
 * usage; those of the tables */
enum ec_status ec__evaluate(struct ec_call *call, const struct evaluate_opts *o,
                            struct ec__verdicts *verdicts, struct ec_err *err) EC_MUST_CHECK;

#endif
