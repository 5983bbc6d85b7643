/* Shape arithmetic: exporters compute reshape targets and slice bounds with operators on small
 * integer tensors. Those are evaluated here, while reading; no device ever runs them. */
#include "graph/onnx_fold_internal.h"

#include <math.h>
#include <string.h>

/* A parameter stays one even where its few elements are known. */
static const struct onnx_known *foldable(const struct onnx_conv *c, int value)
{
    return value < 0 || c->val[value].param >= 0 ? NULL : c->val[value].known;
}

static bool broadcast(struct ec_shape *acc, const struct ec_shape *s)
{
    struct ec_shape out = acc->rank >= s->rank ? *acc : *s;
    int i;

    for (i = 1; i <= acc->rank && i <= s->rank; i++) {
        int64_t a = acc->d[acc->rank - i], b = s->d[s->rank - i];

        if (a != b && a != 1 && b != 1)
            return false;
        out.d[out.rank - i] = a == 1 ? b : a;
    }
    *acc = out;
    return true;
}

/* --- element by element --- */

enum unary { U_SAME, U_NEG, U_ABS, U_FLOOR, U_CEIL, U_ROUND, U_SQRT, U_NOT, U_SIGN, U_RECIP };

static double unary(enum unary u, double x)
{
    switch (u) {
    case U_NEG:
        return -x;
    case U_ABS:
        return fabs(x);
    case U_FLOOR:
        return floor(x);
    case U_CEIL:
        return ceil(x);
    case U_ROUND:
        return nearbyint(x);
    case U_SQRT:
        return sqrt(x);
    case U_NOT:
        return x == 0;
    case U_SIGN:
        return (x > 0) - (x < 0);
    case U_RECIP:
        return 1 / x;
    case U_SAME:
        break;
    }
    return x;
}

static struct onnx_known *fold_unary(const struct fold *f)
{
    struct onnx_known *k = ec__fold_copy(f, &f->in[0]->type.shape);
    int64_t i;

    for (i = 0; k && i < k->n; i++)
        k->v[i] = unary((enum unary)f->arg, k->v[i]);
    return k;
}

static struct onnx_known *fold_cast(const struct fold *f)
{
    struct onnx_known *k = ec__fold_copy(f, &f->in[0]->type.shape);
    int64_t i;

    if (!k)
        return NULL;
    k->type.dtype = ec__onnx_dtype(ec__onnx_attr_int(f->n, "to", 1));
    for (i = 0; i < k->n; i++)
        if (k->type.dtype == EC_DT_bool)
            k->v[i] = k->v[i] != 0;
        else if (!ec_dtype_is_float(k->type.dtype))
            k->v[i] = trunc(k->v[i]);
    return k;
}

enum binary {
    B_ADD,
    B_SUB,
    B_MUL,
    B_DIV,
    B_MOD,
    B_POW,
    B_MIN,
    B_MAX,
    B_COMPARE, /* from here on the result is a truth value */
    B_EQ = B_COMPARE,
    B_LT,
    B_GT,
    B_LE,
    B_GE,
    B_AND,
    B_OR
};

static double binary(enum binary b, double x, double y, bool whole)
{
    switch (b) {
    case B_ADD:
        return x + y;
    case B_SUB:
        return x - y;
    case B_MUL:
        return x * y;
    case B_DIV:
        return whole ? (y == 0 ? 0 : trunc(x / y)) : x / y;
    case B_MOD:
        return y == 0 ? 0 : x - floor(x / y) * y;
    case B_POW:
        return pow(x, y);
    case B_MIN:
        return fmin(x, y);
    case B_MAX:
        return fmax(x, y);
    case B_EQ:
        return x == y;
    case B_LT:
        return x < y;
    case B_GT:
        return x > y;
    case B_LE:
        return x <= y;
    case B_GE:
        return x >= y;
    case B_AND:
        return x != 0 && y != 0;
    case B_OR:
        return x != 0 || y != 0;
    }
    return 0;
}

