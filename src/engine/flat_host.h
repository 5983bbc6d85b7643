/* Flat arithmetic in the host's memory, for all backends that compute there. Results do not depend
 * on the number of threads: work is cut by size alone, and sums are added in order. */
#ifndef EC_ENGINE_FLAT_HOST_H
#define EC_ENGINE_FLAT_HOST_H

#include "engine/backend.h"

extern const struct ec_flat ec_flat_host;

#endif
