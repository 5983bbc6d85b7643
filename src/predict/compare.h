/* Comparing families of regressors on measured operators. */
#ifndef EC_COMPARE_H
#define EC_COMPARE_H

#include "base/base.h"
#include "learn/learn.h"

/* What a regressor is told, docs/regressors.md. Each set holds those before it; terms stand alone:
 * times and counts to be added up. */
enum ec_feature_set {
    EC_FS_BASELINE,   /* geometry and device */
    EC_FS_OPERATIONS, /* and what is computed */
    EC_FS_MEMORY,     /* and what is moved */
    EC_FS_ROOFLINE,   /* and how long that takes at least, tiles, waves, alignment */
    EC_FS_ROUTES,     /* and the ways a library may take: tiles of gradients, FFT, Winograd */
    EC_FS_TERMS,
    EC_FS_COUNT
};
extern const char *const ec_feature_set_names[]; /* NULL-terminated */

struct ec_compare_opts {
    struct ec_strs data;     /* tables, or directories of them */
    struct ec_strs ops;      /* operator names or kinds: gemm, conv, vector, rnn */
    struct ec_strs families; /* none or "all": all */
    const char *features;    /* name of a set; "all" */
    const char *split;       /* random, kfold, group:device, group:family, logo:device ... */
    const char *layout;      /* read tables as this layout; NULL: as their columns tell */
    int64_t folds, max_rows, seed, threads, tune;
    const char *tune_state; /* file of a search that can be resumed; NULL: none */
    const char *save_path;  /* the best model, fitted on all rows; NULL: none */
    void (*progress)(void *ctx, const char *text);
    void *progress_ctx;
};

struct ec_compared {
    const char *family, *help;
    enum ec_feature_set set;
    int n_cols;
    struct ec_metrics m;    /* over the test rows of all rounds; values in ns */
    double worst_group_ape; /* mean APE of the worst device or family; splits by group */
    double fit_ns_per_round, predict_ns_per_row;
    bool best, failed;
    char why[160]; /* failed */
};
struct ec_comparison {
    struct ec_compared *v;
    int n, n_rows, n_rounds;
    int n_read, n_left_out;   /* rows of asked-for operators; those that could not be used */
    char first_left_out[160]; /* why the first of them could not */
};
/* Errors: INPUT for options that mean nothing or too few rows; those of reading tables. A family
 * that cannot be fitted here is a row that says so. */
enum ec_status ec_compare(const struct ec_compare_opts *o, struct ec_comparison *ret,
                          struct ec_err *err) EC_MUST_CHECK;
void ec_comparison_clear(struct ec_comparison *c);

#endif
