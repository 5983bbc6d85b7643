/* What a step needs to know of a graph beyond its operators: which values stay in float32 under
 * automatic mixed precision, and which nodes together are plain attention, which newer frameworks
 * run as one kernel. */
#include "cost/step_notes.h"

#include <string.h>

/* Kinds of operator under autocast. Products take halves and give halves; norms, softmax, losses,
 * powers and exponentials take and give float32; everything else gives the widest of what it reads.
 */
enum cast_rule { CAST_NARROW, CAST_NORM, CAST_SOFTMAX, CAST_WIDEST };

/* Whether a compiler joins the node's kernels to those of its neighbours. */
static unsigned passes_of(const struct ec_node *n, const struct ec_work *w)
{
    unsigned notes = w->n && !(n->op->flags & EC_OPF_PLACES) ? EC_NOTE_PASSES : 0u;
    int i;

    for (i = 0; i < w->n; i++)
        switch (w->kernel[i].kclass) {
        case EC_K_STREAM:
        case EC_K_SOFTMAX:
        case EC_K_NORM:
            notes &= w->kernel[i].flags & EC_KF_UNKNOWN ? 0u : ~0u;
            break;
        case EC_K_REDUCE:
            notes |= EC_NOTE_REDUCES;
            break;
        default:
            return 0;
        }
    return notes;
}

static enum cast_rule rule_of(const struct ec_node *n, unsigned *ret_passes)
{
    struct ec_case c = ec_node_case(n);
    enum cast_rule rule = n->op->flags & EC_OPF_FLOAT ? CAST_NORM : CAST_WIDEST;
    struct ec_work w;
    int i;

    w.n = 0;
    n->op->work(&c, EC_FORWARD, &w);
    *ret_passes = passes_of(n, &w);
    for (i = 0; i < w.n; i++) {
        if (w.kernel[i].flags & EC_KF_MATRIX)
            return CAST_NARROW;
        if (w.kernel[i].flags & EC_KF_FP32)
            rule = w.kernel[i].kclass == EC_K_NORM ? CAST_NORM : CAST_SOFTMAX;
    }
    return rule;
}

/* Tables that are read by index hold float32. */
static bool reads_table(const struct ec_node *n)
{
    return n->n_param > 0 && (n->op->flags & EC_OPF_INDEX_IN || ec_str_eq(n->op->name, "gather"));
}

/* A single number without dimensions takes the type of what it meets. */
static bool any_wide(const struct ec_graph *g, const struct ec_node *n, const unsigned char *wide)
{
    int i;

    for (i = 0; i < n->n_in; i++)
        if (wide[n->in[i]] && ec_dtype_is_float(g->values[n->in[i]]->type.dtype) &&
            g->values[n->in[i]]->type.shape.rank > 0)
            return true;
    return false;
}

static void find_wide(const struct ec_graph *g, struct ec_step_notes *ret)
{
    int i, k;

    for (i = 0; i < g->n_values; i++)
        ret->wide[i] = g->values[i]->producer < 0;
    for (i = 0; i < g->n_nodes; i++) {
        const struct ec_node *n = g->nodes[i];
        unsigned passes;
        enum cast_rule rule = rule_of(n, &passes);
        bool wide = rule == CAST_NORM || rule == CAST_SOFTMAX ||
                    (rule == CAST_WIDEST && (reads_table(n) || any_wide(g, n, ret->wide)));

        ret->node[i] = (unsigned short)((rule == CAST_NARROW ? EC_NOTE_CASTS_WIDE : 0) |
                                        (rule == CAST_NORM ? EC_NOTE_CASTS_NARROW : 0) |
                                        (wide ? EC_NOTE_WIDE : 0) | passes);
        for (k = 0; k < n->n_out; k++)
            ret->wide[n->out[k]] = wide;
    }
}

/* What is known of the memory order of a value. */
enum order {
    NO_MAP,
    MAP,        /* (n, c, h, w), in the memory format */
    MAP_LAST,   /* (n, c, h, w) that lies channels-last */
    MAP_TURNED, /* (n, h, w, c) */
};

/* Where a transpose puts the channels. */
enum turn { TURNS_NOTHING, TO_LAST, TO_SECOND };

static enum turn turn_of(const struct ec_node *n)
{
    static const int64_t last[] = { 0, 2, 3, 1 }, second[] = { 0, 3, 1, 2 };
    const struct ec_field *f;
    const struct ec_ints *perm;

