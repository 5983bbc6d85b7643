/* Building a graph: values, nodes, parameters; shapes are inferred as nodes arrive. */
#include "graph/build_internal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct ec_graph *ec_graph_new(const char *name)
{
    struct ec_graph *g = ec_alloc(sizeof *g);
    char *copy;

    if (!g)
        return NULL;
    g->batch = 1;
    g->source = "";
    g->name = copy = ec_arena_str(&g->arena, name);
    if (!copy) {
        ec_graph_free(g);
        return NULL;
    }
    copy[ec_plain_text(copy, strlen(copy), "")] = '\0'; /* it is a title: files may name it */
    return g;
}

void ec_graph_free(struct ec_graph *g)
{
    if (!g || g->users-- > 0) /* the last user frees it */
        return;
    ec_graph_free(g->base);
    ec_free(g->values);
    ec_free(g->nodes);
    ec_free(g->inputs);
    ec_free(g->outputs);
    ec_arena_clear(&g->arena);
    ec_free(g);
}

bool ec_graph_is_binary(const struct ec_graph *g)
{
    const struct ec_shape *y = &g->values[g->outputs[0]]->type.shape;

    return y->rank == 0 || y->d[y->rank - 1] == 1;
}

/* Attention as one operator, or the softmax of its scores: one of classes has no third dimension.
 */
static bool attends(const struct ec_node *n)
{
    return ec_is_among(n->op->name, ec_span_of("attention multi_head_attention"), ' ') ||
           (ec_str_eq(n->op->name, "softmax") && n->out_type[0]->shape.rank > 2);
}

bool ec_graph_attends(const struct ec_graph *g)
{
    int i = 0;

    while (i < g->n_nodes && !attends(g->nodes[i]))
        i++;
    return i < g->n_nodes;
}

int64_t ec_graph_tokens(const struct ec_graph *g)
{
    static const char joining[] = "lstm gru rnn conv1d";
    const struct ec_type *ids = g->n_inputs ? &g->values[g->inputs[0]]->type : NULL;
    bool is_ids = ids && ids->shape.rank == 2 && !ec_dtype_is_float(ids->dtype), found = false;
    int64_t t = is_ids ? ids->shape.d[1] : 0;
    const struct ec_shape *x;
    int i;

    for (i = 0; t && i < g->n_nodes && !found; i++) {
        const struct ec_node *n = g->nodes[i];

        x = &n->out_type[0]->shape;
        found = ec_is_among(n->op->name, ec_span_of(joining), ' ') ||
                (attends(n) && (!ec_str_eq(n->op->name, "softmax") || x->d[x->rank - 1] == t));
    }
    for (i = 0; t && i < g->n_outputs && !found; i++) {
        x = &g->values[g->outputs[i]]->type.shape;
        found =
            x->rank > 2 ? x->d[1] == t : t > 1 && x->rank == 2 && x->d[0] == t * ids->shape.d[0];
    }
    return found ? t : 0;
}

const char *ec_graph_name(const struct ec_graph *g)
{
    return g ? g->name : "";
}

int64_t ec_graph_batch(const struct ec_graph *g)
{
    return g ? g->batch : 0;
}

static enum ec_status add_value(struct ec_graph *g, enum ec_value_kind kind, const char *name,
                                const struct ec_type *type, struct ec_value **ret,
                                struct ec_err *err)
{
    enum ec_status st =
        ec_grow(&g->values, &g->cap_values, g->n_values + 1, sizeof *g->values, err);
    struct ec_value *v;
    int64_t n;

    if (st)
        return st;
    if (type && !ec_shape_count(&type->shape, &n))
        return ec_fail(err, EC_E_SHAPE,
                       "\"%.80s\": a dimension is negative or the tensor too large", name);
    v = ec_arena_alloc(&g->arena, sizeof *v);
    EC_PASS(ec_allocated(v, err));
    v->name = ec_arena_str(&g->arena, name);
    EC_PASS(ec_allocated(v->name, err));
    if (type)
        v->type = *type;
    v->kind = kind;
    v->id = g->n_values;
    v->producer = -1;
    assert(v->id < g->cap_values);
    g->values[g->n_values++] = v;
    *ret = v;
    return EC_OK;
}

static enum ec_status append_id(int **list, int *n, int *cap, int id, struct ec_err *err)
{
    EC_PASS(ec_grow(list, cap, *n + 1, sizeof **list, err));
    (*list)[(*n)++] = id;
    return EC_OK;
}

enum ec_status ec_graph_add_input(struct ec_graph *g, const char *name, const struct ec_type *type,
                                  int *ret_value, struct ec_err *err)
{
    struct ec_value *v = NULL;

    EC_PASS(add_value(g, EC_V_INPUT, name, type, &v, err));
    EC_PASS(append_id(&g->inputs, &g->n_inputs, &g->cap_inputs, v->id, err));
    *ret_value = v->id;
    return EC_OK;
}

