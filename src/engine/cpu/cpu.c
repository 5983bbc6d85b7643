/* The processor, by oneDNN and by loops of our own. */
#include "engine/cpu/cpu_internal.h"
#include "engine/flat_host.h"
#include "engine/ref/ref.h"

#include <sched.h>

static int default_threads(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

static const struct ec__loops *best_loops(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &ec__loops_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &ec__loops_avx2;
#endif
    return &ec__loops_base;
}

static enum ec_status cpu_open(const struct ec_engine_opts *opts, struct ec_ctx **ret,
                               struct ec_err *err)
{
    struct ec__cpu *cpu = ec_alloc(sizeof *cpu);
    enum ec_status st;

    EC_TRY(ec_allocated(cpu, err));
    cpu->base.backend = &ec_backend_cpu;
    cpu->base.threads = opts->threads > 0 ? (int)opts->threads : default_threads();
    cpu->base.seed = opts->seed;
    cpu->loops = best_loops();
    EC_TRY(ec__dnnl_open(&cpu->lib, err));
    *ret = &cpu->base;
    cpu = NULL;
out:
    ec_free(cpu);
    return st;
}

static void cpu_close(struct ec_ctx *ctx)
{
    struct ec__cpu *cpu = (struct ec__cpu *)ctx;
    int i;

    for (i = 0; i < cpu->n_reorders; i++)
        ec__prim_free(cpu->lib, cpu->reorders[i]);
    ec__dnnl_close(cpu->lib);
    ec_free(cpu);
}

static const char *cpu_library(struct ec_ctx *ctx)
{
    return ec__dnnl_text(((struct ec__cpu *)ctx)->lib);
}

/* Layout of one side: what its format says, or row-major as the other side sees the tensor. */
static const struct ec__md *side(struct ec__cpu *cpu, struct ec_arena *a,
                                 const struct ec_type *type, const struct ec_fmt *fmt,
                                 const struct ec_fmt *other, enum ec_dtype t)
{
    const struct ec__layout *l = fmt ? fmt->layout : NULL;
    const struct ec__layout *o = other ? other->layout : NULL;
    const struct ec_shape *s = &type->shape;
    const int64_t one = 1;

    if (l)
        return l->md;
    if (o)
        return ec__md_retype(a, o->plain, t);
    return ec__md_strided(cpu->lib, a, t, s->rank ? s->rank : 1, s->rank ? s->d : &one, NULL);
}

/* The conversion, made when it is first asked for. */
static enum ec_status find_reorder(struct ec__cpu *cpu, const struct ec__md *x,
                                   const struct ec__md *y, struct ec__prim **ret,
                                   struct ec_err *err)
{
    static const int args[] = { DNNL_ARG_FROM, DNNL_ARG_TO };
    struct ec__prim *p = NULL;
    enum ec_status st;
    int i, at;

    for (i = 1; i <= cpu->n_reorders; i++) {
        at = (cpu->last_reorder + i) % cpu->n_reorders;
        if (!ec__prim_reorders(cpu->lib, cpu->reorders[at], x, y))
            continue;
        cpu->last_reorder = at;
        *ret = cpu->reorders[at];
        return EC_OK;
    }
    EC_TRY(ec__prim_reorder(cpu->lib, x, y, &p, err));
    EC_TRY(ec__prim_args(cpu->lib, p, 2, args, err));
    if (cpu->n_reorders < EC_CPU_REORDERS_MAX) {
        at = cpu->n_reorders++;
    } else {
        at = (cpu->last_reorder + 1) % EC_CPU_REORDERS_MAX;
        ec__prim_free(cpu->lib, cpu->reorders[at]);
    }
    cpu->last_reorder = at;
    *ret = cpu->reorders[at] = p;
    p = NULL;
out:
    ec__prim_free(cpu->lib, p);
    return st;
}

struct narrowing {
    const struct ec__loops *loops;
    const void *from;
    void *to;
    bool to_bf16;
};

static void narrow_part(const void *data, int64_t begin, int64_t end)
{
    const struct narrowing *j = data;

    if (j->to_bf16)
        j->loops->to_bf16((const float *)j->from + begin, (uint16_t *)j->to + begin, end - begin);
    else
        j->loops->to_f32((const uint16_t *)j->from + begin, (float *)j->to + begin, end - begin);
}

/* Between float32 and bfloat16, both row-major: a loop. False when it is anything else. */
static bool narrow(const struct ec__cpu *cpu, const struct ec_type *type, const struct ec_fmt *from,
                   const void *src, const struct ec_fmt *to, void *dst)
{
    enum ec_dtype t = from ? from->dtype : EC_DT_f32, u = to ? to->dtype : EC_DT_f32;
    struct narrowing j = { cpu->loops, src, dst, u == EC_DT_bf16 };

    if ((from && from->layout) || (to && to->layout) || t == u ||
        (t != EC_DT_f32 && t != EC_DT_bf16) || (u != EC_DT_f32 && u != EC_DT_bf16))
        return false;
    ec__threads_run(cpu, ec__elems(type), 4096, narrow_part, &j);
    return true;
}

static enum ec_status cpu_reorder(struct ec_ctx *ctx, const struct ec_type *type,
                                  const struct ec_fmt *from, const void *src,
                                  const struct ec_fmt *to, void *dst, struct ec_err *err)
{
    struct ec__cpu *cpu = (struct ec__cpu *)ctx;
    struct ec_arena a = { 0 };
    const struct ec__md *x, *y;
    void *at[] = { ec__unconst(src), dst };
    struct ec__prim *p = NULL;
    enum ec_status st;

    if (narrow(cpu, type, from, src, to, dst))
        return EC_OK;
    x = side(cpu, &a, type, from, to, from ? from->dtype : EC_DT_f32);
    y = side(cpu, &a, type, to, from, to ? to->dtype : EC_DT_f32);
    if (!x || !y)
        st = ec_fail(err, EC_E_NOMEM, "no memory for the layout of a tensor");
    else
        st = find_reorder(cpu, x, y, &p, err);
    if (!st)
        st = ec__prim_run(cpu->lib, p, at, err);
    ec_arena_clear(&a);
    return st;
}

const struct ec_backend ec_backend_cpu = {
    .name = "cpu",
    .help = "this machine's processor, by oneDNN",
    .abi = EC_BACKEND_ABI,
    .flags = EC_BACKEND_BF16,
    .open = cpu_open,
    .close = cpu_close,
    .rows = ec__cpu_rows,
    .reorder = cpu_reorder,
    .fallback = ec__ref32_rows,
    .flat = &ec_flat_host,
    .library = cpu_library,
};
