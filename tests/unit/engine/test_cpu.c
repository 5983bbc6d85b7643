/* Kernels of the cpu backend, one by one, against ref64: random data in random layouts, forward and
 * all gradients. */
#include "leaks.h"
#include "test.h"

#include "engine/backend.h"
#include "engine/cpu/cpu_internal.h"
#include "op/op.h"

#define MAX_VALUES 8

/* One node on one backend. */
struct node {
    struct ec_ctx *ctx;
    struct ec_arena arena;
    const struct ec_kernel_row *row;
    struct ec_knode k;
    const struct ec_type *param_type[EC_PARAM_MAX];
    struct ec_type param_types[EC_PARAM_MAX];
    bool trainable[EC_PARAM_MAX], want_in[MAX_VALUES], want_param[EC_PARAM_MAX], has_d[MAX_VALUES];
    bool keep_in[MAX_VALUES], keep_out[MAX_VALUES];
    const struct ec_fmt *in_fmt[MAX_VALUES], *out_fmt[MAX_VALUES], *param_fmt[EC_PARAM_MAX];
    void *in[MAX_VALUES], *out[MAX_VALUES], *d_out[MAX_VALUES], *d_in[MAX_VALUES];
    void *param[EC_PARAM_MAX], *d_param[EC_PARAM_MAX], *ws, *scratch;
    int64_t fail_after, left; /* which allocation of the kernel fails; 0: none */
};

/* What goes in and comes out, plain, in double. */
struct data {
    double *in[MAX_VALUES], *out[MAX_VALUES], *d_out[MAX_VALUES], *d_in[MAX_VALUES];
    double *param[EC_PARAM_MAX], *d_param[EC_PARAM_MAX];
};

static struct ec_ctx *open_backend(const char *name, int threads)
{
    struct ec_engine_opts opts = { .backend = name, .threads = threads, .seed = 1 };
    struct ec_ctx *ctx = NULL;
    struct ec_err err = { 0 };

    if (ec_engine_open(&opts, &ctx, &err))
        printf("skipped: %s\n", err.text);
    return ctx;
}

static int64_t elems(const struct ec_type *t)
{
    int64_t n = 0;

    return ec_shape_count(&t->shape, &n) ? n : 0;
}

static void *aligned_bytes(struct node *n, int64_t bytes, int fill)
{
    char *raw = ec_arena_alloc(&n->arena, (size_t)bytes + EC_ENGINE_ALIGN);
    char *p = raw + (EC_ENGINE_ALIGN - (uintptr_t)raw % EC_ENGINE_ALIGN) % EC_ENGINE_ALIGN;

    memset(p, fill, (size_t)bytes);
    return p;
}

static int64_t bytes_of(const struct node *n, const struct ec_type *t, const struct ec_fmt *f,
                        enum ec_dtype plain)
{
    if (!ec_dtype_is_float(t->dtype))
        return elems(t) * ec_dtype_bytes(t->dtype);
    (void)n;
    return f ? f->bytes : elems(t) * ec_dtype_bytes(plain);
}

static void put_ints(const struct ec_type *t, const double *from, void *to)
{
    int64_t i, n = elems(t);

    for (i = 0; i < n; i++)
        if (t->dtype == EC_DT_i64)
            ((int64_t *)to)[i] = (int64_t)from[i];
        else if (t->dtype == EC_DT_i32)
            ((int32_t *)to)[i] = (int32_t)from[i];
        else
            ((unsigned char *)to)[i] = (unsigned char)from[i];
}

/* Plain doubles into a buffer, or out of it. */
static void transfer(struct node *n, const struct ec_type *t, const struct ec_fmt *f,
                     enum ec_dtype plain, double *host, void *buf, bool in)
{
    struct ec_fmt plain_fmt = { .dtype = plain, .bytes = 0 };
    struct ec_err err = { 0 };
    int64_t i, count = elems(t);
    float *tmp;

    if (!ec_dtype_is_float(t->dtype)) {
        put_ints(t, host, buf);
        return;
    }
    if (plain == EC_DT_f64) {
        memcpy(in ? buf : host, in ? (void *)host : buf, (size_t)count * sizeof(double));
        return;
    }
    tmp = ec_alloc((size_t)count * sizeof *tmp + 64);
    for (i = 0; in && i < count; i++)
        tmp[i] = (float)host[i];
    f = f ? f : &plain_fmt;
    if (in)
        CHECK_INT(n->ctx->backend->reorder(n->ctx, t, NULL, tmp, f, buf, &err), EC_OK);
    else
        CHECK_INT(n->ctx->backend->reorder(n->ctx, t, f, buf, NULL, tmp, &err), EC_OK);
    for (i = 0; !in && i < count; i++)
        host[i] = (double)tmp[i];
    ec_free(tmp);
}

static const struct ec_fmt *layout_for(struct node *n, const struct ec_type *t, int which,
                                       enum ec_dtype compute)
{
    struct ec__dnnl *lib = ((struct ec__cpu *)n->ctx)->lib;
    const struct ec__md *md = NULL;
    struct ec__layout *l;
    struct ec_fmt *f;

