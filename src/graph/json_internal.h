/* JSON networks: what the readers of the two formats share. */
#ifndef EC_GRAPH_JSON_INTERNAL_H
#define EC_GRAPH_JSON_INTERNAL_H

#include "graph/graph.h"

/* A list of layers with their sizes, as mlpredict writes it. Format: docs/graph-json.md */
enum ec_status ec__layers_read(const struct ec_jval *root, const struct ec_graph_opts *opts,
                               struct ec_graph **ret, struct ec_err *err) EC_MUST_CHECK;

#endif
