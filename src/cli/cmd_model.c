/* epochcast model: counts the parameters, activations, operations and bytes of a network, layer by
 * layer. */
#include "cli/cli.h"

#include "cost/cost.h"
#include "report/report.h"

#include "model_cmd.h"
#include "cli_columns.h"

/* clang-format off */

/* The totals, for JSON and for the lines below the table: X(key, title, format, value of t). */
#define TOTAL_LIST(X)                                                                              \
    X(params, "parameters", EC_COL_THOUSANDS, t->params)                                           \
    X(buffers, "running statistics", EC_COL_THOUSANDS, t->buffers)                                 \
    X(mac, "MAC, forward", EC_COL_SI, t->phase[EC_FORWARD].mac)                                    \
    X(forward_flop, "FLOP, forward", EC_COL_SI, t->phase[EC_FORWARD].flop)                         \
    X(backward_flop, "FLOP, backward", EC_COL_SI, ec_totals_backward_flop(t))                      \
    X(update_flop, "FLOP, update", EC_COL_SI, t->phase[EC_UPDATE].flop)                            \
    X(training_flop, "FLOP, training step", EC_COL_SI, ec_totals_training_flop(t))                 \
    X(forward_bytes, "bytes, forward", EC_COL_BYTES, t->phase[EC_FORWARD].bytes)                   \
    X(backward_bytes, "bytes, backward", EC_COL_BYTES, backward_bytes(t))                          \
    X(update_bytes, "bytes, update", EC_COL_BYTES, t->phase[EC_UPDATE].bytes)                      \
    X(activation_bytes, "activations kept for backward", EC_COL_BYTES, t->saved_bytes)             \
    X(input_bytes, "input", EC_COL_BYTES, t->input_bytes)
/* clang-format on */

static double backward_bytes(const struct ec_totals *t)
{
    return t->phase[EC_GRAD_DATA].bytes + t->phase[EC_GRAD_WEIGHT].bytes;
}

static void add_layer(struct ec_table *t, const char *name, const char *op, const char *output,
                      const char *origin, const struct ec_totals *c)
{
    const struct ec_count *forward = &c->phase[EC_FORWARD];

    ec_table_row(t, ec_text(name), ec_text(op), ec_text(output), ec_num(c->params),
                 ec_num(forward->mac), ec_num(forward->flop), ec_num(ec_totals_backward_flop(c)),
                 ec_num(forward->bytes),
                 forward->bytes > 0 ? ec_num(forward->flop / forward->bytes) : ec_none(),
                 ec_num(c->saved_bytes), ec_num(backward_bytes(c)), ec_text(origin));
}

static void fill_table(struct ec_table *t, const struct ec_graph *g, const struct ec_layer *layers)
{
    char shape[128];
    int i;

    for (i = 0; i < g->n_nodes; i++) {
        const struct ec_node *n = layers[i].node;

        add_layer(t, n->name, n->op->name,
                  ec_shape_text(&n->out_type[0]->shape, shape, sizeof shape), n->origin,
                  &layers[i].t);
    }
    if (layers[i].t.phase[EC_FORWARD].bytes > 0)
        add_layer(t, "(loss)", "loss", NULL, NULL, &layers[i].t);
}

static void total_line(const char *title, enum ec_col_format format, double v, struct ec_buf *out)
{
    char text[48];

    if (format == EC_COL_THOUSANDS)
        (void)ec_fmt_thousands(text, sizeof text, (int64_t)v);
    else if (format == EC_COL_SI)
        (void)ec_fmt_si(text, sizeof text, v);
    else
        (void)ec_fmt_bytes(text, sizeof text, v);
    ec_buf_printf(out, "  %-30s %16s\n", title, text);
}

static void write_totals(const struct ec_graph *g, const struct ec_totals *t,
                         const struct model_opts *o, struct ec_buf *out)
{
    ec_buf_printf(out, "%s, batch %lld, %s, optimizer %s: %d layers\n", g->name,
                  (long long)g->batch, ec_precision_names[o->cond.precision],
                  ec_optimizer_names[o->cond.optimizer], g->n_nodes);
#define TOTAL_LINE(key, title, format, value) total_line(title, format, value, out);
    TOTAL_LIST(TOTAL_LINE)
#undef TOTAL_LINE
}

