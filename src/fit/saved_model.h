/* Saved models: what they were fitted to, and their predictions for rows. */
#ifndef EC_SAVED_MODEL_H
#define EC_SAVED_MODEL_H

#include "base/base.h"
#include "learn/learn.h"
#include "fit/compare.h"
#include "fit/grid.h"

/* Description of a model in its file, as JSON. Texts are "" where they do not apply. */
struct ec_saved_model {
    const char *of;       /* "operators" or "table" */
    const char *family;   /* name in the comparison */
    const char *what;     /* names of the operators, joined by commas; "" for all */
    const char *source;   /* paths of the tables, joined by commas */
    const char *target;   /* time_ns, or the column */
    const char *features; /* set, or columns joined by commas */
    const char *network, *device, *precision, *framework,
        *optimizer;   /* tables: the options of the fit */
    const char *logs; /* tables: columns whose logarithm is taken, joined by commas */
    int64_t rows, seed;
    bool device_offsets; /* operators: features use the fitted offsets of known devices */
    double lo, hi;       /* predictions are limited to lo...hi; 0: not */
};
/* Writes the description into a model. Errors: NOMEM, INPUT for a text that is too long */
enum ec_status ec_saved_model_describe(const struct ec_saved_model *t, struct ec_regressor *m,
                                       struct ec_err *err) EC_MUST_CHECK;
/* Reads a model (ret: ec_regressor_free) and its description, whose texts are in the arena. Errors:
 * those of reading a file and of ec_regressor_load; INPUT for a model without description, PARSE
 * for a damaged one */
enum ec_status ec_saved_model_load(const char *path, struct ec_arena *a, struct ec_regressor **ret,
                                   struct ec_saved_model *ret_saved,
                                   struct ec_err *err) EC_MUST_CHECK;

/* A row with a model's prediction. */
struct ec_model_row {
    const char *device, *what, *timed; /* operators; NULL: a row of a table */
    const double *value;               /* tables: values of the features */
    double measured;                   /* 0: unknown */
    double predicted;
    bool held; /* limited to the end of the range of the training rows */
};
struct ec_model_rows {
    struct ec_model_row *v;
    const char *const *names; /* tables: names of the features */
    int n, n_names, n_measured;
    int n_left_out;           /* rows that the model cannot predict */
    char first_left_out[160]; /* reason of the first */
    struct ec_metrics m;      /* over rows with a measured value */
    struct ec_arena arena;
};
/* Predicts operators of measured tables. Used of the options: data, ops, mapping, max_rows. ret:
 * ec_model_rows_clear */
enum ec_status ec_saved_model_operators(const struct ec_regressor *m,
                                        const struct ec_saved_model *t,
                                        const struct ec_compare_opts *o, struct ec_model_rows *ret,
                                        struct ec_err *err) EC_MUST_CHECK;
/* Predicts rows of a table of configurations. Used of the options: table, mapping, device ("": that
 * of the fit), profile. ret: ec_model_rows_clear */
enum ec_status ec_saved_model_table(const struct ec_regressor *m, const struct ec_saved_model *t,
                                    const struct ec_grid_opts *of, struct ec_model_rows *ret,
                                    struct ec_err *err) EC_MUST_CHECK;
void ec_model_rows_clear(struct ec_model_rows *a);

#endif
