/* Shared by the parts of `epochcast fit`: its options, and what does the work. */
#ifndef EC_FIT_CMD_INTERNAL_H
#define EC_FIT_CMD_INTERNAL_H

#include "cli/cli.h"
#include "fit/fit.h"
#include "report/report.h"

#include "fit_opts.h"

/* fit_tables.c */
enum ec_status ec__fit_compare(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fit_table(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
/* fit_model.c: models that were saved */
enum ec_status ec__fit_describe(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fit_predict(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
/* Writes a table in the chosen format. */
enum ec_status ec__fit_print(struct ec_call *call, const struct ec_table *t, const char *schema,
                             const char *key, struct ec_err *err) EC_MUST_CHECK;

#endif
