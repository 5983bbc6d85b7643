/* Memory of a step: the tensors that are kept, and the largest sum at one moment: at the gradient
 * of the loss, at some node of the backward pass, or during the update. */
#include "cost/recompute.h"

#include <assert.h>
#include <math.h>

#include <string.h>

/* Bytes an element of the network's output while its loss is taken back, beside the output itself:
 * log-probabilities and their gradient, float32. */
#define LOSS_BYTES 8

struct walk {
    const struct ec_graph *g;
    const struct ec_conditions *cond;
    struct ec_elem_bytes bytes; /* of what is trained */
    struct ec_step_notes notes;
    struct ec_keeping keeping;
    struct ec_segments segments; /* n 0: all is kept */
    double *saved;               /* per node */
    double *held;                /* per node: all that is kept while backward is there */
    unsigned char *taken;        /* per value: its gradient is there */
    unsigned char *nowhere;      /* per value: a fused kernel makes and uses it */
    unsigned char *solid;        /* per value: read by more than passes over elements */
    int *last;                   /* per value: the node that reads it last, -1: none */
};

static double value_bytes(const struct walk *w, const struct ec_value *v)
{
    if (w->nowhere[v->id] || v->kind != EC_V_COMPUTED)
        return 0;
    return ec__value_bytes(v, &w->keeping);
}

/* A node's inputs and outputs: their gradients on the way back. */
static double transient_of(const struct walk *w, const struct ec_node *n)
{
    double sum = 0;
    int i;

    for (i = 0; i < n->n_in; i++)
        sum += value_bytes(w, w->g->values[n->in[i]]);
    for (i = 0; i < n->n_out; i++)
        sum += value_bytes(w, w->g->values[n->out[i]]);
    return sum;
}

/* A convolution that reads several elements for one: what libraries have algorithms with workspaces
 * for. Windows of pooling have no parameters. */
static bool is_windowed(const struct ec_node *n)
{
    struct ec_case c = ec_node_case(n);
    struct ec_window window;
    int i;

    if (!n->n_param || !ec_case_window(&c, &window))
        return false;
    for (i = 0; i < EC_WINDOW_DIMS; i++)
        if (window.filter[i] > 1)
            return true;
    return false;
}

static void find_largest(const struct walk *w, struct ec_memory *m)
{
    double one;
    int i;

    for (i = 0; i < w->g->n_nodes; i++) {
        one = transient_of(w, w->g->nodes[i]);
        m->transient = fmax(m->transient, one);
        if (one > m->windowed && is_windowed(w->g->nodes[i]))
            m->windowed = one;
    }
}

/* Elements of a parameter the first time it is met. */
static double param_once(const struct ec_value *v, unsigned char *taken)
{
    if (v->kind != EC_V_PARAM || !v->trainable || taken[v->id])
        return 0;
    taken[v->id] = 1;
    return ec_type_elems(&v->type);
}

static double node_params(const struct walk *w, const struct ec_node *n)
{
    double elems = 0;
    int i;

    for (i = 0; i < n->n_param; i++)
        elems += param_once(w->g->values[n->param[i]], w->taken);
    for (i = 0; i < n->n_in; i++)
        elems += param_once(w->g->values[n->in[i]], w->taken);
    return elems;
}

/* Halves of the weights of products, which autocast makes and backward frees node by node. */
static double cast_bytes(struct walk *w)
{
    double bytes = 0;
    int i;

    for (i = 0; i < w->g->n_nodes && w->keeping.autocast; i++)
        if (w->notes.node[i] & EC_NOTE_CASTS_WIDE) {
            w->saved[i] = node_params(w, w->g->nodes[i]) * w->bytes.activation;
            bytes += w->saved[i];
        }
    memset(w->taken, 0, (size_t)w->g->n_values);
    return bytes;
}

static double sum_of(const struct ec_memory_moment *m)
{
    return m->fixed + m->kept + m->transient;
}

static void keep_worst(struct ec_memory_moment *worst, double fixed, double kept, double transient)
{
    struct ec_memory_moment m = { fixed, kept, transient };

    if (sum_of(&m) > sum_of(worst))
        *worst = m;
}

/* The output and its loss; a network that ends in its loss has it among its nodes. */
static double loss_bytes(const struct walk *w)
{
    const struct ec_graph *g = w->g;
    const struct ec_value *y = g->n_outputs ? g->values[g->outputs[0]] : NULL;

    if (!y || !y->requires_grad || !ec_dtype_is_float(y->type.dtype))
        return 0;
    return value_bytes(w, y) + ec_type_elems(&y->type) * LOSS_BYTES;
}

/* As one device runs it: the gradient of log-probabilities becomes that of an output in halves,
 * while both are there (2 + 4 + 4 + 2 bytes). */
