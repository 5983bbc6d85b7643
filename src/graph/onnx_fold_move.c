/* Shape arithmetic that moves elements: picking, reshaping, counting up. */
#include "graph/onnx_fold_internal.h"

#include <math.h>
#include <string.h>

struct onnx_known *ec__fold_copy(const struct fold *f, const struct ec_shape *shape)
{
    struct ec_type t = { *shape, f->in[0]->type.dtype };
    struct onnx_known *k = ec__onnx_new_known(f->c, &t);

    if (!k || k->n != f->in[0]->n)
        return NULL;
    memcpy(k->v, f->in[0]->v, (size_t)k->n * sizeof *k->v);
    return k;
}

double ec__fold_clamp(double v, double lo, double hi)
{
    return !(v > lo) ? lo : v > hi ? hi : v; /* not a number becomes lo */
}

static struct onnx_known *new_vector(const struct fold *f, enum ec_dtype dtype, int64_t n)
{
    struct ec_type t = {
        {1, { n }},
        dtype
    };

    return ec__onnx_new_known(f->c, &t);
}

static bool axis_of(const struct fold *f, int64_t deflt, int64_t *ret)
{
    int rank = f->in[0]->type.shape.rank;

    *ret = ec__onnx_attr_int(f->n, "axis", deflt);
    if (*ret < 0)
        *ret += rank;
    return *ret >= 0 && *ret < rank;
}

/* (outer, axis, inner) sizes around a dimension. */
static void around(const struct ec_shape *s, int64_t axis, int64_t *outer, int64_t *inner)
{
    int i;

    *outer = *inner = 1;
    for (i = 0; i < s->rank; i++) {
        if (i < axis)
            *outer *= s->d[i];
        if (i > axis)
            *inner *= s->d[i];
    }
}

/* The elements of dimension `axis` picked by `index` (n of them). */
static struct onnx_known *pick(const struct fold *f, int64_t axis, const int64_t *index, int64_t n,
                               const struct ec_shape *shape)
{
    const struct onnx_known *from = f->in[0];
    struct ec_type t = { *shape, from->type.dtype };
    struct onnx_known *k = ec__onnx_new_known(f->c, &t);
    int64_t outer, inner, o, i, j, at = 0, size = from->type.shape.d[axis];

    around(&from->type.shape, axis, &outer, &inner);
    if (!k || k->n != outer * n * inner)
        return NULL;
    for (o = 0; o < outer; o++)
        for (i = 0; i < n; i++)
            for (j = 0; j < inner; j++)
                k->v[at++] = from->v[(o * size + index[i]) * inner + j];
    return k;
}

struct onnx_known *ec__fold_gather(const struct fold *f)
{
    const struct ec_shape *s = &f->in[0]->type.shape;
    int64_t *index, axis, i;
    struct ec_shape out;
    int d;

    if (f->n_in != 2 || !axis_of(f, 0, &axis) ||
        s->rank - 1 + f->in[1]->type.shape.rank > EC_RANK_MAX)
        return NULL;
    index = ec_arena_alloc(f->c->a, (size_t)(f->in[1]->n + 1) * sizeof *index);
    for (i = 0; index && i < f->in[1]->n; i++) {
        double at = f->in[1]->v[i] + (f->in[1]->v[i] < 0 ? (double)s->d[axis] : 0);

        if (!(at >= 0 && at < (double)s->d[axis]))
            return NULL;
        index[i] = (int64_t)at;
    }
    out = f->in[1]->type.shape;
    for (d = out.rank - 1; d >= 0; d--)
        out.d[d + axis] = out.d[d];
    for (d = 0; d < s->rank; d++)
        if (d != axis)
            out.d[d < axis ? d : d - 1 + f->in[1]->type.shape.rank] = s->d[d];
    out.rank += s->rank - 1;
    return index ? pick(f, axis, index, f->in[1]->n, &out) : NULL;
}

