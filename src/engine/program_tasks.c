/* Emits the tasks of a step: forward in order, the loss, backward in reverse, the update. Each task
 * names the buffers it touches; from that program_memory.c knows how long each lives. */
#include "engine/program_internal.h"

#include <string.h>

static struct ec_fmt_ref plain_in(enum ec_dtype t)
{
    return (struct ec_fmt_ref){ NULL, t };
}

static struct ec_fmt_ref fmt_of(const struct ec_emit *e, int value)
{
    return (struct ec_fmt_ref){ e->g->values[value].fmt,
                                ec__value_dtype(e->p, value, e->p->compute) };
}

/* The value plain in `t` (integers: as they are); converted once, for all who want it. */
static int plain_copy(struct ec_emit *e, int value, enum ec_dtype t)
{
    struct ec_pvalue *v = &e->g->values[value];
    enum ec_dtype have = ec__value_dtype(e->p, value, e->p->compute);
    int *slot = t == e->p->compute ? &v->plain : &v->plain_wide;

    if (!v->fmt && (have == t || !ec_dtype_is_float(have)))
        return v->buf;
    if (*slot < 0) {
        int node = e->p->g->values[value]->producer;

        *slot = ec__buf(e, EC_BUF_VALUE, ec__plain_bytes(e->p, value, t));
        ec__emit_convert(e, node < 0 ? 0 : node, EC_FORWARD, value, fmt_of(e, value), v->buf,
                         plain_in(t), *slot);
    }
    return *slot;
}

/* Inputs, constants and free parameters lie outside the arena. */
static void emit_sources(struct ec_emit *e)
{
    struct ec_program *p = e->p;
    int i;

    for (i = 0; i < p->g->n_values && !e->st; i++) {
        struct ec_pvalue *v = &e->g->values[i];
        enum ec_value_kind kind = p->g->values[i]->kind;
        int buf;

        if (kind == EC_V_COMPUTED || (!v->n_uses && !v->is_output))
            continue;
        if (kind != EC_V_PARAM) {
            v->buf = ec__buf_at(e, EC_POOL_IO, -1, p->value_io[i].offset, p->value_io[i].bytes);
            continue;
        }
        buf = ec__buf_at(e, EC_POOL_PARAM, i, 0, p->params[i].bytes);
        v->buf = buf;
        if (p->compute == p->wide)
            continue;
        v->buf = ec__buf(e, EC_BUF_VALUE, ec__plain_bytes(p, i, p->compute));
        ec__emit_convert(e, 0, EC_FORWARD, i, plain_in(p->wide), buf, plain_in(p->compute), v->buf);
    }
}

static int *ints(struct ec_emit *e, int n)
{
    int *mem = e->st ? NULL : ec_arena_alloc(&e->p->mem, sizeof *mem * (size_t)(n ? n : 1));
    int i;

    if (!mem && !e->st)
        e->st = ec_nomem(e->err);
    for (i = 0; mem && i < n; i++)
        mem[i] = -1;
    return mem;
}

/* A kernel task with nothing in it yet. */
static struct ec_task *kernel_task(struct ec_emit *e, struct ec_pnode *pn, enum ec_phase phase)
{
    const struct ec_node *n = pn->n;
    int *in = ints(e, n->n_in), *out = ints(e, n->n_out), *d_out = ints(e, n->n_out);
    int *d_in = ints(e, n->n_in), *param = ints(e, n->n_param), *d_param = ints(e, n->n_param);
    struct ec_task *t = ec__task(e, EC_TASK_KERNEL, n->id, phase, n->name);

    if (!t)
        return NULL;
    t->pn = pn;
    t->in = in;
    t->out = out;
    t->d_out = d_out;
    t->d_in = d_in;
    t->param = param;
    t->d_param = d_param;
    return t;
}

/* Buffers of parameters and scratch, in every phase. The task is already in the list: touching
 * counts for it. */
