/* Tensors and attributes of an ONNX file: dimensions, element type, and the contents only when they
 * are few. Weights are skipped by their length; external data is never opened. */
#include "graph/onnx_internal.h"

#include <math.h>
#include <string.h>

/* Field numbers of onnx.proto. */
enum {
    ATTR_NAME = 1,
    ATTR_F = 2,
    ATTR_I = 3,
    ATTR_S = 4,
    ATTR_T = 5,
    ATTR_G = 6,
    ATTR_FLOATS = 7,
    ATTR_INTS = 8,
    ATTR_GRAPHS = 11
};
enum {
    TENSOR_DIMS = 1,
    TENSOR_TYPE = 2,
    TENSOR_FLOATS = 4,
    TENSOR_INT32S = 5,
    TENSOR_INT64S = 7,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9,
    TENSOR_DOUBLES = 10,
    TENSOR_UINT64S = 11
};

enum ec_status ec__onnx_malformed(struct ec_err *err, const char *part, const char *why)
{
    return ec_fail(err, EC_E_PARSE, "not a readable ONNX file: in %s, %s", part, why);
}

void *ec__onnx_list(struct ec_arena *a, int n, size_t elem_bytes)
{
    return ec_arena_alloc(a, (size_t)(n ? n : 1) * elem_bytes);
}

enum ec_dtype ec__onnx_dtype(int64_t onnx)
{
    /* by TensorProto.DataType; unsigned and complex numbers as the type of the same width */
    static const enum ec_dtype types[] = {
        EC_DT_f32, EC_DT_f32, EC_DT_u8,  EC_DT_i8,   EC_DT_i16,  EC_DT_i16,
        EC_DT_i32, EC_DT_i64, EC_DT_u8,  EC_DT_bool, EC_DT_f16,  EC_DT_f64,
        EC_DT_i32, EC_DT_i64, EC_DT_f64, EC_DT_f64,  EC_DT_bf16,
    };

    return onnx >= 0 && onnx < EC_LEN(types) ? types[onnx] : EC_DT_u8;
}

/* --- tensors --- */

static enum ec_status tensor_dim(struct onnx_tensor *t, uint64_t u, struct ec_err *err)
{
    int64_t d = (int64_t)u;

    if (t->type.shape.rank == EC_RANK_MAX)
        return ec_fail(err, EC_E_UNSUPPORTED, "a tensor has more than %d dimensions", EC_RANK_MAX);
    if (d < 0 || d > ONNX_DIM_MAX)
        return ec_fail(err, EC_E_SHAPE, "a tensor has dimension %lld", (long long)d);
    t->type.shape.d[t->type.shape.rank++] = d;
    return EC_OK;
}

static enum ec_status tensor_dims(struct onnx_tensor *t, const struct ec__field *f,
                                  struct ec_err *err)
{
    struct ec__wire w = ec__wire_span(f->span);
    enum ec_status st = EC_OK;
    uint64_t u;

    if (f->type != EC__WIRE_LEN)
        return tensor_dim(t, f->u, err);
    while (!st && ec__wire_packed(&w, EC__WIRE_VARINT, &u))
        st = tensor_dim(t, u, err);
    return w.bad ? ec__onnx_malformed(err, "the dimensions of a tensor", w.bad) : st;
}

static double half(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 0x1f);
    double mantissa = (double)(bits & 0x3ff);
    double v = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);

    return bits & 0x8000 ? -v : v;
}

/* One little-endian element of raw_data. */
static double raw_element(const unsigned char *p, enum ec_dtype type)
{
    size_t n = (size_t)ec_dtype_bytes(type), i;
    uint64_t u = 0;

    for (i = 0; i < n; i++)
        u |= (uint64_t)p[i] << (8 * i);
    switch (type) {
    case EC_DT_f32:
        return ec__wire_float(u);
    case EC_DT_bf16:
        return ec__wire_float(u << 16);
    case EC_DT_f64:
        return ec__wire_double(u);
    case EC_DT_f16:
        return half(u);
    case EC_DT_i64:
        return (double)(int64_t)u;
    case EC_DT_i32:
        return (double)(int32_t)u;
    case EC_DT_i16:
        return (double)(int16_t)u;
    case EC_DT_i8:
        return (double)(int8_t)u;
    default:
        return (double)u;
    }
}

