/* Data from outside: well-known data sets, and rows of measurement tables turned into questions
 * that the predictor can answer. */
#ifndef EC_DATASET_H
#define EC_DATASET_H

#include "base/base.h"

enum ec_sample_kind {
    EC_SAMPLE_IMAGE,
    EC_SAMPLE_TEXT,
    EC_SAMPLE_TOKEN,
    EC_SAMPLE_AUDIO,
    EC_SAMPLE_EVENT,
    EC_SAMPLE_KIND_COUNT
};

struct ec_dataset {
    const char *key, *name;
    const char *const *aliases; /* folded like keys are (see ec_dataset_find), NULL-terminated */
    enum ec_sample_kind kind; /* what is counted below; EC_SAMPLE_TOKEN counts tokens of a stream */
    int64_t train, val, test; /* samples; 0: no such part, or not public */
    int64_t classes;          /* 0: not a classification, or several labels each */
    int rank;                 /* of one sample as usually trained; 0: varies */
    int64_t shape[3];         /* channels, height, width; tokens of a sequence */
    int64_t train_bytes;      /* of the training files as distributed; 0: unknown */
    const char *source;
};

/* Data set by key or alias; case, blanks, '-', '_' and '.' do not count.
 * Errors: NOT_FOUND with near keys */
enum ec_status ec_dataset_find(const char *key, const struct ec_dataset **ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* All rows, in table order. */
const struct ec_dataset *ec_datasets(int *ret_count);
const char *ec_sample_kind_name(enum ec_sample_kind k); /* "image", ... */

/* One measured time and the question it answers. Text fields are the words of the project: case
 * text or network name, keys of devices, frameworks, precisions. All text is in an arena or static.
 */
struct ec_measured {
    const char *layout; /* key of the table's layout */
    const char *what;   /* case text, or network specification */
    bool is_network;
    bool input_copy; /* the time holds the copy of the input from the host */
    const char *device, *precision, *memory_format, *optimizer, *framework, *mode;
    const char *family;        /* group of related networks or operator; for splits */
    int phase;                 /* operators: enum ec_phase; -1: the whole of `mode` */
    int64_t batch;             /* networks; 0: in the case text */
    int64_t image_px, seq_len; /* 0: the network's own */
    double time_ns;            /* 0: the row is a memory reading */
    double memory_bytes;       /* peak; 0: the row is a time */
    int row;                   /* of the table, from 0 */
};

/* A layout recognises a table by its columns and maps a row to questions. */
struct ec_layout;

/* The layout whose columns the table has. Errors: NOT_FOUND, naming the columns wanted nearest. */
enum ec_status ec_layout_detect(const struct ec_csv *csv, const struct ec_layout **ret,
                                struct ec_err *err) EC_MUST_CHECK;
const char *ec_layout_name(const struct ec_layout *l);
const char *ec_layout_source(const struct ec_layout *l);
bool ec_layout_is_network(const struct ec_layout *l);
/* Append what the row measures to the list (0 to 4 entries); rows that the layout's conditions
 * exclude give none. Text goes to the arena. */
struct ec_measured_list {
    struct ec_measured *v;
    int n, cap;
    int n_excluded; /* rows left out by conditions of the layout */
};
enum ec_status ec_layout_rows(const struct ec_layout *l, const struct ec_csv *csv,
                              struct ec_arena *a, struct ec_measured_list *ret,
                              struct ec_err *err) EC_MUST_CHECK;
void ec_measured_clear(struct ec_measured_list *l);

#endif
