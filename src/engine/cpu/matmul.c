/* Matrix products of two values: batches alike, or a second operand without batch. */
#include "engine/cpu/dense.h"

struct sides {
    struct ec__build *b;
    int64_t batch, m, n, k;
    bool ta, tb; /* given transposed */
};

static bool sizes(struct sides *s, const struct ec_case *c)
{
    const struct ec_shape *x = &c->in[0]->shape, *y = &c->in[1]->shape;
    int64_t xb = 1, yb = 1;
    int i;

    if (x->rank < 2 || y->rank < 2 || !ec__elems(c->in[0]) || !ec__elems(c->in[1]))
        return false;
    s->m = x->d[x->rank - (s->ta ? 1 : 2)];
    s->k = x->d[x->rank - (s->ta ? 2 : 1)];
    s->n = y->d[y->rank - (s->tb ? 2 : 1)];
    for (i = 0; i < x->rank - 2; i++)
        xb *= x->d[i];
    for (i = 0; i < y->rank - 2; i++)
        yb *= y->d[i];
    s->batch = xb;
    if (yb == 1 && !s->ta) {
        s->m *= xb;
        s->batch = 1;
        return true;
    }
    for (i = 0; x->rank == y->rank && i < x->rank - 2; i++)
        if (x->d[i] != y->d[i])
            return false;
    return x->rank == y->rank;
}

/* A value that is (batch, rows, cols), held the other way round when `turned`. */
static struct ec__buf operand(struct sides *s, struct ec__place place, int64_t rows, int64_t cols,
                              bool turned)
{
    const int64_t strides[] = { rows * cols, turned ? 1 : cols, turned ? rows : 1 };
    struct ec__buf r = { place, NULL };

    if (!s->b->st)
        r.md = ec__need(s->b, ec__md_strided(s->b->cpu->lib, s->b->k->arena, s->b->k->compute, 3,
                                             (const int64_t[]){ s->batch, rows, cols }, strides));
    return r;
}

/* The gradient of an operand lies as the operand does: computed turned where that is held turned.
 */
static void backward(struct sides *s)
{
    struct ec_knode *k = s->b->k;
    struct ec__place x = ec__place_at(EC__IN, 0), y = ec__place_at(EC__IN, 1);
    struct ec__place dz = ec__place_at(EC__D_OUT, 0), dx = ec__place_at(EC__D_IN, 0);
    struct ec__place dy = ec__place_at(EC__D_IN, 1);

    ec__build_phase(s->b, EC_GRAD_DATA);
    if (k->want_d_in[0] && !s->ta) /* dz y' */
        ec__product(s->b, operand(s, dz, s->m, s->n, false), operand(s, y, s->n, s->k, !s->tb),
                    operand(s, dx, s->m, s->k, false), 1);
    if (k->want_d_in[0] && s->ta) /* y dz' */
        ec__product(s->b, operand(s, y, s->k, s->n, s->tb), operand(s, dz, s->n, s->m, true),
                    operand(s, dx, s->k, s->m, false), 1);
    if (k->want_d_in[1] && !s->tb) /* x' dz */
        ec__product(s->b, operand(s, x, s->k, s->m, !s->ta), operand(s, dz, s->m, s->n, false),
                    operand(s, dy, s->k, s->n, false), 1);
    if (k->want_d_in[1] && s->tb) /* dz' x */
        ec__product(s->b, operand(s, dz, s->n, s->m, true), operand(s, x, s->m, s->k, s->ta),
                    operand(s, dy, s->n, s->k, false), 1);
    k->keep_in[0] = k->want_d_in[1];
    k->keep_in[1] = k->want_d_in[0];
}

void ec__matmul_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    struct sides s = { .b = b,
                       .ta = ec_case_int(k->c, "transpose_a"),
                       .tb = ec_case_int(k->c, "transpose_b") };

    if (k->in_fmt[0] || k->in_fmt[1] || !sizes(&s, k->c))
        ec__build_fail(b, EC_E_UNSUPPORTED, "operands that are not plain, or broadcast");
    ec__build_phase(b, EC_FORWARD);
    ec__product(b, operand(&s, ec__place_at(EC__IN, 0), s.m, s.k, s.ta),
                operand(&s, ec__place_at(EC__IN, 1), s.k, s.n, s.tb),
                operand(&s, ec__place_at(EC__OUT, 0), s.m, s.n, false), 1);
    if (!b->st && k->training && (k->want_d_in[0] || k->want_d_in[1]))
        backward(&s);
    b->impl = "product";
}
