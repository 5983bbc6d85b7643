/* JSON read and written. */
#include "test.h"

/* A copy without a NUL behind it: sanitizers see what reads further. */
static enum ec_status parse(const char *text, struct ec_arena *a, const struct ec_jval **v,
                            struct ec_err *err)
{
    size_t len = strlen(text);
    char *copy = len ? ec_alloc(len) : NULL;
    enum ec_status st;

    if (len && !copy)
        return ec_nomem(err);
    if (len)
        memcpy(copy, text, len);
    st = ec_json_parse(copy, len, a, v, err);
    ec_free(copy);
    return st;
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

TEST(numbers)
{
    /* clang-format off */
    static const struct {
        const char *text;
        bool is_int;
        double num;
        int64_t i; /* of integers */
    } rows[] = {
        { "0", true, 0, 0 },
        { "-0", true, 0, 0 },
        { "-17", true, -17, -17 },
        { " 9223372036854775807 ", true, 0x1p63, INT64_MAX },
        { "-9223372036854775808", true, -0x1p63, INT64_MIN },
        { "0.0", false, 0, 0 },
        { "-0.5", false, -0.5, 0 },
        { "1e2", false, 100, 0 },
        { "1E+2", false, 100, 0 },
        { "0e0", false, 0, 0 },
        { "25e-1", false, 2.5, 0 },
        { "-1.5E-2", false, -0.015, 0 },
        { "0.1", false, 0.1, 0 },
        { "9223372036854775808.0", false, 0x1p63, 0 },
        { "1.7976931348623157e308", false, 1.7976931348623157e308, 0 },
        { "4.9e-324", false, 4.9e-324, 0 },
        { "1e-999", false, 0, 0 },
        { "1e0000000000000000000000000000000000000000000000000000000000000000001", false, 10, 0 },
        { "0.333333333333333333333333333333333333333333333333333333333333333333333333333333", false,
          1.0 / 3, 0 },
    };
    /* clang-format on */
    struct ec_arena a = { 0 };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_err err = { 0 };
        const struct ec_jval *v = NULL;
        enum ec_status st = parse(rows[i].text, &a, &v, &err);

        if (st || v->type != EC_J_NUM || v->is_int != rows[i].is_int || v->num != rows[i].num ||
            v->i != rows[i].i)
            test_fail(__FILE__, __LINE__, "%s: %s", rows[i].text,
                      st ? err.text : "read as another number");
    }
    ec_arena_clear(&a);
}

