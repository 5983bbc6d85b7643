/* Adds buffers and tasks, one by one; program_tasks.c uses these functions. */
#include "engine/program_internal.h"

#include <string.h>

/* Far above any memory, far below overflow of sums. */
#define BUF_MAX_BYTES ((int64_t)1 << 46)

static int buf_add(struct ec_emit *e, const struct ec_pbuf *b)
{
    struct ec_variant *g = e->g;

    if (!e->st && (b->bytes < 0 || b->bytes > BUF_MAX_BYTES))
        e->st =
            ec_fail(e->err, EC_E_DEVICE_MEMORY, "a single tensor of %.3g bytes", (double)b->bytes);
    if (!e->st)
        e->st = ec_grow(&g->bufs, &g->cap_bufs, g->n_bufs + 1, sizeof *g->bufs, e->err);
    if (e->st)
        return -1;
    g->bufs[g->n_bufs] = *b;
    g->bufs[g->n_bufs].root = g->n_bufs;
    g->bufs[g->n_bufs].first = g->bufs[g->n_bufs].last = -1;
    return g->n_bufs++;
}

int ec__buf(struct ec_emit *e, enum ec_buf_kind kind, int64_t bytes)
{
    struct ec_pbuf b = { .pool = EC_POOL_ARENA, .kind = kind, .bytes = bytes };

    if (bytes == 0)
        b.bytes = EC_ENGINE_ALIGN; /* an empty tensor has an address too */
    return buf_add(e, &b);
}

int ec__buf_at(struct ec_emit *e, enum ec_pool pool, int param, int64_t offset, int64_t bytes)
{
    struct ec_pbuf b = { .pool = pool, .param = param, .offset = offset, .bytes = bytes };

    return buf_add(e, &b);
}

void ec__touch(struct ec_emit *e, int buf)
{
    struct ec_pbuf *b;

    if (e->st || buf < 0)
        return;
    b = &e->g->bufs[buf];
    if (b->first < 0)
        b->first = e->g->n_tasks;
    b->last = e->g->n_tasks;
}

struct ec_task *ec__task(struct ec_emit *e, enum ec_task_kind kind, int node, enum ec_phase phase,
                         const char *name)
{
    struct ec_variant *g = e->g;
    struct ec_task *t;

    if (!e->st)
        e->st = ec_grow(&g->tasks, &g->cap_tasks, g->n_tasks + 1, sizeof *g->tasks, e->err);
    if (e->st)
        return NULL;
    t = &g->tasks[g->n_tasks++];
    memset(t, 0, sizeof *t);
    t->kind = kind;
    t->node = node;
    t->phase = phase;
    t->name = name;
    t->ws = t->scratch = t->src = t->base = t->dst = -1;
    return t;
}

void ec__may_take(struct ec_emit *e, int task, int from, int to)
{
    struct ec_variant *g = e->g;

    if (e->st || from < 0 || to < 0 || e->p->opts.keep_all)
        return;
    e->st = ec_grow(&g->inplace, &g->cap_inplace, g->n_inplace + 1, sizeof *g->inplace, e->err);
    if (!e->st)
        g->inplace[g->n_inplace++] = (struct ec_inplace){ task, from, to };
}

void ec__emit_convert(struct ec_emit *e, int node, enum ec_phase phase, int value,
                      struct ec_fmt_ref from, int src, struct ec_fmt_ref to, int dst)
{
    struct ec_fmt *fmt[2] = { NULL, NULL };
    const struct ec_fmt_ref *ref[2] = { &from, &to };
    struct ec_task *t;
    int i;

    ec__touch(e, src);
    ec__touch(e, dst);
    t = ec__task(e, EC_TASK_CONVERT, node, phase, "convert");
    for (i = 0; i < 2 && t; i++) {
        if (ref[i]->fmt)
            continue;
        fmt[i] = ec_arena_alloc(&e->p->mem, sizeof *fmt[i]);
        if (!fmt[i]) {
            e->st = ec_nomem(e->err);
            return;
        }
        fmt[i]->dtype = ref[i]->plain;
        fmt[i]->bytes = ec__plain_bytes(e->p, value, ref[i]->plain);
    }
    if (!t)
        return;
    t->from = from.fmt ? from.fmt : fmt[0];
    t->to = to.fmt ? to.fmt : fmt[1];
    t->type = e->p->g->values[value]->type;
    t->type.dtype = from.fmt ? to.plain : from.plain;
    t->src = src;
    t->dst = dst;
}

