/* Group and instance norm over plain values: a row is what shares statistics, some channels of a
 * sample with their planes; weight and bias are per channel. What comes in another layout is
 * converted once. Gradients of weight and bias are summed per part of the rows, then over parts. */
#include "engine/cpu/rows.h"

#include <string.h>

struct norm {
    enum ec__elem t;
    int64_t rows, groups, channels, plane; /* rows of all samples; groups and channels of one */
    float eps;
};

static int64_t of_group(const struct norm *v)
{
    return v->channels / v->groups;
}

static int64_t row_elems(const struct norm *v)
{
    return of_group(v) * v->plane;
}

/* y = x w + b, channel by channel; w or b may be NULL. x may be y. */
static void per_channel(const struct norm *v, const float *x, const float *w, const float *b,
                        int64_t first, float *y)
{
    int64_t c, i;

    for (c = 0; c < of_group(v); c++) {
        float by = w ? w[first + c] : 1.0F, add = b ? b[first + c] : 0.0F;

        for (i = c * v->plane; i < (c + 1) * v->plane; i++)
            y[i] = x[i] * by + add;
    }
}

static void forward_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct norm *v = j->data;
    const struct ec__loops *l = j->cpu->loops;
    int64_t n = row_elems(v), i;
    float *in = (float *)(void *)j->own, *out = in + n, *stat = j->at[4];

    for (i = begin; i < end; i++) {
        const float *x = ec__row_in(l, v->t, j->at[0], i, n, in);
        float *y = ec__row_out(v->t, j->at[1], i, n, out), one[2];

        l->norm_row(x, NULL, NULL, y, n, v->eps, false, stat ? stat + 2 * i : one);
        if (j->at[2])
            per_channel(v, y, j->at[2], j->at[3], i % v->groups * of_group(v), y);
        ec__row_put(l, v->t, j->at[1], i, n, y);
    }
}

static enum ec_status forward(const struct ec__run *r)
{
    const struct norm *v = r->data;

    return ec__row_run(r, forward_part, v->rows, r->at[5],
                       2 * row_elems(v) * (int64_t)sizeof(float));
}

/* A part's scratch: sums for weight and bias, rows of x, of dy, of dx, of dy times weight. */
static int64_t stretch(const struct norm *v)
{
    return (2 * v->channels + 4 * row_elems(v)) * (int64_t)sizeof(float);
}

/* dy of a row into the sums of its channels; tmp: a row. */
static void add_sums(const struct norm *v, const struct ec__loops *l, const float *x,
                     const float *dy, const float *stat, float *dw, float *db, float *tmp)
{
    int64_t c;

    memset(tmp, 0, (size_t)row_elems(v) * sizeof *tmp);
    l->norm_row_bwd(x, NULL, dy, stat, false, NULL, tmp, NULL, row_elems(v));
    for (c = 0; c < of_group(v); c++) {
        dw[c] += l->row_sum(tmp + c * v->plane, v->plane, 1);
        db[c] += l->row_sum(dy + c * v->plane, v->plane, 1);
    }
}

static void backward_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct norm *v = j->data;
    const struct ec__loops *l = j->cpu->loops;
    int64_t n = row_elems(v), i;
    float *dw = (float *)(void *)j->own, *db = dw + v->channels;
    float *in = db + v->channels, *grad = in + n, *out = grad + n, *tmp = out + n;
    const float *stat = j->at[3];

    for (i = begin; i < end; i++) {
        const float *x = ec__row_in(l, v->t, j->at[0], i, n, in);
        const float *dy = ec__row_in(l, v->t, j->at[1], i, n, grad);
        float *dx = j->at[4] ? ec__row_out(v->t, j->at[4], i, n, out) : NULL;
        int64_t first = i % v->groups * of_group(v);

        if (j->at[5] || j->at[6])
            add_sums(v, l, x, dy, stat + 2 * i, dw + first, db + first, tmp);
        if (!dx)
            continue;
        if (j->at[2])
            per_channel(v, dy, j->at[2], NULL, first, tmp);
        l->norm_row_bwd(x, NULL, j->at[2] ? tmp : dy, stat + 2 * i, false, dx, NULL, NULL, n);
        ec__row_put(l, v->t, j->at[4], i, n, dx);
    }
}

