/* Adapters beside frozen linear layers: y = W x + b + B (A x), where A has `rank` rows and only A
 * and B are trained (Hu et al. 2021). Packed, the weights of frozen products are held in 4 bits but
 * those of the last layer (Dettmers et al. 2023), experts with them. */
#include "graph/build_internal.h"

#include <string.h>

#include "attrs_opts.h"

struct adapting {
    struct ec_graph *g;
    int64_t rank;
    bool packed, wide;
    int n_old_nodes, n_old_values;
    bool *adapted;    /* per old node */
    int *in_place;    /* per old value: what its readers read */
    unsigned *beside; /* per old value; NULL: all linear layers have adapters */
    const struct ec_op *linear, *experts, *add;
};

static enum ec_status add_linear(struct adapting *a, const char *name, int x, int64_t n, int *ret,
                                 struct ec_err *err)
{
    struct ec_linear_attrs *attrs = ec_arena_alloc(&a->g->arena, sizeof *attrs);
    struct ec_node *node = NULL;

    EC_PASS(ec_allocated(attrs, err));
    attrs->n = n;
    EC_PASS(ec_graph_add_node(a->g, name, a->linear, attrs, &x, 1, &node, err));
    a->g->values[node->param[0]]->wide = a->g->values[node->out[0]]->wide = a->wide;
    *ret = node->out[0];
    return EC_OK;
}

/* Behind the layer, which is in its new place: the two narrow layers and the sum. */
static enum ec_status adapt(struct adapting *a, const struct ec_node *n, struct ec_err *err)
{
    const struct ec_linear_attrs *of = n->attrs;
    int both[2] = { n->out[0], -1 }, narrow = -1;
    struct ec_node *sum = NULL;
    char name[200];

    (void)ec_snprintf(name, sizeof name, "%.160s.lora_A", n->name);
    EC_PASS(add_linear(a, name, n->in[0], a->rank, &narrow, err));
    name[strlen(name) - 1] = 'B';
    EC_PASS(add_linear(a, name, narrow, of->n, &both[1], err));
    (void)ec_snprintf(name, sizeof name, "%.160s.sum", n->name);
    EC_PASS(ec_graph_add_node(a->g, name, a->add, NULL, both, 2, &sum, err));
    a->in_place[n->out[0]] = sum->out[0];
    return EC_OK;
}

/* The old node behind those that are in place already. */
static enum ec_status place(struct adapting *a, struct ec_node *n, struct ec_err *err)
{
    struct ec_graph *g = a->g;
    bool grad = false;
    int i;

    EC_PASS(ec_grow(&g->nodes, &g->cap_nodes, g->n_nodes + 1, sizeof *g->nodes, err));
    n->id = g->n_nodes;
    g->nodes[g->n_nodes++] = n;
    for (i = 0; i < n->n_in; i++) {
        n->in[i] = a->in_place[n->in[i]];
        n->in_type[i] = &g->values[n->in[i]]->type;
        grad |= g->values[n->in[i]]->requires_grad;
    }
    for (i = 0; i < n->n_out; i++) {
        g->values[n->out[i]]->producer = n->id;
        g->values[n->out[i]]->requires_grad &= grad;
    }
    return EC_OK;
}

/* Between a value and attention, on either side, is no linear layer. */
enum { FROM_ATTENTION = 1, TO_ATTENTION = 2 };

static bool is_attention(const struct ec_node *n, const unsigned *beside)
{
    return ec_str_eq(n->op->name, "attention") || ec_str_eq(n->op->name, "softmax") ||
           (ec_str_eq(n->op->name, "matmul") &&
            (beside[n->in[0]] | beside[n->in[1]]) & FROM_ATTENTION); /* of weights and values */
}

static unsigned any_of(const unsigned *beside, const int *ids, int n, unsigned side)
{
    unsigned any = 0;
    int i;

    for (i = 0; i < n; i++)
        any |= beside[ids[i]] & side;
    return any;
}

static void mark(unsigned *beside, const int *ids, int n, unsigned side)
{
    int i;

    for (i = 0; i < n; i++)
        beside[ids[i]] |= side;
}

static void find_attention(const struct adapting *a, struct ec_node *const *old)
{
    unsigned *b = a->beside;
    int i;

    for (i = 0; i < a->n_old_nodes; i++)
        if (old[i]->op != a->linear &&
            (is_attention(old[i], b) || any_of(b, old[i]->in, old[i]->n_in, FROM_ATTENTION)))
            mark(b, old[i]->out, old[i]->n_out, FROM_ATTENTION);
    for (i = a->n_old_nodes - 1; i >= 0; i--)
        if (old[i]->op != a->linear &&
            (is_attention(old[i], b) || any_of(b, old[i]->out, old[i]->n_out, TO_ATTENTION)))
            mark(b, old[i]->in, old[i]->n_in, TO_ATTENTION);
}

static void pack(const struct adapting *a, const struct ec_node *n)
{
    int i;

    for (i = 0; i < n->n_param; i++) {
        struct ec_value *v = a->g->values[n->param[i]];

        v->packed = v->type.shape.rank == (n->op == a->experts ? 3 : 2);
    }
}

/* Trained linear layers but the network's last layer with weights, which makes its output. Returns
 * how many. */
