/* One description, four forms. */
#include "test.h"

#include "report/report.h"

/* clang-format off */
static const struct ec_col cols[] = {
    { .key = "name", .title = "device", .max_width = 8 },
    { .key = "fp32_flop_per_s", .title = "FP32", .unit = "TFLOP/s", .format = EC_COL_DIGITS3,
      .scale = 1e-12 },
    { .key = "params", .title = "parameters", .format = EC_COL_THOUSANDS },
    { .key = "fits", .title = "fits", .format = EC_COL_BOOL },
    { .key = "step_time_ns", .title = "step", .format = EC_COL_NS },
    { .key = "note", .title = "note", .flags = EC_COL_HIDE_EMPTY },
    { .key = "raw", .title = "raw", .format = EC_COL_PLAIN, .flags = EC_COL_DATA_ONLY },
};
/* clang-format on */

static void fill(struct ec_table *t)
{
    ec_table_init(t, cols, EC_LEN(cols));
    ec_table_text(t, "caf\xc3\xa9");
    ec_table_num(t, 19.5e12);
    ec_table_int(t, 25557032);
    ec_table_bool(t, true);
    ec_table_num(t, 412e6);
    ec_table_none(t);
    ec_table_num(t, 0.1);
    ec_table_rule(t);
    ec_table_text(t, "much, too | long");
    ec_table_num(t, 312e12);
    ec_table_int(t, 7);
    ec_table_bool(t, false);
    ec_table_none(t);
    ec_table_text(t, NULL);
    ec_table_none(t);
}

static void check_form(enum ec_table_form form, const char *want)
{
    struct ec_buf b = EC_BUF_INIT;
    struct ec_err err = { 0 };
    struct ec_table t;

    fill(&t);
    CHECK_INT(ec_table_rows(&t), 2);
    CHECK_OK(ec_table_write(&t, form, &b, &err));
    CHECK_STR(ec_buf_text(&b), want);
    ec_table_clear(&t);
    ec_buf_clear(&b);
}

#define LINE "\xe2\x94\x80"
#define LINE10 LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE
#define RULE41 LINE10 LINE10 LINE10 LINE10 LINE

TEST(text)
{
    check_form(EC_TABLE_TEXT, "device       FP32  parameters  fits  step\n"
                              "          TFLOP/s                      ms\n" RULE41 "\n"
                              "caf\xc3\xa9         19.5  25,557,032  yes    412\n" RULE41 "\n"
                              "much, t\xe2\x80\xa6    312             7  no       -\n");
}

TEST(markdown)
{
    check_form(EC_TABLE_MARKDOWN, "| device | FP32 (TFLOP/s) | parameters | fits | step (ms) |\n"
                                  "| :-- | --: | --: | :-- | --: |\n"
                                  "| caf\xc3\xa9 | 19.5 | 25,557,032 | yes | 412 |\n"
                                  "| much, t\xe2\x80\xa6 | 312 | 7 | no | - |\n");
}

TEST(csv)
{
    check_form(EC_TABLE_CSV, "name,fp32_flop_per_s,params,fits,step_time_ns,note,raw\n"
                             "caf\xc3\xa9,19500000000000,25557032,1,412000000,,0.1\n"
                             "\"much, too | long\",312000000000000,7,0,,,\n");
}

TEST(json)
{
    struct ec_buf b = EC_BUF_INIT;
    struct ec_err err = { 0 };
    struct ec_table t;
    struct ec_json j;

    fill(&t);
    ec_json_begin(&j, &b, 0);
    CHECK_OK(ec_table_json(&t, &j, NULL, &err));
    CHECK_STR(ec_buf_text(&b),
              "[{\"name\":\"caf\xc3\xa9\",\"fp32_flop_per_s\":19500000000000,\"params\":25557032,"
              "\"fits\":true,\"step_time_ns\":412000000,\"note\":null,\"raw\":0.1},"
              "{\"name\":\"much, too | long\",\"fp32_flop_per_s\":312000000000000,\"params\":7,"
              "\"fits\":false,\"step_time_ns\":null,\"note\":null,\"raw\":null}]");
    ec_table_clear(&t);
    ec_buf_clear(&b);
}

TEST(width)
{
    CHECK_INT(ec_text_width(""), 0);
    CHECK_INT(ec_text_width("abc"), 3);
    CHECK_INT(ec_text_width("caf\xc3\xa9"), 4);
    CHECK_INT(ec_text_width("cafe\xcc\x81"), 4);
    CHECK_INT(ec_text_width("\xe4\xb8\xad\xe6\x96\x87"), 4);
    CHECK_INT(ec_text_width("a\xff"), 2);
}

TEST(empty_table)
{
    struct ec_buf b = EC_BUF_INIT;
    struct ec_err err = { 0 };
    struct ec_table t;

    ec_table_init(&t, cols, 1);
    CHECK_OK(ec_table_write(&t, EC_TABLE_TEXT, &b, &err));
    CHECK_STR(ec_buf_text(&b), "device\n" LINE LINE LINE LINE LINE LINE "\n");
    ec_table_clear(&t);
    ec_table_clear(NULL);
    ec_buf_clear(&b);
}

static enum ec_status write_forms(struct ec_err *err)
{
    struct ec_buf b = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    struct ec_table t;
    struct ec_json j;

