/* Rules and parts of rules that many operators share. */
#include "op/op_internal.h"

#include <assert.h>

const char *const ec__dtype_words[] = {
#define DTYPE_WORD(name, bytes, is_float) #name,
    EC_DTYPE_LIST(DTYPE_WORD)
#undef DTYPE_WORD
        NULL
};

double ec__in(const struct ec_case *c, int i)
{
    return ec_type_elems(c->in[i]);
}

double ec__out(const struct ec_case *c, int i)
{
    return ec_type_elems(c->out[i]);
}

double ec__in_all(const struct ec_case *c)
{
    double sum = 0;
    int i;

    for (i = 0; i < c->n_in; i++)
        sum += ec__in(c, i);
    return sum;
}

double ec__out_all(const struct ec_case *c)
{
    double sum = 0;
    int i;

    for (i = 0; i < c->n_out; i++)
        sum += ec__out(c, i);
    return sum;
}

double ec__ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

double ec__index_bytes(const struct ec_case *c, int i)
{
    enum ec_dtype t = c->in[i]->dtype;

    return ec_dtype_is_float(t) ? EC__INDEX_BYTES : (double)ec_dtype_bytes(t);
}

int64_t ec__ints_at(const struct ec_ints *v, int i)
{
    assert(v->n >= 1 && (v->n == 1 || i < v->n));
    return v->v[v->n == 1 ? 0 : i];
}

enum ec_status ec__rank_is(const struct ec_case *c, int input, int lo, int hi, struct ec_err *err)
{
    const struct ec_shape *s = &c->in[input]->shape;
    char text[200], wanted[64] = "";

    if (s->rank >= lo && s->rank <= hi)
        return EC_OK;
    if (hi > lo && hi < EC_RANK_MAX)
        (void)ec_fail(err, EC_E_SHAPE, "input %d is %s with %d dimensions, expected %d to %d%s",
                      input, ec_shape_text(s, text, sizeof text), s->rank, lo, hi, wanted);
    else
        (void)ec_fail(err, EC_E_SHAPE, "input %d is %s with %d dimensions, expected %s%d", input,
                      ec_shape_text(s, text, sizeof text), s->rank, hi > lo ? "at least " : "", lo);
    return EC_E_SHAPE;
}

enum ec_status ec__set_out(const struct ec_case *c, int i, const struct ec_shape *s,
                           enum ec_dtype t, struct ec_err *err)
{
    char text[200];
    int64_t n;

    if (s->rank > EC_RANK_MAX)
        return ec_fail(err, EC_E_SHAPE, "output would have %d dimensions, at most %d are supported",
                       s->rank, EC_RANK_MAX);
    if (!ec_shape_count(s, &n))
        return ec_fail(err, EC_E_SHAPE, "output would be %s: negative or above 2^60 elements",
                       ec_shape_text(s, text, sizeof text));
    c->out[i]->shape = *s;
    c->out[i]->dtype = t;
    return EC_OK;
}

enum ec_status ec__axis(int64_t axis, int rank, int *ret, struct ec_err *err)
{
    if (axis < -rank || axis >= rank)
        return ec_fail(err, EC_E_SHAPE, "axis %lld is out of range for %d dimensions",
                       (long long)axis, rank);
    *ret = (int)(axis < 0 ? axis + rank : axis);
    return EC_OK;
}

enum ec_status ec__axes(const struct ec_ints *axes, int rank, unsigned *ret, struct ec_err *err)
{
    unsigned set = axes->n == 0 ? (1u << rank) - 1 : 0;
    int i, axis = 0;

    for (i = 0; i < axes->n; i++) {
        EC_PASS(ec__axis(axes->v[i], rank, &axis, err));
        if (set & 1u << axis)
            return ec_fail(err, EC_E_SHAPE, "axis %d is given twice", axis);
        set |= 1u << axis;
    }
    *ret = set;
    return EC_OK;
}

enum ec_status ec__broadcast(const struct ec_shape *a, const struct ec_shape *b,
                             struct ec_shape *ret, struct ec_err *err)
{
    struct ec_shape s = { a->rank > b->rank ? a->rank : b->rank, { 0 } };
    char ta[200], tb[200];
    int i;

    for (i = 1; i <= s.rank; i++) {
        int64_t da = i <= a->rank ? a->d[a->rank - i] : 1;
        int64_t db = i <= b->rank ? b->d[b->rank - i] : 1;

        if (da != db && da != 1 && db != 1)
            return ec_fail(err, EC_E_SHAPE, "shapes %s and %s cannot be broadcast together",
                           ec_shape_text(a, ta, sizeof ta), ec_shape_text(b, tb, sizeof tb));
        s.d[s.rank - i] = da == 1 ? db : da;
    }
    *ret = s;
    return EC_OK;
}

