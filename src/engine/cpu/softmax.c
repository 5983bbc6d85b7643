/* Softmax and its logarithm along the last axis. */
#include "engine/cpu/rows.h"

#include <string.h>

/* Elements of a row that count. */
static int64_t used(const struct ec__softmax_rows *s, int64_t row)
{
    int64_t n = s->causal ? row % s->causal + 1 + s->n - s->causal : s->n;

    return n < 1 ? 1 : n > s->n ? s->n : n;
}

static void forward_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct ec__softmax_rows *s = j->data;
    const struct ec__loops *l = j->cpu->loops;
    float *in = (float *)(void *)j->own, *out = in + s->n;
    int64_t i;

    for (i = begin; i < end; i++) {
        int64_t n = used(s, i);
        const float *x = ec__row_in(l, s->t, j->at[0], i, s->n, in);
        float *y = ec__row_out(s->t, j->at[1], i, s->n, out);

        (s->log ? l->log_softmax : l->softmax)(x, y, n);
        if (n < s->n)
            memset(y + n, 0, (size_t)(s->n - n) * sizeof *y);
        ec__row_put(l, s->t, j->at[1], i, s->n, y);
    }
}

static void backward_part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct ec__softmax_rows *s = j->data;
    const struct ec__loops *l = j->cpu->loops;
    float *in = (float *)(void *)j->own, *grad = in + s->n, *out = grad + s->n;
    int64_t i;

    for (i = begin; i < end; i++) {
        const float *y = ec__row_in(l, s->t, j->at[0], i, s->n, in);
        const float *dy = ec__row_in(l, s->t, j->at[1], i, s->n, grad);
        float *dx = ec__row_out(s->t, j->at[2], i, s->n, out);

        (s->log ? l->log_softmax_bwd : l->softmax_bwd)(y, dy, dx, s->n);
        ec__row_put(l, s->t, j->at[2], i, s->n, dx);
    }
}

static int64_t stretch(const struct ec__softmax_rows *s)
{
    return 3 * s->n * (int64_t)sizeof(float);
}

void ec__softmax_forward(struct ec__build *b, struct ec__softmax_rows s, struct ec__place x,
                         struct ec__place y)
{
    EC__CALL_ROWS(b, forward_part, s.rows, stretch(&s), &s, x, y);
}

void ec__softmax_backward(struct ec__build *b, struct ec__softmax_rows s, struct ec__place y,
                          struct ec__place dy, struct ec__place dx)
{
    EC__CALL_ROWS(b, backward_part, s.rows, stretch(&s), &s, y, dy, dx);
}

void ec__softmax_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    const struct ec_shape *x = &k->c->in[0]->shape;
    int64_t axis = ec_case_int(k->c, "axis");
    struct ec__softmax_rows s = { .t = ec__elem_of(k), .log = ec__op_is(k, "log_softmax") };

    if (k->in_fmt[0] || x->rank < 1 || (axis != -1 && axis != x->rank - 1) ||
        !ec__elems(k->c->in[0])) {
        ec__build_fail(b, EC_E_UNSUPPORTED, "not along the last axis of plain values");
        return;
    }
    s.n = x->d[x->rank - 1];
    s.rows = ec__elems(k->c->in[0]) / s.n;
    ec__build_phase(b, EC_FORWARD);
    ec__softmax_forward(b, s, ec__place_at(EC__IN, 0), ec__place_at(EC__OUT, 0));
    k->in_place = 0;
    if (k->training && k->want_d_in[0]) {
        ec__build_phase(b, EC_GRAD_DATA);
        ec__softmax_backward(b, s, ec__place_at(EC__OUT, 0), ec__place_at(EC__D_OUT, 0),
                             ec__place_at(EC__D_IN, 0));
        k->keep_out[0] = true;
        k->d_in_place = 0;
    }
    ec__build_loops(b);
}
