/* The loops of loops.h. Compiled once per instruction set, EC_LOOPS naming the table; nothing here
 * may be called but through it. Polynomials were fitted by least squares on Chebyshev nodes,
 * weighted to even out the error; each says how far it is off. */
#include "engine/cpu/loops.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* Iterations of the loop that follows touch different memory, or the same one in place. */
#ifdef __clang__
#define IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define IVDEP _Pragma("GCC ivdep")
#endif

#define CHUNK 512 /* elements converted at a time: stays in the first cache */

#define SELU_SCALE 1.05070098F
#define SELU_ALPHA 1.67326324F

static inline float from_bits(uint32_t b)
{
    float f;

    memcpy(&f, &b, sizeof f);
    return f;
}

static inline uint32_t to_bits(float f)
{
    uint32_t b;

    memcpy(&b, &f, sizeof b);
    return b;
}

/* exp(x) = 2^n exp(r), |r| <= ln 2 / 2; 3.4e-9 before rounding. Below -87.3 it is 0 or a denormal's
 * neighbour, above 88.7 infinite. */
static inline float exp_of(float x)
{
    float c = x < -87.3F ? -87.3F : x > 88.8F ? 88.8F : x;
    float n = rintf(c * 1.44269504F), r = c - n * 0.693359375F, p, scale;

    r += n * 2.12194440e-4F;
    p = 0.00139517136F;
    p = p * r + 0.00836959877F;
    p = p * r + 0.0416661873F;
    p = p * r + 0.166665129F;
    p = p * r + 0.50000001F;
    p = p * r * r + r + 1;
    /* 2^n in two factors: n may be 128, which one exponent cannot hold */
    scale = from_bits((uint32_t)((int32_t)(n * 0.5F) + 127) << 23);
    p = p * scale * from_bits((uint32_t)((int32_t)n - (int32_t)(n * 0.5F) + 127) << 23);
    return x < -87.3F ? 0 : x != x ? x : p;
}

/* Near 0 the difference would cancel: x + x^2/2 (1 + x/3 (...)) there. */
static inline float expm1_of(float x)
{
    float near = x * (1 + x * (0.5F + x * (1 / 6.0F + x * (1 / 24.0F + x * (1 / 120.0F)))));

    return fabsf(x) < 0.125F ? near : exp_of(x) - 1;
}

/* log(x) = e ln 2 + log(1 + f), sqrt(1/2) <= 1 + f < sqrt(2); 7.5e-10 before rounding. */
static inline float log_of(float x)
{
    uint32_t b = to_bits(x) - 0x3f3504f3U; /* bits of sqrt(1/2) */
    float e = (float)((int32_t)b >> 23), f = from_bits((b & 0x7fffffU) + 0x3f3504f3U) - 1, p;

    p = 0.0674653168F;
    p = p * f - 0.116756227F;
    p = p * f + 0.118881966F;
    p = p * f - 0.124055958F;
    p = p * f + 0.142195483F;
    p = p * f - 0.166679953F;
    p = p * f + 0.200021189F;
    p = p * f - 0.250000096F;
    p = p * f + 0.333333126F;
    p = p * f * f * f - 0.5F * f * f + e * -2.12194440e-4F + f + e * 0.693359375F;
    return x > 0 ? (x > 3.4e38F ? x : p) : x == 0 ? -(float)INFINITY : (float)NAN;
}

static inline float sigmoid(float x)
{
    return 1 / (1 + exp_of(-x));
}

/* Below 0.625 a polynomial (1.5e-10), above it 1 - 2 / (exp(2 |x|) + 1). */
static inline float tanh_of(float x)
{
    float a = fabsf(x), s = x * x, p, far = 1 - 2 / (exp_of(2 * a) + 1);

    p = 0.00214753147F;
    p = p * s - 0.0081826675F;
    p = p * s + 0.0217029643F;
    p = p * s - 0.0539472037F;
    p = p * s + 0.133332098F;
    p = p * s - 0.333333309F;
    p = p * s * x + x;
    return a < 0.625F ? p : copysignf(far, x);
}

