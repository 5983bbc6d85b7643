/* Our operators as nodes of ONNX: the functions that rows of onnx_ops_*.c name, and a row for each
 * operator that is not read by a row of its own. */
#include "graph/onnx_write_internal.h"

#include <string.h>

enum ec_status ec__ow_axis(struct onnx_writer *w)
{
    ec__ow_put_int(w, "axis", ec__ow_attr_int(w, "axis", 1));
    return ec__ow_plain(w);
}

enum ec_status ec__ow_block(struct onnx_writer *w)
{
    ec__ow_put_int(w, "blocksize", ec__ow_attr_int(w, "block", 1));
    return ec__ow_plain(w);
}

enum ec_status ec__ow_size(struct onnx_writer *w)
{
    ec__ow_put_int(w, "size", ec__ow_attr_int(w, "size", 5));
    return ec__ow_plain(w);
}

/* kernel_shape, strides, pads, dilations of a window over `dims` dimensions. */
static void put_window(struct onnx_writer *w, int dims)
{
    struct ec_ints size = { dims, { 0 } }, pad = ec__ow_attr_ints(w, "pad"), v;
    int64_t r = ec__ow_attr_int(w, "r", 1), s = ec__ow_attr_int(w, "s", 0);

    size.v[dims - 1] = dims > 1 && s ? s : r;
    if (dims > 1)
        size.v[dims - 2] = r;
    if (dims > 2)
        size.v[0] = ec__ow_attr_int(w, "t", 1);
    ec__ow_put_ints(w, "kernel_shape", size.v, dims);
    v = ec__ow_attr_ints(w, "stride");
    if (v.n == 1 && v.v[0] == 0) /* pools: as large as the window */
        v = size;
    v = ec__ow_spread(v, dims, 1);
    ec__ow_put_ints(w, "strides", v.v, dims);
    v = ec__ow_attr_ints(w, "dil");
    if (v.n > 1 || v.v[0] > 1)
        ec__ow_put_ints(w, "dilations", ec__ow_spread(v, dims, 1).v, dims);
    if (pad.n < 0 &&
        ec_str_eq(ec_field_find(w->n->op->fields, ec_span_of("pad"))->choices[-1 - pad.n], "same"))
        ec__ow_put_text(w, "auto_pad", "SAME_UPPER");
    if (pad.n < 1)
        return;
    if (pad.n == dims && dims > 1) { /* one for each dimension: the same at both ends */
        memcpy(pad.v + dims, pad.v, (size_t)dims * sizeof *pad.v);
        pad.n = 2 * dims;
    }
    ec__ow_put_ints(w, "pads", ec__ow_spread(pad, 2 * dims, 0).v, 2 * dims);
}

static enum ec_status conv(struct onnx_writer *w)
{
    int dims = ec__ow_in_shape(w, 0)->rank - 2;
    struct ec_ints out_pad = ec__ow_attr_ints(w, "out_pad");

    put_window(w, dims);
    if (out_pad.n > 1 || out_pad.v[0] > 0)
        ec__ow_put_ints(w, "output_padding", ec__ow_spread(out_pad, dims, 0).v, dims);
    if (ec__ow_attr_int(w, "groups", 1) > 1)
        ec__ow_put_int(w, "group", ec__ow_attr_int(w, "groups", 1));
    return ONNX_MAIN(w, ec__ow_name_in(w, 0), ec__ow_name_param(w, 0), ec__ow_name_param(w, 1));
}

static enum ec_status pool(struct onnx_writer *w)
{
    put_window(w, ec__ow_in_shape(w, 0)->rank - 2);
    if (ec__ow_attr_int(w, "ceil", 0))
        ec__ow_put_int(w, "ceil_mode", 1);
    if (ec_str_eq(w->onnx, "AveragePool"))
        ec__ow_put_int(w, "count_include_pad", ec__ow_attr_int(w, "count_include_pad", 1));
    return ec__ow_plain(w);
}

/* Adaptive pooling is plain pooling where the output size divides the input's. */
static enum ec_status adaptive_pool(struct onnx_writer *w)
{
    const struct ec_shape *x = ec__ow_in_shape(w, 0), *y = &w->n->out_type[0]->shape;
    struct ec_ints size = { x->rank - 2, { 0 } };
    int i;