    fill(&t);
    ec_json_begin(&j, &b, 2);
    EC_TRY(ec_table_write(&t, EC_TABLE_TEXT, &b, err));
    EC_TRY(ec_table_write(&t, EC_TABLE_MARKDOWN, &b, err));
    EC_TRY(ec_table_write(&t, EC_TABLE_CSV, &b, err));
    EC_TRY(ec_table_json(&t, &j, NULL, err));
out:
    ec_table_clear(&t);
    ec_buf_clear(&b);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(write_forms);
}

/* What a fit that went astray says must fill no line. */
TEST(huge_numbers_are_short)
{
    static const struct ec_col huge[] = {
        {.key = "a", .title = "a", .format = EC_COL_FIXED, .digits = 1 },
        { .key = "b",         .title = "b",           .format = EC_COL_DIGITS3            },
    };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };
    struct ec_table t;

    ec_table_init(&t, huge, EC_LEN(huge));
    ec_table_num(&t, 1.5e60);
    ec_table_num(&t, -2.5e30);
    CHECK_OK(ec_table_write(&t, EC_TABLE_MARKDOWN, &out, &err));
    CHECK(strstr(ec_buf_text(&out), "1.5e+60") && strstr(ec_buf_text(&out), "-2.5e+30"));
    CHECK(out.len < 100);
    ec_buf_clear(&out);
    ec_table_clear(&t);
}

static int widest(const char *text)
{
    int most = 0, n = 0;

    for (; *text; text++) {
        n = *text == '\n' ? 0 : n + ((*text & 0xc0) != 0x80);
        most = n > most ? n : most;
    }
    return most;
}

TEST(numbers_that_are_none_are_unknown)
{
    static const struct ec_col one = { .key = "r2", .title = "R2", .format = EC_COL_FIXED };
    struct ec_buf text = EC_BUF_INIT;
    struct ec_table t;
    struct ec_err err;

    ec_table_init(&t, &one, 1);
    ec_table_num(&t, (double)NAN);
    ec_table_num(&t, (double)INFINITY);
    CHECK_OK(ec_table_write(&t, EC_TABLE_MARKDOWN, &text, &err));
    CHECK_STR(ec_buf_text(&text), "| R2 |\n| --: |\n| - |\n| - |\n");
    ec_buf_clear(&text);
    ec_table_clear(&t);
}

TEST(a_narrow_terminal)
{
    static const struct ec_col narrow[] = {
        {.key = "a",  .title = "name",     .min_width = 10       },
        { .key = "b", .title = "first",    .drop = 2             },
        { .key = "c", .title = "the last", .drop = 1             },
        { .key = "d", .title = "number",   .format = EC_COL_PLAIN},
    };
    static const struct {
        int width, dropped, widest;
        const char *name;
    } cases[] = {
        {0,   0, 51, "twenty-six characters long"           },
        { 50, 0, 50, "twenty-six characters lo\xe2\x80\xa6 "},
        { 35, 0, 35, "twenty-si\xe2\x80\xa6 "               },
        { 34, 1, 34, "twenty-six char\xe2\x80\xa6 "         },
        { 20, 2, 20, "twenty-six \xe2\x80\xa6 "             },
        { 5,  2, 18, "twenty-si\xe2\x80\xa6 "               },
    };
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_buf out = EC_BUF_INIT;
        struct ec_err err = { 0 };
        struct ec_table t;

        ec_table_init(&t, narrow, EC_LEN(narrow));
        ec_table_text(&t, "twenty-six characters long");
        ec_table_text(&t, "x");
        ec_table_text(&t, "y");
        ec_table_int(&t, 5);
        t.width = cases[i].width;
        CHECK_OK(ec_table_write(&t, EC_TABLE_TEXT, &out, &err));
        CHECK_INT(widest(ec_buf_text(&out)), cases[i].widest);
        CHECK_INT(ec_table_dropped(&t, NULL), cases[i].dropped);
        CHECK_HAS(ec_buf_text(&out), cases[i].name);
        ec_buf_clear(&out);
        ec_table_clear(&t);
    }
}

TEST(a_column_that_is_the_same_goes_and_names_keep_both_ends)
{
    static const struct ec_col names[] = {
        {.key = "a", .title = "name", .min_width = 9, .flags = EC_COL_BOTH_ENDS },
        { .key = "b",         .title = "line",              .flags = EC_COL_HIDE_SAME    },
    };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };
    struct ec_table t;

    ec_table_init(&t, names, EC_LEN(names));
    t.width = 9;
    ec_table_text(&t, "resnet18_b128.csv");
    ec_table_int(&t, 2);
    CHECK_OK(ec_table_write(&t, EC_TABLE_TEXT, &out, &err));
    CHECK_HAS(ec_buf_text(&out), "line"); /* of one row */
    CHECK_HAS(ec_buf_text(&out), "resn\xe2\x80\xa6"
                                 ".csv");
    ec_buf_reset(&out);
    ec_table_text(&t, "resnet18_b64.csv");
    ec_table_int(&t, 2);
    CHECK_OK(ec_table_write(&t, EC_TABLE_TEXT, &out, &err));
    CHECK(!strstr(ec_buf_text(&out), "line"));
    CHECK_INT(widest(ec_buf_text(&out)), 9);
    ec_buf_reset(&out);
    CHECK_OK(ec_table_write(&t, EC_TABLE_CSV, &out, &err));
    CHECK_HAS(ec_buf_text(&out), "a,b\nresnet18_b128.csv,2\n");
    ec_buf_clear(&out);
    ec_table_clear(&t);
}