/* Offset in a tensor of shape s for element i of the broadcast shape. */
static int64_t broadcast_index(const struct ec_shape *full, const struct ec_shape *s, int64_t i)
{
    int64_t at = 0, step = 1;
    int d;

    for (d = 1; d <= s->rank; d++) {
        int64_t size = full->d[full->rank - d];
        int64_t digit = size ? i % size : 0;

        i = size ? i / size : 0;
        if (s->d[s->rank - d] != 1)
            at += digit * step;
        step *= s->d[s->rank - d];
    }
    return at;
}

static struct onnx_known *fold_binary(const struct fold *f)
{
    const struct onnx_known *a = f->in[0], *b = f->in[1];
    struct ec_type t = a->type;
    struct onnx_known *k;
    int64_t i;

    if (f->n_in != 2 || !broadcast(&t.shape, &b->type.shape))
        return NULL;
    if (f->arg >= B_COMPARE)
        t.dtype = EC_DT_bool;
    k = ec__onnx_new_known(f->c, &t);
    for (i = 0; k && i < k->n; i++)
        k->v[i] = binary((enum binary)f->arg, a->v[broadcast_index(&t.shape, &a->type.shape, i)],
                         b->v[broadcast_index(&t.shape, &b->type.shape, i)],
                         !ec_dtype_is_float(a->type.dtype));
    return k;
}

/* Reduction of everything, or of a vector: what shape arithmetic uses. */
static struct onnx_known *fold_reduce(const struct fold *f)
{
    const struct onnx_known *x = f->in[0];
    bool keep = ec__onnx_attr_int(f->n, "keepdims", 1) != 0;
    struct ec_type t = { { 0 }, x->type.dtype };
    struct onnx_known *k;
    int64_t i;

    if (x->type.shape.rank > 1 || x->n < 1)
        return NULL;
    t.shape.rank = keep ? x->type.shape.rank : 0;
    t.shape.d[0] = 1;
    k = ec__onnx_new_known(f->c, &t);
    if (!k)
        return NULL;
    k->v[0] = x->v[0];
    for (i = 1; i < x->n; i++)
        k->v[0] = binary((enum binary)f->arg, k->v[0], x->v[i], false);
    return k;
}

static struct onnx_known *fold_where(const struct fold *f)
{
    struct ec_type t = f->in[0]->type;
    struct onnx_known *k;
    int64_t i;

    if (f->n_in != 3 || !broadcast(&t.shape, &f->in[1]->type.shape) ||
        !broadcast(&t.shape, &f->in[2]->type.shape))
        return NULL;
    t.dtype = f->in[1]->type.dtype;
    k = ec__onnx_new_known(f->c, &t);
    for (i = 0; k && i < k->n; i++) {
        bool yes = f->in[0]->v[broadcast_index(&t.shape, &f->in[0]->type.shape, i)] != 0;
        const struct onnx_known *from = f->in[yes ? 1 : 2];

        k->v[i] = from->v[broadcast_index(&t.shape, &from->type.shape, i)];
    }
    return k;
}

static struct onnx_known *fold_expand(const struct fold *f)
{
    struct ec_type t = f->in[0]->type;
    struct ec_shape want = { 0 };
    struct onnx_known *k;
    int64_t i;

    if (f->n_in != 2 || f->in[1]->n > EC_RANK_MAX)
        return NULL;
    want.rank = (int)f->in[1]->n;
    for (i = 0; i < want.rank; i++)
        want.d[i] = (int64_t)fmin(fmax(f->in[1]->v[i], 0), ONNX_KNOWN_MAX + 1);
    if (!broadcast(&t.shape, &want))
        return NULL;
    k = ec__onnx_new_known(f->c, &t);
    for (i = 0; k && i < k->n; i++)
        k->v[i] = f->in[0]->v[broadcast_index(&t.shape, &f->in[0]->type.shape, i)];
    return k;
}

