/* Fitting on made-up tables: what comes out says what went in, and threads change nothing. */
#include "sanitized.h"
#include "tables.h"

#include "model/model.h"

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
                             .table_path = t->errors[threads - 1],
                             .rows_path = t->rows[threads - 1],
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

/* --- Tables of errors --- */

static const char *word(const struct ec_csv *csv, int row, const char *column)
{
    return ec_csv_cell(csv, row, ec_csv_col(csv, column));
}

static double number(const struct ec_csv *csv, int row, const char *column)
{
    double v;

    return ec_parse_double(ec_span_of(word(csv, row, column)), &v) ? v : (double)NAN;
}

/* Of each row the table has what was asked, and how far off the answers were. */
static void rows_are_sound(const struct ec_csv *rows)
{
    int i;

    CHECK_INT(rows->n_rows, ROWS);
    for (i = 0; i < rows->n_rows; i++) {
        CHECK(ec_str_starts(word(rows, i, "what"), "linear m="));
        CHECK(ec_str_eq(word(rows, i, "device"), "t4") ||
              ec_str_eq(word(rows, i, "device"), "v100-sxm2-16gb"));
        CHECK_STR(word(rows, i, "precision"), "fp32");
        CHECK(number(rows, i, "time_ms") > 0);
        CHECK(fabs(number(rows, i, "row_log_error")) < 3);
        CHECK(fabs(number(rows, i, "row_law_error")) < 3);
        CHECK(number(rows, i, "row_in") == 0 || number(rows, i, "row_in") == 1);
        CHECK_STR(word(rows, i, "host_log_error"), ""); /* networks alone have hosts and families */
        CHECK_STR(word(rows, i, "family_log_error"), "");
    }
}

/* The errors of rows, summed up anew. */
static void is_summed_up(const struct ec_csv *errors, int of, const struct ec_csv *rows,
                         const char *log_error, const char *in)
{
    double ape[ROWS], sum = 0, inside = 0, e;
    int i, n = 0;

    for (i = 0; i < rows->n_rows && n < ROWS; i++) {
        e = number(rows, i, log_error);
        if (isnan(e))
            continue;
        ape[n] = fabs(exp(e) - 1);
        sum += ape[n++];
        inside += number(rows, i, in);
    }
    CHECK_INT(number(errors, of, "rows"), n);
    CHECK(n > 0 && fabs(number(errors, of, "mean_ape_frac") - sum / n) < 2e-4);
    CHECK(n > 0 &&
          fabs(number(errors, of, "median_ape_frac") - ec_quantile_inplace(ape, n, 0.5)) < 2e-4);
    CHECK(n > 0 && fabs(number(errors, of, "coverage_of_90_frac") - inside / n) < 2e-4);
}

static void errors_are_those_of_rows(const struct tables *t)
{
    struct ec_csv rows = { 0 }, errors = { 0 };
    struct ec_err err = { 0 };
    int i, n = 0;

    CHECK_OK(ec_csv_read(t->rows[1], &rows, &err));
    CHECK_OK(ec_csv_read(t->errors[1], &errors, &err));
    rows_are_sound(&rows);
    for (i = 0; i < errors.n_rows; i++) {
        CHECK_STR(word(&errors, i, "table"), word(&rows, 0, "table"));
        CHECK(number(&errors, i, "median_ape_frac") <= number(&errors, i, "p90_ape_frac"));
        CHECK(number(&errors, i, "p90_ape_frac") <= number(&errors, i, "worst_ape_frac") + 1e-3);
        CHECK(number(&errors, i, "half_width_factor") >= 1);
        if (ec_str_eq(word(&errors, i, "split"), "unseen configuration") && ++n)
            is_summed_up(&errors, i, &rows, "row_log_error", "row_in");
        if (ec_str_eq(word(&errors, i, "split"), "unseen architecture") && ++n)
            is_summed_up(&errors, i, &rows, "device_log_error", "device_in");
    }
    CHECK_INT(n, 2);
    ec_csv_clear(&rows);
    ec_csv_clear(&errors);
}

