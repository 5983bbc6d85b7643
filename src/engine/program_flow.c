/* Selects the parts of the graph that are needed: nodes on which outputs depend, and values that
 * need gradients. */
#include "engine/program_internal.h"

static void mark_live(const struct ec_program *p, struct ec_variant *g)
{
    const struct ec_graph *gr = p->g;
    int i, j;

    for (i = 0; i < gr->n_outputs; i++)
        g->values[gr->outputs[i]].is_output = true;
    for (i = gr->n_nodes - 1; i >= 0; i--) {
        const struct ec_node *n = gr->nodes[i];
        struct ec_pnode *pn = &g->nodes[i];

        for (j = 0; j < n->n_out; j++)
            pn->live |= g->values[n->out[j]].is_output || g->values[n->out[j]].n_uses > 0;
        for (j = 0; pn->live && j < n->n_in; j++)
            g->values[n->in[j]].n_uses++;
    }
}

/* A gradient is needed above trainable parameters, and of inputs where they are asked for. */
static void mark_needs(const struct ec_program *p, struct ec_variant *g)
{
    const struct ec_graph *gr = p->g;
    int i, j;

    for (i = 0; i < gr->n_values; i++) {
        const struct ec_value *v = gr->values[i];

        if (v->kind == EC_V_PARAM)
            g->values[i].needs_grad = v->trainable;
        else if (v->kind == EC_V_INPUT)
            g->values[i].needs_grad = p->opts.input_grad && ec_dtype_is_float(v->type.dtype);
    }
    for (i = 0; i < gr->n_nodes; i++) {
        const struct ec_node *n = gr->nodes[i];
        bool any = false;

        if (!g->nodes[i].live || n->op->flags & EC_OPF_NO_GRAD)
            continue;
        for (j = 0; j < n->n_in; j++)
            any |= g->values[n->in[j]].needs_grad;
        for (j = 0; j < n->n_param; j++)
            any |= gr->values[n->param[j]]->trainable;
        for (j = 0; j < n->n_out; j++)
            g->values[n->out[j]].needs_grad =
                any && ec_dtype_is_float(gr->values[n->out[j]]->type.dtype);
    }
}

double ec__loss_weight(const struct ec_program *p, int output)
{
    const struct ec_graph *g = p->g;
    const struct ec_value *first = g->values[g->outputs[0]], *v = g->values[g->outputs[output]];

    if (!output)
        return 1;
    return ec_shape_eq(&v->type.shape, &first->type.shape) && ec_dtype_is_float(v->type.dtype)
               ? v->loss_weight
               : 0;
}

/* ... and there is one where the loss, or a gradient given from outside, flows back to. */
static void mark_flow(const struct ec_program *p, struct ec_variant *g)
{
    const struct ec_graph *gr = p->g;
    int i, j;

    for (i = 0; i < gr->n_outputs; i++)
        if (!p->opts.with_loss || ec__loss_weight(p, i) > 0)
            g->values[gr->outputs[i]].has_grad = g->values[gr->outputs[i]].needs_grad;
    for (i = gr->n_nodes - 1; i >= 0; i--) {
        const struct ec_node *n = gr->nodes[i];
        struct ec_pnode *pn = &g->nodes[i];

        for (j = 0; pn->live && j < n->n_out; j++)
            pn->backward |= g->values[n->out[j]].has_grad;
        for (j = 0; pn->backward && j < n->n_in; j++)
            g->values[n->in[j]].has_grad |= g->values[n->in[j]].needs_grad;
        for (j = 0; pn->backward && j < n->n_param; j++)
            if (gr->values[n->param[j]]->trainable)
                p->params[n->param[j]].learns = true;
    }
    for (i = 0; i < gr->n_values; i++)
        if (gr->values[i]->kind == EC_V_PARAM && g->values[i].has_grad)
            p->params[i].learns = true;
}

static bool is_statistic(const struct ec_node *n, int slot)
{
    struct ec_param_list list;
    struct ec_case c = ec_node_case(n);

    list.n = 0;
    n->op->params(&c, &list);
    return slot < list.n && !list.p[slot].trainable;
}

static void mark_params(struct ec_program *p, const struct ec_variant *g)
{
    const struct ec_graph *gr = p->g;
    int i, j;

    for (i = 0; i < gr->n_nodes; i++) {
        const struct ec_node *n = gr->nodes[i];

        if (!g->nodes[i].live)
            continue;
        for (j = 0; j < n->n_param; j++) {
            struct ec_pparam *q = &p->params[n->param[j]];

            q->used = true;
            q->n_uses++;
            q->buffer = is_statistic(n, j);
        }
    }
    for (i = 0; i < gr->n_values; i++)
        if (gr->values[i]->kind == EC_V_PARAM && g->values[i].n_uses) {
            p->params[i].used = true;
            p->params[i].n_uses += 2; /* an operator's input: plain */
        }
}

enum ec_status ec__program_flow(struct ec_program *p, struct ec_variant *g, struct ec_err *err)
{
    int i;

    g->nodes = ec_arena_alloc(&p->mem, sizeof *g->nodes * (size_t)(p->g->n_nodes + 1));
    g->values = ec_arena_alloc(&p->mem, sizeof *g->values * (size_t)(p->g->n_values + 1));
    EC_PASS(ec_allocated(g->nodes && g->values, err));
    for (i = 0; i < p->g->n_nodes; i++)
        g->nodes[i].n = p->g->nodes[i];
    for (i = 0; i < p->g->n_values; i++)
        g->values[i].buf = g->values[i].plain = g->values[i].plain_wide = g->values[i].grad = -1;
    mark_live(p, g);
    if (g->backward) {
        mark_needs(p, g);
        mark_flow(p, g);
    }
    if (g == &p->train)
        mark_params(p, g);
    return EC_OK;
}
