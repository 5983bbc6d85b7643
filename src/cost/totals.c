/* Totals of layers and networks, and what a step keeps in memory. */
#include "cost/cost.h"

#include <string.h>

double ec_totals_backward_flop(const struct ec_totals *t)
{
    return t->phase[EC_GRAD_DATA].flop + t->phase[EC_GRAD_WEIGHT].flop;
}

double ec_totals_training_flop(const struct ec_totals *t)
{
    return t->phase[EC_FORWARD].flop + ec_totals_backward_flop(t) + t->phase[EC_UPDATE].flop;
}

static void add_kernel(struct ec_totals *t, const struct ec_kernel *k, double elem_bytes)
{
    struct ec_count *c = &t->phase[k->phase];

    c->mac += k->mac;
    c->flop += k->flop;
    c->bytes += elem_bytes * (k->read_elems + k->write_elems + k->weight_elems) + k->fixed_bytes;
    c->launches += k->launches;
}

/* Bytes of `v` the first time it is asked for; parameters and inputs cost nothing further. */
static double keep_once(const struct ec_value *v, unsigned char *kept, double elem_bytes)
{
    if (kept[v->id] || v->kind == EC_V_PARAM || v->kind == EC_V_CONST || v->kind == EC_V_INPUT)
        return 0;
    kept[v->id] = 1;
    return ec_type_elems(&v->type) *
           (ec_dtype_is_float(v->type.dtype) ? elem_bytes : (double)ec_dtype_bytes(v->type.dtype));
}

/* A view keeps its source: follow reshape-like producers to what owns the memory. */
static const struct ec_value *owner(const struct ec_graph *g, const struct ec_value *v)
{
    while (v->producer >= 0) {
        const struct ec_node *n = g->nodes[v->producer];

        if (!(n->op->flags & EC_OPF_VIEW) || n->n_in < 1)
            break;
        v = g->values[n->in[0]];
    }
    return v;
}

static double saved_bytes(const struct ec_graph *g, const struct ec_node *n, unsigned char *kept,
                          double elem_bytes)
{
    struct ec_saved s = { 0 };
    struct ec_case c = ec_node_case(n);
    double bytes;
    int i;

    if (!n->op->saved || !g->values[n->out[0]]->requires_grad)
        return 0;
    n->op->saved(&c, &s);
    bytes = s.extra_elems * elem_bytes + s.extra_bytes;
    for (i = 0; i < n->n_in; i++)
        if (s.in_mask & 1u << (i < 31 ? i : 31) || s.in_mask & 1u << 31)
            bytes += keep_once(owner(g, g->values[n->in[i]]), kept, elem_bytes);
    for (i = 0; i < n->n_out && i < 31; i++)
        if (s.out_mask & 1u << i)
            bytes += keep_once(owner(g, g->values[n->out[i]]), kept, elem_bytes);
    return bytes;
}

static void count_params(const struct ec_graph *g, struct ec_totals *t)
{
    int i;

    for (i = 0; i < g->n_values; i++) {
        const struct ec_value *v = g->values[i];
        double e = ec_type_elems(&v->type);

        if (v->kind == EC_V_PARAM && v->trainable)
            t->params += e;
        else if (v->kind == EC_V_PARAM)
            t->buffers += e;
        else if (v->kind == EC_V_INPUT)
            t->input_bytes += e * (double)ec_dtype_bytes(v->type.dtype);
    }
    t->trainable_params = t->params;
}

/* A parameter belongs to the first layer that has it or, a free one, takes it as input. */
static void count_param_once(const struct ec_value *v, unsigned char *counted, struct ec_totals *t)
{
    if (v->kind != EC_V_PARAM || counted[v->id])
        return;
    counted[v->id] = 1;
    *(v->trainable ? &t->params : &t->buffers) += ec_type_elems(&v->type);
    t->trainable_params = t->params;
}

static void count_layer_params(const struct ec_graph *g, const struct ec_node *n,
                               unsigned char *counted, struct ec_totals *t)
{
    int i;

    for (i = 0; i < n->n_param; i++)
        count_param_once(g->values[n->param[i]], counted, t);
    for (i = 0; i < n->n_in; i++)
        count_param_once(g->values[n->in[i]], counted, t);
}

