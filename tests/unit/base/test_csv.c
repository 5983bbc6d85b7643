/* CSV: what RFC 4180 allows, what we refuse, and writing. */
#include "test.h"

static enum ec_status parse(const char *text, struct ec_csv *c, struct ec_err *err)
{
    return ec_csv_parse(text, strlen(text), c, err);
}

TEST(plain_table)
{
    struct ec_csv c = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(parse("a,b\n1,2\n3,\n", &c, &err));
    CHECK_INT(c.n_cols, 2);
    CHECK_INT(c.n_rows, 2);
    CHECK_INT(ec_csv_col(&c, "b"), 1);
    CHECK_INT(ec_csv_col(&c, "c"), -1);
    CHECK_STR(ec_csv_cell(&c, 0, 1), "2");
    CHECK_STR(ec_csv_cell(&c, 1, 0), "3");
    CHECK_STR(ec_csv_cell(&c, 1, 1), "");
    CHECK_STR(ec_csv_cell(&c, 1, -1), "");
    CHECK_STR(ec_csv_cell(&c, 2, 0), "");
    ec_csv_clear(&c);
    ec_csv_clear(NULL);
}

TEST(quotes_crlf_bom_and_no_final_newline)
{
    struct ec_csv c = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(parse("\xef\xbb\xbf\"a\"\"x\",b\r\n\"1,5\",\"two\r\nlines\"\r\n\r\n,\"\"\r\nq\"q,z\r",
                   &c, &err));
    CHECK_STR(c.names[0], "a\"x");
    CHECK_INT(c.n_rows, 3);
    CHECK_STR(ec_csv_cell(&c, 0, 0), "1,5");
    CHECK_STR(ec_csv_cell(&c, 0, 1), "two\r\nlines");
    CHECK_INT(c.lines[0], 2);
    CHECK_INT(c.lines[1], 5);
    CHECK_INT(c.lines[2], 6);
    CHECK_STR(ec_csv_cell(&c, 1, 0), "");
    CHECK_STR(ec_csv_cell(&c, 1, 1), "");
    CHECK_STR(ec_csv_cell(&c, 2, 0), "q\"q");
    CHECK_STR(ec_csv_cell(&c, 2, 1), "z");
    ec_csv_clear(&c);
}

TEST(tabs_and_semicolons_between_cells)
{
    struct ec_csv c = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(parse("a\tb;c\n1,5\t\"x\ty\"\n", &c, &err));
    CHECK_INT(c.n_cols, 2);
    CHECK_STR(c.names[1], "b;c");
    CHECK_STR(ec_csv_cell(&c, 0, 0), "1,5");
    CHECK_STR(ec_csv_cell(&c, 0, 1), "x\ty");
    ec_csv_clear(&c);

    CHECK_OK(parse("\r\na;\"b,c\";d\r\n73,1;-0,25;1,2,3\r\n,5;5,;x\r\n", &c, &err));
    CHECK_INT(c.n_cols, 3);
    CHECK_STR(c.names[1], "b,c");
    CHECK_STR(ec_csv_cell(&c, 0, 0), "73.1");
    CHECK_STR(ec_csv_cell(&c, 0, 1), "-0.25");
    CHECK_STR(ec_csv_cell(&c, 0, 2), "1,2,3");
    CHECK_STR(ec_csv_cell(&c, 1, 0), ",5");
    CHECK_STR(ec_csv_cell(&c, 1, 1), "5,");
    ec_csv_clear(&c);

    CHECK_OK(parse("a,b;c\n1,2;3\n", &c, &err));
    CHECK_STR(c.names[1], "b;c");
    CHECK_STR(ec_csv_cell(&c, 0, 1), "2;3");
    ec_csv_clear(&c);
    CHECK_FAILS(parse("a;b\n1;2;3\n", &c, &err), EC_E_PARSE, "line 2: 3 cells, the header has 2");
}

/* Each as "name,.../cell,.../", the lines of the rows behind. */
TEST(comments_and_markdown)
{
    static const struct {
        const char *text, *names, *last;
        int rows, line;
    } tables[] = {
        {"# made by hand, twice\n#\na,b\n1,2\n# the fan, died\n3,4\n", "a|b",  "3|4",      2, 6},
        { "# a,b\n1,2\n",                                              " a|b", "1|2",      1, 2},
        { "# of 2026; b\na;b\n1,5 ms;2\n",                             "a|b",  "1.5 ms|2", 1, 3},
        { "#,b\n#1,2\n",                                               "#|b",  "#1|2",     1, 2},
        { "| a | `b` |\n|:--|--:|\n| **x** | 1,024 |\n",               "a|b",  "x|1,024",  1, 3},
    };
    int i;

    for (i = 0; i < EC_LEN(tables); i++) {
        struct ec_csv c = { 0 };
        struct ec_err err = { 0 };
        char text[64];

        CHECK_OK(parse(tables[i].text, &c, &err));
        CHECK_INT(c.n_cols, 2);
        CHECK_INT(c.n_rows, tables[i].rows);
        (void)snprintf(text, sizeof text, "%s|%s", c.names[0], c.names[1]);
        CHECK_STR(text, tables[i].names);
        (void)snprintf(text, sizeof text, "%s|%s", ec_csv_cell(&c, c.n_rows - 1, 0),
                       ec_csv_cell(&c, c.n_rows - 1, 1));
        CHECK_STR(text, tables[i].last);
        CHECK_INT(c.lines[c.n_rows - 1], tables[i].line);
        ec_csv_clear(&c);
    }
}