    if (which == 0 || t->shape.rank < 3 || t->shape.rank > 5 || !ec_dtype_is_float(t->dtype))
        return NULL;
    md = which == 1 ? ec__md_blocked(lib, &n->arena, compute, t->shape.rank, t->shape.d)
                    : ec__md_nhwc(lib, &n->arena, compute, t->shape.rank, t->shape.d);
    l = ec_arena_alloc(&n->arena, sizeof *l);
    f = ec_arena_alloc(&n->arena, sizeof *f);
    l->md = md;
    l->plain = ec__md_strided(lib, &n->arena, compute, t->shape.rank, t->shape.d, NULL);
    *f = (struct ec_fmt){ compute, ec__md_bytes(lib, md), ec__md_is_padded(md), l };
    return ec__md_is_plain(md) ? NULL : f;
}

static enum ec_status prepare_row(struct node *n, struct ec_err *err)
{
    enum ec_status st;

    if (n->row->supports && !n->row->supports(&n->k))
        return EC_E_UNSUPPORTED;
    (void)ec_alloc_fail_after(n->fail_after);
    st = n->row->prepare(n->ctx, &n->k, err);
    n->left = ec_alloc_fail_after(0);
    return st;
}

/* By the first kernel that takes the case. */
static enum ec_status prepare(struct node *n, const struct ec_case *c, bool training,
                              enum ec_dtype compute, int layout, unsigned fuse,
                              const struct ec_case *after, struct ec_err *err)
{
    struct ec_param_list params = { 0 };
    int i;

    if (c->op->params)
        c->op->params(c, &params);
    n->k = (struct ec_knode){ .c = c,
                              .n_param = params.n,
                              .param_type = n->param_type,
                              .compute = compute,
                              .param_dtype = compute == EC_DT_f64 ? EC_DT_f64 : EC_DT_f32,
                              .training = training,
                              .want_d_in = n->want_in,
                              .want_d_param = n->want_param,
                              .has_d_out = n->has_d,
                              .fuse = fuse,
                              .after = after,
                              .threads = n->ctx->threads,
                              .arena = &n->arena,
                              .in_fmt = n->in_fmt,
                              .out_fmt = n->out_fmt,
                              .param_fmt = n->param_fmt,
                              .keep_in = n->keep_in,
                              .keep_out = n->keep_out,
                              .in_place = -1,
                              .d_in_place = -1 };
    for (i = 0; i < params.n; i++) {
        n->param_types[i] = (struct ec_type){ params.p[i].shape, EC_DT_f32 };
        n->param_type[i] = &n->param_types[i];
        n->trainable[i] = n->want_param[i] = params.p[i].trainable;
        n->want_param[i] = n->want_param[i] && training;
    }
    for (i = 0; i < c->n_in; i++) {
        n->want_in[i] = training && ec_dtype_is_float(c->in[i]->dtype);
        n->in_fmt[i] = layout_for(n, c->in[i], layout, compute);
    }
    for (i = 0; i < c->n_out; i++)
        n->has_d[i] = training;
    for (n->row = n->ctx->backend->rows; n->row->op; n->row++)
        if (!strcmp(n->row->op, c->op->name) && (!fuse || n->row->fuses & fuse)) {
            enum ec_status st = prepare_row(n, err);

            if (st != EC_E_UNSUPPORTED)
                return st;
        }
    return EC_E_UNSUPPORTED;
}

