/* JSON read and written. */
#include "test.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

static enum ec_status parse(const char *text, struct ec_arena *a, const struct ec_jval **v,
                            struct ec_err *err)
{
    return ec_json_parse(text, strlen(text), a, v, err);
}

TEST(tree_in_file_order)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_jval *v = NULL;

    CHECK_OK(
        parse("{\"z\": [1, 2.5, \"\\u00e4\\n\", true, false, null], \"a\": {}}", &a, &v, &err));
    CHECK_INT(v->type, EC_J_OBJECT);
    CHECK_INT(v->n, 2);
    CHECK_STR(v->child->key, "z");
    v = v->child->child;
    CHECK(v->is_int && v->i == 1 && v->num == 1);
    v = v->next;
    CHECK(!v->is_int && v->num == 2.5);
    v = v->next;
    CHECK_STR(v->str, "\xc3\xa4\n");
    v = v->next;
    CHECK(v->type == EC_J_BOOL && v->b);
    v = v->next;
    CHECK(v->type == EC_J_BOOL && !v->b);
    v = v->next;
    CHECK(v->type == EC_J_NULL && !v->next);
    ec_arena_clear(&a);
}

TEST(integers_are_exact)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_jval *v = NULL;

    CHECK_OK(parse("9223372036854775807", &a, &v, &err));
    CHECK(v->is_int && v->i == INT64_MAX);
    CHECK_OK(parse(" -9223372036854775808 ", &a, &v, &err));
    CHECK(v->is_int && v->i == INT64_MIN);
    ec_arena_clear(&a);
}

TEST(get)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_jval *v = NULL;

    CHECK_OK(parse("{\"a\": 1, \"b\": [2]}", &a, &v, &err));
    CHECK(ec_json_get(v, "a") && ec_json_get(v, "a")->i == 1);
    CHECK(!ec_json_get(v, "c"));
    CHECK(!ec_json_get(ec_json_get(v, "b"), "a"));
    CHECK(!ec_json_get(NULL, "a"));
    ec_arena_clear(&a);
}

TEST(refusals_have_line_and_column)
{
    static const char *const bad[] = { "",           "{",      "{\"a\":1,}", "[1 2]",
                                       "nul",        "1 2",    "\"\xff\"",   "{\"a\":1,\"a\":2}",
                                       "[01]",       "\"\t\"", "1e999",      "9223372036854775808",
                                       "\"\\u0000\"" };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_jval *v = NULL;
    int i;

    for (i = 0; i < EC_LEN(bad); i++)
        CHECK_FAILS(parse(bad[i], &a, &v, &err), EC_E_PARSE, "line 1, column ");
    CHECK_FAILS(parse("{\n\n  \"a\": x }", &a, &v, &err), EC_E_PARSE, "line 3, column 8");
    CHECK_FAILS(ec_json_parse("1\0", 2, &a, &v, &err), EC_E_PARSE, "NUL byte");
    CHECK(!v);
    ec_arena_clear(&a);
}

TEST(depth_is_bounded)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_jval *v = NULL;
    char text[140];

    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    text[128] = '\0';
    CHECK_OK(parse(text, &a, &v, &err));
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    text[130] = '\0';
    CHECK_FAILS(parse(text, &a, &v, &err), EC_E_PARSE, "deeper than 64");
    CHECK_OK(parse("\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[\"",
                   &a, &v, &err));
    ec_arena_clear(&a);
}

static void write_some(struct ec_buf *b, int indent)
{
    struct ec_json j;

    ec_json_begin(&j, b, indent);
    ec_json_open(&j, NULL, '{');
    ec_json_str(&j, "s", "a\"b\\\n\x01\xc3\xa4\xff");
    ec_json_int(&j, "i", INT64_MIN);
    ec_json_num(&j, "d", 0.1);
    ec_json_num(&j, "nan", (double)NAN);
    ec_json_open(&j, "list", '[');
    ec_json_bool(&j, NULL, true);
    ec_json_null(&j, NULL);
    ec_json_str(&j, NULL, NULL);
    ec_json_close(&j, ']');
    ec_json_open(&j, "empty", '{');
    ec_json_close(&j, '}');
    ec_json_close(&j, '}');
}

