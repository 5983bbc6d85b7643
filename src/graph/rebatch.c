/* A network of another batch without building it, out of two that differ in their batch alone: what
 * is the same in both stays, what is in proportion to the batch follows it. If anything else
 * differs, they are no such pair. */
#include "graph/graph.h"

#include <assert.h>
#include <string.h>

struct pair {
    const struct ec_graph *a, *b;
    struct ec_graph *made;
};

/* Numbers of the new network; false: they follow no rule, or are too large. limit 0: none */
static bool follow(const struct pair *p, const int64_t *a, const int64_t *b, int n, double limit,
                   int64_t *ret)
{
    int i;

    for (i = 0; i < n; i++) {
        int64_t of_sample = a[i] / p->a->batch;

        ret[i] = a[i];
        if (a[i] != b[i] &&
            (of_sample * p->a->batch != a[i] || b[i] % p->b->batch != 0 ||
             b[i] / p->b->batch != of_sample || !ec_mul_i64(of_sample, p->made->batch, &ret[i]) ||
             (limit > 0 && (double)ret[i] > limit)))
            return false;
    }
    return true;
}

static bool follow_attr(const struct pair *p, const struct ec_field *f, const char *a,
                        const char *b, char *ret)
{
    const struct ec_ints *x = (const void *)a, *y = (const void *)b;

    switch (f->type) {
    case EC_F_INT:
        return follow(p, (const void *)a, (const void *)b, 1, f->max, (void *)ret);
    case EC_F_INTS:
        return x->n == y->n &&
               follow(p, x->v, y->v, x->n, f->max, ((struct ec_ints *)(void *)ret)->v);
    case EC_F_BOOL:
        return memcmp(a, b, sizeof(bool)) == 0;
    case EC_F_ENUM:
        return memcmp(a, b, sizeof(int)) == 0;
    case EC_F_DOUBLE:
        return memcmp(a, b, sizeof(double)) == 0;
    default:
        return false;
    }
}

/* The attributes of a node, which most networks of another batch share. */
static bool follow_attrs(const struct pair *p, const struct ec_node *a, const struct ec_node *b,
                         void **ret)
{
    const struct ec_field *f = a->op->fields;
    char *own;

    *ret = a->attrs;
    if (!f || memcmp(a->attrs, b->attrs, a->op->attrs_size) == 0)
        return true;
    *ret = own = ec_arena_copy(&p->made->arena, a->attrs, a->op->attrs_size);
    for (; own && f->name; f++)
        if (!follow_attr(p, f, (const char *)a->attrs + f->offset,
                         (const char *)b->attrs + f->offset, own + f->offset))
            return false;
    return own != NULL;
}

static bool same_ids(const int *a, const int *b, int n)
{
    return !n || memcmp(a, b, sizeof *a * (size_t)n) == 0;
}

static bool same_numbers(const double *a, const double *b, int64_t n)
{
    while (n > 0 && !(a[n - 1] < b[n - 1] || a[n - 1] > b[n - 1]))
        n--;
    return n == 0;
}

static bool same_contents(const struct ec_contents *a, const struct ec_contents *b)
{
    return a->rule == b->rule && a->n == b->n && same_numbers(a->arg, b->arg, EC_LEN(a->arg)) &&
           same_numbers(a->v, b->v, a->n);
}

static bool follow_value(const struct pair *p, int i, struct ec_value *ret)
{
    const struct ec_value *a = p->a->values[i], *b = p->b->values[i];
    const struct ec_shape *x = &a->type.shape, *y = &b->type.shape;
    int64_t count;

    *ret = *a;
    p->made->values[i] = ret;
    return a->kind == b->kind && a->producer == b->producer && a->trainable == b->trainable &&
           a->requires_grad == b->requires_grad && a->packed == b->packed && a->wide == b->wide &&
           same_numbers(&a->loss_weight, &b->loss_weight, 1) && ec_str_eq(a->name, b->name) &&
           same_contents(&a->contents, &b->contents) && a->type.dtype == b->type.dtype &&
           x->rank == y->rank && follow(p, x->d, y->d, x->rank, 0, ret->type.shape.d) &&
           ec_shape_count(&ret->type.shape, &count);
}

