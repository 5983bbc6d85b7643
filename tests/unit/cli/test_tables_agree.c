/* Answers that are tables, cell by cell: JSON, CSV, Markdown and the text for people hold the same
 * rows, columns and values. */
#include "capture.h"
#include "scratch.h"

/* A command that prints a table, and the key of its array in JSON. */
struct query {
    const char *words, *rows;
    bool text_differs; /* has fewer columns than Markdown */
};
/* clang-format off */
static const struct query queries[] = {
    { "model lenet5", "layers", false },
    { "model resnet18 --batch 16 --optimizer adam", "layers", false },
    { "device list", "devices", false },
    { "device list rtx*", "devices", false },
    { "device hosts", "hosts", false },
    { "op", "operators", false },
    { "op conv2d", "attributes", false },
    { "op softmax", "attributes", false },
    { "op sample --op relu,linear --count 4", "cases", true },
    { "plot --list", "recipes", false },
    { "fetch --dir .", "sets", false },
    { "dataset", "readers", false },
    { "roofline lenet5 vgg16 --device t4,rtx3090 --batch 1,8", "points", false },
    { "roofline lenet5 --device t4 --layers", "points", false },
    { "roofline resnet18 --device t4 --batch 32 --measured networks.csv", "points", false },
    { "analyse iterations.csv", "runs", false },
    { "analyse iterations.csv --no-predict --skip 1", "runs", false },
    { "analyse iterations.csv --complexity", "runs", false },
    { "analyse networks.csv", "runs", false },
    { "evaluate --networks networks.csv", "groups", true },
    { "evaluate --networks networks.csv --by device --by family", "groups", true },
    { "evaluate --networks networks.csv --all-methods", "groups", true },
    { "calibrate --device t4 --suggest 3", "suggestions", false },
    { "whatif --table grid.csv --network= --features width,batch_size", "configurations", false },
    { "whatif --table grid.csv --network= --features width,batch_size width=64 batch_size=48",
      "configurations", false },
    { "fit --table grid.csv --network= --features width,batch_size --family linear --family ours",
      "families", false },
    { "data list --store store.sqlite", "sources", false },
    { "data list --store store.sqlite --limit 9", "measurements", false },
    { "data list --store store.sqlite --network res*", "measurements", false },
    { "data check --store store.sqlite --dry-run", "findings", false },
    { "data mappings", "mappings", false },
};
/* clang-format on */

#define COMPLAIN(q, fmt, ...) test_fail(__FILE__, __LINE__, "%s: " fmt, (q)->words, ##__VA_ARGS__)

static void ask(const struct query *q, const char *form, struct ec_buf *ret)
{
    answer_of(q->words, form, ret);
}

static void make_tables(struct scratch *s)
{
    struct done d;

    (void)unsetenv("COLUMNS");
    scratch_begin(s);
    scratch_networks("networks.csv");
    scratch_iterations("iterations.csv");
    scratch_products("products.csv");
    scratch_grid("grid.csv");
    epochcast("data import products.csv iterations.csv --store store.sqlite", &d);
    CHECK_INT(d.status, EC_EXIT_OK);
    done_clear(&d);
}

/* --- JSON and CSV --- */

/* A cell of CSV that says what the value of JSON says. */
static bool says_the_same(const struct ec_jval *v, const char *cell)
{
    double number;

    switch (v->type) {
    case EC_J_NULL:
        return !*cell;
    case EC_J_BOOL:
        return ec_str_eq(cell, v->b ? "yes" : "no") || ec_str_eq(cell, v->b ? "1" : "0");
    case EC_J_NUM:
        return ec_parse_double(ec_span_of(cell), &number) &&
               fabs(number - v->num) <= 1e-12 * fabs(v->num);
    case EC_J_STR:
        return ec_str_eq(cell, v->str);
    default:
        return false;
    }
}

