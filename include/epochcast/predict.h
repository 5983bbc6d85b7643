/* Predictions: time, throughput and memory of a training step, an epoch and a job. */
#ifndef EPOCHCAST_PREDICT_H
#define EPOCHCAST_PREDICT_H

#include "epochcast/conditions.h"
#include "epochcast/err.h"
#include "epochcast/graph.h"
#include "epochcast/hw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 5 %, 50 % and 95 % points of the value that a measurement is expected to have. Unknown ends are
 * NaN. */
struct ec_interval {
    double p05, p50, p95;
};

/* X(id, word, help). docs/multi-device.md describes each. */
/* clang-format off */
#define EC_STRATEGY_LIST(X)                                                                        \
    X(auto,     "auto",     "mirrored for tensorflow, else ddp")                                   \
    X(ddp,      "ddp",      "a process per device, gradients in buckets while backward runs")      \
    X(dp,       "dp",       "one process, parameters sent out and gradients gathered each step")   \
    X(mirrored, "mirrored", "one process, gradients reduced after backward")                       \
    X(fsdp,     "fsdp",     "a process per device, parameters shared out and gathered (zero 3)")
/* clang-format on */
enum ec_strategy {
#define EC_STRATEGY_ENUM(id, name, help) EC_STRATEGY_##id,
    EC_STRATEGY_LIST(EC_STRATEGY_ENUM)
#undef EC_STRATEGY_ENUM
        EC_STRATEGY_COUNT
};

/* What a step has beside training. X(id, word, help); docs/whole-jobs.md */
#define EC_RL_LIST(X)                                                                              \
    X(none, "none", "nothing")                                                                     \
    X(dpo, "dpo", "preferences: a pass of the reference model; a pair is two samples")             \
    X(grpo, "grpo", "reinforcement: samples are made, then rated by both models, then trained on") \
    X(ppo, "ppo", "grpo with a critic that is trained as well and a model of rewards, as large")
/* How samples of many lengths fill a micro-batch. */
#define EC_PADDING_LIST(X)                                                                         \
    X(longest, "longest", "padded to the longest of their micro-batch")                            \
    X(max, "max", "all padded to --seq-len, else the longest of all")                              \
    X(packed, "packed", "one behind the other in full sequences")
#define EC_RL_ENUM(id, word, help) EC_RL_##id,
#define EC_PADDING_ENUM(id, word, help) EC_PADDING_##id,
enum ec_rl { EC_RL_LIST(EC_RL_ENUM) EC_RL_COUNT };
enum ec_padding { EC_PADDING_LIST(EC_PADDING_ENUM) EC_PADDING_COUNT };
#undef EC_RL_ENUM
#undef EC_PADDING_ENUM

/* What a prediction is based on. */
enum ec_basis {
    /* A source measured this product with this kind of kernel under these conditions: framework,
     * precision and, of convolutions, memory order. */
    EC_BASIS_MEASURED,
    EC_BASIS_SPECIFICATION, /* none did, nor anything near: formulas and the specification */
    EC_BASIS_CALIBRATED,    /* a profile of the device adapts it to a few measurements */
    /* The product was measured under other conditions, or others of its architecture. */
    EC_BASIS_RELATED,
};

enum ec_limit {
    EC_LIMIT_COMPUTE,       /* arithmetic units */
    EC_LIMIT_MEMORY,        /* memory bandwidth */
    EC_LIMIT_LAUNCH,        /* many small kernels: fixed cost of each on the device */
    EC_LIMIT_HOST,          /* the host cannot issue operators fast enough */
    EC_LIMIT_COMMUNICATION, /* several devices: adding up gradients, waiting for each other */
    EC_LIMIT_LOADER,        /* the data loader cannot deliver samples fast enough */
    EC_LIMIT_GENERATION,    /* reinforcement learning: samples are not made fast enough */
    EC_LIMIT_COUNT
};

#define EC_BATCH_MAX (-1)
#define EC_BATCH_LARGEST (1 << 24) /* that a query can have */

/* The conditions and options of a query. Start from ec_predict_opts_default, then change members.
 * Texts are borrowed. */
