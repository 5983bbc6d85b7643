/* What is left of memory, by recorded files and by limits set on this process. */
#include "test.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB ((int64_t)1 << 20)

struct file {
    const char *path, *text;
};

static const struct file nothing[] = {
    {NULL, NULL},
};

/* A folder with these files. */
static const char *folder_with(const struct file *files)
{
    static char root[] = "/tmp/ec-headroom-XXXXXX";
    static bool made;
    char path[512], *slash;
    int i;

    if (!made && !mkdtemp(root))
        abort();
    made = true;
    for (i = 0; files[i].path; i++) {
        FILE *f;

        (void)snprintf(path, sizeof path, "%s%s", root, files[i].path);
        for (slash = strchr(path + sizeof root - 1, '/'); slash; slash = strchr(slash + 1, '/')) {
            *slash = '\0';
            (void)mkdir(path, 0700);
            *slash = '/';
        }
        f = fopen(path, "we");
        CHECK(f && fputs(files[i].text, f) >= 0);
        if (f)
            (void)fclose(f);
    }
    return root;
}

static void remove_files(const struct file *files)
{
    const char *root = folder_with((const struct file[]){
        {NULL, NULL}
    });
    char path[512], *slash;
    int i;

    for (i = 0; files[i].path; i++) {
        (void)snprintf(path, sizeof path, "%s%s", root, files[i].path);
        (void)remove(path);
    }
    for (i = 0; files[i].path; i++) {
        (void)snprintf(path, sizeof path, "%s%s", root, files[i].path);
        while ((slash = strrchr(path, '/')) && (size_t)(slash - path) >= strlen(root)) {
            *slash = '\0';
            (void)rmdir(path); /* where another file lies: later */
        }
    }
}

static void check_left(const struct file *files, const char *limit, int64_t left_mib,
                       int64_t limit_mib)
{
    struct ec_headroom r;

    ec_headroom_find(folder_with(files), &r);
    CHECK(limit ? r.limit && strstr(r.limit, limit) : !r.limit);
    CHECK_INT(r.left_bytes, left_mib * MIB);
    CHECK_INT(r.limit_bytes, limit_mib * MIB);
    remove_files(files);
}

/* clang-format off */
static const struct file machine[] = {
    { "/proc/meminfo", "MemTotal:       8192 kB\nMemFree: 12 kB\nMemAvailable:   4096 kB\n"
                       "SwapTotal:      2048 kB\nSwapFree:       1024 kB\n" },
    { "/proc/self/cgroup", "0::/\n" },
    { NULL, NULL },
};

/* The group `job` has 100 MiB and uses 80, of which 30 are files. */
static const struct file groups[] = {
    { "/proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n" },
    { "/proc/self/cgroup", "12:cpu:/x\n0::/job/step\n" },
    { "/sys/fs/cgroup/memory.max", "max\n" },
    { "/sys/fs/cgroup/memory.current", "1048576\n" },
    { "/sys/fs/cgroup/job/memory.max", "104857600\n" },
    { "/sys/fs/cgroup/job/memory.current", "83886080\n" },
    { "/sys/fs/cgroup/job/memory.stat",
      "anon 52428800\nfile 31457280\ninactive_file 20971520\nactive_file 10485760\n" },
    { "/sys/fs/cgroup/job/step/memory.max", "1073741824\n" },
    { "/sys/fs/cgroup/job/step/memory.current", "0\n" },
    { NULL, NULL },
};

static const struct file full_group[] = {
    { "/sys/fs/cgroup/memory.max", "1048576\n" },
    { "/sys/fs/cgroup/memory.current", "2097152\n" },
    { NULL, NULL },
};

static const struct file nonsense[] = {
    { "/proc/meminfo", "MemAvailable\nMemAvailable: many kB\nMemAvailable: -5 kB\n" },
    { "/proc/self/cgroup", "0::\n0::/../../x\n\n::::\n" },
    { "/sys/fs/cgroup/memory.max", "99999999999999999999\n" },
    { "/sys/fs/cgroup/memory.current", "" },
    { NULL, NULL },
};

/* clang-format on */

TEST(the_machine_limits_where_nothing_else_does)
{
    check_left(machine, "machine", 5, 10);
}

TEST(the_tightest_group_on_the_way_up_limits)
{
    check_left(groups, "cgroup", 50, 100);
}

TEST(a_group_over_its_limit_leaves_nothing)
{
    check_left(full_group, "cgroup", 0, 1);
}

TEST(what_cannot_be_read_is_no_limit)
{
    check_left(nothing, NULL, 0, 0);
    check_left(nonsense, NULL, 0, 0);
}

TEST(this_machine_has_some)
{
    struct ec_headroom r;

    ec_headroom_find("", &r);
    CHECK(r.limit && r.limit_bytes > 0 && r.left_bytes <= r.limit_bytes);
    CHECK(ec_resident_bytes() > 100000);
}

TEST(a_limit_of_address_space_is_told)
{
    struct rlimit before, tight;
    struct ec_err err = { 0 };

    CHECK_OK(ec_headroom_spare("all", INT64_MAX / 4, &err)); /* none is set */
    if (getrlimit(RLIMIT_AS, &before) || before.rlim_cur != RLIM_INFINITY)
        return;
    tight = before;
    tight.rlim_cur = 1;
    CHECK_INT(setrlimit(RLIMIT_AS, &tight), 0);
    CHECK_INT(ec_headroom_spare("the network", 5 * MIB, &err), EC_E_DEVICE_MEMORY);
    CHECK_INT(setrlimit(RLIMIT_AS, &before), 0);
    CHECK_STR(err.text, "the network needs 5.00 MiB of memory, but 0 B are left of 1 B, the limit "
                        "of address space (ulimit -v)");
}
