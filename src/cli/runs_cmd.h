/* What `epochcast analyse` and `epochcast roofline` share: forms of output and pictures. */
#ifndef EC_CLI_RUNS_CMD_H
#define EC_CLI_RUNS_CMD_H

#include "cli/cli.h"
#include "report/report.h"

struct runs_output {
    bool png;
    const char *schema, *key;
    const char *plots; /* directory; NULL: none */
    const char *out;   /* a picture by `recipe`; NULL: none */
    const char *recipe;
    const char *title; /* of `out`; NULL: that of the recipe */
    enum ec_runs_view view;
};
/* Writes the runs in the form asked for, with notes and findings, and the pictures. */
enum ec_status ec__runs_write(struct ec_call *call, struct ec_runs *r, const struct runs_output *o,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
