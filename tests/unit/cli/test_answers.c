/* Answers in all their forms, of commands that need no file: JSON has a schema, CSV is a sheet,
 * Markdown a table, all three tell of as many things, and the same query has the same answer. */
#include "capture.h"

/* A command that prints a table. */
struct query {
    const char *words, *schema;
    const char *rows;  /* key of JSON's array */
    bool other_counts; /* JSON nests what CSV lays flat */
};
/* clang-format off */
static const struct query queries[] = {
    { "predict resnet18 --device t4,a100-sxm4-40gb", "epochcast.prediction/1", "predictions",
      false },
    { "predict lenet5 --device t4,h100-sxm5-80gb --batch 8", "epochcast.prediction/1",
      "predictions", false },
    { "predict bert_base --device 'v100*' --batch 4", "epochcast.prediction/1", "predictions",
      false },
    { "model lenet5", "epochcast.model/1", "layers", false },
    { "device list", "epochcast.device_list/1", "devices", false },
    { "device show t4", "epochcast.device/1", "devices", true },
    { "device hosts", "epochcast.host_list/1", "hosts", false },
    { "op", "epochcast.op_list/1", "operators", false },
    { "op conv2d", "epochcast.op/1", "attributes", false },
    { "plot --list", "epochcast.plot_list/1", "recipes", false },
    { "fetch", "epochcast.fetch_list/1", "sets", false },
    { "dataset", "epochcast.dataset_list/1", "readers", false },
    { "roofline lenet5 vgg16 --device t4", "epochcast.roofline/1", "points", false },
    { "roofline lenet5 --device t4 --layers", "epochcast.roofline/1", "points", false },
};
/* clang-format on */

#define COMPLAIN(q, fmt, ...) test_fail(__FILE__, __LINE__, "%s: " fmt, (q)->words, ##__VA_ARGS__)

static void ask(const struct query *q, const char *form, struct ec_buf *ret)
{
    answer_of(q->words, form, ret);
}

/* --- JSON --- */

static void has_no_strange_value(const struct query *q, const struct ec_jval *v)
{
    const struct ec_jval *c;

    for (c = v->child; c; c = c->next) {
        if (v->type == EC_J_OBJECT && (!c->key || !*c->key || strchr(c->key, '-')))
            COMPLAIN(q, "the key \"%s\"", c->key ? c->key : "");
        if (c->type == EC_J_NUM && !isfinite(c->num))
            COMPLAIN(q, "%s is not finite", c->key ? c->key : "a number");
        has_no_strange_value(q, c);
    }
}

/* Returns how many rows there are. */
static int json_rows(const struct query *q)
{
    struct ec_buf text = EC_BUF_INIT;
    const struct ec_jval *root = NULL, *rows;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int n = -1;

    ask(q, "--json", &text);
    if (ec_json_parse(ec_buf_text(&text), text.len, &a, &root, &err)) {
        COMPLAIN(q, "no JSON: %s", err.text);
    } else {
        has_no_strange_value(q, root);
        if (!root->child || !ec_str_eq(root->child->key, "schema") ||
            root->child->type != EC_J_STR || !ec_str_eq(root->child->str, q->schema))
            COMPLAIN(q, "\"schema\": \"%s\" is not first", q->schema);
        rows = ec_json_get(root, q->rows);
        if (!rows || rows->type != EC_J_ARRAY)
            COMPLAIN(q, "no array %s", q->rows);
        else
            n = rows->n;
    }
    ec_arena_clear(&a);
    ec_buf_clear(&text);
    return n;
}

/* --- CSV --- */

static bool is_key(const char *name)
{
    const char *c;

    for (c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_'))
            return false;
    return *name >= 'a' && *name <= 'z';
}

static int csv_rows(const struct query *q)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int row, col, k, n = -1;

    ask(q, "--csv", &text);
    if (ec_csv_parse(ec_buf_text(&text), text.len, &csv, &err)) {
        COMPLAIN(q, "no CSV: %s", err.text);
        ec_buf_clear(&text);
        return n;
    }
    for (col = 0; col < csv.n_cols; col++) {
        if (!is_key(csv.names[col]))
            COMPLAIN(q, "the column \"%s\"", csv.names[col]);
        for (k = 0; k < col; k++)
            if (ec_str_eq(csv.names[k], csv.names[col]))
                COMPLAIN(q, "the column %s is there twice", csv.names[col]);
        for (row = 0; row < csv.n_rows; row++) {
            const char *cell = ec_csv_cell(&csv, row, col);

            if (ec_str_eq(cell, "nan") || ec_str_eq(cell, "inf") || ec_str_eq(cell, "-"))
                COMPLAIN(q, "%s of row %d is \"%s\"", csv.names[col], row, cell);
        }
    }
    n = csv.n_rows;
    ec_csv_clear(&csv);
    ec_buf_clear(&text);
    return n;
}

/* --- Markdown --- */

static int bars(struct ec_span line)
{
    size_t i;
    int n = 0;

    for (i = 0; i < line.len; i++)
        n += line.p[i] == '|' && !(i && line.p[i - 1] == '\\');
    return n;
}

/* Rows of the table: without its head and the line under that. */
static int markdown_rows(const struct query *q)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_span rest, line;
    int n = 0, first = 0;

    ask(q, "--markdown", &text);
    rest = ec_span_of(ec_buf_text(&text));
    while (rest.len && ec_span_cut(&rest, '\n', &line)) {
        if (!line.len || line.p[0] != '|')
            continue;
        first = n++ ? first : bars(line);
        if (bars(line) != first)
            COMPLAIN(q, "a row of %d bars under one of %d: %.*s", bars(line), first, (int)line.len,
                     line.p);
    }
    ec_buf_clear(&text);
    return n - 2;
}

