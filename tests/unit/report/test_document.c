/* Documents: markup of other people stays text in HTML and Markdown. */
#include "test.h"

#include "report/document.h"
#include "report/report.h"

static const struct ec_col cols[] = {
    {.key = "a",    .title = "<a>"       },
    { .key = "n", .title = "n", .flags = EC_COL_RIGHT }
};

static void fill(struct ec_document *d)
{
    const double x[] = { 1, 2 };
    struct ec_series s = { .n = 2, .x = x, .y = x };
    struct ec_plot p = { .series = &s, .n_series = 1, .title = "</svg>" };
    struct ec_drawing drawing = { 0 };
    struct ec_table t;

    ec_document_heading(d, 1, "A <b>title</b>");
    ec_document_heading(d, 2, "Part & part");
    ec_document_text(d, "%s", "<script>alert('x')</script> *not bold* [no](link)");
    ec_document_item(d, "one");
    ec_document_item(d, "two");
    ec_document_text(d, "%s", "see `plot --x a*b <c>` and one ` alone");
    ec_document_text(d, "%s", "hostile ```<script>alert(1)</script>` and `a\n\n<script>` and ``");
    ec_table_init(&t, cols, EC_LEN(cols));
    ec_table_text(&t, "a|b</td>");
    ec_table_text(&t, "12");
    ec_document_table(d, &t, "caption", "epochcast model 'x'");
    ec_table_clear(&t);
    if (!ec_plot_draw(&p, &drawing, NULL))
        ec_document_figure(d, &drawing, "fig", "A picture", NULL);
    else
        d->st = EC_E_NOMEM;
    ec_drawing_clear(&drawing);
}

/* The first items and short tables stay open. */
TEST(long_lists_and_tables_are_folded)
{
    static const struct ec_col number = { .key = "n", .title = "n", .format = EC_COL_PLAIN };
    struct ec_document d = { 0 };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_table t;
    struct ec_err err;
    int i, rows;

    for (i = 0; i < 9; i++)
        ec_document_item(&d, "item");
    for (rows = 12; rows < 14; rows++) {
        ec_table_init(&t, &number, 1);
        for (i = 0; i < rows; i++)
            ec_table_int(&t, i);
        ec_document_table(&d, &t, "caption", NULL);
        ec_table_clear(&t);
    }
    CHECK_OK(ec_document_html(&d, &out, &err));
    CHECK_HAS(ec_buf_text(&out), "<details><summary>3 more</summary>\n<ul>\n");
    CHECK(!strstr(ec_buf_text(&out), "Table of 12 rows"));
    CHECK_HAS(ec_buf_text(&out), "<details><summary>Table of 13 rows</summary>");
    CHECK_HAS(ec_buf_text(&out), "prefers-color-scheme:dark");
    ec_buf_clear(&out);
    ec_document_clear(&d);
}

TEST(html_escapes_what_is_not_ours)
{
    struct ec_document d = { 0 };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err;

    fill(&d);
    CHECK_OK(ec_document_html(&d, &out, &err));
    CHECK_HAS(ec_buf_text(&out), "<script>\nconst U={ns:"); /* ours sorts tables */
    CHECK(!strstr(strstr(ec_buf_text(&out), "<script>") + 1, "<script"));
    CHECK_HAS(ec_buf_text(&out), "<title>A &lt;b&gt;title&lt;/b&gt;</title>");
    CHECK_HAS(ec_buf_text(&out), "<td>a|b&lt;/td&gt;</td><td class=\"n\">12</td>");
    CHECK_HAS(ec_buf_text(&out), "<ul>\n<li>one</li>\n<li>two</li>\n</ul>");
    CHECK_HAS(ec_buf_text(&out), "<code>epochcast model &#39;x&#39;</code>");
    CHECK_HAS(ec_buf_text(&out), "see <code>plot --x a*b &lt;c&gt;</code> and one ` alone</p>");
    CHECK_HAS(ec_buf_text(&out), "<a href=\"#s1\">Part &amp; part</a>");
    ec_buf_clear(&out);
    ec_document_clear(&d);
}

