/* What ranks divide, and the graph of one rank.
 *
 * Tensor parallel: a linear layer whose input all ranks have may be divided by its outputs (it
 * opens a region). Its features stay divided through element-wise operators, heads, attention,
 * until a linear layer adds them up (it closes the region), or the loss does. Where an operator
 * works across the features before that, the layers that opened the region stay whole. Shoeybi et
 * al. 2019; sequence parallel: Korthikanti et al. 2022. */
#include "cost/axes.h"

#include <math.h>
#include <string.h>

#define WHOLE (-1)
/* Layers of fewer outputs are not worth a sum: adapters, gates, small heads. */
#define LEAST_FEATURES 129
/* Outputs of the network from this number on are words: the loss is computed on parts of them. */
#define LEAST_WORDS 4096

/* What of a value ranks have. */
struct share {
    signed char tensor; /* dimension that the tensor group divides; WHOLE */
    signed char tokens; /* dimension of the tokens, which the context group divides; WHOLE */
    bool sequence;      /* the tensor group divides its tokens */
    bool experts;       /* its first dimension is experts, which the expert group divides */
    int region;         /* the node that opened it; valid with tensor */
};

struct ec_partition {
    const struct ec_graph *g;
    struct ec_division d;
    struct share *of; /* per value */
    int *region;      /* per node: a joined region, to follow up to its root */
    bool *closed;     /* per node: a linear layer that must not open a region */
    bool *adds_up;    /* per node: it closes a region */
    bool *opens;      /* per node */
    int n_pairs;
};

static int root_of(const struct ec_partition *p, int node)
{
    while (p->region[node] != node)
        node = p->region[node] = p->region[p->region[node]];
    return node;
}

static void join_regions(struct ec_partition *p, int a, int b)
{
    a = root_of(p, a);
    b = root_of(p, b);
    p->region[a > b ? a : b] = a > b ? b : a;
}

static int last_axis(const struct ec_value *v)
{
    return v->type.shape.rank - 1;
}

static struct share *share_in(const struct ec_partition *p, const struct ec_node *n, int i)
{
    return &p->of[n->in[i]];
}

static void set_outputs(struct ec_partition *p, const struct ec_node *n, int axis, int region)
{
    int i;

    for (i = 0; i < n->n_out; i++) {
        p->of[n->out[i]].tensor = (signed char)axis;
        p->of[n->out[i]].region = region;
    }
}

/* A weight of the node that is divided along with it. */
static void set_param(struct ec_partition *p, const struct ec_node *n, int i, int axis)
{
    if (i < n->n_param)
        p->of[n->param[i]].tensor = (signed char)axis;
}

/* The dimension of the output that stays divided; WHOLE: none of the inputs is divided.
 * EC_AXIS_LOST - 1: they do not go together */
#define CONFLICT (-2)
static int joint_axis(struct ec_partition *p, const struct ec_node *n, int *ret_region)
{
    int axis = WHOLE, i;

    for (i = 0; i < n->n_in; i++) {
        const struct share *s = share_in(p, n, i);
        int to = s->tensor == WHOLE ? WHOLE : ec__axis_through(n, i, s->tensor);

        if (s->tensor == WHOLE)
            continue;
        if (to < 0 || (axis != WHOLE && to != axis))
            return CONFLICT;
        axis = to;
        if (*ret_region >= 0)
            join_regions(p, *ret_region, s->region);
        *ret_region = root_of(p, s->region);
    }
    for (i = 0; axis != WHOLE && i < n->n_in; i++) { /* whole ones must be broadcast along it */
        const struct ec_value *v = p->g->values[n->in[i]];
        int at = axis - p->g->values[n->out[0]]->type.shape.rank + v->type.shape.rank;

        if (share_in(p, n, i)->tensor != WHOLE || at < 0 || v->type.shape.d[at] == 1)
            continue;
        if (v->kind == EC_V_COMPUTED || v->kind == EC_V_INPUT)
            return CONFLICT;
        if (v->kind == EC_V_PARAM)
            p->of[v->id].tensor = (signed char)at;
    }
    return axis;
}

