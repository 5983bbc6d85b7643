/* Operators of a trace as cases: from the shapes, types and values that the profiler recorded. */
#include "trace/operators.h"

#include <math.h>
#include <string.h>

#include "trace_names.h"

#define STREAM_BYTES 8 /* that scale_scalar moves for an element in float32 */

static void take_shape(const struct ec_jval *v, struct ec__tensor *ret)
{
    const struct ec_jval *d;

    *ret = (struct ec__tensor){ 0 };
    for (d = v->child; d && ret->rank < EC_RANK_MAX; d = d->next)
        if (d->type == EC_J_NUM && d->is_int && d->i >= 0)
            ret->d[ret->rank++] = d->i;
}

static double elems_of(const struct ec__tensor *s)
{
    double n = s->rank > 0;
    int i;

    for (i = 0; i < s->rank; i++)
        n *= (double)s->d[i];
    return n;
}

static enum ec_status take_dims(const struct ec_jval *v, struct ec_arena *a, struct ec__arg *arg,
                                struct ec_err *err)
{
    const struct ec_jval *part;

    if (!v->child || v->child->type != EC_J_ARRAY) {
        take_shape(v, &arg->shape);
        arg->elems = elems_of(&arg->shape);
        return EC_OK;
    }
    arg->list = ec_arena_alloc(a, sizeof *arg->list * EC__LIST_MOST);
    EC_PASS(ec_allocated(arg->list, err));
    for (part = v->child; part; part = part->next) {
        struct ec__tensor shape;

        take_shape(part, &shape);
        arg->elems += elems_of(&shape);
        if (arg->n_list < EC__LIST_MOST)
            arg->list[arg->n_list++] = shape;
    }
    return EC_OK;
}

enum called_field { DIMS, STRIDES, TYPES, VALUES };

static enum ec_status take(const struct ec_trace *t, uint32_t text, enum called_field field,
                           struct ec_arena *a, struct ec__called *c, struct ec_err *err)
{
    const struct ec_jval *list = NULL, *v;
    const char *json = ec_trace_text(t, text);
    int i = 0;

    if (!*json || ec_json_parse(json, strlen(json), a, &list, NULL) || list->type != EC_J_ARRAY)
        return EC_OK;
    for (v = list->child; v && i < EC__ARGS_MOST; v = v->next, i++) {
        struct ec__arg *arg = &c->arg[i];

        c->n = i + 1 > c->n ? i + 1 : c->n;
        if (field == DIMS && v->type == EC_J_ARRAY) {
            enum ec_status st = take_dims(v, a, arg, err);

            if (st)
                return st;
        } else if (field == STRIDES && v->type == EC_J_ARRAY) {
            take_shape(v, &arg->strides);
        } else if (v->type == EC_J_STR) {
            *(field == TYPES ? &arg->type : &arg->value) = v->str;
        }
    }
    return EC_OK;
}

enum ec_status ec__called_read(const struct ec_trace *t, const struct ec_trace_what *what,
                               struct ec_arena *a, struct ec__called *ret, struct ec_err *err)
{
    EC_PASS(take(t, what->dims, DIMS, a, ret, err));
    EC_PASS(take(t, what->strides, STRIDES, a, ret, err));
    EC_PASS(take(t, what->types, TYPES, a, ret, err));
    return take(t, what->values, VALUES, a, ret, err);
}

double ec__type_bytes(const char *type)
{
    static const struct {
        const char *name;
        double bytes;
    } rows[] = {
#define TYPE(name, bytes) { name, bytes },
        TRACE_TYPES(TYPE)
#undef TYPE
    };
    int i;

    for (i = 0; type && i < EC_LEN(rows); i++)
        if (ec_str_eq(type, rows[i].name))
            return rows[i].bytes;
    return type && *type ? 0 : 4;
}

enum ec_precision ec__called_precision(const struct ec__called *c)
{
    int i;

    for (i = 0; i < c->n; i++) {
        const char *type = c->arg[i].type;

        if (!type || !(c->arg[i].shape.rank || c->arg[i].n_list))
            continue;
        if (ec_str_eq(type, "c10::Half"))
            return EC_FP16;
        if (ec_str_eq(type, "c10::BFloat16"))
            return EC_BF16;
        if (ec_str_eq(type, "float"))
            return EC_FP32;
    }
    return EC_FP32;
}

static const struct ec__arg *arg_at(const struct ec__called *c, int at)
{
    return at >= 0 && at < c->n ? &c->arg[at] : NULL;
}

