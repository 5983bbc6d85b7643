/* The fake device. Its law of time is in sim.h. */
#include "engine/sim/sim.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "hw/hw.h"

#include "sim_fields.h"

#define NS_PER_S 1e9

struct block {
    void *p;
    int64_t bytes;
};

struct sim {
    struct ec_ctx ctx;
    struct ec_arena arena;
    struct sim_opts o;
    const struct ec_device *device;
    double peak, peak_bf16, bandwidth, memory; /* FLOP/s, FLOP/s, bytes/s, bytes */
    double host_ns, device_ns;                 /* the two clocks */
    struct ec_rng rng;
    struct block *blocks;
    int n_blocks, cap_blocks;
    double used_bytes;
};

static struct sim *sim_of(struct ec_ctx *ctx)
{
    return (struct sim *)ctx;
}

/* --- Opening --- */

static enum ec_status set_option(struct sim *s, struct ec_span word, struct ec_err *err)
{
    const struct ec_field *f;
    struct ec_span key, value = word;

    if (!memchr(word.p, '=', word.len))
        return ec_fail(err, EC_E_INPUT, "sim: found \"%.*s\", expected name=value", (int)word.len,
                       word.p);
    (void)ec_span_cut(&value, '=', &key);
    f = ec_field_find(sim_fields, key);
    if (!f)
        return ec_fail(err, EC_E_INPUT, "sim: no option \"%.*s\"", (int)key.len, key.p);
    if (!value.p)
        value = (struct ec_span){ "", 0 };
    return ec_field_set(f, &s->o, value, &s->arena, err);
}

static const struct ec_device *first_gpu(void)
{
    int n, i;
    const struct ec_device *const *all = ec_devices(&n);

    for (i = 0; i < n - 1; i++)
        if (all[i]->kind == EC_DEV_GPU && all[i]->fp32_flop_per_s.src &&
            all[i]->memory_bytes_per_s.src && all[i]->memory_bytes.src)
            break;
    return all[i];
}

static enum ec_status find_device(struct sim *s, const char *text, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text ? text : ""), word = { "", 0 };
    const char *name;

    (void)ec_span_cut(&rest, ',', &word);
    if (word.len && !memchr(word.p, '=', word.len)) {
        name = ec_arena_strn(&s->arena, word.p, word.len);
        EC_PASS(ec_allocated(name, err));
        EC_PASS(ec_device_find(name, &s->device, err));
    } else {
        s->device = first_gpu();
        if (word.len)
            EC_PASS(set_option(s, word, err));
    }
    while (rest.p && ec_span_cut(&rest, ',', &word))
        EC_PASS(set_option(s, word, err));
    return EC_OK;
}

static enum ec_status take_numbers(struct sim *s, struct ec_err *err)
{
    const struct ec_device *d = s->device;

    if (!d->fp32_flop_per_s.src || !d->memory_bytes_per_s.src)
        return ec_fail(err, EC_E_NO_DEVICE, "sim: %s of device %s is not known",
                       d->fp32_flop_per_s.src ? "memory bandwidth" : "FP32 rate", d->key);
    s->peak = d->fp32_flop_per_s.value;
    s->peak_bf16 = d->bf16_tensor_flop_per_s.src ? d->bf16_tensor_flop_per_s.value : s->peak;
    s->bandwidth = d->memory_bytes_per_s.value;
    s->memory = s->o.memory_bytes > 0 ? s->o.memory_bytes
                : d->memory_bytes.src ? ec_device_usable_bytes(d)
                                      : (double)INFINITY;
    return EC_OK;
}

static void sim_close(struct ec_ctx *ctx)
{
    struct sim *s = sim_of(ctx);
    int i;

    for (i = 0; i < s->n_blocks; i++)
        (void)munmap(s->blocks[i].p, (size_t)s->blocks[i].bytes);
    ec_free(s->blocks);
    ec_arena_clear(&s->arena);
    ec_free(s);
}

static enum ec_status sim_open(const struct ec_engine_opts *opts, struct ec_ctx **ret,
                               struct ec_err *err)
{
    struct sim *s = ec_alloc(sizeof *s);
    enum ec_status st;

