/* Bytes that stand for files by name (ec_file_hold), as ec_file_open finds them. */
#ifndef EC_BASE_HELD_H
#define EC_BASE_HELD_H

#include "base/file.h"

#define EC_HELD_MAX 32 /* the oldest makes room */
/* A copy. Errors: NOT_FOUND, without a sentence, where none stand for the name; IO, NOMEM */
enum ec_status ec__file_held(const char *name, size_t max_bytes, struct ec_file *ret,
                             struct ec_err *err) EC_MUST_CHECK;

#endif
