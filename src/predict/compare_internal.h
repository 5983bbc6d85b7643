/* Shared by the parts of a comparison: measured operators as rows of features. */
#ifndef EC_COMPARE_INTERNAL_H
#define EC_COMPARE_INTERNAL_H

#include "predict/features.h"

/* Rows of operators as features: n x EC_FEATURE_COUNT, and what is needed to split them. */
struct ec_operator_rows {
    int n, cap;
    double *x, *time_ns;
    const char **device, **family; /* keys: of the catalogue; of the layout's groups */
    int n_read, n_other;           /* rows of asked-for operators; those that could not be used */
    char first_other[160];         /* why the first of them could not */
    struct ec_arena arena;
};

enum ec_by { EC_BY_NOTHING, EC_BY_ROW_DEVICE, EC_BY_ROW_FAMILY };

/* Rows of the tables under the paths of the options. */
enum ec_status ec__operator_rows_read(const struct ec_compare_opts *o, bool with_offsets,
                                      struct ec_operator_rows *ret,
                                      struct ec_err *err) EC_MUST_CHECK;
void ec__operator_rows_clear(struct ec_operator_rows *r);

#endif
