/* Files: read whole or mapped; what is no file is refused. */
#include "base/file.h"

#include "base/file_internal.h"
#include "base/held.h"
#include "base/sandbox_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Below this, reading is cheaper than setting up a mapping. */
#define MAP_FROM_BYTES ((int64_t)64 << 10)
#define READ_STEP_BYTES ((size_t)64 << 10)
/* Standard input and other pipes say no length and may never end: what they give is held in memory.
 */
#define STREAM_MAX_BYTES ((size_t)1 << 30)

enum ec_status ec__fail_errno(const char *path, const char *doing, struct ec_err *err)
{
    enum ec_status st = errno == ENOENT || errno == ENOTDIR ? EC_E_NOT_FOUND : EC_E_IO;

    if ((errno == EACCES || errno == EPERM) && ec__files_denied)
        return ec_fail(err, EC_E_NOT_FOUND,
                       "%s: neither built in nor kept here, and no other file may be opened", path);
    return ec_fail(err, st, "%s: cannot %s: %s", path, doing, strerror(errno));
}

static enum ec_status fail_too_large(const char *path, size_t max_bytes, struct ec_err *err)
{
    char limit[32];

    return ec_fail(err, EC_E_IO, "%s: larger than the limit of %s", path,
                   ec_fmt_bytes(limit, sizeof limit, (double)max_bytes));
}

static enum ec_status read_all(int fd, const char *path, size_t max_bytes, struct ec_file *ret,
                               struct ec_err *err)
{
    struct ec_buf b = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    char *step = ec_alloc(READ_STEP_BYTES);
    ssize_t n;

    EC_TRY(ec_allocated(step, err));
    b.max_bytes = SIZE_MAX / 4;
    while ((n = read(fd, step, READ_STEP_BYTES)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            EC_TRY(ec__fail_errno(path, "read", err));
        if (max_bytes && (size_t)n > max_bytes - b.len)
            EC_TRY(fail_too_large(path, max_bytes, err));
        ec_buf_add(&b, step, (size_t)n);
        EC_TRY(ec_buf_status(&b, err));
    }
    *ret = (struct ec_file){ .data = (const unsigned char *)ec_buf_text(&b), .len = b.len };
    ret->owned = b.data;
    b = (struct ec_buf)EC_BUF_INIT;
out:
    ec_free(step);
    ec_buf_clear(&b);
    return st;
}

static enum ec_status read_stream(int fd, const char *path, size_t max_bytes, struct ec_file *ret,
                                  struct ec_err *err)
{
    return read_all(fd, path,
                    max_bytes && max_bytes < STREAM_MAX_BYTES ? max_bytes : STREAM_MAX_BYTES, ret,
                    err);
}

int ec_file_descriptor(const char *path)
{
    static const char *const names[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
    static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
    int64_t n;
    int i = ec_name_index(names, EC_LEN(names), path);

    if (i >= 0)
        return i;
    for (i = 0; i < EC_LEN(folders); i++)
        if (ec_str_starts(path, folders[i]) &&
            ec_parse_int(ec_span_of(path + strlen(folders[i])), &n) && n >= 0 && n <= INT_MAX)
            return (int)n;
    return -1;
}

/* File systems whose files the kernel makes up, from <linux/magic.h>. */
static bool is_made_up(const struct statfs *fs)
{
    static const unsigned long kinds[] = {
        0x9fa0,     /* proc */
        0x62656572, /* sysfs */
        0x64626720, /* debugfs */
        0x74726163, /* tracefs */
        0x27e0eb,   /* cgroup */
        0x63677270, /* cgroup2 */
    };
    int i;

    for (i = 0; i < EC_LEN(kinds); i++)
        if ((unsigned long)fs->f_type == kinds[i])
            return true;
    return false;
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

enum ec_status ec__refuse_kind(const char *path, mode_t mode, struct ec_err *err)
{
    return ec_fail(err, EC_E_IO, "%s: is %s, expected a file", path, kind_of(mode));
}

static enum ec_status refuse_made_up(const char *path, struct ec_err *err)
{
    return ec_fail(err, EC_E_IO, "%s: is made up by the kernel, expected a file", path);
}

enum ec_status ec_file_check(const char *path, struct ec_err *err)
{
    struct stat info;
    struct statfs fs;

    if (stat(path, &info))
        return EC_OK;
    if (!S_ISREG(info.st_mode))
        return ec__refuse_kind(path, info.st_mode, err);
    return statfs(path, &fs) == 0 && is_made_up(&fs) ? refuse_made_up(path, err) : EC_OK;
}

static enum ec_status open_read(const char *path, bool may_be_made_up, int *ret_fd,
                                int64_t *ret_bytes, struct ec_err *err)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    enum ec_status st = EC_OK;
    struct stat info;
    struct statfs fs;

    if (fd < 0 && errno == ENXIO)
        return ec__refuse_kind(path, S_IFSOCK, err);
    if (fd < 0)
        return ec__fail_errno(path, "open", err);
    if (fstat(fd, &info))
        st = ec__fail_errno(path, "look at it", err);
    else if (!S_ISREG(info.st_mode))
        st = ec__refuse_kind(path, info.st_mode, err);
    else if (!may_be_made_up && fstatfs(fd, &fs) == 0 && is_made_up(&fs))
        st = refuse_made_up(path, err);
    if (st) {
        (void)close(fd);
        return st;
    }
    *ret_fd = fd;
    *ret_bytes = info.st_size;
    return EC_OK;
}

enum ec_status ec_file_open_read(const char *path, int *ret_fd, int64_t *ret_bytes,
                                 struct ec_err *err)
{
    return open_read(path, false, ret_fd, ret_bytes, err);
}

enum ec_status ec__check_output(int fd, const char *path, struct ec_err *err)
{
    struct stat info;

    if (fstat(fd, &info))
        return ec__fail_errno(path, "look at it", err);
    if (ec_file_descriptor(path) < 0 && !S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode))
        return ec__refuse_kind(path, info.st_mode, err);
    if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK))
        return ec__fail_errno(path, "open", err);
    return EC_OK;
}

