/* Tables of measurements: what their columns mean, reading them as queries for the predictor or as
 * records. */
#ifndef EC_TABLES_H
#define EC_TABLES_H

#include "base/base.h"
#include "record/record.h"
#include "tables/columns.h"
#include "tables/log.h"

#define EC_MEMORY_EITHER "either" /* a kind of memory: of the allocator or of the process */
/* A mapping says how a row of a table becomes queries. It is a section of a mapping
 * (docs/mappings.md), or is made from the names of columns. It lives in the arena that was given
 * when it was found. */
struct ec_mapping;

/* The built-in mapping whose columns the table has and one of whose rows it accepts. Errors:
 * NOT_FOUND; the message says which of the two conditions failed */
enum ec_status ec_mapping_detect(const struct ec_csv *csv, struct ec_arena *a,
                                 const struct ec_mapping **ret, struct ec_err *err) EC_MUST_CHECK;

/* The sections of the mappings that ship. */
struct ec_mapping_info {
    const char *name, *file;
    const char *use;     /* predict, record: never predicted, named: never recognised, refused */
    const char *columns; /* by which a table is recognised */
    const char *source, *licence, *url;
};
enum ec_status ec_mappings(struct ec_arena *a, struct ec_mapping_info **ret, int *ret_n,
                           struct ec_err *err) EC_MUST_CHECK;
/* Checks that the mapping exists and can be parsed, before a command reads tables with it. NULL: no
 * mapping, always OK. Errors: NOT_FOUND; PARSE with file and line */
enum ec_status ec_mapping_check(const char *mapping, struct ec_err *err) EC_MUST_CHECK;
/* The file of a mapping or of one of its sections. Errors: NOT_FOUND with near names */
enum ec_status ec_mapping_text(const char *name, struct ec_arena *a, const char **ret,
                               size_t *ret_len, struct ec_err *err) EC_MUST_CHECK;

/* A public table that a fit, a study or the accuracy table reads: a row of data/tables.csv. */
struct ec_table_use {
    const char *table;   /* path under the directory of data, or of our own measurements */
    const char *mapping; /* NULL: by its columns */
    const char *part;    /* kind of its rows: operators, networks ...; "": all. Of the fit: memory,
                            or ladder, the largest batches that ran */
    const char *name;    /* in place of the mapping's source; "": that */
    bool own;            /* under the directory of our own measurements */
    bool unsteady;       /* the host's speed changed from row to row */
    int learned_rows;    /* for the fit: corrections are fitted to this many times the rows to which
                            constants are fitted */
};
/* The rows of one use, in their order. Strings live in the arena. */
enum ec_status ec_table_uses(const char *use, struct ec_arena *a, struct ec_table_use **ret,
                             int *ret_n, struct ec_err *err) EC_MUST_CHECK;

/* Values that replace missing columns of a user's own table. NULL and 0: not given. */
struct ec_table_given {
    const char *path;     /* its name may hold the name of the device */
    const char *mapping;  /* a mapping file, or the name of a built-in mapping; NULL: by columns */
    bool mapping_if_fits; /* tables that lack its columns are read without it */
    const char *model, *device, *precision;
    int64_t batch;
    struct ec_strs environments; /* NAME=KEY: the device that a name of the table or the name of its
                                    folder stands for */
    bool device_chooses;         /* among rows that say theirs; else one that says another is an
                                    error */
    /* The device that is named in a text, NULL when none is (ec_device_in_text) */
    const char *(*device_in)(const char *text, bool whole);
    bool (*is_processor)(const char *device); /* ec_device_is_processor */
    /* The tokens of a sample that a network has by itself, for tables of tokens per second without
     * a length; 0: the network has none. NULL: such tables are refused */
    int64_t (*tokens_of)(const char *model);
    /* A profiler's trace as a measurement file (ec_trace_table); a table without columns: the file
     * is none. NULL: files are tables */
    enum ec_status (*of_trace)(const struct ec_table_given *given, struct ec_csv *ret,
                               struct ec_err *err);
};
#define EC_TABLE_IS_JSON                                                                           \
    "JSON, expected a table with a header; the data sheet of a device is for --device FILE, a "    \
    "network for `epochcast predict FILE`"
#define EC_TABLE_IS_LOG                                                                            \
    "the log of a training, expected a table with a header; `epochcast check MODEL --from FILE` "  \
    "reads logs"
/* The source of the devices of a table that was prepared: the column; else the given device; else
 * the name of the file. NULL and column -1: none. */
const char *ec_table_device(const struct ec_csv *csv, const struct ec_table_given *given,
                            int *ret_col);
