/* Files read, mapped, written. */
#include "base/file.h"
#include "base/held.h"
#include "entries.h"
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char dir[64];

static const char *path_of(const char *name)
{
    static char path[128];

    if (!dir[0]) {
        (void)snprintf(dir, sizeof dir, "/tmp/epochcast-test-XXXXXX");
        CHECK(mkdtemp(dir));
    }
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void round_trip(size_t len, bool want_mapped)
{
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };
    char *data = malloc(len + 1);

    if (!data)
        return;
    memset(data, 'q', len);
    CHECK_OK(ec_file_write(path_of("f"), data, len, &err));
    CHECK_OK(ec_file_open(path_of("f"), 0, &f, &err));
    CHECK_INT(f.len, len);
    CHECK(!f.map == !want_mapped);
    CHECK(!len || memcmp(f.data, data, len) == 0);
    ec_file_close(&f);
    ec_file_close(&f);
    free(data);
    (void)unlink(path_of("f"));
}

TEST(write_then_read)
{
    round_trip(0, false);
    round_trip(100, false);
    round_trip(200000, true);
}

TEST(write_leaves_no_temporary_and_an_ordinary_mode)
{
    struct ec_err err = { 0 };
    struct stat info;

    (void)umask(022);
    CHECK_OK(ec_file_write(path_of("g"), "x", 1, &err));
    CHECK_OK(ec_file_write(path_of("g"), "y", 1, &err));
    CHECK(stat(path_of("g"), &info) == 0 && (info.st_mode & 0777) == 0644);
    (void)umask(077);
    CHECK_OK(ec_file_write(path_of("g"), "z", 1, &err));
    CHECK(stat(path_of("g"), &info) == 0 && (info.st_mode & 0777) == 0600);
    CHECK_INT(umask(022), 077);
    (void)unlink(path_of("g"));
    CHECK(rmdir(dir) == 0);
    dir[0] = '\0';
}

TEST(what_could_be_written)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(path_of("i"), "x", 1, &err));
    CHECK_OK(ec_file_can_write(path_of("i"), false, &err));
    CHECK_OK(ec_file_can_write(path_of("new"), false, &err));
    CHECK_OK(ec_file_can_write(path_of("new/"), true, &err));
    CHECK_OK(ec_file_can_write("new", true, &err));
    CHECK_OK(ec_file_can_write(dir, true, &err));
    CHECK_OK(ec_file_can_write("/dev/null", false, &err));
    CHECK_FAILS(ec_file_can_write(dir, false, &err), EC_E_IO, "is a directory");
    CHECK_FAILS(ec_file_can_write(path_of("i"), true, &err), EC_E_IO, "is a file");
    CHECK_FAILS(ec_file_can_write(path_of("i/k"), false, &err), EC_E_NOT_FOUND, "cannot create");
    CHECK_FAILS(ec_file_can_write(path_of("no/k"), true, &err), EC_E_NOT_FOUND, "cannot make");
    CHECK_FAILS(ec_file_can_write("", false, &err), EC_E_INPUT, "is empty");
    CHECK(access(path_of("new"), F_OK) != 0);
    (void)unlink(path_of("i"));
    (void)rmdir(dir);
    dir[0] = '\0';
}

TEST(limits_and_failures)
{
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(path_of("h"), "0123456789", 10, &err));
    CHECK_OK(ec_file_open(path_of("h"), 10, &f, &err));
    ec_file_close(&f);
    CHECK_FAILS(ec_file_open(path_of("h"), 9, &f, &err), EC_E_IO, "limit of 9 B");
    CHECK_FAILS(ec_file_open(path_of("none"), 9, &f, &err), EC_E_NOT_FOUND, "cannot open");
    CHECK_FAILS(ec_file_open("/tmp", 9, &f, &err), EC_E_IO, "is a directory");
    CHECK_FAILS(ec_file_write("/nonexistent/x", "x", 1, &err), EC_E_NOT_FOUND, "cannot create");
    CHECK_FAILS(ec_file_write("/tmp", "x", 1, &err), EC_E_IO, "/tmp");
    CHECK_OK(ec_file_write("/dev/null", "x", 1, &err));
    (void)unlink(path_of("h"));
    (void)rmdir(dir);
    dir[0] = '\0';
}

static void make_socket(const char *path)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)snprintf(name.sun_path, sizeof name.sun_path, "%.100s", path);
    CHECK(bind(fd, (const struct sockaddr *)&name, sizeof name) == 0);
    (void)close(fd);
}