/* Below 1 a polynomial (3.2e-11), above it 1 - exp(-q(x)) with q fitted to -log(erfc) (9.1e-11). */
static inline float erf_of(float x)
{
    float a = fabsf(x), s = x * x, p, q, c = a > 4 ? 4 : a;

    p = -9.68012574e-06F;
    p = p * s + 0.000112705406F;
    p = p * s - 0.00084847109F;
    p = p * s + 0.00522107484F;
    p = p * s - 0.0268654458F;
    p = p * s + 0.112837827F;
    p = p * s - 0.376126385F;
    p = p * s + 0.128379167F;
    p = p * x + x;
    q = -1.24517307e-06F;
    q = q * c + 3.92450435e-05F;
    q = q * c - 0.000546810582F;
    q = q * c + 0.00455731195F;
    q = q * c - 0.0259272056F;
    q = q * c + 0.109333817F;
    q = q * c + 0.632508492F;
    q = q * c + 1.12988744F;
    q = q * c - 0.000245534501F;
    return a < 1 ? p : copysignf(1 - exp_of(-q), x);
}

static inline float clamp6(float x)
{
    return x < 0 ? 0 : x > 6 ? 6 : x;
}

/* max(x, 0) + log(1 + exp(-|x|)); where exp is small, its first terms are the logarithm. */
static inline float softplus(float x)
{
    float e = exp_of(-fabsf(x)), l = e < 1e-3F ? e * (1 - 0.5F * e) : log_of(1 + e);

    return (x > 0 ? x : 0) + l;
}

static inline float silu_slope(float x)
{
    float s = sigmoid(x);

    return s * (1 + x * (1 - s));
}

static inline float gelu_slope(float x)
{
    return 0.5F * (1 + erf_of(x * 0.707106781F)) + x * 0.39894228F * exp_of(-0.5F * x * x);
}

static inline float gelu_tanh(float x)
{
    return 0.5F * x * (1 + tanh_of(0.797884561F * (x + 0.044715F * x * x * x)));
}

static inline float gelu_tanh_slope(float x)
{
    float t = tanh_of(0.797884561F * (x + 0.044715F * x * x * x));

    return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * 0.797884561F * (1 + 3 * 0.044715F * x * x);
}

static inline float mish_slope(float x)
{
    float t = tanh_of(softplus(x));

    return t + x * (1 - t * t) * sigmoid(x);
}

/* --- Conversion --- */

static void to_f32(const uint16_t *restrict x, float *restrict y, int64_t n)
{
    int64_t i;

    for (i = 0; i < n; i++)
        y[i] = from_bits((uint32_t)x[i] << 16);
}

/* To nearest, ties to even; what is not a number stays so. */
static void to_bf16(const float *restrict x, uint16_t *restrict y, int64_t n)
{
    int64_t i;

    for (i = 0; i < n; i++) {
        uint32_t b = to_bits(x[i]), r = (b + 0x7fffU + ((b >> 16) & 1)) >> 16;

        y[i] = (uint16_t)(x[i] != x[i] ? (b >> 16) | 0x40U : r);
    }
}

/* Elements [at, at + n) as float32: themselves, or converted into tmp. */
static inline const float *fetch(enum ec__elem t, const void *x, int64_t at, int64_t n, float *tmp)
{
    if (!x)
        return NULL;
    if (t == EC__F32)
        return (const float *)x + at;
    to_f32((const uint16_t *)x + at, tmp, n);
    return tmp;
}

static inline float *target(enum ec__elem t, void *y, int64_t at, float *tmp)
{
    return t == EC__F32 ? (float *)y + at : tmp;
}

static inline void put(enum ec__elem t, void *y, int64_t at, int64_t n, const float *tmp)
{
    if (t != EC__F32)
        to_bf16(tmp, (uint16_t *)y + at, n);
}

/* --- Element-wise --- */

