/* Element-wise operators of one input. One operator is one line: its arithmetic per element forward
 * and backward, and what backward keeps, which is also what backward reads beside the gradient.
 * What is kept follows PyTorch's eager mode; where networks commonly run an operator in place
 * (EC_OPF_INPLACE) it is the output. */
#include "op/op_internal.h"

static void unary_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double n = ec__in(c, 0);
    struct ec_saved kept = { 0 };

    if (p == EC_FORWARD)
        ec_work_stream(w, p, n * c->op->flop_fwd, n, n);
    if (p != EC_GRAD_DATA || c->op->flags & EC_OPF_NO_GRAD)
        return;
    c->op->saved(c, &kept);
    ec_work_stream(w, p, n * c->op->flop_bwd, n * (1 + (kept.in_mask != 0) + (kept.out_mask != 0)),
                   n)
        ->for_input = 1;
}

static enum ec_status shape_bool(const struct ec_case *c, struct ec_err *err)
{
    return ec__set_out(c, 0, &c->in[0]->shape, EC_DT_bool, err);
}

#define UNARY_ROW(opname, kept, fwd, bwd, opflags, text, words, ...)                               \
    EC__OP(opname) = { .name = #opname,                                                            \
                       .help = text,                                                               \
                       .inputs = "x",                                                              \
                       .flags = opflags,                                                           \
                       .work = unary_work,                                                         \
                       .saved = ec__saved_##kept,                                                  \
                       .example = #opname words,                                                   \
                       .flop_fwd = fwd,                                                            \
                       .flop_bwd = bwd,                                                            \
                       __VA_ARGS__ }
#define EC__OP_UNARY(opname, kept, fwd, bwd, opflags, text)                                        \
    UNARY_ROW(opname, kept, fwd, bwd, opflags, text, " x=32x64x56x56", .shape = ec__shape_same,    \
              .sample = ec__sample_any)

#define NO_GRAD EC_OPF_NO_GRAD /* zero almost everywhere: nothing to compute */
#define INPLACE EC_OPF_INPLACE
#define FLOAT EC_OPF_FLOAT

/* clang-format off */
/*    name          keeps  fwd bwd flags */
EC__OP_UNARY(abs,          in,    1,  2,  0,       "absolute value");
EC__OP_UNARY(ceil,         none,  1,  0,  NO_GRAD, "smallest whole number not below");
EC__OP_UNARY(cos,          in,    1,  3,  0,       "cosine");
EC__OP_UNARY(elu,          in,    4,  5,  0,       "exponential linear unit");
EC__OP_UNARY(erf,          in,    1,  4,  0,       "error function");
EC__OP_UNARY(exp,          out,   1,  1,  FLOAT,   "exponential");
EC__OP_UNARY(floor,        none,  1,  0,  NO_GRAD, "largest whole number not above");
EC__OP_UNARY(hard_sigmoid, in,    4,  3,  0,       "piecewise linear sigmoid");
EC__OP_UNARY(hard_swish,   in,    5,  6,  0,       "x times hard sigmoid");
EC__OP_UNARY(log,          in,    1,  1,  FLOAT,   "natural logarithm");
EC__OP_UNARY(mish,         in,    5,  11, 0,       "x tanh(softplus(x))");
EC__OP_UNARY(neg,          none,  1,  1,  0,       "negation");
EC__OP_UNARY(reciprocal,   out,   1,  3,  FLOAT,   "1 / x");
EC__OP_UNARY(relu,         out,   1,  1,  INPLACE, "max(x, 0)");
EC__OP_UNARY(relu6,        in,    2,  2,  INPLACE, "min(max(x, 0), 6)");
EC__OP_UNARY(round,        none,  1,  0,  NO_GRAD, "nearest whole number");
EC__OP_UNARY(rsqrt,        out,   2,  3,  FLOAT,   "1 / square root");
EC__OP_UNARY(selu,         in,    5,  6,  0,       "self-normalising exponential linear unit");
EC__OP_UNARY(sigmoid,      out,   4,  3,  0,       "1 / (1 + exp(-x))");
EC__OP_UNARY(sign,         none,  1,  0,  NO_GRAD, "-1, 0 or 1");
EC__OP_UNARY(silu,         in,    5,  8,  0,       "x sigmoid(x)");
EC__OP_UNARY(sin,          in,    1,  2,  0,       "sine");
EC__OP_UNARY(softplus,     in,    3,  5,  FLOAT,   "log(1 + exp(x))");
EC__OP_UNARY(softsign,     in,    3,  5,  0,       "x / (1 + |x|)");
EC__OP_UNARY(sqrt,         out,   1,  2,  0,       "square root");
EC__OP_UNARY(tanh,         out,   1,  3,  0,       "hyperbolic tangent");
/* clang-format on */