static void close_inputs(struct ec_partition *p, const struct ec_node *n)
{
    int i;

    for (i = 0; i < n->n_in; i++)
        if (share_in(p, n, i)->tensor != WHOLE)
            p->closed[root_of(p, share_in(p, n, i)->region)] = true;
}

static bool is_large(const struct ec_graph *g, const struct ec_node *n)
{
    const struct ec_shape *s = &g->values[n->out[0]]->type.shape;

    return s->d[s->rank - 1] >= LEAST_FEATURES;
}

static void divide_linear(struct ec_partition *p, const struct ec_node *n)
{
    const struct share *in = share_in(p, n, 0);

    if (in->tensor == last_axis(p->g->values[n->in[0]])) {
        p->adds_up[n->id] = true;
        set_param(p, n, 0, 1);
        set_outputs(p, n, WHOLE, 0);
    } else if (in->tensor != WHOLE) {
        close_inputs(p, n);
        set_outputs(p, n, WHOLE, 0);
    } else if (!p->closed[n->id] && is_large(p->g, n)) {
        p->opens[n->id] = true;
        set_param(p, n, 0, 0);
        set_param(p, n, 1, 0);
        set_outputs(p, n, last_axis(p->g->values[n->out[0]]), n->id);
    }
}

/* The table of words that the network is given: each rank has a part of its rows, and adds what it
 * found to what others did. */
static void divide_embedding(struct ec_partition *p, const struct ec_node *n)
{
    const struct ec_value *in = p->g->values[n->in[0]];

    if (in->kind != EC_V_INPUT || p->g->values[n->param[0]]->type.shape.d[0] < LEAST_WORDS)
        return;
    p->adds_up[n->id] = true;
    set_param(p, n, 0, 0);
}

/* Ranks that share the experts of a layer: without a group of their own those of a tensor group. */
static int64_t expert_ranks(const struct ec_partition *p)
{
    return p->d.expert > 1 ? p->d.expert : p->d.tensor;
}

static void divide_experts(struct ec_partition *p)
{
    int i, k;

    for (i = 0; i < p->g->n_nodes; i++)
        for (k = 0; ec__is_op(p->g->nodes[i], "experts") && k < p->g->nodes[i]->n_param; k++)
            p->of[p->g->nodes[i]->param[k]].experts = true;
}

static void divide_node(struct ec_partition *p, const struct ec_node *n)
{
    int region = -1, axis;

    if (ec__is_op(n, "linear")) {
        divide_linear(p, n);
        return;
    }
    if (ec__is_op(n, "embedding") && n->n_param) {
        divide_embedding(p, n);
        return;
    }
    if (n->op->flags & EC_OPF_LOSS)
        return;
    axis = joint_axis(p, n, &region);
    if (axis == CONFLICT)
        close_inputs(p, n);
    set_outputs(p, n, axis < 0 ? WHOLE : axis, region < 0 ? 0 : region);
}

/* Outputs may stay divided where they are scores of words. */
static void check_outputs(struct ec_partition *p)
{
    int i;

    for (i = 0; i < p->g->n_outputs; i++) {
        const struct ec_value *v = p->g->values[p->g->outputs[i]];
        const struct share *s = &p->of[v->id];
        int last = last_axis(v);

        if (s->tensor != WHOLE && (s->tensor != last || v->type.shape.d[last] < LEAST_WORDS))
            p->closed[root_of(p, s->region)] = true;
    }
}

static void forget(struct ec_partition *p)
{
    int i;

    for (i = 0; i < p->g->n_values; i++)
        p->of[i].tensor = WHOLE;
    for (i = 0; i < p->g->n_nodes; i++) {
        p->region[i] = i;
        p->adds_up[i] = p->opens[i] = false;
    }
}

