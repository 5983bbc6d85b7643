/* The tasks of a step: those of a compiled program where this engine's backend is built in; else
 * each operator of the network in each phase, as an eager framework runs them. */
#include "adapt/composed.h"

#include "adapt/own_program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Standard deviation of log(time) of the machine as a whole: two measurements of the same layers
 * within two hours differed by 5 and by 8 % (docs/local.md). */
#define MACHINE_SD 0.07
/* Standard deviation of tasks that no layer is measured for: conversions of formats, additions of
 * gradients. */
#define MOVED_SD 0.4

struct task {
    struct ec_layer_point at;
    double ns;
    bool known, done;
};

struct sum {
    const struct ec_layers *l;
    double footprint_bytes, moved_ns;
    struct ec_step_time time;
    double law_ns[EC_KCLASS_COUNT];
    struct task *task;
    int n, cap;
};

static void sum_clear(struct sum *s)
{
    ec_free(s->task);
}

static bool does_matrices(enum ec_kclass k)
{
    return k == EC_K_GEMM || k == EC_K_CONV || k == EC_K_ATTENTION || k == EC_K_RNN;
}

static void add_time(struct sum *s, enum ec_phase phase, const struct ec_layer_point *at, double ns)
{
    s->time.device_ns += ns;
    s->time.phase_ns[phase] += ns;
    s->time.class_ns[at->kclass] += ns;
    s->time.class_launches[at->kclass] += 1;
    *(does_matrices(at->kclass) ? &s->time.compute_ns : &s->time.memory_ns) += ns;
    s->time.launches += 1;
    s->time.issued += 1;
    s->law_ns[at->kclass] += exp(at->log_law);
}

static enum ec_status add_point(struct sum *s, const struct ec_layer_point *at, enum ec_phase phase,
                                struct ec_err *err)
{
    struct ec_layer_time t;

    EC_PASS(ec_grow(&s->task, &s->cap, s->n + 1, sizeof *s->task, err));
    ec_layers_time(s->l, at, &t);
    s->task[s->n++] = (struct task){ .at = *at, .ns = exp(t.log_ns), .known = t.rows > 0 };
    add_time(s, phase, at, exp(t.log_ns));
    return EC_OK;
}

static enum ec_status add_case(struct sum *s, const struct ec_case *c, enum ec_phase phase,
                               struct ec_err *err)
{
    struct ec_layer_point at;
    enum ec_status st =
        ec_layer_place(ec_layers_machine(s->l), c, (int)phase, s->footprint_bytes, &at, err);

    if (st)
        return st == EC_E_UNSUPPORTED ? EC_OK : st; /* no kernel there: no task */
    return add_point(s, &at, phase, err);
}

static enum ec_status add_update(struct sum *s, enum ec_optimizer o, double elems,
                                 struct ec_err *err)
{
    struct ec_layer_point at;

    ec_layer_place_update(ec_layers_machine(s->l), o, elems, s->footprint_bytes, &at);
    return add_point(s, &at, EC_UPDATE, err);
}

static void add_moved(struct sum *s, enum ec_phase phase, double bytes)
{
    double ns = ec_layer_move_ns(ec_layers_machine(s->l), bytes, 0);
    struct ec_layer_point at = { .kclass = EC_K_STREAM, .log_law = log(ns) };

    s->moved_ns += ns;
    add_time(s, phase, &at, ns);
}

static double bytes_of(const struct ec_graph *g, const int *values, int n)
{
    double most = 0;
    int i;

    for (i = 0; i < n; i++)
        most = fmax(most, 4 * ec_type_elems(&g->values[values[i]]->type));
    return most;
}

/* Adds the task when layers of its kind were measured; *ret: whether it did. phase: as for
 * ec_layer_place */
static enum ec_status add_known(struct sum *s, const struct ec_case *c, int phase, bool *ret,
                                struct ec_err *err)
{
    struct ec_layer_point at;
    struct ec_layer_time t;

    EC_PASS(ec_layer_place(ec_layers_machine(s->l), c, phase, s->footprint_bytes, &at, err));
    ec_layers_time(s->l, &at, &t);
    *ret = t.rows > 0;
    if (*ret)
        EC_PASS(add_point(s, &at, phase < 0 ? EC_FORWARD : (enum ec_phase)phase, err));
    return EC_OK;
}

/* The case of a loss or softmax on the network's output, whose rows have one number per class. */
static enum ec_status loss_case(const struct ec_graph *g, const char *op, struct ec_owned_case *ret,
                                struct ec_err *err)
{
    const struct ec_type *y = &g->values[g->outputs[0]]->type;
    int64_t cols = y->shape.rank ? y->shape.d[y->shape.rank - 1] : 1;
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    cols = cols < 1 ? 1 : cols;
    ec_buf_printf(&text, ec_str_eq(op, "cross_entropy") ? "%s n=%.0f c=%lld" : "%s x=%.0fx%lld", op,
                  fmax(1, ec_type_elems(y) / (double)cols), (long long)cols);
    EC_TRY(ec_buf_status(&text, err));
    EC_TRY(ec_case_parse(ec_buf_text(&text), ret, err));
out:
    ec_buf_clear(&text);
    return st;
}

