/* Data from outside: well-known data sets, rows of measurement tables turned into questions that
 * the predictor can answer, samples to train on (samples.h), downloading (fetch.h). */
#ifndef EC_DATASET_H
#define EC_DATASET_H

#include "base/base.h"
#include "dataset/columns.h"
#include "dataset/fetch.h"
#include "dataset/samples.h"
#include "record/record.h"

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

/* A layout maps a row of a table to questions. It is a section of a mapping (docs/mappings.md), or
 * made of the names of columns. Layouts live in the arena that they were found with. */
struct ec_mapping;

/* The shipped mapping whose columns the table has, and one of its rows. Errors: NOT_FOUND, telling
 * which of both is missing */
enum ec_status ec_mapping_detect(const struct ec_csv *csv, struct ec_arena *a,
                                 const struct ec_mapping **ret, struct ec_err *err) EC_MUST_CHECK;

/* The sections of the mappings that ship. */
struct ec_mapping_info {
    const char *name, *file;
    const char *use;     /* predict, record: never predicted, named: never recognised */
    const char *columns; /* by which a table is recognised */
    const char *source, *licence, *url;
};
enum ec_status ec_mappings(struct ec_arena *a, struct ec_mapping_info **ret, int *ret_n,
                           struct ec_err *err) EC_MUST_CHECK;
/* There is such a mapping, and it can be read: for commands, before they read tables by it. NULL:
 * none is asked for. Errors: NOT_FOUND; PARSE with file and line */
enum ec_status ec_mapping_check(const char *mapping, struct ec_err *err) EC_MUST_CHECK;
/* The file of a mapping or of one of its sections. Errors: NOT_FOUND with near names */
enum ec_status ec_mapping_text(const char *name, struct ec_arena *a, const char **ret,
                               size_t *ret_len, struct ec_err *err) EC_MUST_CHECK;

/* A public table that a fit, a study or the accuracy table reads: a row of data/tables.csv. */
struct ec_table_use {
    const char *table;   /* path under the directory of data, or of our own measurements */
    const char *mapping; /* NULL: by its columns */
    const char *part;    /* of its rows: operators, networks ...; "": all */
    const char *name;    /* in place of the mapping's source; "": that */
    bool own;            /* under the directory of our own measurements */
    bool unsteady;       /* the host's speed changed from row to row */
    int learned_rows;    /* of the fit: corrections are learnt from so many times the rows that
                            constants are fitted to */
};
/* Rows of one use, in their order. Texts go to the arena. */
enum ec_status ec_table_uses(const char *use, struct ec_arena *a, struct ec_table_use **ret,
                             int *ret_n, struct ec_err *err) EC_MUST_CHECK;

/* What a user's own table leaves out may be given beside it. NULL and 0: it is not. */
struct ec_table_given {
    const char *path;     /* its name may hold the name of the device */
    const char *mapping;  /* file of the user's own, or name of one that ships; NULL: by columns */
    bool mapping_if_fits; /* tables that lack its columns are read without it */
    const char *model, *device, *precision;
    int64_t batch;
    /* The device that is named in a text, NULL when none is (ec_device_in_text) */
    const char *(*device_in)(const char *text, bool whole);
};
/* Where a table's devices stand: in a column, unless that says no product ("cuda") and the one of
 * environments does; else what is given; else the name of the file. NULL and column -1: nowhere. */
const char *ec_table_device(const struct ec_csv *csv, const struct ec_table_given *given,
                            int *ret_col);
/* For questions: by the mapping that is given; else as ec_mapping_detect, and when no mapping has
 * such columns, made of what their names say (docs/tables.md). Errors: NOT_FOUND; PARSE of a
 * mapping; INPUT when the table lacks something that no option gives */
enum ec_status ec_mapping_of_table(const struct ec_csv *csv, const struct ec_table_given *given,
                                   struct ec_arena *a, const struct ec_mapping **ret,
                                   struct ec_err *err) EC_MUST_CHECK;
/* The same for recording. */
enum ec_status ec_mapping_of_record(const struct ec_csv *csv, const struct ec_table_given *given,
                                    struct ec_arena *a, const struct ec_mapping **ret,
                                    struct ec_err *err) EC_MUST_CHECK;
/* A table whose columns have names of ours, as a mapping says (struct ec_table_given); without one
 * the table as it is. Errors: those of both; their sentences do not name the table */