static const struct ec__arg *arg_of(const struct ec__called *c, const char *key)
{
    const struct ec__aten_arg *a = ec__aten_arg(c->row, key);

    return a ? arg_at(c, a->at) : NULL;
}

/* The n-th input; one that is no tensor counts. */
static const struct ec__arg *input(const struct ec__called *c, int n)
{
    int i;

    for (i = 0; i < c->row->n_args; i++)
        if (!*c->row->arg[i].key && n-- == 0)
            return arg_at(c, c->row->arg[i].at);
    return NULL;
}

bool ec__called_channels_last(const struct ec__called *c)
{
    const struct ec__arg *x = c->row ? input(c, 0) : NULL;

    return x && x->shape.rank == 4 && x->strides.rank == 4 && x->strides.d[1] == 1 &&
           x->shape.d[1] > 1 && x->shape.d[2] * x->shape.d[3] > 1;
}

/* Numbers of "[3, 3]", "1" or "True"; how many. 0: not recorded. */
static int numbers(const struct ec__called *c, const char *key, int64_t ret[EC_RANK_MAX])
{
    const struct ec__aten_arg *a = ec__aten_arg(c->row, key);
    const struct ec__arg *arg = a ? arg_at(c, a->at) : NULL;
    struct ec_span rest = ec_span_of(a && a->at < 0      ? a->word
                                     : arg && arg->value ? arg->value
                                                         : "");
    struct ec_span part;
    double v;
    int n = 0;

    if (rest.len > 1 && *rest.p == '[')
        rest = (struct ec_span){ rest.p + 1, rest.len - 2 };
    while (rest.len && n < EC_RANK_MAX && ec_span_cut(&rest, ',', &part)) {
        part = ec_span_trim(part);
        if (ec_span_eq(part, "True") || ec_span_eq(part, "true"))
            ret[n++] = 1;
        else if (ec_span_eq(part, "False"))
            ret[n++] = 0;
        else if (ec_parse_double(part, &v) && fabs(v) < 1e15)
            ret[n++] = (int64_t)v;
    }
    return n;
}

static int64_t number(const struct ec__called *c, const char *key, int64_t other)
{
    int64_t v[EC_RANK_MAX];

    return numbers(c, key, v) ? v[0] : other;
}

static void put_ints(struct ec_buf *b, const char *key, const int64_t *v, int n)
{
    int i;

    ec_buf_printf(b, " %s=", key);
    for (i = 0; i < n; i++)
        ec_buf_printf(b, "%s%lld", i ? "x" : "", (long long)v[i]);
    if (!n)
        ec_buf_char(b, '1');
}

static void put_int(struct ec_buf *b, const char *key, int64_t v)
{
    put_ints(b, key, &v, 1);
}

static void put_shape(struct ec_buf *b, const char *key, const struct ec__arg *x)
{
    put_ints(b, key, x ? x->shape.d : NULL, x ? x->shape.rank : 0);
}

/* --- Rules: NULL, or why there is no case --- */

static const char no_shape[] = "its shapes are not recorded";

static const char *stream(double bytes, struct ec_buf *text)
{
    if (!(bytes > 0))
        return no_shape;
    ec_buf_printf(text, "scale_scalar x=%.0f", fmax(1, ceil(bytes / STREAM_BYTES)));
    return NULL;
}

/* The operator and its first input; NULL: that has no shape. */
static const struct ec__tensor *begin(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__arg *x = input(c, 0);

    if (!x || !x->shape.rank)
        return NULL;
    ec_buf_str(text, c->row->op);
    put_shape(text, "x", x);
    return &x->shape;
}

/* One input, read and written. */
static const char *map(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__tensor *x = begin(c, text);
    int64_t axis = number(c, "axis", -1);

    if (!x)
        return no_shape;
    if (ec_str_eq(c->row->op, "prelu"))
        ec_buf_str(text, " params=1");
    if (ec__aten_arg(c->row, "axis") && axis >= -x->rank && axis < x->rank)
        put_int(text, "axis", axis);
    return NULL;
}

static const char *binary(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__tensor *x = begin(c, text);

    put_shape(text, "y", input(c, 1));
    return x ? NULL : no_shape;
}

static const char *where(const struct ec__called *c, struct ec_buf *text)
{
    const char *why = binary(c, text);

    put_shape(text, "z", input(c, 2));
    return why;
}

