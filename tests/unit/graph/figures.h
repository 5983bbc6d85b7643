/* Straight sums over a graph, and what it says, for tests. */
#ifndef FIGURES_H
#define FIGURES_H

#include "graph/graph.h"
#include "work.h"

#include <string.h>

static inline double graph_params(const struct ec_graph *g)
{
    double n = 0;
    int i;

    for (i = 0; i < g->n_values; i++)
        if (g->values[i]->kind == EC_V_PARAM && g->values[i]->trainable)
            n += ec_type_elems(&g->values[i]->type);
    return n;
}

static inline double graph_mac(const struct ec_graph *g)
{
    struct ec_count sum = { 0 };
    int i;

    for (i = 0; i < g->n_nodes; i++) {
        struct ec_case c = ec_node_case(g->nodes[i]);
        struct ec_work w;

        w.n = 0;
        c.op->work(&c, EC_FORWARD, &w);
        work_count(&w, 4, &sum);
    }
    return sum.mac;
}

static inline bool has_note(const struct ec_graph *g, const char *part)
{
    int i;

    for (i = 0; i < g->notes.n; i++)
        if (strstr(g->notes.v[i], part))
            return true;
    return false;
}

#endif