    if (!ec_str_eq(n->op->name, "transpose"))
        return TURNS_NOTHING;
    f = ec_field_find(n->op->fields, ec_span_of("perm"));
    perm = (const void *)((const char *)n->attrs + f->offset);
    if (perm->n != 4)
        return TURNS_NOTHING;
    if (memcmp(perm->v, last, sizeof last) == 0)
        return TO_LAST;
    return memcmp(perm->v, second, sizeof second) == 0 ? TO_SECOND : TURNS_NOTHING;
}

/* The order of what a node reads; of several maps the one that lies channels-last. */
static enum order order_read(const struct ec_node *n, const unsigned char *order)
{
    enum order read = NO_MAP;
    int i;

    for (i = 0; i < n->n_in; i++)
        if (read != MAP_LAST && order[n->in[i]] != NO_MAP)
            read = (enum order)order[n->in[i]];
    return read;
}

static enum order order_made(const struct ec_node *n, enum order read)
{
    if (turn_of(n) == TO_LAST)
        return read == NO_MAP ? NO_MAP : MAP_TURNED;
    if (turn_of(n) == TO_SECOND)
        return read == MAP_TURNED ? MAP_LAST : NO_MAP;
    if (ec_str_starts(n->op->name, "conv"))
        return read == MAP_LAST ? MAP_LAST : MAP;
    return n->op->flags & EC_OPF_VIEW || ec_str_eq(n->op->name, "transpose") ||
                   ec_str_eq(n->op->name, "matmul")
               ? NO_MAP
               : read;
}

/* A transpose moves nothing, it only renames dimensions. A map whose channels were in the last
 * place, and then are in the second, lies channels-last, and so does what operators make of it. */
static enum ec_status find_last(const struct ec_graph *g, struct ec_step_notes *ret,
                                struct ec_err *err)
{
    unsigned char *order = ec_alloc((size_t)g->n_values + 1);
    int i, k;

    EC_PASS(ec_allocated(order, err));
    for (i = 0; i < g->n_nodes; i++) {
        const struct ec_node *n = g->nodes[i];
        enum order read = order_read(n, order), made = order_made(n, read);
        bool turns = made != NO_MAP && turn_of(n) != TURNS_NOTHING;

        if (read == MAP_LAST || made == MAP_LAST)
            ret->node[i] |= EC_NOTE_LAST;
        if (turns)
            ret->node[i] |= EC_NOTE_REORDER;
        for (k = 0; k < n->n_out; k++)
            order[n->out[k]] =
                (unsigned char)(g->values[n->out[k]]->type.shape.rank == 4 ? made : NO_MAP);
    }
    ec_free(order);
    return EC_OK;
}

static bool is_named(const struct ec_node *n, const char *const *names)
{
    while (*names && !ec_str_eq(n->op->name, *names))
        names++;
    return *names != NULL;
}

static const struct ec_node *producer(const struct ec_graph *g, int value)
{
    int at = g->values[value]->producer;

    return at < 0 ? NULL : g->nodes[at];
}

/* A copy that brings a product's input into place, which the one kernel does without. */
static void mark_copy(const struct ec_graph *g, int value, struct ec_step_notes *ret)
{
    const struct ec_node *n = producer(g, value);

    while (n && n->op->flags & EC_OPF_VIEW)
        n = producer(g, n->in[0]);
    if (n && ec_str_eq(n->op->name, "transpose"))
        ret->node[n->id] |= EC_NOTE_ATTENTION;
}

static const char *const scales[] = { "scale_scalar", NULL };

/* The scale that q or k may have before their product; NULL: none. */
static const struct ec_node *scale_of(const struct ec_graph *g, int value)
{
    const struct ec_node *n = producer(g, value);

    return n && is_named(n, scales) ? n : NULL;
}

static void mark_operand(const struct ec_graph *g, int value, bool scaled,
                         struct ec_step_notes *ret)
{
    const struct ec_node *scale = scaled ? scale_of(g, value) : NULL;

    if (scale)
        ret->node[scale->id] |= EC_NOTE_ATTENTION | EC_NOTE_OPERAND;
    mark_copy(g, scale ? scale->in[0] : value, ret);
}

