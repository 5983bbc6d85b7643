/* What the readers and writers of network files share. */
#ifndef EC_GRAPH_FILES_INTERNAL_H
#define EC_GRAPH_FILES_INTERNAL_H

#include "graph/graph.h"

/* A list of layers with their sizes, as mlpredict writes it. Format: docs/graph-json.md */
enum ec_status ec__layers_read(const struct ec_jval *root, const struct ec_graph_opts *opts,
                               struct ec_graph **ret, struct ec_err *err) EC_MUST_CHECK;

/* A text name for everything that others refer to, unique in the file. */
struct ec__names {
    struct ec_arena arena; /* yours: ec_arena_clear */
    const char **value;    /* per value */
    const char **node;     /* per node */
    bool *made;            /* per value: by a node */
};
enum ec_status ec__names_make(const struct ec_graph *g, struct ec__names *ret,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
