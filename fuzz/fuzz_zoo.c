/* The text that names a built-in network and sets its parameters. What is built is sound: ids in
 * range, nodes after what they read, at least one output; what is not built says why. */
#include "fuzz.h"

#include "graph/zoo_internal.h"

#include <string.h>

#define TEXT_MAX_BYTES 512

static void check_node(const struct ec_graph *g, const struct ec_node *n)
{
    int i;

    for (i = 0; i < n->n_in; i++)
        if (n->in[i] < 0 || n->in[i] >= g->n_values || g->values[n->in[i]]->producer >= n->id)
            __builtin_trap();
    for (i = 0; i < n->n_param; i++)
        if (g->values[n->param[i]]->kind != EC_V_PARAM)
            __builtin_trap();
}

static void check_graph(const struct ec_graph *g)
{
    int64_t count;
    int i;

    for (i = 0; i < g->n_nodes; i++)
        check_node(g, g->nodes[i]);
    for (i = 0; i < g->n_values; i++)
        if (!ec_shape_count(&g->values[i]->type.shape, &count))
            __builtin_trap();
    if (g->n_outputs < 1 || g->n_inputs < 1)
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_err err = { .status = EC_OK };
    struct ec_graph *g = NULL;
    char text[TEXT_MAX_BYTES];

    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (!ec_zoo_has(text) && ec_hash(text, strlen(text)) % 64) /* near names cost the most */
        return 0;
    if (ec_zoo_build(text, NULL, &g, &err) == EC_OK)
        check_graph(g);
    else if (!err.text[0] || g)
        __builtin_trap();
    ec_graph_free(g);
    return 0;
}
