/* The loop over epochs and steps. */
#include "engine/train_internal.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void ec_train_result_clear(struct ec_train_result *r)
{
    if (!r)
        return;
    ec_free(r->curve);
    ec_free(r->step_ns);
    memset(r, 0, sizeof *r);
}

static double mean(const struct ec_sums *s)
{
    return s->counted > 0 ? s->loss / s->counted : 0;
}

static double accuracy(const struct ec_trainer *t, const struct ec_sums *s)
{
    if (!t->has_accuracy)
        return -1;
    return s->counted > 0 ? s->correct / s->counted : 0;
}

/* --- Telling --- */

/* Of steps alone; the median is not moved by a checkpoint or a cold start. */
static double rate_now(const struct ec_trainer *t)
{
    double s = (double)t->train_ns * 1e-9;

    return s > 0 ? (double)(t->own_steps * t->o->batch * t->world) / s : 0;
}

static void tell(struct ec_trainer *t, enum ec_train_event_kind kind,
                 const struct ec_train_epoch *last)
{
    struct ec_train_event e = {
        .kind = kind,
        .epoch = t->at.epoch,
        .step = t->at.step,
        .steps = t->steps_per_epoch,
        .done = t->at.steps,
        .total = t->total_steps,
        .loss = mean(&t->at.sums),
        .accuracy = accuracy(t, &t->at.sums),
        .step_ns = t->step_ns,
        .wait_ns = t->wait_ns,
        .images_per_s = rate_now(t),
        .left_s = -1,
        .last = last,
    };

    if (t->own_steps > 0)
        e.left_s = (double)t->train_ns * 1e-9 / (double)t->own_steps *
                   (double)(t->total_steps - t->at.steps);
    if (t->told && !t->told(t->user, &e))
        t->stop = true;
}

/* --- One step --- */

static struct ec_update make_update(const struct ec_trainer *t)
{
    int64_t total = t->updates_per_epoch * (t->o->epochs > 0 ? t->o->epochs : 1);
    struct ec_update u = ec_update_default(t->o->cond.optimizer);

    u.lr = ec_train_rate(t->o, t->lr, t->at.updates, total, t->updates_per_epoch);
    u.momentum = t->o->cond.optimizer == EC_OPT_momentum ? t->o->momentum : 0;
    u.nesterov = t->o->nesterov;
    if (t->o->weight_decay >= 0)
        u.weight_decay = t->o->weight_decay;
    u.step = t->at.updates + 1;
    u.grad_scale = 1.0 / (double)t->world;
    return u;
}

static enum ec_status clip(struct ec_trainer *t, struct ec_update *u, struct ec_err *err)
{
    double norm = 0;

    if (!(t->o->clip_norm > 0))
        return EC_OK;
    EC_PASS(ec_program_grad_norm(t->program, &norm, err));
    norm *= u->grad_scale;
    t->last_norm = norm;
    if (norm > t->o->clip_norm)
        u->grad_scale *= t->o->clip_norm / norm;
    return EC_OK;
}

/* Forward, backward, and the update when its time has come. */
static enum ec_status run_step(struct ec_trainer *t, struct ec_step_result *r, struct ec_err *err)
{
    bool ends = (t->at.step + 1) % t->micro == 0 || t->at.step + 1 == t->steps_per_epoch;
    bool at_once = t->micro == 1 && t->world == 1 && !(t->o->clip_norm > 0);
    struct ec_update u = make_update(t);

    t->last_update = u;
    ec_program_set_step(t->program, (uint64_t)t->group.rank << 40 | (uint64_t)t->at.steps);
    ec_program_on_grads(t->program, t->world > 1 && ends ? ec_exchange_grads : NULL, &t->exchange);
    EC_PASS(ec_program_step(t->program, at_once ? &u : NULL, r, err));
    if (!at_once && ends) {
        EC_PASS(ec_exchange_end(&t->exchange, err));
        EC_PASS(clip(t, &u, err));
        EC_PASS(ec_program_update(t->program, &u, err));
    }
    t->at.updates += ends;
    return EC_OK;
}

static enum ec_status keep_time(struct ec_trainer *t, struct ec_err *err)
{
    struct ec_train_result *r = t->ret;

    EC_PASS(ec_grow(&r->step_ns, &r->cap_steps, r->n_steps + 1, sizeof *r->step_ns, err));
    r->step_ns[r->n_steps++] = t->step_ns;
    t->train_ns += t->step_ns;
    t->own_steps++;
    return EC_OK;
}