/* Whatever shares a region with a layer that must stay whole stays whole. */
static bool close_more(struct ec_partition *p)
{
    bool more = false;
    int i;

    for (i = 0; i < p->g->n_nodes; i++)
        if (p->opens[i] && !p->closed[i] && p->closed[root_of(p, i)])
            p->closed[i] = more = true;
    for (i = 0; i < p->g->n_nodes; i++) /* the layer itself, seen in this round */
        more |= p->opens[i] && p->closed[i];
    return more;
}

/* Each round closes layers for good. A few rounds are the rule; a network that takes more is left
 * whole. */
#define MOST_ROUNDS 32

static void divide_features(struct ec_partition *p)
{
    int round, i;

    for (round = 0; round <= MOST_ROUNDS; round++) {
        forget(p);
        if (round == MOST_ROUNDS)
            memset(p->closed, true, sizeof *p->closed * (size_t)p->g->n_nodes);
        for (i = 0; i < p->g->n_nodes; i++)
            divide_node(p, p->g->nodes[i]);
        check_outputs(p);
        if (!close_more(p))
            break;
    }
    for (i = 0; i < p->g->n_nodes; i++)
        p->n_pairs += p->adds_up[i] && ec__is_op(p->g->nodes[i], "linear");
}

/* ------------------------------------------------------------------------------------------------
 * Tokens */

/* Inputs of whole numbers (samples, tokens) have tokens; all else follows from those. */
static bool divide_tokens(struct ec_partition *p)
{
    bool any = false;
    int i, k;

    for (i = 0; i < p->g->n_values; i++) {
        const struct ec_value *v = p->g->values[i];
        bool tokens =
            v->kind == EC_V_INPUT && v->type.shape.rank == 2 && !ec_dtype_is_float(v->type.dtype);

        p->of[i].tokens = tokens ? 1 : WHOLE;
        any |= tokens;
    }
    for (i = 0; i < p->g->n_nodes; i++) {
        const struct ec_node *n = p->g->nodes[i];
        int axis = WHOLE;

        for (k = 0; k < n->n_in && axis == WHOLE; k++)
            if (share_in(p, n, k)->tokens != WHOLE)
                axis = ec__axis_through(n, k, share_in(p, n, k)->tokens);
        for (k = 0; k < n->n_out; k++)
            p->of[n->out[k]].tokens = (signed char)axis;
    }
    return any;
}

/* What works token by token: norms over features, linear layers, element-wise operators. */
static bool is_by_token(const struct ec_partition *p, const struct ec_node *n, int i)
{
    const struct ec_shape *s = &p->g->values[n->in[i]]->type.shape;
    int k;

    if (ec__is_op(n, "attention") || ec__is_op(n, "matmul") || n->op->flags & EC_OPF_VIEW)
        return false;
    for (k = 0; k < s->rank - 1; k++)
        if (s->d[k] > 1 && ec__axis_through(n, i, k) != k)
            return false;
    return true;
}

/* Values that all ranks have and that are made and read token by token are divided along them. */
static void divide_sequence(struct ec_partition *p)
{
    int i, k;

    for (i = 0; i < p->g->n_values; i++) {
        const struct ec_value *v = p->g->values[i];

        p->of[i].sequence = v->producer >= 0 && v->type.shape.rank >= 3 &&
                            ec_dtype_is_float(v->type.dtype) && p->of[i].tensor == WHOLE;
    }
    for (i = 0; i < p->g->n_nodes; i++) {
        const struct ec_node *n = p->g->nodes[i];
        bool free = true;

        for (k = 0; k < n->n_in; k++)
            if (!is_by_token(p, n, k))
                share_in(p, n, k)->sequence = free = false;
        for (k = 0; !free && !p->adds_up[i] && k < n->n_out; k++)
            p->of[n->out[k]].sequence = false;
    }
    for (i = 0; i < p->g->n_outputs; i++)
        p->of[p->g->outputs[i]].sequence = false;
}

/* ------------------------------------------------------------------------------------------------
 * What has to be divided without a rest */

