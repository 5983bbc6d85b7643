/* A convolution while its calls are listed. */
#ifndef EC_ENGINE_CPU_CONV_H
#define EC_ENGINE_CPU_CONV_H

#include "engine/cpu/cpu_internal.h"

struct ec__conv {
    struct ec__build *b;
    bool transposed, has_bias, lower; /* lower: a type below float32 */
    struct ec__win win;
    const struct ec__md *w_plain, *bias_md;
    int64_t w_dims[EC_DNNL_RANK_MAX];
    int w_rank;
    struct ec__buf x, y, w, bias; /* x in the layout that forward wants */
    struct ec__prim *fwd;
};

/* Gradient of the weight of depthwise filters 5 or 7 wide, for which the library has code a tenth
 * as fast as memory allows. False, and nothing added: some other convolution. */
bool ec__depthwise_backward(struct ec__conv *v, const struct ec__buf *master);

#endif
