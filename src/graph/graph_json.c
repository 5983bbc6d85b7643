/* Reading a graph from JSON. Format: docs/graph-json.md */
#include "graph/files_internal.h"

#include <math.h>
#include <string.h>

#define NAME_MAX_BYTES 200

/* Names met so far, in a hash table: open addressing, value -1 is empty. */
struct entry {
    const char *name;
    int value;
};

struct reader {
    struct ec_graph *g;
    struct ec_arena *a;
    int64_t batch;
    bool names_batch; /* an "N" was read */
    struct entry *table;
    int mask, n;
};

static enum ec_status wrong(struct ec_err *err, const char *where, const char *key,
                            const char *expected)
{
    return ec_fail(err, EC_E_PARSE, "%s: \"%s\" is missing or not %s", where, key, expected);
}

static enum ec_status text_of(const struct ec_jval *obj, const char *where, const char *key,
                              const char **ret, struct ec_err *err)
{
    const struct ec_jval *v = obj->type == EC_J_OBJECT ? ec_json_get(obj, key) : NULL;

    if (!v || v->type != EC_J_STR || !v->str[0] || strlen(v->str) > NAME_MAX_BYTES)
        return wrong(err, where, key, "a text of at most 200 characters");
    *ret = v->str;
    return EC_OK;
}

/* --- names --- */

static int *slot_of(struct reader *r, const char *name)
{
    int at = (int)(ec_hash(name, strlen(name)) & (uint64_t)r->mask);

    while (r->table[at].name && !ec_str_eq(r->table[at].name, name))
        at = (at + 1) & r->mask;
    if (!r->table[at].name) {
        r->table[at].name = name;
        r->table[at].value = -1;
    }
    return &r->table[at].value;
}

static enum ec_status grow_table(struct reader *r, struct ec_err *err)
{
    int old_size = r->table ? r->mask + 1 : 0, size = old_size ? old_size * 2 : 64, i;
    struct entry *old = r->table;

    r->table = ec_arena_alloc(r->a, (size_t)size * sizeof *r->table);
    EC_PASS(ec_allocated(r->table, err));
    r->mask = size - 1;
    for (i = 0; i < old_size; i++)
        if (old[i].name)
            *slot_of(r, old[i].name) = old[i].value;
    return EC_OK;
}

static enum ec_status define(struct reader *r, const char *name, int value, struct ec_err *err)
{
    int *slot;

    if (!r->table || r->n * 2 > r->mask)
        EC_PASS(grow_table(r, err));
    slot = slot_of(r, name);
    if (*slot >= 0)
        return ec_fail(err, EC_E_PARSE, "the name \"%.80s\" is given twice", name);
    *slot = value;
    r->n++;
    return EC_OK;
}

static enum ec_status look_up(struct reader *r, const char *where, const struct ec_jval *v,
                              int *ret, struct ec_err *err)
{
    int at;

    if (v->type != EC_J_STR)
        return ec_fail(err, EC_E_PARSE, "%s: expected the name of a value", where);
    at = (int)(ec_hash(v->str, strlen(v->str)) & (uint64_t)r->mask);
    while (r->table && r->table[at].name && !ec_str_eq(r->table[at].name, v->str))
        at = (at + 1) & r->mask;
    if (!r->table || !r->table[at].name)
        return ec_fail(err, EC_E_PARSE, "%s: \"%.80s\" is not defined before", where, v->str);
    *ret = r->table[at].value;
    return EC_OK;
}

/* --- values --- */

/* A dimension: a whole number, or "N" for the batch. */
static bool dim_of(struct reader *r, const struct ec_jval *v, int64_t *ret)
{
    if (v->type == EC_J_STR && ec_str_eq(v->str, "N")) {
        *ret = r->batch;
        return r->names_batch = true;
    }
    *ret = v->i;
    return v->type == EC_J_NUM && v->is_int;
}

static enum ec_status read_shape(struct reader *r, const struct ec_jval *obj, const char *where,
                                 struct ec_shape *ret, struct ec_err *err)
{
    const struct ec_jval *list = ec_json_get(obj, "shape"), *d;
    int64_t n = 0;

