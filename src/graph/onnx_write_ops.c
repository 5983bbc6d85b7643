/* Our operators as nodes of ONNX: the functions that rows of onnx_ops_*.c name, and a row for each
 * operator that is not read by a row of its own. */
#include "graph/onnx_write_internal.h"

#include <string.h>

enum ec_status ec__ow_axis(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                           struct ec_err *err)
{
    ec__ow_put_int(w, "axis", ec__ow_attr_int(n, "axis", 1));
    return ec__ow_plain(w, n, onnx, err);
}

enum ec_status ec__ow_block(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                            struct ec_err *err)
{
    ec__ow_put_int(w, "blocksize", ec__ow_attr_int(n, "block", 1));
    return ec__ow_plain(w, n, onnx, err);
}

enum ec_status ec__ow_size(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                           struct ec_err *err)
{
    ec__ow_put_int(w, "size", ec__ow_attr_int(n, "size", 5));
    return ec__ow_plain(w, n, onnx, err);
}

/* kernel_shape, strides, pads, dilations of a window over `dims` dimensions. */
static void put_window(struct onnx_writer *w, const struct ec_node *n, int dims)
{
    struct ec_ints size = { dims, { 0 } }, pad = ec__ow_attr_ints(n, "pad"), v;
    int64_t r = ec__ow_attr_int(n, "r", 1), s = ec__ow_attr_int(n, "s", 0);

    size.v[dims - 1] = dims > 1 && s ? s : r;
    if (dims > 1)
        size.v[dims - 2] = r;
    if (dims > 2)
        size.v[0] = ec__ow_attr_int(n, "t", 1);
    ec__ow_put_ints(w, "kernel_shape", size.v, dims);
    v = ec__ow_attr_ints(n, "stride");
    if (v.n == 1 && v.v[0] == 0) /* pools: as large as the window */
        v = size;
    v = ec__ow_spread(v, dims, 1);
    ec__ow_put_ints(w, "strides", v.v, dims);
    v = ec__ow_attr_ints(n, "dil");
    if (v.n > 1 || v.v[0] > 1)
        ec__ow_put_ints(w, "dilations", ec__ow_spread(v, dims, 1).v, dims);
    if (pad.n < 0 &&
        ec_str_eq(ec_field_find(n->op->fields, ec_span_of("pad"))->choices[-1 - pad.n], "same"))
        ec__ow_put_text(w, "auto_pad", "SAME_UPPER");
    if (pad.n < 1)
        return;
    if (pad.n == dims && dims > 1) { /* one for each dimension: the same at both ends */
        memcpy(pad.v + dims, pad.v, (size_t)dims * sizeof *pad.v);
        pad.n = 2 * dims;
    }
    ec__ow_put_ints(w, "pads", ec__ow_spread(pad, 2 * dims, 0).v, 2 * dims);
}

static enum ec_status conv(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                           struct ec_err *err)
{
    int dims = ec__ow_in_shape(n, 0)->rank - 2;
    struct ec_ints out_pad = ec__ow_attr_ints(n, "out_pad");

    (void)err;
    put_window(w, n, dims);
    if (out_pad.n > 1 || out_pad.v[0] > 0)
        ec__ow_put_ints(w, "output_padding", ec__ow_spread(out_pad, dims, 0).v, dims);
    if (ec__ow_attr_int(n, "groups", 1) > 1)
        ec__ow_put_int(w, "group", ec__ow_attr_int(n, "groups", 1));
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0), ec__ow_name_param(w, n, 0),
              ec__ow_name_param(w, n, 1));
    return EC_OK;
}

static enum ec_status pool(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                           struct ec_err *err)
{
    put_window(w, n, ec__ow_in_shape(n, 0)->rank - 2);
    if (ec__ow_attr_int(n, "ceil", 0))
        ec__ow_put_int(w, "ceil_mode", 1);
    if (ec_str_eq(onnx, "AveragePool"))
        ec__ow_put_int(w, "count_include_pad", ec__ow_attr_int(n, "count_include_pad", 1));
    return ec__ow_plain(w, n, onnx, err);
}

