/* Shape arithmetic: what onnx_fold_move.c has for onnx_fold.c. */
#ifndef EC_GRAPH_ONNX_FOLD_INTERNAL_H
#define EC_GRAPH_ONNX_FOLD_INTERNAL_H

#include "graph/onnx_internal.h"

/* A node whose inputs are all known, and where its result goes. */
struct fold {
    struct onnx_conv *c;
    const struct onnx_node *n;
    const struct onnx_known *in[3];
    int n_in, arg; /* arg: of the table */
};

/* The elements of input 0 in another shape of the same size. */
struct onnx_known *ec__fold_copy(const struct fold *f, const struct ec_shape *shape);
double ec__fold_clamp(double v, double lo, double hi);

/* Evaluate a node of that type; NULL when it cannot be. */
typedef struct onnx_known *fold_fn(const struct fold *f);
fold_fn ec__fold_gather, ec__fold_slice, ec__fold_transpose, ec__fold_reshape, ec__fold_flatten,
    ec__fold_squeeze, ec__fold_unsqueeze, ec__fold_range, ec__fold_constant_of_shape,
    ec__fold_nonzero;

#endif
