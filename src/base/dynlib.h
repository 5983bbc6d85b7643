/* Opens optional libraries with many dependencies at run time, when they are first used. So other
 * commands start fast, and only the run-time package of Debian is needed, not the headers. */
#ifndef EC_BASE_DYNLIB_H
#define EC_BASE_DYNLIB_H

#include "base/err.h"

/* The first of the names, NULL-terminated, that opens; it stays open. package: what to install, for
 * the sentence. what: what it is needed for. Errors: UNSUPPORTED */
enum ec_status ec_dynlib_open(const char *const *names, const char *package, const char *what,
                              void **ret, struct ec_err *err) EC_MUST_CHECK;
/* Errors: UNSUPPORTED, naming the symbol. to: of a pointer's size */
enum ec_status ec_dynlib_symbol(void *lib, const char *name, void *to,
                                struct ec_err *err) EC_MUST_CHECK;

#endif
