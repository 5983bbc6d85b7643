/* The physics: how long a kernel runs on a device, from what it computes and moves. Every constant
 * is a row of EC_THETA_LIST, fitted by `epochcast-lab` to public measurements and shipped in
 * fitted.inc; none is set by hand. */
#ifndef EC_PHYSICS_H
#define EC_PHYSICS_H

#include "cost/cost.h"

/* X(name, initial value, prior standard deviation of its logarithm). All are positive; the fit
 * changes log(value / initial). physics.c explains each where it is used. */
/* clang-format off */
#define EC_THETA_LIST(X)                                                                           \
    /* sustained share of the paper peak, by arithmetic unit; of processors what products reach    \
     * of it (peak_cpu), and networks of that (peak_measured); their memory likewise */            \
    X(peak_simt, 0.85, 0.3)       X(peak_simt_dual, 0.65, 0.3)  X(peak_simt_kepler, 0.55, 0.3)     \
    X(peak_simt_turing, 0.8, 0.2) X(peak_tf32, 0.55, 0.4)                                          \
    X(peak_tensor_v1, 0.55, 0.4)  X(peak_tensor_v2, 0.65, 0.4)  X(peak_tensor_v3, 0.55, 0.4)       \
    /* products in networks over the highest that was measured on a generation */                  \
    X(peak_sustained, 1.2, 0.2)                                                                    \
    X(peak_half_vector, 0.85, 0.3) X(peak_amd, 0.6, 0.4)         X(peak_cdna, 1.4, 0.4)            \
    X(peak_cpu, 1.4, 0.4)                                                                          \
    X(peak_other, 0.4, 0.6)       X(peak_measured, 0.2, 0.3)    X(vector_dual, 0.5, 0.3)           \
    /* desktop boards for games: they clock beyond what is specified, and have no ECC */           \
    X(free_clock, 1.12, 0.03)     X(free_memory, 1.08, 0.1)                                        \
    /* FLOP/s that a watt sustains at 12 nm, and how it grows as nodes shrink */                   \
    X(watt_simt, 62e9, 0.15)      X(watt_tensor, 450e9, 0.4)    X(watt_node, 0.8, 0.1)             \
    /* matrix products */                                                                          \
    X(tile_traffic, 10, 0.7)      X(tile_prologue, 24, 0.7)     X(wave_round, 0.6, 0.5)            \
    X(split_k, 3.0, 0.7)          X(split_cost, 0.1, 0.7)                                          \
    X(gemm_overlap, 0.3, 0.7)                                                                      \
    X(gemm_bytes, 1.1, 0.3)                                                                        \
    /* before Volta: operands whose lines lie far apart, and the bytes of a line that are far */   \
    X(far_lines, 1.5, 0.5)        X(far_line_bytes, 88e3, 0.3)                                     \
    /* convolutions */                                                                             \
    X(conv_forward, 1.15, 0.3)    X(conv_grad_data, 1.2, 0.3)   X(conv_grad_weight, 1.3, 0.3)      \
    X(conv_tensor, 1.3, 0.4)      X(conv_overlap, 0.4, 0.3)     X(conv_bytes, 1.2, 0.4)            \
    X(conv_bytes_last, 1.1, 0.3)                                                                   \
    X(conv_prologue, 24, 0.7)                                                                      \
    X(conv_weight_bytes, 1.5, 0.5) X(winograd_flop, 1.2, 0.3)   X(winograd_bytes, 1.0, 0.5)        \
    X(winograd_weights, 3.0, 0.5) X(winograd_grad, 1.2, 0.5)    X(conv_thin, 0.3, 0.7)             \
    X(conv_repack, 0.7, 0.6)      X(conv_large_filter, 1.0, 0.3)                                   \
    X(conv_strided_grad, 1.2, 0.4) X(conv_unaligned, 1.2, 0.3)                                     \
    X(conv_unaligned_last, 1.5, 0.4)                                                               \
    /* depthwise ones by memory order, and in halves */                                            \
    X(depthwise_first, 5.0, 0.5)  X(depthwise_first_half, 5.0, 0.5)                                \
    X(depthwise_last, 5.0, 0.5)   X(depthwise_last_half, 5.0, 0.5)                                 \
    X(depthwise_bytes, 1.3, 0.3)  X(depthwise_data, 1.2, 0.3)   X(depthwise_large, 3.0, 0.5)       \
    X(depthwise_weight, 1.5, 0.4) X(depthwise_weight_last, 1.5, 0.4)                               \
    X(conv_cpu, 0.7, 0.5)         X(depthwise_cpu, 0.2, 0.5)                                       \
    /* grouped ones by memory order: of wide groups, and the power by which narrow ones cost */    \
    X(grouped_first, 1.3, 0.4)    X(grouped_first_narrow, 0.7, 0.4)                                \
    X(grouped_last, 1.3, 0.4)     X(grouped_last_narrow, 0.7, 0.4)                                 \
    X(grouped_last_wide, 6.0, 0.4)                                                                 \
    /* memory-bound kernels: bytes moved over bytes counted */                                     \
    X(stream_bytes, 1.15, 0.2)    X(stream_flop, 4.0, 0.8)      X(cache_gain, 1.0, 0.6)            \
    X(cache_share, 0.5, 0.5)      X(softmax_bytes, 1.2, 0.4)    X(softmax_long, 0.2, 0.5)          \
    X(softmax_grad, 1.2, 0.4)     X(softmax_short, 1.0, 0.7)    X(norm_bytes, 1.2, 0.4)            \
    X(norm_channel, 1.2, 0.5)     X(norm_last, 0.67, 0.3)                                          \
    X(norm_grad, 1.3, 0.4)        X(pool_bytes, 1.3, 0.4)       X(pool_grad, 1.8, 0.5)             \
    X(reduce_bytes, 1.3, 0.5)     X(gather_bytes, 1.5, 0.5)     X(update_bytes, 1.4, 0.1)          \
    X(unknown_bytes, 1.5, 0.7)    X(memory_amd, 1.2, 0.4)       X(memory_cpu, 1.2, 0.6)            \
    X(memory_other, 1.4, 0.6)     X(memory_kepler, 1.4, 0.4)  X(memory_pre_volta, 1.2, 0.3)        \
    X(memory_measured, 0.5, 0.3)    X(memory_hbm, 1.15, 0.1)                                       \
    /* recurrent steps, fused attention */                                                         \
    X(rnn_step_ns, 9000, 0.6)     X(rnn_flop, 1.5, 0.5)         X(rnn_bytes, 1.0, 0.5)             \
    X(attention_flop, 2.0, 0.5)   X(attention_grad, 1.5, 0.5)                                      \
    /* before a kernel works: its tiles, its plan, kernels of its own around it */                 \
    X(matrix_start_ns, 1000, 0.7) X(conv_start_ns, 2000, 0.3)   X(norm_start_ns, 4000, 0.3)        \
    X(rnn_start_ns, 10e3, 0.7)    X(rnn_launch, 0.2, 0.8) /* of a step */                          \
    /* from kernels to steps */                                                                    \
    X(kernel_gap_ns, 1900, 0.3)   X(host_overlap, 0.05, 0.05)   X(cpu_kernel_ns, 8000, 0.8)        \
    /* host time of a call over that of an element-wise one in forward */                          \
    X(host_matrix, 1.2, 0.3)      X(host_conv, 1.6, 0.3)        X(host_norm, 2.0, 0.3)             \
    X(host_back, 0.6, 0.3)                                                                         \
    X(copy_bytes_per_s, 6e9, 0.4)                                                                  \
    X(network_simt, 1.0, 0.15)    X(network_half, 1.0, 0.15)
