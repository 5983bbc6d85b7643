/* Symmetric positive definite systems: for least squares, and for Gaussian processes. */
#include "learn/learn_internal.h"

#include <assert.h>
#include <math.h>

bool ec_cholesky_factor(double *a, int n)
{
    int i, j, k;

    for (i = 0; i < n; i++) {
        double *row = a + (size_t)i * (size_t)n;

        for (j = 0; j <= i; j++) {
            const double *other = a + (size_t)j * (size_t)n;
            double s = row[j];

            for (k = 0; k < j; k++)
                s -= row[k] * other[k];
            if (i == j && !(s > 0))
                return false;
            row[j] = i == j ? sqrt(s) : s / other[j];
        }
    }
    return true;
}

void ec_cholesky_lower(const double *l, int n, double *v)
{
    int i, k;

    for (i = 0; i < n; i++) {
        const double *row = l + (size_t)i * (size_t)n;

        for (k = 0; k < i; k++)
            v[i] -= row[k] * v[k];
        assert(row[i] > 0); /* factored */
        v[i] /= row[i];
    }
}

void ec_cholesky_upper(const double *l, int n, double *v)
{
    int i, k;

    for (i = n; i-- > 0;) {
        for (k = i + 1; k < n; k++)
            v[i] -= l[(size_t)k * (size_t)n + (size_t)i] * v[k];
        v[i] /= l[(size_t)i * (size_t)n + (size_t)i];
    }
}

bool ec_cholesky_solve(double *a, double *b, int n)
{
    if (!ec_cholesky_factor(a, n))
        return false;
    ec_cholesky_lower(a, n, b);
    ec_cholesky_upper(a, n, b);
    return true;
}
