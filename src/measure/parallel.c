/* Data parallel training, measured. Every process makes the same number of runs, so counts are
 * fixed in place of the protocol's own judgement. */
#include "measure/parallel_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "learn/learn.h"
#include "measure/csv_log.h"
#include "measure/measurer_internal.h"

#define NS_PER_S 1e9

static const char header[] = "model,ranks,batch_per_rank,optimizer,precision,num_params,"
                             "step_ns,local_step_ns,all_reduce_ns,images_per_s,threads,device";

enum ec_status ec_parallel_open(struct ec_parallel *p, const char *table, struct ec_err *err)
{
    return ec_csv_log_open(table, header, 0, &p->table, NULL, err);
}

void ec_parallel_close(struct ec_parallel *p)
{
    ec_csv_log_close(p->table);
    p->table = NULL;
}

int ec__parallel_world(const struct ec_parallel *p)
{
    return p->group->world > 1 ? p->group->world : 1;
}

/* What the first process knows decides for all. */
static enum ec_status agree(const struct ec_parallel *p, bool *flag, struct ec_err *err)
{
    float v = *flag;

    if (ec__parallel_world(p) > 1)
        EC_PASS(p->group->ops->from_first(p->group->ranks, &v, 1, err));
    *flag = v > 0;
    return EC_OK;
}

enum ec_status ec_parallel_stopped(const struct ec_measurer *m, const struct ec_parallel *p,
                                   bool *ret, struct ec_err *err)
{
    double asked = m->stop && m->stop();

    if (ec__parallel_world(p) > 1)
        EC_PASS(p->group->ops->sum(p->group->ranks, &asked, 1, err));
    *ret = asked > 0;
    return EC_OK;
}

static enum ec_status is_known(struct ec_measurer *m, const struct ec_parallel *p,
                               const struct ec_record *row, bool *ret, struct ec_err *err)
{
    *ret = false;
    if (m->file)
        EC_PASS(ec__row_known(m, row, ret, err));
    return agree(p, ret, err);
}

/* Samples of the steps after the warm-up. */
static enum ec_status timing_of(const struct ec_measurer *m, const int64_t *ns, int n, int n_warmup,
                                struct ec_timing *ret, struct ec_err *err)
{
    int i;

    memset(ret, 0, sizeof *ret);
    ret->n_warmup = n_warmup < n ? n_warmup : 0;
    ret->stop = EC_STOP_RUNS;
    ret->n = ret->cap = n - ret->n_warmup;
    ret->sample = ec_alloc(sizeof *ret->sample * (size_t)(ret->n + 1));
    EC_PASS(ec_allocated(ret->sample, err));
    for (i = 0; i < ret->n; i++) {
        ret->sample[i].iteration = i;
        ret->sample[i].host_ns = ns[ret->n_warmup + i];
        ret->sample[i].flags = "";
    }
    return ec_timing_judge(&m->protocol, ret, err);
}

/* All begin together, but where only the first runs: the others wait for it. */
static enum ec_status meet(const struct ec_parallel *p, struct ec_err *err)
{
    double v = 0;

    return ec__parallel_world(p) > 1 ? p->group->ops->sum(p->group->ranks, &v, 1, err) : EC_OK;
}

static enum ec_status run_steps(const struct ec_measurer *m, const struct ec_parallel *p,
                                struct ec_program *program, enum ec__together how, int64_t *ns,
                                struct ec_err *err)
{
    static const struct ec_group alone;
    struct ec_update u = ec_update_default(m->cond.optimizer);
    int runs = (int)(p->warmup_iters + p->max_iters), i;
    int64_t start_ns;

    for (i = 0; i < runs; i++) {
        if (how != EC__FIRST_ALONE)
            EC_PASS(meet(p, err));
        u.step = i + 1;
        EC_PASS(ec_engine_sync(m->ctx, err));
        start_ns = ec_engine_now_ns(m->ctx);
        EC_PASS(ec_group_step(how == EC__EXCHANGING ? p->group : &alone, program, &u, err));
        EC_PASS(ec_engine_sync(m->ctx, err));
        ns[i] = ec_engine_now_ns(m->ctx) - start_ns;
    }
    return EC_OK;
}