static void touch_task(struct ec_emit *e, struct ec_task *t)
{
    const struct ec_node *n = t->pn->n;
    int i;

    e->g->n_tasks--; /* ec__touch speaks of the task that comes next */
    for (i = 0; i < n->n_in; i++) {
        ec__touch(e, t->in[i]);
        ec__touch(e, t->d_in[i]);
    }
    for (i = 0; i < n->n_out; i++) {
        ec__touch(e, t->out[i]);
        ec__touch(e, t->d_out[i]);
    }
    for (i = 0; i < n->n_param; i++)
        ec__touch(e, t->d_param[i]);
    ec__touch(e, t->ws);
    ec__touch(e, t->scratch);
    e->g->n_tasks++;
}

static void fill_common(struct ec_emit *e, struct ec_task *t)
{
    const struct ec_node *n = t->pn->n;
    int i;

    for (i = 0; i < n->n_param; i++)
        t->param[i] = ec__buf_at(e, EC_POOL_PARAM, n->param[i], 0, e->p->params[n->param[i]].bytes);
    t->ws = t->pn->ws;
    if (t->pn->k.scratch_bytes > 0)
        t->scratch = ec__buf(e, EC_BUF_SCRATCH, t->pn->k.scratch_bytes);
}

static bool appears_once(const int *list, int n, int buf)
{
    int i, seen = 0;

    for (i = 0; i < n; i++)
        seen += list[i] == buf;
    return seen == 1;
}

/* Fallback kernels write plain values in the wide type; where the network computes in another one,
 * a conversion follows. */
static void emit_outputs(struct ec_emit *e, struct ec_pnode *pn)
{
    enum ec_dtype t = e->p->wide;
    int i;

    for (i = 0; i < pn->n->n_out; i++) {
        int v = pn->out_value[i];
        bool same = !pn->fallback || !ec_dtype_is_float(e->p->g->values[v]->type.dtype) ||
                    e->p->compute == t;

        pn->out_buf[i] =
            ec__buf(e, EC_BUF_VALUE, same ? ec__emit_bytes(e, v) : ec__plain_bytes(e->p, v, t));
        if (same)
            e->g->values[v].buf = pn->out_buf[i];
        else
            e->g->values[v].plain_wide = pn->out_buf[i];
    }
}

static void emit_narrowing(struct ec_emit *e, const struct ec_pnode *pn)
{
    int i;

    for (i = 0; i < pn->n->n_out && !e->st; i++) {
        struct ec_pvalue *v = &e->g->values[pn->out_value[i]];

        if (v->buf >= 0)
            continue;
        v->buf = ec__buf(e, EC_BUF_VALUE, ec__emit_bytes(e, pn->out_value[i]));
        ec__emit_convert(e, pn->n->id, EC_FORWARD, pn->out_value[i], plain_in(e->p->wide),
                         pn->out_buf[i], plain_in(e->p->compute), v->buf);
    }
}

static int kernel_input(struct ec_emit *e, const struct ec_pnode *pn, int i)
{
    int v = pn->n->in[i];

    return pn->fallback ? plain_copy(e, v, e->p->wide) : e->g->values[v].buf;
}

static void forward_kernel(struct ec_emit *e, struct ec_pnode *pn)
{
    const struct ec_node *n = pn->n;
    struct ec_task *t;
    int i, at = pn->k.in_place;

    for (i = 0; i < n->n_in; i++)
        pn->in_buf[i] = kernel_input(e, pn, i);
    emit_outputs(e, pn);
    if (pn->k.ws_bytes > 0)
        pn->ws = ec__buf(e, EC_BUF_WS, pn->k.ws_bytes);
    t = kernel_task(e, pn, EC_FORWARD);
    if (!t || e->st)
        return;
    memcpy(t->in, pn->in_buf, sizeof *t->in * (size_t)n->n_in);
    memcpy(t->out, pn->out_buf, sizeof *t->out * (size_t)n->n_out);
    fill_common(e, t);
    touch_task(e, t);
    if (at >= 0 && at < n->n_in && n->n_out && appears_once(t->in, n->n_in, t->in[at]))
        ec__may_take(e, e->g->n_tasks - 1, t->in[at], t->out[0]);
    emit_narrowing(e, pn);
}

