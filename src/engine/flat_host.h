/* Flat arithmetic in the host's memory, for all backends that compute there. Results do not depend
 * on the number of threads: work is cut by size alone, and sums are added in order. */
#ifndef EC_ENGINE_FLAT_HOST_H
#define EC_ENGINE_FLAT_HOST_H

#include "engine/backend.h"

#include <string.h>

extern const struct ec_flat ec_flat_host;

static inline float ec__of_bf16(uint16_t b)
{
    uint32_t u = (uint32_t)b << 16;
    float x;

    memcpy(&x, &u, sizeof x);
    return x;
}

/* Rounded; what is no number stays none. */
static inline uint16_t ec__to_bf16(float x)
{
    uint32_t u;

    memcpy(&u, &x, sizeof u);
    return (u & 0x7fffffffU) > 0x7f800000U ? (uint16_t)(u >> 16 | 0x40U)
                                           : (uint16_t)((u + 0x7fffU + (u >> 16 & 1U)) >> 16);
}

#endif
