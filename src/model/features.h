/* Features of an operator on a device: the inputs of the regressors. One row of EC_FEATURE_LIST is
 * one column. In its expressions `k` is the first kernel of the step (a forward kernel if there is
 * one), `v` holds sums over the whole step, `d` is the device and `o` the operator. */
#ifndef EC_FEATURES_H
#define EC_FEATURES_H

#include "model/fitted.h"

/* Feature sets, docs/regressors.md. Each set contains those before it, except `terms`: times and
 * counts that a linear model adds up. */
/* X(set, name) */
#define EC_FEATURE_SET_LIST(X)                                                                     \
    X(BASELINE, "baseline")     /* geometry and device */                                          \
    X(OPERATIONS, "operations") /* and what is computed */                                         \
    X(MEMORY, "memory")         /* and what is moved */                                            \
    X(ROOFLINE, "roofline")     /* and how long that takes at least, tiles, waves, alignment */    \
    X(ROUTES, "routes") /* and the ways a library may take: tiles of gradients, FFT, Winograd */
enum ec_feature_set {
#define EC_FEATURE_SET_ENUM(set, name) EC_FS_##set,
    EC_FEATURE_SET_LIST(EC_FEATURE_SET_ENUM)
#undef EC_FEATURE_SET_ENUM
        EC_FS_TERMS,
    EC_FS_COUNT
};
#define EC_FEATURE_SET_TEXT(set, name) name ", "
/* For help texts and messages: "baseline, operations, ... or all" */
#define EC_FEATURE_SETS_TEXT EC_FEATURE_SET_LIST(EC_FEATURE_SET_TEXT) "or all"
extern const char *const ec_feature_set_names[]; /* NULL-terminated */

