/* The time of a step by layer: each kernel of the step by itself, under the node it belongs to. */
#include "predict/query.h"

#include <math.h>
#include <string.h>

struct adding {
    const struct ec__query *q;
    struct ec_step_layers *ret;
    double update_ns; /* of all parameters */
};

/* Its device time, with the gap before it, as part of the step. */
static struct ec_step_time kernel_time(const struct ec__query *q, struct ec_kernel *k)
{
    struct ec_rates rates = q->t.profile ? q->t.rates : q->t.plain;
    struct ec_step one = *q->step;
    struct ec_step_time t;

    one.kernel = k;
    one.n = 1;
    one.repeat = NULL;
    ec_step_time(&one, &rates, &q->p->fitted->c, false, &t);
    return t;
}

static enum ec_limit limit_of(const struct ec_node_time *l)
{
    if (l->gap_ns > l->compute_ns && l->gap_ns > l->memory_ns)
        return EC_LIMIT_LAUNCH;
    return l->compute_ns >= l->memory_ns ? EC_LIMIT_COMPUTE : EC_LIMIT_MEMORY;
}

static void add_kernel(struct adding *a, struct ec_kernel *k, int node)
{
    bool is_forward = k->phase == EC_FORWARD && !(k->flags & EC_KF_AGAIN);
    struct ec_step_time t = kernel_time(a->q, k);
    struct ec_node_time *l;

    if (node == EC_STEP_OPTIMIZER) {
        a->update_ns += t.device_ns;
        return;
    }
    l = &a->ret->v[node == EC_STEP_LOSS ? a->ret->n - 1 : node];
    *(is_forward ? &l->forward_ns : &l->backward_ns) += t.device_ns;
    if (is_forward)
        l->forward_elems += k->read_elems + k->write_elems + k->weight_elems;
    l->compute_ns += t.compute_ns;
    l->memory_ns += t.memory_ns;
    l->gap_ns += t.gap_ns;
    l->flop += k->flop;
}

/* The elements of the node's trainable parameters; those of several nodes count at the first. */
static double elems_of(const struct ec_graph *g, const struct ec_node *n, bool *seen)
{
    double sum = 0;
    int i;

    for (i = 0; i < n->n_param; i++) {
        const struct ec_value *v = n->param[i] < 0 ? NULL : g->values[n->param[i]];

        if (!v)
            continue;
        if (v->trainable && !seen[v->id])
            sum += (double)ec_type_elems(&v->type);
        seen[v->id] = true;
    }
    return sum;
}

/* One update is of all parameters together: a layer has the share of its own. */
static enum ec_status share_update(struct adding *a, struct ec_err *err)
{
    const struct ec_graph *g = a->q->graph;
    bool *seen = ec_alloc(sizeof *seen * (size_t)(g->n_values + 1));
    double all = 0;
    int i;

    EC_PASS(ec_allocated(seen, err));
    for (i = 0; i < g->n_nodes; i++) {
        a->ret->v[i].update_ns = elems_of(g, g->nodes[i], seen);
        all += a->ret->v[i].update_ns;
    }
    for (i = 0; i < g->n_nodes; i++)
        a->ret->v[i].update_ns *= all > 0 ? a->update_ns / all : 0;
    ec_free(seen);
    return EC_OK;
}

/* What is left of the step: casts of autocast, and the wait for the host and for other devices. */
static void settle(struct adding *a)
{
    const struct ec_prediction *r = a->q->r;
    double scale = r->step_time_ns.p50 / a->q->time.step_ns, sum = 0;
    int i;

    for (i = 0; i < a->ret->n; i++) {
        struct ec_node_time *l = &a->ret->v[i];

        l->limit = limit_of(l);
        l->forward_ns *= scale;
        l->backward_ns *= scale;
        l->update_ns *= scale;
        sum += l->forward_ns + l->backward_ns + l->update_ns;
    }
    a->ret->step_ns = r->step_time_ns.p50;
    a->ret->casts_ns = fmax(0, scale * a->q->time.device_ns - sum);
    a->ret->rest_ns = a->ret->step_ns - sum - a->ret->casts_ns;
}

static enum ec_status name_layers(const struct ec_graph *g, struct ec_step_layers *ret,
                                  struct ec_arena *arena, struct ec_err *err)
{
    int i;

    ret->n = g->n_nodes + 1;
    ret->v = ec_arena_alloc(arena, sizeof *ret->v * (size_t)ret->n);
    EC_PASS(ec_allocated(ret->v, err));
    for (i = 0; i < g->n_nodes; i++) {
        ret->v[i].name = ec_arena_str(arena, g->nodes[i]->name);
        ret->v[i].op = g->nodes[i]->op->name;
        EC_PASS(ec_allocated(ret->v[i].name, err));
    }
    ret->v[g->n_nodes] = (struct ec_node_time){ .name = "loss", .op = "loss" };
    return EC_OK;
}

enum ec_status ec__time_layers(const struct ec__query *q, struct ec_step_layers *ret,
                               struct ec_arena *arena, struct ec_err *err)
{
    const struct ec_conditions *c = &q->o->cond;
    struct adding a = { .q = q, .ret = ret };
    struct ec_step step = { 0 };
    enum ec_status st;
    int i;

    memset(ret, 0, sizeof *ret);
    if (q->t.by_layers)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "--layers: %s is predicted by the measured layers of its profile, "
                       "which has no share for each layer of a network",
                       ec_device_key(q->t.device));
    EC_TRY(name_layers(q->graph, ret, arena, err));
    EC_TRY(ec_step_build(q->graph, c, &step, err));
    for (i = 0; i < step.n; i++)
        add_kernel(&a, &step.kernel[i], step.node[i]);
    EC_TRY(share_update(&a, err));
    settle(&a);
out:
    ec_step_clear(&step);
    return st;
}
