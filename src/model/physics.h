/* The physics: how long a kernel runs on a device, from what it computes and moves. Every constant
 * is a row of EC_THETA_LIST, fitted by `epochcast-lab` to public measurements and shipped in
 * fitted.inc; none is set by hand. */
#ifndef EC_PHYSICS_H
#define EC_PHYSICS_H

#include "cost/cost.h"

/* X(name, initial value, prior standard deviation of its logarithm, unit, what it is). All are
 * positive; the fit changes log(value / initial). Odds v give the share v / (1 + v).
 * docs/time-model.md says where they are used, docs/constants.md what they are worth. */
/* clang-format off */
#define EC_THETA_LIST(X)                                                                           \
    /* rates: what products sustain of the paper peak, by arithmetic unit */                       \
    X(peak_simt, 0.85, 0.3, "factor", "on the float32 peak: plain lanes")                          \
    X(peak_simt_dual, 0.68, 0.1, "factor",                                                         \
      "on the float32 peak: half of the lanes also do integers")                                   \
    X(peak_simt_kepler, 0.55, 0.3, "factor", "on the float32 peak: lanes that issue starves")      \
    X(peak_simt_turing, 0.8, 0.2, "factor", "on the float32 peak: lanes beside integer ones")      \
    X(peak_tf32, 0.55, 0.4, "factor", "on the tf32 peak of matrix units")                          \
    X(peak_tensor_v1, 0.55, 0.4, "factor", "on the half peak: matrix units issued by a warp")      \
    X(peak_tensor_v2, 0.65, 0.4, "factor",                                                         \
      "on the half peak: fed asynchronously")                                    \
    X(peak_sustained, 1.2, 0.2, "factor", "on matrix_sustained_frac of the catalogue")             \
    X(peak_amd, 0.6, 0.4, "factor", "on the peak, AMD")                                            \
    X(peak_cdna, 1.4, 0.4, "factor", "on the lanes' float32 peak, AMD with float32 matrix units")  \
    X(peak_cpu, 1.4, 0.4, "factor", "on a CPU's data sheet peak: what products reach")             \
    X(peak_other, 0.4, 0.6, "factor", "on the peak, other vendors")                                \
    X(peak_measured, 0.2, 0.3, "factor", "on measured products: what networks sustain, CPUs")      \
    X(vector_dual, 0.5, 0.3, "factor",                                                             \
      "on the float32 peak that counts half-used lanes, other kernels")                            \
    /* desktop boards for games: they clock beyond what is specified, and have no ECC */           \
    X(free_clock, 1.12, 0.03, "factor", "on the arithmetic of boards with a free clock")           \
    X(free_memory, 1.08, 0.1, "factor", "on the bandwidth of boards with a free clock")            \
    /* what the power of a board sustains */                                                       \
    X(watt_simt, 62e9, 0.15, "FLOP/J", "lanes at 12 nm")                                           \
    X(watt_tensor, 450e9, 0.4, "FLOP/J", "matrix units at 12 nm")                                  \
    X(watt_node, 0.8, 0.1, "exponent", "of 12 / nm in FLOP per joule")                             \
    /* matrix products */                                                                          \
    X(tile_traffic, 10, 0.7, "elements", "added to a tile's side for its operand traffic")         \
    X(tile_prologue, 24, 0.7, "elements", "added to the depth of a product's tile")                \
    X(wave_round, 0.6, 0.5, "share", "of the idle rest of the last round that is paid")            \
    X(split_k, 3.0, 0.7, "odds", "of the exponent by which splitting a long sum gains")            \
    X(split_cost, 0.1, 0.7, "factor", "added to 1: arithmetic of a split sum")                     \
    X(gemm_overlap, 0.3, 0.7, "odds", "of the share of a product's shorter time that shows")       \
    X(gemm_bytes, 1.1, 0.3, "factor", "on the bytes of products")                                  \
    /* before Volta: operands whose lines lie far apart */                                         \
    X(far_lines, 1.5, 0.5, "factor", "added to 1: arithmetic of products whose lines are far")     \
    X(far_line_bytes, 88e3, 0.3, "bytes", "of a line, where half of that is added")                \
    /* convolutions */                                                                             \
    X(conv_forward, 1.15, 0.3, "factor", "on the product's arithmetic: forward")                   \
    X(conv_grad_data, 1.2, 0.3, "factor", "on the product's arithmetic: gradient of the input")    \
    X(conv_grad_weight, 1.3, 0.3, "factor",                                                        \
      "on the product's arithmetic: gradient of the weights")                                      \
    X(conv_tensor, 1.3, 0.4, "factor", "on the product's arithmetic: on matrix units")             \
    X(conv_overlap, 0.4, 0.3, "odds", "of the share of a convolution's shorter time that shows")   \
    X(conv_overlap_tensor, 0.5, 0.3, "odds", "the same on matrix units")                           \
    X(conv_bytes, 1.2, 0.4, "factor", "on the bytes of a convolution's activations")               \
    X(conv_bytes_last, 1.1, 0.3, "factor",                                                         \
      "on a convolution's activations, matrix units in channels-last")                             \
    X(conv_prologue, 24, 0.7, "elements", "added to the depth of a convolution's tile")            \
    X(conv_weight_bytes, 1.5, 0.5, "factor", "on the bytes of a convolution's weights")            \
    X(winograd_flop, 1.2, 0.3, "factor", "on the arithmetic of Winograd's products")               \
    X(winograd_bytes, 1.0, 0.5, "factor", "on the bytes of Winograd's tiles")                      \
    X(winograd_weights, 3.0, 0.5, "factor", "on the bytes of Winograd's filters")                  \
    X(winograd_grad, 1.2, 0.5, "factor", "on Winograd's gradient of the weights")                  \
    X(conv_convert, 2.0, 0.3, "factor",                                                            \
      "on the bytes of images that a framework converts to channels-first and back")               \
    X(conv_convert_weights, 2.0, 0.5, "factor", "on the bytes of filters that it converts")        \
    X(conv_thin, 0.3, 0.7, "factor", "added to 1: arithmetic with few input channels")             \
    X(conv_repack, 0.7, 0.6, "factor", "on the bytes of kernels that convert memory orders")       \
    X(conv_large_filter, 1.0, 0.3, "factor", "on the arithmetic of filters beyond 3x3")            \
    X(conv_strided_grad, 1.2, 0.4, "factor",                                                       \
      "on the arithmetic of gradients of strided convolutions")                                    \
    X(conv_unaligned, 1.2, 0.3, "factor", "channels no multiple of 4, without matrix units")       \
    X(conv_unaligned_last, 1.5, 0.4, "factor", "channels no multiple of 8, channels-last halves")  \
    /* depthwise ones */                                                                           \
    X(depthwise_first, 5.0, 0.5, "FLOP/FLOP", "of lanes over counted, depthwise: channels-first")  \
    X(depthwise_first_half, 5.0, 0.5, "FLOP/FLOP",                                                 \
      "of lanes over counted, depthwise: channels-first halves")                                   \
    X(depthwise_last, 5.0, 0.5, "FLOP/FLOP", "of lanes over counted, depthwise: channels-last")    \
    X(depthwise_last_half, 5.0, 0.5, "FLOP/FLOP",                                                  \
      "of lanes over counted, depthwise: channels-last halves")                                    \
    X(depthwise_bytes, 1.3, 0.3, "factor", "on the bytes of depthwise convolutions")               \
    X(depthwise_data, 1.2, 0.3, "factor", "on depthwise gradients of the input")                   \
    X(depthwise_large, 3.0, 0.5, "factor", "on depthwise filters beyond 7x7, channels-last")       \
    X(depthwise_weight, 1.5, 0.4, "factor",                                                        \
      "on depthwise gradients of the weights, channels-first")                                     \
    X(depthwise_weight_last, 1.5, 0.4, "factor",                                                   \
      "on depthwise gradients of the weights, channels-last")                                      \
    X(conv_cpu, 0.7, 0.5, "factor", "on the arithmetic of convolutions, CPUs")                     \
    X(depthwise_cpu, 0.2, 0.5, "factor", "on depthwise convolutions, CPUs")                        \
    X(gemm_unaligned, 2.0, 0.5, "factor",                                                          \
      "added to 1: products of halves with an odd side, from Hopper on")                           \
    X(gemm_unaligned_early, 0.5, 0.5, "factor", "the same before Hopper")                          \
    /* grouped ones */                                                                             \
    X(grouped_first, 1.3, 0.4, "factor", "on grouped convolutions: channels-first")                \
    X(grouped_first_narrow, 0.7, 0.4, "exponent", "of groups that run together: channels-first")   \
    X(grouped_last, 1.3, 0.4, "factor", "on grouped convolutions: channels-last")                  \
    X(grouped_last_narrow, 0.7, 0.4, "exponent", "of groups that run together: channels-last")     \
    X(grouped_last_uneven, 1.0, 0.6, "factor",                                                     \
      "added to 1: groups whose width is no power of two, channels-last, before Hopper")           \
    X(grouped_last_slow, 6.0, 0.4, "factor",                                                       \
      "added to 1: gradients of wide groups, channels-last; from Hopper on, those widths")         \
    /* memory-bound kernels */                                                                     \
    X(stream_bytes, 1.15, 0.2, "factor", "on the bytes of element-wise kernels")                   \
    X(move_bytes, 1.4, 0.3, "factor", "on the bytes of kernels that only move")                    \
    X(stream_flop, 4.0, 0.8, "FLOP/FLOP", "of the lanes for one counted: element-wise kernels")    \
    X(row_flop, 8.0, 0.8, "FLOP/FLOP", "of the lanes for one counted: kernels that reduce rows")   \
    X(cache_gain, 0.7, 0.4, "factor",                                                              \
      "added to 1: bandwidth of the last-level cache, a call again and again")                     \
    X(cache_gain_step, 0.5, 0.4, "factor",                                                         \
      "added to 1: the same within a network, whose kernels find a part of it there")              \
    X(cache_share, 0.5, 0.5, "share", "of the cache that bytes fill where half of that is added")  \
    X(softmax_bytes, 1.2, 0.4, "factor", "on the bytes of softmax")                                \
    X(softmax_long, 0.2, 0.5, "factor", "added to 1: bytes of softmax over long rows")             \
    X(softmax_grad, 1.2, 0.4, "factor", "on the bytes of softmax in backward")                     \
    X(softmax_short, 1.0, 0.7, "factor", "added to 1: bytes of softmax over short rows")           \
    X(norm_bytes, 1.2, 0.4, "factor", "on the bytes of norms")                                     \
    X(norm_channel, 1.2, 0.5, "factor", "on the bytes of norms of two passes")                     \
    X(norm_last, 0.67, 0.3, "factor", "on batch norm, channels-last")                              \
    X(norm_grad, 1.3, 0.4, "factor", "on the bytes of norms in backward")                          \
    X(pool_look, 30, 0.5, "FLOP", "of the lanes for a look into a window: pooling")                \
    X(pool_look_last, 45, 0.5, "FLOP", "the same: forward, channels-last")                         \
    X(pool_mean_grad, 50, 0.5, "FLOP", "the same: backward of means")                              \
    X(reduce_bytes, 1.3, 0.5, "factor", "on the bytes of reductions")                              \
    X(gather_bytes, 1.5, 0.5, "factor", "on the bytes of look-ups")                                \
    X(update_bytes, 1.4, 0.1, "factor", "on the bytes of the update")                              \
    X(unknown_bytes, 1.5, 0.7, "factor", "on the bytes of unknown operators")                      \
    X(memory_amd, 1.2, 0.4, "factor", "specified over sustained bandwidth, AMD")                   \
    X(memory_cpu, 1.2, 0.6, "factor", "specified bandwidth over that of copies, CPUs")             \
    X(memory_other, 1.4, 0.6, "factor", "specified over sustained bandwidth, other vendors")       \
    X(memory_kepler, 1.4, 0.4, "factor", "specified over sustained bandwidth, uncached loads")     \
    X(memory_pre_volta, 1.2, 0.3, "factor", "specified over sustained bandwidth, few pages")       \
    X(memory_measured, 0.5, 0.3, "factor", "bandwidth of copies over that of networks, CPUs")      \
    X(memory_hbm, 1.15, 0.1, "factor", "specified over sustained bandwidth, stacked memory")       \
    /* recurrent steps, fused attention */                                                         \
    X(rnn_step_ns, 9000, 0.6, "ns", "a step of a recurrent layer waits for the one before")        \
    X(rnn_flop, 1.5, 0.5, "factor", "on the arithmetic of recurrent layers")                       \
    X(rnn_bytes, 1.0, 0.5, "factor", "on the bytes of weights that each step reads")               \
    X(attention_flop, 1.5, 0.5, "factor", "on the products of attention in one kernel")            \
    X(attention_score, 4.0, 0.7, "FLOP/FLOP",                                                      \
      "of the lanes for one counted: scores of attention in one kernel")                           \
    X(attention_prologue, 128, 0.7, "keys", "added to those of a query: attention in one kernel")  \
    /* before a kernel works: its tiles, its plan, kernels of its own around it */                 \
    X(matrix_start_ns, 1000, 0.7, "ns", "start of a product")                                      \
    X(conv_start_ns, 2000, 0.3, "ns", "start of a convolution")                                    \
    X(norm_start_ns, 4000, 0.3, "ns", "start of a norm of two passes")                             \
    X(rnn_start_ns, 10e3, 0.7, "ns", "start of a recurrent layer")                                 \
    X(rnn_launch, 0.2, 0.8, "launches", "of a recurrent step after the first")                     \
    /* from kernels to steps */                                                                    \
    X(kernel_gap_ns, 1900, 0.3, "ns", "gap between two kernels")                                   \
    X(host_overlap, 0.05, 0.05, "odds",                                                            \
      "of the share of the shorter of device and host that shows")                                 \
    X(cpu_kernel_ns, 8000, 0.8, "ns", "a kernel on a CPU beside its work")                         \
    /* host time in calls; an element-wise kernel of the forward pass is one */                    \
    X(host_matrix, 1.2, 0.3, "calls", "of a product")                                              \
    X(host_conv, 1.6, 0.3, "calls", "of a convolution")                                            \
    X(host_norm, 2.0, 0.3, "calls", "of a norm")                                                   \
    X(host_back, 0.6, 0.3, "factor", "on calls in backward")                                       \
    X(copy_bytes_per_s, 6e9, 0.4, "bytes/s", "copy of the input from the host")                    \
    X(network_matrix, 1.1, 0.15, "factor",                                                         \
      "on products on matrix units inside a network: clocks fall under lasting load")
