/* What all operators share: shapes and types, kernels appended by rules. */
#include "op/op.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *ec_dtype_name(enum ec_dtype t)
{
    static const char *const names[] = {
#define DTYPE_NAME(name, bytes, is_float) #name,
        EC_DTYPE_LIST(DTYPE_NAME)
#undef DTYPE_NAME
    };
    return (unsigned)t < EC_DT_COUNT ? names[t] : "?";
}

int64_t ec_dtype_bytes(enum ec_dtype t)
{
    static const int64_t bytes_of[] = {
#define DTYPE_BYTES(name, bytes, is_float) bytes,
        EC_DTYPE_LIST(DTYPE_BYTES)
#undef DTYPE_BYTES
    };
    return (unsigned)t < EC_DT_COUNT ? bytes_of[t] : 0;
}

bool ec_dtype_is_float(enum ec_dtype t)
{
    static const bool is[] = {
#define DTYPE_FLOAT(name, bytes, is_float) is_float,
        EC_DTYPE_LIST(DTYPE_FLOAT)
#undef DTYPE_FLOAT
    };
    return (unsigned)t < EC_DT_COUNT && is[t];
}

bool ec_dtype_parse(struct ec_span s, enum ec_dtype *ret)
{
    int t;

    for (t = 0; t < EC_DT_COUNT; t++)
        if (ec_span_eq(s, ec_dtype_name((enum ec_dtype)t))) {
            *ret = (enum ec_dtype)t;
            return true;
        }
    return false;
}

#define SHAPE_MAX_ELEMS ((int64_t)1 << 60)

bool ec_shape_count(const struct ec_shape *s, int64_t *ret)
{
    int64_t n = 1;
    int i;

    if (s->rank < 0 || s->rank > EC_RANK_MAX)
        return false;
    for (i = 0; i < s->rank; i++)
        if (s->d[i] < 0 || !ec_mul_i64(n, s->d[i], &n) || n > SHAPE_MAX_ELEMS)
            return false;
    *ret = n;
    return true;
}

double ec_type_elems(const struct ec_type *t)
{
    double n = 1;
    int i;

    for (i = 0; i < t->shape.rank; i++)
        n *= (double)t->shape.d[i];
    return n;
}

bool ec_shape_eq(const struct ec_shape *a, const struct ec_shape *b)
{
    return a->rank == b->rank && memcmp(a->d, b->d, sizeof a->d[0] * (size_t)a->rank) == 0;
}

struct ec_shape ec_shape_make(int rank, const int64_t *d)
{
    struct ec_shape s = { rank, { 0 } };

    assert(rank >= 0 && rank <= EC_RANK_MAX);
    if (rank)
        memcpy(s.d, d, sizeof d[0] * (size_t)rank);
    return s;
}

const char *ec_shape_text(const struct ec_shape *s, char *out, size_t size)
{
    size_t at = 0;
    int i;

    if (size)
        out[0] = '\0';
    if (s->rank == 0 && size > 6)
        (void)snprintf(out, size, "scalar");
    for (i = 0; i < s->rank && at + 1 < size; i++) {
        int n = snprintf(out + at, size - at, "%s%lld", i ? "x" : "", (long long)s->d[i]);

        at += n > 0 ? (size_t)n : 0;
    }
    return out;
}

const char *ec_kclass_name(enum ec_kclass c)
{
    static const char *const names[] = {
#define KCLASS_NAME(name, text) text,
        EC_KCLASS_LIST(KCLASS_NAME)
#undef KCLASS_NAME
    };
    return (unsigned)c < EC_KCLASS_COUNT ? names[c] : "?";
}

struct ec_kernel *ec_work_add(struct ec_work *w, enum ec_kclass c, enum ec_phase p)
{
    struct ec_kernel *k;

    assert(w->n < EC_WORK_MAX);
    k = &w->kernel[w->n++];
    memset(k, 0, sizeof *k);
    k->kclass = c;
    k->phase = p;
    k->serial = k->launches = 1;
    return k;
}

struct ec_kernel *ec_work_stream(struct ec_work *w, enum ec_phase p, double flop, double read_elems,
                                 double write_elems)
{
    struct ec_kernel *k = ec_work_add(w, EC_K_STREAM, p);

    k->flop = flop;
    k->read_elems = read_elems;
    k->write_elems = write_elems;
    return k;
}

double ec_kernel_bytes(const struct ec_kernel *k, double elem_bytes)
{
    return elem_bytes * (k->read_elems + k->write_elems + k->weight_elems) + k->fixed_bytes;
}

void ec_count_add(struct ec_count *c, const struct ec_kernel *k, double times, double elem_bytes)
{
    c->mac += times * k->mac;
    c->flop += times * k->flop;
    c->bytes += times * ec_kernel_bytes(k, elem_bytes);
    c->launches += times * k->launches;
}

void ec_param_add(struct ec_param_list *l, const char *role, bool trainable, int rank, ...)
{
    struct ec_param_spec *p;
    va_list ap;
    int i;

    assert(l->n < EC_PARAM_MAX && rank <= EC_RANK_MAX);
    p = &l->p[l->n++];
    memset(p, 0, sizeof *p);
    p->role = role;
    p->trainable = trainable;
    p->shape.rank = rank;
    va_start(ap, rank);
    for (i = 0; i < rank; i++)
        p->shape.d[i] = va_arg(ap, int64_t);
    va_end(ap);
}
