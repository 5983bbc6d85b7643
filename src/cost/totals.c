/* Totals of layers and networks. */
#include "cost/step_notes.h"

#include <assert.h>

double ec_totals_backward_flop(const struct ec_totals *t)
{
    return t->phase[EC_GRAD_DATA].flop + t->phase[EC_GRAD_WEIGHT].flop;
}

double ec_totals_training_flop(const struct ec_totals *t)
{
    return t->phase[EC_FORWARD].flop + ec_totals_backward_flop(t) + t->phase[EC_UPDATE].flop;
}

void ec__count_params(const struct ec_graph *g, struct ec_totals *t)
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

        assert(at <= g->n_nodes);
        if (at >= 0)
            ec_count_add(&layers[at].t.phase[s->kernel[i].phase], &s->kernel[i], 1, elem_bytes);
    }
}

void ec_cost_step(const struct ec_graph *g, const struct ec_step *s, double elem_bytes,
                  struct ec_totals *ret)
{
    int i;

    *ret = (struct ec_totals){ 0 };
    for (i = 0; i < s->n; i++)
        ec_count_add(&ret->phase[s->kernel[i].phase], &s->kernel[i], s->repeat ? s->repeat[i] : 1,
                     elem_bytes);
    assert(ret->phase[EC_FORWARD].flop >= 0 &&
           ec_totals_training_flop(ret) >= ret->phase[EC_FORWARD].flop);
    ec__count_params(g, ret);
}

enum ec_status ec_cost_graph(const struct ec_graph *g, enum ec_optimizer opt, double elem_bytes,
                             struct ec_totals *ret, struct ec_layer **ret_layers,
                             struct ec_err *err)
{
    unsigned char *kept = ec_alloc((size_t)g->n_values * 2);
    struct ec_keeping keeping = { .kept = kept, .elem_bytes = elem_bytes };
    const struct ec_conditions cond = { .mode = EC_MODE_TRAINING_STEP, .optimizer = opt };
    struct ec_layer *layers = NULL;
    struct ec_totals t = { 0 };
    struct ec_step s = { 0 };
    enum ec_status st = EC_OK;
    int i;

    EC_PASS(ec_allocated(kept, err));
    EC_TRY(ec_step_build(g, &cond, &s, err));
    if (ret_layers) {
        layers = ec_alloc(sizeof *layers * ((size_t)g->n_nodes + 1));
        EC_TRY(ec_allocated(layers, err));
        fill_layers(g, &s, elem_bytes, layers, kept + g->n_values);
    }
    ec_cost_step(g, &s, elem_bytes, &t);
    for (i = 0; i < g->n_nodes; i++) {
        double bytes = ec__saved_bytes(g, g->nodes[i], &keeping);

        t.saved_bytes += bytes;
        if (!(g->nodes[i]->op->flags & EC_OPF_VIEW))
            t.output_elems += ec_type_elems(g->nodes[i]->out_type[0]);
        if (layers)
            layers[i].t.saved_bytes = bytes;
    }
    assert(t.params >= t.trainable_params && t.saved_bytes >= 0);
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
