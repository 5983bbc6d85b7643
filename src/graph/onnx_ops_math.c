/* ONNX element-wise operators, activations, reductions, indices. */
#include "graph/onnx_internal.h"

#include <math.h>
#include <stdio.h>

#include "onnx_ops.h"

static enum ec_status emit_leaky_relu(struct onnx_conv *c)
{
    ec_buf_printf(&c->words, " alpha=%.6g", ec__onnx_attr_float(c->n, "alpha", 0.01));
    return ec__onnx_plain(c);
}

/* Shortest text of a number that is a float in the file, and reads back as the same float. */
static void word_number(struct onnx_conv *c, const char *key, double v)
{
    char text[40];
    int digits;
    double back;

    for (digits = 6; digits <= 17; digits++) {
        (void)ec_snprintf(text, sizeof text, "%.*g", digits, v);
        if (ec_parse_double(ec_span_of(text), &back) && (float)back == (float)v)
            break;
    }
    ec_buf_printf(&c->words, " %s=%s", key, text);
}

static bool clip_bound(const struct onnx_conv *c, const char *attr, int slot, double *ret)
{
    const struct onnx_known *k = ec__onnx_known(c, ec__onnx_in(c->n, slot));

    if (k && k->n == 1)
        *ret = k->v[0];
    else if (ec__onnx_attr(c->n, attr))
        *ret = ec__onnx_attr_float(c->n, attr, 0);
    else
        return false;
    return isfinite(*ret);
}

static enum ec_status emit_clip(struct onnx_conv *c)
{
    double lo = 0, hi = 0;
    bool low = clip_bound(c, "min", 1, &lo), high = clip_bound(c, "max", 2, &hi);

    if (low && high && lo == 0 && hi == 6)
        return ec__onnx_emit1(c, "relu6");
    if (low)
        word_number(c, "lo", lo);
    if (high)
        word_number(c, "hi", hi);
    return ec__onnx_plain(c);
}

/* One element with known contents, and no parameter: it goes into the kernel's arguments. */
static bool is_scalar(const struct onnx_conv *c, int value)
{
    const struct onnx_known *k = ec__onnx_known(c, value);

    return k && k->n == 1 && c->val[value].param < 0;
}

static bool is_float(const struct onnx_conv *c, int value)
{
    struct ec_type t;

    return ec__onnx_type(c, value, &t) && ec_dtype_is_float(t.dtype);
}

/* What an operator with a constant k becomes; x is the other operand. */
static void scalar_words(struct onnx_conv *c, const char *onnx_op, bool k_first, double k)
{
    if (ec_str_eq(onnx_op, "add"))
        word_number(c, "add", k);
    else if (ec_str_eq(onnx_op, "mul"))
        word_number(c, "mul", k);
    else if (ec_str_eq(onnx_op, "div"))
        word_number(c, "mul", k_first ? k : 1 / k);
    else if (ec_str_eq(onnx_op, "pow"))
        word_number(c, "p", k);
    else if (ec_str_eq(onnx_op, "max"))
        word_number(c, "lo", k);
    else if (ec_str_eq(onnx_op, "min"))
        word_number(c, "hi", k);
    else /* sub */
        word_number(c, "add", k_first ? k : -k);
    if (ec_str_eq(onnx_op, "sub") && k_first)
        ec__onnx_word(c, "mul", -1);
}

/* One node, or two for k / x. */
static enum ec_status scalar_op(struct onnx_conv *c, int slot)
{
    double k = ec__onnx_known(c, c->n->in[!slot])->v[0];
    int x = -1;

    EC_PASS(ec__onnx_data(c, slot, &x));
    if (slot && ec_str_eq(c->r->op, "div"))
        EC_PASS(ec__onnx_add1(c, "reciprocal", x, &x));
    if (!slot || !ec_str_eq(c->r->op, "div") || k != 1) {
        scalar_words(c, c->r->op, slot, k);
        EC_PASS(ec__onnx_add1(c, c->r->words, x, &x));
    }
    ec__onnx_set(c, 0, x);
    return EC_OK;
}

static enum ec_status pair(struct onnx_conv *c, const char *op, int a, int b, int *ret)
{
    int in[2] = { a, b };

    EC_PASS(ec__onnx_add(c, op, in, 2));
    *ret = c->made->out[0];
    return EC_OK;
}

/* Two or more inputs (Sum, Min, Max take any number), folded from the left. */
static enum ec_status chain(struct onnx_conv *c, const char *op)
{
    int acc = -1, next = -1, i;