#define UNARY_FWD(name, f, d, reads)                                                               \
    static void name##_fwd(float a, const float *px, float *py, int64_t n)                         \
    {                                                                                              \
        int64_t i;                                                                                 \
                                                                                                   \
        (void)a;                                                                                   \
        IVDEP for (i = 0; i < n; i++)                                                              \
        {                                                                                          \
            float x = px[i];                                                                       \
                                                                                                   \
            py[i] = (f);                                                                           \
        }                                                                                          \
    }                                                                                              \
    static void name##_bwd(float a, const float *pv, const float *pdy, float *pdx, int64_t n)      \
    {                                                                                              \
        int64_t i;                                                                                 \
                                                                                                   \
        (void)a;                                                                                   \
        IVDEP for (i = 0; i < n; i++)                                                              \
        {                                                                                          \
            float x = pv[i], y = x;                                                                \
                                                                                                   \
            (void)x, (void)y;                                                                      \
            pdx[i] = pdy[i] * (d);                                                                 \
        }                                                                                          \
    }
EC_UNARY_LIST(UNARY_FWD)

typedef void (*unary_fwd_fn)(float a, const float *x, float *y, int64_t n);
typedef void (*unary_bwd_fn)(float a, const float *v, const float *dy, float *dx, int64_t n);

static const unary_fwd_fn unary_fwds[] = {
#define FWD_NAME(name, f, d, reads) name##_fwd,
    EC_UNARY_LIST(FWD_NAME)
};
static const unary_bwd_fn unary_bwds[] = {
#define BWD_NAME(name, f, d, reads) name##_bwd,
    EC_UNARY_LIST(BWD_NAME)
};
static const enum ec__reads unary_reads[] = {
#define READS_NAME(name, f, d, reads) EC__READS_##reads,
    EC_UNARY_LIST(READS_NAME)
};

static void unary(enum ec__unary f, enum ec__elem t, float a, const void *x, void *y, int64_t n)
{
    float in[CHUNK], out[CHUNK];
    int64_t at, step = t == EC__F32 ? n : CHUNK;

    for (at = 0; at < n; at += step) {
        int64_t m = n - at < step ? n - at : step;

        unary_fwds[f](a, fetch(t, x, at, m, in), target(t, y, at, out), m);
        put(t, y, at, m, out);
    }
}

static void unary_bwd(enum ec__unary f, enum ec__elem t, float a, const void *x, const void *y,
                      const void *dy, void *dx, int64_t n)
{
    float kept[CHUNK], in[CHUNK], out[CHUNK];
    const void *v = unary_reads[f] == EC__READS_OUT ? y : unary_reads[f] == EC__READS_IN ? x : dy;
    int64_t at, step = t == EC__F32 ? n : CHUNK;

    for (at = 0; at < n; at += step) {
        int64_t m = n - at < step ? n - at : step;

        unary_bwds[f](a, fetch(t, v, at, m, kept), fetch(t, dy, at, m, in), target(t, dx, at, out),
                      m);
        put(t, dx, at, m, out);
    }
}

#define BINARY(name, f)                                                                            \
    static void name##_loop(const float *x, const float *y, float *z, int64_t n)                   \
    {                                                                                              \
        int64_t i;                                                                                 \
                                                                                                   \
        IVDEP for (i = 0; i < n; i++)                                                              \
        {                                                                                          \
            float p = x[i], q = y[i];                                                              \
                                                                                                   \
            z[i] = (f);                                                                            \
        }                                                                                          \
    }
EC_BINARY_LIST(BINARY)

typedef void (*binary_fn)(const float *x, const float *y, float *z, int64_t n);
static const binary_fn binaries[] = {
#define BINARY_NAME(name, f) name##_loop,
    EC_BINARY_LIST(BINARY_NAME)
};

static void binary(enum ec__binary f, enum ec__elem t, const void *x, const void *y, void *z,
                   int64_t n)
{
    float p[CHUNK], q[CHUNK], r[CHUNK];
    int64_t at, step = t == EC__F32 ? n : CHUNK;

    for (at = 0; at < n; at += step) {
        int64_t m = n - at < step ? n - at : step;

        binaries[f](fetch(t, x, at, m, p), fetch(t, y, at, m, q), target(t, z, at, r), m);
        put(t, z, at, m, r);
    }
}

