/* Shared inside tables: the parsed form of a mapping. A template is text in which {column} is
 * replaced by the cell; {column:words} translates the cell by a list of words; {a/b} is cell a
 * divided by cell b, a whole number. Wherever a column is named, `a|b` means the first of them that
 * the table has, and `column.key` means the value of that key in the cell: 8192 for `spec.k` of
 * "m=4096 k=8192" or "m: 4096 k: 8192". docs/mappings.md describes the file format. */
#ifndef EC_MAPPING_INTERNAL_H
#define EC_MAPPING_INTERNAL_H

#include "tables/tables.h"

#define EC_MAPPING_TIMES_MAX 4

extern const struct ec_unit ec__time_units[], ec__byte_units[]; /* columns.c */

enum { EC_L_WHOLE = -1, EC_L_FWD = 0, EC_L_GRAD_DATA = 1, EC_L_GRAD_WEIGHT = 2 };

/* What a column of rates counts; EC_SPEED_TIME: it has none. */
enum ec_speed_kind ec__column_rate(enum ec_quantity q);
/* notes.c: what to write behind the name of a column of times or memory that says no unit */
const char *ec__likely_unit(const struct ec_csv *csv, int col, enum ec_quantity q);

struct ec_mapping_time {
    const char *column;
    int phase;         /* -1: the whole of `mode` */
    double unit_ns;    /* of the column; 0 is a millisecond */
    bool stored_only;  /* recorded, but never a query */
    const char *mode;  /* instead of the section's; NULL: the section's */
    const char *flags; /* words of caution that hold for every reading of the column */
    /* If the column has TFLOP/s, or a share of the rate in peak_tflops: the columns whose product
     * is the number of multiply-adds, from which the time follows. NULL: the column has a time. */
    const char *multiply_adds, *peak_tflops;
    enum ec_speed_kind rate; /* the column has so many per second; the time of a step follows */
    bool of_all;             /* the rate is that of all devices, the batch that of one */
    double
        epoch_samples; /* the column has the time of an epoch of so many samples; -1: their number
                          is in the column dataset_size; 0: it is not the time of an epoch */
};

struct ec_word_pair {
    const char *from, *to;
};

/* Translation of words in cells to our words, which may contain {column}. */
struct ec_words {
    const char *name;
    const struct ec_word_pair *v;
    int n;
    bool is_loose; /* an any_ list: patterns without case, blanks, '-' and '_'; a word that is not
                      in the list is an error of the row */
    const char *condition; /* whose own words are words of the list too; NULL: none */
    const struct ec_words *next;
};

/* A mapping file: a source of tables, with a section for each kind of rows. */
#define EC_SECTIONS_MAX 32
#define EC_PLANS_MAX 16 /* sections of one table */
struct ec_mapping_file {
    const char *name; /* of the file, without .map */
    struct ec_mapping *section[EC_SECTIONS_MAX];
    int n;
    bool is_own; /* of the user: every column that it names must be there */
    const struct ec_words *words;
    const struct ec_mapping_file *shared; /* whose words it may use; NULL: none */
};

struct ec_mapping {
    const struct ec_mapping_file *map; /* NULL: made of a header */
    const char *name, *source, *licence, *url;
    const char *columns; /* all must be present */
    const char *rows;   /* rows that are of this section: col=value or col!=value, joined by blanks;
                         * absent columns pass; a|b is either value */
    const char *keep;   /* conditions of rows that are predicted; all are stored */
    const char *except; /* rows that meet all of these conditions are not predicted; NULL: none */
    const char *instead; /* tables of this form are refused: what they are, and what to give in
                          * their place; NULL: they are read */
    bool is_network;
    bool stored_only; /* rows are recorded, never predicted */
    bool by_name;     /* never detected by columns, only used by name */
    bool for_queries; /* by_name, but queries detect it */
    bool is_export;   /* what `epochcast data export` wrote */
    bool plain;       /* made of a header (plain.c): its rows are checked strictly */
    const char *what, *device, *precision, *memory_format, *optimizer, *framework, *mode, *family;
    const char *recompute;
    const char *job; /* words of a query, of which those without a value are left out */
    const char *batch, *image_px, *seq_len;
    const char *activation; /* fused to a lone operator */
    struct ec_mapping_time times[EC_MAPPING_TIMES_MAX];
    /* Conditions like `rows`, but columns must be there; NULL: of no row. */
    const char *input_copy;  /* the input copy is in the time */
    const char *queued;      /* the kernels of an operator were timed alone */
    const char *half_inputs; /* inputs under autocast were halves */
    const char *memory_read; /* column of peak memory that is predicted; NULL: none */
    /* What the table calls an environment, and the device that was read from it; NULL: none. */
    const char *taken_env, *taken_device;

