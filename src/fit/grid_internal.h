/* Shared by fits to tables: the table as numbers, the families, predictions with saved models. */
#ifndef EC_GRID_INTERNAL_H
#define EC_GRID_INTERNAL_H

#include "fit/grid.h"
#include "fit/saved_model.h"
#include "predict/predict.h"

/* --- grid_features.c: what a column of the fit is made of --- */

/* Features that no table has to hold: counted for the row's network at its batch, or known of its
 * device. X(NAME, name, what it is). */
#define EC__COUNTED_LIST(X)                                                                        \
    X(FLOP, "counted_flop", "FLOP of a training step")                                             \
    X(BYTES, "counted_bytes", "bytes that a training step reads and writes")                       \
    X(PARAMS, "counted_params", "parameters")                                                      \
    X(PEAK, "device_flop_per_s", "peak of products at the row's precision")                        \
    X(BANDWIDTH, "device_bytes_per_s", "bandwidth of the device's memory")
#define EC__COUNTED_ENUM(NAME, name, what) EC__COUNTED_##NAME,
enum ec__counted { EC__COUNTED_LIST(EC__COUNTED_ENUM) EC__COUNTED_COUNT };
#undef EC__COUNTED_ENUM
extern const char *const ec__counted_names[];

/* The values of a feature: the numbers of a column; 1 in rows whose cell is a word and 0 in all
 * others; or what is counted. */
struct ec__feature {
    int col;          /* -1: it is counted */
    const char *word; /* NULL: numbers */
    enum ec__counted counted;
};
struct ec__grid;
/* Finds the features that the options name. A column with words becomes a feature for each word but
 * the first. Errors: INPUT, NOMEM */
enum ec_status ec__grid_find_features(struct ec__grid *g, struct ec_err *err) EC_MUST_CHECK;
/* Whether a column holds words. */
bool ec__grid_has_words(const struct ec_csv *csv, int col);
/* The message that the table lacks a column, with near names. */
enum ec_status ec__grid_no_column(const struct ec__grid *g, const char *name, struct ec_err *err);
/* What is counted of a row for the values of its other features, or its device has. Errors: those
 * of the network and the device; NOT_FOUND for a rate that is not known */
enum ec_status ec__grid_count(struct ec__grid *g, int row, const double *value,
                              enum ec__counted which, double *ret,
                              struct ec_err *err) EC_MUST_CHECK;

/* What the rows of a table may differ in beside numbers, with the word of a row that has none. */
struct ec__grid_word {
    enum ec_quantity q;
    const char *name; /* of the condition */
    const char *deflt;
    size_t given; /* const char * in struct ec_grid_opts, NULL there: by row; 0: always by row */
};
#define EC__GRID_WORDS 4
extern const struct ec__grid_word ec__grid_words[EC__GRID_WORDS];

/* --- grid_table.c: the table as numbers --- */
#define EC__GRID_EACH "each" /* in place of a network: that of each row */

struct ec__grid {
    const struct ec_grid_opts *o;
    struct ec_csv csv;
    struct ec_arena arena;
    struct ec_predictor *predictor;
    int n, n_cols; /* configurations; features */
    int *row;      /* first row of each configuration in the table */
    struct ec__feature feature[EC_GRID_COLS_MAX];
    const char *names[EC_GRID_COLS_MAX + 1]; /* of the features and of the prediction */
    double *value, *target, *log_physics;    /* n x n_cols, n, n */
    double *accuracy;                        /* n, NaN where a row has none; NULL: no such column */
    double lo[EC_GRID_COLS_MAX], hi[EC_GRID_COLS_MAX];
    bool as_log[EC_GRID_COLS_MAX], physics;
    const char *device; /* of all rows; NULL: from a column */
    int device_col, model_col, samples_col, mode_col, conditions_col, accuracy_col;
    bool training_only;   /* rows of other modes are left out */
    int *group, n_groups; /* of each configuration, where the split is by groups; NULL, 0 */
    char note[256];
};
/* Opens the table and finds its columns, without reading rows. Clear also after a failure. */
enum ec_status ec__grid_open_table(const struct ec_grid_opts *o, struct ec__grid *g,
                                   struct ec_err *err) EC_MUST_CHECK;
/* The same, with all rows and the predictor's time of each. Errors: those of ec_grid_compare; INPUT
 * for several networks or words where one is expected */
enum ec_status ec__grid_open(const struct ec_grid_opts *o, bool one, struct ec__grid *g,
                             struct ec_err *err) EC_MUST_CHECK;
void ec__grid_clear(struct ec__grid *g);
/* Configurations as queries for the predictor, which knows conditions that may be no features;
 * compares two of them. any_device: those that differ in the device alone are equal */
struct ec__grid_queries {
    const struct ec__grid *g;
    bool any_device;
    int cols[2 + EC__GRID_WORDS];
};
void ec__grid_queries(const struct ec__grid *g, bool any_device, struct ec__grid_queries *ret);
int ec__grid_by_query(const void *user, int a, int b);
/* --- grid_devices.c: which device is preferable, by the configurations that several of them ran;
 * nothing where the target is no time or rate. Errors: NOMEM --- */
enum ec_status ec__grid_devices(const struct ec__grid *g, struct ec_strs *ret, struct ec_arena *a,
                                struct ec_err *err) EC_MUST_CHECK;
