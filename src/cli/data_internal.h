/* Shared by the files of `epochcast data`. */
#ifndef EC_DATA_INTERNAL_H
#define EC_DATA_INTERNAL_H

#include "cli/cli.h"
#include "store/store.h"

/* Prints one measurement as text, with all its columns. */
enum ec_status ec__data_show(struct ec_call *call, struct ec_store *s, const struct ec_stored *row,
                             bool markdown, struct ec_err *err) EC_MUST_CHECK;

/* Lists the built-in mappings, or prints the text of the named ones. */
enum ec_status ec__data_mappings(struct ec_call *call, const struct ec_strs *names,
                                 struct ec_err *err) EC_MUST_CHECK;

#endif
