/* The kernels of one step in issue order: forward, loss, backward in reverse, optimizer. */
#include "cost/cost.h"
#include "cost/recompute.h"

#include <assert.h>
#include <string.h>

static const struct {
    double states, state_bytes, tensors, flop, scratch, calls;
} optimizers[] = {
#define OPT_ROW(name, ...) { __VA_ARGS__ },
    EC_OPTIMIZER_LIST(OPT_ROW)
#undef OPT_ROW
};

double ec_optimizer_states(enum ec_optimizer o)
{
    assert((unsigned)o < EC_OPT_COUNT);
    return optimizers[o].states;
}

double ec_optimizer_state_bytes(enum ec_optimizer o, double usual, double hidden_frac)
{
    double own;

    assert((unsigned)o < EC_OPT_COUNT && hidden_frac >= 0);
    own =
        optimizers[o].states * (optimizers[o].state_bytes > 0 ? optimizers[o].state_bytes : usual);
    return o == EC_OPT_muon
               ? hidden_frac * own +
                     (1 - hidden_frac) * ec_optimizer_state_bytes(EC_OPT_adamw, usual, hidden_frac)
               : own;
}

double ec_optimizer_tensors(enum ec_optimizer o)
{
    assert((unsigned)o < EC_OPT_COUNT);
    return optimizers[o].tensors;
}

double ec_optimizer_scratch(enum ec_optimizer o)
{
    assert((unsigned)o < EC_OPT_COUNT);
    return optimizers[o].scratch;
}

void ec_step_clear(struct ec_step *s)
{
    if (!s)
        return;
    ec_free(s->kernel);
    ec_free(s->node);
    ec_free(s->repeat);
    memset(s, 0, sizeof *s);
}

static void *copy_of(const void *p, size_t bytes)
{
    void *made = p ? ec_alloc(bytes) : NULL;

    return made ? memcpy(made, p, bytes) : NULL;
}

enum ec_status ec_step_copy(const struct ec_step *s, struct ec_step *ret, struct ec_err *err)
{
    size_t n = (size_t)s->n;

    *ret = *s;
    ret->cap = s->n;
    ret->cap_node = s->n_node;
    ret->kernel = copy_of(s->kernel, n * sizeof *s->kernel);
    ret->node = copy_of(s->node, (size_t)s->n_node * sizeof *s->node);
    ret->repeat = copy_of(s->repeat, n * sizeof *s->repeat);
    if (!ret->kernel == !s->kernel && !ret->node == !s->node && !ret->repeat == !s->repeat)
        return EC_OK;
    ec_step_clear(ret);
    return ec_nomem(err);
}

static enum ec_status append(struct ec_step *s, const struct ec_work *w, int node,
                             struct ec_err *err)
{
    int i;

    EC_PASS(ec_grow(&s->kernel, &s->cap, s->n + w->n, sizeof *s->kernel, err));
    EC_PASS(ec_grow(&s->node, &s->cap_node, s->n + w->n, sizeof *s->node, err));
    for (i = 0; i < w->n; i++) {
        const struct ec_kernel *k = &w->kernel[i];

        assert((unsigned)k->phase < EC_PHASE_COUNT && (unsigned)k->kclass < EC_KCLASS_COUNT);
        assert(k->flop >= 0 && k->mac >= 0 && k->read_elems >= 0 && k->write_elems >= 0);
        s->kernel[s->n] = *k;
        s->node[s->n++] = node;
    }
    return EC_OK;
}

static enum ec_status append_phase(struct ec_step *s, const struct ec_case *c, enum ec_phase p,
                                   int node, struct ec_err *err)
{
    struct ec_work w;

    w.n = 0;
    c->op->work(c, p, &w);
    return append(s, &w, node, err);
}

/* Forward of a network that only infers leaves out what training alone needs. */
static enum ec_status append_infer(struct ec_step *s, const struct ec_case *c, int node,
                                   struct ec_err *err)
{
    struct ec_work w;

