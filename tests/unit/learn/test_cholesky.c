/* Symmetric systems: solved, and refused where they are not positive definite. */
#include "test.h"

#include "learn/learn_internal.h"

#include <math.h>

TEST(a_system_is_solved)
{
    double a[] = { 4, 2, 0.5, 2, 5, 1, 0.5, 1, 3 }, x[] = { 1, -2, 3 }, b[3] = { 0 };
    int i, k;

    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++)
            b[i] += a[3 * i + k] * x[k];
    CHECK(ec_cholesky_solve(a, b, 3));
    for (i = 0; i < 3; i++)
        CHECK(fabs(b[i] - x[i]) < 1e-12);
}

/* The upper triangle is another's business. */
TEST(the_factor_is_in_the_lower_triangle)
{
    double a[] = { 4, 7, 2, 10 }, v[] = { 2, 7 };

    CHECK(ec_cholesky_factor(a, 2));
    CHECK(a[0] == 2 && a[1] == 7 && a[2] == 1 && a[3] == 3);
    ec_cholesky_lower(a, 2, v);
    CHECK(v[0] == 1 && v[1] == 2);
    ec_cholesky_upper(a, 2, v);
    CHECK(fabs(v[1] - 2.0 / 3) < 1e-15 && fabs(v[0] - (1 - 2.0 / 3) / 2) < 1e-15);
}

TEST(what_is_not_positive_definite_is_refused)
{
    double a[] = { 1, 2, 2, 1 }, zero[] = { 0 }, nan_[] = { (double)NAN };

    CHECK(!ec_cholesky_factor(a, 2));
    CHECK(!ec_cholesky_factor(zero, 1));
    CHECK(!ec_cholesky_factor(nan_, 1));
}
