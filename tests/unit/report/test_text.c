/* How numbers are written for people, format by format, and what holds of every table of text. */
#include "test.h"

#include "report/report.h"
#include "report/report_internal.h"

/* One cell as Markdown writes it, which pads nothing. */
static void shown(const struct ec_col *col, double v, char *out, size_t size)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_table t;
    struct ec_err err;
    const char *last;

    ec_table_init(&t, col, 1);
    ec_table_num(&t, v);
    CHECK_OK(ec_table_write(&t, EC_TABLE_MARKDOWN, &text, &err));
    last = strstr(ec_buf_text(&text), "|\n| ");
    last = last ? strstr(last + 3, "|\n| ") : NULL;
    (void)snprintf(out, size, "%s", last ? last + 4 : "");
    if (strlen(out) > 3)
        out[strlen(out) - 3] = '\0'; /* " |\n" */
    ec_table_clear(&t);
    ec_buf_clear(&text);
}

TEST(numbers_by_their_formats)
{
    static const struct {
        enum ec_col_format format;
        double scale;
        int digits;
        double v;
        const char *text;
    } rows[] = {
        {EC_COL_THOUSANDS,  0,     0, 25557032, "25,557,032"},
        { EC_COL_THOUSANDS, 0,     0, 999,      "999"       },
        { EC_COL_THOUSANDS, 0,     0, -1234,    "-1,234"    },
        { EC_COL_THOUSANDS, 0,     0, 1e300,    "1e+300"    },
        { EC_COL_THOUSANDS, 0,     0, -2.5e18,  "-2.5e+18"  },
        { EC_COL_PLAIN,     0,     0, 2024,     "2024"      },
        { EC_COL_PLAIN,     0,     0, 0.25,     "0.25"      },
        { EC_COL_FIXED,     0,     0, 2.4,      "2"         },
        { EC_COL_FIXED,     0,     2, 2.345,    "2.35"      },
        { EC_COL_FIXED,     100,   1, 0.123,    "12.3"      },
        { EC_COL_FIXED,     0,     2, -0.001,   "0.00"      },
        { EC_COL_FIXED,     0,     1, -2.5,     "-2.5"      },
        { EC_COL_FIXED,     0,     1, 2e12,     "2e+12"     },
        { EC_COL_DIGITS3,   0,     0, 0,        "0"         },
        { EC_COL_DIGITS3,   0,     0, 1234.5,   "1234"      },
        { EC_COL_DIGITS3,   0,     0, 123.45,   "123"       },
        { EC_COL_DIGITS3,   0,     0, 99.96,    "100"       },
        { EC_COL_DIGITS3,   0,     0, 12.345,   "12.3"      },
        { EC_COL_DIGITS3,   0,     0, 9.996,    "10.0"      },
        { EC_COL_DIGITS3,   0,     0, 1.2345,   "1.23"      },
        { EC_COL_DIGITS3,   0,     0, 0.12345,  "0.123"     },
        { EC_COL_DIGITS3,   0,     0, 0.00012,  "0.00012"   },
        { EC_COL_DIGITS3,   1e-12, 0, 19.5e12,  "19.5"      },
        { EC_COL_SI,        0,     0, 25.6e6,   "25.6 M"    },
        { EC_COL_BYTES,     0,     0, 0x1p30,   "1.00"      },
        { EC_COL_BYTES,     0,     0, 512,      "512"       },
        { EC_COL_NS,        0,     0, 412e6,    "412"       },
        { EC_COL_NS,        0,     0, 1500,     "1.50"      },
    };
    char text[128];
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_col col = { .key = "k",
                              .title = "t",
                              .format = rows[i].format,
                              .scale = rows[i].scale,
                              .digits = rows[i].digits };

        shown(&col, rows[i].v, text, sizeof text);
        CHECK_STR(text, rows[i].text);
    }
}

/* Two columns of times, the second in the unit of the first. */
static void check_units(double a, double b, const char *want)
{
    static const struct ec_col cols[] = {
        {.key = "a_ns", .title = "a",        .format = EC_COL_NS      },
        { .key = "b_ns", .title = "b", .format = EC_COL_NS, .flags = EC_COL_AS_BEFORE },
    };
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err = { 0 };
    struct ec_table t;

    ec_table_init(&t, cols, EC_LEN(cols));
    ec_table_num(&t, a);
    ec_table_num(&t, a / 10);
    ec_table_num(&t, b);
    ec_table_none(&t);
    CHECK_OK(ec_table_write(&t, EC_TABLE_MARKDOWN, &text, &err));
    CHECK_STR(ec_buf_text(&text), want);
    ec_table_clear(&t);
    ec_buf_clear(&text);
}

