/* Files read, mapped, written. */
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
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
