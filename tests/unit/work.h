/* What the kernels of one pass count, for tests. */
#ifndef TEST_WORK_H
#define TEST_WORK_H

#include "op/op.h"

static inline void work_count(const struct ec_work *w, double elem_bytes, struct ec_count *ret_add)
{
    int i;

    for (i = 0; i < w->n; i++)
        ec_count_add(ret_add, &w->kernel[i], 1, elem_bytes);
}

#endif