static void emit_forward(struct ec_emit *e, struct ec_pnode *pn)
{
    const struct ec_node *n = pn->n;

    if (!pn->live || pn->vanished)
        return;
    if (pn->absorbed) { /* its backward reads what the node before it wrote */
        pn->in_buf[0] = -1;
        pn->out_buf[0] =
            pn->fallback ? plain_copy(e, n->out[0], e->p->wide) : e->g->values[n->out[0]].buf;
        return;
    }
    if (pn->k.view) {
        e->g->values[n->out[0]].buf = plain_copy(e, n->in[0], e->p->compute);
        return;
    }
    forward_kernel(e, pn);
}

/* --- Backward --- */

/* The gradient that comes back to output o, as the kernel wants it. */
static int upstream(struct ec_emit *e, const struct ec_pnode *pn, int o)
{
    int v = pn->d_out_value[o], grad = e->g->values[v].grad, wide;

    if (grad < 0 || !pn->fallback || e->p->compute == e->p->wide)
        return grad;
    wide = ec__buf(e, EC_BUF_GRAD, ec__plain_bytes(e->p, v, e->p->wide));
    ec__emit_convert(e, pn->n->id, EC_GRAD_DATA, v, fmt_of(e, v), grad, plain_in(e->p->wide), wide);
    return wide;
}

static bool needs_conversion(const struct ec_emit *e, const struct ec_pnode *pn, int value)
{
    return pn->fallback && (e->g->values[value].fmt || e->p->compute != e->p->wide);
}

/* The buffer for the gradient of input i. */
static int downstream(struct ec_emit *e, const struct ec_pnode *pn, int i)
{
    int v = pn->n->in[i];

    if (needs_conversion(e, pn, v))
        return ec__buf(e, EC_BUF_GRAD, ec__plain_bytes(e->p, v, e->p->wide));
    if (e->p->g->values[v]->kind == EC_V_PARAM && e->p->compute == e->p->wide)
        return ec__param_grad_begin(e, v);
    return ec__buf(e, EC_BUF_GRAD, ec__emit_bytes(e, v));
}

static void contribute(struct ec_emit *e, const struct ec_pnode *pn, int i, int buf,
                       enum ec_dtype plain)
{
    int v = pn->n->in[i], to;
    bool convert = e->g->values[v].fmt || plain != e->p->compute;

    if (e->st || buf < 0)
        return;
    if (e->p->g->values[v]->kind == EC_V_PARAM && e->g->bufs[buf].pool == EC_POOL_GRAD &&
        e->g->bufs[buf].param == v) {
        ec__param_grad_end(e, pn->n->id, v, buf);
        return;
    }
    if (!convert || !(pn->fallback || pn->k.view)) {
        ec__emit_grad(e, pn->n->id, v, buf);
        return;
    }
    to = ec__buf(e, EC_BUF_GRAD, ec__emit_bytes(e, v));
    ec__emit_convert(e, pn->n->id, EC_GRAD_DATA, v, plain_in(plain), buf, fmt_of(e, v), to);
    ec__emit_grad(e, pn->n->id, v, to);
}

/* No kernel: the gradient of the output is that of the inputs. */
static void pass_gradient(struct ec_emit *e, const struct ec_pnode *pn)
{
    bool same = pn->k.view;
    int i, grad = same ? e->g->values[pn->d_out_value[0]].grad : upstream(e, pn, 0);

    for (i = 0; i < pn->n->n_in && !e->st; i++)
        if (pn->k.want_d_in[i])
            contribute(e, pn, i, grad, same || !pn->fallback ? e->p->compute : e->p->wide);
}

