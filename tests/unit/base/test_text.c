/* Numbers, spans, patterns, near names, human units. */
#include "test.h"

static struct ec_span span(const char *text)
{
    return ec_span_of(text);
}

TEST(spans)
{
    struct ec_span rest = span("a=1,,b"), part;

    CHECK(ec_span_eq(ec_span_trim(span(" \t x y\r\n")), "x y"));
    CHECK(ec_span_eq(ec_span_trim(span("   ")), ""));
    CHECK(ec_span_cut(&rest, ',', &part) && ec_span_eq(part, "a=1"));
    CHECK(ec_span_cut(&rest, ',', &part) && ec_span_eq(part, ""));
    CHECK(ec_span_cut(&rest, ',', &part) && ec_span_eq(part, "b"));
    CHECK(!ec_span_cut(&rest, ',', &part));
    CHECK(!ec_span_eq(span("ab"), "abc"));
}

TEST(integers_are_whole_and_in_range)
{
    static const char *const bad[] = { "",
                                       "-",
                                       "+",
                                       "1.0",
                                       " 1",
                                       "1 ",
                                       "0x10",
                                       "1e3",
                                       "--1",
                                       "12abc",
                                       "9223372036854775808",
                                       "-9223372036854775809" };
    int64_t v = 7;
    int i;

    CHECK(ec_parse_int(span("9223372036854775807"), &v) && v == INT64_MAX);
    CHECK(ec_parse_int(span("-9223372036854775808"), &v) && v == INT64_MIN);
    CHECK(ec_parse_int(span("+12"), &v) && v == 12);
    for (i = 0; i < EC_LEN(bad); i++)
        if (ec_parse_int(span(bad[i]), &v))
            test_fail(__FILE__, __LINE__, "\"%s\" was read as %lld", bad[i], (long long)v);
    CHECK_INT(v, 12);
}

TEST(amounts_are_whole)
{
    static const struct {
        const char *text;
        int64_t v; /* -1: none */
    } rows[] = {
        {"0",        0            },
        { "12",      12           },
        { "1e9",     1000000000   },
        { "1.1e9",   1100000000   },
        { "300M",    300000000    },
        { "15b",     15000000000  },
        { "2G",      2000000000   },
        { "1.5k",    1500         },
        { "2 T",     2000000000000},
        { "1.5",     -1           },
        { "1e-3",    -1           },
        { "B",       -1           },
        { "",        -1           },
        { "12X",     -1           },
        { "1e30",    -1           },
        { "3MM",     -1           },
        { "0.0001k", -1           },
    };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        int64_t v = -1;

        CHECK(ec_parse_amount(ec_span_of(rows[i].text), &v) == (rows[i].v >= 0));
        CHECK_INT(v, rows[i].v);
    }
}

TEST(durations_may_have_parts_from_the_largest_down)
{
    static char many[1 << 20];
    double ns = 0;
    size_t i;

    CHECK(ec_parse_duration(span("1h12m"), &ns));
    CHECK_NEAR(ns, 4320e9, 0);
    CHECK(ec_parse_duration(span("1 d 6 h"), &ns));
    CHECK_NEAR(ns, 30 * 3600e9, 0);
    CHECK(!ec_parse_duration(span("1m2h"), &ns));
    for (i = 0; i + 2 < sizeof many; i += 2)
        memcpy(many + i, "1h", 2);
    CHECK(!ec_parse_duration(span(many), &ns));
}

TEST(doubles_are_whole_texts_and_finite)
{
    static const char *const bad[] = { "",      ".",  "e5",    "1e",  "nan",  "inf",
                                       "0x1p3", "1 ", "1e999", "1,5", "1.2.3" };
    double v = 7;
    int i;

    CHECK(ec_parse_double(span("-1.5e-3"), &v) && v == -1.5e-3);
    CHECK(ec_parse_double(span(".5"), &v) && v == 0.5);
    for (i = 0; i < EC_LEN(bad); i++)
        if (ec_parse_double(span(bad[i]), &v))
            test_fail(__FILE__, __LINE__, "\"%s\" was read as %g", bad[i], v);
    CHECK_NEAR(v, 0.5, 0);
}