static void run(struct node *n, struct data *d)
{
    const struct ec_case *c = n->k.c;
    enum ec_dtype t = n->k.compute, pt = n->k.param_dtype;
    struct ec_kargs a = { (const void *const *)n->in,
                          n->out,
                          (const void *const *)n->d_out,
                          n->d_in,
                          n->param,
                          n->d_param,
                          NULL,
                          NULL,
                          7 };
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < c->n_in; i++) {
        n->in[i] = aligned_bytes(n, bytes_of(n, c->in[i], n->in_fmt[i], t), 0);
        transfer(n, c->in[i], n->in_fmt[i], t, d->in[i], n->in[i], true);
        if (n->want_in[i])
            n->d_in[i] = aligned_bytes(n, bytes_of(n, c->in[i], n->in_fmt[i], t), 0xff);
    }
    for (i = 0; i < c->n_out; i++) {
        n->out[i] = aligned_bytes(n, bytes_of(n, c->out[i], n->out_fmt[i], t), 0xff);
        n->d_out[i] = aligned_bytes(n, bytes_of(n, c->out[i], n->out_fmt[i], t), 0);
        if (n->k.training)
            transfer(n, c->out[i], n->out_fmt[i], t, d->d_out[i], n->d_out[i], true);
    }
    for (i = 0; i < n->k.n_param; i++) {
        n->param[i] = aligned_bytes(n, bytes_of(n, n->param_type[i], n->param_fmt[i], pt), 0);
        transfer(n, n->param_type[i], n->param_fmt[i], pt, d->param[i], n->param[i], true);
        if (n->want_param[i])
            n->d_param[i] =
                aligned_bytes(n, bytes_of(n, n->param_type[i], n->param_fmt[i], pt), 0xff);
    }
    a.ws = aligned_bytes(n, n->k.ws_bytes, 0xff);
    a.scratch = aligned_bytes(n, n->k.scratch_bytes, 0xff);
    if (n->k.view) {
        for (i = 0; i < c->n_out; i++)
            memcpy(n->out[i], n->in[0], (size_t)bytes_of(n, c->out[i], NULL, t));
    } else {
        CHECK_INT(n->row->run(n->ctx, &n->k, EC_FORWARD, &a, &err), EC_OK);
    }
    for (i = 0; i < c->n_out; i++)
        transfer(n, c->out[i], n->out_fmt[i], t, d->out[i], n->out[i], false);
    memset(a.scratch, 0xff, (size_t)n->k.scratch_bytes);
    if (!n->k.training)
        return;
    if (n->k.d_out_is_d_in || n->k.view) {
        for (i = 0; i < c->n_in; i++)
            memcpy(n->d_in[i], n->d_out[0], (size_t)bytes_of(n, c->in[i], n->in_fmt[i], t));
    } else {
        if (n->k.split_backward)
            CHECK_INT(n->row->run(n->ctx, &n->k, EC_GRAD_WEIGHT, &a, &err), EC_OK);
        memset(a.scratch, 0xff, (size_t)n->k.scratch_bytes);
        CHECK_INT(n->row->run(n->ctx, &n->k, EC_GRAD_DATA, &a, &err), EC_OK);
    }
    for (i = 0; i < c->n_in; i++)
        if (n->want_in[i])
            transfer(n, c->in[i], n->in_fmt[i], t, d->d_in[i], n->d_in[i], false);
    for (i = 0; i < n->k.n_param; i++) {
        if (n->want_param[i])
            transfer(n, n->param_type[i], n->param_fmt[i], pt, d->d_param[i], n->d_param[i], false);
        if (!n->trainable[i])
            transfer(n, n->param_type[i], n->param_fmt[i], pt, d->param[i], n->param[i], false);
    }
}

static void drop(struct node *n)
{
    if (n->row && n->row->op && n->row->drop)
        n->row->drop(&n->k);
    ec_arena_clear(&n->arena);
}

static double *doubles(struct ec_arena *a, const struct ec_type *t)
{
    return ec_arena_alloc(a, (size_t)(elems(t) + 1) * sizeof(double));
}

/* Values that bfloat16 holds exactly, so that only arithmetic differs. */
static void fill(struct ec_rng *r, const struct ec_type *t, double *x, double scale, int64_t below)
{
    int64_t i, n = elems(t);

    for (i = 0; i < n; i++)
        x[i] = below ? (double)ec_rng_range(r, 0, below - 1)
                     : scale * (double)ec_rng_range(r, -127, 127) / 64;
}

static void make_data(struct ec_arena *a, const struct node *n, struct data *d, uint64_t seed)
{
    const struct ec_case *c = n->k.c;
    struct ec_rng r;
    int i;

    ec_rng_seed(&r, seed);
    for (i = 0; i < c->n_in; i++) {
        d->in[i] = doubles(a, c->in[i]);
        d->d_in[i] = doubles(a, c->in[i]);
        fill(&r, c->in[i], d->in[i], 1,
             ec_dtype_is_float(c->in[i]->dtype)
                 ? 0
                 : (ec_case_has(c, "num") ? ec_case_int(c, "num") : 2));
    }
    for (i = 0; i < c->n_out; i++) {
        d->out[i] = doubles(a, c->out[i]);
        d->d_out[i] = doubles(a, c->out[i]);
        fill(&r, c->out[i], d->d_out[i], 1, 0);
    }
    for (i = 0; i < n->k.n_param; i++) {
        int64_t j;

        d->param[i] = doubles(a, n->param_type[i]);
        d->d_param[i] = doubles(a, n->param_type[i]);
        fill(&r, n->param_type[i], d->param[i], 0.25, 0);
        for (j = 0; !n->trainable[i] && j < elems(n->param_type[i]); j++)
            d->param[i][j] = 1 + fabs(d->param[i][j]);
    }
}

static struct data copy_of(struct ec_arena *a, const struct node *n, const struct data *d)
{
    struct data x = *d;
    const struct ec_case *c = n->k.c;
    int i;

    for (i = 0; i < c->n_in; i++)
        x.d_in[i] = doubles(a, c->in[i]);
    for (i = 0; i < c->n_out; i++) {
        x.out[i] = doubles(a, c->out[i]);
        x.d_out[i] = doubles(a, c->out[i]);
        memcpy(x.d_out[i], d->d_out[i], (size_t)elems(c->out[i]) * sizeof(double));
    }
    for (i = 0; i < n->k.n_param; i++) {
        x.param[i] = doubles(a, n->param_type[i]);
        memcpy(x.param[i], d->param[i], (size_t)elems(n->param_type[i]) * sizeof(double));
        x.d_param[i] = doubles(a, n->param_type[i]);
    }
    return x;
}

