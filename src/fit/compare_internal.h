/* Shared by the parts of a comparison: measured operators as rows of features. */
#ifndef EC_COMPARE_INTERNAL_H
#define EC_COMPARE_INTERNAL_H

#include "fit/compare.h"
#include "predict/predict.h"

/* Rows of operators as features: n x EC_FEATURE_COUNT, and what is needed to split them. */
struct ec_operator_rows {
    int n, cap;
    double *x, *time_ns;
    const char **device, **family; /* keys: of the catalogue; of the layout's groups */
    const char **what, **timed;    /* case text; phase, or what else the time is of */
    const char **optimizer;
    int n_read, n_other;   /* rows of asked-for operators; those that could not be used */
    char first_other[160]; /* why the first of them could not */
    struct ec_arena arena;
};

/* What rows may be split by. */
enum ec_by {
    EC_BY_NOTHING,
    EC_BY_ROW_DEVICE,
    EC_BY_ROW_FAMILY,
    EC_BY_ROW_BATCH,         /* the first dimension of the first input */
    EC_BY_ROW_CONFIGURATION, /* the case without that */
    EC_BY_ROW_COUNT
};
struct ec_by_name {
    const char *word, *many;
};
extern const struct ec_by_name ec__by_names[EC_BY_ROW_COUNT];
/* Numbers of the rows' groups, in order of appearance: n of them, the caller frees. */
enum ec_status ec__number_groups(const struct ec_operator_rows *r, enum ec_by by, int **ret_group,
                                 int *ret_n, struct ec_err *err) EC_MUST_CHECK;
/* "group:device" to its parts. Errors: INPUT */
enum ec_status ec__parse_split(const char *text, enum ec_split_kind *ret_kind, enum ec_by *ret_by,
                               struct ec_err *err) EC_MUST_CHECK;
/* Splits the rows; what too few groups are, and what else could be taken, is in the sentence. */
enum ec_status ec__split_operator_rows(const struct ec_compare_opts *o,
                                       const struct ec_operator_rows *r, struct ec_split *ret,
                                       int **ret_group, int *ret_n_groups,
                                       struct ec_err *err) EC_MUST_CHECK;

/* CSV of the rows that were tested, with what each family said of them. */
enum ec_status ec__compare_write_rows(const struct ec_operator_rows *r, const struct ec_compared *v,
                                      int n, const char *path, struct ec_err *err) EC_MUST_CHECK;

/* The operator of a measured row. The training step of a lone operator updates its input and its
 * target too, as the benchmarks do that time it. Errors: those of ec_case_parse and of
 * ec_device_find; UNSUPPORTED for a case without kernels */
enum ec_status ec__operator_of(const struct ec_record *m, struct ec_operator *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* Rows of the tables under the paths of the options. */
enum ec_status ec__operator_rows_read(const struct ec_compare_opts *o, bool with_offsets,
                                      struct ec_operator_rows *ret,
                                      struct ec_err *err) EC_MUST_CHECK;
void ec__operator_rows_clear(struct ec_operator_rows *r);

/* A prediction that leaves the range goes to its nearer end; whether it did. NaN stays. */
static inline bool ec__held(double *v, double lo, double hi)
{
    bool held = *v < lo || *v > hi;

    if (held)
        *v = *v < lo ? lo : hi;
    return held;
}

#endif