TEST(a_fit_tells_what_it_rests_on)
{
    struct ec_err err = { 0 };
    struct ec_file file = { 0 };
    struct tables t;

    if (!open_tables(&t, 1.3))
        return;
    CHECK_OK(fit(&t, 2, false, &err));
    if (!TEST_SANITIZED) { /* one thread: the same */
        CHECK_OK(fit(&t, 1, false, &err));
        CHECK(same_bytes(t.out[0], t.out[1]) && same_bytes(t.learned[0], t.learned[1]));
        CHECK(same_bytes(t.errors[0], t.errors[1]) && same_bytes(t.rows[0], t.rows[1]));
    }
    errors_are_those_of_rows(&t);
    CHECK_OK(ec_file_open(t.out[1], 0, &file, &err));
    CHECK(file.len > 0);
    if (file.len) {
        struct ec_buf text = EC_BUF_INIT;

        ec_buf_add(&text, file.data, file.len);
        CHECK_HAS(ec_buf_text(&text), "Written by `epochcast-lab physics DIR`; do not edit.");
        CHECK_HAS(ec_buf_text(&text), "NeuSight (ASPLOS 2025), linear layers");
        CHECK_HAS(ec_buf_text(&text), "device_fits[] = {\n    { \"t4\", 80, 0, ");
        CHECK_HAS(ec_buf_text(&text), "arch_fits[] = {\n    { \"sm70\", ");
        CHECK_HAS(ec_buf_text(&text), "product_fits[] = {\n    { \"t4\", ");
        CHECK_HAS(ec_buf_text(&text), "{ \"t4\", \"linear\", (enum ec_framework)0, EC_W_gemm,");
        CHECK_HAS(ec_buf_text(&text), "host_fits[] = {\n};"); /* operators wait for no host */
        CHECK_HAS(ec_buf_text(&text), ".reference_launch = {\n        0.0000, ");
        CHECK_HAS(ec_buf_text(&text), "static const struct ec_fitted fitted = {");
        CHECK_HAS(ec_buf_text(&text), "[EC_W_gemm] = {");
        ec_buf_clear(&text);
    }
    ec_file_close(&file);
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

/* --- Ranges --- */

/* Each range has its ends in their order and as many rows at least as it has ends; what is printed
 * is read again. Of one shape of layer its sides are those of the table. */
TEST(ranges_are_those_of_the_rows)
{
    struct ec_domain domain = { 0 };
    struct ec_file text = { 0 };
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    struct tables t;
    int i, k;

    if (!open_tables(&t, 1))
        return;
    CHECK_OK(ec_fit_domain(
        &(struct ec_fit_opts){
            .data_dir = t.dir, .out_path = t.out[0], .seed = 1, .threads = 1, .max_rows = 100 },
        &err));
    CHECK_OK(ec_csv_read(t.out[0], &csv, &err));
    CHECK(csv.n_rows > 5);
    for (i = 0; i < csv.n_rows; i++) {
        CHECK(*word(&csv, i, "group") && *word(&csv, i, "quantity"));
        CHECK(number(&csv, i, "rows") >= 1 && number(&csv, i, "rows") <= ROWS);
        if (!isnan(number(&csv, i, "lo")))
            CHECK(number(&csv, i, "lo") <= number(&csv, i, "hi"));
        for (k = 0; k < i; k++)
            CHECK(strcmp(word(&csv, k, "group"), word(&csv, i, "group")) != 0 ||
                  strcmp(word(&csv, k, "quantity"), word(&csv, i, "quantity")) != 0);
    }
    CHECK_OK(ec_file_open(t.out[0], 0, &text, &err));
    CHECK_OK(ec_domain_parse((const char *)text.data, text.len, &domain, &err));
    CHECK_INT(domain.n, csv.n_rows);
    ec_domain_clear(&domain);
    ec_file_close(&text);
    ec_csv_clear(&csv);
    close_tables(&t);
}
