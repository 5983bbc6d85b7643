/* Monotonic time, and random numbers that are the same everywhere for a seed. */
#include "base/io.h"

#include <assert.h>
#include <time.h>

int64_t ec_clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t ec_thread_clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static _Thread_local int64_t g_until_ns; /* 0: whenever */

void ec_compute_until(int64_t until_ns)
{
    g_until_ns = until_ns;
}

int64_t ec_compute_end_ns(void)
{
    return g_until_ns;
}

enum ec_status ec_compute_check(struct ec_err *err)
{
    if (!g_until_ns || ec_clock_ns() < g_until_ns)
        return EC_OK;
    return ec_fail(err, EC_E_UNSTABLE, "the answer takes longer than it may");
}

const char *ec_utc_now(char *out, size_t size)
{
    time_t now = time(NULL);
    struct tm utc;

    if (!gmtime_r(&now, &utc) || !strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &utc))
        *out = '\0';
    return out;
}

/* SplitMix64: spreads one seed over the state, which must not be all zero. */
static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = *x += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void ec_rng_seed(struct ec_rng *r, uint64_t seed)
{
    int i;

    for (i = 0; i < 4; i++)
        r->s[i] = splitmix(&seed);
}

static uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

/* xoshiro256** 1.0, Blackman and Vigna, public domain. */
uint64_t ec_rng_next(struct ec_rng *r)
{
    uint64_t *s = r->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

double ec_rng_unit(struct ec_rng *r)
{
    return (double)(ec_rng_next(r) >> 11) * 0x1p-53;
}

int64_t ec_rng_range(struct ec_rng *r, int64_t lo, int64_t hi)
{
    uint64_t span = (uint64_t)hi - (uint64_t)lo + 1, v, cut;

    assert(lo <= hi);
    if (!span) /* all 64 bits */
        return (int64_t)ec_rng_next(r);
    cut = (0 - span) % span; /* the low values that would make some results likelier */
    do
        v = ec_rng_next(r);
    while (v < cut);
    return (int64_t)((uint64_t)lo + v % span);
}

void ec_rng_shuffle(struct ec_rng *r, int *v, int n)
{
    int i;

    for (i = n - 1; i > 0; i--) {
        int at = (int)ec_rng_range(r, 0, i), keep = v[i];

        v[i] = v[at];
        v[at] = keep;
    }
}