static enum ec_status check_loss(const struct ec_trainer *t, double loss, struct ec_err *err)
{
    if (isfinite(loss))
        return EC_OK;
    return ec_fail(err, EC_E_UNSTABLE,
                   "the loss is %g in epoch %lld, step %lld, at a rate of %g: lower --lr, or set "
                   "--clip-norm or --warmup",
                   loss, (long long)t->at.epoch + 1, (long long)t->at.step + 1, t->last_update.lr);
}

static enum ec_status train_step(struct ec_trainer *t, const struct ec_batch *b, int64_t start_ns,
                                 struct ec_err *err)
{
    struct ec_step_result r = { 0 };

    EC_PASS(ec__feed(t, b, err));
    EC_PASS(run_step(t, &r, err));
    EC_PASS(check_loss(t, r.loss, err));
    t->step_ns = ec_engine_now_ns(t->ctx) - start_ns;
    EC_PASS(keep_time(t, err));
    t->at.sums.loss += r.loss * (double)r.counted;
    t->at.sums.correct += (double)r.correct;
    t->at.sums.counted += (double)r.counted;
    t->at.step++;
    t->at.steps++;
    tell(t, EC_TRAIN_STEP, NULL);
    return EC_OK;
}

/* --- Evaluation --- */

static enum ec_status evaluate(struct ec_trainer *t, enum ec_part part, struct ec_sums *ret,
                               struct ec_err *err)
{
    const struct ec_loader_opts o = {
        .workers = t->o->workers,
        .prefetch = t->o->prefetch,
        .split = part,
        .batch = t->o->batch,
        .epochs = 1,
        .seed = t->o->seed,
        .rank = t->group.rank,
        .world = t->world,
    };
    struct ec_loader *l = NULL;
    const struct ec_batch *b = NULL;
    struct ec_sums sums = { 0 };
    enum ec_status st;

    EC_TRY(ec_loader_new(t->s, &o, &l, err));
    for (;;) {
        EC_TRY(ec_loader_next(l, &b, err));
        if (!b)
            break;
        EC_TRY(ec__feed_eval(t, b, &sums, err));
    }
    EC_TRY(ec__group_sums(t, &sums, err));
    *ret = sums;
out:
    ec_loader_free(l);
    return st;
}

/* --- One epoch --- */

static enum ec_status add_epoch(struct ec_trainer *t, const struct ec_train_epoch *e,
                                struct ec_err *err)
{
    struct ec_train_result *r = t->ret;

    EC_PASS(ec_grow(&r->curve, &r->cap_curve, r->n_curve + 1, sizeof *r->curve, err));
    r->curve[r->n_curve++] = *e;
    return EC_OK;
}

static enum ec_status end_epoch(struct ec_trainer *t, struct ec_train_epoch *e, struct ec_err *err)
{
    struct ec_sums sums = t->at.sums, val = { 0 };
    bool better;

    EC_PASS(ec__group_sums(t, &sums, err));
    EC_PASS(ec__group_statistics(t, err));
    e->epoch = t->at.epoch + 1;
    e->train_loss = mean(&sums);
    e->train_accuracy = accuracy(t, &sums);
    e->rate = t->last_update.lr;
    e->grad_norm = t->last_norm;
    e->val_accuracy = -1;
    if (t->info->count[EC_PART_VAL] > 0 && !t->o->steps_only) {
        EC_PASS(evaluate(t, EC_PART_VAL, &val, err));
        e->val_loss = mean(&val);
        e->val_accuracy = accuracy(t, &val);
    }
    EC_PASS(add_epoch(t, e, err));
    better = val.counted > 0 && (t->at.best <= 0 || e->val_loss < t->at.best);
    if (better)
        t->at.best = e->val_loss;
    t->at.epoch++;
    t->at.step = 0;
    t->at.sums = (struct ec_sums){ 0 };
    tell(t, EC_TRAIN_EPOCH, e);
    EC_PASS(ec__train_save(t, "last", err));
    if (better)
        EC_PASS(ec__train_save(t, "best", err));
    return EC_OK;
}

static bool at_limit(const struct ec_trainer *t)
{
    return t->o->max_iters > 0 && t->at.steps >= t->o->max_iters;
}

static bool save_is_due(const struct ec_trainer *t)
{
    return t->o->checkpoint_every > 0 && t->at.step % t->micro == 0 &&
           t->at.updates % t->o->checkpoint_every == 0;
}

