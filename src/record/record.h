/* Conditions as words, in tables of fields, compared; and a measurement: one struct, one list of
 * its columns, from which come measurement files, the columns of the store, CSV and JSON. */
#ifndef EC_RECORD_H
#define EC_RECORD_H

#include "base/base.h"
#include "epochcast/conditions.h"

/* The words of each condition, in the order of its enumeration; NULL-terminated. */
extern const char *const ec_precision_names[], *const ec_precision_also[];
extern const char *const ec_memory_format_names[];
extern const char *const ec_mode_names[];
extern const char *const ec_optimizer_names[];
extern const char *const ec_framework_keys[];
/* The precision as it is written everywhere; the word itself where it is none of ours. */
const char *ec_precision_word(const char *word);
const char *ec_mode_name(enum ec_mode m); /* "?" for what is none */

/* The other words of a row of one's own: { .name = "precision", EC_PRECISION_WORDS, ... } */
#define EC_PRECISION_WORDS .choices = ec_precision_names, .also = ec_precision_also
/* What our own engine computes in. */
#define EC_ENGINE_PRECISIONS .only = EC_ONLY(EC_FP32) | EC_ONLY(EC_BF16)

/* The row of each condition in a table of fields; at: where the struct of the table holds it. */
#define EC_FIELD_PRECISION(at)                                                                     \
    {                                                                                              \
        .name = "precision", .type = EC_F_ENUM, .offset = (at), .deflt = "fp32",                   \
        EC_PRECISION_WORDS, .short_flag = 'p',                                                     \
        .help =                                                                                    \
            "arithmetic; fp32 is without TF32, tf32 has it in products and convolutions, amp is "  \
            "autocast"                                                                             \
    }
#define EC_FIELD_LAYOUT(at)                                                                        \
    {                                                                                              \
        .name = "layout", .type = EC_F_ENUM, .offset = (at), .deflt = "channels-first",            \
        .choices = ec_memory_format_names, .help = "memory order of images"                        \
    }
#define EC_FIELD_OPTIMIZER(at)                                                                     \
    {                                                                                              \
        .name = "optimizer", .type = EC_F_ENUM, .offset = (at), .deflt = "sgd",                    \
        .choices = ec_optimizer_names, .short_flag = 'o',                                          \
        .help = "parameter update at the end of a step"                                            \
    }
#define EC_FIELD_FRAMEWORK(at)                                                                     \
    {                                                                                              \
        .name = "framework", .type = EC_F_ENUM, .offset = (at), .deflt = "pytorch-2",              \
        .choices = ec_framework_keys, .help = "who runs it: decides dispatch cost and fusion"      \
    }
#define EC_FIELD_MODE(at)                                                                          \
    {                                                                                              \
        .name = "mode", .type = EC_F_ENUM, .offset = (at), .deflt = "training_step",               \
        .choices = ec_mode_names,                                                                  \
        .help = "what a step holds; isolated_step trains one operator, its input and its target"   \
    }
#define EC_FIELD_INPUT_COPY(at)                                                                    \
    {                                                                                              \
        .name = "input_copy", .type = EC_F_BOOL, .offset = (at), .deflt = "0",                     \
        .help = "each step first copies its input from the host, without overlap"                  \
    }
#define EC_FIELD_QUEUED(at)                                                                        \
    {                                                                                              \
        .name = "queued", .type = EC_F_BOOL, .offset = (at), .deflt = "0",                         \
        .help = "with --op: its kernels alone, others waiting behind them as inside a network; "   \
                "without, what a benchmark of one call measures"                                   \
    }
#define EC_FIELD_HALF_INPUTS(at)                                                                   \
    {                                                                                              \
        .name = "half_inputs", .type = EC_F_BOOL, .offset = (at), .deflt = "0",                    \
        .help = "with --op and --precision amp: its inputs are half already, as inside a network"  \
    }
#define EC_FIELD_MASTER_WEIGHTS(at)                                                                \
    {                                                                                              \
        .name = "master_weights", .type = EC_F_BOOL, .offset = (at), .deflt = "0",                 \
        .help =                                                                                    \
            "with bf16 or fp16: float32 copies of the parameters and float32 states in memory, "   \
            "as mixed-precision trainers keep them"                                                \
    }