/* "6 and 12" around `by`, of the divisors of n. */
static void say_divisors(int64_t n, int64_t by, struct ec_buf *out)
{
    int64_t below = 1, above = 0, i;

    for (i = 1; i <= n && i <= 1 << 20; i++) {
        if (n % i)
            continue;
        if (i < by)
            below = i;
        if (i > by && !above)
            above = i;
    }
    ec_buf_printf(out, "%lld", (long long)below);
    if (above)
        ec_buf_printf(out, " and %lld", (long long)above);
}

static enum ec_status refuse(const struct ec_node *n, const char *option, int64_t by,
                             const char *what, int64_t size, struct ec_err *err)
{
    struct ec_buf near = EC_BUF_INIT;
    enum ec_status st;

    say_divisors(size, by, &near);
    st = ec_fail(err, EC_E_INPUT,
                 "%s %lld does not divide the %lld %s of \"%.60s\"; the nearest that do: %s",
                 option, (long long)by, (long long)size, what, n->name, ec_buf_text(&near));
    ec_buf_clear(&near);
    return st;
}

/* Heads at their products, features at layers that add them up. Of words the last rank has fewer,
 * and heads of keys may be fewer than ranks: each rank then has a copy of one. */
static enum ec_status check_node(const struct ec_partition *p, const struct ec_node *n,
                                 struct ec_err *err)
{
    bool heads = ec__is_op(n, "attention") || ec__is_op(n, "matmul");
    bool sums = ec__is_op(n, "linear") && p->adds_up[n->id];
    const struct share *s = n->n_in ? share_in(p, n, 0) : NULL;
    int64_t size;

    if (ec__is_op(n, "experts")) {
        size = n->in_type[1]->shape.d[n->in_type[1]->shape.rank - 1];
        return size % expert_ranks(p)
                   ? refuse(n, p->d.expert > 1 ? "ep" : "tp", expert_ranks(p), "experts", size, err)
                   : EC_OK;
    }
    if (!heads && !sums)
        return EC_OK;
    if (s->tensor != WHOLE) {
        size = n->in_type[0]->shape.d[s->tensor];
        if (size % p->d.tensor)
            return refuse(n, "tp", p->d.tensor, heads ? "heads" : "features", size, err);
    }
    if (heads && s->tokens != WHOLE) {
        size = n->in_type[0]->shape.d[s->tokens];
        if (size % p->d.context)
            return refuse(n, "cp", p->d.context, "tokens", size, err);
    }
    return EC_OK;
}

static enum ec_status divide(struct ec_partition *p, struct ec_err *err)
{
    bool tokens;
    int i;

    forget(p);
    if (p->d.tensor > 1)
        divide_features(p);
    if (p->d.tensor > 1 && !p->n_pairs)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "tensor parallel divides pairs of linear layers, and %s has none; it can be "
                       "shared by data parallel, fsdp and pipeline",
                       p->g->name);
    divide_experts(p);
    for (i = 0; i < p->g->n_values && !p->of[i].experts; i++)
        continue;
    if (p->d.expert > 1 && i == p->g->n_values)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "expert parallel divides the experts of a layer, and %s has none",
                       p->g->name);
    tokens = divide_tokens(p);
    if (p->d.context > 1 && !tokens)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "context parallel divides the tokens of a sample, and %s is not given any",
                       p->g->name);
    if (p->d.tensor > 1 && p->d.sequence)
        divide_sequence(p);
    for (i = 0; i < p->g->n_nodes; i++)
        EC_PASS(check_node(p, p->g->nodes[i], err));
    return EC_OK;
}

enum ec_status ec_partition_new(const struct ec_graph *g, const struct ec_division *d,
                                struct ec_partition **ret, struct ec_err *err)
{
    struct ec_partition *p = ec_alloc(sizeof *p);
    size_t nodes = (size_t)g->n_nodes + 1;
    enum ec_status st = EC_OK;

