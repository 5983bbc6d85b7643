/* A step by the data sheet of a device: element sizes, peaks, and the times that follow from peaks
 * and bandwidth alone. All estimates and bounds use these functions. */
#include "cost/cost.h"

#include <assert.h>
#include <math.h>

/* Stride-1 filters of 3 and more: Winograd and FFT need fewer operations than are counted. */
#define FAST_ALGORITHM_GAIN 16.0

double ec_precision_bytes(enum ec_precision p)
{
    return p == EC_FP32 || p == EC_TF32 ? 4 : 2;
}

double ec_precision_word_bytes(const char *precision)
{
    if (ec_str_eq(precision, "fp64"))
        return 8;
    return ec_str_eq(precision, "fp32") || ec_str_eq(precision, "tf32") ? 4 : 2;
}

struct ec_elem_bytes ec_elem_bytes_of(enum ec_precision p, bool master_weights)
{
    double elem = ec_precision_bytes(p), weight = p == EC_AMP ? 4 : elem;

    return (struct ec_elem_bytes){ elem, weight, master_weights ? 4 : weight };
}

const struct ec_framework_traits ec_frameworks[EC_FRAMEWORK_COUNT] = {
#define TRAITS(id, key, ...) { __VA_ARGS__ },
    EC_FRAMEWORK_LIST(TRAITS)
#undef TRAITS
};

double ec_matrix_flop_per_s(const struct ec_device *d, enum ec_precision p)
{
    double fp16 = d->fp16_tensor_flop_per_s.value, bf16 = d->bf16_tensor_flop_per_s.value;

    switch (p) {
    case EC_TF32:
        return d->tf32_tensor_flop_per_s.value;
    case EC_AMP:
    case EC_FP16:
        return fp16 > 0 ? fp16 : bf16;
    case EC_BF16:
        return bf16 > 0 ? bf16 : fp16;
    case EC_FP32:
    case EC_PRECISION_COUNT:
        break;
    }
    return 0;
}

double ec_paper_peak(const struct ec_device *d, enum ec_precision p, bool matrix)
{
    double units = matrix ? ec_matrix_flop_per_s(d, p) : 0;

    if (units > 0)
        return units;
    return d->fp32_flop_per_s.value > 0 ? d->fp32_flop_per_s.value
                                        : ec_matrix_flop_per_s(d, EC_FP16);
}

double ec_paper_peak_named(const struct ec_device *d, const char *precision)
{
    int p;

    for (p = 0; p < EC_PRECISION_COUNT; p++)
        if (ec_str_eq(ec_precision_names[p], precision))
            return ec_paper_peak(d, (enum ec_precision)p, true);
    return 0;
}

double ec_highest_flop_per_s(const struct ec_device *d, const char *precision)
{
    double fp32 = fmax(d->fp32_flop_per_s.value, d->fp32_matrix_flop_per_s.value);
    double fp16 = fmax(d->fp16_tensor_flop_per_s.value, d->fp16_vector_flop_per_s.value);

    if (ec_str_eq(precision, "fp32"))
        return fp32;
    if (ec_str_eq(precision, "tf32"))
        return fmax(fp32, d->tf32_tensor_flop_per_s.value);
    return fmax(fmax(fp32, fp16),
                fmax(d->bf16_tensor_flop_per_s.value, d->fp8_tensor_flop_per_s.value));
}

static double repeats(const struct ec_step *s, int i)
{
    return s->repeat ? s->repeat[i] : 1;
}

struct ec_plain_estimate ec_plain_estimate(const struct ec_step *s, const struct ec_device *d,
                                           enum ec_precision p)
{
    double matrix = ec_paper_peak(d, p, true), vector = ec_paper_peak(d, p, false);
    double elem = ec_precision_bytes(p), flop = 0, mac = 0;
    struct ec_plain_estimate e = { 0 };
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        double peak = k->flags & EC_KF_MATRIX ? matrix : vector;

        e.roofline_ns +=
            repeats(s, i) * 1e9 *
            fmax(k->flop / peak, ec_kernel_bytes(k, elem) / d->memory_bytes_per_s.value);
        flop += repeats(s, i) * k->flop;
        mac += repeats(s, i) * k->mac;
    }
    e.flop_ns = mac > 0 ? 1e9 * 2 * mac / matrix : 1e9 * flop / vector;
    return e;
}

/* What the windows of a convolution step over: where strides exceed the filter. */
static double unread_elems(const struct ec_kernel *k)
{
    double taps = k->r * k->s, windows;

    if ((k->kclass != EC_K_CONV && k->kclass != EC_K_DEPTHWISE) || k->phase == EC_GRAD_DATA ||
        (k->flags & EC_KF_TRANSPOSED) || !(k->mac > 0 && k->in_hw > taps * k->out_hw))
        return 0;
    windows = k->mac / (k->groups * k->c_in * k->c_out * taps);
    return fmin(k->read_elems, windows * k->groups * k->c_in * (k->in_hw / k->out_hw - taps));
}

struct ec_step_need ec_step_need(const struct ec_step *s, double elem_bytes)
{
    struct ec_step_need n = { 0 };
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        bool may_be_fast = k->kclass == EC_K_CONV && k->stride <= 1 && fmax(k->r, k->s) >= 3;
        double flop = repeats(s, i) * 2 * k->mac;

        n.flop += flop;
        n.least_flop += flop / (may_be_fast ? FAST_ALGORITHM_GAIN : 1);
        n.bytes += repeats(s, i) * (ec_kernel_bytes(k, elem_bytes) - elem_bytes * unread_elems(k));
    }
    assert(n.least_flop >= 0 && n.least_flop <= n.flop && n.bytes >= 0);
    return n;
}

double ec_step_least_ns(const struct ec_step *s, const struct ec_device *d, const char *precision)
{
    double peak = ec_highest_flop_per_s(d, precision) * EC_PEAK_MARGIN;

    return peak > 0 ? ec_step_need(s, 0).least_flop / peak * 1e9 : 0;
}
