/* One file out of a zip archive: its list of files stands at its end, what it says is checked
 * against the bytes that are there. */
#include "base/zip.h"

#include "base/mem.h"

#include <stdint.h>
#include <string.h>

#ifdef EC_HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif

#define END_BYTES 22 /* of the record at the end, without a comment */
#define COMMENT_MAX 65535
#define ENTRY_BYTES 46        /* of a file in the list, without its name */
#define HEAD_BYTES 30         /* of a file in front of its data, without its name */
#define TOO_LARGE 0xffffffffU /* the number stands elsewhere, as archives above 4 GiB have it */
enum { STORED = 0, DEFLATED = 8 };

struct zip {
    const unsigned char *p;
    size_t len;
};

struct entry {
    size_t at, packed, unpacked;
    unsigned method, flags;
};

static uint32_t number(const unsigned char *p, int bytes)
{
    uint32_t v = 0;

    while (bytes)
        v = v << 8 | p[--bytes];
    return v;
}

static bool begins(const struct zip *z, size_t at, const char *mark, size_t bytes)
{
    return at <= z->len && z->len - at >= bytes && memcmp(z->p + at, mark, 4) == 0;
}

bool ec_zip_is(const void *data, size_t len)
{
    return len >= 4 && memcmp(data, "PK\003\004", 4) == 0;
}

/* The record at the end, behind which a comment may stand. */
static bool find_end(const struct zip *z, size_t *ret)
{
    size_t back;

    for (back = END_BYTES; back <= z->len && back <= END_BYTES + COMMENT_MAX; back++)
        if (begins(z, z->len - back, "PK\005\006", END_BYTES)) {
            *ret = z->len - back;
            return true;
        }
    return false;
}

static enum ec_status damaged(struct ec_err *err, const char *where)
{
    return ec_fail(err, EC_E_PARSE, "the zip archive is damaged, or cut short, %s", where);
}

/* ret_found  false: it is not in the list */
static enum ec_status find_entry(const struct zip *z, const char *name, struct entry *ret,
                                 bool *ret_found, struct ec_err *err)
{
    size_t end, at, name_len = strlen(name), n, i, own;
    const unsigned char *p;

    *ret_found = false;
    if (!find_end(z, &end))
        return damaged(err, "at its end");
    n = number(z->p + end + 10, 2);
    at = number(z->p + end + 16, 4);
    if (at == TOO_LARGE)
        return ec_fail(err, EC_E_UNSUPPORTED, "a zip archive above 4 GiB");
    for (i = 0; i < n && !*ret_found; i++) {
        if (!begins(z, at, "PK\001\002", ENTRY_BYTES))
            return damaged(err, "in its list of files");
        p = z->p + at;
        own = number(p + 28, 2);
        if (z->len - at - ENTRY_BYTES < own)
            return damaged(err, "in its list of files");
        if (own == name_len && memcmp(p + ENTRY_BYTES, name, own) == 0) {
            *ret = (struct entry){ .at = number(p + 42, 4),
                                   .packed = number(p + 20, 4),
                                   .unpacked = number(p + 24, 4),
                                   .method = number(p + 10, 2),
                                   .flags = number(p + 8, 2) };
            *ret_found = true;
        }
        at += ENTRY_BYTES + own + number(p + 30, 2) + number(p + 32, 2);
    }
    return EC_OK;
}

#ifdef EC_HAVE_ZLIB
static enum ec_status unpack(const unsigned char *from, size_t packed, char *to, size_t unpacked,
                             struct ec_err *err)
{
    z_stream s = { 0 };
    int rc;

    if (inflateInit2(&s, -MAX_WBITS) != Z_OK)
        return ec_nomem(err);
    s.next_in = from;
    s.avail_in = (uInt)packed;
    s.next_out = (Bytef *)to;
    s.avail_out = (uInt)unpacked;
    rc = inflate(&s, Z_FINISH);
    (void)inflateEnd(&s);
    if (rc != Z_STREAM_END || s.total_out != unpacked)
        return ec_fail(err, EC_E_PARSE,
                       "a file of the zip archive does not unpack to what it says");
    return EC_OK;
}
#else
static enum ec_status unpack(const unsigned char *from, size_t packed, char *to, size_t unpacked,
                             struct ec_err *err)
{
    (void)from, (void)packed, (void)to, (void)unpacked;
    return ec_fail(
        err, EC_E_UNSUPPORTED,
        "is packed, and epochcast was built without zlib: install zlib1g-dev and rebuild");
}
#endif

enum ec_status ec_zip_get(const void *data, size_t len, const char *name, size_t max_bytes,
                          char **ret, size_t *ret_len, struct ec_err *err)
{
    struct zip z = { data, len };
    struct entry e = { 0 };
    enum ec_status st;
    char *out = NULL;
    size_t from;
    bool found;

    *ret = NULL;
    EC_TRY(find_entry(&z, name, &e, &found, err));
    if (!found)
        return EC_OK;
    if (!begins(&z, e.at, "PK\003\004", HEAD_BYTES))
        return damaged(err, "in front of a file");
    from = e.at + HEAD_BYTES + number(z.p + e.at + 26, 2) + number(z.p + e.at + 28, 2);
    if (from > len || e.packed > len - from || (e.method == STORED && e.packed != e.unpacked))
        return damaged(err, "in a file");
    if ((e.method != STORED && e.method != DEFLATED) || e.flags & 1)
        return ec_fail(err, EC_E_UNSUPPORTED, "%s is encrypted, or packed in another way", name);
    if (e.unpacked > max_bytes)
        return ec_fail(err, EC_E_PARSE, "%s has %zu bytes, expected at most %zu", name, e.unpacked,
                       max_bytes);
    out = ec_alloc(e.unpacked + 1);
    EC_TRY(ec_allocated(out, err));
    if (e.method == STORED)
        memcpy(out, z.p + from, e.unpacked);
    else
        EC_TRY(unpack(z.p + from, e.packed, out, e.unpacked, err));
    *ret = out;
    *ret_len = e.unpacked;
    out = NULL;
out:
    ec_free(out);
    return st;
}
