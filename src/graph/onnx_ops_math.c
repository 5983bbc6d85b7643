/* ONNX element-wise operators, activations, reductions, indices. */
#include "graph/onnx_internal.h"

#include <math.h>
#include <stdio.h>

#include "onnx_ops.h"

static enum ec_status emit_unary(struct onnx_conv *c, const struct onnx_node *n,
                                 const struct onnx_rule *r, struct ec_err *err)
{
    return ec__onnx_emit1(c, n, r->op, err);
}

static enum ec_status emit_leaky_relu(struct onnx_conv *c, const struct onnx_node *n,
                                      const struct onnx_rule *r, struct ec_err *err)
{
    ec_buf_printf(&c->words, " alpha=%.6g", ec__onnx_attr_float(n, "alpha", 0.01));
    return ec__onnx_emit1(c, n, r->op, err);
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

static bool clip_bound(const struct onnx_conv *c, const struct onnx_node *n, const char *attr,
                       int slot, double *ret)
{
    const struct onnx_known *k = ec__onnx_known(c, ec__onnx_in(n, slot));

    if (k && k->n == 1)
        *ret = k->v[0];
    else if (ec__onnx_attr(n, attr))
        *ret = ec__onnx_attr_float(n, attr, 0);
    else
        return false;
    return isfinite(*ret);
}

static enum ec_status emit_clip(struct onnx_conv *c, const struct onnx_node *n,
                                const struct onnx_rule *r, struct ec_err *err)
{
    double lo = 0, hi = 0;
    bool low = clip_bound(c, n, "min", 1, &lo), high = clip_bound(c, n, "max", 2, &hi);

    if (low && high && lo == 0 && hi == 6)
        return ec__onnx_emit1(c, n, "relu6", err);
    if (low)
        word_number(c, "lo", lo);
    if (high)
        word_number(c, "hi", hi);
    return ec__onnx_emit1(c, n, r->op, err);
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
static enum ec_status scalar_op(struct onnx_conv *c, const struct onnx_node *n, int slot,
                                const struct onnx_rule *r, struct ec_err *err)
{
    double k = ec__onnx_known(c, n->in[!slot])->v[0];
    enum ec_status st;
    int x = -1;

    EC_TRY(ec__onnx_data(c, n, slot, &x, err));
    if (slot && ec_str_eq(r->op, "div"))
        EC_TRY(ec__onnx_add1(c, n, "reciprocal", x, &x, err));
    if (!slot || !ec_str_eq(r->op, "div") || k != 1) {
        scalar_words(c, r->op, slot, k);
        EC_TRY(ec__onnx_add1(c, n, r->words, x, &x, err));
    }
    ec__onnx_set(c, n, 0, x);
out:
    return st;
}

static enum ec_status pair(struct onnx_conv *c, const struct onnx_node *n, const char *op, int a,
                           int b, int *ret, struct ec_err *err)
{
    int in[2] = { a, b };
    struct ec_node *node = NULL;
    enum ec_status st = ec__onnx_add(c, n, op, in, 2, &node, err);

    if (!st)
        *ret = node->out[0];
    return st;
}

/* Two or more inputs (Sum, Min, Max take any number), folded from the left. */
static enum ec_status chain(struct onnx_conv *c, const struct onnx_node *n, const char *op,
                            struct ec_err *err)
{
    enum ec_status st;
    int acc = -1, next = -1, i;

    EC_TRY(ec__onnx_data(c, n, 0, &acc, err));
    if (n->n_in == 1)
        EC_TRY(ec__onnx_add1(c, n, "identity", acc, &acc, err));
    for (i = 1; i < n->n_in; i++) {
        EC_TRY(ec__onnx_data(c, n, i, &next, err));
        EC_TRY(pair(c, n, op, acc, next, &acc, err));
    }
    ec__onnx_set(c, n, 0, acc);
out:
    return st;
}

/* The operand that is a finite number known here while the other is floating point; -1: none. A
 * power of a constant is no operator of ours. */
static int scalar_slot(const struct onnx_conv *c, const struct onnx_node *n,
                       const struct onnx_rule *r)
{
    int slot;

    for (slot = 1; r->words && n->n_in == 2 && slot >= 0; slot--) {
        double k = is_scalar(c, n->in[slot]) ? ec__onnx_known(c, n->in[slot])->v[0] : (double)NAN;

        if (isfinite(k) && is_float(c, n->in[!slot]) && (slot || !ec_str_eq(r->op, "pow")) &&
            (!slot || !ec_str_eq(r->op, "div") || isfinite(1 / k)))
            return slot;
    }
    return -1;
}

static enum ec_status emit_binary(struct onnx_conv *c, const struct onnx_node *n,
                                  const struct onnx_rule *r, struct ec_err *err)
{
    int slot = scalar_slot(c, n, r);

    return slot < 0 ? chain(c, n, r->op, err) : scalar_op(c, n, !slot, r, err);
}

/* Operators whose kind is a word of ours. */
static enum ec_status emit_kind(struct onnx_conv *c, const struct onnx_node *n,
                                const struct onnx_rule *r, struct ec_err *err)
{
    ec_buf_printf(&c->words, " kind=%s", r->words);
    return chain(c, n, r->op, err);
}

static enum ec_status emit_where(struct onnx_conv *c, const struct onnx_node *n,
                                 const struct onnx_rule *r, struct ec_err *err)
{
    struct ec_node *node = NULL;

    return ec__onnx_emit(c, n, r->op, 0, 3, &node, err);
}

/* Before operator set 13 softmax worked on the dimensions from axis 1 on, flattened. */
static enum ec_status emit_softmax(struct onnx_conv *c, const struct onnx_node *n,
                                   const struct onnx_rule *r, struct ec_err *err)
{
    ec__onnx_word(c, "axis", ec__onnx_attr_int(n, "axis", c->m->opset < 13 ? 1 : -1));
    return ec__onnx_emit1(c, n, r->op, err);
}

static enum ec_status emit_cast(struct onnx_conv *c, const struct onnx_node *n,
                                const struct onnx_rule *r, struct ec_err *err)
{
    enum ec_dtype to = ec__onnx_dtype(ec__onnx_attr_int(n, "to", 1));
    int in = ec__onnx_in(n, 0), out = ec__onnx_out(n, 0);
    struct ec_type t;

    if (in < 0 || out < 0 || !ec__onnx_type(c, in, &t))
        return ec_fail(err, EC_E_PARSE, "the input has no known shape");
    if (t.dtype == to || (c->val[in].param >= 0 && ec_dtype_is_float(to))) {
        c->val[out] = c->val[in]; /* nothing changes, or the parameter's own precision */
        return EC_OK;
    }
    ec_buf_printf(&c->words, " to=%s", ec_dtype_name(to));
    return ec__onnx_emit1(c, n, r->op, err);
}

static enum ec_status emit_identity(struct onnx_conv *c, const struct onnx_node *n,
                                    const struct onnx_rule *r, struct ec_err *err)
{
    int in = ec__onnx_in(n, 0), out = ec__onnx_out(n, 0), gv;

    (void)r;
    if (in < 0 || out < 0)
        return ec_fail(err, EC_E_PARSE, "input or output is missing");
    if (c->val[in].param < 0) {
        enum ec_status st = ec__onnx_value(c, in, &gv, err);

        if (st)
            return st;
    }
    c->val[out] = c->val[in];
    return EC_OK;
}

/* --- reductions --- */

static enum ec_status emit_reduce(struct onnx_conv *c, const struct onnx_node *n,
                                  const struct onnx_rule *r, struct ec_err *err)
{
    struct ec_ints axes;
    bool some = ec__onnx_ints(c, n, "axes", 1, &axes) && axes.n > 0;

    if (!some && ec__onnx_attr_int(n, "noop_with_empty_axes", 0))
        return ec__onnx_emit1(c, n, "identity", err);
    if (some)
        ec__onnx_word_ints(c, "axes", &axes);
    ec__onnx_word(c, "keepdims", ec__onnx_attr_int(n, "keepdims", 1) != 0);
    return ec__onnx_emit1(c, n, r->op, err);
}

static enum ec_status emit_argmax(struct onnx_conv *c, const struct onnx_node *n,
                                  const struct onnx_rule *r, struct ec_err *err)
{
    ec__onnx_word(c, "axis", ec__onnx_attr_int(n, "axis", 0));
    ec__onnx_word(c, "keepdims", ec__onnx_attr_int(n, "keepdims", 1) != 0);
    return ec__onnx_emit1(c, n, r->op, err);
}

static enum ec_status emit_cumsum(struct onnx_conv *c, const struct onnx_node *n,
                                  const struct onnx_rule *r, struct ec_err *err)
{
    struct ec_ints axis;

    if (ec__onnx_ints(c, n, NULL, 1, &axis) && axis.n == 1)
        ec__onnx_word(c, "axis", axis.v[0]);
    return ec__onnx_emit1(c, n, r->op, err);
}

static enum ec_status emit_one_hot(struct onnx_conv *c, const struct onnx_node *n,
                                   const struct onnx_rule *r, struct ec_err *err)
{
    struct ec_ints depth;

    if (!ec__onnx_ints(c, n, NULL, 1, &depth) || depth.n != 1 ||
        ec__onnx_attr_int(n, "axis", -1) != -1)
        return ec_fail(err, EC_E_UNSUPPORTED, "a depth computed from data");
    ec__onnx_word(c, "depth", depth.v[0]);
    return ec__onnx_emit1(c, n, r->op, err);
}

static enum ec_status emit_topk(struct onnx_conv *c, const struct onnx_node *n,
                                const struct onnx_rule *r, struct ec_err *err)
{
    struct ec_node *node = NULL;
    enum ec_status st;
    struct ec_ints k;

    if (!ec__onnx_ints(c, n, "k", 1, &k) || k.n != 1)
        return ec_fail(err, EC_E_UNSUPPORTED, "a number of elements computed from data");
    ec__onnx_word(c, "k", k.v[0]);
    ec__onnx_word(c, "axis", ec__onnx_attr_int(n, "axis", -1));
    EC_TRY(ec__onnx_emit(c, n, r->op, 0, 1, &node, err));
    ec__onnx_set(c, n, 1, node->out[node->n_out - 1]);
out:
    return st;
}

/* Contents v of n numbers; NULL, or no room for them: known by shape alone. */
static enum ec_status add_constant(struct onnx_conv *c, const struct onnx_node *n,
                                   const struct ec_type *t, const double *v, int64_t n_v,
                                   struct ec_err *err)
{
    int *gv = &c->val[n->out[0]].gv;
    char name[32];
    enum ec_status st;

    (void)snprintf(name, sizeof name, "constant_%d", c->g->n_values);
    if (ec__onnx_out(n, 0) < 0)
        return EC_OK;
    st = ec_graph_add_const(c->g, name, t, gv, err);
    if (!st && v && ec_graph_has_room(c->g, n_v))
        st = ec_graph_const_values(c->g, *gv, v, n_v, err);
    return st;
}

static enum ec_status add_tensor(struct onnx_conv *c, const struct onnx_node *n,
                                 const struct onnx_tensor *t, struct ec_err *err)
{
    double *v = NULL;
    int64_t n_v = 0;
    enum ec_status st = ec__onnx_contents(t, c->a, EC_CONTENTS_MAX, &v, &n_v, err);

    return st ? st : add_constant(c, n, &t->type, v, n_v, err);
}

/* A constant too large for shape arithmetic. */
static enum ec_status emit_constant(struct onnx_conv *c, const struct onnx_node *n,
                                    const struct onnx_rule *r, struct ec_err *err)
{
    const struct onnx_attr *at = ec__onnx_attr(n, "value");

    (void)r;
    if (!at || !at->t)
        return ec_fail(err, EC_E_UNSUPPORTED, "a constant that is no tensor of numbers");
    return add_tensor(c, n, at->t, err);
}

static enum ec_status emit_constant_of_shape(struct onnx_conv *c, const struct onnx_node *n,
                                             const struct onnx_rule *r, struct ec_err *err)
{
    const struct onnx_attr *at = ec__onnx_attr(n, "value");
    struct ec_type t = { { 0 }, at && at->t ? at->t->type.dtype : EC_DT_f32 };
    const double zero = 0, *v = at && at->t ? at->t->v : &zero;
    struct ec_ints shape;

    (void)r;
    if (!ec__onnx_ints(c, n, NULL, 0, &shape) || shape.n > EC_RANK_MAX)
        return ec_fail(err, EC_E_UNSUPPORTED, "a shape computed from data");
    t.shape = ec_shape_make(shape.n, shape.v);
    return add_constant(c, n, &t, v, 1, err);
}

static enum ec_status emit_range(struct onnx_conv *c, const struct onnx_node *n,
                                 const struct onnx_rule *r, struct ec_err *err)
{
    const struct onnx_known *k[3];
    struct ec_type t = {
        {1, { 0 }},
        EC_DT_i64
    };
    enum ec_status st = EC_OK;
    double count;
    int i;

    (void)r;
    for (i = 0; i < 3; i++) {
        k[i] = ec__onnx_known(c, ec__onnx_in(n, i));
        if (!k[i] || k[i]->n != 1)
            return ec_fail(err, EC_E_UNSUPPORTED, "a range computed from data");
    }
    count = (k[1]->v[0] - k[0]->v[0]) / (k[2]->v[0] != 0 ? k[2]->v[0] : 1);
    t.dtype = k[0]->type.dtype;
    t.shape.d[0] = count > 0 && count < 1e12 ? (int64_t)ceil(count) : 0;
    EC_TRY(add_constant(c, n, &t, NULL, 0, err));
    if (ec__onnx_out(n, 0) >= 0 && k[0]->v[0] == 0 && k[2]->v[0] == 1)
        EC_TRY(ec_graph_const_rule(c->g, c->val[n->out[0]].gv, "range", NULL, 0, err));
out:
    return st;
}

const struct onnx_rule ec__onnx_rules_math[] = { ONNX_MATH(ONNX_RULE){ 0 } };
