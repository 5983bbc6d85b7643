/* Libraries that few need and that bring many others along: opened when first used, so that every
 * other command starts fast and nothing but Debian's run-time package is needed. */
#ifndef EC_DYNLIB_INTERNAL_H
#define EC_DYNLIB_INTERNAL_H

#include "base/base.h"

/* The first of the names, NULL-terminated, that opens; it stays open. package: what to install, for
 * the sentence. what: what it is needed for. Errors: UNSUPPORTED */
enum ec_status ec__dynlib_open(const char *const *names, const char *package, const char *what,
                               void **ret, struct ec_err *err) EC_MUST_CHECK;
/* Errors: UNSUPPORTED, naming the symbol. to: of a pointer's size */
enum ec_status ec__dynlib_symbol(void *lib, const char *name, void *to,
                                 struct ec_err *err) EC_MUST_CHECK;

#endif
