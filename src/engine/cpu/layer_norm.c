/* Layer norm and root mean square norm over the trailing dimensions. Forward keeps mean and scale
 * of each row; backward sums the gradients of weight and bias per part of the rows, then over
 * parts. */
#include "engine/cpu/rows.h"

#include <string.h>

struct norm {
    enum ec__elem t;
    int64_t rows, n;
    bool rms;
    float eps;
};

static void forward_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct norm *v = j->data;
    const struct ec__loops *l = j->cpu->loops;
    float *in = (float *)(void *)j->own, *out = in + v->n, *stat = j->at[4];
    int64_t i;

    for (i = begin; i < end; i++) {
        const float *x = ec__row_in(l, v->t, j->at[0], i, v->n, in);
        float *y = ec__row_out(v->t, j->at[1], i, v->n, out), one[2];

        l->norm_row(x, j->at[2], j->at[3], y, v->n, v->eps, v->rms, stat ? stat + 2 * i : one);
        ec__row_put(l, v->t, j->at[1], i, v->n, y);
    }
}

static enum ec_status forward(const struct ec__run *r)
{
    const struct norm *v = r->data;

    return ec__row_run(r, forward_part, v->rows, r->at[5], 2 * v->n * (int64_t)sizeof(float));
}

/* A part's scratch: row of x, of dy, of dx, sums for weight and bias. */
static void backward_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct norm *v = j->data;
    const struct ec__loops *l = j->cpu->loops;
    float *in = (float *)(void *)j->own, *grad = in + v->n, *out = grad + v->n;
    float *dw = out + v->n, *db = dw + v->n;
    const float *stat = j->at[3];
    int64_t i;

    for (i = begin; i < end; i++) {
        const float *x = ec__row_in(l, v->t, j->at[0], i, v->n, in);
        const float *dy = ec__row_in(l, v->t, j->at[1], i, v->n, grad);
        float *dx = j->at[4] ? ec__row_out(v->t, j->at[4], i, v->n, out) : NULL;

        l->norm_row_bwd(x, j->at[2], dy, stat + 2 * i, v->rms, dx, j->at[5] ? dw : NULL,
                        j->at[6] ? db : NULL, v->n);
        if (dx)
            ec__row_put(l, v->t, j->at[4], i, v->n, dx);
    }
}

static int64_t stretch(const struct norm *v)
{
    return 5 * v->n * (int64_t)sizeof(float);
}

static enum ec_status backward(const struct ec__run *r)
{
    const struct norm *v = r->data;
    int64_t bytes = stretch(v);

    memset(r->at[7], 0, (size_t)ec__row_scratch(r->k, bytes));
    (void)ec__row_run(r, backward_part, v->rows, r->at[7], bytes);
    if (r->at[5])
        ec__row_add_parts(r, r->at[7], bytes, 3 * v->n, v->n, r->at[5]);
    if (r->at[6])
        ec__row_add_parts(r, r->at[7], bytes, 4 * v->n, v->n, r->at[6]);
    return EC_OK;
}

static struct ec__place wanted(const struct ec_knode *k, int param, int i)
{
    return ec__place_at(param >= 0 && k->want_d_param[i] ? EC__D_PARAM : EC__NOWHERE, i);
}

static void build(struct ec__build *b, const struct norm *v)
{
    struct ec_knode *k = b->k;
    int w = k->n_param > 0 ? 0 : -1, bias = k->n_param > 1 ? 1 : -1;
    struct ec__place stat = ec__place_at(EC__NOWHERE, 0);

    if (k->training)
        stat = ec__ws(b, 2 * v->rows * (int64_t)sizeof(float));
    ec__build_phase(b, EC_FORWARD);
    EC__CALL_OWN(b, forward, v, ec__place_at(EC__IN, 0), ec__place_at(EC__OUT, 0),
                 ec__place_at(w >= 0 ? EC__PARAM : EC__NOWHERE, w),
                 ec__place_at(bias >= 0 ? EC__PARAM : EC__NOWHERE, bias), stat,
                 ec__scratch(b, ec__row_scratch(k, 2 * v->n * (int64_t)sizeof(float))));
    if (!k->training || !ec_knode_wants(k))
        return;
    ec__build_phase(b, EC_GRAD_DATA);
    EC__CALL_OWN(b, backward, v, ec__place_at(EC__IN, 0), ec__place_at(EC__D_OUT, 0),
                 ec__place_at(w >= 0 ? EC__PARAM : EC__NOWHERE, w), stat,
                 ec__place_at(k->want_d_in[0] ? EC__D_IN : EC__NOWHERE, 0), wanted(k, w, 0),
                 wanted(k, bias, 1), ec__scratch(b, ec__row_scratch(k, stretch(v))));
    k->keep_in[0] = true;
    k->d_in_place = k->want_d_in[0] ? 0 : -1;
}

void ec__layer_norm_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *x = &k->c->in[0]->shape;
    int64_t dims = ec_case_int(k->c, "dims");
    struct norm v = { ec__elem_of(k), 0, 1, ec__op_is(k, "rms_norm"),
                      (float)ec_case_double(k->c, "eps") };
    int64_t i;

    for (i = x->rank - dims; i < x->rank; i++)
        v.n *= x->d[i];
    if (k->in_fmt[0] || v.n < 1 || !ec__elems(k->c->in[0]))
        ec__build_fail(b, EC_E_UNSUPPORTED, "rows that are not plain");
    for (i = 0; i < k->n_param; i++)
        if (k->param_fmt[i] && k->param_fmt[i]->layout)
            ec__build_fail(b, EC_E_UNSUPPORTED, "parameters that are not plain");
    if (b->st || v.n < 1)
        return;
    v.rows = ec__elems(k->c->in[0]) / v.n;
    build(b, &v);
    ec__build_loops(b);
}