    for (i = 0; i < size.n; i++) {
        if (y->d[i + 2] < 1 || x->d[i + 2] % y->d[i + 2])
            return ec_fail(w->err, EC_E_UNSUPPORTED, "an output that does not divide its input");
        size.v[i] = x->d[i + 2] / y->d[i + 2];
    }
    ec__ow_put_ints(w, "kernel_shape", size.v, size.n);
    ec__ow_put_ints(w, "strides", size.v, size.n);
    return ec__ow_plain(w);
}

static enum ec_status linear(struct onnx_writer *w)
{
    const char *wt, *product, *bias = ec__ow_name_param(w, 1);

    if (ec__ow_in_shape(w, 0)->rank == 2) {
        ec__ow_put_int(w, "transB", 1);
        ONNX_NODE(w, "Gemm", ec__ow_name_out(w), ec__ow_name_in(w, 0), ec__ow_name_param(w, 0),
                  bias);
        return EC_OK;
    }
    wt = ec__ow_temp(w);
    product = bias ? ec__ow_temp(w) : ec__ow_name_out(w);
    ONNX_NODE(w, "Transpose", wt, ec__ow_name_param(w, 0));
    ONNX_NODE(w, "MatMul", product, ec__ow_name_in(w, 0), wt);
    if (bias)
        ONNX_NODE(w, "Add", ec__ow_name_out(w), product, bias);
    return EC_OK;
}

/* from + factor x the attribute, where it is not the default, which both have. */
static void put_unusual(struct onnx_writer *w, const char *attr, const char *name, double from,
                        double factor)
{
    const struct ec_field *f = ec_field_find(w->n->op->fields, ec_span_of(attr));

    if (f && !ec_field_is_default(f, w->n->attrs))
        ec__ow_put_float(w, name, from + factor * *(const double *)ec__ow_attr(w, attr));
}

/* A value whose contents nobody gives; its name says to the reader that it is no parameter. */
static const char *blank(struct onnx_writer *w, int64_t n)
{
    struct ec_value v = {
        .type = {{ 1, { n } }, EC_DT_f32},
          .kind = EC_V_CONST
    };
    const char *name = ec__ow_name(w, "constant");

    ec__ow_put_info(&w->tensors, GRAPH_INPUT, w->g, &v, name); /* after the network's own */
    return name;
}

/* A scale or shift; in place of one that the network is without, a value of no contents. */
static const char *norm_param(struct onnx_writer *w, int i)
{
    const struct ec_shape *x = ec__ow_in_shape(w, 0);
    const char *own = ec__ow_name_param(w, i);

    if (!own || ec_type_elems(&w->g->values[w->n->param[i]]->type) > 0)
        return own;
    return blank(w, x->d[ec__ow_attr_int(w, "dims", 0) ? x->rank - 1 : 1]);
}

enum ec_status ec__ow_norm(struct onnx_writer *w)
{
    int64_t dims = ec__ow_attr_int(w, "dims", 0);
    const char *scale = norm_param(w, 0), *narrow = scale;

    if (!ec__ow_name_param(w, 0))
        return ec_fail(w->err, EC_E_UNSUPPORTED, "a norm without scale");
    if (ec__ow_attr_int(w, "wide", 0)) {
        scale = ec__ow_temp(w);
        ec__ow_put_int(w, "to", 1); /* float32 */
        ONNX_NODE(w, "Cast", scale, narrow);
    }
    if (dims)
        ec__ow_put_int(w, "axis", -dims);
    put_unusual(w, "eps", "epsilon", 0, 1);
    put_unusual(w, "momentum", "momentum", 1, -1);
    return ONNX_MAIN(w, ec__ow_name_in(w, 0), scale, norm_param(w, 1), ec__ow_name_param(w, 2),
                     ec__ow_name_param(w, 3));
}

enum ec_status ec__ow_attention(struct onnx_writer *w)
{
    if (ec__ow_in_shape(w, 0)->rank != 4 || ec__ow_attr_int(w, "window", 0) ||
        *(const double *)ec__ow_attr(w, "p") > 0)
        return ec_fail(w->err, EC_E_UNSUPPORTED,
                       "no counterpart in ONNX for attention with a window, dropout or no heads");
    ec__ow_put_int(w, "is_causal", ec__ow_attr_int(w, "causal", 0));
    return ONNX_MAIN(w, ec__ow_name_in(w, 0), ec__ow_name_in(w, 1), ec__ow_name_in(w, 2));
}

/* Scale and shift are inputs that ONNX does not leave out. */
enum ec_status ec__ow_instance_norm(struct onnx_writer *w)
{
    int64_t channels = ec__ow_in_shape(w, 0)->d[1];
    const char *scale, *shift;

