/* Regression and error metrics on matrices of numbers; knows nothing of networks or devices. */
#ifndef EC_LEARN_H
#define EC_LEARN_H

#include "base/base.h"

/* Errors of predictions, the members in the order in which they are printed. Relative errors are
 * fractions (0.05 is 5 %). */
struct ec_metrics {
    int n;
    double median_ape, mean_ape, p90_ape, worst_ape;
    double rmse, mae; /* in the unit of the values */
    double r2;        /* not finite where the values do not differ: of one row */
    double bias;      /* median of predicted / measured */
    double coverage;  /* share of values inside [lo, hi], 0 to 1; 0 without bounds, NaN where bounds
                         are NaN */
};
/* lo and hi may be NULL. n = 0 gives zeros. Errors: NOMEM */
enum ec_status ec_metrics_compute(const double *measured, const double *predicted, const double *lo,
                                  const double *hi, int n, struct ec_metrics *ret,
                                  struct ec_err *err) EC_MUST_CHECK;

/* Quantile with linear interpolation between order statistics; sorts `v`. n >= 1. */
double ec_quantile_inplace(double *v, int n, double q);

/* Standard deviations from the median of a normal distribution to where 5 % are left on that side.
 */
#define EC_NORMAL_95 1.645

/* Robust nonlinear least squares: Levenberg-Marquardt on Huber-weighted residuals with Gaussian
 * priors around zero. Derivatives by central differences. Rows are cut into a fixed number of
 * pieces, summed in order, so that any number of threads gives the same bits. */
struct ec_lm_slopes;
struct ec_lm_problem {
    int n_params, n_rows;
    void *ctx;
    double (*residual)(const void *ctx, const double *x, int row);
    bool (*depends)(const void *ctx, int param, int row); /* NULL: every row on every parameter */
    const double *prior_sd;                               /* n_params; 0: no prior */
    const double *weight;                                 /* n_rows; NULL: 1 */
    double huber; /* beyond this |residual| the loss grows linearly */
    int max_iterations, n_threads;
    void (*progress)(void *progress_ctx, int iteration, double loss); /* NULL: silent */
    void *progress_ctx;
    /* Derivatives kept from an earlier fit, used in place of new ones in each step. The fit then
     * computes none, and ends the closer to the optimum the nearer it starts. NULL: none */
    const struct ec_lm_slopes *slopes;
    const int *slopes_row; /* n_rows: the row in `slopes` of each row */
};
/* x: start on entry, optimum on return. Errors: NOMEM, UNSTABLE when no step lowers the loss of a
 * start that is not finite. */
enum ec_status ec_lm_fit(const struct ec_lm_problem *p, double *x, double *ret_loss,
                         struct ec_err *err) EC_MUST_CHECK;
/* Derivatives of every residual at x, for fits to parts of the rows that start near it; the caller
 * frees. Errors: NOMEM. */
enum ec_status ec_lm_slopes_at(const struct ec_lm_problem *p, const double *x,
                               struct ec_lm_slopes **ret, struct ec_err *err) EC_MUST_CHECK;
void ec_lm_slopes_free(struct ec_lm_slopes *s);
/* What the rows and the priors leave open: the standard deviation of each parameter at the optimum
 * x, by the Gauss-Newton Hessian. ret_sd: n_params. Errors: NOMEM, UNSTABLE when neither
 * determines some of the parameters */
enum ec_status ec_lm_posterior_sd(const struct ec_lm_problem *p, const double *x, double *ret_sd,
                                  struct ec_err *err) EC_MUST_CHECK;
/* The part of a row in that Hessian, by p->slopes: weight times the products of its slopes. */
struct ec_lm_row {
    int n;
    const int *param;   /* n */
    const float *slope; /* n, none is 0 */
    double weight;      /* the row's, less where its residual is large */
};
struct ec_lm_row ec_lm_row_at(const struct ec_lm_problem *p, const double *x, int row);

/* --- Regressors: from a table of numbers to a fitted model -------------------------------------
 *
 * A recipe names a kind, its options and what the kind sees in place of the measured values. Fits
 * are deterministic for a seed, on any number of threads. */
#define EC_LEARN_COLS_MAX 255 /* trees keep one number of a byte for themselves */

/* The rows of a fit; borrowed. All numbers are finite. */
struct ec_rows {
    const double *x;          /* n x n_cols, row after row */
    const double *y;          /* n; above zero for targets with a logarithm */
    const char *const *names; /* n_cols */
    int n, n_cols;
    const double *weight; /* n, used by forest and gbt only; NULL: 1 */
};

/* The target that a kind is fitted to, from y; predictions are converted back.
 * plain: y; log: log(y); ratio: log(y) - x[base_col], where the base column is a logarithm */
enum ec_target { EC_TARGET_PLAIN, EC_TARGET_LOG, EC_TARGET_RATIO, EC_TARGET_COUNT };
extern const char *const ec_target_names[]; /* NULL-terminated */