TEST(header_alone)
{
    struct ec_csv c = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(parse("only", &c, &err));
    CHECK_INT(c.n_cols, 1);
    CHECK_INT(c.n_rows, 0);
    ec_csv_clear(&c);
}

TEST(refusals_name_the_line)
{
    struct ec_csv c = { 0 };
    struct ec_err err = { 0 };

    CHECK_FAILS(parse("", &c, &err), EC_E_PARSE, "header is missing");
    CHECK_FAILS(parse("\n\n", &c, &err), EC_E_PARSE, "header is missing");
    CHECK_FAILS(parse("a,b\n1,2\n1\n", &c, &err), EC_E_PARSE, "line 3: 1 cells, the header has 2");
    CHECK_FAILS(parse("a,b\n1,2,3\n", &c, &err), EC_E_PARSE, "line 2: 3 cells");
    CHECK_FAILS(parse("a\n\"x\ny\n", &c, &err), EC_E_PARSE, "line 2: quoted cell is never closed");
    CHECK_FAILS(parse("a\n\"x\ny\"z\n", &c, &err), EC_E_PARSE, "line 3: text follows");
    CHECK_FAILS(ec_csv_parse("a\0b", 3, &c, &err), EC_E_PARSE, "NUL");
    CHECK_FAILS(ec_csv_read("/nonexistent.csv", &c, &err), EC_E_NOT_FOUND, "/nonexistent.csv");
    CHECK(!c.names);
}

TEST(written_cells_read_back)
{
    static const char *const cells[] = { "plain", "", "a,b", "say \"hi\"", "two\nlines", "\"" };
    struct ec_buf b = EC_BUF_INIT;
    struct ec_csv c = { 0 };
    struct ec_err err = { 0 };
    int i;

    ec_buf_str(&b, "a,b,c,d,e,f\n");
    for (i = 0; i < EC_LEN(cells); i++) {
        ec_buf_str(&b, i ? "," : "");
        ec_csv_put(&b, cells[i]);
    }
    CHECK_OK(parse(ec_buf_text(&b), &c, &err));
    for (i = 0; i < EC_LEN(cells); i++)
        CHECK_STR(ec_csv_cell(&c, 0, i), cells[i]);
    ec_csv_clear(&c);
    ec_buf_clear(&b);
}

/* What would begin a comment or Markdown, or part cells, as the only name of a header. */
TEST(a_lone_name_reads_back)
{
    static const char *const names[] = { "# n", " #", "|n|", "a;b", "a\tb" };
    int i;

    for (i = 0; i < EC_LEN(names); i++) {
        struct ec_buf b = EC_BUF_INIT;
        struct ec_csv c = { 0 };
        struct ec_err err = { 0 };

        ec_csv_put(&b, names[i]);
        ec_buf_str(&b, "\n1\n");
        CHECK_OK(parse(ec_buf_text(&b), &c, &err));
        CHECK_INT(c.n_cols, 1);
        CHECK_STR(c.names[0], names[i]);
        ec_csv_clear(&c);
        ec_buf_clear(&b);
    }
}

/* Whatever the bytes, parsing ends with a table or a sentence. */
TEST(random_bytes)
{
    static const char alphabet[] = ",,\"\"\n\n\r\r##||-ab";
    struct ec_rng r;
    char text[40];
    int i, j, len;

    ec_rng_seed(&r, 7);
    for (i = 0; i < 20000; i++) {
        struct ec_csv c = { 0 };
        struct ec_err err = { 0 };

        len = (int)ec_rng_range(&r, 0, (int)sizeof text);
        for (j = 0; j < len; j++)
            text[j] = alphabet[ec_rng_range(&r, 0, (int)sizeof alphabet - 2)];
        if (ec_csv_parse(text, (size_t)len, &c, &err))
            CHECK(err.text[0]);
        ec_csv_clear(&c);
    }
}

static enum ec_status parse_some(struct ec_err *err)
{
    struct ec_csv c = { 0 };
    enum ec_status st = parse("# c\na,b\n1,2\n\"3\",4\n", &c, err);

    ec_csv_clear(&c);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(parse_some);
}