static void same_row(const struct query *q, const struct ec_jval *object, const struct ec_csv *csv,
                     int row)
{
    const struct ec_jval *v;
    int col;

    if (object->type != EC_J_OBJECT || object->n != csv->n_cols)
        COMPLAIN(q, "row %d has %d keys and %d columns", row, object->n, csv->n_cols);
    for (col = 0, v = object->child; v && col < csv->n_cols; v = v->next, col++)
        if (!ec_str_eq(v->key, csv->names[col]))
            COMPLAIN(q, "key %s where the column is %s", v->key, csv->names[col]);
        else if (!says_the_same(v, ec_csv_cell(csv, row, col)))
            COMPLAIN(q, "row %d: %s is \"%s\" in CSV and %.17g, \"%s\" in JSON", row, v->key,
                     ec_csv_cell(csv, row, col), v->num, v->type == EC_J_STR ? v->str : "");
}

static void json_is_csv(const struct query *q)
{
    struct ec_buf json = EC_BUF_INIT, sheet = EC_BUF_INIT;
    const struct ec_jval *root = NULL, *rows, *v;
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int row = 0;

    ask(q, "--json", &json);
    ask(q, "--csv", &sheet);
    CHECK_OK(ec_json_parse(ec_buf_text(&json), json.len, &a, &root, &err));
    CHECK_OK(ec_csv_parse(ec_buf_text(&sheet), sheet.len, &csv, &err));
    rows = root ? ec_json_get(root, q->rows) : NULL;
    if (!rows || rows->type != EC_J_ARRAY || rows->n != csv.n_rows || csv.n_rows < 1)
        COMPLAIN(q, "%d rows in JSON, %d in CSV", rows ? rows->n : -1, csv.n_rows);
    for (v = rows ? rows->child : NULL; v && row < csv.n_rows; v = v->next)
        same_row(q, v, &csv, row++);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
    ec_buf_clear(&json);
    ec_buf_clear(&sheet);
}

TEST(json_has_the_cells_of_csv)
{
    struct scratch s;
    int i;

    make_tables(&s);
    for (i = 0; i < EC_LEN(queries); i++)
        json_is_csv(&queries[i]);
    scratch_end(&s);
}

/* --- Markdown and text --- */

/* The cells of "| a | b |", at most `max` of them. */
static int cells_of(struct ec_span line, struct ec_span *ret, int max)
{
    int n = 0;
    size_t from = 1, i;

    for (i = 1; i < line.len; i++)
        if (line.p[i] == '|' && line.p[i - 1] != '\\') {
            if (n < max)
                ret[n] = ec_span_trim((struct ec_span){ line.p + from, i - from });
            n++;
            from = i + 1;
        }
    return n;
}

/* Whether the cells stand in the line of the text, in their order. */
static bool line_has(struct ec_span line, const struct ec_span *cells, int n)
{
    size_t at = 0;
    int i;

    for (i = 0; i < n; i++) {
        while (at + cells[i].len <= line.len && memcmp(line.p + at, cells[i].p, cells[i].len) != 0)
            at++;
        if (at + cells[i].len > line.len)
            return false;
        at += cells[i].len;
    }
    return true;
}

#define CELLS_MAX 64

/* Lines of the text are tried from *rest on: rows keep their order. */
static bool some_line_has(struct ec_span *rest, const struct ec_span *cells, int n)
{
    struct ec_span line;

    while (rest->len && ec_span_cut(rest, '\n', &line))
        if (line_has(line, cells, n))
            return true;
    return false;
}

static bool has_escapes(struct ec_span line)
{
    return line.len && memchr(line.p, '\\', line.len) != NULL;
}

/* Each row of the Markdown has as many cells as its head, and is a line of the text. */
static void markdown_is_text(const struct query *q)
{
    struct ec_buf markdown = EC_BUF_INIT, text = EC_BUF_INIT, sheet = EC_BUF_INIT;
    struct ec_span cells[CELLS_MAX], rest, text_rest, line;
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int n, first = 0, rows = 0;

    ask(q, "--markdown", &markdown);
    ask(q, "", &text);
    ask(q, "--csv", &sheet);
    CHECK_OK(ec_csv_parse(ec_buf_text(&sheet), sheet.len, &csv, &err));
    rest = ec_span_of(ec_buf_text(&markdown));
    text_rest = ec_span_of(ec_buf_text(&text));
    while (rest.len && ec_span_cut(&rest, '\n', &line)) {
        if (!line.len || line.p[0] != '|')
            continue;
        n = cells_of(line, cells, CELLS_MAX);
        first = rows ? first : n;
        if (n != first || n > CELLS_MAX || n > csv.n_cols)
            COMPLAIN(q, "%d cells under %d, %d columns: %.*s", n, first, csv.n_cols, (int)line.len,
                     line.p);
        else if (rows > 1 && !q->text_differs && !has_escapes(line) &&
                 !some_line_has(&text_rest, cells, n))
            COMPLAIN(q, "no line of the text is %.*s", (int)line.len, line.p);
        rows++;
    }
    CHECK_INT(rows - 2, csv.n_rows);
    ec_csv_clear(&csv);
    ec_buf_clear(&markdown);
    ec_buf_clear(&text);
    ec_buf_clear(&sheet);
}