enum ec_status ec_graph_add_param(struct ec_graph *g, const char *name, const struct ec_type *type,
                                  bool trainable, int *ret_value, struct ec_err *err)
{
    struct ec_value *v = NULL;

    EC_PASS(add_value(g, EC_V_PARAM, name, type, &v, err));
    v->trainable = v->requires_grad = trainable;
    *ret_value = v->id;
    return EC_OK;
}

enum ec_status ec_graph_add_const(struct ec_graph *g, const char *name, const struct ec_type *type,
                                  int *ret_value, struct ec_err *err)
{
    struct ec_value *v = NULL;

    EC_PASS(add_value(g, EC_V_CONST, name, type, &v, err));
    *ret_value = v->id;
    return EC_OK;
}

struct ec_case ec_node_case(const struct ec_node *n)
{
    return (struct ec_case){ n->op, n->attrs, n->n_in, n->n_out, n->in_type, n->out_type };
}

const char *ec_graph_activation(const struct ec_graph *g, int node)
{
    const struct ec_op *next = node + 1 < g->n_nodes ? g->nodes[node + 1]->op : NULL;

    return next && g->nodes[node + 1]->n_in == 1 && next->flop_fwd > 0 ? next->name : NULL;
}

bool ec_node_needs_input_grad(const struct ec_graph *g, const struct ec_node *n)
{
    int i;

    for (i = 0; i < n->n_in; i++)
        if (g->values[n->in[i]]->requires_grad)
            return true;
    return false;
}

static enum ec_status make_node(struct ec_graph *g, const char *name, const struct ec_op *op,
                                void *attrs, const int *in, int n_in, struct ec_node **ret,
                                struct ec_err *err)
{
    struct ec_node *n = ec_arena_alloc(&g->arena, sizeof *n);
    int i;

    EC_PASS(ec_allocated(n, err));
    n->name = ec_arena_str(&g->arena, name);
    n->in = ec_arena_copy(&g->arena, in, sizeof *in * (size_t)n_in);
    n->in_type = ec_arena_alloc(&g->arena, sizeof(struct ec_type *) * (size_t)n_in);
    EC_PASS(ec_allocated(n->name && n->in && n->in_type, err));
    n->id = g->n_nodes;
    n->op = op;
    n->attrs = attrs;
    n->n_in = n_in;
    for (i = 0; i < n_in; i++) {
        if (in[i] < 0 || in[i] >= g->n_values)
            return ec_fail(err, EC_E_INPUT, "input %d is no value of this graph", i);
        n->in_type[i] = &g->values[in[i]]->type;
    }
    *ret = n;
    return EC_OK;
}

/* The node's weights become parameter values named after it. */
static enum ec_status make_params(struct ec_graph *g, struct ec_node *n, struct ec_err *err)
{
    struct ec_param_list list;
    struct ec_case c = ec_node_case(n);
    char name[256];
    int i;

    list.n = 0;
    if (n->op->params)
        n->op->params(&c, &list);
    n->param = ec_arena_alloc(&g->arena, sizeof *n->param * (size_t)(list.n ? list.n : 1));
    EC_PASS(ec_allocated(n->param, err));
    for (i = 0; i < list.n; i++) {
        struct ec_type type = { list.p[i].shape, EC_DT_f32 };

        (void)snprintf(name, sizeof name, "%s.%s", n->name, list.p[i].role);
        EC_PASS(ec_graph_add_param(g, name, &type, list.p[i].trainable, &n->param[i], err));
        n->n_param = i + 1;
        assert(g->values[n->param[i]]->kind == EC_V_PARAM);
    }
    return EC_OK;
}

static bool takes_gradient(const struct ec_graph *g, const struct ec_node *n)
{
    int i;

    if (n->op->flags & EC_OPF_NO_GRAD)
        return false;
    for (i = 0; i < n->n_in; i++)
        if (g->values[n->in[i]]->requires_grad)
            return true;
    for (i = 0; i < n->n_param; i++)
        if (g->values[n->param[i]]->trainable)
            return true;
    return false;
}

static void mark_outputs(struct ec_graph *g, struct ec_node *n)
{
    bool grad = takes_gradient(g, n);
    int i;

    for (i = 0; i < n->n_out; i++)
        g->values[n->out[i]]->requires_grad =
            grad && ec_dtype_is_float(g->values[n->out[i]]->type.dtype);
}

static enum ec_status make_outputs(struct ec_graph *g, struct ec_node *n, struct ec_err *err)
{
    char name[256];
    int i;