static bool is_dense(const struct ec__arg *x)
{
    double wanted = 1;
    int i;

    for (i = x->strides.rank - 1; x->strides.rank == x->shape.rank && i >= 0; i--) {
        if (x->shape.d[i] > 1 && (double)x->strides.d[i] != wanted)
            return false;
        wanted *= (double)x->shape.d[i];
    }
    return true;
}

/* A copy: of another type or of one order by its bytes, of another order a transposition. */
static const char *copy(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__arg *to = input(c, 0), *from = input(c, 1) ? input(c, 1) : to;
    int rank = from ? from->shape.rank : 0, i;

    if (!to || !rank)
        return no_shape;
    if (rank >= 2 && ec__type_bytes(from->type) == ec__type_bytes(to->type) &&
        is_dense(to) != is_dense(from) && !ec__called_channels_last(c)) {
        ec_buf_str(text, "transpose");
        put_shape(text, "x", from);
        ec_buf_str(text, " perm=");
        for (i = 0; i < rank; i++)
            ec_buf_printf(text, "%s%d", i ? "x" : "",
                          i < rank - 2    ? i
                          : i == rank - 2 ? rank - 1
                                          : rank - 2);
        return NULL;
    }
    return stream(to->elems * ec__type_bytes(to->type) +
                      fmin(from->elems, to->elems) * ec__type_bytes(from->type),
                  text);
}

static const char *joined(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__arg *list = input(c, 0);
    double bytes = list ? 2 * list->elems * (ec__called_precision(c) == EC_FP32 ? 4 : 2) : 0;

    return stream(bytes, text);
}

static const char *reduce(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__tensor *x = begin(c, text);
    int64_t axes[EC_RANK_MAX];
    int n = numbers(c, "axes", axes), i;

    for (i = 0; x && i < n; i++)
        axes[i] += axes[i] < 0 ? x->rank : 0;
    if (n)
        put_ints(text, "axes", axes, n);
    return x ? NULL : no_shape;
}

/* Output extents: those recorded with the gradient, or of what reads the result. */
static const struct ec__tensor *output(const struct ec__called *c, const struct ec__tensor *x)
{
    const struct ec__arg *out = arg_of(c, "out");

    if (out && out->shape.rank == x->rank)
        return &out->shape;
    return c->after.rank == x->rank ? &c->after : NULL;
}

/* Strides and padding of one spatial dimension out of its extents: of old traces. */
static void guess(int64_t in, int64_t out, int64_t filter, int64_t *ret_stride, int64_t *ret_pad)
{
    int64_t stride = out > 0 ? (in + out / 2) / out : 1, pad;

    stride = stride > 0 ? stride : 1;
    pad = (out - 1) * stride + filter - in;
    *ret_stride = stride;
    *ret_pad = pad > 0 ? (pad + 1) / 2 : 0;
}

struct sliding {
    int n; /* spatial dimensions */
    int64_t size[3], stride[3], pad[3], dil[3];
};

static void spread(const struct ec__called *c, const char *key, int n, int64_t other, int64_t *ret)
{
    int64_t v[EC_RANK_MAX];
    int have = numbers(c, key, v), i;

    for (i = 0; i < n; i++)
        ret[i] = have ? v[i < have ? i : have - 1] : other;
}

/* False: neither strides nor outputs are recorded. */
static bool slide(const struct ec__called *c, const struct ec__tensor *x, struct sliding *s)
{
    const struct ec__tensor *out = output(c, x);
    int64_t v[EC_RANK_MAX];
    int i;

    spread(c, "stride", s->n, 1, s->stride);
    spread(c, "pad", s->n, 0, s->pad);
    spread(c, "dil", s->n, 1, s->dil);
    if (numbers(c, "pad", v))
        return true;
    if (!out)
        return false;
    for (i = 0; i < s->n; i++) {
        int64_t in = x->d[2 + i], to = out->d[2 + i];

        if (!s->size[i]) /* of a pool */
            s->size[i] = to > 0 ? in / to + (in / to > 1 && in % to == 0) : 1;
        guess(in, to, s->size[i], &s->stride[i], &s->pad[i]);
    }
    return true;
}

/* Where one is not the usual, so that the case is short. */
static void put_unless(struct ec_buf *b, const char *key, const int64_t *v, int n, int64_t usual)
{
    int i;

    for (i = 0; i < n && v[i] == usual; i++)
        continue;
    if (i < n)
        put_ints(b, key, v, n);
}

