/* Where activation checkpointing cuts a network, by its graph alone: people wrap blocks, whatever
 * the precision, the framework and the optimizer. The cuts are those with which the most that is
 * kept at one moment is least: what crosses the cuts, and what backward needs of one segment. */
#include "cost/recompute.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Bounds on a segment that are tried: all that is kept, and by this factor less each time. */
#define BOUNDS 32
#define BOUND_STEP 0.85
#define WORTH 0.97 /* more cuts must take the bytes to this share, so that blocks stay whole */

struct cutter {
    const struct ec_graph *g;
    int n;         /* nodes that are cut: those before the head */
    double *kept;  /* n_nodes + 1: what the nodes before keep, in sum */
    double *cross; /* per node: what is made before it and read by it or behind it */
    double *least; /* n_nodes + 1: bytes across the cuts of the nodes before, at least */
    int *from;     /* n_nodes + 1: the cut before, for that */
    int *queue;
};

/* Attention counts as one kernel, with a causal mask or without: scores are kept nowhere. */
static enum ec_status count_kept(struct cutter *c, const struct ec_step_notes *notes,
                                 struct ec_err *err)
{
    size_t n_nodes = (size_t)c->g->n_nodes;
    struct ec_step_notes fused = *notes;
    struct ec_keeping keeping = { .elem_bytes = 4, .notes = &fused };
    enum ec_status st = EC_OK;
    int i;

    keeping.kept = ec_alloc((size_t)c->g->n_values + 1);
    fused.node = ec_alloc(sizeof *fused.node * (n_nodes + 1));
    EC_TRY(ec_allocated(keeping.kept && fused.node, err));
    for (i = 0; i < c->g->n_nodes; i++)
        fused.node[i] = (unsigned short)(notes->node[i] |
                                         (notes->node[i] & EC_NOTE_MASKED ? EC_NOTE_ATTENTION : 0));
    for (i = 0; i < c->g->n_nodes; i++)
        c->kept[i + 1] = c->kept[i] + ec__saved_bytes(c->g, c->g->nodes[i], &keeping);
out:
    ec_free(fused.node);
    ec_free(keeping.kept);
    return st;
}

static void find_readers(const struct ec_graph *g, int *last)
{
    int i, k;

    for (i = 0; i < g->n_values; i++)
        last[i] = -1;
    for (i = 0; i < g->n_nodes; i++)
        for (k = 0; k < g->nodes[i]->n_in; k++)
            last[ec__owner(g, g->values[g->nodes[i]->in[k]])->id] = i;
}

static void count_crossing(struct cutter *c, const int *last)
{
    const struct ec_keeping keeping = { .elem_bytes = 4 };
    double sum = 0;
    int i;

    for (i = 0; i < c->g->n_values; i++) {
        const struct ec_value *v = c->g->values[i];

        if (v->producer < 0 || last[i] <= v->producer)
            continue;
        c->cross[v->producer + 1] += ec__value_bytes(v, &keeping);
        if (last[i] + 1 < c->g->n_nodes)
            c->cross[last[i] + 1] -= ec__value_bytes(v, &keeping);
    }
    for (i = 0; i < c->g->n_nodes; i++)
        c->cross[i] = sum += c->cross[i];
}

/* Where the head begins, which nobody wraps: behind the last node that joins values, as a block's
 * addition, if a layer with weights is there; where none joins, with the last layer. */
static int head_of(const struct ec_graph *g)
{
    int i, joint = -1, layer = g->n_nodes;

    for (i = 0; i < g->n_nodes; i++) {
        joint = g->nodes[i]->n_in > 1 ? i : joint;
        layer = g->nodes[i]->n_param ? i : layer;
    }
    return layer < joint ? g->n_nodes : joint < 0 ? layer : joint + 1;
}

/* The cheapest cuts between segments that keep at most `bound` each. Of equal ones those further
 * back are taken: segments are as long as they may be. Returns the bytes across, at most. */
static double cut(struct cutter *c, double bound)
{
    int first = 0, n = 0, lo = 0, i;

    c->least[0] = 0;
    for (i = 1; i <= c->n; i++) {
        double own = c->least[i - 1] + (i > 1 ? c->cross[i - 1] : 0);

        while (n > first && c->least[c->queue[n - 1]] > own)
            n--;
        c->queue[n++] = i - 1;
        c->least[i - 1] = own; /* from here on with its own cut */
        while (lo < i - 1 && c->kept[i] - c->kept[lo] > bound)
            lo++;
        while (c->queue[first] < lo)
            first++;
        c->from[i] = c->queue[first];
        c->least[i] = c->least[c->from[i]];
    }
    return c->least[c->n];
}

/* Cuts where blocks begin, if the graph says where; false: it does not. */
static bool cut_at_blocks(struct cutter *c)
{
    int i, begin = 0;

    for (i = 0; i < c->n; i++) {
        if (c->g->nodes[i]->begins_block && i > 0) {
            c->from[i] = begin;
            begin = i;
        }
    }
    c->from[c->n] = begin;
    return begin > 0;
}

static double largest_segment(const struct cutter *c)
{
    double most = 0;
    int i;

    for (i = c->n; i > 0; i = c->from[i])
        most = fmax(most, c->kept[i] - c->kept[c->from[i]]);
    return most;
}

