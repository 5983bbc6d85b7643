/* From questions to answers: the predictor, its options as fields, answers as JSON, judging against
 * measurements, fitting the constants. */
#ifndef EC_PREDICT_H
#define EC_PREDICT_H

#include "cost/cost.h"
#include "dataset/dataset.h"
#include "epochcast/predict.h"
#include "learn/learn.h"
#include "adapt/adapt.h"
#include "model/model.h"
#include "predict/evidence.h"
#include "predict/methods.h"

/* The options of a question: command-line flags, JSON keys, help. */
extern const struct ec_field ec_predict_fields[];
/* Whether the options are in range and go together, for one operator or for a network. Every
 * prediction checks them itself; a front end may want to know first. Errors: INPUT */
enum ec_status ec_predict_opts_check(const struct ec_predict_opts *o, bool is_op,
                                     struct ec_err *err) EC_MUST_CHECK;

/* --- Why an answer is what it is --- */
/* A stage of the answer: what it did in words, the device's time by kind of kernel after it where
 * it changes that (column: a heading), and the step after it where there is one. */
#define EC_EXPLAINED_MAX 10
struct ec_explained {
    const char *stage, *column; /* column NULL: it changes no kernel */
    char text[480];
    double kind_ns[EC_KCLASS_COUNT];
    double step_ns; /* 0: not yet */
};
struct ec_explanation {
    const char *stage; /* the one that adds rows */
    int n;
    struct ec_explained row[EC_EXPLAINED_MAX];
    double launches[EC_KCLASS_COUNT], flop[EC_KCLASS_COUNT];
    double issued;                     /* launches, with those that autocast adds */
    double cast_ns, gap_ns, device_ns; /* device: all kinds, casts of autocast, launches */
};
/* The answer to a network or an operator with what each stage did to it.
 * model, op  one of them; the other is NULL
 * Errors     those of ec_predict_network and ec_predict_op */
enum ec_status ec_predict_explained(struct ec_predictor *p, const char *model, const char *op,
                                    const char *device, const struct ec_predict_opts *opts,
                                    struct ec_prediction *ret, struct ec_explanation *ret_why,
                                    struct ec_err *err) EC_MUST_CHECK;
/* As JSON members of an open object. */
void ec_explanation_json(struct ec_json *j, const struct ec_explanation *why);

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

/* --- What a predictor keeps --- */
/* The network of a question and its step; borrowed until the next call. Errors: those of
 * ec_graph_open */
enum ec_status ec_predictor_network(struct ec_predictor *p, const char *model,
                                    const struct ec_predict_opts *o,
                                    const struct ec_graph **ret_graph,
                                    const struct ec_step **ret_step,
                                    struct ec_err *err) EC_MUST_CHECK;
/* Where a question lies for the Gaussian process of a profile: adapt/neighbours.h */
enum ec_status ec_predictor_place(struct ec_predictor *p, const struct ec_physics_query *q,
                                  bool with_neighbours, struct ec_gp_point *ret,
                                  struct ec_err *err) EC_MUST_CHECK;
struct ec_learned *ec_predictor_learned(struct ec_predictor *p); /* its corrections, borrowed */
/* The profile in use; NULL: none */
const struct ec_profile *ec_predictor_profile(const struct ec_predictor *p);
/* Takes a copy of a profile in use. Errors: NOMEM, UNSTABLE */
enum ec_status ec_predictor_set_profile(struct ec_predictor *p, const struct ec_profile *profile,
                                        struct ec_err *err) EC_MUST_CHECK;
/* The question that a measured row answers. Errors: INPUT for a word that is none */
enum ec_status ec_record_opts(const struct ec_record *m, struct ec_predict_opts *ret,
                              struct ec_err *err) EC_MUST_CHECK;
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

/* --- Judging --- */
/* A measured row with what was predicted for it by us and by two plain estimates. */
struct ec_judged {
    const struct ec_record *m;
    struct ec_interval ns, memory; /* memory: networks only */
    struct ec_plain_estimate plain;
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
enum ec_status ec_judge(struct ec_predictor *p, const struct ec_record *rows, int n,
                        struct ec_judged_list *ret, struct ec_err *err) EC_MUST_CHECK;

/* Each judged row by another method, without interval; rows it cannot do are dropped and counted as
 * other. Memory stays ours. Errors: NOMEM */
enum ec_status ec_judge_by(struct ec_predictor *p, int method, struct ec_judged_list *l,
                           struct ec_err *err) EC_MUST_CHECK;

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
    const char *key, *mapping;
    bool is_memory;
    struct ec_metrics ours, roofline, flop;
};
enum ec_status ec_evaluate(const struct ec_judged_list *l, enum ec_group_by by,
                           struct ec_group_errors **ret, int *ret_count,
                           struct ec_err *err) EC_MUST_CHECK;

#endif
