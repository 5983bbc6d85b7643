/* Adding nodes of ours while converting ONNX: values and parameters on demand, names, sharing. */
#include "graph/onnx_internal.h"

#include <stdio.h>
#include <string.h>

/* --- names --- */

static bool cut_tail(struct ec_span *s, const char *tail)
{
    size_t len = strlen(tail);

    if (s->len <= len || memcmp(s->p + s->len - len, tail, len) != 0)
        return false;
    s->len -= len;
    return true;
}

/* The module behind the node, as its weight is named: layer1.0.conv1.weight -> layer1.0.conv1. */
static bool module_name(const struct onnx_conv *c, char *out, size_t size)
{
    int slot, root;

    for (slot = 0; slot < 2; slot++) {
        struct ec_span name;

        root = ec__onnx_in(c->n, slot) < 0 ? -1 : c->val[c->n->in[slot]].param;
        if (root < 0)
            continue;
        name = c->m->values[root].name;
        if (cut_tail(&name, ".weight")) {
            ec__onnx_clean(name, out, size);
            return true;
        }
    }
    return false;
}

static void node_name(const struct onnx_conv *c, char *out, size_t size)
{
    const struct onnx_node *n = c->n;

    if (module_name(c, out, size))
        return;
    if (n->name.len)
        ec__onnx_clean(n->name, out, size);
    else
        (void)snprintf(out, size, "%.*s_%d", n->op.len > 40 ? 40 : (int)n->op.len, n->op.p,
                       c->g->n_nodes);
}

/* --- values --- */

/* The contents of a constant, where the file has them and the graph room for them. */
static enum ec_status give_contents(struct onnx_conv *c, int value)
{
    const struct onnx_known *k = c->val[value].known;
    int tensor = c->m->values[value].tensor;
    double *v = k ? k->v : NULL;
    int64_t n = k ? k->n : 0;

    if (!k && tensor >= 0)
        EC_PASS(ec__onnx_contents(&c->m->tensors[tensor], c->a, EC_CONTENTS_MAX, &v, &n, c->err));
    if (v && n && (double)n == ec_type_elems(&c->g->values[c->val[value].gv]->type) &&
        ec_graph_has_room(c->g, n))
        EC_PASS(ec_graph_const_values(c->g, c->val[value].gv, v, n, c->err));
    return EC_OK;
}

static enum ec_status add_const(struct onnx_conv *c, int value)
{
    struct ec_type t;
    char name[160];

    ec__onnx_clean(c->m->values[value].name, name, sizeof name);
    if (!ec__onnx_type(c, value, &t))
        return ec_fail(c->err, EC_E_UNSUPPORTED, "the value \"%s\" is no tensor that we read",
                       name);
    EC_PASS(ec_graph_add_const(c->g, name, &t, &c->val[value].gv, c->err));
    return give_contents(c, value);
}

static enum ec_status add_param(struct onnx_conv *c, int value)
{
    struct ec_type t;
    char name[160];

    ec__onnx_clean(c->m->values[value].name, name, sizeof name);
    if (!ec__onnx_param_type(c, value, &t))
        return ec_fail(c->err, EC_E_UNSUPPORTED, "parameter \"%s\" has no shape", name);
    return ec_graph_add_param(c->g, name, &t, true, &c->val[value].gv, c->err);
}

static enum ec_status no_blank_node(struct onnx_conv *c, const char *op, int in, int *ret)
{
    static const struct onnx_node none = { 0 };
    const struct onnx_node *n = c->n;
    enum ec_status st;

    c->n = &none;
    st = ec__onnx_add1(c, op, in, ret);
    c->n = n;
    return st;
}

/* The parameter in the shape that the file gives it: layers may keep it in another. */
static enum ec_status param_value(struct onnx_conv *c, int value, int *ret)
{
    struct onnx_val *v = &c->val[value];
    struct onnx_val *root = &c->val[v->param];
    struct ec_type t;
    struct ec_ints dims;
    int i;

    if (root->gv < 0)
        EC_PASS(add_param(c, v->param));
    *ret = root->gv;
    if (!ec__onnx_type(c, value, &t) || ec_shape_eq(&t.shape, &c->g->values[*ret]->type.shape))
        return EC_OK;
    if (v->transposed) {
        ec_buf_str(&c->words, " perm=1x0");
        return no_blank_node(c, "transpose", *ret, ret);
    }
    dims.n = t.shape.rank;
    for (i = 0; i < dims.n; i++)
        dims.v[i] = t.shape.d[i];
    ec__onnx_word_ints(c, "shape", &dims);
    return no_blank_node(c, "reshape", *ret, ret);
    return EC_OK;
}

