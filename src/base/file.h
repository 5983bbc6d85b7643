/* Files beside other programs: what is no file is refused, what is appended to is locked, what is
 * replaced is replaced as a whole. */
#ifndef EC_BASE_FILE_H
#define EC_BASE_FILE_H

#include "base/err.h"
#include "base/io.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Kinds of files --- */

/* The descriptor of this process that a path names: /dev/stdin, /dev/stdout, /dev/stderr,
 * /dev/fd/N. -1: the path names a file. */
int ec_file_descriptor(const char *path);

bool ec_is_folder(const char *path); /* false where nothing is */

/* Opens a file for reading. A directory, pipe, device or socket, and what the kernel makes up
 * (/proc, /sys), is refused, without waiting for whoever is at its other end. Errors: NOT_FOUND, IO
 */
enum ec_status ec_file_open_read(const char *path, int *ret_fd, int64_t *ret_bytes,
                                 struct ec_err *err) EC_MUST_CHECK;
/* The same question for libraries that open by name. What is not there is fine: they say so. */
enum ec_status ec_file_check(const char *path, struct ec_err *err) EC_MUST_CHECK;

/* As ec_file_open, of files that the kernel makes up: for the prober of the machine. */
enum ec_status ec_file_open_kernel(const char *path, size_t max_bytes, struct ec_file *ret,
                                   struct ec_err *err) EC_MUST_CHECK;

/* The name stands for these bytes from now on, before any file: what a page handed over, or a
 * client sent. Takes data, unless it fails. Errors: INPUT (a name beyond 255 bytes) */
enum ec_status ec_file_hold(const char *name, void *data, size_t len,
                            struct ec_err *err) EC_MUST_CHECK;

/* --- Locks --- */

/* A lock is against other processes, and ends with the descriptor, so with the process too, however
 * it ends. Of a device nothing is locked, nor where the file system knows no locks. */

/* Opens a file to read and append, made when it is not there, and locks it. wait_ms: how long to
 * wait for another to end. Errors: NOT_FOUND; IO, with the process that holds it */
enum ec_status ec_file_open_append(const char *path, int wait_ms, int *ret_fd,
                                   struct ec_err *err) EC_MUST_CHECK;
/* Locks a folder by the file ".lock" in it, which stays. The caller closes the descriptor; -1 where
 * nothing may be written. Errors: IO */
enum ec_status ec_folder_lock(const char *folder, int *ret_fd, struct ec_err *err) EC_MUST_CHECK;

/* --- Replacing a file --- */

/* Written under a name of its own beside `path`, whose place it takes when it is whole. */
struct ec_new_file {
    const char *path; /* borrowed */
    int fd;           /* -1: none is open */
    char temporary[PATH_MAX];
};
#define EC_NEW_FILE_INIT                                                                           \
    {                                                                                              \
        NULL, -1, ""                                                                               \
    }

/* Errors: NOT_FOUND, IO */
enum ec_status ec_new_file_open(struct ec_new_file *f, const char *path,
                                struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_new_file_put(struct ec_new_file *f, const void *data, size_t len,
                               struct ec_err *err) EC_MUST_CHECK;
/* Over what was put already. */
enum ec_status ec_new_file_put_at(struct ec_new_file *f, int64_t at, const void *data, size_t len,
                                  struct ec_err *err) EC_MUST_CHECK;
/* Takes the place of the file, on disk before the call returns. Errors: IO */
enum ec_status ec_new_file_commit(struct ec_new_file *f, struct ec_err *err) EC_MUST_CHECK;
/* Removes what was not committed; nothing after a commit. */
void ec_new_file_close(struct ec_new_file *f);
/* Removes what killed processes left of replacements of `path`. The caller holds a lock, so that
 * nobody else is replacing it. */
void ec_new_file_remove_left(const char *path);

#endif