/* All of them, over a struct ec_conditions at this offset. */
#define EC_FIELDS_CONDITIONS(at)                                                                   \
    EC_FIELD_PRECISION((at) + offsetof(struct ec_conditions, precision)),                          \
        EC_FIELD_LAYOUT((at) + offsetof(struct ec_conditions, layout)),                            \
        EC_FIELD_FRAMEWORK((at) + offsetof(struct ec_conditions, framework)),                      \
        EC_FIELD_MODE((at) + offsetof(struct ec_conditions, mode)),                                \
        EC_FIELD_OPTIMIZER((at) + offsetof(struct ec_conditions, optimizer)),                      \
        EC_FIELD_QUEUED((at) + offsetof(struct ec_conditions, queued)),                            \
        EC_FIELD_HALF_INPUTS((at) + offsetof(struct ec_conditions, half_inputs)),                  \
        EC_FIELD_INPUT_COPY((at) + offsetof(struct ec_conditions, input_copy)),                    \
        EC_FIELD_MASTER_WEIGHTS((at) + offsetof(struct ec_conditions, master_weights))
/* ... over struct ec_conditions; ended by EC_FIELD_END. */
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
/* The defaults, changed by what the text says. Errors: INPUT names the word that is none */
enum ec_status ec_conditions_parse(const char *text, struct ec_conditions *ret,
                                   struct ec_err *err) EC_MUST_CHECK;

/* --- A measurement --- */

/* Work of an operator that is timed by itself: X(NAME, word). */
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

/* What a measurement may be of; the words of `kind` in mapping files and queries. */
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
    const char *mapping; /* that the table was read by: "campaign-network" */
    const char *licence, *url, *file_name;
    const char *sha256;   /* of the imported file; "" for measurements of our own */
    const char *imported; /* UTC, 2030-12-31T23:59:59Z */
};

/* Conditions that sources give in words, which need not be ours. */
enum ec_word {
    EC_WORD_PRECISION,
    EC_WORD_LAYOUT,
    EC_WORD_FRAMEWORK,
    EC_WORD_MODE,
    EC_WORD_OPTIMIZER,
    EC_WORD_COUNT
};

struct ec_reading {
    double ns;
    bool known;
};

/* One measurement. Texts are borrowed; "" and 0 are not known. */
struct ec_record {
    /* What was measured */
    enum ec_kind kind;
    int phase;                 /* of an operator: enum ec_phase; -1: the whole of cond.mode */
    const char *what;          /* case text of an operator, specification of a network ... */
    const char *family;        /* operator, or group of related networks: for splits */
    const char *activation;    /* fused behind the operator: "relu" */
    int64_t batch;             /* of networks; a case has its own */
    int64_t image_px, seq_len; /* 0: the network's own */

    /* Under which conditions */
    struct ec_conditions cond;
    /* The source's word where we have none for it ("fp64", "jax"), "" where it says nothing. NULL:
     * cond says it */
    const char *foreign[EC_WORD_COUNT];
    int64_t num_devices;               /* that took the step together */
    int64_t threads;                   /* of the library on a CPU */
    const char *execution, *allocator; /* measurement files */

    /* On what */
    const char *device;       /* key of the catalogue, or the source's own word */
    const char *device_name;  /* free text */
    const char *host;         /* to predict a network with, by its name; NULL: any */
    const char *machine;      /* the record of the machine beside a measurement file */
    const char *machine_json; /* and that record itself */
    const char *engine, *framework_version;
    const char *libraries; /* "cuda=11.3 cudnn=8" */

    /* How */
    const char *method; /* separated, isolated, marginal, whole ... */
    const char *run;    /* campaign that made the row */
    const char *key;    /* of the row in its campaign */
    const char *measured_utc, *stop, *tool, *tool_version;
    int64_t n_warm_up, calls_per_sample, seed;
    bool held_out; /* kept apart: judged by, never fitted to */

