/* Steps of graphs that only tests make by hand. */
#ifndef EC_TESTS_UNIT_BUILDER_H
#define EC_TESTS_UNIT_BUILDER_H

#include "graph/build_internal.h"

/* A node of two inputs. */
static inline int b2(struct ec_builder *b, int x, int y, const char *words)
{
    return ec_bn(b, (const int[]){ x, y }, 2, words);
}

/* A learned parameter of n or n x m numbers, or a number. */
static inline int b_param(struct ec_builder *b, const char *name, int rank, int64_t n, int64_t m)
{
    struct ec_type type = {
        {rank, { n, m }},
        EC_DT_f32
    };
    int v = -1;

    if (!b->st)
        b->st = ec_graph_add_param(b->g, name, &type, true, &v, b->err);
    return v;
}

#endif
