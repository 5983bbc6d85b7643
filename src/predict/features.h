/* Features: what a regressor is told about an operator on a device. One row of the list is one
 * column; `k` is the first kernel (of the forward pass, when there is one), `v` what is known of
 * the whole, `d` the device. */
#ifndef EC_FEATURES_H
#define EC_FEATURES_H

#include "predict/predict_internal.h"

/* clang-format off */
#define EC_FEATURE_LIST(X)                                                                         \
    X(BASELINE, op, v->op)                          X(BASELINE, kernel_class, (double)k->kclass)   \
    X(BASELINE, phase, (double)k->phase)            X(BASELINE, kernels, v->kernels)               \
    X(BASELINE, mode, v->mode)                      X(BASELINE, optimizer_tensors, v->optimizer)   \
    X(BASELINE, optimizer, v->optimizer_index)      X(BASELINE, activation, v->activation)         \
    X(BASELINE, bias, o->bias)                      X(BASELINE, padded, o->padded)                 \
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
bool ec_feature_in(int feature, enum ec_feature_set set); /* the set holds it */
int ec_feature_find(const char *name);                    /* -1: none */

/* An operator on a device: what features are computed from. */
struct ec_operator {
    const struct ec_op *op;
    struct ec_step step;
    const struct ec_device *device;
    enum ec_precision precision;
    enum ec_memory_format format;
    enum ec_framework framework;
    enum ec_mode mode;
    enum ec_optimizer optimizer;
    const struct ec_op *activation; /* that follows; NULL: none */
    bool bias, padded;              /* has a bias; windows reach beyond the input */
};
/* The operator of a measured row. The training step of a lone operator updates its input and its
 * target too, as the benchmarks do that time it. Errors: those of ec_case_parse and of
 * ec_device_find; UNSUPPORTED for a case without kernels */
enum ec_status ec_operator_init(const struct ec_measured *m, struct ec_operator *ret,
                                struct ec_err *err) EC_MUST_CHECK;
void ec_operator_clear(struct ec_operator *o);
/* All features: EC_FEATURE_COUNT numbers, all finite.
 * offsets  what is known of the device beyond its specification; NULL: nothing
 * Errors   UNSUPPORTED when the catalogue lacks what the physics needs */
enum ec_status ec_features(const struct ec_operator *o, const struct ec_constants *c,
                           const double offsets[EC_DO_COUNT], double *ret,
                           struct ec_err *err) EC_MUST_CHECK;

/* The same where the physics has been asked already. */
enum ec_status ec_features_at(const struct ec_operator *o, const struct ec_rates *rates,
                              const struct ec_step_time *time, double *ret,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
