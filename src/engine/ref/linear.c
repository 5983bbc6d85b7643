/* Linear layers and matrix products. */
#include "engine/ref/ref_internal.h"

/* --- linear: x (rows, k), weight (n, k), bias (n) -> y (rows, n) --- */

void ec__ref_dense_forward(struct ec_ctx *ctx, const struct ec__ref_dense *l, const real *x,
                           const real *w, const real *b, real *y)
{
    ec__ref_gemm(ctx, l->rows, l->n, l->k, ec__ref_mat(x, l->k, 1), ec__ref_mat(w, 1, l->k),
                 ec__ref_set(y, l->n));
    if (b)
        ec__ref_add_row(y, l->rows, l->n, l->n, b);
}

void ec__ref_dense_backward(struct ec_ctx *ctx, const struct ec__ref_dense *l, const real *x,
                            const real *w, const real *dy, real *dx, real *dw, real *db)
{
    if (dx)
        ec__ref_gemm(ctx, l->rows, l->k, l->n, ec__ref_mat(dy, l->n, 1), ec__ref_mat(w, l->k, 1),
                     ec__ref_set(dx, l->k));
    if (dw)
        ec__ref_gemm(ctx, l->n, l->k, l->rows, ec__ref_mat(dy, 1, l->n), ec__ref_mat(x, l->k, 1),
                     ec__ref_set(dw, l->k));
    if (db)
        ec__ref_column_sums(dy, l->rows, l->n, l->n, db);
}

static struct ec__ref_dense linear_of(const struct ec_case *c)
{
    const struct ec_shape *x = &c->in[0]->shape;
    struct ec__ref_dense l = { 1, ec_case_int(c, "n"), x->d[x->rank - 1] };
    int i;

    for (i = 0; i < x->rank - 1; i++)
        l.rows *= x->d[i];
    return l;
}

static bool linear_prepare(struct ec_knode *k)
{
    ec__ref_keep(k, k->want_d_param[0], 0);
    return true;
}

static enum ec_status linear_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct ec__ref_dense l = linear_of(call->c);
    bool bias = call->k->n_param > 1;

    if (call->phase == EC_FORWARD)
        ec__ref_dense_forward(call->ctx, &l, a->in[0], a->param[0], bias ? a->param[1] : NULL,
                              a->out[0]);
    else
        ec__ref_dense_backward(call->ctx, &l, a->in[0], a->param[0], a->d_out[0],
                               call->phase == EC_GRAD_DATA ? a->d_in[0] : NULL,
                               call->phase == EC_GRAD_WEIGHT ? a->d_param[0] : NULL,
                               call->phase == EC_GRAD_WEIGHT && bias ? a->d_param[1] : NULL);
    return EC_OK;
}

/* --- matmul: (batch, m, k)(batch, k, n), batches broadcast --- */

struct product {
    int64_t m, n, k;
    int64_t a_row, a_col, b_row, b_col; /* strides of the operands as they are used */
    struct ec__ref_walk walk;           /* over the batch: y, a, b, in matrices */
};

static struct ec_shape batch_of(const struct ec_shape *s)
{
    return ec_shape_make(s->rank > 2 ? s->rank - 2 : 0, s->d);
}

static struct product product_of(const struct ec_case *c)
{
    const struct ec_shape *x = &c->in[0]->shape, *y = &c->in[1]->shape;
    bool ta = ec_case_int(c, "transpose_a"), tb = ec_case_int(c, "transpose_b");
    struct ec_shape bx = batch_of(x), by = batch_of(y), b = c->out[0]->shape;
    int64_t xr = x->rank > 1 ? x->d[x->rank - 2] : 1, xc = x->d[x->rank - 1];
    int64_t yr = y->rank > 1 ? y->d[y->rank - 2] : y->d[0],
            yc = y->rank > 1 ? y->d[y->rank - 1] : 1;
    struct product p;

    ta = ta && x->rank > 1;
    tb = tb && y->rank > 1;
    p.m = ta ? xc : xr;
    p.k = ta ? xr : xc;
    p.n = tb ? yr : yc;
    p.a_row = ta ? 1 : xc;
    p.a_col = ta ? xc : 1;
    p.b_row = tb ? 1 : yc;
    p.b_col = tb ? yc : 1;
    b.rank -= (x->rank > 1) + (y->rank > 1);
    p.walk = ec__ref_walk_over(&b);
    ec__ref_walk_add(&p.walk, &b);
    ec__ref_walk_add(&p.walk, &bx);
    ec__ref_walk_add(&p.walk, &by);
    return p;
}

static bool matmul_prepare(struct ec_knode *k)
{
    ec__ref_keep(k, (k->want_d_in[1] ? 1u : 0u) | (k->want_d_in[0] ? 2u : 0u), 0);
    return true;
}

