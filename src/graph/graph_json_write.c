/* Writing a graph as JSON. Format: docs/graph-json.md */
#include "graph/files_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct named {
    const char *name;
    int index; /* values, then nodes */
};

static int by_name(const void *x, const void *y)
{
    const struct named *a = x, *b = y;
    int c = strcmp(a->name, b->name);

    return c ? c : a->index - b->index;
}

static bool is_own(const struct ec_node *n, int slot)
{
    return n->param[slot] == ec__own_param(n) + slot;
}

static void roles_of(const struct ec_node *n, struct ec_param_list *ret)
{
    struct ec_case c = ec_node_case(n);

    ret->n = 0;
    if (n->n_param)
        n->op->params(&c, ret);
}

/* Names of what a node makes follow from its own: name, name:1 ... and name.role */
static enum ec_status name_made(const struct ec_node *n, struct ec__names *ret, struct ec_err *err)
{
    const char *base = ret->node[n->id];
    struct ec_param_list roles;
    int k;

    roles_of(n, &roles);
    for (k = 0; k < n->n_out; k++) {
        const char *name = k ? ec_arena_printf(&ret->arena, "%s:%d", base, k) : base;

        EC_PASS(ec_allocated(name, err));
        ret->value[n->out[k]] = name;
    }
    for (k = 0; k < roles.n; k++) {
        const char *name = ec_arena_printf(&ret->arena, "%s.%s", base, roles.p[k].role);

        EC_PASS(ec_allocated(name, err));
        ret->value[ec__own_param(n) + k] = name;
    }
    return EC_OK;
}

/* Plain names first; when two meet, those get a number; `all`: every name gets one. */
static enum ec_status name_given(const struct ec_graph *g, struct named *list, int n, bool all,
                                 struct ec__names *ret, struct ec_err *err)
{
    int i;

    qsort(list, (size_t)n, sizeof *list, by_name);
    for (i = 0; i < n; i++) {
        bool twice = (i && ec_str_eq(list[i].name, list[i - 1].name)) || !list[i].name[0];
        const char **to = list[i].index < g->n_values ? &ret->value[list[i].index]
                                                      : &ret->node[list[i].index - g->n_values];

        *to = all || twice ? ec_arena_printf(&ret->arena, "%s#%d", list[i].name, list[i].index)
                           : list[i].name;
        EC_PASS(ec_allocated(*to, err));
    }
    return EC_OK;
}

static bool all_differ(const struct ec_graph *g, const struct ec__names *names, struct named *list)
{
    int n = 0, i;

    for (i = 0; i < g->n_values; i++)
        list[n++] = (struct named){ names->value[i], i };
    qsort(list, (size_t)n, sizeof *list, by_name);
    for (i = 1; i < n; i++)
        if (ec_str_eq(list[i].name, list[i - 1].name))
            return false;
    return true;
}

/* What the graph was given a name for: nodes, and the values that no node makes. */
static int given(const struct ec_graph *g, struct named *list, bool *made)
{
    int n = 0, i, v;

    for (i = 0; i < g->n_nodes; i++) {
        const struct ec_node *node = g->nodes[i];

        for (v = ec__own_param(node); v < node->out[0] + node->n_out; v++)
            made[v] = true;
        list[n++] = (struct named){ node->name, g->n_values + i };
    }
    for (i = 0; i < g->n_values; i++)
        if (!made[i])
            list[n++] = (struct named){ g->values[i]->name, i };
    return n;
}

static enum ec_status name_all(const struct ec_graph *g, struct named *list, int n, bool all,
                               struct ec__names *ret, struct ec_err *err)
{
    int i;

    EC_PASS(name_given(g, list, n, all, ret, err));
    for (i = 0; i < g->n_nodes; i++)
        EC_PASS(name_made(g->nodes[i], ret, err));
    return EC_OK;
}

enum ec_status ec__names_make(const struct ec_graph *g, struct ec__names *ret, struct ec_err *err)
{
    size_t n = (size_t)g->n_values + (size_t)g->n_nodes + 1;
    struct named *list = ec_arena_alloc(&ret->arena, n * sizeof *list);
    struct named *check = ec_arena_alloc(&ret->arena, n * sizeof *check);
    int n_given;

    ret->made = ec_arena_alloc(&ret->arena, n * sizeof *ret->made);
    ret->value = ec_arena_alloc(&ret->arena, n * sizeof *ret->value);
    ret->node = ec_arena_alloc(&ret->arena, n * sizeof *ret->node);
    EC_PASS(ec_allocated(list && check && ret->made && ret->value && ret->node, err));
    n_given = given(g, list, ret->made);
    EC_PASS(name_all(g, list, n_given, false, ret, err));
    if (!all_differ(g, ret, check))
        EC_PASS(name_all(g, list, n_given, true, ret, err));
    return EC_OK;
}

