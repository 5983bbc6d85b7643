/* Measured rows of a device for epochcast calibrate: from tables, the store and the command line.
 */
#ifndef EC_CALIBRATE_CMD_INTERNAL_H
#define EC_CALIBRATE_CMD_INTERNAL_H

#include "cli/cli.h"
#include "fit/fit.h"

/* Parses a row, "resnet50 batch=64 precision=amp samples_per_s=812" or the case of an operator with
 * such words. The measurement is in the text, or in samples_per_s or time_ms (0: in the text).
 * Strings of the row live in the arena. Errors: INPUT, NOMEM */
enum ec_status ec__row_of_text(const char *text, const char *device, double samples_per_s,
                               double time_ms, struct ec_arena *a, struct ec_record *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* Reads the rows of the device from tables and folders of them; `given` replaces missing columns,
 * except the device. others: gets the devices of the other rows, each once. Strings live in the
 * arena. */
enum ec_status ec__rows_of_tables(const struct ec_table_given *given, const struct ec_strs *paths,
                                  const struct ec_device *d, struct ec_arena *a,
                                  struct ec_record_list *ret, struct ec_strs *others,
                                  struct ec_err *err) EC_MUST_CHECK;
/* Reads the rows of the device from the store, without those that their source or `data check`
 * flagged. */
enum ec_status ec__rows_of_store(const char *path, const struct ec_device *d, struct ec_arena *a,
                                 struct ec_record_list *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
