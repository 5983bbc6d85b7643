/* Help made from a row: flags, metavars, defaults, ranges, lines that fit. */
#include "test.h"

#include "cli/cli.h"

static const char *const words[] = { "one", "two", NULL };

/* clang-format off */
static const struct {
    struct ec_field f;
    const char *flag, *text;
} rows[] = {
    { { .name = "verbose", .type = EC_F_BOOL, .help = "say more" }, "--verbose", "say more" },
    { { .name = "quiet", .type = EC_F_BOOL, .deflt = "1", .help = "say less" }, "--no-quiet",
      "say less" },
    { { .name = "batch", .type = EC_F_INT, .help = "how many" }, "-b, --batch N",
      "how many" },
    { { .name = "base_filters", .type = EC_F_INT, .deflt = "32", .min = 1, .max = 4096,
      .help = "filters" },
      "--base-filters N", "filters (default 32, 1 to 4096)" },
    { { .name = "bytes", .type = EC_F_INT, .max = 1e12, .help = "size", .unit = "bytes" },
      "--bytes N", "size (in bytes)" },
    { { .name = "budget", .type = EC_F_DOUBLE, .deflt = "2.5", .max = 60, .unit = "s",
      .help = "time" },
      "--budget X", "time (default 2.5, 0 to 60 s)" },
    { { .name = "rate", .type = EC_F_DOUBLE, .metavar = "RATE", .help = "speed" }, "--rate RATE",
      "speed" },
    { { .name = "which", .type = EC_F_ENUM, .choices = words, .deflt = "two", .help = "of them" },
      "--which CHOICE", "of them: one, two (default two)" },
    { { .name = "file", .type = EC_F_STR, .help = "where" }, "--file TEXT", "where" },
    { { .name = "empty", .type = EC_F_STR, .deflt = "", .help = "where" }, "--empty TEXT",
      "where" },
    { { .name = "size", .type = EC_F_INTS, .help = "sides" }, "--size N,N", "sides" },
    { { .name = "device", .type = EC_F_STRS, .metavar = "KEY", .help = "on" },
      "-d, --device KEY", "on; may be repeated" },
    { { .name = "several", .type = EC_F_STRS, .choices = words, .help = "of them" },
      "--several CHOICE", "of them: one, two; may be repeated" },
    { { .name = "silent", .type = EC_F_BOOL }, "--silent", "" },
};
/* clang-format on */

TEST(a_row_explains_itself)
{
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_buf flag = EC_BUF_INIT, text = EC_BUF_INIT;

        ec_help_flag(&rows[i].f, &flag);
        ec_help_text(&rows[i].f, &text);
        CHECK_STR(ec_buf_text(&flag), rows[i].flag);
        CHECK_STR(ec_buf_text(&text), rows[i].text);
        ec_buf_clear(&flag);
        ec_buf_clear(&text);
    }
}

TEST(names_become_flags)
{
    char out[EC_FLAG_BYTES], small[6];

    CHECK_STR(ec_flag_text("batch", out, sizeof out), "--batch");
    CHECK_STR(ec_flag_text("base_filters", out, sizeof out), "--base-filters");
    CHECK_STR(ec_flag_text("a_b_c", out, sizeof out), "--a-b-c");
    CHECK_STR(ec_flag_text("a_very_long_name", small, sizeof small), "--a-v");
}

TEST(words_that_take_no_flag)
{
    static const struct ec_cmd cmd = { .name = "x", .positional = "model more" };
    static const struct ec_cmd none = { .name = "y" };

    CHECK(ec_is_positional(&cmd, "model") && ec_is_positional(&cmd, "more"));
    CHECK(!ec_is_positional(&cmd, "mode") && !ec_is_positional(&cmd, "models"));
    CHECK(!ec_is_positional(&cmd, "model more") && !ec_is_positional(&none, "model"));
}

/* A flag that is too long for its column has a line of its own; texts go on under themselves. */
TEST(lines_are_filled)
{
    static const struct ec_field fields[] = {
        {.name = "a",                                     .type = EC_F_BOOL, .help = "short"  },
        { .name = "an_option_of_a_name_that_is_too_long", .type = EC_F_BOOL, .help = "here"   },
        { .name = "b",
         .type = EC_F_BOOL,
         .help =
              "a sentence of many words that goes on until it must be broken and then goes on"},
        EC_FIELD_END
    };
    static const struct ec_arg_group groups[] = {
        {"Options", fields, 0},
        { NULL,     NULL,   0},
    };
    static const char *const usage[] = { "[OPTIONS]", "--b", NULL };
    static const struct ec_cmd cmd = {
        .name = "try", .help = "a test", .usage = usage, .groups = groups
    };
    struct ec_buf out = EC_BUF_INIT;

    ec_help_cmd(&ec_epochcast, &cmd, &out);
    CHECK_STR(ec_buf_text(&out),
              "epochcast try - a test\n"
              "\n"
              "Usage: epochcast try [OPTIONS]\n"
              "       epochcast try --b\n"
              "\n"
              "Options:\n"
              "      --a                     short\n"
              "      --an-option-of-a-name-that-is-too-long\n"
              "                              here\n"
              "      --b                     a sentence of many words that goes on until it\n"
              "                              must be broken and then goes on\n");
    ec_buf_clear(&out);
}

TEST(a_full_buffer_stays_failed)
{
    struct ec_buf out = EC_BUF_INIT;

    out.st = EC_E_NOMEM;
    ec_help_all(&ec_epochcast, &out);
    CHECK_INT(out.st, EC_E_NOMEM);
    ec_help_text(&rows[0].f, &out);
    CHECK_INT(out.len, 0);
    ec_buf_clear(&out);
}