static bool is_own(const struct ec_layers *l)
{
    return ec_str_eq(ec_layers_machine(l)->framework, "epochcast");
}

/* A loss is one task in this engine, and a forward and a gradient task in other frameworks. A loss
 * without measured layers is replaced by a softmax of the output. */
static enum ec_status add_loss(struct sum *s, const struct ec_graph *g, struct ec_err *err)
{
    const char *name = ec_graph_is_binary(g) ? "bce" : "cross_entropy";
    struct ec_owned_case own = { 0 };
    bool known = false;
    enum ec_status st;

    if (ec_type_elems(&g->values[g->outputs[0]]->type) < 1)
        return EC_OK;
    EC_TRY(loss_case(g, name, &own, err));
    EC_TRY(add_known(s, &own.c, is_own(s->l) ? -1 : EC_FORWARD, &known, err));
    if (known && !is_own(s->l))
        EC_TRY(add_case(s, &own.c, EC_GRAD_DATA, err));
    if (known)
        goto out;
    ec_case_clear(&own);
    EC_TRY(loss_case(g, "softmax", &own, err));
    EC_TRY(add_case(s, &own.c, EC_FORWARD, err));
out:
    ec_case_clear(&own);
    return st;
}

static enum ec_status add_task(struct sum *s, const struct ec_graph *g,
                               const struct ec_task_info *t, enum ec_optimizer opt, double elems,
                               struct ec_err *err)
{
    const struct ec_node *n = t->node >= 0 ? g->nodes[t->node] : NULL;
    struct ec_case c;

    if (t->node == EC_STEP_OPTIMIZER || t->phase == EC_UPDATE)
        return add_update(s, opt, elems, err);
    if (ec_str_eq(t->name, "loss") && !n)
        return add_loss(s, g, err);
    if (!n || !ec_str_eq(t->name, n->name)) {
        double bytes = n ? fmax(bytes_of(g, n->in, n->n_in), bytes_of(g, n->out, n->n_out))
                         : bytes_of(g, g->outputs, g->n_outputs);

        add_moved(s, t->phase, (ec_str_eq(t->name, "accumulate") ? 3 : 2) * bytes);
        return EC_OK;
    }
    c = ec_node_case(n);
    return add_case(s, &c, t->phase, err);
}

struct own_step {
    struct sum *s;
    const struct ec_graph *g;
    enum ec_optimizer optimizer;
    struct ec_program_memory memory;
};

static enum ec_status add_own_task(void *user, const struct ec_task_info *t, struct ec_err *err)
{
    struct own_step *o = user;

    o->s->footprint_bytes = (double)o->memory.total;
    return add_task(o->s, o->g, t, o->optimizer, (double)o->memory.gradients / 4, err);
}

static enum ec_status by_program(struct sum *s, const struct ec_graph *g, enum ec_mode mode,
                                 enum ec_optimizer opt, struct ec_composed *ret, struct ec_err *err)
{
    const struct ec_conditions cond = { .mode = mode, .optimizer = opt };
    struct own_step own = { .s = s, .g = g, .optimizer = opt };

    EC_PASS(ec__own_tasks(g, &cond, ec_layers_machine(s->l)->threads, &own.memory, add_own_task,
                          &own, err));
    ret->memory_bytes = (double)own.memory.total;
    ret->has_memory = ret->own_program = true;
    return EC_OK;
}

/* What was added to forward since then runs in backward. */
static void count_as_backward(struct sum *s, double forward_ns)
{
    s->time.phase_ns[EC_GRAD_DATA] += s->time.phase_ns[EC_FORWARD] - forward_ns;
    s->time.phase_ns[EC_FORWARD] = forward_ns;
}

/* Adds each operator once in each of its phases in the step. Where an output has several readers,
 * the addition of their gradients is a task too. */
