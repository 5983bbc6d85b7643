/* From queries to answers: the predictor, its options as fields, answers as JSON, evaluation on
 * measurements. */
#ifndef EC_PREDICT_H
#define EC_PREDICT_H

#include "cost/cost.h"
#include "tables/tables.h"
#include "epochcast/predict.h"
#include "learn/learn.h"
#include "adapt/adapt.h"
#include "model/model.h"
#include "predict/evidence.h"
#include "predict/job_file.h"
#include "predict/methods.h"

/* The options of a query: command-line flags, JSON keys, help. */
extern const struct ec_field ec_predict_fields[];
/* Whether the work of a job, or of an epoch, is said in samples, tokens or steps. */
bool ec_has_amount(const struct ec_predict_opts *o);
/* Checks that the options are in range and go together, for one operator or for a network. Every
 * prediction does this itself; a front end may do it earlier. Errors: INPUT */
enum ec_status ec_predict_opts_check(const struct ec_predict_opts *o, bool is_op,
                                     struct ec_err *err) EC_MUST_CHECK;
/* Sets options as by default that have no effect for want of another: of a rank, where all is
 * trained. of: only for want of these; NULL: of any. kept: those that stay; NULL: none */
void ec_drop_idle(struct ec_predict_opts *o, const struct ec_strs *of, const struct ec_strs *kept);

/* Whether there is a framework and a backward pass to compute activations again. */
bool ec_may_recompute(const struct ec_conditions *c);
/* The kernels of an operator's query: of a phase, of a mode, or of an isolated step with what the
 * benchmark trains beside the operator. Errors: NOT_FOUND: the activation; NOMEM */
enum ec_status ec_step_of_query(const struct ec_case *c, const struct ec_predict_opts *o,
                                struct ec_step *ret, struct ec_err *err) EC_MUST_CHECK;

/* Tokens per second over all devices; false where the network takes none. */
bool ec_tokens_per_s(const struct ec_prediction *r, struct ec_interval *ret);
/* Whether the interval of its time is so wide that it says little: nothing like it was measured. */
bool ec_is_guess(const struct ec_prediction *r);
/* How many times as long as `b` takes a sample of `a`, with its interval of 90 %. Both answer one
 * question of one network on two devices: the part of their errors that comes from the network and
 * its software is common to both (docs/accuracy.md), and cancels.
 * ret_faster_probability  that `a` takes less time; NULL: not wanted */
struct ec_interval ec_time_ratio(const struct ec_prediction *a, const struct ec_prediction *b,
                                 double *ret_faster_probability);
/* So many FLOP of a step over what the devices' dense peak would do in the median time of its
 * training; NaN: the peak is not known. */
double ec_flop_share(const struct ec_prediction *r, double flop);
/* Probability that a value with this interval is below a limit. */
double ec_interval_below(const struct ec_interval *i, double limit);
/* Of a call among others, in ns, what a profile should show as the duration of its kernels: the gap
 * to the next one is in the time of a call, not in that duration, so the lower end is lower. */
struct ec_interval ec_interval_traced(struct ec_interval i);
/* The batch of one device that a prediction of the network takes. Errors: those of
 * ec_predict_network */
enum ec_status ec_predict_batch(struct ec_predictor *p, const char *model, const char *device,
                                const struct ec_predict_opts *opts, int64_t *ret,
                                struct ec_err *err) EC_MUST_CHECK;

/* The time of one exchange among o->devices devices, where the options say they are. Errors: those
 * of ec_device_topology */
struct ec_collective_answer {
    double bytes; /* given */
    struct ec_collective_time time;
    struct ec_interval ns;
    bool is_measured; /* exchanges of this kind were; else the interval is that of all-reduces */
    int64_t machines, per_machine;
};
enum ec_status ec_predict_collective(const struct ec_device *d, const struct ec_predict_opts *o,
                                     enum ec_collective kind, struct ec_collective_answer *a,
                                     struct ec_err *err) EC_MUST_CHECK;

/* *ret_ok: the network could be predicted. Errors: NOMEM */
enum ec_status ec_predict_try(struct ec_predictor *p, const char *model, const char *device,
                              const struct ec_predict_opts *opts, struct ec_prediction *ret,
                              bool *ret_ok, struct ec_err *err) EC_MUST_CHECK;