    ret->rank = 0;
    if (!list || list->type != EC_J_ARRAY || list->n > EC_RANK_MAX)
        return wrong(err, where, "shape", "a list of at most 8 dimensions");
    for (d = list->child; d; d = d->next) {
        if (!dim_of(r, d, &n) || n < 0)
            return wrong(err, where, "shape", "a list of whole numbers and \"N\"");
        ret->d[ret->rank++] = n;
    }
    if (!ec_shape_count(ret, &n))
        return ec_fail(err, EC_E_SHAPE, "%s: the shape is too large", where);
    return EC_OK;
}

static enum ec_status read_dtype(const struct ec_jval *obj, const char *where, enum ec_dtype *ret,
                                 struct ec_err *err)
{
    const struct ec_jval *v = ec_json_get(obj, "dtype");

    *ret = EC_DT_f32;
    if (v && (v->type != EC_J_STR || !ec_dtype_parse(ec_span_of(v->str), ret)))
        return wrong(err, where, "dtype", "an element type");
    return EC_OK;
}

/* A number, or one that JSON has no form for. */
static bool number_of(const struct ec_jval *v, double *ret)
{
    static const struct {
        const char *word;
        double v;
    } words[] = {
        {"inf",   (double)INFINITY },
        { "-inf", -(double)INFINITY},
        { "nan",  (double)NAN      }
    };
    int i;

    *ret = v->num;
    for (i = 0; v->type == EC_J_STR && i < EC_LEN(words); i++)
        if (ec_str_eq(v->str, words[i].word)) {
            *ret = words[i].v;
            return true;
        }
    return v->type == EC_J_NUM;
}

static enum ec_status numbers_of(struct reader *r, const struct ec_jval *list, const char *name,
                                 const char *key, double **ret, struct ec_err *err)
{
    const struct ec_jval *v;
    int n = 0;

    if (list->type != EC_J_ARRAY)
        return wrong(err, name, key, "a list of numbers");
    *ret = ec_arena_alloc(r->a, sizeof **ret * (size_t)(list->n + 1));
    EC_PASS(ec_allocated(*ret, err));
    for (v = list->child; v; v = v->next)
        if (!number_of(v, &(*ret)[n++]))
            return wrong(err, name, key, "a list of numbers");
    return EC_OK;
}

static enum ec_status read_contents(struct reader *r, const struct ec_jval *obj, const char *name,
                                    int id, struct ec_err *err)
{
    const struct ec_jval *values = ec_json_get(obj, "values"), *rule = ec_json_get(obj, "rule"),
                         *args = ec_json_get(obj, "args");
    double *v = NULL;

    if (values) {
        EC_PASS(numbers_of(r, values, name, "values", &v, err));
        return ec_graph_const_values(r->g, id, v, values->n, err);
    }
    if (!rule)
        return EC_OK;
    if (rule->type != EC_J_STR)
        return wrong(err, name, "rule", "a text");
    if (args)
        EC_PASS(numbers_of(r, args, name, "args", &v, err));
    return ec_graph_const_rule(r->g, id, rule->str, v, args ? args->n : 0, err);
    return EC_OK;
}

static enum ec_status read_value(struct reader *r, const struct ec_jval *obj, const char *key,
                                 enum ec_value_kind kind, struct ec_err *err)
{
    const struct ec_jval *trains = obj->type == EC_J_OBJECT ? ec_json_get(obj, "trainable") : NULL;
    struct ec_type t = { { 0 }, EC_DT_f32 };
    const char *name = NULL;
    int id = -1;

    EC_PASS(text_of(obj, key, "name", &name, err));
    EC_PASS(read_shape(r, obj, name, &t.shape, err));
    EC_PASS(read_dtype(obj, name, &t.dtype, err));
    if (kind == EC_V_INPUT)
        EC_PASS(ec_graph_add_input(r->g, name, &t, &id, err));
    else if (kind == EC_V_PARAM)
        EC_PASS(ec_graph_add_param(r->g, name, &t, !trains || trains->b, &id, err));
    else
        EC_PASS(ec_graph_add_const(r->g, name, &t, &id, err));
    if (kind == EC_V_CONST)
        EC_PASS(read_contents(r, obj, name, id, err));
    return define(r, name, id, err);
}

static enum ec_status read_values(struct reader *r, const struct ec_jval *root, const char *key,
                                  enum ec_value_kind kind, struct ec_err *err)
{
    const struct ec_jval *list = ec_json_get(root, key), *v;

    if (list && list->type != EC_J_ARRAY)
        return wrong(err, "graph", key, "a list");
    for (v = list ? list->child : NULL; v; v = v->next)
        EC_PASS(read_value(r, v, key, kind, err));
    return EC_OK;
}

