/* A table of linear layers on three devices, each timed at twice its roofline and a launch. */
#ifndef TEST_LINEAR_TABLE_H
#define TEST_LINEAR_TABLE_H

#include "test.h"

#include "hw/hw.h"
#include "learn/learn.h"

#include <math.h>

static inline void write_linear_table(const char *path, int n)
{
    static const char *const devices[] = { "t4", "v100-pcie-16gb", "p100-pcie-16gb" };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, 3);
    ec_buf_str(&out, "device,batch_count,rows_m,inner_k,cols_n,split,time_ms\n");
    for (i = 0; i < n; i++) {
        const struct ec_device *d = NULL;
        double m = (double)(32 << ec_rng_range(&rng, 0, 7));
        double k = (double)ec_rng_range(&rng, 64, 4096), c = (double)ec_rng_range(&rng, 64, 4096);

        CHECK_OK(ec_device_find(devices[i % 3], &d, &err));
        ec_buf_printf(&out, "%s,1,%.0f,%.0f,%.0f,train,%.6f\n", devices[i % 3], m, k, c,
                      0.01 + 2 * fmax(2e3 * m * k * c / d->fp32_flop_per_s.value,
                                      4e3 * (m * k + k * c + m * c) / d->memory_bytes_per_s.value));
    }
    CHECK_OK(ec_file_write(path, out.data, out.len, &err));
    ec_buf_clear(&out);
}

#endif