/* clang-format on */

enum ec_theta_index {
#define EC_THETA_ENUM(name, ...) EC_T_##name,
    EC_THETA_LIST(EC_THETA_ENUM)
#undef EC_THETA_ENUM
        EC_THETA_COUNT
};

/* Numbers of each framework, in the same columns. */
/* clang-format off */
#define EC_FRAMEWORK_THETA_LIST(X)                                                                 \
    X(dispatch_ns, 17000, 0.5, "ns", "host time of a call")                                        \
    X(step_ns, 150e3, 0.8, "ns", "of a step beside its kernels: bookkeeping")                      \
    X(update_ns, 30e3, 0.8, "ns", "host time of an update beside its calls")                       \
    X(isolated_ns, 12e3, 0.8, "ns", "of a lone operator beside its kernels")                       \
    X(isolated_conv, 1.0, 0.8, "factor", "on isolated_ns: convolutions (harnesses differ)")        \
    X(isolated_vector, 1.0, 0.8, "factor", "on isolated_ns: other operators")                      \
    X(isolated_rnn, 1.0, 0.8, "factor", "on isolated_ns: recurrent layers")                        \
    X(speed, 1.0, 0.1, "factor", "on the whole step: library versions, data pipeline")             \
    X(moving, 1.0, 0.2, "factor", "on kernels that only move data: fusing")                        \
    X(recurrence, 0.1, 0.8, "factor", "on rnn_step_ns where all steps run as one kernel")
