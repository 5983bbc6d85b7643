/* Layers of a network, alone and among their like, and the network itself. */
#include "measure/composition.h"

#include <string.h>

#include "learn/learn.h"
#include "measure/measurer_internal.h"

enum { WHOLE_RUNS = 3, WHOLE_EVERY = 4 };

const char *ec_sum_next(enum ec_sum s)
{
    static const char *const next_[] = {
#define SUM_NEXT(name, holds, next) next,
        EC_SUM_LIST(SUM_NEXT)
#undef SUM_NEXT
    };
    return next_[s];
}

void ec_composition_clear(struct ec_composition *c)
{
    if (!c)
        return;
    ec_free(c->layer);
    ec_arena_clear(&c->arena);
    memset(c, 0, sizeof *c);
}

/* --- One time of one layer --- */

/* How a way to time a layer builds its network. */
struct way {
    struct ec_case_graph shape;
    bool with_loss, input_grad, slope, without_company, no_fuse;
};

static struct way way_of(enum ec_sum s, const struct ec_composed_layer *l)
{
    bool needs_input = l->needs_input;
    struct way w = {
        .shape = {.copies = 1, .apart = !needs_input},
          .input_grad = true
    };

    switch (s) {
    case EC_SUM_justus:
        w.shape.train_inputs = w.shape.train_target = w.with_loss = true;
        break;
    case EC_SUM_isolated:
        w.with_loss = true;
        break;
    case EC_SUM_needed:
        w.input_grad = needs_input;
        break;
    case EC_SUM_marginal:
        w.input_grad = needs_input;
        w.slope = true;
        break;
    case EC_SUM_company:
        w.input_grad = needs_input;
        w.slope = w.without_company = w.shape.apart = true;
        w.shape.company_before = l->before;
        w.shape.company_after = l->after;
        w.no_fuse = !l->then; /* with its company */
        break;
    default:
        break;
    }
    return w;
}

struct stepper {
    const struct ec_measurer *m;
    struct ec_update update;
    struct ec_graph *g[2];
    struct ec_program *program[2]; /* the second for slopes */
    int64_t *task_ns[2];           /* NULL: company counts too */
    bool company_after;
};

static void close_stepper(struct stepper *s)
{
    int i;

    for (i = 0; i < 2; i++) {
        ec_program_free(s->program[i]);
        ec_graph_free(s->g[i]);
        ec_free(s->task_ns[i]);
        s->task_ns[i] = NULL;
        s->program[i] = NULL;
        s->g[i] = NULL;
    }
}

static enum ec_status open_one(struct stepper *s, const struct ec_case *c, const struct way *w,
                               int i, struct ec_err *err)
{
    struct ec_case_graph shape = w->shape;
    struct ec_program_opts opts = { 0 };

    opts.cond = s->m->cond;
    opts.with_loss = w->with_loss;
    opts.loss = EC_LOSS_mse;
    opts.input_grad = w->input_grad;
    opts.no_fuse = w->no_fuse;
    shape.copies = i ? EC_LAYER_COPIES : 1;
    EC_PASS(ec_graph_of_case(c, &shape, &s->g[i], err));
    EC_PASS(ec_program_new(s->m->ctx, s->g[i], &opts, &s->program[i], err));
    EC_PASS(ec_program_init(s->program[i], 1, err));
    EC_PASS(ec_program_fill(s->program[i], 1, err));
    if (!w->without_company)
        return EC_OK;
    s->task_ns[i] = ec_alloc(sizeof *s->task_ns[i] * (size_t)(ec_program_tasks(s->program[i]) + 1));
    return ec_allocated(s->task_ns[i], err);
}

static enum ec_status step_ns(const struct stepper *s, int i, int64_t *ret, struct ec_err *err)
{
    return ec__step_ns(s->m, s->program[i], &s->update, ret, err);
}

