/* Shared by the files that open files. */
#ifndef EC_BASE_FILE_INTERNAL_H
#define EC_BASE_FILE_INTERNAL_H

#include "base/err.h"

#include <sys/types.h>

/* The sentence of errno; `doing` follows "cannot". */
enum ec_status ec__fail_errno(const char *path, const char *doing, struct ec_err *err);

/* "is a pipe, expected a file" */
enum ec_status ec__refuse_kind(const char *path, mode_t mode, struct ec_err *err);

/* What was opened without waiting (O_NONBLOCK) to be written: a file, a character device, or
 * a descriptor of this process; else a refusal. It waits from now on. */
enum ec_status ec__check_output(int fd, const char *path, struct ec_err *err) EC_MUST_CHECK;

#endif