/* Noise is a hash of seed and element: 32 bits of multiplications and shifts, which vectorise. */
static void dropout_f32(uint32_t s0, uint32_t s1, uint32_t first, uint32_t threshold, float scale,
                        const float *x, float *y, int64_t n)
{
    int64_t i;

    IVDEP
    for (i = 0; i < n; i++) {
        uint32_t h = (first + (uint32_t)i) * 0x9e3779b1U ^ s0;

        h = (h ^ (h >> 16)) * 0x85ebca6bU + s1;
        h = (h ^ (h >> 13)) * 0xc2b2ae35U;
        h ^= h >> 16;
        y[i] = h >= threshold ? x[i] * scale : 0;
    }
}

static void dropout(enum ec__elem t, uint64_t seed, int64_t first, uint32_t threshold, float scale,
                    const void *x, void *y, int64_t n)
{
    float in[CHUNK], out[CHUNK];
    int64_t at;

    for (at = 0; at < n; at += CHUNK) {
        int64_t m = n - at < CHUNK ? n - at : CHUNK;
        uint32_t high = (uint32_t)((uint64_t)(first + at) >> 32);

        dropout_f32((uint32_t)seed ^ high * 0x27d4eb2fU, (uint32_t)(seed >> 32),
                    (uint32_t)(first + at), threshold, scale, fetch(t, x, at, m, in),
                    target(t, y, at, out), m);
        put(t, y, at, m, out);
    }
}

/* --- Rows --- */

#define LANES 16

static float lanes_sum(const float *acc)
{
    float s = 0;
    int i;

    for (i = 0; i < LANES; i++)
        s += acc[i];
    return s;
}

/* Sum of expr(i) over a row, i being the caller's variable: by LANES sums side by side: the order
 * is fixed, and vectors may be used. */
#define ROW_SUM(result, n, expr)                                                                   \
    do {                                                                                           \
        float acc_[LANES] = { 0 };                                                                 \
        int64_t b_;                                                                                \
        int l_;                                                                                    \
                                                                                                   \
        for (b_ = 0; b_ + LANES <= (n); b_ += LANES)                                               \
            for (l_ = 0; l_ < LANES; l_++) {                                                       \
                i = b_ + l_;                                                                       \
                acc_[l_] += (expr);                                                                \
            }                                                                                      \
        for (i = b_; i < (n); i++)                                                                 \
            acc_[i - b_] += (expr);                                                                \
        (result) = lanes_sum(acc_);                                                                \
    } while (0)

static float row_sum(const float *x, int64_t n, float scale)
{
    float s;
    int64_t i;

    ROW_SUM(s, n, x[i]);
    return s * scale;
}

static float row_max(const float *x, int64_t n)
{
    float m[LANES], best;
    int64_t b, i;
    int l;

    for (l = 0; l < LANES; l++)
        m[l] = x[l < n ? l : 0];
    for (b = 0; b + LANES <= n; b += LANES)
        for (l = 0; l < LANES; l++)
            m[l] = x[b + l] > m[l] ? x[b + l] : m[l];
    for (i = b; i < n; i++)
        m[0] = x[i] > m[0] ? x[i] : m[0];
    best = m[0];
    for (l = 1; l < LANES; l++)
        best = m[l] > best ? m[l] : best;
    return best;
}

static void column_sums(enum ec__elem t, const void *x, int64_t rows, int64_t ld, int64_t n,
                        float scale, float *y)
{
    float acc[CHUNK], in[CHUNK];
    int64_t at, i, j;

    for (at = 0; at < n; at += CHUNK) {
        int64_t m = n - at < CHUNK ? n - at : CHUNK;

        memset(acc, 0, sizeof acc);
        for (i = 0; i < rows; i++) {
            const float *v = fetch(t, x, i * ld + at, m, in);

            IVDEP
            for (j = 0; j < m; j++)
                acc[j] += v[j];
        }
        for (j = 0; j < m; j++)
            y[at + j] = acc[j] * scale;
    }
}

static void spread(enum ec__elem t, const float *x, void *y, int64_t rows, int64_t n)
{
    int64_t i, j;

    for (i = 0; i < rows; i++) {
        if (t == EC__F32)
            memcpy((float *)y + i * n, x, (size_t)n * sizeof *x);
        else
            for (j = 0; j < n; j += CHUNK)
                to_bf16(x + j, (uint16_t *)y + i * n + j, n - j < CHUNK ? n - j : CHUNK);
    }
}