static double loss_of_one(const struct walk *w)
{
    double bytes = loss_bytes(w);

    if (bytes > 0 && w->bytes.activation == 2 && w->cond->framework != EC_FW_pytorch_compiled)
        bytes += value_bytes(w, w->g->values[w->g->outputs[0]]);
    return bytes;
}

/* Of a network in halves, as trainers of large models have it: log-probabilities are given back
 * piece by piece (7.3 bytes in all on public runs, docs/large-models.md). Those of 2022 hold a
 * float32 copy of the output, log-probabilities and the gradient in halves. */
#define HALF_LOSS_BYTES 5.3
#define OLD_HALF_LOSS_BYTES 10

static double loss_of_halves(const struct walk *w)
{
    const struct ec_graph *g = w->g;
    double bytes = loss_bytes(w);
    double halves = w->cond->framework == EC_FW_pytorch_1 ? OLD_HALF_LOSS_BYTES : HALF_LOSS_BYTES;

    if (bytes > 0 && w->bytes.activation == 2)
        bytes += ec_type_elems(&g->values[g->outputs[0]]->type) * (halves - LOSS_BYTES);
    return bytes;
}

/* Gradients that are set to zero, and not freed, between steps. */
static bool keeps_gradients(enum ec_framework fw)
{
    return fw == EC_FW_pytorch_1 || fw == EC_FW_pytorch_0 || fw == EC_FW_torch7 ||
           fw == EC_FW_caffe || fw == EC_FW_epochcast;
}

/* What of a node's inputs and outputs is the network's output, or what that is a view of. */
static double output_bytes(const struct walk *w, const struct ec_node *n)
{
    const struct ec_value *y = w->g->n_outputs ? w->g->values[w->g->outputs[0]] : NULL, *v;
    double bytes = 0;
    int i;

    for (i = 0; y && i < n->n_in + n->n_out; i++) {
        v = w->g->values[i < n->n_in ? n->in[i] : n->out[i - n->n_in]];
        if (v == y || v == ec__owner(w->g, y))
            bytes += value_bytes(w, v);
    }
    return bytes;
}

/* of_output: what of it is in pieces where the loss is */
static void keep_working(struct ec_memory *m, double bytes, double of_output)
{
    m->plain = fmax(m->plain, bytes);
    m->working = fmax(m->working, bytes);
    m->chunked = fmax(m->chunked, bytes - of_output * (1 - 1.0 / EC_LOSS_CHUNKS));
}

/* From the loss back to the first node: gradients of parameters come, what was kept goes. */
static void walk_back(struct walk *w, struct ec_memory *m, double kept_to_loss,
                      struct ec_memory_moment *worst)
{
    bool there = keeps_gradients(w->cond->framework);
    double fixed = m->weights + m->optimizer + (there ? m->gradients : 0);
    int i;

    m->at_loss = kept_to_loss + m->input;
    m->plain = m->at_loss + loss_of_one(w);
    m->working = m->at_loss + loss_of_halves(w);
    m->chunked = m->at_loss + loss_of_halves(w) / EC_LOSS_CHUNKS;
    keep_worst(worst, fixed, m->at_loss, loss_of_one(w));
    for (i = w->g->n_nodes - 1; i >= 0; i--) {
        if (!there)
            fixed += node_params(w, w->g->nodes[i]) * w->bytes.weight;
        keep_worst(worst, fixed, w->held[i] + m->input, transient_of(w, w->g->nodes[i]));
        keep_working(m, w->held[i] + m->input + transient_of(w, w->g->nodes[i]),
                     output_bytes(w, w->g->nodes[i]));
    }
}

/* States, and wider copies of the parameters where states are wider than those. */
static double optimizer_bytes(const struct walk *w, double params, double hidden_frac)
{
    double copy = w->bytes.state > w->bytes.weight ? w->bytes.state : 0;

    return params *
           (ec_optimizer_state_bytes(w->cond->optimizer, w->bytes.state, hidden_frac) + copy);
}

/* Attention is one kernel only where the framework has one, and for (batch, head, token, dim). */
static void unfuse(struct walk *w)
{
    bool fuses = ec_frameworks[w->cond->framework].fuses_attention;
    int i;

    for (i = 0; i < w->g->n_nodes; i++)
        if (!fuses || w->g->nodes[i]->out_type[0]->shape.rank > 4)
            w->notes.node[i] &= (unsigned short)~EC_NOTE_ATTENTION;
        else if (w->notes.node[i] & EC_NOTE_MASKED)
            w->notes.node[i] |= EC_NOTE_ATTENTION;
}

