/* What a step keeps from forward for backward: the rule `saved` of each operator, values counted
 * once.
 */
#include "cost/axes.h"
#include "cost/step_notes.h"

#include <assert.h>

double ec__value_bytes(const struct ec_value *v, const struct ec_keeping *k)
{
    double elem = !ec_dtype_is_float(v->type.dtype) ? (double)ec_dtype_bytes(v->type.dtype)
                  : v->wide || (k->autocast && k->notes->wide[v->id]) ? 4
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

/* The node that makes the memory of `v` if it is an operator of that name */
static const struct ec_node *made_by(const struct ec_graph *g, const struct ec_value *v,
                                     const char *name)
{
    const struct ec_node *n = v->producer >= 0 ? g->nodes[v->producer] : NULL;

    return n && n->n_in && ec__is_op(n, name) ? n : NULL;
}

static const struct ec_value *read_by(const struct ec_graph *g, const struct ec_node *n, int i)
{
    return ec__owner(g, g->values[n->in[i]]);
}

/* The value whose memory input `i` is. Kernels of attention read heads where they lie in the order
 * of tokens, and those that several share once; their result lies as their queries, so that it goes
 * back to that order by a view unless queries were put together in another. */
static const struct ec_value *held_input(const struct ec_graph *g, const struct ec_node *n, int i)
{
    const struct ec_value *v = read_by(g, n, i);
    const struct ec_node *from, *before;

    if (ec__is_op(n, "attention")) {
        while ((from = made_by(g, v, "transpose")) || (from = made_by(g, v, "tile")))
            v = read_by(g, from, 0);
        return v;
    }
    from = made_by(g, v, "transpose");
    before = from ? made_by(g, read_by(g, from, 0), "attention") : NULL;
    return before && !made_by(g, read_by(g, before, 0), "concat") ? read_by(g, from, 0) : v;
}

/* What only passes read and a pass makes of what it keeps, a compiler makes again in backward. */
static bool made_again(const struct ec_graph *g, const struct ec_value *v,
                       const struct ec_keeping *k)
{
    const struct ec_node *n = v->producer >= 0 ? g->nodes[v->producer] : NULL;
    struct ec_saved s = { 0 };
    struct ec_case c;

    if (!k->solid || k->solid[v->id] || !n || !n->op->saved || !v->requires_grad ||
        !(k->notes->node[n->id] & EC_NOTE_PASSES))
        return false;
    c = ec_node_case(n);
    n->op->saved(&c, &s);
    return s.in_mask & 1 && !(s.cross_mask & 1);
}

/* What a node keeps of an input: the input, or the copy of other width that was made of it. */
static double keep_input(const struct ec_graph *g, const struct ec_node *n, int i,
                         const struct ec_keeping *k)
{
    const struct ec_value *v = held_input(g, n, i);
    unsigned note = k->autocast ? k->notes->node[n->id] : 0;
    bool wide = k->autocast && k->notes->wide[v->id];
    bool copies = g->values[n->out[0]]->wide && !v->wide;

    if (is_score(g, v, k) || made_again(g, v, k))
        return 0;
    if (v->kind != EC_V_PARAM && v->kind != EC_V_CONST && ec_dtype_is_float(v->type.dtype)) {
        if (note & EC_NOTE_CASTS_WIDE && wide)
            return 2 * ec_type_elems(&v->type);
        if (copies || (note & EC_NOTE_CASTS_NARROW && !wide))
            return 4 * ec_type_elems(&v->type);
    }
    return keep_once(v, k);
}

/* Whether another input than `i`, or a parameter, is given a gradient. */
static bool others_train(const struct ec_graph *g, const struct ec_node *n, int i)
{
    int k;

    for (k = 0; k < n->n_in; k++)
        if (k != i && g->values[n->in[k]]->requires_grad)
            return true;
    for (k = 0; k < n->n_param; k++)
        if (g->values[n->param[k]]->trainable)
            return true;
    return false;
}

/* An RMS norm of several operators, as models in Python write it: its input in float32, and where
 * it has a trained weight, what that multiplies. */
static double composed_norm(const struct ec_graph *g, const struct ec_node *n,
                            const struct ec_case *c, const struct ec_keeping *k)
{
    const struct ec_value *x = ec__owner(g, g->values[n->in[0]]);
    double own = ec__value_bytes(x, k), wide = 4 * ec_type_elems(&x->type);

    return (own < wide ? wide : keep_once(x, k)) + (!others_train(g, n, 0)   ? 0
                                                    : ec_case_int(c, "wide") ? wide
                                                                             : own);
}

/* A window of attention is a mask in eager PyTorch, (n, 1, t, u), of which each layer makes
 * numbers. */
static double mask_bytes(const struct ec_case *c, const struct ec_keeping *k)
{
    double t = (double)c->in[0]->shape.d[c->in[0]->shape.rank - 2];
    double u = (double)c->in[1]->shape.d[c->in[1]->shape.rank - 2];
    double window = (double)ec_case_int(c, "window");

    return window > 0 && window < t ? k->elem_bytes * (double)ec_case_batch(c) * t * u : 0;
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
    if (k->composed && ec__is_op(n, "rms_norm"))
        return bytes + composed_norm(g, n, &c, k);
    if (k->composed && ec__is_op(n, "attention"))
        bytes += mask_bytes(&c, k);
    for (i = 0; i < n->n_in; i++) {
        unsigned bit = 1u << (i < 31 ? i : 31);

        if ((s.in_mask & bit || s.in_mask & 1u << 31) &&
            (!(s.cross_mask & bit) || others_train(g, n, i)))
            bytes += keep_input(g, n, i, k);
    }
    for (i = 0; i < n->n_out && i < 31; i++)
        if (s.out_mask & 1u << i)
            bytes += keep_once(ec__owner(g, g->values[n->out[i]]), k);
    assert(bytes >= 0);
    return bytes;
}