static void scale_f32(const float *x, const float *f, float *z, int64_t rows, int64_t n)
{
    int64_t i, j;

    if (n == 1) {
        float one = f[0];

        IVDEP
        for (i = 0; i < rows; i++)
            z[i] = x[i] * one;
        return;
    }
    for (i = 0; i < rows; i++) {
        IVDEP
        for (j = 0; j < n; j++)
            z[i * n + j] = x[i * n + j] * f[j];
    }
}

/* Lower precision goes through a row of float32, several rows at a time where they are short. */
static void scale_rows(enum ec__elem t, const void *x, const float *f, void *z, int64_t rows,
                       int64_t n)
{
    float in[CHUNK];
    int64_t i, j, step = n < CHUNK ? CHUNK / n : 1;

    if (t == EC__F32) {
        scale_f32(x, f, z, rows, n);
        return;
    }
    for (i = 0; i < rows; i += step) {
        int64_t r = rows - i < step ? rows - i : step;

        for (j = 0; j < n; j += CHUNK) {
            int64_t m = n - j < CHUNK ? n - j : CHUNK;

            to_f32((const uint16_t *)x + i * n + j, in, r * m);
            scale_f32(in, f + j, in, r, m);
            to_bf16(in, (uint16_t *)z + i * n + j, r * m);
        }
    }
}

static float dot(const float *x, const float *y, int64_t n)
{
    float s;
    int64_t i;

    ROW_SUM(s, n, x[i] * y[i]);
    return s;
}

static void dot_rows(enum ec__elem t, const void *x, const void *y, int64_t rows, int64_t n,
                     float *sum)
{
    float p[CHUNK], q[CHUNK];
    int64_t i, j, at;

    for (j = 0; j < n; j++)
        sum[j] = 0;
    for (i = 0; n == 1 && i < rows; i += CHUNK) {
        int64_t m = rows - i < CHUNK ? rows - i : CHUNK;

        sum[0] += dot(fetch(t, x, i, m, p), fetch(t, y, i, m, q), m);
    }
    for (i = 0; n > 1 && i < rows; i++)
        for (at = 0; at < n; at += CHUNK) {
            int64_t m = n - at < CHUNK ? n - at : CHUNK;
            const float *a = fetch(t, x, i * n + at, m, p), *b = fetch(t, y, i * n + at, m, q);

            IVDEP
            for (j = 0; j < m; j++)
                sum[at + j] += a[j] * b[j];
        }
}

static void softmax(const float *x, float *y, int64_t n)
{
    float top = row_max(x, n), sum;
    int64_t i;

    IVDEP
    for (i = 0; i < n; i++)
        y[i] = exp_of(x[i] - top);
    ROW_SUM(sum, n, y[i]);
    sum = 1 / sum;
    IVDEP
    for (i = 0; i < n; i++)
        y[i] *= sum;
}

static void log_softmax(const float *x, float *y, int64_t n)
{
    float top = row_max(x, n), sum;
    int64_t i;

    ROW_SUM(sum, n, exp_of(x[i] - top));
    sum = log_of(sum) + top;
    IVDEP
    for (i = 0; i < n; i++)
        y[i] = x[i] - sum;
}

static void softmax_bwd(const float *y, const float *dy, float *dx, int64_t n)
{
    float sum;
    int64_t i;

    ROW_SUM(sum, n, y[i] * dy[i]);
    IVDEP
    for (i = 0; i < n; i++)
        dx[i] = y[i] * (dy[i] - sum);
}

static void log_softmax_bwd(const float *y, const float *dy, float *dx, int64_t n)
{
    float sum;
    int64_t i;

    ROW_SUM(sum, n, dy[i]);
    IVDEP
    for (i = 0; i < n; i++)
        dx[i] = dy[i] - exp_of(y[i]) * sum;
}