/* Largest difference over the root mean square of what is wanted. */
static void near(const char *text, const char *what, int i, const struct ec_type *t,
                 const double *got, const double *want, double tol)
{
    int64_t j, n = elems(t), worst = 0;
    double scale = 0, far = 0;

    for (j = 0; j < n; j++)
        scale += want[j] * want[j];
    scale = n && scale > 0 ? sqrt(scale / (double)n) : 1;
    for (j = 0; j < n; j++)
        if (!(fabs(got[j] - want[j]) <= far)) {
            far = fabs(got[j] - want[j]);
            worst = j;
            if (!(far == far))
                break;
        }
    if (!(far <= tol * scale))
        test_fail(__FILE__, __LINE__,
                  "%s: %s %d is off by %g of %g (element %lld: %g, expected %g)", text, what, i,
                  far, scale, (long long)worst, got[worst], want[worst]);
}

/* Running statistics as they were. */
static void restore(const struct node *n, struct data *d, const struct data *from)
{
    int i;

    for (i = 0; i < n->k.n_param; i++)
        memcpy(d->param[i], from->param[i], (size_t)elems(n->param_type[i]) * sizeof(double));
}

/* An operator behind the node, and its slope. */
static double behind(const char *name, double z, double *ret_slope)
{
    double e = 1 / (1 + exp(-z)), six = z < -3 ? 0 : z > 3 ? 6 : z + 3;

    *ret_slope = 0;
    if (!strcmp(name, "silu")) {
        *ret_slope = e * (1 + z * (1 - e));
        return z * e;
    }
    if (!strcmp(name, "hard_swish")) {
        *ret_slope = z < -3 ? 0 : z > 3 ? 1 : z / 3 + 0.5;
        return z * six / 6;
    }
    if (z <= 0)
        return 0;
    *ret_slope = strcmp(name, "relu6") || z < 6 ? 1 : 0;
    return *ret_slope > 0 ? z : 6;
}

/* What it lets through to the node. */
static void weaken(struct data *d, const struct ec_case *c, const char *name)
{
    double slope;
    int64_t i;

    for (i = 0; i < elems(c->out[0]); i++) {
        (void)behind(name, d->out[0][i], &slope);
        d->d_out[0][i] *= slope;
    }
}

struct trial {
    const char *text;
    enum ec_dtype compute;
    int layout, threads;
    unsigned fuse;
    const char *after; /* EC_FUSE_ACT: its case */
    bool training;
};

static const char *name_behind(const struct trial *t, const struct ec_case *after)
{
    return t->fuse == EC_FUSE_ACT ? after->op->name : "relu";
}

static void apply_behind(const char *name, double *x, int64_t n)
{
    double slope;
    int64_t i;

    for (i = 0; i < n; i++)
        x[i] = behind(name, x[i], &slope);
}

/* The gradient of what a ReLU before the node read; x is what it wrote. */
static void weaken_before(double *dx, const double *x, int64_t n)
{
    int64_t i;

    for (i = 0; i < n; i++)
        dx[i] = x[i] > 0 ? dx[i] : 0;
}

static void compare(const struct trial *t, const struct node *cpu, const struct data *got,
                    const struct data *want)
{
    const struct ec_case *c = cpu->k.c;
    /* bfloat16 has 8 bits; a layer of attention rounds five times in a row */
    double deep = strstr(t->text, "multi_head") ? 0.1 : 0.04;
    double tol = t->compute == EC_DT_bf16 ? deep : 2e-5;
    char text[200];
    int i;

    snprintf(text, sizeof text, "%s (%s, layout %d, %d threads, %s)", t->text,
             ec_dtype_name(t->compute), t->layout, t->threads, cpu->k.impl ? cpu->k.impl : "-");
    for (i = 0; i < c->n_out; i++) {
        if (t->fuse && t->fuse != EC_FUSE_RELU_BEFORE)
            apply_behind(name_behind(t, cpu->k.after), want->out[i], elems(c->out[i]));
        near(text, "output", i, c->out[i], got->out[i], want->out[i], tol);
    }
    for (i = 0; t->training && i < c->n_in; i++)
        if (cpu->want_in[i])
            near(text, "gradient of input", i, c->in[i], got->d_in[i], want->d_in[i], tol);
    for (i = 0; t->training && i < cpu->k.n_param; i++) {
        if (cpu->want_param[i])
            near(text, "gradient of parameter", i, cpu->param_type[i], got->d_param[i],
                 want->d_param[i], tol);
        if (!cpu->trainable[i])
            near(text, "buffer", i, cpu->param_type[i], got->param[i], want->param[i], tol);
    }
}

/* Without AVX-512 oneDNN has no bfloat16: programs use plain kernels with conversions around them.
 */
