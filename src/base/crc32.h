/* CRC-32 as zip and gzip have it: shows damage by chance, not by intent. */
#ifndef EC_BASE_CRC32_H
#define EC_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Tables for eight bytes at a time, made by ec_crc32_init, and the sum so far. */
struct ec_crc32 {
    uint32_t table[8][256];
    uint32_t state;
};

void ec_crc32_init(struct ec_crc32 *c);
void ec_crc32_add(struct ec_crc32 *c, const void *data, size_t len);
uint32_t ec_crc32_sum(const struct ec_crc32 *c);

#endif