/* Trains dense networks in place of the loops of this folder. The caller provides it, since the
 * engine depends on this folder. Numbers are float32, standardised; matrices are row-major. */
struct ec_ann_shape {
    int n_layers;     /* hidden ones and the output */
    const int *width; /* n_layers + 1: columns, units ..., 1 */
    bool silu;        /* activation of the hidden layers; else ReLU */
    int loss;         /* 0 squares, 1 absolute, 2 Huber with a knee at 0.3 */
    int64_t batch;    /* rows per step, and largest number of rows per prediction */
};
struct ec_ann_engine {
    /* weights: of each layer (inputs x outputs), then its biases. Errors: BACKEND, NOMEM */
    enum ec_status (*open)(const struct ec_ann_shape *shape, const float *weights, void **ret,
                           struct ec_err *err);
    /* One step of Adam on `batch` rows. decay: weight decay, times the rate */
    enum ec_status (*step)(void *net, const float *x, const float *y, double rate, double decay,
                           struct ec_err *err);
    enum ec_status (*predict)(void *net, const float *x, int n, float *ret, struct ec_err *err);
    enum ec_status (*weights)(void *net, float *ret, struct ec_err *err);
    void (*close)(void *net);
};

struct ec_learn_env {
    uint64_t seed;
    const struct ec_ann_engine *ann;               /* NULL: the loop of `learn` */
    void (*progress)(void *ctx, const char *text); /* NULL: silent */
    void *progress_ctx;
};

struct ec_regressor_kind;
struct ec_recipe {
    const struct ec_regressor_kind *kind;
    const void *opts; /* the struct that kind->fields describes */
    enum ec_target target;
    int base_col;                    /* EC_TARGET_RATIO; otherwise -1 */
    const struct ec_recipe *members; /* ensembles: their members; borrowed */
    int n_members;
};

/* What a kind is fitted with. */
struct ec_fitting {
    const struct ec_recipe *r;
    const struct ec_rows *rows; /* y is the transformed target */
    const struct ec_learn_env *env;
    struct ec_arena *a; /* the model's */
};

struct ec_bytes;
struct ec_regressor_kind {
    const char *name, *help;
    const struct ec_field *fields; /* options */
    size_t opts_size, state_size;
    /* Fills the state, which comes as zeros. */
    enum ec_status (*fit)(const struct ec_fitting *f, void *state, struct ec_err *err);
    /* One row: n_cols numbers to the transformed target. */
    double (*predict)(const void *state, const double *x, int n_cols);
    /* Writes the state to a model file, or reads it back. */
    void (*members)(struct ec_bytes *io, void *state, int n_cols);
    void (*describe)(const void *state, const char *const *names, int n_cols, struct ec_buf *out);
    void (*clear)(void *state); /* what is not in the arena; NULL: nothing */
};

/* kind     name of the kind
 * options  "trees=200 depth=6"; NULL or empty: defaults
 * ret      opts live in the arena; target plain
 * Errors   NOT_FOUND with near names, INPUT, NOMEM */
enum ec_status ec_recipe_parse(const char *kind, const char *options, struct ec_arena *a,
                               struct ec_recipe *ret, struct ec_err *err) EC_MUST_CHECK;

struct ec_regressor; /* a fitted model */
/* Errors: INPUT for rows that are not finite or too few; UNSUPPORTED when the kind needs a library
 * that is not here; NOMEM */
enum ec_status ec_regressor_fit(const struct ec_recipe *r, const struct ec_rows *rows,
                                const struct ec_learn_env *env, struct ec_regressor **ret,
                                struct ec_err *err) EC_MUST_CHECK;
void ec_regressor_free(struct ec_regressor *r);
/* x: n rows of the columns it was fitted with. */
void ec_regressor_predict(const struct ec_regressor *r, const double *x, int n, double *ret);
int ec_regressor_cols(const struct ec_regressor *r);
const char *const *ec_regressor_names(const struct ec_regressor *r); /* of the columns */
const char *ec_regressor_kind_name(const struct ec_regressor *r);

/* Stores a description of the fitted rows (JSON) in the model, which its file keeps;
 * ec_regressor_about returns it, NULL if there is none. Errors: NOMEM */
enum ec_status ec_regressor_tell(struct ec_regressor *r, const char *about,
                                 struct ec_err *err) EC_MUST_CHECK;
const char *ec_regressor_about(const struct ec_regressor *r);
enum ec_target ec_regressor_target(const struct ec_regressor *r);

/* The model file, docs/regressors.md: magic, version, length, checksum, kind, columns, state.
 * Errors: PARSE with a sentence for damaged or hostile bytes, UNSUPPORTED for a newer version */
