/* Element-wise operators of two and three inputs, broadcast. A row has the function and both
 * slopes, in double. The gradient of a broadcast input is summed in double. */
#include "engine/ref/ref_internal.h"

#include <math.h>
#include <string.h>

typedef double binary_fn(double x, double y, int64_t kind);

struct binary {
    bool reads; /* the slopes read the inputs */
    binary_fn *f, *dx, *dy;
};

/* clang-format off */
#define FN(name, expr) \
    static double name(double x, double y, int64_t kind) \
    { (void)x; (void)y; (void)kind; return expr; }

/* Words of compare and logical, see src/op/binary.c. */
static double compare(double x, double y, int64_t kind)
{
    switch (kind) {
    case 0: return x == y;
    case 1: return x != y;
    case 2: return x < y;
    case 3: return x <= y;
    case 4: return x > y;
    default: return x >= y;
    }
}

static double logical(double x, double y, int64_t kind)
{
    bool a = x != 0, b = y != 0;

    return kind == 0 ? a && b : kind == 1 ? a || b : a != b;
}

FN(one, 1)
FN(minus_one, -1)
FN(sum, x + y)
FN(difference, x - y)
FN(times, x * y)
FN(first, x)
FN(second, y)
FN(quotient, x / y)
FN(quotient_dx, 1 / y)
FN(quotient_dy, -x / (y * y))
FN(larger, x > y ? x : y)
FN(larger_dx, x > y ? 1 : x == y ? 0.5 : 0)
FN(larger_dy, x < y ? 1 : x == y ? 0.5 : 0)
FN(smaller, x < y ? x : y)
FN(remainder_of, x - y * floor(x / y))
FN(remainder_dy, -floor(x / y))
FN(power, pow(x, y))
FN(power_dx, y == 0 ? 0 : y * pow(x, y - 1))
FN(power_dy, x == 0 && y >= 0 ? 0 : pow(x, y) * log(x))

/* clang-format on */

/* Where gradients are summed: the largest input's elements. */
static int64_t sum_bytes(const struct ec_knode *k)
{
    int64_t most = 0, i;

    for (i = 0; i < k->c->n_in; i++)
        if (k->want_d_in[i])
            most = EC__REF_MAX(most, ec__ref_elems(k->c->in[i]));
    return most * (int64_t)sizeof(double);
}

/* A sum passes its gradient on where nothing was broadcast. */
static bool passes(const struct ec_knode *k)
{
    int i;

    for (i = 0; i < k->c->n_in; i++)
        if (k->want_d_in[i] && !ec_shape_eq(&k->c->in[i]->shape, &k->c->out[0]->shape))
            return false;
    return ec_str_eq(k->c->op->name, "add");
}

static bool binary_prepare(struct ec_knode *k)
{
    k->d_out_is_d_in = passes(k);
    k->scratch_bytes = sum_bytes(k);
    return true;
}

static struct ec__ref_walk walk_of(const struct ec_case *c)
{
    struct ec__ref_walk w = ec__ref_walk_over(&c->out[0]->shape);
    int i;

    ec__ref_walk_add(&w, &c->out[0]->shape);
    for (i = 0; i < c->n_in; i++)
        ec__ref_walk_add(&w, &c->in[i]->shape);
    return w;
}

static void forward(const struct ec_case *c, const struct binary *b, const struct ec_kargs *a,
                    bool all_real)
{
    int64_t kind = ec_case_has(c, "kind") ? ec_case_int(c, "kind") : 0, i;
    struct ec__ref_walk w = walk_of(c);

    EC__REF_WALK(&w)
    {
        for (i = 0; i < w.len; i++) {
            int64_t at = w.off[0] + i, x = w.off[1] + i * w.step[1], y = w.off[2] + i * w.step[2];

            if (all_real)
                ((real *)a->out[0])[at] = (real)b->f((double)((const real *)a->in[0])[x],
                                                     (double)((const real *)a->in[1])[y], kind);
            else
                ec__ref_store(c->out[0], a->out[0], at,
                              b->f(ec__ref_load(c->in[0], a->in[0], x),
                                   ec__ref_load(c->in[1], a->in[1], y), kind));
        }
    }
}