static bool can_compute(const struct ec_ctx *cpu, enum ec_dtype t)
{
    static bool told;
    bool can = t != EC_DT_bf16 || ec__dnnl_has_bf16(((const struct ec__cpu *)cpu)->lib);

    if (!can && !told) {
        printf("skipped: bfloat16, which oneDNN lacks on this processor\n");
        told = true;
    }
    return can;
}

static void one(const struct trial *t)
{
    struct ec_owned_case c = { 0 }, after = { 0 };
    struct ec_arena mem = { 0 };
    struct node cpu = { 0 }, ref = { 0 };
    struct data want = { 0 }, got, fresh;
    struct ec_err err = { 0 };

    cpu.ctx = open_backend("cpu", t->threads);
    ref.ctx = open_backend("ref64", 1);
    if (!cpu.ctx || !ref.ctx || !can_compute(cpu.ctx, t->compute))
        goto out;
    if (ec_case_parse(t->text, &c, &err)) {
        test_fail(__FILE__, __LINE__, "%s: %s", t->text, err.text);
        goto out;
    }
    if (t->after)
        CHECK_INT(ec_case_parse(t->after, &after, &err), EC_OK);
    if (prepare(&ref, &c.c, t->training, EC_DT_f64, 0, 0, NULL, &err) ||
        prepare(&cpu, &c.c, t->training, t->compute, t->layout, t->fuse, t->after ? &after.c : NULL,
                &err)) {
        test_fail(__FILE__, __LINE__, "%s (%s, layout %d, training %d): no kernel of %s: %s",
                  t->text, ec_dtype_name(t->compute), t->layout, t->training,
                  ref.row->op ? "cpu" : "ref", err.text);
        goto out;
    }
    make_data(&mem, &ref, &want, 5);
    if (t->fuse == EC_FUSE_RELU_BEFORE)
        apply_behind("relu", want.in[0], elems(c.c.in[0]));
    got = copy_of(&mem, &ref, &want);
    fresh = copy_of(&mem, &ref, &want);
    run(&ref, &want);
    run(&cpu, &got);
    if (t->fuse == EC_FUSE_RELU_BEFORE && t->training)
        weaken_before(want.d_in[0], want.in[0], elems(c.c.in[0]));
    if (t->fuse == EC_FUSE_RELU_BWD || t->fuse == EC_FUSE_ACT) {
        weaken(&want, &c.c, name_behind(t, &after.c));
        restore(&ref, &want, &fresh);
        run(&ref, &want);
    }
    compare(t, &cpu, &got, &want);
out:
    drop(&cpu);
    drop(&ref);
    ec_case_clear(&c);
    ec_case_clear(&after);
    ec_arena_clear(&mem);
    ec_engine_close(cpu.ctx);
    ec_engine_close(ref.ctx);
}

/* Every type, layout and number of threads. */
static void all(const char *text)
{
    struct trial t = { .text = text };
    int bf16, training;

    for (bf16 = 0; bf16 < 2; bf16++)
        for (t.layout = 0; t.layout < 3; t.layout++)
            for (training = 0; training < 2; training++) {
                t.compute = bf16 ? EC_DT_bf16 : EC_DT_f32;
                t.training = training;
                t.threads = 1 + (t.layout + bf16) % 2;
                one(&t);
            }
}

/* Kernels that take plain values only: the compiler converts around them. */
static void plain(const char *text)
{
    struct trial t = { .text = text };
    int bf16, training;

    for (bf16 = 0; bf16 < 2; bf16++)
        for (training = 0; training < 2; training++)
            for (t.threads = 1; t.threads < 4; t.threads += 2) {
                t.compute = bf16 ? EC_DT_bf16 : EC_DT_f32;
                t.training = training;
                one(&t);
            }
}

static void fused_with(struct trial t)
{
    int training;

    for (t.layout = 0; t.layout < 3; t.layout++)
        for (training = 0; training < 2; training++) {
            t.training = training;
            t.threads = 1 + t.layout;
            one(&t);
        }
}

static void fused(const char *text, unsigned fuse)
{
    fused_with((struct trial){ .text = text, .compute = EC_DT_f32, .fuse = fuse });
}

/* In blocks of 16 channels only. */
static void norm_with(const char *text, const char *after)
{
    struct trial t = { .text = text, .layout = 1, .fuse = EC_FUSE_ACT, .after = after };
    int bf16, training;

    for (bf16 = 0; bf16 < 2; bf16++)
        for (training = 0; training < 2; training++)
            for (t.threads = 1; t.threads < 4; t.threads++) {
                t.compute = bf16 ? EC_DT_bf16 : EC_DT_f32;
                t.training = training;
                one(&t);
            }
}

