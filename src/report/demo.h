/* The demonstration, in a few minutes: measures a small grid of networks and some layers on this
 * machine, fits, tests on held-out rows, predicts what was not measured, measures it, and writes a
 * report. */
#ifndef EC_REPORT_DEMO_H
#define EC_REPORT_DEMO_H

#include "measure/measure.h"

struct ec_demo_opts {
    const char *dir; /* of all files; created */
    double
        budget_s; /* seconds for all measurements; below EC_DEMO_SMALL_S the networks are smaller */
    uint64_t seed;
    void (*tell)(void *user, const char *sentence); /* called with each step and each result */
    void *user;
};
#define EC_DEMO_SMALL_S 60

/* A prediction that was made before its measurement; in seconds. */
struct ec_demo_unseen {
    const char *kind; /* "configuration", "network" */
    char what[96];
    const char *quantity; /* "epoch", "step" */
    double p05, p50, p95, measured;
};
struct ec_demo_result {
    bool stopped; /* by m->stop: run again to go on */
    int n_configs, n_layers;
    int n_unseen;
    struct ec_demo_unseen unseen[2];
    double drift;     /* standard deviation of log(time) of an epoch of one configuration */
    char noise[320];  /* that the machine is noisy, and what to do; "": it is not */
    char advice[320]; /* what the result means, and the next command */
    char report[512]; /* path of the page */
};
/* Runs the demonstration.
 * m       open, with base filled in; its file and counters are used
 * Errors  INPUT when the budget ends before there is enough to fit; those of the parts */
enum ec_status ec_demo_run(struct ec_measurer *m, const struct ec_demo_opts *o,
                           struct ec_demo_result *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