/* --- Why an answer is what it is --- */
/* What a stage of a prediction did: in words; the device's time by kind of kernel afterwards, where
 * the stage changes it; and the step's time afterwards. In ns. Stages are named and ordered as in
 * docs/time-model.md. */
#define EC_EXPLAINED_MAX 12
struct ec_explained {
    const char *stage;
    bool timed; /* it times kernels */
    char text[480];
    double kind_ns[EC_KCLASS_COUNT];
    double step_ns; /* 0: not computed yet */
};
struct ec_explanation {
    int n;
    struct ec_explained row[EC_EXPLAINED_MAX];
    double launches[EC_KCLASS_COUNT], flop[EC_KCLASS_COUNT];
    double issued;                     /* launches, with autocast's casts */
    double cast_ns, gap_ns, device_ns; /* device_ns: all kinds, casts, gaps */
};
/* A prediction, and what each stage did to it.
 * model, op  one of them; the other is NULL
 * Errors     those of ec_predict_network and ec_predict_op */
enum ec_status ec_predict_explained(struct ec_predictor *p, const char *model, const char *op,
                                    const char *device, const struct ec_predict_opts *opts,
                                    struct ec_prediction *ret, struct ec_explanation *ret_why,
                                    struct ec_err *err) EC_MUST_CHECK;
/* Writes it as members of an open JSON object. */
void ec_explanation_json(struct ec_json *j, const struct ec_explanation *why);

/* --- The step by layer --- */
/* A node of the network, or the loss. The times are of the device, with the gaps before its
 * kernels; the update of all parameters is shared out by their number. */
struct ec_node_time {
    const char *name, *op; /* "layer1.0.conv1", "conv2d" */
    double forward_ns, backward_ns, update_ns;
    double compute_ns, memory_ns, gap_ns; /* parts of forward and backward, before `limit` */
    double flop;
    double forward_elems; /* read, written, parameters */
    enum ec_limit limit;  /* compute, memory or launches */
};
struct ec_step_layers {
    struct ec_node_time *v; /* n, in issue order, the loss last; in the arena */
    int n;
    double casts_ns; /* autocast's casts, which no layer has */
    double rest_ns;  /* waiting for the host and for other devices, bookkeeping */
    double step_ns;  /* the median: all layers, casts and rest */
};
/* A prediction, and its step by layer. Errors: those of ec_predict_network; UNSUPPORTED where
 * measured layers of a profile answer */
enum ec_status ec_predict_layers(struct ec_predictor *p, const char *model, const char *device,
                                 const struct ec_predict_opts *opts, struct ec_prediction *ret,
                                 struct ec_step_layers *ret_layers, struct ec_arena *arena,
                                 struct ec_err *err) EC_MUST_CHECK;

/* From this probability on a step surely fits, or a job surely ends in time: the upper end of the
 * interval does, by which the largest batch is found. */
#define EC_SURE 0.95
/* How a network is trained where nothing is said, by what it takes, its size, and what is trained.
 */
struct ec_usual {
    bool adamw;  /* of tokens, or large: in halves or amp */
    bool halves; /* of tokens, or frozen in halves below its adapters; else amp */
};
struct ec_usual ec_usual_training(bool tokens, double params, enum ec_tuning tuning);
/* Accelerators run compiled graphs: what asks for pytorch-2 is predicted with pytorch-compiled. */
#define EC_COMPILED_NOTE "predicted with pytorch-compiled: accelerators run compiled graphs"
bool ec_runs_compiled(const struct ec_device *d, enum ec_framework fw);
/* In which a network of tokens is trained on the device: bf16, amp where it has units for fp16
 * alone, else fp32. */
enum ec_precision ec_precision_of_tokens(const struct ec_device *d);
/* Of a module the type of its parameters in place of a precision that was not named. */
void ec_precision_of_module(const struct ec_graph *g, struct ec_predict_opts *o);
/* Puts what is usual for the network, the device and the stack in place of a precision, an
 * optimizer and a framework that were not named: bf16, or amp, and adamw for networks of tokens,
 * amp and adamw for other large ones. A network that cannot be opened is refused when it is
 * predicted. Errors: NOMEM */
