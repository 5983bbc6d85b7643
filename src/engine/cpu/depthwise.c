/* Gradient of the weight of depthwise convolutions with wide filters. Channels lie in blocks of 16;
 * a block's filter rows are gone through one by one, each tap's sum in a register of 16 channels
 * while the images pass. */
#include "engine/cpu/conv.h"
#include "engine/cpu/rows.h"

#include <string.h>

struct depthwise {
    int64_t n, blocks, channels, h, w, p, q; /* input h x w, output p x q */
    int64_t r, s, stride_h, stride_w, pad_h, pad_w;
};

/* Outputs [*lo, *hi) whose taps of one dimension all lie inside. */
static void inside(int64_t in, int64_t out, int64_t filter, int64_t stride, int64_t pad,
                   int64_t *lo, int64_t *hi)
{
    *lo = (pad + stride - 1) / stride;
    *hi = in + pad - filter < 0 ? 0 : (in + pad - filter) / stride + 1;
    if (*hi > out)
        *hi = out;
    if (*lo > *hi)
        *lo = *hi;
}

/* One output near an edge: only taps that lie inside. */
static void edge(const struct depthwise *v, const float *x, const float *dy, int64_t q, float *dw)
{
    int64_t s, l;

    for (s = 0; s < v->s; s++) {
        int64_t col = q * v->stride_w + s - v->pad_w;

        for (l = 0; col >= 0 && col < v->w && l < 16; l++)
            dw[s * 16 + l] += x[col * 16 + l] * dy[q * 16 + l];
    }
}

/* All of one row of taps over one image. x (h, w, 16), dy (p, q, 16), dw (s, 16) */
static void row_of_taps(const struct ec__loops *l, const struct depthwise *v, const float *x,
                        const float *dy, int64_t r, float *dw)
{
    int64_t lo, hi, p, q;

    inside(v->w, v->q, v->s, v->stride_w, v->pad_w, &lo, &hi);
    for (p = 0; p < v->p; p++) {
        int64_t row = p * v->stride_h + r - v->pad_h;
        const float *xr = x + row * v->w * 16, *dr = dy + p * v->q * 16;

        if (row < 0 || row >= v->h)
            continue;
        for (q = 0; q < lo; q++)
            edge(v, xr, dr, q, dw);
        if (lo < hi)
            (void)l->depthwise_row((int)v->s, v->stride_w, xr + (lo * v->stride_w - v->pad_w) * 16,
                                   dr + lo * 16, hi - lo, dw);
        for (q = hi; q < v->q; q++)
            edge(v, xr, dr, q, dw);
    }
}

/* Rows of the job are blocks of channels. */
static void weights_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct depthwise *v = j->data;
    int64_t image = v->h * v->w * 16, grad = v->p * v->q * 16, b, i, r;

    for (b = begin; b < end; b++) {
        float *dw = (float *)j->at[2] + b * v->r * v->s * 16;

        memset(dw, 0, (size_t)(v->r * v->s * 16) * sizeof *dw);
        for (i = 0; i < v->n; i++)
            for (r = 0; r < v->r; r++)
                row_of_taps(j->cpu->loops, v, (const float *)j->at[0] + (i * v->blocks + b) * image,
                            (const float *)j->at[1] + (i * v->blocks + b) * grad, r,
                            dw + r * v->s * 16);
    }
}

static void bias_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct depthwise *v = j->data;
    int64_t grad = v->p * v->q * 16, b, i;

    for (b = begin; b < end; b++) {
        int64_t left = v->channels - b * 16;
        float sum[16] = { 0 }, one[16];

        for (i = 0; i < v->n; i++) {
            j->cpu->loops->column_sums(EC__F32,
                                       (const float *)j->at[1] + (i * v->blocks + b) * grad,
                                       v->p * v->q, 16, 16, 1, one);
            j->cpu->loops->add_to(sum, one, 16);
        }
        memcpy((float *)j->at[2] + b * 16, sum, (size_t)(left < 16 ? left : 16) * sizeof *sum);
    }
}

static bool is_wide_depthwise(const struct ec__conv *v)
{
    const struct ec_case *c = v->b->k->c;
    int64_t g = ec_case_int(c, "groups"), taps = v->win.filter[1];

    return !v->transposed && v->win.dims == 2 && g > 1 && g == c->in[0]->shape.d[1] &&
           g == c->out[0]->shape.d[1] && (taps == 5 || taps == 7) && v->win.dil[0] == 1 &&
           v->win.dil[1] == 1;
}

static struct depthwise sizes(const struct ec__conv *v)
{
    const struct ec_shape *x = &v->b->k->c->in[0]->shape, *y = &v->b->k->c->out[0]->shape;
    struct depthwise d = {
        x->d[0],          (x->d[1] + 15) / 16,
        x->d[1],          x->d[2],
        x->d[3],          y->d[2],
        y->d[3],          v->win.filter[0],
        v->win.filter[1], v->win.stride[0],
        v->win.stride[1], v->win.pad0[0],
        v->win.pad0[1],
    };

    return d;
}

static struct ec__buf blocked(struct ec__build *b, struct ec__buf x, const struct ec_shape *s)
{
    if (b->st)
        return x;
    return ec__as(b, x,
                  ec__need(b, ec__md_blocked(b->cpu->lib, b->k->arena, EC_DT_f32, s->rank, s->d)),
                  false);
}

bool ec__depthwise_backward(struct ec__conv *v, const struct ec__buf *master)
{
    struct ec__build *b = v->b;
    struct ec_knode *k = b->k;
    struct ec__buf x, dy, dw, to = ec__at_d_param(b, 0, master);
    const struct ec__md *made;
    struct depthwise d;

    if (b->st || !is_wide_depthwise(v))
        return false;
    d = sizes(v);
    made = ec__need(b, ec__md_depthwise(b->cpu->lib, k->arena, EC_DT_f32, v->w_dims));
    x = blocked(b, v->x, &k->c->in[0]->shape);
    dy = blocked(b, ec__at_d_out(b, 0), &k->c->out[0]->shape);
    dw = ec__stage(b, to, made);
    if (k->want_d_param[0])
        EC__CALL_ROWS(b, weights_part, d.blocks, 0, &d, x.place, dy.place, dw.place);
    if (v->has_bias && k->want_d_param[1])
        EC__CALL_ROWS(b, bias_part, d.blocks, 0, &d, x.place, dy.place,
                      ec__place_at(EC__D_PARAM, 1));
    if (k->want_d_param[0])
        ec__deliver(b, dw, to);
    k->keep_in[0] = v->x.place.kind == EC__IN;
    return true;
}