/* Marks softmax(scale * q k') v where nothing comes between but a scale and a dropout: a mask or a
 * bias keeps the reference implementations from handing it over whole, but for a causal mask, which
 * is marked apart. With it the copies of q, k, v and of the result. The kernels take (n, heads, t,
 * d) only: what has another rank runs product by product. Scaled first, q alone of rank 3 is what
 * PyTorch 1 made of nn.MultiheadAttention, q and k both what PyTorch 2 exports of the one kernel.
 */
static void mark_attention(const struct ec_graph *g, const struct ec_node *product,
                           struct ec_step_notes *ret)
{
    static const char *const after[] = { "dropout", NULL }, *const softmax[] = { "softmax", NULL };
    static const char *const products[] = { "matmul", NULL }, *const masks[] = { "where", NULL };
    const struct ec_node *chain[6] = { product };
    unsigned short mark = EC_NOTE_ATTENTION;
    int n = 1, i, rank = g->values[product->out[0]]->type.shape.rank;
    bool scaled;

    chain[n] = producer(g, product->in[0]);
    if (chain[n] && is_named(chain[n], after))
        n++, chain[n] = producer(g, chain[n - 1]->in[0]);
    if (!chain[n] || !is_named(chain[n], softmax))
        return;
    n++, chain[n] = producer(g, chain[n - 1]->in[0]);
    if (chain[n] && is_named(chain[n], masks))
        mark = EC_NOTE_MASKED, n++, chain[n] = producer(g, chain[n - 1]->in[1]);
    if (chain[n] && is_named(chain[n], scales))
        n++, chain[n] = producer(g, chain[n - 1]->in[0]);
    if (!chain[n] || !is_named(chain[n], products))
        return;
    scaled = scale_of(g, chain[n]->in[0]) && (rank == 3 || scale_of(g, chain[n]->in[1]));
    if (rank != 4 && (rank != 3 || !scaled))
        return;
    for (i = 0; i <= n; i++)
        ret->node[chain[i]->id] |= (unsigned short)(mark | (i ? EC_NOTE_SCORES : 0));
    if (mark == EC_NOTE_MASKED)
        return;
    mark_copy(g, product->in[1], ret);
    mark_operand(g, chain[n]->in[0], scaled, ret);
    mark_operand(g, chain[n]->in[1], scaled, ret);
    for (i = product->id + 1; i < g->n_nodes; i++)
        if (g->nodes[i]->in[0] == product->out[0] && ec_str_eq(g->nodes[i]->op->name, "transpose"))
            ret->node[i] |= EC_NOTE_ATTENTION;
}

enum ec_status ec__step_notes(const struct ec_graph *g, struct ec_step_notes *ret,
                              struct ec_err *err)
{
    enum ec_status st;
    int i;

    memset(ret, 0, sizeof *ret);
    ret->wide = ec_alloc((size_t)g->n_values + 1);
    ret->node = ec_alloc(sizeof *ret->node * ((size_t)g->n_nodes + 1));
    ret->joint = ec_alloc(sizeof *ret->joint * ((size_t)g->n_nodes + 1));
    ret->joint_frac = ec_alloc(sizeof *ret->joint_frac * ((size_t)g->n_nodes + 1));
    ret->narrow = ec_alloc(sizeof *ret->narrow * ((size_t)g->n_nodes + 1));
    ret->again = ec_alloc(sizeof *ret->again * ((size_t)g->n_nodes + 1));
    ret->together = ec_alloc((size_t)g->n_values + 1);
    if (!ret->wide || !ret->node || !ret->joint || !ret->joint_frac || !ret->narrow ||
        !ret->again || !ret->together) {
        ec__step_notes_clear(ret);
        return ec_nomem(err);
    }
    find_wide(g, ret);
    EC_TRY(find_last(g, ret, err));
    for (i = 0; i < g->n_nodes; i++)
        if (g->nodes[i]->n_in == 2 && ec_str_eq(g->nodes[i]->op->name, "matmul"))
            mark_attention(g, g->nodes[i], ret);
out:
    if (st)
        ec__step_notes_clear(ret);
    return st;
}

void ec__step_notes_clear(struct ec_step_notes *n)
{
    ec_free(n->wide);
    ec_free(n->node);
    ec_free(n->joint);
    ec_free(n->joint_frac);
    ec_free(n->narrow);
    ec_free(n->again);
    ec_free(n->together);
    memset(n, 0, sizeof *n);
}