/* clang-format on */

enum ec_theta_index {
#define EC_THETA_ENUM(name, init, sd) EC_T_##name,
    EC_THETA_LIST(EC_THETA_ENUM)
#undef EC_THETA_ENUM
        EC_THETA_COUNT
};

/* Per-framework numbers: X(member, initial, prior sd of the logarithm) */
#define EC_FRAMEWORK_THETA_LIST(X)                                                                 \
    X(dispatch_ns, 11000, 0.5) /* host time to issue one kernel */                                 \
    X(step_ns, 100e3, 0.8)     /* per step: bookkeeping, input copy */                             \
    X(update_ns, 30e3, 0.8)    /* host time of an update, beside its launches */                   \
    X(isolated_ns, 12e3, 0.8)  /* time of a lone operator beside its kernels */                    \
    X(isolated_conv, 1.0, 0.8) /* factors on isolated_ns: harnesses differ */                      \
    X(isolated_vector, 1.0, 0.8)                                                                   \
    X(isolated_rnn, 1.0, 0.8)                                                                      \
    X(speed, 1.0, 0.1)  /* factor on the whole step: library versions, data pipeline */            \
    X(moving, 1.0, 0.2) /* factor on kernels that only move data: fusing */                        \
    X(recurrence, 0.1,                                                                             \
      0.8) /* factor on the waits of a recurrent layer whose steps run as one kernel */

enum ec_framework_theta_index {
#define EC_FWT_ENUM(name, init, sd) EC_FWT_##name,
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
    bool winograd; /* libraries have such kernels for it */
    double bytes_per_s, cache_bytes, units, clock_hz;
    double elem_bytes;
    double launch_factor;
    double work_factor; /* factor on a network's forward and backward kernels: its learned
                           correction */
    double copy_bytes;  /* input copied from the host before each step; 0 by default */
};

/* theta is borrowed from c.
 * offsets  of the device; NULL: none, the specification only
 * Errors   UNSUPPORTED when the catalogue lacks the peak or the bandwidth */
enum ec_status ec_rates_init(struct ec_rates *r, const struct ec_device *d,
                             const struct ec_conditions *cond, const struct ec_constants *c,
                             const double offsets[EC_DO_COUNT], struct ec_err *err) EC_MUST_CHECK;

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
/* The inverse of how ec_step_time joins device and host: the device time that with host_ns yields
 * both_ns. Below 0 where the host alone takes longer.
 * ret_slope  the derivative of the step's time by the device time */
double ec_device_ns_of(double both_ns, double host_ns, const double *theta, double *ret_slope);

#endif
