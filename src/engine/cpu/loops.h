/* Flat loops over memory, written plainly so that the compiler makes vector code of them. The same
 * file is compiled for several instruction sets; the best that the processor has is taken when the
 * backend opens. Every loop may run in place where the comment does not forbid it. */
#ifndef EC_ENGINE_CPU_LOOPS_H
#define EC_ENGINE_CPU_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

/* Element-wise functions: X(name, f(x), f'(x) by x and y = f(x), what the derivative reads).
 * `a` is the operator's constant. Names are those of the operators where there is one; scale and
 * offset are scale_scalar's halves. */
/* clang-format off */
#define EC_UNARY_LIST(X)                                                                           \
    X(relu,         x > 0 ? x : 0,                         y > 0 ? 1 : 0,               OUT)       \
    X(relu6,        x < 0 ? 0 : x > 6 ? 6 : x,             y > 0 && y < 6 ? 1 : 0,      OUT)       \
    X(leaky_relu,   x > 0 ? x : a * x,                     y > 0 ? 1 : a,               OUT)       \
    X(sigmoid,      sigmoid(x),                            y * (1 - y),                 OUT)       \
    X(tanh,         tanh_of(x),                            1 - y * y,                   OUT)       \
    X(exp,          exp_of(x),                             y,                           OUT)       \
    X(sqrt,         sqrtf(x),                              0.5F / y,                    OUT)       \
    X(rsqrt,        1 / sqrtf(x),                          -0.5F * y * y * y,           OUT)       \
    X(reciprocal,   1 / x,                                 -y * y,                      OUT)       \
    X(abs,          fabsf(x),                              x > 0 ? 1 : x < 0 ? -1 : 0,  IN)        \
    X(neg,          -x,                                    -1,                          NONE)      \
    X(scale,        x * a,                                 a,                           NONE)      \
    X(offset,       x + a,                                 1,                           NONE)      \
    X(log,          log_of(x),                             1 / x,                       IN)        \
    X(erf,          erf_of(x),                             1.128379167F * exp_of(-x * x), IN)      \
    X(silu,         x * sigmoid(x),                        silu_slope(x),               IN)        \
    X(gelu,         0.5F * x * (1 + erf_of(x * 0.707106781F)), gelu_slope(x),           IN)        \
    X(gelu_tanh,    gelu_tanh(x),                          gelu_tanh_slope(x),          IN)        \
    X(elu,          x > 0 ? x : expm1_of(x),               x > 0 ? 1 : exp_of(x),       IN)        \
    X(selu,         x > 0 ? SELU_SCALE * x : SELU_SCALE * SELU_ALPHA * expm1_of(x),                \
                    x > 0 ? SELU_SCALE : SELU_SCALE * SELU_ALPHA * exp_of(x),           IN)        \
    X(hard_sigmoid, clamp6(x + 3) * (1 / 6.0F),            x > -3 && x < 3 ? 1 / 6.0F : 0, IN)     \
    X(hard_swish,   x * clamp6(x + 3) * (1 / 6.0F),                                                \
                    x <= -3 ? 0 : x < 3 ? x / 3 + 0.5F : 1,                             IN)        \
    X(softplus,     softplus(x),                           sigmoid(x),                  IN)        \
    X(softsign,     x / (1 + fabsf(x)),                                                            \
                    1 / ((1 + fabsf(x)) * (1 + fabsf(x))),                              IN)        \
    X(mish,         x * tanh_of(softplus(x)),              mish_slope(x),               IN)
/* clang-format on */

enum ec__unary {
#define EC_UNARY_ENUM(name, f, d, reads) EC__U_##name,
    EC_UNARY_LIST(EC_UNARY_ENUM)
#undef EC_UNARY_ENUM
        EC__U_COUNT
};
enum ec__reads { EC__READS_NONE, EC__READS_IN, EC__READS_OUT };

#define EC_BINARY_LIST(X)                                                                          \
    X(add, p + q)                                                                                  \
    X(sub, p - q)                                                                                  \
    X(mul, p *q)                                                                                   \
    X(div, p / q)                                                                                  \
    X(add_relu, p + q > 0 ? p + q : 0)

enum ec__binary {
#define EC_BINARY_ENUM(name, f) EC__B_##name,
    EC_BINARY_LIST(EC_BINARY_ENUM)
#undef EC_BINARY_ENUM
        EC__B_COUNT
};

/* Types of elements that loops read and write; arithmetic is float32 always. */
enum ec__elem { EC__F32, EC__BF16 };

/* What batch norm does to 16 channels: z = (x - mean) scale + shift; backward
 * dx = scale g + slope (x - mean) + level. */
struct ec__norm_lanes {
    float mean[16], scale[16], shift[16], slope[16], level[16];
};