TEST(shortest_double_reads_back)
{
    static const struct {
        double v;
        const char *text;
    } rows[] = {
        {0,                "0"                 },
        { 1,               "1"                 },
        { -42,             "-42"               },
        { 0.1,             "0.1"               },
        { 1e300,           "1e+300"            },
        { 1.0 / 3,         "0.3333333333333333"},
        { 123456789012345, "123456789012345"   },
        { 2193346.22,      "2193346.22"        },
        { -12.5,           "-12.5"             },
        { -0.001,          "-0.001"            },
        { 0.00012,         "0.00012"           },
        { 0.00001,         "1e-05"             },
        { 1234.000000001,  "1234.000000001"    },
    };
    struct ec_rng r;
    char text[EC_FMT_DOUBLE_BYTES];
    double v, back;
    int i;

    for (i = 0; i < EC_LEN(rows); i++)
        CHECK_STR(ec_fmt_double(text, sizeof text, rows[i].v), rows[i].text);
    ec_rng_seed(&r, 1);
    for (i = 0; i < 5000; i++) {
        v = ldexp(ec_rng_unit(&r) - 0.5, (int)ec_rng_range(&r, -1000, 1000));
        CHECK(ec_parse_double(span(ec_fmt_double(text, sizeof text, v)), &back));
        if (v != back)
            test_fail(__FILE__, __LINE__, "%.17g came back as %.17g", v, back);
    }
    for (i = 0; i < 5000; i++) { /* decimals of few digits have few */
        v = (double)ec_rng_range(&r, -1000000000, 1000000000) /
            pow(10, (double)ec_rng_range(&r, 0, 9));
        (void)ec_fmt_double(text, sizeof text, v);
        CHECK(ec_parse_double(span(text), &back) && back == v && strlen(text) <= 16);
    }
}

TEST(nine_digits_are_the_same_with_every_c_library)
{
    CHECK(ec_nine_digits(0.1 + 0.2) == 0.3);
    CHECK(ec_nine_digits(1455022967963.1655) == 1455022970000.0);
    CHECK(ec_nine_digits(-1.0000000049) == -1);
    CHECK(ec_nine_digits(1.0000000051) == 1.00000001);
    CHECK(ec_nine_digits(3e-310) > 0);
    CHECK(isnan(ec_nine_digits((double)NAN)));
    CHECK(isinf(ec_nine_digits((double)INFINITY)));
}

TEST(size_arithmetic_sees_overflow)
{
    int64_t v = 5;

    CHECK(ec_mul_i64(1 << 20, 1 << 20, &v) && v == (int64_t)1 << 40);
    CHECK(!ec_mul_i64(INT64_MAX, 2, &v));
    CHECK(!ec_add_i64(INT64_MAX, 1, &v));
    CHECK(ec_add_i64(INT64_MAX, INT64_MIN, &v) && v == -1);
}

TEST(patterns)
{
    CHECK(ec_str_glob("rtx*", "RTX-4090"));
    CHECK(ec_str_glob("*40gb", "a100-sxm4-40gb"));
    CHECK(ec_str_glob("a?00*", "a100"));
    CHECK(ec_str_glob("*", ""));
    CHECK(ec_str_glob("*a*b*c*", "xxaxxbxxbxcx"));
    CHECK(!ec_str_glob("a?", "a"));
    CHECK(!ec_str_glob("", "a"));
    CHECK(ec_str_ieq("ReLU", "relu") && !ec_str_ieq("relu", "relu6"));
    CHECK(ec_str_ends("a.YML", ".yml") && !ec_str_ends("yml", ".yml"));
    CHECK(ec_is_among("b", ec_span_of("a b c"), ' ') && !ec_is_among("ab", ec_span_of("a b"), ' '));
    CHECK(!ec_is_among("b", ec_span_of(NULL), ' ') && ec_is_among("", ec_span_of("a,,b"), ','));
    CHECK(ec_str_starts("resnet50", "resnet") && !ec_str_starts("res", "resnet"));
}

TEST(near_names)
{
    static const char *const names[] = { "resnet18", "resnet50", "vgg16", "a100-sxm4-40gb",
                                         "v100" };
    const char *found[3];
    struct ec_buf b = EC_BUF_INIT;

    CHECK_INT(ec_near_names("resnet51", names, EC_LEN(names), found, 3), 2);
    CHECK_STR(found[0], "resnet50");
    CHECK_INT(ec_near_names("a100", names, EC_LEN(names), found, 1), 1);
    CHECK_INT(ec_near_names("zzzzzzzzzz", names, EC_LEN(names), found, 3), 0);
    ec_near_hint(&b, "vgg61", names, EC_LEN(names));
    CHECK_HAS(ec_buf_text(&b), "did you mean \"vgg16\"");
    ec_buf_reset(&b);
    ec_near_hint(&b, "qqqqqqqq", names, EC_LEN(names));
    CHECK_STR(ec_buf_text(&b), "");
    ec_buf_clear(&b);
}