enum ec_status ec__onnx_value(struct onnx_conv *c, int value, int *ret)
{
    if (value < 0)
        return ec_fail(c->err, EC_E_PARSE, "an input is missing");
    if (c->val[value].param >= 0)
        return param_value(c, value, ret);
    if (c->val[value].gv < 0) {
        EC_PASS(add_const(c, value));
    }
    *ret = c->val[value].gv;
    return EC_OK;
}

enum ec_status ec__onnx_data(struct onnx_conv *c, int slot, int *ret)
{
    if (ec__onnx_in(c->n, slot) < 0)
        return ec_fail(c->err, EC_E_PARSE, "input %d is missing", slot);
    return ec__onnx_value(c, c->n->in[slot], ret);
}

/* --- words --- */

void ec__onnx_word(struct onnx_conv *c, const char *key, int64_t v)
{
    ec_buf_printf(&c->words, " %s=%lld", key, (long long)v);
}

void ec__onnx_word_ints(struct onnx_conv *c, const char *key, const struct ec_ints *v)
{
    int i;

    ec_buf_printf(&c->words, " %s=", key);
    for (i = 0; i < v->n; i++)
        ec_buf_printf(&c->words, "%s%lld", i ? "," : "", (long long)v->v[i]);
}

/* --- nodes --- */

enum ec_status ec__onnx_add(struct onnx_conv *c, const char *op, const int *in, int n_in)
{
    const struct ec_op *row = ec_op_find(ec_span_of(op));
    struct ec_span words = { c->words.data, c->words.len };
    enum ec_status st;
    void *attrs = NULL;
    char name[200], origin[64];

    if (!row)
        return ec_fail(c->err, EC_E_UNSUPPORTED, "operator %s is not there yet", op);
    EC_TRY(ec_buf_status(&c->words, c->err));
    EC_TRY(ec_attrs_parse(row, words, &c->g->arena, &attrs, c->err));
    node_name(c, name, sizeof name);
    EC_TRY(ec_graph_add_node(c->g, name, row, attrs, in, n_in, &c->made, c->err));
    ec__onnx_clean(c->n->op, origin, sizeof origin);
    c->made->origin = ec_arena_str(&c->g->arena, origin);
out:
    ec_buf_reset(&c->words);
    return st;
}

enum ec_status ec__onnx_add1(struct onnx_conv *c, const char *op, int in, int *ret)
{
    EC_PASS(ec__onnx_add(c, op, &in, 1));
    *ret = c->made->out[0];
    return EC_OK;
}

void ec__onnx_set(struct onnx_conv *c, int out, int gv)
{
    if (ec__onnx_out(c->n, out) >= 0)
        c->val[c->n->out[out]].gv = gv;
}

enum ec_status ec__onnx_emit(struct onnx_conv *c, const char *op, int first, int n_in)
{
    int *in = ec_arena_alloc(c->a, (size_t)(n_in + 1) * sizeof *in), i;
    struct ec_buf words = c->words; /* parameters may need nodes with words of their own */
    enum ec_status st = ec_allocated(in, c->err);

    c->words = (struct ec_buf){ .max_bytes = words.max_bytes };
    for (i = 0; !st && i < n_in; i++)
        st = ec__onnx_data(c, first + i, &in[i]);
    ec_buf_clear(&c->words);
    c->words = words;
    if (!st)
        st = ec__onnx_add(c, op, in, n_in);
    for (i = 0; !st && i < c->made->n_out; i++)
        ec__onnx_set(c, i, c->made->out[i]);
    return st;
}

enum ec_status ec__onnx_emit1(struct onnx_conv *c, const char *op)
{
    return ec__onnx_emit(c, op, 0, 1);
}

enum ec_status ec__onnx_plain(struct onnx_conv *c)
{
    return ec__onnx_emit1(c, c->r->op);
}

enum ec_status ec__onnx_view(struct onnx_conv *c, int in, const struct ec_ints *shape, int *ret)
{
    ec__onnx_word_ints(c, "shape", shape);
    return ec__onnx_add1(c, "reshape", in, ret);
}