TEST(strings)
{
    /* clang-format off */
    static const struct {
        const char *text, *str;
    } rows[] = {
        { "\"\"", "" },
        { "\"a b\"", "a b" },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
        { "\"\\\\\"", "\\" },
        { "\"\\\\u0041\"", "\\u0041" },
        { "\"/*x*/ //[{,:'\"", "/*x*/ //[{,:'" },
        { "\"\x7f\"", "\x7f" },
        { "\"\\u0041\\u007F\\u001f\"", "A\x7f\x1f" },
        { "\"\\u0080\\u00e4\\u07ff\"", "\xc2\x80\xc3\xa4\xdf\xbf" },
        { "\"\\u0800\\u20AC\\uffff\\ud7ff\\ue000\"",
          "\xe0\xa0\x80\xe2\x82\xac\xef\xbf\xbf\xed\x9f\xbf\xee\x80\x80" },
        { "\"\\ud800\\udc00\\ud83d\\uDe00\\uDBFF\\uDFFF\"",
          "\xf0\x90\x80\x80\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf" },
        { "\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"",
          "\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
        { "\"\xe2\x80\xa8\xef\xbb\xbf\"", "\xe2\x80\xa8\xef\xbb\xbf" },
        { "\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[\"",
          "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"[" },
    };
    /* clang-format on */
    struct ec_arena a = { 0 };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_err err = { 0 };
        const struct ec_jval *v = NULL;

        CHECK_OK(parse(rows[i].text, &a, &v, &err));
        CHECK(v && v->type == EC_J_STR);
        CHECK_STR(v ? v->str : NULL, rows[i].str);
    }
    ec_arena_clear(&a);
}

TEST(arrays_and_objects)
{
    static const struct {
        const char *text;
        enum ec_jtype type;
        int n;
    } rows[] = {
        {"null",                                               EC_J_NULL,   0},
        { "\t true\r\n",                                       EC_J_BOOL,   0},
        { "[]",                                                EC_J_ARRAY,  0},
        { " [ \n ] ",                                          EC_J_ARRAY,  0},
        { "{}",                                                EC_J_OBJECT, 0},
        { "{\t}",                                              EC_J_OBJECT, 0},
        { "[null,false,[],{},\"\",0]",                         EC_J_ARRAY,  6},
        { "[[[]],[[]]]",                                       EC_J_ARRAY,  2},
        { "\n[\n1\r,\t2\n]\n",                                 EC_J_ARRAY,  2},
        { "{\"\":0}",                                          EC_J_OBJECT, 1},
        { "{ \"a\" : 1 , \"b\" : [ ] }",                       EC_J_OBJECT, 2},
        { "{\"a\":{\"a\":{\"a\":1},\"b\":2},\"b\":{\"a\":3}}", EC_J_OBJECT, 2},
        { "{\"a\":1,\"A\":2,\"a \":3,\"aa\":4}",               EC_J_OBJECT, 4},
        { "{\"\xc3\xa4\":1,\"a\xcc\x88\":2}",                  EC_J_OBJECT, 2},
    };
    struct ec_arena a = { 0 };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_err err = { 0 };
        const struct ec_jval *v = NULL;

        CHECK_OK(parse(rows[i].text, &a, &v, &err));
        CHECK(v && v->type == rows[i].type && v->n == rows[i].n);
    }
    ec_arena_clear(&a);
}

TEST(keys_are_read_as_strings)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_jval *v = NULL;

    CHECK_OK(parse("{\"b\\u00e4\\n\": 1, \"\": 2, \"a\": 3}", &a, &v, &err));
    CHECK_STR(v->child->key, "b\xc3\xa4\n");
    CHECK_STR(v->child->next->key, "");
    CHECK_STR(v->child->next->next->key, "a");
    CHECK(ec_json_get(v, "") && ec_json_get(v, "")->i == 2);
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

TEST(refusals_say_what_was_found_where)
{
    /* clang-format off */
    static const struct {
        int line, column;
        const char *text, *sentence;
    } rows[] = {
        /* nothing */
        { 1, 1, "", "expected a value, found the end of the text" },
        { 2, 2, " \n\t", "expected a value, found the end of the text" },
        /* words that are none */
        { 1, 1, "nul", "expected a value, found 'nul'" },
        { 1, 1, "True", "expected a value, found 'True'" },
        { 1, 1, "NULL", "expected a value, found 'NULL'" },
        { 1, 1, "NaN", "expected a value, found 'NaN'" },
        { 1, 1, "Infinity", "expected a value, found 'Infinity'" },
        { 1, 2, "-Infinity", "expected a digit, found 'Infinity'" },
        { 1, 1, "undefined", "expected a value, found 'undefined'" },
        { 1, 5, "truefalse", "expected the end of the text after its value, found 'false'" },
        { 1, 5, "nullx", "expected the end of the text after its value, found 'x'" },
        { 1, 1, "_", "expected a value, found '_'" },
        /* more than one value */
        { 1, 3, "1 2", "expected the end of the text after its value, found '2'" },
        { 1, 4, "{} []", "expected the end of the text after its value, found '['" },
        { 1, 3, "[]]", "expected the end of the text after its value, found ']'" },
        { 1, 3, "{}}", "expected the end of the text after its value, found '}'" },
        { 1, 4, "\"a\"b", "expected the end of the text after its value, found 'b'" },
        { 1, 2, "1,", "expected the end of the text after its value, found ','" },
        { 1, 6, "null //", "expected the end of the text after its value, found '/'" },
        /* blanks that are none */
        { 1, 1, "\x0c[]", "expected a value, found byte 0x0c" },
        { 1, 1, "\x0b[]", "expected a value, found byte 0x0b" },
        { 1, 1, "\xc2\xa0[]", "expected a value, found '\xc2\xa0'" },
        { 1, 4, "[1,\xe2\x80\xa8]", "expected a value, found byte 0xe2" },
        { 1, 1, "\xef\xbb\xbf{}", "expected a value, found byte 0xef" },
        /* comments and quotes of other languages */
        { 1, 1, "/* a */ 1", "expected a value, found '/'" },
        { 1, 5, "[1, // one\n2]", "expected a value, found '/'" },
        { 1, 1, "# a\n1", "expected a value, found '#'" },
        { 1, 1, "'a'", "expected a value, found '''" },
        { 1, 2, "{'a': 1}", "expected a key in double quotes, found '''" },
        { 1, 2, "{a: 1}", "expected a key in double quotes, found 'a'" },
        { 1, 1, "`a`", "expected a value, found '`'" },
        /* numbers */
        { 1, 2, "-", "expected a digit, found the end of the text" },
        { 1, 1, "+1", "expected a value, found '+1'" },
        { 1, 2, "--1", "expected a digit, found '-1'" },
        { 1, 2, "- 1", "expected a digit, found ' '" },
        { 1, 1, ".5", "expected a value, found '.5'" },
        { 1, 2, "-.5", "expected a digit, found '.5'" },
        { 1, 3, "1.", "expected a digit, found the end of the text" },
        { 1, 3, "1.e5", "expected a digit, found 'e5'" },
        { 1, 3, "1.x", "expected a digit, found 'x'" },
        { 1, 3, "1e", "expected a digit, found the end of the text" },
        { 1, 4, "1E+", "expected a digit, found the end of the text" },
        { 1, 4, "1e-x", "expected a digit, found 'x'" },
        { 1, 4, "1e5.5", "expected the end of the text after its value, found '.5'" },
        { 1, 1, "01", "expected a number without leading zeros, found '01'" },
        { 1, 1, "-01", "expected a number without leading zeros, found '-01'" },
        { 1, 2, "[007]", "expected a number without leading zeros, found '007'" },
        { 1, 2, "0x10", "expected the end of the text after its value, found 'x10'" },
        { 1, 2, "1_000", "expected the end of the text after its value, found '_000'" },
        { 1, 2, "1,5 ", "expected the end of the text after its value, found ','" },
        { 1, 4, "1.5f", "expected the end of the text after its value, found 'f'" },
        { 1, 4, "1e+-5", "expected a digit, found '-5'" },
        { 1, 5, "[1.2.3]", "expected ',' or ']' after a value, found '.3'" },
        { 1, 1, "1e999", "expected a number between -1.8e308 and 1.8e308, found '1e999'" },
        { 1, 1, "-1e309", "expected a number between -1.8e308 and 1.8e308, found '-1e309'" },
        { 1, 1, "9223372036854775808",
          "expected a whole number from -2^63 to 2^63 - 1, found '9223372036854775808'" },
        { 1, 1, "-9223372036854775809",
          "expected a whole number from -2^63 to 2^63 - 1, found '-9223372036854775809'" },
        { 1, 1, "1234567890123456789012345678901234567890",
          "expected a whole number from -2^63 to 2^63 - 1, found '123456789012345678901234...'" },
        { 1, 1, "\xef\xbc\x91", "expected a value, found '\xef\xbc\x91'" },
        /* arrays */
        { 1, 2, "[", "expected a value, found the end of the text" },
        { 1, 3, "[1", "expected ',' or ']' after a value, found the end of the text" },
        { 1, 4, "[1,", "expected a value, found the end of the text" },
        { 1, 4, "[1,]", "expected a value, found ']'" },
        { 1, 2, "[,1]", "expected a value, found ','" },
        { 1, 2, "[,]", "expected a value, found ','" },
        { 1, 4, "[1,,2]", "expected a value, found ','" },
        { 1, 4, "[1 2]", "expected ',' or ']' after a value, found '2'" },
        { 1, 3, "[1}", "expected ',' or ']' after a value, found '}'" },
        { 1, 5, "[[1]", "expected ',' or ']' after a value, found the end of the text" },
        { 1, 3, "[1:2]", "expected ',' or ']' after a value, found ':'" },
        { 1, 1, "]", "expected a value, found ']'" },
        { 3, 4, "[\"a\",\n4\n,1,", "expected a value, found the end of the text" },
        { 2, 1, "[1\n2]", "expected ',' or ']' after a value, found '2'" },
        /* objects */
        { 1, 2, "{", "expected a key in double quotes, found the end of the text" },
        { 1, 5, "{\"a\"", "expected ':' after a key, found the end of the text" },
        { 1, 5, "{\"a\"}", "expected ':' after a key, found '}'" },
        { 1, 6, "{\"a\" 1}", "expected ':' after a key, found '1'" },
        { 1, 6, "{\"a\":", "expected a value, found the end of the text" },
        { 1, 6, "{\"a\":}", "expected a value, found '}'" },
        { 1, 7, "{\"a\":1", "expected ',' or '}' after a value, found the end of the text" },
        { 1, 8, "{\"a\":1,", "expected a key in double quotes, found the end of the text" },
        { 1, 8, "{\"a\":1,}", "expected a key in double quotes, found '}'" },
        { 1, 2, "{,}", "expected a key in double quotes, found ','" },
        { 1, 8, "{\"a\":1,,\"b\":2}", "expected a key in double quotes, found ','" },
        { 1, 8, "{\"a\":1 \"b\":2}", "expected ',' or '}' after a value, found '\"'" },
        { 1, 7, "{\"a\":1]", "expected ',' or '}' after a value, found ']'" },
        { 1, 5, "{\"a\",1}", "expected ':' after a key, found ','" },
        { 1, 6, "{\"a\"::1}", "expected a value, found ':'" },
        { 1, 2, "{1:1}", "expected a key in double quotes, found '1'" },
        { 1, 2, "{null:1}", "expected a key in double quotes, found 'null'" },
        { 1, 2, "{[]:1}", "expected a key in double quotes, found '['" },
        { 1, 8, "{\"a\":1 true}", "expected ',' or '}' after a value, found 'true'" },
        { 1, 1, "}", "expected a value, found '}'" },
        { 3, 8, "{\n\n  \"a\": x }", "expected a value, found 'x'" },
        /* keys given twice */
        { 1, 8, "{\"a\":1,\"a\":2}", "the key \"a\" is given twice" },
        { 2, 2, "{\"b\":1,\"a\":2,\"c\":3,\n \"a\":4}", "the key \"a\" is given twice" },
        { 1, 14, "[{\"x\":{\"y\":1,\"\\u0079\":2}}]", "the key \"y\" is given twice" },
        { 1, 7, "{\"\":1,\"\":2}", "the key \"\" is given twice" },
        { 1, 8, "{\"\x7f\":1,\"\x7f\":2}", "the key \"?\" is given twice" },
        /* strings */
        { 1, 2, "\"",
          "expected a character of a string or '\"' at its end, found the end of the text" },
        { 1, 3, "\"a",
          "expected a character of a string or '\"' at its end, found the end of the text" },
        { 1, 5, "[\"a]",
          "expected a character of a string or '\"' at its end, found the end of the text" },
        { 1, 3, "\"\\", "expected one of \"\\/bfnrtu after \\, found the end of the text" },
        { 1, 4, "\"\\\"",
          "expected a character of a string or '\"' at its end, found the end of the text" },
        { 1, 3, "\"a\nb\"",
          "expected a character of a string or '\"' at its end, found byte 0x0a" },
        { 1, 2, "\"\t\"", "expected a character of a string or '\"' at its end, found byte 0x09" },
        { 1, 2, "\"\x01\"",
          "expected a character of a string or '\"' at its end, found byte 0x01" },
        { 1, 2, "\"\x1f\"",
          "expected a character of a string or '\"' at its end, found byte 0x1f" },
        /* escapes */
        { 1, 3, "\"\\x41\"", "expected one of \"\\/bfnrtu after \\, found 'x41'" },
        { 1, 3, "\"\\'\"", "expected one of \"\\/bfnrtu after \\, found '''" },
        { 1, 3, "\"\\0\"", "expected one of \"\\/bfnrtu after \\, found '0'" },
        { 1, 3, "\"\\ \"", "expected one of \"\\/bfnrtu after \\, found ' '" },
        { 1, 3, "\"\\U0041\"", "expected one of \"\\/bfnrtu after \\, found 'U0041'" },
        { 1, 5, "\"C:\\Users\"", "expected one of \"\\/bfnrtu after \\, found 'Users'" },
        { 1, 3, "\"\\\xc3\xa4\"", "expected one of \"\\/bfnrtu after \\, found '\xc3\xa4'" },
        { 1, 3, "\"\\\n\"", "expected one of \"\\/bfnrtu after \\, found byte 0x0a" },
        { 1, 4, "\"\\u\"", "expected four hexadecimal digits after \\u, found '\"'" },
        { 1, 6, "\"\\u12\"", "expected four hexadecimal digits after \\u, found '\"'" },
        { 1, 6, "\"\\u12g4\"", "expected four hexadecimal digits after \\u, found 'g4'" },
        { 1, 4, "\"\\u 123\"", "expected four hexadecimal digits after \\u, found ' '" },
        { 1, 4, "\"\\u+123\"", "expected four hexadecimal digits after \\u, found '+123'" },
        { 1, 7, "\"\\u00e",
          "expected four hexadecimal digits after \\u, found the end of the text" },
        { 1, 2, "\"\\u0000\"", "expected a character other than NUL, found '\\u0000'" },
        { 1, 4, "{\"a\\u0000b\":1}", "expected a character other than NUL, found '\\u0000b'" },
        /* surrogates */
        { 1, 8, "\"\\ud800\"",
          "expected the second half of a surrogate pair, \\udc00 to \\udfff, found '\"'" },
        { 1, 8, "\"\\ud800x\"",
          "expected the second half of a surrogate pair, \\udc00 to \\udfff, found 'x'" },
        { 1, 8, "\"\\ud800\\n\"",
          "expected the second half of a surrogate pair, \\udc00 to \\udfff, found '\\n'" },
        { 1, 8, "\"\\ud800\\u0041\"",
          "expected the second half of a surrogate pair, \\udc00 to \\udfff, found '\\u0041'" },
        { 1, 8, "\"\\ud800\\ud800\"",
          "expected the second half of a surrogate pair, \\udc00 to \\udfff, found '\\ud800'" },
        { 1, 12, "\"\\ud800\\u12",
          "expected four hexadecimal digits after \\u, found the end of the text" },
        { 1, 2, "\"\\udc00\"",
          "expected the first half of a surrogate pair before the second, found '\\udc00'" },
        { 1, 2, "\"\\udfff\\ud800\"",
          "expected the first half of a surrogate pair before the second, found '\\udfff'" },
        /* not UTF-8 */
        { 1, 2, "\"\xff\"", "expected UTF-8, found byte 0xff" },
        { 1, 2, "\"\x80\"", "expected UTF-8, found byte 0x80" },
        { 1, 2, "\"\xc3\"", "expected UTF-8, found byte 0xc3" },
        { 1, 2, "\"\xc3", "expected UTF-8, found byte 0xc3" },
        { 1, 2, "\"\xc0\xaf\"", "expected UTF-8, found byte 0xc0" },
        { 1, 2, "\"\xc1\xbf\"", "expected UTF-8, found byte 0xc1" },
        { 1, 2, "\"\xe0\x80\xaf\"", "expected UTF-8, found byte 0xe0" },
        { 1, 2, "\"\xe0\x9f\xbf\"", "expected UTF-8, found byte 0xe0" },
        { 1, 2, "\"\xed\xa0\x80\"", "expected UTF-8, found byte 0xed" },
        { 1, 2, "\"\xed\xbf\xbf\"", "expected UTF-8, found byte 0xed" },
        { 1, 2, "\"\xf0\x8f\xbf\xbf\"", "expected UTF-8, found byte 0xf0" },
        { 1, 2, "\"\xf4\x90\x80\x80\"", "expected UTF-8, found byte 0xf4" },
        { 1, 2, "\"\xf5\x80\x80\x80\"", "expected UTF-8, found byte 0xf5" },
        { 1, 2, "\"\xf8\x88\x80\x80\x80\"", "expected UTF-8, found byte 0xf8" },
        { 1, 2, "\"\xe2\x82\"", "expected UTF-8, found byte 0xe2" },
        { 1, 2, "\"\xe2\x82", "expected UTF-8, found byte 0xe2" },
        { 1, 2, "[\xff]", "expected a value, found byte 0xff" },
        { 1, 1, "\xfe\xff", "expected a value, found byte 0xfe" },
        /* what is shown is harmless, columns are characters */
        { 1, 4, "[1 \x1b[31m]", "expected ',' or ']' after a value, found byte 0x1b" },
        { 1, 4, "[1 \xe2\x80\xae]", "expected ',' or ']' after a value, found byte 0xe2" },
        { 1, 4, "[1 \xe2\x82\xac]", "expected ',' or ']' after a value, found '\xe2\x82\xac'" },
        { 1, 8, "[\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\" x]",
          "expected ',' or ']' after a value, found 'x'" },
    };
    /* clang-format on */
    char want[EC_ERR_MAX_BYTES];
    struct ec_arena a = { 0 };
    const struct ec_jval *v = NULL;
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_err err = { 0 };

        CHECK_STR(ec_status_name(parse(rows[i].text, &a, &v, &err)), "E_PARSE");
        (void)snprintf(want, sizeof want, "line %d, column %d: %s", rows[i].line, rows[i].column,
                       rows[i].sentence);
        CHECK_STR(err.text, want);
        CHECK_STR(ec_status_name(parse(rows[i].text, &a, &v, NULL)), "E_PARSE");
    }
    CHECK(!v);
    ec_arena_clear(&a);
}

