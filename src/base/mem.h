/* Memory: the allocator hook that tests use to make each allocation fail, the arena for objects
 * that share one lifetime, and the growing text buffer. */
#ifndef EC_BASE_MEM_H
#define EC_BASE_MEM_H

#include "base/err.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Allocation goes through these three only; they return NULL when memory is out. */
void *ec_alloc(size_t bytes);              /* zeroed */
void *ec_realloc(void *old, size_t bytes); /* new bytes are not zeroed */
void ec_free(void *p);

/* Test hook: the n-th allocation from now fails (1 is the next); 0 turns it off. Returns what was
 * left of the countdown before: 0 when it came to its end. */
int64_t ec_alloc_fail_after(int64_t n);

/* Grow a heap array to hold at least `want` elements; capacity doubles. */
enum ec_status ec_grow(void *array_ptr, int *cap, int want, size_t elem_bytes,
                       struct ec_err *err) EC_MUST_CHECK;

/* Arena: nothing inside is freed singly. A zeroed struct is an empty arena. */
struct ec_arena {
    struct ec_arena_block *head;
    size_t used_bytes; /* handed out so far */
    size_t max_bytes;  /* 0 is no bound; reaching it is an allocation failure */
};

void *ec_arena_alloc(struct ec_arena *a, size_t bytes); /* zeroed, aligned to 16; NULL when out */
void *ec_arena_copy(struct ec_arena *a, const void *from, size_t bytes);
char *ec_arena_str(struct ec_arena *a, const char *text);
char *ec_arena_strn(struct ec_arena *a, const char *text, size_t len);
char *ec_arena_printf(struct ec_arena *a, const char *fmt, ...) EC_PRINTF(2, 3);
void ec_arena_clear(struct ec_arena *a);

/* Text buffer: always NUL-terminated when data is not NULL. Failure is sticky; check once with
 * ec_buf_status at the end. */
struct ec_buf {
    char *data;
    size_t len, cap;
    size_t max_bytes; /* 0 is EC_BUF_DEFAULT_MAX */
    enum ec_status st;
};
#define EC_BUF_DEFAULT_MAX ((size_t)1 << 31)
#define EC_BUF_INIT                                                                                \
    {                                                                                              \
        NULL, 0, 0, 0, EC_OK                                                                       \
    }

void ec_buf_add(struct ec_buf *b, const void *data, size_t len);
void ec_buf_str(struct ec_buf *b, const char *text);
void ec_buf_char(struct ec_buf *b, char c);
void ec_buf_printf(struct ec_buf *b, const char *fmt, ...) EC_PRINTF(2, 3);
void ec_buf_vprintf(struct ec_buf *b, const char *fmt, va_list ap) EC_PRINTF(2, 0);
/* Appends another buffer; if that one has failed, this one fails too. */
void ec_buf_join(struct ec_buf *b, const struct ec_buf *part);
void ec_buf_reset(struct ec_buf *b); /* empties, keeps the memory and clears the failure */
void ec_buf_clear(struct ec_buf *b);
enum ec_status ec_buf_status(const struct ec_buf *b, struct ec_err *err) EC_MUST_CHECK;
/* A copy of the text in an arena. Errors: as ec_buf_status; NOMEM */
enum ec_status ec_buf_keep(const struct ec_buf *b, struct ec_arena *a, const char **ret,
                           struct ec_err *err) EC_MUST_CHECK;
/* The text, "" when empty. */
const char *ec_buf_text(const struct ec_buf *b);

#endif