static void fill_backward(struct ec_emit *e, struct ec_task *t, const int *d_out, const int *d_in,
                          const int *d_param)
{
    const struct ec_pnode *pn = t->pn;
    const struct ec_node *n = pn->n;
    int i;

    for (i = 0; i < n->n_in; i++) {
        t->in[i] = pn->k.keep_in[i] ? pn->in_buf[i] : -1;
        t->d_in[i] = d_in ? d_in[i] : -1;
    }
    for (i = 0; i < n->n_out; i++) {
        t->out[i] = pn->k.keep_out[i] ? pn->out_buf[i] : -1;
        t->d_out[i] = d_out[i];
    }
    for (i = 0; i < n->n_param; i++)
        t->d_param[i] = d_param ? d_param[i] : -1;
    fill_common(e, t);
    touch_task(e, t);
}

static bool any(const int *list, int n)
{
    int i;

    for (i = 0; i < n; i++)
        if (list[i] >= 0)
            return true;
    return false;
}

static void backward_kernels(struct ec_emit *e, struct ec_pnode *pn, const int *d_out, int *d_in,
                             int *d_param)
{
    const struct ec_node *n = pn->n;
    bool params = any(d_param, n->n_param), inputs = any(d_in, n->n_in);
    int at = pn->k.d_in_place;
    struct ec_task *t;

    if (pn->k.split_backward && params) {
        t = kernel_task(e, pn, EC_GRAD_WEIGHT);
        if (t && !e->st)
            fill_backward(e, t, d_out, NULL, d_param);
    }
    if (pn->k.split_backward && !inputs)
        return;
    t = kernel_task(e, pn, EC_GRAD_DATA);
    if (!t || e->st)
        return;
    fill_backward(e, t, d_out, d_in, pn->k.split_backward ? NULL : d_param);
    if (at >= 0 && at < n->n_in && d_in[at] >= 0 && appears_once(d_out, n->n_out, d_out[0]))
        ec__may_take(e, e->g->n_tasks - 1, d_out[0], d_in[at]);
}

static void emit_backward(struct ec_emit *e, struct ec_pnode *pn)
{
    const struct ec_node *n = pn->n;
    int *d_out, *d_in, *d_param, i;

    if (!pn->live || !pn->backward || pn->vanished || e->st)
        return;
    if (pn->k.view || pn->k.d_out_is_d_in) {
        pass_gradient(e, pn);
        return;
    }
    d_out = ints(e, n->n_out);
    d_in = ints(e, n->n_in);
    d_param = ints(e, n->n_param);
    for (i = 0; i < n->n_out && !e->st; i++)
        d_out[i] = upstream(e, pn, i);
    for (i = 0; i < n->n_in && !e->st; i++)
        d_in[i] = pn->k.want_d_in[i] ? downstream(e, pn, i) : -1;
    for (i = 0; i < n->n_param && !e->st; i++)
        d_param[i] = pn->k.want_d_param[i] ? ec__param_grad_begin(e, n->param[i]) : -1;
    if (e->st)
        return;
    backward_kernels(e, pn, d_out, d_in, d_param);
    for (i = 0; i < n->n_param && !e->st; i++)
        ec__param_grad_end(e, n->id, n->param[i], d_param[i]);
    for (i = 0; i < n->n_in && !e->st; i++)
        contribute(e, pn, i, d_in[i], pn->fallback ? e->p->wide : e->p->compute);
}

/* --- Loss, outputs --- */

/* Outputs, and gradients of inputs, stay to be read at the end of the step. */
static void touch_outputs(struct ec_emit *e)
{
    int i;

    for (i = 0; i < e->p->g->n_inputs; i++)
        ec__touch(e, e->g->values[e->p->g->inputs[i]].grad);
    for (i = 0; i < e->p->g->n_outputs; i++)
        ec__touch(e, e->g->values[e->p->g->outputs[i]].buf);
}