    /* For the record only: */
    const char *kind; /* NULL: "network" or "operator" */
    const char *device_name, *framework_version, *num_devices, *outcome;
    const char *stored_mode, *stored_optimizer; /* instead of mode, optimizer, where rows differ */
    const char *libraries;                      /* name=column, joined by blanks */
    const char *flags;     /* columns joined by blanks: `c` 1 is a flag, `!c` 0 is, `@c` holds it */
    const char *time_stat; /* what the first time is: median, mean, minimum; NULL: not known */
    const char *min, *max, *mean, *std; /* columns in the unit of the first time */
    const char *n_samples;              /* column: repetitions behind the figures */
    const char *iteration;              /* column: the row is one iteration of a measurement */
    /* Columns of the iteration alone, joined by blanks: all others, and flags, are then of the
     * measurement. NULL: not known, so that what has no place is left out */
    const char *of_iteration;
    const char *dataset_size;                /* column: samples of an epoch; NULL: none */
    int64_t (*tokens_of)(const char *model); /* of rows without a length; NULL: rows have one */
    const char *memory;                      /* column of peak memory beside times */
    double memory_unit_bytes;                /* of both; 0 is a MiB */
    bool zero_is_none;                       /* the source writes 0 where it has no time */
    const char *memory_kind; /* process, allocator, EC_MEMORY_EITHER; NULL: process */

    /* Rows with raw samples in place of times (docs/measurement-format.md): */
    const char *samples, *device_samples; /* columns of nanoseconds joined by blanks */
    const char *phase;                    /* template: forward ... update, else whole */
    const char *method, *threads, *n_warm_up, *memory_reserved, *held_out, *run; /* templates */
    const char *machine; /* column: which machine record lies beside the file */
};

/* The built-in mappings and their sections, those with most columns first. All live in the arena.
 * */
struct ec_mapping_set {
    const struct ec_mapping_file **file;
    const struct ec_mapping **section;
    int n_files, n;
};
enum ec_status ec__maps_shipped(struct ec_arena *a, struct ec_mapping_set *ret,
                                struct ec_err *err) EC_MUST_CHECK;
/* One mapping; shared may be NULL; name is borrowed. Errors: PARSE, INPUT with the line */
enum ec_status ec__map_parse(const char *name, const char *text, size_t len,
                             const struct ec_mapping_file *shared, bool is_own, struct ec_arena *a,
                             struct ec_mapping_file **ret, struct ec_err *err) EC_MUST_CHECK;
/* A list of a mapping, of those it shares, or of words of anybody; m may be NULL. NULL: none */
const struct ec_mapping *ec__section_find(const struct ec_mapping_file *map, struct ec_span name);
const struct ec_words *ec__words_find(const struct ec_mapping_file *m, struct ec_span name);
/* A source's word in ours; NULL: the list does not have it. */
const char *ec__word(const struct ec_words *w, const char *from);
#define EC_OUT_OF_MEMORY "out_of_memory" /* an outcome */
/* "OOM" and the like in the place of a number. */
bool ec__cell_is_out_of_memory(const char *cell);
/* The words of ours that a list leads to: "fp32, tf32, amp". */
void ec__words_print(const struct ec_words *w, struct ec_buf *out);
/* A word of ours with the cells of the columns that it names. */
void ec__word_put(const struct ec_csv *csv, int row, const char *word, struct ec_buf *out);
/* Text of a span; nothing where there is no room for it. */
void ec__column_name(struct ec_span s, char *out, size_t size);
/* The column of a name, or of what stands before its first dot. -1: there is none. */
int ec__column_find(const struct ec_csv *csv, struct ec_span name, struct ec_span *ret_key);
/* The same for a name without keys; NULL: -1. */
int ec__column_named(const struct ec_csv *csv, const char *name);
/* The cell of a column, or the part of it that the name asks for, which is put into room. */
const char *ec__cell(const struct ec_csv *csv, int row, struct ec_span name, char *room,
                     size_t size);
