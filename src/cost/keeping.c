/* What a step keeps from forward for backward: the rule `saved` of each operator, values counted
 * once.
 */
#include "cost/step_notes.h"

#include <assert.h>

double ec__value_bytes(const struct ec_value *v, const struct ec_keeping *k)
{
    double elem = !ec_dtype_is_float(v->type.dtype)      ? (double)ec_dtype_bytes(v->type.dtype)
                  : k->autocast && k->notes->wide[v->id] ? 4
                                                         : k->elem_bytes;

    return ec_type_elems(&v->type) * elem;
}

/* Bytes of `v` the first time it is asked for; parameters and inputs cost nothing further. */
static double keep_once(const struct ec_value *v, const struct ec_keeping *k)
{
    if (k->kept[v->id] || v->kind == EC_V_PARAM || v->kind == EC_V_CONST || v->kind == EC_V_INPUT)
        return 0;
    k->kept[v->id] = 1;
    return ec__value_bytes(v, k);
}

/* A view keeps its source: follow reshape-like producers to what owns the memory. */
const struct ec_value *ec__owner(const struct ec_graph *g, const struct ec_value *v)
{
    while (v->producer >= 0) {
        const struct ec_node *n = g->nodes[v->producer];

        if (!(n->op->flags & EC_OPF_VIEW) || n->n_in < 1)
            break;
        assert(n->in[0] < v->id); /* so that this ends */
        v = g->values[n->in[0]];
    }
    return v;
}

static bool in_attention(const struct ec_node *n, const struct ec_keeping *k)
{
    return k->notes && k->notes->node[n->id] & EC_NOTE_ATTENTION;
}

/* Scores of attention that runs as one kernel are nowhere; its products, copies and operands are.
 */
bool ec__makes_scores(const struct ec_node *n, const struct ec_keeping *k)
{
    return in_attention(n, k) && !(k->notes->node[n->id] & EC_NOTE_OPERAND) &&
           !ec_str_eq(n->op->name, "matmul") && !ec_str_eq(n->op->name, "transpose");
}

static bool is_score(const struct ec_graph *g, const struct ec_value *v, const struct ec_keeping *k)
{
    return v->producer >= 0 && ec__makes_scores(g->nodes[v->producer], k);
}

/* What a node keeps of an input: the input, or the copy of other width that autocast made of it. */
static double keep_input(const struct ec_graph *g, const struct ec_node *n, int i,
                         const struct ec_keeping *k)
{
    const struct ec_value *v = ec__owner(g, g->values[n->in[i]]);
    unsigned note = k->autocast ? k->notes->node[n->id] : 0;
    bool wide = k->autocast && k->notes->wide[v->id];

    if (is_score(g, v, k))
        return 0;
    if (v->kind != EC_V_PARAM && v->kind != EC_V_CONST && ec_dtype_is_float(v->type.dtype)) {
        if (note & EC_NOTE_CASTS_WIDE && wide)
            return 2 * ec_type_elems(&v->type);
        if (note & EC_NOTE_CASTS_NARROW && !wide)
            return 4 * ec_type_elems(&v->type);
    }
    return keep_once(v, k);
}

double ec__saved_bytes(const struct ec_graph *g, const struct ec_node *n,
                       const struct ec_keeping *k)
{
    struct ec_saved s = { 0 };
    struct ec_case c = ec_node_case(n);
    double bytes;
    int i;

    if (!n->op->saved || !g->values[n->out[0]]->requires_grad || ec__makes_scores(n, k))
        return 0;
    n->op->saved(&c, &s);
    bytes = s.extra_elems * k->elem_bytes + s.extra_bytes;
    for (i = 0; i < n->n_in; i++)
        if (s.in_mask & 1u << (i < 31 ? i : 31) || s.in_mask & 1u << 31)
            bytes += keep_input(g, n, i, k);
    for (i = 0; i < n->n_out && i < 31; i++)
        if (s.out_mask & 1u << i)
            bytes += keep_once(ec__owner(g, g->values[n->out[i]]), k);
    assert(bytes >= 0);
    return bytes;
}
