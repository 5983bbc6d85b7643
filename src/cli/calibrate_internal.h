/* Measured rows of a device for epochcast calibrate: from tables, the store and the command line.
 */
#ifndef EC_CALIBRATE_CMD_INTERNAL_H
#define EC_CALIBRATE_CMD_INTERNAL_H

#include "cli/cli.h"
#include "fit/fit.h"

/* A row in words, "resnet50 batch=64 precision=amp samples_per_s=812" or a case of an operator with
 * the same words; its measurement may be in the text or be given apart, as samples per second or in
 * milliseconds (0: in the text). Texts go to the arena. Errors: INPUT, NOMEM */
enum ec_status ec__row_of_text(const char *text, const char *device, double samples_per_s,
                               double time_ms, struct ec_arena *a, struct ec_record *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* Rows of the device in a table, given what it leaves out but the device; texts go to the arena. */
enum ec_status ec__rows_of_table(const struct ec_table_given *table, const struct ec_device *d,
                                 struct ec_arena *a, struct ec_record_list *ret,
                                 struct ec_err *err) EC_MUST_CHECK;
/* Rows of the device in the store, but for those that the source or `data check` flags. */
enum ec_status ec__rows_of_store(const char *path, const struct ec_device *d, struct ec_arena *a,
                                 struct ec_record_list *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
