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

    if (!cpu)
        return ec_nomem(err);
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

static enum ec_status cpu_reorder(struct ec_ctx *ctx, const struct ec_type *type,
                                  const struct ec_fmt *from, const void *src,
                                  const struct ec_fmt *to, void *dst, struct ec_err *err)
{
    static const int args[] = { DNNL_ARG_FROM, DNNL_ARG_TO };
    struct ec__cpu *cpu = (struct ec__cpu *)ctx;
    struct ec_arena a = { 0 };
    const struct ec__md *x = side(cpu, &a, type, from, to, from ? from->dtype : EC_DT_f32);
    const struct ec__md *y = side(cpu, &a, type, to, from, to ? to->dtype : EC_DT_f32);
    void *at[] = { ec__unconst(src), dst };
    struct ec__prim *p = NULL;
    enum ec_status st;

    if (!x || !y)
        st = ec_fail(err, EC_E_NOMEM, "no memory for the layout of a tensor");
    else
        st = ec__prim_reorder(cpu->lib, x, y, &p, err);
    if (!st)
        st = ec__prim_args(cpu->lib, p, 2, args, err);
    if (!st)
        st = ec__prim_run(cpu->lib, p, at, err);
    ec__prim_free(cpu->lib, p);
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