    if (w->n->n_param)
        return ec__ow_norm(w);
    scale = blank(w, channels);
    shift = blank(w, channels);
    put_unusual(w, "eps", "epsilon", 0, 1);
    return ONNX_MAIN(w, ec__ow_name_in(w, 0), scale, shift);
}

enum ec_status ec__ow_prelu(struct onnx_writer *w)
{
    return ONNX_MAIN(w, ec__ow_name_in(w, 0), ec__ow_name_param(w, 0));
}

static enum ec_status embedding(struct onnx_writer *w)
{
    return ONNX_MAIN(w, ec__ow_name_param(w, 0), ec__ow_name_in(w, 0));
}

static enum ec_status relu6(struct onnx_writer *w)
{
    return ONNX_MAIN(w, ec__ow_name_in(w, 0), ec__ow_constant_float(w, 0),
                     ec__ow_constant_float(w, 6));
}

static double number(const struct onnx_writer *w, const char *name)
{
    const double *v = ec__ow_attr(w, name);

    return *v;
}

enum ec_status ec__ow_clip(struct onnx_writer *w)
{
    return ONNX_MAIN(w, ec__ow_name_in(w, 0), ec__ow_constant_float(w, number(w, "lo")),
                     ec__ow_constant_float(w, number(w, "hi")));
}

static enum ec_status power(struct onnx_writer *w)
{
    return ONNX_MAIN(w, ec__ow_name_in(w, 0), ec__ow_constant_float(w, number(w, "p")));
}

/* A product, a sum, or one after the other. */
static enum ec_status scale(struct onnx_writer *w)
{
    double mul = number(w, "mul"), add = number(w, "add");
    const char *y = ec__ow_name_out(w), *x = ec__ow_name_in(w, 0);
    const char *between = mul != 1 && add != 0 ? ec__ow_temp(w) : y;

    if (mul != 1 || add == 0)
        ONNX_NODE(w, w->onnx, between, x, ec__ow_constant_float(w, mul));
    if (add != 0)
        ONNX_NODE(w, "Add", y, mul != 1 ? between : x, ec__ow_constant_float(w, add));
    return EC_OK;
}

static enum ec_status silu(struct onnx_writer *w)
{
    const char *s = ec__ow_temp(w);

    ONNX_NODE(w, "Sigmoid", s, ec__ow_name_in(w, 0));
    return ONNX_MAIN(w, ec__ow_name_in(w, 0), s);
}

/* x (1 + erf(x / sqrt 2)) / 2, as exporters write it. */
static enum ec_status gelu(struct onnx_writer *w)
{
    const char *a = ec__ow_temp(w), *b = ec__ow_temp(w), *c = ec__ow_temp(w), *d = ec__ow_temp(w),
               *x = ec__ow_name_in(w, 0);

    ONNX_NODE(w, "Div", a, x, ec__ow_constant_float(w, 1.4142135623730951));
    ONNX_NODE(w, "Erf", b, a);
    ONNX_NODE(w, "Add", c, b, ec__ow_constant_float(w, 1));
    ONNX_NODE(w, "Mul", d, x, c);
    return ONNX_NODE(w, "Mul", ec__ow_name_out(w), d, ec__ow_constant_float(w, 0.5));
}

/* The random decision of drop path has no operator; its mean effect is none. */
enum ec_status ec__ow_dropout(struct onnx_writer *w)
{
    const double *p = ec__ow_attr(w, "p");

    return ONNX_MAIN(w, ec__ow_name_in(w, 0), ec__ow_constant_float(w, p ? *p : 0.5));
}

/* A product operand whose last two dimensions are swapped needs a node for that. */
static const char *operand(struct onnx_writer *w, int i, const char *flag)
{
    int rank = ec__ow_in_shape(w, i)->rank, d;
    int64_t perm[EC_RANK_MAX];
    const char *out;

    if (!ec__ow_attr_int(w, flag, 0) || rank < 2)
        return ec__ow_name_in(w, i);
    for (d = 0; d < rank; d++)
        perm[d] = d;
    perm[rank - 1] = rank - 2;
    perm[rank - 2] = rank - 1;
    out = ec__ow_temp(w);
    ec__ow_put_ints(w, "perm", perm, rank);
    ONNX_NODE(w, "Transpose", out, ec__ow_name_in(w, i));
    return out;
}

enum ec_status ec__ow_matmul(struct onnx_writer *w)
{
    const char *a = operand(w, 0, "transpose_a"), *b = operand(w, 1, "transpose_b");

    return ONNX_MAIN(w, a, b);
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
