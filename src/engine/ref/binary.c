/* Element-wise operators of two and three inputs, broadcast. A row has the function and both
 * slopes, in double. The gradient of a broadcast input is summed in double. */
#include "engine/ref/ref_internal.h"

#include <math.h>
#include <string.h>

typedef double binary_fn(double x, double y, int64_t kind);

struct binary {
    const char *op;
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

static const struct binary table[] = {
    { "add", false, sum, one, one },
    { "compare", false, compare, NULL, NULL },
    { "div", true, quotient, quotient_dx, quotient_dy },
    { "logical", false, logical, NULL, NULL },
    { "max", true, larger, larger_dx, larger_dy },
    { "min", true, smaller, larger_dy, larger_dx },
    { "mod", true, remainder_of, one, remainder_dy },
    { "mul", true, times, second, first },
    { "pow", true, power, power_dx, power_dy },
    { "sub", false, difference, one, minus_one },
};
/* clang-format on */

static const struct binary *binary_of(const struct ec_case *c)
{
    int i;

    for (i = 0; i < EC_LEN(table); i++)
        if (ec_str_eq(table[i].op, c->op->name))
            return &table[i];
    return NULL;
}

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

static enum ec_status binary_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    const struct binary *b = binary_of(k->c);

    (void)ctx;
    (void)err;
    EC__REF(keep)(k, b->reads ? 3 : 0, 0);
    k->d_out_is_d_in = passes(k);
    k->scratch_bytes = sum_bytes(k);
    return EC_OK;
}

static struct ec__ref_walk walk_of(const struct ec_case *c)
{
    struct ec__ref_walk w = EC__REF(walk)(&c->out[0]->shape);
    int i;

    EC__REF(walk_add)(&w, &c->out[0]->shape);
    for (i = 0; i < c->n_in; i++)
        EC__REF(walk_add)(&w, &c->in[i]->shape);
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
                EC__REF(store)
            (c->out[0], a->out[0], at,
             b->f(EC__REF(load)(c->in[0], a->in[0], x), EC__REF(load)(c->in[1], a->in[1], y),
                  kind));
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
            double vx = b->reads ? EC__REF(load)(c->in[0], a->in[0], x) : 0;
            double vy = b->reads ? EC__REF(load)(c->in[1], a->in[1], y) : 0;

            sum[input ? y : x] += (double)dz[w.off[0] + i] * slope(vx, vy, 0);
        }
    }
    EC__REF(from_double)(sum, a->d_in[input], n);
}

static enum ec_status binary_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase p,
                                 const struct ec_kargs *a, struct ec_err *err)
{
    const struct binary *b = binary_of(k->c);
    int i;

    (void)ctx;
    (void)err;
    if (p == EC_FORWARD)
        forward(k->c, b, a, EC__REF(is_real)(k) && ec_dtype_is_float(k->c->in[1]->dtype));
    for (i = 0; p == EC_GRAD_DATA && i < 2; i++)
        if (a->d_in[i])
            backward(k->c, b, a, i);
    return EC_OK;
}

/* --- where: condition, then, else --- */

static enum ec_status where_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    (void)ctx;
    (void)err;
    EC__REF(keep)(k, 1, 0);
    k->scratch_bytes = sum_bytes(k);
    return EC_OK;
}

static void where_forward(const struct ec_case *c, const struct ec_kargs *a)
{
    struct ec__ref_walk w = walk_of(c);
    int64_t i;

    EC__REF_WALK(&w)
    {
        for (i = 0; i < w.len; i++) {
            bool yes = EC__REF(load)(c->in[0], a->in[0], w.off[1] + i * w.step[1]) != 0;
            int from = yes ? 1 : 2;

            EC__REF(store)
            (c->out[0], a->out[0], w.off[0] + i,
             EC__REF(load)(c->in[from], a->in[from], w.off[from + 1] + i * w.step[from + 1]));
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
            bool yes = EC__REF(load)(c->in[0], a->in[0], w.off[1] + i * w.step[1]) != 0;

            if (yes == (input == 1))
                sum[w.off[input + 1] + i * w.step[input + 1]] +=
                    (double)((const real *)a->d_out[0])[w.off[0] + i];
        }
    }
    EC__REF(from_double)(sum, a->d_in[input], n);
}

static enum ec_status where_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase p,
                                const struct ec_kargs *a, struct ec_err *err)
{
    int i;

    (void)ctx;
    (void)err;
    if (p == EC_FORWARD)
        where_forward(k->c, a);
    for (i = 0; p == EC_GRAD_DATA && i < 3; i++)
        if (a->d_in[i])
            where_backward(k->c, a, i);
    return EC_OK;
}

EC__REF_KERNEL(add, binary_prepare, binary_run)
EC__REF_KERNEL(compare, binary_prepare, binary_run)
EC__REF_KERNEL(div, binary_prepare, binary_run)
EC__REF_KERNEL(logical, binary_prepare, binary_run)
EC__REF_KERNEL(max, binary_prepare, binary_run)
EC__REF_KERNEL(min, binary_prepare, binary_run)
EC__REF_KERNEL(mod, binary_prepare, binary_run)
EC__REF_KERNEL(mul, binary_prepare, binary_run)
EC__REF_KERNEL(pow, binary_prepare, binary_run)
EC__REF_KERNEL(sub, binary_prepare, binary_run)
EC__REF_KERNEL(where, where_prepare, where_run)
