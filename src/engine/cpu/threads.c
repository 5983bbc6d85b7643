/* Loops over threads, on the OpenMP pool that oneDNN uses: a second pool would fight the first. */
#include "engine/cpu/cpu_internal.h"

struct team {
    const struct ec__omp *omp;
    int64_t n, grain;
    ec__part_fn fn;
    const void *job;
};

static void part(void *data)
{
    struct team *t = data;
    int64_t id = t->omp->thread_num(), threads = t->omp->num_threads();
    int64_t grains = (t->n + t->grain - 1) / t->grain;
    int64_t begin = grains * id / threads * t->grain, end = grains * (id + 1) / threads * t->grain;

    if (end > t->n)
        end = t->n;
    if (begin < end)
        t->fn(t->job, begin, end);
}

void ec__threads_run(const struct ec__cpu *cpu, int64_t n, int64_t grain, ec__part_fn fn,
                     const void *job)
{
    struct team t = { ec__dnnl_omp(cpu->lib), n, grain, fn, job };

    if (cpu->base.threads > 1 && t.omp->parallel && n > grain)
        t.omp->parallel(part, &t, (unsigned)cpu->base.threads, 0);
    else if (n > 0)
        fn(job, 0, n);
}