/* One axis of a slice: how many elements, where from, in which steps. */
static int64_t slice_range(double start, double end, double step, int64_t size, int64_t *ret_from)
{
    double n = (double)size;

    start = ec__fold_clamp(start < 0 ? start + n : start, 0, step < 0 ? n - 1 : n);
    end = ec__fold_clamp(end < 0 ? end + n : end, step < 0 ? -1 : 0, n);
    *ret_from = (int64_t)start;
    if (step == 0 || (end - start) / step <= 0)
        return 0;
    return (int64_t)ceil((end - start) / step);
}

struct onnx_known *ec__fold_slice(const struct fold *f)
{
    struct ec_ints starts, ends, axes, steps;
    int64_t index[256], n, from, i, axis;
    struct ec_shape out = f->in[0]->type.shape;

    if (!ec__onnx_ints(f->c, "starts", 1, &starts) || !ec__onnx_ints(f->c, "ends", 2, &ends) ||
        starts.n != 1 || ends.n != 1)
        return NULL;
    axis = ec__onnx_ints(f->c, "axes", 3, &axes) && axes.n == 1 ? axes.v[0] : 0;
    axis += axis < 0 ? out.rank : 0;
    if (!ec__onnx_ints(f->c, "steps", 4, &steps) || steps.n != 1)
        steps = (struct ec_ints){ 1, { 1 } };
    if (axis < 0 || axis >= out.rank)
        return NULL;
    n = slice_range((double)starts.v[0], (double)ends.v[0], (double)steps.v[0], out.d[axis], &from);
    if (n > EC_LEN(index))
        return NULL;
    for (i = 0; i < n; i++)
        index[i] = from + i * steps.v[0];
    out.d[axis] = n;
    return pick(f, axis, index, n, &out);
}

struct onnx_known *ec__fold_transpose(const struct fold *f)
{
    const struct onnx_attr *perm = ec__onnx_attr(f->n, "perm");
    const struct ec_shape *s = &f->in[0]->type.shape;
    struct ec_type t = f->in[0]->type;
    struct onnx_known *k;

    if (s->rank < 2)
        return ec__fold_copy(f, s);
    if (s->rank != 2 || (perm && (perm->n_ints != 2 || perm->ints[0] != 1 || perm->ints[1] != 0)))
        return NULL;
    t.shape.d[0] = s->d[1];
    t.shape.d[1] = s->d[0];
    k = ec__onnx_new_known(f->c, &t);
    for (int64_t i = 0; k && i < k->n; i++)
        k->v[i] = f->in[0]->v[i % s->d[0] * s->d[1] + i / s->d[0]];
    return k;
}

struct onnx_known *ec__fold_reshape(const struct fold *f)
{
    struct ec_shape out = { 0 };
    int64_t known = 1, i;
    int infer = -1;

    if (f->n_in != 2 || f->in[1]->n > EC_RANK_MAX)
        return NULL;
    out.rank = (int)f->in[1]->n;
    for (i = 0; i < out.rank; i++) {
        double d = f->in[1]->v[i];

        if (d == 0 && i < f->in[0]->type.shape.rank)
            d = (double)f->in[0]->type.shape.d[i];
        if (d < 0)
            infer = (int)i;
        out.d[i] = (int64_t)ec__fold_clamp(d, -1, ONNX_KNOWN_MAX + 1);
        if (d >= 0 && (!ec_mul_i64(known, out.d[i], &known) || known > ONNX_KNOWN_MAX))
            return NULL;
    }
    if (infer >= 0)
        out.d[infer] = known ? f->in[0]->n / known : 0;
    return ec__fold_copy(f, &out);
}

struct onnx_known *ec__fold_flatten(const struct fold *f)
{
    struct ec_shape out = {
        2, {1, f->in[0]->n}
    };

    return f->in[0]->type.shape.rank <= 1 ? ec__fold_copy(f, &out) : NULL;
}

