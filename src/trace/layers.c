/* The trace of a network: which call is which of its nodes. */
#include "trace/trace_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace_names.h"

/* A call or a node that looks for its like. */
struct seeker {
    const char *kind;
    int size; /* logarithm of elements, in quarters: a bias more or less makes none */
    bool is_call;
    int at;
};

/* "conv2d n=32 ..." -> "conv2d"; what frameworks and networks call differently is one kind. */
static const char *kind_of(const char *text, struct ec_arena *a)
{
    static const char *const same[][2] = {
#define ALIKE(op, kind) { op, kind },
        TRACE_ALIKE(ALIKE)
#undef ALIKE
    };
    struct ec_span op = { text, strcspn(text, " ") };
    int i;

    for (i = 0; i < EC_LEN(same); i++)
        if (ec_span_eq(op, same[i][0]))
            return same[i][1];
    return ec_arena_strn(a, op.p, op.len);
}

static int size_of(double elems)
{
    return elems > 1 ? (int)lrint(4 * log2(elems)) : 0;
}

static int by_like(const void *a, const void *b)
{
    const struct seeker *x = a, *y = b;
    int order = strcmp(x->kind, y->kind);

    return order                      ? order
           : x->size != y->size       ? (x->size < y->size ? -1 : 1)
           : x->is_call != y->is_call ? (x->is_call ? 1 : -1)
                                      : (x->at > y->at) - (x->at < y->at);
}

static bool is_like(const struct seeker *x, const struct seeker *y)
{
    return x->size == y->size && ec_str_eq(x->kind, y->kind);
}

/* Pairs the first call of a kind and size with the first such node, the second with the second:
 * row, by that of the call, gets 1 more than that of the node. Returns how many are left, in front.
 */
static int pair(struct seeker *v, int n, int *row)
{
    int left = 0, from, calls, to, both, i;

    if (n)
        qsort(v, (size_t)n, sizeof *v, by_like);
    for (from = 0; from < n; from = to) {
        for (to = from; to < n && is_like(&v[from], &v[to]); to++)
            continue;
        for (calls = from; calls < to && !v[calls].is_call; calls++)
            continue;
        both = to - calls < calls - from ? to - calls : calls - from;
        for (i = 0; i < both; i++)
            row[v[calls + i].at] = v[from + i].at + 1;
        for (i = from + both; i < to; i++)
            if (i < calls || i >= calls + both)
                v[left++] = v[i];
    }
    return left;
}

/* Rows of nodes, of calls, of autocast's casts, of the update; and what seeks its like: how many,
 * -1: no memory. */
static int begin_rows(const struct ec_trace_ops *o, const struct ec_step_layers *l, double times,
                      struct ec_arena *a, struct ec_trace_layer *row, struct seeker *v)
{
    struct ec_trace_layer *rest = row + l->n + o->n_calls;
    int n = 0, i;

    for (i = 0; i < l->n + o->n_calls; i++) {
        const struct ec_node_time *node = i < l->n ? &l->v[i] : NULL;
        const struct ec_trace_op *op = node ? NULL : &o->v[o->call[i - l->n].op];

        row[i].kind = node                                      ? kind_of(node->op, a)
                      : !op->text                               ? "not mapped"
                      : ec_str_starts(op->text, "scale_scalar") ? "copies"
                                                                : kind_of(op->text, a);
        if (!row[i].kind)
            return -1;
        if (node) {
            row[i].name = node->name;
            row[i].predicted_ns[EC_TRACE_FORWARD] = node->forward_ns;
            row[i].predicted_ns[EC_TRACE_BACKWARD] = node->backward_ns;
            rest[1].predicted_ns[EC_TRACE_UPDATE] += node->update_ns;
        }
        if (node ? node->forward_ns > 0 : op->way == EC_TRACE_FORWARD && op->text) /* no views */
            v[n++] = (struct seeker){ row[i].kind,
                                      size_of(node ? node->forward_elems * times : op->elems),
                                      !node, i };
    }
    rest[0].kind = "copies";
    rest[0].predicted_ns[EC_TRACE_FORWARD] = l->casts_ns >= 1 ? l->casts_ns : 0; /* a difference */
    rest[1].kind = "update";
    return n;
}

enum ec_status ec_trace_layers(const struct ec_trace_ops *o, const struct ec_step_layers *l,
                               double times, struct ec_arena *a, struct ec_trace_layer **ret,
                               int *ret_n, struct ec_err *err)
{
    int n = l->n + o->n_calls + 2, n_left = 0, i;
    struct ec_trace_layer *row = ec_arena_alloc(a, sizeof *row * (size_t)n);
    struct seeker *v = ec_alloc(sizeof *v * (size_t)n);
    int *of = ec_alloc(sizeof *of * (size_t)n); /* by row of a call: that of its node; 0: none */
    enum ec_status st = EC_OK;

    n_left = row && v && of ? begin_rows(o, l, times, a, row, v) : -1;
    if (n_left < 0)
        EC_TRY(ec_nomem(err));
    n_left = pair(v, n_left, of);
    for (i = 0; i < n_left; i++)
        v[i].size = 0;
    (void)pair(v, n_left, of);
    for (i = 0; i < o->n_calls; i++) {
        const struct ec_trace_call *c = &o->call[i];
        enum ec_trace_way way =
            o->v[c->op].way == EC_TRACE_UNKNOWN ? EC_TRACE_FORWARD : o->v[c->op].way;
        int own = l->n + (c->forward >= 0 ? c->forward : i);
        struct ec_trace_layer *r = &row[way == EC_TRACE_UPDATE ? n - 1
                                        : of[own]              ? of[own] - 1
                                                               : own];

        r->is_paired |= of[own] > 0;
        r->measured_ns[way] += c->ns;
    }
    *ret = row;
    *ret_n = n;
out:
    ec_free(v);
    ec_free(of);
    return st;
}