TEST(convolutions)
{
    all("conv2d n=2 c=16 h=9 w=9 k=32 r=3 pad=1");
    all("conv2d n=2 c=3 h=17 w=15 k=20 r=5 stride=2 pad=2");
    all("conv2d n=2 c=1 h=12 w=12 k=8 r=3");
    all("conv2d n=2 c=24 h=8 w=8 k=40 r=1 bias=0");
    all("conv2d n=2 c=32 h=10 w=10 k=32 r=3 stride=2 pad=1 groups=32 bias=0");
    all("conv2d n=2 c=32 h=12 w=12 k=32 r=5 pad=2 groups=32");
    all("conv2d n=1 c=32 h=12 w=12 k=32 r=7 pad=3 stride=2 groups=32");
    all("conv2d n=2 c=24 h=9 w=9 k=48 r=3 pad=1 groups=3");
    all("conv2d n=2 c=32 h=9 w=9 k=32 r=3 pad=1 groups=8");
    all("conv2d n=2 c=8 h=14 w=14 k=16 r=3 pad=2 dil=2");
    all("conv2d n=2 c=8 h=11 w=13 k=16 r=3 s=5 pad=0x1x2x3");
    all("conv2d n=2 c=8 h=11 w=12 k=16 r=4 pad=same stride=2");
    all("conv1d n=3 c=16 w=40 k=24 r=3 pad=1");
    all("conv3d n=1 c=8 d=5 h=6 w=7 k=16 t=3 r=3 pad=1");
}

TEST(transposed_convolutions)
{
    all("conv_transpose2d n=2 c=16 h=5 w=5 k=32 r=2 stride=2");
    all("conv_transpose2d n=2 c=12 h=5 w=6 k=8 r=3 stride=2 pad=1 out_pad=1");
    all("conv_transpose1d n=2 c=16 w=15 k=8 r=4 stride=2 pad=1");
    all("conv_transpose3d n=1 c=8 d=3 h=4 w=4 k=8 t=2 r=2 stride=2");
}

TEST(pooling)
{
    all("max_pool2d n=2 c=20 h=11 w=12 r=3 stride=2 pad=1");
    all("max_pool2d n=2 c=16 h=8 w=8 r=2");
    all("max_pool2d n=2 c=16 h=9 w=9 r=2 ceil=1");
    all("max_pool2d n=2 c=16 h=3 w=5 r=2");
    all("avg_pool2d n=2 c=20 h=11 w=12 r=3 stride=2 pad=1");
    all("avg_pool2d n=2 c=20 h=11 w=12 r=3 stride=2 pad=1 count_include_pad=0");
    all("max_pool1d n=2 c=8 w=20 r=2");
    all("max_pool3d n=1 c=8 d=4 h=6 w=6 r=2 t=2");
    all("avg_pool3d n=1 c=8 d=4 h=6 w=6 r=2 t=2");
    all("global_avg_pool x=2x40x7x7");
    all("global_max_pool x=2x40x7x7");
    all("adaptive_avg_pool x=2x16x14x14 out=7x7");
    all("adaptive_avg_pool x=2x20x6x6 out=1");
}

TEST(batch_norm)
{
    all("batch_norm x=4x20x6x6");
    all("batch_norm x=8x32");
    all("batch_norm x=4x16x6x6 affine=0");
    all("batch_norm x=4x20x6x6 eps=0.3 momentum=0.25");
    all("batch_norm x=8x32 eps=0.3 momentum=0.25");
}

TEST(norms_of_samples)
{
    all("group_norm x=3x20x6x5 groups=4");
    all("group_norm x=3x20x6x5 groups=1 eps=0.3");
    all("group_norm x=5x12 groups=3 affine=0");
    all("instance_norm x=3x20x6x5 affine=1");
    all("instance_norm x=2x5x33");
}

/* Sums over many rows far from zero lose nothing to the order in which they are added. */
static void check_moments(const struct ec__loops *l, enum ec__elem t, int64_t ld, int64_t n)
{
    enum { ROWS = 20011, CUT = 7777 };
    size_t size = t == EC__F32 ? sizeof(float) : sizeof(uint16_t);
    float *x = ec_alloc(sizeof *x * (size_t)(ROWS * ld));
    uint16_t *low = ec_alloc(sizeof *low * (size_t)(ROWS * ld));
    double *mean = ec_alloc(sizeof *mean * (size_t)n), *m2 = ec_alloc(sizeof *m2 * (size_t)n);
    struct ec_rng r;
    int64_t i, j;
    const char *from = t == EC__F32 ? (const char *)x : (const char *)low;

    ec_rng_seed(&r, 5);
    for (i = 0; i < ROWS * ld; i++)
        x[i] = (float)(30 + ec_rng_unit(&r));
    l->to_bf16(x, low, ROWS * ld);
    if (t == EC__BF16)
        l->to_f32(low, x, ROWS * ld);
    l->moments(t, from, CUT, ld, n, 0, mean, m2);
    l->moments(t, from + (size_t)(CUT * ld) * size, ROWS - CUT, ld, n, CUT, mean, m2);
    for (j = 0; j < n; j++) {
        double want = 0, spread = 0;

        for (i = 0; i < ROWS; i++)
            want += (double)x[i * ld + j] / ROWS;
        for (i = 0; i < ROWS; i++)
            spread += ((double)x[i * ld + j] - want) * ((double)x[i * ld + j] - want);
        CHECK_NEAR(mean[j], want, 3e-6);
        CHECK_NEAR(m2[j] / spread, 1, 1e-6);
    }
    ec_free(x);
    ec_free(low);
    ec_free(mean);
    ec_free(m2);
}

