/* Locks between processes: whoever comes second is told who is first, and no lock outlives its
 * process. */
#include "base/file.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/ec-lock-XXXXXX", rows[64];

static void begin(void)
{
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    CHECK(mkdtemp(dir));
    (void)snprintf(rows, sizeof rows, "%s/rows.csv", dir);
}

static void end(void)
{
    char lock[64];

    (void)snprintf(lock, sizeof lock, "%s/.lock", dir);
    (void)unlink(lock);
    (void)unlink(rows);
    CHECK(rmdir(dir) == 0);
}

/* A process that locks the file, or the folder, and holds it; it is there when the call returns. */
static pid_t hold(bool folder, unsigned for_us)
{
    int ready[2], fd = -1;
    char byte = 0;
    pid_t child;

    CHECK(pipe(ready) == 0);
    child = fork();
    if (child == 0) {
        enum ec_status st =
            folder ? ec_folder_lock(dir, &fd, NULL) : ec_file_open_append(rows, 0, &fd, NULL);

        if (st || fd < 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        (void)usleep(for_us);
        _exit(0);
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    (void)close(ready[0]);
    (void)close(ready[1]);
    return child;
}

static void end_process(pid_t child)
{
    (void)kill(child, SIGKILL);
    CHECK(waitpid(child, NULL, 0) == child);
}

TEST(the_second_is_told_who_holds_a_file)
{
    struct ec_err err = { 0 };
    char who[64];
    pid_t child;
    int fd = -1;

    begin();
    child = hold(false, 60000000);
    (void)snprintf(who, sizeof who, "rows.csv: is in use by process %d (", (int)child);
    CHECK_FAILS(ec_file_open_append(rows, 0, &fd, &err), EC_E_IO, who);
    CHECK_HAS(err.text, "test-base-file_lock");
    end_process(child);
    CHECK_OK(ec_file_open_append(rows, 0, &fd, &err)); /* the lock died with its process */
    (void)close(fd);
    end();
}

TEST(the_second_is_told_who_holds_a_folder)
{
    struct ec_err err = { 0 };
    char who[64];
    pid_t child;
    int fd = -1;

    begin();
    child = hold(true, 60000000);
    (void)snprintf(who, sizeof who, "%s: is in use by process %d (", dir, (int)child);
    CHECK_FAILS(ec_folder_lock(dir, &fd, &err), EC_E_IO, who);
    end_process(child);
    CHECK_OK(ec_folder_lock(dir, &fd, &err));
    CHECK(fd >= 0);
    (void)close(fd);
    end();
}

TEST(whoever_waits_gets_it)
{
    struct ec_err err = { 0 };
    pid_t child;
    int fd = -1;

    begin();
    child = hold(false, 100000);
    CHECK_OK(ec_file_open_append(rows, 60000, &fd, &err));
    (void)close(fd);
    CHECK(waitpid(child, NULL, 0) == child);
    end();
}

TEST(a_file_twice_in_one_process)
{
    struct ec_err err = { 0 };
    int first = -1, second = -1;

    begin();
    CHECK_OK(ec_file_open_append(rows, 0, &first, &err));
    CHECK_FAILS(ec_file_open_append(rows, 0, &second, &err), EC_E_IO, "this process already");
    (void)close(first);
    CHECK_OK(ec_file_open_append(rows, 0, &second, &err));
    (void)close(second);
    end();
}

TEST(devices_are_nobodys)
{
    struct ec_err err = { 0 };
    int first = -1, second = -1;

    CHECK_OK(ec_file_open_append("/dev/null", 0, &first, &err));
    CHECK_OK(ec_file_open_append("/dev/null", 0, &second, &err));
    (void)close(first);
    (void)close(second);
}
