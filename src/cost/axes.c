/* Where operators put the dimensions of what they read. */
#include "cost/axes.h"

bool ec__is_op(const struct ec_node *n, const char *name)
{
    return ec_str_eq(n->op->name, name);
}

/* Elements in front of a dimension: where its blocks begin. */
static double before(const struct ec_shape *s, int axis)
{
    double n = 1;
    int i;

    for (i = 0; i < axis; i++)
        n *= (double)s->d[i];
    return n;
}

/* A reshape keeps the order of the elements. A dimension that it divides is found in the first of
 * its parts that is longer than 1, one that it joins to others in the whole. */
static int through_reshape(const struct ec_shape *in, const struct ec_shape *out, int axis)
{
    double first = before(in, axis), size = (double)in->d[axis], at = 1;
    int i;

    for (i = 0; i < out->rank; i++) {
        double next = at * (double)out->d[i];

        if (out->d[i] > 1 && next > first)
            return at == first || next >= first * size ? i : EC_AXIS_LOST;
        at = next;
    }
    return EC_AXIS_LOST;
}

static int through_transpose(const struct ec_case *c, int axis)
{
    const struct ec_ints *perm = ec_case_ints(c, "perm");
    int rank = c->in[0]->shape.rank, i;

    for (i = 0; i < perm->n; i++)
        if ((perm->v[i] < 0 ? perm->v[i] + rank : perm->v[i]) == axis)
            return i;
    return perm->n ? EC_AXIS_LOST : rank - 1 - axis;
}

/* Dimensions of inputs are aligned at the last one. */
static int through_elements(const struct ec_case *c, int input, int axis)
{
    const struct ec_shape *in = &c->in[input]->shape, *out = &c->out[0]->shape;
    int to = axis + out->rank - in->rank;

    return to >= 0 && out->d[to] == in->d[axis] ? to : EC_AXIS_LOST;
}

static int through_product(const struct ec_case *c, int input, int axis)
{
    const struct ec_shape *in = &c->in[input]->shape, *out = &c->out[0]->shape;
    bool turned = ec_case_int(c, input ? "transpose_b" : "transpose_a");
    int kept = in->rank - ((input == 0) != turned ? 2 : 1); /* m of the first, n of the second */

    if (axis < in->rank - 2)
        return through_elements(c, input, axis);
    return axis == kept ? out->rank - (input ? 1 : 2) : EC_AXIS_LOST;
}

/* Norms go over the last dimensions, softmax over one. */
static bool reduces(const struct ec_case *c, int axis)
{
    int rank = c->in[0]->shape.rank;

    if (ec_case_has(c, "dims") && !ec_case_has(c, "axis"))
        return axis >= rank - (int)ec_case_int(c, "dims");
    return ec_case_has(c, "axis") && axis == ec_case_axis(c);
}

/* Operators that go over elements one by one, wherever these stand. */
static bool is_elementwise(const struct ec_op *op)
{
    static const char *const others[] = { "where",        "dropout",   "drop_path", "cast",
                                          "scale_scalar", "identity",  "clip",      "compare",
                                          "logical",      "pow_scalar" };

    if (ec_name_index(others, EC_LEN(others), op->name) >= 0)
        return true;
    return (op->flop_fwd > 0 || op->flop_bwd > 0) && !ec_str_starts(op->name, "reduce_");
}

int ec__axis_through(const struct ec_node *n, int input, int axis)
{
    static const char *const rows[] = { "softmax", "log_softmax", "layer_norm", "rms_norm" };
    static const char *const along[] = { "concat", "split", "slice", "expand", "tile" };
    struct ec_case c = ec_node_case(n);

    if (ec__is_op(n, "transpose") || ec__is_op(n, "permute"))
        return through_transpose(&c, axis);
    if (n->op->flags & EC_OPF_VIEW && n->n_in == 1 && !ec__is_op(n, "slice") &&
        !ec__is_op(n, "split") && !ec__is_op(n, "expand"))
        return through_reshape(&c.in[0]->shape, &c.out[0]->shape, axis);
    if (ec__is_op(n, "matmul"))
        return through_product(&c, input, axis);
    if (ec__is_op(n, "attention"))
        return axis < c.in[0]->shape.rank - 2 || (input == 0 && axis == c.in[0]->shape.rank - 2)
                   ? axis
                   : EC_AXIS_LOST;
    if (ec__is_op(n, "linear"))
        return axis < c.in[0]->shape.rank - 1 ? axis : EC_AXIS_LOST;
    if (ec__is_op(n, "embedding"))
        return axis;
    if (ec__is_op(n, "experts"))
        return axis < c.in[0]->shape.rank - 1 ? axis : EC_AXIS_LOST;
    if (ec_name_index(rows, EC_LEN(rows), n->op->name) >= 0)
        return reduces(&c, axis) ? EC_AXIS_LOST : axis;
    if (ec__is_op(n, "split") && axis == ec_case_axis(&c))
        return axis; /* each part is divided alike */
    if (ec_name_index(along, EC_LEN(along), n->op->name) >= 0)
        return through_elements(&c, input, axis);
    return is_elementwise(n->op) ? through_elements(&c, input, axis) : EC_AXIS_LOST;
}
