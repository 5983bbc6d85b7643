/* Gaussian processes against what can be computed otherwise. */
#include "leaks.h"
#include "test.h"

#include <math.h>

#include "learn/learn.h"

#define N 6
#define NOISE 0.01

static const double at[N] = { 0, 0.5, 1.1, 2.0, 2.2, 4.0 };
static const double y[N] = { 0.3, 0.1, -0.2, -0.4, -0.35, 0.5 };

static double covariance(double a, double b)
{
    return exp(-fabs(a - b));
}

/* Without row *ctx; -1: all. */
static double of_rows(const void *ctx, int i, int j)
{
    int out = *(const int *)ctx;
    int a = out >= 0 && i >= out ? i + 1 : i, b = out >= 0 && j >= out ? j + 1 : j;

    return covariance(at[a], at[b]) + (i == j ? NOISE : 0);
}

static double mean_at(const struct ec_gaussian *g, double x, int out, double *ret_unknown)
{
    double k[N], mean;
    int i;

    for (i = 0; i < g->n; i++)
        k[i] = covariance(at[out >= 0 && i >= out ? i + 1 : i], x);
    mean = ec_gaussian_mean(g, k);
    *ret_unknown = covariance(x, x) - ec_gaussian_explained(g, k);
    return mean;
}

TEST(a_row_is_met_up_to_its_noise_and_far_away_nothing_is_known)
{
    struct ec_gaussian g = { 0 };
    struct ec_err err = { 0 };
    int all = -1, i;
    double unknown;

    CHECK_OK(ec_gaussian_init(&g, N, &err));
    CHECK(ec_gaussian_solve(&g, of_rows, &all, y));
    for (i = 0; i < N; i++) {
        CHECK(fabs(mean_at(&g, at[i], -1, &unknown) - y[i]) < 0.05);
        CHECK(unknown > 0 && unknown < NOISE);
    }
    CHECK_NEAR(mean_at(&g, 100, -1, &unknown), 0, 1e-12);
    CHECK_NEAR(unknown, 1, 1e-12);
    ec_gaussian_clear(&g);
}

TEST(leaving_a_row_out_is_what_solving_without_it_gives)
{
    struct ec_gaussian all = { 0 }, less = { 0 };
    struct ec_err err = { 0 };
    double room[N], rest[N], variance, unknown;
    int none = -1, out, i;

    CHECK_OK(ec_gaussian_init(&all, N, &err));
    CHECK_OK(ec_gaussian_init(&less, N - 1, &err));
    CHECK(ec_gaussian_solve(&all, of_rows, &none, y));
    for (out = 0; !test_bad_checks && out < N; out++) {
        double error = ec_gaussian_left_out(&all, out, room, &variance), mean;

        for (i = 0; i < N - 1; i++)
            rest[i] = y[i < out ? i : i + 1];
        CHECK(ec_gaussian_solve(&less, of_rows, &out, rest));
        mean = mean_at(&less, at[out], out, &unknown);
        CHECK_NEAR(error, y[out] - mean, 1e-10);
        CHECK_NEAR(variance, unknown + NOISE, 1e-10);
    }
    ec_gaussian_clear(&all);
    ec_gaussian_clear(&less);
}

static double of_nothing(const void *ctx, int i, int j)
{
    (void)ctx;
    return i == j ? -1 : 0;
}

TEST(what_is_no_covariance_is_refused)
{
    struct ec_gaussian g = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_gaussian_init(&g, 2, &err));
    CHECK(!ec_gaussian_solve(&g, of_nothing, NULL, y));
    ec_gaussian_clear(&g);
}
