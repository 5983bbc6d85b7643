/* Mean over all positions of a channel: a sum forward and a spread backward, in any layout that
 * keeps channels together. oneDNN has it as a window over everything, whose gradient is many times
 * slower than memory. The result is plain. */
#include "engine/cpu/rows.h"

struct mean {
    enum ec__elem t;
    struct ec__channels c;
};

/* Rows are (outer, block) pairs: [inner][block] elements each. Results of the last block may go
 * beyond the channels. */
static int64_t first_channel(const struct mean *v, int64_t row, int64_t *ret_n)
{
    int64_t b = row % v->c.blocks, at = row / v->c.blocks * v->c.channels + b * v->c.block;
    int64_t left = v->c.channels - b * v->c.block;

    *ret_n = left < v->c.block ? left : v->c.block;
    return at;
}

static void forward_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct mean *v = j->data;
    const struct ec__loops *l = j->cpu->loops;
    int64_t size = v->c.inner * v->c.block, i, n;
    float *sums = (float *)(void *)j->own, scale = 1 / (float)v->c.inner;
    float *tmp = sums + v->c.block;

    for (i = begin; i < end; i++) {
        int64_t at = first_channel(v, i, &n);

        if (v->c.block == 1)
            sums[0] = l->row_sum(ec__row_in(l, v->t, j->at[0], i, size, tmp), size, scale);
        else
            l->column_sums(v->t, (const char *)j->at[0] + i * size * ec__elem_bytes(v->t),
                           v->c.inner, v->c.block, v->c.block, scale, sums);
        if (v->t == EC__F32)
            l->spread(v->t, sums, (float *)j->at[1] + at, 1, n);
        else
            l->spread(v->t, sums, (uint16_t *)j->at[1] + at, 1, n);
    }
}

/* Padding of the last block gets zeros. */
static void backward_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct mean *v = j->data;
    const struct ec__loops *l = j->cpu->loops;
    int64_t size = v->c.inner * v->c.block, i, k, n;
    float *g = (float *)(void *)j->own, scale = 1 / (float)v->c.inner;

    for (i = begin; i < end; i++) {
        int64_t at = first_channel(v, i, &n);
        char *to = (char *)j->at[1] + i * size * ec__elem_bytes(v->t);

        if (v->t == EC__F32)
            l->spread(EC__F32, (const float *)j->at[0] + at, g, 1, n);
        else
            l->to_f32((const uint16_t *)j->at[0] + at, g, n);
        for (k = 0; k < v->c.block; k++)
            g[k] = k < n ? g[k] * scale : 0;
        for (k = 1; v->c.block == 1 && k < size; k++)
            g[k] = g[0];
        if (v->c.block == 1)
            l->spread(v->t, g, to, 1, size);
        else
            l->spread(v->t, g, to, v->c.inner, v->c.block);
    }
}

static void call(struct ec__build *b, const struct mean *v, ec__row_fn fn, struct ec__place from,
                 struct ec__place to)
{
    EC__CALL_ROWS(b, fn, v->c.outer * v->c.blocks,
                  (v->c.block + v->c.inner * (v->c.block == 1)) * (int64_t)sizeof(float), v, from,
                  to);
}

void ec__global_pool_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    struct mean v = { .t = ec__elem_of(k) };
    struct ec__buf x;

    x = ec__at_in(b, 0);
    if (x.md && (ec__elems(k->c->out[0]) != k->c->in[0]->shape.d[0] * k->c->in[0]->shape.d[1] ||
                 !ec__md_channels(x.md, &v.c)))
        ec__build_fail(b, EC_E_UNSUPPORTED, "not one result per channel");
    if (b->st)
        return;
    ec__build_phase(b, EC_FORWARD);
    call(b, &v, forward_part, x.place, ec__place_at(EC__OUT, 0));
    if (k->training && k->want_d_in[0]) {
        ec__build_phase(b, EC_GRAD_DATA);
        call(b, &v, backward_part, ec__place_at(EC__D_OUT, 0), ec__place_at(EC__D_IN, 0));
    }
    ec__build_loops(b);
}