/* The table mapping for queries: from the given mapping; else as ec_mapping_detect; else from the
 * names of the columns (docs/tables.md). Errors: NOT_FOUND; PARSE of a mapping; INPUT if the table
 * lacks a column that no option replaces; UNSUPPORTED, with what to give in its place, for a table
 * that is known to be none of measurements */
enum ec_status ec_mapping_of_table(const struct ec_csv *csv, const struct ec_table_given *given,
                                   struct ec_arena *a, const struct ec_mapping **ret,
                                   struct ec_err *err) EC_MUST_CHECK;
/* The mapping NAME-all in place of NAME, where there is one and none is given: with the rows that
 * are not predicted by default, such as training steps of a lone layer. */
const struct ec_mapping *ec_mapping_all(const struct ec_mapping *l, const struct ec_csv *csv,
                                        const struct ec_table_given *given);
/* As ec_mapping_of_table, for recording rows. */
enum ec_status ec_mapping_of_record(const struct ec_csv *csv, const struct ec_table_given *given,
                                    struct ec_arena *a, const struct ec_mapping **ret,
                                    struct ec_err *err) EC_MUST_CHECK;
/* Reads a table for the functions below, and prepares it: every command reads tables by it.
 * Numbers with a unit ("690 img/s", "73 ms") or with commas between thousands become plain numbers
 * in the unit of their column; a column without a unit gets that of its cells. What is not clear
 * stays as it is. Columns opt_SGD, opt_Adam of 0 and 1 become one column optimizer, and act_...
 * activation. Where a column of environments or the folder of the file names the machine, or the
 * given environments do, there is a column device after it. Errors: those of ec_csv_read; INPUT for
 * a given device beside rows that name another. Messages name the file */
