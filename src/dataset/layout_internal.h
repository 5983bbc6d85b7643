/* Shared inside dataset: what a layout says of a table. A template is text with {column} replaced
 * by the cell; {column:map} goes through a word map first; {a/b} is the whole number of times that
 * cell b goes into cell a. Wherever a column is named, `column.key` is what stands behind that key
 * in the cell: 8192 for `spec.k` of "m=4096 k=8192", or of "m: 4096 k: 8192". */
#ifndef EC_LAYOUT_INTERNAL_H
#define EC_LAYOUT_INTERNAL_H

#include "dataset/dataset.h"

#define EC_LAYOUT_TIMES_MAX 4

enum { EC_L_WHOLE = -1, EC_L_FWD = 0, EC_L_GRAD_DATA = 1, EC_L_GRAD_WEIGHT = 2 };

struct ec_layout_time {
    const char *column;
    int phase;         /* -1: the whole of `mode` */
    double unit_ns;    /* of the column; 0 is a millisecond */
    bool stored_only;  /* no question for the predictor: recorded, not judged */
    const char *mode;  /* instead of the layout's; NULL: the layout's */
    const char *flags; /* words of caution that hold for every reading of the column */
    /* The column holds TFLOP/s, or the share of those in peak_tflops: the columns whose cells
     * multiplied are the multiply-adds, of which the time follows. NULL: it holds a time. */
    const char *multiply_adds, *peak_tflops;
    bool per_s;           /* the column says samples per second: a step is a batch of them */
    double epoch_samples; /* the column says the time of an epoch of so many, of which a step is one
                             batch; -1: as many as the column dataset_size says. 0: it does not */
};

struct ec_layout {
    const char *name, *source, *licence, *url;
    const char *columns; /* all must be present */
    const char *rows;    /* rows that are of this layout: col=value or col!=value, joined by blanks;
                          * absent columns pass; a|b is either value */
    const char *keep;    /* of those, rows that are judged; stored are all */
    const char *except;  /* of those, rows that are not: all of it must hold. NULL: none */
    bool is_network;
    bool stored_only; /* the table is recorded, never judged */
    bool by_name;     /* never detected: asked for by name */
    bool plain;       /* made from a header (plain.c): its rows are checked strictly */
    const char *what, *device, *precision, *memory_format, *optimizer, *framework, *mode, *family;
    const char *batch, *image_px, *seq_len;
    const char *activation; /* fused to a lone operator */
    struct ec_layout_time times[EC_LAYOUT_TIMES_MAX];
    const char *input_copy; /* column whose cell says that the input copy is in the time */
    const char *queued; /* column, not empty where the kernels of an operator were timed alone */
    const char *half_inputs; /* column, fp16 or bf16 where inputs under autocast were halves */
    const char *memory_read; /* column of peak memory that is judged; NULL: none */

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
    const char *dataset_size;           /* column: samples of an epoch; NULL: none */
    const char *memory;                 /* column of peak memory beside times */
    double memory_unit_bytes;           /* of both; 0 is a MiB */
    bool zero_is_none;                  /* the source writes 0 where it has no time */
    const char *memory_kind;            /* "process" or "allocator"; NULL: not known */

    /* Rows with raw samples in place of times (docs/measurement-format.md): */
    const char *samples, *device_samples; /* columns of nanoseconds joined by blanks */
    const char *phase;                    /* template: forward ... update, else whole */
    const char *method, *threads, *n_warm_up, *memory_reserved, *held_out, *run; /* templates */
    const char *machine; /* column: which machine record lies beside the file */
};

/* The rows, in order of preference. */
extern const struct ec_layout ec__layouts[];
extern const int ec__n_layouts;
/* A source's word in ours; NULL: the map does not have it. An empty word excludes the row. */
const char *ec__layout_word(struct ec_span map, const char *from);
/* Maps for words of anybody are called any_...: their words are patterns without case, blanks, '-'
 * and '_', and a word that they lack is a fault. */
bool ec__layout_map_is_strict(struct ec_span map);
/* The words of ours that a map leads to: "fp32, tf32, amp". */
void ec__layout_map_words(struct ec_span map, struct ec_buf *out);
/* Text of a span; nothing where there is no room for it. */
void ec__column_name(struct ec_span s, char *out, size_t size);
/* The column of a name, or of what stands before its first dot. -1: there is none. */
int ec__column_find(const struct ec_csv *csv, struct ec_span name, struct ec_span *ret_key);
/* The cell of a column, or the part of it that the name asks for, which is put into room. */
const char *ec__cell(const struct ec_csv *csv, int row, struct ec_span name, char *room,
                     size_t size);
double ec__cell_number(const struct ec_csv *csv, int row, struct ec_span name); /* 0: none */
/* What stands behind a key of a cell; nothing when it is not there. */
struct ec_span ec__cell_part(const char *cell, struct ec_span key);
/* The time that a reading has by its number, which is above zero. Zero where the row lacks the
 * sizes for it. */
double ec__layout_time_ns(const struct ec_layout_time *t, const struct ec_csv *csv, int row,
                          double value);
/* The layout of a table that no row above knows, from the names of its columns. Errors: NOT_FOUND
 * for a table that says nothing measured; INPUT for one that lacks something, naming it */
enum ec_status ec__layout_of_header(const struct ec_csv *csv, const struct ec_table_given *given,
                                    struct ec_arena *a, const struct ec_layout **ret,
                                    struct ec_err *err) EC_MUST_CHECK;
/* Rows of such a table as questions. */
enum ec_status ec__plain_rows(const struct ec_layout *l, const struct ec_csv *csv,
                              struct ec_arena *a, struct ec_measured_list *ret,
                              struct ec_err *err) EC_MUST_CHECK;
bool ec__layout_has_columns(const struct ec_layout *l, const struct ec_csv *csv);
/* True when the row meets every condition of the list. */
bool ec__layout_passes(const struct ec_csv *csv, int row, const char *conditions);
/* EC_FORWARD ... by its word; EC_L_WHOLE for any other. */
int ec__layout_phase(const char *word);
/* The row's operator was given halves; layouts without such a column, and tables that lack it, say
 * no. */
bool ec__layout_half_inputs(const struct ec_layout *l, const struct ec_csv *csv, int row);

#endif
