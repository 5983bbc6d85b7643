/* Gives up what a process does not need, before it reads what others wrote. */
#ifndef EC_BASE_SANDBOX_H
#define EC_BASE_SANDBOX_H

#include "base/err.h"

#include <stdbool.h>

/* What can be given up, and by which means of the kernel. Old kernels and some containers lack the
 * last three. */
enum ec_sandbox_part {
    EC_SANDBOX_LIMITS = 1 << 0,  /* no core dumps, few open files (setrlimit) */
    EC_SANDBOX_RIGHTS = 1 << 1,  /* programs that are started gain no rights (no_new_privs) */
    EC_SANDBOX_FILES = 1 << 2,   /* files are read, and only those allowed (landlock) */
    EC_SANDBOX_NETWORK = 1 << 3, /* no TCP connections (landlock) */
    EC_SANDBOX_CALLS = 1 << 4,   /* no processes, sockets, changes of files ... (seccomp) */
    EC_SANDBOX_ALL = (1 << 5) - 1
};

struct ec_sandbox_opts {
    /* Folders and files that may be read, NULL ends; NULL: none. What is open stays open. */
    const char *const *read_beneath;
    int open_files_max; /* 0: as it is */
    bool require;       /* an error if a part is missing */
};

/* Call it before threads are started: landlock holds for the calling thread and those that it
 * starts. It cannot be undone. Afterwards only reading files, memory, threads, and input and output
 * on what is open are left; the rest fails with EPERM or EACCES. ret_parts: what was given up, of
 * enum ec_sandbox_part; may be NULL. Errors: NOT_FOUND, IO (a path cannot be opened); with
 * `require` UNSUPPORTED. */
enum ec_status ec_sandbox_enter(const struct ec_sandbox_opts *o, unsigned *ret_parts,
                                struct ec_err *err) EC_MUST_CHECK;

#endif
