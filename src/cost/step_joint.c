/* Fusing by a compiler (torch.compile): consecutive element-wise operators become one kernel, and
 * the values between them are neither written nor read.
 *
 * A value is ready at a stage. A product is a stage of its own, and so is what comes after a
 * reduction: a kernel ends there. Passes of one stage that read each other's results are one
 * kernel; what an earlier stage gave is read from memory. */
#include "cost/axes.h"
#include "cost/step_notes.h"

struct joining {
    const struct ec_graph *g;
    struct ec_step_notes *notes;
    int *ready;                 /* per value: stage, from 1 on; 0: given from outside */
    int *read_at;               /* per value: stage of its last reader among passes; 0: none */
    unsigned char *in_memory;   /* per value: somebody reads it from there */
    unsigned char *wide_reader; /* per value: somebody wants it in float32 */
};

/* The value that a view shows. */
static int source_of(const struct ec_graph *g, int value)
{
    int at = g->values[value]->producer;

    while (at >= 0 && g->nodes[at]->op->flags & EC_OPF_VIEW && g->nodes[at]->n_in) {
        value = g->nodes[at]->in[0];
        at = g->values[value]->producer;
    }
    return value;
}

static bool is_pass(const struct joining *j, int node)
{
    return node >= 0 && j->notes->node[node] & EC_NOTE_PASSES &&
           !(j->notes->node[node] & (EC_NOTE_ATTENTION | EC_NOTE_STRIDED));
}

static double elems_of(const struct joining *j, int value)
{
    return ec_type_elems(&j->g->values[value]->type);
}

static int stage_of(const struct joining *j, const struct ec_node *n)
{
    int stage = 1, i;

    for (i = 0; i < n->n_in; i++) {
        int ready = j->ready[source_of(j->g, n->in[i])];

        stage = ready > stage ? ready : stage;
    }
    return stage;
}

/* Whether a pass of this stage is one kernel with what gives the value. */
static bool joins(const struct joining *j, int value, int stage)
{
    int from = j->g->values[value]->producer;

    return j->ready[value] == stage && is_pass(j, from) &&
           !(j->notes->node[from] & EC_NOTE_REDUCES);
}

/* A tensor of so many elements that a compiler does not move between a node and its neighbours. */
static void take_joint(struct joining *j, const struct ec_node *n, double elems)
{
    j->notes->joint[n->id] += elems;
    j->notes->joint_frac[n->id] += 1.0 / (n->n_in + n->n_out);
}

/* Whether backward of what gives the value has kernels, which write its gradient. */
static bool has_backward(const struct joining *j, int value)
{
    struct ec_case c = ec_node_case(j->g->nodes[j->g->values[value]->producer]);
    struct ec_work w;

    w.n = 0;
    c.op->work(&c, EC_GRAD_DATA, &w);
    return w.n > 0;
}

static void read_as_pass(struct joining *j, const struct ec_node *n, int stage)
{
    bool works_wide = j->notes->node[n->id] & EC_NOTE_WIDE;
    int i;

    for (i = 0; i < n->n_in; i++) {
        int u = source_of(j->g, n->in[i]);
        bool joint = joins(j, u, stage);

        j->notes->together[n->in[i]] |= j->read_at[u] == stage;
        if (joint || j->read_at[u] == stage)
            take_joint(j, n, elems_of(j, n->in[i]));
        if (j->read_at[u] == stage || (joint && has_backward(j, u)))
            j->notes->again[n->id] += elems_of(j, n->in[i]);
        else if (works_wide && !j->notes->wide[n->in[i]])
            j->notes->narrow[n->id] += elems_of(j, n->in[i]);
        j->in_memory[u] |= !joint;
        j->wide_reader[u] = 1;
        j->read_at[u] = stage;
    }
}