static void fill_layers(const struct ec_graph *g, const struct ec_step *s, double elem_bytes,
                        struct ec_layer *layers, unsigned char *counted)
{
    int i;

    for (i = 0; i < g->n_nodes; i++) {
        layers[i].node = g->nodes[i];
        layers[i].t.output_elems = ec_type_elems(g->nodes[i]->out_type[0]);
        count_layer_params(g, g->nodes[i], counted, &layers[i].t);
    }
    for (i = 0; i < s->n; i++) {
        int at = s->node[i] == EC_STEP_LOSS ? g->n_nodes : s->node[i];

        if (at >= 0)
            add_kernel(&layers[at].t, &s->kernel[i], elem_bytes);
    }
}

enum ec_status ec_cost_graph(const struct ec_graph *g, enum ec_optimizer opt, double elem_bytes,
                             struct ec_totals *ret, struct ec_layer **ret_layers,
                             struct ec_err *err)
{
    unsigned char *kept = ec_alloc((size_t)g->n_values * 2);
    struct ec_layer *layers = NULL;
    struct ec_totals t = { 0 };
    struct ec_step s = { 0 };
    enum ec_status st = EC_OK;
    int i;

    if (!kept)
        return ec_nomem(err);
    EC_TRY(ec_step_build(g, EC_MODE_TRAINING_STEP, opt, &s, err));
    if (ret_layers) {
        layers = ec_alloc(sizeof *layers * ((size_t)g->n_nodes + 1));
        if (!layers)
            EC_TRY(ec_nomem(err));
        fill_layers(g, &s, elem_bytes, layers, kept + g->n_values);
    }
    for (i = 0; i < s.n; i++)
        add_kernel(&t, &s.kernel[i], elem_bytes);
    count_params(g, &t);
    for (i = 0; i < g->n_nodes; i++) {
        double bytes = saved_bytes(g, g->nodes[i], kept, elem_bytes);

        t.saved_bytes += bytes;
        if (!(g->nodes[i]->op->flags & EC_OPF_VIEW))
            t.output_elems += ec_type_elems(g->nodes[i]->out_type[0]);
        if (layers)
            layers[i].t.saved_bytes = bytes;
    }
    *ret = t;
    if (ret_layers)
        *ret_layers = layers;
    layers = NULL;
out:
    ec_free(layers);
    ec_free(kept);
    ec_step_clear(&s);
    return st;
}

/* Largest sum of a node's inputs and outputs: what forward alone must hold, and what backward
 * needs beside the saved values. */
static double largest_transient(const struct ec_graph *g, double elem_bytes)
{
    double worst = 0;
    int i, j;

    for (i = 0; i < g->n_nodes; i++) {
        const struct ec_node *n = g->nodes[i];
        double sum = 0;

        for (j = 0; j < n->n_in; j++)
            if (g->values[n->in[j]]->kind == EC_V_COMPUTED)
                sum += ec_type_elems(n->in_type[j]);
        for (j = 0; j < n->n_out; j++)
            sum += ec_type_elems(n->out_type[j]);
        worst = sum > worst ? sum : worst;
    }
    return worst * elem_bytes;
}

enum ec_status ec_cost_memory(const struct ec_graph *g, enum ec_mode mode, enum ec_optimizer opt,
                              double activation_elem_bytes, double weight_elem_bytes,
                              struct ec_memory *ret, struct ec_err *err)
{
    struct ec_memory m = { 0 };
    struct ec_totals t = { 0 };
    unsigned char *kept = ec_alloc((size_t)g->n_values);
    int i;

    if (!kept)
        return ec_nomem(err);
    count_params(g, &t);
    m.weights = (t.params + t.buffers) * weight_elem_bytes;
    m.input = t.input_bytes;
    m.transient = largest_transient(g, activation_elem_bytes);
    if (mode != EC_MODE_FORWARD) {
        m.gradients = t.trainable_params * weight_elem_bytes;
        for (i = 0; i < g->n_nodes; i++)
            m.activations += saved_bytes(g, g->nodes[i], kept, activation_elem_bytes);
    }
    if (mode == EC_MODE_TRAINING_STEP)
        m.optimizer = t.trainable_params * 4 * ec_optimizer_states(opt);
    ec_free(kept);
    *ret = m;
    return EC_OK;
}
