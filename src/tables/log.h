/* Logs of training loops. */
#ifndef EC_TABLES_LOG_H
#define EC_TABLES_LOG_H

#include "base/base.h"

/* So many steps took so long. */
struct ec_log_span {
    double steps, seconds;
};
struct ec_log {
    int64_t step, steps;   /* the last; of so many, 0: not said */
    struct ec_log_span *v; /* n, in order, between lines with a clock; else by rates */
    int n;
    double step_ns; /* median of `counted` steps, all but those of the first span */
    double counted;
};
/* Errors: PARSE where no time of a step is found; NOMEM */
enum ec_status ec_log_read(struct ec_span text, struct ec_log *ret,
                           struct ec_err *err) EC_MUST_CHECK;
void ec_log_clear(struct ec_log *l);

#endif