/* --- nodes --- */

static bool attr_text(struct reader *r, const struct ec_jval *v, struct ec_buf *out)
{
    const struct ec_jval *e;
    int64_t n = 0;

    switch (v->type) {
    case EC_J_BOOL:
        ec_buf_char(out, v->b ? '1' : '0');
        return true;
    case EC_J_STR:
        ec_buf_str(out, v->str);
        return true;
    case EC_J_NUM:
        if (v->is_int)
            ec_buf_printf(out, "%lld", (long long)v->i);
        else
            ec_buf_printf(out, "%.17g", v->num);
        return true;
    case EC_J_ARRAY:
        for (e = v->child; e; e = e->next) {
            if (!dim_of(r, e, &n))
                return false;
            ec_buf_printf(out, "%s%lld", e == v->child ? "" : ",", (long long)n);
        }
        return true;
    default:
        return false;
    }
}

static enum ec_status read_attr(struct reader *r, const struct ec_op *op, void *attrs,
                                const struct ec_jval *v, struct ec_err *err)
{
    const struct ec_field *f = ec_field_find(op->fields, ec_span_of(v->key));
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    if (!f)
        return ec_fail(err, EC_E_INPUT, "%s has no attribute \"%.80s\"", op->name, v->key);
    text.max_bytes = 4096;
    if (!attr_text(r, v, &text))
        EC_TRY(ec_fail(err, EC_E_PARSE,
                       "attribute \"%s\": expected a number, a text, true, false or a list of "
                       "whole numbers and \"N\"",
                       v->key));
    EC_TRY(ec_buf_status(&text, err));
    EC_TRY(ec_field_set(f, attrs, ec_span_of(ec_buf_text(&text)), &r->g->arena, err));
out:
    ec_buf_clear(&text);
    return st;
}

static enum ec_status read_attrs(struct reader *r, const struct ec_op *op,
                                 const struct ec_jval *obj, void **ret, struct ec_err *err)
{
    const struct ec_jval *list = ec_json_get(obj, "attrs"), *v;

    EC_PASS(ec_attrs_parse(op, (struct ec_span){ NULL, 0 }, &r->g->arena, ret, err));
    if (list && list->type != EC_J_OBJECT)
        return wrong(err, op->name, "attrs", "an object");
    for (v = list ? list->child : NULL; v; v = v->next)
        EC_PASS(read_attr(r, op, *ret, v, err));
    return EC_OK;
}

static enum ec_status read_in(struct reader *r, const struct ec_jval *obj, const char *name,
                              int **ret, int *ret_n, struct ec_err *err)
{
    const struct ec_jval *list = ec_json_get(obj, "in"), *v;
    int n = 0, *in;

    if (!list || list->type != EC_J_ARRAY || !list->n)
        return wrong(err, name, "in", "a list of names");
    in = ec_arena_alloc(r->a, (size_t)list->n * sizeof *in);
    EC_PASS(ec_allocated(in, err));
    for (v = list->child; v; v = v->next)
        EC_PASS(look_up(r, name, v, &in[n++], err));
    *ret = in;
    *ret_n = n;
    return EC_OK;
}

/* "share": {role: name of a parameter, or null for none}. */
static enum ec_status read_shared(struct reader *r, const struct ec_jval *obj, struct ec_node *n,
                                  const struct ec_param_list *roles, struct ec_err *err)
{
    const struct ec_jval *list = ec_json_get(obj, "share"), *v;
    int k, id = -1;

    if (list && list->type != EC_J_OBJECT)
        return wrong(err, n->name, "share", "an object");
    for (v = list ? list->child : NULL; v; v = v->next) {
        for (k = 0; k < roles->n && !ec_str_eq(roles->p[k].role, v->key); k++)
            ;
        if (k == roles->n)
            return ec_fail(err, EC_E_INPUT, "%s: %s has no parameter \"%.80s\"", n->name,
                           n->op->name, v->key);
        if (v->type == EC_J_NULL) {
            EC_PASS(ec_graph_omit(r->g, n, k, err));
            continue;
        }
        EC_PASS(look_up(r, n->name, v, &id, err));
        EC_PASS(ec_graph_tie(r->g, n, k, id, err));
    }
    return EC_OK;
}

