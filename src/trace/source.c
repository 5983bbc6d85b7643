/* Bytes of a trace file in order, unpacked when it is gzip: a trace of 5 GB is never held. */
#include "trace/trace_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef EC_HAVE_ZLIB
#include <zlib.h>
#endif

#define BLOCK_BYTES 262144 /* at most so much is lost where gzip data are damaged */

/* A file in memory with these bytes. */
static enum ec_status open_data(const void *data, size_t len, int *ret_fd, struct ec_err *err)
{
    *ret_fd = memfd_create("trace", MFD_CLOEXEC);
    if (*ret_fd < 0 || write(*ret_fd, data, len) != (ssize_t)len || lseek(*ret_fd, 0, SEEK_SET))
        return ec_fail(err, EC_E_IO, "cannot make a file in memory: %s", strerror(errno));
    return EC_OK;
}

enum ec_status ec__source_open(const char *path, const void *data, size_t len,
                               struct ec__source *ret, struct ec_err *err)
{
    *ret = (struct ec__source){ .fd = -1, .file_bytes = (int64_t)len };
    EC_PASS(data ? open_data(data, len, &ret->fd, err)
                 : ec_file_open_read(path, &ret->fd, &ret->file_bytes, err));
#ifdef EC_HAVE_ZLIB
    ret->gzip = gzdopen(ret->fd, "rb");
    if (!ret->gzip || gzbuffer(ret->gzip, BLOCK_BYTES / 2))
        return ec_nomem(err);
#endif
    return EC_OK;
}

#ifdef EC_HAVE_ZLIB
enum ec_status ec__source_read(struct ec__source *s, char *to, size_t room, size_t *ret,
                               struct ec_err *err)
{
    int rc = Z_OK, n = gzread(s->gzip, to, room < BLOCK_BYTES ? (unsigned)room : BLOCK_BYTES);

    *ret = n > 0 ? (size_t)n : 0;
    s->done_bytes = gzoffset(s->gzip);
    (void)gzerror(s->gzip, &rc);
    if (n > 0 || rc == Z_OK)
        return EC_OK;
    if (rc == Z_MEM_ERROR)
        return ec_nomem(err);
    if (rc == Z_ERRNO)
        return ec_fail(err, EC_E_IO, "cannot read: %s", strerror(errno));
    (void)ec_snprintf(s->cut, sizeof s->cut, "the gzip data %s after %lld bytes of the file",
                      rc == Z_BUF_ERROR ? "end" : "are damaged", (long long)s->done_bytes);
    return EC_OK;
}
#else
enum ec_status ec__source_read(struct ec__source *s, char *to, size_t room, size_t *ret,
                               struct ec_err *err)
{
    ssize_t n;

    do
        n = read(s->fd, to, room);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return ec_fail(err, EC_E_IO, "cannot read: %s", strerror(errno));
    if (!s->done_bytes && n > 1 && to[0] == '\x1f' && to[1] == '\x8b')
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "is gzip data, and epochcast was built without zlib: unpack it first");
    s->done_bytes += n;
    *ret = (size_t)n;
    return EC_OK;
}
#endif

void ec__source_close(struct ec__source *s)
{
#ifdef EC_HAVE_ZLIB
    if (s->gzip)
        (void)gzclose(s->gzip);
    else
#endif
        if (s->fd >= 0)
        (void)close(s->fd);
}