TEST(statistics_of_batches)
{
    static const int64_t shape[][2] = {
        {1,    1 },
        { 16,  16},
        { 100, 40},
        { 8,   8 }
    };
    struct ec_ctx *ctx = open_backend("cpu", 1);
    int i;

    if (!ctx)
        return;
    for (i = 0; i < EC_LEN(shape); i++) {
        check_moments(((struct ec__cpu *)ctx)->loops, EC__F32, shape[i][0], shape[i][1]);
        check_moments(((struct ec__cpu *)ctx)->loops, EC__BF16, shape[i][0], shape[i][1]);
        check_moments(&ec__loops_base, EC__F32, shape[i][0], shape[i][1]);
    }
    ec_engine_close(ctx);
}

TEST(linear)
{
    all("linear m=20 k=33 n=17");
    all("linear m=64 k=128 n=96");
    all("linear m=3 k=64 n=10 bias=0");
}

TEST(element_wise)
{
    static const char *const names[] = {
#define NAME(name, f, d, reads) #name,
        EC_UNARY_LIST(NAME)
#undef NAME
    };
    int i;

    for (i = 0; i < EC_LEN(names); i++) {
        char text[80];

        if (!strcmp(names[i], "gelu_tanh"))
            snprintf(text, sizeof text, "gelu x=3x20x5x5 approx=tanh");
        else if (!strcmp(names[i], "scale") || !strcmp(names[i], "offset"))
            snprintf(text, sizeof text, "scale_scalar x=3x20x5x5 %s",
                     !strcmp(names[i], "scale") ? "mul=0.125" : "add=3");
        else if (!strcmp(names[i], "sqrt") || !strcmp(names[i], "rsqrt") ||
                 !strcmp(names[i], "log") || !strcmp(names[i], "reciprocal"))
            continue;
        else
            snprintf(text, sizeof text, "%s x=3x20x5x5", names[i]);
        all(text);
    }
    all("add x=2x20x5x5 y=2x20x5x5");
    all("mul x=2x20x5x5 y=2x20x5x5");
    plain("mul x=2x20x5x5 y=20x1x1");
    all("mul x=2x32x5x5 y=2x32x1x1");
    plain("mul x=2x20x1x1 y=2x20x5x5");
    all("flatten x=2x20x5x5");
}

TEST(rows)
{
    plain("softmax x=3x4x7x33");
    plain("log_softmax x=5x40");
    plain("layer_norm x=6x5x48");
    plain("layer_norm x=4x6x5 dims=2");
    plain("layer_norm x=4x64 affine=0");
    plain("layer_norm x=4x64 bias=0");
    plain("rms_norm x=4x3x50");
    plain("layer_norm x=6x5x48 eps=0.3");
    plain("rms_norm x=4x3x50 eps=0.3");
}

TEST(products)
{
    plain("matmul x=3x2x20x16 y=3x2x16x24");
    plain("matmul x=3x20x16 y=3x24x16 transpose_b=1");
    plain("matmul x=3x16x20 y=3x16x24 transpose_a=1");
    plain("matmul x=3x16x20 y=3x24x16 transpose_a=1 transpose_b=1");
    plain("matmul x=3x5x16 y=16x24");
}

TEST(attention)
{
    plain("attention b=6 t=20 u=20 d=16 e=16");
    plain("attention b=3 t=9 u=13 d=8 e=24");
    plain("attention b=4 t=20 u=20 d=16 e=16 causal=1");
    plain("multi_head_attention n=3 t=20 c=64 heads=4");
    plain("multi_head_attention n=2 t=12 c=48 heads=3 causal=1");
    plain("multi_head_attention n=2 t=12 c=48 heads=3 bias=0");
}

TEST(recurrent)
{
    plain("lstm n=3 t=5 c=12 hidden=16");
    plain("lstm n=3 t=5 c=12 hidden=16 bidir=1 layers=2");
    plain("lstm n=2 t=4 c=8 hidden=8 bias=0");
    plain("gru n=3 t=5 c=12 hidden=16");
    plain("gru n=3 t=5 c=12 hidden=16 bidir=1 layers=2");
}

TEST(embedding)
{
    plain("embedding x=7x9 num=20 dim=33 dtype=i64");
}

TEST(moves)
{
    all("concat x=2x16x5x5 y=2x32x5x5 axis=1");
    all("concat x=2x12x5x5 y=2x20x5x5 axis=1");
    all("concat x=2x12x5x5 y=2x12x7x5 axis=2");
    all("split x=2x48x5x5 axis=1 parts=3");
    plain("split x=2x20x5x5 axis=1 sizes=12x8");
    plain("transpose x=3x4x5x6 perm=0x2x1x3");
    plain("transpose x=3x4");
}

