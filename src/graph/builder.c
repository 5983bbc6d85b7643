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

static struct ec_type type_of(enum ec_dtype t, int rank, va_list ap)
{
    struct ec_type type = {
        {rank, { 0 }},
        t
    };
    int i;

    assert(rank <= EC_RANK_MAX);
    for (i = 0; i < rank; i++)
        type.shape.d[i] = va_arg(ap, int64_t);
    return type;
}

int ec_b_input(struct ec_builder *b, const char *name, enum ec_dtype t, int rank, ...)
{
    struct ec_type type;
    va_list ap;
    int v = -1;

    va_start(ap, rank);
    type = type_of(t, rank, ap);
    va_end(ap);
    if (!b->st)
        fail(b, ec_graph_add_input(b->g, name, &type, &v, b->err));
    return v;
}

int ec_b_param(struct ec_builder *b, const char *name, int rank, ...)
{
    struct ec_type type;
    char full[256];
    va_list ap;
    int v = -1;

    va_start(ap, rank);
    type = type_of(EC_DT_f32, rank, ap);
    va_end(ap);
    (void)snprintf(full, sizeof full, "%s%s", b->scope, name);
    if (!b->st)
        fail(b, ec_graph_add_param(b->g, full, &type, true, &v, b->err));
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
    enum ec_status st;
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
    EC_TRY(ec_attrs_parse(op, rest, &b->g->arena, &attrs, b->err));
    EC_TRY(ec_graph_add_node(b->g, name, op, attrs, in, n_in, ret, b->err));
out:
    return st;
}

EC_PRINTF(4, 0)
static int add_va(struct ec_builder *b, const int *in, int n_in, const char *fmt, va_list ap)
    EC_PRINTF(4, 0);

static int add_va(struct ec_builder *b, const int *in, int n_in, const char *fmt, va_list ap)
{
    struct ec_node *n = NULL;
    char text[512];

    if (b->st)
        return -1;
    (void)ec_vsnprintf(text, sizeof text, fmt, ap);
    fail(b, add(b, in, n_in, text, &n));
    return b->st ? -1 : n->out[0];
}

int ec_b1(struct ec_builder *b, int x, const char *fmt, ...)
{
    va_list ap;
    int v;

    va_start(ap, fmt);
    v = add_va(b, &x, 1, fmt, ap);
    va_end(ap);
    return v;
}

int ec_b2(struct ec_builder *b, int x, int y, const char *fmt, ...)
{
    int in[2] = { x, y };
    va_list ap;
    int v;

    va_start(ap, fmt);
    v = add_va(b, in, 2, fmt, ap);
    va_end(ap);
    return v;
}

int ec_bn(struct ec_builder *b, const int *xs, int n, const char *fmt, ...)
{
    va_list ap;
    int v;

    va_start(ap, fmt);
    v = add_va(b, xs, n, fmt, ap);
    va_end(ap);
    return v;
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

static size_t EC_PRINTF(2, 0) push(struct ec_builder *b, const char *fmt, va_list ap)
{
    size_t old = strlen(b->scope);

    (void)ec_vsnprintf(b->scope + old, sizeof b->scope - old, fmt, ap);
    return old;
}

size_t ec_b_push(struct ec_builder *b, const char *fmt, ...)
{
    va_list ap;
    size_t old;

    va_start(ap, fmt);
    old = push(b, fmt, ap);
    va_end(ap);
    return old;
}

void ec_b_pop(struct ec_builder *b, size_t old)
{
    assert(old < sizeof b->scope);
    b->scope[old] = '\0';
}