static void put_window(struct ec_buf *b, const struct sliding *s, int64_t usual_stride)
{
    static const char *const names[] = { "t", "r", "s" };
    int i;

    for (i = 0; i < s->n; i++)
        put_int(b, s->n == 1 ? "r" : names[3 - s->n + i], s->size[i]);
    put_unless(b, "stride", s->stride, s->n, usual_stride);
    put_unless(b, "pad", s->pad, s->n, 0);
}

static void put_image(struct ec_buf *b, const struct ec__tensor *x)
{
    static const char *const names[] = { "n", "c", "d", "h", "w" };
    int i;

    for (i = 0; i < x->rank; i++)
        put_int(b, names[i < 2 ? i : 5 - x->rank + i], x->d[i]);
}

static const char *conv(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__arg *x = input(c, 0), *w = arg_of(c, "weight");
    struct sliding s = { 0 };
    bool transposed = number(c, "transposed", 0) == 1;
    int64_t groups;
    int i;

    if (!x || !w || x->shape.rank < 3 || x->shape.rank > 5 || w->shape.rank != x->shape.rank)
        return no_shape;
    s.n = x->shape.rank - 2;
    for (i = 0; i < s.n; i++)
        s.size[i] = w->shape.d[2 + i];
    if (!slide(c, &x->shape, &s))
        return "its strides are not recorded";
    groups = number(c, "groups", 0);
    if (groups <= 0)
        groups = w->shape.d[1] > 0 && !transposed ? x->shape.d[1] / w->shape.d[1] : 1;
    ec_buf_printf(text, "conv%s%dd", transposed ? "_transpose" : "", s.n);
    put_image(text, &x->shape);
    put_int(text, "k", transposed ? w->shape.d[1] * groups : w->shape.d[0]);
    put_window(text, &s, 1);
    put_unless(text, "dil", s.dil, s.n, 1);
    if (groups > 1)
        put_int(text, "groups", groups);
    ec_buf_str(text, " bias=0");
    return NULL;
}

static const char *pool(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__arg *x = input(c, 0);
    struct sliding s = { 0 };
    int64_t v[EC_RANK_MAX];

    if (!x || x->shape.rank < 3 || x->shape.rank > 5)
        return no_shape;
    s.n = x->shape.rank - 2;
    spread(c, "size", s.n, 0, s.size);
    if (!slide(c, &x->shape, &s))
        return "its window is not recorded";
    if (numbers(c, "size", v) && !numbers(c, "stride", v))
        memcpy(s.stride, s.size, sizeof s.stride);
    ec_buf_str(text, c->row->op);
    put_image(text, &x->shape);
    put_window(text, &s, 0); /* the window, which is said */
    return NULL;
}

static const char *adaptive(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__tensor *x = begin(c, text), *out = x ? output(c, x) : NULL;
    int64_t v[EC_RANK_MAX];
    int n = numbers(c, "out", v);

    if (!x || x->rank < 3)
        return no_shape;
    if (n)
        put_ints(text, "out", v, n);
    else
        put_ints(text, "out", out ? out->d + 2 : (const int64_t[]){ 1, 1, 1 }, x->rank - 2);
    return NULL;
}

/* Products: (m, k) x (k, n), vectors, and batches of them. */
static const char *product(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__arg *a = input(c, 0), *b = input(c, 1);
    bool linear = ec_str_eq(c->row->rule, "linear");
    double m = 1;
    int i;

    b = b ? b : arg_of(c, "weight");
    if (!a || !b || !a->shape.rank || !b->shape.rank)
        return no_shape;
    if (a->shape.rank >= 3 && b->shape.rank >= 3) {
        ec_buf_str(text, "matmul");
        put_shape(text, "x", a);
        put_shape(text, "y", b);
        return NULL;
    }
    for (i = 0; i < a->shape.rank - 1; i++)
        m *= (double)a->shape.d[i];
    ec_buf_printf(text, "linear m=%.0f k=%lld n=%lld bias=%d", m,
                  (long long)a->shape.d[a->shape.rank - 1],
                  (long long)(linear              ? b->shape.d[0]
                              : b->shape.rank > 1 ? b->shape.d[1]
                                                  : 1),
                  arg_of(c, "bias") != NULL);
    return NULL;
}

/* A product of TorchInductor, in which other inputs of what is fused stand anywhere: the first two
 * that follow each other and fit, with the result behind them. */
