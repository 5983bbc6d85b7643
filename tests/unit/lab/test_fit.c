/* Fitting on made-up tables: what comes out says what went in, and threads change nothing. */
#include "ask.h"

#include "lab/lab.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS 160

/* A folder with neusight/linear.csv, whose times are `factor` of what is predicted now. */
struct tables {
    char dir[64], sub[96], csv[128], out[2][96], learned[2][96];
};

static void add_row(struct ec_predictor *p, int i, double factor, struct ec_buf *out)
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

static bool open_tables(struct tables *t, double factor)
{
    struct ec_predictor *p = predictor();
    struct ec_buf csv = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int i;

    (void)snprintf(t->dir, sizeof t->dir, "/tmp/ec-test-fit-XXXXXX");
    if (!mkdtemp(t->dir))
        return false;
    (void)snprintf(t->sub, sizeof t->sub, "%s/neusight", t->dir);
    (void)snprintf(t->csv, sizeof t->csv, "%s/linear.csv", t->sub);
    (void)snprintf(t->out[0], sizeof t->out[0], "%s/one.inc", t->dir);
    (void)snprintf(t->out[1], sizeof t->out[1], "%s/two.inc", t->dir);
    (void)snprintf(t->learned[0], sizeof t->learned[0], "%s/one.bin", t->dir);
    (void)snprintf(t->learned[1], sizeof t->learned[1], "%s/two.bin", t->dir);
    ec_buf_str(&csv, "device,batch_count,rows_m,inner_k,cols_n,split,above_peak,time_ms\n");
    for (i = 0; i < ROWS; i++)
        add_row(p, i, factor, &csv);
    CHECK(mkdir(t->sub, 0700) == 0);
    CHECK_OK(ec_file_write(t->csv, csv.data, csv.len, &err));
    ec_buf_clear(&csv);
    ec_predictor_free(p);
    return true;
}

static void close_tables(const struct tables *t)
{
    (void)unlink(t->out[0]);
    (void)unlink(t->out[1]);
    (void)unlink(t->learned[0]);
    (void)unlink(t->learned[1]);
    (void)unlink(t->csv);
    (void)rmdir(t->sub);
    (void)rmdir(t->dir);
}

static void count_words(void *ctx, const char *text)
{
    int *n = ctx;

    CHECK(*text);
    ++*n;
}

static enum ec_status fit(const struct tables *t, int threads, bool quick, struct ec_err *err)
{
    int said = 0;
    struct ec_fit_opts o = { .command = "epochcast-lab physics DIR",
                             .data_dir = t->dir,
                             .out_path = t->out[threads - 1],
                             .learned_path = t->learned[threads - 1],
                             .seed = 1,
                             .threads = threads,
                             .max_rows = 100,
                             .iterations = 2,
                             .quick = quick,
                             .progress = count_words,
                             .progress_ctx = &said };
    enum ec_status st = ec_fit_physics(&o, err);

    CHECK(said > 3);
    return st;
}

static bool same_bytes(const char *a, const char *b)
{
    struct ec_file one = { 0 }, two = { 0 };
    struct ec_err err = { 0 };
    bool same = false;

    if (!ec_file_open(a, 0, &one, &err) && !ec_file_open(b, 0, &two, &err))
        same = one.len > 0 && one.len == two.len && memcmp(one.data, two.data, one.len) == 0;
    ec_file_close(&one);
    ec_file_close(&two);
    return same;
}

TEST(a_fit_tells_what_it_rests_on)
{
    struct ec_err err = { 0 };
    struct ec_file one = { 0 }, two = { 0 };
    struct tables t;

    if (!open_tables(&t, 1.3))
        return;
    CHECK_OK(fit(&t, 1, false, &err));
    CHECK_OK(fit(&t, 2, false, &err));
    CHECK_OK(ec_file_open(t.out[0], 0, &one, &err));
    CHECK_OK(ec_file_open(t.out[1], 0, &two, &err));
    CHECK(one.len == two.len && one.len > 0 && memcmp(one.data, two.data, one.len) == 0);
    CHECK(same_bytes(t.learned[0], t.learned[1]));
    if (one.len) {
        struct ec_buf text = EC_BUF_INIT;

        ec_buf_add(&text, one.data, one.len);
        CHECK_HAS(ec_buf_text(&text), "Written by `epochcast-lab physics DIR`; do not edit.");
        CHECK_HAS(ec_buf_text(&text), "NeuSight (ASPLOS 2025), linear layers");
        CHECK_HAS(ec_buf_text(&text), "device_fits[] = {\n    { \"t4\", 80, 0, ");
        CHECK_HAS(ec_buf_text(&text), "arch_fits[] = {\n    { \"sm70\", ");
        CHECK_HAS(ec_buf_text(&text), "product_fits[] = {\n    { \"t4\", ");
        CHECK_HAS(ec_buf_text(&text), "{ \"t4\", (enum ec_framework)0, EC_W_gemm,");
        CHECK_HAS(ec_buf_text(&text), "host_fits[] = {\n};"); /* operators wait for no host */
        CHECK_HAS(ec_buf_text(&text), ".reference_launch = {\n        0.0000, ");
        CHECK_HAS(ec_buf_text(&text), "static const struct ec_fitted fitted = {");
        CHECK_HAS(ec_buf_text(&text), "[EC_W_gemm] = {");
        ec_buf_clear(&text);
    }
    ec_file_close(&one);
    ec_file_close(&two);
    close_tables(&t);
}

TEST(too_little_to_fit_is_told)
{
    struct ec_fit_opts o = { .data_dir = "/nowhere/at/all",
                             .out_path = "/tmp/ec-test-fit-none.inc",
                             .threads = 1,
                             .max_rows = 10,
                             .iterations = 1,
                             .quick = true };
    struct ec_err err = { 0 };

    CHECK_FAILS(ec_fit_physics(&o, &err), EC_E_INPUT, "0 usable rows, expected at least 100");
    CHECK(access(o.out_path, F_OK) != 0);
}
