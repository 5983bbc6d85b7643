/* Matrix product with numpy's rules: leading dimensions broadcast, vectors gain a dimension that
 * the result loses again. And the product of rows that are divided among matrices, as experts have.
 */
#include "op/op_internal.h"

/* One operand as batch dimensions, rows and columns. */
struct operand {
    struct ec_shape batch;
    int64_t rows, cols;
};

static struct operand operand_of(const struct ec_shape *s, bool transposed, bool vector_is_row)
{
    struct operand o = {
        {0, { 0 }},
        1, 1
    };

    if (s->rank == 1) {
        *(vector_is_row ? &o.cols : &o.rows) = s->d[0];
        return o;
    }
    o.batch = ec_shape_make(s->rank - 2, s->d);
    o.rows = s->d[s->rank - (transposed ? 1 : 2)];
    o.cols = s->d[s->rank - (transposed ? 2 : 1)];
    return o;
}

static struct operand first_of(const struct ec_case *c)
{
    const struct matmul_attrs *a = c->attrs;

    return operand_of(&c->in[0]->shape, a->transpose_a, true);
}

static struct operand second_of(const struct ec_case *c)
{
    const struct matmul_attrs *a = c->attrs;

    return operand_of(&c->in[1]->shape, a->transpose_b, false);
}

/* (B,M,K)(B,K,N) -> (B,M,N) */
static enum ec_status matmul_shape(const struct ec_case *c, struct ec_err *err)
{
    struct operand a, b;
    struct ec_shape y = { 0 };
    char ta[200], tb[200];

    EC_PASS(ec__rank_is(c, 0, 1, EC_RANK_MAX, err));
    EC_PASS(ec__rank_is(c, 1, 1, EC_RANK_MAX, err));
    a = first_of(c);
    b = second_of(c);
    if (a.cols != b.rows)
        return ec_fail(err, EC_E_SHAPE, "inner dimensions differ: %lld of %s and %lld of %s",
                       (long long)a.cols, ec_shape_text(&c->in[0]->shape, ta, sizeof ta),
                       (long long)b.rows, ec_shape_text(&c->in[1]->shape, tb, sizeof tb));
    EC_PASS(ec__broadcast(&a.batch, &b.batch, &y, err));
    if (c->in[0]->shape.rank > 1)
        y.d[y.rank++] = a.rows;
    if (c->in[1]->shape.rank > 1)
        y.d[y.rank++] = b.cols;
    return ec__set_out(c, 0, &y, c->in[0]->dtype, err);
}

static double count_of(const struct ec_shape *s)
{
    struct ec_type t = { *s, EC_DT_f32 };

    return ec_type_elems(&t);
}

struct size {
    double b, m, n, k;
};

/* A second operand without batch multiplies all rows of the first at once, as frameworks do. */
static struct size size_of(const struct ec_case *c)
{
    const struct matmul_attrs *attrs = c->attrs;
    struct operand a = first_of(c), b = second_of(c);
    struct size s = { 1, (double)a.rows, (double)b.cols, (double)a.cols };

    s.b = ec__ratio(ec__out(c, 0), s.m * s.n);
    if (!attrs->transpose_a && count_of(&b.batch) <= 1) {
        s.m *= s.b;
        s.b = 1;
    }
    return s;
}

/* Product for the gradient of one operand, summed over the batch where that was broadcast. */
static void add_grad(const struct ec_case *c, int input, const struct size *s, struct ec_work *w)
{
    double made = s->b * s->k * (input ? s->n : s->m), mine = ec__in(c, input);
    struct ec_kernel *g = input ? ec__gemm(w, EC_GRAD_DATA, s->b, s->k, s->n, s->m)
                                : ec__gemm(w, EC_GRAD_DATA, s->b, s->m, s->k, s->n);

    g->read_elems = ec__out(c, 0) + ec__in(c, !input);
    g->write_elems = made;
    g->for_input = input + 1;
    if (mine < made)
        ec__reduce(w, EC_GRAD_DATA, mine, ec__ratio(made, mine))->for_input = input + 1;
}

