/* Writing rows, inside measure. */
#ifndef EC_ROW_FILE_INTERNAL_H
#define EC_ROW_FILE_INTERNAL_H

#include "measure/row_file.h"

#define EC_ROW_KEY_BYTES 17
/* What identifies the row: 16 hex digits. */
enum ec_status ec_row_key(const struct ec_record *r, char ret[EC_ROW_KEY_BYTES],
                          struct ec_err *err) EC_MUST_CHECK;
/* Whether rows of this operator or network are never fitted to: by its name alone. */
bool ec_row_held_out(enum ec_kind kind, const char *what);
bool ec_row_file_has(const struct ec_row_file *f, const char *key);
/* timing        NULL: no samples
 * thread_clock  they are of that clock, not the host's
 * On disk when the call returns. Errors: IO (full disk: what was written of the row is taken back),
 * NOMEM */
enum ec_status ec_row_file_append(struct ec_row_file *f, const struct ec_record *r,
                                  const struct ec_timing *timing, bool thread_clock,
                                  struct ec_err *err) EC_MUST_CHECK;

#endif