enum ec_status ec_table_read(const char *path, const char *mapping, struct ec_csv *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* True when the row meets every condition, `column=value` or `column!=one|other` joined by blanks;
 * of a column that is not there any holds. NULL: none */
bool ec_conditions_pass(const struct ec_csv *csv, int row, const char *conditions);
const char *ec_mapping_name(const struct ec_mapping *l);
const char *ec_mapping_source(const struct ec_mapping *l);
bool ec_mapping_is_network(const struct ec_mapping *l);
bool ec_mapping_is_own(const struct ec_mapping *l); /* of a header, or of a user's own mapping */
/* Append what the row measures to the list (0 to 4 entries); rows that the layout's conditions
 * exclude give none. Text goes to the arena. */
#define EC_FAULTS_MAX 3
struct ec_record_list {
    struct ec_record *v;
    int n, cap;
    int n_excluded; /* rows left out by conditions of the layout */
    int n_faulty; /* rows of a user's own table that hold what they should not, the first given: */
    const char *fault[EC_FAULTS_MAX]; /* "line 7, column batch: found "x", expected ..." */
};
enum ec_status ec_mapping_rows(const struct ec_mapping *l, const struct ec_csv *csv,
                               struct ec_arena *a, struct ec_record_list *ret,
                               struct ec_err *err) EC_MUST_CHECK;
void ec_records_clear(struct ec_record_list *l);

/* --- Rows as records: everything a row says, for keeping ---
 *
 * Unlike above, no row is left out: what a question excludes (several devices, rows that the
 * source flags, out of memory) is recorded with its conditions and flags. */
#define EC_RECORDS_MAX 6 /* four times, the median of samples, memory */

struct ec_reader; /* a table with its layout, columns looked up */
/* The shipped mapping of a table for recording: all of those above and more. Errors: NOT_FOUND */
enum ec_status ec_mapping_detect_record(const struct ec_csv *csv, struct ec_arena *a,
                                        const struct ec_mapping **ret,
                                        struct ec_err *err) EC_MUST_CHECK;
/* l and csv are borrowed until the reader is freed. device: for tables without such a column; NULL:
 * none. Errors: INPUT when a template names a column that the table lacks, NOMEM */
enum ec_status ec_reader_new(const struct ec_mapping *l, const struct ec_csv *csv,
                             const char *device, struct ec_reader **ret,
                             struct ec_err *err) EC_MUST_CHECK;
void ec_reader_free(struct ec_reader *r);
/* What the row says, at least one record; texts are borrowed until the next call. ret_n is 0 when
 * the row is not of the layout, or when ec_reader_fault says what is wrong with it. A row whose
 * figures are missing, not wrong, has the outcome error and the flag no_time. Errors: NOMEM */
enum ec_status ec_reader_row(struct ec_reader *r, int row, struct ec_record ret[EC_RECORDS_MAX],
                             int *ret_n, struct ec_err *err) EC_MUST_CHECK;
/* Each row of a table that says something, as `data import` reads it, whatever wrote it: time is
 * the median where samples stand in its place. Until one fails. Errors: those of reading;
 * NOT_FOUND, INPUT when the table is none of measurements or a row is faulty; those of fn */
typedef enum ec_status (*ec_record_fn)(void *user, const struct ec_record *r, struct ec_err *err);
enum ec_status ec_records_each(const char *path, ec_record_fn fn, void *user,
                               struct ec_err *err) EC_MUST_CHECK;
/* A measurement file or an export, for readers that take the columns of a table as they are: its
 * training steps of networks, under the names that users' own tables have. Other tables stay as
 * they are. Errors: INPUT when it has no such step, NOMEM */
enum ec_status ec_table_of_steps(struct ec_csv *csv, const char *path,
                                 struct ec_err *err) EC_MUST_CHECK;
/* Of the row that was read last. */
struct ec_row_fault ec_reader_fault(const struct ec_reader *r);
/* False for tables that describe instead of measuring. */
bool ec_mapping_needs_device(const struct ec_mapping *l);
const char *ec_mapping_licence(const struct ec_mapping *l); /* "" when the source names none */
const char *ec_mapping_url(const struct ec_mapping *l);
/* Column whose cell is unique to the file, so that a file that grew is known again; NULL: none. */
const char *ec_mapping_run_column(const struct ec_mapping *l);
/* The next number of a list joined by blanks, rounded; false at its end. Errors: *ret_bad */
bool ec_samples_next(struct ec_span *rest, int64_t *ret_ns, bool *ret_bad);

#endif