    n->out = ec_arena_alloc(&g->arena, sizeof *n->out * (size_t)n->n_out);
    EC_PASS(ec_allocated(n->out, err));
    for (i = 0; i < n->n_out; i++) {
        struct ec_value *v = NULL;

        (void)snprintf(name, sizeof name, i ? "%s:%d" : "%s", n->name, i);
        EC_PASS(add_value(g, EC_V_COMPUTED, name, n->out_type[i], &v, err));
        assert(n->n_in == 0 || v->id > n->in[n->n_in - 1]); /* topological order */
        v->producer = n->id;
        n->out[i] = v->id;
        n->out_type[i] = &v->type;
    }
    mark_outputs(g, n);
    return EC_OK;
}

enum ec_status ec_graph_add_node(struct ec_graph *g, const char *name, const struct ec_op *op,
                                 void *attrs, const int *in, int n_in, struct ec_node **ret,
                                 struct ec_err *err)
{
    struct ec_node *n = NULL;
    struct ec_case c;
    enum ec_status st;

    EC_PASS(ec_compute_check(err));
    EC_TRY(make_node(g, name, op, attrs, in, n_in, &n, err));
    c = ec_node_case(n);
    EC_TRY(ec_case_infer(&c, &g->arena, err));
    n->n_out = c.n_out;
    n->out_type = (struct ec_type **)(void *)c.out;
    EC_TRY(make_params(g, n, err));
    EC_TRY(make_outputs(g, n, err));
    EC_TRY(ec_grow(&g->nodes, &g->cap_nodes, g->n_nodes + 1, sizeof *g->nodes, err));
    assert(n->id == g->n_nodes && n->n_out >= 1);
    g->nodes[g->n_nodes++] = n;
    *ret = n;
out:
    return ec_within(err, st, "%s \"%.80s\": ", op->name, name);
}

enum ec_status ec_graph_add_output(struct ec_graph *g, int value, struct ec_err *err)
{
    if (value < 0 || value >= g->n_values)
        return ec_fail(err, EC_E_INPUT, "output %d is no value of this graph", value);
    return append_id(&g->outputs, &g->n_outputs, &g->cap_outputs, value, err);
}

double ec_graph_trained_elems(const struct ec_graph *g)
{
    double n = 0;
    int i;

    for (i = 0; i < g->n_values; i++)
        if (g->values[i]->kind == EC_V_PARAM && g->values[i]->trainable)
            n += ec_type_elems(&g->values[i]->type);
    return n;
}

void ec_graph_freeze(struct ec_graph *g, int first_value, int first_node)
{
    int i;

    for (i = first_value; i < g->n_values; i++)
        if (g->values[i]->kind == EC_V_PARAM)
            g->values[i]->trainable = g->values[i]->requires_grad = false;
    for (i = first_node; i < g->n_nodes; i++)
        mark_outputs(g, g->nodes[i]);
}

/* Counted as no elements. */
static void drop(struct ec_value *own)
{
    own->type.shape = (struct ec_shape){ 1, { 0 } };
    own->trainable = own->requires_grad = false;
}

enum ec_status ec_graph_omit(struct ec_graph *g, struct ec_node *node, int slot, struct ec_err *err)
{
    if (!node || slot < 0 || slot >= node->n_param)
        return ec_fail(err, EC_E_INPUT, "there is no parameter %d to leave out", slot);
    drop(g->values[node->param[slot]]);
    return EC_OK;
}

enum ec_status ec_graph_tie(struct ec_graph *g, struct ec_node *node, int slot, int param_value,
                            struct ec_err *err)
{
    struct ec_value *own, *shared;

    if (slot < 0 || slot >= node->n_param || param_value < 0 || param_value >= g->n_values ||
        g->values[param_value]->kind != EC_V_PARAM)
        return ec_fail(err, EC_E_INPUT, "%s: nothing to share at parameter %d", node->name, slot);
    own = g->values[node->param[slot]];
    shared = g->values[param_value];
    if (ec_type_elems(&own->type) != ec_type_elems(&shared->type))
        return ec_fail(err, EC_E_SHAPE, "%s: shared weight \"%s\" has %.0f elements, expected %.0f",
                       node->name, shared->name, ec_type_elems(&shared->type),
                       ec_type_elems(&own->type));
    drop(own); /* nothing refers to it any more */
    node->param[slot] = param_value;
    mark_outputs(g, node); /* a frozen weight needs no gradient */
    assert(g->values[node->param[slot]] == shared && !own->trainable);
    return EC_OK;
}

#define NOTE_BYTES 1024

enum ec_status ec_graph_note(struct ec_graph *g, struct ec_err *err, const char *fmt, ...)
{
    char text[NOTE_BYTES];
    va_list ap;

    va_start(ap, fmt);
    (void)ec_vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    text[ec_plain_text(text, strlen(text), "")] = '\0'; /* names of nodes stand in it */
    return ec_strs_add(&g->notes, &g->arena, err, "%s", text);
}
