/* The loops of loops.h. Compiled once per instruction set, EC_LOOPS naming the table; nothing here
 * may be called but through it. Polynomials were fitted by least squares on Chebyshev nodes,
 * weighted to even out the error; each says how far it is off. */
#include "engine/cpu/loops.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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
};
