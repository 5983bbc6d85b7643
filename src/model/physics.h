/* The physics: how long a kernel runs on a device, from what it computes and moves. Every constant
 * is a row of theta.txt, fitted by `epochcast-lab` to public measurements and shipped in
 * fitted.inc; none is set by hand. */
#ifndef EC_PHYSICS_H
#define EC_PHYSICS_H

#include "cost/cost.h"
#include "theta_list.h"

enum ec_theta_index {
#define EC_THETA_ENUM(name, ...) EC_T_##name,
    EC_THETA_LIST(EC_THETA_ENUM)
#undef EC_THETA_ENUM
        EC_THETA_COUNT
};

/* Numbers of each framework. */
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
    double most_flop_per_s; /* of matrix units, as the data sheet has it */
    bool half;              /* activations are two bytes */
    bool converted;         /* bf16 before Ampere: convolutions convert to float32 and back */
    bool autocast;
    bool cpu, tpu;
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

/* Raises the offset of memory until its rate is that of the data sheet at most, or 1.1 times it on
 * boards whose clock is free. What is added later, by calibration, may go above. */
void ec_offsets_bound(const struct ec_device *d, const struct ec_constants *c,
                      double offsets[EC_DO_COUNT]);

/* theta is borrowed from c.
 * offsets  of the device; NULL: the specification only, bounded
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
