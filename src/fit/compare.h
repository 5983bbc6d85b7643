/* Comparing kinds of regressors on measured operators. */
#ifndef EC_COMPARE_H
#define EC_COMPARE_H

#include "predict/predict.h"

struct ec_compare_opts {
    struct ec_strs data;     /* tables, or directories of them */
    struct ec_strs ops;      /* operator names or kinds: gemm, conv, vector, rnn */
    struct ec_strs families; /* none or "all": all */
    const char *features;    /* name of a set; "all" */
    const char *split;       /* random, kfold, group:device, logo:batch ... */
    const char *mapping;     /* tables are read by it (struct ec_table_given); NULL: by columns */
    int64_t folds, max_rows, seed, threads, tune;
    int fewest;             /* rows that must be usable; 0: 20 */
    const char *tune_state; /* file of a search that can be resumed; NULL: none */
    const char *save_path;  /* the best model, fitted on all rows; NULL: none */
    const char *rows_path;  /* tested rows with what each family said of them; NULL: none */
    void (*progress)(void *ctx, const char *text);
    void (*tried)(void *ctx, const char *text); /* of a search under way; NULL: silent */
    void *progress_ctx;
};

struct ec_compared {
    const char *family, *help;
    enum ec_feature_set set;
    int n_cols;
    struct ec_metrics m;    /* over the test rows of all rounds; values in ns */
    double worst_group_ape; /* mean APE of the worst device or family; splits by group */
    double fit_ns_per_round, predict_ns_per_row;
    int n_held;        /* predictions far outside the range of the training rows, held at its end */
    double *predicted; /* of each row, NaN where it was not tested; with rows_path */
    bool best, failed;
    char why[160]; /* failed */
};
struct ec_comparison {
    struct ec_compared *v;
    int n, n_rows, n_rounds, n_tested;
    bool by_group;
    int n_read, n_left_out;   /* rows of asked-for operators; those that could not be used */
    char first_left_out[160]; /* why the first of them could not */
};
/* Linear models of logarithms extrapolate without limit: their predictions are
 * held between the shortest time of the training rows over this and the longest times this. */
#define EC_LINEAR_REACH 10.0
/* Errors: INPUT for options that mean nothing or too few rows; those of reading tables. A family
 * that cannot be fitted here is a row that says so. */
enum ec_status ec_compare(const struct ec_compare_opts *o, struct ec_comparison *ret,
                          struct ec_err *err) EC_MUST_CHECK;
void ec_comparison_clear(struct ec_comparison *c);

#endif