TEST(markdown_escapes_too)
{
    struct ec_document d = { 0 };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err;

    fill(&d);
    CHECK_OK(ec_document_markdown(&d, "pics", &out, &err));
    CHECK_HAS(ec_buf_text(&out), "\\<script\\>");
    CHECK_HAS(ec_buf_text(&out), "\\*not bold\\* \\[no\\](link)");
    CHECK_HAS(ec_buf_text(&out), "see `plot --x a*b <c>` and one \\` alone");
    CHECK_HAS(ec_buf_text(&out), "hostile \\`\\`\\`\\<script\\>alert(1)");
    CHECK(!strstr(ec_buf_text(&out), "`<script"));
    CHECK(!strstr(ec_buf_text(&out), "\n<script"));
    CHECK_HAS(ec_buf_text(&out), "- one\n- two\n");
    CHECK_HAS(ec_buf_text(&out), "| a\\|b\\</td> | 12 |");
    CHECK_HAS(ec_buf_text(&out), "![A picture](pics/fig.svg)");
    ec_buf_clear(&out);
    ec_document_clear(&d);
}

/* Titles may be the names of columns in somebody's table, and a command those of files. */
TEST(titles_and_commands_stay_in_their_lines)
{
    static const struct ec_col hostile[] = {
        {.key = "a", .title = "a|b<script>\nx](y)", .unit = "<b>|" },
        { .key = "b",         .title = "n"                           }
    };
    struct ec_document d = { 0 };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_table t;
    struct ec_err err;

    ec_table_init(&t, hostile, EC_LEN(hostile));
    ec_table_text(&t, "x");
    ec_table_int(&t, 1);
    ec_document_table(&d, &t, "caption", "plot 'a\n<script>'\n\n# b");
    CHECK_OK(ec_document_markdown(&d, "pics", &out, &err));
    CHECK_HAS(ec_buf_text(&out), "| a\\|b\\<script> x\\](y) (\\<b>\\|) | n |\n| :-- | :-- |\n");
    CHECK_HAS(ec_buf_text(&out), "\n    plot 'a <script>'  # b\n");
    ec_buf_reset(&out);
    CHECK_OK(ec_document_html(&d, &out, &err));
    CHECK_HAS(ec_buf_text(&out), "<th>a|b&lt;script&gt; x](y) (&lt;b&gt;|)</th>");
    CHECK_HAS(ec_buf_text(&out), "<code>plot &#39;a &lt;script&gt;&#39;  # b</code>");
    ec_table_clear(&t);
    ec_buf_clear(&out);
    ec_document_clear(&d);
}

/* A long text of several words may be broken by a narrow page; a name of a device stays whole. */
TEST(names_in_tables_are_not_broken)
{
    static const struct ec_col text[] = {
        {.key = "a", .title = "a"}
    };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_table t;
    struct ec_err err;

    ec_table_init(&t, text, EC_LEN(text));
    ec_table_text(&t, "a-name-as-long-as-that-of-a-device");
    ec_table_text(&t, "short words");
    ec_table_text(&t, "words that go on and on and on");
    CHECK_OK(ec_table_write(&t, EC_TABLE_HTML, &out, &err));
    CHECK_HAS(ec_buf_text(&out), "<td>a-name-as-long-as-that-of-a-device</td>");
    CHECK_HAS(ec_buf_text(&out), "<td>short words</td>");
    CHECK_HAS(ec_buf_text(&out), "<td class=\"w\">words that go on and on and on</td>");
    ec_table_clear(&t);
    ec_buf_clear(&out);
}

static enum ec_status make(struct ec_err *err)
{
    struct ec_document d = { 0 };
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st;

    fill(&d);
    st = ec_document_html(&d, &out, err);
    ec_buf_clear(&out);
    ec_document_clear(&d);
    return st;
}

TEST(running_out_of_memory_is_reported)
{
    CHECK_TORTURE(make);
}
