/* Times of collectives, and of a data-parallel step on several devices from the time of one device
 * alone. Each device has its own batch; gradients are added up before the update. The constants are
 * rows of EC_PARALLEL_LIST, fitted by `epochcast-lab parallel`. */
#ifndef EC_PARALLEL_H
#define EC_PARALLEL_H

#include "epochcast/predict.h"
#include "hw/hw.h"

/* clang-format off */
/* X(name, initial value, prior standard deviation of its logarithm) */
#define EC_COLLECTIVE_CONSTANT_LIST(X)                                                             \
    X(launch_ns, 8e3, 0.5)         /* of a collective, whatever its size */                        \
    X(hop_pcie_ns, 5.7e3, 0.5)     /* from a device to the next, of a large message */             \
    X(hop_nvlink_ns, 3.4e3, 0.5)                                                                   \
    X(hop_network_ns, 14e3, 0.5)                                                                   \
    X(small, 0.2, 0.7)             /* share of these latencies that a small message has */         \
    X(ramp, 0.3, 0.7)              /* where small ends: transfer over latency */                   \
    X(hop_send, 0.5, 0.7)          /* share of a hop's latency from one device to one other */     \
    X(share_pcie, 0.5, 0.5)        /* collectives' share of the link's nominal rate */             \
    X(share_bridge, 0.6, 0.5)                                                                      \
    X(share_nvlink, 0.75, 0.3)                                                                     \
    X(share_network, 0.85, 0.3)                                                                    \
    X(share_tree, 0.8, 0.3)        /* further share of a tree */                                   \
    X(crowd_pcie, 0.15, 1.0)       /* the rate of PCIe falls as (2/N)^crowd */
#define EC_STEP_CONSTANT_LIST(X)                                                                   \
    X(wait_ddp, 0.01, 1.0)         /* share of a step that two devices wait for the slower */      \
    X(wait_power, 0.5, 0.3)        /* wait grows as log2(N)^power */                               \
    X(wait_machines, 0.03, 1.0)    /* the same for machines, as 1 - 1/M */                         \
    X(tensor_dp_ns, 100e3, 1.0)    /* host time per device and parameter tensor */                 \
    X(traffic_dp, 1.0, 0.7)        /* bytes moved per byte of parameter and gradient */            \
    X(sync_mirrored_ns, 1.5e6, 0.7)                                                                \
    X(traffic_mirrored, 1.0, 0.7)  /* bytes moved per byte of gradient: packed, sent, unpacked */
#define EC_PARALLEL_LIST(X) EC_COLLECTIVE_CONSTANT_LIST(X) EC_STEP_CONSTANT_LIST(X)
/* clang-format on */

extern const char *const ec_strategy_names[]; /* NULL-terminated */

enum ec_parallel_index {
#define EC_PARALLEL_ENUM(name, init, sd) EC_P_##name,
    EC_COLLECTIVE_CONSTANT_LIST(EC_PARALLEL_ENUM) EC_P_OF_STEPS,
    EC_P_BEFORE_STEPS = EC_P_OF_STEPS - 1, /* so that the next one is EC_P_OF_STEPS */
    EC_STEP_CONSTANT_LIST(EC_PARALLEL_ENUM)
#undef EC_PARALLEL_ENUM
        EC_P_COUNT
};

/* --- Collectives --- */
/* X(id, word). Sizes are those of the whole buffer: what all-gather makes, reduce-scatter takes. */
#define EC_COLLECTIVE_LIST(X)                                                                      \
    X(all_reduce, "all_reduce")                                                                    \
    X(reduce_scatter, "reduce_scatter")                                                            \
    X(all_gather, "all_gather")                                                                    \
    X(all_to_all, "all_to_all") /* of what a device has for all others */                          \
    X(broadcast, "broadcast")                                                                      \
    X(send, "send_recv") /* from one device to another: of another machine, if there are several   \
                          */

/* X(id, word, how it is said). The last two work inside machines first, then between them. */
#define EC_ALGORITHM_LIST(X)                                                                       \
    X(ring, "ring", "a ring")                                                                      \
    X(tree, "tree", "a tree")                                                                      \
    X(in_switch, "in_switch", "the switch")                                                        \
    X(rings, "hierarchical_ring", "a ring of machines")                                            \
    X(trees, "hierarchical_tree", "a tree of machines")

#define EC_COLLECTIVE_ENUM(id, word) EC_COLLECTIVE_##id,
#define EC_ALGORITHM_ENUM(id, word, said) EC_ALGORITHM_##id,
enum ec_collective { EC_COLLECTIVE_LIST(EC_COLLECTIVE_ENUM) EC_COLLECTIVE_COUNT };
enum ec_algorithm { EC_ALGORITHM_LIST(EC_ALGORITHM_ENUM) EC_ALGORITHM_COUNT };
#undef EC_COLLECTIVE_ENUM
#undef EC_ALGORITHM_ENUM
extern const char *const ec_collective_names[]; /* NULL-terminated */
extern const char *const ec_algorithm_names[];
extern const char *const ec_algorithm_said[];

