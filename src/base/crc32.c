/* CRC-32, eight bytes at a time by eight tables. */
#include "base/crc32.h"

#define POLYNOMIAL 0xedb88320U /* of IEEE 802.3, bits reversed */

void ec_crc32_init(struct ec_crc32 *c)
{
    int i, k;

    for (i = 0; i < 256; i++) {
        uint32_t v = (uint32_t)i;

        for (k = 0; k < 8; k++)
            v = v >> 1 ^ (v & 1 ? POLYNOMIAL : 0);
        c->table[0][i] = v;
    }
    for (k = 1; k < 8; k++)
        for (i = 0; i < 256; i++) {
            uint32_t v = c->table[k - 1][i];

            c->table[k][i] = v >> 8 ^ c->table[0][v & 255];
        }
    c->state = UINT32_MAX;
}

void ec_crc32_add(struct ec_crc32 *c, const void *data, size_t len)
{
    const unsigned char *p = data;
    uint32_t v = c->state;

    for (; len >= 8; len -= 8, p += 8) {
        v ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        v = c->table[7][v & 255] ^ c->table[6][v >> 8 & 255] ^ c->table[5][v >> 16 & 255] ^
            c->table[4][v >> 24] ^ c->table[3][p[4]] ^ c->table[2][p[5]] ^ c->table[1][p[6]] ^
            c->table[0][p[7]];
    }
    for (; len; len--, p++)
        v = v >> 8 ^ c->table[0][(v ^ *p) & 255];
    c->state = v;
}

uint32_t ec_crc32_sum(const struct ec_crc32 *c)
{
    return ~c->state;
}