enum ec_status ec_regressor_save(const struct ec_regressor *r, struct ec_buf *out,
                                 struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_regressor_load(const void *data, size_t len, struct ec_regressor **ret,
                                 struct ec_err *err) EC_MUST_CHECK;

/* --- Symmetric positive definite matrices, n x n, row after row --- */
/* Replaces the lower triangle of A by L with A = L L'; the rest is neither read nor written. false:
 * A is not positive definite */
bool ec_cholesky_factor(double *a, int n);
/* Solves L y = v, and L' y = v, in place. */
void ec_cholesky_lower(const double *l, int n, double *v);
void ec_cholesky_upper(const double *l, int n, double *v);

/* --- Gaussian processes --- */
/* A solved process over n rows; the caller has the rows and computes their covariances. */
struct ec_gaussian {
    int n;
    double *factor; /* lower triangle of the Cholesky factor, row after row */
    double *alpha;  /* inverse of the covariance times the residuals */
};
/* Covariance of rows i and j <= i; with noise when i == j. */
typedef double (*ec_covariance_fn)(const void *ctx, int i, int j);
/* Room for n rows; ec_gaussian_clear it. Errors: NOMEM */
enum ec_status ec_gaussian_init(struct ec_gaussian *g, int n, struct ec_err *err) EC_MUST_CHECK;
void ec_gaussian_clear(struct ec_gaussian *g);
/* residual: n. False: the covariances have no factorisation */
bool ec_gaussian_solve(struct ec_gaussian *g, ec_covariance_fn covariance, const void *ctx,
                       const double *residual);
/* Mean at a point; k: its covariances with the rows. And the part of its prior variance that the
 * rows explain; overwrites k. */
double ec_gaussian_mean(const struct ec_gaussian *g, const double *k);
double ec_gaussian_explained(const struct ec_gaussian *g, double *k);
/* The error of the prediction of row i from the other rows, and its variance. room: scratch for n
 * numbers */
double ec_gaussian_left_out(const struct ec_gaussian *g, int i, double *room, double *ret_variance);

/* --- Splits --- */
enum ec_split_kind {
    EC_SPLIT_RANDOM,    /* one round: 80 % fit, 10 % kept aside for tuning, 10 % test */
    EC_SPLIT_KFOLD,     /* rows at random into k parts, each the test of one round */
    EC_SPLIT_GROUP,     /* groups at random into k parts of about the same number of rows */
    EC_SPLIT_LEAVE_ONE, /* each group is the test of one round */
    EC_SPLIT_KIND_COUNT
};
/* The round in which each row is tested; -1: in none; -2: in none, and not fitted either. */
struct ec_split {
    int n, n_rounds;
    int *round; /* n; ec_free() it */
};
/* group  n numbers from 0, for the kinds that go by group; NULL otherwise
 * Errors INPUT when there are fewer groups or rows than rounds, NOMEM */
enum ec_status ec_split_make(enum ec_split_kind kind, const int *group, int n, int k, uint64_t seed,
                             struct ec_split *ret, struct ec_err *err) EC_MUST_CHECK;
/* Splits the listed rows (NULL: the first n), for a choice inside a fit: by whole groups if they
 * have several, else by rows; into k parts, or as many as there are. group: of all rows, from 0;
 * NULL: none. Errors: as ec_split_make */
enum ec_status ec_split_part(const int *group, const int *row, int n, int k, uint64_t seed,
                             struct ec_split *ret, struct ec_err *err) EC_MUST_CHECK;
/* Writes the row numbers of the fit or the test of a round; returns how many. ret: room for n */
int ec_split_rows(const struct ec_split *s, int round, bool test, int *ret);

/* --- Search for options --- */
/* Draws options of a kind from the ranges of its fields, fits on growing shares of the rows
 * (successive halving: the better half continues) and keeps the best by mean absolute log error on
 * the test rows of an inner split. The state file records each try, so that an interrupted search
 * can continue. */
/* An option that is drawn. A list ends with a kind NULL. */
struct ec_search_range {
    const char *kind, *option;
    double lo, hi;
    bool whole, by_log; /* a whole number; evenly in the logarithm */
};
struct ec_search {
    const char *state_path; /* NULL: none */
    int n_tries;
    const struct ec_search_range *ranges; /* NULL: those for tables of thousands of rows */
    bool
        whole; /* for few rows: each try is fitted in every round of the inner split, to all rows */
    struct ec_learn_env env;
    /* After each fit of how many there are in all, with the least error of the rung; NULL: silent
     */
    void (*tried)(void *ctx, int done, int total, double best);
    void *tried_ctx;
};
/* Whether there is anything to draw for a kind. ranges: as in struct ec_search */
bool ec_search_has(const struct ec_search_range *ranges, const char *kind);
enum ec_status ec_search_run(const struct ec_search *s, const struct ec_recipe *start,
                             const struct ec_rows *rows, const struct ec_split *inner,
                             struct ec_arena *a, struct ec_recipe *ret, double *ret_score,
                             struct ec_err *err) EC_MUST_CHECK;

#endif