struct ec_predict_opts {
    size_t struct_size; /* sizeof(struct ec_predict_opts) */
    /* Samples per step and device. 0: the network's own if above 1, else 32, or the largest power
     * of two below that fits. EC_BATCH_MAX: the largest that fits, by the upper end of the memory's
     * interval. */
    int64_t batch;
    struct ec_conditions cond;
    int phase; /* operators: 0 all phases of mode, 1 forward, 2 grad_data, 3 grad_weight */
    const char *dataset; /* name of a known data set, for samples */
    int64_t samples;     /* per epoch, or of the job where `epochs` is 0; 0: unknown */
    int64_t epochs;
    int64_t seq_len, image, classes; /* 0: the network's own */
    bool as_exported;                /* do not restore folded norms */
    const char *set; /* changes to the device: "memory_bytes_per_s=1.2e12,tdp_w=300" */
    /* Several devices, synchronous data parallel. */
    int64_t devices;      /* 0 and 1: one */
    int64_t global_batch; /* samples per step over all devices, in place of batch; 0: not given */
    enum ec_link interconnect;
    enum ec_strategy strategy;
    const char *from_run;   /* measured steps of this job: "1=45ms,2=48.5ms" */
    double usd_per_hour;    /* of one device; 0: no cost is computed */
    const char *activation; /* of an operator in an isolated step: "relu", "none" */
    /* Name of the host that issues the GPU's kernels; NULL or "": the reference host of the
     * framework, which is the same for all GPUs. For networks only. */
    const char *host;
    /* Where the precision is fp32 and the catalogue has no rate of the device for it: predict in
     * bf16, else fp16, with a warning, in place of a refusal. The default; setting the precision by
     * ec_predict_opts_set ends it. */
    bool usual_precision;
    bool module_precision; /* none was named: it is that of the parameters of a module */
    /* None was named: requests and the command then take adamw for networks of tokens. A call of
     * the library takes what stands above. */
    bool usual_optimizer;
    /* None was named: requests and the command then take pytorch-compiled with the stacks of
     * Megatron and MaxText, which fuse as a compiler does. */
    bool usual_framework;
    /* Several machines; 0 and NULL: what is usual for the device. */
    int64_t devices_per_machine;
    const char *network_rate; /* of one device, in one direction: "200Gb/s", "25GB/s" */
    /* Samples per second that the data loader delivers, over all devices: "800"; or workers and the
     * time each takes for a sample: "8x10ms"; "0x10ms": no workers, each process loads within its
     * step. NULL, "": it never waits. */
    const char *loader;
    /* Of the job, beside its epochs of training: */
    int64_t eval_samples;           /* after each epoch, forward alone */
    const char *checkpoint_rate;    /* each epoch writes a checkpoint: "1GB/s" */
    const char *start;              /* time to the first step: "30s" */
    int64_t threads;                /* of a CPU; 0: one for each of its cores */
    int64_t tokens;                 /* in place of samples, of a network of tokens; 0: unknown */
    struct ec_parallelism parallel; /* how the devices share the job */
    int64_t steps;                  /* of the job, in place of samples; 0: unknown */
    /* What interrupts the job, as times; NULL, "": the default. */
    const char *mtbf;             /* between failures of a device; "none": nothing fails */
    const char *spot_life;        /* of a machine of a spot market; default: it stays */
    const char *restart;          /* from a failure to the next step */
    const char *checkpoint_every; /* the default is the best */
    /* Of tokens: lengths of samples, "200:0.7,1500:0.3", or a file; NULL, "": all are alike. */
    const char *lengths;
    enum ec_padding padding;
    enum ec_rl rl;
    int64_t generated;  /* tokens of a sample that are made; 0: half */
    int64_t group;      /* samples that are made of one prompt; 0: 8 */
    int64_t generators; /* further devices, which make samples beside training; 0: its own do */
};

/* What a device holds at its peak, in bytes: X(id, key, label). docs/large-models.md says how each
 * is counted. */
#define EC_LEDGER_LIST(X)                                                                          \
    X(weights, "weights_bytes", "weights")                                                         \
    X(frozen, "frozen_weights_bytes", "frozen weights")                                            \
    X(halves, "half_copies_bytes", "half copies of weights")                                       \
    X(gathered, "gathered_parameters_bytes", "gathered parameters")                                \
    X(gradients, "gradients_bytes", "gradients")                                                   \
    X(buckets, "communication_buckets_bytes", "communication buckets")                             \
    X(master, "master_weights_bytes", "master weights")                                            \
    X(moments, "moments_bytes", "optimizer moments")                                               \
    X(kept, "kept_activations_bytes", "activations of a micro-batch")                              \
    X(in_flight, "in_flight_bytes", "micro-batches in flight")                                     \
    X(working, "working_set_bytes", "working set of backward")                                     \
    X(dequantised, "dequantised_bytes", "weights out of 4 bits")
