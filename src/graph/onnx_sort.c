/* Order and roles: topological order (the file's own is not trusted), which nodes the outputs need,
 * which graph inputs are really parameters exported without their values. */
#include "graph/onnx_internal.h"

static enum ec_status check_inputs(const struct onnx_model *m, struct ec_err *err)
{
    int i, k;

    for (i = 0; i < m->n_nodes; i++) {
        const struct onnx_node *n = &m->nodes[i];

        for (k = 0; k < n->n_in; k++) {
            const struct onnx_value *v = n->in[k] < 0 ? NULL : &m->values[n->in[k]];

            if (v && v->producer < 0 && v->tensor < 0 && v->input < 0)
                return ec_fail(err, EC_E_PARSE,
                               "node %d (%.*s) needs \"%.*s\", which nothing produces", i,
                               n->op.len > 40 ? 40 : (int)n->op.len, n->op.p,
                               v->name.len > 80 ? 80 : (int)v->name.len, v->name.p);
        }
    }
    return EC_OK;
}

enum colour { WHITE, GREY, BLACK };

struct visit {
    int node, next_in;
};

/* The first input of the node on top whose producer is not finished; -1: none left. */
static int unfinished(const struct onnx_model *m, const unsigned char *colour, struct visit *top)
{
    const struct onnx_node *n = &m->nodes[top->node];

    while (top->next_in < n->n_in) {
        int v = n->in[top->next_in++];
        int p = v < 0 ? -1 : m->values[v].producer;

        if (p >= 0 && colour[p] != BLACK)
            return p;
    }
    return -1;
}

/* Depth first, in file order: a file that is sorted already keeps its order. */
static enum ec_status visit_from(struct onnx_model *m, int root, unsigned char *colour,
                                 struct visit *stack, int *n_done, struct ec_err *err)
{
    int depth = 0;

    stack[depth++] = (struct visit){ root, 0 };
    colour[root] = GREY;
    while (depth) {
        struct visit *top = &stack[depth - 1];
        int p = unfinished(m, colour, top);

        if (p < 0) {
            colour[top->node] = BLACK;
            m->order[(*n_done)++] = top->node;
            depth--;
        } else if (colour[p] == GREY) {
            return ec_fail(err, EC_E_PARSE, "the graph has a cycle through node %d (%.*s)", p,
                           m->nodes[p].op.len > 40 ? 40 : (int)m->nodes[p].op.len,
                           m->nodes[p].op.p);
        } else {
            colour[p] = GREY;
            stack[depth++] = (struct visit){ p, 0 };
        }
    }
    return EC_OK;
}

enum ec_status ec__onnx_sort(struct onnx_model *m, struct ec_err *err)
{
    size_t n = (size_t)m->n_nodes;
    unsigned char *colour = ec_arena_alloc(m->a, n);
    struct visit *stack = ec_arena_alloc(m->a, n * sizeof *stack);
    enum ec_status st = check_inputs(m, err);
    int i, n_done = 0;

    m->order = ec_arena_alloc(m->a, n * sizeof *m->order);
    EC_PASS(ec_allocated(colour && stack && m->order, err));
    for (i = 0; !st && i < m->n_nodes; i++)
        if (colour[i] == WHITE)
            st = visit_from(m, i, colour, stack, &n_done, err);
    return st;
}

static bool feeds_output(const struct onnx_model *m, const struct onnx_node *n)
{
    int k;

    for (k = 0; k < n->n_out; k++)
        if (n->out[k] >= 0 &&
            (m->values[n->out[k]].is_output || (!m->n_outputs && !m->values[n->out[k]].n_uses)))
            return true;
    return false;
}

