/* The loops of dense networks against plain ones. */
#include "test.h"

#include "learn/learn_internal.h"

#include <math.h>

#define MOST 200

static float a[MOST * MOST], turned[MOST * MOST], b[MOST * MOST], out[MOST * MOST],
    expected[MOST * MOST];

static void fill(float *v, int n, uint64_t seed)
{
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, seed);
    for (i = 0; i < n; i++)
        v[i] = (float)(2 * ec_rng_unit(&rng) - 1);
}

/* Each sum in order of k, each product rounded with the sum it joins. */
static void mul_add_plainly(int m, int k, int n)
{
    int i, j, p;

    fill(expected, m * n, 3);
    for (i = 0; i < m; i++)
        for (j = 0; j < n; j++)
            for (p = 0; p < k; p++)
                expected[i * n + j] = fmaf(a[i * k + p], b[p * n + j], expected[i * n + j]);
}

TEST(products_of_any_shape_have_the_bits_of_plain_loops)
{
    static const int shape[][3] = {
        {1,    1,   1  },
        { 4,   3,   64 },
        { 64,  61,  128},
        { 67,  128, 96 },
        { 3,   200, 17 },
        { 130, 64,  65 },
        { 1,   64,  128},
        { 5,   2,   200}
    };
    int s;

    for (s = 0; s < EC_LEN(shape); s++) {
        int m = shape[s][0], k = shape[s][1], n = shape[s][2];

        fill(a, m * k, 1);
        fill(b, k * n, 2);
        mul_add_plainly(m, k, n);
        fill(out, m * n, 3);
        ec__mul_add(out, a, b, m, k, n);
        CHECK(memcmp(out, expected, sizeof *out * (size_t)(m * n)) == 0);
        ec__transpose(a, m, k, turned);
        fill(out, m * n, 3);
        ec__mul_add_turned(out, turned, b, m, k, n);
        CHECK(memcmp(out, expected, sizeof *out * (size_t)(m * n)) == 0);
    }
}

TEST(transposing_twice_gives_the_matrix_back)
{
    static const int shape[][2] = {
        {1,    7 },
        { 16,  16},
        { 33,  70},
        { 200, 3 }
    };
    int s, i, j;

    for (s = 0; s < EC_LEN(shape); s++) {
        int rows = shape[s][0], cols = shape[s][1];

        fill(a, rows * cols, 4);
        ec__transpose(a, rows, cols, turned);
        for (i = 0; i < rows; i++)
            for (j = 0; j < cols; j++)
                CHECK(turned[j * rows + i] == a[i * cols + j]);
    }
}

TEST(activations_and_their_slopes_are_those_of_the_definition)
{
    float z[101], y[101], slope[101];
    int i;

    for (i = 0; i < EC_LEN(z); i++) {
        z[i] = 0.4F * (float)(i - 50);
        slope[i] = 1;
    }
    ec__activate(EC_ACT_SILU, z, EC_LEN(z), y);
    ec__mul_slopes(EC_ACT_SILU, z, EC_LEN(z), slope);
    for (i = 0; i < EC_LEN(z); i++) {
        double x = (double)z[i], s = 1 / (1 + exp(-x));

        CHECK(fabs((double)y[i] - x * s) < 1e-6 * (1 + fabs(x)));
        CHECK(fabs((double)slope[i] - s * (1 + x * (1 - s))) < 2e-6);
    }
}
