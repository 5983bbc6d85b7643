/* Frameworks run GELU, layer norm and their like as one operator; exporters write them as many
 * primitive nodes. Every node is a kernel to the predictor, so the patterns are put back together.
 *
 * A pattern is a term over node outputs, matched from its last node backwards:
 *   Op(a,b)   the output of a node of that type; Add and Mul match in either order
 *   x=Op(..)  the same, remembered as x          x   any value; the same one at each occurrence
 *   @w        a parameter, remembered as w       #   a one-element constant; #3 with that value
 *   ?         anything
 * Inputs beyond those written are ignored. Inner nodes may have no other use. */
#include "graph/onnx_internal.h"

#include <math.h>
#include <string.h>

#include "onnx_patterns.h"

struct pattern {
    const char *term;
    const char *becomes; /* operator type; rules of that name take it from here */
    const char *inputs;  /* remembered letters, in the order of its inputs */
};

/* clang-format off */
#define ROW(...) { __VA_ARGS__ },
static const struct pattern patterns[] = { ONNX_PATTERNS(ROW) };
/* clang-format on */

#define MATCH_MAX 24

struct match {
    const struct onnx_model *m;
    int var[26]; /* value bound to each letter; -1: none */
    int n;
    int node[MATCH_MAX], refs[MATCH_MAX]; /* inner nodes, and how often the pattern meets them */
};

/* Moves past one element of the term. */
static const char *skip(const char *p)
{
    int depth = 0;

    for (; *p && !(depth == 0 && (*p == ',' || *p == ')')); p++) {
        depth += *p == '(';
        depth -= *p == ')';
    }
    return p;
}

static bool note_ref(struct match *k, int value)
{
    int node = k->m->values[value].producer, i;

    for (i = 0; i < k->n; i++)
        if (k->node[i] == node) {
            k->refs[i]++;
            return true;
        }
    return false;
}

static bool bind(struct match *k, char letter, int value)
{
    int *var = &k->var[letter - 'a'];

    if (*var >= 0) {
        if (*var == value)
            (void)note_ref(k, value);
        return *var == value;
    }
    *var = value;
    return true;
}

static bool is_one_of(const struct onnx_node *n, const char *const *ops)
{
    for (; *ops; ops++)
        if (ec__onnx_is(n, *ops))
            return true;
    return false;
}

/* The value that a parameter has behind operators that only change its shape; else `value`. */
static int unshaped(const struct onnx_model *m, int value)
{
    static const char *const through[] = { "Cast",    "Identity", "Unsqueeze",
                                           "Squeeze", "Reshape",  NULL };
    int hops, at = value;

    for (hops = 0; hops < 3 && m->values[at].producer >= 0; hops++) {
        const struct onnx_node *n = &m->nodes[m->values[at].producer];

        if (!is_one_of(n, through) || ec__onnx_in(n, 0) < 0)
            return value;
        at = n->in[0];
    }
    return m->values[at].is_param ? at : value;
}

static bool is_param(const struct onnx_model *m, int value)
{
    const struct onnx_value *v = &m->values[unshaped(m, value)];
    const struct onnx_node *n = v->producer < 0 ? NULL : &m->nodes[v->producer];

    if (n && ec__onnx_is(n, "Transpose") && ec__onnx_in(n, 0) >= 0)
        v = &m->values[n->in[0]];
    return v->is_param;
}

static bool match_constant(const struct match *k, int value, const char *p)
{
    int64_t want;
    double v;

    if (!ec__onnx_scalar(k->m, value, &v))
        return false;
    if (p[1] < '0' || p[1] > '9')
        return true;
    want = p[1] - '0';
    return fabs(v - (double)want) < 1e-3;
}

static bool match_value(struct match *k, int value, const char *p);

static bool match_args(struct match *k, const struct onnx_node *n, const char *p)
{
    bool swaps = ec__onnx_is(n, "Add") || ec__onnx_is(n, "Mul");
    const char *second = skip(p);
    struct match saved = *k;
    int i = 0;

    if (swaps && *second == ',' && n->n_in == 2) {
        second++;
        if (match_value(k, n->in[0], p) && match_value(k, n->in[1], second))
            return true;
        *k = saved;
        return match_value(k, n->in[1], p) && match_value(k, n->in[0], second);
    }
    for (;; p++) {
        if (i >= n->n_in || !match_value(k, n->in[i++], p))
            return false;
        p = skip(p);
        if (*p != ',')
            return true;
    }
}

