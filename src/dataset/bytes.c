/* Reads files of samples into memory and unpacks gzip. Files are not mapped, because a mapped file
 * that shrinks while it is in use would end the program with SIGBUS. */
#include "dataset/samples_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef EC_HAVE_ZLIB
#include <zlib.h>
#endif

#define STEP_BYTES ((size_t)1 << 30)

void ec__bytes_clear(struct ec__bytes *b)
{
    ec_free(b->data);
    *b = (struct ec__bytes){ 0 };
}

bool ec__path_exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

static enum ec_status ends_early(int fd, const char *path, int64_t want, struct ec_err *err)
{
    struct stat info;
    int64_t size = fstat(fd, &info) ? want : info.st_size;

    return ec_fail(err, EC_E_IO, "%s: ends at byte %lld, %lld more were expected", path,
                   (long long)size, (long long)(want - size));
}

enum ec_status ec__pread(int fd, const char *path, void *to, int64_t len, int64_t at,
                         struct ec_err *err)
{
    char *p = to;
    ssize_t n;

    while (len) {
        n = pread(fd, p, (size_t)len < STEP_BYTES ? (size_t)len : STEP_BYTES, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ec_fail(err, EC_E_IO, "%s: cannot read: %s", path, strerror(errno));
        if (n == 0)
            return ends_early(fd, path, at + len, err);
        p += n;
        at += n;
        len -= n;
    }
    return EC_OK;
}

#ifdef EC_HAVE_ZLIB
#define HEAD_BYTES ((size_t)1 << 16)
#define UNPACKED_MIN_BYTES ((size_t)16 << 20)
#define UNPACKED_RATIO 32 /* of tables of numbers: 3 to 10; of gzip: 1032 */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* What `len` bytes may unpack to, without a head that says it. */
static size_t usual_max(size_t len)
{
    size_t most = len < SIZE_MAX / UNPACKED_RATIO ? len * UNPACKED_RATIO : SIZE_MAX;

    return most > UNPACKED_MIN_BYTES ? most : UNPACKED_MIN_BYTES;
}

/* The buffer doubles as data arrive, so that a small file with a large size in its header needs
 * little memory. */
static enum ec_status more_room(struct ec__bytes *b, size_t *cap, size_t max_bytes,
                                struct ec_err *err)
{
    size_t next = *cap * 2 < max_bytes + 1 ? *cap * 2 : max_bytes + 1;
    void *grown;

    if (b->len > max_bytes)
        return ec_fail(err, EC_E_PARSE, "holds more than %zu bytes", max_bytes);
    grown = ec_realloc(b->data, next);
    EC_PASS(ec_allocated(grown, err));
    b->data = grown;
    *cap = next;
    return EC_OK;
}

/* max_bytes: however much the head says; unsaid_bytes: where it says nothing */
static enum ec_status inflate_all(z_stream *z, struct ec__bytes *out, size_t max_bytes,
                                  size_t unsaid_bytes, ec__bytes_says says, struct ec_err *err)
{
    size_t cap = HEAD_BYTES, room, said;
    int rc = Z_OK;

    out->data = ec_realloc(NULL, cap);
    EC_PASS(ec_allocated(out->data, err));
    while (rc != Z_STREAM_END) {
        if (out->len == HEAD_BYTES && cap == HEAD_BYTES) {
            said = says ? says(out->data, out->len) : 0;
            max_bytes = least(max_bytes, said ? said : unsaid_bytes);
        }
        if (out->len == cap)
            EC_PASS(more_room(out, &cap, max_bytes, err));
        room = cap - out->len < STEP_BYTES ? cap - out->len : STEP_BYTES;
        z->next_out = out->data + out->len;
        z->avail_out = (uInt)room;
        rc = inflate(z, Z_NO_FLUSH);
        out->len += room - z->avail_out;
        if (rc != Z_OK && rc != Z_STREAM_END)
            return ec_fail(err, EC_E_PARSE, "gzip data is %s",
                           rc == Z_BUF_ERROR ? "cut short" : "damaged");
    }
    if (out->len > max_bytes)
        return ec_fail(err, EC_E_PARSE, "holds more than %zu bytes", max_bytes);
    return EC_OK;
}

static enum ec_status gunzip(struct ec__bytes *b, size_t max_bytes, ec__bytes_says says,
                             struct ec_err *err)
{
    struct ec__bytes plain = { 0 };
    z_stream z = { 0 };
    enum ec_status st;

