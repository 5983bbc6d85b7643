/* Sentences on files: each once, with the files that it is about. */
#include "test.h"

#include <string.h>

#include "base/base.h"

TEST(equal_sentences_are_said_once_behind_their_files)
{
    struct ec_arena a = { 0 };
    struct ec_said s = { .arena = &a };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };

    CHECK_OK(ec_said_print(&s, &out, &err));
    CHECK_STR(ec_buf_text(&out), "");
    ec_said_add(&s, "b.csv", "%d rows", 2);
    ec_said_left_out(&s, "a.csv", "a.csv: no time");
    ec_said_left_out(&s, "c.csv", "no time");
    ec_said_add(&s, "d.csv", "fp32 is taken");
    ec_said_add(&s, "e.csv", "fp32 is taken");
    ec_said_left_out(&s, "c.csv", "no time"); /* again */
    ec_said_left_out(&s, "", "3 more");
    CHECK_OK(ec_said_print(&s, &out, &err));
    CHECK_STR(ec_buf_text(&out), "left out a.csv, c.csv: no time\n"
                                 "left out 3 more\n"
                                 "b.csv: 2 rows\n"
                                 "2 tables: fp32 is taken\n");
    ec_buf_clear(&out);
    ec_arena_clear(&a);
}

/* Colons of a path or of a reason are no border between the two. */
TEST(a_path_may_have_colons_and_a_reason_may_be_long)
{
    struct ec_arena a = { 0 };
    struct ec_said s = { .folder = "t", .arena = &a };
    char text[3000];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ec_said_left_out(&s, "t/run: 1/a.csv", "t/run: 1/a.csv: line 2: no time");
    ec_said_left_out(&s, "t/b.csv", "line 2: no time");
    ec_said_left_out(&s, "t/b.csv", "t/b.csvs: no table");
    ec_said_left_out(&s, "", text);
    CHECK_STR(s.left_out.texts.v[0], "line 2: no time");
    CHECK_STR(s.left_out.paths.v[0], "t/run: 1/a.csv");
    CHECK_STR(s.left_out.texts.v[1], "line 2: no time");
    CHECK_STR(s.left_out.texts.v[2], "t/b.csvs: no table");
    CHECK_STR(s.left_out.texts.v[3], text);
    ec_arena_clear(&a);
}

TEST(no_memory_is_told_at_the_end)
{
    struct ec_arena a = { .max_bytes = 1 };
    struct ec_said s = { .arena = &a };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };

    ec_said_add(&s, "a.csv", "text");
    CHECK_INT(ec_said_print(&s, &out, &err), EC_E_NOMEM);
    ec_buf_clear(&out);
    ec_arena_clear(&a);
}
