/* Archives from outside, unpacked without trust: only plain files and folders, only below the
 * folder named, only so many bytes. libarchive reads; what is written is decided here. */
#include "dataset/fetch_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef EC_HAVE_ZLIB
#include <zlib.h>
#endif

#define STEP_BYTES ((size_t)256 << 10)
/* What a file or folder takes on disk beside its bytes: however empty, so many have an end. */
#define ENTRY_BYTES 1024

bool ec__path_is_inside(const char *path)
{
    struct ec_span rest = ec_span_of(path), part;
    bool first = true;

    if (!*path || strchr(path, '\\'))
        return false;
    while (rest.p && ec_span_cut(&rest, '/', &part)) {
        if (ec_span_eq(part, "..") || (!part.len && rest.p))
            return false; /* "//" or a leading '/' */
        if (!part.len && first)
            return false;
        first = false;
    }
    return true;
}

static enum ec_status write_all(int fd, const char *path, const char *data, size_t len,
                                int64_t *budget_bytes, struct ec_err *err)
{
    ssize_t n;

    if ((int64_t)len > *budget_bytes)
        return ec_fail(err, EC_E_PARSE, "%s: unpacks to more than it should", path);
    *budget_bytes -= (int64_t)len;
    while (len) {
        n = write(fd, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ec_fail(err, EC_E_IO, "%s: cannot write: %s", path, strerror(errno));
        data += n;
        len -= (size_t)n;
    }
    return EC_OK;
}

static enum ec_status create(const char *path, int *ret_fd, struct ec_err *err)
{
    *ret_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return *ret_fd >= 0 ? EC_OK
                        : ec_fail(err, EC_E_IO, "%s: cannot create: %s", path, strerror(errno));
}

/* What archive.h and archive_entry.h define, for libarchive.so.13. */
struct archive;
struct archive_entry;
enum { RC_EOF = 1, RC_OK = 0, TYPE_FILE = 0100000, TYPE_FOLDER = 0040000 };

struct reader {
    struct archive *a;
    EC_LIBARCHIVE(EC_FOREIGN_MEMBER)
};

static enum ec_status open_library(struct reader *r, struct ec_err *err)
{
    static const char *const names[] = { "libarchive.so.13", NULL };
    static const char *const symbols[] = { EC_LIBARCHIVE(EC_FOREIGN_SYMBOL) NULL };

    EC_PASS(ec_dynlib_open(names, "libarchive13", "unpacking", symbols, &r->read_new, err));
    r->a = r->read_new();
    return ec_allocated(r->a, err);
}

/* Folders above the last part of the path, which begins after `base` bytes. */
static enum ec_status make_parents(char *path, size_t base, struct ec_err *err)
{
    char *slash;

    for (slash = strchr(path + base, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) && errno != EEXIST)
            return ec_fail(err, EC_E_IO, "%s: cannot create: %s", path, strerror(errno));
        *slash = '/';
    }
    return EC_OK;
}

static enum ec_status copy_entry(const struct reader *r, const char *path, int64_t *budget_bytes,
                                 struct ec_err *err)
{
    char *step = ec_alloc(STEP_BYTES);
    enum ec_status st = EC_OK;
    ssize_t n = 0;
    int fd = -1;

    EC_TRY(ec_allocated(step, err));
    EC_TRY(create(path, &fd, err));
    while ((n = r->read_data(r->a, step, STEP_BYTES)) > 0)
        EC_TRY(write_all(fd, path, step, (size_t)n, budget_bytes, err));
    if (n < 0)
        EC_TRY(ec_fail(err, EC_E_PARSE, "damaged archive: %s", r->error_string(r->a)));
out:
    if (fd >= 0 && close(fd) && !st)
        st = ec_fail(err, EC_E_IO, "%s: cannot write: %s", path, strerror(errno));
    ec_free(step);
    return st;
}

