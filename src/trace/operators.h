/* Inside the folder: operators of a trace as cases of ours. */
#ifndef EC_TRACE_OPERATORS_INTERNAL_H
#define EC_TRACE_OPERATORS_INTERNAL_H

#include "trace/trace_internal.h"

/* --- data/aten.csv (aten.c) --- */
enum ec__aten_phase { EC__ATEN_FORWARD, EC__ATEN_VIEW, EC__ATEN_BACKWARD, EC__ATEN_UPDATE };
#define EC__ATEN_ARGS 12
struct ec__aten_arg {
    const char *key;  /* "" for inputs */
    int at;           /* -1: `word` stands for it */
    const char *word; /* "true" */
};
struct ec__aten {
    const char *name, *op, *rule;
    enum ec__aten_phase phase;
    struct ec__aten_arg arg[EC__ATEN_ARGS];
    int n_args;
};
struct ec__aten_table {
    struct ec__aten *v; /* n, by name and phase */
    int n;
    struct ec_arena arena;
};
enum ec_status ec__aten_read(struct ec__aten_table *ret, struct ec_err *err) EC_MUST_CHECK;
/* The row of "aten::relu_"; of several phases the first. NULL: there is none, or it is a view. */
const struct ec__aten *ec__aten_find(const struct ec__aten_table *t, const char *name);
const struct ec__aten_arg *ec__aten_arg(const struct ec__aten *row, const char *key);

/* --- data/kernels.csv (kinds.c) --- */
enum ec_status ec__kernels_read(struct ec_csv *ret, struct ec_err *err) EC_MUST_CHECK;
/* "product", "attention"; "other" where no row fits the name. */
const char *ec__kernel_kind(const struct ec_csv *rows, const char *name);
/* "product bf16 192x192": the kind, and what else the name says. */
void ec__kernel_label(const struct ec_csv *rows, const char *name, struct ec_buf *out);

/* --- Cases (cases.c) --- */
#define EC__ARGS_MOST 32
#define EC__LIST_MOST 32
struct ec__tensor {
    int rank; /* 0: a number, or no tensor */
    int64_t d[EC_RANK_MAX];
};
struct ec__arg {
    struct ec__tensor shape, strides;
    struct ec__tensor *list; /* n_list, at most EC__LIST_MOST: of a list of tensors */
    int n_list;
    double elems; /* of the tensor or of all of the list */
    const char *type, *value;
};
/* A call of an operator. */
struct ec__called {
    const struct ec__aten *row; /* NULL: costed by its bytes alone */
    struct ec__arg arg[EC__ARGS_MOST];
    int n;
    struct ec__tensor after; /* the first input of what reads the result; rank 0: not known */
    double param_bytes;      /* of all parameters, for lists without sizes; 0: unknown */
};
enum ec_status ec__called_read(const struct ec_trace *t, const struct ec_trace_what *what,
                               struct ec_arena *a, struct ec__called *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* Writes the case; one of scale_scalar stands for the bytes that are moved, in float32. Returns
 * NULL, or why there is none. */
const char *ec__case_of(const struct ec__called *c, struct ec_buf *text);
/* Bytes of an element by the name of its type in C++; 0: no number. */
double ec__type_bytes(const char *type);
/* The precision of the call, by its first type of numbers with a fraction. */
enum ec_precision ec__called_precision(const struct ec__called *c);
bool ec__called_channels_last(const struct ec__called *c);

#endif
