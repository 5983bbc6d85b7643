/* ONNX layers with weights, norms, pools, recurrent layers. */
#include "graph/onnx_internal.h"

#include <math.h>
#include <string.h>

static enum ec_status weight_type(const struct onnx_conv *c, const struct onnx_node *n, int slot,
                                  int min_rank, struct ec_type *ret, struct ec_err *err)
{
    if (!ec__onnx_type(c, ec__onnx_in(n, slot), ret))
        return ec_fail(err, EC_E_PARSE, "the weight has no known shape");
    if (ret->shape.rank < min_rank)
        return ec_fail(err, EC_E_SHAPE, "the weight has %d dimensions, expected at least %d",
                       ret->shape.rank, min_rank);
    return EC_OK;
}

static enum ec_status input_type(const struct onnx_conv *c, const struct onnx_node *n, int slot,
                                 int min_rank, struct ec_type *ret, struct ec_err *err)
{
    if (!ec__onnx_type(c, ec__onnx_in(n, slot), ret))
        return ec_fail(err, EC_E_PARSE, "input %d has no known shape", slot);
    if (ret->shape.rank < min_rank)
        return ec_fail(err, EC_E_SHAPE, "input %d has %d dimensions, expected at least %d", slot,
                       ret->shape.rank, min_rank);
    return EC_OK;
}

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
static enum ec_status geometry(struct onnx_conv *c, const struct onnx_node *n,
                               const struct ec_shape *x, const int64_t *size, int dims,
                               bool dilates, struct ec_err *err)
{
    const struct onnx_attr *mode = ec__onnx_attr(n, "auto_pad");
    struct ec_ints stride, dil, pads;
    int i;

    if (!list_attr(n, "strides", dims, &stride))
        all_ones(&stride, dims);
    if (!list_attr(n, "dilations", dims, &dil))
        all_ones(&dil, dims);
    for (i = 0; i < dims; i++)
        if (stride.v[i] < 1 || dil.v[i] < 1 || size[i] < 1)
            return ec_fail(err, EC_E_INPUT, "filter, strides and dilations must be at least 1");
    if (mode && mode->s.len > 4 && memcmp(mode->s.p, "SAME", 4) == 0)
        same_pads(x, size, &stride, &dil, dims, ec_span_eq(mode->s, "SAME_LOWER"), &pads);
    else if (!list_attr(n, "pads", 2 * dims, &pads))
        pads = (struct ec_ints){ 1, { 0 } };
    ec__onnx_word_ints(c, "stride", &stride);
    put_unless(c, "pad", pads, 0);
    if (dilates)
        put_unless(c, "dil", dil, 1);
    return EC_OK;
}

/* The exporter folded a batch norm into this convolution: it made both weight and bias itself. */
static bool was_folded(const struct onnx_conv *c, const struct onnx_node *n)
{
    int w = ec__onnx_in(n, 1), b = ec__onnx_in(n, 2);

    return c->restore && w >= 0 && b >= 0 && c->val[w].param >= 0 && c->val[b].param >= 0 &&
           ec__onnx_generated_name(c->m->values[w].name) &&
           ec__onnx_generated_name(c->m->values[b].name);
}

static enum ec_status restore_norm(struct onnx_conv *c, const struct onnx_node *n, int conv_out,
                                   struct ec_err *err)
{
    enum ec_status st;
    int out = -1;

    EC_TRY(ec__onnx_add1(c, n, "batch_norm", conv_out, &out, err));
    ec__onnx_set(c, n, 0, out);
    c->n_restored++;
out:
    return st;
}