static void norm_row(const float *x, const float *w, const float *b, float *y, int64_t n, float eps,
                     bool rms, float stat[2])
{
    float mean = 0, var, scale, one = 1;
    int64_t i;

    if (!rms) {
        ROW_SUM(mean, n, x[i]);
        mean /= (float)n;
    }
    ROW_SUM(var, n, (x[i] - mean) * (x[i] - mean));
    scale = one / sqrtf(var / (float)n + eps);
    stat[0] = mean;
    stat[1] = scale;
    if (w && b) {
        IVDEP
        for (i = 0; i < n; i++)
            y[i] = (x[i] - mean) * scale * w[i] + b[i];
    } else if (w) {
        IVDEP
        for (i = 0; i < n; i++)
            y[i] = (x[i] - mean) * scale * w[i];
    } else {
        IVDEP
        for (i = 0; i < n; i++)
            y[i] = (x[i] - mean) * scale;
    }
}

/* With g = dy w and xh = (x - mean) scale:  dx = scale (g - mean(g) - xh mean(g xh)). */
static void norm_row_bwd(const float *x, const float *w, const float *dy, const float stat[2],
                         bool rms, float *dx, float *dw, float *db, int64_t n)
{
    float mean = stat[0], scale = stat[1], g_sum = 0, gx_sum;
    int64_t i;

    if (dw) {
        IVDEP
        for (i = 0; i < n; i++)
            dw[i] += dy[i] * (x[i] - mean) * scale;
    }
    if (db) {
        IVDEP
        for (i = 0; i < n; i++)
            db[i] += dy[i];
    }
    if (w) {
        if (!rms)
            ROW_SUM(g_sum, n, dy[i] * w[i]);
        ROW_SUM(gx_sum, n, dy[i] * w[i] * (x[i] - mean));
    } else {
        if (!rms)
            ROW_SUM(g_sum, n, dy[i]);
        ROW_SUM(gx_sum, n, dy[i] * (x[i] - mean));
    }
    g_sum /= (float)n;
    gx_sum *= scale * scale / (float)n;
    if (!dx)
        return;
    if (w) {
        IVDEP
        for (i = 0; i < n; i++)
            dx[i] = scale * (dy[i] * w[i] - g_sum - (x[i] - mean) * gx_sum);
    } else {
        IVDEP
        for (i = 0; i < n; i++)
            dx[i] = scale * (dy[i] - g_sum - (x[i] - mean) * gx_sum);
    }
}

typedef float lanes __attribute__((vector_size(64), aligned(4), may_alias));

/* TAPS sums stay in registers over the row. */
#define DEPTHWISE_ROW(TAPS)                                                                        \
    static void depthwise_##TAPS(int64_t stride, const float *x, const float *dy, int64_t n,       \
                                 float *dw)                                                        \
    {                                                                                              \
        lanes acc[TAPS], *out = (lanes *)(void *)dw;                                               \
        int64_t j;                                                                                 \
        int s;                                                                                     \
                                                                                                   \
        for (s = 0; s < TAPS; s++)                                                                 \
            acc[s] = out[s];                                                                       \
        for (j = 0; j < n; j++) {                                                                  \
            lanes g = *(const lanes *)(const void *)(dy + j * 16);                                 \
            const float *at = x + j * stride * 16;                                                 \
                                                                                                   \
            _Pragma("GCC unroll 8") for (s = 0; s < TAPS; s++) acc[s] +=                           \
                *(const lanes *)(const void *)(at + s * 16) * g;                                   \
        }                                                                                          \
        for (s = 0; s < TAPS; s++)                                                                 \
            out[s] = acc[s];                                                                       \
    }
DEPTHWISE_ROW(3)
DEPTHWISE_ROW(5)
DEPTHWISE_ROW(7)

static bool depthwise_row(int taps, int64_t stride, const float *x, const float *dy, int64_t n,
                          float *dw)
{
    if (taps == 3)
        depthwise_3(stride, x, dy, n, dw);
    else if (taps == 5)
        depthwise_5(stride, x, dy, n, dw);
    else if (taps == 7)
        depthwise_7(stride, x, dy, n, dw);
    else
        return false;
    return true;
}

/* Rows that are summed in float before they are joined with the others in double. */
#define STRETCH 64

/* A block of `rows` rows with these means and squared deviations joins those before it. */
static void join(const float *mean, const float *m2, int64_t rows, int64_t before, int64_t n,
                 double *ret_mean, double *ret_m2)
{
    double share = (double)rows / (double)(before + rows);
    int64_t i;

    IVDEP
    for (i = 0; i < n; i++) {
        double d = (double)mean[i] - ret_mean[i];

        ret_mean[i] += d * share;
        ret_m2[i] += (double)m2[i] + d * d * share * (double)before;
    }
}

