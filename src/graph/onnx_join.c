/* What an exporter took apart and frameworks run as one, in the finished graph: torch.chunk becomes
 * a Slice for each part, and the padding of a pool a Pad of its own. */
#include "graph/onnx_internal.h"

#include <string.h>

struct joining {
    struct ec_graph *g;
    int *before;  /* per node: the part before it; -1: it is the first */
    int *last;    /* per value: the node that cuts the last part of it so far; -1: none */
    int *uses;    /* per value */
    int64_t *end; /* per value: where its last part ends */
};

static bool is(const struct ec_node *n, const char *op)
{
    return n && ec_str_eq(n->op->name, op);
}

/* A slice of one axis that leaves nothing out between its first and its last element. */
static bool is_part(const struct ec_node *n, int *ret_axis, int64_t *ret_from)
{
    struct ec_case c = ec_node_case(n);
    const struct ec_ints *axes, *starts, *steps;

    if (!is(n, "slice"))
        return false;
    axes = ec_case_ints(&c, "axes");
    starts = ec_case_ints(&c, "starts");
    steps = ec_case_ints(&c, "steps");
    if (starts->n != 1 || starts->v[0] < 0 || (steps->n && steps->v[0] != 1))
        return false;
    *ret_axis = axes->n ? (int)axes->v[0] : 0;
    if (*ret_axis < 0)
        *ret_axis += n->in_type[0]->shape.rank;
    *ret_from = starts->v[0];
    return true;
}

/* The parts up to `n` become the outputs of one split, where the first of them stood. */
static enum ec_status split(struct joining *j, const struct ec_node *n, int axis,
                            struct ec_err *err)
{
    struct ec_graph *g = j->g;
    struct ec_node *made = ec_arena_alloc(&g->arena, sizeof *made);
    int parts = 1, at, i;
    struct ec_buf words = EC_BUF_INIT;
    enum ec_status st = EC_OK;

    for (at = n->id; j->before[at] >= 0; at = j->before[at])
        parts++;
    if (parts > EC_INTS_MAX)
        return EC_OK;
    EC_TRY(ec_allocated(made, err));
    *made = *g->nodes[at];
    made->n_out = parts;
    made->op = ec_op_find(ec_span_of("split"));
    made->out = ec_arena_alloc(&g->arena, (size_t)parts * sizeof *made->out);
    made->out_type = ec_arena_alloc(&g->arena, (size_t)parts * sizeof *made->out_type);
    EC_TRY(ec_allocated(made->out && made->out_type, err));
    for (at = n->id, i = parts - 1; at >= 0; at = j->before[at], i--) {
        made->out[i] = g->nodes[at]->out[0];
        made->out_type[i] = g->nodes[at]->out_type[0];
        g->nodes[at] = i ? NULL : made;
    }
    ec_buf_printf(&words, " axis=%d sizes=", axis);
    for (i = 0; i < parts; i++)
        ec_buf_printf(&words, "%s%lld", i ? "," : "", (long long)made->out_type[i]->shape.d[axis]);
    EC_TRY(ec_buf_status(&words, err));
    EC_TRY(ec_attrs_parse(made->op, (struct ec_span){ words.data, words.len }, &g->arena,
                          &made->attrs, err));
out:
    ec_buf_clear(&words);
    return st;
}

static enum ec_status take_part(struct joining *j, const struct ec_node *n, struct ec_err *err)
{
    int axis, x = n->in[0], last = j->last[x], last_axis = -1;
    int64_t from, last_from;

    if (!is_part(n, &axis, &from))
        return EC_OK;
    if (from && (last < 0 || from != j->end[x] ||
                 !is_part(j->g->nodes[last], &last_axis, &last_from) || axis != last_axis))
        return EC_OK;
    j->before[n->id] = from ? last : -1;
    j->last[x] = n->id;
    j->end[x] = from + n->out_type[0]->shape.d[axis];
    if (!from || j->end[x] != n->in_type[0]->shape.d[axis])
        return EC_OK;
    j->last[x] = -1;
    return split(j, n, axis, err);
}

static void *attr(const struct ec_node *n, const char *key)
{
    return (char *)n->attrs + ec_field_find(n->op->fields, ec_span_of(key))->offset;
}

