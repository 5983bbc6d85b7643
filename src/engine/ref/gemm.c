/* Matrix product over any strides: blocks are packed, so that one small kernel of vectors serves
 * every transposition. Each product of 4 rows and a vector of columns is summed in order of k, 256
 * at a time: a result depends on neither m nor n. */
#include "engine/ref/ref_internal.h"

#include <string.h>

enum {
    VEC_BYTES = 32,
    NR = VEC_BYTES / (int)sizeof(real), /* columns of the small kernel */
    MR = 4,                             /* its rows */
    MC = 64,                            /* rows packed at once */
    KC = 256                            /* depth packed at once */
};
typedef real vec __attribute__((vector_size(VEC_BYTES)));

struct packed {
    real a[MC * KC]; /* blocks of MR rows: [row / MR][k][row % MR] */
    vec b[KC];       /* NR columns */
};

/* Rows missing from the last block are zero. */
static void pack_a(const struct ec__ref_mat *a, int64_t rows, int64_t depth, real *to)
{
    int64_t block, p;
    int i;

    for (block = 0; block < rows; block += MR) {
        for (p = 0; p < depth; p++)
            for (i = 0; i < MR; i++)
                *to++ = block + i < rows ? a->p[(block + i) * a->row + p * a->col] : 0;
    }
}

static void pack_b(const struct ec__ref_mat *b, int64_t depth, int64_t cols, vec *to)
{
    int64_t p;
    int j;

    for (p = 0; p < depth; p++) {
        const real *from = b->p + p * b->row;
        vec v = { 0 };

        if (b->col == 1 && cols == NR)
            memcpy(&v, from, sizeof v);
        else
            for (j = 0; j < cols; j++)
                v[j] = from[j * b->col];
        to[p] = v;
    }
}

/* acc[i] = sum over p of a[p][i] * b[p] */
static void small_product(const real *a, const vec *b, int64_t depth, vec acc[MR])
{
    vec c0 = { 0 }, c1 = { 0 }, c2 = { 0 }, c3 = { 0 };
    int64_t p;

    for (p = 0; p < depth; p++, a += MR) {
        c0 += a[0] * b[p];
        c1 += a[1] * b[p];
        c2 += a[2] * b[p];
        c3 += a[3] * b[p];
    }
    acc[0] = c0;
    acc[1] = c1;
    acc[2] = c2;
    acc[3] = c3;
}

static void add_block(const vec acc[MR], int64_t rows, int64_t cols, real *c, int64_t ldc)
{
    int64_t i, j;

    for (i = 0; i < rows && i < MR; i++)
        for (j = 0; j < cols; j++)
            c[i * ldc + j] += acc[i][j];
}

struct product {
    int64_t m, n, k;
    struct ec__ref_mat a, b;
    struct ec__ref_out c;
};

/* A block of rows of c, its share of `depth` elements of k. */
static void row_block(const struct product *g, int64_t row, int64_t k0, struct packed *w)
{
    int64_t rows = EC__REF_MIN(g->m - row, MC), depth = EC__REF_MIN(g->k - k0, KC), col, i;
    struct ec__ref_mat a = { g->a.p + row * g->a.row + k0 * g->a.col, g->a.row, g->a.col };

    pack_a(&a, rows, depth, w->a);
    for (col = 0; col < g->n; col += NR) {
        int64_t cols = EC__REF_MIN(g->n - col, NR);
        struct ec__ref_mat b = { g->b.p + k0 * g->b.row + col * g->b.col, g->b.row, g->b.col };

        pack_b(&b, depth, cols, w->b);
        for (i = 0; i < rows; i += MR) {
            vec acc[MR];

            small_product(w->a + i * depth, w->b, depth, acc);
            add_block(acc, rows - i, cols, g->c.p + (row + i) * g->c.ld + col, g->c.ld);
        }
    }
}

/* Other backends run these kernels too, where they have none of their own. */
static void count(struct ec_ctx *ctx, double mac)
{
    if (ctx->backend->flags & EC_BACKEND_REF)
        ((struct ec_ref_ctx *)ctx)->mac += mac;
}

void ec__ref_gemm(struct ec_ctx *ctx, int64_t m, int64_t n, int64_t k, struct ec__ref_mat a,
                  struct ec__ref_mat b, struct ec__ref_out c)
{
    const struct product g = { m, n, k, a, b, c };
    struct packed w;
    int64_t row, k0;

    count(ctx, (double)m * (double)n * (double)k);
    for (row = 0; !c.add && row < m; row++)
        memset(c.p + row * c.ld, 0, sizeof(real) * (size_t)n);
    for (row = 0; row < m; row += MC)
        for (k0 = 0; k0 < k; k0 += KC)
            row_block(&g, row, k0, &w);
}

void ec__ref_column_sums(const real *x, int64_t rows, int64_t n, int64_t ld, real *y)
{
    double sum[64];
    int64_t first, i, j, cols;

    for (first = 0; first < n; first += EC_LEN(sum)) {
        cols = EC__REF_MIN(n - first, EC_LEN(sum));
        memset(sum, 0, sizeof sum);
        for (i = 0; i < rows; i++)
            for (j = 0; j < cols; j++)
                sum[j] += (double)x[i * ld + first + j];
        ec__ref_from_double(sum, y + first, cols);
    }
}

void ec__ref_add_row(real *x, int64_t rows, int64_t n, int64_t ld, const real *b)
{
    int64_t i, j;

    for (i = 0; i < rows; i++)
        for (j = 0; j < n; j++)
            x[i * ld + j] += b[j];
}