/* The gradient that is given to images comes plain, which it does not in the network. Conversions
 * of what company wrote are the layer's own. */
static bool is_company_task(const struct stepper *s, int i, const struct ec_task_info *t)
{
    const struct ec_node *n = t->node >= 0 ? s->g[i]->nodes[t->node] : NULL;

    if (!n)
        return t->node == EC_STEP_LOSS && s->company_after;
    return ec_graph_is_company(n) && ec_str_eq(t->name, n->name);
}

/* What company takes of a step: its tasks timed one by one, less what waiting for each of them
 * costs, which is what all tasks so take longer than the step. */
static enum ec_status company_ns(const struct stepper *s, int i, int64_t step, int64_t *ret,
                                 struct ec_err *err)
{
    int n = ec_program_tasks(s->program[i]), n_company = 0, k;
    int64_t all = 0, company = 0;

    EC_PASS(ec_program_step_timed(s->program[i], &s->update, s->task_ns[i], err));
    for (k = 0; k < n; k++) {
        struct ec_task_info t = ec_program_task(s->program[i], k);

        all += s->task_ns[i][k];
        if (!is_company_task(s, i, &t))
            continue;
        company += s->task_ns[i][k];
        n_company++;
    }
    *ret = company - (n ? (all - step) * n_company / n : 0);
    return EC_OK;
}

static enum ec_status own_ns(const struct stepper *s, int i, int64_t *ret, struct ec_err *err)
{
    int64_t company = 0;

    EC_PASS(step_ns(s, i, ret, err));
    if (s->task_ns[i])
        EC_PASS(company_ns(s, i, *ret, &company, err));
    *ret -= company;
    return EC_OK;
}

static enum ec_status run_steps(void *user, int64_t *host_ns, struct ec_err *err)
{
    const struct stepper *s = user;
    int64_t many_ns;

    EC_PASS(own_ns(s, 0, host_ns, err));
    if (!s->program[1])
        return EC_OK;
    EC_PASS(own_ns(s, 1, &many_ns, err));
    *host_ns = (many_ns - *host_ns) / (EC_LAYER_COPIES - 1);
    return EC_OK;
}

static enum ec_status time_layer(struct ec_measurer *m, const struct ec_case *c,
                                 const struct way *w, double *ret_ns, struct ec_err *err)
{
    struct stepper s = { 0 };
    struct ec_timing t = { 0 };
    enum ec_status st;

    s.m = m;
    s.update = ec_update_default(m->cond.optimizer);
    s.company_after = w->shape.company_after;
    EC_TRY(open_one(&s, c, w, 0, err));
    if (w->slope)
        EC_TRY(open_one(&s, c, w, 1, err));
    EC_TRY(ec_protocol_run(&m->protocol, run_steps, &s, m->stop, &t, err));
    ec__note_crowd(m, NULL, &t);
    *ret_ns = t.median_ns > 0 ? t.median_ns : 0;
out:
    ec_timing_clear(&t);
    close_stepper(&s);
    return st;
}

/* --- The layers of a network --- */

/* The program runs it within the operator before it. */
static bool is_fused(const struct ec_program *p, const struct ec_node *n)
{
    int i;

    for (i = 0; i < ec_program_tasks(p); i++) {
        struct ec_task_info t = ec_program_task(p, i);

        if (t.node == n->id && t.phase == EC_FORWARD)
            return false;
    }
    return n->n_in == 1;
}

static bool reads(const struct ec_node *n, int value)
{
    int i;

    for (i = 0; i < n->n_in; i++)
        if (n->in[i] == value)
            return true;
    return false;
}

/* What an operator writes goes on as it lies, to one that is no view; *ret_fused: the only reader,
 * where the program fuses it. */