/* Opening a pipe waits for the other end: whoever does so hangs here, and the alarm ends it. */
TEST(what_is_no_file_is_refused_without_waiting)
{
    static const struct {
        const char *name, *kind;
    } rows[] = {
        {"pipe",                "is a pipe"               },
        { "socket",             "is a socket"             },
        { "/dev/zero",          "is a device"             },
        { "/dev/null",          "is a device"             },
        { "/proc/self/environ", "is made up by the kernel"},
        { "/sys/kernel/mm",     "is a directory"          },
    };
    struct ec_err err = { 0 };
    struct ec_file f = { 0 };
    int64_t bytes = 0;
    int i, fd = -1;

    CHECK(mkfifo(path_of("pipe"), 0600) == 0);
    make_socket(path_of("socket"));
    (void)alarm(60);
    for (i = 0; i < EC_LEN(rows); i++) {
        const char *path = *rows[i].name == '/' ? rows[i].name : path_of(rows[i].name);

        CHECK_FAILS(ec_file_open(path, 0, &f, &err), EC_E_IO, rows[i].kind);
        CHECK_FAILS(ec_file_open_read(path, &fd, &bytes, &err), EC_E_IO, rows[i].kind);
        CHECK_FAILS(ec_file_check(path, &err), EC_E_IO, rows[i].kind);
    }
    CHECK_OK(ec_file_open_kernel("/proc/self/status", 1 << 20, &f, &err));
    CHECK(f.len > 0);
    ec_file_close(&f);
    CHECK_FAILS(ec_file_write(path_of("pipe"), "x", 1, &err), EC_E_IO, "cannot open");
    CHECK_FAILS(ec_file_can_write(path_of("pipe"), false, &err), EC_E_IO, "is a pipe");
    CHECK_FAILS(ec_file_can_write(path_of("socket"), false, &err), EC_E_IO, "is a socket");
    CHECK_FAILS(ec_file_open_append(path_of("pipe"), 0, &fd, &err), EC_E_IO, "is a pipe");
    (void)alarm(0);
    (void)unlink(path_of("pipe"));
    (void)unlink(path_of("socket"));
    (void)rmdir(dir);
    dir[0] = '\0';
}

TEST(descriptors_of_the_process_are_read_and_written)
{
    struct ec_err err = { 0 };
    struct ec_file f = { 0 };
    char path[32];
    int ends[2];

    CHECK(pipe(ends) == 0);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    CHECK_OK(ec_file_can_write(path, false, &err));
    CHECK_OK(ec_file_write(path, "through", 7, &err));
    (void)close(ends[1]);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    CHECK_OK(ec_file_open(path, 0, &f, &err));
    CHECK(f.len == 7 && !memcmp(f.data, "through", 7));
    ec_file_close(&f);
    (void)close(ends[0]);
    CHECK_INT(ec_file_descriptor("/dev/stdout"), 1);
    CHECK_INT(ec_file_descriptor("/dev/fd/x"), -1);
    CHECK_INT(ec_file_descriptor("-"), -1);
}

TEST(what_killed_processes_left_does_not_stop_the_next)
{
    struct ec_new_file f = EC_NEW_FILE_INIT;
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(path_of("w.0123456789ab"), "old", 3, &err)); /* as of one killed */
    CHECK_OK(ec_file_write(path_of("w.0123456789abc"), "not ours", 8, &err));
    CHECK_OK(ec_new_file_open(&f, path_of("w"), &err)); /* a name that another writes, too */
    CHECK_INT(n_entries(dir), 3);
    CHECK_OK(ec_file_write(path_of("w"), "whole", 5, &err));
    ec_new_file_close(&f);
    CHECK_INT(n_entries(dir), 3);
    ec_new_file_remove_left(path_of("w"));
    CHECK_INT(n_entries(dir), 2);
    CHECK(access(path_of("w"), F_OK) == 0 && access(path_of("w.0123456789abc"), F_OK) == 0);
    (void)unlink(path_of("w"));
    (void)unlink(path_of("w.0123456789abc"));
    (void)rmdir(dir);
    dir[0] = '\0';
}

/* --- Bytes in place of files --- */

static void hold(const char *name, const char *text)
{
    char *data = ec_alloc(strlen(text) + 1);
    struct ec_err err = { 0 };

    if (data) {
        memcpy(data, text, strlen(text));
        CHECK_OK(ec_file_hold(name, data, strlen(text), &err));
    }
}

static void is_held(const char *name, const char *text)
{
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_open(name, 0, &f, &err));
    CHECK_INT(f.len, strlen(text));
    CHECK(f.data && memcmp(f.data, text, f.len) == 0);
    ec_file_close(&f);
}

TEST(held_bytes_stand_for_a_name)
{
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };
    char name[32];
    int i;

    CHECK_FAILS(ec_file_open("sha256/ab", 0, &f, &err), EC_E_NOT_FOUND, "sha256/ab: cannot open");
    hold("sha256/ab", "bytes");
    is_held("sha256/ab", "bytes");
    hold("sha256/ab", "others");
    is_held("sha256/ab", "others");
    CHECK_FAILS(ec_file_open("sha256/ab", 5, &f, &err), EC_E_IO, "has 6 bytes, at most 5");
    for (i = 1; i < EC_HELD_MAX; i++) {
        (void)snprintf(name, sizeof name, "sha256/%d", i);
        hold(name, name);
    }
    is_held("sha256/ab", "others");
    hold("sha256/one more", "x");
    CHECK_FAILS(ec_file_open("sha256/ab", 0, &f, &err), EC_E_NOT_FOUND, "sha256/ab");
    is_held("sha256/1", "sha256/1");
    is_held("sha256/one more", "x");
}