static void emit_given(struct ec_emit *e)
{
    int i;

    for (i = 0; i < e->p->g->n_outputs && !e->st; i++) {
        int v = e->p->g->outputs[i], buf, to;
        const struct ec_pio *io = &e->p->d_out_io[i];

        if (!e->g->values[v].has_grad)
            continue;
        buf = ec__buf_at(e, EC_POOL_IO, -1, io->offset, io->bytes);
        to = buf;
        if (e->g->values[v].fmt || e->p->compute != e->p->wide) {
            to = ec__buf(e, EC_BUF_GRAD, ec__emit_bytes(e, v));
            ec__emit_convert(e, EC_STEP_LOSS, EC_GRAD_DATA, v, plain_in(e->p->wide), buf,
                             fmt_of(e, v), to);
        }
        ec__emit_grad(e, EC_STEP_LOSS, v, to);
    }
}

static void emit_loss(struct ec_emit *e, int output)
{
    int v = e->p->g->outputs[output], y, d_y = -1, to;
    bool back = e->g->backward && e->g->values[v].has_grad;
    struct ec_task *t;

    y = plain_copy(e, v, e->p->wide);
    if (back)
        d_y = ec__buf(e, EC_BUF_GRAD, ec__plain_bytes(e->p, v, e->p->wide));
    ec__touch(e, y);
    ec__touch(e, d_y);
    t = ec__task(e, EC_TASK_LOSS, EC_STEP_LOSS, EC_FORWARD, "loss");
    if (!output)
        e->g->n_forward = e->g->n_tasks;
    if (!t)
        return;
    t->output = output;
    t->weight = ec__loss_weight(e->p, output);
    t->src = y;
    t->dst = d_y;
    if (!back)
        return;
    to = d_y;
    if (e->g->values[v].fmt || e->p->compute != e->p->wide) {
        to = ec__buf(e, EC_BUF_GRAD, ec__emit_bytes(e, v));
        ec__emit_convert(e, EC_STEP_LOSS, EC_GRAD_DATA, v, plain_in(e->p->wide), d_y, fmt_of(e, v),
                         to);
    }
    ec__emit_grad(e, EC_STEP_LOSS, v, to);
}

/* Evaluation asks only for the first; others are there for their gradients. */
static void emit_losses(struct ec_emit *e)
{
    int i;

    emit_loss(e, 0);
    for (i = 1; i < e->p->g->n_outputs; i++)
        if (e->g->backward && ec__loss_weight(e->p, i) > 0 &&
            e->g->values[e->p->g->outputs[i]].has_grad)
            emit_loss(e, i);
}

/* Memory of a parameter in its format; known once kernels are prepared. */
static void size_params(struct ec_program *p)
{
    int i;

    for (i = 0; i < p->g->n_values; i++) {
        struct ec_pparam *q = &p->params[i];

        q->n_grads = 0;
        q->grad_done = -1;
        if (q->used)
            q->bytes = q->fmt ? q->fmt->bytes : q->plain.bytes;
    }
}

enum ec_status ec__program_emit(struct ec_program *p, struct ec_variant *g, struct ec_err *err)
{
    struct ec_emit e = { p, g, err, EC_OK };
    int i;

    if (g == &p->train)
        size_params(p);
    emit_sources(&e);
    for (i = 0; i < p->g->n_nodes && !e.st; i++)
        emit_forward(&e, &g->nodes[i]);
    g->n_forward = g->n_tasks;
    if (p->opts.with_loss && p->g->n_outputs)
        emit_losses(&e);
    else if (g->backward)
        emit_given(&e);
    for (i = p->g->n_nodes - 1; g->backward && i >= 0 && !e.st; i--)
        emit_backward(&e, &g->nodes[i]);
    if (g->backward && p->opts.cond.mode == EC_MODE_TRAINING_STEP && !p->opts.accumulate &&
        !p->opts.separate_update)
        (void)ec__task(&e, EC_TASK_UPDATE, EC_STEP_OPTIMIZER, EC_UPDATE, "update");
    touch_outputs(&e);
    return e.st;
}
