/* Conditions: their words, their fields in tables, comparison. And a measurement: one struct and
 * one list of its columns, from which measurement files, the columns of the store, CSV and JSON are
 * derived. */
#ifndef EC_RECORD_H
#define EC_RECORD_H

#include "base/base.h"
#include "epochcast/conditions.h"

/* The words of each condition, in the order of its enumeration; NULL-terminated. */
extern const char *const ec_precision_names[], *const ec_precision_also[];
extern const char *const ec_memory_format_names[], *const ec_memory_format_also[];
extern const char *const ec_mode_names[], *const ec_mode_also[];
extern const char *const ec_optimizer_names[], *const ec_optimizer_also[];
extern const char *const ec_engine_optimizer_names[]; /* those that it trains with: the first */
extern const char *const ec_recompute_names[];
extern const char *const ec_framework_keys[];
extern const char *const ec_tuning_names[], *const ec_stack_names[], *const ec_targets_names[];
extern const char *const ec_attention_names[], *const ec_products_names[];
/* The precision in its usual spelling; the word itself when it is unknown. */
const char *ec_precision_word(const char *word);
const char *ec_mode_name(enum ec_mode m); /* "?" for another number */

/* The words of a field of one's own: { .name = "precision", EC_PRECISION_WORDS, ... } */
#define EC_PRECISION_WORDS .choices = ec_precision_names, .also = ec_precision_also
#define EC_PRECISION_HINT .hint = "for linear layers in fp8, mxfp8 or nvfp4: --products"
/* Precisions of our own engine. */
#define EC_ENGINE_PRECISIONS .only = EC_ONLY(EC_FP32) | EC_ONLY(EC_BF16)

/* A row of each condition, over struct ec_conditions (conditions.fields); ended by EC_FIELD_END. */
extern const struct ec_field ec_condition_fields[];
/* fp32, channels-first, pytorch-2, a training step with sgd. */
struct ec_conditions ec_conditions_default(void);

bool ec_conditions_equal(const struct ec_conditions *a, const struct ec_conditions *b);
uint64_t ec_conditions_hash(const struct ec_conditions *c);
/* Errors: INPUT when no condition has the name, or the word is none of its words */
enum ec_status ec_conditions_set(struct ec_conditions *c, const char *name, const char *word,
                                 struct ec_err *err) EC_MUST_CHECK;
/* "precision=amp layout=channels-last ...": what differs from the defaults; "" when nothing does.
 * Reads again by ec_conditions_parse. */
void ec_conditions_print(const struct ec_conditions *c, struct ec_buf *out);
/* Parses what ec_conditions_print wrote; what the text leaves out has its default. Errors: INPUT
 * with the unknown word */
enum ec_status ec_conditions_parse(const char *text, struct ec_conditions *ret,
                                   struct ec_err *err) EC_MUST_CHECK;

/* --- A measurement --- */

/* Phases of an operator, which are timed separately: X(NAME, word). */
#define EC_PHASE_LIST(X)                                                                           \
    X(FORWARD, "forward")                                                                          \
    X(GRAD_DATA, "grad_data")                                                                      \
    X(GRAD_WEIGHT, "grad_weight")                                                                  \
    X(UPDATE, "update")

#define EC_PHASE_ENUM(name, word) EC_##name,
#define EC_PHASE_WORD(name, word) word,
enum ec_phase { EC_PHASE_LIST(EC_PHASE_ENUM) EC_PHASE_COUNT };
#undef EC_PHASE_ENUM
const char *ec_phase_name(enum ec_phase p); /* "forward", "grad_data", ... */
/* By its word; -1 for any other. */
int ec_phase_find(const char *word);

/* Kinds of measurements; the words of `kind` in mapping files and queries. */
#define EC_KIND_LIST(X)                                                                            \
    X(operator)                                                                                    \
    X(network) X(ceiling) X(layer) X(collective) X(configuration) X(device) X(published) X(price)
#define EC_KIND_ENUM(name) EC_KIND_##name,
enum ec_kind { EC_KIND_LIST(EC_KIND_ENUM) EC_KIND_COUNT };
#undef EC_KIND_ENUM
extern const char *const ec_kind_names[]; /* NULL-terminated */

