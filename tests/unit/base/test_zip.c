/* Archives with one file, made here: what they say and what is there may differ. */
#include "test.h"

#include "base/mem.h"
#include "base/zip.h"

#include <string.h>

static struct ec_err err;

struct made {
    unsigned char p[400];
    size_t len;
};

static void put(struct made *m, uint32_t v, int bytes)
{
    for (; bytes; bytes--, v >>= 8)
        m->p[m->len++] = (unsigned char)v;
}

static void put_text(struct made *m, const char *text, size_t len)
{
    memcpy(m->p + m->len, text, len);
    m->len += len;
}

/* A file "a" with these bytes, packed by `method`; `says` is the size it claims. */
static struct made archive(const char *data, size_t len, uint32_t method, uint32_t says)
{
    struct made m = { .len = 0 };
    size_t list;

    put_text(&m, "PK\003\004", 4);
    put(&m, 20, 4);
    put(&m, method, 2);
    put(&m, 0, 4);
    put(&m, 0, 4);
    put(&m, (uint32_t)len, 4);
    put(&m, says, 4);
    put(&m, 1, 2);
    put(&m, 0, 2);
    put_text(&m, "a", 1);
    put_text(&m, data, len);
    list = m.len;
    put_text(&m, "PK\001\002", 4);
    put(&m, 20, 4);
    put(&m, 0, 2);
    put(&m, method, 2);
    put(&m, 0, 4);
    put(&m, 0, 4);
    put(&m, (uint32_t)len, 4);
    put(&m, says, 4);
    put(&m, 1, 2);
    put(&m, 0, 4);
    put(&m, 0, 4);
    put(&m, 0, 4);
    put(&m, 0, 4);
    put_text(&m, "a", 1);
    put_text(&m, "PK\005\006", 4);
    put(&m, 0, 4);
    put(&m, 1, 2);
    put(&m, 1, 2);
    put(&m, (uint32_t)(m.len - list - 12), 4);
    put(&m, (uint32_t)list, 4);
    put(&m, 0, 2);
    return m;
}

static const char deflated[] = "\x4b\x4c\x84\x00\x00"; /* "aaaaaaaa" */
#define DEFLATED_BYTES (sizeof deflated - 1)

static void check_refused(const struct made *m, size_t max_bytes, enum ec_status status,
                          const char *part)
{
    char *out = NULL;
    size_t len = 0;

    CHECK_FAILS(ec_zip_get(m->p, m->len, "a", max_bytes, &out, &len, &err), status, part);
    CHECK(!out);
}

TEST(stored_and_deflated_files)
{
    struct made m = archive("hello", 5, 0, 5);
    char *out = NULL;
    size_t len = 0;

    CHECK(ec_zip_is(m.p, m.len));
    CHECK_OK(ec_zip_get(m.p, m.len, "a", 100, &out, &len, &err));
    CHECK_INT(len, 5);
    CHECK_STR(out, "hello");
    ec_free(out);
    CHECK_OK(ec_zip_get(m.p, m.len, "b", 100, &out, &len, &err));
    CHECK(!out);
#ifdef EC_HAVE_ZLIB
    m = archive(deflated, DEFLATED_BYTES, 8, 8);
    CHECK_OK(ec_zip_get(m.p, m.len, "a", 100, &out, &len, &err));
    CHECK_STR(out, "aaaaaaaa");
    ec_free(out);
#endif
}

TEST(bombs_lies_and_other_kinds_are_refused)
{
    struct made m = archive("hello", 5, 0, 5);

    check_refused(&m, 4, EC_E_PARSE, "has 5 bytes, expected at most 4");
    m = archive("hello", 5, 0, 6);
    check_refused(&m, 100, EC_E_PARSE, "damaged");
    m = archive("hello", 5, 12, 5);
    check_refused(&m, 100, EC_E_UNSUPPORTED, "packed in another way");
#ifdef EC_HAVE_ZLIB
    m = archive(deflated, DEFLATED_BYTES, 8, 7); /* unpacks to more than it says */
    check_refused(&m, 100, EC_E_PARSE, "does not unpack to what it says");
    m = archive(deflated, DEFLATED_BYTES, 8, 9);
    check_refused(&m, 100, EC_E_PARSE, "does not unpack to what it says");
    m = archive(deflated, DEFLATED_BYTES, 8, 0x7fffffff);
    check_refused(&m, 8 << 20, EC_E_PARSE, "expected at most");
#endif
    m = archive("hello", 5, 0, 5);
    m.len -= 30;
    check_refused(&m, 100, EC_E_PARSE, "cut short");
}