static void backward(const struct ec_case *c, const struct binary *b, const struct ec_kargs *a,
                     int input)
{
    binary_fn *slope = input ? b->dy : b->dx;
    int64_t n = ec__ref_elems(c->in[input]), i;
    struct ec__ref_walk w = walk_of(c);
    const real *dz = a->d_out[0];
    double *sum = a->scratch;

    memset(sum, 0, sizeof *sum * (size_t)n);
    EC__REF_WALK(&w)
    {
        for (i = 0; slope && i < w.len; i++) {
            int64_t x = w.off[1] + i * w.step[1], y = w.off[2] + i * w.step[2];
            double vx = b->reads ? ec__ref_load(c->in[0], a->in[0], x) : 0;
            double vy = b->reads ? ec__ref_load(c->in[1], a->in[1], y) : 0;

            sum[input ? y : x] += (double)dz[w.off[0] + i] * slope(vx, vy, 0);
        }
    }
    ec__ref_from_double(sum, a->d_in[input], n);
}

static enum ec_status binary_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    const struct binary *b = call->data;
    int i;

    if (call->phase == EC_FORWARD)
        forward(call->c, b, a,
                ec__ref_is_real(call->k) && ec_dtype_is_float(call->c->in[1]->dtype));
    for (i = 0; call->phase == EC_GRAD_DATA && i < 2; i++)
        if (a->d_in[i])
            backward(call->c, b, a, i);
    return EC_OK;
}

/* (operator, whether the slopes read the inputs, the function, its slope in x, that in y) */
#define EC__REF_KERNEL_BINARY(opname, reads, f, dx, dy)                                            \
    static const struct binary opname##_row = { reads, f, dx, dy };                                \
    EC__REF_KERNEL(opname, .keeps_in = (reads) ? 3 : 0, .data = &opname##_row,                     \
                   .prepare = binary_prepare, .run = binary_run)

EC__REF_KERNEL_BINARY(add, false, sum, one, one)
EC__REF_KERNEL_BINARY(compare, false, compare, NULL, NULL)
EC__REF_KERNEL_BINARY(div, true, quotient, quotient_dx, quotient_dy)
EC__REF_KERNEL_BINARY(logical, false, logical, NULL, NULL)
EC__REF_KERNEL_BINARY(max, true, larger, larger_dx, larger_dy)
EC__REF_KERNEL_BINARY(min, true, smaller, larger_dy, larger_dx)
EC__REF_KERNEL_BINARY(mod, true, remainder_of, one, remainder_dy)
EC__REF_KERNEL_BINARY(mul, true, times, second, first)
EC__REF_KERNEL_BINARY(pow, true, power, power_dx, power_dy)
EC__REF_KERNEL_BINARY(sub, false, difference, one, minus_one)

/* --- where: condition, then, else --- */

static bool where_prepare(struct ec_knode *k)
{
    k->scratch_bytes = sum_bytes(k);
    return true;
}

static void where_forward(const struct ec_case *c, const struct ec_kargs *a)
{
    struct ec__ref_walk w = walk_of(c);
    int64_t i;

    EC__REF_WALK(&w)
    {
        for (i = 0; i < w.len; i++) {
            bool yes = ec__ref_load(c->in[0], a->in[0], w.off[1] + i * w.step[1]) != 0;
            int from = yes ? 1 : 2;

            ec__ref_store(
                c->out[0], a->out[0], w.off[0] + i,
                ec__ref_load(c->in[from], a->in[from], w.off[from + 1] + i * w.step[from + 1]));
        }
    }
}

static void where_backward(const struct ec_case *c, const struct ec_kargs *a, int input)
{
    int64_t n = ec__ref_elems(c->in[input]), i;
    struct ec__ref_walk w = walk_of(c);
    double *sum = a->scratch;

    memset(sum, 0, sizeof *sum * (size_t)n);
    EC__REF_WALK(&w)
    {
        for (i = 0; input && i < w.len; i++) {
            bool yes = ec__ref_load(c->in[0], a->in[0], w.off[1] + i * w.step[1]) != 0;

            if (yes == (input == 1))
                sum[w.off[input + 1] + i * w.step[input + 1]] +=
                    (double)((const real *)a->d_out[0])[w.off[0] + i];
        }
    }
    ec__ref_from_double(sum, a->d_in[input], n);
}

static enum ec_status where_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    int i;

    if (call->phase == EC_FORWARD)
        where_forward(call->c, a);
    for (i = 0; call->phase == EC_GRAD_DATA && i < 3; i++)
        if (a->d_in[i])
            where_backward(call->c, a, i);
    return EC_OK;
}

EC__REF_KERNEL(where, .keeps_in = 1, .prepare = where_prepare, .run = where_run)
