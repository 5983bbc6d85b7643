/* Measured layers: the time of each operator by phase, of any source of records. */
#ifndef EC_REPORT_OPERATORS_H
#define EC_REPORT_OPERATORS_H

#include "record/record.h"
#include "report/table.h"

struct ec_operator_time {
    const char *op, *phase, *device, *precision;
    double ns, flop, bytes;
};

struct ec_operator_times {
    struct ec_operator_time *v;
    int n, cap, n_unused; /* unused: updates, and rows without a time */
    struct ec_arena *a;   /* of the caller: holds the texts */
};

/* Adds a row if it is an operator's, its phases apart or timed as a whole. */
enum ec_status ec_operator_times_add(struct ec_operator_times *l, const struct ec_record *row,
                                     struct ec_err *err) EC_MUST_CHECK;
/* A line for each operator, phase, device and precision, those that take longest together first,
 * at most so many (0: all); *ret_n: how many there are. ret: clear it */
enum ec_status ec_operator_times_table(const struct ec_operator_times *l, int most, int *ret_n,
                                       struct ec_table *ret, struct ec_err *err) EC_MUST_CHECK;
void ec_operator_times_clear(struct ec_operator_times *l);

#endif