TEST(nul_is_refused)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_jval *v = NULL;

    CHECK_FAILS(ec_json_parse("1\0", 2, &a, &v, &err), EC_E_PARSE,
                "line 1, column 2: expected the end of the text after its value, found byte 0x00");
    CHECK_FAILS(ec_json_parse("\"\0\"", 3, &a, &v, &err), EC_E_PARSE, "found byte 0x00");
    CHECK_FAILS(ec_json_parse("\"\\\0\"", 4, &a, &v, &err), EC_E_PARSE, "found byte 0x00");
    CHECK_FAILS(ec_json_parse("\"\\u\0\"", 5, &a, &v, &err), EC_E_PARSE, "found byte 0x00");
    CHECK_FAILS(ec_json_parse("-\0", 2, &a, &v, &err), EC_E_PARSE, "found byte 0x00");
    CHECK_FAILS(ec_json_parse("[\0]", 3, &a, &v, &err), EC_E_PARSE, "found byte 0x00");
    ec_arena_clear(&a);
}

TEST(sizes_are_bounded)
{
    struct ec_arena a = { 0 }, small = { .max_bytes = 200 };
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
    CHECK_FAILS(parse(text, &a, &v, &err), EC_E_PARSE,
                "line 1, column 65: JSON is nested deeper than 64 levels");
    CHECK_FAILS(ec_json_parse(text, (size_t)INT32_MAX + 1, &a, &v, &err), EC_E_PARSE,
                "2147483648 bytes of JSON, expected at most 2147483647");
    CHECK_FAILS(parse("[1, 2, 3, 4]", &small, &v, &err), EC_E_NOMEM, "out of memory");
    ec_arena_clear(&small);
    ec_arena_clear(&a);
}

