/* Windows as the library takes them, with the padding worked out, and small things of a case. */
#include "engine/cpu/cpu_internal.h"

#include <assert.h>
#include <string.h>

int64_t ec__elems(const struct ec_type *t)
{
    int64_t n = 0;

    return ec_shape_count(&t->shape, &n) ? n : 0;
}

bool ec__op_is(const struct ec_knode *k, const char *name)
{
    return !strcmp(k->c->op->name, name);
}

/* The end of the padding is whatever the output's extent says: that may be more than written
 * (windows that hang over), or less (rows no window reaches). */
void ec__window_of(const struct ec_case *c, bool transposed, struct ec__win *ret)
{
    struct ec_window of = { 0 };
    bool slides;
    int i;

    memset(ret, 0, sizeof *ret);
    slides = ec_case_window(c, &of);
    assert(slides);
    ret->dims = c->in[0]->shape.rank - 2;
    for (i = 0; slides && i < ret->dims; i++) {
        int at = EC_WINDOW_DIMS - ret->dims + i;
        int64_t in = transposed ? of.out[at] : of.in[at];
        int64_t out = transposed ? of.in[at] : of.out[at];

        ret->filter[i] = of.filter[at];
        ret->stride[i] = of.stride[at];
        ret->dil[i] = of.dil[at];
        ret->pad0[i] = of.pad[at];
        ret->pad1[i] =
            (out - 1) * of.stride[at] + (of.filter[at] - 1) * of.dil[at] + 1 - in - of.pad[at];
    }
}