static void text_notes(struct ec_buf *out, const struct ec_strs *notes)
{
    int i;

    for (i = 0; i < notes->n; i++)
        ec_buf_printf(out, "  note: %s\n", notes->v[i]);
}

static enum ec_status write_json(const struct ec_graph *g, const struct ec_totals *t,
                                 const struct ec_table *layers, const struct model_opts *o,
                                 struct ec_buf *out, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    struct ec_json j;

    ec_json_document(&j, out, 2, "epochcast.model/1");
    ec_json_str(&j, "name", g->name);
    ec_json_str(&j, "source", g->source);
    ec_json_int(&j, "batch", g->batch);
    ec_json_str(&j, "precision", ec_precision_names[o->cond.precision]);
    ec_json_str(&j, "optimizer", ec_optimizer_names[o->cond.optimizer]);
    ec_json_int(&j, "unknown_operators", g->n_unknown);
    ec_json_open(&j, "totals", '{');
#define TOTAL_JSON(key, title, format, value) ec_json_num(&j, #key, value);
    TOTAL_LIST(TOTAL_JSON)
#undef TOTAL_JSON
    ec_json_close(&j, '}');
    ec_json_strs(&j, "notes", g->notes.v, g->notes.n);
    if (!o->totals)
        st = ec_table_json(layers, &j, "layers", err);
    ec_json_end(&j);
    return st;
}

static enum ec_status write_text(struct ec_call *call, const struct ec_graph *g,
                                 const struct ec_totals *t, const struct ec_table *layers,
                                 struct ec_err *err)
{
    const struct model_opts *o = call->opts;
    struct ec_buf *out = &call->out;

    if (!o->totals)
        EC_PASS(ec_call_table(call, NULL, layers, err));
    if (call->forms.csv)
        return EC_OK;
    ec_buf_str(out, o->totals ? "" : "\n");
    write_totals(g, t, o, out);
    text_notes(out, &g->notes);
    return EC_OK;
}

static enum ec_status show(struct ec_call *call, const struct ec_graph *g, struct ec_err *err)
{
    const struct model_opts *o = call->opts;
    struct ec_layer *layers = NULL;
    struct ec_totals totals = { 0 };
    enum ec_status st = EC_OK;
    struct ec_table t;

    ec_table_init(&t, model_cols, EC_LEN(model_cols));
    EC_TRY(ec_cost_graph(g, o->cond.optimizer,
                         ec_precision_word_bytes(ec_precision_names[o->cond.precision]), &totals,
                         &layers, err));
    fill_table(&t, g, layers);
    EC_TRY(call->forms.json ? write_json(g, &totals, &t, o, &call->out, err)
                            : write_text(call, g, &totals, &t, err));
out:
    ec_table_clear(&t);
    ec_free(layers);
    return st;
}

static enum ec_status write_network(const struct ec_graph *g, const char *path, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    st = ec_str_glob("*.onnx", path) ? ec_graph_to_onnx(g, &text, err)
                                     : ec_graph_to_json(g, &text, err);
    if (!st)
        st = ec_file_write(path, text.data, text.len, err);
    ec_buf_clear(&text);
    return st;
}

static enum ec_status list_table(struct ec_call *call, const char *const *names, int n,
                                 struct ec_err *err)
{
    static const struct ec_col col = { .key = "model", .title = "model" };
    struct ec_table t;
    int i;

    ec_table_init(&t, &col, 1);
    for (i = 0; i < n; i++)
        ec_table_text(&t, names[i]);
    return ec_call_last_table(call, NULL, &t, err);
}

static enum ec_status list(struct ec_call *call, struct ec_err *err)
{
    const char *const *names;
    struct ec_json j;
    int n, i;

    names = ec_zoo_names(&n);
    if (call->forms.csv || call->forms.markdown)
        return list_table(call, names, n, err);
    if (!call->forms.json) {
        for (i = 0; i < n; i++)
            ec_buf_printf(&call->out, "%s\n", names[i]);
        return EC_OK;
    }
    ec_json_document(&j, &call->out, 2, "epochcast.model_list/1");
    ec_json_strs(&j, "models", names, n);
    ec_json_end(&j);
    return EC_OK;
}

/* --- Checkpoints --- */

/* A config.json that is not known is a note, too. */
static enum ec_status compare(struct ec_weights *w, const struct model_opts *o, struct ec_err *err)
{
    struct ec_graph *g = NULL;
    struct ec_err why = { 0 };
    enum ec_status st;