static enum ec_status emit_conv(struct onnx_conv *c, const struct onnx_node *n,
                                const struct onnx_rule *r, struct ec_err *err)
{
    static const char *const names[2][3] = {
        {"conv1d",            "conv2d",           "conv3d"          },
        { "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}
    };
    bool transposed = r->words != NULL, folded = was_folded(c, n);
    bool bias = !folded && ec__onnx_in(n, 2) >= 0;
    int64_t groups = ec__onnx_attr_int(n, "group", 1), k;
    struct ec_type x, w;
    struct ec_node *node = NULL;
    struct ec_ints out_pad;
    enum ec_status st;
    int in = -1, dims;

    EC_TRY(input_type(c, n, 0, 3, &x, err));
    EC_TRY(weight_type(c, n, 1, 3, &w, err));
    dims = w.shape.rank - 2;
    if (dims > 3 || x.shape.rank != w.shape.rank || groups < 1)
        return ec_fail(err, EC_E_UNSUPPORTED, "%d spatial dimensions with %d-dimensional input",
                       dims, x.shape.rank);
    if (!ec_mul_i64(w.shape.d[transposed ? 1 : 0], transposed ? groups : 1, &k))
        return ec_fail(err, EC_E_SHAPE, "too many output channels");
    ec__onnx_word(c, "k", k);
    window_words(c, w.shape.d + 2, dims);
    EC_TRY(geometry(c, n, &x.shape, w.shape.d + 2, dims, true, err));
    if (transposed && list_attr(n, "output_padding", dims, &out_pad))
        put_unless(c, "out_pad", out_pad, 0);
    if (groups > 1)
        ec__onnx_word(c, "groups", groups);
    ec__onnx_word(c, "bias", bias);
    EC_TRY(ec__onnx_data(c, n, 0, &in, err));
    EC_TRY(ec__onnx_add(c, n, names[transposed][dims - 1], &in, 1, &node, err));
    EC_TRY(ec__onnx_bind(c, n, 1, node, 0, err));
    if (bias)
        EC_TRY(ec__onnx_bind(c, n, 2, node, 1, err));
    ec__onnx_set(c, n, 0, node->out[0]);
    if (folded)
        EC_TRY(restore_norm(c, n, node->out[0], err));
out:
    return st;
}

static enum ec_status emit_pool(struct onnx_conv *c, const struct onnx_node *n,
                                const struct onnx_rule *r, struct ec_err *err)
{
    static const char *const names[2][3] = {
        {"max_pool1d",  "max_pool2d", "max_pool3d"},
        { "avg_pool1d", "avg_pool2d", "avg_pool3d"}
    };
    const struct onnx_attr *size = ec__onnx_attr(n, "kernel_shape");
    bool avg = r->words != NULL;
    struct ec_type x;
    enum ec_status st;
    int dims;

    EC_TRY(input_type(c, n, 0, 3, &x, err));
    dims = x.shape.rank - 2;
    if (dims > 3 || !size || size->n_ints != dims)
        return ec_fail(err, EC_E_UNSUPPORTED, "pooling over %d dimensions", dims);
    window_words(c, size->ints, dims);
    EC_TRY(geometry(c, n, &x.shape, size->ints, dims, !avg, err));
    if (ec__onnx_attr_int(n, "ceil_mode", 0))
        ec__onnx_word(c, "ceil", 1);
    if (avg && !ec__onnx_attr_int(n, "count_include_pad", 0))
        ec__onnx_word(c, "count_include_pad", 0);
    EC_TRY(ec__onnx_emit1(c, n, names[avg][dims - 1], err));
out:
    return st;
}

/* --- products --- */

static enum ec_status linear(struct onnx_conv *c, const struct onnx_node *n, int64_t features,
                             int bias_slot, struct ec_err *err)
{
    struct ec_node *node = NULL;
    enum ec_status st;
    int x = -1;

    ec__onnx_word(c, "n", features);
    ec__onnx_word(c, "bias", bias_slot >= 0);
    EC_TRY(ec__onnx_data(c, n, 0, &x, err));
    EC_TRY(ec__onnx_add(c, n, "linear", &x, 1, &node, err));
    EC_TRY(ec__onnx_bind(c, n, 1, node, 0, err));
    if (bias_slot >= 0)
        EC_TRY(ec__onnx_bind(c, n, bias_slot, node, 1, err));
    ec__onnx_set(c, n, 0, node->out[0]);
out:
    return st;
}

static bool is_param(const struct onnx_conv *c, int value)
{
    return value >= 0 && c->val[value].param >= 0;
}

static enum ec_status product(struct onnx_conv *c, const struct onnx_node *n, bool ta, bool tb,
                              struct ec_err *err)
{
    struct ec_node *node = NULL;
    enum ec_status st;
    int in[2];

    EC_TRY(ec__onnx_data(c, n, 0, &in[0], err));
    EC_TRY(ec__onnx_data(c, n, 1, &in[1], err));
    if (ta)
        ec__onnx_word(c, "transpose_a", 1);
    if (tb)
        ec__onnx_word(c, "transpose_b", 1);
    EC_TRY(ec__onnx_add(c, n, "matmul", in, 2, &node, err));
    ec__onnx_set(c, n, 0, node->out[0]);
out:
    return st;
}

static enum ec_status emit_matmul(struct onnx_conv *c, const struct onnx_node *n,
                                  const struct onnx_rule *r, struct ec_err *err)
{
    struct ec_type w;

    (void)r;
    if (is_param(c, ec__onnx_in(n, 1)) && !is_param(c, ec__onnx_in(n, 0)) &&
        ec__onnx_type(c, n->in[1], &w) && w.shape.rank == 2)
        return linear(c, n, w.shape.d[1], -1, err);
    return product(c, n, false, false, err);
}

static enum ec_status emit_linear(struct onnx_conv *c, const struct onnx_node *n,
                                  const struct onnx_rule *r, struct ec_err *err)
{
    struct ec_type w;
    enum ec_status st;

    (void)r;
    EC_TRY(weight_type(c, n, 1, 2, &w, err));
    EC_TRY(linear(c, n, w.shape.d[1], 2, err));
out:
    return st;
}

/* What remains of Gemm when B is data: a product and a sum. */
static enum ec_status gemm_of_data(struct onnx_conv *c, const struct onnx_node *n, bool ta, bool tb,
                                   struct ec_err *err)
{
    struct ec_node *node = NULL;
    enum ec_status st;
    int in[2];

    EC_TRY(product(c, n, ta, tb, err));
    if (ec__onnx_in(n, 2) < 0 || ec__onnx_out(n, 0) < 0)
        return EC_OK;
    in[0] = c->val[n->out[0]].gv;
    EC_TRY(ec__onnx_data(c, n, 2, &in[1], err));
    EC_TRY(ec__onnx_add(c, n, "add", in, 2, &node, err));
    ec__onnx_set(c, n, 0, node->out[0]);
out:
    return st;
}

static enum ec_status emit_gemm(struct onnx_conv *c, const struct onnx_node *n,
                                const struct onnx_rule *r, struct ec_err *err)
{
    bool ta = ec__onnx_attr_int(n, "transA", 0) != 0, tb = ec__onnx_attr_int(n, "transB", 0) != 0;
    bool plain_bias = ec__onnx_in(n, 2) < 0 || is_param(c, n->in[2]);
    struct ec_type w, b;
    enum ec_status st;

    (void)r;
    EC_TRY(weight_type(c, n, 1, 2, &w, err));
    if (ec__onnx_type(c, ec__onnx_in(n, 2), &b))
        plain_bias = plain_bias && ec_type_elems(&b) == (double)w.shape.d[tb ? 0 : 1];
    if (ta || !plain_bias || !is_param(c, n->in[1]))
        return gemm_of_data(c, n, ta, tb, err);
    EC_TRY(linear(c, n, w.shape.d[tb ? 0 : 1], ec__onnx_in(n, 2) < 0 ? -1 : 2, err));
out:
    return st;
}

/* --- Einsum of two tensors: a batched matrix product over its letters --- */

struct einsum {
    char a[EC_RANK_MAX + 1], b[EC_RANK_MAX + 1], out[EC_RANK_MAX + 1];
    int64_t size[128];
};

static bool letters(struct ec_span s, char *out)
{
    size_t i, n = 0;

    for (i = 0; i < s.len; i++) {
        if (s.p[i] == ' ')
            continue;
        if (n == EC_RANK_MAX || !((s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z'))
            return false;
        out[n++] = s.p[i];
    }
    out[n] = '\0';
    return true;
}

static bool einsum_parse(const struct onnx_node *n, struct einsum *e)
{
    const struct onnx_attr *at = ec__onnx_attr(n, "equation");
    struct ec_span rest = at ? at->s : (struct ec_span){ NULL, 0 }, in, a;

    if (!rest.len || !ec_span_cut(&rest, '-', &in) || !rest.len || rest.p[0] != '>')
        return false;
    rest.p++;
    rest.len--;
    return ec_span_cut(&in, ',', &a) && in.p && letters(a, e->a) && letters(in, e->b) &&
           letters(rest, e->out);
}

static bool einsum_sizes(struct einsum *e, const char *s, const struct ec_shape *shape)
{
    int i;

    if ((int)strlen(s) != shape->rank)
        return false;
    for (i = 0; i < shape->rank; i++)
        e->size[(unsigned char)s[i] & 127] = shape->d[i];
    return true;
}

/* Product of the sizes of the letters of s that stand in a, b and out as asked (-1: either). */
static int64_t einsum_product(const struct einsum *e, const char *s, int in_a, int in_b, int in_out)
{
    int64_t p = 1;

    for (; *s; s++) {
        bool fits = (in_a < 0 || (strchr(e->a, *s) != NULL) == in_a) &&
                    (in_b < 0 || (strchr(e->b, *s) != NULL) == in_b) &&
                    (in_out < 0 || (strchr(e->out, *s) != NULL) == in_out);

        if (fits && !ec_mul_i64(p, e->size[(unsigned char)*s & 127], &p))
            return -1;
    }
    return p;
}

static enum ec_status reshaped(struct onnx_conv *c, const struct onnx_node *n, int in, int64_t x,
                               int64_t y, int64_t z, int *ret, struct ec_err *err)
{
    struct ec_ints shape = {
        3, {x, y, z}
    };

    ec__onnx_word_ints(c, "shape", &shape);
    return ec__onnx_add1(c, n, "reshape", in, ret, err);
}

static enum ec_status emit_einsum(struct onnx_conv *c, const struct onnx_node *n,
                                  const struct onnx_rule *r, struct ec_err *err)
{
    struct ec_ints shape = { 0 };
    struct ec_node *node = NULL;
    struct einsum e = { 0 };
    struct ec_type a, b;
    enum ec_status st;
    int64_t batch, m, k, w;
    int in[2], i, out = -1;

    (void)r;
    if (n->n_in != 2 || !einsum_parse(n, &e))
        return ec_fail(err, EC_E_UNSUPPORTED, "Einsum of other than two plain terms");
    EC_TRY(input_type(c, n, 0, 0, &a, err));
    EC_TRY(input_type(c, n, 1, 0, &b, err));
    if (!einsum_sizes(&e, e.a, &a.shape) || !einsum_sizes(&e, e.b, &b.shape))
        return ec_fail(err, EC_E_SHAPE, "the equation does not fit the inputs");
    batch = einsum_product(&e, e.a, 1, 1, 1);
    m = einsum_product(&e, e.a, 1, 0, -1);
    k = einsum_product(&e, e.a, 1, 1, 0);
    w = einsum_product(&e, e.b, 0, 1, -1);
    EC_TRY(ec__onnx_data(c, n, 0, &in[0], err));
    EC_TRY(ec__onnx_data(c, n, 1, &in[1], err));
    EC_TRY(reshaped(c, n, in[0], batch, m, k, &in[0], err));
    EC_TRY(reshaped(c, n, in[1], batch, k, w, &in[1], err));
    EC_TRY(ec__onnx_add(c, n, "matmul", in, 2, &node, err));
    shape.n = (int)strlen(e.out);
    for (i = 0; i < shape.n; i++)
        shape.v[i] = e.size[(unsigned char)e.out[i] & 127];
    ec__onnx_word_ints(c, "shape", &shape);
    EC_TRY(ec__onnx_add1(c, n, "reshape", node->out[0], &out, err));
    ec__onnx_set(c, n, 0, out);
out:
    return st;
}

/* --- norms --- */

static enum ec_status norm(struct onnx_conv *c, const struct onnx_node *n, const char *op,
                           struct ec_err *err)
{
    struct ec_node *node = NULL;
    enum ec_status st;
    int x = -1, i;

    EC_TRY(ec__onnx_data(c, n, 0, &x, err));
    EC_TRY(ec__onnx_add(c, n, op, &x, 1, &node, err));
    for (i = 0; i < node->n_param && i < 4; i++)
        EC_TRY(ec__onnx_bind(c, n, i + 1, node, i, err));
    ec__onnx_set(c, n, 0, node->out[0]);
out:
    return st;
}

static enum ec_status emit_norm(struct onnx_conv *c, const struct onnx_node *n,
                                const struct onnx_rule *r, struct ec_err *err)
{
    return norm(c, n, r->op, err);
}

static enum ec_status emit_instance_norm(struct onnx_conv *c, const struct onnx_node *n,
                                         const struct onnx_rule *r, struct ec_err *err)
{
    ec__onnx_word(c, "affine", is_param(c, ec__onnx_in(n, 1)));
    return norm(c, n, r->op, err);
}

/* LayerNormalization, RMSNormalization: x, scale, shift. */
static enum ec_status emit_layer_norm(struct onnx_conv *c, const struct onnx_node *n,
                                      const struct onnx_rule *r, struct ec_err *err)
{
    int64_t axis = ec__onnx_attr_int(n, "axis", -1), dims;
    bool rms = r->words != NULL, scale = ec__onnx_in(n, 1) >= 0;
    struct ec_type x;
    enum ec_status st;

    EC_TRY(input_type(c, n, 0, 1, &x, err));
    dims = n->aux ? n->aux : axis < 0 ? -axis : x.shape.rank - axis;
    if (dims < 1 || dims > x.shape.rank)
        return ec_fail(err, EC_E_SHAPE, "axis %lld of %d dimensions", (long long)axis,
                       x.shape.rank);
    ec__onnx_word(c, "dims", dims);
    ec__onnx_word(c, "affine", scale);
    if (!rms && scale)
        ec__onnx_word(c, "bias", ec__onnx_in(n, 2) >= 0);
    EC_TRY(norm(c, n, r->op, err));
out:
    return st;
}

/* Its own operator, or the exported pattern: there the reshape target (0, groups, -1) tells. */
static enum ec_status emit_group_norm(struct onnx_conv *c, const struct onnx_node *n,
                                      const struct onnx_rule *r, struct ec_err *err)
{
    int64_t groups = ec__onnx_attr_int(n, "num_groups", 0);
    struct ec_ints target;

    if (!groups && ec__onnx_ints(c, n, NULL, 3, &target) && target.n > 1)
        groups = target.v[1];
    if (groups < 1)
        return ec_fail(err, EC_E_UNSUPPORTED, "a group norm whose groups are not known");
    ec__onnx_word(c, "groups", groups);
    return norm(c, n, r->op, err);
}

static enum ec_status emit_lrn(struct onnx_conv *c, const struct onnx_node *n,
                               const struct onnx_rule *r, struct ec_err *err)
{
    ec__onnx_word(c, "size", ec__onnx_attr_int(n, "size", 5));
    return ec__onnx_emit1(c, n, r->op, err);
}

static enum ec_status emit_dropout(struct onnx_conv *c, const struct onnx_node *n,
                                   const struct onnx_rule *r, struct ec_err *err)
{
    const struct onnx_known *k = ec__onnx_known(c, ec__onnx_in(n, 1));
    double p = k && k->n == 1 ? k->v[0] : ec__onnx_attr_float(n, "ratio", 0.5);

    if (p >= 0 && p < 1)
        ec_buf_printf(&c->words, " p=%.6g", p);
    return ec__onnx_emit1(c, n, r->op, err);
}

static enum ec_status emit_prelu(struct onnx_conv *c, const struct onnx_node *n,
                                 const struct onnx_rule *r, struct ec_err *err)
{
    struct ec_type x, slope;
    enum ec_status st;
    double count;

    EC_TRY(weight_type(c, n, 1, 0, &slope, err));
    EC_TRY(input_type(c, n, 0, 0, &x, err));
    count = ec_type_elems(&slope);
    if (count != 1 && (x.shape.rank < 2 || count != (double)x.shape.d[1]))
        return ec_fail(err, EC_E_UNSUPPORTED, "slopes that are not one per channel");
    ec__onnx_word(c, "params", (int64_t)count);
    EC_TRY(norm(c, n, r->op, err));
out:
    return st;
}

/* --- recurrent layers --- */

/* From (time, batch, ...) to (batch, time, ...) and back: the library layer takes either order, so
 * this is a view, no kernel. */
static enum ec_status view(struct onnx_conv *c, const struct onnx_node *n, int in,
                           const struct ec_ints *shape, int *ret, struct ec_err *err)
{
    ec__onnx_word_ints(c, "shape", shape);
    return ec__onnx_add1(c, n, "reshape", in, ret, err);
}

/* The last hidden state, (directions, batch, hidden): the last step of the output. */
static enum ec_status last_state(struct onnx_conv *c, const struct onnx_node *n, int out,
                                 int64_t dirs, int64_t batch, int64_t hidden, int *ret,
                                 struct ec_err *err)
{
    struct ec_ints shape = {
        3, {dirs, batch, hidden}
    };
    enum ec_status st;

    ec_buf_str(&c->words, " axes=1 starts=-1 ends=9223372036854775807 steps=1");
    EC_TRY(ec__onnx_add1(c, n, "slice", out, ret, err));
    EC_TRY(view(c, n, *ret, &shape, ret, err));
out:
    return st;
}

static bool is_used(const struct onnx_conv *c, const struct onnx_node *n, int out)
{
    int v = ec__onnx_out(n, out);

    return v >= 0 && (c->m->values[v].n_uses > 0 || c->m->values[v].is_output);
}

static enum ec_status recurrent_outputs(struct onnx_conv *c, const struct onnx_node *n, int out,
                                        const struct ec_shape *x, int64_t dirs, int64_t hidden,
                                        struct ec_err *err)
{
    struct ec_ints all = {
        4, {x->d[0], dirs, x->d[1], hidden}
    };
    enum ec_status st = EC_OK;
    int v = -1;

    if (is_used(c, n, 0)) {
        EC_TRY(view(c, n, out, &all, &v, err));
        ec__onnx_set(c, n, 0, v);
    }
    if (is_used(c, n, 1) || is_used(c, n, 2)) {
        EC_TRY(last_state(c, n, out, dirs, x->d[1], hidden, &v, err));
        ec__onnx_set(c, n, 1, v);
        ec__onnx_set(c, n, 2, v);
    }
out:
    return st;
}

static enum ec_status emit_recurrent(struct onnx_conv *c, const struct onnx_node *n,
                                     const struct onnx_rule *r, struct ec_err *err)
{
    const struct onnx_attr *direction = ec__onnx_attr(n, "direction");
    int64_t dirs = direction && ec_span_eq(direction->s, "bidirectional") ? 2 : 1;
    int64_t hidden = ec__onnx_attr_int(n, "hidden_size", 0);
    struct ec_type x, w;
    struct ec_ints swapped;
    enum ec_status st;
    int in = -1, out = -1;

    EC_TRY(input_type(c, n, 0, 3, &x, err));
    if (!hidden) {
        EC_TRY(weight_type(c, n, 2, 3, &w, err)); /* (directions, gates * hidden, hidden) */
        hidden = w.shape.d[2];
    }
    swapped = (struct ec_ints){
        3, {x.shape.d[1], x.shape.d[0], x.shape.d[2]}
    };
    EC_TRY(ec__onnx_data(c, n, 0, &in, err));
    EC_TRY(view(c, n, in, &swapped, &in, err));
    ec__onnx_word(c, "hidden", hidden);
    if (dirs == 2)
        ec__onnx_word(c, "bidir", 1);
    ec__onnx_word(c, "bias", n->aux);
    EC_TRY(ec__onnx_add1(c, n, r->op, in, &out, err));
    EC_TRY(recurrent_outputs(c, n, out, &x.shape, dirs, hidden, err));
out:
    return st;
}

static enum ec_status emit_plain(struct onnx_conv *c, const struct onnx_node *n,
                                 const struct onnx_rule *r, struct ec_err *err)
{
    return ec__onnx_emit1(c, n, r->op, err);
}

#define SLOTS12 (1u << 1 | 1u << 2)
#define SLOTS1234 (SLOTS12 | 1u << 3 | 1u << 4)

/* clang-format off */
const struct onnx_rule ec__onnx_rules_nn[] = {
    { "AveragePool",           emit_pool,          NULL,            "avg", 0 },
    { "BatchNormalization",    emit_norm,          "batch_norm",    NULL, SLOTS1234 },
    { "Conv",                  emit_conv,          NULL,            NULL, SLOTS12 },
    { "ConvTranspose",         emit_conv,          NULL,            "transposed", SLOTS12 },
    { "Dropout",               emit_dropout,       "dropout",       NULL, 0 },
    { "Einsum",                emit_einsum,        NULL,            NULL, 0 },
    { "GRU",                   emit_recurrent,     "gru",           NULL, SLOTS12 | 1u << 3 },
    { "Gemm",                  emit_gemm,          "linear",        NULL, SLOTS12 },
    { "GlobalAveragePool",     emit_plain,         "global_avg_pool", NULL, 0 },
    { "GlobalMaxPool",         emit_plain,         "global_max_pool", NULL, 0 },
    { "GroupNormalization",    emit_group_norm,    "group_norm",    NULL, SLOTS12 },
    { "InstanceNormalization", emit_instance_norm, "instance_norm", NULL, SLOTS12 },
    { "LRN",                   emit_lrn,           "lrn",           NULL, 0 },
    { "LSTM",                  emit_recurrent,     "lstm",          NULL, SLOTS12 | 1u << 3 },
    { "LayerNormalization",    emit_layer_norm,    "layer_norm",    NULL, SLOTS12 },
    { "MatMul",                emit_matmul,        "matmul",        NULL, 1u << 1 },
    { "MaxPool",               emit_pool,          NULL,            NULL, 0 },
    { "PRelu",                 emit_prelu,         "prelu",         NULL, 1u << 1 },
    { "RMSNormalization",      emit_layer_norm,    "rms_norm",      "rms", 1u << 1 },
    { "RNN",                   emit_recurrent,     "rnn",           NULL, SLOTS12 | 1u << 3 },
    { "SimplifiedLayerNormalization", emit_layer_norm, "rms_norm",  "rms", 1u << 1 },
    { "epochcast.Linear",      emit_linear,        "linear",        NULL, SLOTS12 },
    { NULL, NULL, NULL, NULL, 0 },
};
/* clang-format on */