    w.n = 0;
    if (c->op->infer)
        c->op->infer(c, &w);
    else
        c->op->work(c, EC_FORWARD, &w);
    return append(s, &w, node, err);
}

/* Marks the kernels of a node from the first-th on. */
static void note_kernels(struct ec_step *s, int first, unsigned notes)
{
    unsigned flags = (notes & EC_NOTE_WIDE ? (unsigned)EC_KF_FP32 : 0u) |
                     (notes & EC_NOTE_ATTENTION ? (unsigned)EC_KF_ATTENTION : 0u) |
                     (notes & EC_NOTE_LAST ? (unsigned)EC_KF_LAST : 0u) |
                     (notes & EC_NOTE_REORDER ? (unsigned)EC_KF_REORDER : 0u);

    for (; first < s->n; first++)
        s->kernel[first].flags |= flags;
}

/* A loss over classes under a compiler, which holds neither the probabilities nor the targets'
 * gradients: it reads the scores as they are, computes the former again, writes the gradient. */
static void join_loss(struct ec_kernel *k)
{
    double elems = k->read_elems + k->write_elems;

    if (k->kclass == EC_K_SOFTMAX)
        k->joint_elems = k->m * k->n;
    else if (k->kclass == EC_K_STREAM && k->read_elems <= 0)
        k->joint_elems = elems;
    assert(k->joint_elems <= elems);
    k->joint_frac = k->joint_elems >= elems;
    k->narrow_elems = elems - k->joint_elems;
}

/* Shares out among them what a compiler would not move. */
static void join_kernels(struct ec_step *s, int first, const struct ec_step_notes *notes,
                         const struct ec_node *n, enum ec_phase p)
{
    double joint = notes->joint[n->id] + (p == EC_FORWARD ? 0 : notes->again[n->id]);
    double narrow = notes->narrow[n->id];

    for (; first < s->n; first++) {
        struct ec_kernel *k = &s->kernel[first];
        double elems = k->read_elems + k->write_elems;

        if (k->flags & EC_KF_CAST)
            continue;
        if (n->op->flags & EC_OPF_LOSS) {
            join_loss(k);
            continue;
        }
        k->joint_elems = joint < elems ? joint : elems;
        k->joint_frac = k->joint_elems > 0 ? notes->joint_frac[n->id] : 0;
        elems -= k->joint_elems;
        k->narrow_elems = narrow < elems ? narrow : elems;
        joint -= k->joint_elems;
        narrow -= k->narrow_elems;
        assert(joint >= 0 && narrow >= 0);
    }
}

/* The casts of what a node reads; backward those of the gradients. */
static enum ec_status append_casts(struct ec_step *s, const struct ec_graph *g,
                                   const struct ec_step_notes *notes, const struct ec_node *n,
                                   enum ec_phase p, struct ec_err *err)
{
    unsigned note = notes->node[n->id];
    struct ec_work w;
    int i;

    w.n = 0;
    for (i = 0; i < n->n_in && w.n < EC_WORK_MAX; i++) {
        const struct ec_value *v = g->values[n->in[i]];
        bool wide = notes->wide[v->id];

        if (!ec_dtype_is_float(v->type.dtype) || (p != EC_FORWARD && !v->requires_grad) ||
            !(wide ? note & EC_NOTE_CASTS_WIDE : note & EC_NOTE_CASTS_NARROW))
            continue;
        ec_work_stream(&w, p, 0, 0, 0)->flags = EC_KF_CAST;
        w.kernel[w.n - 1].m = ec_type_elems(&v->type);
        w.kernel[w.n - 1].launches = 0; /* but under automatic mixed precision */
    }
    if (w.n)
        EC_PASS(append(s, &w, n->id, err));
    return EC_OK;
}

