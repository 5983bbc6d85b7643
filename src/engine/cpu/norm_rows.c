/* Layer, root mean square, group and instance norm over plain values, row by row: a row is what
 * shares statistics. Layer norm's weight and bias have an element for each of a row's; those of
 * group norm are per channel, a row being some channels of a sample with their planes, and what
 * comes in another layout is converted once. Forward keeps mean and scale of each row; backward
 * sums the gradients of weight and bias per part of the rows, then over parts. */
#include "engine/cpu/rows.h"

#include <string.h>

struct norm {
    enum ec__elem t;
    int64_t rows, n;         /* n: elements of a row */
    int64_t params;          /* elements of weight or bias */
    int64_t channels, plane; /* of a row, where these are per channel; 0 channels: they are not */
    bool rms;
    float eps;
};

/* First of the parameters' elements that row i meets. */
static int64_t first_param(const struct norm *v, int64_t i)
{
    return v->channels ? i % (v->params / v->channels) * v->channels : 0;
}

/* y = x w + b, channel by channel; w or b may be NULL. x may be y. */
static void per_channel(const struct norm *v, const float *x, const float *w, const float *b,
                        int64_t first, float *y)
{
    int64_t c, i;

    for (c = 0; c < v->channels; c++) {
        float by = w ? w[first + c] : 1.0F, add = b ? b[first + c] : 0.0F;

        for (i = c * v->plane; i < (c + 1) * v->plane; i++)
            y[i] = x[i] * by + add;
    }
}

static void forward_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct norm *v = j->data;
    const struct ec__loops *l = j->cpu->loops;
    const float *w = v->channels ? NULL : j->at[2], *bias = v->channels ? NULL : j->at[3];
    float *in = (float *)(void *)j->own, *out = in + v->n, *stat = j->at[4];
    int64_t i;

    for (i = begin; i < end; i++) {
        const float *x = ec__row_in(l, v->t, j->at[0], i, v->n, in);
        float *y = ec__row_out(v->t, j->at[1], i, v->n, out), one[2];

        l->norm_row(x, w, bias, y, v->n, v->eps, v->rms, stat ? stat + 2 * i : one);
        if (v->channels && j->at[2])
            per_channel(v, y, j->at[2], j->at[3], first_param(v, i), y);
        ec__row_put(l, v->t, j->at[1], i, v->n, y);
    }
}

/* Scratch of a part: sums for weight and bias, rows of x, of dy, of dx, and per channel of dy times
 * weight. */
static int64_t stretch(const struct norm *v)
{
    return (2 * v->params + (v->channels ? 4 : 3) * v->n) * (int64_t)sizeof(float);
}

/* dy of a row into the sums of its channels; tmp: a row. */
static void add_sums(const struct norm *v, const struct ec__loops *l, const float *x,
                     const float *dy, const float *stat, float *dw, float *db, float *tmp)
{
    int64_t c;

    memset(tmp, 0, (size_t)v->n * sizeof *tmp);
    l->norm_row_bwd(x, NULL, dy, stat, false, NULL, tmp, NULL, v->n);
    for (c = 0; c < v->channels; c++) {
        dw[c] += l->row_sum(tmp + c * v->plane, v->plane, 1);
        db[c] += l->row_sum(dy + c * v->plane, v->plane, 1);
    }
}

/* One row of group norm back; dx NULL: not wanted. */
static void channels_back(const struct ec__row_job *j, int64_t i, const float *x, const float *dy,
                          float *dx, float *dw, float *db, float *tmp)
{
    const struct norm *v = j->data;
    const struct ec__loops *l = j->cpu->loops;
    const float *stat = (const float *)j->at[3] + 2 * i;
    int64_t first = first_param(v, i);

    if (j->at[5] || j->at[6])
        add_sums(v, l, x, dy, stat, dw + first, db + first, tmp);
    if (!dx)
        return;
    if (j->at[2])
        per_channel(v, dy, j->at[2], NULL, first, tmp);
    l->norm_row_bwd(x, NULL, j->at[2] ? tmp : dy, stat, false, dx, NULL, NULL, v->n);
}

static void backward_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct norm *v = j->data;
    const struct ec__loops *l = j->cpu->loops;
    float *dw = (float *)(void *)j->own, *db = dw + v->params;
    float *in = db + v->params, *grad = in + v->n, *out = grad + v->n;
    int64_t i;

    for (i = begin; i < end; i++) {
        const float *x = ec__row_in(l, v->t, j->at[0], i, v->n, in);
        const float *dy = ec__row_in(l, v->t, j->at[1], i, v->n, grad);
        float *dx = j->at[4] ? ec__row_out(v->t, j->at[4], i, v->n, out) : NULL;

        if (v->channels)
            channels_back(j, i, x, dy, dx, dw, db, out + v->n);
        else
            l->norm_row_bwd(x, j->at[2], dy, (const float *)j->at[3] + 2 * i, v->rms, dx,
                            j->at[5] ? dw : NULL, j->at[6] ? db : NULL, v->n);
        if (dx)
            ec__row_put(l, v->t, j->at[4], i, v->n, dx);
    }
}

static enum ec_status backward(const struct ec__run *r)
{
    const struct norm *v = r->data;
    int64_t bytes = stretch(v);

    memset(r->at[7], 0, (size_t)ec__row_scratch(r->k, bytes));
    (void)ec__row_run(r, backward_part, v->rows, r->at[7], bytes);
    if (r->at[5])
        ec__row_add_parts(r, r->at[7], bytes, 0, v->params, r->at[5]);
    if (r->at[6])
        ec__row_add_parts(r, r->at[7], bytes, v->params, v->params, r->at[6]);
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
    EC__CALL_ROWS(b, forward_part, v->rows, 2 * v->n * (int64_t)sizeof(float), v, x.place,
                  ec__place_at(EC__OUT, 0), param(k, 0), param(k, 1), stat);
    if (!k->training || !ec_knode_wants(k))
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

/* With n, params, channels and plane known. */
static void rows_build(struct ec__build *b, struct norm *v)
{
    struct ec_knode *k = b->k;
    int i;

    v->t = ec__elem_of(k);
    v->eps = (float)ec_case_double(k->c, "eps");
    if (v->n < 1 || !ec__elems(k->c->in[0]))
        ec__build_fail(b, EC_E_UNSUPPORTED, "no elements");
    for (i = 0; i < k->n_param; i++)
        if (k->param_fmt[i] && k->param_fmt[i]->layout)
            ec__build_fail(b, EC_E_UNSUPPORTED, "parameters that are not plain");
    if (b->st)
        return;
    v->rows = ec__elems(k->c->in[0]) / v->n;
    build(b, v);
    ec__build_loops(b);
}

void ec__layer_norm_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *x = &k->c->in[0]->shape;
    struct norm v = { .n = 1, .rms = ec__op_is(k, "rms_norm") };
    int64_t i;

    for (i = x->rank - ec_case_int(k->c, "dims"); i < x->rank; i++)
        v.n *= x->d[i];
    v.params = v.n;
    if (k->in_fmt[0])
        ec__build_fail(b, EC_E_UNSUPPORTED, "rows that are not plain");
    rows_build(b, &v);
}

void ec__group_norm_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *x = &k->c->in[0]->shape;
    struct norm v = { .params = x->d[1], .channels = 1, .plane = 1 };
    int i;

    if (ec__op_is(k, "group_norm"))
        v.channels = v.params / ec_case_int(k->c, "groups");
    for (i = 2; i < x->rank; i++)
        v.plane *= x->d[i];
    v.n = v.channels * v.plane;
    rows_build(b, &v);
}
