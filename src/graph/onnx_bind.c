/* Weights of ONNX layers: which parameter of ours each is, and which are shared. */
#include "graph/onnx_internal.h"

#include <string.h>

static enum ec_status rename_value(struct onnx_conv *c, int gv, struct ec_span name)
{
    char text[160];
    const char *kept;

    ec__onnx_clean(name, text, sizeof text);
    kept = ec_arena_str(&c->g->arena, text);
    EC_PASS(ec_allocated(kept, c->err));
    c->g->values[gv]->name = kept;
    return EC_OK;
}

/* The weight is not a parameter but computed: the layer has none of its own there. */
static void no_own_param(struct ec_value *own)
{
    own->type.shape = (struct ec_shape){ 1, { 0 } };
    own->trainable = own->requires_grad = false;
}

#define SAMPLES 61

/* The transposed copy of an embedding table that constant folding makes of a tied output layer:
 * recognised by its name, its dimensions and a sample of its elements. */
static bool is_transposed_copy(const struct onnx_tensor *w, const struct onnx_tensor *table)
{
    int64_t rows = table->type.shape.d[0], cols = table->type.shape.d[1], i;
    size_t bytes = (size_t)ec_dtype_bytes(w->type.dtype), n = (size_t)(rows * cols) * bytes;

    if (w->type.dtype != table->type.dtype || w->type.shape.rank != 2 ||
        table->type.shape.rank != 2 || w->type.shape.d[0] != cols || w->type.shape.d[1] != rows ||
        rows * cols == 0 || w->raw.len != n || table->raw.len != n)
        return false;
    for (i = 0; i < SAMPLES; i++) {
        int64_t r = i * 7919 % rows, c = i * 104729 % cols;

        if (memcmp(table->raw.p + (size_t)(r * cols + c) * bytes,
                   w->raw.p + (size_t)(c * rows + r) * bytes, bytes) != 0)
            return false;
    }
    return true;
}

static bool is_copy_of_table(const struct onnx_conv *c, int root, int *ret_table)
{
    const struct onnx_model *m = c->m;
    int tensor = m->values[root].tensor, i;

    if (tensor < 0 || !ec__onnx_generated_name(m->values[root].name))
        return false;
    for (i = 0; i < c->n_tables; i++) {
        int table = m->values[c->tables[i]].tensor;

        if (table >= 0 && is_transposed_copy(&m->tensors[tensor], &m->tensors[table])) {
            *ret_table = c->tables[i];
            return true;
        }
    }
    return false;
}

enum ec_status ec__onnx_bind(struct onnx_conv *c, int slot, int p)
{
    struct ec_node *node = c->made;
    int value = ec__onnx_in(c->n, slot), root, table = -1;
    const struct ec_value *own;
    struct ec_type t;

    if (value < 0 || p >= node->n_param)
        return EC_OK;
    root = c->val[value].param >= 0          ? c->val[value].param
           : c->m->values[value].tensor >= 0 ? value
                                             : -1;
    if (root < 0) {
        no_own_param(c->g->values[node->param[p]]);
        return EC_OK;
    }
    if (c->val[root].param >= 0 && c->val[root].gv >= 0) {
        c->n_shared++;
        c->shared_elems += ec_type_elems(&c->g->values[node->param[p]]->type);
        return ec_graph_tie(c->g, node, p, c->val[root].gv, c->err);
    }
    if (is_copy_of_table(c, root, &table))
        return ec_graph_tie(c->g, node, p, c->val[table].gv, c->err);
    own = c->g->values[node->param[p]];
    if (ec__onnx_param_type(c, root, &t) && ec_type_elems(&t) != ec_type_elems(&own->type))
        return ec_fail(c->err, EC_E_SHAPE, "weight \"%.*s\" has %.0f elements, expected %.0f",
                       c->m->values[root].name.len > 80 ? 80 : (int)c->m->values[root].name.len,
                       c->m->values[root].name.p, ec_type_elems(&t), ec_type_elems(&own->type));
    c->val[root].param = root;
    c->val[root].gv = node->param[p];
    if (ec_str_eq(node->op->name, "embedding") && c->n_tables < EC_LEN(c->tables))
        c->tables[c->n_tables++] = root;
    return rename_value(c, node->param[p], c->m->values[root].name);
}
