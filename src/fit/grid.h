/* Regressors of a table of configurations: one row per run of a network, with columns for varied
 * parameters and for measured values. */
#ifndef EC_GRID_H
#define EC_GRID_H

#include "base/base.h"
#include "tables/tables.h"
#include "epochcast/predict.h"
#include "learn/learn.h"

/* Up to so many configurations are each predicted by a fit on all others. */
#define EC_GRID_FEW 20
#define EC_GRID_FOLDS 5

struct ec_grid_opts {
    const char *table;           /* CSV, or a folder of such */
    struct ec_strs more;         /* tables and folders under it */
    const char *store;           /* in its place a store; NULL: none */
    struct ec_table_given given; /* mapping and environments: how the table is read */
    const char *target;          /* column to predict */
    const char *features;        /* columns, joined by commas */
    const char *network;  /* built-in network whose parameters the columns are; "each": that of each
                             row; "": none */
    const char *model;    /* only rows of it, where a column has the network; NULL: all */
    struct ec_strs where; /* only rows that have a word in a column: "precision=amp" */
    const char *accuracy; /* column, for ec_grid_whatif; NULL: by its name; "": none */
    int64_t batch;        /* when no feature is the batch; 0: 32 */
    const char *device, *precision, *framework,
        *optimizer;      /* of the runs; device "" and the others NULL: those of each row */
    const char *host;    /* host of a GPU; NULL: the reference host. Saved models do not keep it */
    const char *profile; /* file of a profile of the device; NULL: none */
    struct ec_strs families; /* of ec_grid_compare; none or "all": all */
    const char *family;      /* of ec_grid_whatif; NULL: ours */
    const char *save_path;   /* the best model of ec_grid_compare, fitted on all rows; NULL: none */
    const char *split;       /* kfold, random, group:COLUMN or logo:COLUMN */
    int64_t folds, seed, tune; /* folds 0: EC_GRID_FOLDS, or of few configurations one for each;
                                  tune: tries of options in each round; 0: none */
    struct ec_said *said; /* gets the tables and the rows that are left out; NULL: nobody does */
};
extern const struct ec_field ec_grid_fields[]; /* the members before `families` */
/* Fills target, features, network, precision, framework and optimizer where they are NULL, by the
 * names of the table's columns and its rows (docs/tables.md); a condition in which the rows differ
 * stays NULL. Texts go to the arena. Errors:
 * those of reading the table; INPUT when the table lacks one */
enum ec_status ec_grid_fill(struct ec_grid_opts *o, struct ec_arena *a,
                            struct ec_err *err) EC_MUST_CHECK;

struct ec_grid_family {
    const char *family;
    double *predicted; /* n_rows predictions; set where tested[] */
    struct ec_metrics m;
    double worst_group_ape; /* largest mean error of a group; splits by group */
    bool best, failed;
    char why[160]; /* why it failed: a library that is not here */
};
#define EC_GRID_FAMILIES 6
struct ec_grid_fit {
    int n, n_rows, n_rounds, n_tested;
    bool by_group;
    struct ec_grid_family v[EC_GRID_FAMILIES];
    const char *target, *features;
    double *measured;
    bool *tested;
    char note[256];         /* what our family corrects */
    struct ec_strs devices; /* sentences: which is preferable, where several ran the same */
    struct ec_arena arena;
};
/* Tests linear regression, a power law, a dense network and our family on the same split; trees too
 * when they are named. Errors: those of
 * reading the table; INPUT for missing columns or cells that are no numbers; NOT_FOUND */
enum ec_status ec_grid_compare(const struct ec_grid_opts *o, struct ec_grid_fit *ret,
                               struct ec_err *err) EC_MUST_CHECK;
void ec_grid_fit_clear(struct ec_grid_fit *g);

/* A hypothetical configuration with its prediction. */
#define EC_GRID_COLS_MAX 32
struct ec_grid_answer {
    const char *device;             /* its word in the column of devices; "": all have one */
    double value[EC_GRID_COLS_MAX]; /* values of the features */
    struct ec_interval target;      /* 5, 50, 95 % points, in the target's unit */
    double measured;                /* mean over rows of this configuration; 0: none */
    struct ec_interval accuracy;    /* 0 to 1; all 0: not known */
    bool front;                     /* none is expected to be faster and more accurate */
    bool extrapolates;              /* outside the range of a column */
    const char *outside;            /* the columns and factors; "": none */
};
struct ec_grid_answers {
    int n, cap, n_cols;
    const char *names[EC_GRID_COLS_MAX];
    struct ec_grid_answer *v;
    double least;         /* smallest median, also beyond the budget; 0: none */
    const char *accuracy; /* column that is predicted; "": none */
    double accuracy_off;  /* mean error of the accuracy on held-out rows; the largest of devices */
    double accuracy_spread; /* the same of a guess: their mean */
    const char *device_col; /* the column of several devices; NULL: one */
    struct ec_strs notes;   /* what our family corrects */
    struct ec_arena arena;
};
/* Predicts hypothetical configurations on each device of the table, sorted by their time, measured
 * or else predicted; and their accuracy, if enough rows of the table have it. set     "depth=3",
 * "base_filters=48"; several values of one feature are several configurations. A feature that is
 * not set takes each value of the table, unless it follows from the others, and one that follows
 * cannot be set. The word of a column, "precision=amp", keeps its rows budget  keep configurations
 * with a measured time, or else a median, up to it; 0: all Errors  as ec_grid_compare */
enum ec_status ec_grid_whatif(const struct ec_grid_opts *o, const struct ec_strs *set,
                              double budget, struct ec_grid_answers *ret,
                              struct ec_err *err) EC_MUST_CHECK;
void ec_grid_answers_clear(struct ec_grid_answers *a);

#endif
