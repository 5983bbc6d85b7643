/* What columns of a user's table mean, by their names. */
#ifndef EC_COLUMNS_H
#define EC_COLUMNS_H

#include "base/base.h"

enum ec_quantity {
    EC_Q_NONE,
    EC_Q_MODEL,
    EC_Q_DEVICE,
    EC_Q_ENV, /* the machine in the user's words */
    EC_Q_BATCH,
    EC_Q_PRECISION,
    EC_Q_FRAMEWORK,
    EC_Q_FRAMEWORK_VERSION,
    EC_Q_OPTIMIZER,
    EC_Q_MEMORY_FORMAT,
    EC_Q_MODE,
    EC_Q_IMAGE_PX,
    EC_Q_SEQ_LEN,
    EC_Q_NUM_DEVICES,
    EC_Q_ITERATION, /* number of the row within its run */
    EC_Q_STEP_TIME,
    EC_Q_EPOCH_TIME,
    EC_Q_RATE,   /* samples per second */
    EC_Q_MEMORY, /* peak */
    EC_Q_DATASET_SIZE,
    EC_Q_EPOCHS,
    EC_Q_PARAMS,
    EC_Q_DEPTH,
    EC_Q_BASE_FILTERS,
    EC_Q_COUNT
};

/* What is measured in a unit; LARGE: numbers that are printed with k, M, G. */
enum ec_measure {
    EC_MEASURE_TIME,
    EC_MEASURE_BYTES,
    EC_MEASURE_SHARE,
    EC_MEASURE_NUMBER,
    EC_MEASURE_LARGE
};
/* What may stand behind a name. A list ends with a name NULL. */
struct ec_unit {
    const char *name, *text; /* in a column's name; in print */
    double size;             /* in nanoseconds, bytes, shares of 1, one of what is counted */
    enum ec_measure measure;
};
/* The unit that a column's name ends in, whatever else it says; NULL: none. apart: it is no part of
 * the thing's own name, as it is of "images_per_s". */
const struct ec_unit *ec_unit_of(const char *name, bool *ret_apart);
/* A row of the table of names. */
struct ec_column {
    enum ec_quantity quantity;
    const char *names;           /* joined by blanks, in words parted by '_' */
    const struct ec_unit *units; /* that may follow a name; NULL: none */
    double size;                 /* of one without a unit: nanoseconds, bytes; 0: it needs one */
    const char *words;           /* map of what may stand in its cells; NULL: anything */
};
extern const struct ec_column ec_columns[];
extern const int ec_n_columns;

struct ec_meaning {
    enum ec_quantity quantity;
    double size;      /* of its unit in nanoseconds, bytes, samples per second; 0: none named */
    const char *unit; /* "ms", "MiB", "1/s"; "" */
    int rank;         /* row of the table */
};
struct ec_meaning ec_column_meaning(const char *name);
/* Unit of whatever a column says, NULL when its name has none; seconds that one of it is, 0 when
 * it is no time. */
const char *ec_column_unit(const char *name, double *ret_seconds);
/* Our word for what stands in a cell, "amp" of "Mixed"; NULL: there is none. */
const char *ec_column_word(enum ec_quantity q, const char *cell);
/* The map of those words; NULL: anything may stand there. */
const char *ec_column_words(enum ec_quantity q);
/* The column that says a quantity, the best of several; -1: none does. */
int ec_column_of(const struct ec_csv *csv, enum ec_quantity q);
/* The column of this name, or else one that says the same in the same unit; -1: there is none. */
int ec_column_like(const struct ec_csv *csv, const char *name);

#endif