/* --- values --- */

/* The batch is written as "N" where an input has it first, so that a reader may choose another. */
static void write_type(struct ec_json *j, const struct ec_graph *g, const struct ec_value *v)
{
    int i;

    ec_json_open(j, "shape", '[');
    for (i = 0; i < v->type.shape.rank; i++)
        if (i == 0 && v->kind == EC_V_INPUT && v->type.shape.d[0] == g->batch)
            ec_json_str(j, NULL, "N");
        else
            ec_json_int(j, NULL, v->type.shape.d[i]);
    ec_json_close(j, ']');
    if (v->type.dtype != EC_DT_f32)
        ec_json_str(j, "dtype", ec_dtype_name(v->type.dtype));
}

static void write_number(struct ec_json *j, double v)
{
    if (isfinite(v))
        ec_json_num(j, NULL, v);
    else
        ec_json_str(j, NULL, isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

static void write_numbers(struct ec_json *j, const char *key, const double *v, int64_t n)
{
    int64_t i;

    ec_json_open(j, key, '[');
    for (i = 0; i < n; i++)
        write_number(j, v[i]);
    ec_json_close(j, ']');
}

static void write_contents(struct ec_json *j, const struct ec_contents *c)
{
    int n_arg;
    const char *rule = ec_contents_rule(c, &n_arg);

    if (rule)
        ec_json_str(j, "rule", rule);
    if (n_arg)
        write_numbers(j, "args", c->arg, n_arg);
    if (c->n)
        write_numbers(j, "values", c->v, c->n);
}

static void write_values(struct ec_json *j, const char *key, const struct ec_graph *g,
                         const struct ec__names *names, enum ec_value_kind kind)
{
    int i;

    ec_json_open(j, key, '[');
    for (i = 0; i < g->n_values; i++) {
        const struct ec_value *v = g->values[i];

        if (v->kind != kind || names->made[i])
            continue;
        ec_json_open(j, NULL, '{');
        ec_json_str(j, "name", names->value[i]);
        write_type(j, g, v);
        if (kind == EC_V_PARAM && !v->trainable)
            ec_json_bool(j, "trainable", false);
        if (kind == EC_V_CONST)
            write_contents(j, &v->contents);
        ec_json_close(j, '}');
    }
    ec_json_close(j, ']');
}

/* --- nodes --- */

static void write_ints(struct ec_json *j, const struct ec_field *f, const struct ec_ints *v)
{
    int i;

    if (v->n < 0) {
        ec_json_str(j, f->name, f->choices[-1 - v->n]);
        return;
    }
    ec_json_open(j, f->name, '[');
    for (i = 0; i < v->n; i++)
        ec_json_int(j, NULL, v->v[i]);
    ec_json_close(j, ']');
}

static void write_attr(struct ec_json *j, const struct ec_field *f, const void *attrs,
                       struct ec_buf *text)
{
    const char *at = (const char *)attrs + f->offset;

    switch (f->type) {
    case EC_F_BOOL:
        ec_json_bool(j, f->name, *(const bool *)at);
        return;
    case EC_F_INT:
        ec_json_int(j, f->name, *(const int64_t *)(const void *)at);
        return;
    case EC_F_DOUBLE:
        ec_json_num(j, f->name, *(const double *)(const void *)at);
        return;
    case EC_F_INTS:
        write_ints(j, f, (const struct ec_ints *)(const void *)at);
        return;
    default:
        ec_buf_reset(text);
        ec_field_print(f, attrs, text);
        ec_json_str(j, f->name, ec_buf_text(text));
        if (text->st)
            j->out->st = text->st;
    }
}

static void write_attrs(struct ec_json *j, const struct ec_node *n)
{
    struct ec_buf text = EC_BUF_INIT;
    const struct ec_field *f;
    bool open = false;

    for (f = n->op->fields; f && f->name; f++) {
        if (ec_field_is_default(f, n->attrs))
            continue;
        if (!open)
            ec_json_open(j, "attrs", '{');
        open = true;
        write_attr(j, f, n->attrs, &text);
    }
    if (open)
        ec_json_close(j, '}');
    ec_buf_clear(&text);
}

/* Parameters that are another's; null for a weight that is computed. */
static void write_shared(struct ec_json *j, const struct ec_graph *g, const struct ec_node *n,
                         const struct ec__names *names)
{
    struct ec_param_list roles;
    bool open = false;
    int k;

    roles_of(n, &roles);
    for (k = 0; k < n->n_param; k++) {
        const struct ec_type own = { roles.p[k].shape, EC_DT_f32 };
        bool none = is_own(n, k) && ec_type_elems(&own) > 0 &&
                    ec_type_elems(&g->values[n->param[k]]->type) == 0;

        if (is_own(n, k) && !none)
            continue;
        if (!open)
            ec_json_open(j, "share", '{');
        open = true;
        ec_json_str(j, roles.p[k].role, none ? NULL : names->value[n->param[k]]);
    }
    if (open)
        ec_json_close(j, '}');
}

/* Whether the node has parameters of its own that others of its kind train, and trains none. */
static bool is_frozen(const struct ec_graph *g, const struct ec_node *n)
{
    struct ec_param_list roles;
    bool frozen = false;
    int k;

    roles_of(n, &roles);
    for (k = 0; k < n->n_param; k++) {
        const struct ec_value *v = g->values[n->param[k]];

        if (!is_own(n, k) || !roles.p[k].trainable || ec_type_elems(&v->type) <= 0)
            continue;
        if (v->trainable)
            return false;
        frozen = true;
    }
    return frozen;
}

static void write_node(struct ec_json *j, const struct ec_graph *g, const struct ec_node *n,
                       const struct ec__names *names)
{
    int i;

    ec_json_open(j, NULL, '{');
    ec_json_str(j, "name", names->node[n->id]);
    ec_json_str(j, "op", n->op->name);
    ec_json_open(j, "in", '[');
    for (i = 0; i < n->n_in; i++)
        ec_json_str(j, NULL, names->value[n->in[i]]);
    ec_json_close(j, ']');
    write_attrs(j, n);
    write_shared(j, g, n, names);
    if (is_frozen(g, n))
        ec_json_bool(j, "trainable", false);
    if (n->begins_block)
        ec_json_bool(j, "begins_block", true);
    if (n->origin)
        ec_json_str(j, "origin", n->origin);
    ec_json_close(j, '}');
}

/* One for each output; the first counts 1. Left out where further ones count nothing. */
static void write_loss_weights(struct ec_json *j, const struct ec_graph *g)
{
    bool any = false;
    int i;

    for (i = 1; i < g->n_outputs; i++)
        any |= g->values[g->outputs[i]]->loss_weight > 0;
    if (!any)
        return;
    ec_json_open(j, "loss_weights", '[');
    for (i = 0; i < g->n_outputs; i++)
        ec_json_num(j, NULL, i ? g->values[g->outputs[i]]->loss_weight : 1);
    ec_json_close(j, ']');
}

static void write_graph(struct ec_json *j, const struct ec_graph *g, const struct ec__names *names)
{
    int i;

    ec_json_open(j, NULL, '{');
    ec_json_str(j, "schema", "epochcast.graph/1");
    ec_json_str(j, "name", g->name);
    ec_json_int(j, "batch", g->batch);
    if (g->task)
        ec_json_str(j, "task", g->task);
    if (g->precision)
        ec_json_str(j, "precision", g->precision);
    if (g->restored_norms)
        ec_json_bool(j, "restored_norms", true);
    ec_json_strs(j, "notes", g->notes.v, g->notes.n);
    write_values(j, "inputs", g, names, EC_V_INPUT);
    write_values(j, "params", g, names, EC_V_PARAM);
    write_values(j, "consts", g, names, EC_V_CONST);
    ec_json_open(j, "nodes", '[');
    for (i = 0; i < g->n_nodes; i++)
        write_node(j, g, g->nodes[i], names);
    ec_json_close(j, ']');
    ec_json_open(j, "outputs", '[');
    for (i = 0; i < g->n_outputs; i++)
        ec_json_str(j, NULL, names->value[g->outputs[i]]);
    ec_json_close(j, ']');
    write_loss_weights(j, g);
    ec_json_close(j, '}');
}

enum ec_status ec_graph_to_json(const struct ec_graph *g, struct ec_buf *out, struct ec_err *err)
{
    struct ec__names names = { 0 };
    struct ec_json j;
    enum ec_status st;

    EC_TRY(ec__names_make(g, &names, err));
    ec_json_begin(&j, out, 1);
    write_graph(&j, g, &names);
    EC_TRY(ec_buf_status(out, err));
out:
    ec_arena_clear(&names.arena);
    return st;
}
