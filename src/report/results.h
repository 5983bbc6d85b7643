/* Makes a report of a directory of results: one HTML file, Markdown with pictures, and the tables
 * of both. */
#ifndef EC_REPORT_RESULTS_H
#define EC_REPORT_RESULTS_H

#include "base/base.h"
#include "store/store.h"

struct ec_results_opts {
    const char *dir;              /* of the results */
    const char *only;             /* the one file of it that counts; NULL: all */
    const char *out;              /* of the report; created */
    const char *title;            /* NULL: of the directory */
    const char *reference;        /* environment of speed-ups; NULL: chosen */
    const char *precision;        /* of runs without one */
    const char *host;             /* host of runs on GPUs; NULL: the reference host */
    struct ec_store_import given; /* values for columns that tables lack */
    const struct ec_strs *first;  /* findings before those of the tables; NULL: none */
    int64_t skip;                 /* iterations left out at the beginning of each run */
    /* Called with each step: "reading runs.csv". NULL: silent */
    void (*progress)(void *user, const char *what);
    void *progress_user;
};
struct ec_results_done {
    int n_figures, n_tables, n_runs, n_left_out;
    int n_removed; /* removed files of an earlier report */
};
/* Writes the report. said: gets notes, and the files that are left out. Errors: NOT_FOUND without
 * results, IO, NOMEM */
enum ec_status ec_results_report(const struct ec_results_opts *o, struct ec_arena *a,
                                 struct ec_said *said, struct ec_results_done *ret,
                                 struct ec_err *err) EC_MUST_CHECK;

#endif