static enum ec_status by_nodes(struct sum *s, const struct ec_graph *g,
                               const struct ec_conditions *cond, struct ec_err *err)
{
    struct ec_step step = { 0 };
    enum ec_phase last_phase = EC_PHASE_COUNT;
    /* by hand: what all profiles count alike, whatever is kept */
    const struct ec_conditions plain = { .mode = cond->mode, .optimizer = cond->optimizer };
    struct ec_memory memory;
    enum ec_status st;
    int i, last_node = 0;

    EC_TRY(ec_cost_memory(g, &plain, &memory, err));
    s->footprint_bytes = memory.weights + memory.gradients + memory.optimizer + memory.activations;
    EC_TRY(ec_step_build(g, cond, &step, err));
    for (i = 0; i < step.n && !st; i++) {
        const struct ec_kernel *k = &step.kernel[i];
        double forward_ns = s->time.phase_ns[EC_FORWARD];
        enum ec_phase phase = k->phase;
        struct ec_case c;

        if (k->flags & EC_KF_SUM)
            add_moved(s, phase, 4 * (k->read_elems + k->write_elems));
        if (k->flags & (EC_KF_SUM | EC_KF_CAST))
            continue;
        if (step.node[i] == last_node && phase == last_phase)
            continue;
        last_node = step.node[i];
        last_phase = phase;
        if (step.node[i] < 0) {
            if (step.node[i] == EC_STEP_OPTIMIZER)
                st = add_update(s, cond->optimizer, memory.gradients / 4, err);
            else if (phase == EC_FORWARD)
                st = add_loss(s, g, err);
            continue;
        }
        c = ec_node_case(g->nodes[step.node[i]]);
        st = add_case(s, &c, phase, err);
        if (k->flags & EC_KF_AGAIN)
            count_as_backward(s, forward_ns);
    }
out:
    ec_step_clear(&step);
    return st;
}

/* Variance of the sum of all tasks of the same kind as task `first`; marks them as done. */
static enum ec_status kind_variance(struct sum *s, int first, double *ret, double *ret_ns,
                                    struct ec_err *err)
{
    const struct ec_layer_point **at = ec_alloc(sizeof *at * (size_t)s->n);
    double *ns = ec_alloc(sizeof *ns * (size_t)s->n), sd = 0;
    enum ec_status st = EC_OK;
    int i, n = 0;

    *ret_ns = 0;
    EC_TRY(ec_allocated(at && ns, err));
    for (i = first; i < s->n; i++) {
        struct task *t = &s->task[i];

        if (t->done || !ec_str_eq(t->at.group, s->task[first].at.group))
            continue;
        t->done = true;
        at[n] = &t->at;
        ns[n++] = t->ns;
        *ret_ns += t->ns;
    }
    EC_TRY(ec_layers_sum_sd(s->l, at, ns, n, &sd, err));
    *ret += sd * sd;
out:
    ec_free(at);
    ec_free(ns);
    return st;
}

static enum ec_status finish(struct sum *s, struct ec_composed *ret, struct ec_err *err)
{
    double whole = s->time.device_ns > 0 ? s->time.device_ns : 1;
    double moved = MOVED_SD * s->moved_ns, variance = moved * moved, unknown = 0, longest = 0, ns;
    int i;

    for (i = 0; i < s->n; i++) {
        if (s->task[i].done)
            continue;
        EC_PASS(kind_variance(s, i, &variance, &ns, err));
        if (s->task[i].known)
            continue;
        unknown += ns;
        if (ns > longest) {
            longest = ns;
            (void)snprintf(ret->unknown, sizeof ret->unknown, "%s", s->task[i].at.group);
        }
    }
    s->time.step_ns = s->time.device_ns;
    ret->time = s->time;
    memcpy(ret->law_ns, s->law_ns, sizeof ret->law_ns);
    ret->log_sd = sqrt(variance / (whole * whole) + MACHINE_SD * MACHINE_SD);
    ret->unknown_frac = unknown / whole;
    return EC_OK;
}

enum ec_status ec_compose_network(const struct ec_layers *l, const struct ec_graph *g,
                                  const struct ec_conditions *cond, struct ec_composed *ret,
                                  struct ec_err *err)
{
    bool own = is_own(l);
    struct sum s = { .l = l };
    enum ec_status st;

    memset(ret, 0, sizeof *ret);
    EC_TRY(own ? by_program(&s, g, cond->mode, cond->optimizer, ret, err)
               : by_nodes(&s, g, cond, err));
    EC_TRY(finish(&s, ret, err));
out:
    sum_clear(&s);
    return st;
}

enum ec_status ec_compose_op(const struct ec_layers *l, const struct ec_case *c, int phase,
                             struct ec_composed *ret, struct ec_err *err)
{
    struct sum s = { .l = l };
    enum ec_status st = EC_OK;
    int p;

    memset(ret, 0, sizeof *ret);
    for (p = EC_FORWARD; p <= EC_GRAD_WEIGHT; p++)
        if (phase < 0 || phase == p)
            EC_TRY(add_case(&s, c, (enum ec_phase)p, err));
    if (!s.n)
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED, "%s runs no kernel in this phase", c->op->name));
    EC_TRY(finish(&s, ret, err));
out:
    sum_clear(&s);
    return st;
}