enum ec_status ec_predict_usual(struct ec_predictor *p, const char *model,
                                const struct ec_device *d, struct ec_predict_opts *opts,
                                struct ec_err *err) EC_MUST_CHECK;
/* Requests name built-in networks alone from now on: no file that one names is opened. */
void ec_predictor_refuse_files(struct ec_predictor *p);
/* Answers one JSON request (docs/requests.md) by one line of JSON without newline, appended to
 * `out`. A failure is an answer too, even for lack of memory, since the next request may be
 * smaller. number: of the line in its file, said in failures; 0: none. Errors: NOMEM when the
 * answer itself cannot be written; `out` reports that as well. */
#define EC_REQUEST_MAX_BYTES ((size_t)1 << 20)
/* Writes the member "id" as it was sent; NULL or no text or number: none. */
void ec_request_id_json(struct ec_json *j, const struct ec_jval *id);
enum ec_status ec_predict_request(struct ec_predictor *p, const char *line, size_t len,
                                  int64_t number, struct ec_buf *out,
                                  struct ec_err *err) EC_MUST_CHECK;
/* Writes a prediction, with the options that it was made with, as members of an open JSON object.
 */
void ec_answer_json(struct ec_json *j, const struct ec_predict_opts *o,
                    const struct ec_prediction *r, bool is_op);
/* The options of a query that its answer says: numbers and choices. The batch over all devices is
 * beside them. */
bool ec_option_is_said(const struct ec_field *f);
const char *ec_option_key(const struct ec_field *f); /* in answers: "batch_per_device" */
/* The value that the answer was made with; "": the option has no part in it. */
const char *ec_option_said(const struct ec_field *f, const struct ec_predict_opts *o,
                           const struct ec_prediction *r, bool is_op, struct ec_buf *out);
const char *ec_limit_name(enum ec_limit l);
const char *ec_basis_name(enum ec_basis b);

/* --- What a predictor keeps --- */
/* The network of a query and its step; borrowed until the next call. Errors: those of ec_graph_open
 */
enum ec_status ec_predictor_network(struct ec_predictor *p, const char *model,
                                    const struct ec_predict_opts *o,
                                    const struct ec_graph **ret_graph,
                                    const struct ec_step **ret_step,
                                    struct ec_err *err) EC_MUST_CHECK;
/* The point of a query for the Gaussian process of a profile: adapt/neighbours.h */
enum ec_status ec_predictor_place(struct ec_predictor *p, const struct ec_physics_query *q,
                                  bool with_neighbours, struct ec_gp_point *ret,
                                  struct ec_err *err) EC_MUST_CHECK;
struct ec_learned *ec_predictor_learned(struct ec_predictor *p); /* its corrections; borrowed */
/* The profile in use, borrowed; NULL: none */
const struct ec_profile *ec_predictor_profile(const struct ec_predictor *p);
/* Uses a copy of the profile from now on. Errors: NOMEM, UNSTABLE */
enum ec_status ec_predictor_set_profile(struct ec_predictor *p, const struct ec_profile *profile,
                                        struct ec_err *err) EC_MUST_CHECK;
/* The tokens of a sample that a network has by itself; 0: it takes none, or is unknown. For
 * struct ec_table_given. */
int64_t ec_tokens_of_network(const char *model);
/* Fails: NOT_FOUND. Says of a folder what was expected in it, `also` beside tables, and which
 * devices and networks are there. */
enum ec_status ec_no_table(const char *folder, const char *also, struct ec_arena *a,
                           struct ec_err *err) EC_MUST_CHECK;
/* Sets what a record's `job` says: "tuning=lora rank=16 zero=3". Errors: INPUT for another word */
enum ec_status ec_predict_opts_job(const char *job, struct ec_predict_opts *o,
                                   struct ec_err *err) EC_MUST_CHECK;
/* The options with which to predict a measured row. Errors: INPUT for an unknown word */
enum ec_status ec_record_opts(const struct ec_record *m, struct ec_predict_opts *ret,
                              struct ec_err *err) EC_MUST_CHECK;
/* Puts what is usual for a network in place of an optimizer that its source does not give, as
 * ec_predict_usual does for a query. rows: with their defaults. Errors: NOMEM */
enum ec_status ec_records_usual(struct ec_predictor *p, struct ec_record *rows, int n,
                                struct ec_err *err) EC_MUST_CHECK;