enum ec_status ec__params_fit(const struct ec_case *c, struct ec_err *err)
{
    struct ec_param_list list = { 0 };
    char text[200];
    int64_t n;
    int i;

    if (c->op->params)
        c->op->params(c, &list);
    for (i = 0; i < list.n; i++)
        if (!ec_shape_count(&list.p[i].shape, &n))
            return ec_fail(err, EC_E_SHAPE, "parameter %s would be %s: above 2^60 elements",
                           list.p[i].role, ec_shape_text(&list.p[i].shape, text, sizeof text));
    return EC_OK;
}

enum ec_status ec__required(int64_t v, const char *what, struct ec_err *err)
{
    if (v >= 1)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "%s is %lld, expected at least 1", what, (long long)v);
}

enum ec_status ec__divides(int64_t parts, int64_t whole, const char *parts_what,
                           const char *whole_what, struct ec_err *err)
{
    if (parts >= 1 && whole % parts == 0)
        return EC_OK;
    return ec_fail(err, EC_E_SHAPE, "%lld %s cannot be divided into %lld %s", (long long)whole,
                   whole_what, (long long)parts, parts_what);
}

enum ec_status ec__shape_same(const struct ec_case *c, struct ec_err *err)
{
    return ec__set_out(c, 0, &c->in[0]->shape, c->in[0]->dtype, err);
}

enum ec_status ec__shape_scalar(const struct ec_case *c, struct ec_err *err)
{
    struct ec_shape s = { 0, { 0 } };

    return ec__set_out(c, 0, &s, c->in[0]->dtype, err);
}

struct ec_kernel *ec__kernel(struct ec_work *w, enum ec_kclass kclass, enum ec_phase p, double flop,
                             double read_elems, double write_elems)
{
    struct ec_kernel *k = ec_work_add(w, kclass, p);

    k->flop = flop;
    k->read_elems = read_elems;
    k->write_elems = write_elems;
    return k;
}

struct ec_kernel *ec__gemm(struct ec_work *w, enum ec_phase p, double b, double m, double n,
                           double k)
{
    struct ec_kernel *g = ec_work_add(w, EC_K_GEMM, p);

    g->flags = EC_KF_MATRIX;
    g->b = b;
    g->m = m;
    g->n = n;
    g->k = k;
    g->mac = b * m * n * k;
    g->flop = 2 * g->mac;
    return g;
}

struct ec_kernel *ec__reduce(struct ec_work *w, enum ec_phase p, double m, double n)
{
    struct ec_kernel *k = ec__kernel(w, EC_K_REDUCE, p, m * n, m * n, m);

    k->b = 1;
    k->m = m;
    k->n = n;
    return k;
}

struct ec_kernel *ec__bias_grad(struct ec_work *w, double m, double n)
{
    struct ec_kernel *k = ec__reduce(w, EC_GRAD_WEIGHT, m, n);

    k->write_elems = 0;
    k->weight_elems = m;
    return k;
}

void ec__unbroadcast(const struct ec_case *c, int i, struct ec_work *w)
{
    double in = ec__in(c, i), out = ec__out(c, 0);

    if (in < out)
        ec__reduce(w, EC_GRAD_DATA, in, ec__ratio(out, in))->for_input = i + 1;
}

void ec__copy_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    if (p == EC_FORWARD)
        ec_work_stream(w, p, 0, ec__in_all(c), ec__out_all(c));
    if (p == EC_GRAD_DATA)
        ec_work_stream(w, p, 0, ec__out_all(c), ec__in_all(c));
}

void ec__no_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    (void)c;
    (void)p;
    (void)w;
}

void ec__saved_none(const struct ec_case *c, struct ec_saved *ret)
{
    (void)c;
    (void)ret;
}

void ec__saved_in(const struct ec_case *c, struct ec_saved *ret)
{
    (void)c;
    ret->in_mask = 1;
}

void ec__saved_both(const struct ec_case *c, struct ec_saved *ret)
{
    (void)c;
    ret->in_mask = 3;
}

void ec__saved_factors(const struct ec_case *c, struct ec_saved *ret)
{
    (void)c;
    ret->in_mask = ret->cross_mask = 3;
}

void ec__saved_for_weights(const struct ec_case *c, struct ec_saved *ret)
{
    (void)c;
    ret->in_mask = ret->cross_mask = 1;
}

void ec__saved_out(const struct ec_case *c, struct ec_saved *ret)
{
    (void)c;
    ret->out_mask = 1;
}

void ec__saved_in_out(const struct ec_case *c, struct ec_saved *ret)
{
    (void)c;
    ret->in_mask = 1;
    ret->out_mask = 1;
}