static enum ec_status define_node(struct reader *r, const struct ec_node *n,
                                  const struct ec_param_list *roles, struct ec_err *err)
{
    const char *name;
    int k;

    EC_PASS(define(r, n->name, n->out[0], err));
    for (k = 1; k < n->n_out; k++) {
        name = ec_arena_printf(r->a, "%s:%d", n->name, k);
        EC_PASS(ec_allocated(name, err));
        EC_PASS(define(r, name, n->out[k], err));
    }
    for (k = 0; k < roles->n; k++) {
        name = ec_arena_printf(r->a, "%s.%s", n->name, roles->p[k].role);
        EC_PASS(ec_allocated(name, err));
        EC_PASS(define(r, name, n->param[k], err));
    }
    return EC_OK;
}

static enum ec_status read_node(struct reader *r, const struct ec_jval *obj, struct ec_err *err)
{
    const struct ec_jval *origin, *block, *trains = NULL;
    int first_value = r->g->n_values;
    struct ec_param_list roles;
    struct ec_node *n = NULL;
    const struct ec_op *op;
    const char *name = NULL, *op_name = NULL;
    struct ec_case c;
    void *attrs = NULL;
    int *in = NULL, n_in = 0;

    EC_PASS(text_of(obj, "node", "name", &name, err));
    EC_PASS(text_of(obj, name, "op", &op_name, err));
    op = ec_op_find(ec_span_of(op_name));
    if (!op)
        return ec_fail(err, EC_E_NOT_FOUND, "%s: no operator \"%.80s\"", name, op_name);
    EC_PASS(read_attrs(r, op, obj, &attrs, err));
    EC_PASS(read_in(r, obj, name, &in, &n_in, err));
    EC_PASS(ec_graph_add_node(r->g, name, op, attrs, in, n_in, &n, err));
    roles.n = 0;
    c = ec_node_case(n);
    if (n->n_param)
        op->params(&c, &roles);
    EC_PASS(define_node(r, n, &roles, err));
    EC_PASS(read_shared(r, obj, n, &roles, err));
    trains = ec_json_get(obj, "trainable");
    if (trains && trains->type == EC_J_BOOL && !trains->b)
        ec_graph_freeze(r->g, first_value, n->id);
    block = ec_json_get(obj, "begins_block");
    n->begins_block = block && block->b;
    origin = ec_json_get(obj, "origin");
    if (origin && origin->type == EC_J_STR)
        n->origin = ec_arena_str(&r->g->arena, origin->str);
    r->g->n_unknown += ec_str_eq(op->name, "opaque");
    return EC_OK;
}

/* --- the whole --- */

static enum ec_status read_head(struct reader *r, const struct ec_jval *root,
                                const struct ec_graph_opts *opts, struct ec_err *err)
{
    const struct ec_jval *batch = ec_json_get(root, "batch"), *name = ec_json_get(root, "name");
    const struct ec_jval *task = ec_json_get(root, "task");
    const struct ec_jval *restored = ec_json_get(root, "restored_norms");
    const struct ec_jval *precision = ec_json_get(root, "precision");
    int i = -1;

    if (precision && precision->type == EC_J_STR)
        i = ec_name_index(ec_precision_names, EC_PRECISION_COUNT, precision->str);
    if (precision && i != EC_FP32 && i != EC_FP16 && i != EC_BF16)
        return wrong(err, "graph", "precision", "fp32, fp16 or bf16");
    if (batch && (batch->type != EC_J_NUM || !batch->is_int || batch->i < 1))
        return wrong(err, "graph", "batch", "a whole number of at least 1");
    r->batch = batch ? batch->i : 1;
    if (opts && opts->batch > 0)
        r->batch = opts->batch;
    r->g = ec_graph_new(name && name->type == EC_J_STR ? name->str : "graph");
    EC_PASS(ec_allocated(r->g, err));
    r->g->source = "json";
    r->g->batch = r->batch;
    r->g->restored_norms = restored && restored->b;
    r->g->precision = precision ? ec_precision_names[i] : NULL;
    if (task && task->type == EC_J_STR) {
        r->g->task = ec_arena_str(&r->g->arena, task->str);
        EC_PASS(ec_allocated(r->g->task, err));
    }
    return EC_OK;
}

static enum ec_status read_loss_weights(struct ec_graph *g, const struct ec_jval *list,
                                        struct ec_err *err)
{
    const struct ec_jval *v;
    int i = 0;

