/* Data from outside: well-known data sets, rows of measurement tables turned into questions that
 * the predictor can answer, samples to train on (samples.h), downloading (fetch.h). */
#ifndef EC_DATASET_H
#define EC_DATASET_H

#include "base/base.h"
#include "dataset/columns.h"
#include "dataset/fetch.h"
#include "dataset/samples.h"

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
    bool input_copy;  /* the time holds the copy of the input from the host */
    bool queued;      /* operators: the time of the kernels alone, with the host far ahead */
    bool half_inputs; /* operators under autocast: their inputs were halves already */
    const char *device, *precision, *memory_format, *optimizer, *framework, *mode;
    const char *activation;    /* operators: one that follows, "relu"; "none" */
    const char *family;        /* group of related networks or operator; for splits */
    int phase;                 /* operators: enum ec_phase; -1: the whole of `mode` */
    int64_t batch;             /* networks; 0: in the case text */
    int64_t image_px, seq_len; /* 0: the network's own */
    const char *host;          /* networks: to predict with, by its name there; NULL: any other */
    int64_t num_devices;       /* that took the step together; 0: not given, one */
    double time_ns;            /* 0: the row is a memory reading */
    double memory_bytes;       /* peak; 0: the row is a time */
    bool allocator;            /* that peak is what the framework's allocator reports */
    int row;                   /* of the table, from 0 */
};

/* A layout recognises a table by its columns and maps a row to questions. */
struct ec_layout;

/* The layout whose columns the table has, and one of its rows. Errors: NOT_FOUND, telling which of
 * both is missing */
enum ec_status ec_layout_detect(const struct ec_csv *csv, const struct ec_layout **ret,
                                struct ec_err *err) EC_MUST_CHECK;
/* By name; also those that no table is detected as. Errors: NOT_FOUND with the names */
enum ec_status ec_layout_find(const char *name, const struct ec_layout **ret,
                              struct ec_err *err) EC_MUST_CHECK;
/* What a user's own table leaves out may be given beside it. NULL and 0: it is not. */
struct ec_table_given {
    const char *path; /* its name may hold the name of the device */
    const char *model, *device, *precision;
    int64_t batch;
    /* The device that is named in a text, NULL when none is (ec_device_in_text) */
    const char *(*device_in)(const char *text, bool whole);
};
/* Where a table's devices stand: in a column, unless that says no product ("cuda") and the one of
 * environments does; else what is given; else the name of the file. NULL and column -1: nowhere. */
const char *ec_table_device(const struct ec_csv *csv, const struct ec_table_given *given,
                            int *ret_col);
/* For questions: as ec_layout_detect, and when no layout has such columns, one made of what their
 * names say (docs/tables.md). It lives in the arena. Errors: NOT_FOUND; INPUT when the table says
 * times or memory and lacks something that no option gives */
enum ec_status ec_layout_of_table(const struct ec_csv *csv, const struct ec_table_given *given,
                                  struct ec_arena *a, const struct ec_layout **ret,
                                  struct ec_err *err) EC_MUST_CHECK;
/* The same for recording: as ec_layout_detect_record. */
enum ec_status ec_layout_of_record(const struct ec_csv *csv, const struct ec_table_given *given,
                                   struct ec_arena *a, const struct ec_layout **ret,
                                   struct ec_err *err) EC_MUST_CHECK;
const char *ec_layout_name(const struct ec_layout *l);
const char *ec_layout_source(const struct ec_layout *l);
bool ec_layout_is_network(const struct ec_layout *l);
bool ec_layout_is_plain(const struct ec_layout *l); /* made of a header: a user's own table */
/* Append what the row measures to the list (0 to 4 entries); rows that the layout's conditions
 * exclude give none. Text goes to the arena. */
#define EC_FAULTS_MAX 3
struct ec_measured_list {
    struct ec_measured *v;
    int n, cap;
    int n_excluded; /* rows left out by conditions of the layout */
    int n_faulty; /* rows of a user's own table that hold what they should not, the first given: */
    const char *fault[EC_FAULTS_MAX]; /* "line 7, column batch: found "x", expected ..." */
};
enum ec_status ec_layout_rows(const struct ec_layout *l, const struct ec_csv *csv,
                              struct ec_arena *a, struct ec_measured_list *ret,
                              struct ec_err *err) EC_MUST_CHECK;
