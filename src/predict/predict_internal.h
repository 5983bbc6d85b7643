/* Shared inside predict: the predictor, and what a question passes from stage to stage. */
#ifndef EC_PREDICT_INTERNAL_H
#define EC_PREDICT_INTERNAL_H

#include "predict/predict.h"

struct ec_kept_target;
struct ec_predictor {
    const struct ec_fitted *fitted;
    struct ec_profile *profile;               /* in use, owned; NULL: none */
    struct ec_gp *residuals;                  /* of the profile; NULL: none */
    struct ec_neighbours neighbours;          /* of the question asked last */
    struct ec_layers *layers;                 /* of the profile; NULL: none */
    bool given;                               /* the caller chose the profile */
    const struct ec_shipped_profile *shipped; /* ... it is one of those that ship; NULL: not */
    struct ec_learned *learned;
    const struct ec_domain *domain; /* what the fit has seen: of the predictor file, else shipped */
    struct ec_domain *shipped_domain;
    struct ec_networks networks;
    struct ec_kept_target *kept_targets; /* NULL: none yet */
    struct ec_arena scratch;             /* emptied for each question */
};

/* The profile that ships for the device and the question comes in use, unless the caller has given
 * one or changed numbers. Errors: PARSE for one that is damaged, NOMEM */
enum ec_status ec__shipped_need(struct ec_predictor *p, const char *device,
                                const struct ec_predict_opts *o, struct ec_err *err) EC_MUST_CHECK;
/* The profile in use when it is of the device, else NULL. */
const struct ec_profile *ec__profile_of(const struct ec_predictor *p, const char *device);

/* --- Several devices --- */
/* What is asked for each device: batch from global_batch. */
void ec__batch_of_one(const struct ec_predict_opts *given, struct ec_predict_opts *own);
/* Options that say the batch of one device; `own` holds them when the given ones do not. */
void ec__share_batch(const struct ec_predict_opts **opts, struct ec_predict_opts *own);
enum ec_strategy ec__strategy_of(const struct ec_predict_opts *o);
/* The operator that follows in an isolated step; NULL: none. */
const char *ec__activation_of(const struct ec_predict_opts *o);
/* What several devices add to the interval of one. */
struct ec__several_width {
    bool from_run; /* runs of the job were given: in place of the interval of one device */
    bool adds;     /* the law's own errors, beside the others */
    double lo, mid, hi;
};
struct ec_width ec__several_width(const struct ec__several_width *s, const struct ec_width *one);
/* Turns the time of one device into that of all: *step_ns is the median step before and after.
 * Fills the members of several devices. Errors: INPUT, UNSUPPORTED; those of
 * ec_parallel_runs_parse */
struct ec_several {
    const struct ec_predict_opts *opts;
    const struct ec_device *device;
    const struct ec_step *step;
    const struct ec_memory *memory;
    double backward_share; /* of the step */
};
enum ec_status ec__several(const struct ec_several *q, double *step_ns,
                           struct ec__several_width *ret_width, struct ec_prediction *r,
                           struct ec_err *err) EC_MUST_CHECK;
/* The kind of most of the work, in words: what has to have been measured. op: NULL for a network */
const char *ec__kind_text(const struct ec_op *op, const struct ec_step *step);
/* How a note on an interval begins: it says nothing of a number that has none. */
#define EC_NOTE_INTERVAL "the interval is wide because "
/* Each end moved away from the median, at most to a hundred times it. */
struct ec_width ec__widened(const struct ec_width *w, double by);
struct ec_interval ec__spread(double value, const struct ec_width *w, double widen);
struct ec_interval ec__times(struct ec_interval i, double by);
struct ec_interval ec__rate_of(struct ec_interval ns, double samples);
EC_PRINTF(2, 3) void ec__warn(struct ec_prediction *r, const char *fmt, ...);

#endif