    EC_PASS(ec_allocated(p, err));
    p->g = g;
    p->d = *d;
    p->of = ec_alloc(sizeof *p->of * ((size_t)g->n_values + 1));
    p->region = ec_alloc(sizeof *p->region * nodes);
    p->closed = ec_alloc(sizeof *p->closed * nodes);
    p->adds_up = ec_alloc(sizeof *p->adds_up * nodes);
    p->opens = ec_alloc(sizeof *p->opens * nodes);
    EC_TRY(ec_allocated(p->of && p->region && p->closed && p->adds_up && p->opens, err));
    EC_TRY(divide(p, err));
    *ret = p;
    p = NULL;
out:
    ec_partition_free(p);
    return st;
}

void ec_partition_free(struct ec_partition *p)
{
    if (!p)
        return;
    ec_free(p->of);
    ec_free(p->region);
    ec_free(p->closed);
    ec_free(p->adds_up);
    ec_free(p->opens);
    ec_free(p);
}

size_t ec_partition_bytes(const struct ec_partition *p)
{
    size_t of_node = sizeof *p->region + sizeof *p->closed + sizeof *p->adds_up + sizeof *p->opens;

    return sizeof *p->of * (size_t)p->g->n_values + of_node * (size_t)p->g->n_nodes;
}

/* ------------------------------------------------------------------------------------------------
 * The graph of a rank */

struct making {
    const struct ec_partition *p;
    const int *part; /* per node; NULL: all are taken */
    int stage, stages;
    struct ec_graph *g;
    int *value_of; /* per value of the whole: its number in g, plus 1; 0: none yet */
    struct ec_rank *ret;
};

static int64_t share_of(int64_t size, int64_t ranks)
{
    return (size + ranks - 1) / ranks;
}

/* The dimension of the tokens, or where these are not known the longest but the features. */
static int sequence_axis(const struct ec_type *t, const struct share *s)
{
    int axis = 0, i;

    if (s->tokens != WHOLE)
        return s->tokens;
    for (i = 1; i < t->shape.rank - 1; i++)
        if (t->shape.d[i] > t->shape.d[axis])
            axis = i;
    return axis;
}

/* gathered: with the tokens that the tensor group divides; complete: and the context group */
enum { AS_HELD, GATHERED, COMPLETE };

static struct ec_type type_of(const struct ec_partition *p, int value, int how)
{
    struct ec_type t = p->g->values[value]->type;
    const struct share *s = &p->of[value];

    if (s->tensor != WHOLE)
        t.shape.d[s->tensor] = share_of(t.shape.d[s->tensor], p->d.tensor);
    if (s->experts)
        t.shape.d[0] = share_of(t.shape.d[0], expert_ranks(p));
    if (s->tokens != WHOLE && how != COMPLETE)
        t.shape.d[s->tokens] = share_of(t.shape.d[s->tokens], p->d.context);
    if (s->sequence && how == AS_HELD) {
        int axis = sequence_axis(&p->g->values[value]->type, s);

        t.shape.d[axis] = share_of(t.shape.d[axis], p->d.tensor);
    }
    return t;
}

static enum ec_status keep_type(struct making *m, const struct ec_type *t, struct ec_type **ret,
                                struct ec_err *err)
{
    *ret = ec_arena_copy(&m->g->arena, t, sizeof *t);
    return ec_allocated(*ret, err);
}

static enum ec_status add_id(int **list, int *n, int *cap, int id, struct ec_err *err)
{
    EC_PASS(ec_grow(list, cap, *n + 1, sizeof **list, err));
    (*list)[(*n)++] = id;
    return EC_OK;
}

/* The value in the graph of the rank; what another stage computes comes from outside. */
static enum ec_status take_value(struct making *m, int value, int producer, int *ret,
                                 struct ec_err *err)
{
    const struct ec_value *from = m->p->g->values[value];
    struct ec_graph *g = m->g;
    struct ec_value *v;