TEST(a_row_of_a_table)
{
    static const struct {
        const char *name;
        int n;
    } rows[] = {
        {"vgg16",     1},
        { "resnet50", 2},
        { "resnet50", 3}
    };

    CHECK(ec_row_named(rows, EC_LEN(rows), sizeof *rows, "vgg16") == &rows[0]);
    CHECK(ec_row_named(rows, EC_LEN(rows), sizeof *rows, "resnet50") == &rows[1]);
    CHECK(!ec_row_named(rows, 1, sizeof *rows, "resnet50"));
}

TEST(a_name_in_a_list)
{
    static const char *const names[] = { "vgg16", "resnet50" };
    struct ec_err err;

    CHECK_INT(ec_name_index(names, EC_LEN(names), "vgg16"), 0);
    CHECK_INT(ec_name_index(names, EC_LEN(names), "resnet50"), 1);
    CHECK_INT(ec_name_index(names, 1, "resnet50"), -1);
    CHECK_FAILS(ec_fail_near(&err, EC_E_NOT_FOUND, "vgg61", names, EC_LEN(names), "no %s", "vgg61"),
                EC_E_NOT_FOUND, "no vgg61; did you mean \"vgg16\"?");
}

TEST(human_units)
{
    const double gib = 0x1p30;
    char t[40];

    CHECK_STR(ec_fmt_ns(t, sizeof t, 1234), "1.23 us");
    CHECK_STR(ec_fmt_ns(t, sizeof t, 412.3e6), "412 ms");
    CHECK_STR(ec_fmt_ns(t, sizeof t, 61e9), "61.0 s");
    CHECK_STR(ec_fmt_ns(t, sizeof t, 7200e9), "2.00 h");
    CHECK_STR(ec_fmt_bytes(t, sizeof t, 512), "512 B");
    CHECK_STR(ec_fmt_bytes_apart(t, sizeof t, 15.71 * gib, 15.74 * gib), "15.71 GiB");
    CHECK_STR(ec_fmt_bytes_apart(t, sizeof t, 15.74 * gib, 15.71 * gib), "15.74 GiB");
    CHECK_STR(ec_fmt_bytes_apart(t, sizeof t, 15.71 * gib, 15.71 * gib), "15.7 GiB");
    CHECK_STR(ec_fmt_bytes_apart(t, sizeof t, 15.71 * gib, 15.82 * gib), "15.7 GiB");
    CHECK_STR(ec_fmt_bytes_apart(t, sizeof t, 1.5002 * gib, 1.5001 * gib), "1.5002 GiB");
    CHECK_STR(ec_fmt_bytes_apart(t, sizeof t, 141.1 * gib, 141.2 * gib), "141.1 GiB");
    CHECK_STR(ec_fmt_bytes_apart(t, sizeof t, 512, 513), "512 B");
    CHECK_STR(ec_fmt_bytes(t, sizeof t, 80.0 * (1 << 30)), "80.0 GiB");
    CHECK_STR(ec_fmt_si(t, sizeof t, 25557032), "25.6 M");
    CHECK_STR(ec_fmt_si(t, sizeof t, 12), "12");
    CHECK_STR(ec_fmt_thousands(t, sizeof t, 25557032), "25,557,032");
    CHECK_STR(ec_fmt_thousands(t, sizeof t, -1000), "-1,000");
    CHECK_STR(ec_fmt_times(t, sizeof t, 2.34), "2.3");
    CHECK_STR(ec_fmt_times(t, sizeof t, 99.96), "100");
    CHECK_STR(ec_fmt_times(t, sizeof t, 2013.97), "2,014");
    CHECK_STR(ec_fmt_times(t, sizeof t, (double)INFINITY), "inf");
    CHECK_STR(ec_fmt_thousands(t, sizeof t, INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(utf8)
{
    CHECK_INT(ec_utf8_len("a", 1), 1);
    CHECK_INT(ec_utf8_len("\xc3\xa4", 2), 2);
    CHECK_INT(ec_utf8_len("\xe2\x82\xac", 3), 3);
    CHECK_INT(ec_utf8_len("\xf0\x9f\x98\x80", 4), 4);
    CHECK_INT(ec_utf8_len("\xc3", 1), 0);
    CHECK_INT(ec_utf8_len("\xc0\x80", 2), 0);
    CHECK_INT(ec_utf8_len("\xed\xa0\x80", 3), 0);
    CHECK_INT(ec_utf8_len("\xf4\x90\x80\x80", 4), 0);
    CHECK_INT(ec_utf8_len("\xff", 1), 0);
}

TEST(hash_is_fnv1a)
{
    CHECK(ec_hash("", 0) == 0xcbf29ce484222325u);
    CHECK(ec_hash("a", 1) == 0xaf63dc4c8601ec8cu);
}