    if (b->len > UINT32_MAX)
        return ec_fail(err, EC_E_UNSUPPORTED, "gzip data of more than 4 GiB");
    if (inflateInit2(&z, 15 + 32) != Z_OK)
        return ec_nomem(err);
    z.next_in = b->data;
    z.avail_in = (uInt)b->len;
    st = inflate_all(&z, &plain, max_bytes, usual_max(b->len), says, err);
    (void)inflateEnd(&z);
    if (st) {
        ec__bytes_clear(&plain);
        return st;
    }
    ec__bytes_clear(b);
    *b = plain;
    return EC_OK;
}
#else
static enum ec_status gunzip(struct ec__bytes *b, size_t max_bytes, ec__bytes_says says,
                             struct ec_err *err)
{
    (void)b;
    (void)max_bytes;
    (void)says;
    return ec_fail(err, EC_E_UNSUPPORTED,
                   "is gzip data, and epochcast was built without zlib: unpack it first");
}
#endif

enum ec_status ec__bytes_gunzip(struct ec__bytes *b, size_t max_bytes, ec__bytes_says says,
                                struct ec_err *err)
{
    return b->len > 2 && b->data[0] == 0x1f && b->data[1] == 0x8b ? gunzip(b, max_bytes, says, err)
                                                                  : EC_OK;
}

enum ec_status ec__bytes_load(const char *path, size_t max_bytes, struct ec__bytes *ret,
                              struct ec_err *err)
{
    return ec__bytes_load_as(path, max_bytes, NULL, ret, err);
}

enum ec_status ec__bytes_load_as(const char *path, size_t max_bytes, ec__bytes_says says,
                                 struct ec__bytes *ret, struct ec_err *err)
{
    struct ec__bytes b = { 0 };
    enum ec_status st;

    EC_TRY(ec__bytes_load_to(path, max_bytes, NULL, 0, &b, err));
    EC_TRY(ec_within(err, ec__bytes_gunzip(&b, max_bytes, says, err), "%s: ", path));
    *ret = b;
    b = (struct ec__bytes){ 0 };
out:
    ec__bytes_clear(&b);
    return st;
}

enum ec_status ec__bytes_load_to(const char *path, size_t max_bytes, struct ec__scratch *scratch,
                                 int which, struct ec__bytes *ret, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int64_t size_bytes = 0;
    int fd = -1;

    EC_TRY(ec_file_open_read(path, &fd, &size_bytes, err));
    if ((uint64_t)size_bytes > max_bytes)
        EC_TRY(ec_fail(err, EC_E_IO, "%s: has %lld bytes, expected at most %zu", path,
                       (long long)size_bytes, max_bytes));
    ret->len = (size_t)size_bytes;
    ret->data =
        scratch ? ec__scratch_get(scratch, which, ret->len + 1) : ec_realloc(NULL, ret->len + 1);
    EC_TRY(ec_allocated(ret->data, err));
    EC_TRY(ec__pread(fd, path, ret->data, size_bytes, 0, err));
out:
    if (fd >= 0)
        (void)close(fd);
    return st;
}

const char *ec__find_path(struct ec_arena *a, const char *dir, const char *const *names)
{
    char *path;

    for (; *names; names++) {
        path = ec_arena_printf(a, "%s/%s", dir, *names);
        if (path && ec__path_exists(path))
            return path;
    }
    return NULL;
}
