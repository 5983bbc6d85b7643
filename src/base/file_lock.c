/* Locks of files that several processes could write at once. The kernel keeps them (flock), so that
 * none is left behind by a process that was killed, and says in /proc/locks whose they are. */
#include "base/file.h"

#include "base/file_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define WAIT_STEP_MS 20
#define COMMAND_BYTES 100

/* A line of /proc/locks, "1: FLOCK ADVISORY WRITE 1234 08:01:5678 0 EOF": the process, if the lock
 * is on this file; else 0. */
static int holder_in(struct ec_span line, const char *file)
{
    struct ec_span word = { NULL, 0 };
    int64_t pid = 0;
    int n = 0;

    while (n < 6 && ec_span_cut(&line, ' ', &word)) {
        n += word.len > 0;
        if ((n == 2 && word.len && !ec_span_eq(word, "FLOCK")) ||
            (n == 5 && word.len && !ec_parse_int(word, &pid)))
            return 0;
    }
    return n == 6 && ec_span_eq(word, file) && pid > 0 && pid <= INT_MAX ? (int)pid : 0;
}

/* The process that locks the file; 0: unknown. */
static int holder_of(int fd)
{
    char line[256], file[64];
    struct stat info;
    int found = 0;
    FILE *locks;

    if (fstat(fd, &info))
        return 0;
    (void)snprintf(file, sizeof file, "%02x:%02x:%llu", major(info.st_dev), minor(info.st_dev),
                   (unsigned long long)info.st_ino);
    locks = fopen("/proc/locks", "re");
    while (locks && !found && fgets(line, sizeof line, locks))
        found = holder_in(ec_span_of(line), file);
    if (locks)
        (void)fclose(locks);
    return found;
}

/* What the process was started as; "" when it does not say. */
static void command_of(int pid, char out[COMMAND_BYTES])
{
    char path[48];
    size_t n = 0, i;
    FILE *f;

    (void)snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    f = fopen(path, "re");
    if (f) {
        n = fread(out, 1, COMMAND_BYTES - 1, f);
        (void)fclose(f);
    }
    while (n && !out[n - 1])
        n--;
    for (i = 0; i < n; i++)
        if (!out[i])
            out[i] = ' ';
    out[n] = '\0';
}

static enum ec_status held_by_other(int fd, const char *path, struct ec_err *err)
{
    char command[COMMAND_BYTES];
    int pid = holder_of(fd);

    if (pid == getpid())
        return ec_fail(err, EC_E_IO, "%s: is written by this process already: name another file",
                       path);
    if (!pid)
        return ec_fail(err, EC_E_IO, "%s: is in use by another process", path);
    command_of(pid, command);
    return ec_fail(err, EC_E_IO, "%s: is in use by process %d%s%s%s", path, pid,
                   *command ? " (" : "", command, *command ? ")" : "");
}

static enum ec_status lock(int fd, const char *path, int wait_ms, struct ec_err *err)
{
    const struct timespec step = { 0, WAIT_STEP_MS * 1000000L };
    struct stat info;

    if (fstat(fd, &info) || !S_ISREG(info.st_mode))
        return EC_OK;
    while (flock(fd, LOCK_EX | LOCK_NB)) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return EC_OK; /* a file system without locks */
        if (wait_ms <= 0)
            return held_by_other(fd, path, err);
        (void)nanosleep(&step, NULL);
        wait_ms -= WAIT_STEP_MS;
    }
    return EC_OK;
}

enum ec_status ec_file_open_append(const char *path, int wait_ms, int *ret_fd, struct ec_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    enum ec_status st;

    if (fd < 0)
        return ec__fail_errno(path, "open", err);
    EC_TRY(ec__check_output(fd, path, err));
    EC_TRY(lock(fd, path, wait_ms, err));
    *ret_fd = fd;
    fd = -1;
out:
    if (fd >= 0)
        (void)close(fd);
    return st;
}

enum ec_status ec_folder_lock(const char *folder, int *ret_fd, struct ec_err *err)
{
    char path[PATH_MAX];
    enum ec_status st;
    int fd;

    *ret_fd = -1;
    if (snprintf(path, sizeof path, "%s/.lock", folder) >= (int)sizeof path)
        return ec_fail(err, EC_E_IO, "%.80s...: path is too long", folder);
    fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd < 0)
        return EC_OK; /* what cannot be written shows when it is */
    st = lock(fd, folder, 0, err);
    if (st)
        (void)close(fd);
    else
        *ret_fd = fd;
    return st;
}