TEST(forms_tell_of_the_same_things)
{
    int i;

    for (i = 0; i < EC_LEN(queries); i++) {
        const struct query *q = &queries[i];
        int json = json_rows(q), csv = csv_rows(q), markdown = markdown_rows(q);

        if (csv < 1 || csv != markdown || (!q->other_counts && json != csv))
            COMPLAIN(q, "rows: %d in JSON, %d in CSV, %d in Markdown", json, csv, markdown);
    }
}

/* --- People --- */

static bool is_clean(const char *text)
{
    const char *c;

    for (c = text; *c; c++)
        if ((unsigned char)*c < 32 && *c != '\n')
            return false;
    return !strstr(text, " nan") && !strstr(text, "(null)") && !strstr(text, "-nan");
}

TEST(answers_for_people)
{
    struct ec_buf text = EC_BUF_INIT, again = EC_BUF_INIT;
    int i;

    for (i = 0; i < EC_LEN(queries); i++) {
        ask(&queries[i], "", &text);
        ask(&queries[i], "", &again);
        if (!text.len || text.data[text.len - 1] != '\n' || !is_clean(ec_buf_text(&text)))
            COMPLAIN(&queries[i], "an odd text");
        CHECK_STR(ec_buf_text(&again), ec_buf_text(&text));
    }
    ec_buf_clear(&text);
    ec_buf_clear(&again);
}

TEST(one_form_at_a_time)
{
    int i;

    for (i = 0; i < EC_LEN(queries); i++) {
        char words[256];
        struct done d;

        (void)snprintf(words, sizeof words, "%s --json --csv", queries[i].words);
        epochcast(words, &d);
        if (d.status != EC_EXIT_USAGE || !holds(&d.err, "exclude each other") || d.out.len)
            COMPLAIN(&queries[i], "two forms: status %d", d.status);
        done_clear(&d);
    }
}

/* --- What is not there is named, and what is near is offered --- */

TEST(names_that_nobody_knows)
{
    /* clang-format off */
    static const struct {
        const char *words;
        int status;
        const char *sentence;
    } rows[] = {
        { "predict resnet18 --device rtx309", EC_EXIT_FAILED, "rtx3090" },
        { "predict resnet1 --device t4", EC_EXIT_FAILED, "resnet1" },
        { "predict --device t4", EC_EXIT_USAGE, "MODEL" },
        { "predict resnet18", EC_EXIT_USAGE, "--device" },
        { "predict resnet18 --device t4 --precision fp23", EC_EXIT_USAGE, "fp23" },
        { "predict resnet18 --device t4 --host nowhere", EC_EXIT_FAILED, "nowhere" },
        { "predict resnet18 --device t4 --batch many", EC_EXIT_USAGE, "many" },
        { "model reznet18", EC_EXIT_FAILED, "reznet18" },
        { "model no/such/file.onnx", EC_EXIT_FAILED, "no/such/file.onnx" },
        { "model", EC_EXIT_USAGE, "MODEL" },
        { "device show t44", EC_EXIT_FAILED, "t44" },
        { "device shew", EC_EXIT_USAGE, "shew" },
        { "op conv2", EC_EXIT_FAILED, "conv2d" },
        { "roofline lenet5", EC_EXIT_USAGE, "--device" },
        { "roofline --device t4", EC_EXIT_USAGE, "MODEL" },
        { "fetch mnits", EC_EXIT_FAILED, "mnist" },
        { "dataset mnits", EC_EXIT_FAILED, "mnist" },
        { "plot no/such/table.csv", EC_EXIT_USAGE, "FILE.csv" },
        { "plot bars no/such/table.csv --x a --y b", EC_EXIT_FAILED, "no/such/table.csv" },
        { "report no/such/folder", EC_EXIT_FAILED, "no/such/folder" },
        { "analyse no/such/table.csv", EC_EXIT_FAILED, "no/such/table.csv" },
        { "evaluate", EC_EXIT_USAGE, "FILE.csv" },
        { "evaluate --networks no/such/table.csv", EC_EXIT_FAILED, "no/such/table.csv" },
        { "whatif --table no/such/table.csv", EC_EXIT_FAILED, "no/such/table.csv" },
        { "data check --store no/such/store.sqlite", EC_EXIT_FAILED, "no/such/store.sqlite" },
        { "train no_such_network --data synthetic", EC_EXIT_FAILED, "no_such_network" },
        { "train lenet5 --data nothing", EC_EXIT_FAILED, "nothing" },
        { "measure nothing", EC_EXIT_USAGE, "expected layers" },
        { "study nothing", EC_EXIT_USAGE, "nothing" },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct done d;

        epochcast(rows[i].words, &d);
        if (d.status != rows[i].status || !holds(&d.err, rows[i].sentence) || d.out.len)
            test_fail(__FILE__, __LINE__, "\"%s\": status %d, want %d; wants \"%s\" in: %.*s",
                      rows[i].words, d.status, rows[i].status, rows[i].sentence, (int)d.err.len,
                      d.err.len ? (const char *)d.err.data : "");
        if (!d.err.len || ((const char *)d.err.data)[d.err.len - 1] != '\n')
            test_fail(__FILE__, __LINE__, "\"%s\": no whole line", rows[i].words);
        done_clear(&d);
    }
}