/* Many keys, with objects between them that have the same, and then one key again. */
TEST(a_key_given_twice_among_many)
{
    struct ec_buf b = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_jval *v = NULL;
    int i;

    for (i = 0; i < 100000; i++)
        ec_buf_printf(&b, "%c\"key %d\":{\"key 7\":{},\"b\":1}\n", i ? ',' : '{', i);
    ec_buf_str(&b, "}");
    CHECK_OK(ec_json_parse(b.data, b.len, &a, &v, &err));
    CHECK(v && v->n == 100000 && ec_str_eq(v->child->next->key, "key 1"));
    b.len--;
    ec_buf_str(&b, ", \"key 7\": 0, \"key 7\": 0}");
    CHECK_FAILS(ec_json_parse(b.data, b.len, &a, &v, &err), EC_E_PARSE,
                "line 100001, column 3: the key \"key 7\" is given twice");
    ec_arena_clear(&a);
    ec_buf_clear(&b);
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

#define LONG_LEN 40000

/* A long string, a long number, many keys, nested deeply. */
static void everything(struct ec_buf *b)
{
    int i;

    ec_buf_str(b, "{\"long \\u00e4\": \"");
    for (i = 0; i < LONG_LEN; i++)
        ec_buf_str(b, i % 10 ? "x" : "\\n");
    ec_buf_str(b, "\", \"number\": 0.");
    for (i = 0; i < LONG_LEN; i++)
        ec_buf_char(b, '3');
    for (i = 0; i < 100; i++)
        ec_buf_printf(b, ", \"key %d\": [true, {\"a\": null, \"b\": -1.5e3}]\n", i);
    ec_buf_str(b, ", \"deep\": ");
    for (i = 0; i < 62; i++)
        ec_buf_str(b, i % 2 ? "{\"a\": 1, \"b\": " : "[{}, ");
    ec_buf_str(b, "\"\"");
    while (i--)
        ec_buf_str(b, i % 2 ? "}" : "]");
    ec_buf_str(b, "}");
}

static struct ec_buf torture_text;

static enum ec_status parse_torture_text(struct ec_err *err)
{
    struct ec_arena a = { 0 };
    const struct ec_jval *v;
    enum ec_status st = ec_json_parse(torture_text.data, torture_text.len, &a, &v, err);

    ec_arena_clear(&a);
    return st;
}

TEST(each_allocation_may_fail)
{
    everything(&torture_text);
    CHECK_TORTURE(parse_torture_text);
    ec_buf_clear(&torture_text);
}

TEST(every_beginning_is_refused)
{
    static const char text[] =
        "{\"a\": [1, 2.5e+1, \"two \\u00e4\\n\xe2\x82\xac\", {\"b\": null}],\n"
        " \"c\": [true, false, \"\\ud83d\\ude00\", [[]], -0.5]}";
    char part[sizeof text];
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_jval *v = NULL;
    size_t n;

    CHECK_OK(parse(text, &a, &v, &err));
    for (n = 0; n < strlen(text); n++) {
        memcpy(part, text, n);
        part[n] = '\0';
        CHECK_FAILS(parse(part, &a, &v, &err), EC_E_PARSE, "line ");
    }
    ec_arena_clear(&a);
}