/* What the nodes between two products of attention read and make. */
static void find_nowhere(struct walk *w)
{
    int i, k;

    unfuse(w);
    for (i = 0; i < w->g->n_nodes; i++) {
        const struct ec_node *n = w->g->nodes[i];

        if (!ec__makes_scores(n, &w->keeping))
            continue;
        for (k = 0; k < n->n_in; k++)
            w->nowhere[n->in[k]] = 1;
        for (k = 0; k < n->n_out; k++)
            w->nowhere[n->out[k]] = 1;
    }
}

static void find_solid(const struct walk *w)
{
    const struct ec_graph *g = w->g;
    int i, k;

    for (i = 0; i < g->n_nodes; i++) {
        if (w->notes.node[i] & EC_NOTE_PASSES || g->nodes[i]->op->flags & EC_OPF_VIEW)
            continue;
        for (k = 0; k < g->nodes[i]->n_in; k++)
            w->solid[ec__owner(g, g->values[g->nodes[i]->in[k]])->id] = 1;
    }
}

/* The node that reads each value last, by the value that owns its memory; outputs are never freed.
 */
static void find_last_readers(const struct walk *w)
{
    const struct ec_graph *g = w->g;
    int i, k;

    for (i = 0; i < g->n_nodes; i++)
        for (k = 0; k < g->nodes[i]->n_in; k++)
            w->last[ec__owner(g, g->values[g->nodes[i]->in[k]])->id] = i;
    for (i = 0; i < g->n_outputs; i++)
        w->last[ec__owner(g, g->values[g->outputs[i]])->id] = g->n_nodes;
}

/* What of a node's inputs autocast copies to another width while the node runs. */
static double copies_of(const struct walk *w, const struct ec_node *n)
{
    unsigned note = w->keeping.autocast ? w->notes.node[n->id] : 0;
    double bytes = 0;
    int i;

    for (i = 0; i < n->n_in; i++) {
        const struct ec_value *v = w->g->values[n->in[i]];

        if (note & EC_NOTE_CASTS_WIDE && w->notes.wide[v->id])
            bytes += value_bytes(w, v) / 2;
        if (note & EC_NOTE_CASTS_NARROW && !w->notes.wide[v->id])
            bytes += value_bytes(w, v) * 2;
    }
    return bytes;
}

/* The most that forward alone holds: a value lives until its last reader has run, and what works
 * in place takes its place. */
static double walk_forward(const struct walk *w)
{
    const struct ec_graph *g = w->g;
    double live = 0, most = 0;
    int i, k;

    for (i = 0; i < g->n_nodes; i++) {
        const struct ec_node *n = g->nodes[i];
        double freed = 0, made = 0;

        for (k = 0; k < n->n_in; k++) {
            const struct ec_value *v = ec__owner(g, g->values[n->in[k]]);

            freed +=
                w->last[v->id] == i && (k == 0 || n->in[k] != n->in[k - 1]) ? value_bytes(w, v) : 0;
        }
        for (k = 0; k < n->n_out && !(n->op->flags & EC_OPF_VIEW); k++)
            made += value_bytes(w, g->values[n->out[k]]);
        live += n->op->flags & EC_OPF_INPLACE ? fmax(0, made - freed) : made;
        most = fmax(most, live + copies_of(w, n));
        live -= n->op->flags & EC_OPF_INPLACE ? fmax(0, freed - made) : freed;
    }
    return most;
}

/* The update, after which nothing is left of activations. */
static struct ec_memory_moment update_of(const struct walk *w, const struct ec_memory *m,
                                         double params)
{
    double scratch = params * w->bytes.state * ec_optimizer_scratch(w->cond->optimizer);

    return (struct ec_memory_moment){ m->weights + m->gradients + m->optimizer + scratch, m->input,
                                      0 };
}

/* What stays of a segment: what crossed to later ones, which need not keep it themselves. */
static double cross_from(struct walk *w, int segment)
{
    double bytes = 0;
    int i;

    for (i = 0; i < w->g->n_values; i++) {
        const struct ec_value *v = w->g->values[i];

        if (!w->segments.crosses[i] || w->segments.of_node[v->producer] != segment)
            continue;
        assert(v->producer >= 0);
        bytes += value_bytes(w, v);
        w->keeping.kept[i] = 1;
    }
    return bytes;
}

/* Fills saved and held. A segment's own tensors are there while backward is in it, what crosses
 * until backward has left the segments behind it. Returns what is kept at the loss. */
static double hold(struct walk *w)
{
    const struct ec_segments *s = &w->segments;
    double held = 0, across = 0;
    int i, last = 0;

    for (i = 0; i < w->g->n_nodes; i++) {
        if (s->n && s->of_node[i] != last) {
            held = across += cross_from(w, last);
            last = s->of_node[i];
        }
        w->saved[i] += ec__saved_bytes(w->g, w->g->nodes[i], &w->keeping);
        w->held[i] = held += w->saved[i];
        assert(w->saved[i] >= 0 && held >= across);
    }
    return s->n && s->head == w->g->n_nodes ? across + cross_from(w, last) : held;
}