void ec__onnx_drop_unneeded(struct onnx_model *m, int *ret_dropped)
{
    bool *was_dead = ec_arena_alloc(m->a, (size_t)m->n_nodes * sizeof *was_dead);
    int i, k;

    *ret_dropped = 0;
    if (!was_dead) /* keeping everything is correct too */
        return;
    for (i = 0; i < m->n_nodes; i++) {
        was_dead[i] = m->nodes[i].dead;
        m->nodes[i].dead = was_dead[i] || !feeds_output(m, &m->nodes[i]);
    }
    for (i = m->n_nodes - 1; i >= 0; i--) {
        const struct onnx_node *n = &m->nodes[m->order[i]];

        for (k = 0; !n->dead && k < n->n_in; k++) {
            int p = n->in[k] < 0 ? -1 : m->values[n->in[k]].producer;

            if (p >= 0 && !was_dead[p])
                m->nodes[p].dead = false;
        }
    }
    for (i = 0; i < m->n_nodes; i++) {
        const struct onnx_node *n = &m->nodes[i];

        if (!n->dead || was_dead[i])
            continue;
        *ret_dropped += !ec__onnx_is(n, "Constant");
        for (k = 0; k < n->n_in; k++)
            if (n->in[k] >= 0)
                m->values[n->in[k]].n_uses--;
    }
}

/* --- recurrent layers --- */

static bool is_recurrent(const struct onnx_node *n)
{
    return ec__onnx_is(n, "LSTM") || ec__onnx_is(n, "GRU") || ec__onnx_is(n, "RNN");
}

/* Per value: it depends on what the user feeds, not only on its shape. */
static bool *depends_on_data(const struct onnx_model *m)
{
    bool *yes = ec_arena_alloc(m->a, (size_t)m->n_values + 1);
    int i, k;

    for (i = 0; yes && i < m->n_values; i++)
        yes[i] = m->values[i].input >= 0 && m->values[i].tensor < 0 && !m->values[i].is_param &&
                 !m->values[i].is_const;
    for (i = 0; yes && i < m->n_nodes; i++) {
        const struct onnx_node *n = &m->nodes[m->order[i]];
        bool any = false;

        for (k = 0; k < n->n_in; k++)
            any = any || (n->in[k] >= 0 && yes[n->in[k]]);
        any = any && !ec__onnx_is(n, "Shape") && !ec__onnx_is(n, "Size");
        for (k = 0; k < n->n_out; k++)
            if (n->out[k] >= 0)
                yes[n->out[k]] = any;
    }
    return yes;
}

void ec__onnx_trim_recurrent(struct onnx_model *m)
{
    bool *data = NULL;
    int i, k;

    for (i = 0; i < m->n_nodes; i++) {
        struct onnx_node *n = &m->nodes[i];

        if (n->domain.len || !is_recurrent(n))
            continue;
        if (!data)
            data = depends_on_data(m);
        if (!data)
            return;
        n->aux = ec__onnx_in(n, 3) >= 0;
        for (k = 1; k < n->n_in; k++) {
            if (n->in[k] < 0 || m->values[n->in[k]].producer < 0 || data[n->in[k]])
                continue;
            m->values[n->in[k]].n_uses--;
            n->in[k] = -1;
        }
    }
}

/* --- parameters --- */

static bool is_pytorch(const struct onnx_model *m)
{
    return ec_span_eq(m->producer, "pytorch");
}

static bool holds_any(struct ec_span text, const char *const *words)
{
    for (; *words; words++)
        if (ec_span_holds(text, *words))
            return true;
    return false;
}

/* What our own writer calls the constants whose contents it leaves out. */
static bool is_written_constant(struct ec_span name)
{
    return ec_span_holds(name, "constant/");
}

/* Buffers of floating point look like parameters in the file; only their usual names differ. */
static bool is_buffer(struct ec_span name)
{
    static const char *const words[] = { "coords_table", "attn_mask", "anchor", "inv_freq", NULL };

    return holds_any(name, words) || is_written_constant(name);
}

