/* Shared by the studies of epochcast study. */
#ifndef EC_STUDY_INTERNAL_H
#define EC_STUDY_INTERNAL_H

#include "base/base.h"
#include "cli/cli.h"
#include "engine/engine.h"
#include "measure/measure.h"
#include "report/report.h"

#include "study_opts.h"

struct ec_study_families {
    const struct ec_strs *dirs; /* of the public tables and of our own measurements */
    int64_t max_rows;           /* of each kind of layer */
    int64_t seed, threads;
};
/* Errors: those of reading the tables; INPUT where one holds too few rows */
enum ec_status ec__study_families(struct ec_call *call, const struct ec_study_families *o,
                                  struct ec_err *err) EC_MUST_CHECK;

/* study_strategy.c */
/* Prints on the first process. Errors: INPUT for one process alone; those of measuring */
enum ec_status ec__study_strategy(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;

#endif
