/* Preloaded: the n-th allocation of the process fails, whichever library asks for it.
 *
 *     EC_FAIL_AT=N      the N-th fails, counted from 1 in all threads
 *     EC_FAIL_ON=1      all that follow it fail, too
 *     EC_FAIL_COUNT=FD  how many there were is written to this descriptor at the end
 *
 * The functions below are those that glibc offers to libraries that stand before its allocator. */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

static atomic_long count;
static long fail_at;
static int fail_on, count_to = -1;

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text ? strtol(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void begin(void)
{
    fail_on = number("EC_FAIL_ON", 0) != 0;
    count_to = (int)number("EC_FAIL_COUNT", -1);
    atomic_store(&count, 0);
    fail_at = number("EC_FAIL_AT", 0);
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    int n;

    if (count_to < 0)
        return;
    n = snprintf(text, sizeof text, "%ld\n", atomic_load(&count));
    if (write(count_to, text, (size_t)n) != n)
        _exit(99);
}

static int fails(void)
{
    long i = atomic_fetch_add(&count, 1) + 1;

    if (!fail_at || (fail_on ? i < fail_at : i != fail_at))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(old, bytes);
}

void *memalign(size_t align, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(align, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(align, bytes);
}

int posix_memalign(void **ret, size_t align, size_t bytes)
{
    void *p = fails() ? NULL : __libc_memalign(align, bytes);

    if (!p)
        return ENOMEM;
    *ret = p;
    return 0;
}