static bool input_grad(const struct ec_graph *g, const struct ec_node *n, int i)
{
    if (i == 0 && n->op->flags & EC_OPF_INDEX_IN)
        return false;
    return g->values[n->in[i]]->requires_grad;
}

/* Adapters in float32: so are their products, from kernel `first` on; what they read is cast, and
 * what the sum behind them reads and makes; backward the gradients are. */
static enum ec_status append_wide(struct ec_step *s, const struct ec_graph *g, int first,
                                  const struct ec_node *n, enum ec_phase p, struct ec_err *err)
{
    bool wide = g->values[n->out[0]]->wide;
    struct ec_work w;
    int i;

    for (; wide && first < s->n; first++)
        s->kernel[first].flags |= EC_KF_WIDE;
    if (!n->n_in || g->values[n->in[n->n_in - 1]]->wide == wide)
        return EC_OK;
    w.n = 0;
    for (i = 0; i < n->n_in; i++)
        if (p == EC_FORWARD || input_grad(g, n, i)) {
            ec_work_stream(&w, p, 0, 0, 0)->flags = EC_KF_CAST | EC_KF_WIDE;
            w.kernel[w.n - 1].m = ec_type_elems(&g->values[n->in[i]]->type);
        }
    return append(s, &w, n->id, err);
}

/* Gradients to inputs that need none are not computed: the data, masks, constants. */
static enum ec_status append_grad_data(struct ec_step *s, const struct ec_graph *g,
                                       const struct ec_node *n, struct ec_err *err)
{
    struct ec_case c = ec_node_case(n);
    struct ec_work all, w;
    int i;

    all.n = w.n = 0;
    n->op->work(&c, EC_GRAD_DATA, &all);
    for (i = 0; i < all.n; i++) {
        const struct ec_kernel *k = &all.kernel[i];

        if (!k->for_input || input_grad(g, n, k->for_input - 1))
            w.kernel[w.n++] = *k;
    }
    return append(s, &w, n->id, err);
}

static bool any_param_grad(const struct ec_graph *g, const struct ec_node *n)
{
    int i;

    for (i = 0; i < n->n_param; i++)
        if (g->values[n->param[i]]->trainable)
            return true;
    return false;
}

/* A second consumer of a value adds its gradient to the first one's. A compiler joins the sum to a
 * pass, which then need not write its own part, and moves nothing where both are one kernel. */
static enum ec_status append_accumulate(struct ec_step *s, const struct ec_graph *g,
                                        const struct ec_step_notes *notes, const struct ec_node *n,
                                        unsigned char *seen, struct ec_err *err)
{
    bool joins = notes->node[n->id] & EC_NOTE_PASSES && !(notes->node[n->id] & EC_NOTE_REDUCES);
    struct ec_work w;
    int i;

    w.n = 0;
    for (i = 0; i < n->n_in && w.n < EC_WORK_MAX; i++) {
        const struct ec_value *v = g->values[n->in[i]];

        if (!v->requires_grad || v->kind == EC_V_PARAM)
            continue;
        if (seen[v->id]) {
            double e = ec_type_elems(&v->type);
            struct ec_kernel *k = ec_work_stream(&w, EC_GRAD_DATA, e, 2 * e, e);

            k->flags = EC_KF_SUM;
            k->joint_elems = !joins ? 0 : notes->together[v->id] ? 3 * e : e;
            k->joint_frac = joins;
        }
        seen[v->id] = 1;
    }
    return append(s, &w, n->id, err);
}

/* Weights in 4 bits become halves or floats each time that their layer runs. */
static enum ec_status append_unpack(struct ec_step *s, const struct ec_graph *g,
                                    const struct ec_node *n, enum ec_phase p, struct ec_err *err)
{
    struct ec_kernel *k;
    struct ec_work w;
    int i;

    for (w.n = i = 0; i < n->n_param; i++) {
        const struct ec_value *v = g->values[n->param[i]];
        double elems = ec_type_elems(&v->type);

        if (!v->packed)
            continue;
        k = ec_work_stream(&w, p, 2 * elems, 0, elems);
        k->flags |= EC_KF_UNPACK;
        k->fixed_bytes = EC_PACKED_BYTES * elems;
    }
    return append(s, &w, n->id, err);
}