/* --- nodes that take any number of inputs, or look only at shapes --- */

static struct onnx_known *fold_concat(struct onnx_conv *c, const struct onnx_node *n)
{
    struct ec_type t = {
        {1, { 0 }},
        EC_DT_i64
    };
    struct onnx_known *k;
    int64_t at = 0;
    int i;

    for (i = 0; i < n->n_in; i++) {
        const struct onnx_known *in = foldable(c, n->in[i]);

        if (!in || in->type.shape.rank != 1)
            return NULL;
        t.dtype = in->type.dtype;
        t.shape.d[0] += in->n;
    }
    k = ec__onnx_new_known(c, &t);
    for (i = 0; k && i < n->n_in; i++) {
        const struct onnx_known *in = ec__onnx_known(c, n->in[i]);

        memcpy(k->v + at, in->v, (size_t)in->n * sizeof *k->v);
        at += in->n;
    }
    return k;
}

static struct onnx_known *fold_shape(struct onnx_conv *c, const struct onnx_node *n)
{
    struct ec_type in, t = {
        {1, { 0 }},
        EC_DT_i64
    };
    struct onnx_known *k;
    int64_t from, to, i;

    if (!ec__onnx_type(c, ec__onnx_in(n, 0), &in))
        return NULL;
    from = ec__onnx_attr_int(n, "start", 0);
    to = ec__onnx_attr_int(n, "end", in.shape.rank);
    from =
        (int64_t)ec__fold_clamp((double)(from < 0 ? from + in.shape.rank : from), 0, in.shape.rank);
    to = (int64_t)ec__fold_clamp((double)(to < 0 ? to + in.shape.rank : to), 0, in.shape.rank);
    t.shape.d[0] = to > from ? to - from : 0;
    k = ec__onnx_new_known(c, &t);
    for (i = 0; k && i < k->n; i++)
        k->v[i] = (double)in.shape.d[from + i];
    return k;
}

static struct onnx_known *fold_size(struct onnx_conv *c, const struct onnx_node *n)
{
    struct ec_type in, t = {
        {0, { 0 }},
        EC_DT_i64
    };
    struct onnx_known *k;

    if (!ec__onnx_type(c, ec__onnx_in(n, 0), &in))
        return NULL;
    k = ec__onnx_new_known(c, &t);
    if (k)
        k->v[0] = ec_type_elems(&in);
    return k;
}

static struct onnx_known *from_tensor(struct onnx_conv *c, const struct onnx_tensor *t)
{
    struct onnx_known *k = t && t->v ? ec__onnx_new_known(c, &t->type) : NULL;

    if (k)
        memcpy(k->v, t->v, (size_t)k->n * sizeof *k->v);
    return k;
}

static struct onnx_known *fold_constant(struct onnx_conv *c, const struct onnx_node *n)
{
    const struct onnx_attr *at = n->n_attr ? &n->attr[0] : NULL;
    struct ec_type t = {
        {0, { 0 }},
        EC_DT_i64
    };
    struct onnx_known *k;
    int64_t i;

    if (!at || at->t)
        return at ? from_tensor(c, at->t) : NULL;
    if (ec_span_eq(at->name, "value_float") || ec_span_eq(at->name, "value_floats"))
        t.dtype = EC_DT_f32;
    t.shape.rank = at->n_ints || at->n_floats ? 1 : 0;
    t.shape.d[0] = at->n_ints ? at->n_ints : at->n_floats;
    if (at->s.len || (!t.shape.rank && !at->has_i && !at->has_f))
        return NULL;
    k = ec__onnx_new_known(c, &t);
    for (i = 0; k && i < k->n; i++)
        k->v[i] = at->n_ints     ? (double)at->ints[i]
                  : at->n_floats ? at->floats[i]
                  : at->has_f    ? at->f
                                 : (double)at->i;
    return k;
}

/* --- the table --- */