static enum ec_status backward(const struct ec__run *r)
{
    const struct norm *v = r->data;
    int64_t bytes = stretch(v);

    memset(r->at[7], 0, (size_t)ec__row_scratch(r->k, bytes));
    (void)ec__row_run(r, backward_part, v->rows, r->at[7], bytes);
    if (r->at[5])
        ec__row_add_parts(r, r->at[7], bytes, 0, v->channels, r->at[5]);
    if (r->at[6])
        ec__row_add_parts(r, r->at[7], bytes, v->channels, v->channels, r->at[6]);
    return EC_OK;
}

static struct ec__place d_param(const struct ec_knode *k, int i)
{
    return ec__place_at(i < k->n_param && k->want_d_param[i] ? EC__D_PARAM : EC__NOWHERE, i);
}

static struct ec__place param(const struct ec_knode *k, int i)
{
    return ec__place_at(i < k->n_param ? EC__PARAM : EC__NOWHERE, i);
}

static void build(struct ec__build *b, const struct norm *v)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *s = &k->c->in[0]->shape;
    const struct ec__md *plain = ec__plain(b, k->compute, s->rank, s->d);
    struct ec__place stat = ec__place_at(EC__NOWHERE, 0);
    struct ec__buf x, to, dx;

    ec__build_phase(b, EC_FORWARD);
    if (k->training)
        stat = ec__ws(b, 2 * v->rows * (int64_t)sizeof(float));
    x = ec__as(b, ec__at_in(b, 0), plain, k->training);
    EC__CALL_OWN(b, forward, v, x.place, ec__place_at(EC__OUT, 0), param(k, 0), param(k, 1), stat,
                 ec__scratch(b, ec__row_scratch(k, 2 * row_elems(v) * (int64_t)sizeof(float))));
    if (!k->training)
        return;
    ec__build_phase(b, EC_GRAD_DATA);
    to = ec__at_d_in(b, 0);
    dx = ec__stage(b, to, plain);
    EC__CALL_OWN(b, backward, v, x.place, ec__place_at(EC__D_OUT, 0), param(k, 0), stat,
                 k->want_d_in[0] ? dx.place : ec__place_at(EC__NOWHERE, 0), d_param(k, 0),
                 d_param(k, 1), ec__scratch(b, ec__row_scratch(k, stretch(v))));
    if (k->want_d_in[0])
        ec__deliver(b, dx, to);
    k->keep_in[0] = x.place.kind == EC__IN;
    k->d_in_place = k->want_d_in[0] && dx.place.kind == EC__D_IN ? 0 : -1;
}

void ec__group_norm_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *x = &k->c->in[0]->shape;
    struct norm v = { .t = ec__elem_of(k),
                      .channels = x->d[1],
                      .plane = 1,
                      .eps = (float)ec_case_double(k->c, "eps") };
    int i;

    v.groups = ec__op_is(k, "group_norm") ? ec_case_int(k->c, "groups") : v.channels;
    v.rows = x->d[0] * v.groups;
    for (i = 2; i < x->rank; i++)
        v.plane *= x->d[i];
    if (!ec__elems(k->c->in[0]))
        ec__build_fail(b, EC_E_UNSUPPORTED, "no elements");
    for (i = 0; i < k->n_param; i++)
        if (k->param_fmt[i] && k->param_fmt[i]->layout)
            ec__build_fail(b, EC_E_UNSUPPORTED, "parameters that are not plain");
    if (!b->st)
        build(b, &v);
    ec__build_loops(b);
}
