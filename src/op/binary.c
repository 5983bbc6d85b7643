/* Element-wise operators of two and three inputs, with numpy's broadcasting.
 *
 * Backward makes one pass per input that needs a gradient, reading the output's gradient and what
 * the operator keeps; where the input was broadcast, a reduction follows. Addition passes its
 * gradient on untouched. */
#include "op/op_internal.h"

/* What the gradient of each input reads beside dy; PASS when it is dy itself. */
#define PASS (-1)
struct grads {
    int of_x, of_y;
};

static enum ec_status binary_shape(const struct ec_case *c, struct ec_err *err)
{
    struct ec_shape y = { 0 };

    EC_PASS(ec__broadcast(&c->in[0]->shape, &c->in[1]->shape, &y, err));
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

static enum ec_status binary_bool_shape(const struct ec_case *c, struct ec_err *err)
{
    EC_PASS(binary_shape(c, err));
    c->out[0]->dtype = EC_DT_bool;
    return EC_OK;
}

static void add_grad(const struct ec_case *c, int input, int kept, struct ec_work *w)
{
    double y = ec__out(c, 0);
    double other = kept == 1 ? ec__in(c, !input) : kept > 1 ? ec__in_all(c) : 0;

    if (kept > 2)
        other += y;
    if (kept != PASS)
        ec_work_stream(w, EC_GRAD_DATA, y * c->op->flop_bwd, y + other, y)->for_input = input + 1;
    ec__unbroadcast(c, input, w);
}

static void binary_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w, struct grads g)
{
    double y = ec__out(c, 0);

    if (p == EC_FORWARD)
        ec_work_stream(w, p, y * c->op->flop_fwd, ec__in_all(c), y);
    if (p != EC_GRAD_DATA || c->op->flags & EC_OPF_NO_GRAD)
        return;
    add_grad(c, 0, g.of_x, w);
    add_grad(c, 1, g.of_y, w);
}

static void saved_in_in_out(const struct ec_case *c, struct ec_saved *ret)
{
    (void)c;
    ret->in_mask = 3;
    ret->out_mask = 1;
}

/* Two of a shape, as residuals are; or one value per channel. */
static void binary_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    int64_t n = ec__draw_log(r, 1, 256), c = ec__draw_width(r, 8, 1024), side = ec__draw_side(r);
    struct ec_buf x = EC_BUF_INIT;

    if (ec__draw_chance(r, 25)) {
        ec_buf_printf(out, "%s x=%lldx%lldx%lldx%lld y=%lldx%lldx1x1", op->name, (long long)n,
                      (long long)c, (long long)side, (long long)side, (long long)n, (long long)c);
        return;
    }
    ec__draw_shape(r, &x);
    ec_buf_printf(out, "%s x=%s y=%s", op->name, ec_buf_text(&x), ec_buf_text(&x));
    out->st = out->st ? out->st : x.st;
    ec_buf_clear(&x);
}

#define EC__OP_BINARY(opname, rule, kept, a, b, fwd, bwd, opflags, text)                           \
    static void opname##_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)         \
    {                                                                                              \
        binary_work(c, p, w, (struct grads){ a, b });                                              \
    }                                                                                              \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        .inputs = "x; y",                                                                          \
        .flags = opflags,                                                                          \
        .shape = rule,                                                                             \
        .work = opname##_work,                                                                     \
        .saved = kept,                                                                             \
        .sample = binary_sample,                                                                   \
        .example = #opname " x=32x64x56x56 y=64x1x1",                                              \
        .flop_fwd = fwd,                                                                           \
        .flop_bwd = bwd,                                                                           \
    }

/* clang-format off */
/* A gradient's number: what it reads beside dy; 1 the other input, 2 both, 3 the output too.
 *     name     shape              keeps            grad x, y   forward and backward FLOP */
EC__OP_BINARY(add,     binary_shape,      ec__saved_none,  PASS, PASS, 1, 0, 0, "sum");
EC__OP_BINARY(div,     binary_shape,      ec__saved_both,  1,    2,    1, 2, 0, "quotient");
EC__OP_BINARY(max,     binary_shape,      ec__saved_both,  2,    2,    1, 2, 0, "larger of two");
EC__OP_BINARY(min,     binary_shape,      ec__saved_both,  2,    2,    1, 2, 0, "smaller of two");
EC__OP_BINARY(mod,     binary_shape,      ec__saved_both,  PASS, 2,    3, 3, 0, "remainder");
EC__OP_BINARY(mul,     binary_shape,      ec__saved_factors, 1,    1,    1, 1, 0, "product");
EC__OP_BINARY(pow,     binary_shape,      saved_in_in_out, 2,    3,    1, 3, 0, "power");
EC__OP_BINARY(sub,     binary_shape,      ec__saved_none,  PASS, 0,    1, 1, 0, "difference");
/* clang-format on */

/* --- With a choice: comparisons and logic, whose result is bool --- */

static void truth_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    binary_work(c, p, w, (struct grads){ PASS, PASS });
}

#define EC__OP_TRUTH(opname, text)                                                                 \
    EC__OP(opname) = {                                                                             \
        .name = #opname,                                                                           \
        .help = text,                                                                              \
        EC__ATTRS(kind, opname##_fields),                                                          \
        .inputs = "x; y",                                                                          \
        .flags = EC_OPF_NO_GRAD,                                                                   \
        .shape = binary_bool_shape,                                                                \
        .work = truth_work,                                                                        \
        .saved = ec__saved_none,                                                                   \
        .example = #opname " x=32x64x56x56 y=64x1x1",                                              \
        .flop_fwd = 1,                                                                             \
    }

EC__OP_TRUTH(compare, "equal, less, greater ... (bool)");
EC__OP_TRUTH(logical, "and, or, xor (bool)");

/* --- where: condition, then, else --- */

static enum ec_status where_shape(const struct ec_case *c, struct ec_err *err)
{
    struct ec_shape y = { 0 }, part = { 0 };

    EC_PASS(ec__broadcast(&c->in[1]->shape, &c->in[2]->shape, &part, err));
    EC_PASS(ec__broadcast(&c->in[0]->shape, &part, &y, err));
    return ec__set_out(c, 0, &y, c->in[1]->dtype, err);
}

/* The condition is one byte per element, whatever the precision. */
static void where_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    double y = ec__out(c, 0), cond = ec__in(c, 0);
    int i;

    if (p == EC_FORWARD)
        ec_work_stream(w, p, y, ec__in(c, 1) + ec__in(c, 2), y)->fixed_bytes = cond;
    for (i = 1; p == EC_GRAD_DATA && i < 3; i++) {
        struct ec_kernel *k = ec_work_stream(w, p, y, y, y);

        k->fixed_bytes = cond;
        k->for_input = i + 1;
        ec__unbroadcast(c, i, w);
    }
}

EC__OP(where) = {
    .name = "where",
    .help = "y where x is true, else z",
    .inputs = "x; y; z",
    .shape = where_shape,
    .work = where_work,
    .saved = ec__saved_in,
    .example = "where x=1x1x128x128 y=8x12x128x128 z=1",
};
