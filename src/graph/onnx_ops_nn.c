/* ONNX convolutions, pools, norms. */
#include "graph/onnx_internal.h"

#include <math.h>
#include <string.h>

#include "onnx_ops.h"

/* --- windows: convolution and pooling --- */

/* Filter size per spatial dimension, as attributes t r s. */
static void window_words(struct onnx_conv *c, const int64_t *size, int dims)
{
    static const char *const names[3][3] = {
        {"r"},
        {   "r",  "s" },
        { "t", "r", "s" }
    };
    int i;

    for (i = 0; i < dims; i++)
        ec__onnx_word(c, names[dims - 1][i], size[i]);
}

static bool list_attr(const struct onnx_node *n, const char *name, int count, struct ec_ints *ret)
{
    const struct onnx_attr *at = ec__onnx_attr(n, name);
    int i;

    if (!at || at->n_ints != count || count > EC_INTS_MAX)
        return false;
    ret->n = count;
    for (i = 0; i < count; i++)
        ret->v[i] = at->ints[i];
    return true;
}

/* Shortest form: one number when all are equal. */
static void shorten(struct ec_ints *v)
{
    int i;

    for (i = 1; i < v->n; i++)
        if (v->v[i] != v->v[0])
            return;
    if (v->n)
        v->n = 1;
}

static void put_unless(struct onnx_conv *c, const char *key, struct ec_ints v, int64_t deflt)
{
    shorten(&v);
    if (v.n != 1 || v.v[0] != deflt)
        ec__onnx_word_ints(c, key, &v);
}

/* auto_pad SAME: enough for ceil(size / stride) outputs, the odd one at the end (or begin). */
static void same_pads(const struct ec_shape *x, const int64_t *size, const struct ec_ints *stride,
                      const struct ec_ints *dil, int dims, bool lower, struct ec_ints *ret)
{
    int i;

    ret->n = 2 * dims;
    for (i = 0; i < dims; i++) {
        double in = (double)x->d[2 + i], s = (double)stride->v[i];
        double span = ((double)size[i] - 1) * (double)dil->v[i] + 1;
        double total = (ceil(in / s) - 1) * s + span - in;
        int64_t all = total > 0 && total < 1e9 ? (int64_t)total : 0;

        ret->v[i] = lower ? all - all / 2 : all / 2;
        ret->v[dims + i] = all - ret->v[i];
    }
}

static void all_ones(struct ec_ints *v, int n)
{
    int i;

    v->n = n;
    for (i = 0; i < n; i++)
        v->v[i] = 1;
}

/* stride, pad and dil as attributes. */
static enum ec_status geometry(struct onnx_conv *c, const struct ec_shape *x, const int64_t *size,
                               int dims, bool dilates)
{
    const struct onnx_attr *mode = ec__onnx_attr(c->n, "auto_pad");
    struct ec_ints stride, dil, pads;
    int i;

    if (!list_attr(c->n, "strides", dims, &stride))
        all_ones(&stride, dims);
    if (!list_attr(c->n, "dilations", dims, &dil))
        all_ones(&dil, dims);
    for (i = 0; i < dims; i++)
        if (stride.v[i] < 1 || dil.v[i] < 1 || size[i] < 1)
            return ec_fail(c->err, EC_E_INPUT, "filter, strides and dilations must be at least 1");
    if (mode && mode->s.len > 4 && memcmp(mode->s.p, "SAME", 4) == 0)
        same_pads(x, size, &stride, &dil, dims, ec_span_eq(mode->s, "SAME_LOWER"), &pads);
    else if (!list_attr(c->n, "pads", 2 * dims, &pads))
        pads = (struct ec_ints){ 1, { 0 } };
    ec__onnx_word_ints(c, "stride", &stride);
    put_unless(c, "pad", pads, 0);
    if (dilates)
        put_unless(c, "dil", dil, 1);
    return EC_OK;
}

/* "conv1.weight_bias" of "conv1.weight" */
static bool is_bias_of(struct ec_span bias, struct ec_span of)
{
    static const char end[] = "_bias";

    return bias.len == of.len + sizeof end - 1 && !memcmp(bias.p, of.p, of.len) &&
           !memcmp(bias.p + of.len, end, sizeof end - 1);
}

/* The exporter folded a batch norm into this convolution: it made both weight and bias itself, or,
 * with dynamo, a bias where there was none, which it names after the weight, older versions after
 * the input. */
