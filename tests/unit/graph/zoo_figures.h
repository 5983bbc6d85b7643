/* Parameters and MAC of a graph, for the tests of the zoo: straight sums over values and nodes. */
#ifndef ZOO_FIGURES_H
#define ZOO_FIGURES_H

#include "graph/graph.h"

static inline double count_params(const struct ec_graph *g)
{
    double n = 0;
    int i;

    for (i = 0; i < g->n_values; i++)
        if (g->values[i]->kind == EC_V_PARAM && g->values[i]->trainable)
            n += ec_type_elems(&g->values[i]->type);
    return n;
}

static inline double count_mac(const struct ec_graph *g)
{
    struct ec_count sum = { 0 };
    struct ec_work w;
    int i;

    for (i = 0; i < g->n_nodes; i++) {
        struct ec_case c = ec_node_case(g->nodes[i]);

        w.n = 0;
        if (c.op->work)
            c.op->work(&c, EC_FORWARD, &w);
        ec_work_count(&w, 4, &sum);
    }
    return sum.mac;
}

#endif