static void products(const struct ec_case *c, enum ec_phase p, const struct size *s,
                     struct ec_work *w)
{
    if (p == EC_FORWARD) {
        struct ec_kernel *g = ec__gemm(w, p, s->b, s->m, s->n, s->k);

        g->read_elems = ec__in_all(c);
        g->write_elems = ec__out(c, 0);
    }
    if (p == EC_GRAD_DATA) {
        add_grad(c, 0, s, w);
        add_grad(c, 1, s, w);
    }
}

static void matmul_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    struct size s = size_of(c);

    products(c, p, &s, w);
}

/* Products of attention, and of plain matrices. */
static void matmul_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    static const int64_t heads[] = { 32, 64, 64, 80, 128 };
    int64_t d = ec__draw_of(r, heads, EC_LEN(heads)), t = ec__draw_log(r, 16, 1024);
    int64_t b = ec__draw_log(r, 1, 512), m = t, n = t, k = d;

    if (ec__draw_chance(r, 25)) {
        n = d;
        k = t;
    } else if (ec__draw_chance(r, 50)) {
        b = 1;
        m = ec__draw_log(r, 16, 8192);
        n = ec__draw_width(r, 16, 8192);
        k = ec__draw_width(r, 16, 8192);
    }
    ec_buf_printf(out, "%s x=%lldx%lldx%lld y=%lldx%lldx%lld", op->name, (long long)b, (long long)m,
                  (long long)k, (long long)b, (long long)k, (long long)n);
}

EC__OP(matmul) = {
    .name = "matmul",
    .aliases = "gemm bmm",
    .help = "matrix product of the last two dimensions, batch dimensions broadcast",
    EC__ATTRS(matmul, matmul_fields),
    .inputs = "x; y",
    .dims = "b m k; b k n",
    .shape = matmul_shape,
    .work = matmul_work,
    .saved = ec__saved_factors,
    .sample = matmul_sample,
    .example = "matmul x=8x12x128x64 y=8x12x64x128",
};

/* --- grouped_matmul: rows in the order of their matrices; how many each has is known to data
 * alone, and all are taken to have as many --- */

static struct size grouped_size(const struct ec_case *c)
{
    const struct grouped_matmul_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape, *y = &c->in[1]->shape;
    struct size s = { .b = (double)y->d[0], .k = (double)x->d[1] };

    s.m = ec__ratio((double)x->d[0], s.b);
    s.n = (double)y->d[a->transpose_b ? 1 : 2];
    return s;
}

/* (M,K)(E,K,N) -> (M,N) */
static enum ec_status grouped_shape(const struct ec_case *c, struct ec_err *err)
{
    const struct grouped_matmul_attrs *a = c->attrs;
    const struct ec_shape *x = &c->in[0]->shape, *y = &c->in[1]->shape;
    struct ec_shape z = { .rank = 2 };
    char tx[200], ty[200];

    EC_PASS(ec__rank_is(c, 0, 2, 2, err));
    EC_PASS(ec__rank_is(c, 1, 3, 3, err));
    if (x->d[1] != y->d[a->transpose_b ? 2 : 1])
        return ec_fail(err, EC_E_SHAPE, "rows %s do not fit the matrices %s",
                       ec_shape_text(x, tx, sizeof tx), ec_shape_text(y, ty, sizeof ty));
    z.d[0] = x->d[0];
    z.d[1] = y->d[a->transpose_b ? 1 : 2];
    return ec__set_out(c, 0, &z, c->in[0]->dtype, err);
}

static void grouped_work(const struct ec_case *c, enum ec_phase p, struct ec_work *w)
{
    struct size s = grouped_size(c);

    products(c, p, &s, w);
}

static void grouped_sample(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    int64_t k = ec__draw_width(r, 64, 4096);

    ec_buf_printf(out, "%s x=%lldx%lld y=%lldx%lldx%lld", op->name,
                  (long long)ec__draw_log(r, 64, 32768), (long long)k,
                  (long long)ec__draw_log(r, 2, 128), (long long)k,
                  (long long)ec__draw_width(r, 64, 8192));
}

EC__OP(grouped_matmul) = {
    .name = "grouped_matmul",
    .help = "product of rows divided among matrices, evenly",
    EC__ATTRS(grouped_matmul, grouped_matmul_fields),
    .inputs = "x; y",
    .shape = grouped_shape,
    .work = grouped_work,
    .saved = ec__saved_factors,
    .sample = grouped_sample,
    .example = "grouped_matmul x=4096x1024 y=8x1024x3584",
};
