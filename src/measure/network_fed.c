/* A network that is fed from a data set: training as `epochcast train` does it, iteration by
 * iteration, with the time that each waited for its batch. */
#include "measure/measurer_internal.h"

#include <string.h>

struct fed {
    struct ec_measurer *m;
    const struct ec_record *row;
    struct ec_timing *timing;
    enum ec_status st;
    struct ec_err *err;
};

static bool told(void *user, const struct ec_train_event *e)
{
    struct fed *f = user;

    if (e->kind == EC_TRAIN_STEP)
        f->st =
            ec__iterations_add(f->m->iterations, f->row, e->step_ns, e->wait_ns, f->timing, f->err);
    return !f->st && !(f->m->stop && f->m->stop());
}

static enum ec_status open_data(const struct ec_measurer *m, const struct ec_graph *g,
                                struct ec_samples **ret, struct ec_err *err)
{
    struct ec_samples_opts o = { .seed = m->base.seed };

    EC_PASS(ec_train_fit_samples(g, &o, err));
    return ec_samples_open(m->iterations->data, &o, ret, err);
}

enum ec_status ec__train_iterations(struct ec_measurer *m, const struct ec_graph *g,
                                    struct ec_record *row, struct ec_timing *ret,
                                    struct ec_err *err)
{
    const struct ec_iterations *it = m->iterations;
    struct fed f = { .m = m, .row = row, .timing = ret, .err = err };
    struct ec_train_result r = { 0 };
    struct ec_samples *data = NULL;
    struct ec_train_opts o;
    struct ec_arena a = { 0 };
    enum ec_status st;

    memset(ret, 0, sizeof *ret);
    ret->stop = EC_STOP_RUNS;
    EC_TRY(ec_fields_default(ec_train_fields, &o, &a, err));
    o.batch = g->batch;
    o.max_iters = o.epochs = it->warmup_iters + it->max_iters; /* an epoch has a step at least */
    o.cond = m->cond;
    o.seed = m->base.seed;
    o.workers = it->workers;
    o.steps_only = true;
    EC_TRY(open_data(m, g, &data, err));
    EC_TRY(ec__iterations_begin(it, row, err));
    EC_TRY(ec_train(m->ctx, g, data, &o, NULL, told, &f, &r, err));
    row->memory_peak_bytes = (double)r.memory.total;
    st = f.st;
out:
    ec_samples_close(data);
    ec_train_result_clear(&r);
    ec_arena_clear(&a);
    return st;
}
