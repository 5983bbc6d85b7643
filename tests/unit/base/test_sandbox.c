/* What a process can no longer do in the sandbox. */
#include "test.h"

#include "base/sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *unused)
{
    return unused;
}

static bool denied(long result)
{
    return result < 0 && (errno == EPERM || errno == EACCES);
}

/* The first of the attempts that ends as it must not, 0: none. */
static int attempts(unsigned parts, const char *writable)
{
    char *const words[] = { (char *)"true", NULL };
    struct rlimit core = { 1, 1 }, files = { 1, 1 };
    pthread_t thread;

    if (parts & EC_SANDBOX_FILES && !denied(open("/etc/passwd", O_RDONLY)))
        return 1; /* not beneath the folders that may be read */
    if (open(writable, O_RDONLY) < 0)
        return 2;
    if (pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
        return 3;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 || getrlimit(RLIMIT_CORE, &core) ||
        core.rlim_max || getrlimit(RLIMIT_NOFILE, &files) || files.rlim_max > 32)
        return 11;
    if (!(parts & EC_SANDBOX_CALLS))
        return 0;
    if (!denied(open(writable, O_WRONLY)) || !denied(open("/tmp/new", O_CREAT | O_WRONLY, 0600)))
        return 4;
    if (!denied(open(writable, O_RDONLY | O_TRUNC)) || !denied(truncate(writable, 0)) ||
        !denied(mkdir("/tmp/new", 0700)) || !denied(symlink("/etc/passwd", "/tmp/new")) ||
        !denied(chmod(writable, 0777)))
        return 10;
    if (!denied(unlink(writable)) || !denied(rename(writable, "/tmp/new")))
        return 5;
    if (!denied(execv("/bin/true", words)))
        return 6;
    if (!denied(socket(AF_INET, SOCK_STREAM, 0)) || !denied(connect(0, NULL, 0)))
        return 7;
    if (!denied(kill(getppid(), 0)))
        return 8;
    return !EC__SANITIZED && !denied(fork()) ? 9 : 0;
}

static int in_sandbox(const char *writable)
{
    const char *const beneath[] = { writable, NULL };
    struct ec_sandbox_opts opts = { beneath, 32, false };
    struct ec_err err = { 0 };
    unsigned parts = 0;

    if (ec_sandbox_enter(&opts, &parts, &err))
        return 100;
    return !(parts & EC_SANDBOX_LIMITS) || !(parts & EC_SANDBOX_RIGHTS) ? 101
                                                                        : attempts(parts, writable);
}

TEST(rights_are_given_up)
{
    char path[] = "/tmp/epochcast-sandbox-XXXXXX";
    int fd = mkstemp(path), status = -1;
    pid_t child;

    CHECK(fd >= 0);
    (void)close(fd);
    child = fork();
    if (child == 0)
        _exit(in_sandbox(path));
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 0);
    CHECK(unlink(path) == 0);
}

TEST(a_folder_that_is_missing_is_named)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        static const char *const beneath[] = { "/nowhere", NULL };
        struct ec_sandbox_opts opts = { beneath, 0, false };
        struct ec_err err = { 0 };
        unsigned parts = 0;
        enum ec_status st = ec_sandbox_enter(&opts, &parts, &err);

        _exit(st ? !strstr(err.text, "/nowhere") : (parts & EC_SANDBOX_FILES) != 0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 0);
}
