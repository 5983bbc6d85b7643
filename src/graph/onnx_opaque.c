/* ONNX operators without a rule: costed by their traffic, in the shapes the file declares. */
#include "graph/onnx_internal.h"

#include <string.h>

bool ec__onnx_is_constant(const struct onnx_conv *c)
{
    const struct onnx_node *n = c->n;
    int i;

    for (i = 0; i < n->n_in; i++) {
        const struct onnx_val *v = n->in[i] < 0 ? NULL : &c->val[n->in[i]];

        if (!v || v->known || v->constant)
            continue;
        if (v->param >= 0 || (v->gv >= 0 && c->g->values[v->gv]->kind != EC_V_CONST))
            return false;
    }
    return true;
}

static void count_unknown(struct onnx_conv *c)
{
    const struct onnx_node *n = c->n;
    int i;

    c->g->n_unknown++;
    for (i = 0; i < c->n_unknown; i++)
        if (c->unknown[i].len == n->op.len && memcmp(c->unknown[i].p, n->op.p, n->op.len) == 0)
            break;
    if (i == EC_LEN(c->unknown))
        return;
    if (i == c->n_unknown) {
        c->unknown[c->n_unknown++] = n->op;
        c->n_unknown_of[i] = 0;
    }
    c->n_unknown_of[i]++;
}

static bool is_used(const struct onnx_conv *c, int value)
{
    return value >= 0 && (c->m->values[value].n_uses > 0 || c->m->values[value].is_output);
}

static bool declared_type(const struct onnx_conv *c, int value, struct ec_type *ret)
{
    int info = c->m->values[value].info, k;

    if (info >= 0 && ec__onnx_info_type(c, &c->m->infos[info], ret))
        return true;
    for (k = 0; c->m->values[value].is_output && k < c->m->n_outputs; k++)
        if (c->m->outputs[k].value == value && ec__onnx_info_type(c, &c->m->outputs[k], ret))
            return true;
    return false;
}

/* Shape of a computed value: declared, or that of input 0. */
static bool opaque_type(const struct onnx_conv *c, int value, struct ec_type *ret)
{
    if (declared_type(c, value, ret))
        return true;
    c->val[value].guessed = true;
    return ec__onnx_type(c, ec__onnx_in(c->n, 0), ret);
}

/* The tensors that a device would have to read. */
static enum ec_status opaque_inputs(struct onnx_conv *c, int *in, int max, int *n_in)
{
    const struct onnx_node *n = c->n;
    enum ec_status st = EC_OK;
    int i;

    *n_in = 0;
    for (i = 0; !st && i < n->n_in && *n_in < max; i++) {
        if (n->in[i] < 0 || c->val[n->in[i]].known)
            continue;
        st = ec__onnx_value(c, n->in[i], &in[*n_in]);
        *n_in += !st;
    }
    return st;
}

static enum ec_status opaque_node(struct onnx_conv *c, int out, const int *in, int n_in,
                                  const struct ec_type *t)
{
    struct ec_ints dims = { t->shape.rank, { 0 } };
    char type[64];

    memcpy(dims.v, t->shape.d, sizeof t->shape.d);
    ec__onnx_clean(c->n->op, type, sizeof type);
    ec_buf_printf(&c->words, " type=%s dtype=%s", type, ec_dtype_name(t->dtype));
    if (dims.n)
        ec__onnx_word_ints(c, "shape", &dims);
    EC_PASS(ec__onnx_add(c, "opaque", in, n_in));
    ec__onnx_set(c, out, c->made->out[0]);
    return EC_OK;
}

enum ec_status ec__onnx_opaque(struct onnx_conv *c)
{
    const struct onnx_node *n = c->n;
    struct ec_type t;
    bool computed;
    int in[32], n_in, i;

    EC_PASS(opaque_inputs(c, in, EC_LEN(in), &n_in));
    computed = n_in > 0 && !ec__onnx_is_constant(c);
    for (i = 0; i < n->n_out; i++) {
        if (!is_used(c, n->out[i]))
            continue;
        if (!opaque_type(c, n->out[i], &t))
            return ec_fail(c->err, EC_E_UNSUPPORTED,
                           "the operator is not supported and the file does not declare the shape "
                           "of what it computes");
        if (computed)
            EC_PASS(opaque_node(c, i, in, n_in, &t));
        else /* of constants only: computed once, before training */
            EC_PASS(ec_graph_add_const(c->g, "constant", &t, &c->val[n->out[i]].gv, c->err));
    }
    if (computed)
        count_unknown(c);
    return EC_OK;
}
