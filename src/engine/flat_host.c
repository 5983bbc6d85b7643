/* The flat arithmetic of engine/backend.h in the host's memory: blocks are cut into pieces, each
 * piece is done by code for the best instruction set this processor has. */
#include "engine/flat_host.h"

#include <math.h>
#include <string.h>

#ifdef _OPENMP
#define PARALLEL_DO(text) _Pragma(#text)
#define PARALLEL(n_threads)                                                                        \
    PARALLEL_DO(omp parallel for schedule(static) num_threads(n_threads) if ((n_threads) > 1))
#else
#define PARALLEL(n_threads)
#endif

/* What a piece of a loss adds up to. */
struct loss_sum {
    double loss;
    int64_t correct, counted;
};

/* One instruction set's functions. */
struct code {
    void (*add)(void *acc, const void *x, int64_t first, int64_t n);
    double (*norm2)(const void *x, int64_t first, int64_t n);
    void (*update)(const struct ec_update *u, void *param, const void *grad, void *s0, void *s1,
                   int64_t first, int64_t n);
    void (*classes)(const struct ec_loss_job *j, int64_t first, int64_t last, double weight,
                    struct loss_sum *ret);
    void (*elements)(const struct ec_loss_job *j, int64_t first, int64_t last, double weight,
                     struct loss_sum *ret);
};

/* 1/k! from the highest term down: 7 terms for float, 13 for double. */
#define TERMS_F32                                                                                  \
    {                                                                                              \
        1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1, 1                                    \
    }
#define TERMS_F64                                                                                  \
    {                                                                                              \
        1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,     \
            1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1                                     \
    }

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)

/* Pointers to elements become pointers to nothing, for one table of both types. */
#define WRAPPERS                                                                                   \
    static void NAME(add_at)(void *acc, const void *x, int64_t first, int64_t n)                   \
    {                                                                                              \
        NAME(add)((REAL *)acc + first, (const REAL *)x + first, n);                                \
    }                                                                                              \
    static double NAME(norm2_at)(const void *x, int64_t first, int64_t n)                          \
    {                                                                                              \
        return NAME(norm2)((const REAL *)x + first, n);                                            \
    }                                                                                              \
    static const struct code NAME(code) = { NAME(add_at), NAME(norm2_at), NAME(update),            \
                                            NAME(class_rows), NAME(element_losses) };

/* clang-format off */
#define REAL float
#define UINT uint32_t
#define SQRT sqrtf
#define EXP_TERMS TERMS_F32
#define EXP_MAX 88.0F
#define EXP_MIN (-87.0F)
#define EXP_ROUND 12582912.0F /* 1.5 * 2^23: adding it rounds to an integer in the low bits */
#define EXP_LN2_HI 0.693359375F
#define EXP_LN2_LO (-2.12194440e-4F)
#define EXP_MANTISSA 23
#define NAME(x) PASTE(x, f32)
#define TARGET
#include "engine/flat_math.inc"
WRAPPERS
#undef NAME
#undef TARGET
#if defined(__x86_64__)
#define NAME(x) PASTE(x, f32_avx2)
#define TARGET __attribute__((target("avx2")))
#include "engine/flat_math.inc"
WRAPPERS
#undef NAME
#undef TARGET
#define NAME(x) PASTE(x, f32_avx512)
#define TARGET __attribute__((target("avx512f,avx512vl,avx512dq")))
#include "engine/flat_math.inc"
WRAPPERS
#undef NAME
#undef TARGET
#endif
#undef REAL
#undef UINT
#undef SQRT
#undef EXP_TERMS
#undef EXP_MAX
#undef EXP_MIN
#undef EXP_ROUND
#undef EXP_LN2_HI
#undef EXP_LN2_LO
#undef EXP_MANTISSA

#define REAL double
#define UINT uint64_t
#define SQRT sqrt
#define EXP_TERMS TERMS_F64
#define EXP_MAX 709.0
#define EXP_MIN (-708.0)
#define EXP_ROUND 6755399441055744.0 /* 1.5 * 2^52 */
#define EXP_LN2_HI 0.693145751953125
#define EXP_LN2_LO 1.42860682030941723212e-6
#define EXP_MANTISSA 52
#define NAME(x) PASTE(x, f64)
#define TARGET
#include "engine/flat_math.inc"
WRAPPERS
/* clang-format on */

static const struct code *code_for(enum ec_dtype t)
{
    if (t == EC_DT_f64)
        return &code_f64;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return &code_f32_avx512;
    if (__builtin_cpu_supports("avx2"))
        return &code_f32_avx2;
#endif
    return &code_f32;
}

/* Pieces: a function of the size alone. Below this many elements threads cost more than they do. */
#define PIECE_ELEMS ((int64_t)1 << 15)
#define MAX_PIECES 256

static int n_pieces(int64_t n, int64_t smallest)
{
    int64_t k = n / (smallest > 0 ? smallest : 1);

    return (int)(k < 1 ? 1 : k > MAX_PIECES ? MAX_PIECES : k);
}

static int64_t piece_start(int64_t n, int k, int i)
{
    return n / k * i + (n % k) * i / k;
}

static void host_zero(struct ec_ctx *ctx, void *x, int64_t bytes)
{
    (void)ctx;
    if (bytes > 0)
        memset(x, 0, (size_t)bytes);
}