    EC_TRY(ec_allocated(s, err));
    s->ctx.backend = &ec_backend_sim;
    s->ctx.threads = 1;
    s->ctx.seed = opts->seed;
    ec_rng_seed(&s->rng, opts->seed);
    EC_TRY(ec_fields_default(sim_fields, &s->o, &s->arena, err));
    EC_TRY(find_device(s, opts->sim, err));
    EC_TRY(take_numbers(s, err));
    *ret = &s->ctx;
    s = NULL;
out:
    if (s)
        sim_close(&s->ctx);
    return st;
}

static const char *sim_library(struct ec_ctx *ctx)
{
    return sim_of(ctx)->device->key;
}

/* --- Time --- */

static double noise_of(struct sim *s)
{
    double u, v;

    if (s->o.noise <= 0)
        return 1;
    u = 1 - ec_rng_unit(&s->rng); /* (0, 1] */
    v = ec_rng_unit(&s->rng);
    return exp(s->o.noise * sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v));
}

static double slowness(const struct sim *s, double start_ns)
{
    double t = start_ns / NS_PER_S, slow = 1 + s->o.drift_per_s * t;

    if (s->o.throttle_at_s > 0 && t >= s->o.throttle_at_s)
        slow += s->o.throttle_frac;
    return slow > 0 ? slow : 0;
}

static void enqueue(struct sim *s, double launches, double flop, double peak, double bytes)
{
    double start, work = fmax(flop / peak, bytes / s->bandwidth) * NS_PER_S;

    s->host_ns += launches * s->o.host_ns;
    start = fmax(s->device_ns, s->host_ns);
    s->device_ns = start + noise_of(s) * slowness(s, start) * (launches * s->o.launch_ns + work);
}

static void enqueue_bytes(struct ec_ctx *ctx, double flop, double bytes)
{
    struct sim *s = sim_of(ctx);

    enqueue(s, 1, flop, s->peak, bytes);
}

static void wait_for_device(struct sim *s)
{
    s->host_ns = fmax(s->host_ns, s->device_ns);
}

static void copy(struct sim *s, int64_t bytes)
{
    wait_for_device(s);
    s->host_ns += EC_SIM_COPY_NS + (double)bytes / EC_SIM_LINK_BYTES_PER_S * NS_PER_S;
    s->device_ns = s->host_ns;
}

static enum ec_status sim_sync(struct ec_ctx *ctx, struct ec_err *err)
{
    (void)err;
    wait_for_device(sim_of(ctx));
    return EC_OK;
}

static int64_t sim_now_ns(struct ec_ctx *ctx)
{
    struct sim *s = sim_of(ctx);

    return (int64_t)fmax(s->host_ns, s->device_ns);
}

/* --- Operators --- */

static bool is_wanted(const struct ec_knode *k, const struct ec_kernel *w)
{
    return w->for_input == 0 || k->want_d_in[w->for_input - 1];
}

static void enqueue_phase(struct sim *s, const struct ec_knode *k, enum ec_phase p)
{
    double elem = k->compute == EC_DT_bf16 ? 2 : 4;
    struct ec_work w = { 0 };
    int i;

    if (p == EC_FORWARD && !k->training && k->c->op->infer)
        k->c->op->infer(k->c, &w);
    else
        k->c->op->work(k->c, p, &w);
    for (i = 0; i < w.n; i++) {
        const struct ec_kernel *x = &w.kernel[i];
        bool matrix = k->compute == EC_DT_bf16 && x->flags & EC_KF_MATRIX;
        double elems = x->read_elems + x->write_elems + x->weight_elems;

        if (is_wanted(k, x))
            enqueue(s, x->launches, x->flop, matrix ? s->peak_bf16 : s->peak,
                    elems * elem + x->fixed_bytes);
    }
}

static bool is_refused(const struct sim *s, const char *op)
{
    return ec_is_among(op, ec_span_of(s->o.unsupported), '+');
}

static int64_t elems(const struct ec_type *t)
{
    int64_t n = 0;

    (void)ec_shape_count(&t->shape, &n);
    return n;
}

/* Weights and data apart, unless kernels of GRAD_DATA are needed by the weights too. */
static bool splits(const struct ec_case *c)
{
    struct ec_work data = { 0 }, weight = { 0 };
    int i;

    c->op->work(c, EC_GRAD_DATA, &data);
    c->op->work(c, EC_GRAD_WEIGHT, &weight);
    for (i = 0; i < data.n; i++)
        if (data.kernel[i].for_input == 0)
            return false;
    return weight.n > 0;
}

