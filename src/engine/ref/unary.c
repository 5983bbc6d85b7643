/* Element-wise operators of one input: a row has the function and its derivative, in double. */
#include "engine/ref/ref_internal.h"

#include <math.h>

#define SELU_SCALE 1.0507009873554804934
#define SELU_ALPHA 1.6732632423543772848
#define SQRT_2 1.41421356237309504880
#define PI 3.14159265358979323846

/* a: the operator's parameters, at most two numbers */
typedef double value_fn(double x, const double *a);
typedef double slope_fn(double x, double y, const double *a); /* dy/dx; see `keeps` */

enum keeps { NONE, IN, OUT }; /* what the slope reads: the other argument is 0 */

struct unary {
    const char *op;
    enum keeps keeps;
    value_fn *f;
    slope_fn *df; /* NULL: zero everywhere */
};

/* clang-format off */
#define VALUE(name, expr) \
    static double name##_f(double x, const double *a) { (void)a; return expr; }
#define SLOPE(name, expr) \
    static double name##_df(double x, double y, const double *a) \
    { (void)x; (void)y; (void)a; return expr; }

static double sigmoid(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double gelu(double x, bool approximate)
{
    if (approximate)
        return x / 2 * (1 + tanh(sqrt(2 / PI) * (x + 0.044715 * x * x * x)));
    return x / 2 * (1 + erf(x / SQRT_2));
}

static double gelu_slope(double x, bool approximate)
{
    double u, t;

    if (!approximate)
        return 0.5 * (1 + erf(x / SQRT_2)) + x * exp(-x * x / 2) / sqrt(2 * PI);
    u = sqrt(2 / PI) * (x + 0.044715 * x * x * x);
    t = tanh(u);
    return 0.5 * (1 + t) + x / 2 * (1 - t * t) * sqrt(2 / PI) * (1 + 3 * 0.044715 * x * x);
}

static double mish_slope(double x)
{
    double t = tanh(softplus(x));

    return t + x * (1 - t * t) * sigmoid(x);
}

VALUE(abs, fabs(x))
SLOPE(abs, x > 0 ? 1 : x < 0 ? -1 : 0)
VALUE(ceil, ceil(x))
VALUE(clip, fmin(fmax(x, a[0]), a[1]))
SLOPE(clip, x >= a[0] && x <= a[1])
VALUE(cos, cos(x))
SLOPE(cos, -sin(x))
VALUE(elu, x > 0 ? x : expm1(x))
SLOPE(elu, x > 0 ? 1 : exp(x))
VALUE(erf, erf(x))
SLOPE(erf, 2 / sqrt(PI) * exp(-x * x))
VALUE(exp, exp(x))
SLOPE(exp, y)
VALUE(floor, floor(x))
VALUE(gelu, gelu(x, a[0] > 0))
SLOPE(gelu, gelu_slope(x, a[0] > 0))
VALUE(hard_sigmoid, fmin(fmax(x + 3, 0), 6) / 6)
SLOPE(hard_sigmoid, x > -3 && x < 3 ? 1.0 / 6 : 0)
VALUE(hard_swish, x * fmin(fmax(x + 3, 0), 6) / 6)
SLOPE(hard_swish, x < -3 ? 0 : x <= 3 ? x / 3 + 0.5 : 1)
VALUE(isnan, isnan(x))
VALUE(leaky_relu, x > 0 ? x : a[0] * x)
SLOPE(leaky_relu, x > 0 ? 1 : a[0])
VALUE(log, log(x))
SLOPE(log, 1 / x)
VALUE(mish, x * tanh(softplus(x)))
SLOPE(mish, mish_slope(x))
VALUE(neg, -x)
SLOPE(neg, -1)
VALUE(not, x == 0)
VALUE(pow_scalar, pow(x, a[0]))
SLOPE(pow_scalar, a[0] == 0 ? 0 : a[0] * pow(x, a[0] - 1))
VALUE(reciprocal, 1 / x)
SLOPE(reciprocal, -y * y)
VALUE(relu, x > 0 ? x : 0)
SLOPE(relu, y > 0)
VALUE(relu6, fmin(fmax(x, 0), 6))
SLOPE(relu6, y > 0 && y < 6)
VALUE(round, nearbyint(x))
VALUE(rsqrt, 1 / sqrt(x))
SLOPE(rsqrt, -0.5 * y * y * y)
VALUE(scale_scalar, x * a[0] + a[1])
SLOPE(scale_scalar, a[0])
VALUE(selu, SELU_SCALE * (x > 0 ? x : SELU_ALPHA * expm1(x)))
SLOPE(selu, SELU_SCALE * (x > 0 ? 1 : SELU_ALPHA * exp(x)))
VALUE(sigmoid, sigmoid(x))
SLOPE(sigmoid, y * (1 - y))
VALUE(sign, (x > 0) - (x < 0))
VALUE(silu, x * sigmoid(x))
SLOPE(silu, sigmoid(x) * (1 + x * (1 - sigmoid(x))))
VALUE(sin, sin(x))
SLOPE(sin, cos(x))
VALUE(softplus, softplus(x))
SLOPE(softplus, sigmoid(x))
VALUE(softsign, x / (1 + fabs(x)))
SLOPE(softsign, 1 / ((1 + fabs(x)) * (1 + fabs(x))))
VALUE(sqrt, sqrt(x))
SLOPE(sqrt, 0.5 / y)
VALUE(tanh, tanh(x))
SLOPE(tanh, 1 - y * y)

#define ROW(name, keeps) { #name, keeps, name##_f, name##_df }
#define FLAT(name) { #name, NONE, name##_f, NULL }
static const struct unary table[] = {
    ROW(abs, IN), FLAT(ceil), ROW(clip, IN), ROW(cos, IN), ROW(elu, IN), ROW(erf, IN),
    ROW(exp, OUT), FLAT(floor), ROW(gelu, IN), ROW(hard_sigmoid, IN), ROW(hard_swish, IN),
    FLAT(isnan), ROW(leaky_relu, IN), ROW(log, IN), ROW(mish, IN), ROW(neg, NONE), FLAT(not),
    ROW(pow_scalar, IN), ROW(reciprocal, OUT), ROW(relu, OUT), ROW(relu6, OUT), FLAT(round),
    ROW(rsqrt, OUT), ROW(scale_scalar, NONE), ROW(selu, IN), ROW(sigmoid, OUT), FLAT(sign),
    ROW(silu, IN), ROW(sin, IN), ROW(softplus, IN), ROW(softsign, IN), ROW(sqrt, OUT),
    ROW(tanh, OUT),
};
/* clang-format on */

static const struct unary *unary_of(const struct ec_case *c)
{
    int i;

    for (i = 0; i < EC_LEN(table); i++)
        if (ec_str_eq(table[i].op, c->op->name))
            return &table[i];
    return NULL;
}

/* The attributes that the functions take as numbers, with what stands for absent ones. */
static void numbers_of(const struct ec_case *c, double a[2])
{
    static const struct {
        const char *name;
        int at;
    } attrs[] = {
        {"alpha", 0},
        { "p",    0},
        { "mul",  0},
        { "add",  1},
        { "lo",   0},
        { "hi",   1}
    };
    int i;

    a[0] = a[1] = 0;
    for (i = 0; i < EC_LEN(attrs); i++)
        if (ec_case_has(c, attrs[i].name))
            a[attrs[i].at] = ec_case_double(c, attrs[i].name);
    if (ec_case_has(c, "approx"))
        a[0] = (double)ec_case_int(c, "approx");
}

static enum ec_status unary_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    const struct unary *u = unary_of(k->c);

    (void)ctx;
    (void)err;
    EC__REF(keep)(k, u->keeps == IN, u->keeps == OUT);
    if (EC__REF(is_real)(k)) {
        k->d_in_place = 0;
        k->in_place = u->keeps == IN ? -1 : 0;
    }
    return EC_OK;
}