static const char *template(const struct ec__called *c, struct ec_buf *text)
{
    int i, k;

    for (i = 0; i + 2 < c->n; i++) {
        const struct ec__tensor *a = &c->arg[i].shape, *b = &c->arg[i + 1].shape;

        if (a->rank != 2 || b->rank != 2 || a->d[1] != b->d[0])
            continue;
        for (k = i + 2; k < c->n; k++) {
            const struct ec__tensor *y = &c->arg[k].shape;

            if (y->rank != 2 || y->d[0] != a->d[0] || y->d[1] != b->d[1])
                continue;
            ec_buf_printf(text, "linear m=%lld k=%lld n=%lld bias=0", (long long)a->d[0],
                          (long long)a->d[1], (long long)b->d[1]);
            return NULL;
        }
    }
    return "the shapes of a Triton template are those of no product";
}

/* Every tensor is read, and the first list or tensor is written. */
static const char *bytes_of(const struct ec__called *c, struct ec_buf *text)
{
    double bytes = 0, first = 0;
    int i;

    for (i = 0; i < c->n; i++) {
        const struct ec__arg *arg = &c->arg[i];
        bool is_list = arg->type && ec_str_eq(arg->type, "TensorList");
        double n =
            is_list && arg->elems <= 0 ? c->param_bytes : arg->elems * ec__type_bytes(arg->type);

        bytes += n;
        first = first > 0 ? first : n;
    }
    return stream(bytes + first, text);
}

/* Rows that are divided among the matrices of experts; of two matrices the gradient of such
 * weights, which is as much work. */
static const char *grouped(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__arg *a = input(c, 0), *b = input(c, 1), *offs = arg_of(c, "offs");

    if (!a || !b || a->shape.rank < 2 || b->shape.rank < 2)
        return no_shape;
    if (a->shape.rank == 3 && b->shape.rank == 3)
        return product(c, text);
    if (a->shape.rank == 2 && b->shape.rank == 3) {
        ec_buf_str(text, "grouped_matmul");
        put_shape(text, "x", a);
        put_shape(text, "y", b);
        return NULL;
    }
    if (a->shape.rank != 2 || !offs || !offs->shape.rank)
        return bytes_of(c, text);
    ec_buf_printf(text, "grouped_matmul x=%lldx%lld y=%lldx%lldx%lld", (long long)b->shape.d[0],
                  (long long)a->shape.d[0], (long long)offs->shape.d[0], (long long)a->shape.d[0],
                  (long long)b->shape.d[1]);
    return NULL;
}

static const char *layer_norm(const struct ec__called *c, struct ec_buf *text)
{
    int64_t v[EC_RANK_MAX];
    const char *why = map(c, text);
    int n = numbers(c, "dims", v);

    if (n > 1)
        put_int(text, "dims", n);
    return why;
}

static const char *group_norm(const struct ec__called *c, struct ec_buf *text)
{
    const char *why = map(c, text);

    put_int(text, "groups", number(c, "groups", 32));
    return why;
}

static const char *embedding(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__arg *ids = input(c, 0), *w = arg_of(c, "weight"), *out = arg_of(c, "out");

    w = w ? w : out;
    if (!ids || !ids->shape.rank || !w || !w->shape.rank)
        return no_shape;
    ec_buf_str(text, "embedding");
    put_shape(text, "x", ids);
    put_int(text, "num", number(c, "num", w->shape.d[0]));
    put_int(text, "dim", w->shape.d[w->shape.rank - 1]);
    return NULL;
}

/* Pooled rows of several tables; their mean width is that of all weights over all rows. */
static const char *bag(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__arg *ids = input(c, 0), *w = arg_of(c, "weight"), *rows = arg_of(c, "rows");

    return ids && w && rows && rows->elems > 0
               ? stream(ids->elems * (ec__type_bytes(ids->type) +
                                      w->elems / rows->elems * ec__type_bytes(w->type)),
                        text)
               : no_shape;
}

static const char *gather(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__arg *x = input(c, 0), *y = input(c, 1);
    int64_t axis = number(c, "axis", 0);
    double n = 0;

    if (!x || !x->shape.rank)
        return no_shape;
    axis += axis < 0 ? x->shape.rank : 0;
    if (y && (y->n_list || ec_str_eq(c->row->op, "gather"))) /* whole rows of x */
        n = (y->n_list ? elems_of(&y->list[0]) : y->elems) *
            (x->elems / fmax(1, (double)x->shape.d[axis >= 0 && axis < x->shape.rank ? axis : 0]));
    else if (y)
        n = y->elems;
    return stream(2 * fmin(n > 0 ? n : x->elems, x->elems) * ec__type_bytes(x->type), text);
}

