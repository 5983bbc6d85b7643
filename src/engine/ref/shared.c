/* Elements, strides and what preparing has in common. */
#include "engine/ref/ref_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define INTS(X) X(i64, int64_t) X(i32, int32_t) X(i16, int16_t) X(i8, int8_t) X(u8, uint8_t)

/* bool is held as a byte. */
static enum ec_dtype held(const struct ec_type *t)
{
    return t->dtype == EC_DT_bool ? EC_DT_u8 : t->dtype;
}

double ec__ref_load(const struct ec_type *t, const void *p, int64_t i)
{
    if (ec_dtype_is_float(t->dtype))
        return (double)((const real *)p)[i];
    return (double)ec__ref_load_int(t, p, i);
}

int64_t ec__ref_load_int(const struct ec_type *t, const void *p, int64_t i)
{
    switch (held(t)) {
#define LOAD(name, ctype)                                                                          \
    case EC_DT_##name:                                                                             \
        return ((const ctype *)p)[i];
        INTS(LOAD)
#undef LOAD
    default:
        return (int64_t)llrint((double)((const real *)p)[i]);
    }
}

void ec__ref_store(const struct ec_type *t, void *p, int64_t i, double v)
{
    switch (held(t)) {
#define STORE(name, ctype)                                                                         \
    case EC_DT_##name:                                                                             \
        ((ctype *)p)[i] = (ctype)(int64_t)v;                                                       \
        break;
        INTS(STORE)
#undef STORE
    default:
        ((real *)p)[i] = (real)v;
    }
}

enum ec_status ec__ref_index(const struct ec_case *c, int input, const void *p, int64_t i,
                             int64_t extent, bool from_end, int64_t *ret, struct ec_err *err)
{
    int64_t v = ec__ref_load_int(c->in[input], p, i);

    *ret = from_end && v < 0 ? v + extent : v;
    if (*ret >= 0 && *ret < extent)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "%s: index %lld at element %lld, expected less than %lld",
                   c->op->name, (long long)v, (long long)i, (long long)extent);
}

void ec__ref_from_double(const double *from, real *to, int64_t n)
{
    int64_t i;

    for (i = 0; i < n; i++)
        to[i] = (real)from[i];
}

void ec__ref_keep(struct ec_knode *k, unsigned in, unsigned out)
{
    int i;

    if (!ec_knode_wants(k))
        return;
    for (i = 0; i < k->c->n_in && i < 32; i++)
        k->keep_in[i] = in & 1u << i;
    for (i = 0; i < k->c->n_out && i < 32; i++)
        k->keep_out[i] = out & 1u << i;
}

bool ec__ref_is_real(const struct ec_knode *k)
{
    return ec_dtype_is_float(k->c->in[0]->dtype) && ec_dtype_is_float(k->c->out[0]->dtype);
}

enum ec_status ec__ref_prepare(const struct ec__ref_kernel *r, struct ec_knode *k,
                               struct ec_err *err)
{
    k->impl = "ref";
    k->split_backward = r->split_backward;
    ec__ref_keep(k, r->keeps_in, r->keeps_out);
    return !r->prepare || r->prepare(k) ? EC_OK : ec_nomem(err);
}

void ec__ref_clear_d_in(const struct ec__ref_call *call, int i)
{
    if (call->a->d_in[i])
        memset(call->a->d_in[i], 0, sizeof(real) * (size_t)ec__ref_elems(call->c->in[i]));
}

int ec__ref_param(const struct ec_knode *k, const char *role)
{
    struct ec_param_list l = { 0 };
    int i;

    if (k->c->op->params)
        k->c->op->params(k->c, &l);
    for (i = 0; i < l.n; i++)
        if (ec_str_eq(l.p[i].role, role))
            return i;
    return -1;
}

struct ec__ref_lines ec__ref_lines_of(const struct ec_shape *s, int axis)
{
    struct ec__ref_lines l = { 1, 1, 1 };
    int i;

    for (i = 0; i < s->rank; i++)
        *(i < axis ? &l.outer : i > axis ? &l.inner : &l.n) *= s->d[i];
    return l;
}

struct ec__ref_walk ec__ref_walk_over(const struct ec_shape *shape)
{
    struct ec__ref_walk w = { 0 };
    int i;

    w.rank = shape->rank ? shape->rank : 1;
    w.d[0] = 1;
    for (i = 0; i < shape->rank; i++)
        w.d[i] = shape->d[i];
    return w;
}

void ec__ref_walk_add(struct ec__ref_walk *w, const struct ec_shape *t)
{
    int64_t stride = 1;
    int i;

    assert(w->n < EC__REF_WALK_MAX);
    for (i = 1; i <= t->rank && i <= w->rank; i++) {
        int64_t d = t->d[t->rank - i];

        w->s[w->n][w->rank - i] = d == 1 ? 0 : stride;
        stride *= d;
    }
    w->n++;
}

void ec__ref_walk_add_reduced(struct ec__ref_walk *w, unsigned set)
{
    int64_t stride = 1;
    int i;

    assert(w->n < EC__REF_WALK_MAX);
    for (i = w->rank - 1; i >= 0; i--) {
        if (set & 1u << i)
            continue;
        w->s[w->n][i] = stride;
        stride *= w->d[i];
    }
    w->n++;
}

void ec__ref_walk_begin(struct ec__ref_walk *w)
{
    int i;

    w->done = false;
    for (i = 0; i < w->rank; i++) {
        w->at[i] = 0;
        if (w->d[i] == 0)
            w->done = true;
    }
    w->len = w->d[w->rank - 1];
    for (i = 0; i < w->n; i++) {
        w->off[i] = 0;
        w->step[i] = w->s[i][w->rank - 1];
    }
}

void ec__ref_walk_next(struct ec__ref_walk *w)
{
    int axis, i;

    for (axis = w->rank - 2; axis >= 0; axis--) {
        bool wraps = ++w->at[axis] == w->d[axis];

        for (i = 0; i < w->n; i++)
            w->off[i] += wraps ? -w->s[i][axis] * (w->d[axis] - 1) : w->s[i][axis];
        if (!wraps)
            return;
        w->at[axis] = 0;
    }
    w->done = true;
}

double ec__ref_drop(uint64_t seed, int64_t i, double p)
{
    uint64_t z = seed + ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53 < p ? 0 : 1 / (1 - p);
}
