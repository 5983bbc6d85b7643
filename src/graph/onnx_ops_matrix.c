/* ONNX matrix products, as layers or of data, and recurrent layers. */
#include "graph/onnx_internal.h"

#include <string.h>

#include "onnx_ops.h"

static enum ec_status linear(struct onnx_conv *c, int64_t features, int bias_slot)
{
    ec__onnx_word(c, "n", features);
    ec__onnx_word(c, "bias", bias_slot >= 0);
    EC_PASS(ec__onnx_emit(c, "linear", 0, 1));
    EC_PASS(ec__onnx_bind(c, 1, 0));
    if (bias_slot >= 0)
        EC_PASS(ec__onnx_bind(c, bias_slot, 1));
    return EC_OK;
}

static enum ec_status product(struct onnx_conv *c, bool ta, bool tb)
{

    if (ta)
        ec__onnx_word(c, "transpose_a", 1);
    if (tb)
        ec__onnx_word(c, "transpose_b", 1);
    return ec__onnx_emit(c, "matmul", 0, 2);
}

static enum ec_status emit_matmul(struct onnx_conv *c)
{
    const struct onnx_node *n = c->n;
    struct ec_type w;

    if (!n->aux && ec__onnx_is_param(c, ec__onnx_in(n, 1)) &&
        !ec__onnx_is_param(c, ec__onnx_in(n, 0)) && ec__onnx_type(c, n->in[1], &w) &&
        w.shape.rank == 2)
        return linear(c, w.shape.d[1], -1);
    return product(c, (n->aux & 1) != 0, (n->aux & 2) != 0);
}

static enum ec_status emit_linear(struct onnx_conv *c)
{
    struct ec_type w;

    EC_PASS(ec__onnx_weight_type(c, 1, 2, &w));
    return linear(c, w.shape.d[1], 2);
}

/* What remains of Gemm when B is data: a product and a sum. */
static enum ec_status gemm_of_data(struct onnx_conv *c, bool ta, bool tb)
{
    int in[2];

    EC_PASS(product(c, ta, tb));
    if (ec__onnx_in(c->n, 2) < 0 || ec__onnx_out(c->n, 0) < 0)
        return EC_OK;
    in[0] = c->val[c->n->out[0]].gv;
    EC_PASS(ec__onnx_data(c, 2, &in[1]));
    EC_PASS(ec__onnx_add(c, "add", in, 2));
    ec__onnx_set(c, 0, c->made->out[0]);
    return EC_OK;
}

static enum ec_status emit_gemm(struct onnx_conv *c)
{
    bool ta = ec__onnx_attr_int(c->n, "transA", 0) != 0,
         tb = ec__onnx_attr_int(c->n, "transB", 0) != 0;
    bool plain_bias = ec__onnx_in(c->n, 2) < 0 || ec__onnx_is_param(c, c->n->in[2]);
    struct ec_type w, b;

    EC_PASS(ec__onnx_weight_type(c, 1, 2, &w));
    if (ec__onnx_type(c, ec__onnx_in(c->n, 2), &b))
        plain_bias = plain_bias && ec_type_elems(&b) == (double)w.shape.d[tb ? 0 : 1];
    if (ta || !plain_bias || !ec__onnx_is_param(c, c->n->in[1]))
        return gemm_of_data(c, ta, tb);
    return linear(c, w.shape.d[tb ? 0 : 1], ec__onnx_in(c->n, 2) < 0 ? -1 : 2);
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

static enum ec_status reshaped(struct onnx_conv *c, int in, int64_t x, int64_t y, int64_t z,
                               int *ret)
{
    struct ec_ints shape = {
        3, {x, y, z}
    };

    return ec__onnx_view(c, in, &shape, ret);
}

static enum ec_status emit_einsum(struct onnx_conv *c)
{
    struct ec_ints shape = { 0 };
    struct einsum e = { 0 };
    struct ec_type a, b;
    int64_t batch, m, k, w;
    int in[2], i, out = -1;

    if (c->n->n_in != 2 || !einsum_parse(c->n, &e))
        return ec_fail(c->err, EC_E_UNSUPPORTED, "Einsum of other than two plain terms");
    EC_PASS(ec__onnx_input_type(c, 0, 0, &a));
    EC_PASS(ec__onnx_input_type(c, 1, 0, &b));
    if (!einsum_sizes(&e, e.a, &a.shape) || !einsum_sizes(&e, e.b, &b.shape))
        return ec_fail(c->err, EC_E_SHAPE, "the equation does not fit the inputs");
    batch = einsum_product(&e, e.a, 1, 1, 1);
    m = einsum_product(&e, e.a, 1, 0, -1);
    k = einsum_product(&e, e.a, 1, 1, 0);
    w = einsum_product(&e, e.b, 0, 1, -1);
    EC_PASS(ec__onnx_data(c, 0, &in[0]));
    EC_PASS(ec__onnx_data(c, 1, &in[1]));
    EC_PASS(reshaped(c, in[0], batch, m, k, &in[0]));
    EC_PASS(reshaped(c, in[1], batch, k, w, &in[1]));
    EC_PASS(ec__onnx_add(c, "matmul", in, 2));
    shape.n = (int)strlen(e.out);
    for (i = 0; i < shape.n; i++)
        shape.v[i] = e.size[(unsigned char)e.out[i] & 127];
    EC_PASS(ec__onnx_view(c, c->made->out[0], &shape, &out));
    ec__onnx_set(c, 0, out);
    return EC_OK;
}

/* Of heads, (n, heads, t, d), without a mask of its own and what earlier tokens left. */
static enum ec_status emit_attention(struct onnx_conv *c)
{
    int64_t causal = ec__onnx_attr_int(c->n, "is_causal", 0);
    struct ec_type q, k;

