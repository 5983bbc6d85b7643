/* Where a network comes from: a built-in name. */
#include "graph/graph.h"

enum ec_status ec_graph_open(const char *source, const struct ec_graph_opts *opts,
                             struct ec_graph **ret, struct ec_err *err)
{
    return ec_zoo_build(source, opts, ret, err);
}