/* clang-format on */

enum ec_framework_theta_index {
#define EC_FWT_ENUM(name, ...) EC_FWT_##name,
    EC_FRAMEWORK_THETA_LIST(EC_FWT_ENUM)
#undef EC_FWT_ENUM
        EC_FWT_COUNT
};

/* Offsets of a device from its specification: logarithms of time factors of arithmetic, memory and
 * launches. */
enum ec_device_offset { EC_DO_COMPUTE, EC_DO_MEMORY, EC_DO_LAUNCH, EC_DO_COUNT };

struct ec_constants {
    double theta[EC_THETA_COUNT];
    double framework[EC_FRAMEWORK_COUNT][EC_FWT_COUNT];
};
/* Sets all constants to the initial values of the lists. */
void ec_constants_default(struct ec_constants *c);

/* Rates of a device under conditions, which kernels are timed with. */
struct ec_rates {
    const double *theta;
    struct ec_conditions cond;
    double matrix_flop_per_s, vector_flop_per_s;
    double simt_flop_per_s; /* of products in float32 without matrix units */
    bool tensor;            /* products run on matrix units */
    bool half;              /* activations are two bytes */
    bool converted;         /* bf16 before Ampere: convolutions convert to float32 and back */
    bool autocast;
    bool cpu;
    bool few_pages; /* small TLB: access to many pages at once is slow */
    bool channels_last;
    bool warp_group; /* matrix units issued by a warp group: other kernels, and no Winograd ones */
    double bytes_per_s, cache_bytes, units, clock_hz;
    double elem_bytes;
    double launch_factor;
    bool in_step;      /* of a network, not alone */
    double copy_bytes; /* input copied from the host before each step; 0 by default */
    enum ec_attention attention;
    double low_speedup; /* of products in fewer bits than the precision has; 0: there are none */
    double cast_bytes;  /* moved for each element that is cast for them */
};