    EC_PASS(ec__onnx_input_type(c, 0, 3, &q));
    EC_PASS(ec__onnx_input_type(c, 1, 3, &k));
    if (q.shape.rank != 4 || ec__onnx_in(c->n, 3) >= 0 || ec__onnx_in(c->n, 4) >= 0)
        return ec_fail(c->err, EC_E_UNSUPPORTED,
                       "attention that is masked, cached or not cut in heads");
    if (k.shape.rank != 4 || q.shape.d[1] != k.shape.d[1])
        return ec_fail(c->err, EC_E_UNSUPPORTED, "attention with fewer heads of keys");
    ec__onnx_word(c, "causal", causal);
    return ec__onnx_emit(c, c->r->op, 0, 3);
}

/* --- recurrent layers --- */

/* The last hidden state, (directions, batch, hidden): the last step of the output. */
static enum ec_status last_state(struct onnx_conv *c, int out, int64_t dirs, int64_t batch,
                                 int64_t hidden, int *ret)
{
    struct ec_ints shape = {
        3, {dirs, batch, hidden}
    };

    ec_buf_str(&c->words, " axes=1 starts=-1 ends=9223372036854775807 steps=1");
    EC_PASS(ec__onnx_add1(c, "slice", out, ret));
    return ec__onnx_view(c, *ret, &shape, ret);
}

static bool is_used(const struct onnx_conv *c, int out)
{
    int v = ec__onnx_out(c->n, out);

    return v >= 0 && (c->m->values[v].n_uses > 0 || c->m->values[v].is_output);
}

static enum ec_status recurrent_outputs(struct onnx_conv *c, int out, const struct ec_shape *x,
                                        int64_t dirs, int64_t hidden)
{
    struct ec_ints all = {
        4, {x->d[0], dirs, x->d[1], hidden}
    };
    int v = -1;

    if (is_used(c, 0)) {
        EC_PASS(ec__onnx_view(c, out, &all, &v));
        ec__onnx_set(c, 0, v);
    }
    if (is_used(c, 1) || is_used(c, 2)) {
        EC_PASS(last_state(c, out, dirs, x->d[1], hidden, &v));
        ec__onnx_set(c, 1, v);
        ec__onnx_set(c, 2, v);
    }
    return EC_OK;
}

static enum ec_status emit_recurrent(struct onnx_conv *c)
{
    const struct onnx_attr *direction = ec__onnx_attr(c->n, "direction");
    int64_t dirs = direction && ec_span_eq(direction->s, "bidirectional") ? 2 : 1;
    int64_t hidden = ec__onnx_attr_int(c->n, "hidden_size", 0);
    struct ec_type x, w;
    struct ec_ints swapped;
    int in = -1, out = -1;

    EC_PASS(ec__onnx_input_type(c, 0, 3, &x));
    if (!hidden) {
        EC_PASS(ec__onnx_weight_type(c, 2, 3, &w)); /* (directions, gates * hidden, hidden) */
        hidden = w.shape.d[2];
    }
    swapped = (struct ec_ints){
        3, {x.shape.d[1], x.shape.d[0], x.shape.d[2]}
    };
    EC_PASS(ec__onnx_data(c, 0, &in));
    /* From (time, batch, ...) to (batch, time, ...), and back: the library layer takes either
     * order, so this is a view, no kernel. */
    EC_PASS(ec__onnx_view(c, in, &swapped, &in));
    ec__onnx_word(c, "hidden", hidden);
    if (dirs == 2)
        ec__onnx_word(c, "bidir", 1);
    ec__onnx_word(c, "bias", c->n->aux);
    EC_PASS(ec__onnx_add1(c, c->r->op, in, &out));
    return recurrent_outputs(c, out, &x.shape, dirs, hidden);
}

#define SLOTS12 (1u << 1 | 1u << 2)
#define SLOTS123 (SLOTS12 | 1u << 3)

const struct onnx_rule ec__onnx_rules_matrix[] = { ONNX_MATRIX(ONNX_RULE){ 0 } };