static void forward(const struct ec_case *c, const struct unary *u, const double *attrs,
                    const struct ec_kargs *a, bool is_real)
{
    int64_t n = ec__ref_elems(c->in[0]), i;

    if (is_real) {
        const real *x = a->in[0];
        real *y = a->out[0];

        for (i = 0; i < n; i++)
            y[i] = (real)u->f((double)x[i], attrs);
        return;
    }
    for (i = 0; i < n; i++)
        EC__REF(store)
    (c->out[0], a->out[0], i, u->f(EC__REF(load)(c->in[0], a->in[0], i), attrs));
}

static void backward(const struct ec_case *c, const struct unary *u, const double *attrs,
                     const struct ec_kargs *a)
{
    const real *x = u->keeps == IN ? a->in[0] : NULL, *dy = a->d_out[0];
    const real *y = u->keeps == OUT ? a->out[0] : NULL;
    real *dx = a->d_in[0];
    int64_t n = ec__ref_elems(c->in[0]), i;

    for (i = 0; i < n; i++)
        dx[i] =
            !u->df
                ? 0
                : (real)((double)dy[i] * u->df(x ? (double)x[i] : 0, y ? (double)y[i] : 0, attrs));
}

static enum ec_status unary_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase p,
                                const struct ec_kargs *a, struct ec_err *err)
{
    const struct unary *u = unary_of(k->c);
    double attrs[2];

    (void)ctx;
    (void)err;
    numbers_of(k->c, attrs);
    if (p == EC_FORWARD)
        forward(k->c, u, attrs, a, EC__REF(is_real)(k));
    else if (p == EC_GRAD_DATA && a->d_in[0])
        backward(k->c, u, attrs, a);
    return EC_OK;
}

