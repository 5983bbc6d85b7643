/* One file out of a zip archive that is in memory. */
#ifndef EC_BASE_ZIP_H
#define EC_BASE_ZIP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

bool ec_zip_is(const void *data, size_t len);
/* Unpacks the file of that name.
 * max_bytes  what it may unpack to, whatever the archive says
 * ret        yours, ec_free; NULL: the archive has no such file
 * Errors: PARSE where the archive is damaged or larger; UNSUPPORTED; NOMEM */
enum ec_status ec_zip_get(const void *data, size_t len, const char *name, size_t max_bytes,
                          char **ret, size_t *ret_len, struct ec_err *err) EC_MUST_CHECK;

#endif
