/* Features of a whole step on a device: how the physics divides its time, and what kernels it has.
 * One row of a list is one column. */
#ifndef EC_NETWORK_FEATURES_H
#define EC_NETWORK_FEATURES_H

#include "model/fitted.h"

/* Structure of a network, from its forward pass: shares of the MAC, and norms, softmaxes and
 * elementwise kernels per kernel of matrix work. The same at every batch, in every mode, on every
 * device. */
/* clang-format off */
#define EC_STRUCTURE_LIST(X)                                                                       \
    X(of_linear, w->linear / w->mac)          X(of_attention, w->attention / w->mac)               \
    X(of_pointwise, w->pointwise / w->mac)    X(of_spatial, w->spatial / w->mac)                   \
    X(of_grouped, w->grouped / w->mac)        X(of_narrow_groups, w->narrow_groups / w->mac)       \
    X(of_large_filters, w->large_filter / w->mac)                                                  \
    X(of_unaligned, w->unaligned / w->mac)    X(of_recurrent, w->recurrent / w->mac)               \
    X(of_depthwise, w->depthwise / w->n)                                                           \
    X(of_channel_norms, fmin(1, w->channel_norms / w->n))                                          \
    X(of_row_norms, fmin(1, w->row_norms / w->n))                                                  \
    X(of_softmax, fmin(1, w->softmaxes / w->n))                                                    \
    X(of_elementwise, fmin(1, w->streams / (4 * w->n)))                                            \
    X(of_depth, log2(1 + w->n) / 10)          X(of_width, w->log_width / w->mac / 10)

#define EC_NETWORK_FEATURE_LIST(X)                                                                 \
    X(log_step_ns, log(t->step_ns))           X(log_launches, log1p(t->launches))                  \
    X(log_host_share, log(1e-3 + t->host_ns / t->step_ns))                                         \
    X(compute_share, t->compute_ns / v->busy) X(memory_share, t->memory_ns / v->busy)              \
    X(forward_share, t->phase_ns[EC_FORWARD] / v->busy)                                            \
    X(update_share, t->phase_ns[EC_UPDATE] / v->busy)                                              \
    X(gemm_share, t->class_ns[EC_K_GEMM] / v->busy)                                                \
    X(conv_share, t->class_ns[EC_K_CONV] / v->busy)                                                \
    X(depthwise_share, t->class_ns[EC_K_DEPTHWISE] / v->busy)                                      \
    X(stream_share, t->class_ns[EC_K_STREAM] / v->busy)                                            \
    X(softmax_share, t->class_ns[EC_K_SOFTMAX] / v->busy)                                          \
    X(norm_share, t->class_ns[EC_K_NORM] / v->busy)                                                \
    X(reduce_share, t->class_ns[EC_K_REDUCE] / v->busy)                                            \
    X(pool_share, t->class_ns[EC_K_POOL] / v->busy)                                                \
    X(gather_share, t->class_ns[EC_K_GATHER] / v->busy)                                            \
    X(pointwise_conv_share, v->pointwise / v->mac)                                                 \
    X(grouped_conv_share, v->grouped / v->mac) X(large_filter_share, v->large_filter / v->mac)     \
    X(mean_log_width, v->log_width / v->mac)  X(mean_log_depth, v->log_depth / v->mac)             \
    X(mean_log_rows, v->log_rows / v->mac)    X(log_intensity, log(v->flop / v->bytes))            \
    X(unaligned_share, v->unaligned / v->mac) X(repeats, log(v->repeats / s->n))                   \
    X(tensor, r->tensor)                      X(half, r->half)                                     \
    X(channels_last, r->channels_last)        X(framework, fw)                                     \
    X(precision, p)                           X(mode, v->mode)                                     \
    X(log_peak, log(r->matrix_flop_per_s))    X(log_bandwidth, log(r->bytes_per_s))                \
    X(log_balance, log(r->matrix_flop_per_s / r->bytes_per_s))                                     \
    X(log_cache, log1p(r->cache_bytes))       X(log_units, log(r->units))                          \
    X(log_rounds, t->matrix.rounds_ns / v->matrix)                                                 \
    X(narrow_share, t->matrix.narrow_ns / v->matrix)                                               \
    X(shallow_share, t->matrix.shallow_ns / v->matrix)                                             \
    X(thin_share, t->matrix.thin_ns / v->matrix)                                                   \
    X(unaligned_time_share, t->matrix.unaligned_ns / v->matrix)                                    \
    X(cached_share, t->cached_ns / v->busy)   X(launch_factor, r->launch_factor)                   \
    X(trains, v->mode > 0)                    EC_STRUCTURE_LIST(X)
/* clang-format on */

enum ec_network_feature {
#define EC_NF_ENUM(name, value) EC_NF_##name,
    EC_NETWORK_FEATURE_LIST(EC_NF_ENUM)
#undef EC_NF_ENUM
        EC_NF_COUNT
};
extern const char *const ec_network_feature_names[];
/* Computes the structure alone: EC_STRUCTURE_COUNT numbers of 0 to about 1. */
#define EC_STRUCTURE_ONE(name, value) +1
enum { EC_STRUCTURE_COUNT = 0 EC_STRUCTURE_LIST(EC_STRUCTURE_ONE) };
void ec_network_structure(const struct ec_step *s, double ret[EC_STRUCTURE_COUNT]);
/* Computes EC_NF_COUNT finite numbers. t: the result of ec_step_time for s and r. */
void ec_network_features(const struct ec_step *s, const struct ec_rates *r,
                         const struct ec_step_time *t, double *ret);

#endif
