/* What is seen of ref beside the contract of backends. */
#ifndef EC_REF_H
#define EC_REF_H

#include "engine/backend.h"

/* A context of ref or ref64. */
struct ec_ref_ctx {
    struct ec_ctx ctx;
    double mac; /* multiply-accumulates of matrix products so far, padding counted: for tests */
};

/* All kernels, over float and over double; they run in the host's memory with any context, so that
 * other backends can fall back on them. */
extern const struct ec_kernel_row ec__ref32_rows[], ec__ref64_rows[];

#endif
