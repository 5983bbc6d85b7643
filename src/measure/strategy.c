/* Layers alone and inside the data-parallel strategy, and the network's step there. */
#include "measure/strategy.h"

#include <string.h>

#include "learn/learn.h"
#include "measure/parallel_internal.h"

/* The practicum's sum of isolated layers was about this much above the time of the network. */
#define ISOLATION_FACTOR 1.5

void ec_strategy_clear(struct ec_strategy_study *s)
{
    ec_free(s->layer);
    ec_arena_clear(&s->arena);
    memset(s, 0, sizeof *s);
}

struct study {
    const struct ec_measurer *m;
    const struct ec_parallel *p;
    const struct ec_strategy_opts *o;
    struct ec_strategy_study s;
    struct ec_graph *g;
    struct ec_program *program;
    double *ns; /* [step, at once, alone, then alone and inside of each layer][turn] */
};

enum { WHOLE_STEP, WHOLE_AT_ONCE, WHOLE_ALONE, WHOLE_COUNT };

static double *ns_of(const struct study *y, int which)
{
    return y->ns + (ptrdiff_t)which * y->o->turns;
}

static double median(const struct study *y, int which)
{
    return ec_quantile_inplace(ns_of(y, which), y->o->turns, 0.5);
}

/* --- The layers of the network --- */

static bool same(const struct ec_strategy_layer *l, const char *what, const char *activation)
{
    return ec_str_eq(l->what, what) && !l->activation == !activation &&
           (!activation || ec_str_eq(l->activation, activation));
}

/* What stands behind the layer, where it can be measured with it. */
static const char *activation_of(const struct study *y, int node)
{
    const char *name = ec_graph_activation(y->g, node);
    const struct ec_op *op = NULL;

    return name && !ec_activation_named(name, &op, NULL) ? name : NULL;
}

static enum ec_status add_layer(struct study *y, int node, bool is_last, struct ec_err *err)
{
    struct ec_case c = ec_node_case(y->g->nodes[node]);
    struct ec_strategy_layer l = { .activation = activation_of(y, node),
                                   .count = 1,
                                   .is_last = is_last };
    struct ec_strategy_study *s = &y->s;
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;
    int i;

    ec_case_print(&c, &text);
    EC_TRY(ec_buf_status(&text, err));
    for (i = 0; i < s->n_layers && !is_last; i++) {
        if (same(&s->layer[i], text.data, l.activation)) {
            s->layer[i].count++;
            goto out;
        }
    }
    l.what = ec_arena_str(&s->arena, text.data);
    EC_TRY(ec_allocated(l.what, err));
    EC_TRY(ec_grow(&s->layer, &s->cap_layers, s->n_layers + 1, sizeof *s->layer, err));
    s->layer[s->n_layers++] = l;
out:
    ec_buf_clear(&text);
    return st;
}

static enum ec_status collect(struct study *y, struct ec_err *err)
{
    int i, last = -1;

    for (i = 0; i < y->g->n_nodes; i++) {
        struct ec_case c = ec_node_case(y->g->nodes[i]);

        if (!ec_case_is_layer(&c))
            continue;
        if (last >= 0)
            EC_PASS(add_layer(y, last, false, err));
        last = i;
    }
    if (last < 0)
        return ec_fail(err, EC_E_UNSUPPORTED, "%s has no layers to add up", y->s.network);
    return add_layer(y, last, true, err);
}

/* --- Times --- */

static enum ec_status time_one(const struct study *y, struct ec_program *program,
                               enum ec__together how, int which, int turn, struct ec_err *err)
{
    struct ec_timing t = { 0 };
    enum ec_status st;

    EC_TRY(ec__parallel_time(y->m, y->p, program, how, &t, err));
    ns_of(y, which)[turn] = t.median_ns;
out:
    ec_timing_clear(&t);
    return st;
}

static enum ec_status time_whole(const struct study *y, int turn, struct ec_err *err)
{
    EC_PASS(time_one(y, y->program, EC__FIRST_ALONE, WHOLE_ALONE, turn, err));
    EC_PASS(time_one(y, y->program, EC__AT_ONCE, WHOLE_AT_ONCE, turn, err));
    return time_one(y, y->program, EC__EXCHANGING, WHOLE_STEP, turn, err);
}

/* What does not work alone fails in the same way on every process, and is left out. */
static enum ec_status time_layer(struct study *y, int i, int turn, struct ec_err *err)
{
    struct ec_strategy_layer *l = &y->s.layer[i];
    struct ec__layer_program program = { 0 };
    struct ec_owned_case c = { 0 };
    enum ec_status st;

