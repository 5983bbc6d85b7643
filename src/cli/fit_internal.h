/* Shared by the parts of `epochcast fit`: its options, and which action takes which. */
#ifndef EC_FIT_CMD_INTERNAL_H
#define EC_FIT_CMD_INTERNAL_H

#include "cli/cli.h"
#include "predict/predict.h"
#include "report/report.h"

struct fit_cmd_opts {
    const char *action, *dir;
    /* constants */
    const char *measured, *out, *errors, *learned;
    int64_t max_rows, iterations;
    bool quick, ship, provenance;
    /* comparisons */
    struct ec_compare_opts compare;
    /* tables */
    struct ec_grid_opts grid;
    const char *rows;
    /* all */
    int64_t seed, threads;
    bool json, csv, markdown;
};

/* X(action, what the user writes) */
#define EC_FIT_ACTION_LIST(X)                                                                      \
    X(PHYSICS, "fit physics")                                                                      \
    X(SHIP, "fit --ship")                                                                          \
    X(DOMAIN, "fit domain")                                                                        \
    X(PARALLEL, "fit parallel")                                                                    \
    X(COMPARE, "fit --op")                                                                         \
    X(TABLE, "fit --table")                                                                        \
    X(DESCRIBE, "fit describe")                                                                    \
    X(PREDICT, "fit predict")                                                                      \
    X(PROVENANCE, "fit --provenance")
enum ec__fit_action {
#define EC_FIT_ACTION_ENUM(action, text) EC_FIT_##action,
    EC_FIT_ACTION_LIST(EC_FIT_ACTION_ENUM)
#undef EC_FIT_ACTION_ENUM
        EC_FIT_ACTION_COUNT
};
/* fit_options.c: refuses what the action would not look at. Errors: INPUT, wrong usage */
enum ec_status ec__fit_check_options(struct ec_call *call, enum ec__fit_action action,
                                     struct ec_err *err) EC_MUST_CHECK;
/* The actions that take an option, a bit each; 0: there is no such option. */
unsigned ec__fit_actions_of(const char *option);

/* fit_tables.c */
enum ec_status ec__fit_compare(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fit_table(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
/* fit_model.c: models that were saved */
enum ec_status ec__fit_describe(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fit_predict(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
/* A whole table in the form that was asked for. */
enum ec_status ec__fit_print(struct ec_call *call, const struct ec_table *t, const char *schema,
                             const char *key, struct ec_err *err) EC_MUST_CHECK;

#endif