/* theta is borrowed from c.
 * offsets  of the device; NULL: none, the specification only
 * Errors   UNSUPPORTED when the catalogue lacks the peak or the bandwidth */
enum ec_status ec_rates_init(struct ec_rates *r, const struct ec_device *d,
                             const struct ec_conditions *cond, const struct ec_constants *c,
                             const double offsets[EC_DO_COUNT], struct ec_err *err) EC_MUST_CHECK;

/* The software's kernels: attention of a generation, products in 8 bits. Errors: UNSUPPORTED for a
 * device without them */
enum ec_status ec_rates_use(struct ec_rates *r, const struct ec_device *d,
                            enum ec_attention attention, enum ec_products products,
                            struct ec_err *err) EC_MUST_CHECK;

/* Time of a kernel: arithmetic alone, memory alone, and both as they overlap. */
struct ec_kernel_time {
    double compute_ns, memory_ns, total_ns;
};
/* Time on the device without launches. */
void ec_kernel_time(const struct ec_kernel *k, const struct ec_rates *r,
                    struct ec_kernel_time *ret);

/* Time of a step and its parts. */
struct ec_step_time {
    double device_ns, host_ns, step_ns;
    double compute_ns, memory_ns, gap_ns; /* device time of kernels bound by arithmetic, of those
                                             bound by memory, and between kernels */
    double cast_ns;                       /* autocast's casts: in device_ns, in no class */
    double fixed_ns; /* bookkeeping and input copy: in neither device_ns nor host_ns */
    double copy_ns;  /* the latter */
    double phase_ns[EC_PHASE_COUNT];
    double class_ns[EC_KCLASS_COUNT], class_launches[EC_KCLASS_COUNT];
    double launches, issued; /* kernels; kernels and autocast's casts */
    double calls; /* issued, each in host time of an element-wise kernel of the forward pass */
    struct ec_matrix_time { /* time of products and convolutions by the shape of their matrices, for
                               features of corrections */
        double ns, rounds_ns;         /* all; sum of ns times log(waves of 128 x 128 tiles) */
        double narrow_ns, shallow_ns; /* n below 64; k below 64 */
        double thin_ns, unaligned_ns; /* c_in below 16; n or k no multiple of 8 */
    } matrix;
    double cached_ns;              /* kernels whose activations fit into the last-level cache */
    struct ec_kernel_time longest; /* of the longest kernel, one launch of it */
    double unknown_ns;             /* kernels of unknown operators */
};
/* isolated: a lone operator, as benchmarks time it, not a step of a network. */
void ec_step_time(const struct ec_step *s, const struct ec_rates *r, const struct ec_constants *c,
                  bool isolated, struct ec_step_time *ret);

/* The share of the smaller of device and host time that is not hidden, 0 to 1. */
double ec_host_share(const double *theta);

#endif
