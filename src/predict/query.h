/* A question on its way to an answer, and the stages it goes through. */
#ifndef EC_PREDICT_QUERY_H
#define EC_PREDICT_QUERY_H

#include "predict/predict_internal.h"

/* The device of a question, with what the fit knows of it. */
struct ec__target {
    const struct ec_device *device;
    const struct ec_device_fit *fit;  /* NULL: specification only */
    const struct ec_profile *profile; /* NULL: none of this device */
    struct ec_rates rates;
    struct ec_rates plain; /* without the profile: as corrections were fitted */
    enum ec_basis basis;
    enum ec_width_kind kind; /* of question, for its interval */
    double spread;           /* how much wider than usual the interval is */
    double offset[EC_DO_COUNT];
    const char *host; /* of networks; NULL: none is named */
    bool by_layers;   /* timed by layers of the profile, with a width of its own */
    struct ec_width own_width;
    double own_memory; /* 0: by the law of memory */
};

/* A run of kernels that is timed at once: a phase of an operator, or all of a network. */
struct ec__part {
    struct ec_step step;       /* borrows the kernels of the query's */
    struct ec_step_time plain; /* by the laws, without the profile */
    struct ec_step_time time;
    double correction; /* learned factor */
    double spread;     /* how much wider than usual its errors are */
    bool beside;       /* what a benchmark trains with the operator: by the laws, never corrected */
};

struct ec__query {
    struct ec_predictor *p;
    const struct ec_predict_opts *o;
    const struct ec_graph *graph; /* NULL: an operator */
    const struct ec_case *op;     /* NULL: a network */
    const struct ec_step *step;
    struct ec_memory memory; /* of a network */
    struct ec__target t;
    struct ec_composed composed; /* by layers of the profile: t.by_layers */
    struct ec_step beside;       /* what a benchmark of a lone operator trains with it; owned */
    struct ec__part part[EC_PHASE_COUNT + 1];
    int n_parts;
    struct ec_step_time time; /* so far */
    double near, unknown; /* residual of rows near the question; share that they do not explain */
    struct ec__several_width several;
    struct ec_width width; /* of the step, around its time */
    double widened;        /* by this much for what the fit has not seen */
    struct ec_prediction *r;
};

/* target.c. op: NULL for a network. Errors: those of ec_device_find; UNSUPPORTED */
enum ec_status ec__find_target(struct ec_predictor *p, const char *key,
                               const struct ec_predict_opts *o, const struct ec_op *op,
                               struct ec__target *ret, struct ec_err *err) EC_MUST_CHECK;
/* What was measured of the question, and the models that this asks for. */
enum ec_status ec__find_basis(const struct ec_predictor *p, const struct ec_predict_opts *o,
                              const struct ec_step *step, struct ec__target *t,
                              struct ec_err *err) EC_MUST_CHECK;
struct ec_asker ec__asker(const struct ec_predict_opts *o, bool forward);

/* stages.c: from the kernels of the step to its time and interval, one stage after another; what
 * each did goes into `why`. why: NULL for nobody who asks. Errors: those of the stages */
enum ec_status ec__run_stages(struct ec__query *q, struct ec_explanation *why,
                              struct ec_err *err) EC_MUST_CHECK;

/* job.c: tokens of a sample; the side of its square image; 0: it has none */
int64_t ec__sequence_length(const struct ec_graph *g, const struct ec_predict_opts *o);
int64_t ec__image_side(const struct ec_graph *g);
enum ec_status ec__fill_epoch(const struct ec__query *q, struct ec_err *err) EC_MUST_CHECK;
void ec__fill_memory(const struct ec__query *q);

#endif
