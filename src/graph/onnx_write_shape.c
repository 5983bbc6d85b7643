/* Operators that cut, join, reorder and reduce, as nodes of ONNX. */
#include "graph/onnx_write_internal.h"

enum ec_status ec__ow_resize(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                             struct ec_err *err)
{
    static const char *const modes[] = { "nearest", "linear", "cubic" };
    const struct ec_shape *y = &n->out_type[0]->shape;

    (void)err;
    ec__ow_put_text(w, "mode", modes[ec__ow_attr_int(n, "mode", 0) % 3]);
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0), "", "",
              ec__ow_constant(w, y->d, y->rank));
    return EC_OK;
}

/* A node whose second input is a list of integers. */
static void put_with(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                     const struct ec_ints *second)
{
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0),
              ec__ow_constant(w, second->v, second->n));
}

enum ec_status ec__ow_shape(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                            struct ec_err *err)
{
    struct ec_ints shape = ec__ow_attr_ints(n, "shape");

    (void)err;
    put_with(w, n, onnx, &shape);
    return EC_OK;
}

enum ec_status ec__ow_axes(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                           struct ec_err *err)
{
    struct ec_ints axes = ec__ow_attr_ints(n, "axes");

    if (!axes.n)
        return ec__ow_plain(w, n, onnx, err);
    put_with(w, n, onnx, &axes);
    return EC_OK;
}

enum ec_status ec__ow_reduce(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                             struct ec_err *err)
{
    struct ec_ints axes = ec__ow_attr_ints(n, "axes");

    if (axes.n)
        ec__ow_put_ints(w, "axes", axes.v, axes.n);
    ec__ow_put_int(w, "keepdims", ec__ow_attr_int(n, "keepdims", 1));
    return ec__ow_plain(w, n, onnx, err);
}

/* Axes are an input of sums alone. */
enum ec_status ec__ow_reduce_sum(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                                 struct ec_err *err)
{
    struct ec_ints axes = ec__ow_attr_ints(n, "axes");

    ec__ow_put_int(w, "keepdims", ec__ow_attr_int(n, "keepdims", 1));
    if (axes.n < 1)
        return ec__ow_plain(w, n, onnx, err);
    put_with(w, n, onnx, &axes);
    return EC_OK;
}

enum ec_status ec__ow_pad(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                          struct ec_err *err)
{
    struct ec_ints pads = ec__ow_attr_ints(n, "pads");
    const struct ec_field *mode = ec_field_find(n->op->fields, ec_span_of("mode"));

    (void)err;
    ec__ow_put_text(w, "mode", mode->choices[ec__ow_attr_int(n, "mode", 0)]);
    put_with(w, n, onnx, &pads);
    return EC_OK;
}

enum ec_status ec__ow_tile(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                           struct ec_err *err)
{
    struct ec_ints repeats = ec__ow_attr_ints(n, "repeats");

    (void)err;
    put_with(w, n, onnx, &repeats);
    return EC_OK;
}

enum ec_status ec__ow_transpose(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                                struct ec_err *err)
{
    struct ec_ints perm = ec__ow_attr_ints(n, "perm");

    if (perm.n)
        ec__ow_put_ints(w, "perm", perm.v, perm.n);
    return ec__ow_plain(w, n, onnx, err);
}

/* What leaves at the end of an axis comes first. */
static void roll_axis(struct onnx_writer *w, const char *x, int64_t axis, int64_t from,
                      const char *out)
{
    const char *first = ec__ow_temp(w), *second = ec__ow_temp(w), *at, *axes;
    int64_t begin = 0, end = INT64_MAX;

    at = ec__ow_constant(w, &from, 1);
    axes = ec__ow_constant(w, &axis, 1);
    ONNX_NODE(w, "Slice", first, x, at, ec__ow_constant(w, &end, 1), axes);
    ONNX_NODE(w, "Slice", second, x, ec__ow_constant(w, &begin, 1), at, axes);
    ec__ow_put_int(w, "axis", axis);
    ONNX_NODE(w, "Concat", out, first, second);
}

