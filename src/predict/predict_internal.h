/* Shared inside predict: the predictor, and helpers of the stages. */
#ifndef EC_PREDICT_INTERNAL_H
#define EC_PREDICT_INTERNAL_H

#include "predict/predict.h"

struct ec_kept_target;
struct ec_predictor {
    const struct ec_fitted *fitted;
    struct ec_profile *profile;      /* in use, owned; NULL: none */
    struct ec_gp *residuals;         /* of the profile; NULL: none */
    struct ec_neighbours neighbours; /* of the last query */
    struct ec_layers *layers;        /* of the profile; NULL: none */
    bool given;                      /* the caller chose the profile */
    const struct ec_shipped_profile
        *shipped; /* the shipped profile in use; NULL: another or none */
    struct ec_learned *learned;
    const struct ec_domain
        *domain; /* ranges of the fit: of the predictor file, else shipped_domain */
    struct ec_domain *shipped_domain;
    struct ec_networks networks;
    bool no_files;                       /* of requests */
    struct ec_kept_target *kept_targets; /* NULL: none yet */
    struct ec_arena scratch;             /* emptied before each query */
    struct ec_buf answer;                /* the last of ec_predict_json */
};

/* Uses the shipped profile for the device and the query, unless the caller has given a profile or
 * changed numbers of the device. Errors: PARSE for a damaged profile, NOMEM */
enum ec_status ec__shipped_need(struct ec_predictor *p, const char *device,
                                const struct ec_predict_opts *o, struct ec_err *err) EC_MUST_CHECK;
/* The profile in use if it is of this device, else NULL. */
const struct ec_profile *ec__profile_of(const struct ec_predictor *p, const char *device);

/* Sets a field of ec_predict_fields: a precision that is given is no longer the device's choice.
 * Errors: those of ec_field_set */
enum ec_status ec__option_set(const struct ec_field *f, struct ec_predict_opts *o,
                              struct ec_span text, struct ec_arena *a,
                              struct ec_err *err) EC_MUST_CHECK;

/* judge.c: what the judging of a row needs of its prediction. */
void ec__judged_answer(struct ec_judged *j, const struct ec_prediction *r);
/* causes.c: time or memory, whichever the row is of. */
double ec__judged_measured(const struct ec_judged *j);
const struct ec_interval *ec__judged_predicted(const struct ec_judged *j);

/* The network of a query; borrowed until the next call. Errors: those of ec_graph_open */
enum ec_status ec__open_network(struct ec_predictor *p, const char *model,
                                const struct ec_predict_opts *o, struct ec_network **ret,
                                struct ec_err *err) EC_MUST_CHECK;
bool ec__has_halves(const struct ec_predict_opts *o); /* parameters in two bytes */
/* Refuses what has no effect for want of another option. is_settled: else a precision that is usual
 * for the network is not known yet */
enum ec_status ec__check_needs(const struct ec_predict_opts *o, bool is_settled,
                               struct ec_err *err) EC_MUST_CHECK;

/* --- Several devices --- */
/* Sets the batch of one device where options have global_batch or share the network. */
void ec__share_batch(struct ec_predict_opts *o);
enum ec_strategy ec__strategy_of(const struct ec_predict_opts *o);
/* Machines, links and network of a query. Errors: INPUT, UNSUPPORTED */
enum ec_status ec__topology_of(const struct ec_device *d, const struct ec_predict_opts *o,
                               struct ec_topology *ret, struct ec_err *err) EC_MUST_CHECK;
/* The activation behind an operator in an isolated step; NULL: none. */
const char *ec__activation_of(const struct ec_predict_opts *o);
/* Width that several devices add to that of one; lo, mid, hi are points of log(measured /
 * predicted). */
struct ec__several_width {
    bool from_run; /* measured runs were given: replaces the width of one device */
    bool of_jobs;  /* the errors are of whole jobs: they replace the width of one device */
    bool adds;     /* there are errors of the communication, to be added */
    double lo, mid, hi;
};
struct ec_width ec__several_width(const struct ec__several_width *s, const struct ec_width *one);
/* Turns *step_ns, the median step of one device, into that of all devices. Fills the prediction's
 * members of several devices. Errors: INPUT, UNSUPPORTED; those of ec_parallel_runs_parse */
struct ec_several {
    const struct ec_predict_opts *opts;
    const struct ec_device *device;
    const struct ec_step *step;
    const struct ec_memory *memory;
    double backward_share; /* backward over step time of one device, 0 to 1 */
};
enum ec_status ec__several(const struct ec_several *q, double *step_ns,
                           struct ec__several_width *ret_width, struct ec_prediction *r,
                           struct ec_err *err) EC_MUST_CHECK;
/* The kind of most of the work, in words ("convolutions"); the basis depends on rows of this kind.
 * op: NULL for a network */
const char *ec__kind_text(const struct ec_op *op, const struct ec_step *step);
/* Begin of notes on intervals. Methods without intervals leave them out by it. */
#define EC_NOTE_INTERVAL "the interval is wide because "
/* The interval with each end moved away from the median by a factor on its logarithm, at most to
 * 100 times the median. */
struct ec_width ec__widened(const struct ec_width *w, double by);
struct ec_interval ec__spread(double value, const struct ec_width *w, double widen);
struct ec_interval ec__times(struct ec_interval i, double by);
struct ec_interval ec__rate_of(struct ec_interval ns, double samples);
EC_PRINTF(2, 3) void ec__warn(struct ec_prediction *r, const char *fmt, ...);

/* passes.c: whether --rl has the model make samples. */
bool ec__makes_samples(const struct ec_predict_opts *o);

#endif
