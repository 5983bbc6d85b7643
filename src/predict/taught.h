/* Models that were saved: what they were taught by, and what they say of rows. */
#ifndef EC_TAUGHT_H
#define EC_TAUGHT_H

#include "base/base.h"
#include "learn/learn.h"
#include "predict/compare.h"
#include "predict/grid.h"

/* What stands beside a model in its file, as JSON. Texts are "" where they mean nothing. */
struct ec_taught {
    const char *of;       /* operators or table */
    const char *family;   /* of the comparison */
    const char *what;     /* names of the operators, joined by commas; "" for all */
    const char *source;   /* paths of the tables, joined by commas */
    const char *target;   /* time_ns, or the column */
    const char *features; /* set, or columns joined by commas */
    const char *network, *device, *precision, *framework, *optimizer; /* tables, as asked */
    const char *logs; /* tables: columns whose logarithm is taken, joined by commas */
    int64_t rows, seed;
    bool device_offsets; /* operators: told what was fitted of known devices */
    double lo, hi;       /* predictions are held between them; 0: nowhere */
};
/* Errors: NOMEM, INPUT for a text that is too long */
enum ec_status ec_taught_tell(const struct ec_taught *t, struct ec_regressor *m,
                              struct ec_err *err) EC_MUST_CHECK;
/* A model with what it was taught by, which is in the arena. Errors: those of reading a file and of
 * ec_regressor_load; INPUT for a model that tells nothing, PARSE for what no fit can have told */
enum ec_status ec_taught_load(const char *path, struct ec_arena *a, struct ec_regressor **ret,
                              struct ec_taught *ret_taught, struct ec_err *err) EC_MUST_CHECK;

/* Rows with what a model says of them. */
struct ec_asked_row {
    const char *device, *what, *timed; /* operators; NULL: a row of a table */
    const double *value;               /* tables: of the features */
    double measured;                   /* 0: the table has it not */
    double predicted;
    bool held; /* at the end of the range it was taught */
};
struct ec_asked {
    struct ec_asked_row *v;
    const char *const *names; /* tables: of the features */
    int n, n_names, n_measured;
    int n_left_out;           /* rows that the model cannot be asked about */
    char first_left_out[160]; /* why the first of them */
    struct ec_metrics m;      /* of those that were measured */
    struct ec_arena arena;
};
/* Operators of measured tables: data, ops, layout and max_rows of the options are looked at. */
enum ec_status ec_taught_operators(const struct ec_regressor *m, const struct ec_taught *t,
                                   const struct ec_compare_opts *o, struct ec_asked *ret,
                                   struct ec_err *err) EC_MUST_CHECK;
/* Rows of a table of configurations. device "": as it was taught */
enum ec_status ec_taught_table(const struct ec_regressor *m, const struct ec_taught *t,
                               const char *path, const char *device, const char *profile,
                               struct ec_asked *ret, struct ec_err *err) EC_MUST_CHECK;
void ec_asked_clear(struct ec_asked *a);

#endif