enum ec_status ec__parallel_time(const struct ec_measurer *m, const struct ec_parallel *p,
                                 struct ec_program *program, enum ec__together how,
                                 struct ec_timing *ret, struct ec_err *err)
{
    int runs = (int)(p->warmup_iters + p->max_iters);
    int64_t *ns = ec_alloc(sizeof *ns * (size_t)(runs + 1));
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(ns, err));
    EC_TRY(meet(p, err));
    if (how != EC__FIRST_ALONE || !p->group->rank)
        EC_TRY(run_steps(m, p, program, how, ns, err));
    EC_TRY(meet(p, err));
    EC_TRY(timing_of(m, ns, runs, (int)p->warmup_iters, ret, err));
out:
    ec_free(ns);
    return st;
}

/* Only the first process has a file. */
static enum ec_status write_row(struct ec_measurer *m, struct ec_record *row,
                                const struct ec_timing *t, const char *flags, struct ec_err *err)
{
    enum ec_status st;

    if (!m->file)
        return EC_OK;
    row->calls_per_sample = 1;
    row->held_out = ec_row_held_out(row->kind, row->what);
    row->outcome = t->unstable ? "unstable" : "ok";
    row->flags = flags;
    m->n_failed += t->unstable;
    m->last_ns = t->median_ns;
    st = ec_row_file_append(m->file, row, t, m->thread_clock, err);
    m->n_added += !st;
    return st;
}

/* --- All-reduce --- */

static enum ec_status reduce_once(const struct ec_parallel *p, float *x, int64_t n, int64_t *ret_ns,
                                  struct ec_err *err)
{
    double together = 0;
    int64_t start_ns;

    EC_PASS(p->group->ops->sum(p->group->ranks, &together, 1, err)); /* all begin together */
    start_ns = ec_clock_ns();
    EC_PASS(p->group->ops->sum_start(p->group->ranks, x, n, err));
    EC_PASS(p->group->ops->wait(p->group->ranks, err));
    *ret_ns = ec_clock_ns() - start_ns;
    return EC_OK;
}

static enum ec_status time_all_reduce(const struct ec_measurer *m, const struct ec_parallel *p,
                                      int64_t bytes, struct ec_timing *ret, struct ec_err *err)
{
    int64_t n = bytes / (int64_t)sizeof(float);
    int runs = (int)(p->warmup_iters + p->max_iters), i;
    float *x = ec_alloc(sizeof *x * (size_t)(n + 1));
    int64_t *ns = ec_alloc(sizeof *ns * (size_t)(runs + 1));
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(x && ns, err));
    memset(x, 0, sizeof *x * (size_t)n);
    for (i = 0; i < runs; i++)
        EC_TRY(reduce_once(p, x, n, &ns[i], err));
    EC_TRY(timing_of(m, ns, runs, (int)p->warmup_iters, ret, err));
out:
    ec_free(x);
    ec_free(ns);
    return st;
}

enum ec_status ec_measure_all_reduce(struct ec_measurer *m, const struct ec_parallel *p,
                                     int64_t bytes, struct ec_err *err)
{
    struct ec_record row = m->base;
    struct ec_timing t = { 0 };
    char what[64];
    bool known = false;
    enum ec_status st = EC_OK;

    if (ec__parallel_world(p) < 2)
        return EC_OK;
    (void)snprintf(what, sizeof what, "all_reduce bytes=%" PRId64, bytes);
    row.kind = EC_KIND_ceiling;
    row.what = what;
    row.family = "all_reduce";
    ec_record_set_phase_in_file(&row, "forward");
    row.method = "ceiling";
    ec_record_set_word(&row, EC_WORD_OPTIMIZER, "none");
    row.num_devices = ec__parallel_world(p);
    EC_TRY(is_known(m, p, &row, &known, err));
    if (known)
        goto out;
    EC_TRY(time_all_reduce(m, p, bytes, &t, err));
    EC_TRY(write_row(m, &row, &t, "", err));
out:
    ec_timing_clear(&t);
    return st;
}

/* --- Steps: of networks by the trainer, of lone layers as programs --- */

struct ddp {
    struct ec_measurer *m;
    const struct ec_parallel *p;
    enum ec_status (*time)(struct ddp *d, const struct ec_group *group, struct ec_timing *ret,
                           struct ec_err *err); /* group NULL: without an exchange */
    const char *flags;
    struct ec_graph *g;
    struct ec_samples *samples;
    struct ec__layer_program layer;
    int64_t batch; /* samples of one process */
    double n_params, memory_bytes;
};

