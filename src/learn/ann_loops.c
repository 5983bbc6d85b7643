/* The inner loops of dense networks, compiled for several vector widths; the processor's own is
 * selected at run time. Each sum is computed in order, inside tiles and in the remainder. Training
 * uses fused multiply-add (one rounding) where the processor has it; all else is rounded after each
 * operation. So results do not depend on vector width or shapes. */
#include "learn/learn_internal.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#define LANES 16
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

/* A matrix, or its transpose. */
struct strided {
    const float *at;
    size_t by_row, by_col; /* elements from one to the next */
};

static inline const float *element(struct strided m, int row, int col)
{
    return m.at + (size_t)row * m.by_row + (size_t)col * m.by_col;
}

static inline struct strided row_of(struct strided m, int row)
{
    m.at += (size_t)row * m.by_row;
    return m;
}

#define WIDTH(name) name##_any
#define LOOP
#define TILE_WIDE 2
#define MUL_ADD(acc, x, row)                                                                       \
    do {                                                                                           \
        for (int l_ = 0; l_ < LANES; l_++)                                                         \
            (acc)[l_] = __builtin_fmaf((x), (row)[l_], (acc)[l_]);                                 \
    } while (0)
#include "learn/ann_loops.inc"

#ifdef __x86_64__
#define WIDTH(name) name##_256
#define LOOP __attribute__((target("avx2,fma")))
#define TILE_WIDE 2
#define MUL_ADD(acc, x, row)                                                                       \
    do {                                                                                           \
        __m256 x_ = _mm256_set1_ps(x), to_[2], from_[2];                                           \
                                                                                                   \
        memcpy(to_, &(acc), sizeof to_);                                                           \
        memcpy(from_, &(row), sizeof from_);                                                       \
        to_[0] = _mm256_fmadd_ps(x_, from_[0], to_[0]);                                            \
        to_[1] = _mm256_fmadd_ps(x_, from_[1], to_[1]);                                            \
        memcpy(&(acc), to_, sizeof to_);                                                           \
    } while (0)
#include "learn/ann_loops.inc"

#define WIDTH(name) name##_512
#define LOOP __attribute__((target("avx512f")))
#define TILE_WIDE 4
#define MUL_ADD(acc, x, row)                                                                       \
    ((acc) = (lanes)_mm512_fmadd_ps(_mm512_set1_ps(x), (__m512)(row), (__m512)(acc)))
#include "learn/ann_loops.inc"

#define CALL(name, ...)                                                                            \
    do {                                                                                           \
        if (__builtin_cpu_supports("avx512f"))                                                     \
            name##_512(__VA_ARGS__);                                                               \
        else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))                  \
            name##_256(__VA_ARGS__);                                                               \
        else                                                                                       \
            name##_any(__VA_ARGS__);                                                               \
    } while (0)
#else
#define CALL(name, ...) name##_any(__VA_ARGS__)
#endif

void ec__mul_add(float *out, const float *a, const float *b, int m, int k, int n)
{
    CALL(mul_add, out, ((struct strided){ a, (size_t)k, 1 }), b, m, k, n);
}

void ec__mul_add_turned(float *out, const float *a, const float *b, int m, int k, int n)
{
    CALL(mul_add, out, ((struct strided){ a, 1, (size_t)m }), b, m, k, n);
}

void ec__transpose(const float *a, int rows, int cols, float *out)
{
    CALL(transpose, a, rows, cols, out);
}

void ec__activate(enum ec_act act, const float *z, int n, float *ret)
{
    CALL(activate, act, z, n, ret);
}

void ec__mul_slopes(enum ec_act act, const float *z, int n, float *io)
{
    CALL(mul_slopes, act, z, n, io);
}

void ec__adam_step(float *w, const float *grad, float *m1, float *m2, int n, float step, float keep,
                   float root)
{
    CALL(adam_step, w, grad, m1, m2, n, step, keep, root);
}

void ec__ann_answer(const struct ec_ann *m, float *a, float *z)
{
    CALL(answer, m, a, z);
}