enum ec_status ec_table_open(const struct ec_table_given *given, struct ec_csv *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* The same for a table that is read already; messages do not name it. */
enum ec_status ec_table_prepare(struct ec_csv *csv, const struct ec_table_given *given,
                                struct ec_err *err) EC_MUST_CHECK;
/* The time of an epoch as time_per_epoch, in seconds, where no column has it so. Errors: NOMEM */
enum ec_status ec_table_epoch_seconds(struct ec_csv *csv, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_table_plain_numbers(struct ec_csv *csv, struct ec_err *err) EC_MUST_CHECK;
/* The table with our names of columns, by the given mapping; without a mapping the table as it is.
 * Errors: those of finding the mapping and of reading */
enum ec_status ec_table_read(const struct ec_table_given *given, struct ec_csv *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* True if the row meets all conditions, `column=value` or `column!=one|other` joined by blanks; a
 * condition on a missing column is true. NULL: no conditions */
bool ec_conditions_pass(const struct ec_csv *csv, int row, const char *conditions);
/* What a person should know of a table that is read by the names of its columns: that none says the
 * precision, and which columns have no known meaning, with near names. Other tables: nothing.
 * Errors: NOMEM */
enum ec_status ec_table_notes(const struct ec_csv *csv, const struct ec_mapping *l,
                              struct ec_arena *a, struct ec_strs *ret,
                              struct ec_err *err) EC_MUST_CHECK;
const char *ec_mapping_name(const struct ec_mapping *l);
const char *ec_mapping_source(const struct ec_mapping *l);
bool ec_mapping_is_network(const struct ec_mapping *l);
bool ec_mapping_is_operator(const struct ec_mapping *l);
bool ec_mapping_is_own(const struct ec_mapping *l); /* of a header, or of a user's own mapping */
/* Rows are iterations, and what holds for all of a run is known: flags, and `extra`. */
bool ec_mapping_tells_runs(const struct ec_mapping *l);
/* Appends the measurements of the row to the list (0 to 4 entries); none for a row that the
 * conditions of the mapping exclude. Strings live in the arena. */
#define EC_FAULTS_MAX 3
#define EC_FAULTY_LINES_MAX 10
struct ec_record_list {
    struct ec_record *v;
    int n, cap;
    int n_excluded;       /* rows that are not compared */
    const char *excluded; /* of the first: "its mapping has keep = run!=cold"; NULL: no condition */
    /* Of a user's own table: runs that did not fit into the device's memory, without a time. */
    struct ec_record *out_of_memory;
    int n_out_of_memory, cap_out_of_memory;
    int n_faulty; /* rows of a user's own table with invalid cells; the first ones: */
    int faulty_line[EC_FAULTY_LINES_MAX];
    const char *fault[EC_FAULTS_MAX]; /* "line 7, column batch: found "x", expected ..." */
};
enum ec_status ec_mapping_rows(const struct ec_mapping *l, const struct ec_csv *csv,
                               struct ec_arena *a, struct ec_record_list *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* The same of all times that `data import` would store, those that are not predicted too. */
enum ec_status ec_mapping_recorded_rows(const struct ec_mapping *l, const struct ec_csv *csv,
                                        struct ec_arena *a, struct ec_record_list *ret,
                                        struct ec_err *err) EC_MUST_CHECK;
void ec_records_clear(struct ec_record_list *l);
/* Names the device of rows without one, and of all rows of our own files, which may name a machine
 * that the catalogue does not have. device: a key; NULL: nothing is done. */
void ec_records_name_device(struct ec_record_list *l, const struct ec_csv *csv, const char *device);

/* --- Rows as records, with all their cells, for the store ---
 *
 * Unlike above, no row is left out: rows that cannot be queries (several devices, rows that the
 * source flags, out of memory) are recorded with their conditions and flags. */
#define EC_RECORDS_MAX 6 /* four times, the median of samples, memory */

struct ec_reader; /* a table with its mapping and the indices of its columns */
/* The built-in mapping of a table for recording; includes mappings whose rows are never predicted.
 * Errors: NOT_FOUND */
enum ec_status ec_mapping_detect_record(const struct ec_csv *csv, struct ec_arena *a,
                                        const struct ec_mapping **ret,
                                        struct ec_err *err) EC_MUST_CHECK;
/* l and csv are borrowed until the reader is freed. device: for tables without such a column; NULL:
 * none. Errors: INPUT if a template names a missing column, NOMEM */
enum ec_status ec_reader_new(const struct ec_mapping *l, const struct ec_csv *csv,
                             const char *device, struct ec_reader **ret,
                             struct ec_err *err) EC_MUST_CHECK;
void ec_reader_free(struct ec_reader *r);
/* The records of a row; strings are borrowed until the next call. ret_n is 0 if the row does not
 * belong to the mapping, or is invalid: ec_reader_fault then has the reason. A row without a time
 * has the outcome error and the flag no_time. Errors: NOMEM */
enum ec_status ec_reader_row(struct ec_reader *r, int row, struct ec_record ret[EC_RECORDS_MAX],
                             int *ret_n, struct ec_err *err) EC_MUST_CHECK;
/* Calls fn for each row of a table of any known format, as `data import` reads it; the time is the
 * median if the row has samples. Stops at the first error of fn. Errors: those of reading;
 * NOT_FOUND, INPUT if the table has no measurements or a row is faulty; those of fn */
typedef enum ec_status (*ec_record_fn)(void *user, const struct ec_record *r, struct ec_err *err);
enum ec_status ec_records_each(const struct ec_table_given *given, ec_record_fn fn, void *user,
                               struct ec_err *err) EC_MUST_CHECK;
/* A column of all conditions, for ec_conditions_parse. */
#define EC_STEP_CONDITIONS "epochcast_conditions"
/* Converts a measurement file or an export to a table of its steps of networks, with the column
 * names of users' own tables, for code that reads columns by name; with `public` also the tables
 * that a built-in mapping of networks recognises, if they have such steps. Other tables are not
 * changed. If steps have several modes, training steps or else the most frequent mode are kept.
 * Errors: INPUT if there is no such step, or for operators; NOMEM */
enum ec_status ec_table_of_steps(struct ec_csv *csv, const struct ec_table_given *given,
                                 bool public, struct ec_err *err) EC_MUST_CHECK;
/* The same of all records that `each` hands to fn, such as those of a store. Errors: also those of
 * each */
typedef enum ec_status (*ec_records_fn)(void *ctx, ec_record_fn fn, void *user, struct ec_err *err);
enum ec_status ec_table_of_records(ec_records_fn each, void *ctx, struct ec_csv *ret,
                                   struct ec_err *err) EC_MUST_CHECK;
/* The error of the row that was read last. */
struct ec_row_fault ec_reader_fault(const struct ec_reader *r);
/* False for tables of descriptions, which have no measurements. */
bool ec_mapping_needs_device(const struct ec_mapping *l);
const char *ec_mapping_licence(const struct ec_mapping *l); /* "" when the source names none */
const char *ec_mapping_url(const struct ec_mapping *l);
/* A column whose cell identifies the file, so that a file that has grown is recognised; NULL if
 * none. */
const char *ec_mapping_run_column(const struct ec_mapping *l);
/* The next number of a list joined by blanks, rounded; false at its end. Errors: *ret_bad */
bool ec_samples_next(struct ec_span *rest, int64_t *ret_ns, bool *ret_bad);

#endif