/* Adaptive pooling is plain pooling where the output size divides the input's. */
static enum ec_status adaptive_pool(struct onnx_writer *w, const struct ec_node *n,
                                    const char *onnx, struct ec_err *err)
{
    const struct ec_shape *x = ec__ow_in_shape(n, 0), *y = &n->out_type[0]->shape;
    struct ec_ints size = { x->rank - 2, { 0 } };
    int i;

    for (i = 0; i < size.n; i++) {
        if (y->d[i + 2] < 1 || x->d[i + 2] % y->d[i + 2])
            return ec_fail(err, EC_E_UNSUPPORTED, "an output that does not divide its input");
        size.v[i] = x->d[i + 2] / y->d[i + 2];
    }
    ec__ow_put_ints(w, "kernel_shape", size.v, size.n);
    ec__ow_put_ints(w, "strides", size.v, size.n);
    return ec__ow_plain(w, n, onnx, err);
}

static enum ec_status linear(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                             struct ec_err *err)
{
    const char *wt, *product, *bias = ec__ow_name_param(w, n, 1);

    (void)onnx;
    (void)err;
    if (ec__ow_in_shape(n, 0)->rank == 2) {
        ec__ow_put_int(w, "transB", 1);
        ONNX_NODE(w, "Gemm", ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0),
                  ec__ow_name_param(w, n, 0), bias);
        return EC_OK;
    }
    wt = ec__ow_temp(w);
    product = bias ? ec__ow_temp(w) : ec__ow_name_out(w, n);
    ONNX_NODE(w, "Transpose", wt, ec__ow_name_param(w, n, 0));
    ONNX_NODE(w, "MatMul", product, ec__ow_name_in(w, n, 0), wt);
    if (bias)
        ONNX_NODE(w, "Add", ec__ow_name_out(w, n), product, bias);
    return EC_OK;
}

/* from + factor x the attribute, where it is not the default, which both have. */
static void put_unusual(struct onnx_writer *w, const struct ec_node *n, const char *attr,
                        const char *name, double from, double factor)
{
    const struct ec_field *f = ec_field_find(n->op->fields, ec_span_of(attr));

    if (f && !ec_field_is_default(f, n->attrs))
        ec__ow_put_float(w, name, from + factor * *(const double *)ec__ow_attr(n, attr));
}

/* A value whose contents nobody gives; its name says to the reader that it is no parameter. */
static const char *blank(struct onnx_writer *w, int64_t n)
{
    struct ec_value v = {
        .type = {{ 1, { n } }, EC_DT_f32},
          .kind = EC_V_CONST
    };
    const char *name = ec_arena_printf(&w->names.arena, "constant/%d", w->n_temps++);

    if (!name) {
        w->graph.st = EC_E_NOMEM;
        return "";
    }
    ec__ow_put_info(&w->tensors, GRAPH_INPUT, w->g, &v, name); /* after the network's own */
    return name;
}

/* A scale or shift; in place of one that the network is without, a value of no contents. */
static const char *norm_param(struct onnx_writer *w, const struct ec_node *n, int i)
{
    const struct ec_shape *x = ec__ow_in_shape(n, 0);
    const char *own = ec__ow_name_param(w, n, i);

    if (!own || ec_type_elems(&w->g->values[n->param[i]]->type) > 0)
        return own;
    return blank(w, x->d[ec__ow_attr_int(n, "dims", 0) ? x->rank - 1 : 1]);
}

enum ec_status ec__ow_norm(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                           struct ec_err *err)
{
    int64_t dims = ec__ow_attr_int(n, "dims", 0);

