/* Shared by the files of `epochcast train`. */
#ifndef EC_TRAIN_CLI_H
#define EC_TRAIN_CLI_H

#include "cli/cli.h"
#include "engine/engine.h"
#include "graph/graph.h"

#include "train_opts.h"

/* Results of a finished run, for all its outputs. */
struct ec__train_run {
    const struct ec__train_opts *o;
    const struct ec_graph *g;
    const struct ec_samples_info *info;
    const struct ec_train_result *r;
    const char *backend, *library;
    int threads;
    double step_ns; /* ec__train_write: median of the steps */
};

/* train_out.c: curves, the row of the grid's table, the store, the answer. */
enum ec_status ec__train_write(struct ec_call *call, struct ec__train_run *run,
                               struct ec_err *err) EC_MUST_CHECK;
/* train_show.c: progress on standard error. */
struct ec__train_show {
    const struct ec__train_opts *o;
    bool terminal, open_line, silent;
    int64_t last_ns;
    double predicted_s, predicted_low_s, predicted_high_s; /* of a step; 0: not asked */
    char no_prediction[EC_ERR_MAX_BYTES];                  /* why, where it was asked; "" */
};
void ec__train_show_start(struct ec__train_show *s, const struct ec__train_opts *o);
bool ec__train_told(void *show, const struct ec_train_event *e);
void ec__train_show_end(struct ec__train_show *s);

#endif
