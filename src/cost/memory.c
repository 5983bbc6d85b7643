/* Memory of a step: the tensors that are kept, and the largest sum at one moment: at the gradient
 * of the loss, at some node of the backward pass, or during the update. */
#include "cost/step_notes.h"

#include <math.h>

#include <string.h>

/* Bytes an element of the network's output while its loss is taken back, beside the output itself:
 * log-probabilities and their gradient, float32. */
#define LOSS_BYTES 8

struct walk {
    const struct ec_graph *g;
    enum ec_optimizer opt;
    struct ec_elem_bytes bytes;
    struct ec_step_notes notes;
    struct ec_keeping keeping;
    double *saved;        /* per node */
    unsigned char *taken; /* per value: its gradient is there */
    double parameters, casts;
};

static double elem_bytes_of(const struct walk *w, const struct ec_value *v)
{
    return w->keeping.autocast && w->notes.wide[v->id] ? 4 : w->bytes.activation;
}

/* A node's inputs and outputs: what forward alone must hold, and their gradients on the way back.
 */
static double transient_of(const struct walk *w, const struct ec_node *n)
{
    const struct ec_graph *g = w->g;
    double sum = 0;
    int i;

    for (i = 0; i < n->n_in; i++)
        if (g->values[n->in[i]]->kind == EC_V_COMPUTED)
            sum += ec_type_elems(n->in_type[i]) * elem_bytes_of(w, g->values[n->in[i]]);
    for (i = 0; i < n->n_out; i++)
        sum += ec_type_elems(n->out_type[i]) * elem_bytes_of(w, g->values[n->out[i]]);
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
        if (is_windowed(w->g->nodes[i]))
            m->windowed = fmax(m->windowed, one);
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

/* Halves of the weights of products, which autocast keeps for the step. */
static double cast_bytes(struct walk *w)
{
    double bytes = 0;
    int i;

    if (!w->keeping.autocast)
        return 0;
    for (i = 0; i < w->g->n_nodes; i++)
        if (w->notes.node[i] & EC_NOTE_CASTS_WIDE)
            bytes += node_params(w, w->g->nodes[i]) * w->bytes.activation;
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
    return ec_type_elems(&y->type) * (elem_bytes_of(w, y) + LOSS_BYTES);
}

/* From the loss back to the first node: gradients of parameters come, what was kept goes. */
static void walk_back(struct walk *w, const struct ec_memory *m, struct ec_memory_moment *worst)
{
    double fixed = m->weights + m->optimizer, kept = m->activations + m->input;
    int i;

    keep_worst(worst, fixed, kept, loss_bytes(w));
    for (i = w->g->n_nodes - 1; i >= 0; i--) {
        fixed += node_params(w, w->g->nodes[i]) * w->bytes.weight;
        keep_worst(worst, fixed, kept, transient_of(w, w->g->nodes[i]));
        kept -= w->saved[i];
    }
}

/* States, and wider copies of the parameters where states are wider than those. */
static double optimizer_bytes(const struct walk *w, double params)
{
    double copies = w->bytes.state > w->bytes.weight ? 1 : 0;

    return params * w->bytes.state * (ec_optimizer_states(w->opt) + copies);
}

/* The update, after which nothing is left of activations. */
static struct ec_memory_moment update_of(const struct walk *w, const struct ec_memory *m,
                                         double params)
{
    double scratch = params * w->bytes.state * ec_optimizer_scratch(w->opt);

    return (struct ec_memory_moment){ m->weights - w->casts + m->gradients + m->optimizer + scratch,
                                      m->input, 0 };
}

static void fill_training(struct walk *w, enum ec_mode mode, double params, struct ec_memory *m)
{
    struct ec_memory_moment update;
    int i;

    m->gradients = params * w->bytes.weight;
    if (mode == EC_MODE_TRAINING_STEP)
        m->optimizer = optimizer_bytes(w, params);
    for (i = 0; i < w->g->n_nodes; i++) {
        w->saved[i] = ec__saved_bytes(w->g, w->g->nodes[i], &w->keeping);
        m->activations += w->saved[i];
    }
    walk_back(w, m, &m->most);
    m->apart +=
        m->gradients + m->optimizer + m->activations + fmax(0, loss_bytes(w) - m->transient);
    if (mode == EC_MODE_TRAINING_STEP) {
        update = update_of(w, m, params);
        keep_worst(&m->most, update.fixed, update.kept, update.transient);
        m->apart = fmax(m->apart, sum_of(&update));
    }
}

static void fill(struct walk *w, enum ec_mode mode, struct ec_memory *m)
{
    struct ec_totals t = { 0 };

    ec__count_params(w->g, &t);
    w->casts = cast_bytes(w);
    m->weights = (t.params + t.buffers) * w->bytes.weight + w->casts;
    m->input = t.input_bytes;
    find_largest(w, m);
    m->apart = m->weights + m->input + m->transient;
    if (mode == EC_MODE_FORWARD)
        m->most = (struct ec_memory_moment){ m->weights, m->input, m->transient };
    else
        fill_training(w, mode, t.trainable_params, m);
}

enum ec_status ec_cost_memory(const struct ec_graph *g, enum ec_mode mode, enum ec_optimizer opt,
                              const struct ec_elem_bytes *bytes, struct ec_memory *ret,
                              struct ec_err *err)
{
    struct walk w = { .g = g, .opt = opt, .bytes = *bytes };
    struct ec_memory m = { 0 };
    enum ec_status st = EC_OK;

    w.saved = ec_alloc(sizeof *w.saved * ((size_t)g->n_nodes + 1));
    w.taken = ec_alloc((size_t)g->n_values + 1);
    w.keeping.kept = ec_alloc((size_t)g->n_values + 1);
    w.keeping.elem_bytes = bytes->activation;
    if (!w.saved || !w.taken || !w.keeping.kept)
        EC_TRY(ec_nomem(err));
    EC_TRY(ec__step_notes(g, &w.notes, err));
    w.keeping.notes = &w.notes;
    w.keeping.autocast = bytes->activation < bytes->weight;
    fill(&w, mode, &m);
    *ret = m;
out:
    ec__step_notes_clear(&w.notes);
    ec_free(w.saved);
    ec_free(w.taken);
    ec_free(w.keeping.kept);
    return st;
}