    if (!ec__ow_name_param(w, n, 0))
        return ec_fail(err, EC_E_UNSUPPORTED, "a norm without scale");
    if (dims)
        ec__ow_put_int(w, "axis", -dims);
    put_unusual(w, n, "eps", "epsilon", 0, 1);
    put_unusual(w, n, "momentum", "momentum", 1, -1);
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0), norm_param(w, n, 0),
              norm_param(w, n, 1), ec__ow_name_param(w, n, 2), ec__ow_name_param(w, n, 3));
    return EC_OK;
}

enum ec_status ec__ow_attention(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                                struct ec_err *err)
{
    if (ec__ow_in_shape(n, 0)->rank != 4 || ec__ow_attr_int(n, "window", 0) ||
        *(const double *)ec__ow_attr(n, "p") > 0)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "no counterpart in ONNX for attention with a window, dropout or no heads");
    ec__ow_put_int(w, "is_causal", ec__ow_attr_int(n, "causal", 0));
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0), ec__ow_name_in(w, n, 1),
              ec__ow_name_in(w, n, 2));
    return EC_OK;
}

/* Scale and shift are inputs that ONNX does not leave out. */
enum ec_status ec__ow_instance_norm(struct onnx_writer *w, const struct ec_node *n,
                                    const char *onnx, struct ec_err *err)
{
    int64_t channels = ec__ow_in_shape(n, 0)->d[1];
    const char *scale, *shift;

    if (n->n_param)
        return ec__ow_norm(w, n, onnx, err);
    scale = blank(w, channels);
    shift = blank(w, channels);
    put_unusual(w, n, "eps", "epsilon", 0, 1);
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0), scale, shift);
    return EC_OK;
}

enum ec_status ec__ow_prelu(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                            struct ec_err *err)
{
    (void)err;
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0), ec__ow_name_param(w, n, 0));
    return EC_OK;
}

static enum ec_status embedding(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                                struct ec_err *err)
{
    (void)err;
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_param(w, n, 0), ec__ow_name_in(w, n, 0));
    return EC_OK;
}

static enum ec_status relu6(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                            struct ec_err *err)
{
    (void)err;
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0), ec__ow_constant_float(w, 0),
              ec__ow_constant_float(w, 6));
    return EC_OK;
}

static double number(const struct ec_node *n, const char *name)
{
    const double *v = ec__ow_attr(n, name);

    return *v;
}

enum ec_status ec__ow_clip(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                           struct ec_err *err)
{
    (void)err;
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0),
              ec__ow_constant_float(w, number(n, "lo")), ec__ow_constant_float(w, number(n, "hi")));
    return EC_OK;
}

static enum ec_status power(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                            struct ec_err *err)
{
    (void)err;
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0),
              ec__ow_constant_float(w, number(n, "p")));
    return EC_OK;
}

/* A product, a sum, or one after the other. */
static enum ec_status scale(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                            struct ec_err *err)
{
    double mul = number(n, "mul"), add = number(n, "add");
    const char *y = ec__ow_name_out(w, n), *x = ec__ow_name_in(w, n, 0);
    const char *between = mul != 1 && add != 0 ? ec__ow_temp(w) : y;

    (void)err;
    if (mul != 1 || add == 0)
        ONNX_NODE(w, onnx, between, x, ec__ow_constant_float(w, mul));
    if (add != 0)
        ONNX_NODE(w, "Add", y, mul != 1 ? between : x, ec__ow_constant_float(w, add));
    return EC_OK;
}

static enum ec_status silu(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                           struct ec_err *err)
{
    const char *s = ec__ow_temp(w);

    (void)err;
    ONNX_NODE(w, "Sigmoid", s, ec__ow_name_in(w, n, 0));
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0), s);
    return EC_OK;
}

/* x (1 + erf(x / sqrt 2)) / 2, as exporters write it. */
static enum ec_status gelu(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                           struct ec_err *err)
{
    const char *a = ec__ow_temp(w), *b = ec__ow_temp(w), *c = ec__ow_temp(w), *d = ec__ow_temp(w),
               *x = ec__ow_name_in(w, n, 0);

