/* Walking the tasks. */
#include "engine/program_internal.h"

#include <math.h>
#include <string.h>

/* SplitMix64: seeds of nodes must differ wherever step or node do. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t z = a + 0x9e3779b97f4a7c15U * (b + 1);

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

static enum ec_status run_loss(struct ec_program *p, const struct ec_task *t, bool eval,
                               struct ec_err *err)
{
    struct ec_step_result *r = t->output ? &p->aux_result : &p->result;
    struct ec_loss_job job = {
        .loss = p->opts.loss,
        .label_smoothing = p->opts.label_smoothing,
        .delta = p->opts.huber_delta > 0 ? p->opts.huber_delta : 1,
        .scale = (p->loss_scale > 0 ? p->loss_scale : 1) * t->weight,
        .y = t->p_src,
        .target = (unsigned char *)p->io_mem + p->target_io.offset,
        .d_y = eval ? NULL : t->p_dst,
        .ret_loss = &r->loss,
        .ret_correct = &r->correct,
        .ret_counted = &r->counted,
    };

    ec__loss_shape(p, &job);
    return p->b->flat->loss(p->ctx, p->wide, &job, err);
}

static void flat_copy(struct ec_program *p, void *to, const void *from, int64_t bytes)
{
    if (p->b->flat->copy)
        p->b->flat->copy(p->ctx, to, from, bytes);
    else
        memcpy(to, from, (size_t)bytes);
}

static void run_add(struct ec_program *p, const struct ec_task *t)
{
    int64_t n = t->bytes / ec_dtype_bytes(t->dtype);
    const void *x = t->p_src;

    if (t->p_dst == t->p_src && t->p_base != t->p_src)
        x = t->p_base;
    else if (t->p_dst != t->p_base)
        flat_copy(p, t->p_dst, t->p_base, t->bytes);
    p->b->flat->add(p->ctx, t->dtype, t->p_dst, x, n);
}

static void update(struct ec_program *p, const struct ec_update *u)
{
    int64_t n = p->learn_bytes / ec_dtype_bytes(p->wide);

    if (n && p->opts.cond.optimizer != EC_OPT_none)
        p->b->flat->update(p->ctx, p->wide, u, p->param_mem, p->grad_mem, p->state_mem, n);
}

struct walk {
    struct ec_program *p;
    struct ec_variant *g;
    const struct ec_update *u; /* NULL: no update */
    bool eval;
};

static enum ec_status run_task(const struct walk *w, struct ec_task *t, struct ec_err *err)
{
    struct ec_program *p = w->p;
    enum ec_status st = EC_OK;

    switch (t->kind) {
    case EC_TASK_KERNEL:
        t->args.seed = mix(mix(p->ctx->seed, p->steps), (uint64_t)t->node);
        st = ec_within(err, t->pn->row->run(p->ctx, &t->pn->k, t->phase, &t->args, err),
                       "%s \"%.80s\": ", t->pn->n->op->name, t->pn->n->name);
        break;
    case EC_TASK_LOSS:
        st = run_loss(p, t, w->eval, err);
        break;
    case EC_TASK_CONVERT:
        st = p->b->reorder(p->ctx, &t->type, t->from, t->p_src, t->to, t->p_dst, err);
        break;
    case EC_TASK_ADD:
        run_add(p, t);
        break;
    case EC_TASK_COPY:
        flat_copy(p, t->p_dst, t->p_src, t->bytes);
        break;
    case EC_TASK_UPDATE:
        if (w->u)
            update(p, w->u);
        break;
    }
    return st;
}

static enum ec_status tell_grads(struct ec_program *p, const struct ec_task *t, struct ec_err *err)
{
    if (!p->on_grads || !t->done_bytes)
        return EC_OK;
    if (p->wide != EC_DT_f32)
        return ec_fail(err, EC_E_UNSUPPORTED, "gradients of backend %s are not float32",
                       p->b->name);
    return p->on_grads(p->on_grads_user,
                       (float *)(void *)((unsigned char *)p->grad_mem + t->done_offset),
                       t->done_bytes / (int64_t)sizeof(float), err);
}