/* dst = base + src */
static void emit_add(struct ec_emit *e, int node, enum ec_dtype dtype, int64_t bytes, int base,
                     int src, int dst)
{
    struct ec_task *t;

    ec__touch(e, base);
    ec__touch(e, src);
    ec__touch(e, dst);
    if (base != src && base != dst) {
        ec__may_take(e, e->g->n_tasks, base, dst);
        ec__may_take(e, e->g->n_tasks, src, dst);
    }
    t = ec__task(e, EC_TASK_ADD, node, EC_GRAD_DATA, "accumulate");
    if (!t)
        return;
    t->dtype = dtype;
    t->bytes = bytes;
    t->base = base;
    t->src = src;
    t->dst = dst;
}

static void emit_copy(struct ec_emit *e, int node, int64_t bytes, int src, int dst)
{
    struct ec_task *t;

    ec__touch(e, src);
    ec__touch(e, dst);
    t = ec__task(e, EC_TASK_COPY, node, EC_GRAD_DATA, "copy");
    if (!t)
        return;
    t->bytes = bytes;
    t->src = src;
    t->dst = dst;
}

int64_t ec__emit_bytes(const struct ec_emit *e, int value)
{
    const struct ec_fmt *f = e->g->values[value].fmt;

    return f ? f->bytes : ec__plain_bytes(e->p, value, e->p->compute);
}

/* A free parameter read as an operator's input: its gradient is added to the block of all. */
static void free_param_grad(struct ec_emit *e, int node, int value, int buf)
{
    struct ec_fmt_ref narrow = { NULL, e->p->compute }, wide = { NULL, e->p->wide };
    int to;

    if (e->g->bufs[buf].pool == EC_POOL_GRAD && e->g->bufs[buf].param == value)
        return; /* the kernel wrote it in place */
    if (e->p->compute == e->p->wide) {
        ec__param_grad_end(e, node, value, buf);
        return;
    }
    to = ec__param_grad_begin(e, value);
    ec__emit_convert(e, node, EC_GRAD_DATA, value, narrow, buf, wide, to);
    ec__param_grad_end(e, node, value, to);
}

void ec__emit_grad(struct ec_emit *e, int node, int value, int buf)
{
    struct ec_pvalue *v = &e->g->values[value];
    enum ec_dtype t = v->fmt ? v->fmt->dtype : e->p->compute;
    int sum;

    if (e->st || buf < 0 || !v->has_grad)
        return;
    if (e->p->g->values[value]->kind == EC_V_PARAM) {
        free_param_grad(e, node, value, buf);
        return;
    }
    if (v->grad < 0) {
        v->grad = buf;
        return;
    }
    sum = ec__buf(e, EC_BUF_GRAD, ec__emit_bytes(e, value));
    emit_add(e, node, t, ec__emit_bytes(e, value), v->grad, buf, sum);
    v->grad = sum;
}

int ec__param_grad_begin(struct ec_emit *e, int param)
{
    struct ec_pparam *q = &e->p->params[param];

    if (q->n_grads || e->p->opts.accumulate)
        return ec__buf(e, EC_BUF_GRAD, q->bytes);
    q->n_grads = 1;
    return ec__buf_at(e, EC_POOL_GRAD, param, 0, q->bytes);
}

/* Bytes of a parameter are those of its format: `bytes` is set before tasks are emitted. */
void ec__param_grad_end(struct ec_emit *e, int node, int param, int buf)
{
    struct ec_pparam *q = &e->p->params[param];
    bool direct;
    int all;

    if (e->st || buf < 0)
        return;
    direct = e->g->bufs[buf].pool == EC_POOL_GRAD && e->g->bufs[buf].param == param;
    if (!direct) {
        all = ec__buf_at(e, EC_POOL_GRAD, param, 0, q->bytes);
        if (q->n_grads == 0 && !e->p->opts.accumulate)
            emit_copy(e, node, q->bytes, buf, all);
        else
            emit_add(e, node, e->p->wide, q->bytes, all, buf, all);
        q->n_grads++;
    }
    q->grad_done = e->g->n_tasks - 1;
}