/* --- Hosts: machines that issue the kernels of networks --- */
struct ec_host {
    const char *name;   /* borrowed, lives as long as the program */
    double time_factor; /* its time to issue kernels over the reference host's */
};
/* Index 0 is the reference host, the others are sorted by name. */
int ec_host_count(void);
struct ec_host ec_host_at(int i);
/* Errors: NOT_FOUND, with near names, when the name is no host. NULL and "" are the reference host.
 */
enum ec_status ec_host_check(const char *name, struct ec_err *err) EC_MUST_CHECK;
/* Whether predictions for the device have a host: those for GPUs. Other devices issue their own
 * work. */
bool ec_host_feeds(const struct ec_device *d);

/* --- Judging --- */
/* A measured row with our prediction and two plain estimates, in ns and bytes. */
struct ec_judged {
    const struct ec_record *m;
    const struct ec_predict_opts *opts; /* of the prediction; NULL: those of the record */
    struct ec_interval ns, memory;      /* memory: networks only */
    struct ec_plain_estimate plain;
    const char *device;
    enum ec_basis basis;
    double host_ns, device_ns; /* of the prediction: networks only */
    double needed_bytes;       /* what it cannot do without: networks only */
    double most_bytes;         /* peak, 95 %: networks only */
    double fits_probability;   /* -1: unknown */
    double card_bytes;         /* memory of the device; 0: unknown */
};
/* Whether a step of so many times the predicted time spilled into the host's memory. A prediction
 * errs by a little, so the time must be far above; several times where the card is only nearly
 * full. bytes: measured or needed; most_bytes: 95 % of the predicted peak; card_bytes 0: unknown */
bool ec_spilled(double ratio, double bytes, double most_bytes, double card_bytes);
/* What a prediction says of a run that ran out of memory: "agrees", "says it may not fit" ... */
const char *ec_misfit_verdict(double fits_probability);
/* The predictions of rows. A step of several processes in a measurement file is predicted from the
 * measured step of one, where a row has it. Rows whose network or device is unknown, or that have
 * another reason, are left out and counted.
 * v              n predictions, ec_free() it
 * why            the first different sentences about rows that are left out */
#define EC_WHY_MAX 6
#define EC_WHY_ROWS_MAX 10
struct ec_judged_list {
    struct ec_judged *v;
    int n, n_no_network, n_no_device, n_other;
    int n_why; /* also those that are not kept */
    struct {
        int n, row[EC_WHY_ROWS_MAX]; /* rows that have it, and the first of them */
        char text[200];
    } why[EC_WHY_MAX];
};
enum ec_status ec_judge(struct ec_predictor *p, const struct ec_record *rows, int n,
                        struct ec_judged_list *ret, struct ec_err *err) EC_MUST_CHECK;

/* Replaces the predictions by another method's, without interval; rows that it cannot predict are
 * removed and counted in n_other. Memory stays ours. Errors: NOMEM */
enum ec_status ec_judge_by(struct ec_predictor *p, int method, struct ec_judged_list *l,
                           struct ec_err *err) EC_MUST_CHECK;

/* Why a measured row is outside its interval: X(NAME, word). */
#define EC_CAUSE_LIST(X)                                                                           \
    X(NONE, "") /* it is inside */                                                                 \
    X(SPILLED, "spilled memory")                                                                   \
    X(PRECISION, "precision")                                                                      \
    X(MODE, "mode")                                                                                \
    X(BATCH, "batch")                                                                              \
    X(LOADER, "loader")                                                                            \
    X(HOST, "host")                                                                                \
    X(THROTTLED, "throttled or shared")                                                            \
    X(SLOW, "loader or clock")                                                                     \
    X(LAYOUT, "memory order")                                                                      \
    X(SOFTWARE, "compilation")                                                                     \
    X(RECOMPUTE, "recomputation")                                                                  \
    X(LINKS, "links")                                                                              \
    X(UNKNOWN, "unknown")
