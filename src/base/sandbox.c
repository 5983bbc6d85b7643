/* Gives up rights step by step; each kernel has its share of the steps. */
#include "base/sandbox.h"

#include "base/sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Landlock, as in <linux/landlock.h>: headers may be older than the kernel. The numbers of these
 * calls are the same on every architecture. */
enum { NR_create_ruleset = 444, NR_add_rule, NR_restrict_self };
enum { ASK_VERSION = 1, RULE_PATH_BENEATH = 1 };
enum {
    LL_EXECUTE = 1 << 0,
    LL_WRITE_FILE = 1 << 1,
    LL_READ_FILE = 1 << 2,
    LL_READ_DIR = 1 << 3,
    LL_SINCE_1 = (1 << 13) - 1, /* with removing and making files of every kind */
    LL_REFER = 1 << 13,         /* version 2 */
    LL_TRUNCATE = 1 << 14,      /* 3 */
    LL_IOCTL_DEVICE = 1 << 15,  /* 5 */
};
enum { LL_NETWORK_SINCE = 4, LL_TCP = 3 };        /* bind, connect */
enum { LL_SCOPE_SINCE = 6, LL_SCOPE_OTHERS = 3 }; /* abstract sockets, signals of others */

struct ruleset {
    uint64_t files, network, scope;
};

struct path_rule {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

bool ec__files_denied;

static bool set_limits(int open_files_max)
{
    struct rlimit none = { 0, 0 }, files;

    if (setrlimit(RLIMIT_CORE, &none))
        return false;
    if (!open_files_max)
        return true;
    if (getrlimit(RLIMIT_NOFILE, &files))
        return false;
    if (files.rlim_cur > (rlim_t)open_files_max)
        files.rlim_cur = (rlim_t)open_files_max;
    files.rlim_max = files.rlim_cur;
    return setrlimit(RLIMIT_NOFILE, &files) == 0;
}

/* The kernel's version of landlock; 0: none. */
static int landlock_version(void)
{
    long version = syscall(NR_create_ruleset, NULL, (size_t)0, ASK_VERSION);

    return version > 0 ? (int)version : 0;
}

static int new_ruleset(int version)
{
    struct ruleset r = { .files = LL_SINCE_1, .network = LL_TCP, .scope = LL_SCOPE_OTHERS };
    size_t size = sizeof r.files;

    r.files |= (version >= 2 ? LL_REFER : 0U) | (version >= 3 ? LL_TRUNCATE : 0U) |
               (version >= 5 ? LL_IOCTL_DEVICE : 0U);
    if (version >= LL_NETWORK_SINCE)
        size += sizeof r.network;
    if (version >= LL_SCOPE_SINCE)
        size += sizeof r.scope;
    return (int)syscall(NR_create_ruleset, &r, size, 0);
}

static enum ec_status allow_reading(int rules, const char *path, struct ec_err *err)
{
    struct path_rule rule = { LL_READ_FILE | LL_READ_DIR, -1 };
    enum ec_status st = EC_OK;

    rule.folder = open(path, O_PATH | O_CLOEXEC);
    if (rule.folder < 0)
        return ec_fail(err, errno == ENOENT ? EC_E_NOT_FOUND : EC_E_IO, "%s: cannot open: %s", path,
                       strerror(errno));
    if (syscall(NR_add_rule, rules, RULE_PATH_BENEATH, &rule, 0)) {
        rule.allowed = LL_READ_FILE; /* a file: it has no entries to read */
        if (syscall(NR_add_rule, rules, RULE_PATH_BENEATH, &rule, 0))
            st = ec_fail(err, EC_E_IO, "%s: cannot allow to read it: %s", path, strerror(errno));
    }
    (void)close(rule.folder);
    return st;
}

static enum ec_status restrict_files(const char *const *read_beneath, unsigned *parts,
                                     struct ec_err *err)
{
    int version = landlock_version(), rules = version ? new_ruleset(version) : -1;
    enum ec_status st = EC_OK;

    if (rules < 0)
        return EC_OK;
    for (; read_beneath && *read_beneath; read_beneath++)
        EC_TRY(allow_reading(rules, *read_beneath, err));
    if (EC__SANITIZED)
        EC_TRY(allow_reading(rules, "/proc", err));
    if (syscall(NR_restrict_self, rules, 0) == 0)
        *parts |=
            EC_SANDBOX_FILES | (version >= LL_NETWORK_SINCE ? (unsigned)EC_SANDBOX_NETWORK : 0U);
out:
    (void)close(rules);
    return st;
}

static enum ec_status fail_missing(unsigned parts, struct ec_err *err)
{
    return ec_fail(err, EC_E_UNSUPPORTED, "this kernel cannot confine the process:%s%s%s%s%s",
                   parts & EC_SANDBOX_LIMITS ? "" : " setrlimit fails;",
                   parts & EC_SANDBOX_RIGHTS ? "" : " no_new_privs fails;",
                   parts & EC_SANDBOX_FILES ? "" : " no landlock for files (Linux 5.13);",
                   parts & EC_SANDBOX_NETWORK ? "" : " no landlock for TCP (Linux 6.7);",
                   parts & EC_SANDBOX_CALLS ? "" : " no filter of system calls (seccomp);");
}

enum ec_status ec_sandbox_enter(const struct ec_sandbox_opts *o, unsigned *ret_parts,
                                struct ec_err *err)
{
    unsigned parts = 0;

    if (set_limits(o->open_files_max))
        parts |= EC_SANDBOX_LIMITS;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        parts |= EC_SANDBOX_RIGHTS; /* the next two need it */
    EC_PASS(restrict_files(o->read_beneath, &parts, err));
    if (ec__sandbox_calls(!o->read_beneath))
        parts |= EC_SANDBOX_CALLS;
    if (o->require && parts != EC_SANDBOX_ALL)
        EC_PASS(fail_missing(parts, err));
    if (ret_parts)
        *ret_parts = parts;
    ec__files_denied = parts & (EC_SANDBOX_FILES | EC_SANDBOX_CALLS);
    return EC_OK;
}