static bool match_node(struct match *k, int value, const char *p)
{
    const char *paren = strchr(p, '(');
    int node = k->m->values[value].producer;
    const struct onnx_node *n;

    if (!paren || node < 0 || k->n == MATCH_MAX)
        return false;
    n = &k->m->nodes[node];
    if (n->dead || n->domain.len || n->op.len != (size_t)(paren - p) ||
        memcmp(n->op.p, p, n->op.len) != 0 || n->out[0] != value)
        return false;
    if (note_ref(k, value))
        return false; /* the pattern would meet one node as two */
    k->node[k->n] = node;
    k->refs[k->n++] = 1;
    return match_args(k, n, paren + 1);
}

static bool match_value(struct match *k, int value, const char *p)
{
    if (value < 0)
        return false;
    if (*p == '?')
        return true;
    if (*p == '#')
        return match_constant(k, value, p);
    if (*p == '@')
        return is_param(k->m, value) && bind(k, p[1], unshaped(k->m, value));
    if (*p >= 'a' && *p <= 'z' && p[1] == '=')
        return match_node(k, value, p + 2) && bind(k, *p, value);
    if (*p >= 'a' && *p <= 'z')
        return bind(k, *p, value);
    return match_node(k, value, p);
}

/* Inner nodes (all but the first, the root) must serve the pattern alone. */
static bool is_closed(const struct match *k)
{
    int i, o;

    for (i = 1; i < k->n; i++) {
        const struct onnx_node *n = &k->m->nodes[k->node[i]];

        for (o = 0; o < n->n_out; o++) {
            const struct onnx_value *v = n->out[o] < 0 ? NULL : &k->m->values[n->out[o]];

            if (v && (v->is_output || v->n_uses != (o == 0 ? k->refs[i] : 0)))
                return false;
        }
    }
    return true;
}

static int rank_of(const struct onnx_model *m, int value)
{
    enum ec_dtype dtype;
    int rank = -1, hops;

    for (hops = 0; hops < 3 && value >= 0; hops++) {
        if (ec__onnx_declared(m, value, &rank, &dtype))
            return rank;
        value = m->values[value].producer < 0
                    ? -1
                    : ec__onnx_in(&m->nodes[m->values[value].producer], 0);
    }
    return -1;
}

/* x W + b is a fully connected layer when W is a matrix and b a vector. */
static bool makes_sense(const struct match *k, const struct pattern *p)
{
    if (strcmp(p->becomes, "epochcast.Linear") != 0)
        return true;
    return rank_of(k->m, k->var['w' - 'a']) == 2 && rank_of(k->m, k->var['b' - 'a']) == 1;
}

/* How many dimensions the norm reduces: the length of ReduceMean's axes. */
static int reduced_dims(const struct match *k)
{
    int i;

    for (i = 0; i < k->n; i++) {
        const struct onnx_node *n = &k->m->nodes[k->node[i]];
        const struct onnx_attr *at = ec__onnx_attr(n, "axes");

        if (ec__onnx_is(n, "ReduceMean"))
            return at && at->n_ints > 0 && at->n_ints < EC_RANK_MAX ? at->n_ints : 1;
    }
    return 1;
}

/* What the pattern adds to the mean of squares, or what the norm inside of it says. */
static bool epsilon_of(const struct match *k, double *ret)
{
    int i, slot;

    for (i = 0; i < k->n; i++) {
        const struct onnx_node *n = &k->m->nodes[k->node[i]];

        *ret = ec__onnx_attr_float(n, "epsilon", 1e-5);
        if (ec__onnx_is(n, "InstanceNormalization"))
            return true;
        for (slot = 0; slot < 2 && ec__onnx_is(n, "Add") && n->n_in == 2; slot++) {
            int from = n->in[slot] < 0 ? -1 : k->m->values[n->in[slot]].producer;

            if (from >= 0 && ec__onnx_is(&k->m->nodes[from], "ReduceMean") &&
                ec__onnx_scalar(k->m, n->in[1 - slot], ret))
                return true;
        }
    }
    return false;
}

