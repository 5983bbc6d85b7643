/* linear and matmul: shapes, counts, refusals, and loops that count multiply-adds. */
#include "op/case.h"

TEST(linear_counts)
{
    struct ec_owned_case c = { 0 };
    struct ec_kernel k;

    if (!case_open("linear m=4096 k=768 n=3072", &c))
        return;
    CHECK_NEAR(case_mac(&c.c, EC_FORWARD), 4096.0 * 768 * 3072, 0);
    CHECK_NEAR(case_mac(&c.c, EC_GRAD_DATA), 4096.0 * 768 * 3072, 0);
    CHECK_NEAR(case_mac(&c.c, EC_GRAD_WEIGHT), 4096.0 * 768 * 3072, 0);
    CHECK_NEAR(case_params(&c.c), 768 * 3072 + 3072, 0);
    k = case_kernel(&c.c, EC_FORWARD, 0);
    CHECK_NEAR(k.flop, 2 * k.mac + 4096.0 * 3072, 0);
    CHECK_NEAR(k.weight_elems, 768 * 3072 + 3072, 0);
    k = case_kernel(&c.c, EC_GRAD_WEIGHT, 0);
    CHECK_NEAR(k.m, 3072, 0);
    CHECK_NEAR(k.n, 768, 0);
    CHECK_NEAR(k.k, 4096, 0);
    CHECK_INT(case_kernel(&c.c, EC_GRAD_WEIGHT, 1).kclass, EC_K_REDUCE);
    ec_case_clear(&c);
}

TEST(matmul_shapes)
{
    CHECK_SHAPE("matmul x=8x12x128x64 y=8x12x64x128", "8x12x128x128");
    CHECK_SHAPE("matmul x=128x64 y=64x32", "128x32");
    CHECK_SHAPE("matmul x=5x1x4x3 y=7x3x2", "5x7x4x2");
    CHECK_SHAPE("gemm m=4 k=3 n=2", "1x4x2"); /* an alias, and one product where no batch is told */
    CHECK_SHAPE("matmul x=3 y=3", "scalar");
    CHECK_SHAPE("matmul x=3 y=5x3x2", "5x2");
    CHECK_SHAPE("matmul x=5x2x3 y=3", "5x2");
    CHECK_SHAPE("matmul x=5x3x2 y=3x7 transpose_a=1", "5x2x7");
    CHECK_SHAPE("matmul x=5x2x3 y=7x3 transpose_b=1", "5x2x7");
    CHECK_REFUSED("matmul x=4x3 y=4x3", EC_E_SHAPE,
                  "inner dimensions differ: 3 of 4x3 and 4 of 4x3");
    CHECK_REFUSED("matmul x=2x4x3 y=3x3x4", EC_E_SHAPE, "cannot be broadcast");
    CHECK_REFUSED("matmul x=scalar y=3x3", EC_E_SHAPE, "at least 1");
    CHECK_REFUSED("matmul x=1000000000x1 y=1x10000000000", EC_E_SHAPE, "2^60");
}

/* A weight without batch dimensions is one product over all rows. */
TEST(matmul_folds_rows)
{
    struct ec_owned_case c = { 0 };
    struct ec_kernel k;

    if (!case_open("matmul x=8x128x64 y=64x32", &c))
        return;
    k = case_kernel(&c.c, EC_FORWARD, 0);
    CHECK_NEAR(k.b, 1, 0);
    CHECK_NEAR(k.m, 1024, 0);
    k = case_kernel(&c.c, EC_GRAD_DATA, 1);
    CHECK_INT(k.for_input, 2);
    CHECK_NEAR(k.k, 1024, 0);
    CHECK_NEAR(k.write_elems, 64 * 32, 0);
    ec_case_clear(&c);
}

TEST(matmul_sums_gradients_of_broadcast_operands)
{
    struct ec_owned_case c = { 0 };
    struct ec_kernel k;

    if (!case_open("matmul x=4x16 y=8x16x32", &c))
        return;
    k = case_kernel(&c.c, EC_GRAD_DATA, 1);
    CHECK_INT(k.kclass, EC_K_REDUCE);
    CHECK_INT(k.for_input, 1);
    CHECK_NEAR(k.m, 64, 0);
    CHECK_NEAR(k.n, 8, 0);
    CHECK_INT(case_kernel(&c.c, EC_GRAD_DATA, 2).for_input, 2);
    ec_case_clear(&c);
}

/* Rows that are divided among matrices are as many products of a part of them, also where the part
 * is no whole number; each matrix is read once. */
TEST(grouped_matmul_counts)
{
    struct ec_owned_case c = { 0 };
    struct ec_kernel k;

    if (!case_open("grouped_matmul x=14x8 y=3x32x8 transpose_b=1", &c))
        return;
    CHECK_NEAR(case_mac(&c.c, EC_FORWARD), 14 * 8 * 32, 1e-9);
    CHECK_NEAR(case_mac(&c.c, EC_GRAD_DATA), 2 * 14 * 8 * 32, 1e-9);
    k = case_kernel(&c.c, EC_FORWARD, 0);
    CHECK_NEAR(k.b, 3, 0);
    CHECK_NEAR(k.read_elems, 14 * 8 + 3 * 32 * 8, 0);
    k = case_kernel(&c.c, EC_GRAD_DATA, 1);
    CHECK_INT(k.for_input, 2);
    CHECK_NEAR(k.write_elems, 3 * 8 * 32, 1e-9);
    ec_case_clear(&c);
    CHECK_SHAPE("grouped_matmul x=14x8 y=3x8x5", "14x5");
    CHECK_REFUSED("grouped_matmul x=14x8 y=3x5x8", EC_E_SHAPE,
                  "rows 14x8 do not fit the matrices 3x5x8");
    CHECK_REFUSED("grouped_matmul x=14x8 y=8x5", EC_E_SHAPE, "3");
}