TEST(broadcasts)
{
    plain("add x=4x3x7x7 y=3x7x7");
    plain("add x=2x5x1x3 y=1x4x3");
    plain("sub x=6x1 y=5x6x130");
    plain("mul x=3x20x40 y=40");
    plain("mul x=2x1x17x1 y=1x3x17x33");
    plain("div x=4x6x32 y=4x6x1");
    plain("div x=1x6x1 y=4x1x9");
    plain("add x=2x3000 y=1x1");
}

TEST(shuffles)
{
    plain("channel_shuffle x=2x24x5x7 groups=3");
}

TEST(relu_fused)
{
    fused("conv2d n=2 c=16 h=9 w=9 k=32 r=3 pad=1", EC_FUSE_RELU);
    fused("linear m=20 k=33 n=17", EC_FUSE_RELU);
    fused("add x=2x20x5x5 y=2x20x5x5", EC_FUSE_RELU);
    fused("batch_norm x=4x20x6x6", EC_FUSE_RELU_BWD);
    fused("max_pool2d n=2 c=20 h=11 w=12 r=3 stride=2 pad=1", EC_FUSE_RELU_BEFORE);
    fused("global_max_pool x=2x20x5x5", EC_FUSE_RELU_BEFORE);
}

TEST(norms_with_what_is_behind)
{
    norm_with("batch_norm x=4x20x6x6", "relu6 x=4x20x6x6");
    norm_with("batch_norm x=2x48x11x13", "silu x=2x48x11x13");
    norm_with("batch_norm x=3x32x5x5 affine=0", "hard_swish x=3x32x5x5");
    norm_with("batch_norm x=2x17x9x9", "relu x=2x17x9x9");
    norm_with("batch_norm x=2x17x9x9 eps=0.3 momentum=0.25", "relu x=2x17x9x9");
}

/* No failure is taken for a case that the library lacks, after which a slower kernel would do it.
 */
static void check_torture(const char *text)
{
    struct ec_owned_case c = { 0 };
    struct ec_err err = { 0 };
    int64_t fail, left = 0;

    CHECK_INT(ec_case_parse(text, &c, &err), EC_OK);
    for (fail = 1; !left && fail < 1000; fail++) {
        struct node n = { .ctx = open_backend("cpu", 1), .fail_after = fail };
        enum ec_status st;

        if (!n.ctx)
            break;
        memset(&err, 0, sizeof err);
        st = prepare(&n, &c.c, true, EC_DT_f32, 0, 0, NULL, &err);
        left = n.left;
        if (st != (left ? EC_OK : EC_E_NOMEM) || (st && !err.text[0]))
            test_fail(__FILE__, __LINE__, "%s: with allocation %lld failing: %s (%s)", text,
                      (long long)fail, ec_status_name(st), err.text);
        if (!st)
            drop(&n);
        ec_arena_clear(&n.arena);
        ec_engine_close(n.ctx);
    }
    (void)printf("%s: %lld allocations failed\n", text, (long long)(fail - 2));
    ec_case_clear(&c);
}

TEST(each_allocation_fails_once)
{
    static const char *const texts[] = {
        "conv2d n=2 c=3 h=17 w=15 k=20 r=5 stride=2 pad=2",
        "conv2d n=2 c=32 h=12 w=12 k=32 r=5 pad=2 groups=32",
        "conv_transpose2d n=2 c=12 h=5 w=6 k=8 r=3 stride=2 pad=1 out_pad=1",
        "max_pool2d n=2 c=20 h=11 w=12 r=3 stride=2 pad=1",
        "global_avg_pool x=2x40x7x7",
        "batch_norm x=4x20x6x6",
        "linear m=20 k=33 n=17",
        "gelu x=3x20x5x5",
        "add x=2x20x5x5 y=2x20x5x5",
        "mul x=3x20x40 y=40",
        "softmax x=3x4x7x33",
        "layer_norm x=6x5x48",
        "matmul x=3x2x20x16 y=3x2x16x24",
        "attention b=3 t=9 u=13 d=8 e=24",
        "multi_head_attention n=2 t=12 c=48 heads=3",
        "lstm n=3 t=5 c=12 hidden=16 bidir=1 layers=2",
        "gru n=3 t=5 c=12 hidden=16",
        "embedding x=7x9 num=20 dim=33 dtype=i64",
        "concat x=2x12x5x5 y=2x20x5x5 axis=1",
        "split x=2x48x5x5 axis=1 parts=3",
        "transpose x=3x4x5x6 perm=0x2x1x3",
        "dropout x=4x20 p=0.5",
        "channel_shuffle x=2x24x5x7 groups=3",
        "group_norm x=3x20x6x5 groups=4",
    };
    int i;

    for (i = 0; i < EC_LEN(texts); i++)
        check_torture(texts[i]);
}
