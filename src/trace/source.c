/* Bytes of a trace file in order. gzip is unpacked block by block: a trace of 5 GB is never held.
 */
#include "trace/trace_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#ifdef EC_HAVE_ZLIB
#include <zlib.h>
#endif

#define BLOCK_BYTES ((size_t)256 << 10)

struct ec__source {
    const char *path;
    int fd; /* -1: of memory */
    const unsigned char *data;
    size_t len, at; /* of memory */
    int64_t done_bytes, file_bytes;
    bool is_gzip, is_over;
    char cut[160];
#ifdef EC_HAVE_ZLIB
    z_stream z;
    bool in_member; /* between a header of gzip and its end */
#endif
    unsigned char block[BLOCK_BYTES];
    size_t begin, end; /* of the block */
};

static enum ec_status fill_block(struct ec__source *s, struct ec_err *err)
{
    size_t left = s->len - s->at;
    ssize_t n = (ssize_t)(left < BLOCK_BYTES ? left : BLOCK_BYTES);

    if (s->fd >= 0) {
        do
            n = read(s->fd, s->block, BLOCK_BYTES);
        while (n < 0 && errno == EINTR);
        if (n < 0)
            return ec_fail(err, EC_E_IO, "%s: cannot read: %s", s->path, strerror(errno));
    } else if (n) {
        memcpy(s->block, s->data + s->at, (size_t)n);
        s->at += (size_t)n;
    }
    s->done_bytes += n;
    s->begin = 0;
    s->end = (size_t)n;
    return EC_OK;
}

static enum ec_status begin_gzip(struct ec__source *s, struct ec_err *err)
{
#ifdef EC_HAVE_ZLIB
    if (inflateInit2(&s->z, 15 + 16) != Z_OK)
        return ec_nomem(err);
    s->is_gzip = s->in_member = true;
    return EC_OK;
#else
    return ec_fail(err, EC_E_UNSUPPORTED,
                   "is gzip data, and epochcast was built without zlib: unpack it first");
#endif
}

enum ec_status ec__source_open(const char *path, const void *data, size_t len,
                               struct ec__source **ret, struct ec_err *err)
{
    struct ec__source *s = ec_alloc(sizeof *s);
    enum ec_status st = EC_OK;

    if (!s)
        return ec_nomem(err);
    *s = (struct ec__source){ .path = path, .fd = -1, .data = data, .len = len };
    s->file_bytes = (int64_t)len;
    if (!data)
        EC_TRY(ec_file_open_read(path, &s->fd, &s->file_bytes, err));
    EC_TRY(fill_block(s, err));
    if (s->end >= 2 && s->block[0] == 0x1f && s->block[1] == 0x8b)
        EC_TRY(begin_gzip(s, err));
    *ret = s;
    s = NULL;
out:
    ec__source_close(s);
    return st;
}

static enum ec_status plain_read(struct ec__source *s, char *to, size_t room, size_t *ret,
                                 struct ec_err *err)
{
    enum ec_status st = EC_OK;

    if (s->begin == s->end)
        EC_TRY(fill_block(s, err));
    *ret = s->end - s->begin < room ? s->end - s->begin : room;
    memcpy(to, s->block + s->begin, *ret);
    s->begin += *ret;
out:
    return st;
}

#ifdef EC_HAVE_ZLIB
/* Ends the stream where its bytes are wrong or missing. */
static void cut_here(struct ec__source *s, const char *what)
{
    s->is_over = true;
    (void)ec_snprintf(s->cut, sizeof s->cut, "the gzip data %s after %lld bytes of the file", what,
                      (long long)(s->done_bytes - (int64_t)(s->end - s->begin)));
}

/* A member ended: another may follow it; zeros and other bytes do not count. */
static void next_member(struct ec__source *s)
{
    s->in_member = s->end - s->begin >= 2 && s->block[s->begin] == 0x1f &&
                   s->block[s->begin + 1] == 0x8b && inflateReset(&s->z) == Z_OK;
    s->is_over = !s->in_member;
}

static enum ec_status gzip_read(struct ec__source *s, char *to, size_t room, size_t *ret,
                                struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int rc = Z_OK;

    s->z.next_out = (unsigned char *)to;
    s->z.avail_out = (unsigned)room;
    while (s->z.avail_out && !s->is_over) {
        if (s->begin == s->end)
            EC_TRY(fill_block(s, err));
        if (!s->end) {
            cut_here(s, "end");
            break;
        }
        s->z.next_in = s->block + s->begin;
        s->z.avail_in = (unsigned)(s->end - s->begin);
        rc = inflate(&s->z, Z_NO_FLUSH);
        s->begin = s->end - s->z.avail_in;
        if (rc == Z_STREAM_END)
            next_member(s);
        else if (rc == Z_MEM_ERROR)
            EC_TRY(ec_nomem(err));
        else if (rc != Z_OK && rc != Z_BUF_ERROR)
            cut_here(s, "are damaged");
    }
    *ret = room - s->z.avail_out;
out:
    return st;
}
#endif

enum ec_status ec__source_read(struct ec__source *s, char *to, size_t room, size_t *ret,
                               struct ec_err *err)
{
#ifdef EC_HAVE_ZLIB
    if (s->is_gzip)
        return gzip_read(s, to, room, ret, err);
#endif
    return plain_read(s, to, room, ret, err);
}

const char *ec__source_cut(const struct ec__source *s)
{
    return *s->cut ? s->cut : NULL;
}

void ec__source_where(const struct ec__source *s, int64_t *ret_done, int64_t *ret_of)
{
    *ret_done = s->done_bytes;
    *ret_of = s->file_bytes;
}

void ec__source_close(struct ec__source *s)
{
    if (!s)
        return;
#ifdef EC_HAVE_ZLIB
    if (s->is_gzip)
        (void)inflateEnd(&s->z);
#endif
    if (s->fd >= 0)
        (void)close(s->fd);
    ec_free(s);
}