/* A rank-0 initializer is a constant, unless PyTorch named it after a module's parameter. */
static bool tensor_is_param(const struct onnx_model *m, const struct onnx_tensor *t)
{
    if (!ec_dtype_is_float(t->type.dtype) || is_buffer(t->name))
        return false;
    return t->type.shape.rank > 0 || (is_pytorch(m) && !ec__onnx_generated_name(t->name));
}

/* The graph input without contents behind a value, through operators that only rearrange. */
static int behind(const struct onnx_model *m, int value)
{
    static const char *const through[] = { "Transpose", "Identity", "Cast",
                                           "Reshape",   "Squeeze",  "Unsqueeze" };
    int hops, i;

    for (hops = 0; hops < 8 && value >= 0 && m->values[value].producer >= 0; hops++) {
        const struct onnx_node *n = &m->nodes[m->values[value].producer];

        for (i = 0; i < EC_LEN(through) && !ec__onnx_is(n, through[i]); i++)
            ;
        if (i == EC_LEN(through))
            return -1;
        value = ec__onnx_in(n, 0);
    }
    return value >= 0 && m->values[value].input >= 0 && m->values[value].tensor < 0 ? value : -1;
}

static bool is_static(const struct onnx_info *info)
{
    int i;

    for (i = 0; i < info->rank; i++)
        if (info->d[i] < 0)
            return false;
    return info->rank >= 0;
}

/* A matrix product or a gather may take data too: there only the second, two-dimensional. */
static bool slot_fits(const struct onnx_node *n, int slot, const struct onnx_info *info)
{
    if (!is_static(info) || !ec_dtype_is_float(info->dtype))
        return false;
    if (ec__onnx_is(n, "MatMul") || ec__onnx_is(n, "Gather"))
        return info->rank == 2 && info->value >= 0 && slot >= 0;
    return true;
}

static void mark_weight_slots(struct onnx_model *m)
{
    int i, k;

    for (i = 0; i < m->n_nodes; i++) {
        const struct onnx_node *n = &m->nodes[i];
        const struct onnx_rule *r = n->domain.len ? NULL : ec__onnx_rule(n->op);

        for (k = 0; r && r->weights && k < n->n_in && k < 31; k++) {
            int v = r->weights >> k & 1 ? behind(m, n->in[k]) : -1;

            if (v >= 0 && slot_fits(n, k, &m->inputs[m->values[v].input]) &&
                !is_written_constant(m->values[v].name))
                m->values[v].is_param = true;
        }
    }
}

static bool sounds_like_param(struct ec_span name)
{
    static const char *const words[] = { "weight", "bias",  "token", "embed",    "gamma", "beta",
                                         "table",  "scale", "pos_",  "running_", "param", NULL };

    return holds_any(name, words);
}

/* PyTorch (and our own writer) lists what the user feeds first, then parameters and buffers. */
static void mark_listed_inputs(struct onnx_model *m)
{
    int first = -1, i;

    for (i = 0; first < 0 && i < m->n_inputs; i++)
        if (m->inputs[i].value >= 0 && m->values[m->inputs[i].value].is_param)
            first = i;
    for (i = 1; first >= 0 && i < m->n_inputs; i++) {
        const struct onnx_info *info = &m->inputs[i];
        struct onnx_value *v = info->value < 0 ? NULL : &m->values[info->value];

        if (!v || v->tensor >= 0 || !is_static(info))
            continue;
        if (i < first && !sounds_like_param(v->name))
            continue;
        if (ec_dtype_is_float(info->dtype) && !is_buffer(v->name))
            v->is_param = true;
        else
            v->is_const = i > first;
    }
}

void ec__onnx_mark_params(struct onnx_model *m)
{
    int i;

    for (i = 0; i < m->n_values; i++)
        if (m->values[i].tensor >= 0)
            m->values[i].is_param = tensor_is_param(m, &m->tensors[m->values[i].tensor]);
    mark_weight_slots(m);
    if (is_pytorch(m) || ec_span_eq(m->producer, "epochcast"))
        mark_listed_inputs(m);
}