static bool was_folded(const struct onnx_conv *c)
{
    int x = ec__onnx_in(c->n, 0), w = ec__onnx_in(c->n, 1), b = ec__onnx_in(c->n, 2);
    const struct onnx_value *v = c->m->values;

    if (!c->restore || x < 0 || w < 0 || b < 0 || c->val[w].param < 0 || c->val[b].param < 0)
        return false;
    if (ec__onnx_generated_name(v[w].name) && ec__onnx_generated_name(v[b].name))
        return true;
    return ec_span_eq(c->m->producer, "pytorch") &&
           (is_bias_of(v[b].name, v[w].name) || is_bias_of(v[b].name, v[x].name));
}

static enum ec_status restore_norm(struct onnx_conv *c, int conv_out)
{
    int out = -1;

    EC_PASS(ec__onnx_add1(c, "batch_norm", conv_out, &out));
    ec__onnx_set(c, 0, out);
    c->n_restored++;
    return EC_OK;
}

static enum ec_status emit_conv(struct onnx_conv *c)
{
    static const char *const names[2][3] = {
        {"conv1d",            "conv2d",           "conv3d"          },
        { "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}
    };
    bool transposed = c->r->words != NULL, folded = was_folded(c);
    bool bias = !folded && ec__onnx_in(c->n, 2) >= 0;
    int64_t groups = ec__onnx_attr_int(c->n, "group", 1), k;
    struct ec_type x, w;
    struct ec_ints out_pad;
    int dims;

    EC_PASS(ec__onnx_input_type(c, 0, 3, &x));
    EC_PASS(ec__onnx_weight_type(c, 1, 3, &w));
    dims = w.shape.rank - 2;
    if (dims > 3 || x.shape.rank != w.shape.rank || groups < 1)
        return ec_fail(c->err, EC_E_UNSUPPORTED, "%d spatial dimensions with %d-dimensional input",
                       dims, x.shape.rank);
    if (!ec_mul_i64(w.shape.d[transposed ? 1 : 0], transposed ? groups : 1, &k))
        return ec_fail(c->err, EC_E_SHAPE, "too many output channels");
    ec__onnx_word(c, "k", k);
    window_words(c, w.shape.d + 2, dims);
    EC_PASS(geometry(c, &x.shape, w.shape.d + 2, dims, true));
    if (transposed && list_attr(c->n, "output_padding", dims, &out_pad))
        put_unless(c, "out_pad", out_pad, 0);
    if (groups > 1)
        ec__onnx_word(c, "groups", groups);
    ec__onnx_word(c, "bias", bias);
    EC_PASS(ec__onnx_emit(c, names[transposed][dims - 1], 0, 1));
    EC_PASS(ec__onnx_bind(c, 1, 0));
    if (bias)
        EC_PASS(ec__onnx_bind(c, 2, 1));
    if (folded)
        EC_PASS(restore_norm(c, c->made->out[0]));
    return EC_OK;
}

static enum ec_status emit_pool(struct onnx_conv *c)
{
    static const char *const names[2][3] = {
        {"max_pool1d",  "max_pool2d", "max_pool3d"},
        { "avg_pool1d", "avg_pool2d", "avg_pool3d"}
    };
    const struct onnx_attr *size = ec__onnx_attr(c->n, "kernel_shape");
    bool avg = c->r->words != NULL;
    struct ec_type x;
    int dims;

    EC_PASS(ec__onnx_input_type(c, 0, 3, &x));
    dims = x.shape.rank - 2;
    if (dims > 3 || !size || size->n_ints != dims)
        return ec_fail(c->err, EC_E_UNSUPPORTED, "pooling over %d dimensions", dims);
    window_words(c, size->ints, dims);
    EC_PASS(geometry(c, &x.shape, size->ints, dims, !avg));
    if (ec__onnx_attr_int(c->n, "ceil_mode", 0))
        ec__onnx_word(c, "ceil", 1);
    if (avg && !ec__onnx_attr_int(c->n, "count_include_pad", 0))
        ec__onnx_word(c, "count_include_pad", 0);
    return ec__onnx_emit1(c, names[avg][dims - 1]);
}

/* --- norms --- */

/* An operator whose inputs from the second on are its parameters. */
static enum ec_status with_params(struct onnx_conv *c)
{
    int i;