static double typed_element(uint32_t field, enum ec_dtype type, uint64_t u)
{
    if (field == TENSOR_FLOATS)
        return ec__wire_float(u);
    if (field == TENSOR_DOUBLES)
        return ec__wire_double(u);
    if (type == EC_DT_f16)
        return half(u);
    if (type == EC_DT_bf16)
        return ec__wire_float(u << 16);
    return (double)(int64_t)u;
}

static void raw_values(struct ec_span raw, enum ec_dtype type, int64_t n, double *v,
                       int64_t *filled)
{
    size_t bytes = (size_t)ec_dtype_bytes(type);
    int64_t i;

    for (i = 0; i < n && (size_t)(i + 1) * bytes <= raw.len; i++)
        v[i] = raw_element((const unsigned char *)raw.p + (size_t)i * bytes, type);
    *filled = i;
}

static void field_values(const struct ec__field *f, enum ec_dtype type, int64_t n, double *v,
                         int64_t *filled)
{
    enum ec__wire_type wt = f->num == TENSOR_FLOATS    ? EC__WIRE_I32
                            : f->num == TENSOR_DOUBLES ? EC__WIRE_I64
                                                       : EC__WIRE_VARINT;
    struct ec__wire w = ec__wire_span(f->span);
    uint64_t u = f->u;

    if (f->type != EC__WIRE_LEN) {
        if (*filled < n)
            v[(*filled)++] = typed_element(f->num, type, u);
        return;
    }
    while (*filled < n && ec__wire_packed(&w, wt, &u))
        v[(*filled)++] = typed_element(f->num, type, u);
}

/* Few elements, and no dimension that is large beside one that is zero. */
bool ec__onnx_small(const struct ec_shape *s, int64_t max, int64_t *ret_n)
{
    int i;

    for (i = 0; i < s->rank; i++)
        if (s->d[i] > max)
            return false;
    return ec_shape_count(s, ret_n) && *ret_n <= max;
}

static bool wants_values(const struct onnx_tensor *t, int64_t *ret_n)
{
    return ec__onnx_small(&t->type.shape,
                          ec_dtype_is_float(t->type.dtype) ? ONNX_KNOWN_FLOAT_MAX : ONNX_KNOWN_MAX,
                          ret_n);
}

/* The contents, when the file holds all of them. */
static enum ec_status tensor_values(struct ec_span msg, struct onnx_tensor *t, struct ec_arena *a,
                                    struct ec_err *err)
{
    struct ec__wire w = ec__wire_span(msg);
    struct ec__field f;
    int64_t n, filled = 0;
    double *v;

    if (!wants_values(t, &n))
        return EC_OK;
    if ((uint64_t)n > msg.len) /* no room for them */
        return EC_OK;
    v = ec__onnx_list(a, (int)n, sizeof *v);
    EC_PASS(ec_allocated(v, err));
    while (filled < n && ec__wire_next(&w, &f)) {
        if (f.num == TENSOR_RAW && f.type == EC__WIRE_LEN)
            raw_values(f.span, t->type.dtype, n, v, &filled);
        else if (f.num == TENSOR_FLOATS || f.num == TENSOR_INT32S || f.num == TENSOR_INT64S ||
                 f.num == TENSOR_DOUBLES || f.num == TENSOR_UINT64S)
            field_values(&f, t->type.dtype, n, v, &filled);
    }
    if (filled == n)
        t->v = v;
    return EC_OK;
}

enum ec_status ec__onnx_contents(const struct onnx_tensor *t, struct ec_arena *a, int64_t max,
                                 double **ret, int64_t *ret_n, struct ec_err *err)
{
    int64_t n = 0, filled = 0;

    *ret = t->v;
    *ret_n = 0;
    if (!ec__onnx_small(&t->type.shape, max, &n) || (!t->v && !t->raw.len))
        return EC_OK;
    *ret_n = n;
    if (t->v || (uint64_t)(n * ec_dtype_bytes(t->type.dtype)) > t->raw.len)
        return EC_OK;
    *ret = ec_arena_alloc(a, sizeof **ret * (size_t)(n + 1));
    EC_PASS(ec_allocated(*ret, err));
    raw_values(t->raw, t->type.dtype, n, *ret, &filled);
    return EC_OK;
}