enum ec_status ec__ow_roll(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                           struct ec_err *err)
{
    struct ec_ints shifts = ec__ow_attr_ints(n, "shifts"), axes = ec__ow_attr_ints(n, "axes");
    const struct ec_shape *s = ec__ow_in_shape(n, 0);
    const char *x = ec__ow_name_in(w, n, 0), *y;
    int i;

    if (!shifts.n)
        return ec__ow_plain(w, n, onnx, err);
    for (i = 0; i < shifts.n; i++, x = y) {
        int64_t axis = axes.n ? axes.v[i] : i, size;

        axis += axis < 0 ? s->rank : 0;
        size = s->d[axis] > 0 ? s->d[axis] : 1;
        y = i + 1 < shifts.n ? ec__ow_temp(w) : ec__ow_name_out(w, n);
        roll_axis(w, x, axis, (size - shifts.v[i] % size) % size, y);
    }
    return EC_OK;
}

enum ec_status ec__ow_channel_shuffle(struct onnx_writer *w, const struct ec_node *n,
                                      const char *onnx, struct ec_err *err)
{
    const struct ec_shape *x = ec__ow_in_shape(n, 0);
    int64_t groups = ec__ow_attr_int(n, "groups", 2);
    const int64_t split[] = { 0, groups, x->d[1] / groups, x->d[x->rank - 2], x->d[x->rank - 1] };
    const int64_t join[] = { 0, x->d[1], x->d[x->rank - 2], x->d[x->rank - 1] };
    const int64_t perm[] = { 0, 2, 1, 3, 4 };
    const char *a = ec__ow_temp(w), *b = ec__ow_temp(w);

    if (x->rank != 4)
        return ec_fail(err, EC_E_UNSUPPORTED, "other than images");
    ONNX_NODE(w, "Reshape", a, ec__ow_name_in(w, n, 0), ec__ow_constant(w, split, 5));
    ec__ow_put_ints(w, "perm", perm, 5);
    ONNX_NODE(w, onnx, b, a);
    ONNX_NODE(w, "Reshape", ec__ow_name_out(w, n), b, ec__ow_constant(w, join, 4));
    return EC_OK;
}

enum ec_status ec__ow_slice(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                            struct ec_err *err)
{
    struct ec_ints starts = ec__ow_attr_ints(n, "starts"), ends = ec__ow_attr_ints(n, "ends");
    struct ec_ints axes = ec__ow_attr_ints(n, "axes"),
                   steps = ec__ow_spread(ec__ow_attr_ints(n, "steps"), starts.n, 1);
    int i;

    (void)err;
    for (i = axes.n; i < starts.n; i++)
        axes.v[i] = i;
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0),
              ec__ow_constant(w, starts.v, starts.n), ec__ow_constant(w, ends.v, ends.n),
              ec__ow_constant(w, axes.v, starts.n), ec__ow_constant(w, steps.v, starts.n));
    return EC_OK;
}

enum ec_status ec__ow_split(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                            struct ec_err *err)
{
    int axis = (int)ec__ow_attr_int(n, "axis", 0), i;
    struct ec_buf b = EC_BUF_INIT;
    struct ec_ints sizes = { n->n_out, { 0 } };

    axis += axis < 0 ? ec__ow_in_shape(n, 0)->rank : 0;
    if (n->n_out > EC_INTS_MAX)
        return ec_fail(err, EC_E_UNSUPPORTED, "more than %d parts", EC_INTS_MAX);
    for (i = 0; i < n->n_out; i++)
        sizes.v[i] = n->out_type[i]->shape.d[axis];
    ec__ow_put_int(w, "axis", axis);
    ec__wire_put_str(&b, 1, ec__ow_name_in(w, n, 0));
    ec__wire_put_str(&b, 1, ec__ow_constant(w, sizes.v, sizes.n));
    for (i = 0; i < n->n_out; i++)
        ec__wire_put_str(&b, 2, w->names.value[n->out[i]]);
    ec__wire_put_str(&b, 3, w->names.node[n->id]);
    ec__wire_put_str(&b, 4, onnx);
    ec_buf_join(&b, &w->attrs);
    ec_buf_reset(&w->attrs);
    ec__wire_put_msg(&w->graph, GRAPH_NODE, &b);
    ec_buf_clear(&b);
    return EC_OK;
}
