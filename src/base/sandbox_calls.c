/* A seccomp filter of system calls. It is a list of what is denied, not of what is allowed: C
 * libraries, sanitizers and valgrind differ in the harmless calls that they make. Calls that are
 * newer than this list are answered as by an old kernel. */
#include "base/sandbox_internal.h"

#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "denied.h"

#if defined(__x86_64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

/* Since 5.1 a number means the same on every architecture. Headers may be older than the kernel. */
enum {
    NR_pidfd_send_signal = 424,
    NR_io_uring_setup,
    NR_io_uring_enter,
    NR_io_uring_register,
    NR_open_tree,
    NR_move_mount,
    NR_fsopen,
    NR_fsconfig,
    NR_fsmount,
    NR_fspick,
    NR_pidfd_open,
    NR_clone3,
    NR_openat2 = 437,
    NR_pidfd_getfd,
    NR_process_madvise = 440,
    NR_mount_setattr = 442,
    NR_quotactl_fd,
    NR_memfd_secret = 447,
    NR_process_mrelease,
    NR_fchmodat2 = 452,
    NR_last_known = 456, /* futex_requeue, of 6.7 */
};

/* clang-format off */
#define CALL(number) number,
static const int denied[] = {
    DENIED(CALL)
#if !EC__SANITIZED
    DENIED_UNSANITIZED(CALL)
#endif
#ifdef SYS_renameat
    DENIED_RENAMEAT(CALL)
#endif
#ifdef SYS_open
    DENIED_OLD(CALL)
#endif
#ifdef __x86_64__
    DENIED_X86_64(CALL)
#endif
};
/* clang-format on */

#define CODE_MAX 512

struct filter {
    struct sock_filter code[CODE_MAX];
    int n;
};

static void add(struct filter *f, uint16_t op, uint32_t k, uint8_t if_true, uint8_t if_false)
{
    assert(f->n < CODE_MAX);
    f->code[f->n++] = (struct sock_filter){ op, if_true, if_false, k };
}

static void load(struct filter *f, size_t offset)
{
    add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct filter *f, int error)
{
    add(f, BPF_RET | BPF_K, error ? SECCOMP_RET_ERRNO | (uint32_t)error : SECCOMP_RET_ALLOW, 0, 0);
}

static void deny(struct filter *f, int number, int error)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    answer(f, error);
}

/* Denies a call by the lower half of an argument, else allows it. test: BPF_JSET or BPF_JEQ */
static void deny_argument(struct filter *f, int number, int argument, uint16_t test, uint32_t value,
                          bool denied_if)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
    load(f, offsetof(struct seccomp_data, args) + (size_t)argument * sizeof(uint64_t));
    add(f, (uint16_t)(BPF_JMP | BPF_K | test), value, denied_if ? 0 : 1, denied_if ? 1 : 0);
    answer(f, EPERM);
    load(f, offsetof(struct seccomp_data, nr));
}

static void deny_opening(struct filter *f, bool no_files)
{
    const uint32_t writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

    deny(f, NR_openat2, ENOSYS); /* its flags are in memory, which a filter cannot read */
    if (no_files && !EC__SANITIZED) {
        deny(f, SYS_openat, EACCES);
#ifdef SYS_open
        deny(f, SYS_open, EACCES);
#endif
        return;
    }
    deny_argument(f, SYS_openat, 2, BPF_JSET, writes, true);
#ifdef SYS_open
    deny_argument(f, SYS_open, 1, BPF_JSET, writes, true);
#endif
}

static void build(struct filter *f, bool no_files)
{
    int i;

    load(f, offsetof(struct seccomp_data, arch));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    answer(f, EPERM);
    load(f, offsetof(struct seccomp_data, nr));
    add(f, BPF_JMP | BPF_JGT | BPF_K, NR_last_known, 0, 1);
    answer(f, ENOSYS);
    for (i = 0; i < EC_LEN(denied); i++)
        deny(f, denied[i], EPERM);
    deny_opening(f, no_files);
    if (!EC__SANITIZED) {
        deny(f, NR_clone3, ENOSYS); /* as openat2; C libraries then call clone */
        deny_argument(f, SYS_clone, 0, BPF_JSET, CLONE_THREAD, false);
    }
    /* what is typed into a terminal for others to run */
    deny_argument(f, SYS_ioctl, 1, BPF_JEQ, TIOCSTI, true);
    deny_argument(f, SYS_ioctl, 1, BPF_JEQ, TIOCLINUX, true);
    answer(f, 0);
}

bool ec__sandbox_calls(bool no_files)
{
    struct filter f = { .n = 0 };
    struct sock_fprog program;

    build(&f, no_files);
    program = (struct sock_fprog){ .len = (unsigned short)f.n, .filter = f.code };
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

bool ec__sandbox_calls(bool no_files)
{
    (void)no_files;
    return false;
}

#endif