/* Kernels of the forward pass of a node. */
static enum ec_status append_forward(struct ec_step *s, const struct ec_graph *g,
                                     const struct ec_step_notes *notes, int node, bool infers,
                                     struct ec_err *err)
{
    struct ec_case c = ec_node_case(g->nodes[node]);
    int first = s->n;

    EC_PASS(append_unpack(s, g, g->nodes[node], EC_FORWARD, err));
    EC_PASS(append_casts(s, g, notes, g->nodes[node], EC_FORWARD, err));
    EC_PASS(infers ? append_infer(s, &c, node, err) : append_phase(s, &c, EC_FORWARD, node, err));
    EC_PASS(append_wide(s, g, first, g->nodes[node], EC_FORWARD, err));
    note_kernels(s, first, notes->node[node]);
    join_kernels(s, first, notes, g->nodes[node], EC_FORWARD);
    return EC_OK;
}

/* Before backward of the segment that ends with this node, its forward. */
static enum ec_status append_again(struct ec_step *s, const struct ec_graph *g,
                                   const struct ec_step_notes *notes,
                                   const struct ec_segments *segments, int node, struct ec_err *err)
{
    const struct ec_segment *again;
    int i, first = s->n;

    if (!segments->n || segments->v[segments->of_node[node]].end != node + 1)
        return EC_OK;
    again = &segments->v[segments->of_node[node]];
    assert(again->begin <= node && again->run_end <= again->end);
    for (i = again->begin; i < again->run_end; i++)
        if (!segments->stays[i])
            EC_PASS(append_forward(s, g, notes, i, false, err));
    for (; first < s->n; first++)
        s->kernel[first].flags |= EC_KF_AGAIN;
    return EC_OK;
}

/* segments: n 0 where everything is kept */
static enum ec_status backward(const struct ec_graph *g, const struct ec_step_notes *notes,
                               const struct ec_segments *segments, struct ec_step *s,
                               struct ec_err *err)
{
    unsigned char *seen = ec_alloc((size_t)g->n_values);
    enum ec_status st = EC_OK;
    int i, first;

    EC_PASS(ec_allocated(seen, err));
    for (i = g->n_nodes - 1; i >= 0; i--) {
        const struct ec_node *n = g->nodes[i];
        struct ec_case c = ec_node_case(n);

        EC_TRY(append_again(s, g, notes, segments, i, err));
        if (!g->values[n->out[0]]->requires_grad)
            continue;
        first = s->n;
        EC_TRY(append_unpack(s, g, n, EC_GRAD_DATA, err));
        EC_TRY(append_grad_data(s, g, n, err));
        if (any_param_grad(g, n))
            EC_TRY(append_phase(s, &c, EC_GRAD_WEIGHT, i, err));
        EC_TRY(append_casts(s, g, notes, n, EC_GRAD_DATA, err));
        EC_TRY(append_wide(s, g, first, n, EC_GRAD_DATA, err));
        note_kernels(s, first, notes->node[i]);
        join_kernels(s, first, notes, n, EC_GRAD_DATA);
        EC_TRY(append_accumulate(s, g, notes, n, seen, err));
    }
out:
    ec_free(seen);
    return st;
}

/* The loss follows from the output: classes last, one target per row. */
static enum ec_status loss(const struct ec_graph *g, enum ec_phase p, struct ec_step *s,
                           struct ec_err *err)
{
    const struct ec_op *op = ec_op_find(ec_span_of("cross_entropy"));
    struct ec_arena a = { 0 };
    const struct ec_type *in[1];
    struct ec_case c = { 0 };
    enum ec_status st = EC_OK;
    int i = s->n;

