/* Models that were saved: what they were fitted to, and what they predict for rows. */
#ifndef EC_SAVED_MODEL_H
#define EC_SAVED_MODEL_H

#include "base/base.h"
#include "learn/learn.h"
#include "fit/compare.h"
#include "fit/grid.h"

/* What stands beside a model in its file, as JSON. Texts are "" where they mean nothing. */
struct ec_saved_model {
    const char *of;       /* operators or table */
    const char *family;   /* of the comparison */
    const char *what;     /* names of the operators, joined by commas; "" for all */
    const char *source;   /* paths of the tables, joined by commas */
    const char *target;   /* time_ns, or the column */
    const char *features; /* set, or columns joined by commas */
    const char *network, *device, *precision, *framework, *optimizer; /* tables, as asked */
    const char *logs; /* tables: columns whose logarithm is taken, joined by commas */
    int64_t rows, seed;
    bool device_offsets; /* operators: features use what was fitted of known devices */
    double lo, hi;       /* predictions are held between them; 0: nowhere */
};
/* Errors: NOMEM, INPUT for a text that is too long */
enum ec_status ec_saved_model_describe(const struct ec_saved_model *t, struct ec_regressor *m,
                                       struct ec_err *err) EC_MUST_CHECK;
/* A model with what it was fitted to, which is in the arena. Errors: those of reading a file and of
 * ec_regressor_load; INPUT for a model without that line, PARSE for one that no fit can have
 * written */
enum ec_status ec_saved_model_load(const char *path, struct ec_arena *a, struct ec_regressor **ret,
                                   struct ec_saved_model *ret_saved,
                                   struct ec_err *err) EC_MUST_CHECK;

/* Rows with what a model says of them. */
struct ec_model_row {
    const char *device, *what, *timed; /* operators; NULL: a row of a table */
    const double *value;               /* tables: of the features */
    double measured;                   /* 0: the table has it not */
    double predicted;
    bool held; /* at the end of the range of its training rows */
};
struct ec_model_rows {
    struct ec_model_row *v;
    const char *const *names; /* tables: of the features */
    int n, n_names, n_measured;
    int n_left_out;           /* rows that the model cannot predict */
    char first_left_out[160]; /* why the first of them */
    struct ec_metrics m;      /* of those that were measured */
    struct ec_arena arena;
};
/* Operators of measured tables: data, ops, mapping and max_rows of the options are looked at. */
enum ec_status ec_saved_model_operators(const struct ec_regressor *m,
                                        const struct ec_saved_model *t,
                                        const struct ec_compare_opts *o, struct ec_model_rows *ret,
                                        struct ec_err *err) EC_MUST_CHECK;
/* Rows of a table of configurations: of the options its table, mapping, device and profile are
 * looked at; device "": as it was fitted */
enum ec_status ec_saved_model_table(const struct ec_regressor *m, const struct ec_saved_model *t,
                                    const struct ec_grid_opts *of, struct ec_model_rows *ret,
                                    struct ec_err *err) EC_MUST_CHECK;
void ec_model_rows_clear(struct ec_model_rows *a);

#endif