static void read_from_memory(struct joining *j, const struct ec_node *n)
{
    int i;

    for (i = 0; i < n->n_in; i++) {
        int u = source_of(j->g, n->in[i]);

        j->in_memory[u] = 1;
        j->wide_reader[u] |= !(j->notes->node[n->id] & EC_NOTE_CASTS_WIDE);
    }
}

/* The node that gives what a value shows; NULL: given from outside. */
static const struct ec_node *giver_of(const struct ec_graph *g, int value)
{
    int from = g->values[source_of(g, value)]->producer;

    return from >= 0 ? g->nodes[from] : NULL;
}

/* Attention as one kernel takes its operands as they lie, and writes as the next product reads:
 * marks the transpositions beside it. */
static void find_strided(const struct ec_graph *g, struct ec_step_notes *notes)
{
    const struct ec_node *from;
    int i, k;

    for (i = 0; i < g->n_nodes; i++) {
        const struct ec_node *n = g->nodes[i];

        if (ec__is_op(n, "transpose") && (from = giver_of(g, n->in[0])) &&
            ec__is_op(from, "attention"))
            notes->node[i] |= EC_NOTE_STRIDED;
        for (k = 0; ec__is_op(n, "attention") && k < n->n_in; k++)
            if ((from = giver_of(g, n->in[k])) && ec__is_op(from, "transpose"))
                notes->node[from->id] |= EC_NOTE_STRIDED;
    }
}

static void visit(struct joining *j, const struct ec_node *n)
{
    bool pass = is_pass(j, n->id);
    int stage, i;

    if (n->op->flags & EC_OPF_VIEW)
        return;
    stage = stage_of(j, n);
    if (pass)
        read_as_pass(j, n, stage);
    else
        read_from_memory(j, n);
    if (j->notes->node[n->id] & EC_NOTE_STRIDED) {
        j->notes->joint[n->id] = 2 * elems_of(j, n->in[0]);
        j->notes->joint_frac[n->id] = 1;
    }
    for (i = 0; i < n->n_out; i++)
        j->ready[n->out[i]] = stage + (!pass || j->notes->node[n->id] & EC_NOTE_REDUCES ? 1 : 0);
}

/* What nobody reads from memory is not written. */
static void count_written(struct joining *j, const struct ec_node *n)
{
    bool works_wide = j->notes->node[n->id] & EC_NOTE_WIDE;
    int i;

    if (!is_pass(j, n->id) || n->op->flags & EC_OPF_VIEW)
        return;
    for (i = 0; i < n->n_out; i++) {
        int u = n->out[i];

        if (!j->in_memory[u])
            take_joint(j, n, elems_of(j, u));
        else if (works_wide && !j->wide_reader[u])
            j->notes->narrow[n->id] += elems_of(j, u);
    }
}

enum ec_status ec__find_joint(const struct ec_graph *g, struct ec_step_notes *notes,
                              struct ec_err *err)
{
    size_t n = (size_t)g->n_values + 1;
    struct joining j = { g, notes, NULL, NULL, NULL, NULL };
    enum ec_status st = EC_OK;
    int i;

    j.ready = ec_alloc(sizeof *j.ready * n);
    j.read_at = ec_alloc(sizeof *j.read_at * n);
    j.in_memory = ec_alloc(n);
    j.wide_reader = ec_alloc(n);
    EC_TRY(ec_allocated(j.ready && j.read_at && j.in_memory && j.wide_reader, err));
    find_strided(g, notes);
    for (i = 0; i < g->n_nodes; i++)
        visit(&j, g->nodes[i]);
    for (i = 0; i < g->n_outputs; i++) {
        int u = source_of(g, g->outputs[i]);

        j.in_memory[u] = j.wide_reader[u] = 1;
    }
    for (i = 0; i < g->n_nodes; i++)
        count_written(&j, g->nodes[i]);
out:
    ec_free(j.ready);
    ec_free(j.read_at);
    ec_free(j.in_memory);
    ec_free(j.wide_reader);
    return st;
}