struct onnx_known *ec__fold_squeeze(const struct fold *f)
{
    const struct ec_shape *s = &f->in[0]->type.shape;
    struct ec_shape out = { 0 };
    struct ec_ints axes;
    bool all = !ec__onnx_ints(f->c, "axes", 1, &axes);
    int d, i;

    for (d = 0; d < s->rank; d++) {
        bool drop = all && s->d[d] == 1;

        for (i = 0; !all && i < axes.n; i++)
            drop = drop || axes.v[i] == d || axes.v[i] == d - s->rank;
        if (!drop)
            out.d[out.rank++] = s->d[d];
    }
    return ec__fold_copy(f, &out);
}

struct onnx_known *ec__fold_unsqueeze(const struct fold *f)
{
    const struct ec_shape *s = &f->in[0]->type.shape;
    struct ec_shape out = { 0 };
    struct ec_ints axes;
    int d, i, from = 0;

    if (!ec__onnx_ints(f->c, "axes", 1, &axes) || s->rank + axes.n > EC_RANK_MAX)
        return NULL;
    out.rank = s->rank + axes.n;
    for (d = 0; d < out.rank; d++) {
        bool add = false;

        for (i = 0; i < axes.n; i++)
            add = add || axes.v[i] == d || axes.v[i] == d - out.rank;
        out.d[d] = add || from >= s->rank ? 1 : s->d[from++];
    }
    return ec__fold_copy(f, &out);
}

struct onnx_known *ec__fold_range(const struct fold *f)
{
    struct onnx_known *k;
    double start, n;
    int64_t i;

    if (f->n_in != 3 || f->in[0]->n != 1 || f->in[1]->n != 1 || f->in[2]->n != 1 ||
        f->in[2]->v[0] == 0)
        return NULL;
    start = f->in[0]->v[0];
    n = ceil((f->in[1]->v[0] - start) / f->in[2]->v[0]);
    if (!(n <= ONNX_KNOWN_MAX))
        return NULL;
    k = new_vector(f, f->in[0]->type.dtype, n > 0 ? (int64_t)n : 0);
    for (i = 0; k && i < k->n; i++)
        k->v[i] = start + (double)i * f->in[2]->v[0];
    return k;
}

struct onnx_known *ec__fold_constant_of_shape(const struct fold *f)
{
    const struct onnx_attr *at = ec__onnx_attr(f->n, "value");
    struct ec_type t = { { 0 }, EC_DT_f32 };
    struct onnx_known *k;
    int64_t i;

    if (f->in[0]->n > EC_RANK_MAX)
        return NULL;
    t.shape.rank = (int)f->in[0]->n;
    if (at && at->t)
        t.dtype = at->t->type.dtype;
    for (i = 0; i < t.shape.rank; i++)
        t.shape.d[i] = (int64_t)ec__fold_clamp(f->in[0]->v[i], -1, ONNX_KNOWN_MAX + 1);
    k = ec__onnx_new_known(f->c, &t);
    for (i = 0; k && i < k->n; i++)
        k->v[i] = at && at->t && at->t->v ? at->t->v[0] : 0;
    return k;
}

/* Indices of what is not zero, (rank, count): exporters write arange so. */
struct onnx_known *ec__fold_nonzero(const struct fold *f)
{
    const struct onnx_known *x = f->in[0];
    struct ec_type t = {
        {2, { x->type.shape.rank, 0 }},
        EC_DT_i64
    };
    struct onnx_known *k;
    int64_t i, at = 0, rest;
    int d;

    for (i = 0; i < x->n; i++)
        t.shape.d[1] += x->v[i] != 0;
    k = ec__onnx_new_known(f->c, &t);
    for (i = 0; k && i < x->n; i++) {
        if (x->v[i] == 0)
            continue;
        for (d = x->type.shape.rank - 1, rest = i; d >= 0; d--) {
            k->v[d * t.shape.d[1] + at] = (double)(rest % x->type.shape.d[d]);
            rest /= x->type.shape.d[d];
        }
        at++;
    }
    return k;
}