    /* What came out */
    const char *outcome; /* ok unsupported out_of_memory unstable error */
    const char *note;    /* why it is not ok */
    const char *flags;   /* words of caution joined by blanks */
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

/* Nothing known: every text "", phase and iteration -1, no condition known. */
void ec_record_init(struct ec_record *r);
/* The word of a condition: ours, or the source's. */
const char *ec_record_word(const struct ec_record *r, enum ec_word which);
/* Ours where we have the word; else it is kept as the source's. */
void ec_record_set_word(struct ec_record *r, enum ec_word which, const char *word);
/* Some call the mode of an operator as they call its phase: gradients belong to forward_backward,
 * an update to a training step. */
void ec_record_phase_mode(struct ec_record *r);
/* The one word that measurement files have for what was timed: forward ... update of an operator,
 * else the mode, in which a training step is a "step". Set the kind before. */
void ec_record_set_phase_in_file(struct ec_record *r, const char *word);
/* Conditions that a source says nothing of are those that predictions take. */
void ec_record_default(struct ec_record *r);
/* Errors: INPUT names a word of the source that is none of ours */
enum ec_status ec_record_check(const struct ec_record *r, struct ec_err *err) EC_MUST_CHECK;
/* The phase of an operator; "": the whole of the mode. */
const char *ec_record_phase_word(const struct ec_record *r);
/* What was timed: the phase of an operator, else the mode. */
const char *ec_record_phase(const struct ec_record *r);
bool ec_record_is_network(const struct ec_record *r);
/* A reading of memory, without a time. */
bool ec_record_is_memory(const struct ec_record *r);
/* A time or a peak of memory that predictions can be held against: of a network or an operator, ok,
 * without flags, under conditions that are ours. Rows kept apart are none, nor are updates and lone
 * training steps of operators, in which more is timed than the operator. */
bool ec_record_is_comparable(const struct ec_record *r);
/* Copies what is in reach of the next row only. Errors: NOMEM */
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
    EC_C_WORD,    /* a condition: `word` says which */
    EC_C_LIBRARY, /* the version of one of `libraries` */
};

struct ec_record_col {
    const char *name; /* in exports, JSON and the store; the unit is in it */
    enum ec_cell_type type;
    size_t offset; /* in struct ec_record */
    enum ec_word word;
    /* What SQLite keeps it in: c(as), d(evice), (mac)h(ine), m(easurement), s(ource), (soft)w(are).
     * 0: measurement files alone have it */
    char table;
    const char *sql;     /* there; NULL: name */
    const char *in_file; /* in measurement files; NULL: it is in none */
    bool in_key;         /* identifies a row of a measurement file, in this order */
};
/* In the order of measurement files; ended by a NULL name. */
#define EC_RECORD_COLS_MAX 96
extern const struct ec_record_col ec_record_cols[];
const struct ec_record_col *ec_record_col_find(const char *name);
const struct ec_record_col *ec_record_col_in_file(const char *name);

/* The text of a cell of an export; false when nothing is known. */
bool ec_record_put(const struct ec_record_col *c, const struct ec_record *r, struct ec_buf *out);
/* The same for a measurement file, where nothing known is nothing written. */
void ec_record_put_in_file(const struct ec_record_col *c, const struct ec_record *r,
                           struct ec_buf *out);
/* What is wrong with a cell; column NULL: nothing. */
struct ec_row_fault {
    const char *column, *found, *expected;
};
/* text must live as long as the record. A cell that cannot be taken is the fault, if none is yet.
 */
void ec_record_set(const struct ec_record_col *c, struct ec_record *r, const char *text,
                   struct ec_row_fault *fault);

/* What `epochcast data export` writes as CSV: the columns that the store has. */
bool ec_record_is_export(const struct ec_csv *csv);
/* A measurement file, by its columns. */
bool ec_record_is_file(const struct ec_csv *csv);
/* Where those columns are, -1 what is not there; of ec_record_cols, one by one. */
void ec_record_find_cols(const struct ec_csv *csv, int ret[EC_RECORD_COLS_MAX]);
/* A row of an export; texts are the table's. */
void ec_record_of_export(const struct ec_csv *csv, const int *cols, int row, struct ec_record *ret,
                         struct ec_row_fault *fault);

#endif
