/* Programs: compiled from a graph once, then walked step after step. */
#include "engine/program_internal.h"

#include <string.h>

static enum ec_status check_opts(const struct ec_program *p, struct ec_err *err)
{
    const struct ec_backend *b = p->b;

    if (b->abi != EC_BACKEND_ABI)
        return ec_fail(err, EC_E_BACKEND, "backend %s speaks version %d, expected %d", b->name,
                       b->abi, EC_BACKEND_ABI);
    if (p->opts.cond.precision != EC_FP32 && p->opts.cond.precision != EC_BF16)
        return ec_fail(err, EC_E_UNSUPPORTED, "precision %s: training runs in fp32 or bf16",
                       ec_precision_names[p->opts.cond.precision]);
    if (p->opts.cond.precision == EC_BF16 && !(b->flags & EC_BACKEND_BF16))
        return ec_fail(err, EC_E_UNSUPPORTED, "backend %s does not compute in bf16", b->name);
    if (!p->g->n_outputs)
        return ec_fail(err, EC_E_INPUT, "network \"%.80s\" has no output", p->g->name);
    if (p->opts.with_loss && !ec_dtype_is_float(p->g->values[p->g->outputs[0]]->type.dtype))
        return ec_fail(err, EC_E_INPUT, "output \"%.80s\" is %s: a loss wants floating point",
                       p->g->values[p->g->outputs[0]]->name,
                       ec_dtype_name(p->g->values[p->g->outputs[0]]->type.dtype));
    return EC_OK;
}

/* Places of inputs, constants, targets and gradients from outside. */
static enum ec_status place_io(struct ec_program *p, struct ec_err *err)
{
    const struct ec_graph *g = p->g;
    int64_t n;
    int i;

    for (i = 0; i < g->n_values; i++) {
        struct ec_pio *io = &p->value_io[i];
        enum ec_value_kind kind = g->values[i]->kind;

        if (!ec_shape_count(&g->values[i]->type.shape, &n) || n > INT64_MAX / 64)
            return ec_fail(err, EC_E_SHAPE, "\"%.80s\" is too large", g->values[i]->name);
        if (kind != EC_V_INPUT && kind != EC_V_CONST)
            continue;
        io->bytes = ec__plain_bytes(p, i, ec__value_dtype(p, i, p->compute));
        io->offset = p->io_bytes;
        p->io_bytes += ec__align(io->bytes);
    }
    for (i = 0; i < g->n_outputs && !p->opts.with_loss && p->train.backward; i++) {
        p->d_out_io[i].bytes = ec__plain_bytes(p, g->outputs[i], p->wide);
        p->d_out_io[i].offset = p->io_bytes;
        p->io_bytes += ec__align(p->d_out_io[i].bytes);
    }
    if (p->opts.with_loss) {
        struct ec_loss_job job = { 0 };

        ec__loss_shape(p, &job);
        p->target_io.bytes = ec_loss_target(p->opts.loss) == EC_TARGET_CLASS
                                 ? job.rows * (int64_t)sizeof(int64_t)
                                 : job.rows * job.cols * (int64_t)sizeof(float);
        p->target_io.offset = p->io_bytes;
        p->io_bytes += ec__align(p->target_io.bytes);
    }
    return EC_OK;
}

static enum ec_status compile(struct ec_program *p, struct ec_variant *g, struct ec_err *err)
{
    int64_t before = ec_resident_bytes(), grown;

    EC_PASS(ec__program_flow(p, g, err));
    EC_PASS(ec__program_prepare(p, g, err));
    EC_PASS(ec__program_emit(p, g, err));
    EC_PASS(ec__program_place(p, g, err));
    grown = ec_resident_bytes() - before;
    p->library_bytes += grown > 0 ? grown : 0;
    return EC_OK;
}

/* Addresses beside the network's own once it runs: the stack of each thread, and what libraries and
 * loaders take in small pieces, which end the program where they get none. */
#define SPARE_BYTES ((int64_t)16 << 20)
#define STACK_BYTES ((int64_t)8 << 20)

/* What is too large is refused here, rather than ended by the system when its pages are touched. */
static enum ec_status check_headroom(const struct ec_program *p, struct ec_err *err)
{
    struct ec_program_memory m;

    if (p->b->mem_alloc)
        return EC_OK;
    ec_program_memory(p, &m);
    EC_PASS(ec_headroom_check("the network", m.total, err));
    return ec_headroom_spare("the network with its threads",
                             m.total + SPARE_BYTES + p->ctx->threads * STACK_BYTES, err);
}

static enum ec_status allocate(struct ec_program *p, struct ec_err *err)
{
    void *arena;
    int i;

    EC_PASS(ec__program_alloc(p, p->param_bytes, &p->param_mem, err));
    if (p->train.backward)
        EC_PASS(ec__program_alloc(p, p->learn_bytes, &p->grad_mem, err));
    for (i = 0; i < p->n_states; i++)
        EC_PASS(ec__program_alloc(p, p->learn_bytes, &p->state_mem[i], err));
    EC_PASS(ec__program_alloc(p, p->io_bytes, &p->io_mem, err));
    EC_PASS(ec__program_alloc(p, p->train.arena_bytes, &arena, err));
    p->train.arena = arena;
    return EC_OK;
}

/* Layers that work otherwise when they only evaluate say so by a rule of their own. */
static bool eval_differs(const struct ec_graph *g)
{
    int i;

    for (i = 0; i < g->n_nodes; i++)
        if (g->nodes[i]->op->infer)
            return true;
    return false;
}

static enum ec_status program_start(struct ec_program *p, struct ec_err *err)
{
    size_t n = (size_t)p->g->n_values + 1;
    bool f64 = !strcmp(p->b->name, "ref64");

