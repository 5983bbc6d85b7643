/* Shared by the two halves of recording: a mapping looked up in the header of a table, and the
 * reader of its rows. */
#ifndef EC_RECORD_INTERNAL_H
#define EC_RECORD_INTERNAL_H

#include "tables/mapping_internal.h"

/* A piece of a template: text between braces, or what stands between them. */
enum ec_piece_kind { EC_PIECE_TEXT, EC_PIECE_CELL, EC_PIECE_WORD, EC_PIECE_QUOTIENT };

struct ec_piece {
    enum ec_piece_kind kind;
    struct ec_span text;          /* EC_PIECE_TEXT */
    const struct ec_words *words; /* EC_PIECE_WORD; NULL: there is no such list */
    bool is_optional;             /* nothing stands for a word that the list lacks */
    struct ec_span name;          /* of the column */
    struct ec_span key;           /* of the part of its cell that is meant; empty: all of it */
    int col;
    int second; /* the other cell of a quotient, or of a word with a plus between them; -1: none */
    int other;  /* EC_PIECE_WORD: what stands in this column where the map has no word; -1: none */
};

struct ec_template {
    const char *fixed; /* no braces in it: the text itself */
    struct ec_piece *piece;
    int n, cap;
    struct ec_buf out;
};

/* Templates of a mapping: X(member of the plan, how the layout has it, text when it has none). */
#define EC_TEXT_LIST(X)                                                                            \
    X(what, l->what, "")                                                                           \
    X(device, l->device ? l->device : device, "")                                                  \
    X(precision, l->precision, "fp32")                                                             \
    X(memory_format, l->memory_format, "channels-first")                                           \
    X(optimizer, l->stored_optimizer ? l->stored_optimizer : l->optimizer, "none")                 \
    X(recompute, l->recompute, "none")                                                             \
    X(job, l->job, "")                                                                             \
    X(framework, l->framework, "")                                                                 \
    X(mode, l->stored_mode ? l->stored_mode : l->mode, "forward")                                  \
    X(family, l->family, "")                                                                       \
    X(activation, l->activation, "")                                                               \
    X(device_name, l->device_name, "")                                                             \
    X(framework_version, l->framework_version, "")                                                 \
    X(outcome, l->outcome, "ok")                                                                   \
    X(batch, l->batch, "")                                                                         \
    X(image_px, l->image_px, "")                                                                   \
    X(seq_len, l->seq_len, "")                                                                     \
    X(num_devices, l->num_devices, "1")                                                            \
    X(phase, l->phase, "")                                                                         \
    X(method, l->method, "")                                                                       \
    X(run, l->run, "")                                                                             \
    X(threads, l->threads, "")                                                                     \
    X(n_warm_up, l->n_warm_up, "")                                                                 \
    X(memory_reserved, l->memory_reserved, "")                                                     \
    X(held_out, l->held_out, "")

enum {
#define EC_TEXT_ENUM(name, template, deflt) EC_TEXT_##name,
    EC_TEXT_LIST(EC_TEXT_ENUM)
#undef EC_TEXT_ENUM
        EC_TEXT_COUNT
};

enum ec_flag_kind { EC_FLAG_SET, EC_FLAG_CLEAR, EC_FLAG_TEXT };

#define EC_NAMED_MAX 12
struct ec_named_col {
    struct ec_span name;
    enum ec_flag_kind kind;
    int col;
};

/* A mapping looked up in a header. */
struct ec_plan {
    const struct ec_mapping *l;
    struct ec_template text[EC_TEXT_COUNT];
    struct ec_named_col flag[EC_NAMED_MAX], library[EC_NAMED_MAX];
    int n_flags, n_libraries;
    int time_col[EC_MAPPING_TIMES_MAX];
    int min, max, mean, std, n_samples, iteration, memory, samples, device_samples, machine,
        dataset_size;
    bool *used; /* by column: has a place of its own */
};

struct ec_reader {
    const struct ec_csv *csv;
    struct ec_plan plan[EC_PLANS_MAX]; /* layouts that share the columns */
    int n_plans;
    bool *lossy; /* by column, in this row: a word map changed what stands there */
    const char **json_key;
    struct ec_buf libraries, job, flags[EC_RECORDS_MAX], extra, pair, part, words;
    struct ec_row_fault fault; /* of this row */
    bool judges;               /* gives queries alone: ec__judging_reader_new */
    bool is_left_out;          /* this row is none */
    struct ec_arena arena;
};

/* A reader of the rows that a prediction can be compared with, and of what the mapping compares:
 * a row that its sections leave out, or that holds a word without a translation, gives no record.
 * Errors: NOMEM */
enum ec_status ec__judging_reader_new(const struct ec_mapping *l, const struct ec_csv *csv,
                                      struct ec_reader **ret, struct ec_err *err) EC_MUST_CHECK;
/* The mapping that a row is of. */
const struct ec_mapping *ec__reader_mapping(struct ec_reader *r, int row,
                                            const struct ec_mapping *otherwise);

#endif
