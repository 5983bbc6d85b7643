/* What the rows say of each constant: made-up linear layers say nothing but of products. And the
 * pages have the constants that there are: docs/constants.md what ships, docs/time-model.md its
 * laws.
 */
#include "tables.h"

#include "model/fitted.h"

enum { CONSTANTS = EC_THETA_COUNT + EC_FRAMEWORK_COUNT * EC_FWT_COUNT };

static void report(const struct tables *t, const char *path, struct ec_buf *out)
{
    struct ec_fit_opts o = { .data_dir = t->dir,
                             .out_path = path,
                             .seed = 1,
                             .threads = 2,
                             .max_rows = 100,
                             .constants_only = true };
    struct ec_err err = { 0 };

    CHECK_OK(ec_fit_report(&o, out, &err));
    CHECK_OK(ec_buf_status(out, &err));
}

static double number(const struct ec_csv *csv, int row, const char *column)
{
    double v;

    return ec_parse_double(ec_span_of(ec_csv_cell(csv, row, ec_csv_col(csv, column))), &v)
               ? v
               : (double)NAN;
}

static int row_of(const struct ec_csv *csv, const char *constant)
{
    int i;

    for (i = 0; i < csv->n_rows; i++)
        if (ec_str_eq(ec_csv_cell(csv, i, ec_csv_col(csv, "constant")), constant))
            return i;
    test_fail(__FILE__, __LINE__, "no row of %s", constant);
    return 0;
}

TEST(linear_layers_say_nothing_but_of_products)
{
    static const char *const not_said[] = { "conv_forward", "softmax_bytes", "host_norm",
                                            "caffe speed", "pytorch-2 isolated_conv" };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    struct tables t;
    char text[96];
    int i, at, apart = 0;

    CHECK(open_tables(&t, 1));
    (void)ec_snprintf(t.out[0], sizeof t.out[0], "%s/constants.csv", t.dir);
    report(&t, t.out[0], &out);
    CHECK_OK(ec_csv_read(t.out[0], &csv, &err));
    CHECK_INT(csv.n_rows, CONSTANTS);
    for (i = 0; i < csv.n_rows; i++) {
        CHECK(number(&csv, i, "sd") <= number(&csv, i, "prior_sd") + 1e-9);
        CHECK(number(&csv, i, "rows") <= ROWS);
        apart += number(&csv, i, "removed_frac") < 0.1;
    }
    at = row_of(&csv, "pytorch-2 isolated_ns"); /* most of a small layer's time */
    CHECK(number(&csv, at, "removed_frac") > 0.2);
    CHECK(number(&csv, at, "rows") > ROWS / 2.0);
    CHECK(number(&csv, at, "tables") == 1);
    CHECK_STR(ec_csv_cell(&csv, at, ec_csv_col(&csv, "most_by")), "neusight/linear.csv 100 %");
    for (i = 0; i < EC_LEN(not_said); i++) {
        at = row_of(&csv, not_said[i]);
        CHECK(number(&csv, at, "removed_frac") < 1e-6 && number(&csv, at, "rows") == 0);
    }
    (void)snprintf(text, sizeof text, "%d constants that no row determines", apart);
    CHECK(strstr(ec_buf_text(&out), text) != NULL);
    (void)snprintf(text, sizeof text, "%d constants that rows determine", CONSTANTS - apart);
    CHECK(strstr(ec_buf_text(&out), text) != NULL);
    ec_csv_clear(&csv);
    ec_buf_clear(&out);
    close_tables(&t);
}

/* --- The page --- */

#define PAGE "docs/constants.md"

struct listed {
    const char *name, *unit;
    double start, sd;
};
static const struct listed of_all[] = {
#define LISTED(name, init, sd, unit, what) { #name, unit, init, sd },
    EC_THETA_LIST(LISTED)
};
static const struct listed of_framework[] = { EC_FRAMEWORK_THETA_LIST(LISTED) };
#undef LISTED

/* The page has the constant as it ships; its evidence is of the last report. */
static void is_on_page(const char *page, const char *framework, const struct listed *l,
                       double value)
{
    char row[160];

    (void)snprintf(row, sizeof row, "\n| %s%s%s | %s | %.4g | %.4g | %.2f |", framework,
                   *framework ? " " : "", l->name, l->unit, value, l->start, l->sd);
    if (!strstr(page, row))
        test_fail(__FILE__, __LINE__, PAGE " has no row \"%s\": epochcast-lab report DIR", row + 1);
}

static int rows_of_page(const char *page)
{
    int n = 0;

    while ((page = strstr(page, "\n| ")) != NULL) {
        page++;
        n += !ec_str_starts(page, "| constant |") && !ec_str_starts(page, "| :--");
    }
    return n;
}

TEST(page_shows_what_ships)
{
    const struct ec_constants *c = &ec_fitted()->c;
    struct ec_buf page = EC_BUF_INIT;
    struct ec_file file = { 0 };
    struct ec_err err = { 0 };
    int fw, i;

    CHECK_OK(ec_file_open(PAGE, 1 << 20, &file, &err));
    ec_buf_add(&page, file.data, file.len);
    for (i = 0; i < EC_LEN(of_all); i++)
        is_on_page(ec_buf_text(&page), "", &of_all[i], c->theta[i]);
    for (fw = 0; fw < EC_FRAMEWORK_COUNT; fw++)
        for (i = 0; i < EC_LEN(of_framework); i++)
            is_on_page(ec_buf_text(&page), ec_framework_keys[fw], &of_framework[i],
                       c->framework[fw][i]);
    CHECK_INT(rows_of_page(ec_buf_text(&page)), CONSTANTS);
    ec_buf_clear(&page);
    ec_file_close(&file);
}

/* --- The laws --- */

#define LAWS "docs/time-model.md"

static bool is_constant(struct ec_span word)
{
    int i;

    for (i = 0; i < EC_LEN(of_all); i++)
        if (ec_span_eq(word, of_all[i].name))
            return true;
    for (i = 0; i < EC_LEN(of_framework); i++)
        if (ec_span_eq(word, of_framework[i].name))
            return true;
    return ec_span_eq(word, "matrix_sustained_frac"); /* of the catalogue */
}

static bool is_name(struct ec_span word)
{
    size_t i;

    for (i = 0; i < word.len; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", word.p[i]))
            return false;
    return memchr(word.p, '_', word.len) && !ec_str_starts(word.p, "ec_");
}

static void is_named(const char *page, const struct listed *l)
{
    char word[64];

    (void)snprintf(word, sizeof word, "`%s`", l->name);
    if (!strstr(page, word))
        test_fail(__FILE__, __LINE__, LAWS " does not name %s", word);
}

TEST(laws_name_each_constant_and_no_other)
{
    struct ec_buf page = EC_BUF_INIT;
    struct ec_file file = { 0 };
    struct ec_span rest, word;
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_file_open(LAWS, 1 << 20, &file, &err));
    ec_buf_add(&page, file.data, file.len);
    for (i = 0; i < EC_LEN(of_all); i++)
        is_named(ec_buf_text(&page), &of_all[i]);
    for (i = 0; i < EC_LEN(of_framework); i++)
        is_named(ec_buf_text(&page), &of_framework[i]);
    rest = ec_span_of(ec_buf_text(&page));
    for (i = 0; rest.len && ec_span_cut(&rest, '`', &word); i++)
        if (i % 2 && is_name(word) && !is_constant(word))
            test_fail(__FILE__, __LINE__, LAWS " names `%.*s`, which is no constant", (int)word.len,
                      word.p);
    ec_buf_clear(&page);
    ec_file_close(&file);
}
