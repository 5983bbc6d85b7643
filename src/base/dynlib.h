/* Opens optional libraries with many dependencies at run time, when they are first used. So other
 * commands start fast, and only the run-time package of Debian is needed, not the headers. */
#ifndef EC_BASE_DYNLIB_H
#define EC_BASE_DYNLIB_H

#include "base/err.h"
#include "foreign.h"

/* Of a table of foreign.txt: pointers to its functions, and their names. */
#define EC_FOREIGN_MEMBER(member, symbol, result, params) result(*member) params;
#define EC_FOREIGN_SYMBOL(member, symbol, result, params) symbol,

/* Symbols are NULL-terminated. to: the first of as many pointers in a row, NULL for what is
 * missing. The first that is missing; NULL: none */
const char *ec_dynlib_take(void *lib, const char *const *symbols, void *to);
/* The first of the names, NULL-terminated, that opens; it stays open. package: what to install, for
 * the sentence. what: what it is needed for. Errors: UNSUPPORTED, naming what is missing */
enum ec_status ec_dynlib_open(const char *const *names, const char *package, const char *what,
                              const char *const *symbols, void *to,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