static void moments_block(const float *x, int64_t rows, int64_t before, double *mean, double *m2)
{
    int64_t first, i;

    for (first = 0; first < rows; first += STRETCH) {
        int64_t n = rows - first < STRETCH ? rows - first : STRETCH;
        const lanes *v = (const lanes *)(const void *)(x + first * 16);
        lanes a = { 0 }, b = a, s = a, q = a;

        for (i = 0; i + 1 < n; i += 2) {
            a += v[i];
            b += v[i + 1];
        }
        if (i < n)
            a += v[i];
        a = (a + b) / (float)n;
        for (i = 0; i + 1 < n; i += 2) {
            s += (v[i] - a) * (v[i] - a);
            q += (v[i + 1] - a) * (v[i + 1] - a);
        }
        if (i < n)
            s += (v[i] - a) * (v[i] - a);
        s += q;
        join((const float *)&a, (const float *)&s, n, before + first, 16, mean, m2);
    }
}

static void moments_row(enum ec__elem t, const void *x, int64_t n, int64_t before, double *mean,
                        double *m2)
{
    float in[CHUNK], middle, spread_of;
    int64_t at, i;

    for (at = 0; at < n; at += CHUNK) {
        int64_t m = n - at < CHUNK ? n - at : CHUNK;
        const float *v = fetch(t, x, at, m, in);

        ROW_SUM(middle, m, v[i]);
        middle /= (float)m;
        ROW_SUM(spread_of, m, (v[i] - middle) * (v[i] - middle));
        join(&middle, &spread_of, m, before + at, 1, mean, m2);
    }
}

static void moments_columns(enum ec__elem t, const void *x, int64_t rows, int64_t ld, int64_t n,
                            int64_t before, double *mean, double *m2)
{
    float in[CHUNK], middle[CHUNK], dev[CHUNK];
    int64_t i, j;

    memset(middle, 0, sizeof *middle * (size_t)n);
    memset(dev, 0, sizeof *dev * (size_t)n);
    for (i = 0; i < rows; i++) {
        const float *v = fetch(t, x, i * ld, n, in);

        IVDEP
        for (j = 0; j < n; j++)
            middle[j] += v[j];
    }
    for (j = 0; j < n; j++)
        middle[j] /= (float)rows;
    for (i = 0; i < rows; i++) {
        const float *v = fetch(t, x, i * ld, n, in);

        IVDEP
        for (j = 0; j < n; j++)
            dev[j] += (v[j] - middle[j]) * (v[j] - middle[j]);
    }
    join(middle, dev, rows, before, n, mean, m2);
}

static void moments(enum ec__elem t, const void *x, int64_t rows, int64_t ld, int64_t n,
                    int64_t before, double *mean, double *m2)
{
    int64_t size = t == EC__F32 ? 4 : 2, first;

    if (n == 1 && ld == 1) {
        moments_row(t, x, rows, before, mean, m2);
    } else if (t == EC__F32 && n == 16 && ld == 16) {
        moments_block(x, rows, before, mean, m2);
    } else {
        for (first = 0; first < rows; first += STRETCH)
            moments_columns(t, (const char *)x + first * ld * size,
                            rows - first < STRETCH ? rows - first : STRETCH, ld, n, before + first,
                            mean, m2);
    }
}

static void add_to(float *acc, const float *x, int64_t n)
{
    int64_t i;

    IVDEP
    for (i = 0; i < n; i++)
        acc[i] += x[i];
}

/* gates (i, f, g, o) x n before their functions, after on return; c_before NULL is 0. */
static void lstm_cell(float *gates, const float *c_before, float *c, float *tanh_c, float *h,
                      int64_t n)
{
    float *gi = gates, *gf = gates + n, *gg = gates + 2 * n, *go = gates + 3 * n;
    int64_t k;

    IVDEP
    for (k = 0; k < n; k++) {
        float i = sigmoid(gi[k]), f = sigmoid(gf[k]), g = tanh_of(gg[k]), o = sigmoid(go[k]);
        float cell = i * g + (c_before ? f * c_before[k] : 0), t = tanh_of(cell);

        gi[k] = i;
        gf[k] = f;
        gg[k] = g;
        go[k] = o;
        c[k] = cell;
        tanh_c[k] = t;
        h[k] = o * t;
    }
}