/* Whether a row is of the network and has the words that were named. */
bool ec__grid_asks(const struct ec_grid_opts *o, const struct ec_csv *csv, int row);
/* Reads the features of a row of the table. Errors: INPUT with line and column; for what is counted
 * those of the network and the device */
enum ec_status ec__grid_read_row(struct ec__grid *g, int row, double *value,
                                 struct ec_err *err) EC_MUST_CHECK;
/* The feature of a name or of a synonym; -1: none. */
int ec__grid_find_feature(const struct ec__grid *g, const char *name);
/* The device of a row, and how many samples an epoch has. */
const char *ec__grid_device(const struct ec__grid *g, int row);
double ec__grid_samples(const struct ec__grid *g, int row);
/* The network of a row, with the parameters that features are. */
void ec__grid_network(const struct ec__grid *g, int row, const double *value, struct ec_buf *out);
/* The query of a row: its conditions, with the values of features. Errors: INPUT for a word that is
 * not known */
enum ec_status ec__grid_query(const struct ec__grid *g, int row, const double *value,
                              struct ec_predict_opts *ret, struct ec_err *err) EC_MUST_CHECK;
/* log of the target by the predictor, for the values of features, on the device and in the
 * conditions of a row of the table. Errors: those of predicting */
enum ec_status ec__grid_physics(const struct ec__grid *g, int row, const double *value, double *ret,
                                struct ec_err *err) EC_MUST_CHECK;

/* --- grid_read.c --- */
#define EC__GRID_TABLE "table" /* column of several tables as one: the file of each row */
/* How the table of the options is read. */
struct ec_table_given ec__grid_given(const struct ec_grid_opts *o);
/* Reads the table, by the mapping. Of several tables, columns of one meaning stand under each
 * other, and a device that only the name of a file says becomes a cell. Errors: those of reading;
 * NOT_FOUND for folders without a table */
enum ec_status ec__grid_read(const struct ec_grid_opts *o, struct ec_csv *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* Puts the table's name in front of a message without it; returns st. */
enum ec_status ec__grid_of_table(const struct ec_grid_opts *o, enum ec_status st,
                                 struct ec_err *err);

/* --- grid.c: families --- */
struct ec__grid_family {
    const char *name, *kind, *options;
    bool logs;    /* sees logarithms of features that are above zero, and of the target */
    bool physics; /* sees the prediction, and is fitted to the ratio to it */
    bool dear;    /* only when named, or with "all" */
    int seeds;    /* geometric mean of so many fits with different seeds; 0: one fit */
};
extern const struct ec__grid_family *const ec__grid_ours;
const struct ec__grid_family *ec__grid_family(const char *name); /* NULL: none has the name */
/* Errors: NOT_FOUND for a family that is none */
enum ec_status ec__grid_check_families(const struct ec_strs *families,
                                       struct ec_err *err) EC_MUST_CHECK;
/* The inputs of a family for a row; returns how many. */
int ec__grid_inputs(const struct ec__grid *g, bool logs, bool physics, const double *value,
                    double log_physics, double *ret);
/* Fits a ridge regression to other numbers of the listed configurations, and asks it. */
enum ec_status ec__grid_fit_numbers(struct ec__grid *g, const double *y, const int *row, int n,
                                    struct ec_regressor **ret, struct ec_err *err) EC_MUST_CHECK;
double ec__grid_ask_numbers(const struct ec__grid *g, const struct ec_regressor *m,
                            const double *value);
/* Fits a family to the listed configurations. row NULL: the first n */
enum ec_status ec__grid_fit_rows(struct ec__grid *g, const struct ec__grid_family *f,
                                 const int *row, int n, struct ec_regressor **ret,
                                 struct ec_err *err) EC_MUST_CHECK;
double ec__grid_ask(const struct ec__grid *g, const struct ec__grid_family *f,
                    const struct ec_regressor *m, const double *value, double log_physics);
/* Predicts each configuration by the fit of its round, which was fitted without it. */
enum ec_status ec__grid_cross_predict(struct ec__grid *g, const struct ec__grid_family *f,
                                      const struct ec_split *s, double *ret,
                                      struct ec_err *err) EC_MUST_CHECK;

/* --- grid_accuracy.c: the accuracy of configurations --- */
/* A regression of the logit of the accuracy; model NULL: too few rows have one. */
struct ec__accuracy {
    struct ec_regressor *model;
    double reach;       /* |logit difference| of at most 90 % of held-out rows */
    double off, spread; /* mean error on held-out rows; of their mean in place of a prediction */
};
enum ec_status ec__accuracy_fit(struct ec__grid *g, struct ec__accuracy *ret,
                                struct ec_err *err) EC_MUST_CHECK;
void ec__accuracy_clear(struct ec__accuracy *a);
/* extrapolates: the interval is twice as wide */
struct ec_interval ec__accuracy_of(const struct ec__accuracy *a, const struct ec__grid *g,
                                   const double *value, bool extrapolates);
/* Marks the answers, sorted by time, than which none is both faster and more accurate. */
void ec__accuracy_mark(struct ec_grid_answer *v, int n);

/* --- saved_model.c --- */

/* Fills `predicted` and `held` of a row: the model's answer, limited to the range of its training
 * rows. */
void ec__asked_answer(const struct ec_regressor *m, const struct ec_saved_model *t, const double *x,
                      struct ec_model_row *ret);
/* Computes the errors over the rows with a measured value. Errors: NOMEM */
enum ec_status ec__asked_judge(struct ec_model_rows *a, struct ec_err *err) EC_MUST_CHECK;

#endif
