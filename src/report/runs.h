/* Runs of networks, measured or predicted, with what they reach of their device: the rows behind
 * `epochcast analyse` and `epochcast roofline`. */
#ifndef EC_REPORT_RUNS_H
#define EC_REPORT_RUNS_H

#include "base/base.h"
#include "fit/fit.h"
#include "report/table.h"
#include "store/store.h"

/* A network on a device. Unknown numbers are not finite; texts are never NULL. */
struct ec_run {
    const char *env, *device, *model, *mode, *precision, *optimizer, *flags;
    const char *framework, *memory_format; /* "": not given */
    const char *layer;                     /* "": the whole network */
    const char *label;                     /* in pictures; "": none */
    bool measured;
    int64_t batch, image_px, seq_len, threads; /* threads 0: not given */
    int n;                                     /* samples; 0: only the median is known */
    double mean_ns, std_ns, min_ns, median_ns, p95_ns, max_ns, predicted_ns;
    double params, flop, bytes;                     /* of a step, counted */
    double peak_flop_per_s, memory_bytes_per_s;     /* datasheet */
    double ceiling_flop_per_s, ceiling_bytes_per_s; /* measured */
    double speedup, scaling_frac;
    double memory_peak_bytes;
};

struct ec_runs {
    struct ec_arena arena; /* of the texts */
    struct ec_run *v;
    int n, cap;
    struct ec_strs notes; /* sentences: what was left out, what could not be counted */
};
void ec_runs_clear(struct ec_runs *r);

struct ec_runs_query {
    const char *device, *network; /* patterns; NULL: all */
    const char *precision;        /* of rows that do not say */
    int64_t skip;                 /* iterations left out at the beginning of each run */
    bool predict;                 /* predict each run too */
    const char *host;             /* with this host, where one feeds the device; NULL: reference */
};
/* Networks of a store whose mode is a step. Errors: STORE, NOMEM */
enum ec_status ec_runs_measured(struct ec_store *s, const struct ec_runs_query *q,
                                struct ec_runs *ret, struct ec_err *err) EC_MUST_CHECK;
/* A store in memory with tables in it; how: what they leave out, NULL: nothing is given beside
 * them. ret_left_out: a line for each of the first rows that no measurement can be made of, with
 * its file; may be NULL. Errors: PARSE when a table has no other */
enum ec_status ec_runs_store(const char *const *files, int n, const struct ec_store_import *how,
                             struct ec_store **ret, struct ec_buf *ret_left_out,
                             struct ec_err *err) EC_MUST_CHECK;
/* What was measured of the device's ceilings: the fastest row of kind `ceiling` for products, the
 * largest copy (read and written), which no cache holds. Sets them in every run of that device. */
enum ec_status ec_runs_ceilings(struct ec_store *s, struct ec_runs *r,
                                struct ec_err *err) EC_MUST_CHECK;
/* Speed-up against a reference environment (NULL: chosen) and scaling over batch sizes.
 * *ret_reference is the environment, "" when there is only one. */
void ec_runs_relate(struct ec_runs *r, const char *reference, const char **ret_reference);

/* What stands beside the points of a roofline. Errors: NOMEM */
enum ec_status ec_runs_label(struct ec_runs *r, struct ec_err *err) EC_MUST_CHECK;

struct ec_runs_ask {
    const char *model;
    const struct ec_device *device;
    struct ec_predict_opts opts;
    bool layers;
};
/* Appends the prediction, then its layers. Errors: those of predictions */
enum ec_status ec_runs_predict(struct ec_predictor *p, const struct ec_runs_ask *ask,
                               struct ec_runs *r, struct ec_err *err) EC_MUST_CHECK;

/* STATISTICS and REACHED are the two halves of ANALYSIS, which is too wide for a page. */
enum ec_runs_view {
    EC_RUNS_ANALYSIS,
    EC_RUNS_ROOFLINE,
    EC_RUNS_COMPLEXITY,
    EC_RUNS_STATISTICS,
    EC_RUNS_REACHED,
    EC_RUNS_VIEWS
};
/* The same columns in CSV and JSON; text and Markdown show those of the view. ret: clear it */
enum ec_status ec_runs_table(const struct ec_runs *r, enum ec_runs_view view, struct ec_table *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* Sentences computed from the runs: what is fastest, what limits, how batches scale. */
enum ec_status ec_runs_findings(const struct ec_runs *r, const char *reference, struct ec_arena *a,
                                struct ec_strs *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
