/* The highest rates of this processor. */
#include "hw/hw.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* Enough independent chains to hide the latency of any core so far (two units of 4 or 5 cycles). */
enum { CHAINS = 12, FMA_ROUNDS = 1 << 16 };

/* Multiply and add as one instruction here, whatever the rest of the program is built with. */
#if defined(__clang__)
#define CONTRACT _Pragma("clang fp contract(fast)")
#define CONTRACTED
#else
#define CONTRACT
#define CONTRACTED optimize("fp-contract=fast"),
#endif

/* One function per instruction set; the vector's length is the set's own. The sum keeps the
 * compiler from leaving the work out. */
#define FMA_LOOP(set, needs, lanes)                                                                \
    typedef float vec_##set __attribute__((vector_size(lanes * 4)));                               \
    __attribute__((CONTRACTED target(needs), noinline)) static float fma_##set(void)               \
    {                                                                                              \
        CONTRACT                                                                                   \
        vec_##set x[CHAINS], scale, offset;                                                        \
        float sum = 0;                                                                             \
        int i, c, lane;                                                                            \
                                                                                                   \
        for (lane = 0; lane < lanes; lane++) {                                                     \
            scale[lane] = 0.999F;                                                                  \
            offset[lane] = 0.001F;                                                                 \
        }                                                                                          \
        for (c = 0; c < CHAINS; c++)                                                               \
            x[c] = scale * (float)c;                                                               \
        for (i = 0; i < FMA_ROUNDS; i++)                                                           \
            for (c = 0; c < CHAINS; c++)                                                           \
                x[c] = x[c] * scale + offset;                                                      \
        for (c = 0; c < CHAINS; c++)                                                               \
            for (lane = 0; lane < lanes; lane++)                                                   \
                sum += x[c][lane];                                                                 \
        return sum;                                                                                \
    }

#if defined(__x86_64__)
FMA_LOOP(sse2, "sse2", 4)
FMA_LOOP(avx2, "avx2,fma", 8)
FMA_LOOP(avx512f, "avx512f,fma", 16)
static bool has_sse2(void)
{
    return true;
}
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static bool has_avx512f(void)
{
    return __builtin_cpu_supports("avx512f");
}
#define FLOP(lanes) (2.0 * (lanes)*CHAINS * FMA_ROUNDS)
static const struct ec_fma_set fma_sets[] = {
    {"sse2",     FLOP(4),  has_sse2,    fma_sse2   },
    { "avx2",    FLOP(8),  has_avx2,    fma_avx2   },
    { "avx512f", FLOP(16), has_avx512f, fma_avx512f},
};
enum { N_FMA_SETS = EC_LEN(fma_sets) };
#else
static const struct ec_fma_set fma_sets[1];
enum { N_FMA_SETS = 0 };
#endif

const struct ec_fma_set *ec_fma_sets(int *ret_count)
{
    *ret_count = N_FMA_SETS;
    return fma_sets;
}

/* --- Several threads at once --- */

#define THREADS_MAX 1024
#define FMA_NS 20000000
#define COPY_NS 60000000

struct worker {
    pthread_t thread;
    bool started;
    const struct ec_fma_set *set; /* NULL: copies */
    size_t bytes;
    double rate; /* per second */
    float sum;   /* keeps the compiler from leaving the work out */
};

/* The fastest run counts: other work on the processor slows some of them. */
static void run_fma(struct worker *w)
{
    int64_t start_ns = ec_clock_ns(), last_ns = start_ns, ns;

    do {
        w->sum += w->set->run();
        ns = ec_clock_ns();
        w->rate = fmax(w->rate, w->set->flop * 1e9 / (double)(ns - last_ns));
        last_ns = ns;
    } while (ns - start_ns < FMA_NS);
}

static void run_copy(struct worker *w)
{
    char *from = ec_alloc(w->bytes), *to = ec_alloc(w->bytes);
    int64_t start_ns, last_ns, ns;

    if (from && to) {
        memset(from, 1, w->bytes);
        memset(to, 2, w->bytes);
        start_ns = last_ns = ec_clock_ns();
        do {
            memcpy(to, from, w->bytes);
            __asm__ volatile("" ::: "memory"); /* every copy is made */
            ns = ec_clock_ns();
            w->rate = fmax(w->rate, 2 * (double)w->bytes * 1e9 / (double)(ns - last_ns));
            last_ns = ns;
        } while (ns - start_ns < COPY_NS);
    }
    ec_free(from);
    ec_free(to);
}

static void *work(void *worker)
{
    struct worker *w = worker;

    if (w->set)
        run_fma(w);
    else
        run_copy(w);
    return NULL;
}

/* Sum of the rates of all threads. Where one cannot start, the others count. */
static double at_once(int threads, const struct ec_fma_set *set, size_t bytes)
{
    struct worker *w;
    double sum = 0;
    int i;

    threads = threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
    w = ec_alloc(sizeof *w * (size_t)threads);
    if (!w)
        return 0;
    for (i = 0; i < threads; i++) {
        w[i] = (struct worker){ .set = set, .bytes = bytes };
        w[i].started = i > 0 && !pthread_create(&w[i].thread, NULL, work, &w[i]);
    }
    (void)work(&w[0]);
    for (i = 0; i < threads; i++) {
        if (w[i].started)
            (void)pthread_join(w[i].thread, NULL);
        sum += w[i].rate;
    }
    ec_free(w);
    return sum;
}

double ec_roof_flop_per_s(int threads)
{
    double best = 0, rate;
    int i;

    for (i = 0; i < N_FMA_SETS; i++) {
        rate = fma_sets[i].has() ? at_once(threads, &fma_sets[i], 0) : 0;
        best = rate > best ? rate : best;
    }
    return best;
}

double ec_roof_copy_bytes_per_s(int threads, size_t bytes)
{
    return at_once(threads, NULL, bytes);
}