    if (m->value_of[value]) {
        *ret = m->value_of[value] - 1;
        return EC_OK;
    }
    EC_PASS(ec_grow(&g->values, &g->cap_values, g->n_values + 1, sizeof *g->values, err));
    v = ec_arena_copy(&g->arena, from, sizeof *v);
    EC_PASS(ec_allocated(v, err));
    v->type = type_of(m->p, value, AS_HELD);
    v->id = g->n_values;
    v->producer = producer;
    g->values[g->n_values++] = v;
    m->value_of[value] = g->n_values;
    *ret = v->id;
    if (v->kind == EC_V_INPUT)
        EC_PASS(add_id(&g->inputs, &g->n_inputs, &g->cap_inputs, v->id, err));
    if (v->kind == EC_V_COMPUTED && producer < 0)
        m->ret->received_elems += ec_type_elems(&v->type);
    if (v->kind == EC_V_PARAM)
        *(v->trainable ? &m->ret->params : &m->ret->frozen) += ec_type_elems(&v->type);
    if (v->packed)
        m->ret->packed += ec_type_elems(&v->type);
    if (m->p->of[value].experts)
        m->ret->expert_params += ec_type_elems(&v->type);
    return EC_OK;
}

/* The attributes that say a size which the rank has a part of. */
static enum ec_status take_attrs(struct making *m, const struct ec_node *from, struct ec_node *n,
                                 struct ec_err *err)
{
    static const char *const sizes[][2] = {
        {"linear",     "n"  },
        { "embedding", "num"}
    };
    int64_t ranks = m->p->d.tensor;
    int i;

    for (i = 0; i < EC_LEN(sizes); i++) {
        bool divided = i ? m->p->adds_up[from->id] : m->p->opens[from->id];
        const struct ec_field *f;
        int64_t *at;

        if (!divided || !ec__is_op(from, sizes[i][0]))
            continue;
        n->attrs = ec_arena_copy(&m->g->arena, from->attrs, from->op->attrs_size);
        EC_PASS(ec_allocated(n->attrs, err));
        f = ec_field_find(from->op->fields, ec_span_of(sizes[i][1]));
        at = (int64_t *)(void *)((char *)n->attrs + f->offset);
        *at = share_of(*at, ranks);
    }
    return EC_OK;
}

/* Queries that are divided by tokens see the keys of all ranks, under a causal mask half of them on
 * average, since each rank has early queries and late ones. */
static enum ec_status see_all_keys(struct making *m, const struct ec_node *from, struct ec_node *n,
                                   struct ec_err *err)
{
    bool fused = ec__is_op(from, "attention");
    int i;

    for (i = 1; i < n->n_in; i++) {
        const struct share *s = &m->p->of[from->in[i]];
        struct ec_type t = type_of(m->p, from->in[i], COMPLETE), *own = NULL;

        if (s->tokens == WHOLE)
            continue;
        m->ret->context.calls++;
        m->ret->context.bytes += ec_type_elems(&t);
        if (fused && ec_case_int(&(struct ec_case){ from->op, from->attrs, from->n_in, from->n_out,
                                                    from->in_type, from->out_type },
                                 "causal"))
            t.shape.d[s->tokens] = share_of(t.shape.d[s->tokens], 2);
        EC_PASS(keep_type(m, &t, &own, err));
        n->in_type[i] = own;
    }
    if (fused) {
        const struct ec_field *f = ec_field_find(from->op->fields, ec_span_of("causal"));

        n->attrs = ec_arena_copy(&m->g->arena, from->attrs, from->op->attrs_size);
        EC_PASS(ec_allocated(n->attrs, err));
        *(bool *)((char *)n->attrs + f->offset) = false;
    }
    return EC_OK;
}

/* A rank has some of the experts and sees the tokens that all ranks send them, as many as it sends
 * away where experts are equally liked. */
static enum ec_status send_tokens(struct making *m, const struct ec_node *from, struct ec_node *n,
                                  struct ec_err *err)
{
    struct ec_type x = type_of(m->p, from->in[0], AS_HELD), *own = NULL;
    struct ec_type scores = type_of(m->p, from->in[1], AS_HELD);
    struct ec_case c = ec_node_case(from);
    int last = scores.shape.rank - 1;

