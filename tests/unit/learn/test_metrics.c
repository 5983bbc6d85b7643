/* Error metrics against values worked out by hand. */
#include "test.h"

#include "learn/learn.h"

TEST(quantiles_interpolate_between_order_statistics)
{
    double v[] = { 40, 10, 30, 20 }, one[] = { 7 };

    CHECK_NEAR(ec_quantile_inplace(v, 4, 0), 10, 0);
    CHECK_NEAR(v[0], 10, 0);
    CHECK_NEAR(v[3], 40, 0);
    CHECK_NEAR(ec_quantile_inplace(v, 4, 0.5), 25, 1e-15);
    CHECK_NEAR(ec_quantile_inplace(v, 4, 0.9), 37, 1e-15);
    CHECK_NEAR(ec_quantile_inplace(v, 4, 1), 40, 0);
    CHECK_NEAR(ec_quantile_inplace(one, 1, 0.9), 7, 0);
}

TEST(metrics_of_four_rows)
{
    static const double measured[] = { 100, 200, 400, 100 };
    static const double predicted[] = { 110, 180, 400, 150 };
    static const double lo[] = { 90, 185, 400, 140 };
    static const double hi[] = { 120, 210, 400, 160 };
    struct ec_metrics m = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_metrics_compute(measured, predicted, lo, hi, 4, &m, &err));
    CHECK_INT(m.n, 4);
    CHECK_NEAR(m.median_ape, 0.1, 1e-12); /* of 0.1 0.1 0 0.5 */
    CHECK_NEAR(m.mean_ape, 0.175, 1e-12);
    CHECK_NEAR(m.p90_ape, 0.1 + 0.7 * 0.4, 1e-12);
    CHECK_NEAR(m.worst_ape, 0.5, 1e-12);
    CHECK_NEAR(m.rmse, sqrt((100 + 400 + 0 + 2500) / 4.0), 1e-12);
    CHECK_NEAR(m.mae, 20, 1e-12);
    CHECK_NEAR(m.r2, 1 - 3000.0 / 60000.0, 1e-12); /* mean 200: 10000 + 0 + 40000 + 10000 */
    CHECK_NEAR(m.bias, 1.05, 1e-12);               /* of 1.1 0.9 1 1.5 */
    CHECK_NEAR(m.coverage, 0.75, 1e-12);           /* bounds belong to the interval */
}

TEST(metrics_without_rows_or_intervals)
{
    static const double same[] = { 5, 5 };
    const double unknown[] = { (double)NAN, (double)NAN };
    struct ec_metrics m = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_metrics_compute(NULL, NULL, NULL, NULL, 0, &m, &err));
    CHECK_INT(m.n, 0);
    CHECK_NEAR(m.worst_ape, 0, 0);
    CHECK_OK(ec_metrics_compute(same, same, NULL, NULL, 2, &m, &err));
    CHECK_NEAR(m.coverage, 0, 0);
    CHECK_NEAR(m.mean_ape, 0, 0);
    CHECK(isnan(m.r2)); /* measured values that do not differ explain nothing */
    CHECK_NEAR(m.bias, 1, 0);
    CHECK_OK(ec_metrics_compute(same, same, unknown, unknown, 2, &m, &err));
    CHECK(isnan(m.coverage));
}

static enum ec_status compute(struct ec_err *err)
{
    static const double v[] = { 1, 2 };
    struct ec_metrics m;

    return ec_metrics_compute(v, v, NULL, NULL, 2, &m, err);
}

TEST(metrics_with_each_allocation_failing)
{
    CHECK_TORTURE(compute);
}