static bool goes_on(const struct ec_graph *g, const struct ec_program *p, const struct ec_node *n,
                    const struct ec_node **ret_fused)
{
    bool on = false;
    int i;

    *ret_fused = NULL;
    for (i = n->id + 1; i < g->n_nodes; i++) {
        const struct ec_node *next = g->nodes[i];

        if (!reads(next, n->out[0]) || next->op->flags & EC_OPF_VIEW)
            continue;
        on = true;
        if (is_fused(p, next))
            *ret_fused = next;
    }
    return on;
}

static const char *case_text(struct ec_composition *c, const struct ec_node *n, struct ec_err *err)
{
    struct ec_case one = ec_node_case(n);
    struct ec_buf text = EC_BUF_INIT;
    const char *kept = NULL;

    ec_case_print(&one, &text);
    if (!ec_buf_status(&text, err))
        kept = ec_arena_str(&c->arena, ec_buf_text(&text));
    ec_buf_clear(&text);
    return kept;
}

static bool same_kind(const struct ec_composed_layer *a, const struct ec_composed_layer *b)
{
    return ec_str_eq(a->what, b->what) && a->needs_input == b->needs_input &&
           !a->then == !b->then && (!a->then || ec_str_eq(a->then, b->then)) &&
           a->fused == b->fused && a->before == b->before && a->after == b->after;
}

static enum ec_status add_layer(struct ec_composition *c, const struct ec_graph *g,
                                const struct ec_program *p, const struct ec_node *n,
                                struct ec_err *err)
{
    struct ec_composed_layer l = { .count = 1, .needs_input = ec_node_needs_input_grad(g, n) };
    const struct ec_node *then = NULL, *last;
    int i;

    l.fused = is_fused(p, n);
    l.before = n->n_in && g->values[n->in[0]]->producer >= 0 &&
               !(g->nodes[g->values[n->in[0]]->producer]->op->flags & EC_OPF_VIEW);
    l.after = n->n_out && goes_on(g, p, n, &then);
    l.what = case_text(c, n, err);
    if (then) {
        l.then = case_text(c, then, err);
        l.after = goes_on(g, p, then, &last);
    }
    if (!l.what || (then && !l.then))
        return ec_nomem(err);
    for (i = 0; i < c->n_layers; i++) {
        if (same_kind(&c->layer[i], &l)) {
            c->layer[i].count++;
            return EC_OK;
        }
    }
    EC_PASS(ec_grow(&c->layer, &c->cap_layers, c->n_layers + 1, sizeof *c->layer, err));
    c->layer[c->n_layers++] = l;
    return EC_OK;
}

/* Kinds of layer: the same case with and without a gradient of its input are two, and so are those
 * with other neighbours. */
static enum ec_status collect_layers(struct ec_composition *c, const struct ec_graph *g,
                                     const struct ec_program *p, struct ec_err *err)
{
    int i;

    for (i = 0; i < g->n_nodes; i++)
        if (!(g->nodes[i]->op->flags & EC_OPF_VIEW))
            EC_PASS(add_layer(c, g, p, g->nodes[i], err));
    return EC_OK;
}

/* --- The whole --- */

struct whole {
    struct stepper s;
    double *ns;
    int n, cap;
};

static enum ec_status time_whole(struct whole *w, double *ret_ns, struct ec_err *err)
{
    double runs[WHOLE_RUNS];
    int64_t ns;
    int i;

    EC_PASS(step_ns(&w->s, 0, &ns, err)); /* caches that layers have filled */
    for (i = 0; i < WHOLE_RUNS; i++) {
        EC_PASS(step_ns(&w->s, 0, &ns, err));
        EC_PASS(ec_grow(&w->ns, &w->cap, w->n + 1, sizeof *w->ns, err));
        w->ns[w->n++] = (double)ns;
        runs[i] = (double)ns;
    }
    *ret_ns = ec_quantile_inplace(runs, WHOLE_RUNS, 0.5);
    return EC_OK;
}