TEST(text_has_the_rows_of_markdown)
{
    struct scratch s;
    int i;

    make_tables(&s);
    for (i = 0; i < EC_LEN(queries); i++)
        markdown_is_text(&queries[i]);
    scratch_end(&s);
}

/* --- Widths --- */

static int widest(const char *text)
{
    struct ec_span rest = ec_span_of(text), line;
    char copy[1024];
    int most = 0, width;

    while (rest.len && ec_span_cut(&rest, '\n', &line)) {
        (void)snprintf(copy, sizeof copy, "%.*s", (int)line.len, line.p);
        width = ec_text_width(copy);
        most = width > most ? width : most;
    }
    return most;
}

/* A narrow terminal changes the text and nothing else: what a program reads stays whole. */
TEST(a_narrow_terminal_changes_the_text_alone)
{
    struct ec_buf wide = EC_BUF_INIT, narrow = EC_BUF_INIT;
    static const char *const forms[] = { "--json", "--csv", "--markdown", "" };
    struct scratch s;
    int i, k;

    make_tables(&s);
    for (i = 0; i < EC_LEN(queries); i++)
        for (k = 0; k < EC_LEN(forms); k++) {
            (void)unsetenv("COLUMNS");
            ask(&queries[i], forms[k], &wide);
            (void)setenv("COLUMNS", "60", 1);
            ask(&queries[i], forms[k], &narrow);
            if (*forms[k])
                CHECK_STR(ec_buf_text(&narrow), ec_buf_text(&wide));
            else if (widest(ec_buf_text(&narrow)) > widest(ec_buf_text(&wide)))
                COMPLAIN(&queries[i], "wider on a narrow terminal");
        }
    (void)unsetenv("COLUMNS");
    scratch_end(&s);
    ec_buf_clear(&wide);
    ec_buf_clear(&narrow);
}

/* --- Lists that are no tables in JSON --- */

TEST(the_list_of_networks_is_the_same_in_all_forms)
{
    static const struct query q = { "model --list", "models", false };
    struct ec_buf json = EC_BUF_INIT, sheet = EC_BUF_INIT, text = EC_BUF_INIT;
    const struct ec_jval *root = NULL, *v = NULL;
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    struct ec_span rest, line;
    int row = 0;

    ask(&q, "--json", &json);
    ask(&q, "--csv", &sheet);
    ask(&q, "", &text);
    CHECK_OK(ec_json_parse(ec_buf_text(&json), json.len, &a, &root, &err));
    CHECK_OK(ec_csv_parse(ec_buf_text(&sheet), sheet.len, &csv, &err));
    CHECK_INT(csv.n_cols, 1);
    CHECK_STR(csv.n_cols ? csv.names[0] : NULL, "model");
    rest = ec_span_of(ec_buf_text(&text));
    v = root ? ec_json_get(root, q.rows) : NULL;
    CHECK_INT(v ? v->n : -1, csv.n_rows);
    for (v = v ? v->child : NULL; v && row < csv.n_rows; v = v->next, row++) {
        CHECK_STR(v->str, ec_csv_cell(&csv, row, 0));
        CHECK(ec_span_cut(&rest, '\n', &line) && ec_span_eq(line, v->str));
    }
    CHECK(!rest.len && row > 100);
    ask(&q, "--markdown", &text);
    CHECK(ec_str_starts(ec_buf_text(&text), "| model |\n| :-- |\n| mnist_cnn |\n"));
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
    ec_buf_clear(&json);
    ec_buf_clear(&sheet);
    ec_buf_clear(&text);
}
