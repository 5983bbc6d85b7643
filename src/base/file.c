/* Files: read whole or mapped, written by renaming so that no reader ever sees half of one. */
#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Below this, reading is cheaper than setting up a mapping. */
#define MAP_FROM_BYTES ((off_t)64 << 10)
#define READ_STEP_BYTES ((size_t)64 << 10)
/* Pipes and devices say no length and may never end: what they give is held in memory. */
#define STREAM_MAX_BYTES ((size_t)1 << 30)

static enum ec_status fail_errno(const char *path, const char *doing, struct ec_err *err)
{
    enum ec_status st = errno == ENOENT || errno == ENOTDIR ? EC_E_NOT_FOUND : EC_E_IO;

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

    if (!step)
        EC_TRY(ec_nomem(err));
    b.max_bytes = SIZE_MAX / 4;
    while ((n = read(fd, step, READ_STEP_BYTES)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            EC_TRY(fail_errno(path, "read", err));
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

static enum ec_status read_or_map(int fd, const char *path, size_t max_bytes, struct ec_file *ret,
                                  struct ec_err *err)
{
    struct stat info;
    size_t len;
    void *map;

    if (fstat(fd, &info))
        return fail_errno(path, "look at it", err);
    if (S_ISDIR(info.st_mode))
        return ec_fail(err, EC_E_IO, "%s: is a directory, expected a file", path);
    if (!S_ISREG(info.st_mode))
        return read_stream(fd, path, max_bytes, ret, err);
    if (info.st_size < MAP_FROM_BYTES)
        return read_all(fd, path, max_bytes, ret, err);
    len = (size_t)info.st_size;
    if (max_bytes && len > max_bytes)
        return fail_too_large(path, max_bytes, err);
    map = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return read_all(fd, path, max_bytes, ret, err);
    *ret = (struct ec_file){ .data = map, .len = len, .map = map };
    return EC_OK;
}

enum ec_status ec_file_open(const char *path, size_t max_bytes, struct ec_file *ret,
                            struct ec_err *err)
{
    enum ec_status st;
    int fd;

    if (ec_str_eq(path, "-"))
        return read_stream(STDIN_FILENO, "standard input", max_bytes, ret, err);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(path, "open", err);
    st = read_or_map(fd, path, max_bytes, ret, err);
    (void)close(fd);
    return st;
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

static enum ec_status write_all(int fd, const char *path, const char *data, size_t len,
                                struct ec_err *err)
{
    while (len) {
        ssize_t n = write(fd, data, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(path, "write", err);
        data += n;
        len -= (size_t)n;
    }
    return EC_OK;
}

/* Devices and pipes cannot be replaced by renaming. */
static bool is_special(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static enum ec_status write_special(const char *path, const void *data, size_t len,
                                    struct ec_err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    enum ec_status st;

    if (fd < 0)
        return fail_errno(path, "open", err);
    st = write_all(fd, path, data, len, err);
    if (close(fd) && !st)
        st = fail_errno(path, "write", err);
    return st;
}

#define TEMPORARY_TRIES 100

/* A new file beside `path`. As mkstemp, but with the permissions of any new file: they depend on
 * the umask, which cannot be read without changing it for other threads. Returns -1 with errno. */
static int open_temporary(const char *path, char *out, size_t size)
{
    uint64_t id = 0;
    int fd = -1, tries, n;

    for (tries = 0; tries < TEMPORARY_TRIES && fd < 0; tries++) {
        if (getrandom(&id, sizeof id, 0) != sizeof id)
            return -1;
        n = snprintf(out, size, "%s.%012llx", path, (unsigned long long)(id >> 16));
        if (n < 0 || (size_t)n >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open(out, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    return fd;
}

/* The folder that holds `path`. */
static enum ec_status folder_of(const char *path, char *out, size_t size, struct ec_err *err)
{
    size_t len = strlen(path);

    if (len + 1 >= size)
        return ec_fail(err, EC_E_IO, "%.80s...: path is too long", path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    while (len && path[len - 1] != '/')
        len--;
    (void)snprintf(out, size, "%.*s", len ? (int)len : 1, len ? path : ".");
    return EC_OK;
}

enum ec_status ec_file_can_write(const char *path, bool is_dir, struct ec_err *err)
{
    const char *doing = is_dir ? "make the directory" : "create";
    char folder[PATH_MAX];
    struct stat info;
    enum ec_status st;

    if (!*path)
        return ec_fail(err, EC_E_INPUT, "the name of what is to be written is empty");
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode) && !is_dir)
            return ec_fail(err, EC_E_IO, "%s: is a directory, expected a file", path);
        if (!S_ISDIR(info.st_mode) && is_dir)
            return ec_fail(err, EC_E_IO, "%s: is a file, expected a directory", path);
        if (access(path, is_dir ? W_OK | X_OK : W_OK))
            return fail_errno(path, "write", err);
        if (is_dir || !S_ISREG(info.st_mode))
            return EC_OK;
    }
    EC_TRY(folder_of(path, folder, sizeof folder, err));
    if (stat(folder, &info))
        return fail_errno(path, doing, err);
    if (!S_ISDIR(info.st_mode))
        return ec_fail(err, EC_E_IO, "%s: cannot %s: %s is no directory", path, doing, folder);
    if (access(folder, W_OK | X_OK))
        return fail_errno(path, doing, err);
out:
    return st;
}

enum ec_status ec_file_write(const char *path, const void *data, size_t len, struct ec_err *err)
{
    char temp[PATH_MAX];
    enum ec_status st = EC_OK;
    int fd;

    if (is_special(path))
        return write_special(path, data, len, err);
    fd = open_temporary(path, temp, sizeof temp);
    if (fd < 0)
        return fail_errno(path, "create", err);
    EC_TRY(write_all(fd, path, data, len, err));
    if (fsync(fd))
        EC_TRY(fail_errno(path, "flush", err));
    if (rename(temp, path))
        EC_TRY(fail_errno(path, "replace", err));
out:
    (void)close(fd);
    if (st)
        (void)unlink(temp);
    return st;
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
    if (!v || !v[l->n])
        return ec_nomem(err);
    l->n++;
    return EC_OK;
}

static enum ec_status find_below(const char *path, const char *pattern, int depth,
                                 struct ec_arena *a, struct ec_strs *ret, struct ec_err *err)
{
    struct dirent **entry = NULL;
    enum ec_status st = EC_OK;
    char inner[PATH_MAX];
    struct stat info;
    int n, i;

    if (stat(path, &info) || !S_ISDIR(info.st_mode))
        return depth == 0 || ec_str_glob(pattern, path) ? add_path(ret, path, a, err) : EC_OK;
    if (depth >= FIND_DEPTH_MAX)
        return EC_OK;
    n = scandir(path, &entry, NULL, by_name);
    if (n < 0)
        return fail_errno(path, "read", err);
    for (i = 0; i < n; i++) {
        if (!st && entry[i]->d_name[0] != '.' &&
            snprintf(inner, sizeof inner, "%s/%s", path, entry[i]->d_name) < (int)sizeof inner)
            st = find_below(inner, pattern, depth + 1, a, ret, err);
        free(entry[i]); /* scandir's own memory */
    }
    free(entry);
    return st;
}

enum ec_status ec_files_find(const char *path, const char *pattern, struct ec_arena *a,
                             struct ec_strs *ret, bool *ret_is_folder, struct ec_err *err)
{
    struct stat info;

    *ret_is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return find_below(path, pattern, 0, a, ret, err);
}
