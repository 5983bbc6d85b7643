/* Numbers are printed and read with a point, whatever locale the program has set. */
#include "comma.h"

/* Everything in base by which a number becomes text. */
static void print_all(struct ec_buf *out)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    struct ec_json j;
    char t[64];

    ec_buf_printf(out, "%.2f %g %300.1f|", 1.25, 1e-7, 2.5);
    ec_buf_printf(out, "%s|", ec_arena_printf(&a, "%.3f %300.1f", 0.125, 3.5));
    ec_buf_printf(out, "%s|", ec_fmt_ns(t, sizeof t, 1234.5));
    ec_buf_printf(out, "%s|", ec_fmt_bytes(t, sizeof t, 1.5e6));
    ec_buf_printf(out, "%s|", ec_fmt_si(t, sizeof t, 1234567));
    ec_buf_printf(out, "%s|", ec_fmt_double(t, sizeof t, 0.1));
    ec_buf_printf(out, "%s|", ec_fmt_double(t, sizeof t, 1.0 / 3));
    (void)ec_snprintf(t, sizeof t, "%.17g", 0.1);
    ec_buf_printf(out, "%s|", t);
    (void)ec_fail(&err, EC_E_INPUT, "found %g", 0.5);
    ec_err_prefix(&err, "%.1f: ", 1.5);
    ec_buf_printf(out, "%s|", err.text);
    ec_json_begin(&j, out, 0);
    ec_json_open(&j, NULL, '[');
    ec_json_num(&j, NULL, 1.5);
    ec_json_num(&j, NULL, 1e300 / 3);
    ec_json_close(&j, ']');
    ec_arena_clear(&a);
}

TEST(text_is_that_of_the_c_locale)
{
    struct ec_buf want = EC_BUF_INIT, seen = EC_BUF_INIT;

    print_all(&want);
    if (comma_begin()) {
        print_all(&seen);
        CHECK_STR(ec_buf_text(&seen), ec_buf_text(&want));
        comma_end();
    }
    ec_buf_clear(&want);
    ec_buf_clear(&seen);
}

TEST(numbers_are_read_with_a_point)
{
    static const char text[] = "{\"a\": 1.5, \"b\": [2.25e-3, -0.125]}";
    const struct ec_jval *root = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    double v = 0;

    if (!comma_begin())
        return;
    CHECK(ec_parse_double(ec_span_of("2.5"), &v));
    CHECK_NEAR(v, 2.5, 0);
    CHECK(!ec_parse_double(ec_span_of("2,5"), &v));
    CHECK_OK(ec_json_parse(text, sizeof text - 1, &a, &root, &err));
    if (root) {
        CHECK_NEAR(ec_json_get(root, "a")->num, 1.5, 0);
        CHECK_NEAR(ec_json_get(root, "b")->child->num, 2.25e-3, 0);
    }
    ec_arena_clear(&a);
    comma_end();
}

/* What the program has set stands when a call is over. */
TEST(the_locale_of_the_program_stays)
{
    char t[16];

    if (!comma_begin())
        return;
    (void)ec_snprintf(t, sizeof t, "%.1f", 0.5);
    CHECK_STR(t, "0.5");
    (void)snprintf(t, sizeof t, "%.1f", 0.5);
    CHECK_STR(t, "0,5");
    CHECK_STR(localeconv()->decimal_point, ",");
    comma_end();
}