struct ec_collective_time {
    double ns;
    double latency_ns;      /* what is left of it for no bytes */
    double bus_bytes_per_s; /* as nccl-tests count them: what a ring would send, over the time */
    enum ec_algorithm algorithm;
};
/* By one algorithm; without end where that is not possible. With 1 device it is 0. */
void ec_collective_by(enum ec_algorithm a, enum ec_collective kind, const struct ec_topology *at,
                      double bytes, const double v[EC_P_COUNT], struct ec_collective_time *ret);
/* By the fastest. */
void ec_collective_time(enum ec_collective kind, const struct ec_topology *at, double bytes,
                        const double v[EC_P_COUNT], struct ec_collective_time *ret);
double ec_collective_ns(enum ec_collective kind, const struct ec_topology *at, double bytes,
                        const double v[EC_P_COUNT]);

/* --- Steps --- */
/* What a prediction for several devices starts from. */
enum ec_parallel_basis {
    EC_PB_ALONE, /* the time of one device, measured or predicted */
    EC_PB_RUN,   /* and a measured run on several devices */
    EC_PB_COUNT
};
/* Where the devices are: errors of one machine and of several are kept apart. */
enum ec_parallel_place { EC_PP_MACHINE, EC_PP_MACHINES, EC_PP_COUNT };
/* 5, 50 and 95 % points of log(measured / predicted) on devices that were left out of the fit; n
 * rows. */
struct ec_parallel_width {
    double lo, mid, hi;
    int n;
    int most_devices; /* in these rows */
};
/* Collectives that are off alike: in a machine by the size of their message, sends apart from the
 * others, and all over machines. */
enum { EC_COLLECTIVE_SIZES = 4 };
enum ec_collective_group {
    EC_CG_IN_MACHINE,
    EC_CG_SENDS = EC_CG_IN_MACHINE + EC_COLLECTIVE_SIZES,
    EC_CG_MACHINES = EC_CG_SENDS + EC_COLLECTIVE_SIZES,
    EC_CG_COUNT
};
int ec_collective_group(enum ec_collective kind, const struct ec_topology *at, double bytes);
/* Of this kind and place some were measured; the others have the widths of all-reduces. */
bool ec_collective_is_measured(enum ec_collective kind, const struct ec_topology *at);
struct ec_parallel_constants {
    double v[EC_P_COUNT];
    struct ec_parallel_width width[EC_STRATEGY_COUNT][EC_PP_COUNT][EC_PB_COUNT];
    /* From the 5 % point of the device that is fastest beside its prediction to the 95 % point of
     * the slowest: few devices were measured, and rows of one are like each other. */
    struct ec_parallel_width collective[EC_CG_COUNT];
};
const struct ec_parallel_constants *ec_parallel_fitted(void);

/* A job from the side of one device. alone_ns is its step without the others, backward_ns the
 * backward pass in it; tensors counts parameter tensors. */
struct ec_parallel_job {
    enum ec_strategy strategy;
    struct ec_topology at;
    double alone_ns, backward_ns;
    double parameter_bytes, gradient_bytes, tensors;
};
struct ec_parallel_time {
    double communication_ns; /* all of it */
    double exposed_ns;       /* the part that the step waits for */
    double wait_ns;          /* waiting for the slowest device and for the host */
    double step_ns;
    int buckets;                       /* all-reduces of a step; 0: the strategy has none */
    double bucket_bytes;               /* of each */
    struct ec_collective_time reduced; /* one of them */
};
/* What the step waits for of gradients that take so long to add up, in so many buckets, while
 * backward runs: what is unsent when it ends, at least the last bucket. */
double ec_unhidden_ns(double communication_ns, double backward_ns, double buckets);
/* Buckets of so many bytes of gradients. */
double ec_buckets(double bytes);
/* Splits the time of a step into its parts. With 1 device it is alone_ns. */
void ec_parallel_time(const struct ec_parallel_job *q, const double v[EC_P_COUNT],
                      struct ec_parallel_time *ret);
/* dp and mirrored are one process, and so of one machine. */
bool ec_strategy_spans_machines(enum ec_strategy s);

/* Measured steps of this job in ns, on 1 device and on `devices` devices; 0: not measured. */
struct ec_parallel_runs {
    double alone_ns, several_ns, devices;
};
/* Parses "1=45ms,4=48.5ms". Errors: INPUT */
enum ec_status ec_parallel_runs_parse(const char *text, struct ec_parallel_runs *ret,
                                      struct ec_err *err) EC_MUST_CHECK;
/* Time in ns of a step of q. The measured cost beyond one device is scaled from runs->devices, in
 * machines like those of q, as ec_parallel_time predicts. */
double ec_parallel_from_runs(const struct ec_parallel_job *q, const struct ec_parallel_runs *runs,
                             const double v[EC_P_COUNT]);

#endif