/* Long enough that no epoch ends inside. */
static enum ec_status open_data(struct ddp *d, struct ec_err *err)
{
    struct ec_samples_opts o = { .augment = EC_AUGMENT_NONE };
    int64_t steps = d->p->warmup_iters + d->p->max_iters + 1;
    char spec[96];

    (void)snprintf(spec, sizeof spec, "synthetic:train=%" PRId64 ",test=0",
                   steps * d->g->batch * ec__parallel_world(d->p));
    o.seed = d->m->base.seed;
    EC_PASS(ec_train_fit_samples(d->g, &o, err));
    return ec_samples_open(spec, &o, &d->samples, err);
}

static bool goes_on(void *user, const struct ec_train_event *e)
{
    const struct ddp *d = user;

    (void)e;
    return !d->m->stop || !d->m->stop();
}

/* Processes that exchange gradients end together: they are asked between runs only. */
static enum ec_status time_steps(struct ddp *d, const struct ec_group *group, struct ec_timing *ret,
                                 struct ec_err *err)
{
    struct ec_train_result r = { 0 };
    struct ec_train_opts o;
    struct ec_arena a = { 0 };
    enum ec_status st;

    EC_TRY(ec_fields_default(ec_train_fields, &o, &a, err));
    o.epochs = 1;
    o.batch = d->g->batch;
    o.max_iters = d->p->warmup_iters + d->p->max_iters;
    o.cond = d->m->cond;
    o.seed = d->m->base.seed;
    EC_TRY(ec_train(d->m->ctx, d->g, d->samples, &o, group, group ? NULL : goes_on, d, &r, err));
    d->n_params = r.n_params;
    d->memory_bytes = (double)r.memory.total;
    EC_TRY(timing_of(d->m, r.step_ns, r.n_steps, (int)d->p->warmup_iters, ret, err));
out:
    ec_train_result_clear(&r);
    ec_arena_clear(&a);
    return st;
}

static enum ec_status write_table(const struct ddp *d, const struct ec_record *row,
                                  const struct ec_timing *whole, const struct ec_timing *local,
                                  const struct ec_timing *reduce, struct ec_err *err)
{
    struct ec_buf line = EC_BUF_INIT;
    int ranks = ec__parallel_world(d->p);
    enum ec_status st;

    if (!d->p->table)
        return EC_OK;
    ec_csv_put(&line, row->what);
    ec_buf_printf(
        &line, ",%d,%" PRId64 ",%s,%s,%.0f,%.0f,%.0f,%.0f,%.6g,%" PRId64 ",", ranks, d->batch,
        ec_record_word(row, EC_WORD_OPTIMIZER), ec_record_word(row, EC_WORD_PRECISION), d->n_params,
        whole->median_ns, local->median_ns, reduce->median_ns,
        whole->median_ns > 0 ? (double)(d->batch * ranks) * NS_PER_S / whole->median_ns : 0,
        row->threads);
    ec_csv_put(&line, row->device ? row->device : "");
    ec_buf_char(&line, '\n');
    st = ec_csv_log_append(d->p->table, &line, true, err);
    ec_buf_clear(&line);
    return st;
}

/* Without an exchange first: all processes at once, so that they share cores and memory as they do
 * together. */
static enum ec_status measure_step(struct ddp *d, struct ec_record *row, struct ec_err *err)
{
    struct ec_timing whole = { 0 }, local = { 0 }, reduce = { 0 };
    bool stopped = false;
    enum ec_status st;

    EC_TRY(d->time(d, NULL, &local, err));
    EC_TRY(ec_parallel_stopped(d->m, d->p, &stopped, err));
    if (!stopped && ec__parallel_world(d->p) > 1) {
        EC_TRY(d->time(d, d->p->group, &whole, err));
        EC_TRY(ec_parallel_stopped(d->m, d->p, &stopped, err));
    }
    if (stopped)
        goto out;
    if (ec__parallel_world(d->p) > 1)
        EC_TRY(time_all_reduce(d->m, d->p, (int64_t)(d->n_params * sizeof(float)), &reduce, err));
    row->memory_peak_bytes = d->memory_bytes;
    EC_TRY(
        write_table(d, row, ec__parallel_world(d->p) > 1 ? &whole : &local, &local, &reduce, err));
    EC_TRY(write_row(d->m, row, ec__parallel_world(d->p) > 1 ? &whole : &local, d->flags, err));
out:
    ec_timing_clear(&whole);
    ec_timing_clear(&local);
    ec_timing_clear(&reduce);
    return st;
}

