/* Runs of networks, measured or predicted, compared with their device's peaks: the rows of
 * `epochcast analyse` and `epochcast roofline`. */
#ifndef EC_REPORT_RUNS_H
#define EC_REPORT_RUNS_H

#include "base/base.h"
#include "fit/fit.h"
#include "report/table.h"
#include "store/store.h"

/* A network on a device. Unknown numbers are not finite; texts are never NULL. */
struct ec_run {
    const char *env;
    /* The network, its device and its conditions. Readings are unset. */
    struct ec_record record;
    const char *layer; /* "": the whole network */
    const char *label; /* in pictures; "": none */
    bool measured;
    int64_t id;  /* of the measurement in its store; 0: none */
    int n;       /* number of samples; 0: only the median is known */
    int repeats; /* runs that this row is of, where there are several: its samples are their medians
                  */
    double mean_ns, std_ns, min_ns, median_ns, p95_ns, max_ns, predicted_ns;
    double rate_mean, rate_std; /* steps per second, over the samples */
    const char *limit;          /* what limits the step, by the prediction; "": there is none */
    double params, flop, bytes; /* of a step, by counting */
    double peak_flop_per_s, memory_bytes_per_s;     /* datasheet */
    double ceiling_flop_per_s, ceiling_bytes_per_s; /* measured */
    double speedup, scaling_frac;
    double device_scaling_frac; /* throughput over that in proportion to the devices */
    double memory_peak_bytes;
    double first_ns; /* of the samples */
    /* Without the slow steps of a warm-up: std over mean, and the last third's median over that of
     * the first third; 0: few samples */
    double steady_std_frac, drift_ratio;
    const char *uncounted; /* why FLOP and bytes are not known; "": they are */
    bool unknown;          /* no network has this name */
    /* Predicted; bytes 0: not known. The probability is that of one that did not fit */
    double fits_probability, needed_bytes, most_bytes, device_bytes;
};

static inline const char *ec_run_mode(const struct ec_run *r)
{
    return ec_record_word(&r->record, EC_WORD_MODE);
}
static inline const char *ec_run_precision(const struct ec_run *r)
{
    return ec_record_word(&r->record, EC_WORD_PRECISION);
}

struct ec_runs {
    struct ec_arena arena; /* of the texts */
    struct ec_run *v;
    int n, cap;
    struct ec_run *left; /* without a time of their own: record.outcome says why */
    int n_left, cap_left;
    struct ec_strs notes;  /* messages on rows that were left out or could not be counted */
    const char *reference; /* environment of the speed-ups; NULL: none */
    struct ec__query *q;   /* the rows as tables; NULL: not asked for yet, or rows have changed */
};
void ec_runs_clear(struct ec_runs *r);

struct ec_runs_query {
    const char *device, *network; /* patterns; NULL: all */
    const char *precision;        /* of rows without one */
    int64_t skip;                 /* iterations left out at the beginning of each run */
    bool predict;                 /* predict each run too */
    bool bare;                    /* only whether there are any: the first row as it is */
    const char *host;             /* host of predictions for GPUs; NULL: the reference host */
    bool processes;               /* steps of processes that share a processor too */
};
/* Appends the networks of a store whose mode is a step. Errors: STORE, NOMEM */
enum ec_status ec_runs_measured(struct ec_store *s, const struct ec_runs_query *q,
                                struct ec_runs *ret, struct ec_err *err) EC_MUST_CHECK;
/* Adds tables to a store; without one, makes it in memory. A failure closes it. how: values for
 * columns that they lack; NULL: none. said: gets the notes of tables, and the rows that cannot
 * become measurements; may be NULL. Errors: PARSE when no other row is left */
enum ec_status ec_runs_store(const char *const *files, int n, const struct ec_store_import *how,
                             struct ec_store **ret, struct ec_said *said,
                             struct ec_err *err) EC_MUST_CHECK;
/* Sets the measured ceilings in every run of the device: the fastest product, and the largest copy
 * (read and written), which no cache holds. */
enum ec_status ec_runs_ceilings(struct ec_store *s, struct ec_runs *r,
                                struct ec_err *err) EC_MUST_CHECK;
/* Computes the speed-up over a reference environment (borrowed; NULL: chosen) at the same batch,
 * and the scaling over batch sizes. Errors: NOMEM */
enum ec_status ec_runs_relate(struct ec_runs *r, const char *reference,
                              struct ec_err *err) EC_MUST_CHECK;

/* Sets the labels of the points of a roofline. Errors: NOMEM */
enum ec_status ec_runs_label(struct ec_runs *r, struct ec_err *err) EC_MUST_CHECK;
/* Notes why points lie above a roof, or are limited by other than their side of the ridge says.
 * Errors: NOMEM */
enum ec_status ec_runs_roof_notes(struct ec_runs *r, struct ec_err *err) EC_MUST_CHECK;

struct ec_runs_ask {
    const char *model;
    const struct ec_device *device;
    struct ec_predict_opts opts;
    bool layers;
    int64_t top; /* so many layers, those that take longest; 0: all */
};
/* Appends a prediction, then the loss and the layers as parts of its step, the slowest first.
 * Errors: those of predictions */
enum ec_status ec_runs_predict(struct ec_predictor *p, const struct ec_runs_ask *ask,
                               struct ec_runs *r, struct ec_err *err) EC_MUST_CHECK;

/* STATISTICS and REACHED each have half of the columns of ANALYSIS, which is too wide for a page.
 */
enum ec_runs_view {
    EC_RUNS_ANALYSIS,
    EC_RUNS_ROOFLINE,
    EC_RUNS_COMPLEXITY,
    EC_RUNS_STATISTICS,
    EC_RUNS_REACHED,
    EC_RUNS_THROUGHPUT,
    EC_RUNS_VIEWS
};
/* Fills a table. CSV and JSON have the same columns in every view; text and Markdown those of the
 * view. ret: clear it */
enum ec_status ec_runs_table(struct ec_runs *r, enum ec_runs_view view, struct ec_table *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* Writes sentences computed from the runs: what is fastest, what limits, how batches scale. */
enum ec_status ec_runs_findings(struct ec_runs *r, struct ec_arena *a, struct ec_strs *ret,
                                struct ec_err *err) EC_MUST_CHECK;

#endif