static enum ec_status walk(const struct walk *w, int first, int last, int64_t *ret_ns,
                           struct ec_err *err)
{
    struct ec_program *p = w->p;
    int64_t start = 0;
    int i;

    p->last = w->g;
    for (i = first; i < last; i++) {
        if (ret_ns) {
            EC_PASS(ec_engine_sync(p->ctx, err));
            start = ec_engine_now_ns(p->ctx);
        }
        EC_PASS(run_task(w, &w->g->tasks[i], err));
        if (ret_ns) {
            EC_PASS(ec_engine_sync(p->ctx, err));
            ret_ns[i] = ec_engine_now_ns(p->ctx) - start;
        }
        if (!w->eval)
            EC_PASS(tell_grads(p, &w->g->tasks[i], err));
    }
    return EC_OK;
}

static enum ec_status finish(struct ec_program *p, struct ec_step_result *ret, struct ec_err *err)
{
    if (ret) {
        EC_PASS(ec_engine_sync(p->ctx, err));
        *ret = p->result;
    }
    return EC_OK;
}

static enum ec_status step(struct ec_program *p, const struct ec_update *u, int64_t *ret_ns,
                           struct ec_step_result *ret, struct ec_err *err)
{
    struct walk w = { p, &p->train, u, false };

    memset(&p->result, 0, sizeof p->result);
    EC_PASS(walk(&w, 0, p->train.n_tasks, ret_ns, err));
    p->steps++;
    return finish(p, ret, err);
}

enum ec_status ec_program_step(struct ec_program *p, const struct ec_update *u,
                               struct ec_step_result *ret, struct ec_err *err)
{
    return step(p, u, NULL, ret, err);
}

enum ec_status ec_program_step_timed(struct ec_program *p, const struct ec_update *u,
                                     int64_t *ret_ns, struct ec_err *err)
{
    return step(p, u, ret_ns, NULL, err);
}

enum ec_status ec_program_run_tasks(struct ec_program *p, int first, int last,
                                    const struct ec_update *u, struct ec_err *err)
{
    struct walk w = { p, &p->train, u, false };

    if (first < 0 || last > p->train.n_tasks || first > last)
        return ec_fail(err, EC_E_INPUT, "tasks %d to %d of a step that has %d", first, last,
                       p->train.n_tasks);
    return walk(&w, first, last, NULL, err);
}

enum ec_status ec_program_eval(struct ec_program *p, struct ec_step_result *ret, struct ec_err *err)
{
    struct walk w = { p, NULL, NULL, true };

    memset(&p->result, 0, sizeof p->result);
    EC_PASS(ec__program_eval_variant(p, &w.g, err));
    EC_PASS(walk(&w, 0, w.g->n_forward, NULL, err));
    return finish(p, ret, err);
}

enum ec_status ec_program_update(struct ec_program *p, const struct ec_update *u,
                                 struct ec_err *err)
{
    if (!p->train.backward || p->opts.cond.mode != EC_MODE_TRAINING_STEP)
        return ec_fail(err, EC_E_INPUT, "a network compiled for %s has no update",
                       ec_mode_name(p->opts.cond.mode));
    update(p, u);
    if (p->opts.accumulate)
        p->b->flat->zero(p->ctx, p->grad_mem, p->learn_bytes);
    return EC_OK;
}

enum ec_status ec_program_grad_norm(struct ec_program *p, double *ret, struct ec_err *err)
{
    double sum;

    if (!p->train.backward)
        return ec_fail(err, EC_E_INPUT, "a network compiled for %s has no gradients",
                       ec_mode_name(p->opts.cond.mode));
    sum = p->b->flat->norm2(p->ctx, p->wide, p->grad_mem, p->learn_bytes / ec_dtype_bytes(p->wide));
    *ret = sqrt(sum);
    return EC_OK;
}

void ec_program_set_step(struct ec_program *p, uint64_t step_count)
{
    p->steps = step_count;
}

void ec_program_set_loss_scale(struct ec_program *p, double scale)
{
    p->loss_scale = scale;
}

void ec_program_on_grads(struct ec_program *p, ec_program_grads_ready fn, void *user)
{
    p->on_grads = fn;
    p->on_grads_user = user;
}