    EC_PASS(ec__onnx_data(c, 0, &acc));
    if (c->n->n_in == 1)
        EC_PASS(ec__onnx_add1(c, "identity", acc, &acc));
    for (i = 1; i < c->n->n_in; i++) {
        EC_PASS(ec__onnx_data(c, i, &next));
        EC_PASS(pair(c, op, acc, next, &acc));
    }
    ec__onnx_set(c, 0, acc);
    return EC_OK;
}

/* The operand that is a finite number known here while the other is floating point; -1: none. A
 * power of a constant is no operator of ours. */
static int scalar_slot(const struct onnx_conv *c)
{
    const struct onnx_node *n = c->n;
    int slot;

    for (slot = 1; c->r->words && n->n_in == 2 && slot >= 0; slot--) {
        double k = is_scalar(c, n->in[slot]) ? ec__onnx_known(c, n->in[slot])->v[0] : (double)NAN;

        if (isfinite(k) && is_float(c, n->in[!slot]) && (slot || !ec_str_eq(c->r->op, "pow")) &&
            (!slot || !ec_str_eq(c->r->op, "div") || isfinite(1 / k)))
            return slot;
    }
    return -1;
}

static enum ec_status emit_binary(struct onnx_conv *c)
{
    int slot = scalar_slot(c);

    return slot < 0 ? chain(c, c->r->op) : scalar_op(c, !slot);
}

/* Operators whose kind is a word of ours. */
static enum ec_status emit_kind(struct onnx_conv *c)
{
    ec_buf_printf(&c->words, " kind=%s", c->r->words);
    return chain(c, c->r->op);
}

static enum ec_status emit_where(struct onnx_conv *c)
{

    return ec__onnx_emit(c, c->r->op, 0, 3);
}

/* Before operator set 13 softmax worked on the dimensions from axis 1 on, flattened. */
static enum ec_status emit_softmax(struct onnx_conv *c)
{
    ec__onnx_word(c, "axis", ec__onnx_attr_int(c->n, "axis", c->m->opset < 13 ? 1 : -1));
    return ec__onnx_plain(c);
}

static enum ec_status emit_cast(struct onnx_conv *c)
{
    enum ec_dtype to = ec__onnx_dtype(ec__onnx_attr_int(c->n, "to", 1));
    int in = ec__onnx_in(c->n, 0), out = ec__onnx_out(c->n, 0);
    struct ec_type t;

    if (in < 0 || out < 0 || !ec__onnx_type(c, in, &t))
        return ec_fail(c->err, EC_E_PARSE, "the input has no known shape");
    if (t.dtype == to || (c->val[in].param >= 0 && ec_dtype_is_float(to))) {
        c->val[out] = c->val[in]; /* nothing changes, or the parameter's own precision */
        return EC_OK;
    }
    ec_buf_printf(&c->words, " to=%s", ec_dtype_name(to));
    return ec__onnx_plain(c);
}

static enum ec_status emit_identity(struct onnx_conv *c)
{
    int in = ec__onnx_in(c->n, 0), out = ec__onnx_out(c->n, 0), gv;

    if (in < 0 || out < 0)
        return ec_fail(c->err, EC_E_PARSE, "input or output is missing");
    if (c->val[in].param < 0) {
        enum ec_status st = ec__onnx_value(c, in, &gv);

        if (st)
            return st;
    }
    c->val[out] = c->val[in];
    return EC_OK;
}

/* --- reductions --- */

static enum ec_status emit_reduce(struct onnx_conv *c)
{
    struct ec_ints axes;
    bool some = ec__onnx_ints(c, "axes", 1, &axes) && axes.n > 0;

    if (!some && ec__onnx_attr_int(c->n, "noop_with_empty_axes", 0))
        return ec__onnx_emit1(c, "identity");
    if (some)
        ec__onnx_word_ints(c, "axes", &axes);
    ec__onnx_word(c, "keepdims", ec__onnx_attr_int(c->n, "keepdims", 1) != 0);
    return ec__onnx_plain(c);
}

static enum ec_status emit_argmax(struct onnx_conv *c)
{
    ec__onnx_word(c, "axis", ec__onnx_attr_int(c->n, "axis", 0));
    ec__onnx_word(c, "keepdims", ec__onnx_attr_int(c->n, "keepdims", 1) != 0);
    return ec__onnx_plain(c);
}

static enum ec_status emit_cumsum(struct onnx_conv *c)
{
    struct ec_ints axis;

    if (ec__onnx_ints(c, NULL, 1, &axis) && axis.n == 1)
        ec__onnx_word(c, "axis", axis.v[0]);
    return ec__onnx_plain(c);
}

static enum ec_status emit_one_hot(struct onnx_conv *c)
{
    struct ec_ints depth;

