/* Products element by element: of two values of one shape, and of a value with one number per
 * channel, (n, c, ...) by (n or 1, c, 1 ...): gates of squeeze-and-excitation, layer scale. */
#include "engine/cpu/rows.h"

struct product {
    enum ec__elem t;
    int64_t n; /* elements, padding included */
    struct ec__channels c;
    bool per_sample; /* the factor differs from sample to sample */
};

/* Factors of one (sample, block) as float32 lanes; 0 beyond the channels. */
static void factors(const struct product *p, const struct ec__loops *l, const void *y, int64_t row,
                    float *f)
{
    int64_t b = row % p->c.blocks, sample = p->per_sample ? row / p->c.blocks : 0;
    int64_t at = sample * p->c.channels + b * p->c.block, i;
    int64_t n = p->c.channels - b * p->c.block;

    n = n < p->c.block ? n : p->c.block;
    if (p->t == EC__F32)
        l->spread(EC__F32, (const float *)y + at, f, 1, n);
    else
        l->to_f32((const uint16_t *)y + at, f, n);
    for (i = n; i < p->c.block; i++)
        f[i] = 0;
}

/* z = x * factor, a row of memory being [inner][block]. */
static void scale_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct product *p = j->data;
    int64_t size = p->c.inner * p->c.block, i;
    float *f = (float *)(void *)j->own;

    for (i = begin; i < end; i++) {
        int64_t at = i * size * ec__elem_bytes(p->t);

        factors(p, j->cpu->loops, j->at[1], i, f);
        j->cpu->loops->scale_rows(p->t, (const char *)j->at[0] + at, f, (char *)j->at[2] + at,
                                  p->c.inner, p->c.block);
    }
}

static void put_sums(const struct product *p, const struct ec__loops *l, void *to, int64_t at,
                     int64_t n, const float *sum)
{
    if (p->t == EC__F32)
        l->spread(EC__F32, sum, (float *)to + at, 1, n);
    else
        l->to_bf16(sum, (uint16_t *)to + at, n);
}

/* Gradient of the factors: sums of x * dz over positions, and over samples unless the factor has
 * them. Rows of the job are results: (sample, block), or blocks. */
static void factor_grad_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct product *p = j->data;
    int64_t size = p->c.inner * p->c.block, i, o, samples = p->per_sample ? 1 : p->c.outer, l;
    float *sum = (float *)(void *)j->own, *one = sum + p->c.block;

    for (i = begin; i < end; i++) {
        int64_t b = i % p->c.blocks, left = p->c.channels - b * p->c.block;

        for (l = 0; l < p->c.block; l++)
            sum[l] = 0;
        for (o = 0; o < samples; o++) {
            int64_t row = p->per_sample ? i : o * p->c.blocks + b;
            int64_t at = row * size * ec__elem_bytes(p->t);

            j->cpu->loops->dot_rows(p->t, (const char *)j->at[0] + at, (const char *)j->at[1] + at,
                                    p->c.inner, p->c.block, one);
            j->cpu->loops->add_to(sum, one, p->c.block);
        }
        put_sums(p, j->cpu->loops, j->at[2], i / p->c.blocks * p->c.channels + b * p->c.block,
                 left < p->c.block ? left : p->c.block, sum);
    }
}

static void call(struct ec__build *b, ec__row_fn fn, int64_t rows, const struct product *p,
                 struct ec__place x, struct ec__place y, struct ec__place z)
{
    EC__CALL_ROWS(b, fn, rows, 2 * p->c.block * (int64_t)sizeof(float), p, x, y, z);
}

static void mul(struct ec__build *b, const struct product *p, struct ec__place x,
                struct ec__place y, struct ec__place z)
{
    ec__binary_call(b, EC__B_mul, p->t, p->n, x, y, z);
}

