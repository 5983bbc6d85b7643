/* The parts of `epochcast measure`. */
#ifndef EC_CLI_MEASURE_INTERNAL_H
#define EC_CLI_MEASURE_INTERNAL_H

#include "cli/cli.h"
#include "measure/measure.h"

#include "measure_opts.h"

extern const char *const ec__measure_clocks[]; /* words of --clock */

/* measure_campaign.c */

struct ec__measure_shown { /* progress: one line that is rewritten on a terminal */
    bool terminal;
    int tenth;
    int64_t last_ns; /* when an iteration was shown last */
};
/* Shows an iteration on a terminal, a few times a second; user: struct ec__measure_shown */
void ec__measure_show_iteration(void *user, const struct ec_record *row, int64_t done,
                                int64_t total, double ns);
/* Sets what all campaigns take from the options: seed, shard, budget, progress. Errors: INPUT for a
 * wrong --shard */
enum ec_status ec__measure_campaign(const struct measure_opts *o, struct ec__measure_shown *shown,
                                    struct ec_campaign *ret, struct ec_err *err) EC_MUST_CHECK;
/* Runs the campaign until it is done, interrupted or out of time, and prints which.
 * path  file of the rows, for the message */
enum ec_status ec__measure_run(struct ec_call *call, struct ec_measurer *m,
                               const struct ec_campaign *c, const char *path,
                               struct ec_err *err) EC_MUST_CHECK;

/* measure_ddp.c */
enum ec_status ec__measure_ddp(struct ec_call *call, const struct measure_opts *o,
                               struct ec_err *err) EC_MUST_CHECK;
/* measure_grid.c */
enum ec_status ec__measure_grid(struct ec_call *call, const struct measure_opts *o,
                                struct ec_err *err) EC_MUST_CHECK;

/* measure_open.c
 *
 * Opens backend, file and machine record, and sets the columns that all rows share;
 * ec__measure_engine does the same without the file. Strings live in the call's arena. Errors:
 * INPUT for a file with rows without --resume; those of ec_engine_open; IO; NOMEM */
enum ec_status ec__measure_engine(struct ec_call *call, const struct measure_opts *o,
                                  struct ec_measurer *ret, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__measure_open(struct ec_call *call, const struct measure_opts *o,
                                struct ec_measurer *ret, struct ec_err *err) EC_MUST_CHECK;
void ec__measure_close(struct ec_measurer *m);
/* Imports the file into the store of --store, if given. */
enum ec_status ec__measure_import(struct ec_call *call, const struct measure_opts *o,
                                  const char *path, struct ec_err *err) EC_MUST_CHECK;

#endif