/* clang-format off */
#define EC_FEATURE_LIST(X)                                                                         \
    X(BASELINE, op, v->op)                          X(BASELINE, kernel_class, (double)k->kclass)   \
    X(BASELINE, phase, (double)k->phase)            X(BASELINE, kernels, v->kernels)               \
    X(BASELINE, mode, v->mode)                      X(BASELINE, optimizer_tensors, v->optimizer)   \
    X(BASELINE, optimizer, v->optimizer_index)      X(BASELINE, activation, v->activation)         \
    X(BASELINE, bias, o->bias)                      X(BASELINE, padded, o->padded)                 \
    X(BASELINE, queued, v->rates.cond.queued)                                                      \
    X(BASELINE, pad_total, v->pad_total)            X(BASELINE, pad_odd, fmod(v->pad_total, 2))    \
    X(BASELINE, elem_bytes, v->rates.elem_bytes)    X(BASELINE, framework, v->framework)           \
    X(BASELINE, log_b, lg(k->b))                    X(BASELINE, log_m, lg(k->m))                   \
    X(BASELINE, log_n, lg(k->n))                    X(BASELINE, log_k, lg(k->k))                   \
    X(BASELINE, log_batch, lg(v->batch))            X(BASELINE, filter, k->r)                      \
    X(BASELINE, filter_s, k->s)                     X(BASELINE, stride, k->stride)                 \
    X(BASELINE, log_in_hw, lg(k->in_hw))            X(BASELINE, log_out_hw, lg(k->out_hw))         \
    X(BASELINE, log_c_in, lg(k->c_in))              X(BASELINE, log_c_out, lg(k->c_out))           \
    X(BASELINE, log_groups, lg(k->groups))          X(BASELINE, log_serial, lg(k->serial))         \
    X(BASELINE, log_units, lg(d->sm_count.value))   X(BASELINE, log_clock, lg(v->rates.clock_hz))  \
    X(BASELINE, log_peak, lg(v->peak))              X(BASELINE, log_bandwidth, lg(v->bandwidth))   \
    X(BASELINE, log_cache, lg(d->l2_bytes.value))   X(BASELINE, log_power, lg(d->tdp_w.value))     \
    X(BASELINE, capability, d->compute_capability)  X(BASELINE, node_nm, d->process_nm)            \
    X(OPERATIONS, log_mac, lg(v->mac))              X(OPERATIONS, log_flop, lg(v->flop))           \
    X(OPERATIONS, log_flop_ns, lg(v->flop_ns))                                                     \
    X(OPERATIONS, flop_per_output, v->flop / (v->write > 1 ? v->write : 1))                        \
    X(MEMORY, log_bytes, lg(v->bytes))                                                             \
    X(MEMORY, log_intensity, lg(v->flop / v->bytes))                                               \
    X(MEMORY, log_read, lg(v->read))                X(MEMORY, log_write, lg(v->write))             \
    X(MEMORY, log_weights, lg(v->weights))          X(MEMORY, log_memory_ns, lg(v->memory_ns))     \
    X(ROOFLINE, log_roofline_ns, lg(v->roofline_ns))                                               \
    X(ROOFLINE, log_physics_ns, lg(v->time.step_ns))                                               \
    X(ROOFLINE, balance, lg(v->flop_ns / v->memory_ns))                                            \
    X(ROOFLINE, log_forward_ns, lg(v->time.phase_ns[EC_FORWARD]))                                  \
    X(ROOFLINE, log_grad_data_ns, lg(v->time.phase_ns[EC_GRAD_DATA]))                              \
    X(ROOFLINE, log_grad_weight_ns, lg(v->time.phase_ns[EC_GRAD_WEIGHT]))                          \
    X(ROOFLINE, log_update_ns, lg(v->time.phase_ns[EC_UPDATE]))                                    \
    X(ROOFLINE, log_kernel_compute_ns, lg(v->main.compute_ns))                                     \
    X(ROOFLINE, log_kernel_memory_ns, lg(v->main.memory_ns))                                       \
    X(ROOFLINE, physics_over_roofline, lg(v->time.step_ns / v->roofline_ns))                       \
    X(ROOFLINE, main_share, v->main.total_ns / v->time.step_ns)                                    \
    X(ROOFLINE, log_waves_128, lg(v->tile[0].waves)) X(ROOFLINE, tail_128, v->tile[0].tail)        \
    X(ROOFLINE, padding_128, v->tile[0].padding)                                                   \
    X(ROOFLINE, log_waves_64, lg(v->tile[1].waves)) X(ROOFLINE, tail_64, v->tile[1].tail)          \
    X(ROOFLINE, padding_64, v->tile[1].padding)                                                    \
    X(ROOFLINE, log_waves_32, lg(v->tile[2].waves)) X(ROOFLINE, tail_32, v->tile[2].tail)          \
    X(ROOFLINE, padding_32, v->tile[2].padding)                                                    \
    X(ROOFLINE, align_m, align(k->m))               X(ROOFLINE, align_n, align(k->n))              \
    X(ROOFLINE, align_k, align(k->k))               X(ROOFLINE, align_c_in, align(k->c_in))        \
    X(ROOFLINE, align_c_out, align(k->c_out))       X(ROOFLINE, align_batch, align(v->batch))      \
    X(ROOFLINE, align_in_side, align(sqrt(k->in_hw)))                                              \
    X(ROOFLINE, align_out_side, align(sqrt(k->out_hw)))                                            \
    X(ROOFLINE, log_filter_elems, lg(k->c_in * k->c_out * k->r * k->s))                            \
    X(ROOFLINE, log_columns_bytes, lg(4 * v->batch * k->out_hw * k->k))                            \
    X(ROOFLINE, log_bytes_per_cache, lg(v->bytes / nz(d->l2_bytes.value)))                         \
    X(ROOFLINE, log_peak_per_bandwidth, lg(v->peak / v->bandwidth))                                \
    X(ROOFLINE, log_power_per_peak, lg(d->tdp_w.value / v->peak))                                  \
    X(ROOFLINE, log_bandwidth_per_unit, lg(v->bandwidth / v->rates.units))                         \
    X(ROOFLINE, log_peak_per_unit, lg(v->peak / v->rates.units))                                   \
    X(ROOFLINE, log_cache_per_unit, lg(nz(d->l2_bytes.value) / v->rates.units))                    \
    X(ROOFLINE, generation, floor(d->compute_capability / 10.0))                                   \
    X(ROUTES, update_share, v->time.phase_ns[EC_UPDATE] / v->time.step_ns)                         \
    X(ROUTES, batch, v->batch) X(ROUTES, in_side, sqrt(k->in_hw))                                  \
    X(ROUTES, out_side, sqrt(k->out_hw)) X(ROUTES, batch_rest_8, fmod(v->batch, 8))                \
    X(ROUTES, batch_rest_32, fmod(v->batch, 32)) X(ROUTES, c_in_rest_8, fmod(k->c_in, 8))          \
    X(ROUTES, c_in_rest_32, fmod(k->c_in, 32)) X(ROUTES, c_out_rest_8, fmod(k->c_out, 8))          \
    X(ROUTES, c_out_rest_32, fmod(k->c_out, 32))                                                   \
    X(ROUTES, log_data_waves_128, lg(v->back[0][0].waves))                                         \
    X(ROUTES, data_tail_128, v->back[0][0].tail)                                                   \
    X(ROUTES, data_padding_128, v->back[0][0].padding)                                             \
    X(ROUTES, log_data_waves_64, lg(v->back[0][1].waves))                                          \
    X(ROUTES, data_tail_64, v->back[0][1].tail) X(ROUTES, data_padding_64, v->back[0][1].padding)  \
    X(ROUTES, log_data_waves_32, lg(v->back[0][2].waves))                                          \
    X(ROUTES, data_tail_32, v->back[0][2].tail) X(ROUTES, data_padding_32, v->back[0][2].padding)  \
    X(ROUTES, log_weight_waves_128, lg(v->back[1][0].waves))                                       \
    X(ROUTES, weight_tail_128, v->back[1][0].tail)                                                 \
    X(ROUTES, weight_padding_128, v->back[1][0].padding)                                           \
    X(ROUTES, log_weight_waves_64, lg(v->back[1][1].waves))                                        \
    X(ROUTES, weight_tail_64, v->back[1][1].tail)                                                  \
    X(ROUTES, weight_padding_64, v->back[1][1].padding)                                            \
    X(ROUTES, log_weight_waves_32, lg(v->back[1][2].waves))                                        \
    X(ROUTES, weight_tail_32, v->back[1][2].tail)                                                  \
    X(ROUTES, weight_padding_32, v->back[1][2].padding)                                            \
    X(ROUTES, log_fft_32_flop_ns, lg(v->fft_32.flop / v->peak * 1e9))                              \
    X(ROUTES, log_fft_32_bytes, lg(v->fft_32.bytes)) X(ROUTES, fft_32_excess, v->fft_32.excess)    \
    X(ROUTES, log_fft_16_flop_ns, lg(v->fft_16.flop / v->peak * 1e9))                              \
    X(ROUTES, log_fft_16_bytes, lg(v->fft_16.bytes)) X(ROUTES, fft_16_excess, v->fft_16.excess)    \
    X(ROUTES, log_fft_whole_flop_ns, lg(v->fft_whole.flop / v->peak * 1e9))                        \
    X(ROUTES, log_fft_whole_bytes, lg(v->fft_whole.bytes))                                         \
    X(ROUTES, fft_whole_excess, v->fft_whole.excess)                                               \
    X(ROUTES, log_winograd_flop_ns, lg(v->winograd.flop / v->peak * 1e9))                          \
    X(ROUTES, log_winograd_bytes, lg(v->winograd.bytes))                                           \
    X(ROUTES, winograd_excess, v->winograd.excess)                                                 \
    X(ROUTES, log_image_columns, lg(4 * k->out_hw * k->k)) X(ROUTES, filter_is_1, k->r == 1)       \
    X(ROUTES, filter_is_2, k->r == 2) X(ROUTES, filter_is_3, k->r == 3)                            \
    X(ROUTES, filter_is_4, k->r == 4) X(ROUTES, filter_is_5, k->r == 5)                            \
    X(ROUTES, filter_is_6, k->r == 6) X(ROUTES, filter_is_7, k->r == 7)                            \
    X(ROUTES, stride_is_1, k->stride == 1) X(ROUTES, stride_is_2, k->stride == 2)                  \
    X(ROUTES, stride_is_3, k->stride == 3) X(ROUTES, stride_is_4, k->stride == 4)                  \
    X(ROUTES, optimizer_is_sgd, o->cond.optimizer == EC_OPT_sgd)                                   \
    X(ROUTES, optimizer_is_momentum, o->cond.optimizer == EC_OPT_momentum)                         \
    X(ROUTES, optimizer_is_rmsprop, o->cond.optimizer == EC_OPT_rmsprop)                           \
    X(ROUTES, optimizer_is_adam, o->cond.optimizer == EC_OPT_adam)                                 \
    X(ROUTES, optimizer_is_adagrad, o->cond.optimizer == EC_OPT_adagrad)                           \
    X(ROUTES, optimizer_is_adadelta, o->cond.optimizer == EC_OPT_adadelta)                         \
    X(ROUTES, activation_is_relu, follows(o, "relu"))                                              \
    X(ROUTES, activation_is_tanh, follows(o, "tanh"))                                              \
    X(ROUTES, activation_is_sigmoid, follows(o, "sigmoid"))                                        \
    X(TERMS, compute_ns, v->flop_ns)                X(TERMS, memory_ns, v->memory_ns)              \
    X(TERMS, roofline_ns, v->roofline_ns)           X(TERMS, launches, v->kernels)                 \
    X(TERMS, read_ns, 4e9 * v->read / v->bandwidth)                                                \
    X(TERMS, write_ns, 4e9 * v->write / v->bandwidth)                                              \
    X(TERMS, weights_ns, 4e9 * v->weights / v->bandwidth)                                          \
    X(TERMS, wave_ns, v->tile[0].waves * 32768e9 * nz(k->k) / (v->peak / v->rates.units))
