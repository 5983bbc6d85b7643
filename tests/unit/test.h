/* The whole test framework. One program per test file:
 *
 *     #include "test.h"
 *
 *     TEST(conv2d_keeps_size_with_same_padding)
 *     {
 *         CHECK_INT(out_h, 56);
 *     }
 *
 * A failed check prints file, line and both values, and the test goes on. Tests run in the order of
 * the file; `test-program PATTERN` runs those whose name matches. Exit status 1 when any failed.
 * Checks work anywhere in the program, helper functions included. */
#ifndef TEST_H
#define TEST_H

#include "base/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct test_entry {
    const char *name;
    void (*fn)(void);
    struct test_entry *next;
};

static struct test_entry *test_first, **test_tail = &test_first;
static int test_bad_checks; /* in the test that runs */

static void test_register(struct test_entry *e)
{
    *test_tail = e;
    test_tail = &e->next;
}

#define TEST(test_name)                                                                            \
    static void test_name(void);                                                                   \
    __attribute__((constructor)) static void register_##test_name(void)                            \
    {                                                                                              \
        static struct test_entry e = { #test_name, test_name, NULL };                              \
        test_register(&e);                                                                         \
    }                                                                                              \
    static void test_name(void)

EC_PRINTF(3, 4) static inline void test_fail(const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    test_bad_checks++;
    (void)fprintf(stderr, "%s:%d: ", file, line);
    va_start(ap, fmt);
    (void)vfprintf(stderr, fmt, ap);
    va_end(ap);
    (void)fputc('\n', stderr);
}

static inline void test_int(const char *file, int line, const char *what, long long got,
                            long long want)
{
    if (got != want)
        test_fail(file, line, "%s is %lld, want %lld", what, got, want);
}

static inline void test_str(const char *file, int line, const char *what, const char *got,
                            const char *want)
{
    if (!got || !want ? got != want : strcmp(got, want) != 0)
        test_fail(file, line, "%s is\n  \"%s\"\nwant\n  \"%s\"", what, got ? got : "(null)",
                  want ? want : "(null)");
}

static inline void test_has(const char *file, int line, const char *what, const char *got,
                            const char *part)
{
    if (!got || !strstr(got, part))
        test_fail(file, line, "%s is\n  \"%s\"\nwhich lacks\n  \"%s\"", what, got ? got : "(null)",
                  part);
}

static inline void test_near(const char *file, int line, const char *what, double got, double want,
                             double rel)
{
    double scale = fabs(want) > 0 ? fabs(want) : 1;

    if (!(fabs(got - want) <= rel * scale))
        test_fail(file, line, "%s is %.17g, want %.17g within %g of it", what, got, want, rel);
}

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond))                                                                               \
            test_fail(__FILE__, __LINE__, "not true: %s", #cond);                                  \
    } while (0)
#define CHECK_INT(got, want) test_int(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))
#define CHECK_STR(got, want) test_str(__FILE__, __LINE__, #got, (got), (want))
#define CHECK_HAS(got, part) test_has(__FILE__, __LINE__, #got, (got), (part))
/* |got - want| <= rel * |want|; absolute when want is 0. */
#define CHECK_NEAR(got, want, rel) test_near(__FILE__, __LINE__, #got, (got), (want), (rel))
/* A call that must succeed: prints the sentence when it does not. Needs `struct ec_err err`. */
#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        enum ec_status test_st = (call);                                                           \
        if (test_st)                                                                               \
            test_fail(__FILE__, __LINE__, "%s: %s: %s", #call, ec_status_name(test_st), err.text); \
    } while (0)
/* A call that must fail with this status and a sentence that holds `part`. */
#define CHECK_FAILS(call, status, part)                                                            \
    do {                                                                                           \
        err.text[0] = '\0';                                                                        \
        CHECK_STR(ec_status_name(call), ec_status_name(status));                                   \
        CHECK_HAS(err.text, part);                                                                 \
    } while (0)

/* Fails the first allocation of fn, then the second ... until none is left to fail. Each time fn
 * must return NOMEM, say so, and free what it had; the address sanitizer sees what it did not. */
static inline void test_torture(const char *file, int line, enum ec_status (*fn)(struct ec_err *))
{
    int64_t n, left = 0;

    for (n = 1; !left; n++) {
        struct ec_err err = { 0 };
        enum ec_status st, want;

        (void)ec_alloc_fail_after(n);
        st = fn(&err);
        left = ec_alloc_fail_after(0);
        want = left ? EC_OK : EC_E_NOMEM;
        if (st != want)
            test_fail(file, line, "with allocation %lld failing: %s (%s), want %s", (long long)n,
                      ec_status_name(st), err.text, ec_status_name(want));
        else if (st && !err.text[0])
            test_fail(file, line, "with allocation %lld failing: no sentence", (long long)n);
        if (st != want || n > 1000000)
            break;
    }
}
#define CHECK_TORTURE(fn) test_torture(__FILE__, __LINE__, fn)

int main(int argc, char **argv)
{
    const struct test_entry *e;
    int n_ok = 0, n_bad = 0;

    for (e = test_first; e; e = e->next) {
        if (argc > 1 && !ec_str_glob(argv[1], e->name))
            continue;
        test_bad_checks = 0;
        e->fn();
        (void)printf("%s %s\n", test_bad_checks ? "FAILED" : "ok", e->name);
        (void)fflush(stdout);
        if (test_bad_checks)
            n_bad++;
        else
            n_ok++;
    }
    (void)printf("%d ok, %d failed\n", n_ok, n_bad);
    return n_bad ? 1 : 0;
}

#endif
