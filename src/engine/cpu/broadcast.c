/* Sum, difference, product and quotient of values whose shapes differ: rows of the result, each
 * operand's row lying beside it or being one number. Gradients are the same walk; where an operand
 * was repeated its gradient is a sum, kept in float32. Values are plain. */
#include "engine/cpu/rows.h"

#include <string.h>

#define PIECE 1024 /* elements of a row at a time */

enum { X, Y, Z, PLACES };

/* Dimensions of the result, those that lie alike for all three made one. Steps are in elements; 0
 * where an operand is repeated. */
struct grid {
    int rank;
    int64_t size[EC_RANK_MAX], step[EC_RANK_MAX][PLACES];
};

struct spec {
    enum ec__binary f;
    enum ec__elem t;
    struct grid grid;
    int to;           /* which operand's gradient; Z: forward */
    bool summed;      /* ... which is a sum */
    int64_t elems[2]; /* of the operands */
    int cut;          /* dimension that threads share out */
};

struct job {
    const struct spec *s;
    const struct ec__loops *loops;
    const char *in[PLACES]; /* operands; Z: the result, or its gradient when going back */
    char *out;
    float *sum;
};

static bool extend(struct grid *g, int64_t size, const int64_t step[PLACES])
{
    int last = g->rank - 1, p;
    bool joins = last >= 0;

    if (size == 1)
        return true;
    for (p = 0; joins && p < PLACES; p++)
        joins = g->step[last][p] == step[p] * size;
    if (!joins) {
        if (g->rank == EC_RANK_MAX)
            return false;
        last = g->rank++;
        g->size[last] = 1;
    }
    g->size[last] *= size;
    memcpy(g->step[last], step, sizeof g->step[last]);
    return true;
}

/* Steps of a shape under the result's dimension i, shapes being aligned at their ends. */
static int64_t step_of(const struct ec_shape *s, const struct ec_shape *z, int i)
{
    int at = i - (z->rank - s->rank), j;
    int64_t n = 1;

    if (at < 0 || s->d[at] == 1)
        return 0;
    for (j = at + 1; j < s->rank; j++)
        n *= s->d[j];
    return n;
}

static bool make_grid(const struct ec_case *c, struct grid *g)
{
    const struct ec_shape *z = &c->out[0]->shape;
    int i;

    memset(g, 0, sizeof *g);
    for (i = 0; i < z->rank; i++) {
        const int64_t step[PLACES] = { step_of(&c->in[0]->shape, z, i),
                                       step_of(&c->in[1]->shape, z, i), step_of(z, z, i) };

        if (!extend(g, z->d[i], step))
            return false;
    }
    if (!g->rank) {
        g->rank = 1;
        g->size[0] = 1;
    }
    return true;
}

/* n elements of an operand as float32: those of memory, or one number n times. */
static const float *row_of(const struct job *j, int which, int64_t at, int64_t n, float *tmp)
{
    const struct grid *g = &j->s->grid;
    const char *from = j->in[which] + at * ec__elem_bytes(j->s->t);
    int64_t i;
    float one;

    if (g->step[g->rank - 1][which]) {
        if (j->s->t == EC__F32)
            return (const float *)(const void *)from;
        j->loops->to_f32((const uint16_t *)(const void *)from, tmp, n);
        return tmp;
    }
    if (j->s->t == EC__F32)
        one = *(const float *)(const void *)from;
    else
        j->loops->to_f32((const uint16_t *)(const void *)from, &one, 1);
    for (i = 0; i < n; i++)
        tmp[i] = one;
    return tmp;
}

/* What n elements of the result add to the operand's gradient: dz times x or y, or by the rule of
 * quotients dz / y and -dz x / y^2. */
static const float *back_row(const struct job *j, const int64_t at[PLACES], int64_t n,
                             float *dz_tmp, float *tmp, float *made)
{
    const struct spec *s = j->s;
    const struct ec__loops *l = j->loops;
    const float *dz = row_of(j, Z, at[Z], n, dz_tmp);

    if (s->f == EC__B_add || (s->f == EC__B_sub && s->to == X))
        return dz;
    if (s->f == EC__B_sub) {
        l->unary(EC__U_neg, EC__F32, 0, dz, made, n);
        return made;
    }
    if (s->f == EC__B_mul) {
        l->binary(EC__B_mul, EC__F32, dz,
                  row_of(j, s->to == X ? Y : X, at[s->to == X ? Y : X], n, tmp), made, n);
        return made;
    }
    l->binary(EC__B_div, EC__F32, dz, row_of(j, Y, at[Y], n, tmp), made, n);
    if (s->to == X)
        return made;
    l->binary(EC__B_div, EC__F32, made, row_of(j, Y, at[Y], n, tmp), made, n);
    l->binary(EC__B_mul, EC__F32, made, row_of(j, X, at[X], n, tmp), made, n);
    l->unary(EC__U_neg, EC__F32, 0, made, made, n);
    return made;
}

static void put_row(const struct job *j, int64_t at, const float *x, int64_t n)
{
    if (j->s->t == EC__F32)
        memcpy((float *)(void *)j->out + at, x, (size_t)n * sizeof *x);
    else
        j->loops->to_bf16(x, (uint16_t *)(void *)j->out + at, n);
}

static void piece(const struct job *j, const int64_t at[PLACES], int64_t n)
{
    const struct spec *s = j->s;
    float a[PIECE], b[PIECE], c[PIECE];
    const float *made;

    if (s->to == Z) {
        j->loops->binary(s->f, EC__F32, row_of(j, X, at[X], n, a), row_of(j, Y, at[Y], n, b), c, n);
        put_row(j, at[Z], c, n);
        return;
    }
    made = back_row(j, at, n, a, b, c);
    if (!s->summed)
        put_row(j, at[s->to], made, n);
    else if (s->grid.step[s->grid.rank - 1][s->to])
        j->loops->add_to(j->sum + at[s->to], made, n);
    else
        j->sum[at[s->to]] += j->loops->row_sum(made, n, 1);
}

