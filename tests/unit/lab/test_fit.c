/* Fitting on made-up tables: what comes out says what went in, and threads change nothing. */
#include "tables.h"

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