enum ec_status ec__onnx_tensor(struct ec_span msg, struct ec_arena *a, struct onnx_tensor *t,
                               struct ec_err *err)
{
    struct ec__wire w = ec__wire_span(msg);
    struct ec__field f;
    int64_t n;

    memset(t, 0, sizeof *t);
    while (ec__wire_next(&w, &f)) {
        if (f.num == TENSOR_DIMS)
            EC_PASS(tensor_dims(t, &f, err));
        else if (f.num == TENSOR_TYPE)
            t->type.dtype = ec__onnx_dtype((int64_t)f.u);
        else if (f.num == TENSOR_NAME)
            t->name = f.span;
        else if (f.num == TENSOR_RAW)
            t->raw = f.span;
    }
    if (w.bad)
        return ec__onnx_malformed(err, "a tensor", w.bad);
    if (!ec_shape_count(&t->type.shape, &n))
        return ec_fail(err, EC_E_SHAPE, "tensor \"%.*s\" is too large",
                       t->name.len > 80 ? 80 : (int)t->name.len, t->name.p);
    return tensor_values(msg, t, a, err);
}

/* --- attributes --- */

static void count_attr(struct ec_span msg, struct onnx_attr *ret)
{
    struct ec__wire w = ec__wire_span(msg), packed;
    struct ec__field f;
    uint64_t u;

    while (ec__wire_next(&w, &f)) {
        packed = ec__wire_span(f.span);
        if (f.num == ATTR_INTS && f.type == EC__WIRE_LEN)
            while (ec__wire_packed(&packed, EC__WIRE_VARINT, &u))
                ret->n_ints++;
        else if (f.num == ATTR_INTS)
            ret->n_ints++;
        else if (f.num == ATTR_FLOATS)
            ret->n_floats += f.type == EC__WIRE_LEN ? (int)(f.span.len / 4) : 1;
    }
}

/* Numbers of a repeated field, packed or not; counted before. */
static void attr_numbers(const struct ec__field *f, struct onnx_attr *at, int *n_ints,
                         int *n_floats)
{
    enum ec__wire_type wt = f->num == ATTR_INTS ? EC__WIRE_VARINT : EC__WIRE_I32;
    struct ec__wire w = ec__wire_span(f->span);
    uint64_t u = f->u;
    bool one = f->type != EC__WIRE_LEN;

    while (one || ec__wire_packed(&w, wt, &u)) {
        if (f->num == ATTR_INTS && *n_ints < at->n_ints)
            at->ints[(*n_ints)++] = (int64_t)u;
        else if (f->num == ATTR_FLOATS && *n_floats < at->n_floats)
            at->floats[(*n_floats)++] = ec__wire_float(u);
        if (one)
            break;
    }
}

static enum ec_status attr_field(const struct ec__field *f, struct ec_arena *a,
                                 struct onnx_attr *at, struct ec_err *err)
{
    switch (f->num) {
    case ATTR_NAME:
        at->name = f->span;
        break;
    case ATTR_S:
        at->s = f->span;
        break;
    case ATTR_I:
        at->i = (int64_t)f->u;
        at->has_i = true;
        break;
    case ATTR_F:
        at->f = ec__wire_float(f->u);
        at->has_f = true;
        break;
    case ATTR_T:
        at->t = ec_arena_alloc(a, sizeof *at->t);
        return at->t ? ec__onnx_tensor(f->span, a, at->t, err) : ec_nomem(err);
    default:
        break;
    }
    return EC_OK;
}

enum ec_status ec__onnx_parse_attr(struct ec_span msg, struct ec_arena *a, struct onnx_attr *at,
                                   struct ec_err *err)
{
    struct ec__wire w = ec__wire_span(msg);
    enum ec_status st = EC_OK;
    struct ec__field f;
    int n_ints = 0, n_floats = 0;

    count_attr(msg, at);
    at->ints = ec__onnx_list(a, at->n_ints, sizeof *at->ints);
    at->floats = ec__onnx_list(a, at->n_floats, sizeof *at->floats);
    EC_PASS(ec_allocated(at->ints && at->floats, err));
    while (!st && ec__wire_next(&w, &f)) {
        if (f.num == ATTR_INTS || f.num == ATTR_FLOATS)
            attr_numbers(&f, at, &n_ints, &n_floats);
        else
            st = attr_field(&f, a, at, err);
    }
    return w.bad ? ec__onnx_malformed(err, "an attribute", w.bad) : st;
}
