/* Rows in a database in memory: its functions, tables and sentences. */
#include "test.h"

#include "report/query.h"

/* The sentences of a script on a table t of four rows, joined by '|'. */
static void said(const char *script, struct ec_buf *ret)
{
    static const struct {
        const char *name;
        double x;
    } rows[] = {
        {"b",   2          },
        { "a",  8          },
        { NULL, (double)NAN},
        { "c",  8          },
    };
    struct ec_arena a = { 0 };
    struct ec_strs says = { 0 };
    struct ec__query q;
    struct ec_err err;
    int i;

    CHECK_OK(ec__query_open(&q, &err));
    ec__query_into(&q, "t", "name x");
    for (i = 0; i < EC_LEN(rows); i++) {
        ec__query_text(&q, rows[i].name);
        ec__query_num(&q, rows[i].x);
    }
    CHECK_OK(ec__query_say(&q, script, &a, &says, &err));
    for (i = 0; i < says.n; i++)
        ec_buf_printf(ret, "%s%s", i ? "|" : "", says.v[i]);
    ec__query_close(&q);
    ec_arena_clear(&a);
}

TEST(rows_become_sentences)
{
    /* clang-format off */
    static const struct {
        const char *script, *want;
    } rows[] = {
        { "SELECT name FROM t ORDER BY i", "b|a||c" },
        { "SELECT i FROM t WHERE x IS NULL; SELECT count(*) FROM t WHERE name = ''", "3|1" },
        { "CREATE VIEW v AS SELECT * FROM t; SELECT NULL FROM v; -- none", "" },
        { "SELECT at_max(name, x) || at_min(name, x) FROM t", "ab" },
        { "SELECT median(x) || ' ' || quantile(x, 0) FROM t", "8.0 2.0" },
        { "SELECT median(x) FROM t WHERE i > 9", "" },
        { "SELECT at_max(name, x) FROM t WHERE i = 3", "" },
        { "SELECT fixed(x, 1) || ' ' || digits(x / 3, 3) FROM t WHERE i = 1", "2.0 0.667" },
        { "SELECT median_ape(x, 2 * x) || ' ' || mean_ape(x, x) || ' ' || p90_ape(x, 0) FROM t",
          "1.0 0.0 1.0" },
        { "SELECT r2(x, x) FROM t", "1.0" },
        { "SELECT r2(x, x) FROM t WHERE i = 1", "" }, /* one row has no variance */
        { "SELECT mean_ape(x, x) FROM t WHERE i = 3", "" },
        { "SELECT fixed(x, 1) FROM t WHERE i = 3", "" },
        { "SELECT rate(1234)", "1,234 samples/s" },
        { "SELECT times(1.25) || ' ' || bytes(2048)", "1.2 2.00 KiB" },
        { "SELECT seconds(0.002)", "2.00 ms" },
        { "SELECT thousands(12345)", "12,345" },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_buf text = EC_BUF_INIT;

        said(rows[i].script, &text);
        CHECK_STR(ec_buf_text(&text), rows[i].want);
        ec_buf_clear(&text);
    }
}

TEST(a_table_takes_the_rows_of_a_statement)
{
    static const struct ec_col cols[] = { { .key = "name" }, { .key = "x" } };
    struct ec__query q;
    struct ec_buf text = EC_BUF_INIT;
    struct ec_table t;
    struct ec_err err;

    ec_table_init(&t, cols, EC_LEN(cols));
    CHECK_OK(ec__query_open(&q, &err));
    CHECK_OK(ec__query_rows(&q, "SELECT 'a', 1 UNION ALL SELECT NULL, 2.5", &t, &err));
    CHECK_OK(ec_table_write(&t, EC_TABLE_CSV, &text, &err));
    CHECK_STR(ec_buf_text(&text), "name,x\na,1\n,2.5\n");
    ec_table_clear(&t);
    ec_buf_clear(&text);
    ec__query_close(&q);
}

TEST(a_wrong_statement_is_an_error)
{
    struct ec__query q;
    struct ec_err err;

    CHECK_OK(ec__query_open(&q, &err));
    CHECK_INT(ec__query_say(&q, "SELECT 1; SELECT absent", NULL, NULL, &err), EC_E_STORE);
    CHECK_HAS(err.text, "no such column: absent");
    ec__query_close(&q);
}
