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

/* The bits and the end of strtod, whichever way a number is read. */
TEST(numbers_are_read_as_strtod_reads_them)
{
    static const char *const odd[] = {
        "0",
        "-0",
        "+0.0",
        ".5",
        "5.",
        ".",
        "-",
        "",
        "1.2.3",
        " 1",
        "1e5",
        "1E-3",
        "0x1p3",
        "inf",
        "nan",
        "1.5f",
        "12,5",
        "9007199254740993",
        "1e",
        "--1",
        "1..2",
        "+.25",
        "00012",
        "1.5 ",
        "1e-400",
        "1e400",
        "0.30000000000000004",
        "-1.e",
        "-nan",
        "+inf",
        "0.1",
        "1-2",
        "999999999999999",
        "0.000000000000001",
    };
    struct ec_rng rng;
    char text[64], *end, *want_end;
    int i;

    ec_rng_seed(&rng, 1);
    for (i = 0; i < 20000 + EC_LEN(odd); i++) {
        double v, want;

        if (i < EC_LEN(odd))
            (void)snprintf(text, sizeof text, "%s", odd[i]);
        else
            (void)snprintf(text, sizeof text, i % 2 ? "%.*f" : "%.*g",
                           (int)ec_rng_range(&rng, 0, 15),
                           (ec_rng_unit(&rng) - 0.5) * exp2((double)ec_rng_range(&rng, -20, 40)));
        want = strtod(text, &want_end);
        v = ec_strtod(text, &end);
        if (end != want_end || memcmp(&v, &want, sizeof v))
            CHECK_STR(text, "as strtod reads it");
    }
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