    if (l->left_out)
        return EC_OK;
    EC_TRY(ec_case_parse(l->what, &c, err));
    st = ec__parallel_layer_open(y->m, &c.c, l->activation, y->o->trained, &program, err);
    if (st == EC_E_UNSUPPORTED || st == EC_E_SHAPE) {
        l->left_out = true;
        y->s.n_left_out += l->count;
        if (err)
            memset(err, 0, sizeof *err);
        st = EC_OK;
        goto out;
    }
    EC_TRY(st);
    EC_TRY(time_one(y, program.program, EC__FIRST_ALONE, WHOLE_COUNT + 2 * i, turn, err));
    EC_TRY(time_one(y, program.program, EC__EXCHANGING, WHOLE_COUNT + 2 * i + 1, turn, err));
out:
    ec__layer_close(&program);
    ec_case_clear(&c);
    return st;
}

static enum ec_status one_turn(struct study *y, int turn, struct ec_err *err)
{
    int i;

    EC_PASS(time_whole(y, turn, err));
    for (i = 0; i < y->s.n_layers; i++) {
        EC_PASS(ec_parallel_stopped(y->m, y->p, &y->s.stopped, err));
        if (y->s.stopped)
            break;
        EC_PASS(time_layer(y, i, turn, err));
    }
    return EC_OK;
}

static void sum_up(struct study *y)
{
    struct ec_strategy_study *s = &y->s;
    double inside = 0, others = 0, last = 0;
    int i;

    s->step_ns = median(y, WHOLE_STEP);
    s->at_once_ns = median(y, WHOLE_AT_ONCE);
    s->alone_ns = median(y, WHOLE_ALONE);
    for (i = 0; i < s->n_layers; i++) {
        struct ec_strategy_layer *l = &s->layer[i];

        if (l->left_out)
            continue;
        l->alone_ns = median(y, WHOLE_COUNT + 2 * i);
        l->inside_ns = median(y, WHOLE_COUNT + 2 * i + 1);
        inside += l->count * l->inside_ns;
        if (l->is_last)
            last = l->inside_ns;
        else
            others += l->count * l->alone_ns;
    }
    if (s->n_left_out)
        return;
    s->sum_ns[EC_STRATEGY_SUM_INSIDE] = inside;
    s->sum_ns[EC_STRATEGY_SUM_LAST_INSIDE] = others + last;
    s->sum_ns[EC_STRATEGY_SUM_DIVIDED] = others / ISOLATION_FACTOR + last;
}

static enum ec_status open_network(struct study *y, const char *network, struct ec_err *err)
{
    struct ec_program_opts opts;

    EC_PASS(ec_graph_open(network, &y->o->graph, &y->g, err));
    opts = ec_program_opts_for(y->g, &y->m->cond);
    opts.separate_update = true;
    EC_PASS(ec_program_new(y->m->ctx, y->g, &opts, &y->program, err));
    EC_PASS(ec_program_init(y->program, (uint64_t)y->m->base.seed, err));
    EC_PASS(ec_program_fill(y->program, (uint64_t)y->m->base.seed, err));
    y->s.network = ec_arena_str(&y->s.arena, network);
    y->s.batch = y->g->batch;
    y->s.ranks = ec__parallel_world(y->p);
    return ec_allocated(y->s.network, err);
}

enum ec_status ec_strategy_measure(const struct ec_measurer *m, const struct ec_parallel *p,
                                   const char *network, const struct ec_strategy_opts *o,
                                   struct ec_strategy_study *ret, struct ec_err *err)
{
    struct study y = { .m = m, .p = p, .o = o };
    enum ec_status st;
    int turn;

    EC_TRY(open_network(&y, network, err));
    EC_TRY(collect(&y, err));
    y.ns = ec_arena_alloc(&y.s.arena, sizeof *y.ns * (size_t)o->turns *
                                          (size_t)(WHOLE_COUNT + 2 * y.s.n_layers));
    EC_TRY(ec_allocated(y.ns, err));
    for (turn = 0; turn < o->turns && !y.s.stopped; turn++)
        EC_TRY(one_turn(&y, turn, err));
    if (!y.s.stopped)
        sum_up(&y);
    *ret = y.s;
    memset(&y.s, 0, sizeof y.s);
out:
    ec_program_free(y.program);
    ec_graph_free(y.g);
    ec_strategy_clear(&y.s);
    return st;
}