    if (p->opts.cond.optimizer >= EC_OPT_adamw_8bit) /* the first behind its own list */
        return ec_fail(err, EC_E_UNSUPPORTED, "the engine does not train with %s",
                       ec_optimizer_names[p->opts.cond.optimizer]);
    p->wide = f64 ? EC_DT_f64 : EC_DT_f32;
    p->compute = f64 ? EC_DT_f64 : ec_engine_dtype(p->opts.cond.precision);
    p->train.training = p->train.backward = p->opts.cond.mode != EC_MODE_FORWARD;
    p->eval_differs = p->train.training && eval_differs(p->g);
    p->last = &p->train;
    if (p->opts.cond.mode == EC_MODE_TRAINING_STEP)
        p->n_states = (int)ec_optimizer_states(p->opts.cond.optimizer);
    p->params = ec_arena_alloc(&p->mem, sizeof *p->params * n);
    p->value_io = ec_arena_alloc(&p->mem, sizeof *p->value_io * n);
    p->d_out_io = ec_arena_alloc(&p->mem, sizeof *p->d_out_io * ((size_t)p->g->n_outputs + 1));
    return ec_allocated(p->params && p->value_io && p->d_out_io, err);
}

enum ec_status ec_program_new(struct ec_ctx *ctx, const struct ec_graph *g,
                              const struct ec_program_opts *opts, struct ec_program **ret,
                              struct ec_err *err)
{
    struct ec_program *p = ec_alloc(sizeof *p);
    enum ec_status st;

    EC_TRY(ec_allocated(p, err));
    p->ctx = ctx;
    p->b = ctx->backend;
    p->g = g;
    p->opts = *opts;
    EC_TRY(check_opts(p, err));
    EC_TRY(program_start(p, err));
    EC_TRY(place_io(p, err));
    EC_TRY(compile(p, &p->train, err));
    EC_TRY(ec__program_layout(p, err));
    if (!opts->compile_only) {
        EC_TRY(check_headroom(p, err));
        EC_TRY(allocate(p, err));
        EC_TRY(ec__program_resolve(p, &p->train, err));
        EC_TRY(ec_program_init(p, ctx->seed, err));
    }
    *ret = p;
    p = NULL;
out:
    ec_program_free(p);
    return st;
}

static void variant_clear(struct ec_program *p, struct ec_variant *g)
{
    ec__program_drop(p, g);
    ec_free(g->bufs);
    ec_free(g->tasks);
    ec_free(g->inplace);
}

void ec_program_free(struct ec_program *p)
{
    int i;

    if (!p)
        return;
    if (p->n_raw && p->b->sync)
        (void)p->b->sync(p->ctx, NULL);
    variant_clear(p, &p->train);
    variant_clear(p, &p->eval);
    for (i = 0; i < p->n_raw; i++) {
        if (p->b->mem_free)
            p->b->mem_free(p->ctx, p->raw[i]);
        else
            ec_free(p->raw[i]);
    }
    ec_arena_clear(&p->mem);
    ec_free(p);
}

/* Evaluation shares the arena of training: nothing in it is needed between two steps. */
static enum ec_status compile_eval(struct ec_program *p, struct ec_err *err)
{
    enum ec_status st;
    void *arena = p->train.arena;

    EC_TRY(compile(p, &p->eval, err));
    if (p->opts.keep_all || p->eval.arena_bytes > p->train.arena_bytes)
        EC_TRY(ec__program_alloc(p, p->eval.arena_bytes, &arena, err));
    p->eval.arena = arena;
    EC_TRY(ec__program_resolve(p, &p->eval, err));
    p->has_eval = true;
out:
    if (st)
        variant_clear(p, &p->eval);
    if (st)
        memset(&p->eval, 0, sizeof p->eval);
    return st;
}

enum ec_status ec__program_eval_variant(struct ec_program *p, struct ec_variant **ret,
                                        struct ec_err *err)
{
    *ret = &p->train;
    if (!p->eval_differs)
        return EC_OK;
    if (!p->has_eval)
        EC_PASS(compile_eval(p, err));
    *ret = &p->eval;
    return EC_OK;
}

int ec_program_tasks(const struct ec_program *p)
{
    return p->train.n_tasks;
}

struct ec_task_info ec_program_task(const struct ec_program *p, int i)
{
    const struct ec_task *t = &p->train.tasks[i];
    struct ec_task_info info = { t->node, t->phase, t->name, p->b->name };

    if (t->kind == EC_TASK_KERNEL && t->pn->k.impl)
        info.impl = t->pn->k.impl;
    return info;
}

void ec_program_memory(const struct ec_program *p, struct ec_program_memory *ret)
{
    const struct ec_variant *g = &p->train;

    memset(ret, 0, sizeof *ret);
    ret->weights = p->weight_bytes;
    ret->buffers = p->stat_bytes;
    ret->gradients = g->backward ? p->learn_bytes : 0;
    ret->optimizer = p->n_states * p->learn_bytes;
    ret->arena = g->arena_bytes;
    if (p->has_eval && p->eval.arena != g->arena)
        ret->arena += p->eval.arena_bytes;
    ret->values = g->kind_bytes[EC_BUF_VALUE];
    ret->value_gradients = g->kind_bytes[EC_BUF_GRAD];
    ret->workspace = g->kind_bytes[EC_BUF_WS];
    ret->scratch = g->kind_bytes[EC_BUF_SCRATCH];
    ret->io = p->io_bytes;
    ret->library = p->library_bytes;
    ret->total =
        ret->weights + ret->buffers + ret->gradients + ret->optimizer + ret->arena + ret->io;
}