static enum ec_status read_or_map(int fd, const char *path, int64_t bytes, size_t max_bytes,
                                  struct ec_file *ret, struct ec_err *err)
{
    size_t len = (size_t)bytes;
    void *map;

    if (bytes < MAP_FROM_BYTES)
        return read_all(fd, path, max_bytes, ret, err);
    if (max_bytes && len > max_bytes)
        return fail_too_large(path, max_bytes, err);
    map = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return read_all(fd, path, max_bytes, ret, err);
    *ret = (struct ec_file){ .data = map, .len = len, .map = map };
    return EC_OK;
}

static enum ec_status open_file(const char *path, bool may_be_made_up, size_t max_bytes,
                                struct ec_file *ret, struct ec_err *err)
{
    int64_t bytes = 0;
    enum ec_status st;
    int fd = -1;

    EC_PASS(open_read(path, may_be_made_up, &fd, &bytes, err));
    st = read_or_map(fd, path, bytes, max_bytes, ret, err);
    (void)close(fd);
    return st;
}

enum ec_status ec_file_open(const char *path, size_t max_bytes, struct ec_file *ret,
                            struct ec_err *err)
{
    enum ec_status st = ec__file_held(path, max_bytes, ret, err);

    if (st != EC_E_NOT_FOUND)
        return st;
    if (ec_str_eq(path, "-"))
        return read_stream(STDIN_FILENO, "standard input", max_bytes, ret, err);
    if (ec_file_descriptor(path) >= 0)
        return read_stream(ec_file_descriptor(path), path, max_bytes, ret, err);
    return open_file(path, false, max_bytes, ret, err);
}

enum ec_status ec_file_open_kernel(const char *path, size_t max_bytes, struct ec_file *ret,
                                   struct ec_err *err)
{
    return open_file(path, true, max_bytes, ret, err);
}

void ec_file_close(struct ec_file *f)
{
    if (!f)
        return;
    if (f->map)
        (void)munmap(f->map, f->len);
    ec_free(f->owned);
    *f = (struct ec_file){ 0 };
}

#define FIND_DEPTH_MAX 3

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* The arena keeps the old lists: they double, and die with it. */
static enum ec_status add_path(struct ec_strs *l, const char *path, struct ec_arena *a,
                               struct ec_err *err)
{
    const char **v = l->v;

    if (l->n == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 16;
        v = ec_arena_alloc(a, (size_t)l->cap * sizeof *v);
        if (v && l->n)
            memcpy(v, l->v, (size_t)l->n * sizeof *v);
        l->v = v;
    }
    if (v)
        v[l->n] = ec_arena_str(a, path);
    EC_PASS(ec_allocated(v && v[l->n], err));
    l->n++;
    return EC_OK;
}

/* patterns: several, separated by '|' */
static bool matches(const char *patterns, const char *path)
{
    struct ec_span rest = ec_span_of(patterns), one;
    char pattern[64];

    while (rest.len && ec_span_cut(&rest, '|', &one)) {
        (void)snprintf(pattern, sizeof pattern, "%.*s", (int)one.len, one.p);
        if (ec_str_glob(pattern, path))
            return true;
    }
    return false;
}

static enum ec_status find_below(const char *path, const char *pattern, int depth,
                                 struct ec_arena *a, struct ec_strs *ret, struct ec_err *err)
{
    const char *slash = *path && path[strlen(path) - 1] == '/' ? "" : "/";
    struct dirent **entry = NULL;
    enum ec_status st = EC_OK;
    char inner[PATH_MAX];
    struct stat info;
    int n, i;

    if (stat(path, &info) || !S_ISDIR(info.st_mode))
        return depth == 0 || matches(pattern, path) ? add_path(ret, path, a, err) : EC_OK;
    if (depth >= FIND_DEPTH_MAX)
        return EC_OK;
    n = scandir(path, &entry, NULL, by_name);
    if (n < 0)
        return ec__fail_errno(path, "read", err);
    for (i = 0; i < n; i++) {
        if (!st && entry[i]->d_name[0] != '.' &&
            snprintf(inner, sizeof inner, "%s%s%s", path, slash, entry[i]->d_name) <
                (int)sizeof inner)
            st = find_below(inner, pattern, depth + 1, a, ret, err);
        free(entry[i]); /* scandir's own memory */
    }
    free(entry);
    return st;
}

bool ec_is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

enum ec_status ec_files_find(const char *path, const char *pattern, struct ec_arena *a,
                             struct ec_strs *ret, bool *ret_is_folder, struct ec_err *err)
{
    *ret_is_folder = ec_is_folder(path);
    return find_below(path, pattern, 0, a, ret, err);
}