enum ec_ledger_row {
#define EC_LEDGER_ENUM(id, key, label) EC_LEDGER_##id,
    EC_LEDGER_LIST(EC_LEDGER_ENUM)
#undef EC_LEDGER_ENUM
        EC_LEDGER_COUNT
};

struct ec_prediction {
    size_t struct_size; /* bytes that were filled */
    struct ec_interval step_time_ns, samples_per_s, epoch_time_ns, job_time_ns;
    struct ec_interval memory_peak_bytes; /* peak of the device */
    bool has_epoch, has_job, has_memory;
    bool fits;               /* the median is within the device's memory */
    double fits_probability; /* 0..1; -1: the device's memory is unknown */
    enum ec_limit limit;
    enum ec_basis basis;
    /* Parts of the median step, in ns; of the peak memory, in bytes. */
    double device_ns, host_ns, forward_ns, backward_ns, update_ns;
    double compute_bound_ns, memory_bound_ns, launch_ns, unknown_ns;
    double weights_bytes, gradients_bytes, optimizer_bytes, activations_bytes, overhead_bytes;
    int64_t batch; /* samples per step over all devices; of an operator, from its case */
    int n_warnings;
    char warnings[8][256];
    /* For several devices; the parts above are those of one device. */
    int64_t devices, batch_per_device;
    double communication_ns; /* in ns, all of it */
    double exposed_ns;       /* ns that the step waits for communication */
    double wait_ns;          /* ns that the step waits for the slowest device and for the host */
    struct ec_interval scaling_efficiency; /* step time of one device alone over step time */
    bool has_cost;
    struct ec_interval cost_usd; /* of all devices; for the job if it has one, else the epoch */
    /* Peak of the framework's allocator, a part of memory_peak_bytes: without context, libraries,
     * and the allocator's reserve. */
    struct ec_interval allocator_peak_bytes;
    char host[48]; /* the host in the prediction: "reference"; "": none */
    /* The step of one device is device + host + other - hidden. other: bookkeeping and input copy;
     * hidden: time in which host and device overlap. */
    double other_ns, hidden_ns;
    /* Of a network, one sample: tokens, or side of a square image in pixels; 0: neither. */
    int64_t seq_len, image_px;
    char kind[64]; /* kind of most of the work: "convolutions"; `basis` depends on rows of it */
    enum ec_precision precision; /* of the prediction */
    /* For several devices: where they were taken to be, and one all-reduce of gradients. */
    int64_t machines, devices_per_machine;
    double network_bytes_per_s;   /* between machines, of one device; 0: one machine */
    int64_t reductions;           /* all-reduces of a step; 0: the strategy has none */
    double reduction_bytes;       /* of each */
    double reduction_ns;          /* time of each */
    double reduction_latency_ns;  /* the part that does not depend on its size */
    double reduction_bytes_per_s; /* as nccl-tests count bus bandwidth */
    char algorithm[32];           /* of the all-reduce: "ring" */
    char evidence[200]; /* what the time rests on: "measurements of a100 (3 sources)..." */
    char weakest[200];  /* the weakest part of that; "": all of it was measured */
    double loader_ns;   /* ns that the loader takes for the batch of a step; 0: not given */
    /* Parts of the job, in ns: after each epoch, and once. */
    double evaluation_ns, checkpoint_ns, start_ns;
    double input_copy_ns; /* ns that the step copies its input first, a part of other_ns */
    bool loader_serial;   /* the step comes after the loading, else it works beside it */
    /* What the step cannot do without: memory_peak_bytes has what an allocator keeps in reserve as
     * well, where there is room. `fits` is decided by this. */
    struct ec_interval memory_needed_bytes;
    /* Of a job whose devices share more than the batch, or that accumulates; else 0. Times in ns of
     * a step on the slowest stage. */
    bool is_shared;
    int64_t data_parallel, micro_batch, micro_batches; /* replicas; of a replica */
    int64_t zero_stage;
    double bubble_ns;  /* waiting for other stages of the pipeline */
    double offload_ns; /* the update by the host, and its exchange with the device */
    double tensor_ns, context_ns, expert_ns, pipeline_ns, gather_ns, reduce_ns; /* exposed */
    double stage_blocks; /* of the fullest stage; 0: the network has no stack of blocks */
    double ledger_bytes[EC_LEDGER_COUNT]; /* of the fullest stage */
    int64_t fullest_stage;
    double first_rank_bytes; /* peak of the device that holds the first stage */
    /* Of a network: FLOP of the products of a step, forward and backward once, attention under a
     * causal mask by the pairs that it computes; the same with all pairs; and with what is computed
     * again. And the dense peak of all devices, in FLOP/s; 0: unknown. */
    double model_flop, whole_flop, hardware_flop, peak_flop_per_s;
    /* Of a job that may be interrupted, expected: failures, the time between them, what they and
     * the checkpoints against them add to the job, the latter's part of it. Else 0. */
    double failures, failure_every_ns, restarts_ns, checkpoints_ns;
    double checkpoint_every_ns, checkpoint_bytes;
    /* Of one board while it trains; of all boards, for the job if there is one, else the epoch. 0:
     * its power limit is not known. */
    struct ec_interval board_power_w, board_energy_j;
    /* Of samples of many lengths: their mean in tokens, the share of the tokens of a step that is
     * padding; 0: all are alike. */
    double mean_tokens, padding_frac;
    /* Of rl, in ns of a step: training alone; passes of the models as they were; making samples;
     * sending weights to where these are made. And what the reference model holds on a device, the
     * samples that are made at once, the devices beside `devices` that make them. */
    double training_ns, reference_ns, generation_ns, weights_sent_ns;
    double reference_bytes, made_at_once;
    int64_t generators;
};