struct fold_row {
    const char *op;
    fold_fn *fn;
    int arg;
};

/* clang-format off */
static const struct fold_row rows[] = {
    { "Abs", fold_unary, U_ABS },         { "Add", fold_binary, B_ADD },
    { "And", fold_binary, B_AND },        { "Cast", fold_cast, 0 },
    { "Ceil", fold_unary, U_CEIL },       { "ConstantOfShape", ec__fold_constant_of_shape, 0 },
    { "Div", fold_binary, B_DIV },        { "Equal", fold_binary, B_EQ },
    { "Expand", fold_expand, 0 },         { "Flatten", ec__fold_flatten, 0 },
    { "Floor", fold_unary, U_FLOOR },     { "Gather", ec__fold_gather, 0 },
    { "Greater", fold_binary, B_GT },     { "GreaterOrEqual", fold_binary, B_GE },
    { "Identity", fold_unary, U_SAME },   { "Less", fold_binary, B_LT },
    { "LessOrEqual", fold_binary, B_LE }, { "Max", fold_binary, B_MAX },
    { "Min", fold_binary, B_MIN },        { "Mod", fold_binary, B_MOD },
    { "Mul", fold_binary, B_MUL },        { "Neg", fold_unary, U_NEG },
    { "NonZero", ec__fold_nonzero, 0 },
    { "Not", fold_unary, U_NOT },         { "Or", fold_binary, B_OR },
    { "Pow", fold_binary, B_POW },        { "Range", ec__fold_range, 0 },
    { "Reciprocal", fold_unary, U_RECIP }, { "ReduceMax", fold_reduce, B_MAX },
    { "ReduceMin", fold_reduce, B_MIN },  { "ReduceProd", fold_reduce, B_MUL },
    { "ReduceSum", fold_reduce, B_ADD },  { "Reshape", ec__fold_reshape, 0 },
    { "Round", fold_unary, U_ROUND },     { "Sign", fold_unary, U_SIGN },
    { "Slice", ec__fold_slice, 0 },           { "Sqrt", fold_unary, U_SQRT },
    { "Squeeze", ec__fold_squeeze, 0 },       { "Sub", fold_binary, B_SUB },
    { "Transpose", ec__fold_transpose, 0 },   { "Unsqueeze", ec__fold_unsqueeze, 0 },
    { "Where", fold_where, 0 },
};
/* clang-format on */

static struct onnx_known *fold_row(struct onnx_conv *c, const struct onnx_node *n)
{
    struct fold f = { .c = c, .n = n };
    int i;

    for (i = 0; i < n->n_in; i++) {
        const struct onnx_known *k = foldable(c, n->in[i]);

        if (n->in[i] >= 0 && !k)
            return NULL;
        if (i < EC_LEN(f.in))
            f.in[i] = k;
    }
    f.n_in = n->n_in < EC_LEN(f.in) ? n->n_in : EC_LEN(f.in);
    for (i = 0; i < f.n_in; i++)
        if (!f.in[i])
            return NULL;
    for (i = 0; f.n_in && i < EC_LEN(rows); i++)
        if (ec__onnx_is(n, rows[i].op)) {
            f.arg = rows[i].arg;
            return rows[i].fn(&f);
        }
    return NULL;
}

bool ec__onnx_fold(struct onnx_conv *c, const struct onnx_node *n)
{
    struct onnx_known *k;

    if (n->domain.len || n->n_out < 1 || n->out[0] < 0)
        return false;
    if (ec__onnx_is(n, "Shape"))
        k = fold_shape(c, n);
    else if (ec__onnx_is(n, "Size"))
        k = fold_size(c, n);
    else if (ec__onnx_is(n, "Constant"))
        k = fold_constant(c, n);
    else if (ec__onnx_is(n, "Concat"))
        k = fold_concat(c, n);
    else
        k = fold_row(c, n);
    if (k)
        c->val[n->out[0]].known = k;
    return k != NULL;
}