TEST(writer_on_one_line)
{
    struct ec_buf b = EC_BUF_INIT;

    write_some(&b, 0);
    CHECK_STR(ec_buf_text(&b),
              "{\"s\":\"a\\\"b\\\\\\n\\u0001\xc3\xa4\xef\xbf\xbd\",\"i\":-9223372036854775808,"
              "\"d\":0.1,\"nan\":null,\"list\":[true,null,null],\"empty\":{}}");
    ec_buf_clear(&b);
}

TEST(writer_indented)
{
    struct ec_buf b = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_jval *v = NULL;

    write_some(&b, 2);
    CHECK_HAS(ec_buf_text(&b), "{\n  \"s\": ");
    CHECK_HAS(ec_buf_text(&b), "  \"list\": [\n    true,\n    null,\n    null\n  ],\n");
    CHECK_OK(parse(ec_buf_text(&b), &a, &v, &err));
    CHECK(ec_json_get(v, "i") && ec_json_get(v, "i")->i == INT64_MIN);
    ec_arena_clear(&a);
    ec_buf_clear(&b);
}

static enum ec_status parse_some(struct ec_err *err)
{
    struct ec_arena a = { .max_bytes = 1 << 20 };
    const struct ec_jval *v;
    enum ec_status st = parse("{\"a\": [1, \"two\", {\"b\": null}]}", &a, &v, err);

    ec_arena_clear(&a);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(parse_some);
}

/* Allocations of jansson, which has an allocator of its own: the one that ends the countdown fails.
 */
static int jansson_left;

static void *counted_malloc(size_t size)
{
    if (!jansson_left || --jansson_left)
        return malloc(size);
    errno = ENOMEM;
    return NULL;
}

/* Memory that is out while a good text is read is no fault of the text. */
TEST(memory_that_is_out_is_no_parse_error)
{
    static const char text[] = "{\"a\": [1, 2.5, \"two \\u00e4\", {\"b\": null, \"c\": [true]}],"
                               " \"long\": \"0123456789012345678901234567890123456789\"}";
    struct ec_arena a = { 0 };
    const struct ec_jval *v;
    int n, left = 0, n_failed = 0;

    json_set_alloc_funcs(counted_malloc, free);
    for (n = 1; !left && n < 1000; n++) {
        struct ec_err err = { 0 };
        enum ec_status st;

        jansson_left = n;
        st = parse(text, &a, &v, &err);
        left = jansson_left;
        jansson_left = 0;
        if (st && st != EC_E_NOMEM) /* jansson makes do without some that only shrink */
            test_fail(__FILE__, __LINE__, "with allocation %d failing: %s (%s)", n,
                      ec_status_name(st), err.text);
        n_failed += st == EC_E_NOMEM;
    }
    CHECK(n_failed > 10);
    json_set_alloc_funcs(malloc, free);
    ec_arena_clear(&a);
}

/* And a text that is wrong is so however much memory there is: no error of syntax is taken for it.
 */
TEST(wrong_texts_are_no_lack_of_memory)
{
    static const char *const texts[] = {
        "",
        "{",
        "[1,]",
        "{\"a\"}",
        "{\"a\":}",
        "{a: 1}",
        "01",
        "1.",
        "-",
        "1e",
        "tru",
        "[1 2]",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"a\nb\"",
        "\"",
        "1 1",
        "{} []",
        "[\"\\u0000\"",
        "{\"a\": 1,}",
        "+1",
    };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_jval *v;
    int i;

    for (i = 0; i < EC_LEN(texts); i++)
        if (parse(texts[i], &a, &v, &err) != EC_E_PARSE)
            test_fail(__FILE__, __LINE__, "%s: %s", texts[i], err.text);
    ec_arena_clear(&a);
}
