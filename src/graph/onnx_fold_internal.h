/* Shape arithmetic, shared by onnx_fold.c and onnx_fold_move.c. */
#ifndef EC_GRAPH_ONNX_FOLD_INTERNAL_H
#define EC_GRAPH_ONNX_FOLD_INTERNAL_H

#include "graph/onnx_internal.h"

/* A node whose inputs are all known, and where its result goes. */
struct fold {
    struct onnx_conv *c;
    const struct onnx_node *n;
    const struct onnx_known *in[3];
    int n_in;
};

enum binary {
    B_ADD,
    B_SUB,
    B_MUL,
    B_DIV,
    B_MOD,
    B_POW,
    B_MIN,
    B_MAX,
    B_COMPARE, /* from here on the result is a truth value */
    B_EQ = B_COMPARE,
    B_LT,
    B_GT,
    B_LE,
    B_GE,
    B_AND,
    B_OR
};

/* The elements of input 0 in another shape of the same size. */
struct onnx_known *ec__fold_copy(const struct fold *f, const struct ec_shape *shape);
double ec__fold_binary(enum binary b, double x, double y, bool whole);
double ec__fold_clamp(double v, double lo, double hi);

/* Evaluate a node of that type; NULL when it cannot be. `arg` comes from the table. */
typedef struct onnx_known *(*fold_fn)(const struct fold *f, int arg);
struct onnx_known *ec__fold_gather(const struct fold *f, int arg);
struct onnx_known *ec__fold_slice(const struct fold *f, int arg);
struct onnx_known *ec__fold_transpose(const struct fold *f, int arg);
struct onnx_known *ec__fold_reshape(const struct fold *f, int arg);
struct onnx_known *ec__fold_flatten(const struct fold *f, int arg);
struct onnx_known *ec__fold_squeeze(const struct fold *f, int arg);
struct onnx_known *ec__fold_unsqueeze(const struct fold *f, int arg);
struct onnx_known *ec__fold_range(const struct fold *f, int arg);
struct onnx_known *ec__fold_constant_of_shape(const struct fold *f, int arg);
struct onnx_known *ec__fold_nonzero(const struct fold *f, int arg);
struct onnx_known *ec__fold_reduce(const struct fold *f, int arg);

#endif
