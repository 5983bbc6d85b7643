/* Fits the predictor that ships, and studies it. */
#ifndef EC_LAB_H
#define EC_LAB_H

#include "fit/fit.h"

struct ec_fit_opts {
    const char *data_dir;     /* directory of the public tables */
    const char *measured_dir; /* of the project's own measurements; NULL: without them */
    const char *out_path;     /* fitted.inc */
    const char *learned_path; /* corrections as a file; NULL: none */
    const char *table_path;   /* errors of cross-validation as CSV; NULL: none */
    const char *rows_path;    /* errors of each row of a network as CSV; NULL: none */
    const char *command; /* the command that repeats the fit, for the provenance; NULL: unknown */
    int64_t seed, threads, max_rows, iterations;
    bool constants_only; /* only the rows that the constants are fitted to */
    bool quick;          /* no cross-validation: widths stay as they are */
    void (*progress)(void *ctx, const char *text);
    void *progress_ctx;
};
enum ec_status ec_fit_physics(const struct ec_fit_opts *opts, struct ec_err *err) EC_MUST_CHECK;
/* Errors of the laws alone where whole kinds of rows are left out, as CSV in out_path. */
enum ec_status ec_fit_splits(const struct ec_fit_opts *opts, struct ec_err *err) EC_MUST_CHECK;
/* Fits the constants of memory alone, and puts them into out_path, which stays as it is but for
 * them. */
enum ec_status ec_fit_memory(const struct ec_fit_opts *opts, struct ec_err *err) EC_MUST_CHECK;
/* Computes only the ranges of the rows, as CSV in out_path. The whole fit puts them into the
 * predictor file. */
enum ec_status ec_fit_domain(const struct ec_fit_opts *opts, struct ec_err *err) EC_MUST_CHECK;
/* What the rows say of each shipped constant, without a fit: as a page in out_path, as CSV where
 * that ends with .csv, and as text in `out`. The constants that no row determines stand apart. */
enum ec_status ec_fit_report(const struct ec_fit_opts *opts, struct ec_buf *out,
                             struct ec_err *err) EC_MUST_CHECK;
/* Fits the constants of several devices; writes out_path and table_path. */
enum ec_status ec_fit_parallel(const struct ec_fit_opts *opts, struct ec_err *err) EC_MUST_CHECK;
/* Sets the options of the shipped fit; paths and progress are the caller's. */
void ec_fit_opts_ship(struct ec_fit_opts *o);
/* Errors by number of calibration rows, for each device treated as unmeasured, as CSV. */
enum ec_status ec_calibrate_study(const char *data_dir, int64_t seed,
                                  void (*progress)(void *ctx, const char *text), void *ctx,
                                  struct ec_buf *out, struct ec_err *err) EC_MUST_CHECK;

/* commands.c: the commands of the program. */
struct ec_executable;
extern const struct ec_executable ec_lab;

#endif