static enum ec_status put_entry(const struct reader *r, struct archive_entry *e, const char *to,
                                int64_t *budget_bytes, struct ec_err *err)
{
    const char *name = r->entry_pathname(e);
    unsigned type = r->entry_filetype(e);
    char path[PATH_MAX];
    enum ec_status st;
    int n;

    if (!name || !ec__path_is_inside(name))
        return ec_fail(err, EC_E_PARSE, "archive holds \"%.80s\", which lies outside",
                       name ? name : "(no name)");
    if ((type != TYPE_FILE && type != TYPE_FOLDER) || r->entry_hardlink(e))
        return ec_fail(err, EC_E_PARSE, "archive holds \"%.80s\", which is no plain file", name);
    if (ec_str_eq(name, ".") || ec_str_eq(name, "./"))
        return EC_OK;
    n = snprintf(path, sizeof path, "%s/%s%s", to, name, type == TYPE_FOLDER ? "/" : "");
    if (n < 0 || (size_t)n >= sizeof path)
        return ec_fail(err, EC_E_PARSE, "archive holds a path of %zu bytes", strlen(name));
    st = make_parents(path, strlen(to) + 1, err);
    if (st || type == TYPE_FOLDER)
        return st;
    return copy_entry(r, path, budget_bytes, err);
}

static enum ec_status put_entries(const struct reader *r, const char *to, int64_t *budget_bytes,
                                  struct ec_err *err)
{
    struct archive_entry *e = NULL;
    enum ec_status st = EC_OK;
    int64_t n = 0;
    int rc = RC_OK;

    while (!st && (rc = r->read_next_header(r->a, &e)) == RC_OK) {
        n++;
        *budget_bytes -= ENTRY_BYTES;
        st = *budget_bytes < 0
                 ? ec_fail(err, EC_E_PARSE, "%lld files and more: more than it should unpack to",
                           (long long)n)
                 : put_entry(r, e, to, budget_bytes, err);
    }
    if (!st && rc != RC_EOF)
        st = ec_fail(err, EC_E_PARSE, "damaged archive: %s", r->error_string(r->a));
    if (!st && !n)
        st = ec_fail(err, EC_E_PARSE, "archive holds nothing");
    return st;
}

enum ec_status ec__unpack_tar(const char *archive, const char *to, int64_t *budget_bytes,
                              struct ec_err *err)
{
    struct reader r = { 0 };
    enum ec_status st = EC_OK;

    EC_PASS(open_library(&r, err));
    (void)r.read_support_format_tar(r.a);
    (void)r.read_support_filter_gzip(r.a);
    (void)r.read_support_filter_xz(r.a);
    if (r.read_open_filename(r.a, archive, STEP_BYTES) != RC_OK)
        st = ec_fail(err, EC_E_PARSE, "no archive: %s", r.error_string(r.a));
    if (!st)
        st = put_entries(&r, to, budget_bytes, err);
    st = ec_within(err, st, "%s: ", archive);
    (void)r.read_free(r.a);
    return st;
}

#ifdef EC_HAVE_ZLIB
enum ec_status ec__unpack_gzip(const char *from, const char *to, int64_t *budget_bytes,
                               struct ec_err *err)
{
    char *step = ec_alloc(STEP_BYTES);
    enum ec_status st = EC_OK;
    gzFile z = NULL;
    int fd = -1, n = 0, rc = Z_OK;

    EC_TRY(ec_allocated(step, err));
    z = gzopen(from, "rb");
    if (!z)
        EC_TRY(ec_fail(err, EC_E_IO, "%s: cannot open: %s", from, strerror(errno)));
    EC_TRY(create(to, &fd, err));
    while ((n = gzread(z, step, (unsigned)STEP_BYTES)) > 0)
        EC_TRY(write_all(fd, to, step, (size_t)n, budget_bytes, err));
    (void)gzerror(z, &rc);
    if (n < 0 || (rc != Z_OK && rc != Z_STREAM_END))
        EC_TRY(ec_fail(err, EC_E_PARSE, "%s: gzip data is damaged or cut short", from));
out:
    if (fd >= 0 && close(fd) && !st)
        st = ec_fail(err, EC_E_IO, "%s: cannot write: %s", to, strerror(errno));
    if (z)
        (void)gzclose(z);
    ec_free(step);
    return st;
}
#else
enum ec_status ec__unpack_gzip(const char *from, const char *to, int64_t *budget_bytes,
                               struct ec_err *err)
{
    (void)to;
    (void)budget_bytes;
    return ec_fail(err, EC_E_UNSUPPORTED,
                   "epochcast was built without zlib: unpack %s by gunzip, or install zlib1g-dev "
                   "and rebuild",
                   from);
}
#endif