TEST(linear_refusals)
{
    CHECK_REFUSED("linear m=4 k=3", EC_E_INPUT, "n (output features)");
    CHECK_REFUSED("linear m=4 n=3", EC_E_INPUT, "dimension k is missing");
    CHECK_REFUSED("linear m=1 k=1000000000 n=1000000000000", EC_E_SHAPE, "parameter weight");
    CHECK_REFUSED("linear m=1000000000 k=1 n=1000000000000", EC_E_SHAPE, "2^60");
}

/* Loops over leading dimensions, rows, columns and the inner one. */
static int64_t count_product(const int64_t *lead, int n_lead, int64_t m, int64_t n, int64_t k)
{
    int64_t rows = 1, i, j, l, q, count = 0;
    int d;

    for (d = 0; d < n_lead; d++)
        rows *= lead[d];
    for (q = 0; q < rows; q++)
        for (i = 0; i < m; i++)
            for (j = 0; j < n; j++)
                for (l = 0; l < k; l++)
                    count++;
    return count;
}

static void put_operand(struct ec_buf *b, const char *name, const int64_t *lead, int n_lead,
                        int64_t rows, int64_t cols)
{
    int i;

    ec_buf_printf(b, " %s=", name);
    for (i = 0; i < n_lead; i++)
        ec_buf_printf(b, "%lldx", (long long)lead[i]);
    ec_buf_printf(b, "%lldx%lld", (long long)rows, (long long)cols);
}

TEST(matmul_agrees_with_loops)
{
    uint64_t seed;

    for (seed = 1; seed <= 200; seed++) {
        struct ec_rng r;
        struct ec_buf text = EC_BUF_INIT;
        struct ec_owned_case c = { 0 };
        struct ec_err err = { 0 };
        int64_t lead[3], la[3], lb[3], m, n, k, want;
        int n_lead, i;
        bool ta, tb;

        ec_rng_seed(&r, seed);
        n_lead = (int)ec_rng_range(&r, 0, 3);
        m = ec_rng_range(&r, 1, 6);
        n = ec_rng_range(&r, 1, 6);
        k = ec_rng_range(&r, 1, 6);
        ta = ec_rng_range(&r, 0, 1);
        tb = ec_rng_range(&r, 0, 1);
        for (i = 0; i < n_lead; i++) {
            lead[i] = la[i] = lb[i] = ec_rng_range(&r, 1, 4);
            if (ec_rng_range(&r, 0, 2) == 0)
                *(ec_rng_range(&r, 0, 1) ? &la[i] : &lb[i]) = 1;
        }
        ec_buf_str(&text, "matmul");
        put_operand(&text, "x", la, n_lead, ta ? k : m, ta ? m : k);
        put_operand(&text, "y", lb, n_lead, tb ? n : k, tb ? k : n);
        ec_buf_printf(&text, " transpose_a=%d transpose_b=%d", ta, tb);
        want = count_product(lead, n_lead, m, n, k);
        if (ec_case_parse(ec_buf_text(&text), &c, &err))
            test_fail(__FILE__, __LINE__, "seed %d: %s: %s", (int)seed, ec_buf_text(&text),
                      err.text);
        else if ((int64_t)case_mac(&c.c, EC_FORWARD) != want ||
                 (int64_t)case_mac(&c.c, EC_GRAD_DATA) != 2 * want)
            test_fail(__FILE__, __LINE__, "seed %d: %s: %g and %g MAC, want %lld and twice that",
                      (int)seed, ec_buf_text(&text), case_mac(&c.c, EC_FORWARD),
                      case_mac(&c.c, EC_GRAD_DATA), (long long)want);
        ec_case_clear(&c);
        ec_buf_clear(&text);
    }
}

TEST(linear_agrees_with_loops)
{
    struct ec_rng r;
    int i;

    ec_rng_seed(&r, 7);
    for (i = 0; i < 50; i++) {
        int64_t m = ec_rng_range(&r, 1, 20), n = ec_rng_range(&r, 1, 20),
                k = ec_rng_range(&r, 1, 20);
        struct ec_owned_case c = { 0 };
        char text[100];

        (void)snprintf(text, sizeof text, "linear m=%d k=%d n=%d", (int)m, (int)k, (int)n);
        if (!case_open(text, &c))
            continue;
        CHECK_NEAR(case_mac(&c.c, EC_FORWARD), (double)count_product(NULL, 0, m, n, k), 0);
        CHECK_NEAR(case_mac(&c.c, EC_GRAD_DATA), (double)count_product(NULL, 0, m, k, n), 0);
        CHECK_NEAR(case_mac(&c.c, EC_GRAD_WEIGHT), (double)count_product(NULL, 0, n, k, m), 0);
        ec_case_clear(&c);
    }
}