    if (!op || !g->n_outputs)
        return EC_OK;
    c.op = op;
    c.in = in;
    c.n_in = 1;
    in[0] = &g->values[g->outputs[0]]->type;
    if (in[0]->shape.rank < 2 || (p == EC_GRAD_DATA && !g->values[g->outputs[0]]->requires_grad))
        return EC_OK;
    EC_TRY(ec_attrs_parse(op, ec_span_of(""), &a, (void **)(void *)&c.attrs, err));
    EC_TRY(ec_case_infer(&c, &a, err));
    EC_TRY(append_phase(s, &c, p, EC_STEP_LOSS, err));
    for (; i < s->n; i++) {
        s->kernel[i].flags |= EC_KF_LOSS;
        join_loss(&s->kernel[i]);
    }
out:
    ec_arena_clear(&a);
    return st;
}

static bool is_loss(const struct ec_graph *g)
{
    return g->n_nodes && g->nodes[g->n_nodes - 1]->op->flags & EC_OPF_LOSS;
}

/* One kernel over all trainable parameters; whether a framework runs it fused or tensor by tensor
 * is the framework's row. Of Muon its products before. */
static enum ec_status append_update(const struct ec_graph *g, double elems, enum ec_optimizer opt,
                                    struct ec_step *s, struct ec_err *err)
{
    struct ec__muon matrix = { 0 };
    struct ec_work w;
    struct ec_kernel *k;

    if (opt == EC_OPT_none || elems == 0)
        return EC_OK;
    while (opt == EC_OPT_muon && ec__muon_next(g, &matrix)) {
        ec__muon_work(&matrix, elems / ec_graph_trained_elems(g), &w);
        EC_PASS(append(s, &w, EC_STEP_OPTIMIZER, err));
    }
    w.n = 0;
    k = ec_work_add(&w, EC_K_UPDATE, EC_UPDATE);
    k->flop = optimizers[opt].flop * elems;
    k->m = elems;
    k->fixed_bytes = optimizers[opt].tensors * 4 * elems; /* as if all were float32 */
    k->launches = (double)s->n_param_tensors;
    k->serial = optimizers[opt].calls;
    return append(s, &w, EC_STEP_OPTIMIZER, err);
}

enum ec_status ec_step_of_update(const struct ec_graph *g, double elems, int64_t tensors,
                                 enum ec_optimizer opt, struct ec_step *ret, struct ec_err *err)
{
    struct ec_step s = { .n_param_tensors = tensors };
    enum ec_status st;

    EC_TRY(append_update(g, elems, opt, &s, err));
    EC_TRY(ec_step_merge(&s, err));
    *ret = s;
    memset(&s, 0, sizeof s);
out:
    ec_step_clear(&s);
    return st;
}

static int64_t count_param_tensors(const struct ec_graph *g)
{
    int64_t n = 0;
    int i;

    for (i = 0; i < g->n_values; i++)
        if (g->values[i]->kind == EC_V_PARAM && g->values[i]->trainable)
            n++;
    return n;
}

static double input_bytes(const struct ec_graph *g)
{
    double bytes = 0;
    int i;

    for (i = 0; i < g->n_inputs; i++) {
        const struct ec_type *t = &g->values[g->inputs[i]]->type;

        bytes += ec_type_elems(t) * (double)ec_dtype_bytes(t->dtype);
    }
    return bytes;
}

enum ec_status ec_step_build(const struct ec_graph *g, const struct ec_conditions *cond,
                             struct ec_step *ret, struct ec_err *err)
{
    struct ec_step_notes notes = { 0 };
    struct ec_segments segments = { 0 };
    struct ec_step s = { 0 };
    enum ec_status st = EC_OK;
    int i;