/* Everything whose index in dimension `cut` lies in [begin, end). */
static void part(const void *data, int64_t begin, int64_t end)
{
    const struct job *j = data;
    const struct grid *g = &j->s->grid;
    int64_t first[EC_RANK_MAX], last[EC_RANK_MAX], i[EC_RANK_MAX], at[PLACES], k;
    int d, p, inner = g->rank - 1;

    for (d = 0; d < g->rank; d++) {
        i[d] = first[d] = d == j->s->cut ? begin : 0;
        last[d] = d == j->s->cut ? end : g->size[d];
    }
    for (;;) {
        for (k = first[inner]; k < last[inner]; k += PIECE) {
            for (p = 0; p < PLACES; p++)
                for (at[p] = k * g->step[inner][p], d = 0; d < inner; d++)
                    at[p] += i[d] * g->step[d][p];
            piece(j, at, last[inner] - k < PIECE ? last[inner] - k : PIECE);
        }
        for (d = inner - 1; d >= 0 && ++i[d] == last[d]; d--)
            i[d] = first[d];
        if (d < 0)
            return;
    }
}

/* The longest dimension that parts do not meet in: any going forward, one of the operand's own for
 * a sum. -1: there is none. */
static int cut_of(const struct spec *s)
{
    int d, best = -1;

    for (d = 0; d < s->grid.rank; d++)
        if ((s->to == Z || s->grid.step[d][s->to]) &&
            (best < 0 || s->grid.size[d] > s->grid.size[best]))
            best = d;
    return best;
}

static void narrow_part(const void *data, int64_t begin, int64_t end)
{
    const struct job *j = data;

    put_row(j, begin, j->sum + begin, end - begin);
}

static enum ec_status run(const struct ec__run *r)
{
    const struct spec *s = r->data;
    struct job j = {
        s, r->cpu->loops, {r->at[0], r->at[1], r->at[2]},
          r->at[3], r->at[4]
    };
    int64_t n = s->to == Z ? 0 : s->elems[s->to];

    if (s->summed && s->t == EC__F32)
        j.sum = (float *)(void *)j.out;
    if (s->summed)
        memset(j.sum, 0, (size_t)n * sizeof *j.sum);
    if (s->cut >= 0)
        ec__threads_run(r->cpu, s->grid.size[s->cut], s->cut == s->grid.rank - 1 ? 64 : 1, part,
                        &j);
    else
        part(&j, 0, 0);
    if (s->summed && s->t != EC__F32)
        ec__threads_run(r->cpu, n, PIECE, narrow_part, &j);
    return EC_OK;
}

static bool kind_of(const struct ec_knode *k, enum ec__binary *ret)
{
    static const struct {
        const char *name;
        enum ec__binary f;
    } known[] = {
        {"add",  EC__B_add},
        { "sub", EC__B_sub},
        { "mul", EC__B_mul},
        { "div", EC__B_div}
    };
    int i;

    for (i = 0; i < EC_LEN(known); i++)
        if (ec__op_is(k, known[i].name)) {
            *ret = known[i].f;
            return true;
        }
    return false;
}

static void backward(struct ec__build *b, struct spec s)
{
    struct ec_knode *k = b->k;
    bool products = s.f == EC__B_mul || s.f == EC__B_div;
    int i;

    ec__build_phase(b, EC_GRAD_DATA);
    for (i = 0; i < 2; i++) {
        struct ec__place in[2] = {
            {EC__NOWHERE,  0},
            { EC__NOWHERE, 0}
        };
        bool needs[2] = { products && i == Y, products && (i == X || s.f == EC__B_div) };
        int n;

        if (!k->want_d_in[i])
            continue;
        for (n = 0; n < 2; n++)
            if (needs[n]) {
                in[n] = ec__place_at(EC__IN, n);
                k->keep_in[n] = true;
            }
        s.to = i;
        s.summed = s.elems[i] != ec__elems(k->c->out[0]);
        s.cut = cut_of(&s);
        EC__CALL_OWN(
            b, run, &s, in[X], in[Y], ec__place_at(EC__D_OUT, 0), ec__place_at(EC__D_IN, i),
            s.summed && s.t != EC__F32 ? ec__scratch(b, s.elems[i] * (int64_t)sizeof(float))
                                       : ec__place_at(EC__NOWHERE, 0));
    }
}

void ec__broadcast_build(struct ec__build *b)
{
    struct ec_knode *k = b->k;
    struct spec s = { .t = ec__elem_of(k), .to = Z };

    if (!ec_dtype_is_float(k->c->in[0]->dtype) || !ec_dtype_is_float(k->c->in[1]->dtype) ||
        k->in_fmt[0] || k->in_fmt[1] || !ec__elems(k->c->out[0]) || !kind_of(k, &s.f) ||
        !make_grid(k->c, &s.grid))
        ec__build_fail(b, EC_E_UNSUPPORTED, "not plain floats");
    if (b->st)
        return;
    s.elems[0] = ec__elems(k->c->in[0]);
    s.elems[1] = ec__elems(k->c->in[1]);
    s.cut = cut_of(&s);
    ec__build_phase(b, EC_FORWARD);
    EC__CALL_OWN(b, run, &s, ec__place_at(EC__IN, 0), ec__place_at(EC__IN, 1),
                 ec__place_at(EC__NOWHERE, 0), ec__place_at(EC__OUT, 0),
                 ec__place_at(EC__NOWHERE, 0));
    if (k->training)
        backward(b, s);
    ec__build_loops(b);
}