/* What costs nothing forward is its input under another shape, when there are as many elements. */
static bool is_view(const struct ec_knode *k)
{
    const struct ec_case *c = k->c;
    struct ec_work w = { 0 };

    if (!k->training && c->op->infer)
        c->op->infer(c, &w);
    else
        c->op->work(c, EC_FORWARD, &w);
    return w.n == 0 && c->n_out == 1 && k->n_param == 0 && c->in[0]->dtype == c->out[0]->dtype &&
           elems(c->in[0]) == elems(c->out[0]);
}

/* A gradient that needs no kernel is the output's own. */
static bool passes(const struct ec_knode *k)
{
    const struct ec_case *c = k->c;
    struct ec_work w = { 0 };
    int i;

    c->op->work(c, EC_GRAD_DATA, &w);
    for (i = 0; i < w.n; i++)
        if (is_wanted(k, &w.kernel[i]))
            return false;
    for (i = 0; i < c->n_in; i++)
        if (k->want_d_in[i] && !ec_shape_eq(&c->in[i]->shape, &c->out[0]->shape))
            return false;
    return c->n_out == 1 && k->n_param == 0 && !(c->op->flags & EC_OPF_NO_GRAD);
}

static void keep(struct ec_knode *k)
{
    double elem = k->compute == EC_DT_bf16 ? 2 : 4;
    struct ec_saved saved = { 0 };
    int i;

    k->c->op->saved(k->c, &saved);
    for (i = 0; i < k->c->n_in; i++)
        k->keep_in[i] = saved.in_mask >> 31 || (i < 31 && saved.in_mask & 1u << i);
    for (i = 0; i < k->c->n_out && i < 32; i++)
        k->keep_out[i] = saved.out_mask & 1u << i;
    k->ws_bytes = (int64_t)(saved.extra_bytes + saved.extra_elems * elem);
}

static enum ec_status sim_prepare(struct ec_ctx *ctx, struct ec_knode *k, struct ec_err *err)
{
    struct sim *s = sim_of(ctx);

    if (is_refused(s, k->c->op->name))
        return ec_fail(err, EC_E_UNSUPPORTED, "sim is set to refuse %s", k->c->op->name);
    k->impl = "sim";
    k->view = is_view(k);
    k->d_out_is_d_in = passes(k);
    k->split_backward = splits(k->c);
    if (ec_knode_wants(k))
        keep(k);
    return EC_OK;
}

static enum ec_status sim_run(struct ec_ctx *ctx, const struct ec_knode *k, enum ec_phase p,
                              const struct ec_kargs *a, struct ec_err *err)
{
    (void)a;
    (void)err;
    enqueue_phase(sim_of(ctx), k, p);
    if (p == EC_GRAD_DATA && !k->split_backward)
        enqueue_phase(sim_of(ctx), k, EC_GRAD_WEIGHT);
    return EC_OK;
}

static const struct ec_kernel_row rows[] = {
    {"*",   0, NULL, sim_prepare, sim_run, NULL},
    { NULL, 0, NULL, NULL,        NULL,    NULL},
};

/* --- Flat arithmetic: bytes read and written once each --- */

static void flat_zero(struct ec_ctx *ctx, void *x, int64_t bytes)
{
    (void)x;
    enqueue_bytes(ctx, 0, (double)bytes);
}

static void flat_copy(struct ec_ctx *ctx, void *to, const void *from, int64_t bytes)
{
    (void)to;
    (void)from;
    enqueue_bytes(ctx, 0, 2 * (double)bytes);
}

static void flat_add(struct ec_ctx *ctx, enum ec_dtype t, void *acc, const void *x, int64_t n)
{
    (void)acc;
    (void)x;
    enqueue_bytes(ctx, (double)n, 3 * (double)n * (double)ec_dtype_bytes(t));
}

/* The host waits for the number. */
static double flat_norm2(struct ec_ctx *ctx, enum ec_dtype t, const void *x, int64_t n)
{
    (void)x;
    enqueue_bytes(ctx, 2 * (double)n, (double)n * (double)ec_dtype_bytes(t));
    wait_for_device(sim_of(ctx));
    return 0;
}

static void flat_update(struct ec_ctx *ctx, enum ec_dtype t, const struct ec_update *u, void *param,
                        const void *grad, void *const *state, int64_t n)
{
    (void)param;
    (void)grad;
    (void)state;
    enqueue_bytes(ctx, (double)n,
                  ec_optimizer_tensors(u->optimizer) * (double)n * (double)ec_dtype_bytes(t));
}

