/* Made-up tables to fit to, whose times are known. */
#ifndef TEST_LAB_TABLES_H
#define TEST_LAB_TABLES_H

#include "ask.h"

#include "lab/lab.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS 160

/* A folder with neusight/linear.csv, whose times are `factor` of what is predicted now. */
struct tables {
    char dir[64], sub[96], csv[128], out[2][96], learned[2][96], errors[2][96], rows[2][96];
};

static inline void add_row(struct ec_predictor *p, int i, double factor, struct ec_buf *out)
{
    static const char *const devices[] = { "t4", "v100-sxm2-16gb" };
    int m = 64 << i % 6, n = 32 << i / 6 % 6, k = 16 << i / 36;
    struct ec_predict_opts o = options(0);
    const char *device = devices[i % 2];
    char text[100];

    (void)snprintf(text, sizeof text, "linear m=%d k=%d n=%d", m, k, n);
    o.cond.mode = 2;
    ec_buf_printf(out, "%s,1,%d,%d,%d,train,0,%.9g\n", device, m, k, n,
                  1e-6 * factor * ask_op(p, text, device, &o).step_time_ns.p50);
}

static inline bool open_tables(struct tables *t, double factor)
{
    struct ec_predictor *p = predictor();
    struct ec_buf csv = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int i;

    (void)snprintf(t->dir, sizeof t->dir, "/tmp/ec-test-fit-XXXXXX");
    if (!mkdtemp(t->dir))
        return false;
    (void)snprintf(t->sub, sizeof t->sub, "%s/neusight", t->dir);
    (void)ec_snprintf(t->csv, sizeof t->csv, "%s/linear.csv", t->sub);
    (void)ec_snprintf(t->out[0], sizeof t->out[0], "%s/one.inc", t->dir);
    (void)ec_snprintf(t->out[1], sizeof t->out[1], "%s/two.inc", t->dir);
    (void)ec_snprintf(t->learned[0], sizeof t->learned[0], "%s/one.bin", t->dir);
    (void)ec_snprintf(t->learned[1], sizeof t->learned[1], "%s/two.bin", t->dir);
    for (i = 0; i < 2; i++) {
        (void)ec_snprintf(t->errors[i], sizeof t->errors[i], "%s/errors%d.csv", t->dir, i);
        (void)ec_snprintf(t->rows[i], sizeof t->rows[i], "%s/rows%d.csv", t->dir, i);
    }
    ec_buf_str(&csv, "device,batch_count,rows_m,inner_k,cols_n,split,above_peak,time_ms\n");
    for (i = 0; i < ROWS; i++)
        add_row(p, i, factor, &csv);
    CHECK(mkdir(t->sub, 0700) == 0);
    CHECK_OK(ec_file_write(t->csv, csv.data, csv.len, &err));
    ec_buf_clear(&csv);
    ec_predictor_free(p);
    return true;
}

static inline void close_tables(const struct tables *t)
{
    (void)unlink(t->out[0]);
    (void)unlink(t->out[1]);
    (void)unlink(t->learned[0]);
    (void)unlink(t->learned[1]);
    (void)unlink(t->errors[0]);
    (void)unlink(t->errors[1]);
    (void)unlink(t->rows[0]);
    (void)unlink(t->rows[1]);
    (void)unlink(t->csv);
    (void)rmdir(t->sub);
    CHECK(rmdir(t->dir) == 0); /* nothing else was written */
}

#endif
