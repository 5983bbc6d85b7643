/* For tests that open oneDNN or cairo: the search for leaks at exit works out where the
 * thread-local variables of an opened library lie from what precedes them in memory, which is
 * nothing it knows with the C library of today, and dies reading there ("Tracer caught signal 11").
 * Without them the search is whole but for what only such a variable points to; nothing does. */
#ifndef EC_TESTS_UNIT_LEAKS_H
#define EC_TESTS_UNIT_LEAKS_H

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "intercept_tls_get_addr=0";
}

/* fontconfig, below cairo, keeps some of its patterns for ever; ours are still looked for. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

#endif