/* Scores read, their gradient written; the result is all zeros. */
static enum ec_status flat_loss(struct ec_ctx *ctx, enum ec_dtype t, const struct ec_loss_job *job,
                                struct ec_err *err)
{
    double n = (double)job->rows * (double)job->cols;

    (void)err;
    enqueue_bytes(ctx, 5 * n, (job->d_y ? 2 : 1) * n * (double)ec_dtype_bytes(t));
    if (job->ret_loss)
        *job->ret_loss = 0;
    if (job->ret_correct)
        *job->ret_correct = 0;
    if (job->ret_counted)
        *job->ret_counted = job->rows;
    return EC_OK;
}

static const struct ec_flat sim_flat = {
    .zero = flat_zero,
    .add = flat_add,
    .norm2 = flat_norm2,
    .update = flat_update,
    .loss = flat_loss,
    .copy = flat_copy,
};

static enum ec_status sim_reorder(struct ec_ctx *ctx, const struct ec_type *type,
                                  const struct ec_fmt *from, const void *src,
                                  const struct ec_fmt *to, void *dst, struct ec_err *err)
{
    double n = (double)elems(type);
    double a = (double)ec_dtype_bytes(from ? from->dtype : EC_DT_f32);
    double b = (double)ec_dtype_bytes(to ? to->dtype : EC_DT_f32);

    (void)src;
    (void)dst;
    (void)err;
    enqueue_bytes(ctx, 0, n * (a + b));
    return EC_OK;
}

/* --- Memory: addresses without pages behind them, so that whoever touches them falls --- */

static enum ec_status sim_alloc(struct ec_ctx *ctx, int64_t bytes, void **ret, struct ec_err *err)
{
    struct sim *s = sim_of(ctx);
    char want[32], used[32], have[32];
    void *p;

    if (s->used_bytes + (double)bytes > s->memory)
        return ec_fail(err, EC_E_DEVICE_MEMORY, "%s wanted, %s of %s on device %s are taken",
                       ec_fmt_bytes(want, sizeof want, (double)bytes),
                       ec_fmt_bytes(used, sizeof used, s->used_bytes),
                       ec_fmt_bytes(have, sizeof have, s->memory), s->device->key);
    EC_PASS(ec_grow(&s->blocks, &s->cap_blocks, s->n_blocks + 1, sizeof *s->blocks, err));
    p = mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return ec_nomem(err);
    s->blocks[s->n_blocks++] = (struct block){ p, bytes };
    s->used_bytes += (double)bytes;
    *ret = p;
    return EC_OK;
}

static void sim_free(struct ec_ctx *ctx, void *p)
{
    struct sim *s = sim_of(ctx);
    int i;

    for (i = 0; i < s->n_blocks; i++) {
        if (s->blocks[i].p != p)
            continue;
        (void)munmap(p, (size_t)s->blocks[i].bytes);
        s->used_bytes -= (double)s->blocks[i].bytes;
        s->blocks[i] = s->blocks[--s->n_blocks];
        return;
    }
}

static enum ec_status sim_upload(struct ec_ctx *ctx, void *dst, const void *src, int64_t bytes,
                                 struct ec_err *err)
{
    (void)dst;
    (void)src;
    (void)err;
    copy(sim_of(ctx), bytes);
    return EC_OK;
}

static enum ec_status sim_download(struct ec_ctx *ctx, void *dst, const void *src, int64_t bytes,
                                   struct ec_err *err)
{
    (void)src;
    (void)err;
    memset(dst, 0, (size_t)bytes);
    copy(sim_of(ctx), bytes);
    return EC_OK;
}

const struct ec_backend ec_backend_sim = {
    .name = "sim",
    .help = "a fake device with a known law of time; computes nothing",
    .abi = EC_BACKEND_ABI,
    .flags = EC_BACKEND_FAKE | EC_BACKEND_DEVICE | EC_BACKEND_BF16,
    .open = sim_open,
    .close = sim_close,
    .rows = rows,
    .reorder = sim_reorder,
    .flat = &sim_flat,
    .mem_alloc = sim_alloc,
    .mem_free = sim_free,
    .upload = sim_upload,
    .download = sim_download,
    .sync = sim_sync,
    .now_ns = sim_now_ns,
    .library = sim_library,
};
