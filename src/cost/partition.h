/* One rank's share of a network that several devices hold together: stages of a pipeline, and
 * within them products, attention, embeddings and experts that ranks divide. Found from the graph
 * alone. The share is a graph again, with the shapes that the rank sees, so that its kernels, their
 * time and its memory follow from the same rules as those of a whole network. docs/large-models.md
 */
#ifndef EC_PARTITION_H
#define EC_PARTITION_H

#include "graph/graph.h"

/* How many ranks divide what. sequence: between divided products the ranks of a tensor group share
 * the tokens. */
struct ec_division {
    int64_t tensor, context, expert;
    bool sequence;
};

/* Calls and bytes (of the whole buffers) that the ranks of a group exchange for one micro-batch. */
struct ec_traffic {
    double calls, bytes;
};

/* A stage as one of its ranks runs it. */
struct ec_rank {
    struct ec_graph *graph;    /* owned: ec_graph_free */
    double params, frozen;     /* trainable elements of the rank, and others */
    double expert_params;      /* those of experts among them */
    double packed;             /* of the latter: in 4 bits */
    double largest_params;     /* of the block, or the node between blocks, that has most */
    struct ec_traffic tensor;  /* sums over the tensor group, forward alone; backward has as many */
    struct ec_traffic context; /* keys and values gathered over the context group, forward */
    struct ec_traffic expert;  /* exchanges of tokens over the expert group, forward */
    double received_elems;     /* what the stage before sends for one micro-batch */
};

/* The stacked blocks of a network: the longest run of nodes that repeats. */
struct ec_blocks {
    int begin, length, n; /* nodes [begin + i * length, begin + (i + 1) * length); n 0: none */
};
/* Errors: NOMEM */
enum ec_status ec_blocks_find(const struct ec_graph *g, struct ec_blocks *ret,
                              struct ec_err *err) EC_MUST_CHECK;

/* Cuts the nodes into `parts` in order, as many blocks in each where that is possible, else so that
 * the dearest is as cheap as possible.
 * node_cost  per node, in any unit
 * ret_part   per node
 * Errors     INPUT: more parts than blocks, or than nodes; NOMEM */
enum ec_status ec_blocks_cut(const struct ec_graph *g, const struct ec_blocks *b,
                             const double *node_cost, int parts, int *ret_part,
                             struct ec_err *err) EC_MUST_CHECK;

/* Which dimension of each value ranks divide. */
struct ec_partition;
/* g        borrowed for as long as the partition
 * Errors   INPUT: a number that does not divide what it has to, with the nearest that do;
 *          UNSUPPORTED: the network has nothing that can be divided so */
enum ec_status ec_partition_new(const struct ec_graph *g, const struct ec_division *d,
                                struct ec_partition **ret, struct ec_err *err) EC_MUST_CHECK;
void ec_partition_free(struct ec_partition *p);
size_t ec_partition_bytes(const struct ec_partition *p);
/* The nodes whose part is the stage modulo the number of stages.
 * part    per node; NULL: all nodes
 * blocks  for largest_params
 * Errors  NOMEM */
enum ec_status ec_partition_rank(const struct ec_partition *p, const int *part, int stage,
                                 int stages, const struct ec_blocks *blocks, struct ec_rank *ret,
                                 struct ec_err *err) EC_MUST_CHECK;

#endif
