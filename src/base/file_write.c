/* Writing files: by renaming, so that no reader ever sees half of one. */
#include "base/file.h"

#include "base/file_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static enum ec_status write_all(int fd, const char *path, const void *data, size_t len,
                                struct ec_err *err)
{
    const char *p = data;

    while (len) {
        ssize_t n = write(fd, p, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ec__fail_errno(path, "write", err);
        p += n;
        len -= (size_t)n;
    }
    return EC_OK;
}

/* To a descriptor of the process, or to a device, which cannot be replaced by renaming. */
static enum ec_status write_through(const char *path, const void *data, size_t len,
                                    struct ec_err *err)
{
    int own = ec_file_descriptor(path),
        fd = own >= 0 ? own : open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    enum ec_status st = EC_OK;

    if (fd < 0)
        return ec__fail_errno(path, "open", err);
    if (own < 0)
        EC_TRY(ec__check_output(fd, path, err));
    st = write_all(fd, path, data, len, err);
out:
    if (own < 0 && close(fd) && !st)
        st = ec__fail_errno(path, "write", err);
    return st;
}

/* Whether it is written as it is, in place of being replaced. */
static bool is_special(const char *path)
{
    struct stat info;

    return ec_file_descriptor(path) >= 0 ||
           (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

#define TEMPORARY_TRIES 100
#define TEMPORARY_DIGITS 12

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

    if (!*path)
        return ec_fail(err, EC_E_INPUT, "the name of what is to be written is empty");
    if (!is_dir && ec_file_descriptor(path) >= 0)
        return EC_OK;
    if (stat(path, &info) == 0) {
        if (!is_dir && !S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode))
            return ec__refuse_kind(path, info.st_mode, err);
        if (!S_ISDIR(info.st_mode) && is_dir)
            return ec_fail(err, EC_E_IO, "%s: is a file, expected a directory", path);
        if (access(path, is_dir ? W_OK | X_OK : W_OK))
            return ec__fail_errno(path, "write", err);
        if (is_dir || !S_ISREG(info.st_mode))
            return EC_OK;
    }
    EC_PASS(folder_of(path, folder, sizeof folder, err));
    if (stat(folder, &info))
        return ec__fail_errno(path, doing, err);
    if (!S_ISDIR(info.st_mode))
        return ec_fail(err, EC_E_IO, "%s: cannot %s: %s is no directory", path, doing, folder);
    if (access(folder, W_OK | X_OK))
        return ec__fail_errno(path, doing, err);
    return EC_OK;
}

/* --- Replacing --- */

enum ec_status ec_new_file_open(struct ec_new_file *f, const char *path, struct ec_err *err)
{
    f->path = path;
    f->fd = open_temporary(path, f->temporary, sizeof f->temporary);
    return f->fd < 0 ? ec__fail_errno(path, "create", err) : EC_OK;
}

enum ec_status ec_new_file_put(struct ec_new_file *f, const void *data, size_t len,
                               struct ec_err *err)
{
    return write_all(f->fd, f->path, data, len, err);
}

enum ec_status ec_new_file_put_at(struct ec_new_file *f, int64_t at, const void *data, size_t len,
                                  struct ec_err *err)
{
    return pwrite(f->fd, data, len, (off_t)at) == (ssize_t)len
               ? EC_OK
               : ec__fail_errno(f->path, "write", err);
}

/* The new name itself must reach the disk. What cannot be flushed is as safe as it gets. */
static void flush_folder(const char *path)
{
    char folder[PATH_MAX];
    int fd;

    if (folder_of(path, folder, sizeof folder, NULL))
        return;
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    (void)close(fd);
}

enum ec_status ec_new_file_commit(struct ec_new_file *f, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int fd = f->fd;

    if (fsync(fd))
        return ec__fail_errno(f->path, "flush", err);
    f->fd = -1;
    if (close(fd))
        st = ec__fail_errno(f->path, "write", err);
    else if (rename(f->temporary, f->path))
        st = ec__fail_errno(f->path, "replace", err);
    if (st)
        (void)unlink(f->temporary);
    else
        flush_folder(f->path);
    return st;
}

void ec_new_file_close(struct ec_new_file *f)
{
    if (f->fd < 0)
        return;
    (void)close(f->fd);
    (void)unlink(f->temporary);
    f->fd = -1;
}

/* "name.0123456789ab" of "name": as open_temporary makes them. */
static bool is_temporary(const char *entry, const char *name)
{
    size_t len = strlen(name);

    return ec_str_starts(entry, name) && entry[len] == '.' &&
           strspn(entry + len + 1, "0123456789abcdef") == TEMPORARY_DIGITS &&
           strlen(entry) == len + 1 + TEMPORARY_DIGITS;
}

void ec_new_file_remove_left(const char *path)
{
    const char *name = ec_path_name(path);
    const struct dirent *entry;
    char folder[PATH_MAX];
    DIR *d;

    if (folder_of(path, folder, sizeof folder, NULL))
        return;
    d = opendir(folder);
    while (d && (entry = readdir(d)))
        if (is_temporary(entry->d_name, name))
            (void)unlinkat(dirfd(d), entry->d_name, 0);
    if (d)
        (void)closedir(d);
}

enum ec_status ec_file_write(const char *path, const void *data, size_t len, struct ec_err *err)
{
    struct ec_new_file f = EC_NEW_FILE_INIT;
    enum ec_status st;

    if (is_special(path))
        return write_through(path, data, len, err);
    EC_TRY(ec_new_file_open(&f, path, err));
    EC_TRY(ec_new_file_put(&f, data, len, err));
    EC_TRY(ec_new_file_commit(&f, err));
out:
    ec_new_file_close(&f);
    return st;
}