static void count_uses(struct onnx_model *m, const struct onnx_node *n, int by)
{
    int i;

    for (i = 0; i < n->n_in; i++)
        if (n->in[i] >= 0)
            m->values[n->in[i]].n_uses += by;
}

static void rewrite(struct onnx_model *m, const struct match *k, const struct pattern *p)
{
    struct onnx_node *root = &m->nodes[k->node[0]];
    int n_in = (int)strlen(p->inputs), i;
    int *in = ec_arena_alloc(m->a, (size_t)n_in * sizeof *in);
    struct onnx_attr *epsilon = ec_arena_alloc(m->a, sizeof *epsilon);
    bool has_epsilon;

    if (!in || !epsilon) /* unfused is correct too */
        return;
    has_epsilon = epsilon_of(k, &epsilon->f);
    root->aux = reduced_dims(k);
    for (i = 0; i < k->n; i++) {
        count_uses(m, &m->nodes[k->node[i]], -1);
        m->nodes[k->node[i]].dead = i > 0;
    }
    for (i = 0; i < n_in; i++)
        in[i] = k->var[p->inputs[i] - 'a'];
    root->in = in;
    root->n_in = n_in;
    epsilon->name = ec_span_of("epsilon");
    root->attr = epsilon;
    root->n_attr = has_epsilon;
    root->op = ec_span_of(p->becomes);
    count_uses(m, root, 1);
}

static bool fuse_at(struct onnx_model *m, int node)
{
    int i;

    for (i = 0; i < EC_LEN(patterns); i++) {
        struct match k = { .m = m };

        if (strncmp(patterns[i].term, m->nodes[node].op.p, m->nodes[node].op.len) != 0)
            continue;
        memset(k.var, 0xff, sizeof k.var);
        if (match_node(&k, m->nodes[node].out[0], patterns[i].term) && is_closed(&k) &&
            makes_sense(&k, &patterns[i])) {
            rewrite(m, &k, &patterns[i]);
            return true;
        }
    }
    return false;
}

/* Swaps the last two dimensions and nothing else. */
static bool is_matrix_transpose(const struct onnx_node *n)
{
    const struct onnx_attr *perm = ec__onnx_attr(n, "perm");
    int i, rank = perm ? perm->n_ints : 0;

    if (n->dead || n->domain.len || !ec__onnx_is(n, "Transpose") || rank < 2)
        return false;
    for (i = 0; i < rank - 2; i++)
        if (perm->ints[i] != i)
            return false;
    return perm->ints[rank - 2] == rank - 1 && perm->ints[rank - 1] == rank - 2;
}

/* Matrix libraries read an operand either way: a transposed one is no copy of its own. */
static void absorb_transposes(struct onnx_model *m, struct onnx_node *n)
{
    int slot;

    for (slot = 0; slot < 2 && n->n_in == 2; slot++) {
        const struct onnx_value *v = n->in[slot] < 0 ? NULL : &m->values[n->in[slot]];
        struct onnx_node *from = v && v->producer >= 0 ? &m->nodes[v->producer] : NULL;

        if (!from || !is_matrix_transpose(from) || v->n_uses != 1 || v->is_output ||
            ec__onnx_in(from, 0) < 0 || is_param(m, n->in[slot]))
            continue;
        from->dead = true;
        n->in[slot] = from->in[0]; /* its one use passes on */
        n->aux |= 1 << slot;
    }
}

void ec__onnx_fuse(struct onnx_model *m)
{
    int i;

    for (i = m->n_nodes - 1; i >= 0; i--) { /* the last node of a pattern comes first */
        const struct onnx_node *n = &m->nodes[m->order[i]];

        if (!n->dead && n->n_out > 0 && n->out[0] >= 0)
            (void)fuse_at(m, m->order[i]);
    }
    for (i = 0; i < m->n_nodes; i++)
        if (!m->nodes[i].dead && !m->nodes[i].domain.len && ec__onnx_is(&m->nodes[i], "MatMul"))
            absorb_transposes(m, &m->nodes[i]);
}