/* gates become their gradients before the functions; dc comes as the gradient from the next step
 * and leaves as that for the one before. */
static void lstm_cell_bwd(float *gates, const float *c_before, const float *tanh_c, const float *dh,
                          float *dc, int64_t n)
{
    float *gi = gates, *gf = gates + n, *gg = gates + 2 * n, *go = gates + 3 * n;
    int64_t k;

    IVDEP
    for (k = 0; k < n; k++) {
        float i = gi[k], f = gf[k], g = gg[k], o = go[k], t = tanh_c[k];
        float before = c_before ? c_before[k] : 0, d = dc[k] + dh[k] * o * (1 - t * t);

        gi[k] = d * g * i * (1 - i);
        gf[k] = d * before * f * (1 - f);
        gg[k] = d * i * (1 - g * g);
        go[k] = dh[k] * t * o * (1 - o);
        dc[k] = d * f;
    }
}

/* gates (r, z, n) from the input, h_gates from the state; r and z and n after their functions on
 * return: n = tanh(gates_n + r h_gates_n), h = n + z (h_before - n). */
static void gru_cell(float *gates, const float *h_gates, const float *h_before, float *h, int64_t n)
{
    float *gr = gates, *gz = gates + n, *gn = gates + 2 * n;
    int64_t k;

    IVDEP
    for (k = 0; k < n; k++) {
        float r = sigmoid(gr[k] + h_gates[k]), z = sigmoid(gz[k] + h_gates[n + k]);
        float c = tanh_of(gn[k] + r * h_gates[2 * n + k]), before = h_before ? h_before[k] : 0;

        gr[k] = r;
        gz[k] = z;
        gn[k] = c;
        h[k] = c + z * (before - c);
    }
}

/* gates become gradients of the input's part, h_gates those of the state's; dh_before gets what
 * goes straight to the state before. */
static void gru_cell_bwd(float *gates, float *h_gates, const float *h_before, const float *dh,
                         float *dh_before, int64_t n)
{
    float *gr = gates, *gz = gates + n, *gn = gates + 2 * n;
    int64_t k;

    IVDEP
    for (k = 0; k < n; k++) {
        float r = gr[k], z = gz[k], c = gn[k], before = h_before ? h_before[k] : 0;
        float dn = dh[k] * (1 - z) * (1 - c * c), dz = dh[k] * (before - c) * z * (1 - z);
        float dr = dn * h_gates[2 * n + k] * r * (1 - r);

        gr[k] = h_gates[k] = dr;
        gz[k] = h_gates[n + k] = dz;
        gn[k] = dn;
        h_gates[2 * n + k] = dn * r;
        dh_before[k] = dh[k] * z;
    }
}

#include "engine/cpu/loops_norm.inc"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const struct ec__loops EC_LOOPS = {
    .isa = TEXT(EC_LOOPS_ISA),
    .to_f32 = to_f32,
    .to_bf16 = to_bf16,
    .unary = unary,
    .unary_bwd = unary_bwd,
    .binary = binary,
    .dropout = dropout,
    .column_sums = column_sums,
    .row_sum = row_sum,
    .spread = spread,
    .softmax = softmax,
    .log_softmax = log_softmax,
    .softmax_bwd = softmax_bwd,
    .log_softmax_bwd = log_softmax_bwd,
    .norm_row = norm_row,
    .norm_row_bwd = norm_row_bwd,
    .scale_rows = scale_rows,
    .dot_rows = dot_rows,
    .moments = moments,
    .depthwise_row = depthwise_row,
    .add_to = add_to,
    .norm_stats = norm_stats,
    .norm_apply = norm_apply,
    .norm_sums = norm_sums,
    .norm_grad = norm_grad,
    .lstm_cell = lstm_cell,
    .lstm_cell_bwd = lstm_cell_bwd,
    .gru_cell = gru_cell,
    .gru_cell_bwd = gru_cell_bwd,
};
