/* From questions to answers: the predictor, its options as fields, answers as JSON, judging against
 * measurements, fitting the constants. */
#ifndef EC_PREDICT_H
#define EC_PREDICT_H

#include "cost/cost.h"
#include "dataset/dataset.h"
#include "epochcast/predict.h"
#include "learn/learn.h"
#include "predict/compare.h"
#include "predict/evidence.h"
#include "predict/grid.h"
#include "predict/local.h"
#include "predict/methods.h"
#include "predict/profile.h"
#include "predict/taught.h"

/* The options of a question: command-line flags, JSON keys, help. */
extern const struct ec_field ec_predict_fields[];
/* Whether the options are in range and go together, for one operator or for a network. Every
 * prediction checks them itself; a front end may want to know first. Errors: INPUT */
enum ec_status ec_predict_opts_check(const struct ec_predict_opts *o, bool is_op,
                                     struct ec_err *err) EC_MUST_CHECK;

/* One request as JSON (docs/requests.md) to one line of JSON without newline, appended to `out`.
 * Errors become an answer too, a question too large for memory among them: the next one may be
 * smaller. Errors: NOMEM when the answer itself cannot be written; `out` says so as well. */
#define EC_REQUEST_MAX_BYTES ((size_t)1 << 20)
enum ec_status ec_predict_request(struct ec_predictor *p, const char *line, size_t len,
                                  struct ec_buf *out, struct ec_err *err) EC_MUST_CHECK;
/* The answer to a question as JSON members of an open object. */
void ec_prediction_json(struct ec_json *j, const struct ec_prediction *r);
const char *ec_limit_name(enum ec_limit l);
const char *ec_basis_name(enum ec_basis b);

/* --- Hosts: machines that issue the kernels of networks --- */
struct ec_host {
    const char *name;   /* borrowed, lives as long as the program */
    double time_factor; /* of its time to issue kernels over that of the reference host */
};
/* 0 is the reference host, the others follow by name. */
int ec_host_count(void);
struct ec_host ec_host_at(int i);
/* Whether a question may name it; NULL and "" are the reference host. Errors: NOT_FOUND with the
 * names that are close */
enum ec_status ec_host_check(const char *name, struct ec_err *err) EC_MUST_CHECK;
/* Whether a host issues what the device runs: GPUs; others issue their own work. */
bool ec_host_feeds(const struct ec_device *d);

/* FLOP/s of products at a precision by the datasheet: matrix units where the device has them; 0:
 * unknown, or no such precision. */
double ec_paper_peak_named(const struct ec_device *d, const char *precision);

/* --- Judging --- */
/* A measured row with what was predicted for it by us and by two plain estimates. */
struct ec_judged {
    const struct ec_measured *m;
    struct ec_interval ns, memory; /* memory: networks only */
    double roofline_ns; /* max(FLOP / peak, bytes / bandwidth) at paper peaks, per kernel */
    double flop_ns;     /* FLOP / paper peak */
    const char *device;
    enum ec_basis basis;
};
/* Predict each row. Rows whose network or device we do not have are left out and counted by reason:
 * "network", "device", "precision", "other".
 * ret  n judged rows, ec_free() it */
struct ec_judged_list {
    struct ec_judged *v;
    int n, n_no_network, n_no_device, n_other;
    char first_missing[64];
};
enum ec_status ec_judge(struct ec_predictor *p, const struct ec_measured *rows, int n,
                        struct ec_judged_list *ret, struct ec_err *err) EC_MUST_CHECK;

/* Each judged row by another method, without interval; rows it cannot do are dropped and counted as
 * other. Memory stays ours. Errors: NOMEM */
enum ec_status ec_judge_by(struct ec_predictor *p, int method, struct ec_judged_list *l,
                           struct ec_err *err) EC_MUST_CHECK;

/* What of a step a row measures: the phase of an operator, else the mode. */
const char *ec_measured_phase(const struct ec_measured *m);
/* Errors of groups of rows; keys borrow from the judged rows. ret: n groups sorted by key,
 * ec_free() it. */
enum ec_group_by {
    EC_BY_ALL,
    EC_BY_DEVICE,
    EC_BY_FAMILY,
    EC_BY_PHASE,
    EC_BY_PRECISION,
    EC_BY_DEVICES, /* how many */
    EC_BY_COUNT
};
extern const char *const ec_group_names[]; /* NULL-terminated */
struct ec_group_errors {
    const char *key, *layout;
    bool is_memory;
    struct ec_metrics ours, roofline, flop;
};
enum ec_status ec_evaluate(const struct ec_judged_list *l, enum ec_group_by by,
                           struct ec_group_errors **ret, int *ret_count,
                           struct ec_err *err) EC_MUST_CHECK;

/* --- Fitting the constants that ship --- */
struct ec_fit_opts {
    const char *data_dir;     /* directory of the public tables */
    const char *measured_dir; /* of the project's own measurements; NULL: without them */
    const char *out_path;     /* fitted.inc */
    const char *learned_path; /* corrections as a file; NULL: none */
    const char *table_path;   /* errors of cross-validation as CSV; NULL: none */
    const char *rows_path;    /* those of each row of a network; NULL: none */
    const char *command;      /* what makes the same again, for the record; NULL: unknown */
    int64_t seed, threads, max_rows, iterations;
    bool quick; /* no cross-validation: widths stay as they are */
    void (*progress)(void *ctx, const char *text);
    void *progress_ctx;
};
enum ec_status ec_fit_physics(const struct ec_fit_opts *opts, struct ec_err *err) EC_MUST_CHECK;
/* Only the ranges of the rows, which the whole fit puts into the predictor file; out_path: CSV. */
enum ec_status ec_fit_domain(const struct ec_fit_opts *opts, struct ec_err *err) EC_MUST_CHECK;
/* The constants of several devices, out_path and table_path likewise. */
enum ec_status ec_fit_parallel(const struct ec_fit_opts *opts, struct ec_err *err) EC_MUST_CHECK;
/* What makes what ships; paths and progress are the caller's. */
void ec_fit_opts_ship(struct ec_fit_opts *o);
/* What the shipped predictor rests on, as JSON: command, seed, splits, tables with their licences
 * and rows. Borrowed, lives as long as the program. */
const char *ec_predictor_provenance(size_t *ret_len);

#endif