/* Leaves the best cuts in c->from. */
static void find_cuts(struct cutter *c)
{
    double all = c->kept[c->n], bound = all, best = all, best_bound = all, most;
    int i;

    if (cut_at_blocks(c))
        return;
    for (i = 0; i < BOUNDS; i++) {
        bound *= BOUND_STEP;
        most = cut(c, bound) + largest_segment(c);
        if (most < WORTH * best) {
            best = most;
            best_bound = bound;
        }
    }
    (void)cut(c, best_bound);
}

/* Behind the last node of a segment that runs again. Frameworks stop at the last tensor that
 * backward needs: at what a node reads before the node runs, at what it makes after. */
static int end_of_run(const struct ec_graph *g, int begin, int end)
{
    struct ec_case c;
    int i;

    for (i = end - 1; i >= begin; i--) {
        const struct ec_node *n = g->nodes[i];
        struct ec_saved s = { 0 };

        if (!n->op->saved || !g->values[n->out[0]]->requires_grad)
            continue;
        c = ec_node_case(n);
        n->op->saved(&c, &s);
        if (s.out_mask || s.extra_elems > 0 || s.extra_bytes > 0)
            return i + 1;
        if (s.in_mask)
            return i;
    }
    return begin;
}

/* Selective recomputation keeps the results of attention and of every second product with
 * parameters, as torchtitan does. Of attention that several kernels compute, scores take more
 * memory than time and are computed again (Korthikanti et al. 2022). */
static void keep_products(const struct ec_graph *g, const struct ec_conditions *cond,
                          const struct ec_step_notes *notes, struct ec_segments *s)
{
    bool fuses = ec_frameworks[cond->framework].fuses_attention;
    int i, k, products = 0;

    for (i = 0; cond->recompute == EC_RECOMPUTE_SELECTIVE && i < s->head; i++) {
        const struct ec_node *n = g->nodes[i];

        if (notes->node[i] & EC_NOTE_SCORES)
            s->stays[i] = fuses;
        else if (notes->node[i] & EC_NOTE_CASTS_WIDE)
            s->stays[i] = !n->n_param || products++ % 2 == 0;
        for (k = 0; k < n->n_out && s->stays[i]; k++)
            s->crosses[n->out[k]] = 1;
    }
    for (i = 0; i < g->n_outputs; i++) /* the loss has them */
        s->crosses[ec__owner(g, g->values[g->outputs[i]])->id] = 0;
}

static enum ec_status take_segments(const struct cutter *c, const int *last,
                                    struct ec_segments *ret, struct ec_err *err)
{
    const struct ec_graph *g = c->g;
    int i, at;

    ret->of_node = ec_alloc(sizeof *ret->of_node * ((size_t)g->n_nodes + 1));
    ret->v = ec_alloc(sizeof *ret->v * ((size_t)g->n_nodes + 1));
    ret->crosses = ec_alloc((size_t)g->n_values + 1);
    ret->stays = ec_alloc((size_t)g->n_nodes + 1);
    EC_PASS(ec_allocated(ret->of_node && ret->v && ret->crosses && ret->stays, err));
    ret->head = c->n;
    for (i = c->n; i > 0; i = c->from[i])
        ret->n++;
    for (i = c->n, at = ret->n; i > 0; i = c->from[i])
        ret->v[--at] = (struct ec_segment){ c->from[i], i, end_of_run(g, c->from[i], i) };
    if (c->n < g->n_nodes)
        ret->v[ret->n++] = (struct ec_segment){ c->n, g->n_nodes, c->n };
    assert(at == 0 && (!ret->n || ret->v[0].begin == 0)); /* they cover the network */
    for (at = 0; at < ret->n; at++)
        for (i = ret->v[at].begin; i < ret->v[at].end; i++)
            ret->of_node[i] = at;
    for (i = 0; i < g->n_values; i++)
        ret->crosses[i] = g->values[i]->producer >= 0 && last[i] >= 0 &&
                          ret->of_node[last[i]] != ret->of_node[g->values[i]->producer];
    return EC_OK;
}

enum ec_status ec__segments_find(const struct ec_graph *g, const struct ec_conditions *cond,
                                 const struct ec_step_notes *notes, struct ec_segments *ret,
                                 struct ec_err *err)
{
    size_t n = (size_t)g->n_nodes + 1;
    struct cutter c = { .g = g, .n = head_of(g) };
    struct ec_segments found = { 0 };
    struct ec_arena a = { 0 };
    enum ec_status st = EC_OK;
    int *last = ec_arena_alloc(&a, sizeof *last * ((size_t)g->n_values + 1));

    c.kept = ec_arena_alloc(&a, sizeof *c.kept * n);
    c.cross = ec_arena_alloc(&a, sizeof *c.cross * n);
    c.least = ec_arena_alloc(&a, sizeof *c.least * n);
    c.from = ec_arena_alloc(&a, sizeof *c.from * n);
    c.queue = ec_arena_alloc(&a, sizeof *c.queue * n);
    EC_TRY(ec_allocated(last && c.kept && c.cross && c.least && c.from && c.queue, err));
    find_readers(g, last);
    EC_TRY(count_kept(&c, notes, err));
    count_crossing(&c, last);
    find_cuts(&c);
    EC_TRY(take_segments(&c, last, &found, err));
    keep_products(g, cond, notes, &found);
    *ret = found;
    memset(&found, 0, sizeof found);
out:
    ec__segments_clear(&found);
    ec_arena_clear(&a);
    return st;
}

void ec__segments_clear(struct ec_segments *s)
{
    ec_free(s->of_node);
    ec_free(s->v);
    ec_free(s->crosses);
    ec_free(s->stays);
    memset(s, 0, sizeof *s);
}
