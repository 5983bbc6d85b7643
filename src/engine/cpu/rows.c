/* Rows over threads. */
#include "engine/cpu/rows.h"

#include <string.h>

struct parts {
    struct ec__row_job job;
    ec__row_fn fn;
    char *scratch;
    int64_t bytes, rows;
};

int64_t ec__row_scratch(const struct ec_knode *k, int64_t bytes)
{
    return ec__align(bytes) * (k->threads > 1 ? k->threads : 1);
}

static int n_parts(const struct ec__cpu *cpu)
{
    return cpu->base.threads > 1 ? cpu->base.threads : 1;
}

/* Items are parts, so that each has scratch of its own. */
static void part(const void *data, int64_t begin, int64_t end)
{
    const struct parts *p = data;
    struct ec__row_job j = p->job;
    int64_t n = n_parts(j.cpu), i;

    for (i = begin; i < end; i++) {
        int64_t first = p->rows * i / n, last = p->rows * (i + 1) / n;

        j.own = p->scratch ? p->scratch + i * ec__align(p->bytes) : NULL;
        if (first < last)
            p->fn(&j, first, last);
    }
}

enum ec_status ec__row_run(const struct ec__run *r, ec__row_fn fn, int64_t rows, void *scratch,
                           int64_t bytes)
{
    struct parts p = {
        {r->cpu, r->data, r->at, NULL},
        fn, scratch, bytes, rows
    };

    ec__threads_run(r->cpu, n_parts(r->cpu), 1, part, &p);
    return EC_OK;
}

struct row_call {
    ec__row_fn fn;
    int64_t rows, bytes;
    int scratch; /* the place */
    const void *data;
};

static enum ec_status run_rows(const struct ec__run *r)
{
    const struct row_call *c = r->data;
    struct ec__run own = *r;

    own.data = c->data;
    return ec__row_run(&own, c->fn, c->rows, r->at[c->scratch], c->bytes);
}

void ec__call_rows(struct ec__build *b, ec__row_fn fn, int64_t rows, int64_t bytes,
                   const void *data, size_t size, const struct ec__place *place, int n)
{
    struct row_call c = { fn, rows, bytes, n, NULL };
    struct ec__place scratch = ec__place_at(EC__NOWHERE, 0);
    int i;

    if (b->st)
        return;
    if (bytes)
        scratch = ec__scratch(b, ec__row_scratch(b->k, bytes));
    c.data = ec_arena_copy(b->k->arena, data, size);
    b->st = ec_allocated(c.data, b->err);
    for (i = 0; i < n; i++)
        ec__arg(b, 0, place[i]);
    ec__call_own(b, run_rows, &c, sizeof c, &scratch, 1);
}

void ec__row_add_parts(const struct ec__run *r, void *scratch, int64_t bytes, int64_t at, int64_t n,
                       float *to)
{
    const char *from = scratch;
    int i, parts = r->k->threads > 1 ? r->k->threads : 1;

    memset(to, 0, (size_t)n * sizeof *to);
    for (i = 0; i < parts; i++)
        r->cpu->loops->add_to(to, (const float *)(const void *)(from + i * ec__align(bytes)) + at,
                              n);
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