/* Where a measurement is from. */
struct ec_source {
    const char *key;     /* unique in a store */
    const char *name;    /* "campaign of epochcast, networks" */
    const char *mapping; /* the mapping that read the table: "campaign-network" */
    const char *licence, *url, *file_name;
    const char *sha256;   /* of the imported file; "" for measurements of our own */
    const char *imported; /* UTC, 2030-12-31T23:59:59Z */
};

/* Conditions that sources give as words, possibly unknown ones. */
enum ec_word {
    EC_WORD_PRECISION,
    EC_WORD_LAYOUT,
    EC_WORD_FRAMEWORK,
    EC_WORD_MODE,
    EC_WORD_OPTIMIZER,
    EC_WORD_RECOMPUTE, /* "" is none: a source that computes again says so */
    EC_WORD_COUNT
};

struct ec_reading {
    double ns;
    bool known;
};

/* One measurement. Texts are borrowed; "" and 0 are unknown. */
struct ec_record {
    /* What was measured */
    enum ec_kind kind;
    int phase;                 /* of an operator: enum ec_phase; -1: the whole of cond.mode */
    const char *what;          /* case text of an operator, specification of a network ... */
    const char *family;        /* operator, or group of related networks: for splits */
    const char *activation;    /* behind the operator: "relu" */
    int64_t batch;             /* of networks; a case has its own */
    int64_t image_px, seq_len; /* 0: the network's own */

    /* Under which conditions */
    struct ec_conditions cond;
    /* The source's word if we have none for it ("fp64", "jax"); "": the source gives none; NULL: it
     * is in cond */
    const char *foreign[EC_WORD_COUNT];
    bool usual_optimizer; /* the source gives none of a training step: cond has the default */
    /* What else a job has, in words of a query: "tuning=lora rank=16 zero=3 tp=8"; "": no more */
    const char *job;
    int64_t num_devices;               /* devices that ran the step together */
    int64_t threads;                   /* of the library on a CPU */
    const char *execution, *allocator; /* measurement files */

    /* On what */
    const char *device;       /* key of the catalogue, or the source's own word */
    const char *device_name;  /* free text */
    const char *host;         /* host for predictions, by name; NULL: any */
    const char *loader;       /* loader for predictions of networks; NULL: none */
    const char *machine;      /* file name of the machine's record */
    const char *machine_json; /* the record */
    const char *engine, *framework_version;
    const char *libraries; /* "cuda=11.3 cudnn=8" */

    /* How */
    const char *method; /* separated, isolated, marginal, whole ... */
    const char *run;    /* campaign that made the row */
    const char *key;    /* of the row in its campaign */
    const char *measured_utc, *stop, *tool, *tool_version;
    int64_t n_warm_up, calls_per_sample, seed;
    bool held_out; /* for tests only, never fitted to */

    /* What came out */
    const char *outcome; /* ok unsupported out_of_memory unstable error */
    const char *note;    /* why it is not ok */
    const char *flags;   /* reasons for caution, joined by blanks */
    const char *reading; /* column of the time, or of the memory when there is no time */
    struct ec_reading time, min, max, mean, std;
    const char *time_stat; /* median, mean */
    int64_t n_samples;
    const char *samples_ns, *device_samples_ns; /* raw, joined by blanks */
    double memory_peak_bytes;
    const char *memory_kind; /* allocator, process */
    int64_t memory_reserved_bytes;
    const char *extra; /* JSON object of the source's columns that have no place here */

    /* Where it stands */
    struct ec_source source;
    int row;           /* of the table, from 0 */
    int64_t iteration; /* -1: the row is a measurement of its own */
};

/* Sets all to unknown: texts "", phase and iteration -1, no condition. */
void ec_record_init(struct ec_record *r);
/* The word of a condition: ours, or the source's. */
const char *ec_record_word(const struct ec_record *r, enum ec_word which);
/* Sets a condition; an unknown word is kept in foreign[]. */
void ec_record_set_word(struct ec_record *r, enum ec_word which, const char *word);
/* Sets the mode from the phase for sources that mix them: gradients belong to forward_backward, an
 * update to a training step. */
void ec_record_phase_mode(struct ec_record *r);
/* Sets phase or mode by the single word of measurement files: forward ... update of an operator,
 * else the mode, where a training step is "step". Set the kind first. */
