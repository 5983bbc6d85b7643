/* Fields set, printed, defaulted, and refused with a sentence. */
#include "test.h"

static const char *const colours[] = { "red", "green", NULL };
static const char *const sizes[] = { "extra-large", "small", "middle", NULL };
static const char *const also[] = { "xl big", NULL, NULL, NULL };
static const char *const pads[] = { "same", "valid", NULL };

struct thing {
    bool flag;
    int64_t count;
    double rate;
    int colour;
    const char *name;
    struct ec_ints dims;
    struct ec_strs words, list;
    const char *word;
};

/* clang-format off */
static const struct ec_field fields[] = {
    { .name = "flag",   .type = EC_F_BOOL,   .offset = offsetof(struct thing, flag) },
    { .name = "count",  .type = EC_F_INT,    .offset = offsetof(struct thing, count),
      .deflt = "3", .min = 1, .max = 10, .unit = "pieces" },
    { .name = "rate",   .type = EC_F_DOUBLE, .offset = offsetof(struct thing, rate),
      .deflt = "0.1" },
    { .name = "colour", .type = EC_F_ENUM,   .offset = offsetof(struct thing, colour),
      .deflt = "green", .choices = colours },
    { .name = "name",   .type = EC_F_STR,    .offset = offsetof(struct thing, name) },
    { .name = "dims",   .type = EC_F_INTS,   .offset = offsetof(struct thing, dims),
      .choices = pads },
    { .name = "words",  .type = EC_F_STRS,   .offset = offsetof(struct thing, words) },
    { .name = "list",   .type = EC_F_STRS,   .offset = offsetof(struct thing, list),
      .choices = sizes, .also = also, .only = EC_ONLY(0) | EC_ONLY(1) },
    { .name = "word",   .type = EC_F_STR,    .offset = offsetof(struct thing, word),
      .choices = sizes, .also = also },
    EC_FIELD_END
};
/* clang-format on */

static enum ec_status set(struct thing *t, const char *name, const char *text, struct ec_arena *a,
                          struct ec_err *err)
{
    return ec_field_set(ec_field_find(fields, ec_span_of(name)), t, ec_span_of(text), a, err);
}

TEST(find)
{
    CHECK(ec_field_find(fields, ec_span_of("rate")) == &fields[2]);
    CHECK(!ec_field_find(fields, ec_span_of("rat")));
    CHECK(!ec_field_find(NULL, ec_span_of("rate")));
}

TEST(defaults)
{
    struct ec_arena a = { 0 };
    struct ec_buf b = EC_BUF_INIT;
    struct ec_err err = { 0 };
    struct thing t;

    memset(&t, 0xee, sizeof t);
    CHECK_OK(ec_fields_default(fields, &t, &a, &err));
    CHECK(!t.flag && !t.name && !t.words.n);
    CHECK_INT(t.count, 3);
    CHECK_NEAR(t.rate, 0.1, 0);
    CHECK_INT(t.colour, 1);
    ec_fields_print(fields, &t, &b);
    CHECK_STR(ec_buf_text(&b), "");
    ec_buf_clear(&b);
    ec_arena_clear(&a);
}

TEST(set_then_print)
{
    struct ec_arena a = { 0 };
    struct ec_buf b = EC_BUF_INIT;
    struct ec_err err = { 0 };
    struct thing t;

    CHECK_OK(ec_fields_default(fields, &t, &a, &err));
    CHECK_OK(set(&t, "flag", "yes", &a, &err));
    CHECK_OK(set(&t, "count", "10", &a, &err));
    CHECK_OK(set(&t, "rate", "0.30000000000000004", &a, &err));
    CHECK_OK(set(&t, "colour", "red", &a, &err));
    CHECK_OK(set(&t, "name", "abc", &a, &err));
    CHECK_OK(set(&t, "dims", "3,5", &a, &err));
    CHECK_OK(set(&t, "words", "one", &a, &err));
    CHECK_OK(set(&t, "words", "two", &a, &err));
    ec_fields_print(fields, &t, &b);
    CHECK_STR(ec_buf_text(&b), " flag=1 count=10 rate=0.30000000000000004 colour=red name=abc "
                               "dims=3x5 words=one,two");
    CHECK_OK(set(&t, "dims", "valid", &a, &err));
    ec_buf_reset(&b);
    ec_field_print(&fields[5], &t, &b);
    CHECK_STR(ec_buf_text(&b), "valid");
    ec_buf_clear(&b);
    ec_arena_clear(&a);
}

TEST(refusals_name_field_found_and_expected)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    struct thing t;

    CHECK_OK(ec_fields_default(fields, &t, &a, &err));
    CHECK_FAILS(set(&t, "flag", "maybe", &a, &err), EC_E_INPUT, "flag: found \"maybe\"");
    CHECK_FAILS(set(&t, "count", "11", &a, &err), EC_E_INPUT, "1 to 10 pieces");
    CHECK_FAILS(set(&t, "count", "1.5", &a, &err), EC_E_INPUT, "a whole number");
    CHECK_FAILS(set(&t, "rate", "fast", &a, &err), EC_E_INPUT, "a number");
    CHECK_FAILS(set(&t, "colour", "blue", &a, &err), EC_E_INPUT, "one of red, green");
    CHECK_FAILS(set(&t, "dims", "3xx", &a, &err), EC_E_INPUT, "such as 3x3");
    CHECK_FAILS(set(&t, "dims", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", &a, &err), EC_E_INPUT,
                "at most 16");
    CHECK_INT(t.count, 3);
    ec_arena_clear(&a);
}