/* --- prelu: slopes are parameters, one or one per channel --- */

static enum ec_status prelu_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    (void)ctx;
    (void)err;
    EC__REF(keep)(k, 1, 0);
    k->split_backward = true;
    return EC_OK;
}

static int64_t plane_of(const struct ec_shape *s)
{
    int64_t n = 1;
    int i;

    for (i = 2; i < s->rank; i++)
        n *= s->d[i];
    return n;
}

static void prelu_slopes(const struct ec_case *c, const real *x, const real *dy, real *d_slope)
{
    int64_t slopes = ec_case_int(c, "params"), plane = plane_of(&c->in[0]->shape);
    int64_t n = ec__ref_elems(c->in[0]), s, i;

    for (s = 0; s < slopes; s++) {
        double sum = 0;

        for (i = 0; i < n; i++)
            if (x[i] < 0 && (slopes == 1 || i / plane % slopes == s))
                sum += (double)dy[i] * (double)x[i];
        d_slope[s] = (real)sum;
    }
}

static enum ec_status prelu_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase p,
                                const struct ec_kargs *a, struct ec_err *err)
{
    int64_t slopes = ec_case_int(k->c, "params"), plane = plane_of(&k->c->in[0]->shape);
    int64_t n = ec__ref_elems(k->c->in[0]), i;
    const real *x = a->in[0], *slope = a->param[0];

    (void)ctx;
    (void)err;
    if (p == EC_GRAD_WEIGHT && a->d_param[0])
        prelu_slopes(k->c, x, a->d_out[0], a->d_param[0]);
    if ((p == EC_GRAD_DATA && !a->d_in[0]) || p == EC_GRAD_WEIGHT)
        return EC_OK;
    for (i = 0; i < n; i++) {
        real s = x[i] > 0 ? 1 : slope[slopes == 1 ? 0 : i / plane % slopes];

        if (p == EC_FORWARD)
            ((real *)a->out[0])[i] = s * x[i];
        else
            ((real *)a->d_in[0])[i] = s * ((const real *)a->d_out[0])[i];
    }
    return EC_OK;
}

EC__REF_KERNEL(unary, unary_prepare, unary_run)
EC__REF_KERNEL(prelu, prelu_prepare, prelu_run)