TEST(a_column_of_times_has_one_unit)
{
    check_units(481e3, 3.08e9,
                "| a (ms) | b (ms) |\n| --: | --: |\n| 0.481 | 0.048 |\n| 3080 | - |\n");
    check_units(15.5 * 3600e9, 110 * 3600e9,
                "| a (h) | b (h) |\n| --: | --: |\n| 15.5 | 1.55 |\n| 110 | - |\n");
    check_units(1e3, 2e9, "| a | b |\n| --: | --: |\n| 1.00 us | 100 ns |\n| 2.00 s | - |\n");
    check_units(0, 2e6, "| a (ms) | b (ms) |\n| --: | --: |\n| 0 | 0 |\n| 2.00 | - |\n");
}

TEST(what_nobody_knows_is_a_dash_in_every_format)
{
    static const double unknown[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
    enum ec_col_format f;
    char text[128];
    int i;

    for (f = EC_COL_THOUSANDS; f <= EC_COL_NS; f++)
        for (i = 0; i < EC_LEN(unknown); i++) {
            struct ec_col col = { .key = "k", .title = "t", .format = f };

            shown(&col, unknown[i], text, sizeof text);
            CHECK_STR(text, "-");
        }
}

TEST(seconds_are_times)
{
    char out[EC__SECONDS_BYTES];

    CHECK_STR(ec__seconds(0.5, out), "500 ms");
    CHECK_STR(ec__seconds(90, out), "90.0 s");
    CHECK_STR(ec__seconds(7200, out), "2.00 h");
}

/* --- Whole tables --- */

static uint64_t draw(struct ec_rng *rng, uint64_t below)
{
    return ec_rng_next(rng) % below;
}

#define COLS 6
#define ROWS 7

/* A table of whatever kinds of cells. */
static void fill(struct ec_rng *rng, struct ec_col *cols, struct ec_table *t)
{
    static const char *const texts[] = {
        "a", "caf\xc3\xa9", "a | b", "\xe4\xb8\xad\xe6\x96\x87", "several words that are long",
        "",  "\xff\xfe",    "<b>"
    };
    static const char *const keys[COLS] = { "a", "b", "c", "d", "e", "f" };
    int i;

    for (i = 0; i < COLS; i++)
        cols[i] = (struct ec_col){ .key = keys[i],
                                   .title = texts[draw(rng, 5)],
                                   .unit = draw(rng, 3) ? NULL : "ms",
                                   .format = (enum ec_col_format)draw(rng, EC_COL_NS + 1),
                                   .max_width = draw(rng, 4) ? 0 : 8,
                                   .min_width = draw(rng, 4) ? 0 : 4,
                                   .drop = (int)draw(rng, 3),
                                   .flags = draw(rng, 4) ? 0u : EC_COL_HIDE_EMPTY };
    ec_table_init(t, cols, COLS);
    for (i = 0; i < COLS * ROWS; i++) {
        if (i % COLS == 0 && !draw(rng, 5))
            ec_table_rule(t);
        switch (cols[i % COLS].format) {
        case EC_COL_TEXT:
            ec_table_text(t, draw(rng, 4) ? texts[draw(rng, EC_LEN(texts))] : NULL);
            break;
        case EC_COL_BOOL:
            ec_table_bool(t, draw(rng, 2));
            break;
        default:
            if (draw(rng, 5))
                ec_table_num(t, ec_rng_unit(rng) * 1e6);
            else
                ec_table_none(t);
        }
    }
}

static int widest(const char *text)
{
    struct ec_span rest = ec_span_of(text), line;
    int most = 0;

    while (rest.len && ec_span_cut(&rest, '\n', &line)) {
        char copy[1024];
        int width;

        (void)snprintf(copy, sizeof copy, "%.*s", (int)line.len, line.p);
        width = ec_text_width(copy);
        most = width > most ? width : most;
    }
    return most;
}

static int lines_of(const char *text)
{
    int n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Narrower never makes wider, and nothing but columns and letters goes. */
TEST(narrow_tables_are_no_wider)
{
    struct ec_rng rng;
    int trial;

    ec_rng_seed(&rng, 7);
    for (trial = 0; trial < 200; trial++) {
        struct ec_col cols[COLS];
        struct ec_buf text = EC_BUF_INIT;
        struct ec_err err;
        struct ec_table t;
        int full, lines, width, before, dropped = 0;

        fill(&rng, cols, &t);
        CHECK_OK(ec_table_write(&t, EC_TABLE_TEXT, &text, &err));
        before = full = widest(ec_buf_text(&text));
        lines = lines_of(ec_buf_text(&text));
        CHECK_INT(ec_table_dropped(&t, NULL), 0);
        for (width = full + 5; width > 3; width -= 7) {
            t.width = width;
            ec_buf_reset(&text);
            CHECK_OK(ec_table_write(&t, EC_TABLE_TEXT, &text, &err));
            CHECK(widest(ec_buf_text(&text)) <= before);
            CHECK(width < full || widest(ec_buf_text(&text)) == full);
            CHECK(lines_of(ec_buf_text(&text)) <= lines);
            CHECK(ec_table_dropped(&t, NULL) >= dropped);
            dropped = ec_table_dropped(&t, NULL);
            before = widest(ec_buf_text(&text));
        }
        ec_table_clear(&t);
        ec_buf_clear(&text);
        if (test_bad_checks) {
            test_fail(__FILE__, __LINE__, "in trial %d", trial);
            break;
        }
    }
}

/* CSV has each row and column, whatever the cells hold, and reads back what was put in. */
TEST(sheets_read_back)
{
    struct ec_rng rng;
    int trial, i;

    ec_rng_seed(&rng, 11);
    for (trial = 0; trial < 100; trial++) {
        struct ec_col cols[COLS];
        struct ec_buf text = EC_BUF_INIT;
        struct ec_csv csv = { 0 };
        struct ec_err err;
        struct ec_table t;

        fill(&rng, cols, &t);
        CHECK_OK(ec_table_write(&t, EC_TABLE_CSV, &text, &err));
        CHECK_OK(ec_csv_parse(ec_buf_text(&text), text.len, &csv, &err));
        CHECK_INT(csv.n_cols, COLS);
        CHECK_INT(csv.n_rows, ROWS);
        for (i = 0; i < COLS * ROWS; i++) {
            const struct ec_cell *cell = &t.cells[i];
            const char *got = ec_csv_cell(&csv, i / COLS, i % COLS);
            double v;

            if (cell->kind == EC_CELL_TEXT)
                CHECK_STR(got, cell->v.text);
            else if (cell->kind == EC_CELL_NONE)
                CHECK_STR(got, "");
            else if (cell->kind == EC_CELL_BOOL)
                CHECK_STR(got, cell->v.b ? "1" : "0");
            else if (!ec_parse_double(ec_span_of(got), &v) || fabs(v - cell->v.num) > 0)
                test_fail(__FILE__, __LINE__, "%s, want %.17g", got, cell->v.num);
        }
        ec_csv_clear(&csv);
        ec_table_clear(&t);
        ec_buf_clear(&text);
    }
}

static int tags(const char *text, const char *tag)
{
    int n = 0;

    for (text = strstr(text, tag); text; text = strstr(text + 1, tag))
        n++;
    return n;
}

/* Every cell is a cell of HTML, and none of them opens a tag of its own. */
TEST(pages_have_every_cell)
{
    struct ec_rng rng;
    int trial, i;

    ec_rng_seed(&rng, 13);
    for (trial = 0; trial < 100; trial++) {
        struct ec_col cols[COLS];
        struct ec_buf text = EC_BUF_INIT;
        struct ec_err err;
        struct ec_table t;
        int hidden = 0;

        fill(&rng, cols, &t);
        for (i = 0; i < COLS; i++) {
            int row, known = 0;

            for (row = 0; row < ROWS; row++)
                known += t.cells[row * COLS + i].kind != EC_CELL_NONE;
            hidden += !known && (cols[i].flags & EC_COL_HIDE_EMPTY);
        }
        CHECK_OK(ec_table_write(&t, EC_TABLE_HTML, &text, &err));
        CHECK_INT(tags(ec_buf_text(&text), "<td"), ROWS * (COLS - hidden));
        CHECK_INT(tags(ec_buf_text(&text), "</td>"), ROWS * (COLS - hidden));
        CHECK_INT(tags(ec_buf_text(&text), "<th>") + tags(ec_buf_text(&text), "<th "),
                  COLS - hidden);
        CHECK_INT(tags(ec_buf_text(&text), "<tr>"), ROWS + 1);
        CHECK(!strstr(ec_buf_text(&text), "<b>"));
        ec_table_clear(&t);
        ec_buf_clear(&text);
    }
}

TEST(markup_is_escaped)
{
    struct ec_buf out = EC_BUF_INIT;

    ec_html_escape(&out, "<a href=\"x\">&'\n\x01");
    CHECK_STR(ec_buf_text(&out), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;  ");
    ec_buf_reset(&out);
    ec_html_escape_part(&out, "<<<<", 2);
    CHECK_STR(ec_buf_text(&out), "&lt;&lt;");
    ec_buf_clear(&out);
}