static int choose(const struct adapting *a)
{
    bool is_last = true;
    int i, n = 0;

    for (i = a->n_old_nodes - 1; i >= 0; i--) {
        const struct ec_node *v = a->g->nodes[i];

        if (!v->n_param)
            continue;
        a->adapted[i] = v->op == a->linear && !is_last && a->g->values[v->param[0]]->trainable &&
                        (!a->beside || a->beside[v->in[0]] & FROM_ATTENTION ||
                         a->beside[v->out[0]] & TO_ATTENTION);
        n += a->adapted[i];
        if (a->packed && !is_last && (v->op == a->linear || v->op == a->experts))
            pack(a, v);
        is_last = false;
    }
    return n;
}

static enum ec_status place_all(struct adapting *a, struct ec_node *const *old, struct ec_err *err)
{
    int i;

    for (i = 0; i < a->n_old_nodes; i++) {
        EC_PASS(place(a, old[i], err));
        if (a->adapted[i])
            EC_PASS(adapt(a, old[i], err));
    }
    return EC_OK;
}

static void freeze(struct adapting *a)
{
    int i;

    for (i = 0; i < a->n_old_values; i++) {
        struct ec_value *v = a->g->values[i];

        a->in_place[i] = i;
        if (v->kind == EC_V_PARAM)
            v->trainable = v->requires_grad = false;
    }
}

static void renumber(const int *to, int *ids, int n)
{
    int i;

    for (i = 0; i < n; i++)
        ids[i] = to[ids[i]];
}

enum ec_status ec__graph_in_order(struct ec_graph *g, struct ec_err *err)
{
    struct ec_value **old = ec_alloc(sizeof(struct ec_value *) * ((size_t)g->n_values + 1));
    int *to = ec_alloc(sizeof *to * ((size_t)g->n_values + 1)), n = 0, i, k, v;
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(old && to, err));
    if (g->n_values) /* an empty list is NULL */
        memcpy(old, g->values, sizeof *old * (size_t)g->n_values);
    for (i = 0; i < g->n_nodes; i++)
        for (v = ec__own_param(g->nodes[i]); v < g->nodes[i]->out[0]; v++)
            to[v] = -1;
    for (i = 0; i < g->n_values; i++)
        to[i] = old[i]->producer < 0 && to[i] == 0 ? n++ : -1;
    for (i = 0; i < g->n_nodes; i++) {
        for (v = ec__own_param(g->nodes[i]); v < g->nodes[i]->out[0]; v++)
            to[v] = n++;
        for (k = 0; k < g->nodes[i]->n_out; k++)
            to[g->nodes[i]->out[k]] = n++;
    }
    for (i = 0; i < g->n_values; i++) {
        if (to[i] < 0)
            continue;
        old[i]->id = to[i];
        g->values[to[i]] = old[i];
    }
    g->n_values = n;
    for (i = 0; i < g->n_nodes; i++) {
        renumber(to, g->nodes[i]->in, g->nodes[i]->n_in);
        renumber(to, g->nodes[i]->out, g->nodes[i]->n_out);
        renumber(to, g->nodes[i]->param, g->nodes[i]->n_param);
    }
    renumber(to, g->inputs, g->n_inputs);
    renumber(to, g->outputs, g->n_outputs);
out:
    ec_free(old);
    ec_free(to);
    return st;
}

enum ec_status ec__graph_adapt(struct ec_graph *g, const struct ec_graph_opts *o,
                               struct ec_err *err)
{
    struct adapting a = { .g = g,
                          .rank = o->adapter_rank,
                          .packed = o->pack_frozen,
                          .wide = o->wide_adapters,
                          .n_old_nodes = g->n_nodes,
                          .n_old_values = g->n_values,
                          .linear = ec_op_find(ec_span_of("linear")),
                          .experts = ec_op_find(ec_span_of("experts")),
                          .add = ec_op_find(ec_span_of("add")) };
    size_t bytes = sizeof(struct ec_node *) * (size_t)g->n_nodes;
    struct ec_node **old = ec_alloc(bytes + 1);
    enum ec_status st = EC_OK;
    int i;

    a.adapted = ec_alloc(sizeof *a.adapted * ((size_t)g->n_nodes + 1));
    a.in_place = ec_alloc(sizeof *a.in_place * ((size_t)g->n_values + 1));
    if (o->adapt_attention)
        a.beside = ec_alloc(sizeof *a.beside * ((size_t)g->n_values + 1));
    if (!old || !a.adapted || !a.in_place || (o->adapt_attention && !a.beside))
        EC_TRY(ec_nomem(err));
    memcpy(old, g->nodes, bytes);
    if (a.beside)
        find_attention(&a, old);
    if (!choose(&a))
        EC_TRY(
            ec_fail(err, EC_E_UNSUPPORTED,
                    "adapters stand beside trained linear layers%s, all but the last: %s has none",
                    a.beside ? " of attention" : "", g->name));
    freeze(&a);
    g->n_nodes = 0;
    EC_TRY(place_all(&a, old, err));
    for (i = 0; i < g->n_outputs; i++)
        g->outputs[i] = a.in_place[g->outputs[i]];
    EC_TRY(ec__graph_in_order(g, err));
out:
    ec_free(old);
    ec_free(a.adapted);
    ec_free(a.in_place);
    ec_free(a.beside);
    return st;
}
