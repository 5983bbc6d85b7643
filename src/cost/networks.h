/* Networks read before: a cache keyed by everything that shapes a graph, with the steps built of
 * each and the memory they take. One thread at a time. */
#ifndef EC_COST_NETWORKS_H
#define EC_COST_NETWORKS_H

#include "cost/cost.h"
#include "cost/partition.h"

/* What a rank of a stage runs for a micro-batch, and what it keeps for that. */
struct ec_rank_work {
    struct ec_rank rank; /* without its graph */
    struct ec_step step; /* equal kernels merged, without the update */
    struct ec_memory memory;
    bool known;
};

/* The ranks of a network by the last way to divide it that was asked for. */
struct ec_network_ranks {
    struct ec_division division;
    struct ec_partition *partition; /* NULL: none asked for */
    struct ec_conditions cond;
    int *part;  /* of each node */
    int stages; /* 0: none asked for */
    struct ec_rank_work *stage;
};

/* What of the conditions a step is built by, and the step; of a network in a list. */
struct ec_network_step {
    struct ec_network_step *next;
    enum ec_mode mode;
    enum ec_optimizer optimizer;
    enum ec_recompute recompute;
    struct ec_step step; /* equal kernels merged */
};

#define EC_NETWORK_MEMORIES 8
struct ec_network {
    char *key; /* of all but the batch */
    int64_t batch;
    struct ec_graph *graph;
    double params;                 /* frozen ones too */
    struct ec_network_step *steps; /* asked for so far */
    struct {
        struct ec_conditions cond;
        struct ec_memory memory;
    } memory[EC_NETWORK_MEMORIES];
    unsigned n_memories; /* counted so far: the last ones are kept */
    struct ec_blocks blocks;
    bool has_blocks;      /* were looked for */
    struct ec_step apart; /* its step by nodes, of the last conditions asked for */
    struct ec_conditions apart_cond;
    struct ec_network_ranks ranks;
    int64_t used;
};

/* Kept: so many, and so much memory; the one asked for last is always kept. */
#define EC_NETWORKS_MAX 128
#define EC_NETWORKS_MAX_BYTES ((size_t)256 << 20)
struct ec_networks {
    struct ec_network *v[EC_NETWORKS_MAX];
    int n;
    int64_t clock;
    struct ec_buf key;
};
void ec_networks_clear(struct ec_networks *c);

/* The network, read or from the cache; borrowed until the next call.
 * Errors: those of ec_graph_open */
enum ec_status ec_networks_open(struct ec_networks *c, const char *model,
                                const struct ec_graph_opts *o, struct ec_network **ret,
                                struct ec_err *err) EC_MUST_CHECK;
/* Of its graph, its steps and its ranks. */
size_t ec_network_bytes(const struct ec_network *l);
/* Its step with equal kernels merged; borrowed like the network. Errors: NOMEM */
enum ec_status ec_network_step(struct ec_network *l, const struct ec_conditions *cond,
                               const struct ec_step **ret, struct ec_err *err) EC_MUST_CHECK;
/* Its step with the kernels of each node; borrowed until the next call with other conditions.
 * Errors: NOMEM */
enum ec_status ec_network_step_apart(struct ec_network *l, const struct ec_conditions *cond,
                                     const struct ec_step **ret, struct ec_err *err) EC_MUST_CHECK;
/* The memory of its step under these conditions. Errors: NOMEM */
enum ec_status ec_network_memory(struct ec_network *l, const struct ec_conditions *cond,
                                 struct ec_memory *ret, struct ec_err *err) EC_MUST_CHECK;
/* Its stacked blocks, looked for once. Errors: NOMEM */
enum ec_status ec_network_blocks(struct ec_network *l, struct ec_blocks *ret,
                                 struct ec_err *err) EC_MUST_CHECK;
/* The network is divided so from now on. Errors: those of ec_partition_new */
enum ec_status ec_network_divide(struct ec_network *l, const struct ec_division *d,
                                 struct ec_err *err) EC_MUST_CHECK;
/* A rank of a stage of the divided network; borrowed until the next call with another division,
 * `part`, number of stages or conditions.
 * part    per node, of which a stage has those that are its number modulo `stages`
 * Errors  NOMEM */
enum ec_status ec_network_rank(struct ec_network *l, const struct ec_conditions *cond,
                               const int *part, int stages, int stage,
                               const struct ec_rank_work **ret, struct ec_err *err) EC_MUST_CHECK;

#endif
