/* Minimal ONNX from a graph: no weights, parameters are graph inputs. For operators that have a
 * direct counterpart, or one of two or three nodes; others are refused by name. */
#include "graph/onnx_write_internal.h"

/* Version of the operators, and that of the format in which it came. */
static const struct {
    int opset, ir;
} plain = { 17, 8 }, recent = { 23, 11 };

/* Operators that came with the recent version. */
static bool is_recent(const struct ec_graph *g)
{
    int i;

    for (i = 0; i < g->n_nodes; i++)
        if (ec_str_eq(g->nodes[i]->op->name, "rms_norm") ||
            ec_str_eq(g->nodes[i]->op->name, "attention"))
            return true;
    return false;
}

enum { MODEL_IR = 1, MODEL_PRODUCER = 2, MODEL_GRAPH = 7, MODEL_OPSET = 8 };

static enum ec_status write_node(struct onnx_writer *w, const struct ec_node *n, struct ec_err *err)
{
    const struct onnx_row *row = ec__onnx_rows;
    const char *name = n->op->name;
    ec__onnx_write_fn *write = ec__onnx_written(name, &w->onnx);

    while (!write && row->op && !ec_str_eq(row->op, name))
        row++;
    if (!write && !row->op)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "%s \"%.80s\" has no counterpart in ONNX that we write", name, n->name);
    if (!write)
        w->onnx = row->onnx;
    w->n = n;
    w->err = err;
    return ec_within(err, write ? write(w) : row->write(w), "%s \"%.80s\": ", name, n->name);
}

static bool is_read(const struct ec_graph *g, int value)
{
    int i, k;

    for (i = 0; i < g->n_outputs; i++)
        if (g->outputs[i] == value)
            return true;
    for (i = g->values[value]->producer + 1; i < g->n_nodes; i++)
        for (k = 0; k < g->nodes[i]->n_in; k++)
            if (g->nodes[i]->in[k] == value)
                return true;
    return false;
}

/* A reader of ONNX may leave out what nothing depends on: standardised weights, which have no place
 * in a graph whose operators own their weights. */
static enum ec_status every_node_is_read(const struct ec_graph *g, struct ec_err *err)
{
    int i, k;

    for (i = 0; i < g->n_nodes; i++) {
        const struct ec_node *n = g->nodes[i];

        for (k = 0; k < n->n_out && !is_read(g, n->out[k]); k++)
            ;
        if (k == n->n_out)
            return ec_fail(err, EC_E_UNSUPPORTED,
                           "%s \"%.80s\", whose result nothing reads, has no counterpart in ONNX",
                           n->op->name, n->name);
    }
    return EC_OK;
}

static void put_values(struct onnx_writer *w)
{
    static const enum ec_value_kind order[] = { EC_V_INPUT, EC_V_PARAM, EC_V_CONST };
    int pass, i;

    for (pass = 0; pass < EC_LEN(order); pass++) /* what the user feeds comes first */
        for (i = 0; i < w->g->n_values; i++) {
            const struct ec_value *v = w->g->values[i];

            if (v->kind == order[pass] && ec_type_elems(&v->type) > 0)
                ec__ow_put_info(&w->graph, GRAPH_INPUT, w->g, v, w->names.value[i]);
        }
    for (i = 0; i < w->g->n_outputs; i++)
        ec__ow_put_info(&w->graph, GRAPH_OUTPUT, w->g, w->g->values[w->g->outputs[i]],
                        w->names.value[w->g->outputs[i]]);
}

static void put_model(struct onnx_writer *w, struct ec_buf *out)
{
    struct ec_buf opset = EC_BUF_INIT;
    bool is_new = is_recent(w->g);

    ec_buf_join(&w->graph, &w->tensors);
    ec__wire_put_str(&opset, 1, "");
    ec__wire_put_int(&opset, 2, is_new ? recent.opset : plain.opset);
    ec__wire_put_int(out, MODEL_IR, is_new ? recent.ir : plain.ir);
    ec__wire_put_str(out, MODEL_PRODUCER, "epochcast");
    ec__wire_put_msg(out, MODEL_GRAPH, &w->graph);
    ec__wire_put_msg(out, MODEL_OPSET, &opset);
    ec_buf_clear(&opset);
}

static bool is_fixed(const struct onnx_writer *w, const struct ec_value *v)
{
    return v->kind == EC_V_PARAM && !v->trainable && !w->names.made[v->id];
}

/* Constants have no contents here: their name says to the reader that they are no parameters. So
 * are weights that stay as they are. */
static enum ec_status name_constants(struct onnx_writer *w, struct ec_err *err)
{
    int i;

    for (i = 0; i < w->g->n_values; i++) {
        const char **name = &w->names.value[i];

        if (w->g->values[i]->kind != EC_V_CONST && !is_fixed(w, w->g->values[i]))
            continue;
        *name = ec_arena_printf(&w->names.arena, "constant/%s", *name);
        EC_PASS(ec_allocated(*name, err));
    }
    return EC_OK;
}

enum ec_status ec_graph_to_onnx(const struct ec_graph *g, struct ec_buf *out, struct ec_err *err)
{
    struct onnx_writer w = { .g = g };
    enum ec_status st;
    int i;

    EC_TRY(every_node_is_read(g, err));
    EC_TRY(ec__names_make(g, &w.names, err));
    EC_TRY(name_constants(&w, err));
    for (i = 0; i < g->n_nodes; i++)
        EC_TRY(write_node(&w, g->nodes[i], err));
    put_values(&w);
    ec__wire_put_str(&w.graph, GRAPH_NAME, g->name);
    put_model(&w, out);
    EC_TRY(ec_buf_status(out, err));
out:
    ec_buf_clear(&w.graph);
    ec_buf_clear(&w.tensors);
    ec_buf_clear(&w.attrs);
    ec_arena_clear(&w.names.arena);
    return st;
}
