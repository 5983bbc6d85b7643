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
    enum keeps keeps;
    value_fn *f;
    slope_fn *df; /* NULL: zero everywhere */
};

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

/* A slope that reads the input allows no output in its place. */
static bool prepare_backward(struct ec_knode *k)
{
    if (ec__ref_is_real(k))
        k->d_in_place = 0;
    return true;
}

static bool prepare_both(struct ec_knode *k)
{
    if (ec__ref_is_real(k))
        k->in_place = k->d_in_place = 0;
    return true;
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
        ec__ref_store(c->out[0], a->out[0], i, u->f(ec__ref_load(c->in[0], a->in[0], i), attrs));
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

static enum ec_status unary_run(const struct ec__ref_call *call)
{
    double attrs[2];

    numbers_of(call->c, attrs);
    if (call->phase == EC_FORWARD)
        forward(call->c, call->data, attrs, call->a, ec__ref_is_real(call->k));
    else if (call->phase == EC_GRAD_DATA && call->a->d_in[0])
        backward(call->c, call->data, attrs, call->a);
    return EC_OK;
}

/* clang-format off */
#define FUNCTION(name, expr) \
    static double name(double x, const double *a) { (void)a; return expr; }
#define KERNEL(opname, keeps, df) \
    static const struct unary opname##_row = { keeps, opname##_f, df }; \
    EC__REF_KERNEL(opname, .keeps_in = keeps == IN, .keeps_out = keeps == OUT, \
                   .data = &opname##_row, \
                   .prepare = keeps == IN ? prepare_backward : prepare_both, .run = unary_run)

/* (operator, what the slope reads, the function of x, its slope in x or y); FLAT: a slope of 0. */
#define EC__REF_KERNEL_UNARY(opname, keeps, value, slope) \
    FUNCTION(opname##_f, value) \
    static double opname##_df(double x, double y, const double *a) \
    { (void)x; (void)y; (void)a; return slope; } \
    KERNEL(opname, keeps, opname##_df)
#define EC__REF_KERNEL_FLAT(opname, value) \
    FUNCTION(opname##_f, value) \
    KERNEL(opname, NONE, NULL)

EC__REF_KERNEL_UNARY(abs, IN, fabs(x), x > 0 ? 1 : x < 0 ? -1 : 0)
EC__REF_KERNEL_FLAT(ceil, ceil(x))
EC__REF_KERNEL_UNARY(clip, IN, fmin(fmax(x, a[0]), a[1]), x >= a[0] && x <= a[1])
EC__REF_KERNEL_UNARY(cos, IN, cos(x), -sin(x))
EC__REF_KERNEL_UNARY(elu, IN, x > 0 ? x : expm1(x), x > 0 ? 1 : exp(x))
EC__REF_KERNEL_UNARY(erf, IN, erf(x), 2 / sqrt(PI) * exp(-x * x))
EC__REF_KERNEL_UNARY(exp, OUT, exp(x), y)
EC__REF_KERNEL_FLAT(floor, floor(x))
EC__REF_KERNEL_UNARY(gelu, IN, gelu(x, a[0] > 0), gelu_slope(x, a[0] > 0))
EC__REF_KERNEL_UNARY(hard_sigmoid, IN, fmin(fmax(x + 3, 0), 6) / 6, x > -3 && x < 3 ? 1.0 / 6 : 0)
EC__REF_KERNEL_UNARY(hard_swish, IN, x * fmin(fmax(x + 3, 0), 6) / 6,
                     x < -3 ? 0 : x <= 3 ? x / 3 + 0.5 : 1)
EC__REF_KERNEL_FLAT(isnan, isnan(x))
EC__REF_KERNEL_UNARY(leaky_relu, IN, x > 0 ? x : a[0] * x, x > 0 ? 1 : a[0])
EC__REF_KERNEL_UNARY(log, IN, log(x), 1 / x)
EC__REF_KERNEL_UNARY(mish, IN, x * tanh(softplus(x)), mish_slope(x))
EC__REF_KERNEL_UNARY(neg, NONE, -x, -1)
EC__REF_KERNEL_FLAT(not, x == 0)
EC__REF_KERNEL_UNARY(pow_scalar, IN, pow(x, a[0]), a[0] == 0 ? 0 : a[0] * pow(x, a[0] - 1))
EC__REF_KERNEL_UNARY(reciprocal, OUT, 1 / x, -y * y)
EC__REF_KERNEL_UNARY(relu, OUT, x > 0 ? x : 0, y > 0)
EC__REF_KERNEL_UNARY(relu6, OUT, fmin(fmax(x, 0), 6), y > 0 && y < 6)
EC__REF_KERNEL_FLAT(round, nearbyint(x))
EC__REF_KERNEL_UNARY(rsqrt, OUT, 1 / sqrt(x), -0.5 * y * y * y)
EC__REF_KERNEL_UNARY(scale_scalar, NONE, x * a[0] + a[1], a[0])
EC__REF_KERNEL_UNARY(selu, IN, SELU_SCALE * (x > 0 ? x : SELU_ALPHA * expm1(x)),
                     SELU_SCALE * (x > 0 ? 1 : SELU_ALPHA * exp(x)))
EC__REF_KERNEL_UNARY(sigmoid, OUT, sigmoid(x), y * (1 - y))
EC__REF_KERNEL_FLAT(sign, (x > 0) - (x < 0))
EC__REF_KERNEL_UNARY(silu, IN, x * sigmoid(x), sigmoid(x) * (1 + x * (1 - sigmoid(x))))
EC__REF_KERNEL_UNARY(sin, IN, sin(x), cos(x))
EC__REF_KERNEL_UNARY(softplus, IN, softplus(x), sigmoid(x))
EC__REF_KERNEL_UNARY(softsign, IN, x / (1 + fabs(x)), 1 / ((1 + fabs(x)) * (1 + fabs(x))))
EC__REF_KERNEL_UNARY(sqrt, OUT, sqrt(x), 0.5 / y)
EC__REF_KERNEL_UNARY(tanh, OUT, tanh(x), 1 - y * y)
/* clang-format on */

/* --- prelu: slopes are parameters, one or one per channel --- */

static void prelu_slopes(const struct ec_case *c, const real *x, const real *dy, real *d_slope)
{
    int64_t slopes = ec_case_int(c, "params"), plane = ec__ref_plane(&c->in[0]->shape);
    int64_t n = ec__ref_elems(c->in[0]), s, i;

    for (s = 0; s < slopes; s++) {
        double sum = 0;

        for (i = 0; i < n; i++)
            if (x[i] < 0 && (slopes == 1 || i / plane % slopes == s))
                sum += (double)dy[i] * (double)x[i];
        d_slope[s] = (real)sum;
    }
}

static enum ec_status prelu_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    int64_t slopes = ec_case_int(call->c, "params"), plane = ec__ref_plane(&call->c->in[0]->shape);
    int64_t n = ec__ref_elems(call->c->in[0]), i;
    const real *x = a->in[0], *slope = a->param[0];

    if (call->phase == EC_GRAD_WEIGHT && a->d_param[0])
        prelu_slopes(call->c, x, a->d_out[0], a->d_param[0]);
    if ((call->phase == EC_GRAD_DATA && !a->d_in[0]) || call->phase == EC_GRAD_WEIGHT)
        return EC_OK;
    for (i = 0; i < n; i++) {
        real s = x[i] > 0 ? 1 : slope[slopes == 1 ? 0 : i / plane % slopes];

        if (call->phase == EC_FORWARD)
            ((real *)a->out[0])[i] = s * x[i];
        else
            ((real *)a->d_in[0])[i] = s * ((const real *)a->d_out[0])[i];
    }
    return EC_OK;
}

EC__REF_KERNEL(prelu, .keeps_in = 1, .split_backward = true, .run = prelu_run)