void ec_record_set_phase_in_file(struct ec_record *r, const char *word);
/* Sets conditions that the source leaves out to the defaults of predictions. */
void ec_record_default(struct ec_record *r);
/* Errors: INPUT when the source has an unknown word for a condition */
enum ec_status ec_record_check(const struct ec_record *r, struct ec_err *err) EC_MUST_CHECK;
/* The phase of an operator; "": the whole of the mode. */
const char *ec_record_phase_word(const struct ec_record *r);
/* What was timed: the phase of an operator, else the mode. */
const char *ec_record_phase(const struct ec_record *r);
bool ec_record_is_network(const struct ec_record *r);
/* Whether it is a reading of memory without a time. */
bool ec_record_is_memory(const struct ec_record *r);
/* Devices that share one replica: tp x pp x cp of its job. */
int64_t ec_record_ways(const struct ec_record *r);
/* Compares network or case, device, conditions, batch, size and threads, as strcmp does. */
int ec_record_compare(const struct ec_record *a, const struct ec_record *b);
/* Whether predictions can be compared with it: a time or a peak of memory, of a network or an
 * operator, outcome ok, without flags, under known conditions. Not rows that are held out, updates,
 * or training steps of lone operators, which time more than the operator, in another mode than
 * isolated_step. */
bool ec_record_is_comparable(const struct ec_record *r);
/* Copies the texts that live only until the next row into the arena. Errors: NOMEM */
enum ec_status ec_record_keep(struct ec_record *r, struct ec_arena *a,
                              struct ec_err *err) EC_MUST_CHECK;

/* --- Its columns --- */

enum ec_cell_type {
    EC_C_TEXT,    /* const char * */
    EC_C_JSON,    /* const char *: an object */
    EC_C_COUNT,   /* int64_t; 0 is not known */
    EC_C_ROW,     /* int from 0 */
    EC_C_NUMBER,  /* double; 0 is not known */
    EC_C_TIME,    /* struct ec_reading */
    EC_C_FLAG,    /* bool; false is not written to exports */
    EC_C_KIND,    /* enum ec_kind */
    EC_C_PHASE,   /* int */
    EC_C_WORD,    /* the condition `word` */
    EC_C_LIBRARY, /* the version of one of `libraries` */
};

struct ec_record_col {
    const char *name; /* in exports, JSON and the store; ends with the unit */
    enum ec_cell_type type;
    size_t offset; /* in struct ec_record */
    enum ec_word word;
    /* Its table in SQLite: c(as), d(evice), (mac)h(ine), m(easurement), s(ource), (soft)w(are); 0:
     * it is only in measurement files */
    char table;
    const char *sql;     /* column in SQLite; NULL: as name */
    const char *in_file; /* column in measurement files; NULL: none */
    bool in_key;         /* part of the key of a row of a measurement file, in this order */
    bool late;           /* ... where it is known only: rows of before the column keep their keys */
    /* Column in tables of iterations: what holds for all iterations of a run. NULL: none */
    const char *in_iterations;
};
/* In the order of measurement files; ended by a NULL name. */
#define EC_RECORD_COLS_MAX 96
extern const struct ec_record_col ec_record_cols[];
const struct ec_record_col *ec_record_col_in_file(const char *name);

/* Writes the text of a cell of an export; false when it is unknown. */
bool ec_record_put(const struct ec_record_col *c, const struct ec_record *r, struct ec_buf *out);
/* Writes a cell of a measurement file; unknown is empty. */
void ec_record_put_in_file(const struct ec_record_col *c, const struct ec_record *r,
                           struct ec_buf *out);
/* An error in a cell; column NULL: none. */
struct ec_row_fault {
    const char *column, *found, *expected;
};
/* Sets a member from text, which must live as long as the record. A bad cell sets *fault, unless it
 * is set. */
void ec_record_set(const struct ec_record_col *c, struct ec_record *r, const char *text,
                   struct ec_row_fault *fault);

/* Whether the table is one of `epochcast data export`: it has the columns of the store. */
bool ec_record_is_export(const struct ec_csv *csv);
/* Whether the table is a measurement file, by its columns. */
bool ec_record_is_file(const struct ec_csv *csv);
/* The table's column for each of ec_record_cols; -1: none. */
void ec_record_find_cols(const struct ec_csv *csv, int ret[EC_RECORD_COLS_MAX]);
/* A row of an export; texts are the table's. */
void ec_record_of_export(const struct ec_csv *csv, const int *cols, int row, struct ec_record *ret,
                         struct ec_row_fault *fault);

#endif