enum ec_status ec_measure_parallel(struct ec_measurer *m, const struct ec_parallel *p,
                                   const char *name, int64_t batch, struct ec_err *err)
{
    struct ec_graph_opts o = { .struct_size = sizeof o, .batch = batch };
    struct ddp d = { .m = m, .p = p, .time = time_steps, .flags = "data_loading" };
    struct ec_record row = m->base;
    char family[128];
    bool known = false;
    enum ec_status st;

    EC_TRY(ec_graph_open(name, &o, &d.g, err));
    (void)snprintf(family, sizeof family, "%.*s", (int)strcspn(name, ":"), name);
    row.kind = EC_KIND_network;
    row.what = name;
    row.family = family;
    ec_record_set_phase_in_file(&row, "step");
    row.method = "whole";
    row.batch = d.batch = d.g->batch;
    ec_record_set_word(&row, EC_WORD_OPTIMIZER, ec_optimizer_names[m->cond.optimizer]);
    row.num_devices = ec__parallel_world(p);
    EC_TRY(is_known(m, p, &row, &known, err));
    if (known)
        goto out;
    EC_TRY(open_data(&d, err));
    EC_TRY(measure_step(&d, &row, err));
out:
    ec_samples_close(d.samples);
    ec_graph_free(d.g);
    return st;
}

/* --- A lone layer --- */

static enum ec_status time_layer(struct ddp *d, const struct ec_group *group, struct ec_timing *ret,
                                 struct ec_err *err)
{
    return ec__parallel_time(d->m, d->p, d->layer.program, group ? EC__EXCHANGING : EC__AT_ONCE,
                             ret, err);
}

enum ec_status ec__parallel_layer_open(const struct ec_measurer *m, const struct ec_case *c,
                                       const char *activation, bool trained,
                                       struct ec__layer_program *ret, struct ec_err *err)
{
    static const struct ec_program_opts opts = { .with_loss = true,
                                                 .loss = EC_LOSS_mse,
                                                 .separate_update = true };
    struct ec_arena a = { 0 };
    struct ec_case then = { 0 };
    struct ec_case_graph shape = { .copies = 1, .train_inputs = trained, .train_target = trained };
    enum ec_status st;

    EC_TRY(ec__activation_case(activation, &a, &then, err));
    shape.then = then.op ? &then : NULL;
    EC_TRY(ec__layer_open(m, c, &shape, &opts, ret, err));
out:
    ec_arena_clear(&a);
    return st;
}

enum ec_status ec_measure_parallel_layer(struct ec_measurer *m, const struct ec_parallel *p,
                                         const char *what, const char *activation,
                                         enum ec_layer_method method, struct ec_err *err)
{
    bool trained = method == EC_LAYER_JUSTUS, known = false;
    struct ddp d = { .m = m, .p = p, .time = time_layer, .flags = "" };
    struct ec_record row = m->base;
    struct ec_program_memory memory;
    struct ec_owned_case c = { 0 };
    const struct ec_op *op = NULL;
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(ec_case_parse(what, &c, err));
    EC_TRY(ec_activation_named(activation ? activation : "", &op, err));
    ec_case_print(&c.c, &text);
    EC_TRY(ec_buf_status(&text, err));
    row.kind = EC_KIND_operator;
    row.what = ec_buf_text(&text);
    row.family = c.c.op->name;
    row.activation = op ? op->name : "";
    ec_record_set_phase_in_file(&row, "step");
    row.method = trained ? "justus" : "isolated";
    ec_record_set_word(&row, EC_WORD_OPTIMIZER, ec_optimizer_names[m->cond.optimizer]);
    row.num_devices = ec__parallel_world(p);
    EC_TRY(is_known(m, p, &row, &known, err));
    if (known)
        goto out;
    EC_TRY(ec__parallel_layer_open(m, &c.c, activation, trained, &d.layer, err));
    ec_program_memory(d.layer.program, &memory);
    d.memory_bytes = (double)memory.total;
    d.n_params = ec_graph_trained_elems(d.layer.g);
    d.batch = ec_case_batch(&c.c);
    EC_TRY(measure_step(&d, &row, err));
out:
    ec__layer_close(&d.layer);
    ec_case_clear(&c);
    ec_buf_clear(&text);
    return st;
}