static struct ec_node *maker(const struct joining *j, int value)
{
    int at = j->g->values[value]->producer;

    return at < 0 ? NULL : j->g->nodes[at];
}

static bool swaps(const struct ec_node *n)
{
    const struct ec_ints *perm = is(n, "transpose") ? attr(n, "perm") : NULL;

    return perm && perm->n == 3 && perm->v[0] == 1 && perm->v[1] == 0;
}

/* Layers that take samples first, and inside time first, swap the two in front of their first dense
 * layer and behind their last: that renames dimensions, no kernel runs. */
static void take_swap(struct joining *j, struct ec_node *n)
{
    struct ec_node *from = maker(j, n->in[0]);

    if (is(n, "linear") && swaps(from))
        from->op = ec_op_find(ec_span_of("permute"));
    if (is(from, "reshape"))
        from = maker(j, from->in[0]);
    if (swaps(n) && is(from, "linear"))
        n->op = ec_op_find(ec_span_of("permute"));
}

/* A mean over windows of what was padded with zeros, evenly on both sides, pads itself. */
static void take_pad(struct joining *j, struct ec_node *pool)
{
    const struct ec_node *pad = maker(j, pool->in[0]);
    struct ec_case c = ec_node_case(pool);
    const struct ec_ints *pads, *own;
    struct ec_ints side = { 0 };
    int i, rank = pool->in_type[0]->shape.rank;

    if (!ec_str_starts(pool->op->name, "avg_pool") || !is(pad, "pad") ||
        j->uses[pool->in[0]] != 1 || *(int *)attr(pad, "mode") || *(bool *)attr(pool, "ceil"))
        return;
    pads = attr(pad, "pads");
    own = ec_case_ints(&c, "pad");
    if (own->n != 1 || own->v[0])
        return;
    for (i = 0; i < rank; i++) {
        if (pads->v[i] != pads->v[rank + i] || pads->v[i] < 0 || (i < 2 && pads->v[i]))
            return;
        if (i >= 2)
            side.v[side.n++] = pads->v[i];
    }
    *(struct ec_ints *)attr(pool, "pad") = side;
    *(bool *)attr(pool, "count_include_pad") = true;
    pool->in[0] = pad->in[0];
    pool->in_type[0] = pad->in_type[0];
    j->g->nodes[pad->id] = NULL;
}

static void close_gaps(struct ec_graph *g)
{
    int i, k, n = 0;

    for (i = 0; i < g->n_nodes; i++) {
        if (!g->nodes[i])
            continue;
        g->nodes[n] = g->nodes[i];
        g->nodes[n]->id = n;
        for (k = 0; k < g->nodes[n]->n_out; k++)
            g->values[g->nodes[n]->out[k]]->producer = n;
        n++;
    }
    g->n_nodes = n;
}

enum ec_status ec__onnx_join(struct onnx_conv *c, struct ec_err *err)
{
    struct ec_graph *g = c->g;
    struct joining j = { .g = g };
    int i, k;

    j.before = ec__onnx_list(c->a, g->n_nodes, sizeof *j.before);
    j.last = ec__onnx_list(c->a, g->n_values, sizeof *j.last);
    j.uses = ec__onnx_list(c->a, g->n_values, sizeof *j.uses);
    j.end = ec__onnx_list(c->a, g->n_values, sizeof *j.end);
    EC_PASS(ec_allocated(j.before && j.last && j.uses && j.end, err));
    memset(j.last, 0xff, (size_t)g->n_values * sizeof *j.last);
    for (i = 0; i < g->n_outputs; i++)
        j.uses[g->outputs[i]]++;
    for (i = 0; i < g->n_nodes; i++)
        for (k = 0; k < g->nodes[i]->n_in; k++)
            j.uses[g->nodes[i]->in[k]]++;
    for (i = 0; i < g->n_nodes; i++) {
        if (g->nodes[i]->n_in < 1)
            continue;
        take_pad(&j, g->nodes[i]);
        take_swap(&j, g->nodes[i]);
        EC_PASS(take_part(&j, g->nodes[i], err));
    }
    close_gaps(g);
    return ec__graph_in_order(g, err);
}
