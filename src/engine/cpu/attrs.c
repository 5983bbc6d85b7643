/* Attributes of operators by name, and windows with their padding worked out. */
#include "engine/cpu/cpu_internal.h"

#include <assert.h>
#include <string.h>

static const void *attr(const struct ec_case *c, const char *name)
{
    const struct ec_field *f = ec_field_find(c->op->fields, ec_span_of(name));

    assert(f);
    return (const char *)c->attrs + f->offset;
}

bool ec__attr_has(const struct ec_case *c, const char *name)
{
    return c->op->fields && ec_field_find(c->op->fields, ec_span_of(name));
}

int64_t ec__attr_int(const struct ec_case *c, const char *name)
{
    return *(const int64_t *)attr(c, name);
}

double ec__attr_double(const struct ec_case *c, const char *name)
{
    return *(const double *)attr(c, name);
}

bool ec__attr_bool(const struct ec_case *c, const char *name)
{
    return *(const bool *)attr(c, name);
}

int ec__attr_enum(const struct ec_case *c, const char *name)
{
    return *(const int *)attr(c, name);
}

const struct ec_ints *ec__attr_ints(const struct ec_case *c, const char *name)
{
    return attr(c, name);
}

int64_t ec__elems(const struct ec_type *t)
{
    int64_t n = 0;

    return ec_shape_count(&t->shape, &n) ? n : 0;
}

bool ec__op_is(const struct ec_knode *k, const char *name)
{
    return !strcmp(k->c->op->name, name);
}

/* Entry i of a list that has one number for all dimensions, or one each. */
static int64_t entry(const struct ec_ints *v, int i)
{
    return v->v[v->n == 1 ? 0 : i];
}

static void filter_of(const struct ec_case *c, struct ec__win *w)
{
    int64_t r = ec__attr_int(c, "r"), s = w->dims > 1 ? ec__attr_int(c, "s") : 0;

    if (w->dims == 3)
        w->filter[0] = ec__attr_int(c, "t");
    if (w->dims == 1)
        w->filter[0] = r;
    else {
        w->filter[w->dims - 2] = r;
        w->filter[w->dims - 1] = s ? s : r;
    }
}

#define PAD_SAME (-2)

/* Begin as written, or half of what "same" needs. The end is whatever the output's extent says:
 * that may be more than written (windows that hang over), or less (rows no window reaches). */
static int64_t pad_begin(const struct ec_ints *pad, int i, int64_t needed)
{
    if (pad->n == PAD_SAME)
        return needed > 0 ? needed / 2 : 0;
    return pad->n < 0 ? 0 : entry(pad, i);
}

bool ec__window_of(const struct ec_case *c, bool transposed, struct ec__win *ret)
{
    static const struct ec_ints one = { 1, { 1 } };
    const struct ec_ints *stride = ec__attr_ints(c, "stride"), *pad = ec__attr_ints(c, "pad");
    const struct ec_ints *dil = ec__attr_has(c, "dil") ? ec__attr_ints(c, "dil") : &one;
    const struct ec_shape *x = &c->in[0]->shape, *y = &c->out[0]->shape;
    struct ec__win w;
    int i;

    memset(&w, 0, sizeof w);
    w.dims = x->rank - 2;
    filter_of(c, &w);
    for (i = 0; i < w.dims; i++) {
        int64_t in = transposed ? y->d[2 + i] : x->d[2 + i];
        int64_t out = transposed ? x->d[2 + i] : y->d[2 + i], needed;

        w.stride[i] = entry(stride, i) ? entry(stride, i) : w.filter[i];
        w.dil[i] = entry(dil, i);
        needed = (out - 1) * w.stride[i] + (w.filter[i] - 1) * w.dil[i] + 1 - in;
        w.pad0[i] = pad_begin(pad, i, needed);
        w.pad1[i] = needed - w.pad0[i];
    }
    *ret = w;
    return true;
}
