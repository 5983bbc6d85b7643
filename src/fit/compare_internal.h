/* Shared inside the comparison: measured operators as rows of features. */
#ifndef EC_COMPARE_INTERNAL_H
#define EC_COMPARE_INTERNAL_H

#include "fit/compare.h"
#include "predict/predict.h"

/* Rows of operators: x is n x EC_FEATURE_COUNT, row after row; the rest is for splits and reports.
 * Texts are in the arena. */
struct ec_operator_rows {
    int n, cap;
    double *x, *time_ns;
    const char **device, **family; /* keys of the catalogue; groups of the mapping */
    const char **what, **timed;    /* case text; phase or mode of the time */
    const char **optimizer;
    int n_read, n_other;   /* rows of the operators; those of them that could not be used */
    char first_other[160]; /* reason of the first */
    struct ec_arena arena;
};

/* What rows may be split by. */
enum ec_by {
    EC_BY_NOTHING,
    EC_BY_ROW_DEVICE,
    EC_BY_ROW_FAMILY,
    EC_BY_ROW_BATCH,         /* the first dimension of the first input */
    EC_BY_ROW_CONFIGURATION, /* the case without the batch */
    EC_BY_ROW_COUNT
};
struct ec_by_name {
    const char *word, *many;
};
extern const struct ec_by_name ec__by_names[EC_BY_ROW_COUNT];
/* Group numbers of the rows, from 0 in order of appearance. ret_group: n numbers, the caller frees.
 * Errors: NOMEM */
enum ec_status ec__number_groups(const struct ec_operator_rows *r, enum ec_by by, int **ret_group,
                                 int *ret_n, struct ec_err *err) EC_MUST_CHECK;
/* What a split "group:..." or "logo:..." is by; NULL for others. */
const char *ec__split_by(const char *text, enum ec_split_kind *ret_kind);
/* Parses a split such as "group:device". Errors: INPUT */
enum ec_status ec__parse_split(const char *text, enum ec_split_kind *ret_kind, enum ec_by *ret_by,
                               struct ec_err *err) EC_MUST_CHECK;
/* Splits the rows. Errors: INPUT for too few groups, with the splits that are possible; NOMEM */
enum ec_status ec__split_operator_rows(const struct ec_compare_opts *o,
                                       const struct ec_operator_rows *r, struct ec_split *ret,
                                       int **ret_group, int *ret_n_groups,
                                       struct ec_err *err) EC_MUST_CHECK;

/* Writes the tested rows with each family's prediction as CSV. Errors: IO, NOMEM */
enum ec_status ec__compare_write_rows(const struct ec_operator_rows *r, const struct ec_compared *v,
                                      int n, const char *path, struct ec_err *err) EC_MUST_CHECK;

/* The operator of a measured row. A training step of a lone operator also updates its input and its
 * target, as its benchmarks do. Errors: those of ec_case_parse and ec_device_find; UNSUPPORTED for
 * a case without kernels */
enum ec_status ec__operator_of(const struct ec_record *m, struct ec_operator *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* Reads the rows of all tables under the paths of the options. Errors: those of reading tables,
 * INPUT, NOMEM */
enum ec_status ec__operator_rows_read(const struct ec_compare_opts *o, bool with_offsets,
                                      struct ec_operator_rows *ret,
                                      struct ec_err *err) EC_MUST_CHECK;
void ec__operator_rows_clear(struct ec_operator_rows *r);

/* The range of n values, of the listed rows or the first ones, and what a linear model may go
 * beyond it. */
void ec__reach(const double *y, const int *row, int n, double *ret_lo, double *ret_hi);
/* Writes a model to a file. Errors: IO, NOMEM */
enum ec_status ec__model_write(const struct ec_regressor *m, const char *path,
                               struct ec_err *err) EC_MUST_CHECK;

/* Limits *v to lo...hi; returns whether it was outside. NaN stays. */
static inline bool ec__held(double *v, double lo, double hi)
{
    bool held = *v < lo || *v > hi;

    if (held)
        *v = *v < lo ? lo : hi;
    return held;
}

#endif
