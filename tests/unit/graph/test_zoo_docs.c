/* docs/zoo.md ends with tables of every family and network; they must be those of the program.
 * With EC_UPDATE=1 in the environment the test writes them. */
#include "test.h"

#include "graph/zoo_internal.h"
#include "figures.h"

#include <stdlib.h>

#define PAGE "docs/zoo.md"
#define MARK "<!-- tables -->\n"

/* In millions; one decimal where that says more. */
static const char *millions(char *out, size_t size, double v)
{
    if (v < 1e8)
        (void)snprintf(out, size, "%.1f", v * 1e-6);
    else
        (void)ec_fmt_thousands(out, size, (int64_t)(v * 1e-6 + 0.5));
    return out;
}

static void put_network(struct ec_buf *out, const struct ec__zoo_row *row)
{
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    char params[40], mac[40], size[40];

    CHECK_OK(ec_zoo_build(row->name, NULL, &g, &err));
    if (!g)
        return;
    (void)ec_fmt_thousands(params, sizeof params, (int64_t)graph_params(g));
    (void)ec_fmt_thousands(size, sizeof size, row->size);
    ec_buf_printf(out, "| %s | %s | %s | %s | %s | %s |\n", row->name, row->aliases, size, params,
                  millions(mac, sizeof mac, graph_mac(g)), row->params ? row->source->key : "-");
    ec_graph_free(g);
}

static void put_fields(struct ec_buf *out, const struct ec_field *f)
{
    if (!f)
        return;
    ec_buf_str(out, "| parameter | meaning |\n|---|---|\n");
    for (; f->name; f++)
        ec_buf_printf(out, "| %s | %s |\n", f->name, f->help);
    ec_buf_char(out, '\n');
}

static void put_tables(struct ec_buf *out)
{
    int n, i;
    const struct ec__zoo_row *rows = ec__zoo_rows(&n);
    const struct ec__family *family = NULL;

    for (i = 0; i < n; i++) {
        if (rows[i].family != family) {
            family = rows[i].family;
            ec_buf_printf(out, "\n## %s: %s\n\n", family->name, family->help);
            put_fields(out, family->fields);
            ec_buf_str(out, "| network | also | size | parameters | MAC (M) | held to |\n"
                            "|---|---|---|---|---|---|\n");
        }
        put_network(out, &rows[i]);
    }
}

TEST(page_shows_what_the_program_has)
{
    struct ec_buf page = EC_BUF_INIT;
    struct ec_file file = { 0 };
    struct ec_err err = { 0 };
    const char *mark;

    CHECK_OK(ec_file_open(PAGE, 1 << 20, &file, &err));
    ec_buf_add(&page, file.data, file.len);
    mark = strstr(ec_buf_text(&page), MARK);
    CHECK(mark != NULL);
    if (mark) {
        page.len = (size_t)(mark - page.data) + strlen(MARK);
        put_tables(&page);
        CHECK_OK(ec_buf_status(&page, &err));
        if (getenv("EC_UPDATE"))
            CHECK_OK(ec_file_write(PAGE, page.data, page.len, &err));
        else if (page.len != file.len || memcmp(page.data, file.data, page.len) != 0)
            test_fail(__FILE__, __LINE__, PAGE " is not what EC_UPDATE=1 would write");
    }
    ec_buf_clear(&page);
    ec_file_close(&file);
}

/* The tables above show each family once: its rows stand together. */
TEST(rows_of_a_family_stand_together)
{
    int n, i, j;
    const struct ec__zoo_row *rows = ec__zoo_rows(&n);

    for (i = 1; i < n; i++)
        for (j = 0; rows[i].family != rows[i - 1].family && j < i; j++)
            if (rows[j].family == rows[i].family) {
                test_fail(__FILE__, __LINE__, "%s stands apart from its family", rows[i].name);
                break;
            }
}