#define EC_CAUSE_ENUM(name, word) EC_CAUSE_##name,
enum ec_cause_kind { EC_CAUSE_LIST(EC_CAUSE_ENUM) EC_CAUSE_COUNT };
#undef EC_CAUSE_ENUM
struct ec_cause {
    enum ec_cause_kind kind;
    char text[240];      /* how it is seen, and what to check; "" where kind is NONE */
    const char *confirm; /* a command, or a line in the loop, that shows whether it is so; NULL */
};
const char *ec_cause_word(enum ec_cause_kind k);
/* Whether a measured step, whose prediction is r, used memory of the host; ret->text says why */
bool ec_record_spilled(const struct ec_record *m, const struct ec_device *d,
                       const struct ec_prediction *r, struct ec_cause *ret);
/* How far off a prediction is, in every output: predicted over measured, minus 1. */
double ec_judged_off(const struct ec_judged *j);
/* Measured over predicted, and whether it is inside its interval; of the row's time, else of its
 * memory. */
double ec_judged_ratio(const struct ec_judged *j);
bool ec_judged_inside(const struct ec_judged *j);
/* The likely causes for each row, from the row, the other rows of its device, and predictions under
 * other conditions, the likeliest first. ret: `most` causes for each of l->n rows, those that were
 * not found NONE. Errors: NOMEM */
enum ec_status ec_judged_causes(struct ec_predictor *p, const struct ec_judged_list *l, int most,
                                struct ec_cause *ret, struct ec_err *err) EC_MUST_CHECK;

/* --- Is a run as expected --- */
/* What is run: a network, an operator or a collective. */
struct ec_job {
    const char *model, *op, *device;
    enum ec_collective collective; /* of so many bytes, where model and op are NULL */
    double bytes;
    struct ec_predict_opts opts;
};
/* What a step does on all devices, by kind of speed: 1 step, samples, tokens, FLOP, bytes; 0: it
 * has none. The FLOP of a network are those of its MFU, the bytes of a collective those that
 * nccl-tests count. */
struct ec_amounts {
    double of[EC_SPEED_COUNT];
    int64_t devices;
};
struct ec_expected {
    struct ec_interval ns; /* of a step */
    struct ec_amounts does;
    struct ec_prediction r; /* not of a collective */
};
/* Puts what is usual in place of a precision and an optimizer that were not named. Errors: those of
 * the prediction */
enum ec_status ec_expect(struct ec_predictor *p, struct ec_job *job, struct ec_expected *ret,
                         struct ec_err *err) EC_MUST_CHECK;
/* The time of a step by such a speed. Errors: INPUT where a step has none of what it counts */
enum ec_status ec_step_of_speed(const struct ec_amounts *a, const char *text, double *ret_ns,
                                struct ec_err *err) EC_MUST_CHECK;

enum ec_verdict { EC_VERDICT_NORMAL, EC_VERDICT_SLOWER, EC_VERDICT_FASTER };
extern const char *const ec_verdict_names[];
/* Outside of the interval, whose ends are moved out by this share of them. */
enum ec_verdict ec_verdict(const struct ec_interval *i, double measured, double tolerance);
/* Of the time of a row; NORMAL of its memory. */
enum ec_verdict ec_judged_verdict(const struct ec_judged *j, double tolerance);
/* The likely causes where a step of this time is outside, as of a table of one row. ret: `most` of
 * them. Errors: INPUT, NOMEM */
enum ec_status ec_expected_causes(struct ec_predictor *p, const struct ec_job *job,
                                  const struct ec_expected *e, double ns, int most,
                                  struct ec_cause *ret, struct ec_err *err) EC_MUST_CHECK;

/* Errors of groups of rows. ret: n groups sorted by key, ec_free() it; the keys are borrowed from
 * the rows. Errors: NOMEM */
enum ec_group_by {
    EC_BY_ALL,
    EC_BY_DEVICE,
    EC_BY_FAMILY,
    EC_BY_PHASE,
    EC_BY_PRECISION,
    EC_BY_DEVICES, /* number of devices */
    EC_BY_COUNT
};
extern const char *const ec_group_names[]; /* NULL-terminated */
struct ec_group_errors {
    const char *key, *mapping;
    bool is_memory;
    struct ec_metrics ours, roofline, flop;
};
enum ec_status ec_evaluate(const struct ec_judged_list *l, enum ec_group_by by,
                           struct ec_group_errors **ret, int *ret_count,
                           struct ec_err *err) EC_MUST_CHECK;

#endif
