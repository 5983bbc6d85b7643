/* Operators that read or write by index. An index out of range is an error of the input. */
#include "engine/ref/ref_internal.h"

#include <math.h>
#include <string.h>

/* --- gather: (outer, extent, inner) and n indices -> (outer, n, inner) --- */

/* A row of `inner` elements at index `at` of block `o`: taken, or given back. */
static void gather_rows(const struct ec_knode *k, const struct ec_kargs *a,
                        const struct ec__ref_lines *l, int64_t at, int64_t i, bool back)
{
    int64_t n = ec__ref_elems(k->c->in[1]), size = ec__ref_size(k->c->in[0]), o, j;

    for (o = 0; o < l->outer; o++) {
        int64_t x = (o * l->n + at) * l->inner, y = (o * n + i) * l->inner;

        if (!back)
            memcpy((char *)a->out[0] + y * size, (const char *)a->in[0] + x * size,
                   (size_t)(l->inner * size));
        for (j = 0; back && j < l->inner; j++)
            ((real *)a->d_in[0])[x + j] += ((const real *)a->d_out[0])[y + j];
    }
}

static enum ec_status gather_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct ec__ref_lines l = ec__ref_lines_of(&call->c->in[0]->shape, ec_case_axis(call->c));
    int64_t n = ec__ref_elems(call->c->in[1]), at = 0, i;
    bool back = call->phase == EC_GRAD_DATA;

    if (back) {
        ec__ref_clear_d_in(call, 0);
        ec__ref_clear_d_in(call, 1);
    }
    for (i = 0; (!back || a->d_in[0]) && i < n; i++) {
        EC_PASS(ec__ref_index(call->c, 1, a->in[1], i, l.n, true, &at, call->err));
        gather_rows(call->k, a, &l, at, i, back);
    }
    return EC_OK;
}

/* --- gather_elements: y[i][j] = x[index[i][j]][j] along the axis --- */

static enum ec_status gather_elements_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    int axis = ec_case_axis(call->c), i;
    const struct ec_shape *x = &call->c->in[0]->shape, *y = &call->c->in[1]->shape;
    int64_t n = ec__ref_elems(call->c->in[1]), at = 0, e;
    bool back = call->phase == EC_GRAD_DATA;

    if (back) {
        ec__ref_clear_d_in(call, 0);
        ec__ref_clear_d_in(call, 1);
    }
    for (e = 0; (!back || a->d_in[0]) && e < n; e++) {
        int64_t from = 0, rest = e, stride = 1;

        EC_PASS(ec__ref_index(call->c, 1, a->in[1], e, x->d[axis], true, &at, call->err));
        for (i = y->rank - 1; i >= 0; i--) {
            from += (i == axis ? at : rest % y->d[i]) * stride;
            rest /= y->d[i];
            stride *= x->d[i];
        }
        if (back)
            ((real *)a->d_in[0])[from] += ((const real *)a->d_out[0])[e];
        else
            ec__ref_store(call->c->out[0], a->out[0], e,
                          ec__ref_load(call->c->in[0], a->in[0], from));
    }
    return EC_OK;
}

/* --- one_hot --- */

static enum ec_status one_hot_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    int64_t depth = ec_case_int(call->c, "depth"), n = ec__ref_elems(call->c->in[0]), at = 0, i;

    if (call->phase == EC_GRAD_DATA)
        ec__ref_clear_d_in(call, 0);
    if (call->phase != EC_FORWARD)
        return EC_OK;
    memset(a->out[0], 0, sizeof(real) * (size_t)(n * depth));
    for (i = 0; i < n; i++) {
        EC_PASS(ec__ref_index(call->c, 0, a->in[0], i, depth, false, &at, call->err));
        ((real *)a->out[0])[i * depth + at] = 1;
    }
    return EC_OK;
}

/* --- embedding: ids -> rows of the table (num, dim) --- */

static enum ec_status embedding_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    int64_t num = ec_case_int(call->c, "num"), dim = ec_case_int(call->c, "dim");
    int64_t n = ec__ref_elems(call->c->in[0]), id = 0, i, j;
    real *grad = call->phase == EC_GRAD_WEIGHT ? a->d_param[0] : NULL;

    if (call->phase == EC_GRAD_DATA)
        ec__ref_clear_d_in(call, 0);
    if (call->phase != EC_FORWARD && !grad)
        return EC_OK;
    if (grad)
        memset(grad, 0, sizeof *grad * (size_t)(num * dim));
    for (i = 0; i < n; i++) {
        EC_PASS(ec__ref_index(call->c, 0, a->in[0], i, num, false, &id, call->err));
        if (!grad)
            memcpy((real *)a->out[0] + i * dim, (const real *)a->param[0] + id * dim,
                   sizeof(real) * (size_t)dim);
        for (j = 0; grad && j < dim; j++)
            grad[id * dim + j] += ((const real *)a->d_out[0])[i * dim + j];
    }
    return EC_OK;
}

/* --- positional_encoding: x (n, t, c) + table (t, c), learned or of sines and cosines --- */

static bool position_prepare(struct ec_knode *k)
{
    k->d_out_is_d_in = k->n_param == 0 || !k->want_d_param[0];
    return true;
}

/* sin(t / 10000^(i / c)) at even i, the cosine of the same at the odd one after it */
static double wave(int64_t t, int64_t i, int64_t c)
{
    double angle = (double)t * pow(10000, -(double)(i - i % 2) / (double)c);

    return i % 2 ? cos(angle) : sin(angle);
}

static enum ec_status position_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    const struct ec_shape *s = &call->c->in[0]->shape;
    int64_t row = s->d[1] * s->d[2], n = s->d[0] * row, i;
    const real *table = call->k->n_param ? a->param[0] : NULL;

    if (call->phase == EC_GRAD_WEIGHT && call->k->n_param && a->d_param[0]) {
        memset(a->d_param[0], 0, sizeof(real) * (size_t)ec__ref_elems(call->k->param_type[0]));
        ec__ref_column_sums(a->d_out[0], s->d[0], row, row, a->d_param[0]);
    }
    if (call->phase == EC_GRAD_DATA && a->d_in[0])
        memmove(a->d_in[0], a->d_out[0], sizeof(real) * (size_t)n);
    for (i = 0; call->phase == EC_FORWARD && i < n; i++) {
        double v = table ? (double)table[i % row] : wave(i % row / s->d[2], i % s->d[2], s->d[2]);

        ((real *)a->out[0])[i] = (real)((double)((const real *)a->in[0])[i] + v);
    }
    return EC_OK;
}

EC__REF_KERNEL(embedding, .keeps_in = 1, .split_backward = true, .run = embedding_run)
EC__REF_KERNEL(gather, .keeps_in = 2, .run = gather_run)
EC__REF_KERNEL(gather_elements, .keeps_in = 2, .run = gather_elements_run)
EC__REF_KERNEL(one_hot, .run = one_hot_run)
EC__REF_KERNEL(positional_encoding, .split_backward = true, .prepare = position_prepare,
               .run = position_run)
