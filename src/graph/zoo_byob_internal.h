/* Networks of freely chosen blocks: what zoo_byob.c and zoo_byob_attend.c share. */
#ifndef EC_GRAPH_ZOO_BYOB_INTERNAL_H
#define EC_GRAPH_ZOO_BYOB_INTERNAL_H

#include "graph/zoo_internal.h"

struct ec__self_attention {
    int64_t heads, dim; /* features of a query's head; 0: by `ratio` of the channels */
    int64_t window;     /* side of a block (halo) */
    int64_t rim;        /* pixels around a block (halo); side of the filter, 0: a table (lambda) */
    double ratio;
};

int ec__bottleneck_attention(struct ec_builder *b, int x, const struct ec__self_attention *a,
                             int64_t stride);
int ec__halo_attention(struct ec_builder *b, int x, const struct ec__self_attention *a,
                       int64_t stride);
int ec__lambda_layer(struct ec_builder *b, int x, const struct ec__self_attention *a,
                     int64_t stride);
int ec__bat(struct ec_builder *b, int x);

#endif