static bool follow_node(const struct pair *p, int i, struct ec_node *ret)
{
    const struct ec_node *a = p->a->nodes[i], *b = p->b->nodes[i];
    struct ec_arena *arena = &p->made->arena;
    int k;

    *ret = *a;
    p->made->nodes[i] = ret;
    ret->in_type = ec_arena_alloc(arena, sizeof *ret->in_type * (size_t)(a->n_in + 1));
    ret->out_type = ec_arena_alloc(arena, sizeof *ret->out_type * (size_t)a->n_out);
    if (!ret->in_type || !ret->out_type || a->op != b->op || a->n_in != b->n_in ||
        a->n_out != b->n_out || a->n_param != b->n_param || a->begins_block != b->begins_block)
        return false;
    for (k = 0; k < a->n_in; k++)
        ret->in_type[k] = &p->made->values[a->in[k]]->type;
    for (k = 0; k < a->n_out; k++)
        ret->out_type[k] = &p->made->values[a->out[k]]->type;
    return same_ids(a->in, b->in, a->n_in) && same_ids(a->out, b->out, a->n_out) &&
           same_ids(a->param, b->param, a->n_param) && ec_str_eq(a->name, b->name) &&
           follow_attrs(p, a, b, &ret->attrs);
}

/* Fills what is allocated. */
static bool follow_all(const struct pair *p)
{
    struct ec_graph *g = p->made;
    struct ec_value *v = ec_arena_alloc(&g->arena, sizeof *v * (size_t)(g->n_values + 1));
    struct ec_node *n = ec_arena_alloc(&g->arena, sizeof *n * (size_t)(g->n_nodes + 1));
    int i;

    if (!v || !n || !g->values || !g->nodes || !g->inputs || !g->outputs)
        return false;
    for (i = 0; i < g->n_values; i++)
        if (!follow_value(p, i, &v[i]))
            return false;
    for (i = 0; i < g->n_nodes; i++)
        if (!follow_node(p, i, &n[i]))
            return false;
    memcpy(g->inputs, p->a->inputs, sizeof *g->inputs * (size_t)g->n_inputs);
    memcpy(g->outputs, p->a->outputs, sizeof *g->outputs * (size_t)g->n_outputs);
    return same_ids(p->a->inputs, p->b->inputs, g->n_inputs) &&
           same_ids(p->a->outputs, p->b->outputs, g->n_outputs);
}

struct ec_graph *ec_graph_of_batch(struct ec_graph *a, const struct ec_graph *b, int64_t batch)
{
    struct ec_graph *g = ec_alloc(sizeof *g);
    struct pair p = { a, b, g };

    assert(!a->base && a->batch > 0 && b->batch > 0);
    if (!g || a->n_values != b->n_values || a->n_nodes != b->n_nodes ||
        a->n_inputs != b->n_inputs || a->n_outputs != b->n_outputs) {
        ec_free(g);
        return NULL;
    }
    *g = *a;
    g->base = a;
    a->users++;
    g->users = 0;
    g->batch = batch;
    g->arena = (struct ec_arena){ .max_bytes = a->arena.max_bytes };
    g->values = ec_alloc(sizeof *g->values * (size_t)g->cap_values);
    g->nodes = ec_alloc(sizeof *g->nodes * (size_t)g->cap_nodes);
    g->inputs = ec_alloc(sizeof *g->inputs * (size_t)g->cap_inputs);
    g->outputs = ec_alloc(sizeof *g->outputs * (size_t)g->cap_outputs);
    if (!follow_all(&p)) {
        ec_graph_free(g);
        g = NULL;
    }
    return g;
}