    EC_PASS(ec__onnx_plain(c));
    for (i = 0; i < c->made->n_param && i < 4; i++)
        EC_PASS(ec__onnx_bind(c, i + 1, i));
    return EC_OK;
}

static enum ec_status norm(struct onnx_conv *c)
{
    ec_buf_printf(&c->words, " eps=%.6g", ec__onnx_attr_float(c->n, "epsilon", 1e-5));
    return with_params(c);
}

static enum ec_status emit_norm(struct onnx_conv *c)
{
    /* What running statistics keep; ours is what the batch adds. A float of few digits. */
    double kept = ec__onnx_attr_float(c->n, "momentum", 0.9);

    ec_buf_printf(&c->words, " momentum=%.6g", round((1 - kept) * 1e6) / 1e6);
    return norm(c);
}

static enum ec_status emit_instance_norm(struct onnx_conv *c)
{
    ec__onnx_word(c, "affine", ec__onnx_is_param(c, ec__onnx_in(c->n, 1)));
    return norm(c);
}

/* A weight that is brought to float32 and makes the result float32 too. */
static bool is_widened(const struct onnx_conv *c, int value)
{
    int from = value < 0 ? -1 : c->m->values[value].producer;

    return from >= 0 && ec__onnx_is(&c->m->nodes[from], "Cast") &&
           ec__onnx_dtype(ec__onnx_attr_int(&c->m->nodes[from], "to", 1)) == EC_DT_f32;
}

/* LayerNormalization, RMSNormalization: x, scale, shift. */
static enum ec_status emit_layer_norm(struct onnx_conv *c)
{
    int64_t axis = ec__onnx_attr_int(c->n, "axis", -1), dims;
    bool rms = c->r->words != NULL, scale = ec__onnx_in(c->n, 1) >= 0;
    struct ec_type x;

    EC_PASS(ec__onnx_input_type(c, 0, 1, &x));
    dims = c->n->aux ? c->n->aux : axis < 0 ? -axis : x.shape.rank - axis;
    if (dims < 1 || dims > x.shape.rank)
        return ec_fail(c->err, EC_E_SHAPE, "axis %lld of %d dimensions", (long long)axis,
                       x.shape.rank);
    ec__onnx_word(c, "dims", dims);
    ec__onnx_word(c, "affine", scale);
    if (!rms && scale)
        ec__onnx_word(c, "bias", ec__onnx_in(c->n, 2) >= 0);
    if (rms)
        ec__onnx_word(c, "wide", is_widened(c, ec__onnx_in(c->n, 1)));
    return norm(c);
}

/* Its own operator, or the exported pattern: there the reshape target is (0, groups, -1). */
static enum ec_status emit_group_norm(struct onnx_conv *c)
{
    int64_t groups = ec__onnx_attr_int(c->n, "num_groups", 0);
    struct ec_ints target;

    if (!groups && ec__onnx_ints(c, NULL, 3, &target) && target.n > 1)
        groups = target.v[1];
    if (groups < 1)
        return ec_fail(c->err, EC_E_UNSUPPORTED, "a group norm whose groups are not known");
    ec__onnx_word(c, "groups", groups);
    return norm(c);
}

static enum ec_status emit_lrn(struct onnx_conv *c)
{
    ec__onnx_word(c, "size", ec__onnx_attr_int(c->n, "size", 5));
    return ec__onnx_plain(c);
}

static enum ec_status emit_dropout(struct onnx_conv *c)
{
    const struct onnx_known *k = ec__onnx_known(c, ec__onnx_in(c->n, 1));
    double p = k && k->n == 1 ? k->v[0] : ec__onnx_attr_float(c->n, "ratio", 0.5);

    if (p >= 0 && p < 1)
        ec_buf_printf(&c->words, " p=%.6g", p);
    return ec__onnx_plain(c);
}

static enum ec_status emit_prelu(struct onnx_conv *c)
{
    struct ec_type x, slope;
    double count;

    EC_PASS(ec__onnx_weight_type(c, 1, 0, &slope));
    EC_PASS(ec__onnx_input_type(c, 0, 0, &x));
    count = ec_type_elems(&slope);
    if (count != 1 && (x.shape.rank < 2 || count != (double)x.shape.d[1]))
        return ec_fail(c->err, EC_E_UNSUPPORTED, "slopes that are not one per channel");
    ec__onnx_word(c, "params", (int64_t)count);
    return with_params(c);
}

#define SLOTS12 (1u << 1 | 1u << 2)
#define SLOTS1234 (SLOTS12 | 1u << 3 | 1u << 4)

const struct onnx_rule ec__onnx_rules_nn[] = { ONNX_NN(ONNX_RULE){ 0 } };
