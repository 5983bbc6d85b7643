/* What corrections for unseen devices are taught: nothing that is true of one device alone. */
#include "predict/fit_internal.h"
#include "test.h"

#include <math.h>

enum { SIZES = 400 };

/* Of what all devices have in common: more for small shares. */
static double common(double share)
{
    return 0.2 - 0.3 * share * share;
}

/* Rows of a device whose kernels and hosts are off by these logarithms. */
static int add_device(struct ec_effect_row *v, int n, int rows, uint64_t group, int device,
                      double kernel, double host)
{
    int i;

    for (i = 0; i < rows; i++, n++) {
        double share = (double)i / rows;

        v[n] =
            (struct ec_effect_row){ .group = group,
                                    .device = device,
                                    .at = n,
                                    .kernel_share = share,
                                    .value = common(share) + share * kernel + (1 - share) * host };
    }
    return n;
}

TEST(devices_that_differ_by_their_effects_alone_become_alike)
{
    struct ec_effect_row v[2 * SIZES], by_at[2 * SIZES];
    int n = add_device(v, 0, SIZES, 7, 3, 0.2, -0.4), i;
    struct ec_err err = { 0 };
    double sum = 0;

    n = add_device(v, n, SIZES, 7, 1, -0.2, 0.4);
    CHECK_OK(ec__fit_without_devices(v, n, true, &err));
    for (i = 0; i < n; i++)
        by_at[v[i].at] = v[i];
    for (i = 0; i < SIZES; i++) {
        CHECK(fabs(by_at[i].value - by_at[SIZES + i].value) < 0.03);
        sum += fabs(by_at[i].value - common(by_at[i].kernel_share));
    }
    CHECK(sum / SIZES < 0.03); /* the mean of the effects, which is none, remains */
}

TEST(a_group_of_one_device_and_a_device_of_few_rows_keep_their_values)
{
    struct ec_effect_row v[2 * SIZES + 4];
    int n = add_device(v, 0, SIZES, 7, 1, 0.5, 0.5), i;
    struct ec_err err = { 0 };

    n = add_device(v, n, SIZES, 9, 2, -0.5, -0.5);
    n = add_device(v, n, 4, 9, 5, 0.7, 0.7);
    CHECK_OK(ec__fit_without_devices(v, n, true, &err));
    for (i = 0; i < n; i++) {
        double effect = v[i].group == 7 ? 0.5 : v[i].device == 2 ? -0.5 : 0.7;

        CHECK(fabs(v[i].value - common(v[i].kernel_share) - effect) < 1e-9);
    }
}

TEST(kernels_keep_their_effects_where_only_hosts_are_asked)
{
    struct ec_effect_row v[2 * SIZES];
    struct ec_err err = { 0 };
    int n = add_device(v, 0, SIZES, 7, 1, 0.3, 0.6), i;

    n = add_device(v, n, SIZES, 7, 2, -0.3, -0.6);
    CHECK_OK(ec__fit_without_devices(v, n, false, &err));
    for (i = 0; i < n; i++) {
        double kernel = v[i].device == 1 ? 0.3 : -0.3;

        CHECK(fabs(v[i].value - common(v[i].kernel_share) - v[i].kernel_share * kernel) < 0.03);
    }
}