/* Two values of one shape. */
static void same_shape(struct ec__build *b, struct product *p, struct ec__buf x)
{
    struct ec_knode *k = b->k;
    bool keep = k->training && (k->want_d_in[0] || k->want_d_in[1]);
    struct ec__buf y;
    struct ec__place dz = ec__place_at(EC__D_OUT, 0);

    ec__build_phase(b, EC_FORWARD);
    y = ec__as(b, ec__at_in(b, 1), x.md, keep);
    mul(b, p, x.place, y.place, ec__place_at(EC__OUT, 0));
    if (!keep)
        return;
    ec__build_phase(b, EC_GRAD_DATA);
    if (k->want_d_in[0])
        mul(b, p, dz, y.place, ec__place_at(EC__D_IN, 0));
    if (k->want_d_in[1]) {
        struct ec__buf to = ec__at_d_in(b, 1), dy = ec__stage(b, to, x.md);

        mul(b, p, dz, x.place, dy.place);
        ec__deliver(b, dy, to);
    }
    k->keep_in[0] = k->want_d_in[1];
    k->keep_in[1] = k->want_d_in[0] && y.place.kind == EC__IN;
}

static void by_channel(struct ec__build *b, const struct product *p, int whole)
{
    struct ec_knode *k = b->k;
    struct ec__place x = ec__place_at(EC__IN, whole), y = ec__place_at(EC__IN, !whole);
    struct ec__place dz = ec__place_at(EC__D_OUT, 0);
    int64_t rows = p->c.outer * p->c.blocks;

    ec__build_phase(b, EC_FORWARD);
    call(b, scale_part, rows, p, x, y, ec__place_at(EC__OUT, 0));
    if (!k->training)
        return;
    ec__build_phase(b, EC_GRAD_DATA);
    if (k->want_d_in[whole])
        call(b, scale_part, rows, p, dz, y, ec__place_at(EC__D_IN, whole));
    if (k->want_d_in[!whole])
        call(b, factor_grad_part, p->per_sample ? rows : p->c.blocks, p, dz, x,
             ec__place_at(EC__D_IN, !whole));
    k->keep_in[whole] = k->want_d_in[!whole];
    k->keep_in[!whole] = k->want_d_in[whole];
}

/* Whether y is one number per channel of x. */
static bool is_factor(const struct ec_shape *x, const struct ec_shape *y, bool *ret_per_sample)
{
    int shift = x->rank - y->rank, i;

    if (x->rank < 3 || shift < 0 || shift > 1 || y->d[1 - shift] != x->d[1])
        return false;
    for (i = 2; i < x->rank; i++)
        if (y->d[i - shift] != 1)
            return false;
    *ret_per_sample = !shift && y->d[0] == x->d[0] && x->d[0] > 1;
    return shift || y->d[0] == 1 || y->d[0] == x->d[0];
}

void ec__mul_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *s[] = { &k->c->in[0]->shape, &k->c->in[1]->shape };
    bool same = ec_shape_eq(s[0], s[1]);
    struct product p = { .t = ec__elem_of(k) };
    int whole = !same && s[1]->rank >= s[0]->rank && is_factor(s[1], s[0], &p.per_sample);
    struct ec__buf x;

    x = ec__at_in(b, whole);
    if (!b->st && !same &&
        (!is_factor(s[whole], s[!whole], &p.per_sample) || k->in_fmt[!whole] ||
         !ec__md_channels(x.md, &p.c)))
        ec__build_fail(b, EC_E_UNSUPPORTED, "shapes that are broadcast otherwise");
    if (b->st || !ec_dtype_is_float(k->c->in[0]->dtype) || !ec__elems(k->c->out[0])) {
        ec__build_fail(b, EC_E_UNSUPPORTED, "not a float");
        return;
    }
    p.n = ec__md_bytes(b->cpu->lib, x.md) / ec_dtype_bytes(k->compute);
    ec__choose_out(b, 0, x.md);
    if (same)
        same_shape(b, &p, x);
    else
        by_channel(b, &p, whole);
    ec__build_loops(b);
}