    if (!w->config || !w->is_whole)
        return EC_OK;
    st = ec_graph_open(w->config, &o->graph, &g, &why) == EC_OK
             ? ec_weights_compare(w, g, err)
             : ec_strs_add(&w->notes, &w->arena, err, "%s", why.text);
    ec_graph_free(g);
    return st;
}

static void sum_group(struct ec_weights_group *sum, const struct ec_weights_group *g)
{
    sum->n += g->n;
    sum->elems += g->elems;
    sum->bytes += g->bytes;
}

static void add_type(struct ec_table *types, const char *name, const struct ec_weights_group *sum)
{
    ec_table_row(types, ec_text(name), ec_int(sum->n), ec_num(sum->elems), ec_num(sum->bytes));
}

static void fill_weights(struct ec_table *tensors, struct ec_table *types,
                         const struct ec_weights *w)
{
    struct ec_weights_group by_type[EC_TENSOR_TYPES] = { 0 }, all = { 0 };
    char shape[128];
    int i, k;

    for (i = 0; i < w->n_groups; i++) {
        const struct ec_weights_group *g = &w->groups[i];
        const char *type = g->first->type;

        ec_table_row(tensors, ec_text(g->name), ec_int(g->n), ec_text(type),
                     ec_text(ec_shape_text(&g->first->shape, shape, sizeof shape)),
                     ec_num(g->elems), ec_num(g->bytes));
        for (k = 0; by_type[k].name && by_type[k].name != type; k++)
            continue;
        by_type[k].name = type;
        sum_group(&by_type[k], g);
        sum_group(&all, g);
    }
    for (k = 0; k < EC_TENSOR_TYPES && by_type[k].name; k++)
        add_type(types, by_type[k].name, &by_type[k]);
    add_type(types, "all", &all);
}

static enum ec_status weights_json(const struct ec_weights *w, const struct ec_table *tensors,
                                   const struct ec_table *types, struct ec_call *call,
                                   struct ec_err *err)
{
    const struct model_opts *o = call->opts;
    struct ec_json j;

    ec_json_document(&j, &call->out, 2, "epochcast.weights/1");
    ec_json_int(&j, "files", w->n_files);
    ec_json_bool(&j, "is_whole", w->is_whole);
    EC_PASS(ec_table_json(types, &j, "types", err));
    ec_json_strs(&j, "notes", w->notes.v, w->notes.n);
    if (!o->totals)
        EC_PASS(ec_table_json(tensors, &j, "tensors", err));
    ec_json_end(&j);
    return EC_OK;
}

static enum ec_status show_weights(struct ec_call *call, struct ec_err *err)
{
    const struct model_opts *o = call->opts;
    struct ec_weights w = { 0 };
    struct ec_table tensors, types;
    enum ec_status st;

    ec_table_init(&tensors, weights_cols, EC_LEN(weights_cols));
    ec_table_init(&types, weight_types_cols, EC_LEN(weight_types_cols));
    EC_TRY(ec_weights_open(o->model, &w, err));
    EC_TRY(compare(&w, o, err));
    fill_weights(&tensors, &types, &w);
    if (call->forms.json) {
        st = weights_json(&w, &tensors, &types, call, err);
        goto out;
    }
    if (!o->totals)
        EC_TRY(ec_call_table(call, NULL, &tensors, err));
    if (call->forms.csv)
        goto out;
    ec_buf_str(&call->out, o->totals ? "" : "\n");
    EC_TRY(ec_call_table(call, NULL, &types, err));
    ec_buf_str(&call->out, w.notes.n ? "\n" : "");
    text_notes(&call->out, &w.notes);
out:
    ec_table_clear(&tensors);
    ec_table_clear(&types);
    ec_weights_clear(&w);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    struct model_opts *o = call->opts;
    struct ec_graph *g = NULL;
    enum ec_status st;

    if (o->list)
        return list(call, err);
    o->graph.struct_size = sizeof o->graph;
    if (!o->write && !ec_graph_is_built_in(o->model) && ec_weights_is(o->model))
        return show_weights(call, err);
    st = ec_graph_open(o->model, &o->graph, &g, err);
    if (!st)
        st = o->write ? write_network(g, o->write, err) : show(call, g, err);
    ec_graph_free(g);
    return st;
}
