/* What readers of training data share: names of parts, numbers that look random, memory of a
 * thread, the shape of a sample. */
#include "dataset/samples_internal.h"

const char *ec_part_name(enum ec_part split)
{
    static const char *const names[EC_PART_COUNT] = { "train", "val", "test" };

    return (unsigned)split < EC_PART_COUNT ? names[split] : "unknown";
}

/* The finaliser of SplitMix64 over a simple join. */
uint64_t ec__mix(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + (b ^ 0xd1b54a32d192ed03u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A Feistel network permutes 0..4^half-1; walking its cycle from i comes to a number below n again,
 * in less than four steps on average as 4^half < 4n. */
#define FEISTEL_ROUNDS 6

static uint64_t feistel(uint64_t v, int half_bits, uint64_t key)
{
    uint64_t mask = ((uint64_t)1 << half_bits) - 1, left = v >> half_bits, right = v & mask, next;
    uint64_t round;

    for (round = 0; round < FEISTEL_ROUNDS; round++) {
        next = left ^ (ec__mix(key + round, right) & mask);
        left = right;
        right = next;
    }
    return (left << half_bits) | right;
}

int64_t ec__permute(int64_t i, int64_t n, uint64_t key)
{
    uint64_t v = (uint64_t)i;
    int half_bits = 1;

    while (half_bits < 31 && ((int64_t)1 << (2 * half_bits)) < n)
        half_bits++;
    do
        v = feistel(v, half_bits, key);
    while (v >= (uint64_t)n);
    return (int64_t)v;
}

void *ec__scratch_get(struct ec__scratch *s, int which, size_t bytes)
{
    if (s->cap_bytes[which] < bytes) {
        ec_free(s->buf[which]);
        s->cap_bytes[which] = 0;
        s->buf[which] = ec_realloc(NULL, bytes);
        if (s->buf[which])
            s->cap_bytes[which] = bytes;
    }
    return s->buf[which];
}

void ec__scratch_clear(struct ec__scratch *s)
{
    int i;

    for (i = 0; i < EC__SCRATCH_BUFS; i++)
        ec_free(s->buf[i]);
    *s = (struct ec__scratch){ 0 };
}

enum ec_status ec__shape_as_network(struct ec_samples *s, struct ec_err *err)
{
    const struct ec_ints *net = &s->opts.shape;
    int64_t elems = 1;
    int i;

    for (i = 0; i < net->n; i++)
        if (!ec_mul_i64(elems, net->v[i], &elems))
            elems = -1;
    if (net->n && elems != s->info.input_elems)
        return ec_fail(err, EC_E_INPUT, "a sample has %lld values, the network takes %lld",
                       (long long)s->info.input_elems, (long long)elems);
    for (i = 0; i < net->n; i++)
        s->info.shape[i] = net->v[i];
    s->info.rank = net->n ? net->n : s->info.rank;
    return EC_OK;
}