static enum ec_status time_tasks(const struct whole *w, double *ret_ns, struct ec_err *err)
{
    int n = ec_program_tasks(w->s.program[0]), run, i;
    int64_t *ns = ec_alloc(sizeof *ns * (size_t)(n + 1));
    enum ec_status st = EC_OK;
    double sums[WHOLE_RUNS];

    EC_TRY(ec_allocated(ns, err));
    for (run = 0; run < WHOLE_RUNS; run++) {
        EC_TRY(ec_program_step_timed(w->s.program[0], &w->s.update, ns, err));
        sums[run] = 0;
        for (i = 0; i < n; i++)
            sums[run] += (double)ns[i];
    }
    *ret_ns = ec_quantile_inplace(sums, WHOLE_RUNS, 0.5);
out:
    ec_free(ns);
    return st;
}

static enum ec_status open_whole(const struct ec_measurer *m, const char *network,
                                 const struct ec_graph_opts *opts, struct whole *w,
                                 struct ec_err *err)
{
    struct ec_program_opts options;

    w->s.m = m;
    w->s.update = ec_update_default(m->cond.optimizer);
    EC_PASS(ec_graph_open(network, opts, &w->s.g[0], err));
    options = ec_program_opts_for(w->s.g[0], &m->cond);
    EC_PASS(ec_program_new(m->ctx, w->s.g[0], &options, &w->s.program[0], err));
    EC_PASS(ec_program_init(w->s.program[0], 1, err));
    return ec_program_fill(w->s.program[0], 1, err);
}

static enum ec_status time_way(struct ec_measurer *m, const struct ec_composed_layer *l,
                               enum ec_sum s, const struct ec_case *c, const struct ec_case *then,
                               double *ret_ns, struct ec_err *err)
{
    struct way w = way_of(s, l);

    *ret_ns = 0;
    if (s == EC_SUM_company && l->fused)
        return EC_OK;
    if (s == EC_SUM_company && l->then)
        w.shape.then = then;
    return time_layer(m, c, &w, ret_ns, err);
}

/* A layer that does not work alone in some way counts in none, and is reported. */
static enum ec_status time_ways(struct ec_measurer *m, struct ec_composition *c,
                                struct ec_composed_layer *l, double ns[EC_SUM_COUNT],
                                struct ec_err *err)
{
    struct ec_owned_case one = { 0 }, then = { 0 };
    enum ec_status st;
    int s;

    EC_TRY(ec_case_parse(l->what, &one, err));
    if (l->then)
        EC_TRY(ec_case_parse(l->then, &then, err));
    for (s = 0; s < EC_SUM_COUNT && !st && !l->left_out; s++) {
        st = time_way(m, l, (enum ec_sum)s, &one.c, &then.c, &ns[s], err);
        if (st == EC_E_UNSUPPORTED || st == EC_E_SHAPE || st == EC_E_INPUT) {
            l->left_out = true;
            c->n_left_out += l->count;
            if (err)
                memset(err, 0, sizeof *err);
            st = EC_OK;
        }
    }
out:
    ec_case_clear(&one);
    ec_case_clear(&then);
    return st;
}

/* --- Turns --- */

/* What times are of the whole step beside them, for each layer, way and turn. */
struct turns {
    struct ec_measurer m; /* its budget is that of one turn */
    const struct ec_compose_opts *o;
    struct whole whole;
    int n, done;
    double *share;      /* [layer][way][turn] */
    double *task_share; /* [turn] */
    double before_ns;   /* the whole step before the layers at hand */
};

static double *share_of(const struct turns *t, int layer, int way)
{
    return t->share + ((ptrdiff_t)layer * EC_SUM_COUNT + way) * t->n;
}