/* Buffers of one matrix of the batch: of x, y and the result, or of their gradients. */
struct matrices {
    const real *x, *y, *dz;
    real *z, *dx, *dy;
};

/* Gradients are added: a broadcast operand gets one share per matrix of the batch. */
static void matmul_one(struct ec_ctx *ctx, const struct product *p, const struct matrices *t)
{
    struct ec__ref_mat x = { t->x, p->a_row, p->a_col }, y = { t->y, p->b_row, p->b_col };
    struct ec__ref_mat xt = { t->x, p->a_col, p->a_row }, yt = { t->y, p->b_col, p->b_row };
    struct ec__ref_mat dz = { t->dz, p->n, 1 }, dzt = { t->dz, 1, p->n };

    if (t->z)
        ec__ref_gemm(ctx, p->m, p->n, p->k, x, y, ec__ref_set(t->z, p->n));
    if (t->dx && p->a_col == 1)
        ec__ref_gemm(ctx, p->m, p->k, p->n, dz, yt, ec__ref_add(t->dx, p->k));
    else if (t->dx)
        ec__ref_gemm(ctx, p->k, p->m, p->n, y, dzt, ec__ref_add(t->dx, p->m));
    if (t->dy && p->b_col == 1)
        ec__ref_gemm(ctx, p->k, p->n, p->m, xt, dz, ec__ref_add(t->dy, p->n));
    else if (t->dy)
        ec__ref_gemm(ctx, p->n, p->k, p->m, dzt, x, ec__ref_add(t->dy, p->k));
}

static enum ec_status matmul_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    struct product p = product_of(call->c);
    bool back = call->phase != EC_FORWARD;
    int64_t i;

    if (back) {
        ec__ref_clear_d_in(call, 0);
        ec__ref_clear_d_in(call, 1);
    }
    EC__REF_WALK(&p.walk)
    {
        for (i = 0; i < p.walk.len; i++) {
            int64_t z = (p.walk.off[0] + i * p.walk.step[0]) * p.m * p.n;
            int64_t x = (p.walk.off[1] + i * p.walk.step[1]) * p.m * p.k;
            int64_t y = (p.walk.off[2] + i * p.walk.step[2]) * p.k * p.n;
            struct matrices t = { ec__ref_at(a->in[0], x),
                                  ec__ref_at(a->in[1], y),
                                  back ? ec__ref_at(a->d_out[0], z) : NULL,
                                  back ? NULL : ec__ref_at(a->out[0], z),
                                  back ? ec__ref_at(a->d_in[0], x) : NULL,
                                  back ? ec__ref_at(a->d_in[1], y) : NULL };

            matmul_one(call->ctx, &p, &t);
        }
    }
    return EC_OK;
}

/* --- grouped_matmul: (m, k)(groups, k, n); a group has the rows from m * group / groups on --- */

static enum ec_status grouped_matmul_run(const struct ec__ref_call *call)
{
    const struct ec_kargs *a = call->a;
    const struct ec_shape *x = &call->c->in[0]->shape, *y = &call->c->in[1]->shape;
    bool tb = ec_case_int(call->c, "transpose_b"), back = call->phase != EC_FORWARD;
    struct product p = { .k = x->d[1], .n = y->d[tb ? 1 : 2], .a_row = x->d[1], .a_col = 1 };
    int64_t groups = y->d[0], i;

    p.b_row = tb ? 1 : p.n;
    p.b_col = tb ? p.k : 1;
    if (back) {
        ec__ref_clear_d_in(call, 0);
        ec__ref_clear_d_in(call, 1);
    }
    for (i = 0; i < groups; i++) {
        int64_t first = x->d[0] * i / groups, w = i * p.k * p.n;
        struct matrices t = { ec__ref_at(a->in[0], first * p.k),
                              ec__ref_at(a->in[1], w),
                              back ? ec__ref_at(a->d_out[0], first * p.n) : NULL,
                              back ? NULL : ec__ref_at(a->out[0], first * p.n),
                              back ? ec__ref_at(a->d_in[0], first * p.k) : NULL,
                              back ? ec__ref_at(a->d_in[1], w) : NULL };

        p.m = x->d[0] * (i + 1) / groups - first;
        if (p.m)
            matmul_one(call->ctx, &p, &t);
    }
    return EC_OK;
}

EC__REF_KERNEL(linear, .split_backward = true, .prepare = linear_prepare, .run = linear_run)
EC__REF_KERNEL(matmul, .prepare = matmul_prepare, .run = matmul_run)
EC__REF_KERNEL(grouped_matmul, .prepare = matmul_prepare, .run = grouped_matmul_run)