/* clang-format on */

enum ec_feature_index {
#define EC_FEATURE_ENUM(set, name, value) EC_F_##set##_##name,
    EC_FEATURE_LIST(EC_FEATURE_ENUM)
#undef EC_FEATURE_ENUM
        EC_FEATURE_COUNT
};
const char *ec_feature_name(int feature);
enum ec_feature_set ec_feature_set(int feature);
bool ec_feature_in(int feature, enum ec_feature_set set); /* whether the set contains it */
int ec_feature_find(const char *name);                    /* -1: none */

/* An operator on a device: the inputs of the features. */
struct ec_operator {
    const struct ec_op *op;
    struct ec_step step;
    const struct ec_device *device;
    struct ec_conditions cond;
    const struct ec_op *activation; /* the activation behind the operator; NULL: none */
    bool bias, padded;              /* has a bias; has padding */
    bool routes, terms;             /* compute the features of these sets; others stay unset */
};
void ec_operator_clear(struct ec_operator *o);
/* Computes the features; ret has EC_FEATURE_COUNT members. Those that are computed are finite. */
enum ec_status ec_features(const struct ec_operator *o, const struct ec_constants *c,
                           const double offsets[EC_DO_COUNT], double *ret,
                           struct ec_err *err) EC_MUST_CHECK;

/* As ec_features, for a caller who has the rates and the time of the physics already. */
enum ec_status ec_features_at(const struct ec_operator *o, const struct ec_rates *rates,
                              const struct ec_step_time *time, double *ret,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