/* All processes must stop at the same step. */
static enum ec_status agree_to_stop(struct ec_trainer *t, struct ec_err *err)
{
    double v = t->stop;

    if (t->world > 1)
        EC_PASS(t->group.ops->sum(t->group.ranks, &v, 1, err));
    t->stop = v > 0;
    return EC_OK;
}

/* Gradients that wait for their update are in no checkpoint: stop only between updates. */
static bool may_stop(const struct ec_trainer *t)
{
    return t->at.step % t->micro == 0 || t->at.step == t->steps_per_epoch;
}

static enum ec_status run_epoch(struct ec_trainer *t, struct ec_err *err)
{
    struct ec_train_epoch e = { 0 };
    const struct ec_batch *b = NULL;
    struct ec_loader_stats stats;
    int64_t begin = ec_engine_now_ns(t->ctx), first = t->at.step, before;

    ec_loader_reset_stats(t->train);
    while (t->at.step < t->steps_per_epoch) {
        before = ec_engine_now_ns(t->ctx);
        EC_PASS(ec_loader_next(t->train, &b, err));
        if (!b)
            return ec_fail(err, EC_E_IO, "data set %s ended before its epoch", t->info->name);
        t->wait_ns = ec_engine_now_ns(t->ctx) - before;
        EC_PASS(train_step(t, b, before, err));
        EC_PASS(agree_to_stop(t, err));
        if ((t->stop || at_limit(t)) && may_stop(t) && t->at.step < t->steps_per_epoch) {
            t->stop = true;
            return EC_OK;
        }
        if (save_is_due(t) && t->at.step < t->steps_per_epoch)
            EC_PASS(ec__train_save(t, "last", err));
    }
    ec_loader_get_stats(t->train, &stats);
    e.time_s = (double)(ec_engine_now_ns(t->ctx) - begin) * 1e-9;
    e.images_per_s = (double)((t->steps_per_epoch - first) * t->o->batch * t->world) / e.time_s;
    e.wait_frac = (double)stats.wait_ns * 1e-9 / e.time_s;
    if (first == 0) { /* a whole epoch: counts for the mean */
        t->ret->time_per_epoch = (t->ret->time_per_epoch * (double)t->ret->epochs + e.time_s) /
                                 (double)(t->ret->epochs + 1);
        t->ret->epochs++;
    }
    EC_PASS(end_epoch(t, &e, err));
    t->stop |= at_limit(t);
    return EC_OK;
}

/* --- The run --- */

static enum ec_status open_program(struct ec_trainer *t, struct ec_err *err)
{
    struct ec_program_opts o = {
        .cond = t->o->cond,
        .with_loss = true,
        .loss = t->loss,
        .label_smoothing = t->o->label_smoothing,
        .huber_delta = t->o->huber_delta,
        .accumulate = t->micro > 1,
    };

    o.cond.mode = EC_MODE_TRAINING_STEP;
    /* gradients are needed before the update: the program leaves it to us, as when they add up */
    o.separate_update = t->world > 1 || t->o->clip_norm > 0;
    EC_PASS(ec_program_new(t->ctx, t->g, &o, &t->program, err));
    EC_PASS(ec_program_init(t->program, (uint64_t)t->o->seed, err));
    ec_program_set_loss_scale(t->program, 1.0 / (double)t->micro);
    ec_program_memory(t->program, &t->ret->memory);
    return EC_OK;
}

static enum ec_status open_loader(struct ec_trainer *t, struct ec_err *err)
{
    const struct ec_loader_opts o = {
        .workers = t->o->workers,
        .prefetch = t->o->prefetch,
        .split = EC_PART_TRAIN,
        .batch = t->o->batch,
        .seed = t->o->seed,
        .shuffle = true,
        .drop_last = true,
        .augment = true,
        .rank = t->group.rank,
        .world = t->world,
    };

    EC_PASS(ec_loader_new(t->s, &o, &t->train, err));
    t->steps_per_epoch = ec_loader_steps(t->train);
    t->updates_per_epoch = (t->steps_per_epoch + t->micro - 1) / t->micro;
    t->total_steps = t->steps_per_epoch * t->o->epochs;
    if (t->o->max_iters > 0 && t->o->max_iters < t->total_steps)
        t->total_steps = t->o->max_iters;
    return EC_OK;
}

static enum ec_status go_on(struct ec_trainer *t, struct ec_err *err)
{
    if (t->o->resume)
        EC_PASS(ec__train_load(t, err));
    if (t->at.epoch || t->at.step)
        EC_PASS(ec_loader_seek(t->train, t->at.epoch, t->at.step, err));
    return EC_OK;
}