static void fill_training(struct walk *w, double params, struct ec_memory *m)
{
    bool updates = w->cond->mode == EC_MODE_TRAINING_STEP;
    double to_loss = hold(w);
    struct ec_memory_moment update;
    int i;

    m->gradients = params * w->bytes.weight;
    if (updates)
        m->optimizer = optimizer_bytes(w, params, m->hidden_frac);
    for (i = 0; i < w->g->n_nodes; i++)
        m->activations = fmax(m->activations, w->held[i]);
    walk_back(w, m, to_loss, &m->most);
    m->apart +=
        m->gradients + m->optimizer + m->activations + fmax(0, loss_of_one(w) - m->transient);
    if (updates) {
        update = update_of(w, m, params);
        keep_worst(&m->most, update.fixed, update.kept, update.transient);
        m->apart = fmax(m->apart, sum_of(&update));
    }
}

static void fill(struct walk *w, struct ec_memory *m)
{
    double elem = w->bytes.weight;
    struct ec_totals t = { 0 };
    int i;

    ec__count_params(w->g, &t);
    m->casts = cast_bytes(w);
    m->hidden_frac = ec_hidden_frac(w->g);
    for (i = 0; i < w->g->n_values; i++) {
        if (w->g->values[i]->wide)
            w->bytes.weight = w->bytes.state = 4;
        if (w->g->values[i]->packed) {
            double elems = ec_type_elems(&w->g->values[i]->type);

            m->weights -= elems * (elem - EC_PACKED_BYTES);
            m->unpacked = fmax(m->unpacked, elems * w->bytes.activation);
        }
    }
    m->weights += (t.params + t.buffers) * elem + t.trainable_params * (w->bytes.weight - elem);
    m->bytes = w->bytes;
    m->input = t.input_bytes;
    find_largest(w, m);
    m->input += m->unpacked; /* there all the time, from one layer to the next */
    m->apart = m->weights + m->input + m->transient;
    if (w->cond->mode == EC_MODE_FORWARD) {
        find_last_readers(w);
        m->transient = walk_forward(w) + m->casts;
        m->apart = m->weights + m->input + m->transient;
        m->most = (struct ec_memory_moment){ m->weights, m->input, m->transient };
    } else
        fill_training(w, t.trainable_params, m);
    assert(m->weights >= 0 && m->gradients >= 0 && m->optimizer >= 0 && m->activations >= 0);
    assert(m->apart >= m->weights + m->gradients && sum_of(&m->most) >= m->weights);
}

enum ec_status ec_cost_memory(const struct ec_graph *g, const struct ec_conditions *cond,
                              struct ec_memory *ret, struct ec_err *err)
{
    struct walk w = { .g = g,
                      .cond = cond,
                      .bytes = ec_elem_bytes_of(cond->precision, cond->master_weights) };
    struct ec_memory m = { 0 };
    struct ec_arena a = { 0 };
    enum ec_status st = EC_OK;

    w.saved = ec_arena_alloc(&a, sizeof *w.saved * ((size_t)g->n_nodes + 1));
    w.held = ec_arena_alloc(&a, sizeof *w.held * ((size_t)g->n_nodes + 1));
    w.taken = ec_arena_alloc(&a, (size_t)g->n_values + 1);
    w.nowhere = ec_arena_alloc(&a, (size_t)g->n_values + 1);
    w.last = ec_arena_alloc(&a, sizeof *w.last * ((size_t)g->n_values + 1));
    w.solid = ec_arena_alloc(&a, (size_t)g->n_values + 1);
    w.keeping.kept = ec_arena_alloc(&a, (size_t)g->n_values + 1);
    w.keeping.elem_bytes = w.bytes.activation;
    EC_TRY(ec_allocated(
        w.saved && w.held && w.taken && w.nowhere && w.last && w.solid && w.keeping.kept, err));
    EC_TRY(ec__step_notes(g, &w.notes, err));
    if (cond->recompute != EC_RECOMPUTE_NONE && cond->mode != EC_MODE_FORWARD)
        EC_TRY(ec__segments_find(g, cond, &w.notes, &w.segments, err));
    w.keeping.notes = &w.notes;
    w.keeping.autocast = cond->precision == EC_AMP;
    w.keeping.composed = ec_frameworks[cond->framework].composes_layers;
    if (cond->framework == EC_FW_pytorch_compiled) {
        find_solid(&w);
        w.keeping.solid = w.solid;
    }
    find_nowhere(&w);
    fill(&w, &m);
    *ret = m;
out:
    ec__step_notes_clear(&w.notes);
    ec__segments_clear(&w.segments);
    ec_arena_clear(&a);
    return st;
}