    m->ret->expert.calls += 2;
    m->ret->expert.bytes += 2 * ec_type_elems(&x) * (double)ec_case_int(&c, "top_k");
    scores.shape.d[last] = share_of(scores.shape.d[last], expert_ranks(m->p));
    EC_PASS(keep_type(m, &scores, &own, err));
    n->in_type[1] = own;
    return EC_OK;
}

/* Where the tensor group exchanges: in front of what opens a region, behind what closes it. */
static enum ec_status exchange(struct making *m, const struct ec_node *from, struct ec_node *n,
                               struct ec_err *err)
{
    struct ec_type t, *own = NULL;

    if (m->p->opens[from->id] && m->p->of[from->in[0]].sequence) {
        t = type_of(m->p, from->in[0], GATHERED);
        EC_PASS(keep_type(m, &t, &own, err));
        n->in_type[0] = own;
    }
    if (m->p->adds_up[from->id]) {
        t = type_of(m->p, from->out[0], GATHERED);
        m->ret->tensor.calls++;
        m->ret->tensor.bytes += ec_type_elems(&t);
        EC_PASS(keep_type(m, &t, &own, err));
        n->out_type[0] = own;
    }
    if (ec__is_op(from, "experts") && expert_ranks(m->p) > 1)
        EC_PASS(send_tokens(m, from, n, err));
    if (m->p->d.context > 1 && (ec__is_op(from, "attention") || ec__is_op(from, "matmul")) &&
        m->p->of[from->in[0]].tokens != WHOLE)
        EC_PASS(see_all_keys(m, from, n, err));
    return EC_OK;
}

/* What is broadcast from a constant has the shape that meets the rank's part. */
static enum ec_status meet_constant(struct making *m, const struct ec_node *from, struct ec_node *n,
                                    int i, struct ec_err *err)
{
    const struct ec_value *v = m->p->g->values[from->in[i]];
    const struct ec_shape *whole = &from->out_type[0]->shape, *held = &n->out_type[0]->shape;
    struct ec_type t = v->type, *own = NULL;
    bool changed = false;
    int k;

    if (v->kind != EC_V_CONST || !v->type.shape.rank ||
        ec__axis_through(from, i, v->type.shape.rank - 1) < 0)
        return EC_OK;
    for (k = 0; k < t.shape.rank; k++) {
        int at = k + whole->rank - t.shape.rank;

        if (at < 0 || t.shape.d[k] != whole->d[at] || whole->d[at] == held->d[at])
            continue;
        t.shape.d[k] = held->d[at];
        changed = true;
    }
    if (!changed)
        return EC_OK;
    EC_PASS(keep_type(m, &t, &own, err));
    n->in_type[i] = own;
    return EC_OK;
}

static enum ec_status take_list(struct making *m, const int *from, int n, int producer, int **ret,
                                struct ec_err *err)
{
    int i;

    *ret = ec_arena_alloc(&m->g->arena, sizeof **ret * (size_t)(n ? n : 1));
    EC_PASS(ec_allocated(*ret, err));
    for (i = 0; i < n; i++)
        EC_PASS(take_value(m, from[i], producer, &(*ret)[i], err));
    return EC_OK;
}

static enum ec_status take_node(struct making *m, const struct ec_node *from, struct ec_err *err)
{
    struct ec_graph *g = m->g;
    struct ec_node *n = ec_arena_copy(&g->arena, from, sizeof *n);
    double had = m->ret->params + m->ret->frozen;
    int i;