    s.n_param_tensors = count_param_tensors(g);
    s.input_bytes = input_bytes(g);
    EC_TRY(ec__step_notes(g, &notes, err));
    EC_TRY(ec__find_joint(g, &notes, err));
    if (cond->recompute != EC_RECOMPUTE_NONE)
        EC_TRY(ec__segments_find(g, cond, &notes, &segments, err));
    for (i = 0; i < g->n_nodes; i++)
        EC_TRY(append_forward(&s, g, &notes, i, cond->mode == EC_MODE_FORWARD, err));
    if (cond->mode != EC_MODE_FORWARD) {
        if (cond->mode == EC_MODE_TRAINING_STEP && !is_loss(g)) {
            EC_TRY(loss(g, EC_FORWARD, &s, err));
            EC_TRY(loss(g, EC_GRAD_DATA, &s, err));
        }
        EC_TRY(backward(g, &notes, &segments, &s, err));
    }
    if (cond->mode == EC_MODE_TRAINING_STEP)
        EC_TRY(append_update(g, ec_graph_trained_elems(g), cond->optimizer, &s, err));
    assert(s.n <= s.cap && s.n <= s.cap_node);
    *ret = s;
    memset(&s, 0, sizeof s);
out:
    ec__segments_clear(&segments);
    ec__step_notes_clear(&notes);
    ec_step_clear(&s);
    return st;
}

enum ec_status ec_step_once(const struct ec_step *s, struct ec_arena *arena, struct ec_step *ret,
                            struct ec_err *err)
{
    struct ec_step once = *s;
    int i;

    once.kernel = ec_arena_alloc(arena, sizeof *once.kernel * (size_t)s->n);
    once.repeat = ec_arena_alloc(arena, sizeof *once.repeat * (size_t)s->n);
    EC_PASS(ec_allocated(once.kernel && once.repeat, err));
    for (once.n = i = 0; i < s->n; i++) {
        if (s->kernel[i].flags & EC_KF_AGAIN)
            continue;
        once.repeat[once.n] = s->repeat ? s->repeat[i] : 1;
        once.kernel[once.n++] = s->kernel[i];
    }
    once.node = NULL;
    assert(once.n <= s->n);
    *ret = once;
    return EC_OK;
}

enum ec_status ec_step_of_case(const struct ec_case *c, int phase, enum ec_mode mode,
                               struct ec_step *ret, struct ec_err *err)
{
    struct ec_step s = { 0 };
    enum ec_status st = EC_OK;
    int p, last = mode == EC_MODE_FORWARD ? EC_FORWARD : EC_GRAD_WEIGHT;

    for (p = EC_FORWARD; p <= EC_GRAD_WEIGHT; p++)
        if (phase < 0 ? p <= last : p == phase)
            EC_TRY(append_phase(&s, c, (enum ec_phase)p, 0, err));
    *ret = s;
    memset(&s, 0, sizeof s);
out:
    ec_step_clear(&s);
    return st;
}

/* Reads once and writes once, over so many elements. */
static void pass(struct ec_work *w, enum ec_phase p, double flop, double reads, double writes,
                 double elems)
{
    if (elems > 0)
        ec_work_stream(w, p, flop * elems, reads * elems, writes * elems);
}

static void update_tensor(struct ec_work *w, enum ec_optimizer opt, double elems)
{
    struct ec_kernel *k;

    if (opt == EC_OPT_none || elems <= 0 || w->n == EC_WORK_MAX)
        return;
    k = ec_work_add(w, EC_K_UPDATE, EC_UPDATE);
    k->flop = optimizers[opt].flop * elems;
    k->m = elems;
    k->fixed_bytes = optimizers[opt].tensors * 4 * elems;
}

/* One element each of the mean: difference, square, sum; back: twice the difference, and its
 * negative for the target. */
