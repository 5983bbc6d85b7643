/* Arena, buffer, growing arrays, and each allocation failing once. */
#include "test.h"

TEST(arena_memory_is_zeroed_and_aligned)
{
    struct ec_arena a = { 0 };
    int i, j;

    for (i = 1; i < 2000; i += 7) {
        unsigned char *p = ec_arena_alloc(&a, (size_t)i);

        CHECK(p);
        CHECK_INT((uintptr_t)p % 16, 0);
        for (j = 0; j < i && !p[j]; j++)
            ;
        CHECK_INT(j, i); /* zeroed to the end */
        memset(p, 0xff, (size_t)i);
    }
    ec_arena_clear(&a);
    CHECK(!a.head);
    ec_arena_clear(&a);
    ec_arena_clear(NULL);
}

TEST(arena_respects_its_bound)
{
    struct ec_arena a = { .max_bytes = 64 };

    CHECK(ec_arena_alloc(&a, 48));
    CHECK(!ec_arena_alloc(&a, 17));
    CHECK(ec_arena_alloc(&a, 16));
    CHECK(!ec_arena_alloc(&a, 1));
    ec_arena_clear(&a);
}

TEST(arena_refuses_absurd_sizes)
{
    struct ec_arena a = { 0 };

    CHECK(!ec_arena_alloc(&a, SIZE_MAX));
    CHECK(!ec_arena_alloc(&a, SIZE_MAX - 20));
    ec_arena_clear(&a);
}

TEST(arena_text)
{
    struct ec_arena a = { 0 };
    char longer[600];

    memset(longer, 'y', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    CHECK_STR(ec_arena_str(&a, "abc"), "abc");
    CHECK_STR(ec_arena_strn(&a, "abcdef", 2), "ab");
    CHECK_STR(ec_arena_strn(&a, NULL, 0), "");
    CHECK_STR(ec_arena_printf(&a, "%d-%s", 3, "x"), "3-x");
    CHECK_STR(ec_arena_printf(&a, "%s", longer), longer);
    ec_arena_clear(&a);
}

TEST(buf_grows_and_stays_terminated)
{
    struct ec_buf b = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int i;

    CHECK_STR(ec_buf_text(&b), "");
    for (i = 0; i < 1000; i++)
        ec_buf_printf(&b, "%d,", i % 10);
    CHECK_INT(b.len, 2000);
    CHECK_INT(strlen(b.data), 2000);
    CHECK_OK(ec_buf_status(&b, &err));
    ec_buf_reset(&b);
    CHECK_STR(ec_buf_text(&b), "");
    ec_buf_clear(&b);
}

TEST(buf_printf_longer_than_its_small_buffer)
{
    struct ec_buf b = EC_BUF_INIT;
    char longer[1000];

    memset(longer, 'z', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    ec_buf_printf(&b, "<%s>", longer);
    CHECK_INT(b.len, 1001);
    CHECK_INT(b.data[1000], '>');
    ec_buf_clear(&b);
}

TEST(buf_failure_is_sticky)
{
    struct ec_buf b = { .max_bytes = 16 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const char *kept = NULL;

    ec_buf_str(&b, "0123456789");
    CHECK_OK(ec_buf_keep(&b, &a, &kept, &err));
    CHECK_STR(kept, "0123456789");
    ec_buf_str(&b, "0123456789");
    ec_buf_str(&b, "x");
    CHECK_STR(ec_buf_text(&b), "0123456789");
    CHECK_FAILS(ec_buf_status(&b, &err), EC_E_INPUT, "limit");
    CHECK_FAILS(ec_buf_keep(&b, &a, &kept, &err), EC_E_INPUT, "limit");
    ec_buf_clear(&b);
    ec_arena_clear(&a);
    CHECK_INT(b.max_bytes, 16);
}

TEST(joining_hands_failure_on)
{
    struct ec_buf whole = EC_BUF_INIT, part = { .max_bytes = 4 };
    struct ec_err err = { 0 };

    ec_buf_str(&part, "ab");
    ec_buf_join(&whole, &part);
    CHECK_STR(ec_buf_text(&whole), "ab");
    CHECK_OK(ec_buf_status(&whole, &err));
    ec_buf_str(&part, "cdefg");
    ec_buf_join(&whole, &part);
    CHECK(ec_buf_status(&whole, &err) != EC_OK);
    ec_buf_clear(&whole);
    ec_buf_clear(&part);
}

TEST(grow_keeps_content_and_refuses_overflow)
{
    struct ec_err err = { 0 };
    int64_t *v = NULL;
    int cap = 0, i;

    for (i = 0; i < 100; i++) {
        CHECK_OK(ec_grow(&v, &cap, i + 1, sizeof *v, &err));
        v[i] = i;
    }
    for (i = 0; i < 100; i++)
        CHECK_INT(v[i], i);
    CHECK_INT(ec_grow(&v, &cap, INT32_MAX, sizeof *v, &err), EC_E_NOMEM);
    ec_free(v);
}

static enum ec_status use_memory(struct ec_err *err)
{
    struct ec_arena a = { 0 };
    struct ec_buf b = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    char *array = NULL;
    int cap = 0;

    EC_TRY(ec_grow(&array, &cap, 10, 1, err));
    EC_TRY(ec_grow(&array, &cap, 100, 1, err));
    if (!ec_arena_alloc(&a, 10) || !ec_arena_alloc(&a, 1 << 20))
        EC_TRY(ec_nomem(err));
    ec_buf_str(&b, "text");
    ec_buf_printf(&b, "%300d", 1);
    EC_TRY(ec_buf_status(&b, err));
out:
    ec_free(array);
    ec_arena_clear(&a);
    ec_buf_clear(&b);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(use_memory);
}