/* What stands behind a key of a cell; nothing when it is not there. */
struct ec_span ec__cell_part(const char *cell, struct ec_span key);
/* The time that a reading has by its number, which is above zero. Zero where the row lacks the
 * sizes for it. */
double ec__mapping_time_ns(const struct ec_mapping_time *t, const struct ec_csv *csv, int row,
                           double value);
/* Whether a column of devices names products: its first word is no place ("cuda:0") nor count. */
bool ec__column_is_product(const struct ec_csv *csv, int col);
/* The folder of a file, without those above it; empty: its path has none. */
struct ec_span ec__folder_of(const char *path);
/* Errors: UNSUPPORTED for a table with a column for each device, without one of times or rates */
enum ec_status ec__check_comparison(const struct ec_csv *csv, const struct ec_table_given *given,
                                    struct ec_err *err) EC_MUST_CHECK;
/* The mapping of a table that none of ours knows, from the names of its columns. Errors: NOT_FOUND
 * for a table that says nothing measured; INPUT for one that lacks something, naming it */
enum ec_status ec__mapping_of_header(const struct ec_csv *csv, const struct ec_table_given *given,
                                     struct ec_arena *a, const struct ec_mapping **ret,
                                     struct ec_err *err) EC_MUST_CHECK;
/* The iterations of a run, from `first` on, become one measurement, their median, at the position
 * of the first. Errors: NOMEM */
enum ec_status ec__merge_iterations(struct ec_record_list *l, int first,
                                    struct ec_err *err) EC_MUST_CHECK;
/* Appends a record; its texts go to the arena. Errors: NOMEM */
enum ec_status ec__keep_query(const struct ec_record *r, struct ec_arena *a,
                              struct ec_record_list *ret, struct ec_err *err) EC_MUST_CHECK;
/* Appends the records of a row of a user's table that can be predicted. Errors: NOMEM */
enum ec_status ec__keep_plain(const struct ec_mapping *l, const struct ec_csv *csv, int row,
                              const struct ec_record *r, int n, struct ec_arena *a,
                              struct ec_record_list *ret, struct ec_err *err) EC_MUST_CHECK;
/* Tables that `epochcast data export` wrote; NULL for any other. */
const struct ec_mapping *ec__mapping_of_export(const struct ec_csv *csv);
enum ec_status ec__export_rows(const struct ec_csv *csv, struct ec_arena *a,
                               struct ec_record_list *ret, struct ec_err *err) EC_MUST_CHECK;
/* A row of an export, its time where it has one. */
enum ec_status ec__export_row(const struct ec_csv *csv, const int *cols, int row,
                              struct ec_record *ret, struct ec_row_fault *fault,
                              struct ec_err *err) EC_MUST_CHECK;
/* The device's time where it was taken, else the host's: the median of either. False: no sample */
bool ec__sampled_ns(const char *samples, const char *device_samples, double *ret,
                    enum ec_status *ret_st, struct ec_err *err);
/* Median, of an even number the mean of both in the middle; 0 of none. The order of v changes. */
double ec__median(double *v, int n);
/* Counts a row that is not compared, and keeps the condition that says so of the first. */
enum ec_status ec__exclude(const struct ec_mapping *l, const struct ec_csv *csv, int row,
                           struct ec_arena *a, struct ec_record_list *ret,
                           struct ec_err *err) EC_MUST_CHECK;
/* Stores the reason why a row of a user's table or of an export is invalid. */
enum ec_status ec__keep_fault(const struct ec_csv *csv, int row, struct ec_row_fault fault,
                              struct ec_arena *a, struct ec_record_list *ret,
                              struct ec_err *err) EC_MUST_CHECK;
bool ec__mapping_recognises(const struct ec_mapping *l, const struct ec_csv *csv); /* by columns */
/* The row is a query that the predictor answers. */
bool ec__mapping_judges(const struct ec_mapping *l, const struct ec_csv *csv, int row);
/* Rows of the tables of b may be of a: it is found by columns, which are the same. */
bool ec__mappings_share(const struct ec_mapping *a, const struct ec_mapping *b);
bool ec__mapping_has_columns(const struct ec_mapping *l, const struct ec_csv *csv);
/* True if there are conditions and the row meets all of them; a missing column fails. */
bool ec__mapping_holds(const struct ec_csv *csv, int row, const char *conditions);
enum ec_kind ec__mapping_kind(const struct ec_mapping *l);
#endif