enum ec_status ec_step_isolated(const struct ec_case *c, const struct ec_op *activation,
                                enum ec_optimizer opt, struct ec_step *ret, struct ec_err *err)
{
    double out = c->n_out ? ec_type_elems(c->out[0]) : 0;
    struct ec_param_list params = { .n = 0 };
    struct ec_step s = { 0 };
    struct ec_work w;
    enum ec_status st;
    int64_t elems = 0;
    int i;

    EC_TRY(ec_step_of_case(c, -1, EC_MODE_ISOLATED_STEP, &s, err));
    w.n = 0;
    if (activation) {
        pass(&w, EC_FORWARD, activation->flop_fwd, 1, 1, out);
        pass(&w, EC_GRAD_DATA, activation->flop_bwd, 2, 1, out);
    }
    pass(&w, EC_FORWARD, 2, 2, 1, out);
    pass(&w, EC_FORWARD, 1, 1, 0, out);
    pass(&w, EC_GRAD_DATA, 2, 2, 1, out);
    pass(&w, EC_GRAD_DATA, 1, 1, 1, out);
    for (i = 0; i < c->n_in; i++)
        update_tensor(&w, opt, ec_type_elems(c->in[i]));
    update_tensor(&w, opt, out);
    if (c->op->params)
        c->op->params(c, &params);
    for (i = 0; i < params.n; i++)
        if (params.p[i].trainable && ec_shape_count(&params.p[i].shape, &elems))
            update_tensor(&w, opt, (double)elems);
    EC_TRY(append(&s, &w, EC_STEP_LOSS, err));
    *ret = s;
    memset(&s, 0, sizeof s);
out:
    ec_step_clear(&s);
    return st;
}

/* By words: steps have thousands of kernels. */
static uint64_t hash_of(const struct ec_kernel *k)
{
    uint64_t word[sizeof *k / sizeof(uint64_t)], h = 0;
    int i;

    _Static_assert(sizeof *k % sizeof(uint64_t) == 0, "a kernel is whole words");
    memcpy(word, k, sizeof word);
    for (i = 0; i < EC_LEN(word); i++) {
        h = (h ^ word[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

/* Slot of an equal kernel, or the free slot where it belongs. Open addressing; `size` is a power of
 * two and larger than the number of kernels. */
static int find_slot(const struct ec_step *s, const int *table, size_t size,
                     const struct ec_kernel *k)
{
    size_t at = (size_t)(hash_of(k) & (size - 1));

    /* Kernels are zeroed before they are filled; stray padding could only leave equals unmerged.
     * NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
    while (table[at] && memcmp(&s->kernel[table[at] - 1], k, sizeof *k) != 0)
        at = (at + 1) & (size - 1);
    return (int)at;
}

enum ec_status ec_step_merge(struct ec_step *s, struct ec_err *err)
{
    size_t size = 64;
    struct ec_kernel *kept;
    double *repeat;
    int *table, i, n = 0;

    if (s->repeat || s->n == 0)
        return EC_OK;
    while (size < (size_t)s->n * 2)
        size *= 2;
    table = ec_alloc(sizeof *table * size);
    repeat = ec_alloc(sizeof *repeat * (size_t)s->n);
    if (!table || !repeat) {
        ec_free(table);
        ec_free(repeat);
        return ec_nomem(err);
    }
    for (i = 0; i < s->n; i++) {
        int slot = find_slot(s, table, size, &s->kernel[i]);

        if (!table[slot]) {
            s->kernel[n] = s->kernel[i];
            table[slot] = ++n;
        }
        repeat[table[slot] - 1] += 1;
    }
    ec_free(table);
    assert(n >= 1 && n <= s->n);
    ec_free(s->node);
    s->node = NULL;
    s->cap_node = 0;
    s->n = n;
    s->repeat = repeat;
    kept = ec_realloc(s->kernel, sizeof *kept * (size_t)n); /* of thousands a hundred are left */
    EC_PASS(ec_allocated(kept, err));
    s->kernel = kept;
    s->cap = n;
    return EC_OK;
}
