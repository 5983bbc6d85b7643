/* Splits of the laws alone, on a made-up table whose times are known. */
#include "tables.h"

static enum ec_status split(const struct tables *t, int threads, struct ec_err *err)
{
    return ec_fit_splits(&(struct ec_fit_opts){ .data_dir = t->dir,
                                                .out_path = t->out[threads - 1],
                                                .seed = 1,
                                                .threads = threads,
                                                .max_rows = 100,
                                                .iterations = 3 },
                         err);
}

static const char *cell(const struct ec_csv *csv, const char *split, const char *column)
{
    int i;

    for (i = 0; i < csv->n_rows; i++)
        if (ec_str_eq(ec_csv_cell(csv, i, ec_csv_col(csv, "split")), split))
            return ec_csv_cell(csv, i, ec_csv_col(csv, column));
    return "no such split";
}

static double number(const struct ec_csv *csv, const char *split, const char *column)
{
    double v;

    return ec_parse_double(ec_span_of(cell(csv, split, column)), &v) ? v : (double)NAN;
}

/* What is left out decides what is far: other sizes of an operator are on the same devices, another
 * device has another specification, and beside the only source there is nothing. */
static void distances_are_those_of_the_split(const struct ec_csv *csv)
{
    CHECK(number(csv, "unseen configuration", "work_distance") > 0);
    CHECK(number(csv, "unseen configuration", "device_distance") == 0);
    CHECK(number(csv, "unseen architecture", "device_distance") > 0);
    CHECK_STR(cell(csv, "unseen source", "work_distance"), "");
    CHECK_STR(cell(csv, "unseen source", "device_distance"), "");
}

static void errors_are_those_of_laws(const struct ec_csv *csv)
{
    double kept = number(csv, "unseen source", "kept_median_ape_frac");

    CHECK_STR(cell(csv, "unseen configuration", "median_ape_frac"), "");
    CHECK(number(csv, "unseen source", "median_ape_frac") > kept);
    CHECK(number(csv, "unseen source", "median_ape_frac") <=
          number(csv, "unseen source", "p90_ape_frac"));
    CHECK(number(csv, "unseen source", "p90_ape_frac") <=
          number(csv, "unseen source", "worst_ape_frac") + 1e-3);
    CHECK_INT(number(csv, "unseen source", "rows"), ROWS);
    CHECK_STR(cell(csv, "unseen release", "rows"), "no such split"); /* there is one release */
    CHECK_STR(cell(csv, "unseen kernels: norms", "rows"), "no such split");
}

/* These layers take longer than their FLOP at the peak; the sum has bytes, too, and a share. */
static void baselines_are_ordered(const struct ec_csv *csv)
{
    double flop = number(csv, "unseen source", "flop_median_ape_frac");

    CHECK(number(csv, "unseen source", "roofline_median_ape_frac") < flop);
    CHECK(number(csv, "unseen source", "half_peak_median_ape_frac") < flop);
    CHECK(number(csv, "unseen source", "paleo_median_ape_frac") < flop);
}

TEST(a_split_says_what_was_left_out_and_how_far_it_was)
{
    struct ec_csv one = { 0 }, two = { 0 };
    struct ec_err err = { 0 };
    struct tables t;
    int i, c;

    if (!open_tables(&t, 1.3))
        return;
    CHECK_OK(split(&t, 1, &err));
    CHECK_OK(split(&t, 2, &err));
    CHECK_OK(ec_csv_read(t.out[0], &one, &err));
    CHECK_OK(ec_csv_read(t.out[1], &two, &err));
    CHECK_INT(one.n_rows, two.n_rows); /* threads change nothing */
    for (i = 0; i < one.n_rows && i < two.n_rows; i++)
        for (c = 0; c < one.n_cols; c++)
            CHECK_STR(ec_csv_cell(&one, i, c), ec_csv_cell(&two, i, c));
    distances_are_those_of_the_split(&one);
    errors_are_those_of_laws(&one);
    baselines_are_ordered(&one);
    ec_csv_clear(&one);
    ec_csv_clear(&two);
    close_tables(&t);
}
