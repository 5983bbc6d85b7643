/* MD5, RFC 1321: the checksum that distributors of data sets publish. */
#include "dataset/fetch_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t rotate(uint32_t v, int by)
{
    return v << by | v >> (32 - by);
}

/* floor(2^32 |sin(i + 1)|), as the standard defines its table. */
static void make_table(uint32_t t[64])
{
    int i;

    for (i = 0; i < 64; i++)
        t[i] = (uint32_t)(int64_t)floor(fabs(sin((double)i + 1)) * 4294967296.0);
}

static void one_block(uint32_t state[4], const unsigned char *p, const uint32_t t[64])
{
    static const int turns[4][4] = {
        {7,  12, 17, 22},
        { 5, 9,  14, 20},
        { 4, 11, 16, 23},
        { 6, 10, 15, 21}
    };
    static const int step[4] = { 1, 5, 3, 7 }, offset[4] = { 0, 1, 5, 0 };
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], f, w, next;
    int i, at;

    for (i = 0; i < 64; i++) {
        at = (step[i / 16] * (i % 16) + offset[i / 16]) % 16;
        f = i < 16   ? (b & c) | (~b & d)
            : i < 32 ? (d & b) | (~d & c)
            : i < 48 ? b ^ c ^ d
                     : c ^ (b | ~d);
        w = (uint32_t)p[4 * at] | (uint32_t)p[4 * at + 1] << 8 | (uint32_t)p[4 * at + 2] << 16 |
            (uint32_t)p[4 * at + 3] << 24;
        next = b + rotate(a + f + w + t[i], turns[i / 16][i % 4]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void ec__md5(const void *data, size_t len, char out[EC__MD5_TEXT_BYTES])
{
    uint32_t state[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 }, t[64];
    unsigned char tail[128] = { 0 };
    const unsigned char *p = data;
    uint64_t bits = (uint64_t)len * 8;
    size_t rest = len % 64, i, blocks = rest < 56 ? 1 : 2;

    make_table(t);
    for (i = 0; i < len / 64; i++)
        one_block(state, p + 64 * i, t);
    if (rest)
        memcpy(tail, p + len - rest, rest);
    tail[rest] = 0x80;
    for (i = 0; i < 8; i++)
        tail[64 * blocks - 8 + i] = (unsigned char)(bits >> (8 * i));
    for (i = 0; i < blocks; i++)
        one_block(state, tail + 64 * i, t);
    for (i = 0; i < 16; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", (state[i / 4] >> (8 * (i % 4))) & 0xff);
}
