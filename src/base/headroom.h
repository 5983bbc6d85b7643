/* How much memory is left for this process, by what limits it. */
#ifndef EC_BASE_HEADROOM_H
#define EC_BASE_HEADROOM_H

#include "base/err.h"

#include <stdint.h>

struct ec_headroom {
    int64_t left_bytes, limit_bytes;
    const char *limit; /* its name; NULL: no limit is known */
};

/* The tightest limit: of address space and data (setrlimit), of the groups of processes around this
 * one (cgroup version 2), of the machine (what is available and free swap). Allocates nothing.
 * root  "": this machine; a folder with recorded files for tests, where setrlimit is left out */
void ec_headroom_find(const char *root, struct ec_headroom *ret);

/* Whether `bytes` are left by every limit. what: begins the sentence, "the network".
 * Errors: DEVICE_MEMORY */
enum ec_status ec_headroom_check(const char *what, int64_t bytes, struct ec_err *err) EC_MUST_CHECK;
/* The same by setrlimit alone, whose limits make allocations fail; two system calls where there are
 * none. For what is taken beside that, of stacks and libraries. Errors: DEVICE_MEMORY */
enum ec_status ec_headroom_spare(const char *what, int64_t bytes, struct ec_err *err) EC_MUST_CHECK;

/* Memory of the process that is there now; 0: not known. */
int64_t ec_resident_bytes(void);

#endif
