/* Measurement files: docs/measurement-format.md. Rows are appended one by one and never changed, so
 * that a process killed at any moment loses at most the row it was writing. */
#ifndef EC_ROW_FILE_H
#define EC_ROW_FILE_H

#include "measure/protocol.h"

struct ec_row_file;
/* The file, made with its header when it is not there. A torn last line is cut off.
 * Errors: IO; PARSE when it holds another table; NOMEM */
enum ec_status ec_row_file_open(const char *path, struct ec_row_file **ret,
                                struct ec_err *err) EC_MUST_CHECK;
void ec_row_file_close(struct ec_row_file *f);
int64_t ec_row_file_rows(const struct ec_row_file *f); /* that were there when it was opened */

#endif