    EC_PASS(ec_allocated(n, err));
    n->id = g->n_nodes;
    n->in_type = ec_arena_alloc(&g->arena, sizeof *n->in_type * (size_t)(n->n_in ? n->n_in : 1));
    n->out_type =
        ec_arena_alloc(&g->arena, sizeof *n->out_type * (size_t)(n->n_out ? n->n_out : 1));
    EC_PASS(ec_allocated(n->in_type && n->out_type, err));
    EC_PASS(take_list(m, from->in, from->n_in, -1, &n->in, err));
    EC_PASS(take_list(m, from->param, from->n_param, -1, &n->param, err));
    EC_PASS(take_list(m, from->out, from->n_out, n->id, &n->out, err));
    for (i = 0; i < n->n_in; i++)
        n->in_type[i] = &g->values[n->in[i]]->type;
    for (i = 0; i < n->n_out; i++)
        n->out_type[i] = &g->values[n->out[i]]->type;
    for (i = 0; i < n->n_in; i++)
        EC_PASS(meet_constant(m, from, n, i, err));
    EC_PASS(take_attrs(m, from, n, err));
    EC_PASS(exchange(m, from, n, err));
    EC_PASS(ec_grow(&g->nodes, &g->cap_nodes, g->n_nodes + 1, sizeof *g->nodes, err));
    g->nodes[g->n_nodes++] = n;
    m->ret->largest_params = fmax(m->ret->largest_params, m->ret->params + m->ret->frozen - had);
    return EC_OK;
}

static bool is_taken(const struct making *m, int node)
{
    return !m->part || m->part[node] % m->stages == m->stage;
}

static enum ec_status take_outputs(struct making *m, struct ec_err *err)
{
    const struct ec_graph *whole = m->p->g;
    int i;

    for (i = 0; i < whole->n_outputs; i++) {
        const struct ec_value *v = whole->values[whole->outputs[i]];

        if (v->producer >= 0 && is_taken(m, v->producer))
            EC_PASS(add_id(&m->g->outputs, &m->g->n_outputs, &m->g->cap_outputs,
                           m->value_of[v->id] - 1, err));
    }
    return EC_OK;
}

/* Whether they are nearly all blocks that there are. An encoder before them has its own. */
static bool are_all(const struct ec_blocks *b, const struct ec_graph *g)
{
    int inside = b->n * b->length;

    return 4 * (g->n_nodes - inside) <= inside;
}

static enum ec_status take_nodes(struct making *m, const struct ec_blocks *b, struct ec_err *err)
{
    bool all = are_all(b, m->p->g);
    double before = 0;
    int i;

    for (i = 0; i < m->p->g->n_nodes; i++) {
        if (b->n && i >= b->begin && (i - b->begin) % b->length == 0)
            before = m->ret->params + m->ret->frozen;
        if (!is_taken(m, i))
            continue;
        EC_PASS(take_node(m, m->p->g->nodes[i], err));
        m->g->nodes[m->g->n_nodes - 1]->begins_block = all && i >= b->begin &&
                                                       i <= b->begin + b->n * b->length &&
                                                       (i - b->begin) % b->length == 0;
        if (b->n && i >= b->begin && i < b->begin + b->n * b->length)
            m->ret->largest_params =
                fmax(m->ret->largest_params, m->ret->params + m->ret->frozen - before);
    }
    return take_outputs(m, err);
}

enum ec_status ec_partition_rank(const struct ec_partition *p, const int *part, int stage,
                                 int stages, const struct ec_blocks *blocks, struct ec_rank *ret,
                                 struct ec_err *err)
{
    struct ec_rank r = { .graph = ec_graph_new(p->g->name) };
    struct making m = {
        .p = p, .part = part, .stage = stage, .stages = stages, .g = r.graph, .ret = &r
    };
    enum ec_status st = EC_OK;

    m.value_of = ec_alloc(sizeof *m.value_of * ((size_t)p->g->n_values + 1));
    EC_TRY(ec_allocated(r.graph && m.value_of, err));
    r.graph->batch = p->g->batch;
    r.graph->source = p->g->source;
    r.graph->sizes = p->g->sizes;
    r.graph->task = p->g->task;
    EC_TRY(take_nodes(&m, blocks, err));
    *ret = r;
    r.graph = NULL;
out:
    ec_free(m.value_of);
    ec_graph_free(r.graph);
    return st;
}