void ec_measured_clear(struct ec_measured_list *l);
/* What a row does not say of its conditions is what `epochcast predict` takes. */
void ec_measured_default(struct ec_measured *m);

/* --- Rows as records: everything a row says, for keeping ---
 *
 * Unlike above, no row is left out: what a question excludes (several devices, rows that the
 * source flags, out of memory) is recorded with its conditions and flags. */
struct ec_reading {
    double ns;
    bool known;
};

struct ec_record {
    struct ec_measured m;    /* phase -1: the whole of m.mode; time_ns is not used */
    const char *kind;        /* operator, network, layer, collective, configuration ... */
    const char *reading;     /* column of the time, or of the memory when there is no time */
    const char *device_name; /* free text; "" */
    const char *framework_version, *libraries; /* "cuda=11.3 cudnn=8", "" */
    const char *outcome;                       /* ok unsupported out_of_memory unstable */
    const char *time_stat, *memory_kind;       /* "" when not known */
    const char *flags;                         /* words of caution joined by blanks; "" */
    const char *extra;                         /* JSON object of columns without a place; "" */
    int64_t num_devices, n_samples;            /* 0: not known */
    const char *method;                        /* separated, isolated, marginal, whole ...; "" */
    const char *run;                           /* campaign that made the row; "" */
    int64_t threads, n_warm_up, memory_reserved_bytes; /* 0: not known */
    bool held_out;                                     /* kept apart: judged by, never fitted to */
    const char *samples, *device_samples;              /* raw, nanoseconds joined by blanks; "" */
    const char *machine; /* names the machine record beside the file; "" */
    int64_t iteration;   /* -1: the row is a measurement of its own */
    struct ec_reading time, min, max, mean, std;
};
#define EC_RECORDS_MAX 4

/* What a measurement may be of; the words of `kind` in records, mapping files and queries. NULL
 * ends. */
extern const char *const ec_record_kinds[];

/* Why no measurement can be made of a row. Texts live as the row's records do. */
struct ec_row_fault {
    const char *column; /* NULL: nothing is wrong */
    const char *found, *expected;
};

struct ec_reader; /* a table with its layout, columns looked up */
/* The layout of a table for recording: all of those above and more. Errors: NOT_FOUND */
enum ec_status ec_layout_detect_record(const struct ec_csv *csv, const struct ec_layout **ret,
                                       struct ec_err *err) EC_MUST_CHECK;
/* l and csv are borrowed until the reader is freed. device: for tables without such a column; NULL:
 * none. Errors: INPUT when a template names a column that the table lacks, NOMEM */
enum ec_status ec_reader_new(const struct ec_layout *l, const struct ec_csv *csv,
                             const char *device, struct ec_reader **ret,
                             struct ec_err *err) EC_MUST_CHECK;
void ec_reader_free(struct ec_reader *r);
/* What the row says, at least one record; texts are borrowed until the next call. ret_n is 0 when
 * the row is not of the layout, or when ec_reader_fault says what is wrong with it. A row whose
 * figures are missing, not wrong, has the outcome error and the flag no_time. Errors: NOMEM */
enum ec_status ec_reader_row(struct ec_reader *r, int row, struct ec_record ret[EC_RECORDS_MAX],
                             int *ret_n, struct ec_err *err) EC_MUST_CHECK;
/* Of the row that was read last. */
struct ec_row_fault ec_reader_fault(const struct ec_reader *r);
/* False for tables that describe instead of measuring. */
bool ec_layout_needs_device(const struct ec_layout *l);
const char *ec_layout_licence(const struct ec_layout *l); /* "" when the source names none */
const char *ec_layout_url(const struct ec_layout *l);
/* Column whose cell is unique to the file, so that a file that grew is known again; NULL: none. */
const char *ec_layout_run_column(const struct ec_layout *l);
/* The next number of a list joined by blanks, rounded; false at its end. Errors: *ret_bad */
bool ec_samples_next(struct ec_span *rest, int64_t *ret_ns, bool *ret_bad);

/* A layout of your own, from lines `key = template` (docs/store.md). Errors: PARSE, INPUT with the
 * line. ret lives in the arena. */
enum ec_status ec_layout_parse(const char *text, size_t len, struct ec_arena *a,
                               const struct ec_layout **ret, struct ec_err *err) EC_MUST_CHECK;

#endif