static enum ec_status finish(struct ec_trainer *t, struct ec_err *err)
{
    struct ec_train_result *r = t->ret;
    struct ec_sums test = { 0 };
    struct rusage use;

    if (t->at.step > 0) /* ended inside an epoch */
        EC_PASS(ec__train_save(t, "last", err));
    if (t->o->test && t->info->count[EC_PART_TEST] > 0) {
        EC_PASS(ec__group_statistics(t, err));
        EC_PASS(evaluate(t, EC_PART_TEST, &test, err));
        r->has_test = true;
        r->test_loss = mean(&test);
        r->test_accuracy = accuracy(t, &test);
    }
    r->stopped = t->at.epoch < t->o->epochs;
    r->steps_per_epoch = t->steps_per_epoch;
    r->epochs = t->at.epoch;
    r->steps = t->at.steps;
    r->images = t->own_steps * t->o->batch * t->world;
    r->images_per_s = rate_now(t);
    r->time_s = (double)(ec_clock_ns() - t->start_ns) * 1e-9;
    ec_program_memory(t->program, &r->memory);
    if (getrusage(RUSAGE_SELF, &use) == 0)
        r->peak_bytes = (double)use.ru_maxrss * 1024;
    return EC_OK;
}

/* Constants that stand for something the file does not say. */
static void tell_unknown(struct ec_trainer *t)
{
    const char *first = NULL;
    int i, n = 0;

    for (i = 0; i < t->g->n_values; i++) {
        const struct ec_value *v = t->g->values[i];

        if (v->kind == EC_V_CONST && !v->contents.rule && !v->contents.n &&
            ec_type_elems(&v->type) > 0 && !n++)
            first = v->name;
    }
    if (n)
        ec__tell_note(t,
                      "the contents of %d constant%s (\"%.80s\"%s) are not known: numbers are 1, "
                      "whole numbers 0",
                      n, n > 1 ? "s" : "", first, n > 1 ? " ..." : "");
}

static double count_params(const struct ec_graph *g)
{
    double n = 0;
    int i;

    for (i = 0; i < g->n_values; i++)
        if (g->values[i]->kind == EC_V_PARAM && !ec__is_statistic(g, i))
            n += ec_type_elems(&g->values[i]->type);
    return n;
}

static enum ec_status run(struct ec_trainer *t, struct ec_err *err)
{
    enum ec_status st;
    int lock = -1;

    if (t->o->resume && !t->o->checkpoint)
        return ec_fail(err, EC_E_INPUT, "--resume needs --checkpoint DIR");
    EC_TRY(ec__feed_check(t, err));
    EC_TRY(ec__train_lock(t, &lock, err));
    tell_unknown(t);
    EC_TRY(open_program(t, err));
    EC_TRY(open_loader(t, err));
    EC_TRY(go_on(t, err));
    tell(t, EC_TRAIN_START, NULL);
    while (t->at.epoch < t->o->epochs && !t->stop && !at_limit(t))
        EC_TRY(run_epoch(t, err));
    EC_TRY(finish(t, err));
out:
    if (lock >= 0)
        (void)close(lock);
    return st;
}

enum ec_status ec_train(struct ec_ctx *ctx, const struct ec_graph *g, const struct ec_samples *s,
                        const struct ec_train_opts *opts, const struct ec_group *group,
                        ec_train_told told, void *user, struct ec_train_result *ret,
                        struct ec_err *err)
{
    struct ec_trainer t = {
        .ctx = ctx,
        .g = g,
        .s = s,
        .info = ec_samples_info(s),
        .o = opts,
        .told = told,
        .user = user,
        .ret = ret,
        .micro = opts->accumulate > 0 ? opts->accumulate : 1,
        .start_ns = ec_clock_ns(),
    };
    enum ec_status st;

    memset(ret, 0, sizeof *ret);
    if (group)
        t.group = *group;
    t.exchange.group = &t.group;
    t.world = t.group.world > 1 ? t.group.world : 1;
    t.lr = opts->lr > 0 ? opts->lr : ec_update_default(opts->cond.optimizer).lr;
    ret->n_params = count_params(g);
    st = run(&t, err);
    ec_loader_free(t.train);
    ec_program_free(t.program);
    ec_free(t.converted);
    ec_free(t.output);
    if (st)
        ec_train_result_clear(ret);
    return st;
}