#define EC__OP_BOOL(opname, text)                                                                  \
    UNARY_ROW(opname, none, 1, 0, EC_OPF_NO_GRAD, text, " x=32x128", .shape = shape_bool)

EC__OP_BOOL(isnan, "true where not a number (bool)");
EC__OP_BOOL(not, "logical negation (bool)");

/* --- With attributes --- */

#define EC__OP_ATTRS(opname, attrs_type, kept, fwd, bwd, opflags, text, words)                     \
    UNARY_ROW(opname, kept, fwd, bwd, opflags, text, " x=32x64x56x56" words,                       \
              .shape = ec__shape_same, .sample = ec__sample_any,                                   \
              .attrs_size = sizeof(struct attrs_type), .fields = opname##_fields)

EC__OP_ATTRS(leaky_relu, leaky_relu_attrs, out, 2, 2, INPLACE, "x, or alpha x where negative",
             " alpha=0.1");

EC__OP_ATTRS(clip, clip_attrs, in, 2, 3, 0, "limit to a range", " lo=-1 hi=1");

EC__OP_ATTRS(scale_scalar, scale_scalar_attrs, none, 1, 1, 0, "times or plus a constant",
             " mul=0.125");

EC__OP_ATTRS(pow_scalar, pow_scalar_attrs, in, 1, 3, FLOAT, "x to a constant power", " p=3");

/* Arithmetic is that of the exact form x/2 (1 + erf(x / sqrt 2)); the approximation has more, which
 * no kernel's time depends on: both are bound by memory. */
EC__OP_ATTRS(gelu, gelu_attrs, in, 5, 10, 0, "Gaussian error linear unit", " approx=tanh");

/* --- prelu: the slope is a parameter --- */

static enum ec_status prelu_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct prelu_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape;

    if (a->params != 1 && (x->rank < 2 || x->d[1] != a->params))
        return ec_fail(err, EC_E_SHAPE, "%lld slopes for %lld channels, expected 1 or as many",
                       (long long)a->params, x->rank < 2 ? 1LL : (long long)x->d[1]);
    return ec__shape_same(c, err);
}

static void prelu_params(const struct ec_case *c, struct ec_param_list *ret)
{
    const struct prelu_attrs *a = c->attrs;

    ec_param_add(ret, "weight", true, 1, a->params);
}

/* The slope's gradient: dy * x where x < 0, summed. */
static void prelu_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    const struct prelu_attrs *a = c->attrs;
    double params = (double)a->params, n = ec__in(c, 0);
    struct ec_kernel *k;

    unary_work(c, p, w);
    if (w->n)
        w->kernel[0].weight_elems = params;
    if (p != EC_GRAD_WEIGHT)
        return;
    k = ec__bias_grad(w, params, n / params);
    k->read_elems = 2 * n;
    k->flop = 3 * n;
}

EC__OP(prelu) = {
    .name = "prelu",
    .help = "x, or a learned slope times x where negative",
    EC__ATTRS(prelu, prelu_fields),
    .inputs = "x",
    .shape = prelu_shape,
    .params = prelu_params,
    .work = prelu_work,
    .saved = ec__saved_in,
    .example = "prelu x=32x64x56x56 params=64",
    .flop_fwd = 2,
    .flop_bwd = 2,
};
