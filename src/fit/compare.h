/* Comparison of regressors on measured operators. */
#ifndef EC_COMPARE_H
#define EC_COMPARE_H

#include "predict/predict.h"

struct ec_compare_opts {
    struct ec_strs data;         /* tables, or directories of them */
    const char *store;           /* and the rows of a store; NULL: none */
    struct ec_strs ops;          /* operator names or kinds: gemm, conv, vector, rnn */
    struct ec_strs families;     /* none or "all": all */
    const char *features;        /* name of a set; "all" */
    const char *split;           /* random, kfold, group:device, logo:batch ... */
    struct ec_table_given given; /* mapping, device and environments: how tables are read */
    int64_t folds, max_rows, seed, threads, tune;
    int fewest;             /* least number of usable rows; 0: 20 */
    const char *tune_state; /* file of a search that can be resumed; NULL: none */
    const char *save_path;  /* the best model, fitted on all rows; NULL: none */
    const char *rows_path;  /* CSV of tested rows with each family's prediction; NULL: none */
    void (*progress)(void *ctx, const char *text);
    void (*tried)(void *ctx, const char *text); /* progress of a search; NULL: silent */
    void *progress_ctx;
};

struct ec_compared {
    const char *family, *help;
    enum ec_feature_set set;
    int n_cols;
    struct ec_metrics m;    /* over the test rows of all rounds; errors in ns */
    double worst_group_ape; /* largest mean APE of a group; splits by group */
    double fit_ns_per_round, predict_ns_per_row;
    int n_held;        /* predictions beyond the training rows' range that were set to its end */
    double *predicted; /* ns of each row, NaN where it was not tested; with rows_path */
    bool best, failed;
    char why[160]; /* why it failed */
};
struct ec_comparison {
    struct ec_compared *v;
    int n, n_rows, n_rounds, n_tested;
    bool by_group;
    int n_read, n_left_out;   /* rows of the operators; those of them that could not be used */
    char first_left_out[160]; /* reason of the first */
};
/* Linear models of logarithms extrapolate without limit. Their predictions are limited to the range
 * of the training times, extended by this factor on both ends. */
#define EC_LINEAR_REACH 10.0
/* Fits and tests each family. A family that cannot be fitted here is a row with `failed`. Errors:
 * INPUT for bad options or too few rows; those of reading tables */
enum ec_status ec_compare(const struct ec_compare_opts *o, struct ec_comparison *ret,
                          struct ec_err *err) EC_MUST_CHECK;
void ec_comparison_clear(struct ec_comparison *c);

#endif
