/* The meaning of columns of a user's table, by their names. */
#ifndef EC_COLUMNS_H
#define EC_COLUMNS_H

#include "base/base.h"

enum ec_quantity {
    EC_Q_NONE,
    EC_Q_MODEL,
    EC_Q_DEVICE,
    EC_Q_ENV, /* the machine in the user's words */
    EC_Q_RUN, /* which of several runs of one configuration */
    EC_Q_BATCH,
    EC_Q_PRECISION,
    EC_Q_FRAMEWORK,
    EC_Q_FRAMEWORK_VERSION,
    EC_Q_OPTIMIZER,
    EC_Q_RECOMPUTE,
    EC_Q_TUNING, /* what else a job has: EC_Q_TUNING to EC_Q_EP */
    EC_Q_ADAPTER_RANK,
    EC_Q_FP32_ADAPTERS,
    EC_Q_ZERO,
    EC_Q_FSDP,
    EC_Q_TP,
    EC_Q_PP,
    EC_Q_CP,
    EC_Q_EP,
    EC_Q_MEMORY_FORMAT,
    EC_Q_MODE,
    EC_Q_OUTCOME, /* whether the run went well */
    EC_Q_IMAGE_PX,
    EC_Q_SEQ_LEN,
    EC_Q_NUM_DEVICES,
    EC_Q_ITERATION, /* number of the row within its run */
    EC_Q_STEP_TIME,
    EC_Q_EPOCH_TIME,
    EC_Q_STEP_RATE,  /* steps per second */
    EC_Q_RATE,       /* samples per second */
    EC_Q_TOKEN_RATE, /* tokens per second */
    EC_Q_MEMORY,     /* peak */
    EC_Q_DATASET_SIZE,
    EC_Q_EPOCHS,
    EC_Q_PARAMS,
    EC_Q_DEPTH,
    EC_Q_BASE_FILTERS,
    EC_Q_COUNT
};

/* Quantities that units measure; LARGE: numbers that are printed with k, M, G. */
enum ec_measure {
    EC_MEASURE_TIME,
    EC_MEASURE_BYTES,
    EC_MEASURE_SHARE,
    EC_MEASURE_NUMBER,
    EC_MEASURE_LARGE
};
/* A unit at the end of a name. A list of units ends with a name NULL. */
struct ec_unit {
    const char *name, *text; /* in a column's name; in print */
    double size; /* size of the unit in nanoseconds, bytes, shares of 1, or counted items */
    enum ec_measure measure;
};
/* The unit at the end of a column's name; NULL if none. apart: the unit is not part of the name of
 * the quantity, as it is in "images_per_s". */
const struct ec_unit *ec_unit_of(const char *name, bool *ret_apart);
/* A row of the table of names. */
struct ec_column {
    enum ec_quantity quantity;
    const char *names;           /* joined by blanks, in words parted by '_' */
    const struct ec_unit *units; /* that may follow a name; NULL: none */
    double size; /* unit of a name without one, in nanoseconds or bytes; 0: a unit is required */
    const char *words; /* list of the words that its cells may hold; NULL: any */
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
/* The unit of any column by its name, NULL if none; and its size in seconds, 0 if it is not a time.
 * */
const char *ec_column_unit(const char *name, double *ret_seconds);
/* Our word for the contents of a cell: "amp" for "Mixed"; NULL if unknown. */
const char *ec_column_word(enum ec_quantity q, const char *cell);
/* The list of those words; NULL: cells may hold any word. */
const char *ec_column_words(enum ec_quantity q);
/* Whether cells of the quantity are numbers; false for names and words. */
bool ec_column_holds_numbers(enum ec_quantity q);
/* The column of a quantity, the best if there are several; -1 if none. */
int ec_column_of(const struct ec_csv *csv, enum ec_quantity q);
/* The column of this name, or else one with the same meaning and unit; -1 if none. */
int ec_column_like(const struct ec_csv *csv, const char *name);
/* Appends the names of columns without a meaning, each with a near name. Errors: NOMEM */
enum ec_status ec_columns_unknown(const struct ec_csv *csv, struct ec_arena *a, struct ec_buf *out,
                                  struct ec_err *err) EC_MUST_CHECK;

#endif
