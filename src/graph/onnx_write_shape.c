/* Operators that cut, join, reorder and reduce, as nodes of ONNX. */
#include "graph/onnx_write_internal.h"

enum ec_status ec__ow_resize(struct onnx_writer *w)
{
    static const char *const modes[] = { "nearest", "linear", "cubic" };
    const struct ec_shape *y = &w->n->out_type[0]->shape;

    ec__ow_put_text(w, "mode", modes[ec__ow_attr_int(w, "mode", 0) % 3]);
    return ONNX_MAIN(w, ec__ow_name_in(w, 0), "", "", ec__ow_constant(w, y->d, y->rank));
}

/* A node whose second input is an attribute of ours, integers. */
static enum ec_status put_with(struct onnx_writer *w, const char *attr)
{
    struct ec_ints second = ec__ow_attr_ints(w, attr);

    return ONNX_MAIN(w, ec__ow_name_in(w, 0), ec__ow_constant(w, second.v, second.n));
}

enum ec_status ec__ow_shape(struct onnx_writer *w)
{
    return put_with(w, "shape");
}

enum ec_status ec__ow_axes(struct onnx_writer *w)
{
    return ec__ow_attr_ints(w, "axes").n ? put_with(w, "axes") : ec__ow_plain(w);
}

enum ec_status ec__ow_reduce(struct onnx_writer *w)
{
    struct ec_ints axes = ec__ow_attr_ints(w, "axes");

    if (axes.n)
        ec__ow_put_ints(w, "axes", axes.v, axes.n);
    ec__ow_put_int(w, "keepdims", ec__ow_attr_int(w, "keepdims", 1));
    return ec__ow_plain(w);
}

/* Axes are an input of sums alone. */
enum ec_status ec__ow_reduce_sum(struct onnx_writer *w)
{
    ec__ow_put_int(w, "keepdims", ec__ow_attr_int(w, "keepdims", 1));
    return ec__ow_attr_ints(w, "axes").n > 0 ? put_with(w, "axes") : ec__ow_plain(w);
}

enum ec_status ec__ow_pad(struct onnx_writer *w)
{
    const struct ec_field *mode = ec_field_find(w->n->op->fields, ec_span_of("mode"));

    ec__ow_put_text(w, "mode", mode->choices[ec__ow_attr_int(w, "mode", 0)]);
    return put_with(w, "pads");
}

enum ec_status ec__ow_tile(struct onnx_writer *w)
{
    return put_with(w, "repeats");
}

enum ec_status ec__ow_transpose(struct onnx_writer *w)
{
    struct ec_ints perm = ec__ow_attr_ints(w, "perm");

    if (perm.n)
        ec__ow_put_ints(w, "perm", perm.v, perm.n);
    return ec__ow_plain(w);
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

enum ec_status ec__ow_roll(struct onnx_writer *w)
{
    struct ec_ints shifts = ec__ow_attr_ints(w, "shifts"), axes = ec__ow_attr_ints(w, "axes");
    const struct ec_shape *s = ec__ow_in_shape(w, 0);
    const char *x = ec__ow_name_in(w, 0), *y;
    int i;

    if (!shifts.n)
        return ec__ow_plain(w);
    for (i = 0; i < shifts.n; i++, x = y) {
        int64_t axis = axes.n ? axes.v[i] : i, size;

        axis += axis < 0 ? s->rank : 0;
        size = s->d[axis] > 0 ? s->d[axis] : 1;
        y = i + 1 < shifts.n ? ec__ow_temp(w) : ec__ow_name_out(w);
        roll_axis(w, x, axis, (size - shifts.v[i] % size) % size, y);
    }
    return EC_OK;
}

enum ec_status ec__ow_channel_shuffle(struct onnx_writer *w)
{
    const struct ec_shape *x = ec__ow_in_shape(w, 0);
    int64_t groups = ec__ow_attr_int(w, "groups", 2);
    const int64_t split[] = { 0, groups, x->d[1] / groups, x->d[x->rank - 2], x->d[x->rank - 1] };
    const int64_t join[] = { 0, x->d[1], x->d[x->rank - 2], x->d[x->rank - 1] };
    const int64_t perm[] = { 0, 2, 1, 3, 4 };
    const char *a = ec__ow_temp(w), *b = ec__ow_temp(w);

    if (x->rank != 4)
        return ec_fail(w->err, EC_E_UNSUPPORTED, "other than images");
    ONNX_NODE(w, "Reshape", a, ec__ow_name_in(w, 0), ec__ow_constant(w, split, 5));
    ec__ow_put_ints(w, "perm", perm, 5);
    ONNX_NODE(w, w->onnx, b, a);
    return ONNX_NODE(w, "Reshape", ec__ow_name_out(w), b, ec__ow_constant(w, join, 4));
}

enum ec_status ec__ow_slice(struct onnx_writer *w)
{
    struct ec_ints starts = ec__ow_attr_ints(w, "starts"), ends = ec__ow_attr_ints(w, "ends");
    struct ec_ints axes = ec__ow_attr_ints(w, "axes"),
                   steps = ec__ow_spread(ec__ow_attr_ints(w, "steps"), starts.n, 1);
    int i;

    for (i = axes.n; i < starts.n; i++)
        axes.v[i] = i;
    return ONNX_MAIN(w, ec__ow_name_in(w, 0), ec__ow_constant(w, starts.v, starts.n),
                     ec__ow_constant(w, ends.v, ends.n), ec__ow_constant(w, axes.v, starts.n),
                     ec__ow_constant(w, steps.v, starts.n));
}

enum ec_status ec__ow_split(struct onnx_writer *w)
{
    const struct ec_node *n = w->n;
    int axis = (int)ec__ow_attr_int(w, "axis", 0), i;
    struct ec_buf b = EC_BUF_INIT;
    struct ec_ints sizes = { n->n_out, { 0 } };

    axis += axis < 0 ? ec__ow_in_shape(w, 0)->rank : 0;
    if (n->n_out > EC_INTS_MAX)
        return ec_fail(w->err, EC_E_UNSUPPORTED, "more than %d parts", EC_INTS_MAX);
    for (i = 0; i < n->n_out; i++)
        sizes.v[i] = n->out_type[i]->shape.d[axis];
    ec__ow_put_int(w, "axis", axis);
    ec__wire_put_str(&b, 1, ec__ow_name_in(w, 0));
    ec__wire_put_str(&b, 1, ec__ow_constant(w, sizes.v, sizes.n));
    for (i = 0; i < n->n_out; i++)
        ec__wire_put_str(&b, 2, w->names.value[n->out[i]]);
    ec__wire_put_str(&b, 3, w->names.node[n->id]);
    ec__wire_put_str(&b, 4, w->onnx);
    ec_buf_join(&b, &w->attrs);
    ec_buf_reset(&w->attrs);
    ec__wire_put_msg(&w->graph, GRAPH_NODE, &b);
    ec_buf_clear(&b);
    return EC_OK;
}