/* Layers that follow each other, and the whole step behind them. */
static enum ec_status time_some(struct turns *t, struct ec_composition *c, int first, int n,
                                int turn, struct ec_err *err)
{
    double ns[WHOLE_EVERY][EC_SUM_COUNT] = { { 0 } }, after_ns, whole_ns;
    int i, s;

    for (i = 0; i < n; i++) {
        struct ec_composed_layer *l = &c->layer[first + i];

        EC_PASS(time_ways(&t->m, c, l, ns[i], err));
        if (t->o->progress)
            t->o->progress(t->o->user, l->what, ++t->done, c->n_layers * t->n);
        if (t->m.stop && t->m.stop())
            return ec_fail(err, EC_E_INPUT, "interrupted after %d of %d times of %d kinds of layer",
                           t->done, c->n_layers * t->n, c->n_layers);
    }
    EC_PASS(time_whole(&t->whole, &after_ns, err));
    whole_ns = (t->before_ns + after_ns) / 2;
    for (i = 0; i < n; i++)
        for (s = 0; s < EC_SUM_COUNT; s++)
            share_of(t, first + i, s)[turn] = ns[i][s] / whole_ns;
    t->before_ns = after_ns;
    return EC_OK;
}

static enum ec_status one_turn(struct turns *t, struct ec_composition *c, int turn,
                               struct ec_err *err)
{
    double tasks_ns = 0;
    int i;

    EC_PASS(time_whole(&t->whole, &t->before_ns, err));
    EC_PASS(time_tasks(&t->whole, &tasks_ns, err));
    t->task_share[turn] = tasks_ns / t->before_ns;
    for (i = 0; i < c->n_layers; i += WHOLE_EVERY) {
        int left = c->n_layers - i;

        EC_PASS(time_some(t, c, i, left < WHOLE_EVERY ? left : WHOLE_EVERY, turn, err));
    }
    return EC_OK;
}

static void sum_up(struct turns *t, struct ec_composition *c)
{
    int i, s;

    c->whole_ns = ec_quantile_inplace(t->whole.ns, t->whole.n, 0.5);
    c->tasks_ns = c->whole_ns * ec_quantile_inplace(t->task_share, t->n, 0.5);
    for (i = 0; i < c->n_layers; i++) {
        struct ec_composed_layer *l = &c->layer[i];

        for (s = 0; s < EC_SUM_COUNT && !l->left_out; s++) {
            l->ns[s] = c->whole_ns * ec_quantile_inplace(share_of(t, i, s), t->n, 0.5);
            c->sum_ns[s] += l->ns[s] * l->count;
        }
    }
}

enum ec_status ec_compose(const struct ec_measurer *m, const char *network,
                          const struct ec_compose_opts *o, struct ec_composition *ret,
                          struct ec_err *err)
{
    struct ec_composition c = { 0 };
    struct turns t = { 0 };
    enum ec_status st;
    int turn;

    t.m = *m;
    t.m.n_crowded = 0;
    t.o = o;
    t.n = o->turns;
    t.m.protocol.budget_s /= t.n;
    EC_TRY(open_whole(&t.m, network, &o->graph, &t.whole, err));
    c.network = ec_arena_str(&c.arena, network);
    c.batch = t.whole.s.g[0]->batch;
    EC_TRY(collect_layers(&c, t.whole.s.g[0], t.whole.s.program[0], err));
    t.share = ec_arena_alloc(&c.arena, sizeof *t.share * EC_SUM_COUNT * (size_t)(c.n_layers * t.n));
    t.task_share = ec_arena_alloc(&c.arena, sizeof *t.task_share * (size_t)t.n);
    EC_TRY(ec_allocated(c.network && t.share && t.task_share, err));
    for (turn = 0; turn < t.n; turn++)
        EC_TRY(one_turn(&t, &c, turn, err));
    sum_up(&t, &c);
    c.n_crowded = t.m.n_crowded;
    c.crowded_frac = t.m.crowded_frac;
    *ret = c;
    memset(&c, 0, sizeof c);
out:
    close_stepper(&t.whole.s);
    ec_free(t.whole.ns);
    ec_composition_clear(&c);
    return st;
}
