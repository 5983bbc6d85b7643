/* Attributes and windows of a case, read from outside: through the field table, so that the structs
 * of the rules stay their own. */
#include "op/op.h"

#include <assert.h>

static const void *attr_at(const struct ec_case *c, const char *name, enum ec_field_type *ret)
{
    const struct ec_field *f = ec_field_find(c->op->fields, ec_span_of(name));

    assert(f);
    *ret = f->type;
    return (const char *)c->attrs + f->offset;
}

bool ec_case_has(const struct ec_case *c, const char *attr)
{
    return ec_field_find(c->op->fields, ec_span_of(attr)) != NULL;
}

int64_t ec_case_int(const struct ec_case *c, const char *attr)
{
    enum ec_field_type type;
    const void *p = attr_at(c, attr, &type);

    assert(type == EC_F_INT || type == EC_F_BOOL || type == EC_F_ENUM);
    if (type == EC_F_BOOL)
        return *(const bool *)p;
    return type == EC_F_ENUM ? *(const int *)p : *(const int64_t *)p;
}

double ec_case_double(const struct ec_case *c, const char *attr)
{
    enum ec_field_type type;
    const void *p = attr_at(c, attr, &type);

    assert(type == EC_F_DOUBLE);
    return *(const double *)p;
}

const struct ec_ints *ec_case_ints(const struct ec_case *c, const char *attr)
{
    enum ec_field_type type;
    const void *p = attr_at(c, attr, &type);

    assert(type == EC_F_INTS);
    return p;
}

int ec_case_axis(const struct ec_case *c)
{
    int64_t axis = ec_case_int(c, "axis");

    return (int)(axis < 0 ? axis + c->in[0]->shape.rank : axis);
}

/* Element i of a list that holds one number for all, or one each. */
static int64_t one_or_each(const struct ec_ints *v, int i)
{
    return v->v[v->n == 1 ? 0 : i];
}

static int64_t int_or(const struct ec_case *c, const char *attr, int64_t missing)
{
    return ec_case_has(c, attr) ? ec_case_int(c, attr) : missing;
}

/* Elements between the first and the last that a window touches. */
static int64_t span(const struct ec_window *w, int i)
{
    return (w->filter[i] - 1) * w->dil[i] + 1;
}

/* Padding that makes the extents meet; a transposed convolution's output plays the input. */
static void pad_same(struct ec_window *w, int i, bool transposed)
{
    int64_t in = transposed ? w->out[i] : w->in[i], out = transposed ? w->in[i] : w->out[i];
    int64_t total = (out - 1) * w->stride[i] + span(w, i) - in;

    w->pad[i] = total > 0 ? total / 2 : 0;
    w->pad_end[i] = total > 0 ? total - w->pad[i] : 0;
}

/* n < 0 are the words: -1 valid, -2 same. */
static void set_pad(const struct ec_case *c, struct ec_window *w, int i, int at, int dims)
{
    const struct ec_ints *pad = ec_case_ints(c, "pad");

    if (pad->n == -2) {
        pad_same(w, at, ec_case_has(c, "out_pad"));
    } else if (pad->n > 0) {
        w->pad[at] = one_or_each(pad, i);
        w->pad_end[at] = pad->n == 2 * dims ? pad->v[dims + i] : w->pad[at];
    }
}

static void set_filter(const struct ec_case *c, struct ec_window *w, int dims)
{
    int64_t r = ec_case_int(c, "r"), s = int_or(c, "s", 0);

    w->filter[0] = dims == 3 ? int_or(c, "t", 1) : 1;
    w->filter[1] = dims >= 2 ? r : 1;
    w->filter[2] = dims == 1 || s == 0 ? r : s;
}

bool ec_case_window(const struct ec_case *c, struct ec_window *ret)
{
    static const struct ec_ints one = { 1, { 1 } };
    struct ec_window w = {
        {1,  1, 1},
        { 1, 1, 1},
        { 1, 1, 1},
        { 1, 1, 1},
        { 1, 1, 1},
        { 0, 0, 0},
        { 0, 0, 0}
    };
    int dims = c->in[0]->shape.rank - 2, i;

    if (!ec_case_has(c, "stride") || !ec_case_has(c, "pad"))
        return false;
    set_filter(c, &w, dims);
    for (i = 0; i < dims; i++) {
        const struct ec_ints *dil = ec_case_has(c, "dil") ? ec_case_ints(c, "dil") : &one;
        int at = EC_WINDOW_DIMS - dims + i;

        w.in[at] = c->in[0]->shape.d[2 + i];
        w.out[at] = c->out[0]->shape.d[2 + i];
        w.stride[at] = one_or_each(ec_case_ints(c, "stride"), i);
        if (w.stride[at] == 0) /* pooling: as the window */
            w.stride[at] = w.filter[at];
        w.dil[at] = one_or_each(dil, i);
        set_pad(c, &w, i, at, dims);
    }
    *ret = w;
    return true;
}
