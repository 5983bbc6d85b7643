/* Rows over threads. */
#include "engine/cpu/rows.h"

struct parts {
    const struct ec__row_job *j;
    ec__row_fn fn;
};

static int64_t aligned(int64_t bytes)
{
    return (bytes + EC_ENGINE_ALIGN - 1) / EC_ENGINE_ALIGN * EC_ENGINE_ALIGN;
}

int64_t ec__row_scratch(const struct ec_knode *k, int64_t bytes)
{
    return aligned(bytes) * (k->threads > 1 ? k->threads : 1);
}

/* Items are parts, so that each knows its number. */
static void part(void *data, int64_t begin, int64_t end)
{
    const struct parts *p = data;
    const struct ec__row_job *j = p->j;
    int64_t n = j->cpu->base.threads > 1 ? j->cpu->base.threads : 1, i;

    for (i = begin; i < end; i++) {
        int64_t first = j->rows * i / n, last = j->rows * (i + 1) / n;
        int64_t at = i * aligned(j->scratch_bytes);

        if (first < last)
            p->fn(j, first, last, at ? j->scratch + at : j->scratch, i);
    }
}

void ec__row_run(const struct ec__row_job *j, ec__row_fn fn)
{
    struct parts p = { j, fn };

    ec__threads_run(j->cpu, j->cpu->base.threads > 1 ? j->cpu->base.threads : 1, 1, part, &p);
}

const float *ec__row_in(const struct ec__loops *l, enum ec__elem t, const void *x, int64_t row,
                        int64_t n, float *tmp)
{
    if (t == EC__F32)
        return (const float *)x + row * n;
    l->to_f32((const uint16_t *)x + row * n, tmp, n);
    return tmp;
}

float *ec__row_out(enum ec__elem t, void *y, int64_t row, int64_t n, float *tmp)
{
    return t == EC__F32 ? (float *)y + row * n : tmp;
}

void ec__row_put(const struct ec__loops *l, enum ec__elem t, void *y, int64_t row, int64_t n,
                 const float *tmp)
{
    if (t != EC__F32)
        l->to_bf16(tmp, (uint16_t *)y + row * n, n);
}
