/* Error metrics and quantiles. */
#include "learn/learn.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

double ec_quantile_inplace(double *v, int n, double q)
{
    double at = q * (n - 1);
    int lo = (int)at;

    assert(n > 0 && q >= 0 && q <= 1);
    qsort(v, (size_t)n, sizeof *v, ec_by_double);
    if (lo + 1 >= n)
        return v[n - 1];
    return v[lo] + (at - lo) * (v[lo + 1] - v[lo]);
}

enum ec_status ec_metrics_compute(const double *measured, const double *predicted, const double *lo,
                                  const double *hi, int n, struct ec_metrics *ret,
                                  struct ec_err *err)
{
    double *v, mean = 0, ss_res = 0, ss_tot = 0, abs_sum = 0;
    struct ec_metrics m = { 0 };
    int i, inside = 0;

    m.n = n;
    m.r2 = (double)NAN;
    if (n == 0) {
        *ret = m;
        return EC_OK;
    }
    v = ec_alloc(sizeof *v * (size_t)n);
    EC_PASS(ec_allocated(v, err));
    for (i = 0; i < n; i++)
        mean += measured[i] / n;
    for (i = 0; i < n; i++) {
        double e = predicted[i] - measured[i];

        v[i] = fabs(e) / measured[i];
        m.mean_ape += v[i] / n;
        ss_res += e * e;
        ss_tot += (measured[i] - mean) * (measured[i] - mean);
        abs_sum += fabs(e);
        inside += lo && hi && measured[i] >= lo[i] && measured[i] <= hi[i];
    }
    m.median_ape = ec_quantile_inplace(v, n, 0.5);
    m.p90_ape = ec_quantile_inplace(v, n, 0.9);
    m.worst_ape = v[n - 1];
    for (i = 0; i < n; i++)
        v[i] = predicted[i] / measured[i];
    m.bias = ec_quantile_inplace(v, n, 0.5);
    m.rmse = sqrt(ss_res / n);
    m.mae = abs_sum / n;
    m.r2 = ss_tot > 0 ? 1 - ss_res / ss_tot : (double)NAN;
    m.coverage = lo && isnan(lo[0]) ? lo[0] : (double)inside / n;
    ec_free(v);
    *ret = m;
    return EC_OK;
}