static void host_copy(struct ec_ctx *ctx, void *to, const void *from, int64_t bytes)
{
    (void)ctx;
    if (bytes > 0)
        memcpy(to, from, (size_t)bytes);
}

#define ADD_BF16(name, attributes)                                                                 \
    attributes static void name(uint16_t *acc, const uint16_t *x, int64_t n)                       \
    {                                                                                              \
        int64_t i;                                                                                 \
                                                                                                   \
        for (i = 0; i < n; i++)                                                                    \
            acc[i] = ec__to_bf16(ec__of_bf16(acc[i]) + ec__of_bf16(x[i]));                         \
    }
ADD_BF16(add_bf16_base, )
#if defined(__x86_64__)
ADD_BF16(add_bf16_avx2, __attribute__((target("avx2"))))
ADD_BF16(add_bf16_avx512, __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))))
#endif

static void add_bf16(uint16_t *acc, const uint16_t *x, int64_t n)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
        add_bf16_avx512(acc, x, n);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        add_bf16_avx2(acc, x, n);
        return;
    }
#endif
    add_bf16_base(acc, x, n);
}

static void host_add(struct ec_ctx *ctx, enum ec_dtype t, void *acc, const void *x, int64_t n)
{
    const struct code *c = code_for(t);
    int i, k = n_pieces(n, PIECE_ELEMS), threads = ctx->threads;

    (void)threads;
    PARALLEL(threads)
    for (i = 0; i < k; i++) {
        int64_t first = piece_start(n, k, i), count = piece_start(n, k, i + 1) - first;

        if (t == EC_DT_bf16)
            add_bf16((uint16_t *)acc + first, (const uint16_t *)x + first, count);
        else
            c->add(acc, x, first, count);
    }
}

static double host_norm2(struct ec_ctx *ctx, enum ec_dtype t, const void *x, int64_t n)
{
    const struct code *c = code_for(t);
    int i, k = n_pieces(n, PIECE_ELEMS), threads = ctx->threads;
    double part[MAX_PIECES], sum = 0;

    (void)threads;
    PARALLEL(threads)
    for (i = 0; i < k; i++) {
        int64_t first = piece_start(n, k, i);

        part[i] = c->norm2(x, first, piece_start(n, k, i + 1) - first);
    }
    for (i = 0; i < k; i++)
        sum += part[i];
    return sum;
}

static void host_update(struct ec_ctx *ctx, enum ec_dtype t, const struct ec_update *u, void *param,
                        const void *grad, void *const *state, int64_t n)
{
    const struct code *c = code_for(t);
    int i, k = n_pieces(n, PIECE_ELEMS), threads = ctx->threads;

    (void)threads;
    PARALLEL(threads)
    for (i = 0; i < k; i++) {
        int64_t first = piece_start(n, k, i);

        c->update(u, param, grad, state[0], state[1], first, piece_start(n, k, i + 1) - first);
    }
}

/* Errors: INPUT for a class that the output does not have */
static enum ec_status count_rows(const struct ec_loss_job *j, int64_t *ret, struct ec_err *err)
{
    const int64_t *target = j->target;
    int64_t r, n = 0;

    for (r = 0; r < j->rows; r++) {
        if (target[r] >= j->cols)
            return ec_fail(err, EC_E_INPUT, "target of row %lld is class %lld, there are %lld",
                           (long long)r, (long long)target[r], (long long)j->cols);
        n += target[r] >= 0;
    }
    *ret = n;
    return EC_OK;
}

static void loss_pieces(const struct ec_ctx *ctx, const struct code *c,
                        const struct ec_loss_job *job, bool classes, double weight,
                        struct loss_sum *ret)
{
    int64_t n = classes ? job->rows : job->rows * job->cols;
    int64_t smallest = classes && job->cols > 0 ? PIECE_ELEMS / 4 / job->cols + 1 : PIECE_ELEMS / 4;
    int i, k = n_pieces(n, smallest), threads = ctx->threads;
    struct loss_sum part[MAX_PIECES];

    (void)threads;
    memset(part, 0, sizeof part);
    PARALLEL(threads)
    for (i = 0; i < k; i++) {
        int64_t first = piece_start(n, k, i), last = piece_start(n, k, i + 1);

        if (classes)
            c->classes(job, first, last, weight, &part[i]);
        else
            c->elements(job, first, last, weight, &part[i]);
    }
    for (i = 0; i < k; i++) {
        ret->loss += part[i].loss;
        ret->correct += part[i].correct;
        ret->counted += part[i].counted;
    }
}

static enum ec_status host_loss(struct ec_ctx *ctx, enum ec_dtype t, const struct ec_loss_job *job,
                                struct ec_err *err)
{
    bool classes = ec_loss_target(job->loss) == EC_TARGET_CLASS;
    int64_t n = job->rows * job->cols;
    struct loss_sum sum = { 0 };

    if (classes)
        EC_PASS(count_rows(job, &n, err));
    loss_pieces(ctx, code_for(t), job, classes, n ? job->scale / (double)n : 0, &sum);
    if (job->ret_loss)
        *job->ret_loss = n ? sum.loss / (double)n : 0;
    if (job->ret_correct)
        *job->ret_correct = sum.correct;
    if (job->ret_counted)
        *job->ret_counted = sum.counted;
    return EC_OK;
}

const struct ec_flat ec_flat_host = {
    .zero = host_zero,
    .add = host_add,
    .norm2 = host_norm2,
    .update = host_update,
    .loss = host_loss,
    .copy = host_copy,
};