/* (samples, heads, time, width), or with heads behind time; or the samples one behind the other, of
 * lengths that are taken as equal: (time, heads, width). */
static const char *attention(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__arg *q = input(c, 0), *k = input(c, 1), *v = input(c, 2);
    const struct ec__arg *ends = arg_of(c, "ends");
    bool heads_last = number(c, "heads_last", 0) != 0;
    int64_t n;
    int rank = q ? q->shape.rank : 0, t = heads_last ? rank - 3 : 2;

    if (!q || !k || !v || k->shape.rank != rank || v->shape.rank != rank)
        return no_shape;
    if (rank == 3 && heads_last && ends && ends->shape.rank == 1 && ends->shape.d[0] > 1)
        n = ends->shape.d[0] - 1; /* of the first, 0, and of each */
    else if (rank == 4)
        n = 1;
    else
        return no_shape;
    ec_buf_printf(text, "attention b=%.0f t=%lld u=%lld d=%lld e=%lld causal=%d",
                  (rank == 4 ? (double)q->shape.d[0] : (double)n) *
                      (double)q->shape.d[heads_last ? t + 1 : 1],
                  (long long)(q->shape.d[t] / n), (long long)(k->shape.d[t] / n),
                  (long long)q->shape.d[rank - 1], (long long)v->shape.d[rank - 1],
                  number(c, "causal", 0) == 1);
    return NULL;
}

static const char *rnn(const struct ec__called *c, struct ec_buf *text)
{
    static const char *const modes[] = { "rnn", "rnn", "lstm", "gru" };
    const struct ec__arg *x = input(c, 0);
    bool first = number(c, "batch_first", 0) == 1;
    int64_t mode = number(c, "mode", 2), hidden = number(c, "hidden", 0);

    if (!x || x->shape.rank != 3 || hidden <= 0 || mode < 0 || mode > 3)
        return no_shape;
    ec_buf_printf(text, "%s n=%lld t=%lld c=%lld hidden=%lld layers=%lld bidir=%lld", modes[mode],
                  (long long)x->shape.d[first ? 0 : 1], (long long)x->shape.d[first ? 1 : 0],
                  (long long)x->shape.d[2], (long long)hidden, (long long)number(c, "layers", 1),
                  (long long)number(c, "bidir", 0));
    return NULL;
}

/* Of one score a row, in both directions; the softmax and the zeros are operators of their own. */
static const char *nll(const struct ec__called *c, struct ec_buf *text)
{
    const struct ec__arg *x = input(c, 0);

    if (!x || !x->shape.rank)
        return no_shape;
    return stream(
        x->elems / fmax(1, (double)x->shape.d[x->shape.rank > 1]) * ec__type_bytes(x->type), text);
}

static const char *fill(const struct ec__called *c, struct ec_buf *text)
{
    return c->n ? stream(c->arg[0].elems * ec__type_bytes(c->arg[0].type), text) : no_shape;
}

/* The first that fits a row of data/aten.csv. */
static const struct {
    enum ec__aten_phase phase;
    const char *rule, *op; /* patterns */
    const char *(*make)(const struct ec__called *c, struct ec_buf *text);
} rules[] = {
#define RULE(phase, rule, op, make) { EC__ATEN_##phase, rule, op, make },
    TRACE_RULES(RULE)
#undef RULE
};

/* Of tensors without dimensions: one number. */
static bool is_one_number(const struct ec__called *c)
{
    double elems = 0;
    int i;

    for (i = 0; i < c->n; i++)
        elems += c->arg[i].elems;
    return c->n && elems <= 0 && c->arg[0].type && *c->arg[0].type &&
           !ec_str_eq(c->arg[0].type, "TensorList") && ec__type_bytes(c->arg[0].type) > 0;
}

const char *ec__case_of(const struct ec__called *c, struct ec_buf *text)
{
    int i;

    if (is_one_number(c))
        return stream(STREAM_BYTES, text);
    for (i = 0; c->row && i < EC_LEN(rules); i++)
        if (c->row->phase == rules[i].phase && ec_str_glob(rules[i].rule, c->row->rule) &&
            ec_str_glob(rules[i].op, c->row->op))
            return rules[i].make(c, text);
    return bytes_of(c, text);
}