TEST(amounts_have_exponents_and_suffixes)
{
    struct ec_field f = { .name = "tokens", .type = EC_F_INT, .max = 1e15, .is_amount = true };
    struct ec_err err = { 0 };
    int64_t v = 0;

    CHECK_OK(ec_field_set(&f, &v, ec_span_of("15B"), NULL, &err));
    CHECK_INT(v, 15000000000);
    CHECK_OK(ec_field_set(&f, &v, ec_span_of("1e9"), NULL, &err));
    CHECK_INT(v, 1000000000);
    CHECK_FAILS(ec_field_set(&f, &v, ec_span_of("2e15"), NULL, &err), EC_E_INPUT, "0 to 1e+15");
    CHECK_FAILS(ec_field_set(&f, &v, ec_span_of("many"), NULL, &err), EC_E_INPUT, "300M");
    f.is_amount = false;
    CHECK_FAILS(ec_field_set(&f, &v, ec_span_of("1e9"), NULL, &err), EC_E_INPUT, "a whole number");
}

TEST(words_are_known_however_they_are_written)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    struct thing t;

    CHECK_OK(ec_fields_default(fields, &t, &a, &err));
    CHECK_OK(set(&t, "colour", "RED", &a, &err));
    CHECK_INT(t.colour, 0);
    CHECK_OK(set(&t, "word", "Extra_Large", &a, &err));
    CHECK_STR(t.word, "extra-large");
    CHECK_OK(set(&t, "word", "XL", &a, &err));
    CHECK_STR(t.word, "extra-large");
    CHECK_OK(set(&t, "word", "Big", &a, &err));
    CHECK_STR(t.word, "extra-large");
    CHECK_FAILS(set(&t, "word", "xl big", &a, &err), EC_E_INPUT, "one of");
    CHECK_OK(set(&t, "list", "small, xl", &a, &err));
    CHECK_OK(set(&t, "list", "SMALL", &a, &err));
    CHECK_INT(t.list.n, 3);
    CHECK_STR(t.list.v[1], "extra-large");
    CHECK_STR(t.list.v[2], "small");
    CHECK_FAILS(set(&t, "word", "extra", &a, &err), EC_E_INPUT,
                "one of extra-large, small, middle");
    CHECK_FAILS(set(&t, "word", "extra-largest", &a, &err), EC_E_INPUT, "one of");
    CHECK_FAILS(set(&t, "word", "", &a, &err), EC_E_INPUT, "found \"\"");
    ec_arena_clear(&a);
}

TEST(a_word_that_is_not_possible_here_is_told_from_one_that_is_none)
{
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    struct thing t;

    CHECK_OK(ec_fields_default(fields, &t, &a, &err));
    CHECK_FAILS(set(&t, "list", "small,middle", &a, &err), EC_E_INPUT,
                "list: found \"middle\", which is not possible here, expected one of extra-large, "
                "small");
    CHECK_FAILS(set(&t, "list", "huge", &a, &err), EC_E_INPUT,
                "list: found \"huge\", expected one of extra-large, small");
    CHECK(ec_field_may_be(ec_field_find(fields, ec_span_of("list")), 1));
    CHECK(!ec_field_may_be(ec_field_find(fields, ec_span_of("list")), 2));
    CHECK(ec_field_may_be(ec_field_find(fields, ec_span_of("word")), 2));
    ec_arena_clear(&a);
}

static enum ec_status set_all(struct ec_err *err)
{
    struct ec_arena a = { 0 };
    enum ec_status st = EC_OK;
    struct thing t;
    int i;

    EC_TRY(ec_fields_default(fields, &t, &a, err));
    for (i = 0; i < 2000; i++)
        EC_TRY(set(&t, "words", "a word that takes some room in the arena", &a, err));
out:
    ec_arena_clear(&a);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(set_all);
}

TEST(the_end_of_a_path_that_no_other_has)
{
    static const char *paths[] = { "r/a/x.csv", "r/b/x.csv", "r/b/y.csv", "x.csv", "r/c/b/x.csv" };
    struct ec_strs all = { .n = EC_LEN(paths), .v = paths };

    CHECK_STR(ec_path_end(paths[0], &all), "a/x.csv");
    CHECK_STR(ec_path_end(paths[1], &all), "r/b/x.csv");
    CHECK_STR(ec_path_end(paths[2], &all), "y.csv");
    CHECK_STR(ec_path_end(paths[3], &all), "x.csv");
    CHECK_STR(ec_path_end(paths[4], &all), "c/b/x.csv");
    CHECK_STR(ec_path_end("r/d/z.csv", &all), "z.csv");
}