    if (!ec__onnx_ints(c, NULL, 1, &depth) || depth.n != 1 ||
        ec__onnx_attr_int(c->n, "axis", -1) != -1)
        return ec_fail(c->err, EC_E_UNSUPPORTED, "a depth computed from data");
    ec__onnx_word(c, "depth", depth.v[0]);
    return ec__onnx_plain(c);
}

static enum ec_status emit_topk(struct onnx_conv *c)
{
    struct ec_ints k;

    if (!ec__onnx_ints(c, "k", 1, &k) || k.n != 1)
        return ec_fail(c->err, EC_E_UNSUPPORTED, "a number of elements computed from data");
    if (k.v[0] < 1) /* ours is all of them */
        return ec_fail(c->err, EC_E_SHAPE, "it keeps %lld elements, expected at least 1",
                       (long long)k.v[0]);
    ec__onnx_word(c, "k", k.v[0]);
    ec__onnx_word(c, "axis", ec__onnx_attr_int(c->n, "axis", -1));
    EC_PASS(ec__onnx_emit(c, c->r->op, 0, 1));
    ec__onnx_set(c, 1, c->made->out[c->made->n_out - 1]);
    return EC_OK;
}

/* Contents v of n numbers; NULL, or no room for them: known by shape alone. */
static enum ec_status add_constant(struct onnx_conv *c, const struct ec_type *t, const double *v,
                                   int64_t n_v)
{
    int *gv = &c->val[c->n->out[0]].gv;
    char name[32];

    (void)snprintf(name, sizeof name, "constant_%d", c->g->n_values);
    if (ec__onnx_out(c->n, 0) < 0)
        return EC_OK;
    EC_PASS(ec_graph_add_const(c->g, name, t, gv, c->err));
    if (v && ec_graph_has_room(c->g, n_v))
        EC_PASS(ec_graph_const_values(c->g, *gv, v, n_v, c->err));
    return EC_OK;
}

static enum ec_status add_tensor(struct onnx_conv *c, const struct onnx_tensor *t)
{
    double *v = NULL;
    int64_t n_v = 0;
    enum ec_status st = ec__onnx_contents(t, c->a, EC_CONTENTS_MAX, &v, &n_v, c->err);

    return st ? st : add_constant(c, &t->type, v, n_v);
}

/* A constant too large for shape arithmetic. */
static enum ec_status emit_constant(struct onnx_conv *c)
{
    const struct onnx_attr *at = ec__onnx_attr(c->n, "value");

    if (!at || !at->t)
        return ec_fail(c->err, EC_E_UNSUPPORTED, "a constant that is no tensor of numbers");
    return add_tensor(c, at->t);
}

static enum ec_status emit_constant_of_shape(struct onnx_conv *c)
{
    const struct onnx_attr *at = ec__onnx_attr(c->n, "value");
    struct ec_type t = { { 0 }, at && at->t ? at->t->type.dtype : EC_DT_f32 };
    const double zero = 0, *v = at && at->t ? at->t->v : &zero;
    struct ec_ints shape;

    if (!ec__onnx_ints(c, NULL, 0, &shape) || shape.n > EC_RANK_MAX)
        return ec_fail(c->err, EC_E_UNSUPPORTED, "a shape computed from data");
    t.shape = ec_shape_make(shape.n, shape.v);
    return add_constant(c, &t, v, 1);
}

static enum ec_status emit_range(struct onnx_conv *c)
{
    const struct onnx_known *k[3];
    struct ec_type t = {
        {1, { 0 }},
        EC_DT_i64
    };
    double count;
    int i;

    for (i = 0; i < 3; i++) {
        k[i] = ec__onnx_known(c, ec__onnx_in(c->n, i));
        if (!k[i] || k[i]->n != 1)
            return ec_fail(c->err, EC_E_UNSUPPORTED, "a range computed from data");
    }
    count = (k[1]->v[0] - k[0]->v[0]) / (k[2]->v[0] != 0 ? k[2]->v[0] : 1);
    t.dtype = k[0]->type.dtype;
    t.shape.d[0] = count > 0 && count < 1e12 ? (int64_t)ceil(count) : 0;
    EC_PASS(add_constant(c, &t, NULL, 0));
    if (ec__onnx_out(c->n, 0) >= 0 && k[0]->v[0] == 0 && k[2]->v[0] == 1)
        EC_PASS(ec_graph_const_rule(c->g, c->val[c->n->out[0]].gv, "range", NULL, 0, c->err));
    return EC_OK;
}

const struct onnx_rule ec__onnx_rules_math[] = { ONNX_MATH(ONNX_RULE){ 0 } };
