/* Time and memory of a job whose devices share more than the batch: tensor, pipeline, context and
 * expert parallel, ZeRO and FSDP, accumulation. From the time and memory of one micro-batch on one
 * rank of a stage. docs/large-models.md has each formula with its source. */
#ifndef EC_SHARDED_H
#define EC_SHARDED_H

#include "cost/cost.h"
#include "model/memory.h"
#include "model/parallel.h"

/* clang-format off */
/* X(name, value, what it is). Where no row of the evaluation says more, the values are those that
 * docs/large-models.md names. */
#define EC_SHARDED_LIST(X)                                                                         \
    X(tensor_exposed, 0.53, "share of the sums of a tensor group that the step waits for")         \
    X(tensor_hides, 0.10, "share of a micro-batch behind which they hide at most")                 \
    X(context_exposed, 0.30, "share of the gathering of keys and values that it waits for")        \
    X(pipeline_exposed, 0.50, "share of what stages send each other")                              \
    X(gather_hides, 0.91, "share of a micro-batch behind which gathering parameters hides")        \
    X(gather_slows, 0.47, "time of a micro-batch added for that of gathering beside it")           \
    X(reduce_hides, 0.80, "share of backward behind which the sum of gradients hides")             \
    X(update_exposed, 0.80, "share of gathering updated parameters, with ZeRO 1 and 2")            \
    X(host_link, 0.60, "share of the nominal rate of the link to the host")
/* clang-format on */
enum ec_sharded_index {
#define EC_SHARDED_ENUM(name, value, what) EC_S_##name,
    EC_SHARDED_LIST(EC_SHARDED_ENUM)
#undef EC_SHARDED_ENUM
        EC_S_COUNT
};
extern const double ec_sharded_constants[EC_S_COUNT];

/* One micro-batch on a rank of the slowest stage, and the mean over the stages; and what the ranks
 * exchange. Bytes are those of whole buffers. */
struct ec_sharded_job {
    const struct ec_parallelism *how;
    enum ec_strategy strategy; /* dp and mirrored: one process, which shares the batch alone */
    struct ec_topology at;     /* all devices */
    int64_t data_parallel, micro_batches;
    double forward_ns, backward_ns;            /* of the slowest stage; again: in backward */
    double mean_ns;                            /* of a stage */
    double again_frac;                         /* of forward, run once more in backward */
    struct ec_traffic tensor, context, expert; /* forward */
    double sent_bytes;                         /* from a stage to the next, by all its parts */
    double updated_bytes;                      /* of the rank's trained parameters */
    double gather_bytes, gradient_bytes;       /* of the rank's parameters and of their gradients */
    double expert_bytes; /* of gradients of experts, which other ranks share; not in the former */
    double parameter_bytes, tensors; /* all that one process sends out, and of how many tensors */
    double update_ns;                /* of the rank's share */
    double offload_ns;               /* of the host and the way to it, each step */
};
struct ec_sharded_time {
    double step_ns;
    double compute_ns; /* micro-batches and update of the slowest stage, exposed nothing */
    double bubble_ns;
    double tensor_ns, context_ns, expert_ns, pipeline_ns, gather_ns, reduce_ns; /* exposed */
    double communication_ns;                                                    /* all of it */
    double wait_ns; /* for the slowest replica, or the process */
};
void ec_sharded_time(const struct ec_sharded_job *q, const double v[EC_P_COUNT],
                     const double s[EC_S_COUNT], struct ec_sharded_time *ret);

/* What is known of a stack. */
struct ec_stack_constants {
    double time_factor;
    int rows;
    const char *evidence;
};
const struct ec_stack_constants *ec_stack_constants(enum ec_stack s);
/* The stack whose kernels, buckets and errors a job is taken to have where none is said; its factor
 * on the time is of jobs that say it, so that ways to share a job compare fairly. */
enum ec_stack ec_stack_of(const struct ec_parallelism *how);

enum ec_attention ec_attention_of(const struct ec_parallelism *how, const struct ec_device *d);

/* The group of n ranks that are `stride` apart. */
struct ec_topology ec_topology_of_group(const struct ec_topology *all, double n, double stride);
/* Ranks of a stage that hold the same experts. */
double ec_expert_ranks(const struct ec_parallelism *how, int64_t data_parallel);
/* Replicas over which parameters, gradients and states are shared. */
double ec_shard_ranks(const struct ec_parallelism *how, int64_t data_parallel);

/* --- Memory --- */
/* What a rank holds. memory: of one micro-batch, by ec_cost_memory of the rank's graph. */
struct ec_ledger_query {
    const struct ec_parallelism *how;
    const struct ec_conditions *cond;
    const struct ec_memory *memory;
    int64_t data_parallel, micro_batches;
    int stage, stages;
    double params, largest_params, trainable; /* elements of the rank; params: all of them */
    double packed_frac;                       /* of params: in 4 bits */
    double expert_params, expert_ranks; /* trained ones of experts, and the ranks that share them */
};
void ec_ledger_fill(const struct ec_ledger_query *q, double ret[EC_LEDGER_COUNT]);
/* On each device beside what its allocator has. */
double ec_communicator_bytes(const struct ec_parallelism *how, double devices);
double ec_ledger_total(const double ledger[EC_LEDGER_COUNT]);
/* The ledger as the memory of a step. */
struct ec_memory ec_ledger_memory(const struct ec_ledger_query *q, const double l[EC_LEDGER_COUNT]);

#endif
