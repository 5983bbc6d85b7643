/* epochcast study strategy: a data-parallel step beside sums of measured layers and predictions. */
#include "cli/cli.h"

#include "cli/measure_internal.h"
#include "cli/study_internal.h"
#include "report/report.h"
#include "cli_columns.h"

struct tables {
    struct ec_table steps, layers;
    int n; /* networks */
};

static void add(struct ec_table *t, const struct ec_strategy_study *s, const char *way, double ns)
{
    ec_table_row(t, ec_text(s->network), ec_int(s->batch), ec_int(s->ranks), ec_text(way));
    if (ns > 0) {
        ec_table_row(t, ec_num(ns), ec_num(ns / s->step_ns));
        return;
    }
    ec_table_row(t, ec_none(), ec_none());
}

static enum ec_status add_study(struct tables *t, const struct ec__strategy_opts *o,
                                struct ec_predictor *p, const struct ec_strategy_study *s,
                                struct ec_err *err)
{
    static const char *const ways[] = {
#define WAY(id, word, holds) word ": " holds,
        EC_STRATEGY_SUM_LIST(WAY)
#undef WAY
    };
    struct ec_scaling_answer ours = { 0 };
    const struct ec_scaling_job job = { s->network, ec_optimizer_names[o->cond.optimizer], s->batch,
                                        s->ranks, s->alone_ns };
    int i;

    EC_PASS(ec_scaling_predict(p, &job, &ours, err));
    if (t->n++)
        ec_table_rule(&t->steps);
    add(&t->steps, s, "measured", s->step_ns);
    add(&t->steps, s, "measured without exchange", s->at_once_ns);
    add(&t->steps, s, "measured, one process", s->alone_ns);
    for (i = 0; i < EC_STRATEGY_SUM_COUNT; i++)
        add(&t->steps, s, ways[i], s->sum_ns[i]);
    add(&t->steps, s, "epochcast", ours.plain_ns);
    add(&t->steps, s, "epochcast from one process", ours.from_run_ns);
    for (i = 0; i < s->n_layers; i++) {
        const struct ec_strategy_layer *l = &s->layer[i];

        ec_table_row(&t->layers, ec_text(s->network), ec_int(s->batch), ec_int(s->ranks),
                     ec_text(l->what), ec_text(l->activation), ec_int(l->count),
                     ec_num(l->alone_ns), ec_num(l->inside_ns));
    }
    return EC_OK;
}

static enum ec_status measure_all(struct ec_call *call, const struct ec_measurer *m,
                                  const struct ec_parallel *par, struct tables *t,
                                  struct ec_err *err)
{
    const struct ec__strategy_opts *o = call->opts;
    struct ec_predictor *p = NULL;
    bool stopped;
    enum ec_status st;
    int i, b;

    EC_TRY(ec_predictor_new(&p, err));
    for (i = 0; i < o->networks.n; i++)
        for (b = 0; b < o->batch.n || (!b && !o->batch.n); b++) {
            struct ec_strategy_opts opts = {
                .graph = {.struct_size = sizeof opts.graph,
                          .batch = o->batch.n ? o->batch.v[b] : 0},
                .turns = (int)o->turns,
                .trained = !o->isolated
            };
            struct ec_strategy_study s = { 0 };

            EC_TRY(ec_strategy_measure(m, par, o->networks.v[i], &opts, &s, err));
            if (s.stopped && !par->group->rank)
                ec_call_interrupted(call, "interrupted in %s, which is left out; %d of %d are done",
                                    s.network, t->n, o->networks.n * (o->batch.n ? o->batch.n : 1));
            else if (!par->group->rank)
                st = add_study(t, o, p, &s, err);
            stopped = s.stopped;
            ec_strategy_clear(&s);
            if (st || stopped)
                goto out;
        }
out:
    ec_predictor_free(p);
    return st;
}

static const char legend[] =
    "\npracticum-1: sum of the layers, each measured inside the strategy\n"
    "practicum-2: the last layer inside the strategy, the others on one process\n"
    "practicum-3: the same with the others divided by 1.5\n"
    "epochcast: as `predict` answers; from one process: from its measured step\n";

static enum ec_status print(struct ec_call *call, const struct tables *t, struct ec_err *err)
{
    static const struct ec_table_head head = { "epochcast.strategy/1", "steps", { { 0 } } };
    const struct ec__strategy_opts *o = call->opts;

    EC_PASS(ec_call_table(call, &head, &t->steps, err));
    if (!ec_forms_any(&call->forms))
        ec_buf_str(&call->out, legend);
    if (o->layers)
        EC_PASS(ec_table_save(&t->layers, o->layers, err));
    return EC_OK;
}

enum ec_status ec__study_strategy(struct ec_call *call, struct ec_err *err)
{
    const struct ec__strategy_opts *o = call->opts;
    struct ec_engine_opts engine = o->engine;
    struct ec_group group = { 0 };
    struct ec_parallel par = { &group, o->max_iters, o->warmup_iters, NULL };
    struct ec_measurer m = { .cond = o->cond, .stop = ec_interrupted, .base.seed = 1 };
    struct tables t = { .n = 0 };
    enum ec_status st;

    ec_table_init(&t.steps, study_strategy_cols, EC_LEN(study_strategy_cols));
    ec_table_init(&t.layers, study_strategy_layer_cols, EC_LEN(study_strategy_layer_cols));
    EC_TRY(ec_group_open(o->mpi, &group, err));
    if (group.world < 2)
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "one process has no strategy: start it as mpirun -n 2 epochcast study "
                       "strategy ... (Debian's packages openmpi-bin and, before the build, "
                       "libopenmpi-dev)"));
    engine.seed = 1;
    EC_TRY(ec_engine_open(&engine, &m.ctx, err));
    ec_interrupt_watch();
    EC_TRY(measure_all(call, &m, &par, &t, err));
    ec_interrupt_end();
    if (!group.rank && t.n)
        EC_TRY(print(call, &t, err));
out:
    ec_engine_close(m.ctx);
    ec_group_close(&group);
    ec_table_clear(&t.steps);
    ec_table_clear(&t.layers);
    return st;
}
