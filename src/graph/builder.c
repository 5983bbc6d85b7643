/* The builder of zoo code: nodes from case words, a scope for names, a sticky failure. */
#include "graph/build_internal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fail(struct ec_builder *b, enum ec_status st)
{
    if (!b->st)
        b->st = st;
}

int ec_b_input(struct ec_builder *b, const char *name, enum ec_dtype t, int rank, ...)
{
    struct ec_type type = {
        {rank, { 0 }},
        t
    };
    va_list ap;
    int v = -1, i;

    assert(rank <= EC_RANK_MAX);
    va_start(ap, rank);
    for (i = 0; i < rank; i++)
        type.shape.d[i] = va_arg(ap, int64_t);
    va_end(ap);
    if (!b->st)
        fail(b, ec_graph_add_input(b->g, name, &type, &v, b->err));
    return v;
}

/* Takes `name=...` off the end of the words. */
static void node_name(const struct ec_builder *b, struct ec_span *words, struct ec_span op,
                      char *out, size_t size)
{
    static const char key[] = " name=";
    const char *hit = words->p ? strstr(words->p, key) : NULL;

    if (!hit) {
        (void)snprintf(out, size, "%s%.*s_%d", b->scope, (int)op.len, op.p, b->g->n_nodes);
        return;
    }
    (void)snprintf(out, size, "%s%s", b->scope, hit + sizeof key - 1);
    words->len = (size_t)(hit - words->p);
}

static enum ec_status add(struct ec_builder *b, const int *in, int n_in, const char *text,
                          struct ec_node **ret)
{
    struct ec_span rest = ec_span_of(text), word = { NULL, 0 };
    const struct ec_op *op;
    char name[256];
    void *attrs = NULL;

    (void)ec_span_cut(&rest, ' ', &word);
    op = ec_op_find(word);
    if (!op)
        return ec_fail(b->err, EC_E_NOT_FOUND, "no operator \"%.*s\"", (int)word.len, word.p);
    if (rest.p) { /* keep the blank that may stand before name= */
        rest.p--;
        rest.len++;
    }
    node_name(b, &rest, word, name, sizeof name);
    EC_PASS(ec_attrs_parse(op, rest, &b->g->arena, &attrs, b->err));
    return ec_graph_add_node(b->g, name, op, attrs, in, n_in, ret, b->err);
}

int ec_bn(struct ec_builder *b, const int *xs, int n, const char *words)
{
    struct ec_node *made = NULL;

    if (!b->st)
        fail(b, add(b, xs, n, words, &made));
    return b->st ? -1 : made->out[0];
}

int ec_b1(struct ec_builder *b, int x, const char *fmt, ...)
{
    char words[512];
    va_list ap;

    va_start(ap, fmt);
    (void)ec_vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    return ec_bn(b, &x, 1, words);
}

struct ec_node *ec_b_last(struct ec_builder *b)
{
    return b->st || !b->g->n_nodes ? NULL : b->g->nodes[b->g->n_nodes - 1];
}

int64_t ec_b_dim(const struct ec_builder *b, int value, int dim)
{
    const struct ec_shape *s;

    if (b->st || value < 0 || value >= b->g->n_values)
        return 0;
    s = &b->g->values[value]->type.shape;
    if (dim < 0)
        dim += s->rank;
    return dim >= 0 && dim < s->rank ? s->d[dim] : 0;
}

size_t ec_b_push(struct ec_builder *b, const char *name)
{
    size_t old = strlen(b->scope);

    (void)snprintf(b->scope + old, sizeof b->scope - old, "%s", name);
    return old;
}

void ec_b_pop(struct ec_builder *b, size_t old)
{
    assert(old < sizeof b->scope);
    b->scope[old] = '\0';
}