    if (list && (list->type != EC_J_ARRAY || list->n > g->n_outputs))
        return wrong(err, "graph", "loss_weights", "a list of a number for each output");
    for (v = list ? list->child : NULL; v; v = v->next, i++) {
        if (v->type != EC_J_NUM || !(v->num >= 0 && v->num <= 1e6))
            return wrong(err, "graph", "loss_weights", "numbers from 0 to 1e6");
        g->values[g->outputs[i]]->loss_weight = i ? v->num : 0;
    }
    return EC_OK;
}

static enum ec_status read_tail(struct reader *r, const struct ec_jval *root, struct ec_err *err)
{
    const struct ec_jval *outputs = ec_json_get(root, "outputs"), *v;
    const struct ec_jval *notes = ec_json_get(root, "notes");
    int id = -1;

    if (!outputs || outputs->type != EC_J_ARRAY)
        return wrong(err, "graph", "outputs", "a list of names");
    for (v = outputs->child; v; v = v->next) {
        EC_PASS(look_up(r, "outputs", v, &id, err));
        EC_PASS(ec_graph_add_output(r->g, id, err));
    }
    EC_PASS(read_loss_weights(r->g, ec_json_get(root, "loss_weights"), err));
    for (v = notes && notes->type == EC_J_ARRAY ? notes->child : NULL; v; v = v->next)
        if (v->type == EC_J_STR)
            EC_PASS(ec_graph_note(r->g, err, "%s", v->str));
    return EC_OK;
}

static enum ec_status read_graph(struct reader *r, const struct ec_jval *root,
                                 const struct ec_graph_opts *opts, struct ec_err *err)
{
    const struct ec_jval *schema = ec_json_get(root, "schema"), *batch, *nodes, *v;

    if (!schema || schema->type != EC_J_STR || !ec_str_eq(schema->str, "epochcast.graph/1"))
        return ec_fail(
            err, EC_E_PARSE,
            "neither \"schema\": \"epochcast.graph/1\" nor a list of \"layers\" nor "
            "\"model_type\", as in a config.json of Hugging Face, nor \"class_name\", as "
            "in a model of Keras; settings of training tools are read by epochcast predict "
            "MODEL --job FILE");
    EC_PASS(read_head(r, root, opts, err));
    EC_PASS(read_values(r, root, "inputs", EC_V_INPUT, err));
    EC_PASS(read_values(r, root, "params", EC_V_PARAM, err));
    EC_PASS(read_values(r, root, "consts", EC_V_CONST, err));
    nodes = ec_json_get(root, "nodes");
    if (!nodes || nodes->type != EC_J_ARRAY)
        return wrong(err, "graph", "nodes", "a list");
    for (v = nodes->child; v; v = v->next)
        EC_PASS(read_node(r, v, err));
    EC_PASS(read_tail(r, root, err));
    batch = ec_json_get(root, "batch");
    if (batch && batch->i != r->batch && !r->names_batch)
        return ec_fail(err, EC_E_INPUT,
                       "the network is written for a batch of %lld only, found %lld: no \"N\" is "
                       "in its shapes",
                       (long long)batch->i, (long long)r->batch);
    return EC_OK;
}

enum ec_status ec_graph_from_json(const char *text, size_t len, const struct ec_graph_opts *opts,
                                  struct ec_graph **ret, struct ec_err *err)
{
    const struct ec_jval *root = NULL;
    struct ec_arena a = { 0 };
    struct reader r = { .a = &a };
    enum ec_status st;

    EC_TRY(ec_json_parse(text, len, &a, &root, err));
    if (root->type != EC_J_OBJECT)
        st = ec_fail(err, EC_E_PARSE, "a network is a JSON object");
    else if (ec_json_get(root, "model_type") && !ec_json_get(root, "schema"))
        st = ec__config_read(root, opts, &r.g, err);
    else if (ec_json_get(root, "class_name") && ec_json_get(root, "config"))
        st = ec__keras_read(root, opts, &r.g, err);
    else if (ec_json_get(root, "layers") && !ec_json_get(root, "schema"))
        st = ec__layers_read(root, opts, &r.g, err);
    else
        st = read_graph(&r, root, opts, err);
    if (st)
        goto out;
    *ret = r.g;
    r.g = NULL;
out:
    ec_graph_free(r.g);
    ec_arena_clear(&a);
    return st;
}