struct ec__loops {
    const char *isa;
    void (*to_f32)(const uint16_t *x, float *y, int64_t n); /* not in place */
    void (*to_bf16)(const float *x, uint16_t *y, int64_t n);
    void (*unary)(enum ec__unary f, enum ec__elem t, float a, const void *x, void *y, int64_t n);
    /* dx = dy * f'; x or y as the function reads, the other may be NULL */
    void (*unary_bwd)(enum ec__unary f, enum ec__elem t, float a, const void *x, const void *y,
                      const void *dy, void *dx, int64_t n);
    void (*binary)(enum ec__binary f, enum ec__elem t, const void *x, const void *y, void *z,
                   int64_t n);
    /* Kept elements times scale, the others 0; a bit of noise per element from seed and the
     * element's number. */
    void (*dropout)(enum ec__elem t, uint64_t seed, int64_t first, uint32_t threshold, float scale,
                    const void *x, void *y, int64_t n);
    /* y[j] = scale * sum over i of x[i * ld + j]: column sums, j below n. Not in place. */
    void (*column_sums)(enum ec__elem t, const void *x, int64_t rows, int64_t ld, int64_t n,
                        float scale, float *y);
    /* scale * sum of a row */
    float (*row_sum)(const float *x, int64_t n, float scale);
    /* y[i * ld + j] = x[j], for all rows */
    void (*spread)(enum ec__elem t, const float *x, void *y, int64_t rows, int64_t n);
    /* Softmax of a row, its logarithm, and their gradients from the result; scale on dx. */
    void (*softmax)(const float *x, float *y, int64_t n);
    void (*log_softmax)(const float *x, float *y, int64_t n);
    void (*softmax_bwd)(const float *y, const float *dy, float *dx, int64_t n);
    void (*log_softmax_bwd)(const float *y, const float *dy, float *dx, int64_t n);
    /* A row normalised: y = (x - mean) / sqrt(var + eps) * w + b; w, b may be NULL. rms: without
     * the mean. stat[0] the mean, stat[1] 1 / sqrt(...). */
    void (*norm_row)(const float *x, const float *w, const float *b, float *y, int64_t n, float eps,
                     bool rms, float stat[2]);
    /* dx, and what the row adds to dw and db (NULL: not wanted). dx may be dy's memory. */
    void (*norm_row_bwd)(const float *x, const float *w, const float *dy, const float stat[2],
                         bool rms, float *dx, float *dw, float *db, int64_t n);
    /* rows x n: z = x * f, f being one number per column (one for all when n is 1); sums over rows
     * of x * y per column. */
    void (*scale_rows)(enum ec__elem t, const void *x, const float *f, void *z, int64_t rows,
                       int64_t n);
    void (*dot_rows)(enum ec__elem t, const void *x, const void *y, int64_t rows, int64_t n,
                     float *sum);
    /* Mean and sum of squared deviations of n columns, of `before` rows seen earlier and of these,
     * which begin every ld elements. n 1 is a row with ld 1. */
    void (*moments)(enum ec__elem t, const void *x, int64_t rows, int64_t ld, int64_t n,
                    int64_t before, double *mean, double *m2);
    /* One row of taps of a depthwise filter's gradient, 16 channels side by side:
     * dw[s] += sum over j of x[(j * stride + s)] * dy[j]; x and dy step by 16. taps: 3, 5, 7; false
     * for others. */
    bool (*depthwise_row)(int taps, int64_t stride, const float *x, const float *dy, int64_t n,
                          float *dw);
    void (*add_to)(float *acc, const float *x, int64_t n);
    /* Batch norm of a row [n][16], see loops_norm.inc; f an ec__unary done behind it, or -1. y may
     * be x, and dx may be dy. */
    void (*norm_stats)(enum ec__elem t, const void *x, int64_t n, float *ret_mean, float *ret_m2);
    void (*norm_apply)(enum ec__elem t, int f, const void *x, const struct ec__norm_lanes *k,
                       void *y, int64_t n);
    /* Sums of g and g (x - mean), g being dy times the slope of f. Unless f is relu or relu6, whose
     * slopes cost nothing, g is left in `to` for norm_grad, that is then called with f -1; NULL:
     * not wanted; may be dy. */
    void (*norm_sums)(enum ec__elem t, int f, const void *x, const void *dy,
                      const struct ec__norm_lanes *k, void *to, int64_t n, float *ret_g,
                      float *ret_gx);
    void (*norm_grad)(enum ec__elem t, int f, const void *x, const void *dy,
                      const struct ec__norm_lanes *k, void *dx, int64_t n);
    /* Gates of one sample and step; see rnn.c. */
    void (*lstm_cell)(float *gates, const float *c_before, float *c, float *tanh_c, float *h,
                      int64_t n);
    void (*lstm_cell_bwd)(float *gates, const float *c_before, const float *tanh_c, const float *dh,
                          float *dc, int64_t n);
    void (*gru_cell)(float *gates, const float *h_gates, const float *h_before, float *h,
                     int64_t n);
    void (*gru_cell_bwd)(float *gates, float *h_gates, const float *h_before, const float *dh,
                         float *dh_before, int64_t n);
};

extern const struct ec__loops ec__loops_base, ec__loops_avx2, ec__loops_avx512;

#endif