    (void)onnx;
    (void)err;
    ONNX_NODE(w, "Div", a, x, ec__ow_constant_float(w, 1.4142135623730951));
    ONNX_NODE(w, "Erf", b, a);
    ONNX_NODE(w, "Add", c, b, ec__ow_constant_float(w, 1));
    ONNX_NODE(w, "Mul", d, x, c);
    ONNX_NODE(w, "Mul", ec__ow_name_out(w, n), d, ec__ow_constant_float(w, 0.5));
    return EC_OK;
}

/* The random decision of drop path has no operator; its mean effect is none. */
enum ec_status ec__ow_dropout(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                              struct ec_err *err)
{
    const double *p = ec__ow_attr(n, "p");

    (void)err;
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), ec__ow_name_in(w, n, 0),
              ec__ow_constant_float(w, p ? *p : 0.5));
    return EC_OK;
}

/* A product operand whose last two dimensions are swapped needs a node for that. */
static const char *operand(struct onnx_writer *w, const struct ec_node *n, int i, const char *flag)
{
    int rank = ec__ow_in_shape(n, i)->rank, d;
    int64_t perm[EC_RANK_MAX];
    const char *out;

    if (!ec__ow_attr_int(n, flag, 0) || rank < 2)
        return ec__ow_name_in(w, n, i);
    for (d = 0; d < rank; d++)
        perm[d] = d;
    perm[rank - 1] = rank - 2;
    perm[rank - 2] = rank - 1;
    out = ec__ow_temp(w);
    ec__ow_put_ints(w, "perm", perm, rank);
    ONNX_NODE(w, "Transpose", out, ec__ow_name_in(w, n, i));
    return out;
}

enum ec_status ec__ow_matmul(struct onnx_writer *w, const struct ec_node *n, const char *onnx,
                             struct ec_err *err)
{
    const char *a = operand(w, n, 0, "transpose_a"), *b = operand(w, n, 1, "transpose_b");

    (void)err;
    ONNX_NODE(w, onnx, ec__ow_name_out(w, n), a, b);
    return EC_OK;
}

/* clang-format off */
const struct onnx_row ec__onnx_rows[] = {
    { "adaptive_avg_pool", adaptive_pool,   "AveragePool" },
    { "adaptive_max_pool", adaptive_pool,   "MaxPool" },
    { "avg_pool1d",        pool,            "AveragePool" },
    { "avg_pool2d",        pool,            "AveragePool" },
    { "avg_pool3d",        pool,            "AveragePool" },
    { "channel_shuffle",   ec__ow_channel_shuffle, "Transpose" },
    { "conv1d",            conv,            "Conv" },
    { "conv2d",            conv,            "Conv" },
    { "conv3d",            conv,            "Conv" },
    { "conv_transpose1d",  conv,            "ConvTranspose" },
    { "conv_transpose2d",  conv,            "ConvTranspose" },
    { "conv_transpose3d",  conv,            "ConvTranspose" },
    { "drop_path",         ec__ow_plain,    "Identity" },
    { "embedding",         embedding,       "Gather" },
    { "gelu",              gelu,            NULL },
    { "identity",          ec__ow_plain,    "Identity" },
    { "linear",            linear,          NULL },
    { "max_pool1d",        pool,            "MaxPool" },
    { "max_pool2d",        pool,            "MaxPool" },
    { "max_pool3d",        pool,            "MaxPool" },
    { "pow_scalar",        power,           "Pow" },
    { "relu6",             relu6,           "Clip" },
    { "roll",              ec__ow_roll,     "Identity" },
    { "scale_scalar",      scale,           "Mul" },
    { "silu",              silu,            "Mul" },
    { NULL, NULL, NULL },
};
/* clang-format on */
