/* Allocator hook, arena and text buffer. */
#include "base/mem.h"

#include "base/print.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Countdown of the torture tests; one of the two allowed mutable globals. */
static _Thread_local int64_t g_fail_after;

int64_t ec_alloc_fail_after(int64_t n)
{
    int64_t left = g_fail_after;

    g_fail_after = n;
    return left;
}

static bool fails_now(void)
{
    return g_fail_after > 0 && --g_fail_after == 0;
}

void *ec_alloc(size_t bytes)
{
    return fails_now() ? NULL : calloc(1, bytes ? bytes : 1);
}

void *ec_realloc(void *old, size_t bytes)
{
    return fails_now() ? NULL : realloc(old, bytes ? bytes : 1);
}

void ec_free(void *p)
{
    free(p);
}

enum ec_status ec_grow(void *array_ptr, int *cap, int want, size_t elem_bytes, struct ec_err *err)
{
    void *old, *grown;
    int64_t next = *cap ? *cap : 8;

    if (want <= *cap)
        return EC_OK;
    while (next < want)
        next *= 2;
    if (next > INT32_MAX || (size_t)next > SIZE_MAX / elem_bytes)
        return ec_nomem(err);
    memcpy(&old, array_ptr, sizeof old);
    grown = ec_realloc(old, (size_t)next * elem_bytes);
    if (!grown)
        return ec_nomem(err);
    memcpy(array_ptr, &grown, sizeof grown);
    *cap = (int)next;
    return EC_OK;
}

struct ec_arena_block {
    struct ec_arena_block *next;
    size_t cap, used;
    _Alignas(16) unsigned char data[];
};

#define ARENA_FIRST_BYTES ((size_t)16 << 10)
#define ARENA_LARGEST_STEP_BYTES ((size_t)1 << 20)

static struct ec_arena_block *arena_block(struct ec_arena *a, size_t bytes)
{
    size_t cap = a->head ? a->head->cap * 2 : ARENA_FIRST_BYTES;
    struct ec_arena_block *b;

    if (cap > ARENA_LARGEST_STEP_BYTES)
        cap = ARENA_LARGEST_STEP_BYTES;
    if (cap < bytes)
        cap = bytes;
    b = ec_realloc(NULL, sizeof *b + cap); /* zeroed piece by piece: most of it may stay unused */
    if (!b)
        return NULL;
    b->cap = cap;
    b->used = 0;
    b->next = a->head;
    a->head = b;
    return b;
}

void *ec_arena_alloc(struct ec_arena *a, size_t bytes)
{
    struct ec_arena_block *b = a->head;
    void *p;

    if (bytes > SIZE_MAX / 4)
        return NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    if (a->max_bytes && bytes > a->max_bytes - a->used_bytes)
        return NULL;
    if (!b || b->cap - b->used < bytes)
        b = arena_block(a, bytes);
    if (!b)
        return NULL;
    p = memset(b->data + b->used, 0, bytes);
    b->used += bytes;
    a->used_bytes += bytes;
    return p;
}

void *ec_arena_copy(struct ec_arena *a, const void *from, size_t bytes)
{
    void *p = ec_arena_alloc(a, bytes);

    if (p && bytes)
        memcpy(p, from, bytes);
    return p;
}

char *ec_arena_strn(struct ec_arena *a, const char *text, size_t len)
{
    char *p = ec_arena_alloc(a, len + 1);

    if (p && len)
        memcpy(p, text, len);
    return p;
}

char *ec_arena_str(struct ec_arena *a, const char *text)
{
    return ec_arena_strn(a, text, strlen(text));
}

char *ec_arena_printf(struct ec_arena *a, const char *fmt, ...)
{
    char small[256], *p;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = ec_vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n < 0)
        return NULL;
    if ((size_t)n < sizeof small)
        return ec_arena_strn(a, small, (size_t)n);
    p = ec_arena_alloc(a, (size_t)n + 1);
    if (!p)
        return NULL;
    va_start(ap, fmt);
    (void)ec_vsnprintf(p, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return p;
}

void ec_arena_clear(struct ec_arena *a)
{
    struct ec_arena_block *b, *next;

    if (!a)
        return;
    for (b = a->head; b; b = next) {
        next = b->next;
        ec_free(b);
    }
    a->head = NULL;
    a->used_bytes = 0;
}

static bool buf_room(struct ec_buf *b, size_t more)
{
    size_t max = b->max_bytes ? b->max_bytes : EC_BUF_DEFAULT_MAX;
    size_t want, cap;
    char *grown;

    if (b->st)
        return false;
    if (more > max || b->len > max - more) {
        b->st = EC_E_INPUT;
        return false;
    }
    want = b->len + more + 1;
    if (want <= b->cap)
        return true;
    cap = b->cap ? b->cap : 128;
    while (cap < want)
        cap *= 2;
    grown = ec_realloc(b->data, cap);
    if (!grown) {
        b->st = EC_E_NOMEM;
        return false;
    }
    b->data = grown;
    b->cap = cap;
    return true;
}

void ec_buf_add(struct ec_buf *b, const void *data, size_t len)
{
    if (!buf_room(b, len))
        return;
    if (len)
        memcpy(b->data + b->len, data, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void ec_buf_join(struct ec_buf *b, const struct ec_buf *part)
{
    ec_buf_add(b, part->data, part->len);
    if (part->st && !b->st)
        b->st = part->st;
}

void ec_buf_str(struct ec_buf *b, const char *text)
{
    ec_buf_add(b, text, strlen(text));
}

void ec_buf_char(struct ec_buf *b, char c)
{
    ec_buf_add(b, &c, 1);
}

void ec_buf_vprintf(struct ec_buf *b, const char *fmt, va_list ap)
{
    char small[256];
    va_list again;
    int n;

    va_copy(again, ap);
    n = ec_vsnprintf(small, sizeof small, fmt, ap);
    if (n >= 0 && buf_room(b, (size_t)n)) {
        if ((size_t)n < sizeof small)
            memcpy(b->data + b->len, small, (size_t)n + 1);
        else
            (void)ec_vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void ec_buf_printf(struct ec_buf *b, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    ec_buf_vprintf(b, fmt, ap);
    va_end(ap);
}

void ec_buf_reset(struct ec_buf *b)
{
    b->len = 0;
    b->st = EC_OK;
    if (b->data)
        b->data[0] = '\0';
}

void ec_buf_clear(struct ec_buf *b)
{
    size_t max;

    if (!b)
        return;
    max = b->max_bytes;
    ec_free(b->data);
    *b = (struct ec_buf)EC_BUF_INIT;
    b->max_bytes = max;
}

enum ec_status ec_buf_status(const struct ec_buf *b, struct ec_err *err)
{
    if (b->st == EC_E_NOMEM)
        return ec_nomem(err);
    if (b->st)
        return ec_fail(err, b->st, "text grew beyond its limit");
    return EC_OK;
}

enum ec_status ec_buf_keep(const struct ec_buf *b, struct ec_arena *a, const char **ret,
                           struct ec_err *err)
{
    const char *copy;

    EC_PASS(ec_buf_status(b, err));
    copy = ec_arena_str(a, ec_buf_text(b));
    EC_PASS(ec_allocated(copy, err));
    *ret = copy;
    return EC_OK;
}

const char *ec_buf_text(const struct ec_buf *b)
{
    return b->data ? b->data : "";
}