/* The fitted model and a cache of networks. Not thread-safe: one thread at a time. */
struct ec_predictor;
EC_API enum ec_status ec_predictor_new(struct ec_predictor **ret, struct ec_err *err) EC_MUST_CHECK;
EC_API void ec_predictor_free(struct ec_predictor *p); /* NULL: does nothing */
/* Predictions for the profile's device use the profile from now on (made by `epochcast calibrate`),
 * in place of an earlier one; path NULL: none. Errors: NOT_FOUND, IO; PARSE for a file that is no
 * profile */
EC_API enum ec_status ec_predictor_use_profile(struct ec_predictor *p, const char *path,
                                               struct ec_err *err) EC_MUST_CHECK;

EC_API void ec_predict_opts_default(struct ec_predict_opts *opts); /* NULL: does nothing */
/* Sets a member by the words of the command line: ("precision", "amp"), ("framework", "pytorch-2").
 * value   borrowed when the member is a text, which may be NULL
 * Errors  INPUT for an unknown name or a value that the member does not take */
EC_API enum ec_status ec_predict_opts_set(struct ec_predict_opts *opts, const char *name,
                                          const char *value, struct ec_err *err) EC_MUST_CHECK;

/* model     path or built-in name, as for ec_graph_open
 * device    key of the catalogue, or a file as for ec_device_read
 * opts      NULL for defaults
 * ret_size  sizeof(struct ec_prediction) as the caller knows it: an older one gets the members that
 *           it knows
 * Errors    those of ec_graph_open and ec_device_find; INPUT for contradictory options or a size
 *           that no version had; UNSUPPORTED when the catalogue lacks what the prediction needs */
EC_API enum ec_status ec_predict_network_into(struct ec_predictor *p, const char *model,
                                              const char *device,
                                              const struct ec_predict_opts *opts,
                                              struct ec_prediction *ret, size_t ret_size,
                                              struct ec_err *err) EC_MUST_CHECK;
/* op_text  a case: "conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1" */
EC_API enum ec_status ec_predict_op_into(struct ec_predictor *p, const char *op_text,
                                         const char *device, const struct ec_predict_opts *opts,
                                         struct ec_prediction *ret, size_t ret_size,
                                         struct ec_err *err) EC_MUST_CHECK;

/* Answers a request of docs/requests.md.
 * ret     one line of JSON without newline, which says a failed prediction as well; borrowed until
 *         the next call with this predictor
 * Errors  NOMEM */
EC_API enum ec_status ec_predict_json(struct ec_predictor *p, const char *request, const char **ret,
                                      struct ec_err *err) EC_MUST_CHECK;

/* As ec_predict_network_into, with the size of the header that the caller is compiled with. */
static inline EC_MUST_CHECK enum ec_status ec_predict_network(struct ec_predictor *p,
                                                              const char *model, const char *device,
                                                              const struct ec_predict_opts *opts,
                                                              struct ec_prediction *ret,
                                                              struct ec_err *err)
{
    return ec_predict_network_into(p, model, device, opts, ret, sizeof *ret, err);
}

static inline EC_MUST_CHECK enum ec_status
ec_predict_op(struct ec_predictor *p, const char *op_text, const char *device,
              const struct ec_predict_opts *opts, struct ec_prediction *ret, struct ec_err *err)
{
    return ec_predict_op_into(p, op_text, device, opts, ret, sizeof *ret, err);
}

#ifdef __cplusplus
}
#endif
#endif
