/* A product with a weight, (rows, in) * (out, in)' + bias -> (rows, out): linear layers, the
 * projections of attention, the input's part of recurrent layers. */
#ifndef EC_ENGINE_CPU_DENSE_H
#define EC_ENGINE_CPU_DENSE_H

#include "engine/cpu/cpu_internal.h"

struct ec__dense {
    struct ec__build *b;
    int weight, bias; /* parameters; bias -1: none */
    int64_t rows, in, out;
    enum ec_dtype type; /* computed in */
    bool relu;
    bool plain_weight; /* leave the weight row-major */
    /* filled in by forward */
    const struct ec__md *x_md, *y_md, *bias_md;
    struct ec__buf w, used; /* used: w in the type that is computed in */
    struct ec__prim *fwd;
};
/* Settles the layouts, calls nothing. */
void ec__dense_open(struct ec__dense *d);
/* x and y are dense rows in the type computed in. Forward opens by itself. Each adds its
 * calls to the phase that is being built. */
void ec__dense_forward(struct ec__dense *d, struct ec__place x, struct ec__place y);
void ec__dense_backward_data(struct ec__dense *d, struct ec__place dy, struct ec__place dx);
void ec__dense_backward_weights(struct ec__dense *d, struct ec__place x, struct ec__place dy);
bool ec__dense_wants_weights(const struct ec__dense *d);

/* y = scale * a b (+ bias): any strided or blocked layouts of equal rank, batch dimensions first.
 */
void ec__product(struct ec__build *b, struct ec__buf x, struct ec__buf w, struct ec__buf y,
                 float scale);

#endif
